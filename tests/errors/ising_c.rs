//! Bad input of models and generators, in C.

use std::ptr::{null, null_mut};

use crate::is;

pub enum Model {}
pub enum Rng {}
pub enum Exchange {}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Beta {
    space: f32,
    tau: f32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Energies {
    space: f64,
    tau: f64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Graph {
    layers: u32,
    sites: u32,
    row_pointers: *const u32,
    neighbours: *const u32,
    couplings: *const f64,
    fields: *const f64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Reversals {
    count: usize,
    sites: *const u32,
    reversed: *const u8,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Lattice {
    layers: u32,
    dimensions: u32,
    extents: *const u32,
    couplings: *const f64,
    boundary: i32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Opts {
    size: usize,
    tau_coupling: f64,
    order: i32,
    update: i32,
    acceptance: i32,
}

#[repr(C)]
#[derive(Debug, Default, PartialEq)]
pub struct Info {
    size: usize,
    layers: u32,
    sites: u32,
    lanes: u32,
    is_exact: u32,
    kind: i32,
    quantum: f64,
    heap_bytes: usize,
}

unsafe extern "C" {
    fn hl_ising_create(graph: *const Graph, kind: i32, opts: *const Opts, model: *mut *mut Model) -> i32;
    fn hl_ising_beta_range(graph: *const Graph, range: *mut f64) -> i32;
    fn hl_ising_create_samples(
        graph: *const Graph,
        reversals: *const Reversals,
        kind: i32,
        opts: *const Opts,
        model: *mut *mut Model,
    ) -> i32;
    fn hl_ising_create_lattice(lattice: *const Lattice, kind: i32, opts: *const Opts, model: *mut *mut Model) -> i32;
    fn hl_ising_destroy(model: *mut Model);
    fn hl_ising_set_spins(model: *mut Model, spins: *const i8) -> i32;
    fn hl_ising_get_spins(model: *const Model, spins: *mut i8) -> i32;
    fn hl_ising_sweep(model: *mut Model, rng: *mut Rng, space: f32, tau: f32, sweeps: u64, flips: *mut u64) -> i32;
    fn hl_ising_energy(model: *const Model, space: *mut f64, tau: *mut f64) -> i32;
    fn hl_ising_magnetisation(model: *const Model, magnetisation: *mut i64) -> i32;
    fn hl_ising_overlaps(model: *const Model, spins: *const i8, overlaps: *mut i64) -> i32;
    fn hl_ising_acceptance(model: *const Model, space: f32, tau: f32, acceptance: *mut i32) -> i32;
    fn hl_ising_layer_energies(model: *const Model, energies: *mut f64, magnetisations: *mut i64) -> i32;
    fn hl_ising_copy_layer(model: *const Model, layer: usize, spins: *mut i8) -> i32;
    fn hl_ising_set_layer(model: *mut Model, layer: usize, spins: *const i8) -> i32;
    fn hl_ising_swap_layers(model: *mut Model, other: *mut Model, first: usize, count: usize) -> i32;
    fn hl_ising_factors(space: f64, tau: f64, factors: *mut u16) -> i32;
    fn hl_ising_heat_factors(space: f64, tau: f64, factors: *mut u16) -> i32;
    fn hl_ising_heat_thresholds(space: f64, tau: f64, thresholds: *mut u16) -> i32;
    fn hl_ising_thresholds(space: f64, tau: f64, thresholds: *mut u16) -> i32;
    fn hl_ising_order(model: *const Model, order: *mut u32) -> i32;
    fn hl_ising_describe(model: *const Model, info: *mut Info) -> i32;
    fn hl_mt19937_create(lanes: u32, seeds: *const u32, rng: *mut *mut Rng) -> i32;
    fn hl_mt19937_create_from_state(bytes: *const u8, size: usize, rng: *mut *mut Rng) -> i32;
    fn hl_mt19937_destroy(rng: *mut Rng);
    fn hl_mt19937_fill_u32(rng: *mut Rng, dst: *mut u32, n: usize) -> i32;
    fn hl_mt19937_fill_f32(rng: *mut Rng, dst: *mut f32, n: usize) -> i32;
    fn hl_mt19937_state_size(rng: *const Rng, size: *mut usize) -> i32;
    fn hl_mt19937_get_state(rng: *const Rng, bytes: *mut u8, size: usize) -> i32;
    fn hl_mt19937_set_state(rng: *mut Rng, bytes: *const u8, size: usize) -> i32;
    fn hl_replica_exchange_create(ladder: *const Beta, n: usize, seed: u32, exchange: *mut *mut Exchange) -> i32;
    fn hl_replica_exchange_create_from_state(bytes: *const u8, size: usize, exchange: *mut *mut Exchange) -> i32;
    fn hl_replica_exchange_destroy(exchange: *mut Exchange);
    fn hl_replica_exchange_exchange(
        exchange: *mut Exchange,
        energies: *const Energies,
        n: usize,
        swaps: *mut usize,
    ) -> i32;
    fn hl_replica_exchange_step(exchange: *mut Exchange, models: *const *mut Model, n: usize, swaps: *mut usize)
    -> i32;
    fn hl_replica_exchange_len(exchange: *const Exchange, temperatures: *mut usize) -> i32;
    fn hl_replica_exchange_beta(exchange: *const Exchange, replica: usize, beta: *mut Beta) -> i32;
    fn hl_replica_exchange_temperature_of(exchange: *const Exchange, replica: usize, place: *mut usize) -> i32;
    fn hl_replica_exchange_replica_at(exchange: *const Exchange, temperature: usize, replica: *mut usize) -> i32;
    fn hl_replica_exchange_attempts(exchange: *const Exchange, pair: usize, attempts: *mut u64) -> i32;
    fn hl_replica_exchange_swaps(exchange: *const Exchange, pair: usize, swaps: *mut u64) -> i32;
    fn hl_replica_exchange_round_trips(exchange: *const Exchange, trips: *mut u64) -> i32;
    fn hl_replica_exchange_round_trips_of(exchange: *const Exchange, replica: usize, trips: *mut u64) -> i32;
    fn hl_replica_exchange_state_size(exchange: *const Exchange, size: *mut usize) -> i32;
    fn hl_replica_exchange_get_state(exchange: *const Exchange, bytes: *mut u8, size: usize) -> i32;
    fn hl_replica_exchange_set_state(exchange: *mut Exchange, bytes: *const u8, size: usize) -> i32;
}

const POINTERS: [u32; 4] = [0, 1, 3, 4];
const NEIGHBOURS: [u32; 4] = [1, 0, 2, 1];
const COUPLINGS: [f64; 4] = [1.0, 1.0, -0.5, -0.5];
const FIELDS: [f64; 3] = [0.0, 0.25, 0.0];

fn graph() -> Graph {
    Graph {
        layers: 4,
        sites: 3,
        row_pointers: POINTERS.as_ptr(),
        neighbours: NEIGHBOURS.as_ptr(),
        couplings: COUPLINGS.as_ptr(),
        fields: FIELDS.as_ptr(),
    }
}

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
        for kind in [-1, 8, i32::MAX] {
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
    samples(&graph, &reversals, 8, "HL_ERR_KIND");

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
    fails(&lattice, 8, "HL_ERR_KIND");
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

#[test]
fn generators() {
    let untouched = 16 as *mut Rng;
    let (mut rng, mut size) = (untouched, 7);
    // SAFETY: all pointers are null or to live objects of the right size.
    unsafe {
        for lanes in [0, 3, 17] {
            is(hl_mt19937_create(lanes, [1; 17].as_ptr(), &mut rng), "HL_ERR_LANES");
        }
        is(hl_mt19937_create(4, null(), &mut rng), "HL_ERR_NULL");
        is(hl_mt19937_create(4, [1; 4].as_ptr(), null_mut()), "HL_ERR_NULL");
        is(hl_mt19937_create_from_state(null(), 100, &mut rng), "HL_ERR_NULL");
        is(hl_mt19937_create_from_state([0; 100].as_ptr(), 100, &mut rng), "HL_ERR_STATE_FOREIGN");
        is(hl_mt19937_state_size(null(), &mut size), "HL_ERR_NULL");
        assert_eq!((rng, size), (untouched, 7));
        hl_mt19937_destroy(null_mut());

        is(hl_mt19937_create(4, [1; 4].as_ptr(), &mut rng), "HL_OK");
        is(hl_mt19937_state_size(rng, null_mut()), "HL_ERR_NULL");
        is(hl_mt19937_fill_u32(null_mut(), [0; 3].as_mut_ptr(), 3), "HL_ERR_NULL");
        is(hl_mt19937_fill_u32(rng, null_mut(), 3), "HL_ERR_NULL");
        is(hl_mt19937_fill_f32(rng, null_mut(), 3), "HL_ERR_NULL");
        is(hl_mt19937_fill_u32(rng, null_mut(), 0), "HL_OK");

        is(hl_mt19937_state_size(rng, &mut size), "HL_OK");
        let mut bytes = vec![7; size];
        is(hl_mt19937_get_state(rng, null_mut(), size), "HL_ERR_NULL");
        is(hl_mt19937_get_state(null(), bytes.as_mut_ptr(), size), "HL_ERR_NULL");
        is(hl_mt19937_get_state(rng, bytes.as_mut_ptr(), size - 1), "HL_ERR_LENGTH");
        assert!(bytes.iter().all(|&byte| byte == 7));
        is(hl_mt19937_get_state(rng, bytes.as_mut_ptr(), size), "HL_OK");
        is(hl_mt19937_set_state(rng, null(), size), "HL_ERR_NULL");
        is(hl_mt19937_set_state(null_mut(), bytes.as_ptr(), size), "HL_ERR_NULL");
        is(hl_mt19937_set_state(rng, bytes.as_ptr(), size - 1), "HL_ERR_STATE_TRUNCATED");
        is(hl_mt19937_set_state(rng, bytes.as_ptr(), size), "HL_OK");
        bytes[100] ^= 1;
        is(hl_mt19937_set_state(rng, bytes.as_ptr(), size), "HL_ERR_STATE_CORRUPT");
        hl_mt19937_destroy(rng);
    }
}

#[test]
fn use_() {
    let (mut model, mut rng, mut narrow) = (null_mut(), null_mut(), null_mut());
    let mut spins = [7; 12];
    let (mut flips, mut space, mut tau) = (u64::MAX, 0.0, 0.0);
    let mut info = Info::default();
    let mut order = [9; 3];
    let (mut magnetisation, mut overlaps) = (5, [5; 4]);
    // SAFETY: all pointers are null or to live objects of the right size.
    unsafe {
        let opts = Opts { size: size_of::<Opts>(), tau_coupling: 0.5, order: 1, update: 1, acceptance: 2 };
        is(hl_ising_create(&graph(), 1, &Opts { size: size_of::<Opts>() - 1, ..opts }, &mut model), "HL_ERR_LENGTH");
        is(hl_ising_create(&graph(), 1, &opts, &mut model), "HL_OK");
        is(hl_mt19937_create(16, [1; 16].as_ptr(), &mut rng), "HL_OK");
        is(hl_mt19937_create(8, [1; 8].as_ptr(), &mut narrow), "HL_OK");

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
        hl_ising_destroy(model);

        is(hl_ising_create(&Graph { fields: null(), ..graph() }, 0, null(), &mut model), "HL_OK");
        hl_ising_destroy(model);
        let odd = Graph { fields: [0.001, 0.0, 0.0].as_ptr(), ..graph() };
        for (kind, graph, settled, quantum) in [(2, graph(), 2, 0.25), (3, graph(), 2, 0.25), (3, odd, 5, 0.001)] {
            is(hl_ising_create(&graph, kind, null(), &mut model), "HL_OK");
            is(hl_ising_describe(model, &mut info), "HL_OK");
            assert_eq!((info.kind, info.quantum), (settled, quantum));
            hl_ising_destroy(model);
        }
        hl_mt19937_destroy(rng);
        hl_mt19937_destroy(narrow);
    }
}

#[test]
fn thresholds() {
    let mut found = [7; hotloops::ising::THRESHOLDS];
    // SAFETY: null, or room for all.
    unsafe {
        is(hl_ising_thresholds(0.5, 0.25, null_mut()), "HL_ERR_NULL");
        for space in [-0.5, f64::NAN, f64::INFINITY] {
            is(hl_ising_thresholds(space, 0.25, found.as_mut_ptr()), "HL_ERR_BETA");
        }
        for tau in [f64::NAN, f64::INFINITY, -f64::INFINITY] {
            is(hl_ising_thresholds(0.5, tau, found.as_mut_ptr()), "HL_ERR_BETA");
        }
        assert_eq!(found, [7; hotloops::ising::THRESHOLDS]);
        is(hl_ising_thresholds(0.5, -0.25, found.as_mut_ptr()), "HL_OK");
    }
    assert_eq!(found, hotloops::ising::thresholds(0.5, -0.25));
    // SAFETY: as above.
    unsafe {
        is(hl_ising_heat_thresholds(0.5, 0.25, null_mut()), "HL_ERR_NULL");
        is(hl_ising_heat_thresholds(-0.5, 0.25, found.as_mut_ptr()), "HL_ERR_BETA");
        is(hl_ising_heat_thresholds(0.5, f64::NAN, found.as_mut_ptr()), "HL_ERR_BETA");
        assert_eq!(found, hotloops::ising::thresholds(0.5, -0.25));
        is(hl_ising_heat_thresholds(0.5, -0.25, found.as_mut_ptr()), "HL_OK");
    }
    assert_eq!(found, hotloops::ising::heat_thresholds(0.5, -0.25));
}

#[test]
fn factors() {
    let mut found = [7; hotloops::ising::FACTORS];
    // SAFETY: null, or room for all.
    unsafe {
        for write in [hl_ising_factors, hl_ising_heat_factors] {
            is(write(0.5, 0.25, null_mut()), "HL_ERR_NULL");
            is(write(-0.5, 0.25, found.as_mut_ptr()), "HL_ERR_BETA");
            is(write(0.5, f64::NAN, found.as_mut_ptr()), "HL_ERR_BETA");
        }
        assert_eq!(found, [7; hotloops::ising::FACTORS]);
        is(hl_ising_factors(0.5, -0.25, found.as_mut_ptr()), "HL_OK");
        assert_eq!(found, hotloops::ising::factors(0.5, -0.25));
        is(hl_ising_heat_factors(0.5, -0.25, found.as_mut_ptr()), "HL_OK");
        assert_eq!(found, hotloops::ising::heat_factors(0.5, -0.25));
    }
}

#[test]
fn exchanges() {
    let untouched = 16 as *mut Exchange;
    let (mut exchange, mut model) = (untouched, null_mut());
    let ladder = [0.25, 0.5, 1.0].map(|space| Beta { space, tau: 0.25 });
    let mut wrong = ladder;
    wrong[1].tau = f32::NAN;
    let mut energies = [Energies { space: 1.0, tau: 0.5 }; 3];
    let (mut beta, mut place, mut count) = (Beta::default(), 77, 77);
    // SAFETY: all pointers are null or to live objects of the right size.
    unsafe {
        is(hl_replica_exchange_create(null(), 3, 1, &mut exchange), "HL_ERR_NULL");
        is(hl_replica_exchange_create(ladder.as_ptr(), 3, 1, null_mut()), "HL_ERR_NULL");
        is(hl_replica_exchange_create(null(), 0, 1, &mut exchange), "HL_ERR_LADDER");
        is(hl_replica_exchange_create(ladder.as_ptr(), 1, 1, &mut exchange), "HL_ERR_LADDER");
        is(hl_replica_exchange_create(wrong.as_ptr(), 3, 1, &mut exchange), "HL_ERR_BETA");
        is(hl_replica_exchange_create_from_state(null(), 99, &mut exchange), "HL_ERR_NULL");
        is(hl_replica_exchange_create_from_state([0; 99].as_ptr(), 99, &mut exchange), "HL_ERR_STATE_FOREIGN");
        assert_eq!(exchange, untouched);
        hl_replica_exchange_destroy(null_mut());

        is(hl_replica_exchange_create(ladder.as_ptr(), 3, 1, &mut exchange), "HL_OK");
        is(hl_ising_create(&graph(), 2, null(), &mut model), "HL_OK");
        let models = [model; 3];

        is(hl_replica_exchange_exchange(null_mut(), energies.as_ptr(), 3, &mut place), "HL_ERR_NULL");
        is(hl_replica_exchange_exchange(exchange, null(), 3, &mut place), "HL_ERR_NULL");
        is(hl_replica_exchange_exchange(exchange, energies.as_ptr(), 2, &mut place), "HL_ERR_LENGTH");
        energies[2].tau = f64::NAN;
        is(hl_replica_exchange_exchange(exchange, energies.as_ptr(), 3, &mut place), "HL_ERR_ENERGY");
        is(hl_replica_exchange_step(null_mut(), models.as_ptr(), 3, &mut place), "HL_ERR_NULL");
        is(hl_replica_exchange_step(exchange, null(), 3, &mut place), "HL_ERR_NULL");
        is(hl_replica_exchange_step(exchange, [model, model, null_mut()].as_ptr(), 3, &mut place), "HL_ERR_NULL");
        is(hl_replica_exchange_step(exchange, models.as_ptr(), 2, &mut place), "HL_ERR_LENGTH");
        is(hl_replica_exchange_len(null(), &mut place), "HL_ERR_NULL");
        is(hl_replica_exchange_len(exchange, null_mut()), "HL_ERR_NULL");
        is(hl_replica_exchange_beta(null(), 0, &mut beta), "HL_ERR_NULL");
        is(hl_replica_exchange_beta(exchange, 0, null_mut()), "HL_ERR_NULL");
        is(hl_replica_exchange_beta(exchange, 3, &mut beta), "HL_ERR_INDEX");
        is(hl_replica_exchange_temperature_of(null(), 0, &mut place), "HL_ERR_NULL");
        is(hl_replica_exchange_temperature_of(exchange, 0, null_mut()), "HL_ERR_NULL");
        is(hl_replica_exchange_temperature_of(exchange, 3, &mut place), "HL_ERR_INDEX");
        is(hl_replica_exchange_replica_at(null(), 0, &mut place), "HL_ERR_NULL");
        is(hl_replica_exchange_replica_at(exchange, 0, null_mut()), "HL_ERR_NULL");
        is(hl_replica_exchange_replica_at(exchange, usize::MAX, &mut place), "HL_ERR_INDEX");
        is(hl_replica_exchange_attempts(null(), 0, &mut count), "HL_ERR_NULL");
        is(hl_replica_exchange_attempts(exchange, 0, null_mut()), "HL_ERR_NULL");
        is(hl_replica_exchange_attempts(exchange, 2, &mut count), "HL_ERR_INDEX");
        is(hl_replica_exchange_swaps(null(), 0, &mut count), "HL_ERR_NULL");
        is(hl_replica_exchange_swaps(exchange, 0, null_mut()), "HL_ERR_NULL");
        is(hl_replica_exchange_swaps(exchange, 2, &mut count), "HL_ERR_INDEX");
        is(hl_replica_exchange_round_trips(null(), &mut count), "HL_ERR_NULL");
        is(hl_replica_exchange_round_trips(exchange, null_mut()), "HL_ERR_NULL");
        is(hl_replica_exchange_round_trips_of(null(), 0, &mut count), "HL_ERR_NULL");
        is(hl_replica_exchange_round_trips_of(exchange, 0, null_mut()), "HL_ERR_NULL");
        is(hl_replica_exchange_round_trips_of(exchange, 3, &mut count), "HL_ERR_INDEX");
        is(hl_replica_exchange_state_size(null(), &mut place), "HL_ERR_NULL");
        is(hl_replica_exchange_state_size(exchange, null_mut()), "HL_ERR_NULL");
        assert_eq!((beta, place, count), (Beta::default(), 77, 77));
        is(hl_replica_exchange_attempts(exchange, 0, &mut count), "HL_OK");
        assert_eq!(count, 0);

        let mut size = 0;
        is(hl_replica_exchange_state_size(exchange, &mut size), "HL_OK");
        let mut bytes = vec![7; size];
        is(hl_replica_exchange_get_state(null(), bytes.as_mut_ptr(), size), "HL_ERR_NULL");
        is(hl_replica_exchange_get_state(exchange, null_mut(), size), "HL_ERR_NULL");
        is(hl_replica_exchange_get_state(exchange, bytes.as_mut_ptr(), size - 1), "HL_ERR_LENGTH");
        assert!(bytes.iter().all(|&byte| byte == 7));
        is(hl_replica_exchange_get_state(exchange, bytes.as_mut_ptr(), size), "HL_OK");
        is(hl_replica_exchange_set_state(null_mut(), bytes.as_ptr(), size), "HL_ERR_NULL");
        is(hl_replica_exchange_set_state(exchange, null(), size), "HL_ERR_NULL");
        is(hl_replica_exchange_set_state(exchange, bytes.as_ptr(), size - 1), "HL_ERR_STATE_TRUNCATED");
        bytes[100] ^= 1;
        is(hl_replica_exchange_set_state(exchange, bytes.as_ptr(), size), "HL_ERR_STATE_CORRUPT");

        // Equal energies are always exchanged.
        is(hl_replica_exchange_step(exchange, models.as_ptr(), 3, &mut place), "HL_OK");
        assert_eq!(place, 1);
        is(hl_replica_exchange_step(exchange, models.as_ptr(), 3, null_mut()), "HL_OK");
        is(hl_replica_exchange_temperature_of(exchange, 0, &mut place), "HL_OK");
        is(hl_replica_exchange_beta(exchange, 0, &mut beta), "HL_OK");
        assert_eq!((place, beta), (2, ladder[2]));
        hl_ising_destroy(model);
        hl_replica_exchange_destroy(exchange);
    }
}
