//! Models in f32: a float for each spin, 16 interlaced layers.

use alloc::vec::Vec;
use core::array;

use super::ends::{Ends, Row};
use super::engine::{Arithmetic, Engine, Temperature, space_energy};
use super::graph::{CHUNK, Chunk, Graph};
use super::links::Link;
use super::measure::LayerSums;
use super::room::{Numbers, Room};
use super::shape::{Kind, LANES, Rule, Shape};
use super::{
    scatter_fast_f32, scatter_heat_fast_f32, scatter_heat_poly_f32, scatter_poly_f32, sweep_fast_f32,
    sweep_heat_fast_f32, sweep_heat_poly_f32, sweep_poly_f32,
};
use crate::frame::pieces::{Ended, Pieces};
use crate::random::Mt19937;

/// How local fields are computed. With exact sums
/// ([`LayeredIsing::is_exact`](super::LayeredIsing::is_exact)) both give the same spins. Ignored by the
/// integer kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Update {
    /// Read the neighbours' spins at each visit: the fastest, and free of drift.
    #[default]
    Gather,
    /// Keep the local fields in memory, and update those of the neighbours after each flip: program
    /// A.4 of the paper. Needs twice the memory.
    ///
    /// Inexact sums are recomputed every 1024 sweeps, which bounds the drift from rounding.
    Scatter,
}

/// Number of sweeps after which inexact sums are recomputed.
const REFRESH: u32 = 1024;

/// One site in the 16 lanes of a group: a cache line.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
struct FloatRow([f32; LANES]);

/// The approximation of `exp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exponential {
    Fast,
    Poly,
}

#[derive(Debug)]
pub(super) struct FloatEngine {
    graph: Graph,
    shape: Shape,
    exponential: Exponential,
    update: Update,
    /// `groups` times `sites` rows: the spin, or `4 s + s_below + s_above` for [`Update::Scatter`].
    /// In both cases the sign is the spin.
    rows: Vec<FloatRow>,
    /// For [`Update::Scatter`], the local field of each spin within its layer; else empty.
    fields: Vec<FloatRow>,
    /// Sweeps since the fields were recomputed; counted for inexact sums only.
    age: u32,
}

impl FloatEngine {
    pub fn new(
        graph: Graph,
        shape: Shape,
        update: Update,
        exponential: Exponential,
        pieces: &Pieces,
    ) -> Result<Self, Ended> {
        let rows = shape.rows();
        let fields = if update == Update::Scatter { rows } else { 0 };
        let rows = pieces.filled(rows, FloatRow([1.0; LANES]))?;
        let fields = pieces.filled(fields, FloatRow::ZERO)?;
        let mut floats = FloatEngine { graph, shape, exponential, update, rows, fields, age: 0 };
        floats.refresh();
        Ok(floats)
    }

    /// Measures the layers of a group.
    fn measure_group(&self, group: usize) -> LayerSums {
        let mut sums = LayerSums::ZERO;
        let neighbours = self.graph.rows().map(|(_, links)| links.iter().map(Link::row));
        sums.of_signs(|row| &self.group(group)[row].0, neighbours, &self.graph.weights.values);
        sums
    }

    fn group(&self, group: usize) -> &[FloatRow] {
        &self.rows[group * self.shape.sites..][..self.shape.sites]
    }

    /// Counts a sweep, and recomputes inexact sums every [`REFRESH`] sweeps.
    fn count_sweep(&mut self) {
        if self.update == Update::Scatter && !self.graph.exact {
            if self.age == REFRESH {
                self.refresh();
            }
            self.age += 1;
        }
    }
}

impl Engine for FloatEngine {
    fn arithmetic(&self) -> Arithmetic {
        let kind = match self.exponential {
            Exponential::Fast => Kind::F32Fast,
            Exponential::Poly => Kind::F32Poly,
        };
        Arithmetic { kind, is_exact: self.graph.exact, quantum: 0.0 }
    }

    fn order(&self) -> &[u32] {
        &self.graph.order
    }

    fn mean_square(&self) -> f64 {
        self.graph.weights.mean_square
    }

    fn heap_bytes(&self) -> usize {
        self.graph.heap_bytes() + (self.rows.capacity() + self.fields.capacity()) * size_of::<FloatRow>()
    }

    fn sweep(&mut self, rng: &mut Mt19937, beta: Temperature, rule: Rule, sweeps: u64) -> u64 {
        let (space, tau) = (beta.space, beta.tau as f32);
        let Shape { sites, groups, .. } = self.shape;
        let kernel = Kernel::new(self.update, self.exponential, rule);
        let ends = self.shape.ends();
        let max_count = self.graph.chunks[0].count;
        let mut memory = (Room::<_, { 2 * CHUNK }>::new(), Room::<_, CHUNK>::new());
        let random = memory.1.filled(max_count, Numbers([0; LANES]));
        // The rows below group 0, and above a group in which lanes end. A scatter sweep adds to them; there
        // `floor` is also below a group in which not all lanes have a layer.
        let (floor, ceiling) = memory.0.filled(2 * max_count, FloatRow::ZERO).split_at_mut(max_count);
        let mut total = 0;
        for _ in 0..sweeps {
            self.count_sweep();
            for group in 0..groups {
                let mut flips = [0u32; LANES];
                let is_top = ends.is_top(group);
                let is_bottom = group == 0 || self.update == Update::Scatter && ends.is_idle(group);
                for &Chunk { first, count, link } in &self.graph.chunks {
                    let start = |group: usize| group * sites + first;
                    rng.fill_u32(Numbers::flat(&mut random[..count]));
                    match self.update {
                        Update::Gather => {
                            ends.beside(group, &self.rows, first, &mut floor[..count], &mut ceiling[..count]);
                        }
                        Update::Scatter => {
                            if is_bottom {
                                floor[..count].fill(FloatRow::ZERO);
                            }
                            if is_top {
                                ceiling[..count].fill(FloatRow::ZERO);
                            }
                        }
                    }
                    let rows = self.rows.as_mut_ptr();
                    // SAFETY: `rows`, and `fields` for [`Update::Scatter`], hold `sites` rows for
                    // each group, and `start` stays inside its group. The adjacent groups differ
                    // from this one, because there are at least two. `floor`, `ceiling` and
                    // `random` hold at least `count` rows. The links from `link` on are those of
                    // `count` sites, and refer to rows of a group.
                    unsafe {
                        let below = if is_bottom { floor.as_mut_ptr() } else { rows.add(start(group - 1)) }.cast();
                        let above = if is_top { ceiling.as_mut_ptr() } else { rows.add(start(group + 1)) }.cast();
                        let this = rows.add(group * sites).cast();
                        let links = self.graph.links.as_ptr().add(link);
                        let (r, f) = (random.as_ptr().cast(), flips.as_mut_ptr());
                        match kernel {
                            Kernel::Gather(run) => run(this, first, count, below, above, links, space, tau, r, f),
                            Kernel::Scatter(run) => {
                                let fields = self.fields.as_mut_ptr().add(group * sites).cast();
                                run(this, fields, first, count, below, above, links, space, tau, r, f);
                            }
                        }
                    }
                    if self.update == Update::Scatter && (is_bottom || is_top) {
                        leave(&mut self.rows, ends, group, first, &floor[..count], &ceiling[..count]);
                    }
                }
                total += flips[..self.shape.live_lanes(group)].iter().copied().map(u64::from).sum::<u64>();
            }
        }
        total
    }

    fn space_energy(&self) -> f64 {
        let rows = self.graph.rows().map(|(_, links)| links.iter().map(|link| (link.row(), 0)));
        space_energy(self.shape, &self.graph.weights, rows, |index| self.word(index), |_, _| 0)
    }

    fn measure(&self, groups: usize, write: &mut dyn FnMut(usize, &[LayerSums])) {
        (0..groups).for_each(|group| write(group, &[self.measure_group(group)]));
    }

    fn word(&self, index: usize) -> u64 {
        let bits = self.rows[index].0.iter().enumerate().map(|(lane, s)| (s.to_bits() >> 31) << lane);
        bits.fold(0, |word, bit| word | u64::from(bit))
    }

    fn set_word(&mut self, index: usize, word: u64) {
        let spin = |lane: usize| if word >> lane & 1 == 0 { 1.0 } else { -1.0 };
        self.rows[index].0[..self.shape.live_lanes(index / self.shape.sites)]
            .iter_mut()
            .enumerate()
            .for_each(|(lane, s)| *s = spin(lane));
    }

    /// Recomputes the sums of [`Update::Scatter`] from the spins. It reads only the signs of rows,
    /// which do not change.
    fn refresh(&mut self) {
        self.age = 0;
        if self.update == Update::Gather {
            return;
        }
        let ends = self.shape.ends();
        for group in 0..self.shape.groups {
            let start = group * self.shape.sites;
            for (row, (field, links)) in self.graph.rows().enumerate() {
                let mut fields = [field; LANES];
                for link in links {
                    let neighbours = self.group(group)[link.row()].signs();
                    fields.iter_mut().zip(neighbours).for_each(|(field, s)| *field += link.value * s);
                }
                let spins = self.group(group)[row].signs();
                let of_group = |group: usize| self.group(group)[row];
                let (below, above) = (ends.below(group, of_group).signs(), ends.above(group, of_group).signs());
                self.fields[start + row] = FloatRow(fields);
                self.rows[start + row] = FloatRow(array::from_fn(|lane| 4.0 * spins[lane] + below[lane] + above[lane]));
            }
        }
    }
}

impl FloatRow {
    const ZERO: FloatRow = FloatRow([0.0; LANES]);

    /// The spins: +1 or -1.
    fn signs(&self) -> [f32; LANES] {
        self.0.map(f32::signum)
    }
}

impl Row for FloatRow {
    fn up(self, lanes: usize) -> Self {
        FloatRow(self.0.up(lanes))
    }

    fn down(self, lanes: usize) -> Self {
        FloatRow(self.0.down(lanes))
    }

    fn then(self, count: usize, rest: Self) -> Self {
        FloatRow(self.0.then(count, rest.0))
    }
}

/// The kernel of a sweep, chosen once per call.
#[derive(Clone, Copy)]
enum Kernel {
    Gather(sweep_fast_f32::Function),
    Scatter(scatter_fast_f32::Function),
}

impl Kernel {
    fn new(update: Update, exponential: Exponential, rule: Rule) -> Self {
        use Exponential::{Fast, Poly};
        use Rule::{HeatBath, Metropolis};
        match (update, rule, exponential) {
            (Update::Gather, Metropolis, Fast) => Kernel::Gather(sweep_fast_f32::KERNEL.function()),
            (Update::Gather, Metropolis, Poly) => Kernel::Gather(sweep_poly_f32::KERNEL.function()),
            (Update::Gather, HeatBath, Fast) => Kernel::Gather(sweep_heat_fast_f32::KERNEL.function()),
            (Update::Gather, HeatBath, Poly) => Kernel::Gather(sweep_heat_poly_f32::KERNEL.function()),
            (Update::Scatter, Metropolis, Fast) => Kernel::Scatter(scatter_fast_f32::KERNEL.function()),
            (Update::Scatter, Metropolis, Poly) => Kernel::Scatter(scatter_poly_f32::KERNEL.function()),
            (Update::Scatter, HeatBath, Fast) => Kernel::Scatter(scatter_heat_fast_f32::KERNEL.function()),
            (Update::Scatter, HeatBath, Poly) => Kernel::Scatter(scatter_heat_poly_f32::KERNEL.function()),
        }
    }
}

/// Adds what a scatter sweep of a group added to `floor` and `ceiling` to the rows for which they stood.
fn leave(rows: &mut [FloatRow], ends: Ends, group: usize, first: usize, floor: &[FloatRow], ceiling: &[FloatRow]) {
    let Ends { sites, lanes, long, last } = ends;
    let none = FloatRow::ZERO;
    for (row, (floor, ceiling)) in (first..).zip(floor.iter().zip(ceiling)) {
        let mut add = |group: usize, sum: FloatRow| {
            let FloatRow(row) = &mut rows[group * sites + row];
            row.iter_mut().zip(sum.0).for_each(|(row, sum)| *row += sum);
        };
        if group == 0 {
            let tops = floor.up(lanes).then(lanes, none);
            add(last, tops.then(long, none));
            if ends.has_short() {
                add(last - 1, none.then(long, tops));
            }
        } else if ends.is_idle(group) {
            add(group - 1, floor.then(long, none));
        }
        if group == last {
            add(0, ceiling.then(long, none).down(lanes).then(lanes, none));
        } else if ends.is_top(group) {
            add(last, ceiling.then(long, none));
            add(0, none.then(long, *ceiling).down(lanes).then(lanes, none));
        }
    }
}
