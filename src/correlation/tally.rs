//! Counts pairs of points with real coordinates, by kernels or one by one.

use alloc::vec::Vec;
use core::ops::Range;

use super::accumulator::{Accumulator, unpack};
use super::bins::Uniform;
use super::boundary::difference;
use super::frame::{Frame, Near};
use super::points::Points;
use super::{MAX_PAIRS, Psi, TABLES, counts, edges, scatter};
use crate::error::Error;
use crate::memory;

/// Points in the form that kernels take.
#[derive(Clone, Copy)]
struct Set<'a> {
    x: &'a [f32],
    y: &'a [f32],
    /// Empty if pairs are only counted.
    psi: &'a [Psi],
}

/// Orientations that add nothing to a sum.
static NONE: [Psi; CHUNK] = [Psi::ZERO; CHUNK];

impl<'a> Set<'a> {
    fn part(self, range: Range<usize>) -> Self {
        Set { x: &self.x[range.clone()], y: &self.y[range.clone()], psi: self.psi.get(range).unwrap_or(&[]) }
    }

    /// Parts of at most [`CHUNK`] points.
    fn chunks(self) -> impl Iterator<Item = Set<'a>> {
        (0..self.x.len()).step_by(CHUNK).map(move |at| self.part(at..self.x.len().min(at + CHUNK)))
    }

    /// Orientations of a chunk.
    fn psi(&self) -> *const i16 {
        if self.psi.is_empty() { NONE.as_ptr().cast() } else { self.psi.as_ptr().cast() }
    }
}

/// Points per chunk. All pairs of two chunks fit into a word.
const CHUNK: usize = 256;
const _: () = assert!(CHUNK * CHUNK <= MAX_PAIRS);

/// The largest scaled distance: its square is finite in f32.
const MAX_DISTANCE: f64 = 1e18;

/// From this many edges between two cells on, the bin of each pair is computed from its distance.
/// Fewer edges are compared one by one. On Zen 1 both cost the same at about 3 edges.
const MANY_EDGES: f64 = 4.0;

/// The same for points without orientations, whose comparisons cost less: 7.6 edges on Zen 1.
const MANY_EDGES_OF_POSITIONS: f64 = 8.0;

/// Words that collect pairs, and the accumulator into which they are emptied.
struct Tally<'a> {
    accumulator: &'a mut Accumulator,
    /// Upper bound of the number of pairs in any word.
    pending: usize,
    words: Vec<i64>,
    way: Way,
    /// Whether pairs are only counted. With [`Way::Edges`], a word is then a plain number of pairs.
    counting: bool,
    /// For each edge, the smallest scaled squared distance beyond it. Empty if every pair goes
    /// through `scatter`.
    squares: Vec<f32>,
}

/// How the bin of a pair is found.
enum Way {
    /// From its distance. `end` is the number after that of the last bin.
    Scatter { uniform: Uniform<f32>, end: usize },
    /// By comparisons with the squares of the edges that may lie between two cells. For such an
    /// edge, `words` holds the pairs beyond it. `lowest` holds all pairs of those cells for which
    /// it is the last edge below every distance.
    Edges { lowest: Vec<i64> },
}

impl<'a> Tally<'a> {
    fn new(accumulator: &'a mut Accumulator, frame: &Frame, counting: bool, one_by_one: bool) -> Result<Self, Error> {
        let bins = &accumulator.bins;
        let mean_width = (bins.r_max() - bins.edges()[0]) * frame.scale / bins.len() as f64;
        // Distances of points of two cells differ by about twice their side.
        let edges = 1.0 + 1.1 * (frame.axes[0].side + frame.axes[1].side) / mean_width;
        let squares = || memory::collected((0..bins.len() + 1).map(|edge| bins.of_floats(edge, frame.scale)));
        let one_by_one = one_by_one || frame.near_half(bins.r_max() * frame.scale);
        let (way, words, squares) = match bins.as_uniform(frame.scale) {
            Some(uniform) if edges >= if counting { MANY_EDGES_OF_POSITIONS } else { MANY_EDGES } => {
                let end = uniform.first + bins.len();
                let squares = if one_by_one { squares()? } else { Vec::new() };
                (Way::Scatter { uniform, end }, TABLES * (end + 1), squares)
            }
            _ => {
                let squares = squares()?;
                (Way::Edges { lowest: memory::filled(squares.len(), 0)? }, squares.len(), squares)
            }
        };
        Ok(Tally { accumulator, pending: 0, words: memory::filled(words, 0)?, way, counting, squares })
    }

    /// Makes room for at most `max` more pairs in any word.
    fn reserve(&mut self, max: usize) {
        if self.pending + max > MAX_PAIRS {
            self.read();
        }
        self.pending += max;
    }

    /// Adds all pairs of two sets. Their squared distances are in the range that `between`
    /// computes.
    fn add(&mut self, a: Set, b: Set, shift: [f32; 2], between: impl Fn() -> [f64; 2]) {
        if a.x.is_empty() || b.x.is_empty() {
            return;
        }
        let (first, last) = match &self.way {
            Way::Scatter { .. } => (0, 0),
            Way::Edges { .. } => {
                let [min, max] = between();
                let below = |square: f64| self.squares.partition_point(|&edge| f64::from(edge) <= square);
                let (first, last) = (below(min), below(max));
                if first == self.squares.len() || last == 0 {
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
                    Way::Edges { .. } if self.counting => {}
                    Way::Edges { .. } => self.reserve(n * m),
                }
                let counting = self.counting;
                match &mut self.way {
                    Way::Scatter { uniform: Uniform { inverse_width, start, .. }, end } => {
                        let (inverse, start, end, words) = (*inverse_width, *start, *end, self.words.as_mut_ptr());
                        // SAFETY: the arrays of a set have one length and finite values; `words`
                        // holds all tables.
                        unsafe { scatter(ax, ay, a.psi(), n, bx, by, b.psi(), m, shift, inverse, start, end, words) }
                    }
                    // All pairs are beyond the first `first` edges, and none beyond those from `last`
                    // on.
                    Way::Edges { lowest } if counting => {
                        if first > 0 {
                            lowest[first - 1] += (n * m) as i64;
                        }
                        let edge = self.squares[first..last].as_ptr();
                        let words = self.words[first..last].as_mut_ptr();
                        // SAFETY: the arrays of a set have one length and finite values; there are
                        // as many words as edges; two chunks have less than 2^32 pairs.
                        unsafe { counts(ax, ay, n, bx, by, m, shift, edge, last - first, words) }
                    }
                    Way::Edges { lowest } => {
                        let begin = first.saturating_sub(1);
                        let edge = self.squares[begin..last].as_ptr();
                        if first > 0 {
                            let all = core::mem::replace(&mut self.words[begin], 0);
                            let words = self.words[begin..last].as_mut_ptr();
                            // SAFETY: the arrays of a set have one length and finite values; there
                            // are as many words as edges.
                            unsafe { edges(ax, ay, a.psi(), n, bx, by, b.psi(), m, shift, edge, last - begin, words) }
                            lowest[begin] = lowest[begin].wrapping_add(core::mem::replace(&mut self.words[begin], all));
                        } else {
                            let words = self.words[..last].as_mut_ptr();
                            // SAFETY: the arrays of a set have one length and finite values; there
                            // are as many words as edges.
                            unsafe { edges(ax, ay, a.psi(), n, bx, by, b.psi(), m, shift, edge, last, words) }
                        }
                    }
                }
            }
        }
    }

    /// Adds the pairs of a point and a range of others that are moved by `laps`, which are whole
    /// periods. Of all images of a pair, only the one within half a period counts.
    fn add_one_by_one(
        &mut self,
        (points, i): (&Points, usize),
        (others, range): (&Points, Range<usize>),
        laps: [f64; 2],
    ) {
        let (from, half) = (points.at[i], points.frame.half_periods());
        let farthest = self.accumulator.bins.r_max() * points.frame.scale * (1.0 + 1e-5);
        for j in range {
            let to = others.at[j];
            let mut d = [0.0; 2];
            let near = (0..2).all(|axis| {
                let (nearest, rest) = difference(from[axis], to[axis]);
                d[axis] = (nearest + laps[axis]) + rest;
                // The exact difference selects the nearest image, the same one from either point.
                let beyond = |nearest: f64, rest: f64| nearest > half[axis] || nearest == half[axis] && rest > 0.0;
                let lap = f64::from(i8::from(beyond(-nearest, -rest)) - i8::from(beyond(nearest, rest)));
                d[axis].abs() <= farthest && (half[axis].is_infinite() || laps[axis] == lap * (2.0 * half[axis]))
            });
            if near {
                let [dx, dy] = d.map(|d| d as f32);
                let r2 = dx * dx + dy * dy;
                let beyond = self.squares.partition_point(|&edge| edge <= r2);
                if beyond > 0 && beyond < self.squares.len() {
                    let psi = |set: &Points, i: usize| set.psi.get(i).copied().unwrap_or(Psi::ZERO);
                    let product = psi(points, i).product(psi(others, j));
                    self.accumulator.add(beyond - 1, 1, product.into());
                }
            }
        }
    }

    /// Adds all words to the accumulator, and clears them.
    fn read(&mut self) {
        match &mut self.way {
            Way::Scatter { uniform, end } => {
                for table in self.words.chunks_exact(*end + 1) {
                    for (bin, &word) in table[uniform.first..*end].iter().enumerate().filter(|(_, word)| **word != 0) {
                        let (count, sum) = unpack(word);
                        self.accumulator.add(bin, count, sum.into());
                    }
                }
            }
            Way::Edges { lowest } => {
                for (bin, (beyond, lowest)) in self.words.windows(2).zip(lowest.iter_mut()).enumerate() {
                    let counts = |word: i64| if self.counting { (word as u64, 0) } else { unpack(word) };
                    let [lower, upper, all] = [beyond[0], beyond[1], core::mem::take(lowest)].map(counts);
                    self.accumulator.add(bin, lower.0 + all.0 - upper.0, (lower.1 + all.1 - upper.1).into());
                }
            }
        }
        self.words.fill(0);
        self.pending = 0;
    }
}

impl Points {
    fn set(&self, range: Range<usize>) -> Set<'_> {
        Set { x: &self.x, y: &self.y, psi: &self.psi }.part(range)
    }

    /// Bounds of the squared distances between the points of `cell` and the points of cell `other`
    /// of `others`, moved by `shift`.
    fn between(&self, cell: usize, others: &Points, other: usize, shift: [f32; 2]) -> [f64; 2] {
        let mut squares = [0.0; 2];
        for axis in 0..2 {
            let ([a_min, a_max], [b_min, b_max]) = (self.boxes[cell][axis], others.boxes[other][axis]);
            let [a_min, a_max, b_min, b_max, shift] = [a_min, a_max, b_min, b_max, shift[axis]].map(f64::from);
            let (min, max) = (b_min - a_max + shift, b_max - a_min + shift);
            // Allowance for the rounding of a difference; the factors below allow for the square.
            let slack = 2e-7 * ((b_max - a_min).abs().max((b_min - a_max).abs()) + shift.abs());
            let nearest = (min.max(-max) - slack).max(0.0);
            let farthest = max.max(-min) + slack;
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
    /// [`Error::Periodic`] if a period is less than twice the largest distance of the bins;
    /// [`Error::Bins`] if that distance and the extent of the points both exceed 10^18 times the
    /// `r_max` of the points; [`Error::NoMemory`].
    pub fn add_points(&mut self, points: &Points) -> Result<(), Error> {
        self.add_points_of_cells(points, 0..points.cells())
    }

    /// Adds the pairs that belong to a range of cells. All [cells](Points::cells) together have all
    /// pairs, each once.
    ///
    /// # Errors
    /// Same as for [`Accumulator::add_points`].
    pub fn add_points_of_cells(&mut self, points: &Points, cells: Range<usize>) -> Result<(), Error> {
        self.add_cells(points, points, cells, true)
    }

    /// Adds the pairs of one point of `points` and one of `others`, which [`Points::others`] made
    /// from `points`.
    ///
    /// # Errors
    /// [`Error::Frame`] if the sets use different grids; the errors of [`Accumulator::add_points`].
    pub fn add_points_cross(&mut self, points: &Points, others: &Points) -> Result<(), Error> {
        if points.frame != others.frame {
            return Err(Error::Frame);
        }
        self.add_cells(points, others, 0..points.cells(), false)
    }

    /// Adds the pairs that belong to a range of cells. If `once`, both sets are the same and each
    /// pair counts once.
    fn add_cells(&mut self, points: &Points, others: &Points, cells: Range<usize>, once: bool) -> Result<(), Error> {
        let frame = &points.frame;
        frame.check_distance(self.bins.r_max())?;
        let r_max = self.bins.r_max() * frame.scale;
        if r_max.min(points.farthest.max(others.farthest)) > MAX_DISTANCE {
            return Err(Error::Bins { index: self.bins.len() });
        }
        let any_far = !points.far.is_empty() || !others.far.is_empty();
        let counting = points.psi.is_empty() || others.psi.is_empty();
        let mut tally = Tally::new(self, frame, counting, any_far)?;
        let edges = matches!(tally.way, Way::Edges { .. });
        let far = |set: &Points, cells: Range<usize>| {
            let first = set.far.partition_point(|&cell| cell < cells.start);
            set.far.get(first).is_some_and(|&cell| cell < cells.end)
        };
        for cell in cells.start..cells.end.min(points.cells()) {
            let own = points.cells.points(cell..cell + 1);
            let is_far = any_far && far(points, cell..cell + 1);
            let place = points.cells.places[cell];
            let same = if once { cell..cell + 1 } else { others.cells.within(place[1], place[0]..place[0] + 1) };
            let one_by_one = is_far || any_far && far(others, same.clone()) || frame.doubled([0; 2], r_max);
            for same in same {
                let with = others.cells.points(same..same + 1);
                let between = || points.between(cell, others, same, [0.0; 2]);
                if one_by_one {
                    own.clone().for_each(|i| {
                        let with = if once { i + 1..own.end } else { with.clone() };
                        tally.add_one_by_one((points, i), (others, with), [0.0; 2]);
                    });
                } else if once {
                    (own.start + 1..own.end)
                        .for_each(|i| tally.add(points.set(i - 1..i), points.set(i..own.end), [0.0; 2], between));
                } else {
                    tally.add(points.set(own.clone()), others.set(with), [0.0; 2], between);
                }
            }
            frame.near(place, r_max, once, &others.cells, |Near { cells, laps, shift, doubled }| {
                if doubled || is_far || any_far && far(others, cells.clone()) {
                    let with = others.cells.points(cells);
                    return own.clone().for_each(|i| tally.add_one_by_one((points, i), (others, with.clone()), laps));
                }
                let own = points.set(own.clone());
                if !edges {
                    return tally.add(own, others.set(others.cells.points(cells)), shift, || [0.0; 2]);
                }
                for other in cells {
                    let with = others.set(others.cells.points(other..other + 1));
                    tally.add(own, with, shift, || points.between(cell, others, other, shift));
                }
            });
        }
        tally.read();
        Ok(())
    }
}
