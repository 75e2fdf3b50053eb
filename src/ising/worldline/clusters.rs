//! Cluster sweeps in space and imaginary time.

use alloc::vec::Vec;
use core::ops::Range;

use super::contract::probability;
use super::rates::Rates;
use super::sampler::Links;
use super::state::Lines;
use super::{Transverse, Worldlines, worldline_breaks};
use crate::frame::error::Error;
use crate::frame::memory;
use crate::frame::pieces::{Ended, Pieces, unless_ended};
use crate::ising::shape::LANES;
use crate::random::{Mt19937, SplitMix64};

/// Maximum number of events of a block, and the unit of their number.
const MAX_EVENTS: usize = 256;
const EVENT_UNIT: usize = 16;
/// Maximum number of pieces, which have indices of 32 bits.
const MAX_PIECES: f64 = u32::MAX as f64;

/// Memory of a cluster sweep. A *piece* is a run of slices of a line without a kink or a break. Slice 0 begins a piece;
/// without a boundary before it, the first and the last piece of a line are in the same cluster.
#[derive(Debug, Default)]
pub(super) struct Clusters {
    /// The pieces of line `i` have indices `firsts[i]..firsts[i + 1]`.
    firsts: Vec<u32>,
    /// The last slice of each piece.
    ends: Vec<i32>,
    spins: Vec<i8>,
    /// A piece of the same cluster with a smaller index, or the piece itself.
    parents: Vec<u32>,
    /// The sum of field times spin over the slices of a cluster, at its first piece.
    sums: Vec<f64>,
    is_flipped: Vec<bool>,
    /// Positions of the breaks of a line.
    events: Vec<u32>,
    /// Kinks of the line that is written.
    kinks: Vec<i32>,
}

/// Events at each slice with the same probability.
#[derive(Clone, Copy)]
struct Events {
    /// An upper bound of the probability.
    rate: f64,
    /// `1 / ln(1 - probability)`.
    scale: f64,
}

impl Worldlines {
    /// Flips clusters of spins in space and imaginary time, `sweeps` times, and returns the number of clusters.
    ///
    /// A cluster sweep is a valid step for every model. It pays where clusters stay smaller than the system: for models
    /// that are not [frustrated](Self::is_frustrated), near a transition, alternating with [`sweep`](Self::sweep). Its
    /// time grows with the number of breaks and with `beta` times the sum of the magnitudes of the couplings, up to the
    /// number of pieces that both lines of a link have.
    ///
    /// # Errors
    /// As for [`sweep`](Self::sweep); [`Error::TooLarge`] if 2^32 pieces of lines are expected, `beta gamma` for each
    /// line. Lines do not change in an incomplete sweep.
    ///
    /// # Source
    /// Swendsen and Wang, "Nonuniversal critical dynamics in Monte Carlo simulations" (Phys. Rev. Lett. 58, 1987), on
    /// the layers of the path integral; Rieger and Kawashima (Eur. Phys. J. B 9, 1999) for continuous time.
    pub fn sweep_clusters(&mut self, rng: &mut Mt19937, at: Transverse, sweeps: u64) -> Result<u64, Error> {
        let mut clusters = 0;
        self.cluster_sweeps(rng, at, sweeps, &mut || true, &mut clusters)?;
        Ok(clusters)
    }

    /// Like [`sweep_clusters`](Self::sweep_clusters), and returns the number of sweeps. It ends as soon as `go_on`,
    /// called before each sweep and some times in a millisecond, returns false; the incomplete sweep changes no line.
    ///
    /// # Errors
    /// As for [`sweep_clusters`](Self::sweep_clusters).
    pub fn sweep_clusters_while(
        &mut self,
        rng: &mut Mt19937,
        at: Transverse,
        sweeps: u64,
        mut go_on: impl FnMut() -> bool,
    ) -> Result<u64, Error> {
        self.cluster_sweeps(rng, at, sweeps, &mut go_on, &mut 0)
    }

    fn cluster_sweeps(
        &mut self,
        rng: &mut Mt19937,
        at: Transverse,
        sweeps: u64,
        go_on: &mut dyn FnMut() -> bool,
        clusters: &mut u64,
    ) -> Result<u64, Error> {
        if rng.lanes() != LANES {
            return Err(Error::Lanes { lanes: rng.lanes() });
        }
        at.check()?;
        let rates = at.rates(self.lines.slices);
        for done in 0..sweeps {
            let pieces = Pieces::new(go_on);
            match unless_ended(self.clusters.sweep(rng, rates, &self.links, &mut self.lines, &pieces))? {
                Some(count) => *clusters += count,
                None => return Ok(done),
            }
        }
        Ok(sweeps)
    }

    /// Whether a closed loop of couplings has a negative product, so that no spins satisfy all couplings. Then
    /// clusters span the system before they order it, and [`sweep_clusters`](Self::sweep_clusters) moves little.
    ///
    /// # Errors
    /// [`Error::NoMemory`].
    pub fn is_frustrated(&self) -> Result<bool, Error> {
        // Signs that satisfy the couplings of a spanning tree; 0 for lines that it has not reached.
        let mut signs = memory::filled(self.sites(), 0i8)?;
        let mut stack = memory::with_capacity(self.sites())?;
        for first in 0..self.sites() {
            if signs[first] != 0 {
                continue;
            }
            signs[first] = 1;
            stack.push(first);
            while let Some(row) = stack.pop() {
                for link in self.links.of(row) {
                    let other = self.links.neighbours[link] as usize;
                    let sign = if self.links.values.coupling(link) < 0.0 { -signs[row] } else { signs[row] };
                    if signs[other] == 0 {
                        signs[other] = sign;
                        stack.push(other);
                    } else if signs[other] != sign {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }
}

impl Clusters {
    /// One sweep. Returns the number of clusters.
    fn sweep(
        &mut self,
        rng: &mut Mt19937,
        rates: Rates,
        links: &Links,
        lines: &mut Lines,
        pieces: &Pieces,
    ) -> Result<u64, Ended> {
        pieces.next()?;
        let decisions = SplitMix64::drawn(rng);
        let longest = self.cut(rng, rates, lines, pieces)?;
        lines.reserve(longest)?;
        memory::resize(&mut self.kinks, longest, 0)?;
        let rates = Rates { exponent: rates.exponent * links.values.unit(), ..rates };
        self.join(rng, rates, links, lines.slices, pieces)?;
        let clusters = self.decide(decisions, rates, links, pieces)?;
        for row in 0..lines.lines.len() {
            self.write(row, lines)?;
        }
        Ok(clusters)
    }

    /// Divides the lines into pieces, each a cluster. Returns the largest number of them on a line.
    fn cut(&mut self, rng: &mut Mt19937, rates: Rates, lines: &Lines, pieces: &Pieces) -> Result<usize, Ended> {
        let breaks = Events { rate: rates.break_rate, scale: rates.break_scale };
        let kinks: f64 = lines.lines.iter().map(|line| f64::from(line.count)).sum();
        let expected = kinks + lines.lines.len() as f64 * (1.0 + breaks.rate * f64::from(lines.slices));
        if expected >= MAX_PIECES {
            return Err(Error::TooLarge { argument: "gamma" }.into());
        }
        let mut longest = 0;
        self.ends.clear();
        self.spins.clear();
        self.parents.clear();
        self.reserve(expected as usize)?;
        memory::resize(&mut self.firsts, lines.lines.len() + 1, 0)?;
        for (row, line) in lines.lines.iter().enumerate() {
            breaks.draw(rng, lines.slices, &mut self.events, pieces)?;
            let first = self.parents.len();
            self.add(lines.kinks(row), line.spin as i8, lines.slices - 1)?;
            let next = self.parents.len();
            self.firsts[row + 1] = u32::try_from(next).map_err(|_| Error::TooLarge { argument: "gamma" })?;
            longest = longest.max(next - first);
        }
        Ok(longest)
    }

    /// Makes room for more pieces.
    fn reserve(&mut self, room: usize) -> Result<(), Error> {
        self.ends.try_reserve(room).map_err(|_| Error::NoMemory)?;
        self.spins.try_reserve(room).map_err(|_| Error::NoMemory)?;
        self.parents.try_reserve(room).map_err(|_| Error::NoMemory)
    }

    /// Appends the pieces between the kinks and events of a line.
    fn add(&mut self, kinks: &[i32], mut spin: i8, last: u32) -> Result<(), Error> {
        let first = self.parents.len();
        self.reserve(kinks.len() + self.events.len() + 1)?;
        let mut push = |end, spin| {
            self.parents.push(self.parents.len() as u32);
            self.ends.push(end);
            self.spins.push(spin);
        };
        let is_closed = kinks.last() == Some(&(last as i32)) || self.events.last() == Some(&last);
        let mut kinks = kinks.iter().copied().peekable();
        let behind = (!is_closed).then_some(last);
        for end in self.events.iter().copied().chain(behind).map(|end| end as i32) {
            while let Some(kink) = kinks.next_if(|&kink| kink < end) {
                push(kink, spin);
                spin = -spin;
            }
            if kinks.peek() != Some(&end) {
                push(end, spin);
            }
        }
        for kink in kinks {
            push(kink, spin);
            spin = -spin;
        }
        if let Some(piece) = self.parents.last_mut().filter(|_| !is_closed) {
            *piece = first as u32;
        }
        Ok(())
    }

    /// Unites pieces at both ends of each link.
    fn join(
        &mut self,
        rng: &mut Mt19937,
        rates: Rates,
        links: &Links,
        slices: u32,
        pieces: &Pieces,
    ) -> Result<(), Ended> {
        for row in 0..self.firsts.len() - 1 {
            for link in links.of(row) {
                let other = links.neighbours[link] as usize;
                if other < row {
                    continue;
                }
                let coupling = links.values.coupling(link);
                // ln of the probability that a satisfied bond of a slice is left out.
                let exponent = rates.exponent * coupling.abs();
                let bonds = Events { rate: (-exponent).min(1.0), scale: 1.0 / exponent };
                self.join_lines(rng, bonds, [row, other], coupling > 0.0, slices, pieces)?;
            }
        }
        Ok(())
    }

    /// Unites pieces of two lines, of equal or of opposite spins. After a bond, others of the same two pieces are left
    /// out: there are at most as many bonds as pairs of pieces, at any temperature.
    fn join_lines(
        &mut self,
        rng: &mut Mt19937,
        bonds: Events,
        rows: [usize; 2],
        is_of_equal: bool,
        slices: u32,
        pieces: &Pieces,
    ) -> Result<(), Ended> {
        let mut block = [0; MAX_EVENTS];
        let [mut a, mut b] = rows.map(|row| self.firsts[row] as usize);
        let mut start = 0;
        while start < slices {
            let number = bonds.draw_block(rng, start, slices, &mut block);
            pieces.before(number)?;
            for &bond in block[..number].iter().take_while(|&&bond| bond < slices) {
                if bond < start {
                    continue;
                }
                let slice = bond as i32;
                a += self.ends[a..].iter().take_while(|&&end| end < slice).count();
                b += self.ends[b..].iter().take_while(|&&end| end < slice).count();
                if (self.spins[a] == self.spins[b]) == is_of_equal {
                    self.unite(a, b);
                }
                start = self.ends[a].min(self.ends[b]) as u32 + 1;
            }
            start = start.max(block[number - 1] + 1);
        }
        Ok(())
    }

    /// The first piece of the cluster of a piece.
    fn root(&mut self, mut piece: usize) -> usize {
        loop {
            let parent = self.parents[piece] as usize;
            if parent == piece {
                return piece;
            }
            self.parents[piece] = self.parents[parent];
            piece = parent;
        }
    }

    fn unite(&mut self, a: usize, b: usize) {
        let roots = [self.root(a), self.root(b)];
        self.parents[roots[0].max(roots[1])] = roots[0].min(roots[1]) as u32;
    }

    /// Decides for each cluster, and gives its new spins to each piece. Returns the number of clusters.
    fn decide(&mut self, random: SplitMix64, rates: Rates, links: &Links, pieces: &Pieces) -> Result<u64, Ended> {
        let count = self.parents.len();
        memory::resize(&mut self.sums, count, 0.0)?;
        memory::resize(&mut self.is_flipped, count, false)?;
        self.sums.fill(0.0);
        for row in 0..self.firsts.len() - 1 {
            pieces.before(self.pieces(row).len())?;
            let field = links.values.field(row);
            let mut begin = 0;
            for piece in self.pieces(row) {
                let (end, root) = (self.ends[piece] + 1, self.root(piece));
                // From now on the parent is the first piece.
                self.parents[piece] = root as u32;
                self.sums[root] += field * f64::from(i32::from(self.spins[piece]) * (end - begin));
                begin = end;
            }
        }
        let mut clusters = 0;
        for piece in 0..count {
            let root = self.parents[piece] as usize;
            if root == piece {
                let exponent = -rates.exponent * self.sums[root];
                self.is_flipped[root] = random.nth(clusters) >> 16 < probability(exponent);
                clusters += 1;
            }
            if self.is_flipped[root] {
                self.spins[piece] = -self.spins[piece];
            }
        }
        Ok(clusters)
    }

    fn pieces(&self, row: usize) -> Range<usize> {
        self.firsts[row] as usize..self.firsts[row + 1] as usize
    }

    /// Writes a line from its pieces. There is room.
    fn write(&mut self, row: usize, lines: &mut Lines) -> Result<(), Error> {
        let pieces = self.pieces(row);
        let (ends, spins) = (&self.ends[pieces.clone()], &self.spins[pieces]);
        self.kinks.clear();
        let after = spins[1..].iter().chain(&spins[..1]);
        let kinks = ends.iter().zip(spins.iter().zip(after)).filter(|(_, (spin, after))| spin != after);
        self.kinks.extend(kinks.map(|(&end, _)| end));
        lines.set(row, i32::from(spins[0]), &self.kinks)
    }

    pub fn heap_bytes(&self) -> usize {
        4 * (self.firsts.capacity() + self.ends.capacity() + self.parents.capacity() + self.events.capacity())
            + 4 * self.kinks.capacity()
            + 8 * self.sums.capacity()
            + self.spins.capacity()
            + self.is_flipped.capacity()
    }
}

impl Events {
    /// Writes the slices with an event.
    fn draw(self, rng: &mut Mt19937, slices: u32, events: &mut Vec<u32>, pieces: &Pieces) -> Result<(), Ended> {
        let (mut start, mut count) = (0, 0);
        while start < slices {
            let len = events.len().max(count + MAX_EVENTS);
            memory::resize(events, len, 0)?;
            let number = self.draw_block(rng, start, slices, &mut events[count..]);
            pieces.before(number)?;
            count += number;
            start = events[count - 1] + 1;
        }
        let inside = events[..count].partition_point(|&event| event < slices);
        events.truncate(inside);
        Ok(())
    }

    /// Writes the next events from the slice `start` on, ascending, and returns their number. They may be behind the
    /// last slice.
    fn draw_block(self, rng: &mut Mt19937, start: u32, slices: u32, events: &mut [u32]) -> usize {
        let mut words = [0; 2 * MAX_EVENTS];
        let expected = f64::from(slices - start) * self.rate + 8.0;
        let number = (expected as usize).min(MAX_EVENTS).next_multiple_of(EVENT_UNIT);
        rng.fill_u32(&mut words[..2 * number]);
        let events = &mut events[..number];
        // SAFETY: two words for each event.
        unsafe { worldline_breaks(words.as_ptr(), number, self.scale, start, events.as_mut_ptr()) };
        number
    }
}
