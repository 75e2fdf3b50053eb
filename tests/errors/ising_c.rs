//! Bad input of models and generators, in C.

mod creation;
mod exchanges;
mod generators;
mod models;
mod squares;
mod tables;

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
    fn hl_random_mt19937_create(seeds: *const u32, lanes: u32, rng: *mut *mut Rng) -> i32;
    fn hl_random_mt19937_create_from_state(bytes: *const u8, size: usize, rng: *mut *mut Rng) -> i32;
    fn hl_random_mt19937_destroy(rng: *mut Rng);
    fn hl_random_mt19937_fill_u32(rng: *mut Rng, dst: *mut u32, n: usize) -> i32;
    fn hl_random_mt19937_fill_f32(rng: *mut Rng, dst: *mut f32, n: usize) -> i32;
    fn hl_random_mt19937_state_size(rng: *const Rng, size: *mut usize) -> i32;
    fn hl_random_mt19937_get_state(rng: *const Rng, bytes: *mut u8, size: usize) -> i32;
    fn hl_random_mt19937_set_state(rng: *mut Rng, bytes: *const u8, size: usize) -> i32;
    fn hl_ising_replica_exchange_create(ladder: *const Beta, n: usize, seed: u32, exchange: *mut *mut Exchange) -> i32;
    fn hl_ising_replica_exchange_create_from_state(bytes: *const u8, size: usize, exchange: *mut *mut Exchange) -> i32;
    fn hl_ising_replica_exchange_destroy(exchange: *mut Exchange);
    fn hl_ising_replica_exchange_exchange(
        exchange: *mut Exchange,
        energies: *const Energies,
        n: usize,
        swaps: *mut usize,
    ) -> i32;
    fn hl_ising_replica_exchange_step(
        exchange: *mut Exchange,
        models: *const *mut Model,
        n: usize,
        swaps: *mut usize,
    ) -> i32;
    fn hl_ising_replica_exchange_len(exchange: *const Exchange, temperatures: *mut usize) -> i32;
    fn hl_ising_replica_exchange_beta(exchange: *const Exchange, replica: usize, beta: *mut Beta) -> i32;
    fn hl_ising_replica_exchange_temperature_of(exchange: *const Exchange, replica: usize, place: *mut usize) -> i32;
    fn hl_ising_replica_exchange_replica_at(exchange: *const Exchange, temperature: usize, replica: *mut usize) -> i32;
    fn hl_ising_replica_exchange_attempts(exchange: *const Exchange, pair: usize, attempts: *mut u64) -> i32;
    fn hl_ising_replica_exchange_swaps(exchange: *const Exchange, pair: usize, swaps: *mut u64) -> i32;
    fn hl_ising_replica_exchange_round_trips(exchange: *const Exchange, trips: *mut u64) -> i32;
    fn hl_ising_replica_exchange_round_trips_of(exchange: *const Exchange, replica: usize, trips: *mut u64) -> i32;
    fn hl_ising_replica_exchange_state_size(exchange: *const Exchange, size: *mut usize) -> i32;
    fn hl_ising_replica_exchange_get_state(exchange: *const Exchange, bytes: *mut u8, size: usize) -> i32;
    fn hl_ising_replica_exchange_set_state(exchange: *mut Exchange, bytes: *const u8, size: usize) -> i32;
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
