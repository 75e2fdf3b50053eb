//! Every trajectory must equal the textbook's.

use crate::ising::single::*;
use crate::ising::textbook::*;
use crate::layers::{Layer, Rng, generator, spins_of};
use hotloops::ising::{Beta, Energy, Kind, Order};

#[test]
fn the_paper_s_model_is_the_textbook_s() {
    let layer = Layer::paper();
    for order in [Order::Coloured, Order::Natural] {
        let flips = agree(&layer, 256, 60, Beta { space: 0.4, tau: 0.4 }, order);
        let rates = flips.map(|flips| flips as f64 / (60.0 * 256.0 * 96.0));
        assert!(rates.iter().all(|rate| (0.25..0.35).contains(rate)), "{rates:?}");
    }
}

#[test]
fn ties_are_settled_as_in_the_textbook() {
    let (mut ties, beta) = (Ties::default(), Beta { space: 0.4, tau: 0.4 });
    exact_agrees(&Layer::paper(), 256, 700, beta, Order::Coloured, 9, &mut ties);
    assert!(ties.lanes > 200 && ties.together > 0, "{ties:?}");
}

#[test]
fn every_shape_is_the_textbook_s() {
    let (mut draws, mut ties) = (Rng(1), Ties::default());
    let beta = Beta { space: 0.3, tau: 0.25 };
    let many = [48, 64, 65, 96, 97, 100, 127, 128, 129, 192, 250, 255, 256, 257, 321, 512];
    for layers in [2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 16, 31, 32, 33].into_iter().chain(many) {
        // Blocks of layers repeat, so few layers suffice for every number of sites.
        for sites in (1..=20).filter(|sites| layers <= 64 || [1, 2, 3, 8, 20].contains(sites)) {
            let layer = Layer::random(sites, 5 * sites as u64, &mut draws);
            agree(&layer, layers, 3, beta, Order::Coloured);
        }
        let layer = Layer::random(9, 50, &mut draws).tau_coupling(-0.7);
        exact_agrees(&layer, layers, 100, beta, Order::Natural, 7, &mut ties);
    }
    for sites in [31, 32, 33, 63, 64, 65, 127, 128, 129, 200] {
        let layer = Layer::random(sites, 5, &mut draws);
        for layers in [32, 128] {
            agree(&layer, layers, 3, beta, Order::Coloured);
        }
    }
    assert!(ties.lanes > 10, "{ties:?}");
}

/// Graphs with diagonals, with slots, and with both; free sites, and fields up to 127 quanta.
#[test]
fn single_systems_are_the_textbook_s() {
    let (mut draws, mut ties) = (Rng(1), Ties::default());
    for (sites, percent) in [(1, 0), (2, 100), (20, 30), (20, 0), (65, 6), (150, 3), (150, 12), (400, 1)] {
        let mut layer = Layer::random(sites, percent, &mut draws);
        layer.couplings.retain(|&(.., value)| value != 0.0);
        if percent % 2 == 0 {
            layer.fields.fill(0.0);
        }
        for (layers, space) in [(1, 0.3), (2, -0.4), (3, 0.0), (5, 0.01)] {
            single_agrees(&layer, layers, 20, space, &mut ties);
        }
    }
    let (width, height) = (24, 30);
    let site = |x: usize, y: usize| y % height * width + x % width;
    let sites = (0..width * height).map(|site| (site % width, site / width));
    let bonds = sites.flat_map(|(x, y)| [(site(x, y), site(x + 1, y)), (site(x, y), site(x, y + 1))]);
    for strength in [1, 8, 20] {
        let couplings = bonds.clone().map(|(i, j)| (i, j, strength as f64 - 2.0 * draws.below(strength + 1) as f64));
        let couplings: Vec<_> = couplings.filter(|&(.., value)| value != 0.0).collect();
        let layer = Layer { couplings, ..Layer::free(&vec![0.0; width * height]) };
        for space in [0.2, 1.0, 1e-5, 30.0, 1e30] {
            single_agrees(&layer, 2, 10, space, &mut ties);
        }
        single_agrees(&layer, 1, 2000, 0.3, &mut ties);
    }
    let star = (1..=126).map(|i| (0, i, 1.0)).collect();
    single_agrees(&Layer { couplings: star, ..Layer::free(&[1.0; 127]) }, 2, 20, 0.02, &mut ties);
    assert!(ties.lanes > 50, "{ties:?}");
}

/// Sites of more than 127 quanta are visited one by one, after all others. They may be neighbours.
#[test]
fn hubs_of_single_systems_are_the_textbook_s() {
    let (mut draws, mut ties) = (Rng(5), Ties::default());
    for (hubs, leaves, with_fields) in [(1, 400, false), (2, 300, true), (70, 4096, false)] {
        let sites = hubs + leaves;
        let ring = (0..leaves).map(|k| (hubs + k, hubs + (k + 1) % leaves));
        let spokes = (0..leaves).filter(|k| k % 4 == 0 || hubs < 3).map(|k| (k / 4 % hubs, hubs + k));
        let between = (1..hubs).map(|hub| (hub - 1, hub));
        let mut value = |most: u64| (1 + draws.below(most)) as f64 * [1.0, -1.0][draws.below(2) as usize];
        let mut couplings: Vec<_> = ring.map(|(i, j)| (i, j, value(3))).collect();
        couplings.extend(spokes.map(|(i, j)| (i, j, value(2) * if hubs < 3 { 1.0 } else { 12.0 })));
        couplings.extend(between.map(|(i, j)| (i, j, value(9))));
        let field = |site| if with_fields { value(if site < hubs { 500 } else { 2 }) } else { 0.0 };
        let layer = Layer { couplings, ..Layer::free(&(0..sites).map(field).collect::<Vec<_>>()) }.times(0.3);
        let mut model = layer.builder(2).build(Kind::Single).unwrap();
        assert!((model.quantum() - 0.3).abs() < 1e-9 && model.is_exact(), "{}", model.quantum());
        let last = &model.order()[sites - hubs..];
        assert!(last.iter().all(|&site| (site as usize) < hubs), "{last:?}");
        let spins = draws.spins(2 * sites);
        model.set_spins(&spins).unwrap();
        assert!((model.energy().space - layer.energies(&spins)[0]).abs() < 1e-6);
        for (layers, space) in [(1, 0.3), (2, -0.4), (3, 0.0), (1, 1e30)] {
            single_agrees(&layer, layers, 20, space, &mut ties);
        }
        single_agrees(&layer, 1, 400, 0.02, &mut ties);
        // A negative temperature negates the couplings of blocks, but no energy.
        model.sweep(&mut generator(7), Beta { space: -1.0, tau: 0.0 }, 1).unwrap();
        assert!((model.energy().space - layer.energies(&spins_of(&model))[0]).abs() < 1e-6);
    }
    assert!(ties.lanes > 50, "{ties:?}");
}

/// Multiples of 2^-10: sums are exact in any order.
#[test]
fn single_systems_in_f32_are_the_textbook_s() {
    let mut draws = Rng(3);
    for (sites, percent) in [(2, 100), (20, 30), (20, 0), (65, 6), (150, 12), (400, 1)] {
        let mut layer = Layer::random(sites, percent, &mut draws);
        let mut strength = || (draws.below(8192) as f64 - 4095.5) / 512.0;
        layer.couplings.iter_mut().for_each(|(.., value)| *value = strength());
        layer.fields.iter_mut().skip(1).for_each(|field| *field = strength());
        let model = layer.builder(1).build(Kind::Single).unwrap();
        assert!(model.quantum() == 0.0 && model.is_exact());
        for (layers, space) in [(1, 0.3), (2, -0.4), (3, 0.0), (5, 0.01), (1, 1e30)] {
            single_agrees(&layer, layers, 20, space, &mut Ties::default());
        }
    }
}

/// Strengths from 2^-10 to 2^40, many of which cancel.
#[test]
fn single_systems_in_fixed_point_are_the_textbook_s() {
    let mut draws = Rng(4);
    for (sites, percent) in [(2, 100), (20, 30), (20, 0), (65, 6), (150, 12), (400, 1)] {
        let mut layer = Layer::random(sites, percent, &mut draws);
        let mut strength = || {
            let power = [0, 0, 30][draws.below(3) as usize];
            (draws.below(8192) as f64 - 4095.5) / 512.0 * 2f64.powi(power)
        };
        layer.couplings.iter_mut().for_each(|(.., value)| *value = strength());
        layer.fields.iter_mut().skip(1).for_each(|field| *field = strength());
        let mut model = layer.builder(2).build(Kind::Fixed).unwrap();
        assert!(model.kind() == Kind::Fixed && model.quantum() == 0.0 && model.is_exact());
        let spins = draws.spins(2 * sites);
        model.set_spins(&spins).unwrap();
        assert_eq!(model.energy().space, layer.energies(&spins)[0]);
        let (mut energies, mut sums) = ([0.0; 2], [0; 2]);
        model.layer_energies(&mut energies, &mut sums).unwrap();
        assert_eq!(energies[0] + energies[1], layer.energies(&spins)[0]);
        for (layers, space) in [(1, 0.3), (2, -0.4), (3, 0.0), (5, 1e-9), (1, 1e30)] {
            fixed_agrees(&layer, layers, 20, space);
        }
    }
}

#[test]
fn extreme_temperatures_are_the_textbook_s() {
    let layer = Layer::paper();
    for (space, tau) in [
        (0.0, 0.0),
        (-0.5, -0.25),
        (-0.0, 0.3),
        (30.0, 0.0),
        (0.0, 30.0),
        (-30.0, 0.0),
        (0.0, -30.0),
        (1e30, 1e30),
        (-1e30, 1e30),
        (f32::MAX, f32::MAX),
        (f32::MIN, f32::MIN),
        (1e-40, 1e-40),
        (-1e-40, 1e-40),
        (1e-5, -1e-7),
    ] {
        for layers in [32, 61] {
            agree(&layer, layers, 3, Beta { space, tau }, Order::Coloured);
        }
        exact_agrees(&layer, 128, 3, Beta { space, tau }, Order::Coloured, 7, &mut Ties::default());
    }
}

#[test]
fn any_coupling_between_layers_is_the_textbook_s() {
    let layer = Layer::random(7, 60, &mut Rng(4));
    for tau_coupling in [-1.0, -0.3, -0.0, 0.0, 1e-45, 0.1, 2.0, 100.0, f32::MAX.into(), f32::MIN.into()] {
        for layers in [2, 5, 32, 67, 128] {
            let (layer, beta) = (layer.clone().tau_coupling(tau_coupling), Beta { space: 0.2, tau: 0.3 });
            agree(&layer, layers, 10, beta, Order::Coloured);
            agree(&layer, layers, 10, Beta { tau: -0.3, ..beta }, Order::Coloured);
        }
    }
}

/// The sums of the magnitudes reach 127 quanta, the limit of a byte.
#[test]
fn the_strongest_fields_are_the_textbook_s() {
    let star = |values: &[f64], field: f64| {
        let couplings = values.iter().enumerate().map(|(k, &value)| (0, k + 1, value)).collect();
        let mut fields = vec![0.0; values.len() + 1];
        fields[0] = field;
        Layer { couplings, ..Layer::free(&fields) }
    };
    let mut ties = Ties::default();
    for layer in [
        star(&[], 127.0),
        star(&[1.0], 126.0),
        star(&[-126.0], 1.0),
        star(&[64.0, -62.0], -1.0),
        star(&[1.0; 127], 0.0),
        star(&[-1.0; 126], -1.0),
        star(&[1.0; 126], 0.0),
    ] {
        for (space, tau) in [(0.01, 0.0), (-0.01, 0.1), (0.06, -0.3), (0.002, 1.0)] {
            for layers in [4, 128] {
                exact_agrees(&layer, layers, 10, Beta { space, tau }, Order::Coloured, 3, &mut ties);
            }
        }
    }
}

#[test]
fn a_temperature_may_change_from_call_to_call() {
    let layer = Layer::paper().tau_coupling(-0.5);
    let beta = |space, tau| Beta { space, tau };
    let walk = [beta(0.4, 0.4), beta(-0.4, 0.4), beta(-0.4, -0.4), beta(0.0, 0.2), beta(0.1, 0.2), beta(0.4, 0.4)];
    let start = Rng(5).spins(128 * 96);
    let run = || {
        let mut model = layer.builder(128).build(Kind::I8Exact).unwrap();
        model.set_spins(&start).unwrap();
        let mut rng = generator(9);
        walk.map(|beta| {
            let flips = model.sweep(&mut rng, beta, 2).unwrap() + model.sweep(&mut rng, beta, 0).unwrap();
            let Energy { space, tau } = model.energy();
            (spins_of(&model), flips, [space, tau])
        })
    };
    let model = layer.builder(128).build(Kind::I8Exact).unwrap();
    let (mut spins, mut rng, mut ties) = (start.clone(), generator(9), Ties::default());
    let expected = walk.map(|beta| {
        let flips = exact_textbook(&layer, &mut spins, &model, &mut rng, beta, 2, &mut ties);
        (spins.clone(), flips, layer.energies(&spins))
    });
    assert!(under_every_isa(run) == expected);
}

/// A model that was swept at another coupling of layers goes on like a new one with its spins.
#[test]
fn factors_are_those_of_both_temperatures() {
    let layer = Layer::random(24, 60, &mut Rng(77));
    for kind in [Kind::I8Exact, Kind::I16Exact, Kind::F32Fast, Kind::F32Poly] {
        let model = || layer.builder(64).build(kind).unwrap();
        let (mut swept, mut rng) = (model(), generator(6));
        for tau in [0.2, 0.7, 0.0, 1.5] {
            let mut fresh = model();
            fresh.set_spins(&spins_of(&swept)).unwrap();
            let (beta, mut same) = (Beta { space: 0.3, tau }, rng.try_clone().unwrap());
            let flips = [swept.sweep(&mut rng, beta, 2).unwrap(), fresh.sweep(&mut same, beta, 2).unwrap()];
            assert_eq!(flips[0], flips[1], "{kind:?} {tau}");
            assert!(spins_of(&swept) == spins_of(&fresh), "{kind:?} {tau}");
        }
    }
}
