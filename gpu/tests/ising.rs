//! Sweeps on the device against the library's: spins, flips and generators.

mod common;

use hotloops::ising::{Acceptance, Beta, Kind, LayeredIsing};
use hotloops::random::Mt19937;
use hotloops_gpu::ising::Batch;
use hotloops_gpu::{Error, Queue};

/// A sequence for problems and spins.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

struct Problem {
    layers: usize,
    sites: usize,
    edges: Vec<(usize, usize, f64)>,
    fields: Vec<f64>,
}

impl Problem {
    /// A graph of at most `degree` bonds a site, with small integers; the last site is free.
    fn new(layers: usize, sites: usize, degree: usize, largest: usize, has_fields: bool) -> Self {
        let mut random = Random((layers * 1000 + sites) as u64);
        let (mut edges, mut bonds) = (std::collections::BTreeMap::new(), vec![0; sites]);
        for _ in 0..2 * sites * degree {
            let (i, j) = (random.below(sites), random.below(sites));
            let ends = (i.min(j), i.max(j));
            let weight = 1 + random.below(largest);
            if i == j || ends.1 + 1 == sites || edges.contains_key(&ends) || bonds[i].max(bonds[j]) + weight > degree {
                continue;
            }
            bonds[i] += weight;
            bonds[j] += weight;
            edges.insert(ends, if random.below(2) == 0 { weight as f64 } else { -(weight as f64) });
        }
        let field = |site| {
            if has_fields && bonds[site] + 1 < degree && site % 3 == 0 { 1.0 - (site % 2 * 2) as f64 } else { 0.0 }
        };
        let fields = (0..sites).map(field).collect();
        Problem { layers, sites, edges: edges.into_iter().map(|((i, j), w)| (i, j, w)).collect(), fields }
    }

    fn model(&self, kind: Kind, acceptance: Acceptance, random: &mut Random) -> Result<LayeredIsing, Error> {
        let builder = LayeredIsing::builder(self.layers, self.sites).couplings(self.edges.iter().copied());
        let mut model = builder.fields(&self.fields).acceptance(acceptance).build(kind)?;
        let spins: Vec<i8> = (0..self.layers * self.sites).map(|_| 1 - 2 * random.below(2) as i8).collect();
        model.set_spins(&spins)?;
        Ok(model)
    }
}

fn spins(model: &LayeredIsing) -> Result<Vec<i8>, Error> {
    let mut spins = vec![0; model.layers() * model.sites()];
    model.spins(&mut spins)?;
    Ok(spins)
}

fn refs<T>(all: &[T]) -> Vec<&T> {
    all.iter().collect()
}

/// Sweeps models of two equal sets, on the device and here.
fn compare(
    queue: &Queue,
    [mut theirs, mut ours]: [Vec<LayeredIsing>; 2],
    rngs: &[Mt19937],
    betas: &[Beta],
    sweeps: usize,
    name: &str,
) -> Result<u64, Error> {
    let again = |rng: &Mt19937| {
        let mut bytes = vec![0; rng.state_len()];
        rng.state_bytes(&mut bytes)?;
        Mt19937::from_state_bytes(&bytes)
    };
    let mut own: Vec<Mt19937> = rngs.iter().map(again).collect::<Result<_, _>>()?;
    let mut batch = Batch::new(Queue::open(queue.device())?, &refs(&theirs), &refs(rngs))?;
    let mut generators: Vec<Mt19937> = rngs.iter().map(again).collect::<Result<_, _>>()?;
    let mut total = 0;
    // Two calls are as good as one.
    for part in [sweeps / 2, sweeps - sweeps / 2] {
        let flips = batch.sweep(&refs(&theirs), betas, part)?;
        for (i, (model, rng)) in ours.iter_mut().zip(&mut own).enumerate() {
            let expected = model.sweep(rng, betas[i], part as u64)?;
            assert_eq!(flips[i], expected, "{name}: flips of model {i}");
            total += expected;
        }
    }
    batch.spins(&mut theirs.iter_mut().collect::<Vec<_>>())?;
    batch.generators(&mut generators.iter_mut().collect::<Vec<_>>())?;
    for (i, (a, b)) in theirs.iter().zip(&ours).enumerate() {
        assert!(spins(a)? == spins(b)?, "{name}: spins of model {i}");
        let state = |rng: &Mt19937| {
            let mut bytes = vec![0; rng.state_len()];
            rng.state_bytes(&mut bytes).map(|()| bytes)
        };
        assert!(state(&generators[i])? == state(&own[i])?, "{name}: generator of model {i}");
    }
    Ok(total)
}

/// Generators at different positions.
fn generators(n: usize) -> Result<Vec<Mt19937>, Error> {
    (0..n)
        .map(|i| {
            let mut rng = Mt19937::seeded(16, 1000 + i as u32)?;
            // Within a row, and in the last one.
            rng.fill_u32(&mut vec![0; [16 * 7 + 5, 16 * 623 + 15, 48][i % 3]]);
            Ok(rng)
        })
        .collect()
}

fn sets(problem: &Problem, kind: Kind, rule: Acceptance, n: usize) -> Result<[Vec<LayeredIsing>; 2], Error> {
    let set = || {
        let mut random = Random(5);
        (0..n).map(|_| problem.model(kind, rule, &mut random)).collect::<Result<Vec<_>, _>>()
    };
    Ok([set()?, set()?])
}

fn is_small() -> bool {
    std::env::var_os("HOTLOOPS_SMALL").is_some()
}

#[test]
fn interlaced_layers_follow_the_library() -> Result<(), Error> {
    let Some(queue) = common::queue() else { return Ok(()) };
    let cases = [(65, 33, 4), (128, 70, 6), (70, 5, 3), (2, 7, 4), (3, 40, 4), (255, 31, 6), (192, 12, 30), (64, 1, 2)];
    for (layers, sites, degree) in cases.into_iter().take(if is_small() { 1 } else { 8 }) {
        let problem = Problem::new(layers, sites, degree, 3, true);
        for rule in [Acceptance::Metropolis, Acceptance::HeatBath, Acceptance::Auto] {
            for sign in [1.0, -1.0].into_iter().take(if is_small() { 1 } else { 2 }) {
                let tau = if sign > 0.0 { 0.3 } else { 0.0 };
                let betas = [0.01, 0.2, 0.9].map(|space| Beta { space: sign * space, tau });
                let sweeps = if is_small() { 1 } else { 9 };
                let name = format!("{layers} x {sites}, {rule:?}, {sign}");
                let flips =
                    compare(&queue, sets(&problem, Kind::I8Exact, rule, 3)?, &generators(3)?, &betas, sweeps, &name)?;
                assert!(flips > 0, "{name}");
            }
        }
    }
    Ok(())
}

/// A generator of nearly only zeros draws equal numbers: thresholds are met all the time in all lanes, several times
/// at a site and in a chunk of sites. Random states have a tie in 65,536 attempts.
#[test]
fn ties_draw_in_the_order_of_sites_then_of_lanes() -> Result<(), Error> {
    let Some(queue) = common::queue() else { return Ok(()) };
    let cases = [(32, 33, 31), (128, 40, 49), (70, 35, 23)];
    for (layers, sites, step) in cases.into_iter().take(if is_small() { 1 } else { 3 }) {
        let problem = Problem::new(layers, sites, 6, 2, true);
        let mut rngs = generators(2)?;
        for rng in &mut rngs {
            let mut bytes = vec![0; rng.state_len()];
            rng.state_bytes(&mut bytes)?;
            let end = bytes.len() - 8;
            bytes[24..end].fill(0);
            for j in 0..200 {
                bytes[24 + 4 * ((j * step + 401 * 16) % 9984)] = j as u8;
            }
            let hash = bytes[..end]
                .iter()
                .fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
            bytes[end..].copy_from_slice(&hash.to_le_bytes());
            rng.set_state(&bytes)?;
        }
        // Cold: the upper 16 bits of most probabilities are 0.
        let betas = [4.0, 9.0].map(|space| Beta { space, tau: 2.5 });
        let sweeps = if is_small() { 1 } else { 5 };
        let sets = sets(&problem, Kind::I8Exact, Acceptance::Metropolis, 2)?;
        compare(&queue, sets, &rngs, &betas, sweeps, &format!("{layers} x {sites}"))?;
    }
    Ok(())
}

#[test]
fn copies_follow_the_library() -> Result<(), Error> {
    let Some(queue) = common::queue() else { return Ok(()) };
    let cases = [(600, 20, 5), (100, 50, 4), (512, 64, 6), (1, 30, 8), (1300, 9, 3), (480, 100, 8)];
    for (copies, sites, degree) in cases.into_iter().take(if is_small() { 1 } else { 6 }) {
        for has_fields in [false, true] {
            let problem = Problem::new(copies, sites, degree, 2, has_fields);
            for rule in [Acceptance::Metropolis, Acceptance::HeatBath, Acceptance::Auto] {
                for sign in [1.0, -1.0] {
                    // With `Auto`, the first model accepts by the heat bath.
                    let betas = [0.005, 0.5, 1.2].map(|space| Beta { space: sign * space, tau: 0.0 });
                    let sweeps = if is_small() { 1 } else { 7 };
                    let name = format!("{copies} x {sites}, fields {has_fields}, {rule:?}, {sign}");
                    let sets = sets(&problem, Kind::Bits, rule, 3)?;
                    assert!(sets[0][0].blocks().is_none());
                    compare(&queue, sets, &generators(3)?, &betas, sweeps, &name)?;
                }
            }
        }
    }
    Ok(())
}

/// Spins of models that do not fit in local memory are in global memory.
#[test]
fn large_models_follow_the_library() -> Result<(), Error> {
    let Some(queue) = common::queue() else { return Ok(()) };
    if is_small() {
        return Ok(());
    }
    let sites = 1 + (queue.device().local_memory / 4 * 32 / 64).min(200_000) as usize;
    let problem = Problem::new(4, sites, 4, 1, false);
    let betas = [Beta { space: 0.4, tau: 0.3 }];
    compare(&queue, sets(&problem, Kind::I8Exact, Acceptance::Metropolis, 1)?, &generators(1)?, &betas, 2, "large")?;
    Ok(())
}

#[test]
fn wrong_arguments_are_refused_by_name() -> Result<(), Error> {
    let Some(queue) = common::queue() else { return Ok(()) };
    let problem = Problem::new(64, 9, 4, 1, false);
    let mut random = Random(1);
    let mut model = |kind, layers| {
        let problem = Problem { layers, edges: problem.edges.clone(), fields: problem.fields.clone(), ..problem };
        problem.model(kind, Acceptance::Auto, &mut random)
    };
    let again = || Queue::open(queue.device());
    let refused = |result: Result<Batch, Error>, word: &str| {
        let message = result.err().expect("an error").to_string();
        assert!(message.contains(word), "{message}");
    };
    refused(Batch::new(again()?, &[], &[]), "models: none");
    refused(Batch::new(again()?, &[&model(Kind::I8Exact, 64)?], &[]), "rngs: 0 generators for 1 models");
    let four = Mt19937::seeded(4, 1)?;
    refused(Batch::new(again()?, &[&model(Kind::I8Exact, 64)?], &[&four]), "rngs: generator 0 has 4 lanes");
    let rngs = generators(2)?;
    refused(Batch::new(again()?, &[&model(Kind::F32Poly, 64)?], &[&rngs[0]]), "models: devices do not sweep F32Poly");
    let different = [model(Kind::I8Exact, 64)?, model(Kind::I8Exact, 65)?];
    refused(Batch::new(again()?, &refs(&different), &refs(&rngs)), "models: model 1 differs");
    let models = [&model(Kind::Bits, 64)?];
    let mut batch = Batch::new(again()?, &models, &[&rngs[0]])?;
    let mut sweep = |space, tau| batch.sweep(&models, &[Beta { space, tau }], 1).unwrap_err().to_string();
    assert!(sweep(0.5, 0.1).contains("betas: tau of model 0"));
    assert!(sweep(f32::NAN, 0.0).contains("betas"));
    Ok(())
}
