//! Dense models against a plain loop on the same random numbers: spins, energies and flips.

use crate::ising::textbook::{ACCEPTANCES, split_mix, under_every_isa};
use crate::layers::{Layer, Rng, generator, spins_of};
use hotloops::Error;
use hotloops::ising::{Acceptance, Beta, Kind, LANES, LayeredIsing};
use hotloops::random::Mt19937;

/// Couplings of all pairs, and fields, of up to these magnitudes.
fn glass(sites: usize, coupling: u64, field: u64, draws: &mut Rng) -> Layer {
    let mut value = |most: u64| draws.below(2 * most + 1) as f64 - most as f64;
    let fields: Vec<_> = (0..sites).map(|_| value(field)).collect();
    let pairs = (0..sites).flat_map(|i| (i + 1..sites).map(move |j| (i, j)));
    let couplings = pairs.map(|(i, j)| (i, j, value(coupling))).collect();
    Layer { couplings, ..Layer::free(&fields) }
}

/// Couplings of +1 and -1.
fn signs(sites: usize, draws: &mut Rng) -> Layer {
    let mut layer = glass(sites, 1, 0, draws);
    layer.couplings.iter_mut().for_each(|(.., value)| *value = if draws.below(2) == 0 { 1.0 } else { -1.0 });
    layer
}

/// The plain loop. Returns the number of flips.
fn textbook(
    layer: &Layer,
    spins: &mut [i8],
    model: &LayeredIsing,
    rng: &mut Mt19937,
    beta: Beta,
    sweeps: usize,
) -> u64 {
    const ONE: u64 = 1 << 48;
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
    let (sites, quantum) = (layer.sites(), model.quantum());
    let space = 2.0 * f64::from(beta.space) * quantum;
    let neighbours = layer.neighbours();
    let mut flips = 0;
    for _ in 0..sweeps {
        let mut seed = [0; LANES];
        rng.fill_u32(&mut seed);
        let seed = u64::from(seed[1]) << 32 | u64::from(seed[0]);
        for (index, spins) in spins.chunks_mut(sites).enumerate() {
            for first in (0..sites).step_by(64) {
                let mut random = [0; 64];
                rng.fill_u32(&mut random);
                for site in first..sites.min(first + 64) {
                    let mut state = seed.wrapping_add(STEP.wrapping_mul((index * sites + site) as u64));
                    let bits = u64::from(random[site - first]) << 16 | split_mix(&mut state) >> 48;
                    let add = |sum: f64, &(j, value): &(usize, f64)| sum + value * f64::from(spins[j]);
                    let field = neighbours[site].iter().fold(layer.fields[site], add);
                    let x = -space * (field * f64::from(spins[site]) / quantum).round();
                    let is_free = neighbours[site].iter().all(|link| link.1 == 0.0) && layer.fields[site] == 0.0;
                    let probability = match x {
                        x if model.acceptance(beta) == Acceptance::HeatBath => {
                            let against = (ONE as f64 / (1.0 + x.abs().exp())).floor() as u64;
                            if x > 0.0 { ONE - against } else { against }
                        }
                        0.0 if beta.space == 0.0 || is_free => ONE / 2,
                        x if x < 0.0 => (x.exp() * ONE as f64).floor() as u64,
                        _ => ONE,
                    };
                    if bits < probability || probability >= ONE - 1 {
                        spins[site] *= -1;
                        flips += 1;
                    }
                }
            }
        }
    }
    flips
}

/// The plain loop for real couplings, with local fields and logarithms in f64. A comparison as close as
/// the rounding of the model would be decided differently; none is.
fn textbook_of_reals(
    layer: &Layer,
    spins: &mut [i8],
    model: &LayeredIsing,
    rng: &mut Mt19937,
    beta: Beta,
    sweeps: usize,
) -> u64 {
    let (sites, neighbours) = (layer.sites(), layer.neighbours());
    let mut flips = 0;
    for _ in 0..sweeps {
        for spins in spins.chunks_mut(sites) {
            for first in (0..sites).step_by(64) {
                let mut random = [0; 64];
                rng.fill_u32(&mut random);
                for site in first..sites.min(first + 64) {
                    let number = random[site - first];
                    let u = f64::from(number >> 1 | 1) / f64::from(1u32 << 31);
                    let log = match model.acceptance(beta) {
                        Acceptance::HeatBath => ((1.0 - u) / u).ln(),
                        _ => -u.ln(),
                    };
                    let add = |sum: f64, &(j, value): &(usize, f64)| sum + value * f64::from(spins[j]);
                    let field = neighbours[site].iter().fold(layer.fields[site], add);
                    let is_accepted = match beta.space == 0.0 || layer.is_free(site) {
                        true => number < 1 << 31,
                        false => 2.0 * f64::from(beta.space) * field * f64::from(spins[site]) <= log,
                    };
                    if is_accepted {
                        spins[site] *= -1;
                        flips += 1;
                    }
                }
            }
        }
    }
    flips
}

/// Compares models under every instruction set with the plain loop, from the same spins. Returns
/// the counts of flips, Metropolis first.
fn agree(layer: &Layer, layers: usize, sweeps: usize, beta: Beta) -> [u64; 2] {
    let start = Rng(layers as u64).spins(layers * layer.sites());
    ACCEPTANCES.map(|acceptance| {
        let model = || {
            let mut model = layer.builder(layers).acceptance(acceptance).build(Kind::Dense).unwrap();
            model.set_spins(&start).unwrap();
            model
        };
        let swept = under_every_isa(|| {
            let mut model = model();
            let flips = model.sweep(&mut generator(7), beta, sweeps as u64).unwrap();
            (spins_of(&model), flips, model.energy(), model.magnetisation())
        });
        let mut spins = start.clone();
        let textbook = if model().quantum() == 0.0 { textbook_of_reals } else { textbook };
        let flips = textbook(layer, &mut spins, &model(), &mut generator(7), beta, sweeps);
        assert!(swept.0 == spins, "spins differ: {layers} layers of {}, {acceptance:?} {beta:?}", layer.sites());
        let [space, tau] = layer.energies(&spins);
        let total = spins.iter().map(|&spin| i64::from(spin)).sum::<i64>();
        assert_eq!((swept.1, swept.2.tau, swept.3), (flips, tau, total), "{layers} layers, {beta:?}");
        assert!((swept.2.space - space).abs() <= 1e-12 * (1.0 + space.abs()), "{:?}, not {space}", swept.2);
        flips
    })
}

/// Real couplings of all pairs, and fields.
fn reals(sites: usize, draws: &mut Rng) -> Layer {
    let mut value = |_: usize| draws.real(2.0) - 1.0;
    let fields: Vec<_> = (0..sites).map(&mut value).collect();
    let pairs = (0..sites).flat_map(|i| (i + 1..sites).map(move |j| (i, j)));
    let couplings = pairs.map(|(i, j)| (i, j, value(i))).collect();
    Layer { couplings, ..Layer::free(&fields) }
}

#[test]
fn real_couplings_are_the_plain_loop_s() {
    let mut draws = Rng(15);
    for sites in (2..=20).chain([31, 63, 64, 65, 70, 100, 127, 128, 129, 200, 256, 320, 577]) {
        let beta = cold(1.0 / (sites as f32).sqrt());
        agree(&reals(sites, &mut draws), 1, 6, beta);
        // The last site is free.
        let mut layer = reals(sites, &mut draws).times(1e30);
        layer.couplings.retain(|&(_, j, _)| j + 1 < sites && draws.below(4) > 0);
        layer.fields[sites - 1] = 0.0;
        agree(&layer, 3, 3, cold(1e-30));
    }
}

#[test]
fn real_couplings_of_every_temperature_are_the_plain_loop_s() {
    let mut draws = Rng(16);
    let mut layers = [reals(130, &mut draws), reals(70, &mut draws)];
    // Strengths between 1 and 1e-12.
    layers[1].couplings.iter_mut().for_each(|(i, j, value)| *value *= 0.1f64.powi(((*i + *j) % 13) as i32));
    for layer in &layers {
        let scales = [0.0, -0.0, 1e-5, 1e-4, 3e-3, 0.02, 0.3, 1.0, 2.0, 10.0, 300.0, 1e30, 1e-40, f32::MAX];
        for space in scales.into_iter().flat_map(|space| [space, -space]) {
            let [metropolis, heat] = agree(layer, 2, 5, cold(space));
            assert!(metropolis > 0 && (heat > 0 || space.abs() > 1e20));
        }
    }
}

#[test]
fn sweeps_of_real_couplings_add_up_and_signs_change() {
    let layer = reals(150, &mut Rng(17));
    let whole = || layer.builder(3).build(Kind::Dense).unwrap();
    let (mut one, mut several) = (whole(), whole());
    let start = Rng(18).spins(450);
    let mut ends = Vec::new();
    for _ in 0..2 {
        // Nothing is left of the sweeps before.
        one.set_spins(&start).unwrap();
        several.set_spins(&start).unwrap();
        let (mut first, mut second) = (generator(5), generator(5));
        let mut flips = [0; 2];
        for (space, sweeps) in [(0.2, 5), (-0.1, 4), (0.5, 1), (-0.3, 6)] {
            flips[0] += one.sweep(&mut first, cold(space), sweeps).unwrap();
            flips[1] += (0..sweeps).map(|_| several.sweep(&mut second, cold(space), 1).unwrap()).sum::<u64>();
            assert_eq!(spins_of(&one), spins_of(&several));
        }
        assert_eq!((flips[0], &first), (flips[1], &second));
        ends.push((spins_of(&one), flips));
    }
    assert!(ends[0] == ends[1]);
}

fn cold(space: f32) -> Beta {
    Beta { space, tau: 0.0 }
}

#[test]
fn dense_models_are_the_plain_loop_s() {
    let mut draws = Rng(11);
    for sites in (1..=20).chain([31, 60, 63, 64, 65, 100, 127, 128, 129, 200, 250, 256, 320, 577]) {
        let beta = cold(1.0 / (sites as f32).sqrt());
        agree(&signs(sites, &mut draws), 1, 6, beta);
        agree(&glass(sites, 7, 20, &mut draws).times(0.125), 3, 3, beta);
        agree(&Layer::random(sites, 40, &mut draws), 2, 3, beta);
    }
}

#[test]
fn dense_models_of_every_temperature_are_the_plain_loop_s() {
    let mut draws = Rng(12);
    let layers = [signs(130, &mut draws), glass(70, 127, 9000, &mut draws), Layer::random(40, 10, &mut draws)];
    for layer in &layers {
        let scales = [0.0, -0.0, 1e-5, 1e-4, 3e-3, 0.02, 0.3, 1.0, 2.0, 10.0, 300.0, 1e30, 1e-40, f32::MAX];
        for space in scales.into_iter().flat_map(|space| [space, -space]) {
            let [metropolis, heat] = agree(layer, 2, 5, cold(space));
            assert!(metropolis > 0 && (heat > 0 || space.abs() > 1e20));
        }
    }
}

/// Long runs, so that some bounds are in doubt.
#[test]
fn doubtful_bounds_are_the_plain_loop_s() {
    let mut draws = Rng(13);
    for (sites, largest, space) in [(256, 1, 0.06), (256, 1, 0.003), (192, 100, 1e-3)] {
        agree(&glass(sites, largest, 3, &mut draws), 1, 300, cold(space));
    }
}

#[test]
fn dense_sweeps_add_up_and_signs_change() {
    let layer = glass(150, 9, 4, &mut Rng(14));
    let whole = || layer.builder(3).build(Kind::Dense).unwrap();
    let (mut one, mut several) = (whole(), whole());
    let (mut first, mut second) = (generator(5), generator(5));
    let mut flips = [0; 2];
    for (space, sweeps) in [(0.02, 5), (-0.01, 4), (0.05, 1), (-0.03, 6)] {
        flips[0] += one.sweep(&mut first, cold(space), sweeps).unwrap();
        flips[1] += (0..sweeps).map(|_| several.sweep(&mut second, cold(space), 1).unwrap()).sum::<u64>();
        assert_eq!(spins_of(&one), spins_of(&several));
        assert_eq!(one.energy().space, layer.energies(&spins_of(&one))[0]);
    }
    assert_eq!((flips[0], &first), (flips[1], &second));
}

/// All 64 spins of a block flip at once, and all couplings of a site of the next block have the same sign: sums in 8
/// bits would overflow first here.
#[test]
fn rows_add_up_where_a_whole_block_flips() {
    for magnitude in [1.0, 2.0, 3.0, 4.0, 5.0, 8.0, 16.0, 21.0, 32.0, 64.0, 127.0] {
        for coupling in [magnitude, -magnitude] {
            let fields: Vec<_> = (0..128).map(|site| if site < 64 { 20_000.0 } else { 1.0 }).collect();
            let couplings = (0..64).flat_map(|i| (64..128).map(move |j| (i, j, coupling))).collect();
            let layer = Layer { couplings, ..Layer::free(&fields) };
            let mut model = layer.builder(1).build(Kind::Dense).unwrap();
            assert_eq!(model.quantum(), 1.0);
            // From one side to the other, and back at the other sign of beta.
            for space in [10.0, -10.0, 10.0, -10.0] {
                model.sweep(&mut generator(3), cold(space), 1).unwrap();
                let spins = spins_of(&model);
                assert!(spins[..64].iter().all(|&spin| spin == spins[0]), "{coupling}");
                assert_eq!(model.energy().space, layer.energies(&spins)[0], "{coupling} {space}");
            }
        }
    }
}

#[test]
fn dense_models_state_their_limits() {
    let build = |coupling: f64, field: f64| {
        LayeredIsing::builder(1, 3).coupling(0, 1, coupling).coupling(1, 2, 1.0).field(1, field).build(Kind::Dense)
    };
    let model = build(-127.0, 32639.0).unwrap();
    let real = |coupling, field, is_exact| {
        let model = build(coupling, field).unwrap();
        assert_eq!((model.kind(), model.quantum(), model.is_exact()), (Kind::Dense, 0.0, is_exact));
        assert_eq!(model.energy().space, coupling + 1.0 + field);
    };
    real(128.0, 0.0, true);
    real(-127.0, 32640.0, true);
    real(std::f64::consts::FRAC_1_PI, 0.0, false);
    real(3e38, 0.25, false);
    assert_eq!((model.kind(), model.lanes(), model.layers(), model.quantum()), (Kind::Dense, 1, 1, 1.0));
    assert!(model.is_exact() && model.order() == [0, 1, 2]);
    assert_eq!(model.energy().space, -127.0 + 1.0 + 32639.0);
    let mut model = LayeredIsing::builder(2, 3).build(Kind::Dense).unwrap();
    let refused = model.sweep(&mut generator(1), Beta { space: 0.1, tau: 0.2 }, 1);
    assert_eq!(refused, Err(Error::Beta { argument: "tau", value: 0.2 }));
    let mut model = LayeredIsing::builder(2, 3).tau_coupling(0.0).build(Kind::Dense).unwrap();
    assert!(model.sweep(&mut generator(1), Beta { space: 0.1, tau: 0.2 }, 1).is_ok());
}
