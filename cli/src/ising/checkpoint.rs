//! The state of a run as a file.
//!
//! The file consists of the 8 bytes `hlising2`, the length of the body (`u64`, little-endian), the
//! body ([`Saved`] in the format of postcard), and the SHA-256 hash of the preceding bytes.

use std::fs;
use std::path::Path;

use hotloops::ising::ReplicaExchange;
use hotloops::random::Mt19937;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::sampler::{Best, Record, Sampler};
use super::statistics::Tally;
use crate::coo::Couplings;
use crate::failure::Failure;

const MAGIC: &[u8; 8] = b"hlising2";
/// First bytes of files of format 1.
const FIRST_MAGIC: &[u8] = b"hlising1";
const HEADER: usize = 16;
const HASH: usize = 32;

#[derive(Serialize, Deserialize)]
struct Saved {
    /// Names and values.
    options: Vec<(String, String)>,
    problem: [u8; HASH],
    step: u64,
    models: Vec<SavedModel>,
    chains: Vec<Vec<u8>>,
    series: Vec<Record>,
}

#[derive(Serialize, Deserialize)]
struct SavedModel {
    /// One bit per spin, 1 for -1.
    spins: Vec<u8>,
    random: Vec<u8>,
    lowest: Vec<f64>,
    best_energy: f64,
    best_sweep: u64,
    best_spins: Vec<u8>,
    tallies: Vec<[Tally; 2]>,
}

/// Everything that determines the result: the options, the kind of model and the version.
fn options(sampler: &Sampler) -> Vec<(String, String)> {
    let mut options = sampler.plan.options();
    options.push(("kind".to_owned(), format!("{:?}", sampler.kind())));
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

fn hash(bytes: &[u8]) -> [u8; HASH] {
    Sha256::digest(bytes).into()
}

fn packed(spins: &[i8]) -> Vec<u8> {
    let byte = |spins: &[i8]| spins.iter().rev().fold(0, |byte, &spin| byte << 1 | u8::from(spin < 0));
    spins.chunks(8).map(byte).collect()
}

/// Sets all `spins`. `None` if the number of bytes is wrong.
fn unpack(bytes: &[u8], spins: &mut [i8]) -> Option<()> {
    (bytes.len() == spins.len().div_ceil(8)).then_some(())?;
    spins.iter_mut().enumerate().for_each(|(index, spin)| *spin = 1 - 2 * (bytes[index / 8] >> (index % 8) & 1) as i8);
    Some(())
}

/// The content of the file.
pub fn save(sampler: &Sampler, problem: &Couplings) -> Vec<u8> {
    let random = |random: &Mt19937| {
        let mut bytes = vec![0; random.state_len()];
        random.state_bytes(&mut bytes).expect("as long as it said");
        bytes
    };
    let chain = |chain: &ReplicaExchange| {
        let mut bytes = vec![0; chain.state_len()];
        chain.state_bytes(&mut bytes).expect("as long as it said");
        bytes
    };
    let models = sampler.models.iter().map(|model| SavedModel {
        spins: packed(&model.spins()),
        random: random(&model.random),
        lowest: model.lowest.clone(),
        best_energy: model.best.energy,
        best_sweep: model.best.sweep,
        best_spins: packed(&model.best.spins),
        tallies: model.tallies.clone(),
    });
    let saved = Saved {
        options: options(sampler),
        problem: fingerprint(problem),
        step: sampler.step,
        models: models.collect(),
        chains: sampler.chains.iter().map(chain).collect(),
        series: sampler.series.clone(),
    };
    let body = postcard::to_stdvec(&saved).expect("plain data");
    let mut bytes = [MAGIC.as_slice(), &(body.len() as u64).to_le_bytes(), &body].concat();
    bytes.extend(hash(&bytes));
    bytes
}

/// Brings a new run to the state in a file.
pub fn resume(sampler: &mut Sampler, problem: &Couplings, path: &Path) -> Result<(), Failure> {
    let wrong = |why: String| Failure::Usage(format!("--resume {}: {why}", path.display()));
    let bytes = fs::read(path).map_err(|error| wrong(error.to_string()))?;
    let saved = parse(&bytes).map_err(wrong)?;
    let options = options(sampler);
    if saved.options != options {
        let differing = saved.options.iter().zip(&options).find(|(then, now)| then != now);
        return Err(wrong(
            differing.map_or("was written by another version".to_owned(), |((name, then), (other, now))| {
                format!("was written with {name} {then}, not with {other} {now}")
            }),
        ));
    }
    if saved.problem != fingerprint(problem) {
        return Err(wrong("was written for another problem".to_owned()));
    }
    load(sampler, saved).ok_or_else(|| wrong("contains an impossible state".to_owned()))
}

fn parse(bytes: &[u8]) -> Result<Saved, String> {
    if bytes.starts_with(FIRST_MAGIC) {
        return Err("has format 1, from an older version of this command; start the run again".to_owned());
    }
    let known = bytes.len().min(MAGIC.len());
    if bytes[..known] != MAGIC[..known] {
        return Err("is not a checkpoint of this command".to_owned());
    }
    let length = bytes.get(MAGIC.len()..HEADER).map(|length| u64::from_le_bytes(length.try_into().expect("8 bytes")));
    let expected = length.unwrap_or(0).saturating_add((HEADER + HASH) as u64);
    if (bytes.len() as u64) < expected {
        return Err(format!("ends after {} of {expected} bytes", bytes.len()));
    }
    if bytes.len() as u64 > expected {
        return Err(format!("continues after its {expected} bytes"));
    }
    let (content, found) = bytes.split_at(bytes.len() - HASH);
    let damaged = || "is damaged: its hash is wrong".to_owned();
    match found == hash(content) {
        true => postcard::from_bytes(&content[HEADER..]).map_err(|_| damaged()),
        false => Err(damaged()),
    }
}

/// `None` if the parts do not fit together.
fn load(sampler: &mut Sampler, saved: Saved) -> Option<()> {
    let count = saved.step.checked_mul(sampler.models.len() as u64)?;
    let fits = saved.step <= sampler.plan.steps()
        && saved.series.len() as u64 == count
        && saved.models.len() == sampler.models.len()
        && saved.chains.len() == sampler.chains.len();
    fits.then_some(())?;
    for (model, saved) in sampler.models.iter_mut().zip(saved.models) {
        let mut spins = model.spins();
        unpack(&saved.spins, &mut spins)?;
        model.ising.set_spins(&spins).ok()?;
        model.random.set_state(&saved.random).ok()?;
        (saved.lowest.len() == model.lowest.len()).then_some(())?;
        model.lowest = saved.lowest;
        (saved.tallies.len() == model.tallies.len()).then_some(())?;
        model.tallies = saved.tallies;
        let mut spins = vec![1; model.best.spins.len()];
        unpack(&saved.best_spins, &mut spins)?;
        model.best = Best { energy: saved.best_energy, sweep: saved.best_sweep, spins };
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
