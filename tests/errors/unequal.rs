//! Terms of very different magnitude: `Kind::Auto` keeps all of them, or refuses. Terms that are small, or differ
//! little, by chance do not count.

use hotloops::Error;
use hotloops::ising::{Builder, Kind, LayeredIsing};

use crate::ising::assert_error;
use crate::rng::Rng;

/// Where sums in f32 would lose terms, `Auto` takes finer ones or fails. Other kinds round, and say by how much.
#[test]
fn unequal_terms() {
    // Spins 1 and 2 are held apart, so that the couplings to site 0 cancel.
    let penalty = |size: f64, tau: f64| {
        let couplings = [(0, 1, size + 0.5), (0, 2, size + 0.5)];
        let fields = [1.0, 10.0 * size, -10.0 * size];
        LayeredIsing::builder(2, 3).couplings(couplings).fields(&fields).tau_coupling(tau)
    };
    let kind_and_rounding = |size, kind| {
        let model = penalty(size, 0.0).build(kind).unwrap();
        (model.kind(), model.rounding())
    };
    assert_eq!(kind_and_rounding(2e7, Kind::Dense), (Kind::Dense, 0.0));
    assert_eq!(kind_and_rounding(2.0, Kind::Auto).1, 0.0);
    for kind in [Kind::Single, Kind::F32Poly, Kind::F32Fast] {
        let (_, rounding) = kind_and_rounding(2e7, kind);
        assert!((1.0..10.0).contains(&rounding), "{kind:?}: {rounding}");
    }
    for size in [2e8, 1e12, 4e17] {
        assert_eq!(kind_and_rounding(size, Kind::Auto), (Kind::Fixed, 0.0), "{size}");
        assert!(kind_and_rounding(size, Kind::Dense).1 > 0.05, "{size}");
        assert_error(penalty(size, 1.0).build(Kind::Auto), Error::Unequal { site: 0 });
    }
    assert_error(penalty(2e7, 1.0).build(Kind::Auto), Error::Unequal { site: 0 });
    assert_eq!(kind_and_rounding(2e7, Kind::Auto).1, 0.0);
    assert_error(penalty(1e22, 0.0).build(Kind::Auto), Error::Unequal { site: 0 });
    // A small term beside a single large one is never lost: their sum does not cancel.
    let pair = LayeredIsing::builder(2, 2).coupling(0, 1, 1e-9).field(0, 0.1).tau_coupling(0.0);
    assert_eq!(pair.build(Kind::Auto).unwrap().rounding(), 0.0);
}

/// Rests of rounding in f64 do not count, wherever sums of the other terms may leave them.
#[test]
fn rounding_errors_are_no_terms() {
    let star = |couplings: [f64; 3], field: f64, tau: f64| {
        let couplings = [0, 2, 3].into_iter().zip(couplings).map(|(site, coupling)| (1, site, coupling));
        LayeredIsing::builder(2, 4).couplings(couplings).field(1, field).tau_coupling(tau).build(Kind::Auto)
    };
    for tau in [0.0, 1.0] {
        let found = star([0.1, 0.2, 0.3], 0.1 + 0.2 - 0.3, tau);
        assert!(found.as_ref().is_ok_and(|model| model.rounding() < 1e-6), "{found:?}");
        // A term of this size that no sum leaves, and one beside terms that add up without rounding.
        for (couplings, field) in [([0.1, 0.2, 0.3], 5.1e-17), ([1.0, 2.0, 3.0], 2f64.powi(-52))] {
            match tau {
                0.0 => assert_eq!(star(couplings, field, tau).unwrap().kind(), Kind::Fixed),
                _ => assert_error(star(couplings, field, tau), Error::Unequal { site: 1 }),
            }
        }
    }
}

/// Penalties whose terms cancel only together, beside the costs of an objective.
#[test]
fn costs_beside_multiples_of_a_penalty_are_kept() {
    // One of five spins is +1.
    let choice = |penalty: f64, tau: f64| {
        let pairs = (0..5).flat_map(|i| (0..i).map(move |j| (j, i, -penalty / 2.0)));
        let fields: Vec<f64> = (0..5).map(|i| -1.5 * penalty - f64::from(i + 1) / 2.0).collect();
        LayeredIsing::builder(2, 5).couplings(pairs).fields(&fields).tau_coupling(tau).build(Kind::Auto)
    };
    assert_eq!(choice(1e5, 0.0).unwrap().rounding(), 0.0);
    for power in 8..16 {
        assert_eq!(choice(10f64.powi(power), 0.0).unwrap().rounding(), 0.0);
    }
    for power in 10..16 {
        assert_error(choice(10f64.powi(power - 1), 1.0), Error::Unequal { site: 0 });
    }
    // Without costs, they are quanta.
    let pairs = (0..5).flat_map(|i| (0..i).map(move |j| (j, i, -5e11)));
    let plain = LayeredIsing::builder(2, 5).couplings(pairs).fields(&[-1.5e12; 5]).build(Kind::Auto).unwrap();
    assert_eq!(plain.rounding(), 0.0);
    // Multiples of a seventh, rounded to decimals, are of one scale.
    for digits in 7..17 {
        let seventh = |count: usize| format!("{:.digits$}", count as f64 / 7.0).parse::<f64>().unwrap();
        let couplings = (0..9).map(|site| (site, (site + 1) % 9, seventh(1 + site % 4)));
        let ring = LayeredIsing::builder(2, 9).couplings(couplings).fields(&[seventh(3); 9]).build(Kind::Auto);
        assert!(ring.is_ok(), "{digits}: {ring:?}");
    }
}

type Draw = fn(&mut Rng) -> f64;

fn gaussian(rng: &mut Rng) -> f64 {
    let angle = rng.real(std::f64::consts::TAU);
    (-2.0 * (1.0 - rng.real(1.0)).ln()).sqrt() * angle.cos()
}

fn uniform(rng: &mut Rng) -> f64 {
    rng.real(2.0) - 1.0
}

fn exponential(rng: &mut Rng) -> f64 {
    (1.0 - rng.real(1.0)).ln().copysign(uniform(rng))
}

/// A complete graph with random couplings and, if wanted, fields.
fn complete(sites: usize, draw: Draw, has_fields: bool, tau: f64) -> Builder {
    let mut rng = Rng(sites as u64);
    let fields: Vec<f64> = (0..sites).map(|_| if has_fields { draw(&mut rng) } else { 0.0 }).collect();
    let pairs = (0..sites).flat_map(|i| (0..i).map(move |j| (j, i)));
    let couplings = pairs.map(|(i, j)| (i, j, draw(&mut rng)));
    LayeredIsing::builder(2, sites).couplings(couplings).fields(&fields).tau_coupling(tau)
}

/// Of many terms, some are small by chance, and some differ by less than the rounding.
#[test]
fn dense_random_models_are_accepted() {
    let draws: [(&str, Draw); 3] = [("gaussian", gaussian), ("uniform", uniform), ("exponential", exponential)];
    for (name, draw) in draws {
        for (sites, has_fields, tau) in [
            (300, false, 0.0),
            (300, false, 1.0),
            (300, true, 0.0),
            (300, true, 1.0),
            (1500, false, 0.0),
            (1500, true, 1.0),
            (3000, true, 0.0),
            (3000, false, 1.0),
        ] {
            let cost = complete(sites, draw, has_fields, tau).cost(Kind::Auto);
            assert!(cost.is_ok(), "{name}, {sites}, {has_fields}, {tau}: {cost:?}");
        }
    }
    let model = complete(1500, uniform, false, 0.0).build(Kind::Auto).unwrap();
    assert_eq!(model.kind(), Kind::Dense);
    assert!(model.rounding() < 1e-4, "{}", model.rounding());
    // A hub of more neighbours than `Kind::Dense` has sites.
    let mut rng = Rng(1);
    let star = (1..70_000).map(|site| (0, site, gaussian(&mut rng)));
    let cost = LayeredIsing::builder(2, 70_000).couplings(star).tau_coupling(0.0).cost(Kind::Auto);
    assert!(cost.is_ok(), "{cost:?}");
}

/// Differences and terms that are not of the scale of the others are lost in models of any size, except in fixed point.
#[test]
fn dense_models_of_two_scales_are_refused() {
    for (sites, tau) in [(10, 0.0), (10, 1.0), (300, 0.0), (300, 1.0), (1500, 0.0), (1500, 1.0)] {
        let refuses = |builder: Builder| {
            let result = builder.tau_coupling(tau).build(Kind::Auto).map(|model| model.kind());
            let is_right = match tau {
                0.0 => result == Ok(Kind::Fixed),
                _ => matches!(result, Err(Error::Unequal { .. })),
            };
            assert!(is_right, "{sites}, {tau}: {result:?}");
        };
        // A penalty on the square of the sum of all spins hides the rest, in all couplings or in some.
        refuses(complete(sites, |rng| 2f64.powi(26) + gaussian(rng), false, tau));
        refuses(complete(sites, |rng| gaussian(rng) + [0.0, 2f64.powi(26)][rng.index(2)], false, tau));
        // Small fields beside large couplings of all values, if sites do not have more than 1024 terms.
        if sites < 1024 {
            refuses(complete(sites, |rng| 1e9 * gaussian(rng), false, tau).fields(&vec![1.0; sites]));
        }
    }
    // One term that differs from 99 equal ones.
    let star = (1..101).map(|site| (0, site, 2f64.powi(24) + f64::from(site as u32 / 100)));
    assert_error(LayeredIsing::builder(2, 101).couplings(star).build(Kind::Auto), Error::Unequal { site: 0 });
    // Ties that small differences break.
    for tau in [0.0, 1.0] {
        for size in [1.0, 3e5] {
            let couplings = (0..8).map(|site| (site, (site + 1) % 8, size * (1.0 + 1e-9 * (site % 2) as f64)));
            let ring = LayeredIsing::builder(2, 8).couplings(couplings).tau_coupling(tau);
            match tau {
                0.0 => assert_eq!(ring.build(Kind::Auto).unwrap().kind(), Kind::Fixed),
                _ => assert_error(ring.build(Kind::Auto), Error::Unequal { site: 0 }),
            }
        }
    }
}
