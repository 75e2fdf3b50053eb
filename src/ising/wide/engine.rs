//! The model: rows of 16-bit spins, sweeps, and the decision of lanes in doubt.

use alloc::vec::Vec;

use super::factors::{FACTORS, tabulate};
use super::scalar::local_field;
use super::{WideLink, sweep_heat_i16, sweep_i16};
use crate::frame::memory;
use crate::frame::pieces::{Ended, Pieces};
use crate::ising::ends::Row;
use crate::ising::engine::{Arithmetic, Engine, Temperature, space_energy};
use crate::ising::graph::{CHUNK, Chunk, Graph, Weights};
use crate::ising::measure::LayerSums;
use crate::ising::room::{Numbers, Room};
use crate::ising::shape::{Kind, LANES, Rule, Shape, WIDE_LANES};
use crate::ising::thresholds::{CERTAIN, Exponents};
use crate::random::{Mt19937, SplitMix64};

/// One site in the 32 lanes of a group, 0 for +1 and -1 for -1: a cache line.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
struct WideRow([i16; WIDE_LANES]);

/// Consecutive sites that one kernel call visits, and whether they are free: without couplings and
/// field.
#[derive(Clone, Copy, Debug)]
struct SiteRun {
    chunk: Chunk,
    is_free: bool,
}

#[derive(Debug)]
pub(in crate::ising) struct WideEngine {
    order: Vec<u32>,
    weights: Weights,
    shape: Shape,
    quantum: f64,
    /// Couplings and fields, negated if `beta_space` is negative.
    links: Vec<WideLink>,
    is_negative: bool,
    runs: Vec<SiteRun>,
    /// In quanta.
    max_local_field: i32,
    exponents: Option<Exponents>,
    /// The factors of `exponents`, and those of free sites.
    factors: Vec<[u16; FACTORS]>,
    /// `groups` times `sites` rows.
    rows: Vec<WideRow>,
}

impl WideEngine {
    /// `graph` was built with `quantum`; its links hold quanta.
    pub fn new(graph: Graph, shape: Shape, quantum: f64, pieces: &Pieces) -> Result<Self, Ended> {
        let quanta = |value: f32| value as i32;
        let mut links =
            memory::with_capacity(shape.sites + graph.links.iter().filter(|link| link.value != 0.0).count())?;
        let chunk_size = graph.chunks[0].count;
        let (mut runs, mut max_local_field): (Vec<SiteRun>, _) = (Vec::new(), 0);
        for (row, (field, neighbours)) in graph.rows().enumerate() {
            let couplings = || neighbours.iter().filter(|link| link.value != 0.0);
            pieces.before(4 * (1 + neighbours.len()))?;
            let magnitude = quanta(field).abs() + couplings().map(|link| quanta(link.value).abs()).sum::<i32>();
            max_local_field = max_local_field.max(magnitude);
            let is_free = magnitude == 0;
            match runs.last_mut() {
                Some(run) if run.is_free == is_free && run.chunk.count < chunk_size => run.chunk.count += 1,
                _ => {
                    let chunk = Chunk { first: row, count: 1, link: links.len() };
                    memory::push(&mut runs, SiteRun { chunk, is_free })?;
                }
            }
            let sum = quanta(field) + couplings().map(|link| quanta(link.value)).sum::<i32>();
            links.push(WideLink::new(couplings().count() as u32, sum));
            links.extend(couplings().map(|link| WideLink::new(link.word, 2 * quanta(link.value))));
        }
        Ok(WideEngine {
            order: graph.order,
            weights: graph.weights,
            shape,
            quantum,
            links,
            is_negative: false,
            runs,
            max_local_field,
            exponents: None,
            factors: memory::filled(2, [0; FACTORS])?,
            rows: pieces.filled(shape.rows(), WideRow([0; WIDE_LANES]))?,
        })
    }

    /// The rows of the neighbours of each row, in visiting order.
    fn neighbours(&self) -> impl Iterator<Item = impl Iterator<Item = usize>> + Clone {
        let mut rest = self.links.as_slice();
        core::iter::from_fn(move || {
            let (header, tail) = rest.split_first()?;
            let (links, next) = tail.split_at_checked(header.word as usize)?;
            rest = next;
            Some(links.iter().map(|link| link.row()))
        })
    }

    /// Measures the layers of a group.
    fn measure_group(&self, group: usize) -> LayerSums {
        let mut sums = LayerSums::ZERO;
        let rows = &self.rows[group * self.shape.sites..][..self.shape.sites];
        sums.of_masks(|row| &rows[row].0, self.neighbours(), &self.weights.values, self.quantum);
        sums
    }

    /// Tabulates the factors of a temperature, and negates the links if the sign of `space`
    /// changed.
    fn set_temperature(&mut self, space: f64, tau: f64, rule: Rule) -> Exponents {
        let exponents = Exponents { space: 2.0 * space.abs() * self.quantum, tau: 4.0 * tau, rule };
        if self.exponents != Some(exponents) {
            self.factors[0] = tabulate(exponents, self.max_local_field);
            self.factors[1] = tabulate(exponents.of_free_sites(), 0);
            self.exponents = Some(exponents);
        }
        if self.is_negative != (space < 0.0) {
            self.is_negative = !self.is_negative;
            for link in self.links.iter_mut() {
                *link = WideLink::new(link.word, -i32::from(link.value()));
            }
        }
        exponents
    }
}

impl Engine for WideEngine {
    fn arithmetic(&self) -> Arithmetic {
        Arithmetic { kind: Kind::I16Exact, is_exact: true, quantum: self.quantum }
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
            + self.links.capacity() * size_of::<WideLink>()
            + self.runs.capacity() * size_of::<SiteRun>()
            + self.factors.capacity() * size_of::<[u16; FACTORS]>()
            + self.rows.capacity() * size_of::<WideRow>()
    }

    fn sweep(&mut self, rng: &mut Mt19937, beta: Temperature, rule: Rule, sweeps: u64) -> u64 {
        let exponents = self.set_temperature(f64::from(beta.space), beta.tau, rule);
        let Shape { sites, groups, .. } = self.shape;
        let ends = self.shape.ends();
        let kernel = match rule {
            Rule::Metropolis => sweep_i16::KERNEL.function(),
            Rule::HeatBath => sweep_heat_i16::KERNEL.function(),
        };
        let max_count = self.runs.iter().map(|run| run.chunk.count).max().unwrap_or(0);
        let mut memory = (Room::<_, { 2 * CHUNK }>::new(), Room::<_, CHUNK>::new());
        let random = memory.1.filled(max_count, Numbers([0; LANES]));
        // The rows below group 0, and above a group in which lanes end.
        let (floor, ceiling) = memory.0.filled(2 * max_count, WideRow([0; WIDE_LANES])).split_at_mut(max_count);
        let mut flips = 0;
        for _ in 0..sweeps {
            let mut ties = SplitMix64::drawn(rng);
            for group in 0..groups {
                let (live, is_top) = (self.shape.live(group) as u32, ends.is_top(group));
                for &SiteRun { chunk: Chunk { first, count, link }, is_free } in &self.runs {
                    let factors = self.factors[usize::from(is_free)].as_ptr();
                    let exponents = if is_free { exponents.of_free_sites() } else { exponents };
                    rng.fill_u32(Numbers::flat(&mut random[..count]));
                    let row = |group: usize| group * sites + first;
                    ends.beside(group, &self.rows, first, &mut floor[..count], &mut ceiling[..count]);
                    let rows = self.rows.as_mut_ptr();
                    // SAFETY: there are `sites` rows for each group, and `row` stays inside its
                    // group. The adjacent groups differ from this one, because there are at least
                    // two.
                    let (spins, below, above): (*mut i16, *const WideRow, *const WideRow) = unsafe {
                        let below = if group == 0 { floor.as_ptr() } else { rows.add(row(group - 1)) };
                        let above = if is_top { ceiling.as_ptr() } else { rows.add(row(group + 1)) };
                        (rows.add(group * sites).cast(), below, above)
                    };
                    let (mut done, mut links) = (0, &self.links[link..]);
                    while done < count {
                        let mut doubt = 0;
                        // SAFETY: all arrays hold at least `count` sites, of which `done` are
                        // visited. `links` begins with the next site; links refer to rows of a
                        // group.
                        let visited = unsafe {
                            kernel(
                                spins,
                                first + done,
                                count - done,
                                below.add(done).cast(),
                                above.add(done).cast(),
                                links.as_ptr(),
                                factors,
                                random[done..].as_ptr().cast(),
                                live,
                                &mut flips,
                                &mut doubt,
                            )
                        };
                        done += visited;
                        if doubt == 0 {
                            break;
                        }
                        for _ in 1..visited {
                            links = &links[1 + links[0].word as usize..];
                        }
                        let place = done - 1;
                        // SAFETY: `first + place` is a site of the group, `below` and `above` hold
                        // its rows, and `links` begins with it.
                        flips += unsafe {
                            let spin = spins.add(WIDE_LANES * (first + place));
                            let beside = [below.add(place).cast(), above.add(place).cast()];
                            resolve(spins, spin, beside, links, &random[place], doubt, exponents, &mut ties)
                        };
                        links = &links[1 + links[0].word as usize..];
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
        (0..groups).for_each(|group| write(group, &[self.measure_group(group)]));
    }

    fn word(&self, index: usize) -> u64 {
        let bits = (0..).zip(self.rows[index].0).map(|(lane, spin)| u64::from(spin < 0) << lane);
        bits.fold(0, |word, bit| word | bit)
    }

    fn set_word(&mut self, index: usize, word: u64) {
        (0..).zip(&mut self.rows[index].0).for_each(|(lane, spin)| *spin = -((word >> lane & 1) as i16));
    }
}

impl Row for WideRow {
    fn up(self, lanes: usize) -> Self {
        WideRow(self.0.up(lanes))
    }

    fn down(self, lanes: usize) -> Self {
        WideRow(self.0.down(lanes))
    }

    fn then(self, count: usize, rest: Self) -> Self {
        WideRow(self.0.then(count, rest.0))
    }
}

/// Decides the lanes in doubt of a site on 48 bits; returns the number of flips.
///
/// # Safety
/// `spin` and `beside` are the site's rows in its group and the adjacent ones. `links` begins with
/// the site, and its links refer to rows of `spins`.
#[cold]
#[allow(clippy::too_many_arguments)]
unsafe fn resolve(
    spins: *const i16,
    spin: *mut i16,
    beside: [*const i16; 2],
    links: &[WideLink],
    random: &Numbers<LANES>,
    mut doubt: u32,
    exponents: Exponents,
    ties: &mut SplitMix64,
) -> u64 {
    let mut flips = 0;
    while doubt != 0 {
        let lane = doubt.trailing_zeros() as usize;
        doubt &= doubt - 1;
        // SAFETY: the caller's rows.
        let (own, m, c) = unsafe {
            let own = *spin.add(lane);
            let c = beside.iter().filter(|row| *row.add(lane) != own).count();
            (own, local_field(own, lane, links.as_ptr(), spins), c)
        };
        let probability = exponents.probability(i32::from(m), c);
        let bits = u64::from(random.0[lane / 2] >> (16 * (lane % 2)) & 0xffff);
        let is_tied = bits == probability >> 32 && probability != CERTAIN;
        let rest = if is_tied { ties.next() >> 32 } else { 0 };
        if probability == CERTAIN || (bits << 32 | rest) < probability {
            // SAFETY: the caller's row.
            unsafe { *spin.add(lane) = !own };
            flips += 1;
        }
    }
    flips
}
