//! Worldlines of a transverse-field Ising model: state, sweeps and measurements.

use alloc::vec::Vec;

use super::Transverse;
use super::clusters::Clusters;
use super::contract::{END, MAX_SLICES};
use super::sampler::{Links, Scratch, Sweep, Values};
use super::state::Lines;
use crate::frame::error::{Error, exactly};
use crate::frame::memory;
use crate::frame::pieces::{Ended, Pieces, unless_ended, whole};
use crate::ising::builder::Builder;
use crate::ising::graph::{Limits, Lists, Order, quanta};
use crate::ising::shape::LANES;
use crate::random::Mt19937;

/// Maximum magnitudes of a site in quanta; also at most `2^31 - 1` over the number of slices.
const MAX_QUANTA: u32 = 32_766;

/// Worldlines of a transverse-field Ising model, see the [module](crate::ising::worldline).
///
/// `hl_ising_worldlines` in C.
#[derive(Debug)]
#[must_use]
pub struct Worldlines {
    /// The site of each line, and the line of each site.
    pub(super) order: Vec<u32>,
    rows: Vec<u32>,
    pub(super) links: Links,
    pub(super) lines: Lines,
    scratch: Scratch,
    pub(super) clusters: Clusters,
}

impl Builder {
    /// Builds worldlines with as many slices as the description has layers, all spins +1. The coupling between layers,
    /// acceptance, update and reversals have no meaning for them and are ignored.
    ///
    /// # Errors
    /// As for [`build`](Self::build), without those of kinds; [`Error::Layers`] for fewer than two slices,
    /// [`Error::TooLarge`] for more than 2^30 slices or 2^32 links.
    pub fn build_worldlines(mut self) -> Result<Worldlines, Error> {
        whole(|pieces| Worldlines::new(&mut self, pieces))
    }

    /// Like [`build_worldlines`](Self::build_worldlines). Returns `None` as soon as `go_on`, called some times in a
    /// millisecond, returns false.
    ///
    /// # Errors
    /// As for [`build_worldlines`](Self::build_worldlines).
    pub fn build_worldlines_while(mut self, mut go_on: impl FnMut() -> bool) -> Result<Option<Worldlines>, Error> {
        unless_ended(Worldlines::new(&mut self, &Pieces::new(&mut go_on)))
    }
}

impl Links {
    fn new(fields: &[f64], lists: &Lists, order: &[u32], rows: &[u32], slices: usize) -> Result<Self, Ended> {
        let max_sum = (END as usize / slices).min(MAX_QUANTA as usize) as u32;
        let quantum = match lists.quantum(fields, Limits::new(max_sum, max_sum)) {
            Ok(quantum) => Some(quantum),
            Err(Ended::Failed(Error::Quantum { .. })) => None,
            Err(ended) => return Err(ended),
        };
        let degree = |&site: &u32| lists.neighbours(site).iter().filter(|half| half.coupling != 0.0).count();
        let count: usize = order.iter().map(degree).sum();
        if u32::try_from(count).is_err() {
            return Err(Error::TooLarge { argument: "couplings" }.into());
        }
        let mut starts = memory::with_capacity(order.len() + 1)?;
        let mut neighbours = memory::with_capacity(count)?;
        let mut couplings = memory::with_capacity(count)?;
        starts.push(0);
        let mut own = Vec::new();
        for &site in order {
            let halves = lists.neighbours(site).iter().filter(|half| half.coupling != 0.0);
            lists.pieces.before(8 * (1 + lists.neighbours(site).len()))?;
            own.clear();
            own.try_reserve(lists.neighbours(site).len()).map_err(|_| Error::NoMemory)?;
            own.extend(halves.map(|half| (rows[half.neighbour as usize], half.coupling)));
            own.sort_unstable_by_key(|link| link.0);
            neighbours.extend(own.iter().map(|link| link.0));
            couplings.extend(own.iter().map(|link| link.1));
            starts.push(neighbours.len() as u32);
        }
        let fields = order.iter().map(|&site| fields[site as usize]);
        let values = match quantum {
            Some(quantum) => Values::Integers {
                quantum,
                fields: memory::collected(fields.map(|field| quanta(field, quantum)))?,
                couplings: memory::collected(couplings.iter().map(|&coupling| quanta(coupling, quantum)))?,
            },
            None => Values::Reals { fields: memory::collected(fields)?, couplings },
        };
        Ok(Links { starts, neighbours, values })
    }
}

impl Worldlines {
    fn new(builder: &mut Builder, pieces: &Pieces) -> Result<Self, Ended> {
        builder.result?;
        let slices = builder.layers;
        if slices < 2 {
            return Err(Error::Layers { layers: slices }.into());
        }
        if slices > MAX_SLICES {
            return Err(Error::TooLarge { argument: "layers" }.into());
        }
        let sites = builder.fields.len();
        let lists = Lists::new(sites, &mut builder.halves, pieces)?;
        let order = lists.order(Order::Coloured, &builder.fields, None)?;
        let mut rows = pieces.filled(sites, 0)?;
        pieces.each(sites, |piece| piece.for_each(|row| rows[order[row] as usize] = row as u32))?;
        let links = Links::new(&builder.fields, &lists, &order, &rows, slices)?;
        let lines = Lines::new(slices as u32, sites)?;
        let mut scratch = Scratch::default();
        scratch.reserve(lines.room)?;
        Ok(Worldlines { order, rows, links, lines, scratch, clusters: Clusters::default() })
    }

    /// The number of slices.
    #[must_use]
    pub fn slices(&self) -> usize {
        self.lines.slices as usize
    }

    /// The number of sites.
    #[must_use]
    pub fn sites(&self) -> usize {
        self.order.len()
    }

    /// The sites in visiting order: colour by colour of the graph.
    #[must_use]
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// The unit of couplings and fields whose sums are integers; 0 if they are sums in f64.
    #[must_use]
    pub fn quantum(&self) -> f64 {
        if let Values::Integers { quantum, .. } = self.links.values { quantum } else { 0.0 }
    }

    /// Bytes on the heap. They grow with `beta gamma` and with the number of kinks.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        let links = &self.links;
        let values = match &links.values {
            Values::Integers { fields, couplings, .. } => 4 * (fields.capacity() + couplings.capacity()),
            Values::Reals { fields, couplings } => 8 * (fields.capacity() + couplings.capacity()),
        };
        let words =
            self.order.capacity() + self.rows.capacity() + links.starts.capacity() + links.neighbours.capacity();
        values + 4 * words + self.lines.heap_bytes() + self.scratch.heap_bytes() + self.clusters.heap_bytes()
    }

    /// Redraws all lines `sweeps` times and returns the number of segments that were redrawn, empty ones between a kink
    /// and a break at the same place included.
    ///
    /// # Errors
    /// [`Error::Lanes`] unless the generator has 16 lanes, [`Error::Range`] if `beta` or `gamma` is negative or not
    /// finite as f32, both before any change. [`Error::NoMemory`] if lines need more memory than there is; a sweep
    /// may then be incomplete, and the lines are valid.
    pub fn sweep(&mut self, rng: &mut Mt19937, at: Transverse, sweeps: u64) -> Result<u64, Error> {
        let mut segments = 0;
        self.sweeps(rng, at, sweeps, || true, &mut segments)?;
        Ok(segments)
    }

    /// Like [`sweep`](Self::sweep), and returns the number of sweeps. It ends as soon as `go_on`, called before each
    /// sweep, returns false.
    ///
    /// # Errors
    /// As for [`sweep`](Self::sweep).
    pub fn sweep_while(
        &mut self,
        rng: &mut Mt19937,
        at: Transverse,
        sweeps: u64,
        go_on: impl FnMut() -> bool,
    ) -> Result<u64, Error> {
        self.sweeps(rng, at, sweeps, go_on, &mut 0)
    }

    /// Anneals: sweeps `sweeps` times at each point of a schedule, and returns the number of segments as
    /// [`sweep`](Self::sweep) does. A fall of `gamma` from well above the couplings to the wanted value lets lines
    /// find their valleys; lines that start without kinks at a small `gamma` keep those of their first spins.
    ///
    /// # Errors
    /// As for [`sweep`](Self::sweep); all points are checked before any change.
    pub fn anneal(&mut self, rng: &mut Mt19937, schedule: &[Transverse], sweeps: u64) -> Result<u64, Error> {
        schedule.iter().try_for_each(|at| at.check())?;
        let mut segments = 0;
        for &at in schedule {
            self.sweeps(rng, at, sweeps, || true, &mut segments)?;
        }
        Ok(segments)
    }

    fn sweeps(
        &mut self,
        rng: &mut Mt19937,
        at: Transverse,
        sweeps: u64,
        mut go_on: impl FnMut() -> bool,
        segments: &mut u64,
    ) -> Result<u64, Error> {
        if rng.lanes() != LANES {
            return Err(Error::Lanes { lanes: rng.lanes() });
        }
        at.check()?;
        // As many kinks and breaks are expected as `beta gamma` each.
        self.lines.reserve((3.0 * at.beta * at.gamma + 64.0) as usize)?;
        self.scratch.reserve(self.lines.room)?;
        let rates = at.rates(self.lines.slices);
        let Worldlines { links, lines, scratch, .. } = self;
        let mut sweep = Sweep { lines, links, scratch, rng, rates };
        for done in 0..sweeps {
            if !go_on() {
                return Ok(done);
            }
            *segments += sweep.run()?;
        }
        Ok(sweeps)
    }

    fn row(&self, site: usize) -> Result<usize, Error> {
        let row = self.rows.get(site).ok_or(Error::SiteRange { site, sites: self.sites() })?;
        Ok(*row as usize)
    }

    /// The spin of a site in slice 0, and its kinks: the slices `k`, ascending, whose spin differs from that of slice
    /// `k + 1`, or of slice 0 after the last slice.
    ///
    /// # Errors
    /// [`Error::SiteRange`].
    pub fn line(&self, site: usize) -> Result<(i8, &[i32]), Error> {
        let row = self.row(site)?;
        Ok((self.lines.lines[row].spin as i8, self.lines.kinks(row)))
    }

    /// Sets a line as [`line`](Self::line) returns it. With the lines of all sites and the state of the generator,
    /// sweeps continue as if they had not been interrupted.
    ///
    /// # Errors
    /// [`Error::SiteRange`]; [`Error::Spin`] unless `spin` is +1 or -1; [`Error::Even`] for an odd number of kinks;
    /// [`Error::Index`] for the first kink that is not a slice, or not greater than its predecessor;
    /// [`Error::NoMemory`].
    pub fn set_line(&mut self, site: usize, spin: i8, kinks: &[i32]) -> Result<(), Error> {
        let row = self.row(site)?;
        if spin != 1 && spin != -1 {
            return Err(Error::Spin { layer: 0, site, value: spin });
        }
        if !kinks.len().is_multiple_of(2) {
            return Err(Error::Even { argument: "kinks", value: kinks.len() });
        }
        let before = core::iter::once(-1).chain(kinks.iter().copied());
        let is_wrong = |(&kink, before): (&i32, i32)| kink <= before || kink as usize >= self.slices();
        if let Some(index) = kinks.iter().zip(before).position(is_wrong) {
            return Err(Error::Index { argument: "kinks", index, count: self.slices() });
        }
        self.lines.set(row, i32::from(spin), kinks)
    }

    /// Sets all slices to the same spins, one for each site.
    ///
    /// # Errors
    /// [`Error::Length`]; [`Error::Spin`] for the first spin that is neither +1 nor -1.
    pub fn set_spins(&mut self, spins: &[i8]) -> Result<(), Error> {
        exactly("spins", self.sites(), spins.len())?;
        if let Some(site) = spins.iter().position(|&spin| spin != 1 && spin != -1) {
            return Err(Error::Spin { layer: 0, site, value: spins[site] });
        }
        (0..spins.len()).try_for_each(|site| self.set_line(site, spins[site], &[]))
    }

    /// Writes the spins of a slice, one for each site.
    ///
    /// # Errors
    /// [`Error::Length`]; [`Error::Index`] if there is no such slice.
    pub fn spins(&self, slice: usize, spins: &mut [i8]) -> Result<(), Error> {
        exactly("spins", self.sites(), spins.len())?;
        if slice >= self.slices() {
            return Err(Error::Index { argument: "slice", index: slice, count: self.slices() });
        }
        for (row, &site) in self.order.iter().enumerate() {
            let before = self.lines.kinks(row).partition_point(|&kink| (kink as usize) < slice);
            let spin = self.lines.lines[row].spin as i8;
            spins[site as usize] = if before % 2 == 0 { spin } else { -spin };
        }
        Ok(())
    }
}
