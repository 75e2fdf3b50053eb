//! Counts the pairs of a frame, on all threads of all ranks.

use std::sync::{Mutex, PoisonError};

use hotloops::correlation::{Accumulator, Bins, Image, Method, PairPlan, Points};
use indicatif::ProgressBar;
use rayon::ThreadPool;

use super::arguments::Arguments;
use super::points::Table;
use super::report;
use crate::cluster::Cluster;
use crate::cluster::units::Order;
use crate::failure::{Failure, say};
use crate::job::progress;

/// The ranks and threads that count the pairs of a frame.
#[derive(Clone, Copy)]
pub struct Team<'a> {
    pub cluster: &'a Cluster,
    pub pool: &'a ThreadPool,
    /// There is no progress bar.
    pub quiet: bool,
    /// How many teams share `--memory`.
    pub teams: usize,
}

/// Counts the pairs of a frame, all or those of the chosen types, and returns the number of pairs at
/// all distances too. Ranks other than 0 return their part of the counts only.
pub fn count(
    team: Team,
    table: &Table,
    symmetry: usize,
    a: &Arguments,
    bins: &Bins,
) -> Result<(Accumulator, f64), Failure> {
    match &a.types {
        None => Ok((count_all(team, table, symmetry, a, bins)?, report::pairs_of(table.x.len()))),
        Some([first, second]) => {
            let [one, other] = [0, 1].map(|side| table.only(|i| table.types[i][side]));
            match first == second {
                true => Ok((count_all(team, &one, symmetry, a, bins)?, report::pairs_of(one.x.len()))),
                false => {
                    let pairs = one.x.len() as f64 * other.x.len() as f64;
                    Ok((count_cross(team, [&one, &other], symmetry, a, bins)?, pairs))
                }
            }
        }
    }
}

/// Counts the pairs that have a point among those `inside`, all or those of the chosen types.
pub fn count_touching(
    team: Team,
    table: &Table,
    inside: &[bool],
    symmetry: usize,
    a: &Arguments,
    bins: &Bins,
) -> Result<Accumulator, Failure> {
    let [own, rest] = [true, false].map(|side| table.only(|i| inside[i] == side));
    let chosen = |table: &Table, side: usize| table.only(|i| table.types[i][side]);
    let cross = |one: &Table, other: &Table| match one.x.is_empty() || other.x.is_empty() {
        true => Ok(Accumulator::new(bins.clone())?),
        false => count_cross(team, [one, other], symmetry, a, bins),
    };
    let [own, rest] = match &a.types {
        None => [own, rest],
        Some([first, second]) if first == second => [chosen(&own, 0), chosen(&rest, 0)],
        Some(_) => {
            let mut pairs = cross(&chosen(&own, 0), &chosen(table, 1))?;
            pairs.merge(&cross(&chosen(&rest, 0), &chosen(&own, 1))?)?;
            return Ok(pairs);
        }
    };
    let mut pairs = count_all(team, &own, symmetry, a, bins)?;
    pairs.merge(&cross(&own, &rest)?)?;
    Ok(pairs)
}

/// The coordinates of an image.
type Integers = (Vec<i32>, Vec<i32>);

fn integers(a: &Arguments, table: &Table) -> Result<Option<Integers>, Failure> {
    match a.periods(table) {
        Some(_) => Ok(None),
        None => Ok(Image::integers(&table.x)?.zip(Image::integers(&table.y)?)),
    }
}

/// Counts all pairs, in parts small enough for the progress bar to advance steadily.
fn count_all(team: Team, table: &Table, symmetry: usize, a: &Arguments, bins: &Bins) -> Result<Accumulator, Failure> {
    let empty = Accumulator::new(bins.clone())?;
    match integers(a, table)? {
        Some((x, y)) => {
            let image = match a.rdf {
                true => Image::of_positions(&x, &y)?,
                false => Image::new(&x, &y, table.orientations(symmetry))?,
            };
            let plan = PairPlan::new(&image, bins, (usize::from(a.memory) << 20) / team.teams, team.threads())?;
            if plan.method() == Method::Transform && !team.quiet {
                let size = plan.bytes().div_ceil(1 << 20);
                say(format_args!("hotloops: counting by transforms, on one thread, with {size} MiB (--memory)"));
            }
            in_parts(team, plan.parts() as u64, &empty, |pairs, part| pairs.add_part(&plan, part as usize))
        }
        None => {
            let (x, y, r_max) = (&table.x, &table.y, bins.r_max());
            let points = match a.rdf {
                true => Points::of_positions(x, y, a.boundary(table), r_max),
                false => Points::new(x, y, table.orientations(symmetry), a.boundary(table), r_max),
            }
            .map_err(|error| a.fault(table, error))?;
            // A single cell is too little work for a task.
            let cells = points.cells().div_ceil(CELLS) as u64;
            in_parts(team, cells, &empty, |pairs, part| {
                let first = part as usize * CELLS;
                pairs.add_points_of_cells(&points, first..first + CELLS)
            })
        }
    }
}

/// Counts the pairs of a point of one table with a point of the other.
fn count_cross(
    team: Team,
    [one, other]: [&Table; 2],
    symmetry: usize,
    a: &Arguments,
    bins: &Bins,
) -> Result<Accumulator, Failure> {
    let mut empty = Accumulator::new(bins.clone())?;
    if let (Some(one_at), Some(other_at)) = (integers(a, one)?, integers(a, other)?) {
        let image = |(x, y): Integers, table: &Table| match a.rdf {
            true => Image::of_positions(&x, &y),
            false => Image::new(&x, &y, table.orientations(symmetry)),
        };
        let [one, other] = [image(one_at, one)?, image(other_at, other)?];
        empty.add_image_cross_within(&one, &other, (usize::from(a.memory) << 20) / team.teams)?;
        return Ok(empty);
    }
    let fault = |table: &Table, error| a.fault(table, error);
    let points = match a.rdf {
        true => Points::of_positions(&one.x, &one.y, a.boundary(one), bins.r_max()),
        false => Points::new(&one.x, &one.y, one.orientations(symmetry), a.boundary(one), bins.r_max()),
    }
    .map_err(|error| fault(one, error))?;
    // Neighbouring rows of the other points make a part.
    let mut order: Vec<usize> = (0..other.x.len()).collect();
    order.sort_by(|&i, &j| other.y[i].total_cmp(&other.y[j]));
    let size = order.len().div_ceil(4 * team.threads()).max(1000);
    let mut parts = Vec::new();
    for part in order.chunks(size) {
        let part = other.reordered(part);
        let others = match a.rdf {
            true => points.others_of_positions(&part.x, &part.y),
            false => points.others(&part.x, &part.y, part.orientations(symmetry)),
        };
        parts.push(others.map_err(|error| fault(&part, error))?);
    }
    in_parts(team, parts.len() as u64, &empty, |pairs, part| pairs.add_points_cross(&points, &parts[part as usize]))
}

const CELLS: usize = 64;

impl Team<'_> {
    /// Number of threads of all ranks.
    fn threads(&self) -> usize {
        self.cluster.ranks() * self.pool.current_num_threads()
    }
}

/// A thread's pairs, which it adds to those of all threads at the end.
struct Own<'a> {
    pairs: Accumulator,
    all: &'a Mutex<Accumulator>,
}

impl Drop for Own<'_> {
    fn drop(&mut self) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.merge(&self.pairs).expect("the same bins");
    }
}

fn in_parts(
    team: Team,
    parts: u64,
    empty: &Accumulator,
    add: impl Fn(&mut Accumulator, u64) -> Result<(), hotloops::Error> + Sync,
) -> Result<Accumulator, Failure> {
    let bar = if team.quiet { ProgressBar::hidden() } else { progress::bar(parts) };
    bar.set_message("pairs");
    let all = Mutex::new(empty.clone());
    let work = |own: &mut Own, part| {
        add(&mut own.pairs, part)?;
        bar.inc(1);
        Ok(Vec::new())
    };
    let own = || Own { pairs: empty.clone(), all: &all };
    team.cluster.share(team.pool, &mut (0..parts), Order::Any, own, work, &mut |_, _| Ok(()))?;
    bar.finish_and_clear();
    let mut all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    // Rank 0 has its own already.
    let message = if team.cluster.leads() { Vec::new() } else { bytes(&all) };
    for message in team.cluster.gather(message).iter().skip(1) {
        add_bytes(&mut all, message)?;
    }
    Ok(all)
}

/// The counts, then the sums.
pub fn bytes(pairs: &Accumulator) -> Vec<u8> {
    let counts = pairs.bins().flat_map(|bin| bin.count.to_le_bytes());
    counts.chain(pairs.bins().flat_map(|bin| bin.sum.to_le_bytes())).collect()
}

/// Adds counts and sums from bytes.
pub fn add_bytes(pairs: &mut Accumulator, bytes: &[u8]) -> Result<(), Failure> {
    let (counts, sums) = bytes.split_at(pairs.bins().len() * size_of::<u64>());
    let counts: Vec<u64> = counts.as_chunks().0.iter().map(|count| u64::from_le_bytes(*count)).collect();
    let sums: Vec<i128> = sums.as_chunks().0.iter().map(|sum| i128::from_le_bytes(*sum)).collect();
    Ok(pairs.add_bins(&counts, &sums)?)
}
