//! Counts the pairs of a frame, on all threads.

use hotloops::correlation::{Accumulator, Bins, Image, MAX_EXTENT, Method, Plan, Points};
use indicatif::ProgressBar;
use rayon::ThreadPool;
use rayon::prelude::*;

use super::points::Table;
use super::{Arguments, report};
use crate::failure::{Failure, say};
use crate::output::progress;

/// Counts the pairs of a frame, all or those of the chosen types, and returns the number of pairs at
/// all distances too. There is no progress bar if `quiet`.
pub fn count(
    pool: &ThreadPool,
    table: &Table,
    symmetry: usize,
    a: &Arguments,
    bins: &Bins,
    quiet: bool,
) -> Result<(Accumulator, f64), Failure> {
    match &a.types {
        None => Ok((count_all(pool, table, symmetry, a, bins, quiet)?, report::pairs_of(table.x.len()))),
        Some([first, second]) => {
            let [one, other] = [0, 1].map(|side| table.only(|i| table.types[i][side]));
            match first == second {
                true => Ok((count_all(pool, &one, symmetry, a, bins, quiet)?, report::pairs_of(one.x.len()))),
                false => {
                    let pairs = one.x.len() as f64 * other.x.len() as f64;
                    Ok((count_cross(pool, [&one, &other], symmetry, a, bins, quiet)?, pairs))
                }
            }
        }
    }
}

/// Counts all pairs, in parts small enough for the progress bar to advance steadily.
fn count_all(
    pool: &ThreadPool,
    table: &Table,
    symmetry: usize,
    a: &Arguments,
    bins: &Bins,
    quiet: bool,
) -> Result<Accumulator, Failure> {
    let empty = Accumulator::new(bins.clone())?;
    let integers = a.periods(table).is_none().then(|| table.integers(MAX_EXTENT)).flatten();
    match integers {
        Some((x, y)) => {
            let image = match a.rdf {
                true => Image::of_positions(&x, &y)?,
                false => Image::new(&x, &y, table.orientations(symmetry))?,
            };
            let plan = Plan::new(&image, bins, usize::from(a.memory) << 20, pool.current_num_threads())?;
            if plan.method() == Method::Transform && !quiet {
                let size = plan.bytes().div_ceil(1 << 20);
                say(format_args!("hotloops: counting by transforms, on one thread, with {size} MiB (--memory)"));
            }
            in_parts(pool, plan.parts() as u64, quiet, &empty, |pairs, part| pairs.add_part(&plan, part as usize))
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
            in_parts(pool, cells, quiet, &empty, |pairs, part| {
                let first = part as usize * CELLS;
                pairs.add_points_of_cells(&points, first..first + CELLS)
            })
        }
    }
}

/// Counts the pairs of a point of one table with a point of the other.
fn count_cross(
    pool: &ThreadPool,
    [one, other]: [&Table; 2],
    symmetry: usize,
    a: &Arguments,
    bins: &Bins,
    quiet: bool,
) -> Result<Accumulator, Failure> {
    let mut empty = Accumulator::new(bins.clone())?;
    let integers = |table: &Table| a.periods(table).is_none().then(|| table.integers(MAX_EXTENT)).flatten();
    if let (Some(one_at), Some(other_at)) = (integers(one), integers(other)) {
        let image = |(x, y): (Vec<i32>, Vec<i32>), table: &Table| match a.rdf {
            true => Image::of_positions(&x, &y),
            false => Image::new(&x, &y, table.orientations(symmetry)),
        };
        let [one, other] = [image(one_at, one)?, image(other_at, other)?];
        empty.add_image_cross_within(&one, &other, usize::from(a.memory) << 20)?;
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
    let size = order.len().div_ceil(4 * pool.current_num_threads()).max(1000);
    let mut parts = Vec::new();
    for part in order.chunks(size) {
        let part = other.reordered(part);
        let others = match a.rdf {
            true => points.others_of_positions(&part.x, &part.y),
            false => points.others(&part.x, &part.y, part.orientations(symmetry)),
        };
        parts.push(others.map_err(|error| fault(&part, error))?);
    }
    in_parts(pool, parts.len() as u64, quiet, &empty, |pairs, part| {
        pairs.add_points_cross(&points, &parts[part as usize])
    })
}

const CELLS: usize = 64;

fn in_parts(
    pool: &ThreadPool,
    parts: u64,
    quiet: bool,
    empty: &Accumulator,
    add: impl Fn(&mut Accumulator, u64) -> Result<(), hotloops::Error> + Sync,
) -> Result<Accumulator, Failure> {
    let bar = if quiet { ProgressBar::hidden() } else { progress(parts) };
    bar.set_message("pairs");
    let all: Result<Accumulator, hotloops::Error> = pool.install(|| {
        (0..parts)
            .into_par_iter()
            .try_fold(
                || empty.clone(),
                |mut pairs, part| {
                    add(&mut pairs, part)?;
                    bar.inc(1);
                    Ok(pairs)
                },
            )
            .try_reduce(
                || empty.clone(),
                |mut a, b| {
                    a.merge(&b)?;
                    Ok(a)
                },
            )
    });
    bar.finish_and_clear();
    Ok(all?)
}
