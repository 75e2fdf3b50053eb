//! The layered model against a textbook program, brute force and exact physics.

use std::sync::Mutex;

use hotloops::isa::{self, Isa};
use hotloops::ising::{Beta, Builder, Kind, LANES, LayeredIsing, Order, Update};
use hotloops::random::Mt19937;
use hotloops_bench_support::workload::Problem;

/// Plain random numbers for graphs and spins; the sweeps have their own.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % bound
    }

    /// `k / 8`, `|k| <= most`.
    fn eighths(&mut self, most: u64) -> f32 {
        (self.below(2 * most + 1) as f32 - most as f32) / 8.0
    }

    fn spins(&mut self, count: usize) -> Vec<i8> {
        (0..count).map(|_| 1 - 2 * self.below(2) as i8).collect()
    }
}

/// One layer, as a list of couplings and fields.
#[derive(Clone, Default)]
struct Layer {
    couplings: Vec<(usize, usize, f32)>,
    fields: Vec<f32>,
}

impl Layer {
    fn ring(sites: usize) -> Self {
        let couplings = (0..sites).map(|i| (i, (i + 1) % sites, 1.0)).collect();
        Layer { couplings, fields: vec![0.0; sites] }
    }

    /// Each pair coupled with probability `percent`; site 0 stays alone where there are several.
    fn random(sites: usize, percent: u64, dice: &mut Dice) -> Self {
        let pairs = (1..sites).flat_map(|i| (i + 1..sites).map(move |j| (i, j)));
        let pairs: Vec<_> = pairs.filter(|_| dice.below(100) < percent).collect();
        let couplings = pairs.into_iter().map(|(i, j)| (j, i, dice.eighths(7))).collect();
        Layer { couplings, fields: (0..sites).map(|_| dice.eighths(3)).collect() }
    }

    fn paper() -> Self {
        let Problem { couplings, fields, .. } = Problem::paper(1);
        let couplings = couplings.into_iter().map(|(i, j, value)| (i as usize, j as usize, value)).collect();
        Layer { couplings, fields }
    }

    fn builder(&self, layers: usize) -> Builder {
        LayeredIsing::builder(layers, self.fields.len()).couplings(self.couplings.iter().copied()).fields(&self.fields)
    }

    /// Ascending.
    fn neighbours(&self) -> Vec<Vec<(usize, f32)>> {
        let mut lists = vec![Vec::new(); self.fields.len()];
        for &(i, j, value) in &self.couplings {
            lists[i].push((j, value));
            lists[j].push((i, value));
        }
        lists.iter_mut().for_each(|list| list.sort_by_key(|&(j, _)| j));
        lists
    }
}

fn generator(seed: u32) -> Mt19937 {
    Mt19937::seeded(LANES, seed).unwrap()
}

fn spins_of(model: &LayeredIsing) -> Vec<i8> {
    let mut spins = vec![0; model.layers() * model.sites()];
    model.spins(&mut spins).unwrap();
    spins
}

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

/// The probability of acceptance times 2^24, as documented.
fn probability(acceptance: Kind, v: f32) -> f32 {
    match acceptance {
        Kind::F32Fast => {
            let n = v.min(8388608.0).round_ties_even() as i32;
            f32::from_bits(n.wrapping_add(0x3F800000) as u32) * (0.960906027836403 * 16777216.0) as f32
        }
        Kind::F32Poly => {
            let cut = v.min(1.0);
            let v = cut.max(-126.0);
            let n = v.round_ties_even();
            let f = v - n;
            let [a, b, c, d, s] = [0x411FA717, 0x41FB8BD9, 0x3FC5280F, 0x4252C7DF, 0x34C38E74].map(f32::from_bits);
            let q = ((f + a) * f + b) * ((f + c) * f + d);
            q * q * s * n.exp2() * 16777216.0
        }
        _ => unreachable!("kinds in f32"),
    }
}

/// The algorithm as in a textbook: layers as they are, one spin after the other. Returns the number of flips.
fn textbook(
    layer: &Layer,
    spins: &mut [i8],
    model: &LayeredIsing,
    acceptance: Kind,
    rng: &mut Mt19937,
    beta: Beta,
    sweeps: usize,
) -> u64 {
    let (layers, sites, groups) = (model.layers(), model.sites(), model.layers() / model.lanes());
    let scale = match acceptance {
        Kind::F32Fast => -2.0 * 12102203.0,
        _ => -2.0 * std::f32::consts::LOG2_E,
    };
    let (space, tau) = (beta.space * scale, (beta.tau * scale).clamp(-2f32.powi(126), 2f32.powi(126)));
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
                    let add = |sum: f32, &(j, value): &(usize, f32)| sum + value * spin(this, j);
                    let field = neighbours[site].iter().fold(layer.fields[site], add);
                    let both = spin((this + layers - 1) % layers, site) + spin((this + 1) % layers, site);
                    let v = (space * field + tau * both) * spin(this, site);
                    if ((random >> 8) as f32) < probability(acceptance, v) {
                        spins[this * sites + site] *= -1;
                        flips += 1;
                    }
                }
            }
        }
    }
    flips
}

/// Model and textbook from the same spins with the same random numbers.
fn agree(layer: &Layer, layers: usize, sweeps: usize, beta: Beta, order: Order) -> (Vec<i8>, u64) {
    let start = Dice(layers as u64).spins(layers * layer.fields.len());
    let mut last = Default::default();
    for acceptance in [Kind::F32Fast, Kind::F32Poly] {
        let run = |update| {
            let mut model = layer.builder(layers).order(order).update(update).build(acceptance).unwrap();
            model.set_spins(&start).unwrap();
            let flips = model.sweep(&mut generator(7), beta, sweeps as u64).unwrap();
            (spins_of(&model), flips)
        };
        let gathered = under_every_isa(|| run(Update::Gather));
        let scattered = under_every_isa(|| run(Update::Scatter));
        let model = layer.builder(layers).order(order).build(acceptance).unwrap();
        let mut spins = start.clone();
        let flips = textbook(layer, &mut spins, &model, acceptance, &mut generator(7), beta, sweeps);
        let shape = (layers, layer.fields.len(), acceptance, order);
        assert!(gathered == (spins.clone(), flips), "gather and textbook differ: {shape:?}");
        assert!(scattered == gathered || !model.is_exact(), "scatter and gather differ: {shape:?}");
        last = gathered;
    }
    last
}

#[test]
fn the_paper_s_model_is_the_textbook_s() {
    let layer = Layer::paper();
    for order in [Order::Coloured, Order::Natural] {
        let (_, flips) = agree(&layer, 256, 60, Beta { space: 0.4, tau: 0.4 }, order);
        let rate = flips as f64 / (60.0 * 256.0 * 96.0);
        assert!((0.25..0.35).contains(&rate), "{rate}");
    }
}

#[test]
fn every_shape_is_the_textbook_s() {
    let mut dice = Dice(1);
    for layers in [2, 3, 4, 5, 6, 7, 8, 12, 16, 31, 32, 33, 48, 64, 96, 100, 256] {
        for sites in 1..=20 {
            let layer = Layer::random(sites, 5 * sites as u64, &mut dice);
            agree(&layer, layers, 3, Beta { space: 0.3, tau: 0.25 }, Order::Coloured);
        }
    }
    for sites in [63, 64, 65, 127, 128, 129, 200] {
        agree(&Layer::random(sites, 10, &mut dice), 32, 3, Beta { space: 0.1, tau: 0.25 }, Order::Coloured);
    }
}

#[test]
fn extreme_temperatures_are_the_textbook_s() {
    let layer = Layer::paper();
    for (space, tau) in
        [(0.0, 0.0), (-0.5, -0.25), (30.0, 0.0), (0.0, 30.0), (1e30, 1e30), (f32::MAX, f32::MAX), (1e-40, 1e-40)]
    {
        agree(&layer, 32, 3, Beta { space, tau }, Order::Coloured);
    }
}

#[test]
fn layers_interlace_as_widely_as_they_divide() {
    for (layers, lanes) in [(2, 1), (3, 1), (4, 2), (8, 4), (16, 8), (31, 1), (32, 16), (48, 16), (100, 4), (256, 16)] {
        assert_eq!(Layer::ring(4).builder(layers).build(Kind::F32Fast).unwrap().lanes(), lanes);
    }
}

#[test]
fn two_colours_suffice_for_the_paper_s_layer() {
    let layer = Layer::paper();
    let model = layer.builder(32).build(Kind::F32Fast).unwrap();
    let mut place = vec![0; 96];
    model.order().iter().enumerate().for_each(|(index, &site)| place[site as usize] = index);
    let neighbours = layer.neighbours();
    // Visited in two runs without an edge inside: the first ends before the first site that has an earlier neighbour.
    let early = |site: usize| neighbours[site].iter().any(|&(j, _)| place[j] < place[site]);
    let second = model.order().iter().position(|&site| early(site as usize)).unwrap();
    for &(i, j, _) in &layer.couplings {
        assert_ne!(place[i] < second, place[j] < second);
    }
    for run in [&model.order()[..second], &model.order()[second..]] {
        assert!(run.is_sorted_by_key(|&site| neighbours[site as usize].len()));
    }
    let natural = layer.builder(32).order(Order::Natural).build(Kind::F32Fast).unwrap();
    assert!(natural.order().iter().copied().eq(0..96));
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
    agree(&layer, 32, 60, Beta { space: 0.4, tau: 0.3 }, Order::Coloured);
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
    let exact = |values: &[f32], field: f32| {
        let couplings = values.iter().enumerate().map(|(k, &value)| (0, k + 1, value));
        let builder = LayeredIsing::builder(2, values.len() + 1).couplings(couplings).field(0, field);
        builder.build(Kind::F32Fast).unwrap().is_exact()
    };
    assert!(exact(&[], 0.1));
    assert!(exact(&[0.0, -0.0], 0.0));
    assert!(exact(&[0.1], 0.0));
    assert!(!exact(&[0.1, 0.2], 0.0));
    assert!(exact(&[8388608.0, 8388607.0], 1.0));
    assert!(!exact(&[8388608.0, 8388608.0], 1.0));
    assert!(exact(&[f32::MIN_POSITIVE / 8388608.0, f32::MIN_POSITIVE], 0.0));
    assert!(!exact(&[f32::MIN_POSITIVE / 8388608.0, 1.0], 0.0));
    assert!(exact(&[2f32.powi(125); 3], 0.0));
    assert!(!exact(&[f32::MAX], 0.0));
    assert!(!exact(&[2e38, 2e38], 0.0));
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
    let mut by_rows = LayeredIsing::from_csr(32, &pointers, &neighbours, &couplings)
        .fields(&layer.fields)
        .build(Kind::F32Poly)
        .unwrap();
    let mut by_edges = layer.builder(32).build(Kind::F32Poly).unwrap();
    for model in [&mut by_rows, &mut by_edges] {
        model.sweep(&mut generator(1), Beta { space: 0.4, tau: 0.4 }, 20).unwrap();
    }
    assert_eq!(spins_of(&by_rows), spins_of(&by_edges));
    assert_eq!(by_rows.energy(), by_edges.energy());
}

#[test]
fn spins_and_energies_are_those_that_were_set() {
    let mut dice = Dice(3);
    for layers in [2, 3, 4, 7, 8, 16, 32, 48, 256] {
        for sites in [1, 2, 5, 17] {
            let layer = Layer::random(sites, 40, &mut dice);
            for update in [Update::Gather, Update::Scatter] {
                let builder = layer.builder(layers).update(update).tau_coupling(-0.75);
                let mut model = builder.build(Kind::F32Poly).unwrap();
                assert_eq!((model.layers(), model.sites()), (layers, sites));
                assert!(spins_of(&model).iter().all(|&spin| spin == 1));
                let spins = dice.spins(layers * sites);
                model.set_spins(&spins).unwrap();
                assert_eq!(spins_of(&model), spins);

                let (mut space, mut tau) = (0.0, 0.0);
                for (index, this) in spins.chunks(sites).enumerate() {
                    let above = &spins[(index + 1) % layers * sites..][..sites];
                    space += layer
                        .couplings
                        .iter()
                        .map(|&(i, j, value)| f64::from(value) * f64::from(this[i] * this[j]))
                        .sum::<f64>();
                    space += this.iter().zip(&layer.fields).map(|(&s, &h)| f64::from(h) * f64::from(s)).sum::<f64>();
                    tau += this.iter().zip(above).map(|(&a, &b)| -0.75 * f64::from(a * b)).sum::<f64>();
                }
                let energy = model.energy();
                assert_eq!((energy.space, energy.tau), (space, tau), "{layers} layers of {sites}");
            }
        }
    }
}

/// Mean energies per spin of `layers` layers of `layer` from the transfer matrix: `Tr(e T^layers) / Tr(T^layers)`.
fn exact_energies(layer: &Layer, layers: usize, beta: Beta) -> [f64; 2] {
    let sites = layer.fields.len();
    let states = 1 << sites;
    let spin = |state: usize, site: usize| 1.0 - 2.0 * (state >> site & 1) as f64;
    let space: Vec<f64> = (0..states)
        .map(|a| {
            let pairs = layer.couplings.iter().map(|&(i, j, value)| f64::from(value) * spin(a, i) * spin(a, j));
            let fields = layer.fields.iter().enumerate().map(|(i, &h)| f64::from(h) * spin(a, i));
            pairs.sum::<f64>() + fields.sum::<f64>()
        })
        .collect();
    let tau = |a: usize, b: usize| sites as f64 - 2.0 * f64::from((a ^ b).count_ones());
    let matrix = |weight: &dyn Fn(usize, usize) -> f64| -> Vec<Vec<f64>> {
        let entry = |a: usize, b: usize| {
            let exponent = f64::from(beta.space) * (space[a] + space[b]) / 2.0 + f64::from(beta.tau) * tau(a, b);
            weight(a, b) * exponent.exp()
        };
        (0..states).map(|a| (0..states).map(|b| entry(a, b)).collect()).collect()
    };
    let transfer = matrix(&|_, _| 1.0);
    let times = |x: &[Vec<f64>], y: &[Vec<f64>]| -> Vec<Vec<f64>> {
        x.iter().map(|row| (0..states).map(|b| row.iter().zip(y).map(|(x, y)| x * y[b]).sum()).collect()).collect()
    };
    let trace = |x: &[Vec<f64>]| (0..states).map(|a| x[a][a]).sum::<f64>();
    // The power layers - 1, from its binary digits after the leading one.
    let digits = (layers - 1).ilog2();
    let rest = (0..digits).rev().fold(transfer.clone(), |power, digit| {
        let square = times(&power, &power);
        if (layers - 1) >> digit & 1 == 1 { times(&square, &transfer) } else { square }
    });
    let norm = trace(&times(&transfer, &rest)) * sites as f64;
    [trace(&times(&matrix(&|a, _| space[a]), &rest)) / norm, trace(&times(&matrix(&tau), &rest)) / norm]
}

/// Mean and standard error of the energies per spin, from 40 blocks.
fn sampled_energies(layer: &Layer, layers: usize, beta: Beta, acceptance: Kind, sweeps: usize) -> [(f64, f64); 2] {
    const BLOCKS: usize = 40;
    let mut model = layer.builder(layers).build(acceptance).unwrap();
    let mut rng = generator(11);
    model.sweep(&mut rng, beta, 1000).unwrap();
    let spins = (layers * layer.fields.len()) as f64;
    let mut blocks = [[0.0; BLOCKS]; 2];
    let [space, tau] = &mut blocks;
    for (space, tau) in space.iter_mut().zip(tau) {
        for _ in 0..sweeps / BLOCKS {
            model.sweep(&mut rng, beta, 1).unwrap();
            *space += model.energy().space;
            *tau += model.energy().tau;
        }
    }
    blocks.map(|blocks| {
        let means = blocks.map(|sum| sum / (sweeps / BLOCKS) as f64 / spins);
        let mean = means.iter().sum::<f64>() / BLOCKS as f64;
        let variance = means.iter().map(|block| (block - mean).powi(2)).sum::<f64>() / (BLOCKS - 1) as f64;
        (mean, (variance / BLOCKS as f64).sqrt())
    })
}

#[test]
fn the_transfer_matrix_knows_published_values() {
    let exact = exact_energies(&Layer::ring(8), 32, Beta { space: 0.3, tau: 0.3 });
    assert!((exact[0] - 0.35469938).abs() < 1e-7 && (exact[1] - 0.35349198).abs() < 1e-7, "{exact:?}");
}

#[test]
fn poly_samples_the_exact_energies_and_fast_is_off_by_one_percent() {
    let (layer, beta) = (Layer::ring(8), Beta { space: 0.3, tau: 0.3 });
    let exact = exact_energies(&layer, 32, beta);
    let poly = sampled_energies(&layer, 32, beta, Kind::I8Exact, 40_000);
    for ((mean, sigma), exact) in poly.into_iter().zip(exact) {
        assert!(sigma < 5e-4 && (mean - exact).abs() < 4.0 * sigma, "{mean} +- {sigma}, exact {exact}");
    }
    let fast = sampled_energies(&layer, 32, beta, Kind::F32Fast, 40_000);
    for ((mean, sigma), exact) in fast.into_iter().zip(exact) {
        let off = mean / exact - 1.0;
        assert!(mean - exact < -4.0 * sigma && (-0.019..-0.007).contains(&off), "{off}");
    }
}

#[test]
fn fields_and_glassy_couplings_give_the_exact_energies() {
    let mut dice = Dice(8);
    for layers in [2, 3, 6, 16] {
        let mut layer = Layer::random(5, 70, &mut dice);
        layer.fields[0] = 0.25; // three field-free copies of a spin in a ring are not ergodic under visits in order
        let beta = Beta { space: 0.4, tau: 0.35 };
        let exact = exact_energies(&layer, layers, beta);
        let poly = sampled_energies(&layer, layers, beta, Kind::I8Exact, 40_000);
        for ((mean, sigma), exact) in poly.into_iter().zip(exact) {
            assert!(sigma < 3e-3 && (mean - exact).abs() < 4.0 * sigma, "{layers}: {mean} +- {sigma}, exact {exact}");
        }
    }
}

#[test]
fn models_move_between_threads() {
    fn moves<T: Send + Sync>() {}
    moves::<LayeredIsing>();
    moves::<Builder>();
}
