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
use crate::ising::shape::LANES;
use crate::random::{Mt19937, SplitMix64};

/// Maximum number of events of a block, and the unit of their number.
const MAX_EVENTS: usize = 256;
const EVENT_UNIT: usize = 16;

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
    /// Positions of the events of a line or of a link.
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
    /// A cluster sweep is a valid step for every model. It pays where clusters stay smaller than the system: for
    /// ferromagnets and other models without frustration, near a transition, alternating with
    /// [`sweep`](Self::sweep). Its time grows with the number of breaks and with `beta` times the sum of the
    /// magnitudes of the couplings, up to the number of slices for each link.
    ///
    /// # Errors
    /// As for [`sweep`](Self::sweep); [`Error::TooLarge`] for 2^32 pieces of lines. Lines do not change in an
    /// incomplete sweep.
    ///
    /// # Source
    /// Swendsen and Wang, "Nonuniversal critical dynamics in Monte Carlo simulations" (Phys. Rev. Lett. 58, 1987), on
    /// the layers of the path integral; Rieger and Kawashima (Eur. Phys. J. B 9, 1999) for continuous time.
    pub fn sweep_clusters(&mut self, rng: &mut Mt19937, at: Transverse, sweeps: u64) -> Result<u64, Error> {
        if rng.lanes() != LANES {
            return Err(Error::Lanes { lanes: rng.lanes() });
        }
        at.check()?;
        let rates = at.rates(self.lines.slices);
        let mut clusters = 0;
        for _ in 0..sweeps {
            clusters += self.clusters.sweep(rng, rates, &self.links, &mut self.lines)?;
        }
        Ok(clusters)
    }
}

impl Clusters {
    /// One sweep. Returns the number of clusters.
    fn sweep(&mut self, rng: &mut Mt19937, rates: Rates, links: &Links, lines: &mut Lines) -> Result<u64, Error> {
        let decisions = SplitMix64::drawn(rng);
        let longest = self.cut(rng, rates, lines)?;
        lines.reserve(longest)?;
        memory::resize(&mut self.kinks, longest, 0)?;
        let rates = Rates { exponent: rates.exponent * links.values.unit(), ..rates };
        self.join(rng, rates, links, lines.slices)?;
        let clusters = self.decide(decisions, rates, links)?;
        for row in 0..lines.lines.len() {
            self.write(row, lines)?;
        }
        Ok(clusters)
    }

    /// Divides the lines into pieces, each a cluster. Returns the largest number of them on a line.
    fn cut(&mut self, rng: &mut Mt19937, rates: Rates, lines: &Lines) -> Result<usize, Error> {
        let breaks = Events { rate: rates.break_rate, scale: rates.break_scale };
        let mut longest = 0;
        self.ends.clear();
        self.spins.clear();
        self.parents.clear();
        memory::resize(&mut self.firsts, lines.lines.len() + 1, 0)?;
        for (row, line) in lines.lines.iter().enumerate() {
            breaks.draw(rng, lines.slices, &mut self.events)?;
            let first = self.parents.len();
            self.add(lines.kinks(row), line.spin as i8, lines.slices - 1)?;
            let next = self.parents.len();
            self.firsts[row + 1] = u32::try_from(next).map_err(|_| Error::TooLarge { argument: "couplings" })?;
            longest = longest.max(next - first);
        }
        Ok(longest)
    }

    /// Appends the pieces between the kinks and events of a line.
    fn add(&mut self, kinks: &[i32], mut spin: i8, last: u32) -> Result<(), Error> {
        let first = self.parents.len();
        let room = kinks.len() + self.events.len() + 1;
        self.ends.try_reserve(room).map_err(|_| Error::NoMemory)?;
        self.spins.try_reserve(room).map_err(|_| Error::NoMemory)?;
        self.parents.try_reserve(room).map_err(|_| Error::NoMemory)?;
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
    fn join(&mut self, rng: &mut Mt19937, rates: Rates, links: &Links, slices: u32) -> Result<(), Error> {
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
                bonds.draw(rng, slices, &mut self.events)?;
                let [mut a, mut b] = [row, other].map(|row| self.firsts[row] as usize);
                for at in 0..self.events.len() {
                    let slice = self.events[at] as i32;
                    a += self.ends[a..].iter().take_while(|&&end| end < slice).count();
                    b += self.ends[b..].iter().take_while(|&&end| end < slice).count();
                    if (self.spins[a] == self.spins[b]) == (coupling > 0.0) {
                        self.unite(a, b);
                    }
                }
            }
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
    fn decide(&mut self, random: SplitMix64, rates: Rates, links: &Links) -> Result<u64, Error> {
        let pieces = self.parents.len();
        memory::resize(&mut self.sums, pieces, 0.0)?;
        memory::resize(&mut self.is_flipped, pieces, false)?;
        self.sums.fill(0.0);
        for row in 0..self.firsts.len() - 1 {
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
        for piece in 0..pieces {
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
    fn draw(self, rng: &mut Mt19937, slices: u32, events: &mut Vec<u32>) -> Result<(), Error> {
        let (mut start, mut count) = (0, 0);
        let mut words = [0; 2 * MAX_EVENTS];
        while start < slices {
            let expected = f64::from(slices - start) * self.rate + 8.0;
            let number = (expected as usize).min(MAX_EVENTS).next_multiple_of(EVENT_UNIT);
            let len = events.len().max(count + number);
            memory::resize(events, len, 0)?;
            rng.fill_u32(&mut words[..2 * number]);
            // SAFETY: two words for each event; there is room for all.
            unsafe { worldline_breaks(words.as_ptr(), number, self.scale, start, events[count..].as_mut_ptr()) };
            count += number;
            start = events[count - 1] + 1;
        }
        let inside = events[..count].partition_point(|&event| event < slices);
        events.truncate(inside);
        Ok(())
    }
}
