//! The engine of byte couplings: spins, thresholds and the sweep.

use alloc::vec::Vec;

use super::layout::{Colour, Layout};
use super::program::{Line, Program};
use super::scalar::{BLOCK, Streams, index, random_bits};
use super::{sweep_blocks_i8, sweep_heat_blocks_i8};
use crate::error::Error;
use crate::ising::graph::{CHUNK, Graph};
use crate::ising::links::Link;
use crate::ising::room::{Numbers, Room};
use crate::ising::shape::{Rule, Shape};
use crate::ising::thresholds::{CERTAIN, Exponents};
use crate::memory;
use crate::random::{Mt19937, SplitMix64};

/// Upper bytes of the thresholds for `m` from 0 to 127, then the lower bytes, each minus 128.
type Thresholds = [i8; 256];

#[derive(Debug)]
pub(in crate::ising) struct SingleEngine {
    pub graph: Graph,
    pub quantum: f64,
    shape: Shape,
    colours: Vec<Colour>,
    /// Blocks of one system.
    blocks: usize,
    /// Blocks of free sites, the last ones.
    free_blocks: usize,
    /// Couplings and fields, negated if `beta_space` is negative.
    program: Program<u8>,
    is_negative: bool,
    /// In quanta.
    max_local_field: i32,
    thresholds: Thresholds,
    /// The thresholds of free sites.
    free_thresholds: Thresholds,
    exponents: Option<Exponents>,
    /// A block that is only read, the blocks of all systems, a block that is only read.
    spins: Vec<Line<u8>>,
}

impl SingleEngine {
    /// `graph` was built with `quantum` in the order of `layout`; its links hold numbers of quanta.
    pub fn new(graph: Graph, layout: Layout, shape: Shape, quantum: f64) -> Result<Self, Error> {
        let header = |field: f32, couplings: f32| (field + couplings) as i32 as u8;
        let program = Program::new(&graph, &layout, header, |coupling| (2.0 * coupling) as i32 as u8)?;
        let blocks = program.starts.len();
        let magnitude =
            |(field, links): (f32, &[Link])| links.iter().fold(field.abs(), |sum, link| sum + link.value.abs()) as i32;
        let is_free = |colour: &Colour| graph.rows().nth(colour.first_row).is_some_and(|row| magnitude(row) == 0);
        let free_blocks = layout.colours.last().filter(|colour| is_free(colour)).map_or(0, |colour| colour.blocks());
        let spins = blocks.checked_mul(shape.layers).and_then(|all| all.checked_add(2));
        let spins = spins.ok_or(Error::TooLarge { argument: "layers" })?;
        Ok(SingleEngine {
            max_local_field: graph.rows().map(magnitude).max().unwrap_or(0),
            graph,
            quantum,
            shape,
            colours: layout.colours,
            blocks,
            free_blocks,
            program,
            is_negative: false,
            thresholds: [0; 256],
            free_thresholds: [0; 256],
            exponents: None,
            spins: memory::filled(spins, Line([0; BLOCK]))?,
        })
    }

    pub fn heap_bytes(&self) -> usize {
        self.graph.heap_bytes()
            + self.colours.capacity() * size_of::<Colour>()
            + self.program.heap_bytes()
            + self.spins.capacity() * size_of::<Line<u8>>()
    }

    /// The rows of the neighbours of each row, in visiting order.
    pub fn neighbours(&self) -> impl Iterator<Item = impl Iterator<Item = usize>> + Clone {
        self.graph.rows().map(|(_, links)| links.iter().filter(|link| link.value != 0.0).map(Link::row))
    }

    /// The byte of row `index`, counted through all systems.
    fn place(&self, index: usize) -> (usize, usize) {
        let (system, row) = (index / self.shape.sites, index % self.shape.sites);
        let colour = &self.colours[self.colours.partition_point(|colour| colour.first_row <= row) - 1];
        let row = row - colour.first_row;
        (1 + self.blocks * system + colour.first_block + row / BLOCK, row % BLOCK)
    }

    /// 1 where the spin of row `index` is -1.
    pub fn word(&self, index: usize) -> u64 {
        let (block, lane) = self.place(index);
        u64::from(self.spins[block].0[lane] & 1)
    }

    pub fn set_word(&mut self, index: usize, word: u64) {
        let (block, lane) = self.place(index);
        self.spins[block].0[lane] = 0u8.wrapping_sub(word as u8);
    }

    /// Visits every spin `sweeps` times; returns the number of flips.
    pub fn sweep(&mut self, rng: &mut Mt19937, space: f64, rule: Rule, sweeps: u64) -> u64 {
        let exponents = self.set_temperature(space, rule);
        let kernel = match rule {
            Rule::Metropolis => sweep_blocks_i8::KERNEL.function(),
            Rule::HeatBath => sweep_heat_blocks_i8::KERNEL.function(),
        };
        let levels = self.max_local_field as usize / 16 + 1;
        let mut memory = Room::<_, CHUNK>::new();
        let random = memory.filled(self.blocks.min(CHUNK), Numbers([0; 32]));
        let coupled = self.blocks - self.free_blocks;
        let mut flips = 0;
        for _ in 0..sweeps {
            // Each sweep first draws 16 numbers; the first two seed the generator that resolves
            // ties.
            let mut seed = [0; 16];
            rng.fill_u32(&mut seed);
            let mut ties = SplitMix64(u64::from(seed[0]) | u64::from(seed[1]) << 32);
            for system in 0..self.shape.layers {
                // SAFETY: a system begins at this block.
                let spins = unsafe { self.spins.as_mut_ptr().add(1 + self.blocks * system) }.cast::<u8>();
                let mut first = 0;
                while first < self.blocks {
                    let is_free = first >= coupled;
                    let count = CHUNK.min(if is_free { self.blocks } else { coupled } - first);
                    let thresholds = if is_free { &self.free_thresholds } else { &self.thresholds };
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
            }
        }
        flips
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
            tabulate(exponents, self.max_local_field, &mut self.thresholds);
            tabulate(exponents.of_free_sites(), 0, &mut self.free_thresholds);
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
    own: *mut Line<u8>,
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
    unsafe { own.write_unaligned(Line(masks)) };
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
            let (mut ties, mut own) = (SplitMix64(7), Line(spins));
            // SAFETY: a block without diagonals and slots.
            let flips = unsafe { resolve_ties(streams, spins.as_ptr(), &mut own, &random, exponents, &mut ties) };
            assert_eq!((own.0, flips, ties.next()), (expected, count, stream.next()));
        }
    }
}
