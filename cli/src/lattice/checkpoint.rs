//! The state of a run as a file, in the frame of a [snapshot](crate::job::snapshot).

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::plan::Plan;
use super::point::{Point, Record};
use crate::failure::Failure;
use crate::job::snapshot::{self, Kind, framed, parse};

const KIND: Kind = Kind { magic: b"hllatti1", command: "hotloops lattice" };

#[derive(Serialize, Deserialize)]
struct State {
    /// Names and values.
    options: Vec<(String, String)>,
    sweeps: u64,
    warm_up: u64,
    points: Vec<SavedPoint>,
}

#[derive(Serialize, Deserialize)]
struct SavedPoint {
    /// [`SquareLattice::words`](hotloops::ising::SquareLattice::words), little-endian.
    words: Vec<u8>,
    sweeps: u64,
    series: Vec<Record>,
}

/// A file that was read.
pub struct Saved {
    path: PathBuf,
    state: State,
}

fn options(plan: &Plan) -> Vec<(String, String)> {
    let mut options = plan.options();
    options.push(("version".to_owned(), env!("CARGO_PKG_VERSION").to_owned()));
    options
}

/// The content of the file.
pub fn save(plan: &Plan, points: &[Point]) -> Vec<u8> {
    let point = |point: &Point| {
        let mut words = vec![0; point.lattice.words_len()];
        point.lattice.words(&mut words).expect("as many as it said");
        let words = words.into_iter().flat_map(u64::to_le_bytes).collect();
        SavedPoint { words, sweeps: point.sweeps(), series: point.series.clone() }
    };
    let points = points.iter().map(point).collect();
    framed(&KIND, &State { options: options(plan), sweeps: plan.sweeps, warm_up: plan.warm_up, points })
}

fn wrong(path: &Path, why: &str) -> Failure {
    Failure::Input(format!("--checkpoint {}: {why}", path.display()))
}

/// The file. `None` if there is none, or an empty one.
pub fn read(path: &Path) -> Result<Option<Saved>, Failure> {
    if !fs::metadata(path).is_ok_and(|file| file.is_file()) {
        return Ok(None);
    }
    let bytes = fs::read(path).map_err(|error| wrong(path, &error.to_string()))?;
    if bytes.is_empty() {
        return Ok(None);
    }
    let state = parse(&KIND, &bytes).map_err(|why| wrong(path, &why))?;
    Ok(Some(Saved { path: path.to_owned(), state }))
}

impl Saved {
    /// Makes a plan of as many or more sweeps continue this run: its means begin where those of this run began, unless
    /// --warm-up is given.
    pub fn extend(&self, plan: &mut Plan, is_warm_up_given: bool) -> Result<(), Failure> {
        let (then, now) = (&self.state.options, options(plan));
        if *then != now {
            let why = |_: &str| "give the same option, or choose another file";
            return Err(wrong(&self.path, &snapshot::difference(then, &now, why)));
        }
        let State { sweeps, warm_up, ref points, .. } = self.state;
        if plan.sweeps < sweeps {
            let why = "it continues with more, not with fewer; increase --sweeps";
            return Err(wrong(&self.path, &format!("was written with sweeps {sweeps}; {why}")));
        }
        let is_between = sweeps % plan.every != 0 && points.iter().any(|point| point.sweeps == sweeps);
        if plan.sweeps > sweeps && is_between {
            let every = plan.every;
            let why = "so it cannot continue; choose another file";
            let what = format!("ended after sweep {sweeps}, between two measurements of --every {every}, {why}");
            return Err(wrong(&self.path, &what));
        }
        if !is_warm_up_given {
            plan.warm_up = warm_up;
        }
        Ok(())
    }

    /// Brings new points to the saved state.
    pub fn resume(self, plan: &Plan, points: &mut [Point]) -> Result<(), Failure> {
        let damaged = || wrong(&self.path, "contains an impossible state; choose another file");
        if self.state.points.len() != points.len() {
            return Err(damaged());
        }
        for (point, saved) in points.iter_mut().zip(self.state.points) {
            let measured = match saved.sweeps == self.state.sweeps {
                true => saved.sweeps.div_ceil(plan.every),
                false => saved.sweeps / plan.every,
            };
            let words: Vec<_> = saved.words.chunks_exact(8).map(|word| word.try_into().expect("8 bytes")).collect();
            let words: Vec<_> = words.into_iter().map(u64::from_le_bytes).collect();
            let fits = saved.sweeps <= self.state.sweeps
                && saved.series.len() as u64 == measured
                && saved.words.len() == 8 * words.len();
            if !fits || point.lattice.set_words(&words).is_err() {
                return Err(damaged());
            }
            point.set_sweeps(saved.sweeps);
            point.series = saved.series;
        }
        Ok(())
    }
}
