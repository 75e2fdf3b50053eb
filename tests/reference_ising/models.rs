//! Shapes, exactness and measurements of models.

use crate::ising::{Layer, Rng, generator, spins_of};
use crate::textbook::*;
use hotloops::Error;
use hotloops::ising::{Acceptance, Beta, Builder, Energy, Kind, LayeredIsing, Order, Update};

#[test]
fn layers_interlace_as_widely_as_they_divide() {
    for (layers, lanes) in [(2, 1), (3, 1), (4, 2), (8, 4), (16, 8), (31, 1), (32, 16), (48, 16), (100, 4), (256, 16)] {
        assert_eq!(Layer::ring(4).builder(layers).build(Kind::F32Fast).unwrap().lanes(), lanes);
    }
    for (layers, lanes) in
        [(2, 1), (3, 1), (4, 2), (31, 1), (32, 16), (64, 32), (96, 32), (100, 4), (128, 64), (192, 64), (512, 64)]
    {
        assert_eq!(Layer::ring(4).builder(layers).build(Kind::I8Exact).unwrap().lanes(), lanes);
        assert_eq!(Layer::ring(4).builder(layers).build(Kind::I16Exact).unwrap().lanes(), lanes.min(32));
    }
}

#[test]
fn two_colours_suffice_for_the_paper_s_layer() {
    let layer = Layer::paper();
    let neighbours = layer.neighbours();
    let degree = |site: usize| neighbours[site].len();
    // Couplings and fields are eighths.
    let is_odd = |site: usize| {
        let values = neighbours[site].iter().map(|&(_, value)| value).chain([layer.fields[site]]);
        values.map(|value| (8.0 * value) as i32).sum::<i32>() % 2 != 0
    };
    for kind in [Kind::F32Fast, Kind::I8Exact] {
        let model = layer.builder(32).build(kind).unwrap();
        let mut place = vec![0; 96];
        model.order().iter().enumerate().for_each(|(index, &site)| place[site as usize] = index);
        // Sites are visited in two runs without internal edges. The first run ends before the first
        // site that has an earlier neighbour.
        let early = |site: usize| neighbours[site].iter().any(|&(j, _)| place[j] < place[site]);
        let second = model.order().iter().position(|&site| early(site as usize)).unwrap();
        for &(i, j, _) in &layer.couplings {
            assert_ne!(place[i] < second, place[j] < second);
        }
        for run in [&model.order()[..second], &model.order()[second..]] {
            assert!(run.is_sorted_by_key(|&site| match kind {
                Kind::I8Exact => (is_odd(site as usize), degree(site as usize)),
                _ => (false, degree(site as usize)),
            }));
        }
        let natural = layer.builder(32).order(Order::Natural).build(kind).unwrap();
        assert!(natural.order().iter().copied().eq(0..96));
    }
}

#[test]
fn sweeps_may_be_divided_among_calls() {
    let mut layer = Layer::paper();
    let beta = Beta { space: 0.4, tau: 0.4 };
    for exact in [true, false] {
        for update in [Update::Gather, Update::Scatter] {
            let model = || layer.builder(32).update(update).build(Kind::F32Poly).unwrap();
            let (mut whole, mut parts) = (model(), model());
            assert_eq!(whole.is_exact(), exact);
            let (mut rng, mut rngs) = (generator(1), generator(1));
            let flips = whole.sweep(&mut rng, beta, 2100).unwrap();
            let sum: u64 =
                [0, 1, 2, 1000, 0, 47, 1050].map(|sweeps| parts.sweep(&mut rngs, beta, sweeps).unwrap()).iter().sum();
            assert_eq!(flips, sum);
            assert_eq!(spins_of(&whole), spins_of(&parts));
        }
        layer.couplings.iter_mut().for_each(|(_, _, value)| *value /= 7.0);
    }
}

#[test]
fn inexact_sums_are_the_same_everywhere_and_do_not_drift() {
    let mut layer = Layer::paper();
    layer.couplings.iter_mut().for_each(|(_, _, value)| *value /= 7.0);
    floats_agree(&layer, 32, 60, Beta { space: 0.4, tau: 0.3 }, Order::Coloured);
    for update in [Update::Gather, Update::Scatter] {
        let run = |pause: bool| {
            let mut model = layer.builder(32).update(update).build(Kind::F32Poly).unwrap();
            assert!(!model.is_exact());
            let mut rng = generator(3);
            model.sweep(&mut rng, Beta { space: 0.4, tau: 0.3 }, 1024).unwrap();
            if pause {
                // Recomputes all sums, as the model itself does at regular intervals.
                let spins = spins_of(&model);
                model.set_spins(&spins).unwrap();
            }
            model.sweep(&mut rng, Beta { space: 0.4, tau: 0.3 }, 500).unwrap();
            spins_of(&model)
        };
        let spins = under_every_isa(|| run(false));
        assert!(spins.contains(&1) && spins.contains(&-1));
        assert!(spins == run(true), "{update:?}");
    }
}

#[test]
fn exactness_is_seen() {
    let exact = |values: &[f64], field: f64| {
        let couplings = values.iter().enumerate().map(|(k, &value)| (0, k + 1, value));
        let builder = LayeredIsing::builder(2, values.len() + 1).couplings(couplings).field(0, field);
        builder.build(Kind::F32Fast).unwrap().is_exact()
    };
    let [least, most] = [f32::MIN_POSITIVE, f32::MAX].map(f64::from);
    assert!(exact(&[], 0.1f32.into()));
    assert!(exact(&[0.0, -0.0], 0.0));
    assert!(exact(&[0.1f32.into()], 0.0));
    assert!(!exact(&[0.1f32.into(), 0.2f32.into(), 0.3f32.into()], 0.0));
    assert!(exact(&[8388608.0, 8388607.0], 1.0));
    assert!(!exact(&[8388608.0, 8388608.0], 1.0));
    assert!(exact(&[least / 8388608.0, least], 0.0));
    assert!(!exact(&[least / 8388608.0, 1.0], 0.0));
    assert!(exact(&[2f64.powi(125); 3], 0.0));
    assert!(!exact(&[most], 0.0));
    assert!(!exact(&[2e38, 2e38], 0.0));
    // Values that are not f32 are rounded.
    assert!(!exact(&[0.1], 0.0));
    assert!(!exact(&[16777217.0], 0.0));
}

#[test]
fn couplings_in_quanta_are_seen() {
    /// The quantum of a chain of couplings with a field at its first site.
    fn quantum(values: &[f64], field: f64) -> Result<f64, Error> {
        let couplings = values.iter().enumerate().map(|(k, &value)| (k, k + 1, value));
        let builder = || LayeredIsing::builder(128, values.len() + 1).couplings(couplings.clone()).field(0, field);
        let auto = builder().build(Kind::Auto);
        match builder().build(Kind::I8Exact) {
            Ok(model) => {
                let auto = auto.unwrap();
                assert_eq!((model.kind(), auto.kind()), (Kind::I8Exact, Kind::I8Exact));
                assert_eq!((model.is_exact(), auto.quantum()), (true, model.quantum()));
                Ok(model.quantum())
            }
            Err(error) => {
                let found = auto.map(|auto| (auto.kind(), auto.quantum()));
                match builder().build(Kind::I16Exact) {
                    Ok(wide) => assert_eq!(found, Ok((Kind::I16Exact, wide.quantum()))),
                    // A local field of 1 is lost beside these terms in f32.
                    Err(_) if values == [16777216.0, 16777217.0] => assert_eq!(found, Err(Error::Unequal { site: 1 })),
                    Err(_) => assert_eq!(found, Ok((Kind::F32Poly, 0.0))),
                }
                Err(error)
            }
        }
    }
    let is = |values: &[f64], field: f64, expected: f64| {
        let found = quantum(values, field).unwrap();
        assert!((found / expected - 1.0).abs() <= 2.0 * f64::EPSILON, "{values:?}, {field}: {found:e}");
    };
    let fails = |values: &[f64], field: f64, site| assert_eq!(quantum(values, field), Err(Error::Quantum { site }));

    // Models without anything to measure.
    assert_eq!(quantum(&[], 0.0), Ok(1.0));
    assert_eq!(quantum(&[0.0, -0.0], -0.0), Ok(1.0));

    // The largest quantum that fits; exact for powers of two.
    assert_eq!(quantum(&[0.25, 0.0, -0.5], 0.0), Ok(0.25));
    assert_eq!(quantum(&[0.375, -0.625], 0.25), Ok(0.125));
    assert_eq!(quantum(&[3.0], 0.0), Ok(3.0));
    for k in 1..=127u8 {
        let k = f64::from(k);
        is(&[0.1 * k], 0.0, 0.1 * k);
        is(&[0.1], 0.1 * (k - 1.0), 0.1);
        is(&[(k - 1.0) / 7.0, 1.0 / 7.0, 2.0 / 7.0], 0.0, 1.0 / 7.0);
        is(&[-1.0 / k, (k - 1.0) / k], 0.0, 1.0 / k);
    }
    is(&[0.3, -0.7], 0.2, 0.1);
    is(&[0.3, 0.5], -0.9, 0.1);
    is(&[3.0 / 7.0, 5.0 / 7.0], 0.0, 1.0 / 7.0);
    is(&[1.0 / 3.0], 0.25, 1.0 / 12.0);
    is(&[1.0 / 10.0], -1.0 / 11.0, 1.0 / 110.0);

    // 127 and 128 quanta.
    assert_eq!(quantum(&[126.0, 1.0], 1.0), Ok(1.0));
    assert_eq!(quantum(&[1.0, -126.0], 0.0), Ok(1.0));
    assert_eq!(quantum(&[126.0, 0.0, -127.0], 0.0), Ok(1.0));
    fails(&[127.0, 1.0], 0.0, 1);
    fails(&[1.0, 1.0, 127.0], 0.0, 2);
    fails(&[1.0, -64.0, 64.0, 1.0], 0.0, 2);
    fails(&[127.0], -1.0, 0);
    fails(&[1.0, 0.0, 1e6, 0.0], 0.0, 2);
    fails(&[0.0, 1.0, 0.0, 1e9], 0.0, 3);
    // Multiples of half the smallest value: 130 quanta.
    assert!(quantum(&[1.0, 1.5, 63.5], 0.0).is_err());

    // No common quantum, or none that is large enough.
    assert!(quantum(&[1.0, std::f64::consts::SQRT_2], 0.0).is_err());
    assert!(quantum(&[1.0, 0.318_234], 0.0).is_err());
    assert!(quantum(&[1.0 / 89.0], 1.0 / 97.0).is_err());
    // Numbers that are equal as f32 are not equal.
    assert!(quantum(&[1.0, 2.0 + 2f64.powi(-40)], 0.0).is_err());
    assert!(quantum(&[16777216.0, 16777217.0], 0.0).is_err());
    is(&[16777217.0, 16777217.0], 0.0, 16777217.0);
    is(&[1.0, 2.0 + 2.0 * f64::EPSILON], 0.0, 1.0);
    assert!(quantum(&[0.1f32.into(), 0.3f32.into()], 0.0).is_err());

    // The extremes of the number range.
    let most = f64::from(f32::MAX);
    assert_eq!(quantum(&[most, most / 2.0, most], most), Ok(most / 2.0));
    is(&[1e38, 3e38], 2e38, 1e38);
    is(&[1e-30, 7e-30], 0.0, 1e-30);
    assert_eq!(quantum(&[2f64.powi(-1074), 126.0 * 2f64.powi(-1074)], 0.0), Ok(2f64.powi(-1074)));
    assert!(quantum(&[1e-45, most], 0.0).is_err());
}

#[test]
fn graphs_come_by_edges_or_by_rows() {
    let layer = Layer::paper();
    let (mut pointers, mut neighbours, mut couplings) = (vec![0], Vec::new(), Vec::new());
    for list in layer.neighbours() {
        for (j, value) in list.into_iter().rev() {
            neighbours.push(j as u32);
            couplings.push(value);
        }
        pointers.push(neighbours.len() as u32);
    }
    for kind in [Kind::F32Poly, Kind::I8Exact] {
        let by_rows = LayeredIsing::from_csr(32, &pointers, &neighbours, &couplings).fields(&layer.fields);
        let ends = [by_rows, layer.builder(32)].map(|builder| {
            let mut model = builder.build(kind).unwrap();
            model.sweep(&mut generator(1), Beta { space: 0.4, tau: 0.4 }, 20).unwrap();
            (spins_of(&model), model.energy())
        });
        assert!(ends[0] == ends[1], "{kind:?}");
    }
}

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

/// The quantum is no power of two, so that a sum of couplings would be rounded many times.
#[test]
fn energies_are_quanta_rounded_once() {
    let mut draws = Rng(21);
    for (kind, most) in
        [(Kind::I8Exact, 3), (Kind::I16Exact, 500), (Kind::Single, 3), (Kind::Bits, 1), (Kind::Dense, 3)]
    {
        let (sites, layers) = (300, 64);
        let mut value = || (1 + draws.below(most)) as f64 * if draws.below(2) == 0 { 1.0 } else { -1.0 };
        let couplings = (0..2 * sites).map(|k| (k % sites, (k + 1 + k / sites) % sites, value())).collect();
        let layer = Layer { couplings, ..Layer::free(&vec![0.0; sites]) };
        let spins = draws.spins(layers * sites);
        let mut model = layer.clone().times(0.37).builder(layers).build(kind).unwrap();
        model.set_spins(&spins).unwrap();
        let (mut energies, mut sums) = (vec![f64::NAN; layers], vec![0; layers]);
        model.layer_energies(&mut energies, &mut sums).unwrap();
        for (energy, spins) in energies.into_iter().zip(spins.chunks(sites)) {
            let quanta = layer.energies(spins)[0] * (0.37 / model.quantum()).round();
            assert_eq!(energy, quanta * model.quantum(), "{kind:?}");
        }
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

#[test]
fn sixteen_bits_hold_couplings_of_four_digits() {
    let quantum = |values: &[f64]| {
        let couplings = values.iter().enumerate().map(|(k, &value)| (k, k + 1, value));
        let builder = LayeredIsing::builder(2, values.len() + 1).couplings(couplings);
        builder.build(Kind::I16Exact).map(|model| model.quantum())
    };
    let is = |values: &[f64], expected: f64| {
        let found = quantum(values).unwrap();
        assert!((found / expected - 1.0).abs() <= 2.0 * f64::EPSILON, "{values:?}: {found:e}");
    };
    is(&[0.1234, -0.9876, 1.5, 0.0001], 0.0001);
    is(&[0.1234, -0.9876, 1.5], 0.0002);
    is(&[1.0 / 181.0, 1.0 / 179.0], 1.0 / (181.0 * 179.0));
    is(&[1.0, 32_765.0], 1.0);
    assert_eq!(quantum(&[1.0, 32_766.0]), Err(Error::Quantum { site: 1 }));
    assert!(quantum(&[0.12345, 2.0]).is_err());
    assert!(quantum(&[1.0, std::f64::consts::SQRT_2]).is_err());
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

#[test]
fn energies_of_exact_models_are_of_whole_quanta() {
    for unit in [0.1, 1.0 / 7.0, 1e-30, 3e36] {
        // Eighths, so that a coupling has up to 7 quanta.
        let whole = Layer::random(12, 60, &mut Rng(6)).times(8.0);
        let mut model = whole.clone().times(unit).builder(128).build(Kind::I8Exact).unwrap();
        assert!((model.quantum() / unit - 1.0).abs() <= 2.0 * f64::EPSILON);
        let mut rng = generator(2);
        for _ in 0..10 {
            model.sweep(&mut rng, Beta { space: 0.05 / unit as f32, tau: 0.1 }, 1).unwrap();
            let [space, tau] = whole.energies(&spins_of(&model));
            let found = model.energy();
            assert!((found.space - space * unit).abs() <= 1e-15 * space.abs().max(1e4) * unit, "{found:?}");
            assert_eq!(found.tau, tau);
        }
    }
}

/// `Auto` selects one of the two by its documented rule.
#[test]
fn the_acceptance_is_chosen_by_the_model_and_the_temperature() {
    let hot = 0.1f64.atanh();
    let ring = Layer::ring(8);
    let root = 2f64.sqrt();
    for (layers, bonds) in [(2, 4.0f64), (3, 2.0), (128, 2.0)] {
        for kind in [Kind::F32Fast, Kind::F32Poly, Kind::I8Exact] {
            let model = ring.builder(layers).build(kind).unwrap();
            let at = |space: f64, tau: f64| model.acceptance(Beta { space: space as f32, tau: tau as f32 });
            for sign in [1.0, -1.0] {
                // The mean of the squares is 2.
                assert_eq!(at(sign * 0.999 * hot / root, 0.0), Acceptance::HeatBath);
                // Certain flips of integers may go round in circles on a ring.
                let cold = if kind == Kind::I8Exact { Acceptance::HeatBath } else { Acceptance::Metropolis };
                assert_eq!(at(sign * 1.001 * hot / root, 0.0), cold);
                assert_eq!(at(sign * 1.001 * hot / root, 1e-6), Acceptance::Metropolis);
                assert_eq!(at(0.011 / root, sign * 0.99 * hot / bonds.sqrt()), Acceptance::HeatBath);
                assert_eq!(at(0.011 / root, sign * 1.01 * hot / bonds.sqrt()), Acceptance::Metropolis);
                assert_eq!(at(sign * 0.0099 / root, 1.0), Acceptance::HeatBath);
                assert_eq!(at(0.0101 / root, 1.0), Acceptance::Metropolis);
            }
            for acceptance in ACCEPTANCES {
                let mut forced = ring.builder(layers).acceptance(acceptance).build(kind).unwrap();
                assert_eq!(forced.acceptance(Beta { space: 0.0, tau: 0.0 }), acceptance);
                assert_eq!(forced.acceptance(Beta { space: 9.0, tau: 9.0 }), acceptance);
                // The sweep uses it.
                let beta = Beta { space: 0.1, tau: 0.1 };
                let mut chosen = ring.builder(layers).build(kind).unwrap();
                let flips = |model: &mut LayeredIsing| model.sweep(&mut generator(1), beta, 20).unwrap();
                let same = flips(&mut forced) == flips(&mut chosen);
                assert_eq!(same, acceptance == chosen.acceptance(beta));
            }
        }
    }
}

#[test]
fn models_move_between_threads() {
    fn moves<T: Send + Sync>() {}
    moves::<LayeredIsing>();
    moves::<Builder>();
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
