//! Bad input gives the error that names it, in Rust and in C, and nothing is written.

use hotloops::Error;
use hotloops::ising::{Beta, Builder, Energy, Kind, LANES, LayeredIsing, ReplicaExchange, Update};
use hotloops::random::Mt19937;

const KINDS: [Kind; 4] = [Kind::F32Fast, Kind::F32Poly, Kind::I8Exact, Kind::Auto];
const NAN: f64 = f64::NAN;
const WARM: Beta = Beta { space: 0.3, tau: 0.3 };

fn generator() -> Mt19937 {
    Mt19937::seeded(LANES, 5489).unwrap()
}

/// Compares as text, so that NaN equals NaN.
fn assert_error<T>(result: Result<T, Error>, expected: Error) {
    assert_eq!(format!("{:?}", result.err()), format!("{:?}", Some(expected)));
}

#[test]
fn descriptions() {
    KINDS.into_iter().for_each(descriptions_of);
}

fn descriptions_of(kind: Kind) {
    let fails = |builder: Builder, expected| assert_error(builder.build(kind), expected);
    let ring = || LayeredIsing::builder(4, 3).couplings([(0, 1, 0.5), (1, 2, 0.5)]);
    assert!(ring().build(kind).is_ok());

    fails(LayeredIsing::builder(0, 3), Error::Layers { layers: 0 });
    fails(LayeredIsing::builder(1, 3), Error::Layers { layers: 1 });
    fails(LayeredIsing::builder(4, 0), Error::NoSites);
    fails(ring().coupling(1, 1, 0.5), Error::SelfLoop { site: 1 });
    fails(ring().coupling(0, 3, 0.5), Error::SiteRange { site: 3, sites: 3 });
    fails(ring().coupling(usize::MAX, 0, 0.5), Error::SiteRange { site: usize::MAX, sites: 3 });
    fails(ring().coupling(0, 1, 0.25), Error::DuplicateEdge { i: 0, j: 1 });
    fails(ring().coupling(2, 1, 0.5), Error::DuplicateEdge { i: 1, j: 2 });
    for value in [NAN, f64::INFINITY, -f64::INFINITY, 1e39, -3.5e38] {
        fails(ring().coupling(0, 2, value), Error::Coupling { i: 0, j: 2, value });
        fails(ring().field(2, value), Error::Field { site: 2, value });
        fails(ring().fields(&[0.0, value, 0.0]), Error::Field { site: 1, value });
        fails(ring().tau_coupling(value), Error::TauCoupling { value });
    }
    fails(ring().field(3, 0.5), Error::SiteRange { site: 3, sites: 3 });
    fails(ring().fields(&[0.0; 2]), Error::Length { argument: "fields", expected: 3, found: 2 });
    fails(ring().fields(&[NAN; 4]), Error::Length { argument: "fields", expected: 3, found: 4 });
    // The first mistake is the one that is told.
    fails(ring().coupling(1, 1, NAN).field(7, NAN).tau_coupling(NAN), Error::SelfLoop { site: 1 });
}

#[test]
fn rows() {
    KINDS.into_iter().for_each(rows_of);
}

fn rows_of(kind: Kind) {
    let fails = |pointers: &[u32], neighbours: &[u32], couplings: &[f64], expected| {
        assert_error(LayeredIsing::from_csr(4, pointers, neighbours, couplings).build(kind), expected);
    };
    assert!(LayeredIsing::from_csr(4, &[0, 1, 2], &[1, 0], &[0.5, 0.5]).build(kind).is_ok());
    assert!(LayeredIsing::from_csr(4, &[0, 0], &[], &[]).build(kind).is_ok());

    fails(&[], &[], &[], Error::NoSites);
    fails(&[0], &[], &[], Error::NoSites);
    fails(&[1, 1, 2], &[1, 0], &[0.5, 0.5], Error::RowPointer { site: 0 });
    fails(&[0, 2, 1], &[1, 0], &[0.5, 0.5], Error::RowPointer { site: 1 });
    fails(&[0, 1, 3], &[1, 0], &[0.5, 0.5], Error::Length { argument: "neighbours", expected: 3, found: 2 });
    fails(&[0, 1, 2], &[1, 0], &[0.5], Error::Length { argument: "couplings", expected: 2, found: 1 });
    fails(&[0, 1, 2], &[0, 0], &[0.5, 0.5], Error::SelfLoop { site: 0 });
    fails(&[0, 1, 2], &[2, 0], &[0.5, 0.5], Error::SiteRange { site: 2, sites: 2 });
    fails(&[0, 1, 2], &[1, 0], &[0.5, NAN], Error::Coupling { i: 1, j: 0, value: NAN });
    fails(&[0, 2, 4], &[1, 1, 0, 0], &[0.5; 4], Error::DuplicateEdge { i: 0, j: 1 });
    fails(&[0, 1, 2], &[1, 0], &[0.5, 0.25], Error::Asymmetric { i: 0, j: 1 });
    fails(&[0, 1, 1], &[1], &[0.5], Error::Asymmetric { i: 0, j: 1 });
}

/// A quantum of which all values are whole multiples, 127 at most in sum at each site.
#[test]
fn quanta() {
    let exact = |couplings: &[(usize, usize, f64)], field: f64| {
        LayeredIsing::builder(4, 5).couplings(couplings.iter().copied()).field(4, field).build(Kind::I8Exact)
    };
    let fails = |couplings, field, site| assert_error(exact(couplings, field), Error::Quantum { site });
    assert!(exact(&[], 0.0).is_ok());
    assert!(exact(&[(0, 1, 0.1), (1, 2, -0.7)], 0.2).is_ok());
    assert!(exact(&[(0, 1, 1.0), (1, 4, -100.0)], 27.0).is_ok());
    // Too large a sum, and too large a value.
    fails(&[(0, 1, 1.0), (1, 4, -100.0)], 28.0, 4);
    fails(&[(0, 1, 1.0), (1, 4, -100.0), (1, 2, 27.0)], 0.0, 1);
    fails(&[(1, 2, 1.0)], 128.0, 4);
    fails(&[(1, 2, 1.0), (2, 3, -1e9)], 0.0, 2);
    // No quantum at all.
    assert!(matches!(exact(&[(0, 1, 1.0)], std::f64::consts::PI), Err(Error::Quantum { .. })));
    assert!(matches!(exact(&[(0, 1, 1e-45), (1, 2, f32::MAX.into())], 0.0), Err(Error::Quantum { .. })));
    assert!(matches!(exact(&[(0, 1, 1.0 / 127.0), (1, 2, 1.0 / 126.0)], 0.0), Err(Error::Quantum { .. })));
    // Other mistakes come first.
    assert_error(exact(&[(0, 1, 1.0)], NAN), Error::Field { site: 4, value: NAN });
    assert_error(exact(&[(0, 1, 1.0), (1, 0, 0.3)], 0.7), Error::DuplicateEdge { i: 0, j: 1 });
}

#[test]
fn spins_and_sweeps() {
    for (kind, update) in KINDS.into_iter().map(|kind| (kind, Update::Gather)).chain([(Kind::F32Poly, Update::Scatter)])
    {
        let mut model = LayeredIsing::builder(4, 3).coupling(0, 1, 1.0).update(update).build(kind).unwrap();
        let mut rng = generator();
        model.sweep(&mut rng, WARM, 5).unwrap();
        let mut before = [0; 12];
        model.spins(&mut before).unwrap();

        for value in [0, 2, -2, i8::MIN, i8::MAX] {
            let mut spins = before.map(|spin| -spin);
            spins[11] = value;
            let wrong = Error::Spin { layer: 3, site: 2, value };
            assert_error(model.set_spins(&spins), wrong);
            let mut out = [7; 4];
            assert_error(model.overlaps(&spins, &mut out), wrong);
            assert_eq!(out, [7; 4]);
        }
        for found in [0, 11, 13] {
            let wrong = Error::Length { argument: "spins", expected: 12, found };
            assert_error(model.set_spins(&vec![1; found]), wrong);
            let mut out = vec![7; found];
            assert_error(model.spins(&mut out), wrong);
            assert!(out.iter().all(|&spin| spin == 7));
            assert_error(model.overlaps(&vec![1; found], &mut [0; 4]), wrong);
        }
        for found in [0, 3, 5] {
            let mut out = vec![7; found];
            let wrong = Error::Length { argument: "overlaps", expected: 4, found };
            assert_error(model.overlaps(&before, &mut out), wrong);
            assert!(out.iter().all(|&overlap| overlap == 7));
        }
        let untouched = rng.try_clone().unwrap();
        for value in [f32::NAN, f32::INFINITY, -f32::INFINITY] {
            assert_error(
                model.sweep(&mut rng, Beta { space: value, ..WARM }, 1),
                Error::Beta { argument: "space", value },
            );
            assert_error(model.sweep(&mut rng, Beta { tau: value, ..WARM }, 1), Error::Beta { argument: "tau", value });
        }
        for lanes in [4, 8] {
            assert_error(model.sweep(&mut Mt19937::seeded(lanes, 1).unwrap(), WARM, 1), Error::Lanes { lanes });
        }
        assert_eq!(rng, untouched);
        let mut after = [0; 12];
        model.spins(&mut after).unwrap();
        assert_eq!(before, after);

        let mut strong = LayeredIsing::builder(4, 3).tau_coupling(1e30).build(kind).unwrap();
        let infinite = Error::Beta { argument: "tau", value: f32::INFINITY };
        assert_error(strong.sweep(&mut generator(), Beta { space: 0.0, tau: 1e30 }, 1), infinite);
    }
}

#[test]
fn generators() {
    for lanes in [0, 1, 3, 5, 15, 17] {
        assert_error(Mt19937::new(&vec![1; lanes]), Error::Lanes { lanes });
        assert_error(Mt19937::seeded(lanes, 1), Error::Lanes { lanes });
        assert_error(Mt19937::from_arrays(&vec![&[1][..]; lanes]), Error::Lanes { lanes });
    }
    assert_error(
        Mt19937::from_arrays(&[&[1], &[1], &[], &[1]]),
        Error::Length { argument: "lane_keys", expected: 1, found: 0 },
    );

    let mut rng = Mt19937::seeded(4, 1).unwrap();
    rng.fill_u32(&mut [0; 100]);
    let expected = rng.state_len();
    let mut bytes = vec![0; expected];
    rng.state_bytes(&mut bytes).unwrap();
    assert_eq!(Mt19937::from_state_bytes(&bytes), Ok(rng.try_clone().unwrap()));

    for found in [0, expected - 1, expected + 1] {
        let mut wrong = vec![7; found];
        assert_error(rng.state_bytes(&mut wrong), Error::Length { argument: "bytes", expected, found });
        assert!(wrong.iter().all(|&byte| byte == 7));
    }
    let untouched = rng.try_clone().unwrap();
    let mut fails = |bytes: &[u8], error: Error| {
        assert_error(Mt19937::from_state_bytes(bytes), error);
        assert_error(rng.set_state(bytes), error);
        assert_eq!(rng, untouched);
    };
    for found in [0, 1, 8, 23] {
        fails(&bytes[..found], Error::StateTruncated { expected: 24, found });
    }
    for found in [24, 1000, expected - 1] {
        fails(&bytes[..found], Error::StateTruncated { expected, found });
    }
    fails(&[&bytes[..], &[0]].concat(), Error::Length { argument: "bytes", expected, found: expected + 1 });
    fails(b"something else altogether", Error::StateForeign);
    let other_version = [&bytes[..8], &[2], &bytes[9..]].concat();
    fails(&other_version, Error::StateForeign);
    for at in [12, 16, 24, expected / 2, expected - 1] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 64;
        fails(&damaged, Error::StateCorrupt);
    }
}

fn saved(exchange: &ReplicaExchange) -> Vec<u8> {
    let mut bytes = vec![0; exchange.state_len()];
    exchange.state_bytes(&mut bytes).unwrap();
    bytes
}

#[test]
fn exchanges() {
    let refused = |ladder: &[Beta], expected| assert_error(ReplicaExchange::new(ladder, 1), expected);
    refused(&[], Error::Ladder { temperatures: 0 });
    refused(&[WARM], Error::Ladder { temperatures: 1 });
    for value in [f32::NAN, f32::INFINITY, -f32::INFINITY] {
        refused(&[WARM, Beta { space: value, ..WARM }], Error::Beta { argument: "space", value });
        refused(&[Beta { tau: value, ..WARM }, WARM], Error::Beta { argument: "tau", value });
    }

    let mut exchange = ReplicaExchange::new(&[WARM; 3], 1).unwrap();
    exchange.exchange(&[Energy { space: 1.0, tau: 2.0 }; 3]).unwrap();
    let bytes = saved(&exchange);
    for index in [3, usize::MAX] {
        let beyond = |argument| Error::Index { argument, index, count: 3 };
        assert_error(exchange.beta(index), beyond("replica"));
        assert_error(exchange.temperature_of(index), beyond("replica"));
        assert_error(exchange.round_trips_of(index), beyond("replica"));
        assert_error(exchange.replica_at(index), beyond("temperature"));
    }
    for index in [2, usize::MAX] {
        assert_error(exchange.attempts(index), Error::Index { argument: "pair", index, count: 2 });
        assert_error(exchange.swaps(index), Error::Index { argument: "pair", index, count: 2 });
    }
    for found in [0, 2, 4] {
        let energies = vec![Energy { space: 0.0, tau: 0.0 }; found];
        assert_error(exchange.exchange(&energies), Error::Length { argument: "energies", expected: 3, found });
        let models: Vec<_> = (0..found).map(|_| LayeredIsing::builder(2, 1).build(Kind::Auto).unwrap()).collect();
        assert_error(exchange.step(&models), Error::Length { argument: "models", expected: 3, found });
    }
    for value in [f64::NAN, f64::INFINITY, -f64::INFINITY] {
        for replica in 0..3 {
            for energy in [Energy { space: value, tau: 0.0 }, Energy { space: 0.0, tau: value }] {
                let mut energies = [Energy { space: 0.0, tau: 0.0 }; 3];
                energies[replica] = energy;
                assert_error(exchange.exchange(&energies), Error::Energy { replica, value });
            }
        }
    }
    assert_eq!(saved(&exchange), bytes);
}

#[test]
fn saved_exchanges() {
    let mut exchange = ReplicaExchange::new(&[WARM; 3], 1).unwrap();
    let bytes = {
        let mut other = ReplicaExchange::new(&[WARM; 3], 2).unwrap();
        for _ in 0..5 {
            other.exchange(&[Energy { space: 1.0, tau: 2.0 }; 3]).unwrap();
        }
        saved(&other)
    };
    let (expected, before) = (bytes.len(), saved(&exchange));
    for found in [0, expected - 1, expected + 1] {
        let mut wrong = vec![7; found];
        assert_error(exchange.state_bytes(&mut wrong), Error::Length { argument: "bytes", expected, found });
        assert!(wrong.iter().all(|&byte| byte == 7));
    }

    let mut fails = |bytes: &[u8], error| {
        assert_error(ReplicaExchange::from_state_bytes(bytes), error);
        assert_error(exchange.set_state(bytes), error);
        assert_eq!(saved(&exchange), before);
    };
    for found in [0, 1, 8, 23] {
        fails(&bytes[..found], Error::StateTruncated { expected: 24, found });
    }
    for found in [24, expected - 1] {
        fails(&bytes[..found], Error::StateTruncated { expected, found });
    }
    fails(&[&bytes[..], &[0]].concat(), Error::Length { argument: "bytes", expected, found: expected + 1 });
    fails(&[&bytes[..8], &[2], &bytes[9..]].concat(), Error::StateForeign);
    // The state of another type.
    let mut rng = vec![0; generator().state_len()];
    generator().state_bytes(&mut rng).unwrap();
    fails(&rng, Error::StateForeign);
    for at in 16..expected {
        let mut damaged = bytes.clone();
        damaged[at] ^= 64;
        fails(&damaged, Error::StateCorrupt);
    }

    // Contents that no exchange can have, under a right hash.
    let rehashed = |at: usize, word: u64| {
        let mut bytes = bytes.clone();
        let (body, hash) = bytes.split_at_mut(expected - 8);
        body[at..at + 8].copy_from_slice(&word.to_le_bytes());
        let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100000001b3);
        hash.copy_from_slice(&body.iter().fold(0xcbf29ce484222325, step).to_le_bytes());
        bytes
    };
    let row = |index: usize, word: usize| 32 + 8 * (5 * index + word);
    // The order is 0, 2, 1, and all words but the last are as they were.
    assert_eq!(rehashed(row(1, 1), 2), bytes);
    for (at, word) in [
        (row(1, 1), 0),
        (row(1, 1), 3),
        (row(1, 1), u64::MAX),
        (row(0, 0), f32::NAN.to_bits().into()),
        (row(2, 0), u64::from(f32::INFINITY.to_bits()) << 32),
        (row(0, 2), 6),
        (row(0, 3), 3),
        (row(0, 4), 6),
        (row(0, 4), u64::MAX),
        (16, 1 << 63),
        (16, 0),
    ] {
        fails(&rehashed(at, word), Error::StateCorrupt);
    }
    let mut few = bytes.clone();
    few[12] = 1;
    fails(&few, Error::StateCorrupt);
    let mut many = bytes.clone();
    many[12..16].fill(255);
    assert!(matches!(exchange.set_state(&many), Err(Error::StateTruncated { .. })));
}

mod c {
    use std::ffi::CStr;
    use std::ptr::{null, null_mut};

    use hotloops::STATUSES;

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
    pub struct Opts {
        tau_coupling: f64,
        order: i32,
        update: i32,
        acceptance: i32,
    }

    #[repr(C)]
    #[derive(Debug, Default, PartialEq)]
    pub struct Info {
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
        fn hl_ising_destroy(model: *mut Model);
        fn hl_ising_set_spins(model: *mut Model, spins: *const i8) -> i32;
        fn hl_ising_get_spins(model: *const Model, spins: *mut i8) -> i32;
        fn hl_ising_sweep(model: *mut Model, rng: *mut Rng, space: f32, tau: f32, sweeps: u64, flips: *mut u64) -> i32;
        fn hl_ising_energy(model: *const Model, space: *mut f64, tau: *mut f64) -> i32;
        fn hl_ising_magnetisation(model: *const Model, magnetisation: *mut i64) -> i32;
        fn hl_ising_overlaps(model: *const Model, spins: *const i8, overlaps: *mut i64) -> i32;
        fn hl_ising_acceptance(model: *const Model, space: f32, tau: f32, acceptance: *mut i32) -> i32;
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
        fn hl_replica_exchange_step(
            exchange: *mut Exchange,
            models: *const *mut Model,
            n: usize,
            swaps: *mut usize,
        ) -> i32;
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
        fn hl_status_string(status: i32) -> *const std::ffi::c_char;
    }

    #[track_caller]
    fn is(status: i32, name: &str) {
        let found = STATUSES.iter().find(|(_, value, _)| *value == status).map_or("HL_OK", |(name, _, _)| name);
        assert_eq!(found, name);
        // SAFETY: never null, and static.
        assert!(!unsafe { CStr::from_ptr(hl_status_string(status)) }.is_empty());
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
        let opts = Opts { tau_coupling: 1.0, order: 0, update: 0, acceptance: 0 };
        // SAFETY: as above.
        unsafe {
            is(hl_ising_create(null(), 1, null(), &mut model), "HL_ERR_NULL");
            is(hl_ising_create(&graph(), 1, null(), null_mut()), "HL_ERR_NULL");
            for kind in [-1, 4, i32::MAX] {
                is(hl_ising_create(&graph(), kind, null(), &mut model), "HL_ERR_KIND");
            }
            for number in [-1, 2] {
                is(hl_ising_create(&graph(), 1, &Opts { order: number, ..opts }, &mut model), "HL_ERR_OPTION");
                is(hl_ising_create(&graph(), 1, &Opts { update: number, ..opts }, &mut model), "HL_ERR_OPTION");
                let acceptance = if number == 2 { 3 } else { number };
                is(hl_ising_create(&graph(), 1, &Opts { acceptance, ..opts }, &mut model), "HL_ERR_OPTION");
            }
            is(
                hl_ising_create(&graph(), 1, &Opts { tau_coupling: f64::NAN, ..opts }, &mut model),
                "HL_ERR_TAU_COUPLING",
            );
            let odd = Graph { fields: [0.001, 0.0, 0.0].as_ptr(), ..graph() };
            is(hl_ising_create(&odd, 2, null(), &mut model), "HL_ERR_QUANTUM");
            hl_ising_destroy(null_mut());
        }
        assert_eq!(model, untouched);
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
            let opts = Opts { tau_coupling: 0.5, order: 1, update: 1, acceptance: 2 };
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
            assert_eq!((magnetisation, overlaps), (5, [5; 4]));
            is(hl_ising_order(null(), order.as_mut_ptr()), "HL_ERR_NULL");
            is(hl_ising_order(model, null_mut()), "HL_ERR_NULL");
            is(hl_ising_describe(null(), &mut info), "HL_ERR_NULL");
            is(hl_ising_describe(model, null_mut()), "HL_ERR_NULL");
            assert_eq!((spins, flips, space, tau, order), ([7; 12], u64::MAX, 0.0, 0.0, [9; 3]));
            assert_eq!(info, Info::default());

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
            for (kind, graph, settled, quantum) in [(2, graph(), 2, 0.25), (3, graph(), 2, 0.25), (3, odd, 1, 0.0)] {
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
}
