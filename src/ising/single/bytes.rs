//! Couplings in bytes: spins, thresholds and the sweep.

use alloc::vec::Vec;

use super::hubs::Hubs;
use super::program::{BlockLine, Program, Values};
use super::scalar::{BLOCK, Streams, index, random_bits};
use super::{Layout, sweep_blocks_i8, sweep_heat_blocks_i8};
use crate::frame::memory;
use crate::frame::pieces::{Ended, Pieces};
use crate::ising::graph::{CHUNK, Graph};
use crate::ising::links::Link;
use crate::ising::room::{Numbers, Room};
use crate::ising::shape::Rule;
use crate::ising::thresholds::{CERTAIN, Exponents};
use crate::random::{Mt19937, SplitMix64};

/// Upper bytes of the thresholds for `m` from 0 to 127, then the lower bytes, each minus 128.
type Thresholds = [i8; 256];

#[derive(Debug)]
pub(super) struct ByteBlocks {
    pub quantum: f64,
    /// Blocks of free sites, the last ones before the hubs.
    free: usize,
    hubs: Hubs,
    /// Couplings and fields, negated if `beta_space` is negative.
    program: Program<u8>,
    /// The fields of each block, never negated; empty if all are 0.
    fields: Vec<BlockLine<i8>>,
    is_negative: bool,
    /// In quanta.
    max_local_field: i32,
    /// Those of `exponents`, then those of free sites.
    thresholds: Vec<Thresholds>,
    exponents: Option<Exponents>,
    /// A block that is only read, the blocks of all systems, a block that is only read: 255 where
    /// the spin is -1.
    spins: Vec<BlockLine<u8>>,
}

struct Bytes;

impl Values<u8> for Bytes {
    fn first(&self, _: usize, field: f32, links: &[Link]) -> u8 {
        (field + links.iter().map(|link| link.value).sum::<f32>()) as i32 as u8
    }

    fn coupling(&self, _: usize, _: usize, link: &Link) -> u8 {
        (2.0 * link.value) as i32 as u8
    }
}

impl ByteBlocks {
    /// `graph` was built with `quantum` in the order of `layout`; its links hold quanta.
    pub fn new(
        graph: &mut Graph,
        layout: &Layout,
        systems: usize,
        quantum: f64,
        pieces: &Pieces,
    ) -> Result<Self, Ended> {
        let program = Program::new(graph, layout, &Bytes, pieces)?;
        let magnitude =
            |(field, links): (f32, &[Link])| links.iter().fold(field.abs(), |sum, link| sum + link.value.abs()) as i32;
        let mut fields = Vec::new();
        let hubs = Hubs::new(graph, layout, pieces)?;
        let others = || graph.rows().take(layout.order.len() - layout.hubs);
        if others().any(|(field, _)| field != 0.0) {
            let mut rows = others();
            for block in layout.blocks() {
                let mut line = BlockLine([0; BLOCK]);
                line.0.iter_mut().zip(rows.by_ref().take(block.len())).for_each(|(to, (field, _))| *to = field as i8);
                memory::push(&mut fields, line)?;
            }
        }
        let last = layout.colours.iter().rev().nth(usize::from(layout.hubs > 0));
        let free = last.filter(|colour| graph.rows().nth(colour.first_row).is_some_and(|row| magnitude(row) == 0));
        Ok(ByteBlocks {
            quantum,
            free: free.map_or(0, |colour| colour.blocks()),
            spins: program.spins(systems, 0, pieces)?,
            program,
            fields,
            hubs,
            is_negative: false,
            max_local_field: others().map(magnitude).max().unwrap_or(0),
            thresholds: memory::filled(2, [0; 256])?,
            exponents: None,
        })
    }

    pub fn heap_bytes(&self) -> usize {
        self.program.heap_bytes()
            + self.fields.capacity() * size_of::<BlockLine<i8>>()
            + self.hubs.heap_bytes()
            + self.thresholds.capacity() * size_of::<Thresholds>()
            + self.spins.capacity() * size_of::<BlockLine<u8>>()
    }

    /// 1 where the spin is -1.
    pub fn word(&self, block: usize, lane: usize) -> u64 {
        u64::from(self.spins[1 + block].0[lane] & 1)
    }

    pub fn set_word(&mut self, block: usize, lane: usize, word: u64) {
        self.spins[1 + block].0[lane] = 0u8.wrapping_sub(word as u8);
    }

    /// Visits every spin `sweeps` times; returns the number of flips.
    pub fn sweep(&mut self, systems: usize, rng: &mut Mt19937, space: f64, rule: Rule, sweeps: u64) -> u64 {
        let exponents = self.set_temperature(space, rule);
        let blocks = self.program.starts.len();
        let kernel = match rule {
            Rule::Metropolis => sweep_blocks_i8::KERNEL.function(),
            Rule::HeatBath => sweep_heat_blocks_i8::KERNEL.function(),
        };
        let levels = self.max_local_field as usize / 16 + 1;
        let mut memory = Room::<_, CHUNK>::new();
        let random = memory.filled(blocks.min(CHUNK), Numbers([0; 32]));
        let visited = blocks - self.hubs.blocks();
        let coupled = visited - self.free;
        let sign = if self.is_negative { -1 } else { 1 };
        let mut flips = 0;
        for _ in 0..sweeps {
            let mut ties = SplitMix64::drawn(rng);
            for system in 0..systems {
                // SAFETY: a system begins at this block.
                let spins = unsafe { self.spins.as_mut_ptr().add(1 + blocks * system) }.cast::<u8>();
                let mut first = 0;
                while first < visited {
                    let is_free = first >= coupled;
                    let count = CHUNK.min(if is_free { visited } else { coupled } - first);
                    let thresholds = &self.thresholds[usize::from(is_free)];
                    let exponents = if is_free { exponents.of_free_sites() } else { exponents };
                    rng.fill_u32(Numbers::flat(&mut random[..count]));
                    let mut done = 0;
                    while done < count {
                        let block = first + done;
                        let streams = self.streams(block);
                        // SAFETY: the streams begin with this block; they refer to spins of this
                        // system and to bytes at most a block beyond, which are there; `random`
                        // holds `count` blocks.
                        done += unsafe {
                            kernel(
                                spins,
                                block,
                                count - done,
                                streams.links,
                                streams.couplings,
                                thresholds.as_ptr(),
                                levels,
                                random[done..].as_ptr().cast(),
                                &mut flips,
                            )
                        };
                        if done < count {
                            let streams = self.streams(first + done);
                            // SAFETY: as above.
                            flips += unsafe {
                                let own = spins.add(BLOCK * (first + done)).cast();
                                resolve_ties(streams, spins, own, &random[done].0, exponents, &mut ties)
                            };
                            done += 1;
                        }
                    }
                    first += count;
                }
                if visited < blocks {
                    let spins = BlockLine::flat_mut(&mut self.spins[1 + blocks * system..][..blocks]);
                    flips += self.hubs.sweep(spins, sign, rng, exponents, &mut ties);
                }
            }
        }
        flips
    }

    /// The energy `Es` of a number of quanta.
    pub fn energy(&self, quanta: i64) -> f64 {
        quanta as f64 * self.quantum
    }

    /// The quanta of the energy `Es` of one system, and its spins that are -1.
    ///
    /// The sum over all spins of half the spin times its local field counts every bond once and every field half.
    pub fn measure(&self, system: usize) -> (i64, i64) {
        /// Sum of the values of a block, each with the sign of its spin.
        fn signed(values: &[i8; BLOCK], spins: &[u8; BLOCK]) -> i64 {
            let sign = |(&value, &spin): (&i8, &u8)| i16::from((value ^ spin as i8).wrapping_sub(spin as i8));
            values.iter().zip(spins).map(sign).sum::<i16>().into()
        }
        let blocks = self.program.starts.len();
        let first = 1 + blocks * system;
        // Streams refer to bytes at most a block before or behind the system.
        let begin = self.spins.as_ptr().wrapping_add(first).cast();
        let (mut local, mut own, mut down) = (0, 0, 0);
        for (block, BlockLine(spins)) in self.spins[first..][..blocks].iter().enumerate() {
            let streams = self.streams(block);
            // SAFETY: the streams of this block; `begin` is the first spin of this system.
            let (fields, live) = unsafe { (streams.fields(begin).0, streams.live()) };
            local += signed(&fields, spins);
            own += self.fields.get(block).map_or(0, |BlockLine(fields)| signed(fields, spins));
            down += spins[..live.count_ones() as usize].iter().map(|spin| spin & 1).sum::<u8>() as i64;
        }
        // Only blocks negate their couplings.
        let local = if self.is_negative { -local } else { local };
        let hubs = self.hubs.measure(BlockLine::flat(&self.spins[first..][..blocks]));
        let (local, own) = (local + hubs.0, own + hubs.1);
        ((local + own) / 2, down)
    }

    fn streams(&self, block: usize) -> Streams {
        let start = self.program.starts[block];
        Streams {
            links: self.program.links[start.link as usize..].as_ptr(),
            couplings: self.program.lines[start.line as usize..].as_ptr().cast(),
        }
    }

    /// Tabulates the thresholds of a temperature, and negates the couplings if the sign of `space`
    /// changed.
    fn set_temperature(&mut self, space: f64, rule: Rule) -> Exponents {
        let exponents = Exponents { space: 2.0 * space.abs() * self.quantum, tau: 0.0, rule };
        if self.exponents != Some(exponents) {
            tabulate(exponents, self.max_local_field, &mut self.thresholds[0]);
            tabulate(exponents.of_free_sites(), 0, &mut self.thresholds[1]);
            self.exponents = Some(exponents);
        }
        if self.is_negative != (space < 0.0) {
            self.is_negative = !self.is_negative;
            self.program.lines.iter_mut().flat_map(|line| &mut line.0).for_each(|value| *value = value.wrapping_neg());
        }
        exponents
    }
}

/// The probability of the threshold at index `m`, times 2^48.
fn probability(exponents: Exponents, m: usize) -> u64 {
    exponents.probability(m as i32, 1)
}

fn tabulate(exponents: Exponents, max: i32, thresholds: &mut Thresholds) {
    for m in 0..=max as usize {
        let [upper, lower] = ((probability(exponents, m) >> 32) as u16 ^ 0x8080).to_be_bytes();
        (thresholds[m], thresholds[128 + m]) = (upper as i8, lower as i8);
    }
}

/// Decides a block where 16 random bits do not suffice in some lane; returns the number of flips.
/// Tied lanes draw in ascending order.
///
/// # Safety
/// As for [`sweep_blocks_i8()`]; `own` is the block.
#[cold]
unsafe fn resolve_ties(
    streams: Streams,
    spins: *const u8,
    own: *mut BlockLine<u8>,
    random: &[u32; 32],
    exponents: Exponents,
    ties: &mut SplitMix64,
) -> u64 {
    // SAFETY: the caller's contract, here and below.
    let (fields, live, mut masks) = unsafe { (streams.fields(spins).0, streams.live(), own.read_unaligned().0) };
    let mut flips = 0;
    for lane in 0..BLOCK {
        let (m, complement) = index(fields[lane], masks[lane], exponents.rule == Rule::HeatBath);
        let probability = probability(exponents, m);
        let bits = random_bits(random, lane) ^ if complement { u16::MAX } else { 0 };
        let has_site = live >> lane & 1 == 1;
        let is_tied = u64::from(bits) == probability >> 32 && probability != CERTAIN && has_site;
        let rest = if is_tied { ties.next() >> 32 } else { 0 };
        let accepts = ((u64::from(bits) << 32 | rest) < probability || probability == CERTAIN) != complement;
        masks[lane] ^= if accepts { 255 } else { 0 };
        flips += u64::from(accepts && has_site);
    }
    // SAFETY: the caller's contract.
    unsafe { own.write_unaligned(BlockLine(masks)) };
    flips
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tied_lanes_with_a_site_draw_in_order_and_no_others() {
        for (rule, live) in
            [(Rule::Metropolis, u64::MAX), (Rule::HeatBath, u64::MAX), (Rule::HeatBath, 0xffff), (Rule::Metropolis, 1)]
        {
            let exponents = Exponents { space: 0.03, tau: 0.0, rule };
            let fields: [i8; BLOCK] = core::array::from_fn(|lane| 2 * lane as i8 - 60);
            let links = [0, 0, live as u32, (live >> 32) as u32];
            let streams = Streams { links: links.as_ptr(), couplings: fields.as_ptr().cast() };
            let spins: [u8; BLOCK] = core::array::from_fn(|lane| if lane % 3 == 0 { 255 } else { 0 });
            let at = |lane: usize| index(fields[lane], spins[lane], rule == Rule::HeatBath);
            let mut random = [0; 32];
            for (lane, half) in (0..BLOCK).flat_map(|lane| [(lane, 0), (lane, 1)]) {
                let (m, complement) = at(lane);
                let bits = (probability(exponents, m) >> 32) as u16 ^ 0x8080 ^ if complement { u16::MAX } else { 0 };
                random[16 * half + lane / 4] |= u32::from(bits.to_be_bytes()[half]) << (8 * (lane % 4));
            }
            let (mut stream, mut expected, mut count) = (SplitMix64(7), spins, 0);
            for lane in 0..BLOCK {
                let ((m, complement), has_site) = (at(lane), live >> lane & 1 == 1);
                let probability = probability(exponents, m);
                let rest = if probability == CERTAIN || !has_site { 0 } else { stream.next() >> 32 };
                if (probability == CERTAIN || rest < probability % (1 << 32)) != complement {
                    expected[lane] = !spins[lane];
                    count += u64::from(has_site);
                }
            }
            let (mut ties, mut own) = (SplitMix64(7), BlockLine(spins));
            // SAFETY: a block without diagonals and slots.
            let flips = unsafe { resolve_ties(streams, spins.as_ptr(), &mut own, &random, exponents, &mut ties) };
            assert_eq!((own.0, flips, ties.next()), (expected, count, stream.next()));
        }
    }
}
