//! Graphs, samples and lattices of which no model is made.

use std::ptr::{null, null_mut};

use super::*;
use crate::is;

#[test]
fn creation() {
    let untouched = 16 as *mut Model;
    let fails = |graph: Graph, name| {
        let mut model = untouched;
        // SAFETY: the arrays have the lengths that the graph tells, or a pointer is null.
        is(unsafe { hl_ising_create(&graph, 1, null(), &mut model) }, name);
        assert_eq!(model, untouched);
    };
    fails(Graph { layers: 0, ..graph() }, "HL_ERR_LAYERS");
    fails(Graph { layers: 1, ..graph() }, "HL_ERR_LAYERS");
    fails(Graph { sites: 0, ..graph() }, "HL_ERR_NO_SITES");
    fails(Graph { row_pointers: null(), ..graph() }, "HL_ERR_NULL");
    fails(Graph { neighbours: null(), ..graph() }, "HL_ERR_NULL");
    fails(Graph { couplings: null(), ..graph() }, "HL_ERR_NULL");
    fails(Graph { row_pointers: [1, 1, 3, 4].as_ptr(), ..graph() }, "HL_ERR_ROW_POINTER");
    fails(Graph { row_pointers: [0, 3, 1, 4].as_ptr(), ..graph() }, "HL_ERR_ROW_POINTER");
    fails(Graph { neighbours: [0, 0, 2, 1].as_ptr(), ..graph() }, "HL_ERR_SELF_LOOP");
    fails(Graph { neighbours: [3, 0, 2, 1].as_ptr(), ..graph() }, "HL_ERR_SITE_RANGE");
    fails(Graph { neighbours: [1, 0, 0, 1].as_ptr(), ..graph() }, "HL_ERR_DUPLICATE_EDGE");
    fails(Graph { neighbours: [2, 0, 2, 1].as_ptr(), ..graph() }, "HL_ERR_ASYMMETRIC");
    fails(Graph { couplings: [1.0, 1.0, 0.5, -0.5].as_ptr(), ..graph() }, "HL_ERR_ASYMMETRIC");
    fails(Graph { couplings: [f64::NAN, 1.0, 0.5, 0.5].as_ptr(), ..graph() }, "HL_ERR_COUPLING");
    fails(Graph { fields: [0.0, f64::NAN, 0.0].as_ptr(), ..graph() }, "HL_ERR_FIELD");

    let mut model = untouched;
    let opts = Opts { size: size_of::<Opts>(), tau_coupling: 1.0, order: 0, update: 0, acceptance: 0 };
    // SAFETY: as above.
    unsafe {
        is(hl_ising_create(null(), 1, null(), &mut model), "HL_ERR_NULL");
        is(hl_ising_create(&graph(), 1, null(), null_mut()), "HL_ERR_NULL");
        for kind in [-1, 9, i32::MAX] {
            is(hl_ising_create(&graph(), kind, null(), &mut model), "HL_ERR_KIND");
        }
        for number in [-1, 2] {
            is(hl_ising_create(&graph(), 1, &Opts { order: number, ..opts }, &mut model), "HL_ERR_OPTION");
            is(hl_ising_create(&graph(), 1, &Opts { update: number, ..opts }, &mut model), "HL_ERR_OPTION");
            let acceptance = if number == 2 { 3 } else { number };
            is(hl_ising_create(&graph(), 1, &Opts { acceptance, ..opts }, &mut model), "HL_ERR_OPTION");
        }
        is(hl_ising_create(&graph(), 1, &Opts { tau_coupling: f64::NAN, ..opts }, &mut model), "HL_ERR_TAU_COUPLING");
        let odd = Graph { fields: [0.001, 0.0, 0.0].as_ptr(), ..graph() };
        is(hl_ising_create(&odd, 2, null(), &mut model), "HL_ERR_QUANTUM");
        hl_ising_destroy(null_mut());
        let mut range = [0.0; 2];
        is(hl_ising_beta_range(null(), range.as_mut_ptr()), "HL_ERR_NULL");
        is(hl_ising_beta_range(&graph(), null_mut()), "HL_ERR_NULL");
        let wrong = Graph { fields: [0.0, f64::NAN, 0.0].as_ptr(), ..graph() };
        is(hl_ising_beta_range(&wrong, range.as_mut_ptr()), "HL_ERR_FIELD");
        assert_eq!(range, [0.0; 2]);
        is(hl_ising_beta_range(&graph(), range.as_mut_ptr()), "HL_OK");
        assert!(0.0 < range[0] && range[0] < range[1]);
    }
    assert_eq!(model, untouched);
}

#[test]
fn samples_and_lattices() {
    let untouched = 16 as *mut Model;
    let mut model = untouched;
    let graph = Graph { fields: null(), ..graph() };
    let reversals = Reversals { count: 2, sites: [0, 1, 2, 1].as_ptr(), reversed: [1; 8].as_ptr() };
    let mut samples = |graph, reversals, kind, name| {
        // SAFETY: the arrays have the lengths that the structures tell, or a pointer is null.
        is(unsafe { hl_ising_create_samples(graph, reversals, kind, null(), &mut model) }, name);
        assert_eq!(model, untouched);
    };
    samples(null(), &reversals, 6, "HL_ERR_NULL");
    samples(&graph, null(), 6, "HL_ERR_NULL");
    samples(&graph, &Reversals { sites: null(), ..reversals }, 6, "HL_ERR_NULL");
    samples(&graph, &Reversals { reversed: null(), ..reversals }, 6, "HL_ERR_NULL");
    samples(&graph, &Reversals { count: usize::MAX, ..reversals }, 6, "HL_ERR_TOO_LARGE");
    samples(&graph, &Reversals { sites: [0, 1, 1, 3].as_ptr(), ..reversals }, 6, "HL_ERR_SITE_RANGE");
    samples(&graph, &Reversals { sites: [0, 1, 1, 0].as_ptr(), ..reversals }, 6, "HL_ERR_DUPLICATE_EDGE");
    samples(&graph, &reversals, 2, "HL_ERR_OPTION");
    samples(&graph, &reversals, 9, "HL_ERR_KIND");

    let mut model = untouched;
    let lattice =
        Lattice { layers: 1, dimensions: 2, extents: [3, 4].as_ptr(), couplings: [1.0; 24].as_ptr(), boundary: 0 };
    let mut fails = |lattice, kind, name| {
        // SAFETY: as above.
        is(unsafe { hl_ising_create_lattice(lattice, kind, null(), &mut model) }, name);
        assert_eq!(model, untouched);
    };
    fails(null(), 6, "HL_ERR_NULL");
    fails(&Lattice { extents: null(), ..lattice }, 6, "HL_ERR_NULL");
    fails(&Lattice { couplings: null(), ..lattice }, 6, "HL_ERR_NULL");
    fails(&Lattice { dimensions: 0, ..lattice }, 6, "HL_ERR_LENGTH");
    fails(&Lattice { extents: [3, 2].as_ptr(), ..lattice }, 6, "HL_ERR_EXTENT");
    fails(&Lattice { extents: [u32::MAX; 2].as_ptr(), ..lattice }, 6, "HL_ERR_TOO_LARGE");
    fails(&Lattice { boundary: 2, ..lattice }, 6, "HL_ERR_OPTION");
    fails(&Lattice { layers: 0, ..lattice }, 6, "HL_ERR_LAYERS");
    fails(&lattice, 9, "HL_ERR_KIND");
    // SAFETY: as above.
    unsafe {
        is(hl_ising_create_lattice(&lattice, 6, null(), null_mut()), "HL_ERR_NULL");
        is(hl_ising_create_samples(&graph, &reversals, 6, null(), null_mut()), "HL_ERR_NULL");
        is(hl_ising_create_samples(&graph, &reversals, 6, null(), &mut model), "HL_OK");
        hl_ising_destroy(model);
        is(hl_ising_create_lattice(&lattice, 6, null(), &mut model), "HL_OK");
        hl_ising_destroy(model);
    }
}
