//! Shapes, orders, exactness and acceptance of models.

use crate::ising::textbook::*;
use crate::layers::{Layer, generator, spins_of};
use hotloops::ising::{Acceptance, Beta, Builder, Kind, LayeredIsing, Order, Update};

#[test]
fn layers_interlace_in_the_fewest_groups() {
    for (layers, lanes) in
        [(2, 1), (3, 1), (4, 2), (8, 4), (16, 8), (31, 11), (32, 16), (48, 16), (100, 15), (255, 16), (256, 16)]
    {
        assert_eq!(Layer::ring(4).builder(layers).build(Kind::F32Fast).unwrap().lanes(), lanes);
    }
    for (layers, lanes) in
        [(2, 1), (3, 1), (4, 2), (31, 11), (32, 16), (64, 32), (65, 22), (96, 48), (128, 64), (255, 64), (257, 52)]
    {
        assert_eq!(Layer::ring(4).builder(layers).build(Kind::I8Exact).unwrap().lanes(), lanes);
    }
    for (layers, lanes) in [(31, 11), (64, 32), (65, 22), (96, 32), (97, 25), (128, 32), (255, 32)] {
        assert_eq!(Layer::ring(4).builder(layers).build(Kind::I16Exact).unwrap().lanes(), lanes);
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
