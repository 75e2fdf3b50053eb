//! Bond-orientational order: orientations from the directions of nearest neighbours.

use alloc::vec::Vec;
use core::ops::Range;

use super::Psi;
use super::boundary::{self, Boundary, FARTHEST, PERIODS};
use super::frame::scale_of;
use crate::error::Error;
use crate::error::exactly;
use crate::float::Float;
use crate::libm::sqrt_f64;
use crate::memory;

impl Psi {
    /// The bond-orientational order of each point: the mean of exp(i `fold` theta) over the
    /// directions theta from the point to its `k` nearest neighbours. This is psi_6 if `k` and
    /// `fold` are 6.
    ///
    /// Points at equal distance are ordered by index. In a periodic plane every other point counts
    /// once, at its nearest image; a point is never its own neighbour. A neighbour at the same
    /// position has no direction: it counts as one of the `k` and adds 0. Coordinates are folded
    /// into the period exactly. Distances and directions are computed in `f64`, and directions are
    /// added in the order of the distances, so that the bits are the same on every CPU.
    ///
    /// For evenly spread points, the time is proportional to their number times `k`. The memory is
    /// 48 bytes per point.
    ///
    /// ```
    /// use hotloops::correlation::{Boundary, Psi};
    /// // A square lattice in a periodic plane.
    /// let (x, y): (Vec<f64>, Vec<f64>) = (0..36).map(|i| (f64::from(i % 6), f64::from(i / 6))).unzip();
    /// let psi = Psi::of_neighbours(&x, &y, Boundary::Periodic([6.0, 6.0]), 4, 4)?;
    /// assert_eq!(psi, [Psi::ONE; 36]);
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Length`] if the slices differ in length; [`Error::Neighbours`] if `k` is 0, or if a
    /// point has fewer than `k` others; [`Error::Coordinate`] for a coordinate that is not finite,
    /// or, in an open plane, above 10^300 in magnitude; [`Error::Periodic`] for a period that is
    /// not between 10^-290 and 10^290; [`Error::NoMemory`].
    pub fn of_neighbours<T: Float>(
        x: &[T],
        y: &[T],
        boundary: Boundary,
        k: usize,
        fold: u32,
    ) -> Result<Vec<Psi>, Error> {
        exactly("y", x.len(), y.len())?;
        let n = x.len();
        if k == 0 || (n > 0 && k >= n) {
            return Err(Error::Neighbours { k, others: n.saturating_sub(1) });
        }
        let axes = [Axis::new("x", x, boundary, 0)?, Axis::new("y", y, boundary, 1)?];
        let sorted = Sorted::new(x, y, axes, k)?;
        let mut all = memory::filled(n, Psi::default())?;
        let mut nearest = memory::with_capacity(k)?;
        for cell in 0..sorted.first.len() - 1 {
            for slot in sorted.first[cell]..sorted.first[cell + 1] {
                sorted.find(cell, slot, k, &mut nearest);
                let sum = nearest.iter().fold([0.0; 2], |sum, neighbour| {
                    let [re, im] = direction(neighbour.to, fold);
                    [sum[0] + re, sum[1] + im]
                });
                let [re, im] = sum.map(|part| part / k as f64);
                all[sorted.points[slot].index] = Psi::rounded(re, im);
            }
        }
        Ok(all)
    }
}

/// (z / |z|)^`fold`; 0 if z is 0.
fn direction(z: [f64; 2], fold: u32) -> [f64; 2] {
    let scale = z[0].abs().max(z[1].abs());
    if scale == 0.0 {
        return [0.0; 2];
    }
    let [x, y] = z.map(|part| part / scale);
    let square = x * x + y * y;
    let times = |a: [f64; 2], b: [f64; 2]| [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]];
    // z^2 / |z|^2 needs no root.
    let mut twice = [(x - y) * (x + y) / square, 2.0 * x * y / square];
    let mut power = match fold % 2 {
        0 => [1.0, 0.0],
        _ => [x, y].map(|part| part / sqrt_f64(square)),
    };
    let mut rest = fold / 2;
    while rest > 0 {
        if rest % 2 == 1 {
            power = times(power, twice);
        }
        twice = times(twice, twice);
        rest /= 2;
    }
    power
}

/// The range of a coordinate, divided into cells.
#[derive(Clone, Copy)]
struct Axis {
    start: f64,
    length: f64,
    periodic: bool,
    cells: usize,
    side: f64,
}

impl Axis {
    fn new<T: Float>(argument: &'static str, values: &[T], boundary: Boundary, axis: usize) -> Result<Self, Error> {
        let (start, length, farthest) = match boundary {
            Boundary::Periodic(periods) => {
                let period = periods[axis];
                if !(PERIODS[0]..=PERIODS[1]).contains(&period) {
                    return Err(Error::Periodic { argument });
                }
                (-0.5 * period, period, f64::MAX)
            }
            Boundary::Open => {
                let [first, last] = boundary::range(values);
                (first, last - first, FARTHEST)
            }
        };
        boundary::check(argument, values, farthest)?;
        Ok(Axis { start, length, periodic: matches!(boundary, Boundary::Periodic(_)), cells: 1, side: length })
    }

    /// The coordinate, folded into the period if there is one.
    fn local(&self, x: f64) -> f64 {
        if self.periodic { boundary::folded(x, self.length) } else { x }
    }

    fn cell(&self, x: f64) -> usize {
        (((x - self.start) / self.side) as usize).min(self.cells - 1)
    }

    /// The difference from one point to the nearest image of another. If two images are exactly
    /// half a period away, it is the difference of the coordinates folded into 0 to `length`.
    fn difference(&self, from: f64, to: f64) -> f64 {
        let (d, rest) = boundary::difference(from, to);
        match self.periodic {
            true if d >= 0.5 * self.length => (d - self.length) + rest,
            true if d <= -0.5 * self.length => (d + self.length) + rest,
            _ => d,
        }
    }

    /// The cells at offsets `from` to `to` from a cell. Each cell appears once, even if the offsets
    /// span more than all cells.
    fn around(&self, cell: usize, from: i64, to: i64) -> [Range<usize>; 2] {
        let (cell, cells) = (cell as i64, self.cells as i64);
        let [min, max] = if self.periodic { [-((cells - 1) / 2), cells / 2] } else { [-cell, cells - 1 - cell] };
        let (begin, end) = (cell + from.max(min), cell + to.min(max) + 1);
        let inside = |begin: i64, end: i64| {
            let begin = begin.clamp(0, cells);
            begin as usize..end.clamp(begin, cells) as usize
        };
        // Cells beyond one end wrap around to the other.
        let beyond = if begin < 0 { inside(begin + cells, end + cells) } else { inside(begin - cells, end - cells) };
        [inside(begin, end), beyond]
    }

    /// A distance from `x` within which every point lies in the cell of `x` or in the `rings` rings
    /// of cells around it.
    fn margin(&self, cell: usize, x: f64, rings: i64) -> f64 {
        let (cell, cells) = (cell as i64, self.cells as i64);
        let (first, last) = (cell - rings, cell + rings);
        let [all_below, all_above] =
            if self.periodic { [last - first + 1 >= cells; 2] } else { [first <= 0, last + 1 >= cells] };
        let below = if all_below { f64::INFINITY } else { x - self.start - first as f64 * self.side };
        let above = if all_above { f64::INFINITY } else { (last + 1) as f64 * self.side - (x - self.start) };
        // Subtract an allowance for the rounding of cells and differences.
        below.min(above) - 1e-14 * self.length
    }
}

struct Point {
    at: [f64; 2],
    index: usize,
}

struct Neighbour {
    /// The sort key: the scaled squared distance, then the index.
    rank: (f64, usize),
    /// The scaled difference to the neighbour.
    to: [f64; 2],
}

/// Points sorted by cell, row by row.
struct Sorted {
    axes: [Axis; 2],
    /// A power of two by which lengths are multiplied before they are squared.
    scale: f64,
    points: Vec<Point>,
    /// Index of the first point of each cell, then the number of points.
    first: Vec<usize>,
}

impl Sorted {
    fn new<T: Float>(x: &[T], y: &[T], mut axes: [Axis; 2], k: usize) -> Result<Self, Error> {
        // Square cells with a mean of k / 2 points (at least 1), so that most neighbours are in the
        // first ring. There are at most as many cells as points.
        let n = x.len().max(1) as f64;
        let mean = (0.5 * k as f64).max(1.0);
        let longest = axes.iter().fold(0.0, |longest: f64, axis| longest.max(axis.length));
        let scale = scale_of(longest.clamp(PERIODS[0], PERIODS[1]));
        let [width, height] = axes.map(|axis| axis.length * scale);
        let area = mean * width * height / n;
        let side = if area.is_normal() && area > 0.0 { sqrt_f64(area) } else { 0.0 }.max(mean * width.max(height) / n);
        for axis in &mut axes {
            // At least one cell, even if the quotient is NaN.
            axis.cells = ((axis.length * scale / side) as usize).max(1);
            axis.side = if axis.length > 0.0 { axis.length / axis.cells as f64 } else { 1.0 };
        }
        let mut cells = memory::with_capacity(x.len())?;
        let mut first = memory::filled(axes[0].cells * axes[1].cells + 1, 0)?;
        let at = |i: usize| [axes[0].local(x[i].to_f64()), axes[1].local(y[i].to_f64())];
        for i in 0..x.len() {
            let [x, y] = at(i);
            let cell = axes[1].cell(y) * axes[0].cells + axes[0].cell(x);
            cells.push(cell);
            first[cell] += 1;
        }
        // Counting sort: counts become ends of cells. Points then fill each cell from its end,
        // which turns the ends into beginnings.
        let mut end = 0;
        for number in &mut first {
            end += *number;
            *number = end;
        }
        let mut order = memory::filled(x.len(), 0)?;
        for (i, cell) in cells.into_iter().enumerate().rev() {
            first[cell] -= 1;
            order[first[cell]] = i;
        }
        let points = memory::collected(order.into_iter().map(|index| Point { at: at(index), index }))?;
        Ok(Sorted { axes, scale, points, first })
    }

    /// Finds the `k` points nearest to the point in `slot`, nearest first.
    fn find(&self, cell: usize, slot: usize, k: usize, nearest: &mut Vec<Neighbour>) {
        let [columns, rows] = &self.axes;
        let (column, row) = (cell % columns.cells, cell / columns.cells);
        let at = self.points[slot].at;
        nearest.clear();
        let mut see = |range: Range<usize>| {
            for other in range.filter(|&other| other != slot) {
                let point = &self.points[other];
                let to = [columns.difference(at[0], point.at[0]), rows.difference(at[1], point.at[1])];
                let to = to.map(|part| part * self.scale);
                let rank = (to[0] * to[0] + to[1] * to[1], point.index);
                if nearest.len() == k {
                    if nearest[k - 1].rank <= rank {
                        continue;
                    }
                    nearest.pop();
                }
                let place = nearest.partition_point(|neighbour| neighbour.rank < rank);
                nearest.insert(place, Neighbour { rank, to });
            }
            nearest.get(k - 1).map(|neighbour| neighbour.rank.0)
        };
        let mut farthest = None;
        // The first pass searches the cell together with its first ring.
        let mut seen = -1;
        for rings in 1.. {
            for above in rows.around(row, -rings, rings).into_iter().flatten() {
                let up = (above as i64 - row as i64).abs();
                // Distance of the row in cells; in a periodic plane, possibly across the edge.
                let up = if rows.periodic { up.min(rows.cells as i64 - up) } else { up };
                let parts =
                    if up > seen { [[-rings, rings], [1, 0]] } else { [[-rings, -seen - 1], [seen + 1, rings]] };
                for [from, to] in parts {
                    for run in columns.around(column, from, to).into_iter().filter(|run| !run.is_empty()) {
                        let begin = above * columns.cells;
                        farthest = see(self.first[begin + run.start]..self.first[begin + run.end]);
                    }
                }
            }
            let margin = columns.margin(column, at[0], rings).min(rows.margin(row, at[1], rings)) * self.scale;
            if farthest.is_some_and(|square| margin > 0.0 && square < margin * margin) {
                return;
            }
            seen = rings;
        }
    }
}
