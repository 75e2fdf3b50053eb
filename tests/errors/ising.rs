//! Models, generators and replica exchange: bad input returns an error that names it, and nothing is written.

mod lattice;
mod models;

use hotloops::Error;
use hotloops::ising::{Beta, Builder, Energy, Kind, LANES, LayeredIsing, ReplicaExchange};
use hotloops::random::Mt19937;

const KINDS: [Kind; 7] =
    [Kind::F32Fast, Kind::F32Poly, Kind::I8Exact, Kind::I16Exact, Kind::Auto, Kind::Dense, Kind::Fixed];
const NAN: f64 = f64::NAN;
const WARM: Beta = Beta { space: 0.3, tau: 0.3 };

fn generator() -> Mt19937 {
    Mt19937::seeded(LANES, 5489).unwrap()
}

/// Compares as text, so that NaN equals NaN.
pub fn assert_error<T>(result: Result<T, Error>, expected: Error) {
    assert_eq!(format!("{:?}", result.err()), format!("{:?}", Some(expected)));
}

#[test]
fn descriptions() {
    KINDS.into_iter().chain([Kind::Bits]).for_each(descriptions_of);
}

fn descriptions_of(kind: Kind) {
    let fails = |builder: Builder, expected| assert_error(builder.build(kind), expected);
    let ring = || LayeredIsing::builder(4, 3).couplings([(0, 1, 0.5), (1, 2, 0.5)]);
    assert!(ring().build(kind).is_ok());

    fails(LayeredIsing::builder(0, 3), Error::Layers { layers: 0 });
    match kind {
        Kind::Bits | Kind::Dense | Kind::Fixed => assert!(LayeredIsing::builder(1, 3).build(kind).is_ok()),
        _ => fails(LayeredIsing::builder(1, 3), Error::Layers { layers: 1 }),
    }
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
    // The first mistake is reported.
    fails(ring().coupling(1, 1, NAN).field(7, NAN).tau_coupling(NAN), Error::SelfLoop { site: 1 });
}

#[test]
fn rows() {
    KINDS.into_iter().chain([Kind::Bits]).for_each(rows_of);
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

/// Systems of `Kind::Single` are not coupled to each other, so that one is enough.
#[test]
fn single_systems() {
    let ring = |layers| LayeredIsing::builder(layers, 3).couplings([(0, 1, 0.5), (1, 2, 0.5)]);
    assert_error(ring(0).build(Kind::Single), Error::Layers { layers: 0 });
    for couplings in [0.5, 0.123_456_7] {
        let mut model = ring(1).coupling(0, 2, couplings).build(Kind::Single).unwrap();
        assert_eq!((model.kind(), model.lanes()), (Kind::Single, 1));
        assert_eq!(model.quantum() == 0.0, couplings != 0.5);
        let (mut rng, before) = (generator(), model.energy());
        assert_error(model.sweep(&mut rng, WARM, 1), Error::Beta { argument: "tau", value: 0.3 });
        assert_eq!(model.energy(), before);
        assert!(model.sweep(&mut rng, Beta { tau: 0.0, ..WARM }, 1).is_ok());
        let mut model = ring(2).tau_coupling(0.0).build(Kind::Single).unwrap();
        assert!(model.sweep(&mut rng, WARM, 1).is_ok());
    }
    let wide = LayeredIsing::builder(1, (1 << 27) + 1).build(Kind::Single);
    assert_error(wide, Error::TooLarge { argument: "sites" });
    let wide = LayeredIsing::builder(2, (1 << 24) + 1).build(Kind::I8Exact);
    assert_error(wide, Error::TooLarge { argument: "sites" });
}

/// A quantum must divide all values, and the magnitudes at each site must sum to at most 127
/// quanta.
#[test]
fn quanta() {
    let exact = |couplings: &[(usize, usize, f64)], field: f64| {
        LayeredIsing::builder(4, 5).couplings(couplings.iter().copied()).field(4, field).build(Kind::I8Exact)
    };
    let fails = |couplings, field, site| assert_error(exact(couplings, field), Error::Quantum { site });
    assert!(exact(&[], 0.0).is_ok());
    assert!(exact(&[(0, 1, 0.1), (1, 2, -0.7)], 0.2).is_ok());
    assert!(exact(&[(0, 1, 1.0), (1, 4, -100.0)], 27.0).is_ok());
    // A sum that is too large, and a value that is too large.
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

/// Copies have no coupling to each other, and at most 8 quanta at each site.
#[test]
fn copies() {
    let pair = || LayeredIsing::builder(3, 5).couplings([(0, 1, 1.0), (1, 2, -1.0)]);
    let mut model = pair().build(Kind::Bits).unwrap();
    let (mut rng, untouched) = (generator(), generator());
    for tau in [0.3, -1e-30] {
        assert_error(model.sweep(&mut rng, Beta { space: 0.3, tau }, 1), Error::Beta { argument: "tau", value: tau });
    }
    assert!(rng == untouched && model.magnetisation() == 15);
    assert!(model.sweep(&mut rng, Beta { space: 0.3, tau: 0.0 }, 1).is_ok());
    let mut model = pair().tau_coupling(0.0).build(Kind::Bits).unwrap();
    assert!(model.sweep(&mut rng, WARM, 1).is_ok());

    let fails = |builder: Builder, expected| assert_error(builder.build(Kind::Bits), expected);
    let star = |value: f64| LayeredIsing::builder(1, 9).couplings((1..9).map(|i| (0, i, value)));
    assert!(star(-0.1).build(Kind::Bits).is_ok());
    fails(star(0.1).field(0, 0.1), Error::Quantum { site: 0 });
    fails(pair().coupling(3, 4, 9.0), Error::Quantum { site: 3 });
    fails(pair().field(4, 0.5).field(3, 5.0), Error::Quantum { site: 3 });

    let reversed = |i, j, layers| pair().reversed(i, j, &vec![true; layers]);
    assert!(reversed(2, 1, 3).build(Kind::Bits).is_ok());
    // Sites that are not coupled.
    assert!(reversed(2, 4, 3).build(Kind::Bits).is_ok());
    fails(reversed(1, 5, 3), Error::SiteRange { site: 5, sites: 5 });
    fails(reversed(1, 2, 2), Error::Length { argument: "reversed", expected: 3, found: 2 });
    fails(reversed(1, 2, 3).reversed(2, 1, &[false; 3]), Error::DuplicateEdge { i: 1, j: 2 });
    for kind in KINDS {
        assert_error(reversed(1, 2, 3).build(kind), Error::Option { argument: "reversed", value: 1 });
    }
    let (pointers, neighbours) = ([0, 1, 2], [1, 0]);
    let builder = LayeredIsing::from_csr(3, &pointers, &neighbours, &[1.0, -1.0]);
    fails(builder.reversed(0, 1, &[true; 3]), Error::Asymmetric { i: 0, j: 1 });
}

#[test]
fn lattices() {
    let torus = |extents: &[usize]| LayeredIsing::torus(2, extents, |_, _| 1.0).build(Kind::Bits);
    let grid = |extents: &[usize]| LayeredIsing::grid(2, extents, |_, _| 1.0).build(Kind::Bits);
    let extent = |index, extent| Error::Extent { argument: "extents", index, extent };
    assert!(torus(&[3, 4]).is_ok() && grid(&[1, 2, 3]).is_ok() && grid(&[1]).is_ok());
    for build in [torus, grid] {
        assert_error(build(&[]), Error::Length { argument: "extents", expected: 1, found: 0 });
        assert_error(build(&[5, 4, 0]), extent(2, 0));
        assert_error(build(&[1 << 20, 1 << 20]), Error::TooLarge { argument: "sites" });
        assert_error(build(&[usize::MAX, 3]), Error::TooLarge { argument: "sites" });
    }
    assert_error(torus(&[4, 2]), extent(1, 2));
    // Five dimensions have more than 8 quanta at a site.
    assert_error(torus(&[3; 5]), Error::Quantum { site: 0 });
    let nan = LayeredIsing::grid(2, &[4, 4], |site, _| if site == 6 { NAN } else { 1.0 });
    assert_error(nan.build(Kind::Bits), Error::Coupling { i: 6, j: 7, value: NAN });
    assert_error(LayeredIsing::torus(0, &[4], |_, _| 1.0).build(Kind::Bits), Error::Layers { layers: 0 });
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
        let zero = [Energy { space: 0.0, tau: 0.0 }; 2];
        assert_error(exchange.decide(0, index, zero), Error::Index { argument: "pair", index, count: 2 });
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
                if replica < 2 {
                    let pair = [energies[0], energies[1]];
                    assert_error(exchange.decide(0, 0, pair), Error::Energy { replica, value });
                }
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

    // Invalid contents with a valid hash.
    let rehashed = |at: usize, word: u64| {
        let mut bytes = bytes.clone();
        let (body, hash) = bytes.split_at_mut(expected - 8);
        body[at..at + 8].copy_from_slice(&word.to_le_bytes());
        let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100000001b3);
        hash.copy_from_slice(&body.iter().fold(0xcbf29ce484222325, step).to_le_bytes());
        bytes
    };
    let row = |index: usize, word: usize| 32 + 8 * (5 * index + word);
    // The order is 0, 2, 1, and all words except the last are unchanged.
    assert_eq!(rehashed(row(1, 1), 2), bytes);
    for (at, word) in [
        (row(1, 1), 0),
        (row(1, 1), 3),
        (row(1, 1), u64::MAX),
        (row(2, 1), 0),
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
