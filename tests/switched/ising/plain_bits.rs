//! The sweep of the kind `Bits` as a plain loop over the copies.

use crate::layers::Layer;
use hotloops::ising::{Acceptance, LANES, LayeredIsing};
use hotloops::random::Mt19937;

/// Lanes that share a plane.
const LANES_OF_GROUP: usize = 512;

/// The planes of a sweep: drawn in units of 64; the last unit is dropped with the sweep.
struct Planes<'a> {
    rng: &'a mut Mt19937,
    rest: Vec<[u32; LANES]>,
}

impl Planes<'_> {
    fn next(&mut self) -> [u32; LANES] {
        if self.rest.is_empty() {
            let mut words = [0; 64 * LANES];
            self.rng.fill_u32(&mut words);
            self.rest.extend(words.as_chunks().0.iter().rev());
        }
        self.rest.pop().unwrap()
    }
}

/// A random number that is drawn bit by bit, and the threshold that it is compared with.
#[derive(Clone, Copy)]
struct Number {
    threshold: u64,
    bits: u32,
    is_less: bool,
    is_decided: bool,
    is_even: bool,
}

impl Number {
    const IDLE: Self = Number { threshold: 0, bits: 0, is_less: false, is_decided: true, is_even: false };

    fn add(&mut self, random: bool) {
        let bit = self.threshold >> (47 - self.bits) & 1 == 1;
        self.bits += 1;
        (self.is_less, self.is_decided) = (bit && !random, bit != random || self.bits == 48);
    }
}

/// The neighbour of a site, or none for a field, and the sign.
type Bond = (Option<usize>, i32);

/// The model of a plain loop.
pub struct Plain {
    sites: usize,
    /// For each copy and each site, its bonds of one quantum.
    bonds: Vec<Vec<Vec<Bond>>>,
    /// For each row, its site in each lane of a copy.
    rows: Vec<Vec<usize>>,
    quantum: f64,
    /// The extents of a lattice in strips.
    extents: Vec<usize>,
}

/// A row, and whether each of its strips is visited.
type Visit<'a> = (&'a [usize], Vec<bool>);

impl Plain {
    /// `sign` is the factor of a coupling in a copy.
    pub fn new(
        layer: &Layer,
        model: &LayeredIsing,
        (strips, extents): (usize, &[usize]),
        sign: impl Fn(usize, usize, usize) -> i32,
    ) -> Self {
        let quantum = model.quantum();
        let count = |value: f64| (value / quantum).abs() as usize;
        let of_copy = |copy| {
            let mut bonds = vec![Vec::new(); layer.sites()];
            for &(i, j, value) in &layer.couplings {
                for _ in 0..count(value) {
                    bonds[i].push((Some(j), value.signum() as i32 * sign(copy, i, j)));
                    bonds[j].push((Some(i), value.signum() as i32 * sign(copy, i, j)));
                }
            }
            for (bonds, field) in bonds.iter_mut().zip(&layer.fields) {
                bonds.extend((0..count(*field)).map(|_| (None, field.signum() as i32)));
            }
            bonds
        };
        let rows = model.order().chunks(strips).map(|row| row.iter().map(|&site| site as usize).collect()).collect();
        let bonds = (0..model.layers()).map(of_copy).collect();
        Plain { sites: layer.sites(), bonds, rows, quantum, extents: extents.to_vec() }
    }

    fn blocks(&self) -> Vec<Vec<Visit<'_>>> {
        if self.rows[0].len() > 1 {
            return self.blocks_of_strips();
        }
        self.uncut_blocks()
            .into_iter()
            .map(|rows| rows.iter().map(|row| (row.as_slice(), vec![true])).collect())
            .collect()
    }

    /// The set of the directions in which a site has bonds.
    fn directions(&self, site: usize) -> u32 {
        self.bonds[0][site].iter().fold(0, |set, &(other, _)| {
            let (other, mut stride, mut direction) = (other.unwrap(), 1, 0);
            for (k, &extent) in self.extents.iter().enumerate() {
                let [x, y] = [site, other].map(|site| site / stride % extent);
                let is_next = if extent == 2 { y > x } else { y == (x + 1) % extent };
                if x != y {
                    direction = 2 * k + usize::from(!is_next);
                }
                stride *= extent;
            }
            set | 1 << direction
        })
    }

    /// Rows of a colour whose strips lack the same bonds, up to 8 at a time. If rows have more than four
    /// bonds, strips with different bonds are visited one after the other.
    fn blocks_of_strips(&self) -> Vec<Vec<Visit<'_>>> {
        let key = |row: &[usize]| {
            let sets = || row.iter().map(|&site| self.directions(site));
            let (all, common) = (sets().fold(0, |a, b| a | b), sets().fold(u32::MAX, |a, b| a & b));
            match all & !common {
                0 => (0, all.count_ones(), 0),
                _ if all.count_ones() <= 4 => (1, all.count_ones(), 0),
                mixed => (2, all, mixed),
            }
        };
        let is_linked = |row: &[usize], first: usize, end: usize| {
            let mut others = row.iter().flat_map(|&site| &self.bonds[0][site]).map(|bond| bond.0.unwrap());
            others.any(|other| self.rows[first..end].iter().any(|row| row.contains(&other)))
        };
        let (mut blocks, mut colour, mut first) = (Vec::new(), 0, 0);
        for end in 1..=self.rows.len() {
            let begins = self.rows.get(end).is_none_or(|row| is_linked(row, colour, end));
            if begins || key(&self.rows[end]) != key(&self.rows[first]) {
                let rows = &self.rows[first..end];
                let mut visit = |is_visited: &dyn Fn(usize) -> bool| {
                    let of_row = |row: &'_ [usize]| row.iter().map(|&site| is_visited(site)).collect::<Vec<_>>();
                    if of_row(&rows[0]).contains(&true) {
                        blocks.extend(
                            rows.chunks(8).map(|rows| rows.iter().map(|row| (&row[..], of_row(row))).collect()),
                        );
                    }
                };
                match key(&rows[0]) {
                    (2, all, mixed) => {
                        for set in (0..=mixed).rev().filter(|set| set & !mixed == 0) {
                            visit(&|site| self.directions(site) == all & !mixed | set);
                        }
                    }
                    _ => visit(&|_| true),
                }
                first = end;
            }
            if begins {
                colour = end;
            }
        }
        blocks
    }

    /// Runs of up to 8 uncoupled rows with the same number of bonds.
    fn uncut_blocks(&self) -> Vec<&[Vec<usize>]> {
        let bonds = |row: &[usize]| &self.bonds[0][row[0]];
        let is_linked =
            |a: &[usize], b: &[usize]| bonds(a).iter().any(|(other, _)| other.is_some_and(|j| b.contains(&j)));
        let (mut blocks, mut first) = (Vec::new(), 0);
        for end in 1..=self.rows.len() {
            let block = &self.rows[first..end];
            let fits = self.rows.get(end).is_some_and(|row| {
                let is_linked = block.iter().any(|other| is_linked(row, other) || is_linked(other, row));
                block.len() < 8 && bonds(&block[0]).len() == bonds(row).len() && !is_linked
            });
            if !fits {
                blocks.push(block);
                first = end;
            }
        }
        blocks
    }

    pub fn sweep(&self, spins: &mut [i8], rng: &mut Mt19937, beta: f32, acceptance: Acceptance) -> u64 {
        let mut planes = Planes { rng, rest: Vec::new() };
        let (layers, mut flips) = (self.bonds.len(), 0);
        let is_heat = acceptance == Acceptance::HeatBath || beta == 0.0;
        let strips = self.rows[0].len();
        let copies_of_group = LANES_OF_GROUP / strips;
        let blocks = self.blocks();
        for group in (0..layers).step_by(copies_of_group) {
            let copies = group..layers.min(group + copies_of_group);
            let lanes: Vec<_> = copies.flat_map(|copy| (0..strips).map(move |strip| (copy, strip))).collect();
            for block in &blocks {
                // For each site and copy: whether it flips if its number is less, else if it is not.
                let mut numbers = vec![Vec::new(); block.len()];
                for (numbers, (row, is_visited)) in numbers.iter_mut().zip(block) {
                    for &(copy, strip) in &lanes {
                        if !is_visited[strip] {
                            numbers.push((Number::IDLE, false));
                            continue;
                        }
                        let site = row[strip];
                        let spin = |site: Option<usize>| site.map_or(1, |site| spins[copy * self.sites + site].into());
                        let field: i32 =
                            self.bonds[copy][site].iter().map(|&(other, sign)| sign * spin(other)).sum::<i32>();
                        let m = field * spin(Some(site)) * if beta < 0.0 { -1 } else { 1 };
                        let weight = (-2.0 * f64::from(beta.abs()) * self.quantum * f64::from(m.abs())).exp();
                        let probability = match is_heat {
                            _ if m == 0 => 0.5,
                            true => weight / (1.0 + weight),
                            false => weight,
                        };
                        let threshold = ((probability * 2f64.powi(48)) as u64).min((1 << 48) - 1);
                        let is_decided = !is_heat && m < 0;
                        numbers
                            .push((Number { threshold, bits: 0, is_less: false, is_decided, is_even: m == 0 }, m < 0));
                    }
                    for _ in 0..5 {
                        let plane = planes.next();
                        for (lane, (number, _)) in numbers.iter_mut().enumerate().filter(|(_, n)| !n.0.is_decided) {
                            number.add(plane[lane / 32] >> (lane % 32) & 1 == 1);
                            // The first bit decides alone.
                            number.is_decided |= number.is_even;
                        }
                    }
                }
                let first = |numbers: &[Vec<(Number, bool)>], lane: usize| {
                    numbers.iter().position(|numbers| !numbers[lane].0.is_decided)
                };
                loop {
                    let mut pool: Vec<_> =
                        (0..lanes.len()).filter_map(|lane| first(&numbers, lane).map(|site| (lane, site))).collect();
                    if pool.is_empty() {
                        break;
                    }
                    while !pool.is_empty() {
                        let plane = planes.next();
                        pool.retain(|&(lane, site)| {
                            let number = &mut numbers[site][lane].0;
                            number.add(plane[lane / 32] >> (lane % 32) & 1 == 1);
                            !number.is_decided
                        });
                    }
                }
                for (numbers, (row, _)) in numbers.iter().zip(block) {
                    for (&(copy, strip), (number, is_reversed)) in lanes.iter().zip(numbers) {
                        if number.is_less != *is_reversed {
                            spins[copy * self.sites + row[strip]] *= -1;
                            flips += 1;
                        }
                    }
                }
            }
        }
        flips
    }
}
