//! The spins of a model: layers, or worldlines.

use std::mem;

use hotloops::Error;
use hotloops::ising::{Acceptance, Kind, LayeredIsing, Transverse, Worldlines};
use hotloops::random::Mt19937;
use serde::{Deserialize, Serialize};

use super::choices::kind_name;
use super::plan::{Point, RunPlan, build, builder};
use super::results::{packed, unpacked};
use crate::coo::Couplings;

/// The library's object.
pub enum State {
    Layers(LayeredIsing),
    Lines(Worldlines),
}

/// The spins of a state, for files and other ranks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spins {
    /// One bit per spin, 1 for -1: of all layers, or of slice 0.
    first: Vec<u8>,
    /// The kinks of each line; empty for layers.
    kinks: Vec<Vec<i32>>,
}

impl Spins {
    /// The spins of all layers, or those of some slices of worldlines.
    pub fn configurations(&self, plan: &RunPlan, sites: usize) -> Vec<i8> {
        let first = unpacked(&self.first, plan.kept() * sites);
        if !plan.has_lines() {
            return first;
        }
        let spin = |slice: usize, site: usize| {
            let before = self.kinks[site].partition_point(|&kink| (kink as usize) < slice);
            if before.is_multiple_of(2) { first[site] } else { -first[site] }
        };
        plan.read_out
            .iter()
            .flat_map(|&slice| (0..sites).map(move |site| (slice, site)))
            .map(|(a, b)| spin(a, b))
            .collect()
    }
}

impl State {
    /// All spins +1.
    pub fn new(plan: &RunPlan, problem: &Couplings) -> Result<Self, Error> {
        Ok(match plan.has_lines() {
            true => State::Lines(builder(plan, problem).build_worldlines()?),
            false => State::Layers(build(plan, problem, plan.kind)?),
        })
    }

    pub fn sweep(&mut self, random: &mut Mt19937, plan: &RunPlan, point: Point, sweeps: u64) -> Result<(), Error> {
        match self {
            State::Layers(ising) => ising.sweep(random, plan.weights(point), sweeps).map(|_| ()),
            State::Lines(lines) if plan.clusters == 0 => lines.sweep(random, transverse(point), sweeps).map(|_| ()),
            State::Lines(lines) => (0..sweeps).try_for_each(|_| {
                lines.sweep(random, transverse(point), 1)?;
                lines.sweep_clusters(random, transverse(point), plan.clusters).map(|_| ())
            }),
        }
    }

    /// Whether no spins satisfy all couplings of worldlines.
    pub fn is_frustrated(&self) -> Result<bool, Error> {
        match self {
            State::Layers(_) => Ok(false),
            State::Lines(lines) => lines.is_frustrated(),
        }
    }

    /// The number of spins that [`set_spins`](Self::set_spins) takes.
    pub fn len(&self) -> usize {
        match self {
            State::Layers(ising) => ising.layers() * ising.sites(),
            State::Lines(lines) => lines.sites(),
        }
    }

    /// Sets the spins of all layers, or makes lines without kinks.
    pub fn set_spins(&mut self, spins: &[i8]) -> Result<(), Error> {
        match self {
            State::Layers(ising) => ising.set_spins(spins),
            State::Lines(lines) => lines.set_spins(spins),
        }
    }

    pub fn spins(&self) -> Spins {
        let mut first = vec![1; self.len()];
        match self {
            State::Layers(ising) => ising.spins(&mut first).expect("as many as layers and sites"),
            State::Lines(lines) => lines.spins(0, &mut first).expect("as many as sites"),
        }
        let kinks = match self {
            State::Layers(_) => Vec::new(),
            State::Lines(lines) => {
                (0..lines.sites()).map(|site| lines.line(site).expect("a site").1.to_vec()).collect()
            }
        };
        Spins { first: packed(&first), kinks }
    }

    /// Sets all spins. `None` if they do not fit.
    pub fn restore(&mut self, Spins { first, kinks }: &Spins) -> Option<()> {
        (first.len() == self.len().div_ceil(8)).then_some(())?;
        let first = unpacked(first, self.len());
        match self {
            State::Layers(ising) => kinks.is_empty().then(|| ising.set_spins(&first).ok())?,
            State::Lines(lines) => {
                (kinks.len() == first.len()).then_some(())?;
                let mut lines_of = first.iter().zip(kinks).enumerate();
                lines_of.try_for_each(|(site, (&spin, kinks))| lines.set_line(site, spin, kinks)).ok()
            }
        }
    }

    /// Swaps the given systems with those of another state. `layers` returns their layers.
    pub fn swap(&mut self, other: &mut State, is_any: bool, layers: impl Fn() -> Vec<usize>) -> Result<(), Error> {
        match (self, other) {
            (State::Layers(ising), State::Layers(other)) => ising.swap_layers(other, layers()),
            (State::Lines(lines), State::Lines(other)) => {
                if is_any {
                    mem::swap(lines, other);
                }
                Ok(())
            }
            _ => unreachable!("the models of a run are of one kind"),
        }
    }

    /// All spins, for [`set_words`](Self::set_words) on another rank.
    pub fn words(&self) -> Result<Vec<u64>, Error> {
        let lines = match self {
            State::Layers(ising) => {
                let mut words = vec![0; ising.words()];
                ising.copy_words(&mut words)?;
                return Ok(words);
            }
            State::Lines(lines) => lines,
        };
        let mut words = Vec::new();
        for site in 0..lines.sites() {
            let (spin, kinks) = lines.line(site)?;
            words.push((kinks.len() as u64) << 1 | u64::from(spin < 0));
            words.extend(kinks.iter().map(|&kink| kink as u64));
        }
        Ok(words)
    }

    /// Sets the given systems to those of another state; see [`swap`](Self::swap).
    pub fn set_words(&mut self, words: &[u64], is_any: bool, layers: impl Fn() -> Vec<usize>) -> Result<(), Error> {
        match self {
            State::Layers(ising) => ising.set_words(layers(), words),
            State::Lines(_) if !is_any => Ok(()),
            State::Lines(lines) => {
                let mut words = words.iter().copied();
                let mut kinks = Vec::new();
                for site in 0..lines.sites() {
                    let head = words.next().unwrap_or(0);
                    kinks.clear();
                    kinks.extend(words.by_ref().take((head >> 1) as usize).map(|word| word as i32));
                    lines.set_line(site, if head & 1 == 0 { 1 } else { -1 }, &kinks)?;
                }
                Ok(())
            }
        }
    }

    /// The layers, if there are any.
    pub fn layered(&self) -> Option<&LayeredIsing> {
        match self {
            State::Layers(ising) => Some(ising),
            State::Lines(_) => None,
        }
    }

    pub fn layered_mut(&mut self) -> Option<&mut LayeredIsing> {
        match self {
            State::Layers(ising) => Some(ising),
            State::Lines(_) => None,
        }
    }

    /// The name of the kind on the command line.
    pub fn kind_name(&self) -> String {
        self.layered().map_or("worldline".to_owned(), |ising| kind_name(ising.kind()))
    }

    /// The name of the kind in the library.
    pub fn kind_word(&self) -> String {
        self.layered().map_or("Worldline".to_owned(), |ising| format!("{:?}", ising.kind()))
    }

    pub fn is_fixed(&self) -> bool {
        self.layered().is_some_and(|ising| ising.kind() == Kind::Fixed)
    }

    /// See [`LayeredIsing::rounding`]; sums of worldlines are exact, or in f64.
    pub fn rounding(&self) -> f64 {
        self.layered().map_or(0.0, LayeredIsing::rounding)
    }

    /// Whether Metropolis may go round in circles.
    pub fn may_trap(&self) -> bool {
        self.layered().is_some_and(LayeredIsing::may_trap)
    }

    pub fn acceptance(&self, plan: &RunPlan, point: Point) -> Acceptance {
        self.layered().map_or(Acceptance::HeatBath, |ising| ising.acceptance(plan.weights(point)))
    }

    pub fn quantum(&self) -> f64 {
        match self {
            State::Layers(ising) => ising.quantum(),
            State::Lines(lines) => lines.quantum(),
        }
    }

    pub fn heap_bytes(&self) -> usize {
        match self {
            State::Layers(ising) => ising.heap_bytes(),
            State::Lines(lines) => lines.heap_bytes(),
        }
    }

    /// Estimated nanoseconds of a sweep.
    pub fn sweep_cost(&self, plan: &RunPlan, problem: &Couplings) -> Result<f64, Error> {
        Ok(match self {
            State::Layers(ising) => builder(plan, problem).cost(ising.kind())? * self.len() as f64,
            State::Lines(_) => plan.line_cost(problem) * self.len() as f64,
        })
    }
}

/// The point of a sweep of worldlines.
pub fn transverse(Point { beta, gamma }: Point) -> Transverse {
    Transverse { beta, gamma }
}
