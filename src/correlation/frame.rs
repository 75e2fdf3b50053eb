//! The grid of cells: the coordinates of points relative to cells, and which cells are near.

use core::ops::Range;

use super::boundary::{self, Boundary, FARTHEST, PERIODS};
use crate::error::Error;
use crate::float::Float;
use crate::libm::{nearest, sqrt_f32, sqrt_f64};

/// The mean number of points in a cell.
const POINTS: f64 = 16.0;

/// The maximum number of cells along an axis.
const MAX_CELLS: f64 = 4096.0;

/// The scaled side of a block of cells.
const BLOCK: f64 = 4.0;
/// The maximum scaled side of a cell whose points the kernels compare. A point is then at most 6
/// from its reference, so that rounding to f32 moves it by at most 2^-22.
pub(super) const MAX_SIDE: f64 = 6.0;

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
    /// Whether cells are so much longer than the largest distance that their points are compared
    /// one by one, in f64.
    pub sparse: bool,
}

/// The cells along an axis. Lengths are scaled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Axis {
    pub start: f64,
    pub side: f64,
    pub cells: usize,
    /// Cells per block.
    block: usize,
    /// References are multiples of this power of two, so that integers stay integers.
    grid: f64,
    /// Not scaled.
    period: Option<f64>,
}

/// Cells of a row, an image of which is near a given cell.
pub(super) struct Near {
    pub cells: Range<usize>,
    /// Offset of this image from the cells: lengths of whole periods.
    pub laps: [f64; 2],
    /// Offset of this image's reference from the reference of the given cell.
    pub shift: [f32; 2],
    /// Whether points may be half a period apart, so that two images of a pair may both count.
    pub doubled: bool,
}

/// The power of two that scales a positive length into 1..2.
pub(super) fn scale_of(length: f64) -> f64 {
    f64::from_bits((2046 - (length.to_bits() >> 52)) << 52)
}

impl Axis {
    /// Divides a range of positions into cells of about the given side.
    fn new(start: f64, length: f64, side: f64, period: Option<f64>) -> Axis {
        let cells = (length / side).clamp(1.0, MAX_CELLS) as usize;
        let side = if length > 0.0 { length / cells as f64 } else { 1.0 };
        let block = (BLOCK / side).clamp(1.0, MAX_CELLS) as usize;
        let grid = 1.0 / scale_of((block as f64 * side).max(1e-9));
        Axis { start, side, cells, block, grid, period }
    }

    /// The cell of a position; positions outside the range belong to the first or last cell.
    pub fn cell(&self, position: f64) -> usize {
        (((position - self.start) / self.side) as usize).min(self.cells - 1)
    }

    /// The position that coordinates of a cell are relative to.
    pub fn reference(&self, cell: usize) -> f64 {
        let middle = (self.start + ((cell / self.block) as f64 + 0.5) * (self.block as f64 * self.side)) / self.grid;
        // Beyond 2^51 all numbers are multiples of a half.
        (if middle.abs() < (1u64 << 51) as f64 { nearest(middle) } else { middle }) * self.grid
    }

    /// One past the last cell of the block that contains `cell`.
    fn block_end(&self, cell: usize) -> usize {
        ((cell / self.block + 1) * self.block).min(self.cells)
    }

    /// The length of `laps` periods, scaled.
    fn laps(&self, laps: i64, scale: f64) -> f64 {
        self.period.map_or(0.0, |period| laps as f64 * (period * scale))
    }
}

impl Frame {
    /// The frame for points with these coordinates and for distances up to `r_max`.
    pub fn new<T: Float>(x: &[T], y: &[T], boundary: Boundary, r_max: f64) -> Result<Frame, Error> {
        if !(r_max > 0.0 && r_max.is_finite()) {
            return Err(Error::Bins { index: 0 });
        }
        let mut periods = [None; 2];
        let (mut starts, mut lengths) = ([0.0; 2], [0.0; 2]);
        let mut farthest = r_max;
        match boundary {
            Boundary::Periodic(given) => {
                for (axis, argument) in ["x", "y"].into_iter().enumerate() {
                    let period = given[axis];
                    if !(0.5 * period >= r_max && (PERIODS[0]..=PERIODS[1]).contains(&period)) {
                        return Err(Error::Periodic { argument });
                    }
                    (periods[axis], lengths[axis], starts[axis]) = (Some(period), period, -0.5 * period);
                }
            }
            Boundary::Open => {
                for (axis, values) in [x, y].into_iter().enumerate() {
                    let [first, last] = boundary::range(values);
                    if first <= last {
                        (starts[axis], lengths[axis]) = (first, last - first);
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
        let [starts, lengths] = [starts, lengths].map(|values| values.map(scaled));
        let area = (POINTS / x.len().max(1) as f64 * lengths[0] * lengths[1]).clamp(f64::MIN_POSITIVE, f64::MAX);
        // Square cells with a mean of `POINTS` points, but not smaller than 1/64 of the largest
        // distance.
        let side = sqrt_f64(area).max(farthest * scale / 64.0);
        let axes = [0, 1].map(|axis| Axis::new(starts[axis], lengths[axis], side, periods[axis]));
        let sparse = axes.iter().any(|axis| axis.side > MAX_SIDE);
        Ok(Frame { axes, scale, sparse })
    }

    /// The number of cells.
    pub fn cells(&self) -> usize {
        self.axes[0].cells * self.axes[1].cells
    }

    /// [`Error::Coordinate`] for the first coordinate that is not finite, or too far from the
    /// origin.
    pub fn check<T: Float>(&self, axis: usize, values: &[T]) -> Result<(), Error> {
        let farthest = if self.axes[axis].period.is_some() { f64::MAX } else { FARTHEST.min(FARTHEST / self.scale) };
        boundary::check(["x", "y"][axis], values, farthest)
    }

    /// The folded and scaled position of a coordinate.
    pub fn position(&self, axis: usize, x: f64) -> f64 {
        self.axes[axis].period.map_or(x, |period| boundary::folded(x, period)) * self.scale
    }

    /// Column and row of a cell.
    pub fn place(&self, cell: usize) -> [usize; 2] {
        [cell % self.axes[0].cells, cell / self.axes[0].cells]
    }

    /// Half of the periods, scaled; infinity in an open plane.
    pub fn half_periods(&self) -> [f64; 2] {
        self.axes.map(|axis| axis.period.map_or(f64::INFINITY, |period| 0.5 * (period * self.scale)))
    }

    /// [`Error::Periodic`] if a period is less than twice a distance.
    pub fn check_distance(&self, r_max: f64) -> Result<(), Error> {
        match self.axes.iter().position(|axis| axis.period.is_some_and(|period| 0.5 * period < r_max)) {
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
                && (2 * apart[axis].abs() - along.cells as i64).abs() <= 2
                && (apart[1 - axis].abs() - 1) as f64 * across.side <= r_max / 32.0
        })
    }

    /// Calls `each` for runs of cells whose points may be within the scaled distance `r_max` of the
    /// points of `cell`. The cells of a run lie in one row and one block. Other images of `cell`
    /// are included, `cell` itself is not. If `half`, only cells to the right in the same row and
    /// cells above are passed.
    pub fn near(&self, cell: usize, r_max: f64, half: bool, mut each: impl FnMut(Near)) {
        let Frame { axes, scale, .. } = self;
        let [columns, rows] = axes.map(|axis| axis.cells as i64);
        let [column, row] = self.place(cell).map(|place| place as i64);
        let near_half = self.near_half(r_max);
        // Rounding may put points slightly outside their cells, and distances are rounded.
        let farthest = r_max * (1.0 + 1e-5);
        let reach =
            |axis: usize, r: f64| ((r / (axes[axis].side * (1.0 - 1e-5))) as i64).min(axes[axis].cells as i64) + 1;
        let highest = reach(1, farthest);
        for up in if half { 0 } else { -highest }..=highest {
            let (above, turns) = ((row + up).rem_euclid(rows), (row + up).div_euclid(rows));
            if axes[1].period.is_none() && turns != 0 {
                continue;
            }
            let dy = (up.abs() - 1).max(0) as f64 * axes[1].side * (1.0 - 1e-5);
            let wide = reach(0, f64::from(sqrt_f32((farthest * farthest - dy * dy).max(0.0) as f32)) * (1.0 + 1e-6));
            let mut at = column + if half && up == 0 { 1 } else { -wide };
            while at <= column + wide {
                let (lap, first) = (at.div_euclid(columns), at.rem_euclid(columns) as usize);
                let mut end = (column + wide + 1).min(at + (axes[0].block_end(first) - first) as i64);
                let doubled = near_half && self.doubled([at - column, up], r_max);
                if near_half {
                    let differs = |at: &i64| self.doubled([at - column, up], r_max) != doubled;
                    end = (at + 1..end).find(differs).unwrap_or(end);
                }
                if axes[0].period.is_some() || lap == 0 {
                    let laps = [axes[0].laps(lap, *scale), axes[1].laps(turns, *scale)];
                    let from = [axes[0].reference(column as usize), axes[1].reference(row as usize)];
                    let to = [axes[0].reference(first), axes[1].reference(above as usize)];
                    let shift = [0, 1].map(|axis| ((to[axis] - from[axis]) + laps[axis]) as f32);
                    let begin = above as usize * columns as usize + first;
                    let cells = begin..begin + (end - at) as usize;
                    let mut run = |cells| each(Near { cells, laps, shift, doubled });
                    // Skip the cell itself.
                    if up == 0 && (at..end).contains(&column) {
                        run(cells.start..cell);
                        run(cell + 1..cells.end);
                    } else {
                        run(cells);
                    }
                }
                at = end;
            }
        }
    }
}
