//! Spins in and out of a model, its energies and magnetisations.

use crate::layers::{Layer, Rng, generator, spins_of};
use hotloops::ising::{Beta, Energy, Kind, Order, Update};

#[test]
fn spins_and_what_is_measured_are_those_that_were_set() {
    let mut draws = Rng(3);
    for layers in [2, 3, 4, 7, 8, 16, 32, 48, 128, 256] {
        for sites in [1, 2, 5, 17] {
            let layer = Layer::random(sites, 40, &mut draws).tau_coupling(-0.75);
            for (kind, update) in [
                (Kind::F32Poly, Update::Gather),
                (Kind::F32Poly, Update::Scatter),
                (Kind::I8Exact, Update::Gather),
                (Kind::I16Exact, Update::Gather),
                (Kind::Auto, Update::Scatter),
            ] {
                let mut model = layer.builder(layers).update(update).build(kind).unwrap();
                assert_eq!((model.layers(), model.sites()), (layers, sites));
                assert!(spins_of(&model).iter().all(|&spin| spin == 1));
                assert_eq!(model.magnetisation(), (layers * sites) as i64);
                let spins = draws.spins(layers * sites);
                model.set_spins(&spins).unwrap();
                assert_eq!(spins_of(&model), spins);

                let Energy { space, tau } = model.energy();
                assert_eq!([space, tau], layer.energies(&spins), "{layers} layers of {sites}, {kind:?}");
                assert_eq!(model.magnetisation(), spins.iter().copied().map(i64::from).sum());

                let others = draws.spins(layers * sites);
                let mut overlaps = vec![i64::MIN; layers];
                model.overlaps(&others, &mut overlaps).unwrap();
                let both = spins.chunks(sites).zip(others.chunks(sites));
                let sums = both.map(|(a, b)| a.iter().zip(b).map(|(a, b)| i64::from(a * b)).sum::<i64>());
                assert!(sums.eq(overlaps), "{layers} layers of {sites}, {kind:?}");

                let (mut energies, mut sums) = (vec![f64::NAN; layers], vec![i64::MIN; layers]);
                model.layer_energies(&mut energies, &mut sums).unwrap();
                for (index, spins) in spins.chunks(sites).enumerate() {
                    let sum = spins.iter().copied().map(i64::from).sum::<i64>();
                    assert_eq!((energies[index], sums[index]), (layer.energies(spins)[0], sum));
                    let mut copy = vec![0; sites];
                    model.copy_layer(index, &mut copy).unwrap();
                    assert_eq!(copy, spins);
                }
                assert_eq!(model.tau_energy(), tau);
            }
        }
    }
}

/// Large couplings, all quanta, a negative temperature and enough sites for carries of every kind.
#[test]
fn layer_energies_are_those_of_each_layer() {
    let mut draws = Rng(8);
    let kinds = [
        (Kind::I8Exact, 20, 0.1),
        (Kind::I16Exact, 5000, 0.1),
        (Kind::F32Poly, 5000, 0.1),
        (Kind::Single, 20, 0.0),
        (Kind::Single, 5000, 0.0),
        (Kind::Bits, 1, 0.0),
        (Kind::Dense, 20, 0.0),
        (Kind::Dense, 5000, 0.0),
    ];
    for (kind, most, tau) in kinds {
        for (layers, sites) in [(2, 300), (64, 90), (192, 301), (256, 1000)] {
            let value = |draws: &mut Rng| (draws.below(2 * most + 1) as f64 - most as f64) / 4.0;
            let couplings = (0..2 * sites).map(|k| (k % sites, (k + 1 + k / sites) % sites, value(&mut draws)));
            let couplings = couplings.collect::<Vec<_>>();
            let fields: Vec<f64> = (0..sites).map(|_| value(&mut draws)).collect();
            let layer = Layer { couplings, ..Layer::free(&fields) };
            let mut model = layer.builder(layers).build(kind).unwrap();
            model.set_spins(&draws.spins(layers * sites)).unwrap();
            for space in [0.001, -0.001] {
                model.sweep(&mut generator(1), Beta { space, tau }, 1).unwrap();
                let (mut energies, mut sums) = (vec![f64::NAN; layers], vec![i64::MIN; layers]);
                model.layer_energies(&mut energies, &mut sums).unwrap();
                for (index, spins) in spins_of(&model).chunks(sites).enumerate() {
                    let sum = spins.iter().copied().map(i64::from).sum::<i64>();
                    assert_eq!((energies[index], sums[index]), (layer.energies(spins)[0], sum), "{kind:?}, {layers}");
                }
            }
        }
    }
}

/// Also for couplings that are not f32, and for sums that need more precision than term-by-term
/// f64.
#[test]
fn energies_are_of_the_numbers_as_given() {
    let chain = |values: &[f64]| {
        let couplings = values.iter().enumerate().map(|(k, &value)| (k, k + 1, value)).collect();
        Layer { couplings, ..Layer::free(&vec![0.0; values.len() + 1]) }
    };
    for (layer, expected) in [
        (chain(&[16777217.0; 2]), 33554434.0),
        (chain(&[0.1, 0.2, 0.3]), 0.6),
        (chain(&[0.3, 0.1, 0.2]), 0.6),
        (chain(&[1e20, 1.0, -1e20]), 1.0),
        (Layer::free(&[0.1, 0.7, -0.7]), 0.1),
        (chain(&[std::f64::consts::PI]), std::f64::consts::PI),
    ] {
        for kind in [Kind::F32Fast, Kind::F32Poly, Kind::I8Exact] {
            for update in [Update::Gather, Update::Scatter] {
                // Two layers: every term counts twice.
                let Ok(model) = layer.builder(2).update(update).tau_coupling(0.1).build(kind) else {
                    assert_eq!(kind, Kind::I8Exact);
                    continue;
                };
                let tau = 0.1 * (2 * layer.sites()) as f64;
                assert_eq!(model.energy(), Energy { space: 2.0 * expected, tau }, "{kind:?}");
            }
        }
    }
}

/// Neighbours in no pattern: blocks list them for nearly every lane, some lanes have none, and each bond counts once.
#[test]
fn energies_of_scattered_neighbours_are_those_of_the_definition() {
    let mut draws = Rng(91);
    // Integers, and reals.
    let values: [fn(&mut Rng) -> f64; 2] = [|draws| draws.below(9) as f64 - 4.0, |draws| draws.real(2.0) - 1.0];
    for ((sites, bonds), value) in
        [(900, 800), (300, 500), (2000, 6000)].iter().flat_map(|size| values.map(|value| (*size, value)))
    {
        let fields: Vec<f64> = (0..sites).map(|_| value(&mut draws)).collect();
        let mut pairs = std::collections::BTreeSet::new();
        while pairs.len() < bonds {
            let [i, j] = [(); 2].map(|()| draws.below(sites as u64) as usize);
            if i != j {
                pairs.insert((i.min(j), i.max(j)));
            }
        }
        let couplings = pairs.into_iter().map(|(i, j)| (i, j, value(&mut draws))).collect();
        let layer = Layer { couplings, ..Layer::free(&fields) };
        let mut model = layer.builder(2).build(Kind::Single).unwrap();
        let spins = draws.spins(2 * sites);
        model.set_spins(&spins).unwrap();
        let ([expected, _], found) = (layer.energies(&spins), model.energy().space);
        assert!((found - expected).abs() <= 1e-10 * (1.0 + expected.abs()), "{sites} {bonds}: {found}, not {expected}");
    }
}

#[test]
fn layers_are_set_and_swapped() {
    let mut draws = Rng(9);
    let layer = Layer::random(9, 40, &mut draws);
    let forms = [
        (Kind::F32Poly, Update::Gather, Order::Coloured),
        (Kind::F32Poly, Update::Scatter, Order::Coloured),
        (Kind::I8Exact, Update::Gather, Order::Coloured),
        (Kind::I16Exact, Update::Gather, Order::Coloured),
        (Kind::I16Exact, Update::Gather, Order::Natural),
        (Kind::Single, Update::Gather, Order::Coloured),
        (Kind::Dense, Update::Gather, Order::Coloured),
    ];
    for layers in [2, 3, 32, 100, 128] {
        for ((first, second), range) in forms
            .iter()
            .flat_map(|first| forms.iter().map(move |second| (first, second)))
            .zip([0..layers, 0..0, 1..2, layers - 1..layers, 1..layers].into_iter().cycle())
        {
            let build = |&(kind, update, order)| layer.builder(layers).update(update).order(order).build(kind).unwrap();
            let (mut a, mut b) = (build(first), build(second));
            let (mut left, mut right) = (draws.spins(9 * layers), draws.spins(9 * layers));
            a.set_spins(&left).unwrap();
            for (index, spins) in right.chunks(9).enumerate() {
                b.set_layer(index, spins).unwrap();
            }
            a.swap_layers(&mut b, range.clone()).unwrap();
            let places = 9 * range.start..9 * range.end;
            left[places.clone()].swap_with_slice(&mut right[places]);
            assert!(spins_of(&a) == left && spins_of(&b) == right, "{layers}, {range:?}, {first:?}, {second:?}");
            // Some layers of another model of this kind, as words.
            let mut source = build(second);
            let theirs = draws.spins(9 * layers);
            source.set_spins(&theirs).unwrap();
            let mut words = vec![0; source.words()];
            source.copy_words(&mut words).unwrap();
            let chosen = range.clone().step_by(2);
            b.set_words(chosen.clone(), &words).unwrap();
            chosen.for_each(|layer| right[9 * layer..][..9].copy_from_slice(&theirs[9 * layer..][..9]));
            assert!(spins_of(&b) == right, "{layers}, {range:?}, {second:?}");
            // The sums of `Update::Scatter` follow.
            let mut fresh = build(second);
            fresh.set_spins(&right).unwrap();
            let is_classical = matches!(second.0, Kind::Single | Kind::Dense);
            let beta = Beta { space: 0.4, tau: if is_classical { 0.0 } else { 0.2 } };
            for model in [&mut b, &mut fresh] {
                model.sweep(&mut generator(3), beta, 3).unwrap();
            }
            assert!(spins_of(&b) == spins_of(&fresh), "{layers}, {range:?}, {first:?}, {second:?}");
        }
    }
}

/// A torus in strips, where a layer has several lanes and several words, and one that has fields.
#[test]
fn layers_of_bits_are_measured_set_and_swapped() {
    let mut draws = Rng(10);
    let torus = (0..512).flat_map(|i| [(i, i / 32 * 32 + (i + 1) % 32), (i, (i + 32) % 512)]);
    let couplings: Vec<_> = torus.map(|(i, j)| (i, j, 1.0 - 2.0 * draws.below(2) as f64)).collect();
    for field in [0.0, 1.0] {
        let layer = Layer { couplings: couplings.clone(), ..Layer::free(&[field; 512]) };
        for layers in [1, 2, 7, 600] {
            let build = || layer.builder(layers).build(Kind::Bits).unwrap();
            let (mut a, mut b) = (build(), build());
            let (mut left, mut right) = (draws.spins(512 * layers), draws.spins(512 * layers));
            a.set_spins(&left).unwrap();
            for (index, spins) in right.chunks(512).enumerate() {
                b.set_layer(index, spins).unwrap();
            }
            a.swap_layers(&mut b, layers / 2..layers).unwrap();
            let places = 512 * (layers / 2)..;
            left[places.clone()].swap_with_slice(&mut right[places]);
            let mut words = vec![0; a.words()];
            a.copy_words(&mut words).unwrap();
            b.set_words([0], &words).unwrap();
            right[..512].copy_from_slice(&left[..512]);
            assert!(spins_of(&a) == left && spins_of(&b) == right, "{layers} layers, field {field}");
            // What is kept beside the spins follows.
            let mut fresh = build();
            fresh.set_spins(&right).unwrap();
            for model in [&mut b, &mut fresh] {
                model.sweep(&mut generator(3), Beta { space: -0.4, tau: 0.0 }, 2).unwrap();
            }
            let spins = spins_of(&b);
            assert!(spins == spins_of(&fresh), "{layers} layers, field {field}");
            let (mut energies, mut sums) = (vec![f64::NAN; layers], vec![i64::MIN; layers]);
            b.layer_energies(&mut energies, &mut sums).unwrap();
            assert_eq!(energies.iter().sum::<f64>(), b.energy().space);
            for (index, spins) in spins.chunks(512).enumerate() {
                let sum = spins.iter().copied().map(i64::from).sum::<i64>();
                assert_eq!((energies[index], sums[index]), (layer.energies(spins)[0], sum));
                let mut copy = [0; 512];
                b.copy_layer(index, &mut copy).unwrap();
                assert_eq!(copy, spins);
            }
        }
    }
}
