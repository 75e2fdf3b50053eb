//! Counts the pairs of a frame, on all threads.

use hotloops::correlation::{Accumulator, Bins, Image, MAX_EXTENT, Points};
use indicatif::ProgressBar;
use rayon::ThreadPool;
use rayon::prelude::*;

use super::points::Table;
use super::{Arguments, report};
use crate::failure::Failure;
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
    let integers = match a.periods(table) {
        None if !(a.rdf && prefers_cells(table, bins)) => table.integers(MAX_EXTENT),
        _ => None,
    };
    match integers {
        Some((x, y)) => {
            let image = match a.rdf {
                true => Image::of_positions(&x, &y)?,
                false => Image::new(&x, &y, table.orientations(symmetry))?,
            };
            // Rows farther apart than the largest distance have no pairs.
            let rows = u64::from(image.height().min(bins.r_max().min(4e9) as u32)) + 1;
            in_parts(pool, rows, quiet, &empty, |pairs, row| pairs.add_image_rows(&image, row as u32..row as u32 + 1))
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
        empty.add_image_cross(&image(one_at, one)?, &image(other_at, other)?)?;
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

/// Whether cells of points count pairs faster than rows of pixels, and as exactly, if all coordinates
/// are integers.
///
/// Up to 2896, squares of distances are below 2^23 and exact in f32. The root of such a square that is
/// not a whole number stays between the same two whole numbers when it is rounded, and widths that are
/// powers of two divide it exactly. Pairs of rows cost little where a row has many points within the
/// largest distance.
fn prefers_cells(table: &Table, bins: &Bins) -> bool {
    const CROWDED: f64 = 15.0;
    let (first, width, last) = (bins.edges()[0], bins.edges()[1] - bins.edges()[0], bins.r_max());
    let is_exact = last <= 2896.0 && width.fract() == 0.0 && (width as u32).is_power_of_two() && first % width == 0.0;
    let lengths = table.extent();
    let density = table.x.len() as f64 / (lengths[0] * lengths[1]);
    is_exact && density * last.min(lengths[0]) < CROWDED
}

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
