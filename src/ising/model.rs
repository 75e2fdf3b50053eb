//! The model: its memory, and the sweep over groups and chunks of sites.

use alloc::vec::Vec;
use core::mem::MaybeUninit;
use core::{array, ptr};

use super::builder::{Builder, finite};
use super::graph::{self, CHUNK, Chunk, Graph};
use super::{LANES, scatter_fast_f32, scatter_poly_f32, sweep_fast_f32, sweep_poly_f32};
use crate::Error;
use crate::random::Mt19937;

/// The function that stands for `exp` when a flip is accepted or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acceptance {
    /// The paper's fast exponential, wrong by up to 4 %, 0.96 at 0: energies come out wrong by about 1 %.
    Fast,
    /// A polynomial, wrong by some 10^-6: for physics.
    Poly,
}

/// How the sum over a spin's neighbours is had. With exact sums ([`LayeredIsing::is_exact`]) both give the same spins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Update {
    /// Read the neighbours' spins at each visit: the fastest, and nothing can drift.
    #[default]
    Gather,
    /// Keep the sums in memory and update those of the neighbours of a flipped spin: program A.4 of the paper, twice
    /// the memory.
    ///
    /// Where sums are not exact, they are computed anew every 1024 sweeps, which bounds the drift from rounding.
    Scatter,
}

/// Sweeps after which inexact sums are computed anew.
const REFRESH: u32 = 1024;

/// The two inverse temperatures; no unit. A configuration has the weight `exp(space * Es + tau * Et)`, see [`Energy`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beta {
    /// Multiplies couplings and fields inside the layers.
    pub space: f32,
    /// Multiplies the coupling between layers.
    pub tau: f32,
}

/// The two sums of a whole configuration, all layers together. A larger sum is more probable: physical energies have
/// the opposite sign.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Energy {
    /// `Es`: the sum of `J_ij s_i s_j` over the edges and of `h_i s_i` over the sites of every layer.
    pub space: f64,
    /// `Et`: `J_tau` times the sum of `s s'` over the `layers * sites` bonds to the next layer; with two layers each
    /// pair has two bonds.
    pub tau: f64,
}

/// One site in the 16 lanes of a group: a cache line.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
struct Row([f32; LANES]);

/// A layered Ising model and its spins, see the [module](crate::ising). Layers and sites are natural to the caller:
/// interlacing and visiting order are internal.
#[derive(Debug)]
#[must_use]
pub struct LayeredIsing {
    graph: Graph,
    layers: usize,
    /// Live lanes of a row; `layers = lanes * groups`.
    lanes: usize,
    groups: usize,
    acceptance: Acceptance,
    update: Update,
    tau_coupling: f32,
    /// `groups` times `sites` rows: the spin, or `4 s + s_below + s_above` for [`Update::Scatter`]. The sign is the
    /// spin.
    rows: Vec<Row>,
    /// For [`Update::Scatter`] the space field of each spin; else empty.
    fields: Vec<Row>,
    /// Sweeps since the fields were computed, counted for inexact sums.
    age: u32,
}

impl LayeredIsing {
    /// Begins the description of a model of `layers` layers with `sites` spins each, without couplings and fields, and
    /// with `J_tau` = 1.
    pub fn builder(layers: usize, sites: usize) -> Builder {
        Builder::new(layers, sites)
    }

    /// Begins the description of a model from the graph of one layer in compressed sparse rows: the neighbours of site
    /// `i` and the couplings to them stand at `row_pointers[i]..row_pointers[i + 1]`, in any order; `row_pointers` has
    /// one entry more than there are sites. Each edge stands twice, at both of its sites, with equal couplings.
    pub fn from_csr(layers: usize, row_pointers: &[u32], neighbours: &[u32], couplings: &[f32]) -> Builder {
        Builder::from_csr(layers, row_pointers, neighbours, couplings)
    }

    /// `layers * sites` does not overflow, and there are two layers at least.
    pub(super) fn new(
        graph: Graph,
        layers: usize,
        tau_coupling: f32,
        update: Update,
        acceptance: Acceptance,
    ) -> Result<Self, Error> {
        let lanes =
            [16, 8, 4, 2].into_iter().find(|&lanes| layers.is_multiple_of(lanes) && layers > lanes).unwrap_or(1);
        let groups = layers / lanes;
        let rows = groups * graph.order.len();
        let fields = if update == Update::Scatter { rows } else { 0 };
        let mut model = LayeredIsing {
            rows: graph::filled(rows, Row([1.0; LANES]))?,
            fields: graph::filled(fields, Row::ZERO)?,
            graph,
            layers,
            lanes,
            groups,
            acceptance,
            update,
            tau_coupling,
            age: 0,
        };
        model.refresh();
        Ok(model)
    }

    /// The number of layers.
    pub fn layers(&self) -> usize {
        self.layers
    }

    /// The number of spins in a layer.
    pub fn sites(&self) -> usize {
        self.graph.order.len()
    }

    /// The number of layers that are updated together: 16, or less where `layers` is not a larger multiple of 16.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// The sites in the order in which they are visited.
    pub fn order(&self) -> &[u32] {
        &self.graph.order
    }

    /// Whether all sums over neighbours are exact in f32: couplings and fields are integers times one power of two, and
    /// small enough. Then both [`Update`]s give the same spins.
    pub fn is_exact(&self) -> bool {
        self.graph.exact
    }

    /// Bytes on the heap; they do not change during the life of a model.
    pub fn heap_bytes(&self) -> usize {
        self.graph.heap_bytes() + (self.rows.capacity() + self.fields.capacity()) * size_of::<Row>()
    }

    /// Sets all spins: `spins[layer * sites + site]` is +1 or -1.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::Spin`].
    pub fn set_spins(&mut self, spins: &[i8]) -> Result<(), Error> {
        self.check_length(spins.len())?;
        if let Some(index) = spins.iter().position(|spin| !matches!(spin, 1 | -1)) {
            let (layer, site) = (index / self.sites(), index % self.sites());
            return Err(Error::Spin { layer, site, value: spins[index] });
        }
        for (index, lane, spin) in places(&self.graph.order, self.lanes, self.groups) {
            self.rows[index].0[lane] = f32::from(spins[spin]);
        }
        self.refresh();
        Ok(())
    }

    /// Writes all spins: `spins[layer * sites + site]` becomes +1 or -1.
    ///
    /// # Errors
    /// [`Error::Length`].
    pub fn spins(&self, spins: &mut [i8]) -> Result<(), Error> {
        self.check_length(spins.len())?;
        for (index, lane, spin) in places(&self.graph.order, self.lanes, self.groups) {
            spins[spin] = self.rows[index].0[lane].signum() as i8;
        }
        Ok(())
    }

    /// Visits every spin `sweeps` times and returns the number of flips. One call or many calls with the same total
    /// give the same spins.
    ///
    /// Of `rng` it takes `sweeps * sites * layers / lanes * 16` numbers.
    ///
    /// # Errors
    /// [`Error::Lanes`] unless `rng` has 16 lanes; [`Error::Beta`] where `space`, `tau` or `tau * J_tau` is not finite.
    pub fn sweep(&mut self, rng: &mut Mt19937, beta: Beta, sweeps: u64) -> Result<u64, Error> {
        if rng.lanes() != LANES {
            return Err(Error::Lanes { lanes: rng.lanes() });
        }
        let (space, tau) = (beta.space, beta.tau * self.tau_coupling);
        for (argument, value) in [("space", space), ("tau", beta.tau), ("tau", tau)] {
            finite(value, Error::Beta { argument, value })?;
        }
        let (sites, last) = (self.sites(), self.groups - 1);
        let kernel = Kernel::new(self.update, self.acceptance);
        let (enter, leave) = seams(self.update, self.lanes);
        let most = self.graph.chunks[0].count;
        let mut memory = ([const { MaybeUninit::uninit() }; 2 * CHUNK], [const { MaybeUninit::uninit() }; CHUNK]);
        let random = filled(&mut memory.1, most, [0; LANES]);
        // Stand-ins for the rows below group 0 and above the last group.
        let (floor, ceiling) = filled(&mut memory.0, 2 * most, Row::ZERO).split_at_mut(most);
        let mut total = 0;
        for _ in 0..sweeps {
            self.grow_older();
            for group in 0..self.groups {
                let mut flips = [0u32; LANES];
                for &Chunk { first, count, link } in &self.graph.chunks {
                    let start = |group: usize| group * sites + first;
                    rng.fill_u32(random[..count].as_flattened_mut());
                    if group == 0 {
                        (enter.down)(&self.rows[start(last)..][..count], floor);
                    }
                    if group == last {
                        (enter.up)(&self.rows[start(0)..][..count], ceiling);
                    }
                    let rows = self.rows.as_mut_ptr();
                    // SAFETY: `rows`, and `fields` where sums are scattered, hold `sites` rows for each group, and
                    // `start` stays inside its group; groups beside this one are others, as there are at least two.
                    // `floor`, `ceiling` and `random` hold at least `count` rows. From `link` on stand the links of
                    // `count` sites, which lead to rows of a group.
                    unsafe {
                        let below = if group == 0 { floor.as_mut_ptr() } else { rows.add(start(group - 1)) }.cast();
                        let above = if group < last { rows.add(start(group + 1)) } else { ceiling.as_mut_ptr() }.cast();
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
                    if group == 0 {
                        (leave.up)(floor, &mut self.rows[start(last)..][..count]);
                    }
                    if group == last {
                        (leave.down)(ceiling, &mut self.rows[start(0)..][..count]);
                    }
                }
                total += flips[..self.lanes].iter().copied().map(u64::from).sum::<u64>();
            }
        }
        Ok(total)
    }

    /// The two energies of the present spins.
    pub fn energy(&self) -> Energy {
        let live: [u32; LANES] = array::from_fn(|lane| u32::from(lane < self.lanes));
        // The sum of a[k] b[k] over the live lanes, from the signs.
        let product = |a: &Row, b: &Row| {
            let differ = |lane: usize| (a.0[lane].to_bits() ^ b.0[lane].to_bits()) >> 31 & live[lane];
            self.lanes as f64 - f64::from(2 * (0..LANES).map(differ).sum::<u32>())
        };
        let (mut space, mut tau) = (0.0, 0.0);
        for group in 0..self.groups {
            let rows = self.group(group);
            for ((row, spins), (field, links)) in rows.iter().enumerate().zip(self.graph.rows()) {
                // Every edge once, at its end that is visited first.
                let bonds = links.iter().filter(|link| link.row() > row);
                space += bonds.map(|link| f64::from(link.value) * product(spins, &rows[link.row()])).sum::<f64>();
                space += f64::from(field) * product(spins, &Row([1.0; LANES]));
                tau += product(spins, &self.above(group, row));
            }
        }
        Energy { space, tau: f64::from(self.tau_coupling) * tau }
    }

    fn check_length(&self, found: usize) -> Result<(), Error> {
        match self.layers * self.sites() {
            expected if expected == found => Ok(()),
            expected => Err(Error::Length { argument: "spins", expected, found }),
        }
    }

    fn group(&self, group: usize) -> &[Row] {
        &self.rows[group * self.sites()..][..self.sites()]
    }

    /// The layers above row `row` of `group`.
    fn above(&self, group: usize, row: usize) -> Row {
        match group + 1 < self.groups {
            true => self.group(group + 1)[row],
            false => turned(rotations::<false>(self.lanes).up, self.group(0)[row]),
        }
    }

    /// The layers below row `row` of `group`.
    fn below(&self, group: usize, row: usize) -> Row {
        match group.checked_sub(1) {
            Some(below) => self.group(below)[row],
            None => turned(rotations::<false>(self.lanes).down, self.group(self.groups - 1)[row]),
        }
    }

    /// Counts a sweep, and computes the scattered sums anew where they may have drifted.
    fn grow_older(&mut self) {
        if self.update == Update::Scatter && !self.is_exact() {
            if self.age == REFRESH {
                self.refresh();
            }
            self.age += 1;
        }
    }

    /// Computes from the spins what [`Update::Scatter`] keeps; of rows it reads the signs alone, which do not change.
    fn refresh(&mut self) {
        self.age = 0;
        if self.update == Update::Gather {
            return;
        }
        for group in 0..self.groups {
            let start = group * self.sites();
            for (row, (field, links)) in self.graph.rows().enumerate() {
                let mut fields = [field; LANES];
                for link in links {
                    let neighbours = self.group(group)[link.row()].signs();
                    fields.iter_mut().zip(neighbours).for_each(|(field, s)| *field += link.value * s);
                }
                let spins = self.group(group)[row].signs();
                let (below, above) = (self.below(group, row).signs(), self.above(group, row).signs());
                self.fields[start + row] = Row(fields);
                self.rows[start + row] = Row(array::from_fn(|lane| 4.0 * spins[lane] + below[lane] + above[lane]));
            }
        }
    }
}

impl Row {
    const ZERO: Row = Row([0.0; LANES]);

    /// The spins: +1 or -1.
    fn signs(&self) -> [f32; LANES] {
        self.0.map(f32::signum)
    }
}

/// The first `len` elements of `memory`, set to `value`.
fn filled<T: Copy>(memory: &mut [MaybeUninit<T>], len: usize, value: T) -> &mut [T] {
    let part = &mut memory[..len];
    part.iter_mut().for_each(|slot| *slot = MaybeUninit::new(value));
    // SAFETY: all of it was just set.
    unsafe { &mut *(ptr::from_mut(part) as *mut [T]) }
}

/// Row, lane and natural index of every spin.
fn places(order: &[u32], lanes: usize, groups: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    let sites = order.len();
    (0..groups).flat_map(move |group| {
        order.iter().enumerate().flat_map(move |(row, &site)| {
            let natural = move |lane| (lane * groups + group) * sites + site as usize;
            (0..lanes).map(move |lane| (group * sites + row, lane, natural(lane)))
        })
    })
}

/// The function that sweeps, chosen once for a call.
#[derive(Clone, Copy)]
enum Kernel {
    Gather(sweep_fast_f32::Function),
    Scatter(scatter_fast_f32::Function),
}

impl Kernel {
    fn new(update: Update, acceptance: Acceptance) -> Self {
        match (update, acceptance) {
            (Update::Gather, Acceptance::Fast) => Kernel::Gather(sweep_fast_f32::KERNEL.function()),
            (Update::Gather, Acceptance::Poly) => Kernel::Gather(sweep_poly_f32::KERNEL.function()),
            (Update::Scatter, Acceptance::Fast) => Kernel::Scatter(scatter_fast_f32::KERNEL.function()),
            (Update::Scatter, Acceptance::Poly) => Kernel::Scatter(scatter_poly_f32::KERNEL.function()),
        }
    }
}

fn turned(rotate: fn(&[Row], &mut [Row]), row: Row) -> Row {
    let mut turned = [Row::ZERO];
    rotate(&[row], &mut turned);
    turned[0]
}

/// What is done between rows at one end of the ring and their stand-ins at the other, in each direction.
#[derive(Clone, Copy)]
struct Seam {
    up: fn(&[Row], &mut [Row]),
    down: fn(&[Row], &mut [Row]),
}

/// What is done before and after a kernel call: rows are rotated into the stand-ins to be read, or changes are
/// collected in the stand-ins and added to the rows, rotated.
fn seams(update: Update, lanes: usize) -> (Seam, Seam) {
    match update {
        Update::Gather => (rotations::<false>(lanes), Seam { up: |_, _| {}, down: |_, _| {} }),
        Update::Scatter => {
            let clear = |_: &[Row], to: &mut [Row]| to.fill(Row::ZERO);
            (Seam { up: clear, down: clear }, rotations::<true>(lanes))
        }
    }
}

fn rotations<const ADD: bool>(lanes: usize) -> Seam {
    match lanes {
        16 => Seam { up: rotate::<16, 1, ADD>, down: rotate::<16, 15, ADD> },
        8 => Seam { up: rotate::<8, 1, ADD>, down: rotate::<8, 7, ADD> },
        4 => Seam { up: rotate::<4, 1, ADD>, down: rotate::<4, 3, ADD> },
        2 => Seam { up: rotate::<2, 1, ADD>, down: rotate::<2, 1, ADD> },
        _ => Seam { up: rotate::<1, 0, ADD>, down: rotate::<1, 0, ADD> },
    }
}

/// Writes or adds `from` to `to`: lane `k` takes lane `k + STEP` among the `LIVE` live lanes, the idle ones stay.
fn rotate<const LIVE: usize, const STEP: usize, const ADD: bool>(from: &[Row], to: &mut [Row]) {
    let take = |to: &mut [f32], from: &[f32]| match ADD {
        true => to.iter_mut().zip(from).for_each(|(to, from)| *to += from),
        false => to.copy_from_slice(from),
    };
    for (Row(from), Row(to)) in from.iter().zip(to) {
        take(&mut to[..LIVE - STEP], &from[STEP..LIVE]);
        take(&mut to[LIVE - STEP..LIVE], &from[..STEP]);
        take(&mut to[LIVE..], &from[LIVE..]);
    }
}
