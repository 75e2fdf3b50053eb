//! Points of real coordinates, in cells.

use alloc::vec::Vec;
use core::ops::Range;

use super::accumulator::{Accumulator, unpack};
use super::bins::Uniform;
use super::boundary::{self, Boundary};
use super::{MOST_PAIRS, Psi, TABLES, edges, scatter};
use crate::error::exactly;
use crate::libm::sqrt_f32;
use crate::{Error, Float, memory};

/// The mean number of points in a cell.
const POINTS: f64 = 16.0;

/// The most cells along an axis.
const MOST_CELLS: f64 = 4096.0;

/// Points with real coordinates, sorted into square cells.
///
/// Coordinates are rounded to `f32` after a common origin is subtracted, or, in a periodic plane, the whole periods. The products of
/// orientations are rounded to multiples of 2^-20. Points hold at most 32 bytes each, while they are made 64; what is added to an
/// accumulator takes 64 a bin meanwhile. The cells are the units of work, for threads to share:
///
/// ```
/// use hotloops::correlation::{Accumulator, Bins, Boundary, Points, Psi};
/// let (x, y): (Vec<f64>, Vec<f64>) = (0..100).map(|i| (0.7 * f64::from(i * i % 83), f64::from(i * 7 % 64))).unzip();
/// let bins = Bins::uniform(0.0, 20.0, 0.5)?;
/// let points = Points::new(&x, &y, &[Psi::ONE; 100], Boundary::Periodic([70.0, 64.0]), bins.r_max())?;
/// let empty = Accumulator::new(bins)?;
/// let (mut whole, mut even, mut odd) = (empty.clone(), empty.clone(), empty);
/// whole.add_points(&points)?;
/// for cell in 0..points.cells() {
///     let part = if cell % 2 == 0 { &mut even } else { &mut odd };
///     part.add_points_of_cells(&points, cell..cell + 1)?;
/// }
/// even.merge(&odd)?;
/// assert_eq!(even, whole);
/// # Ok::<(), hotloops::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Points {
    x: Vec<f32>,
    y: Vec<f32>,
    psi: Vec<Psi>,
    /// The first point of each cell, row by row, and the number of points.
    first: Vec<usize>,
    /// The least and the largest x and y of the points of each cell.
    boxes: Vec<[[f32; 2]; 2]>,
    frame: Frame,
}

/// What turns coordinates into cells. Sets of one frame can be compared with each other.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Frame {
    origin: [f64; 2],
    cells: [usize; 2],
    side: [f64; 2],
    period: Option<[f32; 2]>,
    r_max: f64,
}

impl Frame {
    fn cell(&self, axis: usize, x: f32) -> usize {
        ((f64::from(x) / self.side[axis]) as usize).min(self.cells[axis] - 1)
    }

    /// A coordinate from the origin on, or within the period.
    fn local(&self, axis: usize, x: f64) -> f32 {
        let x = x - self.origin[axis];
        match self.period {
            None => x as f32,
            Some(period) => boundary::folded(x, period[axis].into()) as f32,
        }
    }
}

impl Points {
    /// Sorts points: point i is at (`x[i]`, `y[i]`) and has the orientation `psi[i]`; pairs up to the distance `r_max` can be counted.
    ///
    /// # Errors
    /// [`Error::Length`] if the slices are not equally long; [`Error::Coordinate`] for one that is not finite, or more than 2^24 periods from 0 (in an
    /// open plane 10^18 from the others); [`Error::Periodic`] for a period that is not a normal number in `f32`, or less than
    /// twice `r_max`; [`Error::Bins`] if `r_max` is not positive and finite; [`Error::NoMemory`].
    pub fn new<T: Float>(x: &[T], y: &[T], psi: &[Psi], boundary: Boundary, r_max: f64) -> Result<Self, Error> {
        exactly("y", x.len(), y.len())?;
        if !(r_max > 0.0 && r_max.is_finite()) {
            return Err(Error::Bins { index: 0 });
        }
        let mut frame = Frame { origin: [0.0; 2], cells: [1; 2], side: [1.0; 2], period: None, r_max };
        let mut lengths = [0.0; 2];
        match boundary {
            Boundary::Periodic(periods) => {
                for (argument, period) in ["x", "y"].into_iter().zip(periods) {
                    if !(period >= 2.0 * r_max && (period as f32).is_normal()) {
                        return Err(Error::Periodic { argument });
                    }
                }
                lengths = periods;
                frame.period = Some(periods.map(|period| period as f32));
            }
            Boundary::Open => {
                for (axis, values) in [x, y].into_iter().enumerate() {
                    let [least, most] = boundary::range(values);
                    if least <= most {
                        frame.origin[axis] = least;
                        lengths[axis] = most - least;
                    }
                }
            }
        }
        let n = x.len().max(1) as f64;
        // Square cells of so many points, and not much smaller than the distances.
        let [length, width] = lengths.map(|length| length.max(f64::MIN_POSITIVE));
        let side = f64::from(sqrt_f32((POINTS * length * width / n) as f32)).max(r_max / 64.0);
        for (axis, length) in lengths.into_iter().enumerate() {
            let cells = (length / side).clamp(1.0, MOST_CELLS) as usize;
            let length = if length > 0.0 { length } else { 1.0 };
            (frame.cells[axis], frame.side[axis]) = (cells, length / cells as f64);
        }
        Self::in_frame(x, y, psi, frame)
    }

    /// Sorts other points of the same plane, so that pairs of a point of `self` and one of them can be counted.
    ///
    /// # Errors
    /// As for [`Points::new`].
    pub fn others<T: Float>(&self, x: &[T], y: &[T], psi: &[Psi]) -> Result<Self, Error> {
        Self::in_frame(x, y, psi, self.frame)
    }

    fn in_frame<T: Float>(x: &[T], y: &[T], psi: &[Psi], frame: Frame) -> Result<Self, Error> {
        exactly("y", x.len(), y.len())?;
        exactly("psi", x.len(), psi.len())?;
        for (axis, (argument, values)) in [("x", x), ("y", y)].into_iter().enumerate() {
            boundary::check(argument, values, frame.origin[axis], frame.period.map(|period| period[axis].into()))?;
        }
        let n = x.len();
        let mut keys = memory::collected((0..n).map(|i| {
            let local = [frame.local(0, x[i].to_f64()), frame.local(1, y[i].to_f64())];
            let [column, row] = [0, 1].map(|axis| frame.cell(axis, local[axis]));
            (row * frame.cells[0] + column, local, i)
        }))?;
        keys.sort_unstable_by_key(|key| (key.0, key.2));
        let cells = frame.cells[0] * frame.cells[1];
        let mut points = Points {
            x: memory::with_capacity(n)?,
            y: memory::with_capacity(n)?,
            psi: memory::with_capacity(n)?,
            first: memory::with_capacity(cells + 1)?,
            boxes: memory::filled(cells, [[f32::INFINITY, f32::NEG_INFINITY]; 2])?,
            frame,
        };
        for &(cell, local, i) in &keys {
            while points.first.len() <= cell {
                points.first.push(points.x.len());
            }
            for (side, x) in points.boxes[cell].iter_mut().zip(local) {
                *side = [side[0].min(x), side[1].max(x)];
            }
            points.x.push(local[0]);
            points.y.push(local[1]);
            points.psi.push(psi[i]);
        }
        points.first.resize(cells + 1, n);
        Ok(points)
    }

    /// The number of points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// Whether there is no point.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }

    /// The number of cells, the units of work of [`Accumulator::add_points_of_cells`].
    #[must_use]
    pub fn cells(&self) -> usize {
        self.boxes.len()
    }

    /// Calls `each(cells, shift)` for the runs of cells of a row whose points may be within `r_max` of those of a cell, where `shift`
    /// is added to them; those of an image of the cell itself are among them, the cell itself is not. `half`: only what is
    /// to the right of the cell, or above it.
    fn near(&self, cell: usize, r_max: f64, half: bool, mut each: impl FnMut(Range<usize>, [f32; 2])) {
        let Frame { cells: [columns, rows], side, period, .. } = self.frame;
        let (column, row) = ((cell % columns) as i64, (cell / columns) as i64);
        // Cells have their points to within rounding.
        let r_max = r_max * (1.0 + 1e-5);
        let reach = |axis: usize, most: usize, r: f64| ((r / (side[axis] * (1.0 - 1e-5))) as i64).min(most as i64) + 1;
        let highest = reach(1, rows, r_max);
        for up in if half { 0 } else { -highest }..=highest {
            let (above, turns) = ((row + up).rem_euclid(rows as i64), (row + up).div_euclid(rows as i64));
            if period.is_none() && turns != 0 {
                continue;
            }
            let dy = (up.abs() - 1).max(0) as f64 * side[1] * (1.0 - 1e-5);
            let wide = reach(0, columns, f64::from(sqrt_f32((r_max * r_max - dy * dy).max(0.0) as f32)) * (1.0 + 1e-6));
            let mut at = column + if half && up == 0 { 1 } else { -wide };
            while at <= column + wide {
                let lap = at.div_euclid(columns as i64);
                let end = (column + wide + 1).min((lap + 1) * columns as i64);
                if period.is_some() || lap == 0 {
                    let run = |x: i64| above as usize * columns + (x - lap * columns as i64) as usize;
                    let [width, height] = period.unwrap_or([0.0; 2]);
                    // The cell itself stands between its neighbours.
                    let own = (up == 0 && at <= column && column < end).then_some(column);
                    let shift = [lap as f32 * width, turns as f32 * height];
                    match own {
                        Some(own) => {
                            each(run(at)..run(own), shift);
                            each(run(own) + 1..run(end - 1) + 1, shift);
                        }
                        None => each(run(at)..run(end - 1) + 1, shift),
                    }
                }
                at = end;
            }
        }
    }
}

/// Points as kernels see them.
#[derive(Clone, Copy)]
struct Set<'a> {
    x: &'a [f32],
    y: &'a [f32],
    psi: &'a [Psi],
}

impl<'a> Set<'a> {
    fn part(self, range: Range<usize>) -> Self {
        Set { x: &self.x[range.clone()], y: &self.y[range.clone()], psi: &self.psi[range] }
    }

    /// Parts of at most [`CHUNK`] points.
    fn chunks(self) -> impl Iterator<Item = Set<'a>> {
        (0..self.x.len()).step_by(CHUNK).map(move |at| self.part(at..self.x.len().min(at + CHUNK)))
    }

    fn psi(&self) -> *const i16 {
        self.psi.as_ptr().cast()
    }
}

/// Pairs of so many points with as many do not fill a word.
const CHUNK: usize = 256;
const _: () = assert!(CHUNK * CHUNK <= MOST_PAIRS);

/// From so many edges between two cells on each pair's bin is found by itself. Few wide bins are worse for that than the comparisons
/// that they save: additions to the same words follow each other. With 5.4 edges, 20 bins to 300 pixels, comparisons win.
const MANY_EDGES: f64 = 12.0;

/// The words that get pairs, and what is added to before they are full.
struct Tally<'a> {
    accumulator: &'a mut Accumulator,
    /// Pairs that a word may hold by now.
    pending: usize,
    words: Vec<i64>,
    way: Way,
}

/// How the bin of a pair is found.
enum Way {
    /// From its distance; there are `bins`, of which the first ones are `skipped`.
    Scatter { inverse_width: f32, bins: usize, skipped: usize },
    /// By comparisons with the squares of those edges that may lie between two cells. `words` holds the pairs beyond an edge,
    /// of cells that it lies between; `lowest` all pairs of cells for which it is the last edge below.
    Edges { squares: Vec<f32>, lowest: Vec<i64> },
}

impl<'a> Tally<'a> {
    fn new(accumulator: &'a mut Accumulator, frame: &Frame) -> Result<Self, Error> {
        let bins = &accumulator.bins;
        let mean_width = (bins.r_max() - bins.edges()[0]) / bins.len() as f64;
        // Distances of points of two cells differ by about twice their side.
        let edges = 1.0 + 1.1 * (frame.side[0] + frame.side[1]) / mean_width;
        let (way, words) = match bins.as_uniform() {
            Some(Uniform { inverse_width, skipped }) if edges >= MANY_EDGES => {
                let bins = skipped + bins.len();
                (Way::Scatter { inverse_width, bins, skipped }, TABLES * (bins + 1))
            }
            _ => {
                let edges = bins.len() + 1;
                let squares = memory::collected((0..edges).map(|edge| bins.of_floats(edge)))?;
                (Way::Edges { squares, lowest: memory::filled(edges, 0)? }, edges)
            }
        };
        Ok(Tally { accumulator, pending: 0, words: memory::filled(words, 0)?, way })
    }

    /// Makes room for pairs of which a word gets `most` at most.
    fn reserve(&mut self, most: usize) {
        if self.pending + most > MOST_PAIRS {
            self.read();
        }
        self.pending += most;
    }

    /// All pairs of two sets that may have distances between two squares.
    fn add(&mut self, a: Set, b: Set, shift: [f32; 2], between: impl Fn() -> [f64; 2]) {
        if a.x.is_empty() || b.x.is_empty() {
            return;
        }
        let (first, last) = match &self.way {
            Way::Scatter { .. } => (0, 0),
            Way::Edges { squares, .. } => {
                let [least, most] = between();
                let below = |square: f64| squares.partition_point(|&edge| f64::from(edge) <= square);
                let (first, last) = (below(least), below(most));
                if first == squares.len() || last == 0 {
                    return;
                }
                (first, last)
            }
        };
        for a in a.chunks() {
            for b in b.chunks() {
                let (n, m, shift) = (a.x.len(), b.x.len(), shift.as_ptr());
                let [ax, ay, bx, by] = [a.x, a.y, b.x, b.y].map(<[f32]>::as_ptr);
                match self.way {
                    Way::Scatter { .. } => self.reserve(n * m.div_ceil(TABLES)),
                    Way::Edges { .. } => self.reserve(n * m),
                }
                match &mut self.way {
                    Way::Scatter { inverse_width, bins, .. } => {
                        let words = self.words.as_mut_ptr();
                        // SAFETY: arrays of one length each, finite; the words of all tables.
                        unsafe { scatter(ax, ay, a.psi(), n, bx, by, b.psi(), m, shift, *inverse_width, *bins, words) }
                    }
                    Way::Edges { squares, lowest } => {
                        // All pairs are beyond the first `first` edges, and none beyond those from `last` on.
                        let begin = first.saturating_sub(1);
                        let edge = squares[begin..last].as_ptr();
                        if first > 0 {
                            let all = core::mem::replace(&mut self.words[begin], 0);
                            let words = self.words[begin..last].as_mut_ptr();
                            // SAFETY: as above; as many words as edges.
                            unsafe { edges(ax, ay, a.psi(), n, bx, by, b.psi(), m, shift, edge, last - begin, words) }
                            lowest[begin] = lowest[begin].wrapping_add(core::mem::replace(&mut self.words[begin], all));
                        } else {
                            let words = self.words[..last].as_mut_ptr();
                            // SAFETY: as above.
                            unsafe { edges(ax, ay, a.psi(), n, bx, by, b.psi(), m, shift, edge, last, words) }
                        }
                    }
                }
            }
        }
    }

    /// Gives all words on, and clears them.
    fn read(&mut self) {
        // From units of 2^-20 to those of 2^-28.
        let wide = |sum: i64| i128::from(sum) << 8;
        match &mut self.way {
            Way::Scatter { bins, skipped, .. } => {
                for table in self.words.chunks_exact(*bins + 1) {
                    for (bin, &word) in table[*skipped..*bins].iter().enumerate().filter(|(_, word)| **word != 0) {
                        let (count, sum) = unpack(word);
                        self.accumulator.add(bin, count, wide(sum));
                    }
                }
            }
            Way::Edges { lowest, .. } => {
                for (bin, (beyond, lowest)) in self.words.windows(2).zip(lowest.iter_mut()).enumerate() {
                    let [lower, upper, all] = [beyond[0], beyond[1], core::mem::take(lowest)].map(unpack);
                    self.accumulator.add(bin, lower.0 + all.0 - upper.0, wide(lower.1 + all.1 - upper.1));
                }
            }
        }
        self.words.fill(0);
        self.pending = 0;
    }
}

impl Points {
    fn set(&self, cells: Range<usize>) -> Set<'_> {
        Set { x: &self.x, y: &self.y, psi: &self.psi }.part(self.first[cells.start]..self.first[cells.end])
    }

    /// The least and the largest squared distance of points of a cell and of one of `others` shifted, or a little beyond.
    fn between(&self, cell: usize, others: &Points, other: usize, shift: [f32; 2]) -> [f64; 2] {
        let mut squares = [0.0; 2];
        for axis in 0..2 {
            let ([a_least, a_most], [b_least, b_most]) = (self.boxes[cell][axis], others.boxes[other][axis]);
            let [a_least, a_most, b_least, b_most, shift] =
                [a_least, a_most, b_least, b_most, shift[axis]].map(f64::from);
            let (least, most) = (b_least - a_most + shift, b_most - a_least + shift);
            // What rounding moves a difference by, and then a square.
            let slack = 2e-7 * ((b_most - a_least).abs().max((b_least - a_most).abs()) + shift.abs());
            let nearest = (least.max(-most) - slack).max(0.0);
            let farthest = most.max(-least) + slack;
            squares[0] += nearest * nearest * (1.0 - 1e-6);
            squares[1] += farthest * farthest * (1.0 + 1e-6);
        }
        squares
    }
}

impl Accumulator {
    /// Adds the pairs of a set of points, each once.
    ///
    /// # Errors
    /// [`Error::Periodic`] if a period is less than twice the largest distance of the bins; [`Error::NoMemory`].
    pub fn add_points(&mut self, points: &Points) -> Result<(), Error> {
        self.add_points_of_cells(points, 0..points.cells())
    }

    /// Adds the pairs that belong to some cells: those of all [cells](Points::cells) are all pairs.
    ///
    /// # Errors
    /// [`Error::Periodic`] if a period is less than twice the largest distance of the bins; [`Error::NoMemory`].
    pub fn add_points_of_cells(&mut self, points: &Points, cells: Range<usize>) -> Result<(), Error> {
        self.add_cells(points, points, cells, true)
    }

    /// Adds the pairs of a point of one set and one of another, which [`Points::others`] made from it.
    ///
    /// # Errors
    /// [`Error::Frame`] if the sets were not made for each other; as for [`Accumulator::add_points`].
    pub fn add_points_cross(&mut self, points: &Points, others: &Points) -> Result<(), Error> {
        if points.frame != others.frame {
            return Err(Error::Frame);
        }
        self.add_cells(points, others, 0..points.cells(), false)
    }

    /// `once`: of a set with itself, each pair once.
    fn add_cells(&mut self, points: &Points, others: &Points, cells: Range<usize>, once: bool) -> Result<(), Error> {
        let r_max = self.bins.r_max();
        for (axis, argument) in ["x", "y"].into_iter().enumerate() {
            if points.frame.period.is_some_and(|period| f64::from(period[axis]) < 2.0 * r_max) {
                return Err(Error::Periodic { argument });
            }
        }
        let mut tally = Tally::new(self, &points.frame)?;
        let edges = matches!(tally.way, Way::Edges { .. });
        for cell in cells.start..cells.end.min(points.cells()) {
            let own = points.set(cell..cell + 1);
            if own.x.is_empty() {
                continue;
            }
            let between = || points.between(cell, others, cell, [0.0; 2]);
            match once {
                true => (1..own.x.len())
                    .for_each(|i| tally.add(own.part(i - 1..i), own.part(i..own.x.len()), [0.0; 2], between)),
                false => tally.add(own, others.set(cell..cell + 1), [0.0; 2], between),
            }
            points.near(cell, r_max, once, |cells, shift| {
                if !edges {
                    return tally.add(own, others.set(cells), shift, || [0.0; 2]);
                }
                for other in cells {
                    tally.add(own, others.set(other..other + 1), shift, || points.between(cell, others, other, shift));
                }
            });
        }
        tally.read();
        Ok(())
    }
}
