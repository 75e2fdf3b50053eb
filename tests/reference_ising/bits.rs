//! The kind `Bits` against a plain loop over the copies, on the same random planes.

use crate::ising::{Layer, Rng, generator, spins_of};
use crate::textbook::{ACCEPTANCES, under_every_isa};
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
struct Plain {
    sites: usize,
    /// For each copy and each site, its bonds of one quantum.
    bonds: Vec<Vec<Vec<Bond>>>,
    /// For each row, its site in each lane of a copy.
    rows: Vec<Vec<usize>>,
    quantum: f64,
    /// Those of a lattice in strips.
    extents: Vec<usize>,
}

/// A row, and whether each of its strips is visited.
type Visit<'a> = (&'a [usize], Vec<bool>);

impl Plain {
    /// `sign` is the factor of a coupling in a copy.
    fn new(
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

    /// Runs of up to 8 uncoupled rows with equal numbers of bonds.
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

    fn sweep(&self, spins: &mut [i8], rng: &mut Mt19937, beta: f32, acceptance: Acceptance) -> u64 {
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
    (layers, strips, extents): (usize, usize, &[usize]),
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
        let plain = Plain::new(layer, &model, (strips, extents), &sign);
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
                agrees(|| layer.builder(layers).order(order), &layer, (layers, 1, &[]), 0.3, |_, _, _| 1);
            }
        }
    }
}

#[test]
fn every_temperature_is_the_plain_loop_s() {
    let layer = random_layer(40, &mut Rng(2));
    for beta in [0.0, -0.0, 1e-40, 1e-5, 0.01, -0.2, 0.5, -1.5, 8.0, 1e30, -f32::MAX] {
        agrees(|| layer.builder(70), &layer, (70, 1, &[]), beta, |_, _, _| 1);
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
            agrees(build, &layer, (layers, 1, &[]), beta, sign);
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

/// Extents, whether they are periodic, the share of absent bonds, and layers.
type Cut = (&'static [usize], &'static [bool], f64, usize);

/// Lattices whose layers are cut into lanes, with random signs.
#[test]
fn strips_are_the_plain_loop_s() {
    const T: bool = true;
    const F: bool = false;
    let mut draws = Rng(4);
    let cuts: &[Cut] = &[
        (&[4], &[T], 0.0, 3),
        (&[12], &[T], 0.0, 1),
        (&[1024], &[T], 0.0, 2),
        (&[4, 4], &[T; 2], 0.0, 1),
        (&[4, 4], &[T; 2], 0.0, 100),
        (&[6, 10], &[T; 2], 0.0, 5),
        (&[20, 12], &[T; 2], 0.0, 13),
        (&[10, 14], &[T; 2], 0.0, 30),
        (&[64, 64], &[T; 2], 0.0, 1),
        (&[64, 64], &[T; 2], 0.0, 2),
        (&[4, 6, 8], &[T; 3], 0.0, 7),
        (&[8, 8, 8], &[T; 3], 0.0, 20),
        (&[4, 4, 4, 4], &[T; 4], 0.0, 40),
        (&[4, 4], &[T; 2], 0.0, 512),
        // Blocks of odd extents have three colours.
        (&[9], &[T], 0.0, 2),
        (&[5, 9], &[T; 2], 0.0, 3),
        (&[3, 4, 6], &[T; 3], 0.0, 3),
        // Open boundaries.
        (&[8], &[F], 0.0, 3),
        (&[4, 4], &[F; 2], 0.0, 3),
        (&[12, 10], &[F; 2], 0.0, 5),
        (&[9, 15], &[F, T], 0.0, 4),
        (&[2, 10], &[F, T], 0.0, 4),
        (&[7, 64], &[F; 2], 0.0, 2),
        (&[6, 6, 6], &[F; 3], 0.0, 2),
        (&[8, 6, 4], &[F, F, T], 0.0, 9),
        (&[5, 4, 16], &[F; 3], 0.0, 3),
        (&[4, 4, 4, 4], &[T, F, T, F], 0.0, 2),
        // Absent bonds.
        (&[40], &[T], 0.2, 3),
        (&[12, 10], &[F; 2], 0.2, 5),
        (&[16, 9], &[T; 2], 0.5, 3),
    ];
    for &(extents, is_periodic, absent, layers) in cuts {
        let layer = lattice(extents, is_periodic, || match (draws.below(1000) as f64) < 1000.0 * absent {
            true => 0.0,
            false => [1.0, -1.0][draws.below(2) as usize],
        });
        let blocks = layer.builder(layers).build(Kind::Bits).unwrap().blocks();
        assert_eq!(blocks.is_some(), layers < 512, "{extents:?}, {is_periodic:?}");
        let strips = blocks.map_or(1, |blocks| blocks.parts.iter().product());
        for beta in [0.4, -0.7] {
            agrees(|| layer.builder(layers), &layer, (layers, strips, extents), beta, |_, _, _| 1);
        }
        let mut model = layer.builder(layers).build(Kind::Bits).unwrap();
        for beta in [0.4, -0.3] {
            model.sweep(&mut generator(5), Beta { space: beta, tau: 0.0 }, 3).unwrap();
            let spins = spins_of(&model);
            let energies = model.energy();
            assert_eq!([energies.space, energies.tau], layer.energies(&spins), "{extents:?}");
            let sites = layer.sites();
            let (mut of_layers, mut sums) = (vec![0.0; layers], vec![0; layers]);
            model.layer_energies(&mut of_layers, &mut sums).unwrap();
            let others = Rng(6).spins(spins.len());
            let mut overlaps = vec![0; layers];
            model.overlaps(&others, &mut overlaps).unwrap();
            for (copy, overlap) in overlaps.into_iter().enumerate() {
                let spins = &spins[copy * sites..][..sites];
                let products = spins.iter().zip(&others[copy * sites..]).map(|(a, b)| i64::from(a * b));
                assert_eq!(overlap, products.sum());
                assert_eq!(of_layers[copy], energy(&layer, spins, |_, _| 1), "{extents:?}, {is_periodic:?}");
                assert_eq!(sums[copy], spins.iter().map(|&spin| i64::from(spin)).sum());
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
    for (i, j, value) in [(17, 18, 2.0), (63, 56, -2.0)] {
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
    // Absent bonds in three dimensions.
    let mut diluted = torus(&[4, 4, 4], || 1.0);
    assert_ne!(order(&diluted), of_copies(&diluted));
    diluted.couplings[30].2 = 0.0;
    assert_eq!(order(&diluted), of_copies(&diluted));
}

fn torus(extents: &[usize], value: impl FnMut() -> f64) -> Layer {
    lattice(extents, &vec![true; extents.len()], value)
}

fn lattice(extents: &[usize], is_periodic: &[bool], mut value: impl FnMut() -> f64) -> Layer {
    let sites = extents.iter().product();
    let mut couplings = Vec::new();
    for i in 0..sites {
        let mut stride = 1;
        for (extent, is_periodic) in extents.iter().zip(is_periodic) {
            let x = i / stride % extent;
            if x + 1 < *extent || *is_periodic {
                couplings.push((i, i - x * stride + (x + 1) % extent * stride, value()));
            }
            stride *= extent;
        }
    }
    Layer { couplings, ..Layer::free(&vec![0.0; sites]) }
}

fn energy(layer: &Layer, spins: &[i8], sign: impl Fn(usize, usize) -> i32) -> f64 {
    let bond = |&(i, j, value): &(usize, usize, f64)| value * f64::from(sign(i, j) * i32::from(spins[i] * spins[j]));
    let field = layer.fields.iter().zip(spins).map(|(field, &spin)| field * f64::from(spin)).sum::<f64>();
    layer.couplings.iter().map(bond).sum::<f64>() + field
}

/// A ferromagnetic torus of 4 x 4 sites: energy and magnetisation by enumeration.
#[test]
fn a_small_torus_has_its_exact_means() {
    let couplings = torus(&[4, 4], || 1.0).couplings;
    for (beta, energy, magnetisation) in [
        (0.2f32, -0.456_135_370, 0.342_765_628),
        (0.4, -1.379_116_482, 0.764_712_393),
        (0.6, -1.908_069_528, 0.972_867_450),
    ] {
        for (acceptance, copies) in
            ACCEPTANCES.into_iter().flat_map(|acceptance| [(acceptance, 512), (acceptance, 100)])
        {
            let model = LayeredIsing::builder(copies, 16).couplings(couplings.clone()).acceptance(acceptance);
            let mut model = model.build(Kind::Bits).unwrap();
            let (mut rng, beta) = (generator(3), Beta { space: beta, tau: 0.0 });
            model.sweep(&mut rng, beta, 100).unwrap();
            let mut sums = vec![[0.0; 2]; copies];
            const MEASUREMENTS: usize = 200;
            for _ in 0..MEASUREMENTS {
                model.sweep(&mut rng, beta, 5).unwrap();
                let spins = spins_of(&model);
                for (sums, spins) in sums.iter_mut().zip(spins.chunks(16)) {
                    let total: i32 = spins.iter().map(|&spin| i32::from(spin)).sum();
                    let aligned: f64 = couplings.iter().map(|&(i, j, _)| f64::from(spins[i] * spins[j])).sum();
                    sums[0] -= aligned / 16.0;
                    sums[1] += f64::from(total.abs()) / 16.0;
                }
            }
            for (k, exact) in [energy, magnetisation].into_iter().enumerate() {
                let means = sums.iter().map(|sums| sums[k] / MEASUREMENTS as f64);
                let mean = means.clone().sum::<f64>() / copies as f64;
                let variance = means.map(|x| (x - mean).powi(2)).sum::<f64>() / (copies * (copies - 1)) as f64;
                let z = (mean - exact) / variance.sqrt();
                assert!(z.abs() < 4.0, "{beta:?}, {acceptance:?}: {mean}, not {exact}: z = {z}");
            }
        }
    }
}

/// Grids, and a torus of odd blocks: energy and magnetisation by enumeration.
#[test]
fn small_lattices_have_their_exact_means() {
    const T: bool = true;
    const F: bool = false;
    for (extents, is_periodic) in
        [(&[9][..], &[T][..]), (&[4, 4], &[F, F]), (&[4, 4], &[T, F]), (&[6, 3], &[F, T]), (&[2, 2, 4], &[F, F, T])]
    {
        let mut draws = Rng(7);
        let mut layer = lattice(extents, is_periodic, || if draws.below(4) == 0 { -1.0 } else { 1.0 });
        if extents.len() == 2 {
            layer.couplings[5].2 = 0.0;
        }
        let sites = layer.sites();
        let observe = |spins: &[i8]| {
            let total: i32 = spins.iter().map(|&spin| i32::from(spin)).sum();
            [energy(&layer, spins, |_, _| 1), f64::from(total.abs())]
        };
        let beta = 0.5f32;
        let mut exact = [0.0; 3];
        for state in 0..1u32 << sites {
            let spins: Vec<i8> = (0..sites).map(|site| 1 - 2 * (state >> site & 1) as i8).collect();
            let [energy, magnetisation] = observe(&spins);
            let weight = (f64::from(beta) * energy).exp();
            [weight, weight * energy, weight * magnetisation].iter().zip(&mut exact).for_each(|(x, sum)| *sum += x);
        }
        for acceptance in ACCEPTANCES {
            const COPIES: usize = 100;
            const MEASUREMENTS: usize = 200;
            let mut model = layer.builder(COPIES).acceptance(acceptance).build(Kind::Bits).unwrap();
            assert!(model.blocks().is_some(), "{extents:?}");
            let (mut rng, beta) = (generator(3), Beta { space: beta, tau: 0.0 });
            model.sweep(&mut rng, beta, 100).unwrap();
            let mut sums = [[0.0; 2]; COPIES];
            for _ in 0..MEASUREMENTS {
                model.sweep(&mut rng, beta, 5).unwrap();
                for (sums, spins) in sums.iter_mut().zip(spins_of(&model).chunks(sites)) {
                    sums.iter_mut().zip(observe(spins)).for_each(|(sum, value)| *sum += value);
                }
            }
            for k in 0..2 {
                let means = sums.iter().map(|sums| sums[k] / MEASUREMENTS as f64);
                let mean = means.clone().sum::<f64>() / COPIES as f64;
                let variance = means.map(|x| (x - mean).powi(2)).sum::<f64>() / (COPIES * (COPIES - 1)) as f64;
                let z = (mean - exact[k + 1] / exact[0]) / variance.sqrt();
                assert!(z.abs() < 4.0, "{extents:?}, {is_periodic:?}, {acceptance:?}: {mean}, z = {z}");
            }
        }
    }
}
