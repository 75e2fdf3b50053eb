//! Textbook sweeps, one spin at a time.

use std::sync::Mutex;

use crate::layers::{Layer, Rng, generator, spins_of};
use hotloops::isa::{self, Isa};
use hotloops::ising::{Acceptance, Beta, Kind, LANES, LayeredIsing, Order, Update};
use hotloops::random::Mt19937;

/// Runs `body` under every instruction set of this CPU. All must return the same value, which is
/// returned.
pub fn under_every_isa<T: PartialEq>(body: impl Fn() -> T) -> T {
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

pub const ACCEPTANCES: [Acceptance; 2] = [Acceptance::Metropolis, Acceptance::HeatBath];

/// The polynomial of `2^v` as documented, with the bits of its factor.
pub fn exp2(v: f32, s: u32) -> f32 {
    let n = v.round_ties_even();
    let f = v - n;
    let [a, b, c, d, s] = [0x411FA717, 0x41FB8BD9, 0x3FC5280F, 0x4252C7DF, s].map(f32::from_bits);
    let q = ((f + a) * f + b) * ((f + c) * f + d);
    q * q * s * n.exp2()
}

/// Clamps `v` to a range. A NaN becomes the upper end, because the minimum of a NaN and a number is
/// the number.
pub fn cut(v: f32, least: f32, most: f32) -> f32 {
    let lesser = v.min(most);
    lesser.max(least)
}

/// The float with the bits `n + 0x3F800000`.
pub fn linear(n: i32) -> f32 {
    f32::from_bits(n.wrapping_add(0x3F800000) as u32)
}

/// The factor from beta times an energy to the exponent.
pub fn exponent_factor(kind: Kind, acceptance: Acceptance) -> f32 {
    match (kind, acceptance) {
        (Kind::F32Fast, Acceptance::HeatBath) => -12102203.0,
        (Kind::F32Fast, _) => -2.0 * 12102203.0,
        _ => -2.0 * std::f32::consts::LOG2_E,
    }
}

/// Whether a flip is accepted, as documented.
pub fn accepts(kind: Kind, acceptance: Acceptance, random: u32, v: f32) -> bool {
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

/// The layers that are updated together, in the order of the lanes: the first of each lane, then the second, and so
/// on. A lane has consecutive layers; the last lanes may have one less.
fn groups_of(model: &LayeredIsing) -> Vec<Vec<usize>> {
    let most = match model.kind() {
        Kind::I8Exact => 64,
        Kind::I16Exact => 32,
        _ => 16,
    };
    let depth = model.layers().div_ceil((model.layers() / 2).min(most));
    let lanes = model.layers().div_ceil(depth);
    let shorter = lanes * depth - model.layers();
    let (mut groups, mut layer) = (vec![Vec::new(); depth], 0);
    for lane in 0..lanes {
        let length = if lane < lanes - shorter { depth } else { depth - 1 };
        for group in &mut groups[..length] {
            group.push(layer);
            layer += 1;
        }
    }
    groups
}

/// The textbook algorithm in f32: layers in natural order, one spin at a time. Returns the number
/// of flips.
pub fn float_textbook(
    layer: &Layer,
    spins: &mut [i8],
    model: &LayeredIsing,
    rng: &mut Mt19937,
    beta: Beta,
    sweeps: usize,
) -> u64 {
    let (layers, sites) = (model.layers(), model.sites());
    let (kind, acceptance) = (model.kind(), model.acceptance(beta));
    let factor = exponent_factor(kind, acceptance);
    let space = beta.space * factor;
    let tau = (beta.tau as f64 * layer.tau_coupling) as f32;
    let tau = (tau * factor).clamp(-2f32.powi(126), 2f32.powi(126));
    let neighbours = layer.neighbours();
    let mut flips = 0;
    for _ in 0..sweeps {
        for together in groups_of(model) {
            for &site in model.order() {
                let site = site as usize;
                let mut random = [0; LANES];
                rng.fill_u32(&mut random);
                for (&this, random) in together.iter().zip(random) {
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

/// Lanes whose 16 random bits did not decide.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ties {
    pub lanes: usize,
    /// Such lanes after the first one of their site and group.
    pub together: usize,
}

/// The textbook algorithm with exact acceptance. Returns the number of flips.
pub fn exact_textbook(
    layer: &Layer,
    spins: &mut [i8],
    model: &LayeredIsing,
    rng: &mut Mt19937,
    beta: Beta,
    sweeps: usize,
    ties: &mut Ties,
) -> u64 {
    let (layers, sites) = (model.layers(), model.sites());
    let quantum = model.quantum();
    let space = 2.0 * f64::from(beta.space) * quantum;
    let tau = 2.0 * f64::from(beta.tau) * layer.tau_coupling;
    let neighbours = layer.neighbours();
    let mut flips = 0;
    for _ in 0..sweeps {
        let mut row = [0; LANES];
        rng.fill_u32(&mut row);
        let mut stream = u64::from(row[1]) << 32 | u64::from(row[0]);
        for together in groups_of(model) {
            for &site in model.order() {
                let site = site as usize;
                let mut random = [0; 2 * LANES];
                let words = if model.kind() == Kind::I8Exact { 2 * LANES } else { LANES };
                rng.fill_u32(&mut random[..words]);
                let random = random.map(u32::to_le_bytes);
                let byte = |k: usize| u64::from(random.as_flattened()[k]);
                let mut tied = 0;
                for (lane, &this) in together.iter().enumerate() {
                    let spin = |layer: usize, site: usize| f64::from(spins[layer * sites + site]);
                    let add = |sum: f64, &(j, value): &(usize, f64)| sum + value * spin(this, j);
                    let field = neighbours[site].iter().fold(layer.fields[site], add);
                    let both = spin((this + layers - 1) % layers, site) + spin((this + 1) % layers, site);
                    let quanta = (field * spin(this, site) / quantum).round();
                    let x = -(space * quanta + tau * both * spin(this, site));
                    let is_free = beta.space == 0.0 || layer.is_free(site);
                    let probability = exact_probability(x, is_free, model.acceptance(beta));
                    let bits = match model.kind() {
                        Kind::I8Exact => byte(lane) << 8 | byte(64 + lane),
                        _ => byte(2 * lane + 1) << 8 | byte(2 * lane),
                    };
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

/// `1` in units of `2^-48`.
pub const ONE: u64 = 1 << 48;

/// The probability of a flip with exponent `x` in units of `2^-48`.
pub fn exact_probability(x: f64, is_free: bool, acceptance: Acceptance) -> u64 {
    match x {
        x if acceptance == Acceptance::HeatBath => {
            let against = (ONE as f64 / (1.0 + x.abs().exp())).floor() as u64;
            if x > 0.0 { ONE - against } else { against }
        }
        0.0 if is_free => ONE / 2,
        x if x < 0.0 => (x.exp() * ONE as f64).floor() as u64,
        _ => ONE,
    }
}

/// SplitMix64 as published.
pub fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E3779B97F4A7C15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xBF58476D1CE4E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D049BB133111EB);
    z ^ (z >> 31)
}

/// Compares f32 models with the textbook, from the same spins and the same random numbers. Returns
/// the counts of Metropolis flips.
pub fn floats_agree(layer: &Layer, layers: usize, sweeps: usize, beta: Beta, order: Order) -> [u64; 2] {
    let start = Rng(layers as u64).spins(layers * layer.sites());
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

/// Compares the exact models with their textbook in the same way. Returns the number of Metropolis
/// flips of `I8Exact`.
pub fn exact_agrees(
    layer: &Layer,
    layers: usize,
    sweeps: usize,
    beta: Beta,
    order: Order,
    seed: u32,
    ties: &mut Ties,
) -> u64 {
    let mut agree =
        |kind, acceptance| exact_agrees_by(kind, acceptance, layer, layers, sweeps, beta, order, seed, ties);
    [Kind::I8Exact, Kind::I16Exact].map(|kind| ACCEPTANCES.map(|acceptance| agree(kind, acceptance))[0])[0]
}

#[expect(clippy::too_many_arguments, reason = "those of the function above, and two more")]
pub fn exact_agrees_by(
    kind: Kind,
    acceptance: Acceptance,
    layer: &Layer,
    layers: usize,
    sweeps: usize,
    beta: Beta,
    order: Order,
    seed: u32,
    ties: &mut Ties,
) -> u64 {
    let start = Rng(layers as u64).spins(layers * layer.sites());
    let model = || {
        let mut model = layer.builder(layers).order(order).acceptance(acceptance).build(kind).unwrap();
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
    assert!(swept == (spins, flips), "{kind:?} and textbook differ: {layers} layers of {}, {beta:?}", layer.sites());
    flips
}

/// All kinds. Returns the counts of flips.
pub fn agree(layer: &Layer, layers: usize, sweeps: usize, beta: Beta, order: Order) -> [u64; 3] {
    let [fast, poly] = floats_agree(layer, layers, sweeps, beta, order);
    [fast, poly, exact_agrees(layer, layers, sweeps, beta, order, 7, &mut Ties::default())]
}
