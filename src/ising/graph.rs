//! The graph of one layer: its checks, the visiting order, and the link stream that the kernels
//! read.

use alloc::vec::Vec;

use super::links::{Link, ROW};
use crate::frame::error::Error;
use crate::frame::memory;
use crate::frame::pieces::{Ended, Pieces};

/// Maximum number of sites of a layer.
pub(super) const MAX_SITES: usize = 1 << 27;

/// Maximum number of sites of a layer whose links are byte offsets of 32 bits.
pub(super) const MAX_INTERLACED_SITES: usize = 1 << 26;

/// Maximum number of sites of an exact model: row indices have 24 bits.
pub(super) const MAX_BYTE_SITES: usize = 1 << 24;

/// Maximum number of sites of one kernel call: their random numbers stay in the first-level cache.
pub(super) const CHUNK: usize = 32;

/// The order in which the sites of a layer are visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Colour by colour of the graph (two colours if it is bipartite), sites of a colour by degree:
    /// the fastest.
    #[default]
    Coloured,
    /// By index.
    Natural,
}

/// One direction of an edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct Half {
    pub site: u32,
    pub neighbour: u32,
    pub coupling: f64,
}

/// Consecutive sites that one kernel call visits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunk {
    pub first: usize,
    pub count: usize,
    /// Index of the header of `first` in the link stream.
    pub link: usize,
}

/// A checked graph in visiting order.
#[derive(Debug)]
pub(super) struct Graph {
    /// `order[i]` is the site that is visited `i`-th and has row `i`.
    pub order: Vec<u32>,
    /// Couplings and fields rounded to f32, or in quanta. A link holds [`stride`](Self::stride) times a row.
    pub links: Vec<Link>,
    stride: u32,
    pub chunks: Vec<Chunk>,
    pub weights: Weights,
    /// Whether all sums over neighbours are exact in f32.
    pub exact: bool,
    /// Whether links hold quanta.
    has_quanta: bool,
}

/// Couplings and fields as given, from which energies are computed.
#[derive(Debug, Default)]
pub(super) struct Weights {
    /// For each row, in visiting order: its field, then the couplings to later rows in the order of
    /// its links. With a quantum, couplings of 0 are left out.
    pub values: Vec<f64>,
    /// That of [`Lists::mean_square`].
    pub mean_square: f64,
}

impl Graph {
    /// `fields` are finite, `order` holds every site once. With a `quantum`, links hold quanta.
    pub fn new(fields: &[f64], lists: &Lists, order: Vec<u32>, quantum: Option<f64>) -> Result<Self, Ended> {
        lists.next()?;
        let stride = if order.len() <= MAX_INTERLACED_SITES { ROW } else { 1 };
        let exact = lists.is_exact(fields);
        let counted = |value: f64| quantum.map_or(value as f32, |quantum| quanta(value, quantum) as f32);
        let mut row = lists.pieces.filled(order.len(), 0)?;
        lists.pieces.each(order.len(), |piece| piece.for_each(|index| row[order[index] as usize] = index as u32))?;

        let mut links = memory::with_capacity(order.len() + lists.halves.len())?;
        let mut values = memory::with_capacity(order.len() + lists.halves.len() / 2)?;
        let mut chunks = memory::with_capacity(order.len().div_ceil(CHUNK))?;
        // Chunks of equal size; the last one may be smaller.
        let size = order.len().div_ceil(order.len().div_ceil(CHUNK));
        for (index, sites) in order.chunks(size).enumerate() {
            chunks.push(Chunk { first: index * size, count: sites.len(), link: links.len() });
            for &site in sites {
                let neighbours = lists.neighbours(site);
                lists.pieces.before(4 * (1 + neighbours.len()))?;
                links.push(Link { word: neighbours.len() as u32, value: counted(fields[site as usize]) });
                let link =
                    |half: &Half| Link { word: stride * row[half.neighbour as usize], value: counted(half.coupling) };
                links.extend(neighbours.iter().map(link));
                let later = neighbours.iter().filter(|half| row[half.neighbour as usize] > row[site as usize]);
                let couplings = later.map(|half| half.coupling);
                values.push(fields[site as usize]);
                values.extend(couplings.filter(|&coupling| quantum.is_none() || coupling != 0.0));
            }
        }
        Ok(Graph {
            order,
            links,
            stride,
            chunks,
            weights: Weights { values, mean_square: lists.mean_square(fields) },
            exact,
            has_quanta: quantum.is_some(),
        })
    }

    /// The row that a link refers to.
    pub fn row(&self, link: &Link) -> usize {
        (link.word / self.stride) as usize
    }

    /// Whether `weights` hold the coupling of a link.
    pub fn keeps(&self, link: &Link) -> bool {
        link.value != 0.0 || !self.has_quanta
    }

    /// Field and links of each row, in visiting order.
    pub fn rows(&self) -> impl Iterator<Item = (f32, &[Link])> + Clone {
        let mut rest = self.links.as_slice();
        core::iter::from_fn(move || {
            let (header, tail) = rest.split_first()?;
            let (links, next) = tail.split_at_checked(header.word as usize)?;
            rest = next;
            Some((header.value, links))
        })
    }

    pub fn heap_bytes(&self) -> usize {
        self.order.capacity() * size_of::<u32>()
            + self.links.capacity() * size_of::<Link>()
            + self.chunks.capacity() * size_of::<Chunk>()
            + self.weights.heap_bytes()
    }
}

impl Weights {
    pub fn heap_bytes(&self) -> usize {
        self.values.capacity() * size_of::<f64>()
    }
}

/// Checks that row pointers start at 0 and never decrease; returns the number of entries.
pub(super) fn check_row_pointers(pointers: &[u32]) -> Result<usize, Error> {
    if pointers.first().is_some_and(|&first| first != 0) {
        return Err(Error::RowPointer { site: 0 });
    }
    match pointers.windows(2).position(|pair| pair[0] > pair[1]) {
        Some(site) => Err(Error::RowPointer { site }),
        None => Ok(pointers.last().copied().unwrap_or(0) as usize),
    }
}

/// Neighbour lists, ascending and symmetric.
pub(super) struct Lists<'a, 'p> {
    starts: Vec<usize>,
    halves: &'a [Half],
    /// Of all work with the lists. A pass over a number for each coupling is one piece: it takes some milliseconds.
    pub pieces: &'a Pieces<'p>,
}

impl<'a, 'p> Lists<'a, 'p> {
    /// `halves` are in range, finite and without self loops.
    pub fn new(sites: usize, halves: &'a mut [Half], pieces: &'a Pieces<'p>) -> Result<Self, Ended> {
        let ends = |half: &Half| (half.site, half.neighbour);
        pieces.next()?;
        if !halves.is_sorted_by_key(ends) {
            let sorted = pieces.sorted(halves, sites, |half| half.site as usize)?;
            pieces.each(sorted.len(), |piece| halves[piece.clone()].copy_from_slice(&sorted[piece]))?;
        }
        let mut starts = pieces.filled(sites + 1, 0)?;
        pieces.each(halves.len(), |piece| halves[piece].iter().for_each(|half| starts[half.site as usize + 1] += 1))?;
        pieces.each(sites, |piece| piece.for_each(|site| starts[site + 1] += starts[site]))?;
        for site in 0..sites {
            let own = &mut halves[starts[site]..starts[site + 1]];
            pieces.before(4 * (1 + own.len()))?;
            own.sort_unstable_by_key(ends);
        }
        pieces.next()?;
        if let Some(pair) = halves.windows(2).find(|pair| ends(&pair[0]) == ends(&pair[1])) {
            return Err(Error::DuplicateEdge { i: pair[0].site as usize, j: pair[0].neighbour as usize }.into());
        }
        let lists = Lists { starts, halves, pieces };
        for half in lists.halves {
            pieces.before(8)?;
            let back = lists.neighbours(half.neighbour);
            let found = back.binary_search_by_key(&half.site, |back| back.neighbour);
            if !found.is_ok_and(|index| back[index].coupling == half.coupling) {
                return Err(Error::Asymmetric { i: half.site as usize, j: half.neighbour as usize }.into());
            }
        }
        Ok(lists)
    }

    /// Asks before a pass over all sites and couplings.
    pub fn next(&self) -> Result<(), Ended> {
        self.pieces.next()
    }

    pub fn neighbours(&self, site: u32) -> &'a [Half] {
        &self.halves[self.starts[site as usize]..self.starts[site as usize + 1]]
    }

    /// The visiting order. With a `quantum`, the sites of a colour whose field and couplings add up
    /// to an even number of quanta come before the odd ones.
    pub fn order(&self, order: Order, fields: &[f64], quantum: Option<f64>) -> Result<Vec<u32>, Ended> {
        let pieces = self.pieces;
        let mut sequence = pieces.collected(fields.len(), |site| site as u32)?;
        if order == Order::Coloured {
            let is_odd = |site: u32| {
                let neighbours = self.neighbours(site).iter().map(|half| half.coupling);
                let values = neighbours.chain([fields[site as usize]]);
                quantum.is_some_and(|quantum| values.map(|value| quanta(value, quantum)).sum::<i32>() & 1 == 1)
            };
            let colours = self.colours(&self.breadth_first()?, &[])?;
            let degree = |&site: &u32| self.neighbours(site).len();
            let most = sequence.iter().map(degree).max().unwrap_or(0);
            sequence = pieces.sorted(&sequence, most + 1, degree)?;
            // A colour and whether the sum is odd.
            let keys = pieces.collected(fields.len(), |site| 2 * colours[site] + u32::from(is_odd(site as u32)))?;
            let last = keys.iter().max().map_or(0, |&key| key as usize);
            sequence = pieces.sorted(&sequence, last + 1, |&site| keys[site as usize] as usize)?;
        }
        Ok(sequence)
    }

    /// The sites in breadth-first order.
    pub fn breadth_first(&self) -> Result<Vec<u32>, Ended> {
        let sites = self.starts.len() - 1;
        let mut is_seen = self.pieces.filled(sites, false)?;
        let mut queue = memory::with_capacity(sites)?;
        let mut next = 0;
        for root in 0..sites as u32 {
            if !core::mem::replace(&mut is_seen[root as usize], true) {
                queue.push(root);
            }
            while let Some(&site) = queue.get(next) {
                next += 1;
                self.pieces.before(1 + self.neighbours(site).len())?;
                for half in self.neighbours(site) {
                    if !core::mem::replace(&mut is_seen[half.neighbour as usize], true) {
                        queue.push(half.neighbour);
                    }
                }
            }
        }
        Ok(queue)
    }

    /// Greedy colouring in the order of `sequence`, which holds every site once. In breadth-first
    /// order a bipartite graph gets two colours.
    ///
    /// Sites for which `is_left_out` has an entry that is true get no colour, and constrain no others.
    pub fn colours(&self, sequence: &[u32], is_left_out: &[bool]) -> Result<Vec<u32>, Ended> {
        let mut colours = self.pieces.filled(sequence.len(), NONE)?;
        // taken[c] == site: a neighbour of this site has colour c.
        let degrees = sequence.iter().map(|&site| self.neighbours(site).len());
        let mut taken = memory::filled(degrees.max().unwrap_or(0) + 1, NONE)?;
        let is_left_out = |site: u32| is_left_out.get(site as usize) == Some(&true);
        for &site in sequence.iter().filter(|site| !is_left_out(**site)) {
            self.pieces.before(1 + 2 * self.neighbours(site).len())?;
            for half in self.neighbours(site) {
                let colour = colours[half.neighbour as usize];
                if colour != NONE {
                    taken[colour as usize] = site;
                }
            }
            let free = taken.iter().position(|&owner| owner != site);
            colours[site as usize] = free.unwrap_or(0) as u32;
        }
        Ok(colours)
    }

    /// Whether all couplings and fields are f32 values and integer multiples of one power of two,
    /// and all sums are small enough to be exact.
    pub fn is_exact(&self, fields: &[f64]) -> bool {
        let values = || self.halves.iter().map(|half| half.coupling).chain(fields.iter().copied());
        if values().any(|value| f64::from(value as f32) != value) {
            return false;
        }
        let quantum = values().filter(|&value| value != 0.0).map(quantum).fold(f64::INFINITY, f64::min);
        (0..).zip(fields).all(|(site, &field)| {
            let couplings = self.neighbours(site).iter().map(|half| half.coupling.abs());
            let sum = field.abs() + couplings.sum::<f64>();
            // The scatter kernels also form 2 J.
            sum / quantum <= f64::from(1 << f32::MANTISSA_DIGITS) && 2.0 * sum <= f64::from(f32::MAX)
        })
    }

    /// The number of couplings other than 0, each counted at both of its sites, and the magnitudes of all
    /// couplings and fields at all sites in quanta.
    pub fn sizes(&self, fields: &[f64], quantum: Option<f64>) -> (usize, u64) {
        let links = self.halves.iter().filter(|half| half.coupling != 0.0).count();
        let values = fields.iter().copied().chain(self.halves.iter().map(|half| half.coupling));
        let count = |quantum: f64| values.map(|value| u64::from(quanta(value, quantum).unsigned_abs())).sum();
        (links, quantum.map_or(0, count))
    }

    /// The mean over the sites of the squared field plus the squared couplings.
    pub fn mean_square(&self, fields: &[f64]) -> f64 {
        let values = fields.iter().copied().chain(self.halves.iter().map(|half| half.coupling));
        values.map(|value| value * value).sum::<f64>() / fields.len() as f64
    }

    /// The sum of the magnitudes of field and couplings of a site, in quanta.
    pub fn magnitude(&self, fields: &[f64], site: usize, quantum: f64) -> u64 {
        let values = self.neighbours(site as u32).iter().map(|half| half.coupling).chain([fields[site]]);
        values.map(|value| u64::from(quanta(value, quantum).unsigned_abs())).sum()
    }

    /// The largest quantum of which every coupling and field is an integer multiple (within the
    /// rounding of f64), within `limits`.
    pub fn quantum(&self, fields: &[f64], limits: Limits) -> Result<f64, Ended> {
        let Limits { coupling: max_coupling, sum: max_sum, hub: max_hub } = limits;
        self.next()?;
        let values = || self.halves.iter().map(|half| half.coupling).chain(fields.iter().copied());
        let magnitudes = || values().map(f64::abs).filter(|&value| value > 0.0);
        let (smallest, largest) =
            magnitudes().fold((f64::INFINITY, 0.0f64), |(a, b), value| (a.min(value), b.max(value)));
        if largest == 0.0 {
            return Ok(1.0);
        }
        // Takes the smallest magnitude as `parts` quanta; returns the quantum, or the first site
        // that does not fit as an error.
        let fits = |parts: u32| -> Result<f64, Ended> {
            let part = smallest / f64::from(parts);
            let count = (largest / part + 0.5) as u32;
            // The largest value is rounded least, so it defines the quantum.
            let quantum = largest / f64::from(count.max(1));
            // Four roundings, each by at most EPSILON / 2: the value, the largest value, the
            // quantum and the product.
            let is_whole = |value: f64| {
                let number = quanta(value, quantum);
                let error = value - f64::from(number) * quantum;
                number.unsigned_abs() <= max_hub && error.abs() <= value.abs() * (2.0 * f64::EPSILON)
            };
            let (mut hub_links, mut first_hub) = (0, 0);
            for (site, &field) in (0..).zip(fields) {
                let couplings = || self.neighbours(site).iter().map(|half| half.coupling);
                self.pieces.before(2 * (1 + couplings().len()))?;
                let values = || couplings().chain([field]);
                let count = |value: f64| quanta(value, quantum).unsigned_abs();
                let sum = || values().map(|value| u64::from(count(value))).sum::<u64>();
                if !values().all(is_whole)
                    || couplings().any(|value| count(value) > max_coupling)
                    || sum() > u64::from(max_hub)
                {
                    return Err(Error::Quantum { site: site as usize }.into());
                }
                if sum() > u64::from(max_sum) {
                    first_hub = if hub_links == 0 { site } else { first_hub };
                    hub_links += 1 + couplings().len();
                }
            }
            match hub_links * HUB_SHARE > fields.len() + self.halves.len() {
                true => Err(Error::Quantum { site: first_hub as usize }.into()),
                false => Ok(quantum),
            }
        };
        // A magnitude that is a/b of the smallest one needs a multiple of b parts. The largest one
        // bounds the number of parts.
        let max_parts = f64::from(max_sum).min(f64::from(max_hub) * (smallest / largest)) + 0.5;
        let of_value = |parts: u32, value: f64| {
            let is_whole = |parts: &u32| {
                let number = value / smallest * f64::from(*parts);
                let whole = (number + 0.5) as u32;
                (number - f64::from(whole)).abs() <= number * (8.0 * f64::EPSILON)
            };
            (1..).map(|factor| factor * parts).take_while(|&parts| f64::from(parts) <= max_parts).find(is_whole)
        };
        let first = match fits(1) {
            Err(Ended::Failed(first)) => first,
            result => return result,
        };
        let mut parts = 1;
        for value in magnitudes() {
            self.pieces.before(2)?;
            parts = of_value(parts, value).ok_or(first)?;
        }
        fits(parts).map_err(|error| if matches!(error, Ended::ByCaller) { error } else { first.into() })
    }
}

/// Limits of couplings and fields, in quanta.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// The largest magnitude of a coupling.
    pub coupling: u32,
    /// The largest sum of magnitudes at a site; not less than `coupling`.
    pub sum: u32,
    /// The same for a few sites, see [`HUB_SHARE`]; not less than `sum`.
    pub hub: u32,
}

impl Limits {
    /// The same at all sites.
    pub fn new(coupling: u32, sum: u32) -> Self {
        Limits { coupling, sum, hub: sum }
    }
}

/// The colour of a site that is left out.
pub(super) const NONE: u32 = u32::MAX;

/// At most one in this number of sites and links may be a hub or one of its links.
const HUB_SHARE: usize = 4;

/// Maximum magnitude of a coupling, in quanta; for [`Kind::I8Exact`](super::Kind::I8Exact) also of
/// the sum of the magnitudes of a site's field and couplings.
pub(super) const MAX_QUANTA: u32 = 127;

/// `value` in quanta, rounded to the nearest integer.
pub(super) fn quanta(value: f64, quantum: f64) -> i32 {
    let number = value / quantum;
    (number + if number < 0.0 { -0.5 } else { 0.5 }) as i32
}

/// The largest power of two that divides `value`, which is finite and not 0.
fn quantum(value: f64) -> f64 {
    let bits = value.to_bits();
    let lowest = 52 - bits.trailing_zeros().min(52);
    let power = f64::from_bits(bits & 0x7FF << 52);
    power / (1u64 << lowest) as f64
}
