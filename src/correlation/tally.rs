//! Counts pairs of points with real coordinates, by kernels or one by one.

use alloc::vec::Vec;
use core::ops::Range;

use super::accumulator::{Accumulator, unpack};
use super::bins::Uniform;
use super::boundary::difference;
use super::frame::{Frame, Near, Span, Which};
use super::lookup::Lookup;
use super::points::{Points, Set};
use super::{MAX_PAIRS, Psi, TABLES, counts, edges, scatter, scatter_below};
use crate::error::Error;
use crate::isa::Isa;
use crate::memory;
use crate::pieces::{Ended, Pieces, unless_ended, whole};

/// The largest scaled distance: its square is finite in f32.
const MAX_DISTANCE: f64 = 1e18;

/// From this many edges between two tiles on, the bin of each pair is computed from its distance.
/// Fewer edges are compared one by one, which costs less without orientations. Measured on Granite Rapids; NEON has the number of SSE2.
fn many_edges(counting: bool) -> f64 {
    let isa = if counting { counts::KERNEL.variant().isa } else { edges::KERNEL.variant().isa };
    match (isa, counting) {
        (Isa::avx512, false) => 6.0,
        (Isa::avx2, false) => 4.5,
        (_, false) => 2.5,
        (_, true) => 8.0,
    }
}

/// From this many edges between two tiles on, the bin of each pair is looked up if bins are not uniform.
fn many_custom_edges(counting: bool) -> f64 {
    5.0 * many_edges(counting)
}

/// Up to this distance, in sides of cells, many pairs of two cells are too far: they are sorted out before their
/// bins are computed. Measured on Granite Rapids; NEON has the number of SSE2.
fn few_sides() -> f64 {
    match scatter_below::KERNEL.variant().isa {
        Isa::avx512 => 3.0,
        Isa::avx2 => 2.0,
        _ => 1.0,
    }
}

/// Words that collect pairs, and the accumulator into which they are emptied.
struct Tally<'a, 'b> {
    pieces: &'a mut Pieces<'b>,
    /// The caller has ended the work: no pair is added any more.
    is_ended: bool,
    accumulator: &'a mut Accumulator,
    /// Each pair once.
    pairs: Words,
    /// Each pair of two points of one tile or cell twice, and each of these points with itself.
    own: Words,
    /// The counts and sums from `own` so far, and those of points with themselves.
    own_bins: Vec<(u64, i128)>,
    selves: (u64, i128),
    way: Way,
    /// For [`Way::Lookup`].
    lookup: Option<Lookup>,
    /// Whether pairs are only counted. With [`Way::Edges`], a word is then a plain number of pairs.
    counting: bool,
    /// For each edge, the smallest scaled squared distance beyond it.
    squares: Vec<f32>,
    /// The numbers of edges below the nearest and the farthest pair of the last two sets.
    near: [usize; 2],
}

/// How edges are compared with distances.
#[derive(Clone, Copy, PartialEq)]
enum Edges {
    /// As [`Bins`] defines it.
    AsDefined { any_far: bool },
    /// With the exact squares, for distances that are exact.
    Exact,
}

struct Words {
    words: Vec<i64>,
    /// Upper bound of the number of pairs in any word.
    pending: usize,
    /// With [`Way::Edges`], for each edge the pairs of tiles for which it is the last edge below every
    /// distance.
    lowest: Vec<(u64, i128)>,
}

/// How the bin of a pair is found.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    /// From its distance. `end` is the number after that of the last bin. Pairs from the scaled squared
    /// distance `limit` on are sorted out, if there is one.
    Scatter { uniform: Uniform<f32>, end: usize, limit: Option<f32> },
    /// By comparisons with the squares of the edges that may lie between two tiles. For such an
    /// edge, a word holds the pairs beyond it.
    Edges,
    /// By a table. A word holds the pairs with a number of edges below them, from 0 on.
    Lookup,
}

/// Two sets whose pairs are added: their squared distances are in `range`.
struct Sets<'a> {
    a: Set<'a>,
    b: Set<'a>,
    shift: [f32; 2],
    range: [f64; 2],
    /// The sums of the orientations of both.
    totals: [[i64; 2]; 2],
}

impl Words {
    fn new(words: usize, edges: usize) -> Result<Self, Error> {
        Ok(Words { words: memory::filled(words, 0)?, pending: 0, lowest: memory::filled(edges, (0, 0))? })
    }

    /// Passes the counts and sums of all bins to `each`, and clears the words.
    ///
    /// If this happens between the parts of two sets, `lowest` already has all their pairs: the bin's
    /// count is too large now, and negative the next time. So counts are added modulo 2^64.
    fn read(&mut self, way: Way, counting: bool, mut each: impl FnMut(usize, u64, i128)) {
        match way {
            Way::Scatter { uniform, end, .. } => {
                for table in self.words.chunks_exact(end + 1) {
                    for (bin, &word) in table[uniform.first..end].iter().enumerate().filter(|(_, word)| **word != 0) {
                        let (count, sum) = unpack(word);
                        each(bin, count, sum.into());
                    }
                }
            }
            Way::Lookup => {
                let bins = self.words.len() - 2;
                for (bin, &word) in self.words[1..=bins].iter().enumerate() {
                    let (count, sum) = unpack(word);
                    each(bin, count, sum.into());
                }
            }
            Way::Edges => {
                for (bin, (beyond, lowest)) in self.words.windows(2).zip(&mut self.lowest).enumerate() {
                    let counts = |word: i64| if counting { (word as u64, 0) } else { unpack(word) };
                    let ([lower, upper], all) = ([beyond[0], beyond[1]].map(counts), core::mem::take(lowest));
                    each(bin, (lower.0 + all.0).wrapping_sub(upper.0), i128::from(lower.1 - upper.1) + all.1);
                }
            }
        }
        self.words.fill(0);
        self.pending = 0;
    }
}

impl<'a, 'b> Tally<'a, 'b> {
    fn new(
        (accumulator, pieces): (&'a mut Accumulator, &'a mut Pieces<'b>),
        frame: &Frame,
        counting: bool,
        edges: Edges,
    ) -> Result<Self, Error> {
        let bins = &accumulator.bins;
        let mean_width = (bins.r_max() - bins.edges()[0]) * frame.scale / bins.len() as f64;
        // Distances of points of two tiles differ by about twice their side.
        let between = 1.1 * (frame.axes[0].side + frame.axes[1].side) / mean_width;
        let square = |edge: usize| match edges {
            Edges::Exact => bins.of_exact_floats(edge, frame.scale),
            Edges::AsDefined { .. } => bins.of_floats(edge, frame.scale),
        };
        let squares = || memory::collected((0..bins.len() + 1).map(square));
        let one_by_one = edges == Edges::AsDefined { any_far: true } || frame.near_half(bins.r_max() * frame.scale);
        let mut lookup = None;
        let uniform = if edges == Edges::Exact { None } else { bins.as_uniform(frame.scale) };
        let (way, words, squares) = match uniform {
            Some(uniform) if between >= many_edges(counting) => {
                let end = uniform.first + bins.len();
                let squares = if one_by_one { squares()? } else { Vec::new() };
                let is_short = bins.r_max() * frame.scale <= few_sides() * frame.axes[0].side.min(frame.axes[1].side);
                let limit = is_short.then(|| square(bins.len()));
                (Way::Scatter { uniform, end, limit }, TABLES * (end + 1), squares)
            }
            None if between >= many_custom_edges(counting) => {
                let squares = squares()?;
                lookup = Some(Lookup::new(&squares)?);
                (Way::Lookup, bins.len() + 2, squares)
            }
            _ => (Way::Edges, bins.len() + 1, squares()?),
        };
        let lowest = if way == Way::Edges { words } else { 0 };
        let [pairs, own] = [Words::new(words, lowest)?, Words::new(words, lowest)?];
        let own_bins = memory::filled(bins.len(), (0, 0))?;
        let (is_ended, selves, near) = (false, (0, 0), [0; 2]);
        Ok(Tally { pieces, is_ended, accumulator, pairs, own, own_bins, selves, way, lookup, counting, squares, near })
    }

    /// Whether to go on, with so many steps of a nanosecond or more.
    fn goes_on(&mut self, steps: usize) -> bool {
        self.is_ended = self.is_ended || self.pieces.before(steps).is_err();
        !self.is_ended
    }

    /// The number of edges below or at a squared distance, searched for from a number near it.
    fn below(&self, square: f64, near: usize) -> usize {
        const STEPS: usize = 8;
        let is_below = |edge: usize| f64::from(self.squares[edge]) <= square;
        let mut edge = near.min(self.squares.len());
        for _ in 0..STEPS {
            if edge < self.squares.len() && is_below(edge) {
                edge += 1;
            } else if edge > 0 && !is_below(edge - 1) {
                edge -= 1;
            } else {
                return edge;
            }
        }
        self.squares.partition_point(|&edge| f64::from(edge) <= square)
    }

    /// Adds all pairs of a point of `a` and one of `b`.
    fn add(&mut self, sets: &Sets) {
        self.add_to(false, sets);
    }

    /// Adds all pairs of the points of one set.
    fn add_own(&mut self, set: Set, range: [f64; 2], total: [i64; 2]) {
        self.selves.0 += set.x.len() as u64;
        self.selves.1 += set.psi.iter().map(|psi| i128::from(psi.product(*psi))).sum::<i128>();
        self.add_to(true, &Sets { a: set, b: set, shift: [0.0; 2], range: [0.0, range[1]], totals: [total; 2] });
    }

    fn add_to(&mut self, own: bool, &Sets { a, b, shift, range, totals }: &Sets) {
        if a.x.is_empty() || b.x.is_empty() {
            return;
        }
        let (first, last) = match self.way {
            Way::Scatter { .. } | Way::Lookup => (0, 0),
            Way::Edges => {
                // The tiles before these were often about as far from each other.
                self.near = [self.below(range[0], self.near[0]), self.below(range[1], self.near[1])];
                (self.near[0], self.near[1])
            }
        };
        if self.way == Way::Edges {
            if last == 0 || first == self.squares.len() {
                return;
            }
            // All pairs are beyond the first `first` edges, and none beyond those from `last` on.
            if first > 0 {
                let words = if own { &mut self.own } else { &mut self.pairs };
                let lowest = &mut words.lowest[first - 1];
                lowest.0 += (a.x.len() * b.x.len()) as u64;
                if !self.counting {
                    let product = |part: usize| i128::from(totals[0][part]) * i128::from(totals[1][part]);
                    lowest.1 += product(0) + product(1);
                }
            }
            if first == last {
                return;
            }
        }
        for a in a.chunks() {
            for b in b.chunks() {
                let (n, m, moved, shift) = (a.x.len(), b.x.len(), &shift, shift.as_ptr());
                if !self.goes_on(n * m / 8) {
                    return;
                }
                let [ax, ay, bx, by] = [a.x, a.y, b.x, b.y].map(<[f32]>::as_ptr);
                match self.way {
                    Way::Scatter { .. } => self.reserve(own, n * m.div_ceil(TABLES)),
                    Way::Edges if self.counting => {}
                    Way::Edges | Way::Lookup => self.reserve(own, n * m),
                }
                let words = if own { &mut self.own.words } else { &mut self.pairs.words };
                match self.way {
                    Way::Scatter { uniform: Uniform { inverse_width: scale, start, .. }, end, limit } => {
                        let (words, a_psi, b_psi) = (words.as_mut_ptr(), a.psi(), b.psi());
                        // SAFETY: the arrays of a set have one length and finite values; `words`
                        // holds all tables.
                        unsafe {
                            match limit {
                                // The points of one set are near each other.
                                Some(limit) if !own => scatter_below(
                                    ax, ay, a_psi, n, bx, by, b_psi, m, shift, limit, scale, start, end, words,
                                ),
                                _ => scatter(ax, ay, a_psi, n, bx, by, b_psi, m, shift, scale, start, end, words),
                            }
                        }
                    }
                    Way::Lookup => {
                        if let Some(lookup) = &self.lookup {
                            lookup.add(a, b, *moved, words);
                        }
                    }
                    Way::Edges => {
                        let edge = self.squares[first..last].as_ptr();
                        let (k, words) = (last - first, words[first..last].as_mut_ptr());
                        // SAFETY: the arrays of a set have one length and finite values; there are
                        // as many words as edges; two chunks have less than 2^32 pairs.
                        unsafe {
                            match self.counting {
                                true => counts(ax, ay, n, bx, by, m, shift, edge, k, words),
                                false => edges(ax, ay, a.psi(), n, bx, by, b.psi(), m, shift, edge, k, words),
                            }
                        }
                    }
                }
            }
        }
    }

    /// Makes room for at most `max` more pairs in any word.
    fn reserve(&mut self, own: bool, max: usize) {
        let words = if own { &self.own } else { &self.pairs };
        if words.pending + max > MAX_PAIRS {
            self.read(own);
        }
        (if own { &mut self.own } else { &mut self.pairs }).pending += max;
    }

    /// Empties the words.
    fn read(&mut self, own: bool) {
        if own {
            self.own.read(self.way, self.counting, |bin, count, sum| {
                let (counts, sums) = &mut self.own_bins[bin];
                *counts = counts.wrapping_add(count);
                *sums += sum;
            });
        } else {
            self.pairs.read(self.way, self.counting, |bin, count, sum| self.accumulator.add(bin, count, sum));
        }
    }

    /// Adds everything to the accumulator.
    fn finish(mut self) {
        self.read(false);
        self.read(true);
        // The bin of distance 0, if it has one.
        let zero = match self.way {
            Way::Scatter { uniform, .. } => (uniform.number(0.0) as usize).checked_sub(uniform.first),
            Way::Edges | Way::Lookup => self.below(0.0, 0).checked_sub(1),
        };
        if let Some(bin) = zero.and_then(|bin| self.own_bins.get_mut(bin)) {
            *bin = (bin.0 - self.selves.0, bin.1 - if self.counting { 0 } else { self.selves.1 });
        }
        for (bin, &(count, sum)) in self.own_bins.iter().enumerate() {
            self.accumulator.add(bin, count / 2, sum / 2);
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
        if !self.goes_on(4 * range.len()) {
            return;
        }
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
}

/// The number of values, ascending ones, that come before a place.
fn prefix(values: &[f32], is_before: impl Fn(f32) -> bool) -> usize {
    /// Up to this number, counting without branches is faster than a search.
    const FEW: usize = 128;
    match values.len() <= FEW {
        true => values.iter().filter(|&&value| is_before(value)).count(),
        false => values.partition_point(|&value| is_before(value)),
    }
}

/// Bounds of the squared distances between points of two rectangles, the second one moved by `shift`.
fn between(sides: &[[f32; 2]; 2], others: &[[f32; 2]; 2], shift: [f32; 2]) -> [f64; 2] {
    let mut squares = [0.0; 2];
    for axis in 0..2 {
        let ([a_min, a_max], [b_min, b_max]) = (sides[axis], others[axis]);
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
        whole(|pieces| self.add_cells([points, points], cells, true, false, pieces))
    }

    /// Like [`Accumulator::add_points_of_cells`]. Returns false soon after `go_on`, called some times in a millisecond,
    /// has returned false; only some of the pairs have then been added.
    ///
    /// ```
    /// use hotloops::correlation::{Accumulator, Bins, Boundary, Points};
    /// let points = Points::of_positions(&[0.0, 3.5], &[0.0, 0.0], Boundary::Open, 5.0)?;
    /// let mut pairs = Accumulator::new(Bins::uniform(0.0, 5.0, 1.0)?)?;
    /// assert!(!pairs.add_points_of_cells_while(&points, 0..points.cells(), || false)?);
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as for [`Accumulator::add_points`].
    pub fn add_points_of_cells_while(
        &mut self,
        points: &Points,
        cells: Range<usize>,
        mut go_on: impl FnMut() -> bool,
    ) -> Result<bool, Error> {
        let pieces = &mut Pieces::new(&mut go_on);
        unless_ended(self.add_cells([points, points], cells, true, false, pieces)).map(|done| done.is_some())
    }

    /// Adds the pairs of a range of cells. Squares of distances are exact in f32, and bins those of integers.
    pub(super) fn add_integers_of_cells(&mut self, points: &Points, cells: Range<usize>) -> Result<(), Error> {
        whole(|pieces| self.add_cells([points, points], cells, true, true, pieces))
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
        whole(|pieces| self.add_cells([points, others], 0..points.cells(), false, false, pieces))
    }

    /// Adds the pairs that belong to a range of cells. If `once`, both sets are the same and each
    /// pair counts once. If `exact`, the squares of all distances and edges are exact.
    fn add_cells(
        &mut self,
        [points, others]: [&Points; 2],
        cells: Range<usize>,
        once: bool,
        exact: bool,
        pieces: &mut Pieces,
    ) -> Result<(), Ended> {
        let frame = &points.frame;
        frame.check_distance(self.bins.r_max())?;
        let r_max = self.bins.r_max() * frame.scale;
        if r_max.min(points.farthest.max(others.farthest)) > MAX_DISTANCE {
            return Err(Error::Bins { index: self.bins.len() }.into());
        }
        let any_far = !points.far.is_empty() || !others.far.is_empty();
        let counting = points.psi.is_empty() || others.psi.is_empty();
        let edges = if exact { Edges::Exact } else { Edges::AsDefined { any_far } };
        let mut tally = Tally::new((self, pieces), frame, counting, edges)?;
        let have_tiles = !points.tiles.is_empty() && !others.tiles.is_empty();
        if tally.way == Way::Edges && have_tiles && !any_far && !frame.near_half(r_max) {
            tally.add_tiles((points, cells), others, r_max, once);
        } else {
            tally.add_cells((points, cells), others, r_max, once);
        }
        if !tally.goes_on(1) {
            return Err(Ended::ByCaller);
        }
        tally.finish();
        Ok(())
    }
}

impl Tally<'_, '_> {
    /// Adds the pairs that belong to a range of cells, tile by tile. No image of a pair needs to be chosen.
    fn add_tiles(&mut self, (points, cells): (&Points, Range<usize>), others: &Points, r_max: f64, once: bool) {
        let frame = &points.frame;
        // A tile belongs to its first cell.
        let begin = points.tiles.partition_point(|tile| (tile.cells[0] as usize) < cells.start);
        let end = points.tiles.partition_point(|tile| (tile.cells[0] as usize) < cells.end);
        let which = if once { Which::Following } else { Which::All };
        for (number, tile) in (begin..end).zip(&points.tiles[begin..end]) {
            if !self.goes_on(1) {
                return;
            }
            let [first, last] = tile.cells.map(|cell| points.cells.places[cell as usize]);
            let block = frame.axes[0].block_of(first[0]);
            let is_here = |cell: usize| {
                let [column, row] = others.cells.places[cell];
                row == first[1] && frame.axes[0].block_of(column) == block
            };
            if once {
                // The tiles ahead in the same row and block, up to the first that is too far.
                let reach = points.tile_sides[1][number] + (r_max * (1.0 + 1e-5)) as f32;
                let sides = &points.tile_sides[0][number + 1..];
                let ahead = sides.iter().zip(&points.tiles[number + 1..]);
                let ahead = ahead.take_while(|&(&side, tile)| side <= reach && is_here(tile.cells[0] as usize)).count();
                self.add_tile((points, number), (points, number + 1..number + 1 + ahead), [0.0; 2]);
            }
            let span = Span { row: first[1], first: first[0], last: last[0] };
            frame.near(span, r_max, which, &others.cells, |Near { cells, laps, shift, .. }| {
                if !(once && laps == [0.0; 2] && is_here(cells.start)) {
                    self.add_tile((points, number), (others, others.tiles_of(cells)), shift);
                }
            });
            if once {
                let own = points.tile_sides.each_ref().map(|side| f64::from(side[number]));
                let [width, height] = [own[1] - own[0], own[3] - own[2]];
                let range = [0.0, (width * width + height * height) * (1.0 + 1e-6)];
                self.add_own(points.tile_set(tile), range, tile.total.map(i64::from));
            }
        }
    }

    /// Adds the pairs of a tile with others, which are moved by `shift`.
    fn add_tile(
        &mut self,
        (points, number): (&Points, usize),
        (others, with): (&Points, Range<usize>),
        shift: [f32; 2],
    ) {
        /// Tiles whose distances are computed at once.
        const BATCH: usize = 32;
        let tile = &points.tiles[number];
        let a = points.tile_set(tile);
        let own = points.tile_sides.each_ref().map(|side| side[number]);
        let farthest = f64::from(self.squares[self.squares.len() - 1]);
        for first in with.clone().step_by(BATCH) {
            if !self.goes_on(BATCH) {
                return;
            }
            let end = with.end.min(first + BATCH);
            let mut squares = [[0.0f32; 2]; BATCH];
            for axis in 0..2 {
                let [least, most, shift] = [own[2 * axis], own[2 * axis + 1], shift[axis]];
                let sides =
                    others.tile_sides[2 * axis][first..end].iter().zip(&others.tile_sides[2 * axis + 1][first..end]);
                for (square, (&other_least, &other_most)) in squares.iter_mut().zip(sides) {
                    let (min, max) = ((other_least - most) + shift, (other_most - least) + shift);
                    // For the rounding of two operations here, and two in the kernels.
                    let slack = 1e-6 * ((other_most - least).abs() + (other_least - most).abs() + shift.abs());
                    let nearest = (min.max(-max) - slack).max(0.0);
                    let farthest = max.max(-min) + slack;
                    *square = [square[0] + nearest * nearest, square[1] + farthest * farthest];
                }
            }
            for (other, square) in others.tiles[first..end].iter().zip(squares) {
                // The factors allow for the rounding of the squares.
                let range = [f64::from(square[0]) * (1.0 - 1e-6), f64::from(square[1]) * (1.0 + 1e-6)];
                if range[0] < farthest {
                    let totals = [tile.total, other.total].map(|total| total.map(i64::from));
                    self.add(&Sets { a, b: others.tile_set(other), shift, range, totals });
                }
            }
        }
    }

    /// Adds the pairs that belong to a range of cells, cell by cell.
    fn add_cells(&mut self, (points, cells): (&Points, Range<usize>), others: &Points, r_max: f64, once: bool) {
        let frame = &points.frame;
        let any_far = !points.far.is_empty() || !others.far.is_empty();
        let edges = self.way == Way::Edges;
        let total = |set: Set| -> [i64; 2] {
            let part = |part: usize| set.psi.iter().map(|psi| i64::from(psi.parts()[part])).sum();
            if edges { [part(0), part(1)] } else { [0; 2] }
        };
        let far = |set: &Points, cells: Range<usize>| {
            let first = set.far.partition_point(|&cell| cell < cells.start);
            set.far.get(first).is_some_and(|&cell| cell < cells.end)
        };
        for cell in cells.start..cells.end.min(points.cells()) {
            let own = points.cells.points(cell..cell + 1);
            let is_far = any_far && far(points, cell..cell + 1);
            let sides = if edges { points.sides_of(cell) } else { [[0.0; 2]; 2] };
            let place = points.cells.places[cell];
            let same = if once { cell..cell + 1 } else { others.cells.within(place[1], place[0]..place[0] + 1) };
            let one_by_one = is_far || any_far && far(others, same.clone()) || frame.doubled([0; 2], r_max);
            for same in same {
                let with = others.cells.points(same..same + 1);
                if one_by_one {
                    own.clone().for_each(|i| {
                        let with = if once { i + 1..own.end } else { with.clone() };
                        self.add_one_by_one((points, i), (others, with), [0.0; 2]);
                    });
                    continue;
                }
                let range = if edges { between(&sides, &others.sides_of(same), [0.0; 2]) } else { [0.0; 2] };
                let (a, b) = (points.set(own.clone()), others.set(with));
                if once {
                    self.add_own(a, range, total(a));
                } else {
                    self.add(&Sets { a, b, shift: [0.0; 2], range, totals: [total(a), total(b)] });
                }
            }
            let span = Span { row: place[1], first: place[0], last: place[0] };
            let which = if once { Which::Following } else { Which::Others };
            frame.near(span, r_max, which, &others.cells, |Near { cells, laps, shift, doubled, reach }| {
                if doubled || is_far || any_far && far(others, cells.clone()) {
                    let with = others.cells.points(cells);
                    return own.clone().for_each(|i| self.add_one_by_one((points, i), (others, with.clone()), laps));
                }
                let a = points.set(own.clone());
                if !edges {
                    // Points are in the order of x, and few of the cells are within reach from end to end.
                    let [first, last] = [points.x[own.start], points.x[own.end - 1]];
                    // The slack is for rounding, here and between neighbouring cells.
                    let reach = reach * (1.0 + 1e-6) + 1e-6 * (1.0 + shift[0].abs());
                    let all = others.cells.points(cells);
                    let x = &others.x[all.clone()];
                    let begin = prefix(x, |x| x + shift[0] < first - reach);
                    let end = prefix(x, |x| x + shift[0] <= last + reach);
                    let b = others.set(all.start + begin..all.start + end.max(begin));
                    return self.add(&Sets { a, b, shift, range: [0.0; 2], totals: [[0; 2]; 2] });
                }
                for other in cells {
                    let b = others.set(others.cells.points(other..other + 1));
                    let range = between(&sides, &others.sides_of(other), shift);
                    self.add(&Sets { a, b, shift, range, totals: [total(a), total(b)] });
                }
            });
        }
    }
}
