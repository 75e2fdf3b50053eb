//! The engine: rows of spins and signs, blocks of sites, random planes.

use alloc::vec::Vec;
use core::{array, slice};

use super::scalar::{BITS, BLOCK, CODES, Header, OWN, PLANE, Row, classes};
use super::strips::{Ghost, Rotation, Strips};
use super::{sweep_bits, sweep_heat_bits};
use crate::error::Error;
use crate::ising::graph::{Graph, Lists, Weights};
use crate::ising::links::Link;
use crate::ising::measure::LayerSums;
use crate::ising::shape::{Rule, Shape};
use crate::ising::thresholds::Exponents;
use crate::memory;
use crate::random::Mt19937;

/// Planes that are drawn at once, at least.
const UNIT: usize = 64;
/// Planes in memory: the 48 for each site that a block may need, and a unit.
const CAPACITY: usize = 512;
const _: () = assert!(CAPACITY >= BITS * BLOCK + UNIT);

/// Copies in a row.
pub(in crate::ising) const COPIES: usize = 512;
/// Rows of signs that every group has: all positive, all negative.
const POSITIVE: u32 = 0;
const NEGATIVE: u32 = 1;
const OWN_SIGNS: u32 = 2;

/// Consecutive blocks, and the ghosts to be written after them.
#[derive(Clone, Copy, Debug)]
struct Run {
    /// Row of the first site.
    first: usize,
    blocks: usize,
    /// Index of the first header in the link stream.
    link: usize,
    /// Indices of the ghosts.
    ghosts: (usize, usize),
}

/// Ghost rows of a model in strips, and the data for its energy.
#[derive(Debug)]
struct Halo {
    degree: usize,
    /// The magnitude of all couplings.
    coupling: f64,
    ghosts: Vec<Ghost>,
    /// One for each bond of a site.
    rotations: Vec<Rotation>,
}

/// A cache line: a row, or a random plane.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Line(Row);

/// Couplings whose signs differ from copy to copy.
#[derive(Debug, Default)]
pub(in crate::ising) struct CopySigns {
    /// The two sites of each coupling, the lower one first, in ascending order.
    pub edges: Vec<(u32, u32)>,
    /// For each coupling, a bit for each copy: 1 where it is negative.
    pub words: Vec<u64>,
}

impl CopySigns {
    pub fn find(&self, i: u32, j: u32) -> Option<usize> {
        self.edges.binary_search(&(i.min(j), i.max(j))).ok()
    }
}

#[derive(Debug)]
pub(in crate::ising) struct BitEngine {
    pub order: Vec<u32>,
    pub weights: Weights,
    pub quantum: f64,
    shape: Shape,
    /// See [`sweep_bits()`].
    links: Vec<u32>,
    runs: Vec<Run>,
    halo: Option<Halo>,
    /// For each group, `sign_rows` rows (strips: for all groups); negated if `beta_space` is
    /// negative.
    signs: Vec<Line>,
    sign_rows: usize,
    is_negative: bool,
    /// For each group, `rows` rows: those of the sites, then one of +1 if there are fields, or the
    /// ghosts.
    spins: Vec<Line>,
    rows: usize,
    /// For each group, the copies that exist.
    live: Vec<Line>,
    codes: Vec<u8>,
    exponents: Option<Exponents>,
    planes: Vec<Line>,
}

impl BitEngine {
    /// `graph` was built with `quantum`, its links hold numbers of quanta, and these add up to at
    /// most `MAX_DEGREE` at each site.
    pub fn new(graph: Graph, shape: Shape, quantum: f64, signs: &CopySigns) -> Result<Self, Error> {
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
        let mut engine = BitEngine {
            order: graph.order,
            weights: graph.weights,
            quantum,
            shape,
            links,
            runs: memory::filled(1, Run { first: 0, blocks, link: 0, ghosts: (0, 0) })?,
            halo: None,
            signs: memory::filled(size(sign_rows)?, Line([0; 8]))?,
            sign_rows,
            is_negative: false,
            spins: memory::filled(size(rows)?, Line([0; 8]))?,
            rows,
            live: memory::filled(groups, Line([0; 8]))?,
            codes: memory::filled(CODES, 0)?,
            exponents: None,
            planes: memory::filled(CAPACITY, Line([0; 8]))?,
        };
        engine.set_live();
        let words = shape.layers.div_ceil(64);
        for (group, rows) in engine.signs.chunks_mut(sign_rows).enumerate() {
            rows[NEGATIVE as usize] = Line([u64::MAX; 8]);
            for (edge, row) in rows[OWN_SIGNS as usize..].iter_mut().enumerate() {
                let words = signs.words[edge * words..][..words].iter().skip(8 * group);
                row.0.iter_mut().zip(words).for_each(|(slot, &word)| *slot = word);
            }
        }
        Ok(engine)
    }

    /// The couplings of `lists` are those of the torus of `strips`.
    pub fn of_strips(lists: &Lists, strips: Strips, shape: Shape, quantum: f64) -> Result<Self, Error> {
        let (rows, degree) = (strips.rows(), strips.degree());
        let order = strips.order()?;
        let mut row_of = memory::filled(rows, 0)?;
        order.iter().enumerate().for_each(|(row, &place)| row_of[place] = row);
        let half = rows / 2;
        let blocks = half.div_ceil(BLOCK);
        let mut sites = memory::with_capacity(rows * strips.lanes)?;
        let mut links = memory::with_capacity(2 * blocks + 2 * degree * rows)?;
        let (mut signs, mut runs) = (memory::filled(2, Line([0; 8]))?, memory::with_capacity(2)?);
        signs[NEGATIVE as usize] = Line([u64::MAX; 8]);
        let mut ghosts: Vec<Ghost> = Vec::new();
        // The row of signs of the bonds to the next site in each dimension.
        let mut next_signs = memory::filled(rows * strips.dimensions, None)?;
        for (row, &place) in order.iter().enumerate() {
            if row % half % BLOCK == 0 {
                links.push(Header::new(BLOCK.min(half - row % half), degree).0);
            }
            sites.extend((0..strips.lanes).map(|lane| strips.site(place, lane) as u32));
            for j in 0..degree {
                let (other, is_outside) = strips.neighbour_in_block(place, j);
                // A bond inside a block has one row of signs for both of its sites.
                let bond = if j % 2 == 0 { place } else { other } * strips.dimensions + j / 2;
                let sign = match next_signs[bond] {
                    Some(sign) if !is_outside => sign,
                    _ => sign_row(lists, strips, &mut signs, |lane| {
                        let site = strips.site(place, lane);
                        (site as u32, strips.neighbour(site, j) as u32)
                    })?,
                };
                let source = row_of[other];
                if is_outside {
                    links.extend([(rows + ghosts.len()) as u32, sign]);
                    memory::push(&mut ghosts, Ghost { source, rotation: j })?;
                } else {
                    links.extend([source as u32, sign]);
                    next_signs[bond] = Some(sign);
                }
            }
        }
        // The first colour is linked to ghosts of the second one.
        let first = ghosts.iter().position(|ghost| ghost.source < half).unwrap_or(ghosts.len());
        let link = blocks + 2 * degree * half;
        runs.push(Run { first: 0, blocks, link: 0, ghosts: (first, ghosts.len()) });
        runs.push(Run { first: half, blocks, link, ghosts: (0, first) });

        let groups = shape.layers.div_ceil(strips.copies);
        let all_rows = rows + ghosts.len();
        let lines = groups.checked_mul(all_rows).ok_or(Error::TooLarge { argument: "layers" })?;
        let rotations = memory::collected((0..degree).map(|j| strips.rotation(j)))?;
        let mut engine = BitEngine {
            order: sites,
            weights: Weights { values: Vec::new(), mean_square: degree as f64 * strips.coupling * strips.coupling },
            quantum,
            shape,
            links,
            runs,
            halo: Some(Halo { degree, coupling: strips.coupling, ghosts, rotations }),
            signs,
            sign_rows: 0,
            is_negative: false,
            spins: memory::filled(lines, Line([0; 8]))?,
            rows: all_rows,
            live: memory::filled(groups, Line([0; 8]))?,
            codes: memory::filled(CODES, 0)?,
            exponents: None,
            planes: memory::filled(CAPACITY, Line([0; 8]))?,
        };
        engine.set_live();
        Ok(engine)
    }

    fn set_live(&mut self) {
        for word in 0..self.shape.groups {
            self.live[word / 8].0[word % 8] = self.shape.live(word);
        }
    }

    /// Writes all ghosts.
    pub fn refresh(&mut self) {
        for group in 0..self.live.len() {
            for run in 0..self.runs.len() {
                self.write_ghosts(group, self.runs[run]);
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

    /// The energy of a model in strips.
    pub fn strips_energy(&self) -> Option<f64> {
        let &Halo { degree, coupling, .. } = self.halo.as_ref()?;
        let mut sum = 0;
        for (group, live) in self.live.iter().enumerate() {
            let spins = &self.spins[group * self.rows..];
            let count: i64 = live.0.iter().map(|word| i64::from(word.count_ones())).sum();
            let (mut link, mut row) = (0, 0);
            while row < self.shape.sites {
                let header = Header(self.links[link]);
                let links = &self.links[link + 1..link + header.len()];
                for (b, links) in links.chunks_exact(2 * degree).enumerate() {
                    // Each bond counts once, at the site before it.
                    for bond in links.chunks_exact(4) {
                        let [own, other] = [row + b, bond[0] as usize].map(|row| &spins[row].0);
                        let sign = &self.signs[bond[1] as usize].0;
                        let odd = (0..8).map(|i| ((own[i] ^ other[i] ^ sign[i]) & live.0[i]).count_ones());
                        sum += count - 2 * i64::from(odd.sum::<u32>());
                    }
                }
                row += header.count();
                link += header.len();
            }
        }
        Some(coupling * if self.is_negative { -sum } else { sum } as f64)
    }

    pub fn heap_bytes(&self) -> usize {
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
            + lines.iter().map(|lines| lines.capacity() * size_of::<Line>()).sum::<usize>()
    }

    /// The place of row `index` of the shape, whose rows have 64 copies.
    fn place(&self, index: usize) -> (usize, usize) {
        let (word, row) = (index / self.shape.sites, index % self.shape.sites);
        (word / 8 * self.rows + row, word % 8)
    }

    pub fn word(&self, index: usize) -> u64 {
        let (row, word) = self.place(index);
        self.spins[row].0[word]
    }

    pub fn set_word(&mut self, index: usize, spins: u64) {
        let (row, word) = self.place(index);
        self.spins[row].0[word] = spins;
    }

    /// For each row, in visiting order, the rows of its neighbours and of the couplings' signs.
    pub fn neighbours(&self) -> impl Iterator<Item = impl Iterator<Item = (usize, usize)>> + Clone {
        let sites = self.shape.sites;
        self.bonds().map(move |bonds| {
            let mut last = None;
            // Bonds of one coupling are adjacent; those of a field have a row beyond the sites.
            bonds.filter(move |&(row, _)| row < sites && last.replace(row) != Some(row))
        })
    }

    /// For each row, in visiting order, the rows of the other spins of its bonds and of their signs.
    fn bonds(&self) -> impl Iterator<Item = impl Iterator<Item = (usize, usize)>> + Clone {
        let (mut rest, mut header, mut site) = (self.links.as_slice(), Header(0), 0);
        core::iter::from_fn(move || {
            if site == header.count() {
                let (&first, tail) = rest.split_first()?;
                (rest, header, site) = (tail, Header(first), 0);
            }
            let (links, tail) = rest.split_at_checked(2 * header.degree())?;
            (rest, site) = (tail, site + 1);
            Some(links.as_chunks::<2>().0.iter().map(|&[row, sign]| (row as usize, sign as usize)))
        })
    }

    /// Energies and magnetisations of the lanes of `G` words of copies of one row, from word `first` on.
    pub fn measure<const G: usize>(&self, first: usize) -> [LayerSums; G] {
        let (group, word) = (first / 8, first % 8);
        let row = |lines: &[Line], rows: usize, row: usize| {
            let words = &lines[group * rows + row].0[word..];
            array::from_fn(|nth| words[nth])
        };
        let opposite = if self.is_negative { u64::MAX } else { 0 };
        let sign = |sign: usize| row(&self.signs, self.sign_rows, sign).map(|word| word ^ opposite);
        let (sites, has_ghosts) = (self.shape.sites, self.halo.is_some());
        let bonds = self.bonds().enumerate().map(|(own, bonds)| {
            // A bond between two sites is listed at both: in strips first the one to the next site in each
            // direction, then the one to the previous site. One to a field is listed once.
            let is_counted = move |&(nth, (row, _)): &(usize, (usize, usize))| match has_ghosts {
                true => nth % 2 == 0,
                false => row > own || row >= sites,
            };
            bonds.enumerate().filter(is_counted).map(|(_, bond)| bond)
        });
        LayerSums::of_bonds(bonds, |at| row(&self.spins, self.rows, at), sign, self.quantum)
    }

    /// Bit `k` is set if copy `k` of the 64 of a word has the opposite sign, for a coupling with a
    /// row of signs.
    pub fn reversed(&self, word: usize, sign: usize) -> u64 {
        if sign < OWN_SIGNS as usize {
            return 0;
        }
        let bits = self.signs[word / 8 * self.sign_rows + sign].0[word % 8];
        if self.is_negative { !bits } else { bits }
    }

    /// Visits every spin `sweeps` times; returns the number of flips.
    pub fn sweep(&mut self, rng: &mut Mt19937, space: f64, rule: Rule, sweeps: u64) -> u64 {
        // Without a field, no flip is certain.
        let rule = if space == 0.0 { Rule::HeatBath } else { rule };
        self.set_temperature(space, rule);
        let kernel = match rule {
            Rule::Metropolis => sweep_bits::KERNEL.function(),
            Rule::HeatBath => sweep_heat_bits::KERNEL.function(),
        };
        let groups = self.live.len();
        let mut flips = 0;
        for _ in 0..sweeps {
            let (mut begin, mut end) = (0, 0);
            let mut rest = groups * self.shape.sites;
            for group in 0..groups {
                for run in 0..self.runs.len() {
                    let run = self.runs[run];
                    let Run { mut first, mut blocks, mut link, .. } = run;
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
                                self.codes.as_ptr(),
                                self.planes.as_ptr().add(begin).cast(),
                                &mut planes,
                                self.live.as_ptr().add(group).cast(),
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

    /// Tabulates the codes of a temperature, and negates the signs if the sign of `space` changed.
    fn set_temperature(&mut self, space: f64, rule: Rule) {
        let exponents = Exponents { space: 2.0 * space.abs() * self.quantum, tau: 0.0, rule };
        if self.exponents != Some(exponents) {
            tabulate(exponents, &mut self.codes);
            self.exponents = Some(exponents);
        }
        if self.is_negative != (space < 0.0) {
            self.is_negative = !self.is_negative;
            self.signs.iter_mut().flat_map(|row| &mut row.0).for_each(|word| *word = !*word);
        }
    }
}

/// Writes the argument `codes` of [`sweep_bits()`].
fn tabulate(exponents: Exponents, codes: &mut [u8]) {
    codes.fill(0);
    for (degree, codes) in codes.as_chunks_mut::<BITS>().0.iter_mut().enumerate() {
        for class in 0..classes(degree) {
            // With one of the two bonds to other layers unsatisfied, these have no effect.
            let threshold = exponents.probability((degree - 2 * class) as i32, 1);
            let bits = (0..BITS).rev().map(|bit| (threshold >> bit & 1) as u8);
            codes.iter_mut().zip(bits).for_each(|(code, bit)| *code |= bit << class);
        }
    }
}

/// The row of signs of the bonds with the given ends in each lane of a copy; all copies are alike.
fn sign_row(
    lists: &Lists,
    strips: Strips,
    signs: &mut Vec<Line>,
    ends: impl Fn(usize) -> (u32, u32),
) -> Result<u32, Error> {
    let is_negative = |lane: usize| {
        let (site, other) = ends(lane);
        let neighbours = lists.neighbours(site);
        let found = neighbours.binary_search_by_key(&other, |half| half.neighbour);
        found.is_ok_and(|index| neighbours[index].coupling < 0.0)
    };
    let (mut row, mut count) = ([0; 8], 0);
    for strip in (0..strips.lanes).filter(|&strip| is_negative(strip)) {
        count += 1;
        for lane in (strip..strips.lanes * strips.copies).step_by(strips.lanes) {
            row[lane / 64] |= 1 << (lane % 64);
        }
    }
    match count {
        0 => Ok(POSITIVE),
        _ if count == strips.lanes => Ok(NEGATIVE),
        _ => memory::push(signs, Line(row)).map(|()| signs.len() as u32 - 1),
    }
}
