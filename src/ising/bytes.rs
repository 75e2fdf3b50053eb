//! Exact models in small integers: a bit for each spin, 64 interlaced layers.

use alloc::vec::Vec;
use core::array;

use super::engine::{Arithmetic, Engine, Temperature, passes, space_energy};
use super::graph::{CHUNK, Chunk, Graph, Weights};
use super::links::ByteLink;
use super::measure::{LayerSums, spread};
use super::room::{Numbers, Room};
use super::scalar::{Site, random_bits};
use super::shape::{Kind, Rule, Shape};
use super::thresholds::{CERTAIN, Exponents, THRESHOLD, THRESHOLDS};
use super::{sweep_heat_i8, sweep_i8};
use crate::frame::memory;
use crate::frame::pieces::{Ended, Pieces};
use crate::random::{Mt19937, SplitMix64};

/// Scratch bytes of one site, one for each of the 64 lanes of a group: a cache line.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
struct ByteLine([u8; 64]);

/// Consecutive sites that one kernel call visits, and whether they are free: without couplings and
/// field.
#[derive(Clone, Copy, Debug)]
struct SiteRun {
    chunk: Chunk,
    is_free: bool,
}

#[derive(Debug)]
pub(super) struct IntegerEngine {
    order: Vec<u32>,
    weights: Weights,
    shape: Shape,
    quantum: f64,
    /// Couplings and fields, negated if `beta_space` is negative.
    links: Vec<ByteLink>,
    is_negative: bool,
    runs: Vec<SiteRun>,
    /// In quanta.
    max_local_field: i32,
    /// The largest magnitude of a coupling or field, in quanta.
    largest: u32,
    /// The table of `exponents`, then, if there are free sites, the table for them.
    thresholds: Vec<[u16; THRESHOLDS]>,
    exponents: Option<Exponents>,
    /// `groups` times `sites` words: bit `k` is set where lane `k` is -1.
    spins: Vec<u64>,
    /// The kernel's argument `bytes`.
    lines: Vec<ByteLine>,
}

impl IntegerEngine {
    /// `graph` was built with `quantum`; its links hold quanta.
    pub fn new(graph: Graph, shape: Shape, quantum: f64, pieces: &Pieces) -> Result<Self, Ended> {
        let quanta = |value: f32| value as i32;
        let mut links =
            memory::with_capacity(shape.sites + graph.links.iter().filter(|link| link.value != 0.0).count())?;
        let chunk_size = graph.chunks[0].count;
        let (mut runs, mut max_local_field, mut largest): (Vec<SiteRun>, _, _) = (Vec::new(), 0, 0);
        for (row, (field, neighbours)) in graph.rows().enumerate() {
            let couplings = || neighbours.iter().filter(|link| link.value != 0.0);
            pieces.before(4 * (1 + neighbours.len()))?;
            let values = quanta(field) + couplings().map(|link| quanta(link.value)).sum::<i32>();
            let magnitude = quanta(field).abs() + couplings().map(|link| quanta(link.value).abs()).sum::<i32>();
            max_local_field = max_local_field.max(magnitude);
            let magnitudes =
                couplings().map(|link| link.value).chain([field]).map(|value| quanta(value).unsigned_abs());
            largest = magnitudes.fold(largest, u32::max);
            let is_free = magnitude == 0;
            match runs.last_mut() {
                Some(run) if run.is_free == is_free && run.chunk.count < chunk_size => run.chunk.count += 1,
                _ => {
                    let chunk = Chunk { first: row, count: 1, link: links.len() };
                    memory::push(&mut runs, SiteRun { chunk, is_free })?;
                }
            }
            links.push(ByteLink::header(values, couplings().count()));
            links.extend(couplings().map(|link| ByteLink::link(link.row(), quanta(link.value))));
        }
        let tables = if runs.iter().any(|run| run.is_free) { 2 } else { 1 };
        Ok(IntegerEngine {
            order: graph.order,
            weights: graph.weights,
            shape,
            quantum,
            links,
            is_negative: false,
            runs,
            max_local_field,
            largest,
            thresholds: memory::filled(tables, [0; THRESHOLDS])?,
            exponents: None,
            spins: pieces.filled(shape.rows(), 0)?,
            lines: pieces.filled(shape.sites, ByteLine([0; 64]))?,
        })
    }

    /// The rows of the neighbours of each row, in visiting order.
    fn neighbours(&self) -> impl Iterator<Item = impl Iterator<Item = usize>> + Clone {
        let mut rest = self.links.as_slice();
        core::iter::from_fn(move || {
            let (&header, tail) = rest.split_first()?;
            let (links, next) = tail.split_at_checked(header.degree())?;
            rest = next;
            Some(links.iter().map(|link| link.row()))
        })
    }

    /// Measures the layers of `G` groups, from group `first` on.
    fn measure_groups<const G: usize>(&self, first: usize) -> [LayerSums; G] {
        let quantum = if self.is_negative { -self.quantum } else { self.quantum };
        let sites = self.shape.sites;
        let spins = array::from_fn(|nth| &self.spins[(first + nth) * sites..][..sites]);
        LayerSums::of_words(spins, &self.links, self.largest, quantum)
    }

    /// The exponents of flips at a temperature.
    pub fn exponents(&self, space: f64, tau: f64, rule: Rule) -> Exponents {
        Exponents { space: 2.0 * space.abs() * self.quantum, tau: 4.0 * tau, rule }
    }

    /// The link stream for a `beta_space` of this sign.
    pub fn links(&self, is_negative: bool) -> Vec<ByteLink> {
        let mut links = self.links.clone();
        if self.is_negative != is_negative {
            negate(&mut links);
        }
        links
    }

    /// Tabulates the thresholds of a temperature, and negates the links if the sign of `space`
    /// changed.
    fn set_temperature(&mut self, space: f64, tau: f64, rule: Rule) -> Exponents {
        let exponents = self.exponents(space, tau, rule);
        if self.exponents != Some(exponents) {
            exponents.tabulate(self.max_local_field, &mut self.thresholds[0]);
            if let Some(free) = self.thresholds.get_mut(1) {
                exponents.of_free_sites().tabulate(0, free);
            }
            self.exponents = Some(exponents);
        }
        if self.is_negative != (space < 0.0) {
            self.is_negative = !self.is_negative;
            negate(&mut self.links);
        }
        exponents
    }
}

/// Changes the signs of all couplings and fields.
fn negate(links: &mut [ByteLink]) {
    let mut rest = links;
    while let Some((header, tail)) = rest.split_first_mut() {
        let (links, next) = tail.split_at_mut(header.degree());
        *header = ByteLink::header(-2 * header.value() - header.parity() as i32, links.len());
        links.iter_mut().for_each(|link| *link = ByteLink::link(link.row(), -link.value()));
        rest = next;
    }
}

impl Engine for IntegerEngine {
    fn arithmetic(&self) -> Arithmetic {
        Arithmetic { kind: Kind::I8Exact, is_exact: true, quantum: self.quantum }
    }

    fn order(&self) -> &[u32] {
        &self.order
    }

    fn mean_square(&self) -> f64 {
        self.weights.mean_square
    }

    fn heap_bytes(&self) -> usize {
        self.order.capacity() * size_of::<u32>()
            + self.weights.heap_bytes()
            + self.links.capacity() * size_of::<ByteLink>()
            + self.runs.capacity() * size_of::<SiteRun>()
            + self.thresholds.capacity() * size_of::<[u16; THRESHOLDS]>()
            + self.spins.capacity() * size_of::<u64>()
            + self.lines.capacity() * size_of::<ByteLine>()
    }

    fn sweep(&mut self, rng: &mut Mt19937, beta: Temperature, rule: Rule, sweeps: u64) -> u64 {
        let exponents = self.set_temperature(f64::from(beta.space), beta.tau, rule);
        let Shape { sites, groups, .. } = self.shape;
        let ends = self.shape.ends();
        let kernel = match rule {
            Rule::Metropolis => sweep_i8::KERNEL.function(),
            Rule::HeatBath => sweep_heat_i8::KERNEL.function(),
        };
        let mut memory = Room::<_, CHUNK>::new();
        let max_count = self.runs.iter().map(|run| run.chunk.count).max().unwrap_or(0);
        let random = memory.filled(max_count, Numbers([0; 32]));
        // The rows below group 0, and above a group in which lanes end.
        let (mut floor, mut ceiling) = ([0; CHUNK], [0; CHUNK]);
        let mut flips = 0;
        for _ in 0..sweeps {
            let mut ties = SplitMix64::drawn(rng);
            for group in 0..groups {
                let (live, is_top) = (self.shape.live(group), ends.is_top(group));
                for &SiteRun { chunk: Chunk { first, count, link }, is_free } in &self.runs {
                    let thresholds = self.thresholds[usize::from(is_free)].as_ptr();
                    rng.fill_u32(Numbers::flat(&mut random[..count]));
                    let row = |group: usize| group * sites + first;
                    // Without coupling between layers, the adjacent ones have no effect.
                    if beta.tau != 0.0 {
                        ends.beside(group, &self.spins, first, &mut floor[..count], &mut ceiling[..count]);
                    }
                    let spins = self.spins.as_mut_ptr();
                    // SAFETY: there are `sites` words for each group, and `row` stays inside its
                    // group. The adjacent groups differ from this one, because there are at least
                    // two.
                    let (spins, below, above) = unsafe {
                        let below = if group == 0 { floor.as_ptr() } else { spins.add(row(group - 1)) };
                        let above = if is_top { ceiling.as_ptr() } else { spins.add(row(group + 1)) };
                        (spins.add(group * sites), below, above)
                    };
                    let (mut done, mut links) = (0, &self.links[link..]);
                    loop {
                        // SAFETY: all arrays hold at least `count` sites, of which `done` are
                        // visited. `links` begins with the next site; links refer to rows of a
                        // group.
                        let (below, above) = unsafe {
                            let (below, above) = (below.add(done), above.add(done));
                            let visited = kernel(
                                spins,
                                self.lines.as_mut_ptr().cast(),
                                sites,
                                first + done,
                                count - done,
                                below,
                                above,
                                links.as_ptr().cast(),
                                thresholds,
                                random[done..].as_ptr().cast(),
                                live,
                                &mut flips,
                            );
                            done += visited;
                            if done == count {
                                break;
                            }
                            for _ in 0..visited {
                                links = &links[1 + links[0].degree()..];
                            }
                            (below.add(visited), above.add(visited))
                        };
                        // SAFETY: `first + done` is a site of the group, and `below` and `above`
                        // point to its words.
                        let site = unsafe {
                            Site { spin: *spins.add(first + done), below: *below, above: *above, header: links[0] }
                        };
                        let exponents = if is_free { exponents.of_free_sites() } else { exponents };
                        let thresholds = &self.thresholds[usize::from(is_free)];
                        let random = &random[done].0;
                        // SAFETY: `links` begins with this site, and links refer to rows of the
                        // group.
                        let accepted =
                            unsafe { resolve_ties(site, links, spins, random, live, thresholds, exponents, &mut ties) };
                        flips += u64::from((accepted & live).count_ones());
                        let spin = site.spin ^ accepted;
                        // SAFETY: `first + done` is a site of the group.
                        unsafe { *spins.add(first + done) = spin };
                        self.lines[first + done] =
                            ByteLine(core::array::from_fn(|lane| 0u8.wrapping_sub((spin >> lane & 1) as u8)));
                        links = &links[1 + links[0].degree()..];
                        done += 1;
                    }
                }
            }
        }
        flips
    }

    fn space_energy(&self) -> f64 {
        let rows = self.neighbours().map(|rows| rows.map(|row| (row, 0)));
        space_energy(self.shape, &self.weights, rows, |index| self.word(index), |_, _| 0)
    }

    fn measure(&self, groups: usize, write: &mut dyn FnMut(usize, &[LayerSums])) {
        passes(groups, |first, count| match count {
            8 => write(first, &self.measure_groups::<8>(first)),
            4 => write(first, &self.measure_groups::<4>(first)),
            2 => write(first, &self.measure_groups::<2>(first)),
            _ => write(first, &self.measure_groups::<1>(first)),
        });
    }

    fn word(&self, index: usize) -> u64 {
        self.spins[index]
    }

    fn set_word(&mut self, index: usize, word: u64) {
        self.spins[index] = word;
    }
}

/// The bits of a site that flip, for a site where 16 random bits do not suffice in some lane of
/// `live`. `thresholds` are those of `exponents`.
///
/// # Safety
/// The links of the site refer to readable `spins`.
#[cold]
#[expect(clippy::too_many_arguments, reason = "they are separate in the engine")]
unsafe fn resolve_ties(
    site: Site,
    links: &[ByteLink],
    spins: *const u64,
    random: &[u32; 32],
    live: u64,
    thresholds: &[u16; THRESHOLDS],
    exponents: Exponents,
    ties: &mut SplitMix64,
) -> u64 {
    let (header, parity) = (site.header, site.header.parity());
    let mut fields = [header.value() as i8; 64];
    for link in &links[1..=header.degree()] {
        // SAFETY: the caller's contract.
        let down = bytes(unsafe { *spins.add(link.row()) });
        fields.iter_mut().zip(down).for_each(|(field, down)| *field = field.wrapping_sub(link.value() as i8 & down));
    }
    let [down, below, above] = [site.spin, site.spin ^ site.below, site.spin ^ site.above].map(bytes);
    let mut accepted = 0;
    for lane in 0..64 {
        let mirror = -(parity as i8) & down[lane];
        let k = (fields[lane] ^ down[lane]).wrapping_sub(down[lane]).wrapping_add(mirror);
        let c = -(below[lane] + above[lane]) as usize;
        let threshold = thresholds[parity * THRESHOLDS / 2 + THRESHOLD + 128 * c + (k & 127) as usize];
        let bits = random_bits(random, lane);
        let mut accepts = bits < threshold;
        if bits == threshold {
            let probability = exponents.probability(2 * i32::from(k) + parity as i32, c);
            let is_drawn = probability != CERTAIN && live >> lane & 1 == 1;
            let rest = if is_drawn { ties.next() >> 32 } else { 0 };
            accepts = (u64::from(bits) << 32 | rest) < probability || probability == CERTAIN;
        }
        accepted |= u64::from(accepts) << lane;
    }
    accepted
}

/// For each bit -1 where it is set, else 0.
fn bytes(word: u64) -> [i8; 64] {
    let mut lanes = [0; 64];
    for (lanes, byte) in lanes.as_chunks_mut::<8>().0.iter_mut().zip(word.to_le_bytes()) {
        *lanes = spread(byte).to_le_bytes().map(|bit| -(bit as i8));
    }
    lanes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ising::thresholds;

    #[test]
    fn tied_lanes_of_the_model_draw_in_order_and_no_others() {
        let exponents = Exponents { space: 0.3, tau: 0.2, rule: Rule::Metropolis };
        // In a field of 3 quanta every down spin flips for certain, and no up spin does.
        let header = [ByteLink::header(3, 0)];
        let site = Site { spin: 0xf0, below: 0x0123_4567_89ab_cdef, above: 0x5555_0000_ffff_3333, header: header[0] };
        let bit = |word: u64, lane: usize| (word >> lane & 1) as usize;
        let probability = |lane| {
            let m = if bit(site.spin, lane) == 0 { 3 } else { -3 };
            exponents.probability(m, bit(site.spin ^ site.below, lane) + bit(site.spin ^ site.above, lane))
        };
        // Every lane is tied.
        let mut random = [0; 32];
        for (lane, half) in (0..64).flat_map(|lane| [(lane, 0), (lane, 1)]) {
            let byte = (probability(lane) >> 32).to_le_bytes()[1 - half];
            random[16 * half + lane / 4] |= u32::from(byte) << (8 * (lane % 4));
        }
        let thresholds = thresholds(exponents.space, exponents.tau);
        for live in [u64::MAX, u64::MAX >> 32, 0xffff, 1] {
            let mut stream = SplitMix64(7);
            let expected = (0..64).filter(|lane| bit(live, *lane) == 1).fold(0, |accepted, lane| {
                let probability = probability(lane);
                let accepts = probability == CERTAIN || stream.next() >> 32 < probability % (1 << 32);
                accepted | u64::from(accepts) << lane
            });
            let mut ties = SplitMix64(7);
            // SAFETY: there are no links.
            let accepted = unsafe {
                resolve_ties(site, &header, core::ptr::null(), &random, live, &thresholds, exponents, &mut ties)
            };
            assert_eq!(accepted & live, expected);
            assert_eq!(ties.next(), stream.next());
            assert!(live.count_ones() < 16 || (expected != 0 && expected != live));
        }
    }
}
