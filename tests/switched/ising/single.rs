//! Single systems: the textbook, and comparisons with it.

use crate::ising::textbook::*;
use crate::layers::{Layer, Rng, generator, spins_of};
use hotloops::ising::{Acceptance, Beta, Kind, LANES, LayeredIsing};
use hotloops::random::Mt19937;

/// The rows of `order` at which a block of 64 begins: one colour after another, then free sites, then hubs. In
/// a greedy colouring the first site of a colour has a neighbour of the colour before.
fn block_starts(layer: &Layer, order: &[u32], quantum: f64) -> Vec<usize> {
    let neighbours = layer.neighbours();
    let is_hub = |site: u32| {
        let couplings = neighbours[site as usize].iter().map(|(_, value)| value.abs());
        let sum: f64 = layer.fields[site as usize].abs() + couplings.sum::<f64>();
        quantum > 0.0 && sum > 127.5 * quantum
    };
    let (mut starts, mut colour) = (vec![0], 0);
    for (row, &site) in order.iter().enumerate().skip(1) {
        let of_colour = &order[colour..row];
        let before = order[row - 1];
        let is_next = neighbours[site as usize].iter().any(|&(j, _)| of_colour.contains(&(j as u32)))
            || layer.is_free(site as usize) != layer.is_free(before as usize);
        if if is_hub(site) { !is_hub(before) } else { is_next } {
            colour = row;
        }
        if (row - colour) % 64 == 0 {
            starts.push(row);
        }
    }
    starts
}

/// The textbook algorithm of `Kind::Single`. Returns the number of flips.
pub fn single_textbook(
    layer: &Layer,
    spins: &mut [i8],
    model: &LayeredIsing,
    rng: &mut Mt19937,
    beta: Beta,
    sweeps: usize,
    ties: &mut Ties,
) -> u64 {
    let space = 2.0 * f64::from(beta.space) * model.quantum();
    let (order, neighbours) = (model.order(), layer.neighbours());
    let starts = block_starts(layer, order, model.quantum());
    let ends = starts.iter().copied().skip(1).chain([order.len()]);
    let blocks: Vec<_> = starts.iter().zip(ends).map(|(&start, end)| &order[start..end]).collect();
    let mut flips = 0;
    for _ in 0..sweeps {
        let mut row = [0; LANES];
        rng.fill_u32(&mut row);
        let mut stream = u64::from(row[1]) << 32 | u64::from(row[0]);
        for spins in spins.chunks_mut(layer.sites()) {
            for block in &blocks {
                let mut random = [0; 2 * LANES];
                rng.fill_u32(&mut random);
                let random = random.map(u32::to_le_bytes);
                let byte = |k: usize| u64::from(random.as_flattened()[k] ^ 0x80);
                let mut tied = 0;
                for (lane, &site) in block.iter().enumerate() {
                    let site = site as usize;
                    let add = |sum: f64, &(j, value): &(usize, f64)| sum + value * f64::from(spins[j]);
                    let field = neighbours[site].iter().fold(layer.fields[site], add);
                    let x = -space * (field * f64::from(spins[site]) / model.quantum()).round();
                    let is_free = beta.space == 0.0 || layer.is_free(site);
                    let acceptance = model.acceptance(beta);
                    // The heat bath compares with the smaller of the two probabilities.
                    let is_against = acceptance == Acceptance::HeatBath && x > 0.0;
                    let probability = exact_probability(if is_against { -x } else { x }, is_free, acceptance);
                    let bits = (byte(lane) << 8 | byte(64 + lane)) ^ if is_against { 0xffff } else { 0 };
                    let is_less = if probability >= ONE - 1 {
                        true
                    } else if bits == probability >> 32 {
                        tied += 1;
                        split_mix(&mut stream) >> 32 < probability % (1 << 32)
                    } else {
                        bits < probability >> 32
                    };
                    if is_less != is_against {
                        spins[site] *= -1;
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

/// The textbook algorithm of `Kind::Single` in f32, for couplings whose sums are exact. Returns the
/// number of flips.
fn single_float_textbook(
    layer: &Layer,
    spins: &mut [i8],
    model: &LayeredIsing,
    rng: &mut Mt19937,
    space: f32,
    sweeps: usize,
) -> u64 {
    let acceptance = model.acceptance(Beta { space, tau: 0.0 });
    let (order, neighbours) = (model.order(), layer.neighbours());
    let starts = block_starts(layer, order, model.quantum());
    let ends = starts.iter().copied().skip(1).chain([order.len()]);
    let blocks: Vec<_> = starts.iter().zip(ends).map(|(&start, end)| &order[start..end]).collect();
    let mut flips = 0;
    for _ in 0..sweeps {
        for spins in spins.chunks_mut(layer.sites()) {
            for block in &blocks {
                let mut random = [0; 64];
                rng.fill_u32(&mut random);
                for (&site, random) in block.iter().zip(random) {
                    let site = site as usize;
                    let factor = exponent_factor(Kind::F32Poly, acceptance);
                    let v = match model.kind() {
                        Kind::Fixed => {
                            let add = |sum: f64, &(j, value): &(usize, f64)| sum + value * f64::from(spins[j]);
                            let field = neighbours[site].iter().fold(layer.fields[site], add);
                            (field * (f64::from(space) * f64::from(factor))) as f32 * f32::from(spins[site])
                        }
                        _ => {
                            let add = |sum: f32, &(j, value): &(usize, f64)| sum + value as f32 * f32::from(spins[j]);
                            let field = neighbours[site].iter().fold(layer.fields[site] as f32, add);
                            space * factor * field * f32::from(spins[site])
                        }
                    };
                    if accepts(Kind::F32Poly, acceptance, random, v) {
                        spins[site] *= -1;
                        flips += 1;
                    }
                }
            }
        }
    }
    flips
}

/// Compares systems one at a time with their textbook in the same way.
/// Whether sums are in bytes is up to the model.
pub fn single_agrees(layer: &Layer, layers: usize, sweeps: usize, space: f32, ties: &mut Ties) {
    agrees_with(Kind::Single, layer, layers, sweeps, space, ties);
}

/// The same in fixed point, for couplings whose sums are exact in f64.
pub fn fixed_agrees(layer: &Layer, layers: usize, sweeps: usize, space: f32) {
    agrees_with(Kind::Fixed, layer, layers, sweeps, space, &mut Ties::default());
}

fn agrees_with(kind: Kind, layer: &Layer, layers: usize, sweeps: usize, space: f32, ties: &mut Ties) {
    let start = Rng(layers as u64).spins(layers * layer.sites());
    let beta = Beta { space, tau: 0.0 };
    for acceptance in ACCEPTANCES {
        let model = || {
            let mut model = layer.builder(layers).acceptance(acceptance).build(kind).unwrap();
            model.set_spins(&start).unwrap();
            model
        };
        let swept = under_every_isa(|| {
            let (mut model, mut rng) = (model(), generator(7));
            let flips = model.sweep(&mut rng, beta, 1).unwrap();
            (flips + model.sweep(&mut rng, beta, sweeps as u64 - 1).unwrap(), spins_of(&model))
        });
        let mut spins = start.clone();
        let flips = match model().quantum() {
            0.0 => single_float_textbook(layer, &mut spins, &model(), &mut generator(7), space, sweeps),
            _ => single_textbook(layer, &mut spins, &model(), &mut generator(7), beta, sweeps, ties),
        };
        assert!(swept == (flips, spins), "model and textbook differ: {layers} systems of {}, {space}", layer.sites());
    }
}
