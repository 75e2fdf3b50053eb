//! The kind `Bits` against a plain loop over the copies, on the same random planes.

use crate::ising::plain_bits::Plain;
use crate::ising::textbook::{ACCEPTANCES, under_every_isa};
use crate::ising::tori::torus;
use crate::layers::{Layer, Rng, generator, spins_of};
use hotloops::ising::{Beta, Builder, Kind, Order};

/// A graph of up to 8 quanta at each site.
fn random_layer(sites: usize, draws: &mut Rng) -> Layer {
    let mut room = vec![8; sites];
    let mut layer = Layer::free(&vec![0.0; sites]);
    for i in 0..sites {
        for j in i + 1..sites {
            let value = [0, 0, 1, -1, 1, -1, 2, -2, 3][draws.below(9) as usize];
            if sites < 12 || draws.below(sites as u64) < 6 {
                let quanta = i32::unsigned_abs(value);
                if quanta <= room[i] && quanta <= room[j] {
                    (room[i], room[j]) = (room[i] - quanta, room[j] - quanta);
                    layer.couplings.push((i, j, value.into()));
                }
            }
        }
        if room[i] > 0 && draws.below(3) == 0 {
            layer.fields[i] = [1.0, -1.0][draws.below(2) as usize];
        }
    }
    layer
}

/// The model from given spins, under every instruction set, in one call and in several, is the plain
/// loop.
fn agrees(
    builder: impl Fn() -> Builder,
    layer: &Layer,
    (layers, strips, extents): (usize, usize, &[usize]),
    beta: f32,
    sign: impl Fn(usize, usize, usize) -> i32,
) {
    let beta_tau = Beta { space: beta, tau: 0.0 };
    let start = Rng(layers as u64).spins(layers * layer.sites());
    for acceptance in ACCEPTANCES {
        let run = |calls: &[u64]| {
            let mut model = builder().acceptance(acceptance).build(Kind::Bits).unwrap();
            model.set_spins(&start).unwrap();
            let mut rng = generator(9);
            let flips: u64 = calls.iter().map(|&sweeps| model.sweep(&mut rng, beta_tau, sweeps).unwrap()).sum();
            (spins_of(&model), flips, rng)
        };
        let model = builder().build(Kind::Bits).unwrap();
        let plain = Plain::new(layer, &model, (strips, extents), &sign);
        let (mut spins, mut rng) = (start.clone(), generator(9));
        let flips = (0..4).map(|_| plain.sweep(&mut spins, &mut rng, beta, acceptance)).sum();
        let found = under_every_isa(|| run(&[4]));
        assert_eq!(found.1, flips, "{layers} copies in {strips} strips at {beta}, {acceptance:?}: flips");
        assert!(found == (spins, flips, rng), "{layers} copies in {strips} strips at {beta}, {acceptance:?}");
        assert!(run(&[1, 0, 2, 1]) == found);
    }
}

#[test]
fn every_number_of_copies_is_the_plain_loop_s() {
    let mut draws = Rng(1);
    for layers in [1, 2, 63, 64, 65, 100, 511, 512, 513, 1100] {
        for sites in [1, 2, 3, 8, 30] {
            let layer = random_layer(sites, &mut draws);
            for order in [Order::Coloured, Order::Natural] {
                agrees(|| layer.builder(layers).order(order), &layer, (layers, 1, &[]), 0.3, |_, _, _| 1);
            }
        }
    }
}

#[test]
fn every_temperature_is_the_plain_loop_s() {
    let layer = random_layer(40, &mut Rng(2));
    for beta in [0.0, -0.0, 1e-40, 1e-5, 0.01, -0.2, 0.5, -1.5, 8.0, 1e30, -f32::MAX] {
        agrees(|| layer.builder(70), &layer, (70, 1, &[]), beta, |_, _, _| 1);
    }
}

/// Samples of disorder: the signs of some couplings differ from copy to copy.
#[test]
fn samples_are_the_plain_loop_s() {
    let mut draws = Rng(3);
    for layers in [1, 70, 600] {
        let layer = random_layer(20, &mut draws);
        let reversed = |copy: usize, i: usize, j: usize| {
            !(i + j).is_multiple_of(3) && (copy * 7 + i * j + copy / 5).is_multiple_of(3)
        };
        let sign = |copy, i, j| if reversed(copy, i, j) { -1 } else { 1 };
        let build = || {
            layer.couplings.iter().fold(layer.builder(layers), |builder, &(i, j, _)| match (i + j) % 3 {
                0 => builder,
                _ => builder.reversed(j, i, &(0..layers).map(|copy| reversed(copy, i, j)).collect::<Vec<_>>()),
            })
        };
        for beta in [0.4, -0.4] {
            agrees(build, &layer, (layers, 1, &[]), beta, sign);
        }
        let mut model = build().build(Kind::Bits).unwrap();
        for beta in [0.4, -0.3] {
            model.sweep(&mut generator(5), Beta { space: beta, tau: 0.0 }, 3).unwrap();
            let spins = spins_of(&model);
            let expected: f64 =
                spins.chunks(20).enumerate().map(|(copy, spins)| energy(&layer, spins, |i, j| sign(copy, i, j))).sum();
            assert_eq!(model.energy().space, expected);
        }
    }
}

/// Extents, whether they are periodic, the share of absent bonds, and layers.
type Cut = (&'static [usize], &'static [bool], f64, usize);

/// Lattices whose layers are cut into lanes, with random signs.
#[test]
fn strips_are_the_plain_loop_s() {
    const T: bool = true;
    const F: bool = false;
    let mut draws = Rng(4);
    let cuts: &[Cut] = &[
        (&[4], &[T], 0.0, 3),
        (&[12], &[T], 0.0, 1),
        (&[1024], &[T], 0.0, 2),
        (&[4, 4], &[T; 2], 0.0, 1),
        (&[4, 4], &[T; 2], 0.0, 100),
        (&[6, 10], &[T; 2], 0.0, 5),
        (&[20, 12], &[T; 2], 0.0, 13),
        (&[10, 14], &[T; 2], 0.0, 30),
        (&[64, 64], &[T; 2], 0.0, 1),
        (&[64, 64], &[T; 2], 0.0, 2),
        (&[4, 6, 8], &[T; 3], 0.0, 7),
        (&[8, 8, 8], &[T; 3], 0.0, 20),
        (&[4, 4, 4, 4], &[T; 4], 0.0, 40),
        (&[4, 4], &[T; 2], 0.0, 512),
        // Blocks of odd extents have three colours.
        (&[9], &[T], 0.0, 2),
        (&[5, 9], &[T; 2], 0.0, 3),
        (&[3, 4, 6], &[T; 3], 0.0, 3),
        // Open boundaries.
        (&[8], &[F], 0.0, 3),
        (&[4, 4], &[F; 2], 0.0, 3),
        (&[12, 10], &[F; 2], 0.0, 5),
        (&[9, 15], &[F, T], 0.0, 4),
        (&[2, 10], &[F, T], 0.0, 4),
        (&[7, 64], &[F; 2], 0.0, 2),
        (&[6, 6, 6], &[F; 3], 0.0, 2),
        (&[8, 6, 4], &[F, F, T], 0.0, 9),
        (&[5, 4, 16], &[F; 3], 0.0, 3),
        (&[4, 4, 4, 4], &[T, F, T, F], 0.0, 2),
        // Absent bonds.
        (&[40], &[T], 0.2, 3),
        (&[12, 10], &[F; 2], 0.2, 5),
        (&[16, 9], &[T; 2], 0.5, 3),
    ];
    for &(extents, is_periodic, absent, layers) in cuts {
        let layer = lattice(extents, is_periodic, || match (draws.below(1000) as f64) < 1000.0 * absent {
            true => 0.0,
            false => [1.0, -1.0][draws.below(2) as usize],
        });
        let blocks = layer.builder(layers).build(Kind::Bits).unwrap().blocks();
        assert_eq!(blocks.is_some(), layers < 512, "{extents:?}, {is_periodic:?}");
        let strips = blocks.map_or(1, |blocks| blocks.parts.iter().product());
        for beta in [0.4, -0.7] {
            agrees(|| layer.builder(layers), &layer, (layers, strips, extents), beta, |_, _, _| 1);
        }
        let mut model = layer.builder(layers).build(Kind::Bits).unwrap();
        for beta in [0.4, -0.3] {
            model.sweep(&mut generator(5), Beta { space: beta, tau: 0.0 }, 3).unwrap();
            let spins = spins_of(&model);
            let energies = model.energy();
            assert_eq!([energies.space, energies.tau], layer.energies(&spins), "{extents:?}");
            let sites = layer.sites();
            let (mut of_layers, mut sums) = (vec![0.0; layers], vec![0; layers]);
            model.layer_energies(&mut of_layers, &mut sums).unwrap();
            let others = Rng(6).spins(spins.len());
            let mut overlaps = vec![0; layers];
            model.overlaps(&others, &mut overlaps).unwrap();
            for (copy, overlap) in overlaps.into_iter().enumerate() {
                let spins = &spins[copy * sites..][..sites];
                let products = spins.iter().zip(&others[copy * sites..]).map(|(a, b)| i64::from(a * b));
                assert_eq!(overlap, products.sum());
                assert_eq!(of_layers[copy], energy(&layer, spins, |_, _| 1), "{extents:?}, {is_periodic:?}");
                assert_eq!(sums[copy], spins.iter().map(|&spin| i64::from(spin)).sum());
            }
            assert_eq!(model.magnetisation(), spins.iter().map(|&spin| i64::from(spin)).sum());
        }
    }
}

/// A graph that is nearly a torus.
#[test]
fn other_graphs_are_not_cut() {
    let layer = torus(&[8, 8], || 1.0);
    let order = |layer: &Layer| layer.builder(1).build(Kind::Bits).unwrap().order().to_vec();
    let of_copies = |layer: &Layer| layer.builder(512).build(Kind::Bits).unwrap().order().to_vec();
    assert_ne!(order(&layer), of_copies(&layer));
    for (i, j, value) in [(17, 18, 2.0), (63, 56, -2.0)] {
        let mut other = layer.clone();
        let coupling = other.couplings.iter_mut().find(|edge| (edge.0, edge.1) == (i, j)).unwrap();
        coupling.2 = value;
        assert_eq!(order(&other), of_copies(&other));
    }
    let mut field = layer.clone();
    field.fields[5] = 1.0;
    assert_eq!(order(&field), of_copies(&field));
    let mut swapped = layer;
    (swapped.couplings[0].1, swapped.couplings[20].1) = (swapped.couplings[20].1, swapped.couplings[0].1);
    assert_eq!(order(&swapped), of_copies(&swapped));
    // Absent bonds in three dimensions.
    let mut diluted = torus(&[4, 4, 4], || 1.0);
    assert_ne!(order(&diluted), of_copies(&diluted));
    diluted.couplings[30].2 = 0.0;
    assert_eq!(order(&diluted), of_copies(&diluted));
}

fn lattice(extents: &[usize], is_periodic: &[bool], mut value: impl FnMut() -> f64) -> Layer {
    let sites = extents.iter().product();
    let mut couplings = Vec::new();
    for i in 0..sites {
        let mut stride = 1;
        for (extent, is_periodic) in extents.iter().zip(is_periodic) {
            let x = i / stride % extent;
            if x + 1 < *extent || *is_periodic {
                couplings.push((i, i - x * stride + (x + 1) % extent * stride, value()));
            }
            stride *= extent;
        }
    }
    Layer { couplings, ..Layer::free(&vec![0.0; sites]) }
}

fn energy(layer: &Layer, spins: &[i8], sign: impl Fn(usize, usize) -> i32) -> f64 {
    let bond = |&(i, j, value): &(usize, usize, f64)| value * f64::from(sign(i, j) * i32::from(spins[i] * spins[j]));
    let field = layer.fields.iter().zip(spins).map(|(field, &spin)| field * f64::from(spin)).sum::<f64>();
    layer.couplings.iter().map(bond).sum::<f64>() + field
}

/// Grids, and a torus of odd blocks: energy and magnetisation by enumeration.
#[test]
fn small_lattices_have_their_exact_means() {
    const T: bool = true;
    const F: bool = false;
    for (extents, is_periodic) in
        [(&[9][..], &[T][..]), (&[4, 4], &[F, F]), (&[4, 4], &[T, F]), (&[6, 3], &[F, T]), (&[2, 2, 4], &[F, F, T])]
    {
        let mut draws = Rng(7);
        let mut layer = lattice(extents, is_periodic, || if draws.below(4) == 0 { -1.0 } else { 1.0 });
        if extents.len() == 2 {
            layer.couplings[5].2 = 0.0;
        }
        let sites = layer.sites();
        let observe = |spins: &[i8]| {
            let total: i32 = spins.iter().map(|&spin| i32::from(spin)).sum();
            [energy(&layer, spins, |_, _| 1), f64::from(total.abs())]
        };
        let beta = 0.5f32;
        let mut exact = [0.0; 3];
        for state in 0..1u32 << sites {
            let spins: Vec<i8> = (0..sites).map(|site| 1 - 2 * (state >> site & 1) as i8).collect();
            let [energy, magnetisation] = observe(&spins);
            let weight = (f64::from(beta) * energy).exp();
            [weight, weight * energy, weight * magnetisation].iter().zip(&mut exact).for_each(|(x, sum)| *sum += x);
        }
        for acceptance in ACCEPTANCES {
            const COPIES: usize = 100;
            const MEASUREMENTS: usize = 200;
            let mut model = layer.builder(COPIES).acceptance(acceptance).build(Kind::Bits).unwrap();
            assert!(model.blocks().is_some(), "{extents:?}");
            let (mut rng, beta) = (generator(3), Beta { space: beta, tau: 0.0 });
            model.sweep(&mut rng, beta, 100).unwrap();
            let mut sums = [[0.0; 2]; COPIES];
            for _ in 0..MEASUREMENTS {
                model.sweep(&mut rng, beta, 5).unwrap();
                for (sums, spins) in sums.iter_mut().zip(spins_of(&model).chunks(sites)) {
                    sums.iter_mut().zip(observe(spins)).for_each(|(sum, value)| *sum += value);
                }
            }
            for k in 0..2 {
                let means = sums.iter().map(|sums| sums[k] / MEASUREMENTS as f64);
                let mean = means.clone().sum::<f64>() / COPIES as f64;
                let variance = means.map(|x| (x - mean).powi(2)).sum::<f64>() / (COPIES * (COPIES - 1)) as f64;
                let z = (mean - exact[k + 1] / exact[0]) / variance.sqrt();
                assert!(z.abs() < 4.0, "{extents:?}, {is_periodic:?}, {acceptance:?}: {mean}, z = {z}");
            }
        }
    }
}
