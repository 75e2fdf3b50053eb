//! The engine: rows of spins and signs, blocks of sites, random planes.

mod outline;
mod sums;

use alloc::vec::Vec;
use core::array::from_fn;
use core::slice;

pub use outline::BitsOutline;

use super::cut::Cut;
use super::row::{COPIES, NEGATIVE, POSITIVE, RowLine, Run};
use super::scalar::{BITS, BLOCK, CODES, Header, OWN, PLANE, classes};
use super::signs::CopySigns;
use super::strips::{Blocks, Ghost, Rotation, Strips};
use super::{sweep_bits, sweep_heat_bits};
use crate::frame::error::Error;
use crate::frame::memory;
use crate::frame::pieces::{Ended, Pieces};
use crate::ising::engine::{Arithmetic, Engine, Temperature, passes, space_energy};
use crate::ising::graph::{Graph, Lists, Weights};
use crate::ising::links::Link;
use crate::ising::measure::LayerSums;
use crate::ising::shape::{Kind, Rule, Shape};
use crate::ising::thresholds::Exponents;
use crate::random::Mt19937;

/// Planes that are drawn at once, at least.
const UNIT: usize = 64;
/// Planes in memory: the 48 for each site that a block may need, and a unit.
const CAPACITY: usize = 512;
const _: () = assert!(CAPACITY >= BITS * BLOCK + UNIT);

const OWN_SIGNS: u32 = 2;

/// Ghost rows of a model in strips, and the data for its energy.
#[derive(Debug)]
struct Halo {
    strips: Strips,
    ghosts: Vec<Ghost>,
    /// One for each bond of a site.
    rotations: Vec<Rotation>,
}

#[derive(Debug)]
pub(in crate::ising) struct BitEngine {
    order: Vec<u32>,
    weights: Weights,
    quantum: f64,
    shape: Shape,
    /// See [`sweep_bits()`].
    links: Vec<u32>,
    runs: Vec<Run>,
    halo: Option<Halo>,
    /// For each group, `sign_rows` rows (strips: for all groups); negated if `beta_space` is
    /// negative.
    signs: Vec<RowLine>,
    sign_rows: usize,
    is_negative: bool,
    /// For each group, `rows` rows: those of the sites, then one of +1 if there are fields, or the
    /// ghosts.
    spins: Vec<RowLine>,
    rows: usize,
    /// For each group, the copies that exist.
    live: Vec<RowLine>,
    /// For bonds of one quantum, then of half a quantum.
    codes: Vec<u8>,
    /// Bit `d` is set if sites have `d` bonds of one quantum, of half a quantum.
    degrees: [u32; 2],
    exponents: Option<Exponents>,
    planes: Vec<RowLine>,
}

impl BitEngine {
    /// `graph` was built with `quantum`, its links hold quanta, and these add up to at
    /// most `MAX_DEGREE` at each site.
    pub fn new(graph: Graph, shape: Shape, quantum: f64, signs: &CopySigns, pieces: &Pieces) -> Result<Self, Ended> {
        let sites = graph.order.len();
        let quanta = |value: f32| (value as i32).unsigned_abs() as usize;
        let sign = |value: f32| if value < 0.0 { NEGATIVE } else { POSITIVE };
        let has_fields = graph.rows().any(|(field, _)| field != 0.0);
        let degree =
            |field: f32, links: &[Link]| quanta(field) + links.iter().map(|link| quanta(link.value)).sum::<usize>();
        let (mut links, mut header, mut blocks) = (Vec::new(), 0, 0);
        let length = graph.rows().map(|(field, links)| 1 + 2 * degree(field, links)).sum();
        links.try_reserve_exact(length).map_err(|_| Error::NoMemory)?;
        for (row, (field, neighbours)) in graph.rows().enumerate() {
            let degree = degree(field, neighbours);
            pieces.before(4 * (1 + degree))?;
            let block = links.get(header).copied().map(Header);
            let fits = block.is_some_and(|block| {
                let first = row - block.count();
                let is_linked = neighbours.iter().any(|link| link.value != 0.0 && (first..row).contains(&link.row()));
                block.degree() == degree && block.count() < BLOCK && !is_linked
            });
            if fits {
                links[header] += 1;
            } else {
                header = links.len();
                blocks += 1;
                links.push(Header::new(1, degree).0);
            }
            let site = graph.order[row];
            for link in neighbours {
                let own = signs.find(site, graph.order[link.row()]);
                let sign = own.map_or(sign(link.value), |edge| OWN_SIGNS + edge as u32);
                (0..quanta(link.value)).for_each(|_| links.extend([link.row() as u32, sign]));
            }
            (0..quanta(field)).for_each(|_| links.extend([sites as u32, sign(field)]));
        }
        let (groups, rows) = (shape.layers.div_ceil(COPIES), sites + usize::from(has_fields));
        let sign_rows = OWN_SIGNS as usize + signs.edges.len();
        let too_large = || Error::TooLarge { argument: "layers" };
        let size = |rows: usize| groups.checked_mul(rows).ok_or_else(too_large);
        let run = Run { first: 0, sites, blocks, link: 0, ghosts: (0, 0), mask: [u64::MAX; 8], is_halved: false };
        let mut engine = BitEngine {
            order: graph.order,
            weights: graph.weights,
            quantum,
            shape,
            links,
            runs: memory::filled(1, run)?,
            halo: None,
            signs: pieces.filled(size(sign_rows)?, RowLine([0; 8]))?,
            sign_rows,
            is_negative: false,
            spins: pieces.filled(size(rows)?, RowLine([0; 8]))?,
            rows,
            live: memory::filled(groups, RowLine([0; 8]))?,
            codes: memory::filled(2 * CODES, 0)?,
            degrees: [0; 2],
            exponents: None,
            planes: memory::filled(CAPACITY, RowLine([0; 8]))?,
        };
        engine.complete();
        let words = shape.layers.div_ceil(64);
        for (group, rows) in engine.signs.chunks_mut(sign_rows).enumerate() {
            rows[NEGATIVE as usize] = RowLine([u64::MAX; 8]);
            for (edge, row) in rows[OWN_SIGNS as usize..].iter_mut().enumerate() {
                let words = signs.words[edge * words..][..words].iter().skip(8 * group);
                row.0.iter_mut().zip(words).for_each(|(slot, &word)| *slot = word);
            }
        }
        Ok(engine)
    }

    /// The couplings of `lists` are those of the lattice of `strips`.
    pub fn of_strips(
        lists: &Lists,
        strips: Strips,
        shape: Shape,
        quantum: f64,
        mean_square: f64,
    ) -> Result<Self, Ended> {
        let Cut { sites, links, runs, ghosts, signs } = Cut::new(lists, strips)?;
        let groups = shape.layers.div_ceil(strips.copies);
        let rows = strips.rows() + ghosts.len();
        let lines = groups.checked_mul(rows).ok_or(Error::TooLarge { argument: "layers" })?;
        let rotations = memory::collected((0..strips.degree()).map(|j| strips.rotation(j)))?;
        let mut engine = BitEngine {
            order: sites,
            weights: Weights { values: Vec::new(), mean_square },
            quantum,
            shape,
            links,
            runs,
            halo: Some(Halo { strips, ghosts, rotations }),
            signs,
            sign_rows: 0,
            is_negative: false,
            spins: lists.pieces.filled(lines, RowLine([0; 8]))?,
            rows,
            live: memory::filled(groups, RowLine([0; 8]))?,
            codes: memory::filled(2 * CODES, 0)?,
            degrees: [0; 2],
            exponents: None,
            planes: memory::filled(CAPACITY, RowLine([0; 8]))?,
        };
        engine.complete();
        Ok(engine)
    }

    /// Sets the live lanes and the degrees.
    fn complete(&mut self) {
        for word in 0..self.shape.groups {
            self.live[word / 8].0[word % 8] = self.shape.live(word);
        }
        for run in &self.runs {
            let mut link = run.link;
            for _ in 0..run.blocks {
                let header = Header(self.links[link]);
                self.degrees[usize::from(run.is_halved)] |= 1 << header.degree();
                link += header.len();
            }
        }
    }

    /// Writes the ghosts that follow a run.
    fn write_ghosts(&mut self, group: usize, run: Run) {
        let Some(halo) = &self.halo else { return };
        let (rows, ghosts) = self.spins[group * self.rows..][..self.rows].split_at_mut(self.shape.sites);
        let range = run.ghosts.0..run.ghosts.1;
        for (slot, ghost) in ghosts[range.clone()].iter_mut().zip(&halo.ghosts[range]) {
            slot.0 = halo.rotations[ghost.rotation].apply(&rows[ghost.source].0);
        }
    }

    pub fn blocks(&self) -> Option<Blocks> {
        self.halo.as_ref().map(|halo| halo.strips.blocks())
    }

    /// The place of row `index` of the shape, whose rows have 64 copies.
    fn place(&self, index: usize) -> (usize, usize) {
        let (word, row) = (index / self.shape.sites, index % self.shape.sites);
        (word / 8 * self.rows + row, word % 8)
    }

    fn exponents(&self, space: f64, rule: Rule) -> Exponents {
        Exponents { space: 2.0 * space.abs() * self.quantum, tau: 0.0, rule }
    }

    /// Tabulates the codes of a temperature, and negates the signs if the sign of `space` changed.
    fn set_temperature(&mut self, space: f64, rule: Rule) {
        let exponents = self.exponents(space, rule);
        if self.exponents != Some(exponents) {
            let (codes, halves) = self.codes.split_at_mut(CODES);
            tabulate(exponents, self.degrees[0], codes);
            tabulate(Exponents { space: 0.5 * exponents.space, ..exponents }, self.degrees[1], halves);
            self.exponents = Some(exponents);
        }
        if self.is_negative != (space < 0.0) {
            self.is_negative = !self.is_negative;
            self.signs.iter_mut().flat_map(|row| &mut row.0).for_each(|word| *word = !*word);
        }
    }
}

impl Engine for BitEngine {
    fn arithmetic(&self) -> Arithmetic {
        Arithmetic { kind: Kind::Bits, is_exact: true, quantum: self.quantum }
    }

    fn order(&self) -> &[u32] {
        &self.order
    }

    fn mean_square(&self) -> f64 {
        self.weights.mean_square
    }

    fn heap_bytes(&self) -> usize {
        let lines = [&self.signs, &self.spins, &self.live, &self.planes];
        let halo = self.halo.as_ref().map_or(0, |halo| {
            halo.ghosts.capacity() * size_of::<Ghost>() + halo.rotations.capacity() * size_of::<Rotation>()
        });
        self.order.capacity() * size_of::<u32>()
            + self.runs.capacity() * size_of::<Run>()
            + self.codes.capacity()
            + halo
            + self.weights.heap_bytes()
            + self.links.capacity() * size_of::<u32>()
            + lines.iter().map(|lines| lines.capacity() * size_of::<RowLine>()).sum::<usize>()
    }

    fn sweep(&mut self, rng: &mut Mt19937, beta: Temperature, rule: Rule, sweeps: u64) -> u64 {
        let space = f64::from(beta.space);
        let rule = rule_at(space, rule);
        self.set_temperature(space, rule);
        let kernel = match rule {
            Rule::Metropolis => sweep_bits::KERNEL.function(),
            Rule::HeatBath => sweep_heat_bits::KERNEL.function(),
        };
        let groups = self.live.len();
        let visits: usize = self.runs.iter().map(|run| run.sites).sum();
        let mut flips = 0;
        for _ in 0..sweeps {
            let (mut begin, mut end) = (0, 0);
            let mut rest = groups * visits;
            for group in 0..groups {
                for run in 0..self.runs.len() {
                    let run = self.runs[run];
                    let Run { mut first, mut blocks, mut link, .. } = run;
                    let live = RowLine(from_fn(|i| self.live[group].0[i] & run.mask[i]));
                    let codes = &self.codes[if run.is_halved { CODES } else { 0 }..];
                    loop {
                        let mut planes = end - begin;
                        // SAFETY: links refer to rows of a group of spins and of signs. The blocks from
                        // `link` on begin with row `first`, and `planes` planes are drawn.
                        let visited = unsafe {
                            kernel(
                                self.spins.as_mut_ptr().add(group * self.rows).cast(),
                                first,
                                blocks,
                                self.links.as_ptr().add(link),
                                self.signs.as_ptr().add(group * self.sign_rows).cast(),
                                codes.as_ptr(),
                                self.planes.as_ptr().add(begin).cast(),
                                &mut planes,
                                live.0.as_ptr(),
                                &mut flips,
                            )
                        };
                        begin += planes;
                        blocks -= visited;
                        for _ in 0..visited {
                            let header = Header(self.links[link]);
                            link += header.len();
                            first += header.count();
                            rest -= header.count();
                        }
                        if blocks == 0 {
                            break;
                        }
                        // At least one more plane is needed, and every site needs its own.
                        self.planes.copy_within(begin..end, 0);
                        (begin, end) = (0, end - begin);
                        let units = (OWN * rest).saturating_sub(end).div_ceil(UNIT).max(1);
                        let drawn = UNIT * units.min((CAPACITY - end) / UNIT);
                        let planes = &mut self.planes[end..end + drawn];
                        // SAFETY: a plane is 16 words.
                        let words = unsafe { slice::from_raw_parts_mut(planes.as_mut_ptr().cast(), PLANE * drawn) };
                        rng.fill_u32(words);
                        end += drawn;
                    }
                    self.write_ghosts(group, run);
                }
            }
        }
        flips
    }

    fn space_energy(&self) -> f64 {
        self.strips_energy().unwrap_or_else(|| {
            let reversed = |group, sign| self.reversed(group, sign);
            space_energy(self.shape, &self.weights, self.neighbours(), |index| self.word(index), reversed)
        })
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
        let (row, word) = self.place(index);
        self.spins[row].0[word]
    }

    fn set_word(&mut self, index: usize, spins: u64) {
        let (row, word) = self.place(index);
        self.spins[row].0[word] = spins;
    }

    /// Writes all ghosts.
    fn refresh(&mut self) {
        for group in 0..self.live.len() {
            for run in 0..self.runs.len() {
                self.write_ghosts(group, self.runs[run]);
            }
        }
    }
}

/// Without a field, no flip is certain.
fn rule_at(space: f64, rule: Rule) -> Rule {
    if space == 0.0 { Rule::HeatBath } else { rule }
}

/// Writes the argument `codes` of [`sweep_bits()`] for a set of degrees.
fn tabulate(exponents: Exponents, degrees: u32, codes: &mut [u8]) {
    for (degree, codes) in codes.as_chunks_mut::<BITS>().0.iter_mut().enumerate() {
        if degrees >> degree & 1 == 0 {
            continue;
        }
        codes.fill(0);
        for class in 0..classes(degree) {
            // With one of the two bonds to other layers unsatisfied, these have no effect.
            let threshold = exponents.probability((degree - 2 * class) as i32, 1);
            let bits = (0..BITS).rev().map(|bit| (threshold >> bit & 1) as u8);
            codes.iter_mut().zip(bits).for_each(|(code, bit)| *code |= bit << class);
        }
    }
}
