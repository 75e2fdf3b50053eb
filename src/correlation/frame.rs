//! The grid of cells: the coordinates of points relative to cells, and which cells are near.

use core::ops::Range;

use super::boundary::{self, Boundary, FARTHEST, PERIODS};
use super::cells::Cells;
use crate::frame::error::Error;
use crate::math::float::Float;
use crate::math::libm::{nearest, sqrt_f32, sqrt_f64};

/// The mean number of points in a cell that has any, about.
const POINTS: f64 = 16.0;

/// The number of cells along a period, and of rows and columns on each side of the origin of an open
/// plane, is at most this, so that they are exact in f64. All points farther out are in the last
/// cells.
const LAST_CELL: i64 = 1 << 50;

/// The scaled side of a block of cells, and the maximum of a cell.
const BLOCK: f64 = 4.0;

/// The minimum scaled side of a cell, 1/64 to 1/128 of the largest distance.
const MIN_SIDE: f64 = 1.0 / 64.0;

/// The farthest that a point of a cell may be from its reference for the kernels to compare it.
/// Rounding to f32 moves it by at most 2^-22 then.
pub(super) const MAX_SIDE: f64 = 6.0;

/// The maximum number of points by which the side of cells is chosen, and how many of them a cell
/// should have.
const SAMPLE: usize = 512;
const SAMPLED: f64 = 4.0;

/// Relative margin below half a period. At distances below that margin, rounding cannot make both
/// images of a pair count.
const NEAR_HALF: f64 = 1e-4;

/// Maps coordinates to cells. Sets of points with the same frame can be compared with each other.
///
/// Coordinates are folded into the period, multiplied by a power of two that takes the largest
/// distance to 1..2, and stored in f64. Kernels get them in f32, relative to a reference point near
/// the block of cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Frame {
    pub axes: [Axis; 2],
    /// A power of two.
    pub scale: f64,
    /// A scaled position near the points.
    pub origin: [f64; 2],
}

/// The cells along an axis. Lengths are scaled.
///
/// In an open plane, the side is a power of two, and edges of cells are its multiples. So the
/// reference of a point depends on no other point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Axis {
    start: f64,
    pub side: f64,
    /// Cells per block.
    block: i64,
    /// References are multiples of this power of two, so that integers stay integers.
    grid: f64,
    period: Option<Period>,
}

/// A period, not scaled, and the number of cells along it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Period {
    length: f64,
    cells: i64,
}

/// Cells of a row and a block, an image of which is near a given cell.
pub(super) struct Near {
    pub cells: Range<usize>,
    /// Offset of this image from the cells: lengths of whole periods.
    pub laps: [f64; 2],
    /// Offset of this image's reference from the reference of the given cell.
    pub shift: [f32; 2],
    /// Whether points may be half a period apart, so that two images of a pair may both count.
    pub doubled: bool,
    /// No pair of points at least as far apart in x counts.
    pub reach: f32,
}

/// Cells of a row and a block, from the first to the last column.
#[derive(Clone, Copy)]
pub(super) struct Span {
    pub row: i64,
    pub first: i64,
    pub last: i64,
}

/// The cells that [`Frame::near`] passes.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Which {
    /// Cells to the right in the same row, and all cells above.
    Following,
    /// All cells but the given one.
    Others,
    All,
}

/// The power of two that scales a positive length into 1..2.
pub(super) fn scale_of(length: f64) -> f64 {
    f64::from_bits((2046 - (length.to_bits() >> 52)) << 52)
}

/// The power of two that is nearest to a positive length, in a range.
fn power_near(length: f64) -> f64 {
    let power = 1.0 / scale_of(length.clamp(MIN_SIDE, BLOCK));
    (if length > power * core::f64::consts::SQRT_2 { 2.0 * power } else { power }).min(BLOCK)
}

fn floor(x: f64) -> i64 {
    let toward_0 = x as i64;
    toward_0.saturating_sub(i64::from(toward_0 as f64 > x))
}

impl Axis {
    fn new(start: f64, side: f64, period: Option<Period>) -> Axis {
        let block = (BLOCK / side).max(1.0) as i64;
        let grid = 1.0 / scale_of((block as f64 * side).max(1e-9));
        Axis { start, side, block, grid, period }
    }

    /// Cells of about the given side along a period.
    fn periodic(length: f64, scale: f64, side: f64) -> Axis {
        let scaled = length * scale;
        let cells = (scaled / side.min(BLOCK)).clamp(1.0, LAST_CELL as f64) as i64;
        Axis::new(-0.5 * scaled, scaled / cells as f64, Some(Period { length, cells }))
    }

    /// The column or row of a position.
    pub fn cell(&self, position: f64) -> i64 {
        let cell = floor((position - self.start) / self.side);
        match self.period {
            Some(Period { cells, .. }) => cell.clamp(0, cells - 1),
            None => cell.clamp(-LAST_CELL, LAST_CELL),
        }
    }

    /// The block of a column or row.
    pub fn block_of(&self, cell: i64) -> i64 {
        cell.div_euclid(self.block)
    }

    /// The position that coordinates of a cell are relative to.
    pub fn reference(&self, cell: i64) -> f64 {
        let middle =
            (self.start + (cell.div_euclid(self.block) as f64 + 0.5) * (self.block as f64 * self.side)) / self.grid;
        // Beyond 2^51 all numbers are multiples of a half.
        (if middle.abs() < (1u64 << 51) as f64 { nearest(middle) } else { middle }) * self.grid
    }

    /// The length of `laps` periods, scaled.
    fn laps(&self, laps: i64, scale: f64) -> f64 {
        self.period.map_or(0.0, |period| laps as f64 * (period.length * scale))
    }

    /// How many whole periods a column or row is beyond the first one, and which one it is an image
    /// of.
    fn wrapped(&self, cell: i64) -> (i64, i64) {
        self.period.map_or((0, cell), |Period { cells, .. }| (cell.div_euclid(cells), cell.rem_euclid(cells)))
    }
}

impl Frame {
    /// The frame for points with these coordinates and for distances up to `r_max`.
    pub fn new<T: Float>(x: &[T], y: &[T], boundary: Boundary, r_max: f64) -> Result<Frame, Error> {
        if !(r_max > 0.0 && r_max.is_finite()) {
            return Err(Error::Bins { index: 0 });
        }
        let (mut origin, mut lengths) = ([0.0; 2], [0.0; 2]);
        let mut farthest = r_max;
        match boundary {
            Boundary::Periodic(periods) => {
                for (axis, argument) in ["x", "y"].into_iter().enumerate() {
                    if !(0.5 * periods[axis] >= r_max && (PERIODS[0]..=PERIODS[1]).contains(&periods[axis])) {
                        return Err(Error::Periodic { argument });
                    }
                }
                lengths = periods;
            }
            Boundary::Open => {
                for (axis, values) in [x, y].into_iter().enumerate() {
                    let [first, last] = boundary::range(values);
                    if first <= last {
                        (origin[axis], lengths[axis]) = (first, last - first);
                    }
                }
                // No distance is longer than the extent.
                let extent = lengths[0] + lengths[1];
                if extent > 0.0 {
                    farthest = farthest.min(extent);
                }
            }
        }
        let farthest = farthest.clamp(PERIODS[0], PERIODS[1]);
        let scale = scale_of(farthest);
        // Coordinates beyond the limits are refused later.
        let scaled = |value: f64| (value * scale).clamp(-FARTHEST, FARTHEST);
        let origin = origin.map(scaled);
        let position = |i: usize| {
            let at = [x[i].to_f64(), y[i].to_f64()];
            match boundary {
                Boundary::Periodic(periods) => [0, 1].map(|axis| {
                    let x = if at[axis].is_finite() { at[axis] } else { 0.0 };
                    boundary::folded(x, periods[axis]) * scale
                }),
                Boundary::Open => at.map(scaled),
            }
        };
        let n = x.len().min(y.len());
        let side = match boundary {
            Boundary::Periodic(_) => side_of_cells(n, sample_by_hash(n, &position), lengths.map(scaled)),
            // References do not depend on the side, so any sample will do.
            Boundary::Open => {
                let k = |k: usize| position((k as u64 * n as u64 / n.min(SAMPLE) as u64) as usize);
                side_of_cells(n, (0..n.min(SAMPLE)).map(k), lengths.map(scaled))
            }
        };
        let axes = match boundary {
            Boundary::Periodic(periods) => {
                periods.map(|period| Axis::periodic(period, scale, side.max(farthest * scale / 64.0)))
            }
            Boundary::Open => [Axis::new(0.0, power_near(side), None); 2],
        };
        Ok(Frame { axes, scale, origin })
    }

    /// [`Error::Coordinate`] for the first coordinate that is not finite, or too far from the
    /// origin.
    pub fn check<T: Float>(&self, axis: usize, values: &[T]) -> Result<(), Error> {
        let farthest = if self.axes[axis].period.is_some() { f64::MAX } else { FARTHEST.min(FARTHEST / self.scale) };
        boundary::check(["x", "y"][axis], values, farthest)
    }

    /// The folded and scaled position of a coordinate.
    pub fn position(&self, axis: usize, x: f64) -> f64 {
        self.axes[axis].period.map_or(x, |period| boundary::folded(x, period.length)) * self.scale
    }

    /// Column and row of the cell of a position.
    pub fn place(&self, at: [f64; 2]) -> [i64; 2] {
        [0, 1].map(|axis| self.axes[axis].cell(at[axis]))
    }

    /// Half of the periods, scaled; infinity in an open plane.
    pub fn half_periods(&self) -> [f64; 2] {
        self.axes.map(|axis| axis.period.map_or(f64::INFINITY, |period| 0.5 * (period.length * self.scale)))
    }

    /// [`Error::Periodic`] if a period is less than twice a distance.
    pub fn check_distance(&self, r_max: f64) -> Result<(), Error> {
        match self.axes.iter().position(|axis| axis.period.is_some_and(|period| 0.5 * period.length < r_max)) {
            Some(axis) => Err(Error::Periodic { argument: ["x", "y"][axis] }),
            None => Ok(()),
        }
    }

    /// Whether a distance is so close to half a period that two images of a pair may both be
    /// nearer.
    pub fn near_half(&self, r_max: f64) -> bool {
        self.half_periods().iter().any(|half| r_max > half * (1.0 - NEAR_HALF))
    }

    /// Whether two images of a pair may both be nearer than `r_max`, for points of two cells that
    /// are `apart` cells from each other.
    pub fn doubled(&self, apart: [i64; 2], r_max: f64) -> bool {
        let half = self.half_periods();
        (0..2).any(|axis| {
            let (along, across) = (self.axes[axis], self.axes[1 - axis]);
            // This needs points about half a period apart along one axis and close along the other.
            r_max > half[axis] * (1.0 - NEAR_HALF)
                && along.period.is_some_and(|period| (2 * apart[axis].abs() - period.cells).abs() <= 2)
                && (apart[1 - axis].abs() - 1) as f64 * across.side <= r_max / 32.0
        })
    }

    /// Calls `each` for runs of cells of `others` whose points may be within the scaled distance
    /// `r_max` of the points of cells in one row and one block, from column `first` to `last`. The cells
    /// of a run lie in one row and one block. Other images of the cells themselves are included.
    pub fn near(&self, from: Span, r_max: f64, which: Which, others: &Cells, mut each: impl FnMut(Near)) {
        // Rounding may put points slightly outside their cells, and distances are rounded.
        let farthest = r_max * (1.0 + 1e-5);
        let highest = self.reach(1, farthest);
        let lowest = if which == Which::Following { 0 } else { -highest };
        let row = from.row;
        if self.axes[1].period.is_some() {
            for up in lowest..=highest {
                let (turns, above) = self.axes[1].wrapped(row + up);
                self.near_in_row(from, [up, turns, above], [r_max, farthest], which, others, &mut each);
            }
        } else {
            for above in others.rows(row + lowest..row + highest) {
                self.near_in_row(from, [above - row, 0, above], [r_max, farthest], which, others, &mut each);
            }
        }
    }

    /// The number of cells along an axis within which all points at the distance `r` are.
    fn reach(&self, axis: usize, r: f64) -> i64 {
        let all = self.axes[axis].period.map_or(LAST_CELL, |period| period.cells);
        ((r / (self.axes[axis].side * (1.0 - 1e-5))) as i64).min(all) + 1
    }

    /// [`near`](Self::near) for the row `above`, which is `up` rows above the cell and of which
    /// `turns` periods higher is meant.
    fn near_in_row(
        &self,
        Span { row, first: column, last }: Span,
        [up, turns, above]: [i64; 3],
        [r_max, farthest]: [f64; 2],
        which: Which,
        others: &Cells,
        each: &mut impl FnMut(Near),
    ) {
        let axes = &self.axes;
        let near_half = self.near_half(r_max);
        let dy = (up.abs() - 1).max(0) as f64 * axes[1].side * (1.0 - 1e-5);
        let reach = f64::from(sqrt_f32((farthest * farthest - dy * dy).max(0.0) as f32)) * (1.0 + 1e-6);
        let wide = self.reach(0, reach);
        let end = last + wide + 1;
        let mut at = if which == Which::Following && up == 0 { last + 1 } else { column - wide };
        let apart = which == Which::Others && up == 0;
        while at < end {
            if apart && at == column {
                at += 1;
                continue;
            }
            let (lap, first) = axes[0].wrapped(at);
            let mut next = axes[0].period.map_or(end, |period| end.min(at + period.cells - first));
            if apart && at < column {
                next = next.min(column);
            }
            let doubled = near_half && self.doubled([at - column, up], r_max);
            if near_half {
                let differs = |at: &i64| self.doubled([at - column, up], r_max) != doubled;
                next = (at + 1..next).find(differs).unwrap_or(next);
            }
            let mut cells = others.within(above, first..first + (next - at));
            while !cells.is_empty() {
                let [begin, ..] = others.places[cells.start];
                let block = begin.div_euclid(axes[0].block);
                let beyond = (block + 1) * axes[0].block;
                let run = match others.places[cells.end - 1][0] < beyond {
                    true => cells.len(),
                    false => others.places[cells.clone()].partition_point(|place| place[0] < beyond),
                };
                let laps = [axes[0].laps(lap, self.scale), axes[1].laps(turns, self.scale)];
                let from = [axes[0].reference(column), axes[1].reference(row)];
                let to = [axes[0].reference(begin), axes[1].reference(above)];
                let shift = [0, 1].map(|axis| ((to[axis] - from[axis]) + laps[axis]) as f32);
                let cells_of_run = cells.start..cells.start + run;
                each(Near { cells: cells_of_run, laps, shift, doubled, reach: reach as f32 });
                cells.start += run;
            }
            at = next;
        }
    }
}

/// The side of square cells with a mean of about [`POINTS`] points in those that have any, for `n`
/// points in a rectangle.
///
/// If all cells had points, the area would give it. Where that side leaves a sample of the points in
/// too few cells, it shrinks.
fn side_of_cells(n: usize, sample: impl Iterator<Item = [f64; 2]>, lengths: [f64; 2]) -> f64 {
    let (mut at, mut sampled) = ([[0.0; 2]; SAMPLE], 0);
    for (at, position) in at.iter_mut().zip(sample) {
        *at = position;
        sampled += 1;
    }
    if sampled == 0 {
        return BLOCK;
    }
    let area = (lengths[0] * lengths[1]).clamp(f64::MIN_POSITIVE, f64::MAX);
    // For the sample; cells of all points are smaller by `factor`.
    let mut side = sqrt_f64((area * (SAMPLED / sampled as f64)).clamp(f64::MIN_POSITIVE, f64::MAX));
    let factor = sqrt_f64(POINTS * sampled as f64 / (SAMPLED * n as f64));
    let mut places = [[0; 2]; SAMPLE];
    while side * factor > MIN_SIDE {
        for (place, at) in places.iter_mut().zip(&at[..sampled]) {
            *place = at.map(|x| floor(x / side));
        }
        places[..sampled].sort_unstable();
        let occupied = 1 + places[..sampled].windows(2).filter(|pair| pair[0] != pair[1]).count();
        let ratio = sqrt_f64(SAMPLED * occupied as f64 / sampled as f64);
        if ratio > 0.8 {
            break;
        }
        side *= ratio;
    }
    side * factor
}

/// The positions with the smallest hashes, at most [`SAMPLE`]. They do not depend on the order of the points.
fn sample_by_hash(n: usize, position: &impl Fn(usize) -> [f64; 2]) -> impl Iterator<Item = [f64; 2]> {
    let hash = |[x, y]: [f64; 2]| {
        let mix = |word: u64| (word ^ word >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        // Adding 0 makes -0 to 0.
        mix(mix(mix((x + 0.0).to_bits()) ^ (y + 0.0).to_bits()))
    };
    let mut kept = [(0, [0.0; 2]); 2 * SAMPLE];
    let (mut count, mut bound) = (0, u64::MAX);
    let choose = |kept: &mut [(u64, [f64; 2])]| {
        kept.sort_unstable_by_key(|&(hash, _)| hash);
        kept.len().min(SAMPLE)
    };
    for at in (0..n).map(position) {
        let hash = hash(at);
        if hash <= bound {
            kept[count] = (hash, at);
            count += 1;
            if count == kept.len() {
                count = choose(&mut kept);
                bound = kept[count - 1].0;
            }
        }
    }
    count = choose(&mut kept[..count]);
    kept.into_iter().take(count).map(|(_, at)| at)
}
