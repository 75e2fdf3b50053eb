//! The state of a run as a file: [`Saved`] in the frame of a [snapshot](crate::job::snapshot).

use std::fs;
use std::path::Path;

use hotloops::ising::ReplicaExchange;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::choices::Method;
use super::plan::RunPlan;
use super::results::Record;
use super::sampler::Sampler;
use super::saved::SavedModel;
use crate::cluster::Cluster;
use crate::coo::Couplings;
use crate::failure::Failure;
use crate::job::snapshot::{Kind, difference, framed, parse};

const KIND: Kind = Kind { magic: b"hlising7", command: "hotloops ising" };
const HASH: usize = 32;

#[derive(Serialize, Deserialize)]
pub struct Saved {
    /// Names and values.
    options: Vec<(String, String)>,
    sweeps: u64,
    warm_up: u64,
    problem: [u8; HASH],
    step: u64,
    models: Vec<SavedModel>,
    chains: Vec<Vec<u8>>,
    series: Vec<Record>,
}

/// Everything that determines the result: the options, the kind of model and the version.
fn options(sampler: &Sampler) -> Vec<(String, String)> {
    let mut options = sampler.plan.options();
    options.push(("kind".to_owned(), sampler.state().kind_word()));
    options.push(("version".to_owned(), env!("CARGO_PKG_VERSION").to_owned()));
    options
}

fn fingerprint(problem: &Couplings) -> [u8; HASH] {
    let mut hash = Sha256::new();
    for &(i, j, coupling) in &problem.couplings {
        [i, j].iter().for_each(|word| hash.update(word.to_le_bytes()));
        hash.update(coupling.to_bits().to_le_bytes());
    }
    problem.fields.iter().for_each(|field| hash.update(field.to_bits().to_le_bytes()));
    hash.finalize().into()
}

/// The content of the file.
pub fn save(sampler: &Sampler, problem: &Couplings) -> Vec<u8> {
    let chain = |chain: &ReplicaExchange| {
        let mut bytes = vec![0; chain.state_len()];
        chain.state_bytes(&mut bytes).expect("as long as it said");
        bytes
    };
    let saved = Saved {
        options: options(sampler),
        sweeps: sampler.plan.sweeps,
        warm_up: sampler.plan.warm_up,
        problem: fingerprint(problem),
        step: sampler.step,
        models: sampler.saved_models(),
        chains: sampler.chains.iter().map(chain).collect(),
        series: sampler.series.clone(),
    };
    framed(&KIND, &saved)
}

fn wrong(path: &Path, why: String) -> Failure {
    Failure::Input(format!("--checkpoint {}: {why}", path.display()))
}

/// The content of the file, on all ranks; rank 0 reads it. `None` if there is no file, or an empty one.
pub fn read(cluster: &Cluster, path: &Path) -> Result<Option<Saved>, Failure> {
    let is_there = cluster.leads() && fs::metadata(path).is_ok_and(|file| file.is_file());
    let bytes = if is_there { fs::read(path) } else { Ok(Vec::new()) };
    let bytes = cluster.broadcast(bytes.map_err(|error| wrong(path, error.to_string()))?);
    match bytes.is_empty() {
        true => Ok(None),
        false => parse(&KIND, &bytes).map(Some).map_err(|why| wrong(path, why)),
    }
}

/// Makes a plan for as many or more sweeps of an exchange continue the saved run: its means begin where those
/// of the saved run began, unless --warm-up is given.
pub fn extend(plan: &mut RunPlan, saved: &Saved, path: &Path, is_warm_up_given: bool) -> Result<(), Failure> {
    let has = |name: &str, value: String| saved.options.iter().any(|option| option.0 == name && option.1 == value);
    let continues = plan.method == Method::Exchange
        && has("method", plan.method.to_string())
        && has("every", plan.every.to_string());
    if !continues {
        return Ok(());
    }
    let Saved { sweeps, step, .. } = *saved;
    if plan.sweeps < sweeps {
        return Err(wrong(
            path,
            format!("was written with sweeps {sweeps}; it continues with more, not with fewer; increase --sweeps"),
        ));
    }
    if plan.sweeps > sweeps && step.saturating_mul(plan.every) > sweeps {
        return Err(wrong(
            path,
            format!(
                "ended after sweep {sweeps}, between two measurements of --every {}, so it cannot continue; \
                 choose another file",
                plan.every
            ),
        ));
    }
    if !is_warm_up_given {
        plan.warm_up = saved.warm_up;
    }
    Ok(())
}

/// Brings a new run to a saved state.
pub fn resume(sampler: &mut Sampler, problem: &Couplings, saved: Saved, path: &Path) -> Result<(), Failure> {
    let wrong = |why| wrong(path, why);
    let continues = sampler.plan.method == Method::Exchange;
    let comparable = |options: Vec<(String, String)>| {
        options.into_iter().filter(|(name, _)| !(continues && name == "sweeps")).collect::<Vec<_>>()
    };
    let (then, now) = (comparable(saved.options.clone()), comparable(options(sampler)));
    if then != now {
        return Err(wrong(difference(&then, &now, |name| match name {
            "sweeps" => "the temperatures of an anneal depend on --sweeps, so choose another file",
            _ => "give the same option, or choose another file",
        })));
    }
    if saved.problem != fingerprint(problem) {
        return Err(wrong(
            "was written for another problem; give the MODEL of that run, or choose another file".to_owned(),
        ));
    }
    load(sampler, saved).ok_or_else(|| wrong("contains an impossible state; choose another file".to_owned()))
}

/// `None` if the parts do not fit together.
fn load(sampler: &mut Sampler, saved: Saved) -> Option<()> {
    let count = saved.step.checked_mul(sampler.plan.models as u64)?;
    (saved.step <= sampler.plan.steps()).then_some(())?;
    let [done, next] = [saved.step, saved.step + 1].map(|step| sampler.plan.sweeps_after(step));
    let fits = saved.models.iter().all(|model| model.ahead <= next - done)
        && saved.series.len() as u64 == count
        && saved.models.len() == sampler.plan.models
        && saved.chains.len() == sampler.chains.len();
    fits.then_some(())?;
    for (index, saved) in saved.models.into_iter().enumerate() {
        sampler.load(index, saved)?;
    }
    for (chain, saved) in sampler.chains.iter_mut().zip(saved.chains) {
        let rungs = chain.len();
        chain.set_state(&saved).ok()?;
        (chain.len() == rungs).then_some(())?;
    }
    sampler.step = saved.step;
    sampler.series = saved.series;
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::damage::{cuts, every_flip_is_refused, mutated, random};

    fn opened(bytes: &[u8]) -> Result<Saved, String> {
        parse(&KIND, bytes)
    }

    #[test]
    fn a_damaged_checkpoint_is_refused() {
        let mut random = random("ising");
        let record = |step: u64| Record { energy: step as f64, lowest: -1.5, magnetisation: 0.25, transverse: 0.0 };
        let bytes = framed(
            &KIND,
            &Saved {
                options: vec![("seed".to_owned(), "7".to_owned())],
                sweeps: 200,
                warm_up: 20,
                problem: [3; HASH],
                step: 100,
                models: Vec::new(),
                chains: vec![(0..500).map(|_| random.next() as u8).collect()],
                series: (0..100).map(record).collect(),
            },
        );
        assert!(opened(&bytes).is_ok());
        every_flip_is_refused("ising", &bytes, |bytes| opened(bytes).is_err());
        for cut in cuts("ising", &bytes) {
            assert!(cut == bytes.len() || opened(&bytes[..cut]).is_err(), "{cut} bytes");
        }
        for _ in 0..10_000 {
            let file = mutated(&bytes, &mut random);
            assert!(file == bytes || opened(&file).is_err(), "{file:?}");
        }
    }

    /// Each number of a problem changes its fingerprint.
    #[test]
    fn problems_have_different_fingerprints() {
        let problem = || Couplings { couplings: vec![(0, 1, 0.5), (1, 2, -1.0)], fields: vec![0.0, 0.25, -0.5] };
        let changes: [fn(&mut Couplings); 6] = [
            |problem| problem.couplings[0].0 = 2,
            |problem| problem.couplings[0].1 = 2,
            |problem| problem.couplings[1].2 = 1.0,
            |problem| problem.fields[0] = -0.0,
            |problem| problem.fields[2] = 0.5,
            |problem| problem.fields.push(0.0),
        ];
        let mut all = vec![fingerprint(&problem())];
        for change in changes {
            let mut changed = problem();
            change(&mut changed);
            let next = fingerprint(&changed);
            assert!(!all.contains(&next));
            all.push(next);
        }
    }
}
