//! Counts pairs of points with real coordinates, by kernels or one by one.

mod by_cell;
mod by_tile;
mod words;

use alloc::vec::Vec;

use super::accumulator::Accumulator;
use super::bins::Uniform;
use super::frame::Frame;
use super::lookup::Lookup;
use super::points::Set;
use super::{MAX_PAIRS, TABLES, counts, edges, scatter, scatter_below};
use crate::frame::error::Error;
use crate::frame::isa::Isa;
use crate::frame::memory;
use crate::frame::pieces::Pieces;
use words::Words;

/// From this many edges between two tiles on, the bin of each pair is computed from its distance.
/// Fewer edges are compared one by one, which costs less without orientations. Measured on Granite Rapids; NEON has the
/// number of SSE2.
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
pub(super) struct Tally<'a, 'b> {
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
    pub finder: Finder,
    /// For [`Finder::Lookup`], one of them.
    lookup: Option<Lookup<u32>>,
    wide: Option<Lookup<u64>>,
    /// Whether pairs are only counted. With [`Finder::Edges`], a word is then a plain number of pairs.
    counting: bool,
    /// For each edge, the smallest scaled squared distance beyond it.
    squares: Vec<f32>,
    /// How many edges are below the nearest and the farthest pair of the last two sets.
    near: [usize; 2],
}

/// How edges are compared with distances.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Edges {
    /// As [`Bins`] defines it.
    AsDefined { any_far: bool },
    /// With the exact squares, for distances that are exact in f32.
    Exact,
    /// The same for integers whose squares are exact in f64 only.
    Wide,
}

/// How the bin of a pair is found.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Finder {
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

impl<'a, 'b> Tally<'a, 'b> {
    pub fn new(
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
            Edges::Exact | Edges::Wide => bins.of_exact_floats(edge, frame.scale),
            Edges::AsDefined { .. } => bins.of_floats(edge, frame.scale),
        };
        let squares = || memory::collected((0..bins.len() + 1).map(square));
        let one_by_one = edges == Edges::AsDefined { any_far: true } || frame.near_half(bins.r_max() * frame.scale);
        let (mut lookup, mut wide) = (None, None);
        let uniform = match edges {
            Edges::AsDefined { .. } => bins.as_uniform(frame.scale),
            Edges::Exact | Edges::Wide => None,
        };
        let (finder, words, squares) = match uniform {
            Some(uniform) if between >= many_edges(counting) => {
                let end = uniform.first + bins.len();
                let squares = if one_by_one { squares()? } else { Vec::new() };
                let is_short = bins.r_max() * frame.scale <= few_sides() * frame.axes[0].side.min(frame.axes[1].side);
                let limit = is_short.then(|| square(bins.len()));
                (Finder::Scatter { uniform, end, limit }, TABLES * (end + 1), squares)
            }
            None if edges == Edges::Wide => {
                // Edges beyond 2^53, which no distance reaches, may be rounded.
                let square = |square: &u64| (*square as f64 * frame.scale * frame.scale).to_bits();
                wide = Some(Lookup::new(bins.of_integers().iter().map(square))?);
                (Finder::Lookup, bins.len() + 2, squares()?)
            }
            None if between >= many_custom_edges(counting) => {
                let squares = squares()?;
                lookup = Some(Lookup::new(squares.iter().map(|square| square.to_bits()))?);
                (Finder::Lookup, bins.len() + 2, squares)
            }
            _ => (Finder::Edges, bins.len() + 1, squares()?),
        };
        let lowest = if finder == Finder::Edges { words } else { 0 };
        let [pairs, own] = [Words::new(words, lowest)?, Words::new(words, lowest)?];
        let own_bins = memory::filled(bins.len(), (0, 0))?;
        let (is_ended, selves, near) = (false, (0, 0), [0; 2]);
        Ok(Tally {
            pieces,
            is_ended,
            accumulator,
            pairs,
            own,
            own_bins,
            selves,
            finder,
            lookup,
            wide,
            counting,
            squares,
            near,
        })
    }

    /// Whether to go on with `steps` more steps of a nanosecond or longer each.
    pub fn goes_on(&mut self, steps: usize) -> bool {
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
        let (first, last) = match self.finder {
            Finder::Scatter { .. } | Finder::Lookup => (0, 0),
            Finder::Edges => {
                // The tiles before these were often about as far from each other.
                self.near = [self.below(range[0], self.near[0]), self.below(range[1], self.near[1])];
                (self.near[0], self.near[1])
            }
        };
        if self.finder == Finder::Edges {
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
                match self.finder {
                    Finder::Scatter { .. } => self.reserve(own, n * m.div_ceil(TABLES)),
                    Finder::Edges if self.counting => {}
                    Finder::Edges | Finder::Lookup => self.reserve(own, n * m),
                }
                let words = if own { &mut self.own.words } else { &mut self.pairs.words };
                match self.finder {
                    Finder::Scatter { uniform: Uniform { inverse_width: scale, start, .. }, end, limit } => {
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
                    Finder::Lookup => {
                        self.lookup.iter().for_each(|lookup| lookup.add(a, b, *moved, words));
                        self.wide.iter().for_each(|lookup| lookup.add(a, b, *moved, words));
                    }
                    Finder::Edges => {
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
            self.own.read(self.finder, self.counting, |bin, count, sum| {
                let (counts, sums) = &mut self.own_bins[bin];
                *counts = counts.wrapping_add(count);
                *sums += sum;
            });
        } else {
            self.pairs.read(self.finder, self.counting, |bin, count, sum| self.accumulator.add(bin, count, sum));
        }
    }

    /// Adds everything to the accumulator.
    pub fn finish(mut self) {
        self.read(false);
        self.read(true);
        // The bin of distance 0, if it has one.
        let zero = match self.finder {
            Finder::Scatter { uniform, .. } => (uniform.number(0.0) as usize).checked_sub(uniform.first),
            Finder::Edges | Finder::Lookup => self.below(0.0, 0).checked_sub(1),
        };
        if let Some(bin) = zero.and_then(|bin| self.own_bins.get_mut(bin)) {
            *bin = (bin.0 - self.selves.0, bin.1 - if self.counting { 0 } else { self.selves.1 });
        }
        for (bin, &(count, sum)) in self.own_bins.iter().enumerate() {
            self.accumulator.add(bin, count / 2, sum / 2);
        }
    }
}
