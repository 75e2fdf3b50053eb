//! The layered model against exact physics: transfer matrices, closed formulas, full enumeration.

mod transfer;

use crate::layers::{Layer, Rng, generator, spins_of};
use hotloops::ising::{Acceptance, Beta, Energy, Kind, LayeredIsing, Update};
use transfer::exact_energies;

/// A mean and its standard error.
#[derive(Clone, Copy, Debug)]
struct Sampled {
    mean: f64,
    sigma: f64,
}

impl Sampled {
    /// Standard errors above `exact`.
    fn above(self, exact: f64) -> f64 {
        (self.mean - exact) / self.sigma
    }
}

/// Samples `measure` after each sweep. The errors come from 40 blocks.
fn sampled<const N: usize>(
    model: &mut LayeredIsing,
    beta: Beta,
    sweeps: usize,
    measure: impl Fn(&LayeredIsing) -> [f64; N],
) -> [Sampled; N] {
    const BLOCKS: usize = 40;
    let mut rng = generator(11);
    model.sweep(&mut rng, beta, sweeps as u64 / 40).unwrap();
    let mut blocks = [[0.0; BLOCKS]; N];
    for block in 0..BLOCKS {
        for _ in 0..sweeps / BLOCKS {
            model.sweep(&mut rng, beta, 1).unwrap();
            for (blocks, value) in blocks.iter_mut().zip(measure(model)) {
                blocks[block] += value / (sweeps / BLOCKS) as f64;
            }
        }
    }
    blocks.map(|blocks| {
        let mean = blocks.iter().sum::<f64>() / BLOCKS as f64;
        let variance = blocks.iter().map(|block| (block - mean).powi(2)).sum::<f64>() / (BLOCKS - 1) as f64;
        Sampled { mean, sigma: (variance / BLOCKS as f64).sqrt() }
    })
}

/// Both energies for each spin.
fn energies(model: &LayeredIsing) -> [f64; 2] {
    let Energy { space, tau } = model.energy();
    [space, tau].map(|energy| energy / (model.layers() * model.sites()) as f64)
}

/// The deviation of a model's energies from the transfer matrix, in standard errors. Asserts that
/// the standard errors are below `resolution`.
fn deviations(layer: &Layer, layers: usize, beta: Beta, kind: Kind, sweeps: usize, resolution: f64) -> [f64; 2] {
    deviations_by(Acceptance::Auto, layer, layers, beta, kind, sweeps, resolution)
}

/// Like `deviations`, with a given acceptance.
fn deviations_by(
    acceptance: Acceptance,
    layer: &Layer,
    layers: usize,
    beta: Beta,
    kind: Kind,
    sweeps: usize,
    resolution: f64,
) -> [f64; 2] {
    let exact = exact_energies(layer, layers, beta);
    let mut model = layer.builder(layers).acceptance(acceptance).build(kind).unwrap();
    let found = sampled(&mut model, beta, sweeps, energies);
    assert!(found.iter().all(|energy| energy.sigma < resolution), "{found:?}");
    [found[0].above(exact[0]), found[1].above(exact[1])]
}

/// The criterion of all tests in this file.
fn is_right(deviations: &[f64]) -> bool {
    deviations.iter().all(|deviation| deviation.abs() < 4.0)
}

/// 8 spins with 12 couplings of +1 or -1, in fields.
fn glass() -> Layer {
    let mut draws = Rng(12);
    let mut glass = Layer::ring(8);
    glass.couplings.extend((0..4).map(|i| (i, i + 4, 1.0)));
    glass.couplings.iter_mut().for_each(|(_, _, value)| *value = 1.0 - 2.0 * draws.below(2) as f64);
    glass.fields.iter_mut().for_each(|field| *field = draws.eighths(3));
    glass
}

fn both(beta: f32) -> Beta {
    Beta { space: beta, tau: beta }
}

#[test]
fn the_transfer_matrix_knows_published_values() {
    let ring = Layer::ring(8);
    for (layers, beta, space, tau) in [
        (32, both(0.3), 0.35469938, 0.35349198),
        (32, Beta { space: 0.8, tau: 0.4 }, 0.95239096, 0.94075633),
        (32, Beta { space: 1.5, tau: 0.5 }, 0.99843812, 0.99818941),
        (128, both(0.375), 0.51149690, 0.50464801),
        (128, Beta { space: 0.8, tau: 0.4 }, 0.95023922, 0.93357597),
    ] {
        let exact = exact_energies(&ring, layers, beta);
        assert!((exact[0] - space).abs() < 1e-7 && (exact[1] - tau).abs() < 1e-7, "{layers}, {beta:?}: {exact:?}");
    }
}

#[test]
fn exact_and_poly_sample_the_exact_energies_and_fast_does_not() {
    for acceptance in [Acceptance::Metropolis, Acceptance::HeatBath] {
        let run = |kind| deviations_by(acceptance, &Layer::ring(8), 128, both(0.3), kind, 15_000, 5e-4);
        let [exact, poly, fast] = [Kind::I8Exact, Kind::F32Poly, Kind::F32Fast].map(run);
        println!("{acceptance:?}: {exact:?}, {poly:?}, {fast:?}");
        assert!(is_right(&exact), "{acceptance:?}: {exact:?}");
        assert!(is_right(&poly), "{acceptance:?}: {poly:?}");
        // The error of its odds is at most 3.1 % for Metropolis and 1 % for the heat bath.
        assert!(!is_right(&fast) && fast.iter().any(|deviation| deviation.abs() > 4.0), "{acceptance:?}: {fast:?}");
    }
}

#[test]
fn glasses_and_colder_rings_have_the_exact_energies() {
    for (layer, beta, kind, sweeps) in [
        (Layer::ring(8), both(0.375), Kind::I8Exact, 25_000),
        (glass(), both(0.3), Kind::I8Exact, 15_000),
        (glass().times(0.1), Beta { space: 4.0, tau: -0.2 }, Kind::I8Exact, 15_000),
        (glass(), both(0.3), Kind::F32Poly, 15_000),
    ] {
        let found = deviations(&layer, 128, beta, kind, sweeps, 5e-4);
        assert!(is_right(&found), "{kind:?}, {beta:?}: {found:?}");
    }
}

#[test]
fn any_shape_of_fields_and_couplings_gives_the_exact_energies() {
    let mut draws = Rng(8);
    for (layers, tau_coupling) in [(2, 1.0), (3, -0.5), (5, -1.0), (6, 0.75), (16, 1.0), (64, -1.0)] {
        let mut layer = Layer::random(5, 70, &mut draws).tau_coupling(tau_coupling);
        let beta = Beta { space: 0.4, tau: 0.35 };
        // Site 0 has no couplings.
        for (kind, field) in [
            (Kind::I8Exact, 0.0),
            (Kind::I8Exact, 0.25),
            (Kind::F32Poly, 0.0),
            (Kind::F32Poly, 1e-9),
            (Kind::F32Poly, 0.01),
            (Kind::F32Poly, 0.25),
        ] {
            for acceptance in [Acceptance::Metropolis, Acceptance::HeatBath] {
                layer.fields[0] = field;
                let found = deviations_by(acceptance, &layer, layers, beta, kind, 10_000, 5e-3);
                assert!(is_right(&found), "{kind:?}, {acceptance:?}, {layers}, {field}: {found:?}");
            }
        }
    }
}

#[test]
fn a_square_lattice_has_onsager_s_energy() {
    for (temperature, energy) in [(3.0, -0.817309593), (4.0, -0.557272241)] {
        let mut model = Layer::ring(64).builder(128).build(Kind::Auto).unwrap();
        assert_eq!(model.kind(), Kind::I8Exact);
        let beta = both(1.0 / temperature);
        let [found] = sampled(&mut model, beta, 4000, |model| [-energies(model).iter().sum::<f64>()]);
        assert!(found.sigma < 5e-4 && is_right(&[found.above(energy)]), "{found:?}");
    }
}

/// `<s s'>` of neighbours and `<s>` in a ring of `count` spins with `K s s'` and `H s` in the
/// exponent, from the eigenvalues of its 2 x 2 transfer matrix and their derivatives.
fn chain(count: i32, k: f64, h: f64) -> [f64; 2] {
    let root = ((2.0 * k).exp() * h.sinh().powi(2) + (-2.0 * k).exp()).sqrt();
    let (mut norm, mut bond, mut spin) = (0.0, 0.0, 0.0);
    for sign in [1.0, -1.0] {
        let value = k.exp() * h.cosh() + sign * root;
        let by_k = k.exp() * h.cosh() + sign * ((2.0 * k).exp() * h.sinh().powi(2) - (-2.0 * k).exp()) / root;
        let by_h = k.exp() * h.sinh() + sign * (2.0 * k).exp() * h.sinh() * h.cosh() / root;
        let power = value.powi(count - 1);
        norm += power * value;
        bond += power * by_k;
        spin += power * by_h;
    }
    [bond / norm, spin / norm]
}

#[test]
fn a_ring_of_layers_is_a_chain_in_a_field() {
    let t = 0.4f64.tanh();
    assert!((chain(5, 0.4, 0.0)[0] - (t + t.powi(4)) / (1.0 + t.powi(5))).abs() < 1e-14);
    for (layers, tau, field) in
        [(2, 0.4, 0.0), (3, 0.3, 0.5), (5, -0.6, 0.3), (7, 0.8, -0.1), (32, -0.2, 0.4), (128, 0.5, 0.2)]
            .into_iter()
            .chain([3, 7, 100, 128, 256].map(|layers| (layers, 0.5, 0.0)))
    {
        let exact = chain(layers, tau.into(), field);
        let mut model = Layer::free(&[field]).builder(layers as usize).build(Kind::I8Exact).unwrap();
        let found = sampled(&mut model, Beta { space: 1.0, tau }, 40_000, |model| {
            [energies(model)[1], model.magnetisation() as f64 / model.layers() as f64]
        });
        assert!(found.iter().all(|value| value.sigma < 1e-2), "{found:?}");
        assert!(is_right(&[found[0].above(exact[0]), found[1].above(exact[1])]), "{layers} layers: {found:?}");
    }
}

/// At infinite temperature, a ring of spins moves as if it had no couplings.
#[test]
fn infinite_temperatures_make_spins_random() {
    let mut model = Layer::ring(8).builder(128).build(Kind::I8Exact).unwrap();
    for tau in [0.0, 0.5] {
        let found = sampled(&mut model, Beta { space: 0.0, tau }, 10_000, |model| {
            let [space, tau] = energies(model);
            [space, tau, model.magnetisation() as f64 / 1024.0]
        });
        assert!(found.iter().all(|value| value.sigma < 1.5e-3), "{found:?}");
        let exact = [0.0, chain(128, tau.into(), 0.0)[0], 0.0];
        let deviations = [0, 1, 2].map(|i| found[i].above(exact[i]));
        assert!(is_right(&deviations), "{tau}: {found:?}, {exact:?}");
    }
}

#[test]
fn free_spins_are_magnetised_by_their_fields() {
    for fields in [vec![0.1], vec![-0.3, 0.2, 0.0, 1.5, 0.7]] {
        let exact = fields.iter().map(|&h| (f64::from(0.8f32) * h).tanh()).sum::<f64>() / fields.len() as f64;
        for kind in [Kind::I8Exact, Kind::F32Poly] {
            let mut model = Layer::free(&fields).tau_coupling(0.0).builder(128).build(kind).unwrap();
            let [found] = sampled(&mut model, Beta { space: 0.8, tau: 1.0 }, 10_000, |model| {
                [model.magnetisation() as f64 / (model.layers() * model.sites()) as f64]
            });
            assert!(found.sigma < 1e-3 && is_right(&[found.above(exact)]), "{found:?}");
        }
    }
}

/// Three weakly coupled or free spins among coupled ones, with and without a transverse field. Site
/// 1 and its chain of copies are free.
#[test]
fn free_spins_beside_others_are_sampled_right() {
    let couplings = vec![(0, 2, 0.1234567), (2, 3, -1.2345671)];
    let layer = Layer { couplings, ..Layer::free(&[0.0, 0.0, 0.0, 0.7777777]) };
    let step = 2.0 / 66.0f64;
    let transverse = Beta { space: step as f32, tau: (-0.5 * step.tanh().ln()) as f32 };
    for (layers, beta, resolution) in [(66, transverse, 0.04), (4, Beta { space: 0.5, tau: 0.0 }, 5e-3)] {
        let exact = exact_energies(&layer, layers, beta);
        for acceptance in [Acceptance::Auto, Acceptance::Metropolis, Acceptance::HeatBath] {
            for update in [Update::Gather, Update::Scatter] {
                let builder = layer.builder(layers).acceptance(acceptance).update(update);
                let mut model = builder.build(Kind::F32Poly).unwrap();
                let found = sampled(&mut model, beta, 40_000, |model| {
                    let [space, tau] = energies(model);
                    [space, tau, model.magnetisation() as f64 / (4 * layers) as f64]
                });
                let name = (layers, acceptance, update);
                assert!(found.iter().all(|value| value.sigma < resolution), "{name:?}: {found:?}");
                let off = [found[0].above(exact[0]), found[1].above(exact[1])];
                assert!(is_right(&off), "{name:?}: {off:?}, {found:?}");
                // Classical layers are independent: full enumeration of one.
                if beta.tau == 0.0 {
                    let states = (0..16).map(|state| [0, 1, 2, 3].map(|site| 1 - 2 * (state >> site & 1) as i8));
                    let (mut norm, mut sum) = (0.0, 0.0);
                    for spins in states {
                        let weight = (0.5 * layer.energies(&spins)[0]).exp();
                        (norm, sum) = (norm + weight, sum + weight * f64::from(spins.iter().sum::<i8>()));
                    }
                    assert!(is_right(&[found[2].above(sum / norm / 4.0)]), "{name:?}: {found:?}");
                }
            }
        }
    }
}

/// A ring whose couplings and field cancel at every site, without a common quantum.
#[test]
fn single_systems_in_f32_have_no_trap() {
    let root = 2f64.sqrt();
    let couplings = vec![(0, 1, 1.0), (1, 2, root), (2, 3, 1.0), (3, 0, root)];
    let ring = Layer { couplings, ..Layer::free(&[root - 1.0; 4]) }.tau_coupling(0.0);
    let beta = Beta { space: 0.4, tau: 0.0 };
    let [exact, _] = exact_energies(&ring, 2, beta);
    for acceptance in [Acceptance::Auto, Acceptance::Metropolis, Acceptance::HeatBath] {
        let mut model = ring.builder(2).acceptance(acceptance).build(Kind::Single).unwrap();
        assert_eq!((model.quantum(), model.may_trap()), (0.0, false));
        let is_heat = acceptance == Acceptance::HeatBath;
        let used = if is_heat { Acceptance::HeatBath } else { Acceptance::Metropolis };
        assert_eq!(model.acceptance(beta), used);
        let [found] = sampled(&mut model, beta, 40_000, |model| [energies(model)[0]]);
        assert!(found.sigma < 5e-3 && is_right(&[found.above(exact)]), "{acceptance:?}: {found:?}, {exact}");
    }
    // In integers such a flip is certain.
    let equal = Layer::ring(4).tau_coupling(0.0).builder(2).build(Kind::Single).unwrap();
    assert!(equal.quantum() == 1.0 && equal.may_trap());
    assert_eq!(equal.acceptance(beta), Acceptance::HeatBath);
}

/// Near infinite temperature all energies have mean 0, and successive sweeps are uncorrelated.
/// Metropolis violates this: it flips nearly all spins in each sweep, so the bond energy hardly
/// changes.
#[test]
fn at_the_hot_end_sweeps_are_independent() {
    let beta = Beta { space: 1e-5, tau: 1e-5 };
    for layer in [Layer::paper(), Layer::ring(9), Layer::free(&[0.3, 0.0, 1.0])] {
        for kind in [Kind::F32Fast, Kind::F32Poly, Kind::I8Exact] {
            for (layers, update) in [(128, Update::Gather), (7, Update::Scatter), (2, Update::Gather)] {
                let run = |acceptance| {
                    let mut model = layer.builder(layers).update(update).acceptance(acceptance).build(kind).unwrap();
                    let (mut rng, mut flips) = (generator(4), 0);
                    let energies: Vec<f64> = (0..4000)
                        .map(|_| {
                            flips += model.sweep(&mut rng, beta, 1).unwrap();
                            model.energy().space
                        })
                        .collect();
                    let mean = energies.iter().sum::<f64>() / 4000.0;
                    let variance = energies.iter().map(|e| e * e).sum::<f64>() / 4000.0;
                    let lag = energies.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>() / 3999.0 / variance;
                    let rate = flips as f64 / (4000 * layers * layer.sites()) as f64;
                    (mean / (variance / 4000.0).sqrt(), lag, rate)
                };
                let name = (kind, layers, layer.sites());
                let (off, lag, rate) = run(Acceptance::Auto);
                assert!(off.abs() < 4.0 && lag.abs() < 0.08, "{name:?}: {off} errors, {lag}");
                assert!((rate - 0.5).abs() < 0.01, "{name:?}: {rate}");
                if kind == Kind::I8Exact && layer.sites() > 3 {
                    let (_, lag, rate) = run(Acceptance::Metropolis);
                    assert!(lag > 0.3 && rate > 0.99, "{name:?}: {lag}, {rate}");
                }
            }
        }
    }
}

/// A ring of 8 quantum spins, `H = - sum z_i z_i+1 - sum x_i`, at the inverse temperature 2.
#[test]
fn a_quantum_ring_has_the_energy_of_its_trotter_form() {
    const BETA: f64 = 2.0;
    let step = |layers: usize| BETA / layers as f64;
    let beta = |layers| Beta { space: step(layers) as f32, tau: (-0.5 * step(layers).tanh().ln()) as f32 };
    let energy = |layers, [space, tau]: [f64; 2]| {
        let tanh = step(layers).tanh();
        -space - 0.5 * (1.0 + tau) * tanh - 0.5 * (1.0 - tau) / tanh
    };
    let ring = Layer::ring(8);
    let trotter = [32, 64, 128].map(|layers| energy(layers, exact_energies(&ring, layers, beta(layers))));
    for (found, published) in trotter.into_iter().zip([-1.25884697, -1.25636225, -1.25573917]) {
        // Temperatures are rounded to f32.
        assert!((found - published).abs() < 1e-6, "{trotter:?}");
    }
    // The errors scale as the square of the step.
    let errors = trotter.map(|energy| energy - -1.25553131);
    assert!(errors.windows(2).all(|pair| (3.9..4.1).contains(&(pair[0] / pair[1]))), "{errors:?}");

    let mut model = ring.builder(32).build(Kind::I8Exact).unwrap();
    let [found] = sampled(&mut model, beta(32), 40_000, |model| [energy(32, energies(model))]);
    assert!(found.sigma < 4e-3 && is_right(&[found.above(trotter[0])]), "{found:?}");
}

/// Pearson's chi-square of the states that a model visits, and its degrees of freedom.
fn chi_square(layer: &Layer, layers: usize, beta: Beta, sampled_at: Beta) -> (f64, usize) {
    const SAMPLES: usize = 8000;
    const SWEEPS: u64 = 8;
    let spins = layers * layer.sites();
    let configuration = |state: usize| (0..spins).map(|i| 1 - 2 * (state >> i & 1) as i8).collect::<Vec<_>>();
    let weights: Vec<f64> = (0..1 << spins)
        .map(|state| {
            let [space, tau] = layer.energies(&configuration(state));
            (f64::from(beta.space) * space + f64::from(beta.tau) * tau).exp()
        })
        .collect();
    let scale = SAMPLES as f64 / weights.iter().sum::<f64>();

    let mut visits = vec![0u32; 1 << spins];
    let (mut model, mut rng) = (layer.builder(layers).build(Kind::I8Exact).unwrap(), generator(3));
    for _ in 0..SAMPLES {
        model.sweep(&mut rng, sampled_at, SWEEPS).unwrap();
        let bits = spins_of(&model).into_iter().enumerate().map(|(i, spin)| usize::from(spin < 0) << i);
        visits[bits.sum::<usize>()] += 1;
    }

    // States with fewer than 10 expected visits are pooled.
    let (mut square, mut cells, mut rest) = (0.0, 0, [0.0; 2]);
    let mut add = |visits: f64, expected: f64| {
        square += (visits - expected).powi(2) / expected;
        cells += 1;
    };
    for (visits, weight) in visits.into_iter().zip(weights) {
        match weight * scale {
            expected if expected < 10.0 => rest = [rest[0] + f64::from(visits), rest[1] + expected],
            expected => add(visits.into(), expected),
        }
    }
    if rest[1] > 0.0 {
        add(rest[0], rest[1].max(1.0));
    }
    (square, cells - 1)
}

#[test]
fn every_state_is_visited_as_often_as_it_weighs() {
    // Four standard deviations, by the Wilson-Hilferty cube-root approximation.
    let limit = |freedom: usize| {
        let part = 2.0 / (9.0 * freedom as f64);
        freedom as f64 * (1.0 - part + 4.0 * part.sqrt()).powi(3)
    };
    let mut draws = Rng(21);
    let beta = Beta { space: 0.5, tau: 0.3 };
    for (layers, sites) in [(2, 4), (4, 2), (3, 3)] {
        let mut layer = Layer::random(sites, 100, &mut draws).tau_coupling(-0.75);
        layer.fields.fill(0.25);
        let (found, freedom) = chi_square(&layer, layers, beta, beta);
        assert!(freedom > 100 && found < limit(freedom), "{layers} layers of {sites}: {found} with {freedom}");
    }
    // The test must reject a wrong temperature.
    let mut layer = Layer::ring(4);
    layer.fields.fill(0.25);
    let (found, freedom) = chi_square(&layer, 2, beta, Beta { space: 0.55, ..beta });
    assert!(found > limit(freedom), "{found} with {freedom}");
}
