//! The use of a model.

use std::ptr::{null, null_mut};

use super::*;
use crate::is;

#[test]
fn use_() {
    let (mut model, mut rng, mut narrow) = (null_mut(), null_mut(), null_mut());
    // SAFETY: all pointers are null or to live objects of the right size.
    unsafe {
        let opts = Opts { size: size_of::<Opts>(), tau_coupling: 0.5, order: 1, update: 1, acceptance: 2 };
        is(hl_ising_create(&graph(), 1, &Opts { size: size_of::<Opts>() - 1, ..opts }, &mut model), "HL_ERR_LENGTH");
        is(hl_ising_create(&graph(), 1, &opts, &mut model), "HL_OK");
        is(hl_random_mt19937_create([1; 16].as_ptr(), 16, &mut rng), "HL_OK");
        is(hl_random_mt19937_create([1; 8].as_ptr(), 8, &mut narrow), "HL_OK");

        refused(model, rng, narrow);
        results(model, rng);
        hl_ising_destroy(model);
        hl_random_mt19937_destroy(rng);
        hl_random_mt19937_destroy(narrow);
    }
}

/// Nothing is written.
///
/// # Safety
/// The pointers are to live objects: four layers of three sites, and generators of 16 and 8 lanes.
unsafe fn refused(model: *mut Model, rng: *mut Rng, narrow: *mut Rng) {
    let mut spins = [7; 12];
    let (mut flips, mut space, mut tau) = (u64::MAX, 0.0, 0.0);
    let mut info = Info::default();
    let mut order = [9; 3];
    let (mut magnetisation, mut overlaps) = (5, [5; 4]);
    // SAFETY: all pointers are null or to live objects of the right size.
    unsafe {
        is(hl_ising_get_spins(null(), spins.as_mut_ptr()), "HL_ERR_NULL");
        is(hl_ising_get_spins(model, null_mut()), "HL_ERR_NULL");
        is(hl_ising_set_spins(null_mut(), spins.as_ptr()), "HL_ERR_NULL");
        is(hl_ising_set_spins(model, null()), "HL_ERR_NULL");
        is(hl_ising_set_spins(model, spins.as_ptr()), "HL_ERR_SPIN");
        is(hl_ising_sweep(null_mut(), rng, 0.3, 0.3, 1, &mut flips), "HL_ERR_NULL");
        is(hl_ising_sweep(model, null_mut(), 0.3, 0.3, 1, &mut flips), "HL_ERR_NULL");
        is(hl_ising_sweep(model, narrow, 0.3, 0.3, 1, &mut flips), "HL_ERR_LANES");
        is(hl_ising_sweep(model, rng, f32::NAN, 0.3, 1, &mut flips), "HL_ERR_BETA");
        is(hl_ising_sweep(model, rng, 0.3, f32::INFINITY, 1, &mut flips), "HL_ERR_BETA");
        is(hl_ising_energy(null(), &mut space, &mut tau), "HL_ERR_NULL");
        is(hl_ising_energy(model, null_mut(), &mut tau), "HL_ERR_NULL");
        is(hl_ising_energy(model, &mut space, null_mut()), "HL_ERR_NULL");
        let mut acceptance = 7;
        is(hl_ising_acceptance(null(), 0.3, 0.3, &mut acceptance), "HL_ERR_NULL");
        is(hl_ising_acceptance(model, 0.3, 0.3, null_mut()), "HL_ERR_NULL");
        assert_eq!(acceptance, 7);
        is(hl_ising_acceptance(model, 0.3, 0.3, &mut acceptance), "HL_OK");
        assert_eq!(acceptance, 2);
        is(hl_ising_magnetisation(null(), &mut magnetisation), "HL_ERR_NULL");
        is(hl_ising_magnetisation(model, null_mut()), "HL_ERR_NULL");
        is(hl_ising_overlaps(null(), [1; 12].as_ptr(), overlaps.as_mut_ptr()), "HL_ERR_NULL");
        is(hl_ising_overlaps(model, null(), overlaps.as_mut_ptr()), "HL_ERR_NULL");
        is(hl_ising_overlaps(model, [1; 12].as_ptr(), null_mut()), "HL_ERR_NULL");
        is(hl_ising_overlaps(model, spins.as_ptr(), overlaps.as_mut_ptr()), "HL_ERR_SPIN");
        let mut energies = [5.0; 4];
        is(hl_ising_layer_energies(null(), energies.as_mut_ptr(), overlaps.as_mut_ptr()), "HL_ERR_NULL");
        is(hl_ising_layer_energies(model, null_mut(), overlaps.as_mut_ptr()), "HL_ERR_NULL");
        is(hl_ising_layer_energies(model, energies.as_mut_ptr(), null_mut()), "HL_ERR_NULL");
        is(hl_ising_copy_layer(null(), 0, spins.as_mut_ptr()), "HL_ERR_NULL");
        is(hl_ising_copy_layer(model, 0, null_mut()), "HL_ERR_NULL");
        is(hl_ising_copy_layer(model, 4, spins.as_mut_ptr()), "HL_ERR_INDEX");
        is(hl_ising_set_layer(null_mut(), 0, spins.as_ptr()), "HL_ERR_NULL");
        is(hl_ising_set_layer(model, 0, null()), "HL_ERR_NULL");
        is(hl_ising_set_layer(model, 4, [1; 3].as_ptr()), "HL_ERR_INDEX");
        is(hl_ising_set_layer(model, 3, spins.as_ptr()), "HL_ERR_SPIN");
        is(hl_ising_swap_layers(null_mut(), model, 0, 1), "HL_ERR_NULL");
        is(hl_ising_swap_layers(model, null_mut(), 0, 1), "HL_ERR_NULL");
        is(hl_ising_swap_layers(model, model, 0, 1), "HL_ERR_OVERLAP");
        assert_eq!((magnetisation, overlaps, energies), (5, [5; 4], [5.0; 4]));
        is(hl_ising_order(null(), order.as_mut_ptr()), "HL_ERR_NULL");
        is(hl_ising_order(model, null_mut()), "HL_ERR_NULL");
        is(hl_ising_describe(null(), &mut info), "HL_ERR_NULL");
        is(hl_ising_describe(model, null_mut()), "HL_ERR_NULL");
        is(hl_ising_describe(model, &mut info), "HL_ERR_LENGTH");
        assert_eq!((spins, flips, space, tau, order), ([7; 12], u64::MAX, 0.0, 0.0, [9; 3]));
        assert_eq!(info, Info::default());
    }
}

/// # Safety
/// As for [`refused`].
unsafe fn results(model: *mut Model, rng: *mut Rng) {
    let mut spins = [7; 12];
    let (mut flips, mut space, mut tau) = (u64::MAX, 0.0, 0.0);
    let mut info = Info::default();
    let mut order = [9; 3];
    let (mut magnetisation, mut overlaps) = (5, [5; 4]);
    // SAFETY: all pointers are to live objects of the right size.
    unsafe {
        info.size = size_of::<Info>();

        is(hl_ising_get_spins(model, spins.as_mut_ptr()), "HL_OK");
        assert_eq!(spins, [1; 12]);
        is(hl_ising_energy(model, &mut space, &mut tau), "HL_OK");
        assert_eq!((space, tau), (4.0 * 0.75, 12.0 * 0.5));
        is(hl_ising_order(model, order.as_mut_ptr()), "HL_OK");
        assert_eq!(order, [0, 1, 2]);
        is(hl_ising_describe(model, &mut info), "HL_OK");
        assert_eq!((info.layers, info.sites, info.lanes, info.is_exact), (4, 3, 2, 1));
        assert_eq!((info.kind, info.quantum), (1, 0.0));
        is(hl_ising_magnetisation(model, &mut magnetisation), "HL_OK");
        is(hl_ising_overlaps(model, [-1, 1, 1].repeat(4).as_ptr(), overlaps.as_mut_ptr()), "HL_OK");
        assert_eq!((magnetisation, overlaps), (12, [1; 4]));
        assert!(info.heap_bytes > 0);
        is(hl_ising_set_spins(model, [-1; 12].as_ptr()), "HL_OK");
        is(hl_ising_sweep(model, rng, 0.3, 0.3, 100, &mut flips), "HL_OK");
        assert!((1..1200).contains(&flips));
        is(hl_ising_sweep(model, rng, 0.3, 0.3, 0, &mut flips), "HL_OK");
        assert_eq!(flips, 0);
        is(hl_ising_sweep(model, rng, 0.3, 0.3, 1, null_mut()), "HL_OK");
    }
}

#[test]
fn kinds() {
    let (mut model, mut info) = (null_mut(), Info { size: size_of::<Info>(), ..Info::default() });
    // SAFETY: all pointers are null or to live objects of the right size.
    unsafe {
        is(hl_ising_create(&Graph { fields: null(), ..graph() }, 0, null(), &mut model), "HL_OK");
        hl_ising_destroy(model);
        let odd = Graph { fields: [0.001, 0.0, 0.0].as_ptr(), ..graph() };
        for (kind, graph, settled, quantum) in [(2, graph(), 2, 0.25), (3, graph(), 2, 0.25), (3, odd, 5, 0.001)] {
            is(hl_ising_create(&graph, kind, null(), &mut model), "HL_OK");
            is(hl_ising_describe(model, &mut info), "HL_OK");
            assert_eq!((info.kind, info.quantum), (settled, quantum));
            hl_ising_destroy(model);
        }
    }
}
