//! `hotloops ising`: correct physics, reproducible results, robust checkpoints.

mod arguments;
mod checkpoints;
mod cold;
mod correlation;
mod ensemble;
mod files;
mod formats;
#[path = "../../../../tests/switched/worldlines/free_fermions.rs"]
mod free_fermions;
#[cfg(unix)]
mod interrupts;
mod kinds;
mod observables;
mod quantum;
mod threads;
mod time;
mod unequal;
mod worldlines;

use std::fs;
use std::path::Path;
use std::process::Output;
use std::sync::LazyLock;

use crate::support::{folder, run, stderr};
use serde_json::Value;

/// Standard output of a run that succeeds and prints nothing on standard error.
fn succeeds(words: &[&str]) -> Vec<u8> {
    finished(run(words), words)
}

fn finished(output: Output, words: &[&str]) -> Vec<u8> {
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{words:?}");
    output.stdout
}

fn json(words: &[&str]) -> Value {
    serde_json::from_slice(&succeeds(&[words, &["--format", "json"]].concat())).unwrap()
}

struct Problem {
    couplings: Vec<(usize, usize, f64)>,
    fields: Vec<f64>,
}

impl Problem {
    /// Every third pair of 12 spins and every spin, in multiples of `unit`.
    fn random(unit: f64) -> Self {
        let mut state = 12345u64;
        let mut value = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((state >> 33) % 13) as f64 - 6.0
        };
        let pairs = (0..12).flat_map(|i| (i + 1..12).map(move |j| (i, j))).step_by(3);
        let couplings = pairs.map(|(i, j)| (i, j, unit * value())).collect();
        Problem { couplings, fields: (0..12).map(|_| unit * value() / 2.0).collect() }
    }

    /// A problem whose strengths are not small integers.
    fn rough() -> Self {
        let mut problem = Problem::random(0.25);
        problem.couplings.iter_mut().enumerate().for_each(|(k, (.., value))| *value *= 1.0 + 1e-4 * k as f64);
        problem
    }

    fn write(&self, path: &Path) -> String {
        let couplings = self.couplings.iter().map(|(i, j, value)| format!("{i} {j} {value}\n"));
        let fields = self.fields.iter().enumerate().map(|(i, value)| format!("{i} {i} {value}\n"));
        fs::write(path, couplings.chain(fields).collect::<String>()).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn energy(&self, spin: impl Fn(usize) -> f64) -> f64 {
        let couplings = self.couplings.iter().map(|&(i, j, value)| value * spin(i) * spin(j)).sum::<f64>();
        -couplings - self.fields.iter().enumerate().map(|(i, value)| value * spin(i)).sum::<f64>()
    }

    /// Minimum over all configurations.
    fn ground_energy(&self) -> f64 {
        let energies = (0..1u32 << self.fields.len()).map(|bits| self.energy(|i| spin_of(bits, i)));
        energies.fold(f64::INFINITY, f64::min)
    }

    fn mean_energy(&self, beta: f64) -> f64 {
        self.means(beta)[0]
    }

    /// Energy and magnetisation per spin.
    fn means(&self, beta: f64) -> [f64; 2] {
        let sites = self.fields.len();
        let (mut sums, mut weights) = ([0.0; 2], 0.0);
        for bits in 0..1u32 << sites {
            let energy = self.energy(|i| spin_of(bits, i));
            let magnetisation = (0..sites).map(|i| spin_of(bits, i)).sum::<f64>() / sites as f64;
            let weight = (-beta * energy).exp();
            weights += weight;
            sums = [sums[0] + weight * energy, sums[1] + weight * magnetisation];
        }
        sums.map(|sum| sum / weights)
    }
}

/// The file of a small problem.
fn small() -> &'static str {
    static PATH: LazyLock<String> = LazyLock::new(|| Problem::random(0.25).write(&folder("small").join("small.coo")));
    &PATH
}

fn rough() -> &'static str {
    static PATH: LazyLock<String> = LazyLock::new(|| Problem::rough().write(&folder("rough").join("rough.coo")));
    &PATH
}

fn spin_of(bits: u32, site: usize) -> f64 {
    if bits >> site & 1 == 0 { 1.0 } else { -1.0 }
}

/// A short run of each kind.
fn shapes() -> [Vec<&'static str>; 4] {
    let common = ["ising", small(), "--sweeps", "205", "--seed", "7", "--format", "json"];
    [
        &["--copies", "10", "--runs", "3"][..],
        &["--slices", "8", "--runs", "3", "--beta", "2", "--gamma", "0.1", "--gamma-max", "3"],
        &["--method", "exchange", "--copies", "16", "--replicas", "5", "--beta-min", "0.3", "--beta-max", "1"],
        &["--method", "exchange", "--slices", "8", "--beta", "2", "--ladder", "2,1.5,1,0.5"],
    ]
    .map(|words| [&common, words].concat())
}

/// The words with one replaced.
fn changed<'a>(words: &[&'a str], from: &str, to: &'a str) -> Vec<&'a str> {
    assert!(words.contains(&from));
    words.iter().map(|&word| if word == from { to } else { word }).collect()
}
