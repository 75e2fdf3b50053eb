//! The paper's programs B.1 and B.2 against their reference, and the reference against the library.

mod common;

use hotloops::ising::{Acceptance, Beta, Kind, LayeredIsing, Order, Update};
use hotloops::random::Mt19937;
use hotloops_gpu::ising::paper::{ITEMS, Layers, Models, Program, Reference};
use hotloops_gpu::{Error, Queue};

const PROGRAMS: [Program; 2] = [Program::B1, Program::B2];

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

struct Problem {
    count: usize,
    couplings: Vec<(u32, u32, f32)>,
    fields: Vec<f32>,
}

impl Problem {
    /// A layer of `sites` with about `degree` couplings a site: multiples of `quantum`, whose sums are exact if it is a
    /// power of two.
    fn new(count: usize, sites: usize, degree: usize, quantum: f32) -> Self {
        let mut random = Random((1000 * count + sites) as u64);
        let mut value = |most: usize| (random.below(2 * most + 1) as f32 - most as f32) * quantum;
        let fields = (0..sites).map(|_| value(3)).collect();
        let values: Vec<f32> = (0..degree * sites / 2).map(|_| value(7)).collect();
        let mut end = || random.below(sites) as u32;
        let couplings = values.into_iter().map(|value| (end(), end(), value)).filter(|edge| edge.0 != edge.1);
        // The library takes each pair once.
        let mut pairs = std::collections::BTreeSet::new();
        let couplings = couplings.filter(|&(i, j, _)| pairs.insert((i.min(j), i.max(j)))).collect();
        Problem { count, couplings, fields }
    }

    fn layers(&self) -> Layers<'_> {
        Layers { count: self.count, couplings: &self.couplings, fields: &self.fields }
    }

    fn spins(&self, seed: u64) -> Vec<i8> {
        let mut random = Random(seed);
        (0..self.count * self.fields.len()).map(|_| 1 - 2 * random.below(2) as i8).collect()
    }
}

fn is_small() -> bool {
    std::env::var_os("HOTLOOPS_SMALL").is_some()
}

/// Hot, cold, of both signs, with and without coupling of the layers; one so cold that exponents saturate.
const BETAS: [Beta; 5] = [
    Beta { space: 0.1, tau: 0.2 },
    Beta { space: -0.6, tau: 0.5 },
    Beta { space: 1.1, tau: -0.3 },
    Beta { space: 0.4, tau: 0.0 },
    Beta { space: 1e30, tau: 1e38 },
];

#[test]
fn programs_follow_the_reference() -> Result<(), Error> {
    let Some(queue) = common::queue() else { return Ok(()) };
    // The last two use up the 624 words of a lane: a sweep takes one for each group and site.
    let cases = [(256, 33, 4), (256, 1, 0), (384, 5, 3), (512, 32, 6), (640, 70, 5), (256, 96, 6)];
    for (count, sites, degree) in cases.into_iter().take(if is_small() { 1 } else { 6 }) {
        for quantum in [0.1, 0.125].into_iter().take(if is_small() { 1 } else { 2 }) {
            let problem = Problem::new(count, sites, degree, quantum);
            let betas = &BETAS[..if is_small() { 2 } else { 5 }];
            let starts: Vec<Vec<i8>> = (0..betas.len()).map(|i| problem.spins(i as u64)).collect();
            let seeds: Vec<u32> = (0..betas.len()).map(|i| 7 + 1000 * i as u32).collect();
            let spins: Vec<&[i8]> = starts.iter().map(Vec::as_slice).collect();
            let reference = |i: usize| Reference::new(&problem.layers(), &starts[i], seeds[i], ITEMS);
            let mut references = (0..betas.len()).map(reference).collect::<Result<Vec<_>, _>>()?;
            let again = || Queue::open(queue.device());
            let new = |program| Models::new(again()?, program, &problem.layers(), &spins, &seeds);
            let mut models = [new(Program::B1)?, new(Program::B2)?];
            let mut total = 0;
            for sweeps in if is_small() { [1, 0, 0] } else { [3, 0, 5] } {
                let steps = references.iter_mut().zip(betas);
                let flips: Vec<u64> =
                    steps.map(|(model, &beta)| model.sweep(beta, sweeps)).collect::<Result<_, _>>()?;
                let expected: Vec<Vec<i8>> = references.iter().map(Reference::spins).collect();
                for (models, program) in models.iter_mut().zip(PROGRAMS) {
                    let name = format!("{program:?}: {count} x {sites}, {quantum}, {sweeps} sweeps");
                    assert_eq!(models.sweep(betas, sweeps)?, flips, "{name}");
                    assert!(models.spins()? == expected, "{name}: spins");
                }
                total += flips.iter().sum::<u64>();
            }
            assert!(total > 0);
        }
    }
    Ok(())
}

/// On 16 lanes, the reference is the library's program A.4 in the natural order.
#[test]
fn the_reference_is_the_librarys_program() -> Result<(), Error> {
    for (count, sites) in [(32, 20), (64, 7), (256, 33)] {
        let problem = Problem::new(count, sites, 5, 0.125);
        let spins = problem.spins(3);
        let couplings = problem.couplings.iter().map(|&(i, j, value)| (i as usize, j as usize, f64::from(value)));
        let fields: Vec<f64> = problem.fields.iter().map(|&field| field.into()).collect();
        let builder = LayeredIsing::builder(count, sites).couplings(couplings).fields(&fields);
        let builder = builder.order(Order::Natural).update(Update::Scatter).acceptance(Acceptance::Metropolis);
        let mut model = builder.build(Kind::F32Fast)?;
        for beta in BETAS {
            let mut reference = Reference::new(&problem.layers(), &spins, 11, 16)?;
            let mut rng = Mt19937::seeded(16, 11)?;
            model.set_spins(&spins)?;
            assert_eq!(reference.sweep(beta, 50)?, model.sweep(&mut rng, beta, 50)?, "{count} x {sites}, {beta:?}");
            let mut found = vec![0; spins.len()];
            model.spins(&mut found)?;
            assert!(found == reference.spins(), "{count} x {sites}, {beta:?}");
        }
    }
    Ok(())
}

#[test]
fn wrong_arguments_are_refused_by_name() -> Result<(), Error> {
    let Some(queue) = common::queue() else { return Ok(()) };
    let problem = Problem::new(256, 5, 3, 0.125);
    let spins = problem.spins(1);
    let refused = |layers: Layers, spins: &[&[i8]], seeds: &[u32], word: &str| {
        let again = Queue::open(queue.device()).unwrap();
        let message = Models::new(again, Program::B2, &layers, spins, seeds).err().expect("an error").to_string();
        assert!(message.contains(word), "{message}");
    };
    let layers = problem.layers();
    for count in [0, 128, 255, 320] {
        refused(
            Layers { count, ..layers },
            &[&spins],
            &[1],
            &format!("layers: {count} layers; programs B.1 and B.2 need"),
        );
    }
    refused(Layers { fields: &[], ..layers }, &[&spins], &[1], "fields: 256 layers of 0 spins");
    refused(Layers { fields: &[0.0, f32::NAN], ..layers }, &[&spins], &[1], "fields: field 1 is not finite");
    for edge in [(0, 5, 1.0), (2, 2, 1.0), (0, 1, f32::INFINITY)] {
        refused(Layers { couplings: &[(0, 1, 1.0), edge], ..layers }, &[&spins], &[1], "couplings: coupling 1 is");
    }
    refused(layers, &[], &[], "seeds: 0 seeds for 0 models");
    refused(layers, &[&spins], &[1, 2], "seeds: 2 seeds for 1 models");
    refused(layers, &[&spins[1..]], &[1], "spins: 1279 for 1280 of a model");
    let mut wrong = spins.clone();
    wrong[9] = 0;
    refused(layers, &[&spins, &wrong], &[1, 2], "spins: spin 9 is 0");
    let mut models = Models::new(Queue::open(queue.device())?, Program::B1, &layers, &[&spins], &[1])?;
    assert!(models.sweep(&[], 1).unwrap_err().to_string().contains("betas: 0 temperatures for 1 models"));
    let infinite = Beta { space: f32::INFINITY, tau: 0.0 };
    assert!(models.sweep(&[infinite], 1).unwrap_err().to_string().contains("is not finite"));
    for lanes in [0, 8, 96, 256] {
        let message = Reference::new(&layers, &spins, 1, lanes).err().expect("an error").to_string();
        assert!(message.contains(&format!("lanes: {lanes} for 256 layers")), "{message}");
    }
    Ok(())
}
