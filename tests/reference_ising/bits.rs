//! The kind `Bits` against a plain loop over the copies, on the same random planes.

use crate::ising::{Layer, Rng, generator, spins_of};
use crate::textbook::{ACCEPTANCES, under_every_isa};
use crate::tori::torus;
use hotloops::ising::{Acceptance, Beta, Builder, Kind, LANES, LayeredIsing, Order};
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
    fn add(&mut self, random: bool) {
        let bit = self.threshold >> (47 - self.bits) & 1 == 1;
        self.bits += 1;
        (self.is_less, self.is_decided) = (bit && !random, bit != random || self.bits == 48);
    }
}

/// The neighbour of a site, or none for a field, and the sign.
type Bond = (Option<usize>, i32);

/// The model of a plain loop.
struct Plain {
    sites: usize,
    /// For each copy and each site, its bonds of one quantum.
    bonds: Vec<Vec<Vec<Bond>>>,
    /// For each row, its site in each lane of a copy.
    rows: Vec<Vec<usize>>,
    quantum: f64,
}

impl Plain {
    /// `sign` is the factor of a coupling in a copy.
    fn new(layer: &Layer, model: &LayeredIsing, strips: usize, sign: impl Fn(usize, usize, usize) -> i32) -> Self {
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
        Plain { sites: layer.sites(), bonds: (0..model.layers()).map(of_copy).collect(), rows, quantum }
    }

    /// Runs of up to 8 uncoupled rows with equal numbers of bonds.
    fn blocks(&self) -> Vec<&[Vec<usize>]> {
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

    fn sweep(&self, spins: &mut [i8], rng: &mut Mt19937, beta: f32, acceptance: Acceptance) -> u64 {
        let mut planes = Planes { rng, rest: Vec::new() };
        let (layers, mut flips) = (self.bonds.len(), 0);
        let is_heat = acceptance == Acceptance::HeatBath || beta == 0.0;
        let strips = self.rows[0].len();
        let copies_of_group = LANES_OF_GROUP / strips;
        for group in (0..layers).step_by(copies_of_group) {
            let copies = group..layers.min(group + copies_of_group);
            let lanes: Vec<_> = copies.flat_map(|copy| (0..strips).map(move |strip| (copy, strip))).collect();
            for block in self.blocks() {
                // For each site and copy: whether it flips if its number is less, else if it is not.
                let mut numbers = vec![Vec::new(); block.len()];
                for (numbers, row) in numbers.iter_mut().zip(block) {
                    for &(copy, strip) in &lanes {
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
                for (numbers, row) in numbers.iter().zip(block) {
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

/// A graph of up to 8 quanta at each site.
fn random_layer(sites: usize, draws: &mut Rng) -> Layer {
    let mut room = vec![8; sites];
    let mut layer = Layer::free(&vec![0.0; sites]);
    for i in 0..sites {
        for j in i + 1..sites {
            let value = [0, 0, 1, -1, 1, -1, 2, -2, 3][draws.below(9) as usize];
            if sites < 12 || draws.below(sites as u64) < 6 {
                let quanta = i32::unsigned_abs(value);
                if quanta <= room[i] && quanta <= room[j] {
                    (room[i], room[j]) = (room[i] - quanta, room[j] - quanta);
                    layer.couplings.push((i, j, value.into()));
                }
            }
        }
        if room[i] > 0 && draws.below(3) == 0 {
            layer.fields[i] = [1.0, -1.0][draws.below(2) as usize];
        }
    }
    layer
}

/// The model from given spins, under every instruction set, in one call and in several, is the plain
/// loop.
fn agrees(
    builder: impl Fn() -> Builder,
    layer: &Layer,
    (layers, strips): (usize, usize),
    beta: f32,
    sign: impl Fn(usize, usize, usize) -> i32,
) {
    let beta_tau = Beta { space: beta, tau: 0.0 };
    let start = Rng(layers as u64).spins(layers * layer.sites());
    for acceptance in ACCEPTANCES {
        let run = |calls: &[u64]| {
            let mut model = builder().acceptance(acceptance).build(Kind::Bits).unwrap();
            model.set_spins(&start).unwrap();
            let mut rng = generator(9);
            let flips: u64 = calls.iter().map(|&sweeps| model.sweep(&mut rng, beta_tau, sweeps).unwrap()).sum();
            (spins_of(&model), flips, rng)
        };
        let model = builder().build(Kind::Bits).unwrap();
        let plain = Plain::new(layer, &model, strips, &sign);
        let (mut spins, mut rng) = (start.clone(), generator(9));
        let flips = (0..4).map(|_| plain.sweep(&mut spins, &mut rng, beta, acceptance)).sum();
        let found = under_every_isa(|| run(&[4]));
        assert_eq!(found.1, flips, "{layers} copies in {strips} strips at {beta}, {acceptance:?}: flips");
        assert!(found == (spins, flips, rng), "{layers} copies in {strips} strips at {beta}, {acceptance:?}");
        assert!(run(&[1, 0, 2, 1]) == found);
    }
}

#[test]
fn every_number_of_copies_is_the_plain_loop_s() {
    let mut draws = Rng(1);
    for layers in [1, 2, 63, 64, 65, 100, 511, 512, 513, 1100] {
        for sites in [1, 2, 3, 8, 30] {
            let layer = random_layer(sites, &mut draws);
            for order in [Order::Coloured, Order::Natural] {
                agrees(|| layer.builder(layers).order(order), &layer, (layers, 1), 0.3, |_, _, _| 1);
            }
        }
    }
}

#[test]
fn every_temperature_is_the_plain_loop_s() {
    let layer = random_layer(40, &mut Rng(2));
    for beta in [0.0, -0.0, 1e-40, 1e-5, 0.01, -0.2, 0.5, -1.5, 8.0, 1e30, -f32::MAX] {
        agrees(|| layer.builder(70), &layer, (70, 1), beta, |_, _, _| 1);
    }
}

/// Samples of disorder: the signs of some couplings differ from copy to copy.
#[test]
fn samples_are_the_plain_loop_s() {
    let mut draws = Rng(3);
    for layers in [1, 70, 600] {
        let layer = random_layer(20, &mut draws);
        let reversed = |copy: usize, i: usize, j: usize| {
            !(i + j).is_multiple_of(3) && (copy * 7 + i * j + copy / 5).is_multiple_of(3)
        };
        let sign = |copy, i, j| if reversed(copy, i, j) { -1 } else { 1 };
        let build = || {
            layer.couplings.iter().fold(layer.builder(layers), |builder, &(i, j, _)| match (i + j) % 3 {
                0 => builder,
                _ => builder.reversed(j, i, &(0..layers).map(|copy| reversed(copy, i, j)).collect::<Vec<_>>()),
            })
        };
        for beta in [0.4, -0.4] {
            agrees(build, &layer, (layers, 1), beta, sign);
        }
        let mut model = build().build(Kind::Bits).unwrap();
        for beta in [0.4, -0.3] {
            model.sweep(&mut generator(5), Beta { space: beta, tau: 0.0 }, 3).unwrap();
            let spins = spins_of(&model);
            let expected: f64 =
                spins.chunks(20).enumerate().map(|(copy, spins)| energy(&layer, spins, |i, j| sign(copy, i, j))).sum();
            assert_eq!(model.energy().space, expected);
        }
    }
}

/// Tori whose layers are cut into lanes, with random signs.
#[test]
fn strips_are_the_plain_loop_s() {
    let mut draws = Rng(4);
    for (extents, layers, strips) in [
        (&[4][..], 3, 2),
        (&[12], 1, 6),
        (&[1024], 2, 256),
        (&[4, 4], 1, 4),
        (&[4, 4], 100, 4),
        (&[6, 10], 5, 15),
        (&[20, 12], 13, 30),
        (&[10, 14], 30, 35),
        (&[64, 64], 1, 512),
        (&[64, 64], 2, 256),
        (&[4, 6, 8], 7, 24),
        (&[8, 8, 8], 20, 64),
        (&[4, 4, 4, 4], 40, 8),
        (&[4, 4], 512, 1),
    ] {
        let layer = torus(extents, || [1.0, -1.0][draws.below(2) as usize]);
        for beta in [0.4, -0.7] {
            agrees(|| layer.builder(layers), &layer, (layers, strips), beta, |_, _, _| 1);
        }
        let mut model = layer.builder(layers).build(Kind::Bits).unwrap();
        for beta in [0.4, -0.3] {
            model.sweep(&mut generator(5), Beta { space: beta, tau: 0.0 }, 3).unwrap();
            let spins = spins_of(&model);
            let energies = model.energy();
            assert_eq!([energies.space, energies.tau], layer.energies(&spins), "{extents:?}");
            let sites = layer.sites();
            let others = Rng(6).spins(spins.len());
            let mut overlaps = vec![0; layers];
            model.overlaps(&others, &mut overlaps).unwrap();
            for (copy, overlap) in overlaps.into_iter().enumerate() {
                let products = (copy * sites..(copy + 1) * sites).map(|i| i64::from(spins[i] * others[i]));
                assert_eq!(overlap, products.sum());
            }
            assert_eq!(model.magnetisation(), spins.iter().map(|&spin| i64::from(spin)).sum());
        }
    }
}

/// A graph that is nearly a torus.
#[test]
fn other_graphs_are_not_cut() {
    let layer = torus(&[8, 8], || 1.0);
    let order = |layer: &Layer| layer.builder(1).build(Kind::Bits).unwrap().order().to_vec();
    let of_copies = |layer: &Layer| layer.builder(512).build(Kind::Bits).unwrap().order().to_vec();
    assert_ne!(order(&layer), of_copies(&layer));
    for (i, j, value) in [(0, 1, 0.0), (17, 18, 2.0), (63, 56, -2.0)] {
        let mut other = layer.clone();
        let coupling = other.couplings.iter_mut().find(|edge| (edge.0, edge.1) == (i, j)).unwrap();
        coupling.2 = value;
        assert_eq!(order(&other), of_copies(&other));
    }
    let mut field = layer.clone();
    field.fields[5] = 1.0;
    assert_eq!(order(&field), of_copies(&field));
    let mut swapped = layer;
    (swapped.couplings[0].1, swapped.couplings[20].1) = (swapped.couplings[20].1, swapped.couplings[0].1);
    assert_eq!(order(&swapped), of_copies(&swapped));
    let odd = torus(&[5, 8], || 1.0);
    assert_eq!(order(&odd), of_copies(&odd));
}

fn energy(layer: &Layer, spins: &[i8], sign: impl Fn(usize, usize) -> i32) -> f64 {
    let bond = |&(i, j, value): &(usize, usize, f64)| value * f64::from(sign(i, j) * i32::from(spins[i] * spins[j]));
    let field = layer.fields.iter().zip(spins).map(|(field, &spin)| field * f64::from(spin)).sum::<f64>();
    layer.couplings.iter().map(bond).sum::<f64>() + field
}
