//! The layered model against textbook programs and brute force.

mod ising;

use std::sync::Mutex;

use hotloops::Error;
use hotloops::isa::{self, Isa};
use hotloops::ising::{Acceptance, Beta, Builder, Energy, Kind, LANES, LayeredIsing, Order, Update};
use hotloops::random::Mt19937;
use ising::{Dice, Layer, generator, spins_of};

/// Runs `body` under every instruction set of this CPU; all must return the same, which is returned.
fn under_every_isa<T: PartialEq>(body: impl Fn() -> T) -> T {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let before = isa::active();
    let result = body();
    for &isa in Isa::ALL.iter().filter(|&&isa| isa::detected(isa)) {
        isa::set(isa).unwrap();
        assert!(body() == result, "{isa:?} and {before:?} differ");
    }
    isa::set(before).unwrap();
    result
}

const ACCEPTANCES: [Acceptance; 2] = [Acceptance::Metropolis, Acceptance::HeatBath];

/// The polynomial of `2^v` as documented, with the bits of its factor.
fn exp2(v: f32, s: u32) -> f32 {
    let n = v.round_ties_even();
    let f = v - n;
    let [a, b, c, d, s] = [0x411FA717, 0x41FB8BD9, 0x3FC5280F, 0x4252C7DF, s].map(f32::from_bits);
    let q = ((f + a) * f + b) * ((f + c) * f + d);
    q * q * s * n.exp2()
}

/// `v` in a range, of which a NaN counts as the upper end: the minimum of a NaN and a number is the number.
fn cut(v: f32, least: f32, most: f32) -> f32 {
    let lesser = v.min(most);
    lesser.max(least)
}

/// The float with the bits `n + 0x3F800000`.
fn linear(n: i32) -> f32 {
    f32::from_bits(n.wrapping_add(0x3F800000) as u32)
}

/// The factor from beta times an energy to the exponent.
fn exponent_factor(kind: Kind, acceptance: Acceptance) -> f32 {
    match (kind, acceptance) {
        (Kind::F32Fast, Acceptance::HeatBath) => -12102203.0,
        (Kind::F32Fast, _) => -2.0 * 12102203.0,
        _ => -2.0 * std::f32::consts::LOG2_E,
    }
}

/// Whether a flip is accepted, as documented.
fn accepts(kind: Kind, acceptance: Acceptance, random: u32, v: f32) -> bool {
    const RANGE: f32 = 16777216.0;
    let x = (random >> 8 | 1) as f32;
    match (acceptance, kind) {
        (Acceptance::HeatBath, Kind::F32Fast) => {
            let n = cut(v, -2f32.powi(27), 2f32.powi(27)).round_ties_even() as i32;
            x * linear(-n) < (RANGE - x) * linear(n)
        }
        (Acceptance::HeatBath, _) => x < (RANGE - x) * exp2(cut(v, -32.0, 32.0), 0x34C38E74),
        (_, Kind::F32Fast) => {
            let n = v.min(0.0).round_ties_even() as i32;
            ((random >> 8) as f32) < linear(n.wrapping_add(0x698000)) * 8622124.0
        }
        _ => ((random >> 8) as f32) < exp2(cut(v, -126.0, 0.0), 0x40B7558D),
    }
}

/// The algorithm in f32 as in a textbook: layers as they are, one spin after the other. Returns the number of flips.
fn float_textbook(
    layer: &Layer,
    spins: &mut [i8],
    model: &LayeredIsing,
    rng: &mut Mt19937,
    beta: Beta,
    sweeps: usize,
) -> u64 {
    let (layers, sites, groups) = (model.layers(), model.sites(), model.layers() / model.lanes());
    let (kind, acceptance) = (model.kind(), model.acceptance(beta));
    let factor = exponent_factor(kind, acceptance);
    let space = beta.space * factor;
    let tau = (beta.tau as f64 * layer.tau_coupling) as f32;
    let tau = (tau * factor).clamp(-2f32.powi(126), 2f32.powi(126));
    let neighbours = layer.neighbours();
    let mut flips = 0;
    for _ in 0..sweeps {
        for group in 0..groups {
            for &site in model.order() {
                let site = site as usize;
                let mut random = [0; LANES];
                rng.fill_u32(&mut random);
                for (lane, random) in random.into_iter().take(model.lanes()).enumerate() {
                    let this = lane * groups + group;
                    let spin = |layer: usize, site: usize| f32::from(spins[layer * sites + site]);
                    let add = |sum: f32, &(j, value): &(usize, f64)| sum + value as f32 * spin(this, j);
                    let field = neighbours[site].iter().fold(layer.fields[site] as f32, add);
                    let both = spin((this + layers - 1) % layers, site) + spin((this + 1) % layers, site);
                    let v = (space * field + tau * both) * spin(this, site);
                    if accepts(kind, acceptance, random, v) {
                        spins[this * sites + site] *= -1;
                        flips += 1;
                    }
                }
            }
        }
    }
    flips
}

/// Lanes whose 16 random bits did not suffice.
#[derive(Clone, Copy, Debug, Default)]
struct Ties {
    lanes: usize,
    /// Those that were not the first of their site in their group.
    together: usize,
}

/// The exact algorithm, likewise. Returns the number of flips.
fn exact_textbook(
    layer: &Layer,
    spins: &mut [i8],
    model: &LayeredIsing,
    rng: &mut Mt19937,
    beta: Beta,
    sweeps: usize,
    ties: &mut Ties,
) -> u64 {
    const ONE: u64 = 1 << 48;
    let (layers, sites, groups) = (model.layers(), model.sites(), model.layers() / model.lanes());
    let quantum = model.quantum();
    let space = 2.0 * f64::from(beta.space) * quantum;
    let tau = 2.0 * f64::from(beta.tau) * layer.tau_coupling;
    let neighbours = layer.neighbours();
    let mut flips = 0;
    for _ in 0..sweeps {
        let mut row = [0; LANES];
        rng.fill_u32(&mut row);
        let mut stream = u64::from(row[1]) << 32 | u64::from(row[0]);
        for group in 0..groups {
            for &site in model.order() {
                let site = site as usize;
                let mut random = [0; 2 * LANES];
                rng.fill_u32(&mut random);
                let random = random.map(u32::to_le_bytes);
                let byte = |k: usize| u64::from(random.as_flattened()[k]);
                let mut tied = 0;
                for lane in 0..model.lanes() {
                    let this = lane * groups + group;
                    let spin = |layer: usize, site: usize| f64::from(spins[layer * sites + site]);
                    let add = |sum: f64, &(j, value): &(usize, f64)| sum + value * spin(this, j);
                    let field = neighbours[site].iter().fold(layer.fields[site], add);
                    let both = spin((this + layers - 1) % layers, site) + spin((this + 1) % layers, site);
                    let quanta = (field * spin(this, site) / quantum).round();
                    let x = -(space * quanta + tau * both * spin(this, site));
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
                    let bits = byte(lane) << 8 | byte(64 + lane);
                    let accepts = if probability >= ONE - 1 {
                        true
                    } else if bits == probability >> 32 {
                        tied += 1;
                        split_mix(&mut stream) >> 32 < probability % (1 << 32)
                    } else {
                        bits < probability >> 32
                    };
                    if accepts {
                        spins[this * sites + site] *= -1;
                        flips += 1;
                    }
                }
                ties.lanes += tied;
                ties.together += tied.max(1) - 1;
            }
        }
    }
    flips
}

/// SplitMix64 as published.
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E3779B97F4A7C15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xBF58476D1CE4E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D049BB133111EB);
    z ^ (z >> 31)
}

/// Models in f32 and their textbook from the same spins with the same random numbers. Returns the numbers of Metropolis flips.
fn floats_agree(layer: &Layer, layers: usize, sweeps: usize, beta: Beta, order: Order) -> [u64; 2] {
    let start = Dice(layers as u64).spins(layers * layer.sites());
    let agree = |kind, acceptance| {
        let run = |update| {
            let builder = layer.builder(layers).order(order).update(update).acceptance(acceptance);
            let mut model = builder.build(kind).unwrap();
            model.set_spins(&start).unwrap();
            let flips = model.sweep(&mut generator(7), beta, sweeps as u64).unwrap();
            (spins_of(&model), flips)
        };
        let gathered = under_every_isa(|| run(Update::Gather));
        let scattered = under_every_isa(|| run(Update::Scatter));
        let model = layer.builder(layers).order(order).acceptance(acceptance).build(kind).unwrap();
        let mut spins = start.clone();
        let flips = float_textbook(layer, &mut spins, &model, &mut generator(7), beta, sweeps);
        let shape = (layers, layer.sites(), kind, order, acceptance);
        assert!(gathered == (spins, flips), "gather and textbook differ: {shape:?}, {beta:?}");
        assert!(scattered == gathered || !model.is_exact(), "scatter and gather differ: {shape:?}, {beta:?}");
        flips
    };
    [Kind::F32Fast, Kind::F32Poly].map(|kind| ACCEPTANCES.map(|acceptance| agree(kind, acceptance))[0])
}

/// The exact model and its textbook, likewise. Returns the number of Metropolis flips.
fn exact_agrees(
    layer: &Layer,
    layers: usize,
    sweeps: usize,
    beta: Beta,
    order: Order,
    seed: u32,
    ties: &mut Ties,
) -> u64 {
    ACCEPTANCES.map(|acceptance| exact_agrees_by(acceptance, layer, layers, sweeps, beta, order, seed, ties))[0]
}

#[expect(clippy::too_many_arguments, reason = "those of the function above, and one more")]
fn exact_agrees_by(
    acceptance: Acceptance,
    layer: &Layer,
    layers: usize,
    sweeps: usize,
    beta: Beta,
    order: Order,
    seed: u32,
    ties: &mut Ties,
) -> u64 {
    let start = Dice(layers as u64).spins(layers * layer.sites());
    let model = || {
        let mut model = layer.builder(layers).order(order).acceptance(acceptance).build(Kind::I8Exact).unwrap();
        model.set_spins(&start).unwrap();
        model
    };
    let swept = under_every_isa(|| {
        let mut model = model();
        let flips = model.sweep(&mut generator(seed), beta, sweeps as u64).unwrap();
        (spins_of(&model), flips)
    });
    let mut spins = start.clone();
    let flips = exact_textbook(layer, &mut spins, &model(), &mut generator(seed), beta, sweeps, ties);
    assert!(swept == (spins, flips), "model and textbook differ: {layers} layers of {}, {beta:?}", layer.sites());
    flips
}

/// All kinds. Returns the numbers of flips.
fn agree(layer: &Layer, layers: usize, sweeps: usize, beta: Beta, order: Order) -> [u64; 3] {
    let [fast, poly] = floats_agree(layer, layers, sweeps, beta, order);
    [fast, poly, exact_agrees(layer, layers, sweeps, beta, order, 7, &mut Ties::default())]
}

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
    let (mut dice, mut ties) = (Dice(1), Ties::default());
    let beta = Beta { space: 0.3, tau: 0.25 };
    for layers in [2, 3, 4, 5, 6, 7, 8, 12, 16, 31, 32, 33, 48, 64, 96, 100, 128, 192, 256, 512] {
        // Blocks of layers repeat themselves: many with every number of sites are no more than few.
        for sites in (1..=20).filter(|sites| layers <= 64 || [1, 2, 3, 8, 20].contains(sites)) {
            let layer = Layer::random(sites, 5 * sites as u64, &mut dice);
            agree(&layer, layers, 3, beta, Order::Coloured);
        }
        let layer = Layer::random(9, 50, &mut dice).tau_coupling(-0.7);
        exact_agrees(&layer, layers, 100, beta, Order::Natural, 7, &mut ties);
    }
    for sites in [31, 32, 33, 63, 64, 65, 127, 128, 129, 200] {
        let layer = Layer::random(sites, 5, &mut dice);
        for layers in [32, 128] {
            agree(&layer, layers, 3, beta, Order::Coloured);
        }
    }
    assert!(ties.lanes > 10, "{ties:?}");
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
        agree(&layer, 32, 3, Beta { space, tau }, Order::Coloured);
        exact_agrees(&layer, 128, 3, Beta { space, tau }, Order::Coloured, 7, &mut Ties::default());
    }
}

#[test]
fn any_coupling_between_layers_is_the_textbook_s() {
    let layer = Layer::random(7, 60, &mut Dice(4));
    for tau_coupling in [-1.0, -0.3, -0.0, 0.0, 1e-45, 0.1, 2.0, 100.0, f32::MAX.into(), f32::MIN.into()] {
        for layers in [2, 5, 32, 128] {
            let (layer, beta) = (layer.clone().tau_coupling(tau_coupling), Beta { space: 0.2, tau: 0.3 });
            agree(&layer, layers, 10, beta, Order::Coloured);
            agree(&layer, layers, 10, Beta { tau: -0.3, ..beta }, Order::Coloured);
        }
    }
}

/// The sums of the magnitudes reach 127 quanta, where they fill their byte.
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
    let start = Dice(5).spins(128 * 96);
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

#[test]
fn layers_interlace_as_widely_as_they_divide() {
    for (layers, lanes) in [(2, 1), (3, 1), (4, 2), (8, 4), (16, 8), (31, 1), (32, 16), (48, 16), (100, 4), (256, 16)] {
        assert_eq!(Layer::ring(4).builder(layers).build(Kind::F32Fast).unwrap().lanes(), lanes);
    }
    for (layers, lanes) in
        [(2, 1), (3, 1), (4, 2), (31, 1), (32, 16), (64, 32), (96, 32), (100, 4), (128, 64), (192, 64), (512, 64)]
    {
        assert_eq!(Layer::ring(4).builder(layers).build(Kind::I8Exact).unwrap().lanes(), lanes);
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
        // Visited in two runs without an edge inside: the first ends before the first site that has an earlier neighbour.
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
                // Computes all sums anew, as the model itself does after so many sweeps.
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
    // Values that f32 does not hold are rounded.
    assert!(!exact(&[0.1], 0.0));
    assert!(!exact(&[16777217.0], 0.0));
}

#[test]
fn couplings_in_quanta_are_seen() {
    /// The quantum of a chain of couplings with a field at its first site.
    fn quantum(values: &[f64], field: f64) -> Result<f64, Error> {
        let couplings = values.iter().enumerate().map(|(k, &value)| (k, k + 1, value));
        let builder = || LayeredIsing::builder(2, values.len() + 1).couplings(couplings.clone()).field(0, field);
        let auto = builder().build(Kind::Auto).unwrap();
        match builder().build(Kind::I8Exact) {
            Ok(model) => {
                assert_eq!((model.kind(), auto.kind()), (Kind::I8Exact, Kind::I8Exact));
                assert_eq!((model.is_exact(), auto.quantum()), (true, model.quantum()));
                Ok(model.quantum())
            }
            Err(error) => {
                assert_eq!((auto.kind(), auto.quantum()), (Kind::F32Poly, 0.0));
                Err(error)
            }
        }
    }
    let is = |values: &[f64], field: f64, expected: f64| {
        let found = quantum(values, field).unwrap();
        assert!((found / expected - 1.0).abs() <= 2.0 * f64::EPSILON, "{values:?}, {field}: {found:e}");
    };
    let fails = |values: &[f64], field: f64, site| assert_eq!(quantum(values, field), Err(Error::Quantum { site }));

    // Where there is nothing to measure.
    assert_eq!(quantum(&[], 0.0), Ok(1.0));
    assert_eq!(quantum(&[0.0, -0.0], -0.0), Ok(1.0));

    // The largest that fits, exact for powers of two.
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
    // Halves of the least: 130 of them.
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

    // As far as numbers reach.
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
    let mut dice = Dice(3);
    for layers in [2, 3, 4, 7, 8, 16, 32, 48, 128, 256] {
        for sites in [1, 2, 5, 17] {
            let layer = Layer::random(sites, 40, &mut dice).tau_coupling(-0.75);
            for (kind, update) in [
                (Kind::F32Poly, Update::Gather),
                (Kind::F32Poly, Update::Scatter),
                (Kind::I8Exact, Update::Gather),
                (Kind::Auto, Update::Scatter),
            ] {
                let mut model = layer.builder(layers).update(update).build(kind).unwrap();
                assert_eq!((model.layers(), model.sites()), (layers, sites));
                assert!(spins_of(&model).iter().all(|&spin| spin == 1));
                assert_eq!(model.magnetisation(), (layers * sites) as i64);
                let spins = dice.spins(layers * sites);
                model.set_spins(&spins).unwrap();
                assert_eq!(spins_of(&model), spins);

                let Energy { space, tau } = model.energy();
                assert_eq!([space, tau], layer.energies(&spins), "{layers} layers of {sites}, {kind:?}");
                assert_eq!(model.magnetisation(), spins.iter().copied().map(i64::from).sum());

                let others = dice.spins(layers * sites);
                let mut overlaps = vec![i64::MIN; layers];
                model.overlaps(&others, &mut overlaps).unwrap();
                let both = spins.chunks(sites).zip(others.chunks(sites));
                let sums = both.map(|(a, b)| a.iter().zip(b).map(|(a, b)| i64::from(a * b)).sum::<i64>());
                assert!(sums.eq(overlaps), "{layers} layers of {sites}, {kind:?}");
            }
        }
    }
}

/// Also where f32 cannot hold the couplings, or their sum needs more than f64 adds up term by term.
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
                // Two layers: all terms twice.
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
        // Eighths, so that there are up to 7 quanta in a coupling.
        let whole = Layer::random(12, 60, &mut Dice(6)).times(8.0);
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

/// The choice of the library is one of the two, by the rule that it states.
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
                assert_eq!(at(sign * 1.001 * hot / root, 0.0), Acceptance::Metropolis);
                assert_eq!(at(0.011 / root, sign * 0.99 * hot / bonds.sqrt()), Acceptance::HeatBath);
                assert_eq!(at(0.011 / root, sign * 1.01 * hot / bonds.sqrt()), Acceptance::Metropolis);
                assert_eq!(at(sign * 0.0099 / root, 1.0), Acceptance::HeatBath);
                assert_eq!(at(0.0101 / root, 1.0), Acceptance::Metropolis);
            }
            for acceptance in ACCEPTANCES {
                let mut forced = ring.builder(layers).acceptance(acceptance).build(kind).unwrap();
                assert_eq!(forced.acceptance(Beta { space: 0.0, tau: 0.0 }), acceptance);
                assert_eq!(forced.acceptance(Beta { space: 9.0, tau: 9.0 }), acceptance);
                // The sweep is by it.
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
