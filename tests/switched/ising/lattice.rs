//! The square lattice against its definition, bit by bit, and against exact results.

use hotloops::Error;
use hotloops::ising::{Acceptance, LatticeRule, LatticeSums, SquareLattice};
use hotloops::random::philox4x32;

use crate::harness::rng::Rng;

const ACCEPTANCES: [Acceptance; 3] = [Acceptance::Auto, Acceptance::Metropolis, Acceptance::HeatBath];

fn lattice(rows: usize, columns: usize, seed: u64) -> SquareLattice {
    let mut lattice = SquareLattice::new(rows, columns, seed).unwrap();
    let mut rng = Rng(seed ^ 77);
    let spins: Vec<i8> = (0..rows * columns).map(|_| 1 - 2 * (rng.word() & 1) as i8).collect();
    lattice.set_spins(&spins).unwrap();
    lattice
}

fn spins(lattice: &SquareLattice) -> Vec<i8> {
    let mut spins = vec![0; lattice.rows() * lattice.columns()];
    lattice.spins(&mut spins).unwrap();
    spins
}

/// The spins as rows, with what a sweep depends on.
struct Plain {
    rows: usize,
    columns: usize,
    seed: u64,
    spins: Vec<i8>,
}

impl Plain {
    fn neighbours(&self, row: usize, column: usize) -> [i8; 4] {
        let (rows, columns) = (self.rows, self.columns);
        let at = |row: usize, column: usize| self.spins[row % rows * columns + column % columns];
        [at(row + rows - 1, column), at(row + 1, column), at(row, column + columns - 1), at(row, column + 1)]
    }

    /// Bit `k` of the random number of a spin at index `m` of its row, by a call for its block.
    fn bit(&self, block: usize, colour: usize, m: usize, sweep: u64, call: usize, k: usize) -> u64 {
        let counter = [block as u32, (2 * call + colour) as u32, sweep as u32, (sweep >> 32) as u32];
        let numbers = philox4x32(counter, [self.seed as u32, (self.seed >> 32) as u32]);
        let word = [1, 0, 3, 2][k % 2 * 2 + m % 64 / 32];
        u64::from(numbers[word] >> (m % 32) & 1)
    }

    /// Visits one colour. Returns the flips.
    fn visit(&mut self, rule: LatticeRule, colour: usize, sweep: u64) -> u64 {
        let words = self.columns.div_ceil(128);
        let mut flips = 0;
        for (group, m) in (0..self.rows.div_ceil(8)).flat_map(|group| (0..self.columns / 2).map(move |m| (group, m))) {
            let block = group * words + m / 64;
            let mut undecided = 0;
            for row in 8 * group..self.rows.min(8 * group + 8) {
                let column = 2 * m + (row + colour) % 2;
                let own = self.spins[row * self.columns + column];
                let differ = |&&neighbour: &&i8| (neighbour != own) != rule.is_negative;
                let unsatisfied = self.neighbours(row, column).iter().filter(differ).count();
                let first = (0..4)
                    .fold(0, |number, k| number << 1 | self.bit(block, colour, m, sweep, 2 * (row % 8) + k / 2, k));
                let flip = match unsatisfied {
                    2 => first < 8,
                    3.. if !rule.is_heat_bath => true,
                    _ => {
                        let probability = rule.probabilities[[0, 1, 2, 1, 0][unsatisfied]];
                        let number = if first == probability >> 44 {
                            undecided += 1;
                            (4..48).fold(first, |number, k| {
                                let call = 16 + 22 * (undecided - 1) + (k - 4) / 2;
                                number << 1 | self.bit(block, colour, m, sweep, call, k)
                            })
                        } else {
                            first << 44
                        };
                        (number < probability) != (unsatisfied > 2)
                    }
                };
                if flip {
                    self.spins[row * self.columns + column] = -own;
                    flips += 1;
                }
            }
        }
        flips
    }
}

#[test]
fn lattices_are_the_plain_loop_s() {
    for (round, (rows, columns)) in
        [(2, 2), (2, 4), (4, 2), (6, 62), (8, 64), (10, 126), (16, 128), (18, 130), (8, 1024), (10, 1300), (146, 130)]
            .into_iter()
            .enumerate()
    {
        for (beta, acceptance) in [0.0, 0.02, 0.3, -0.44, 0.6, -1.5, 4.0].iter().zip(ACCEPTANCES.iter().cycle()) {
            let seed = 0x1234_5678_9abc_def0 + round as u64;
            let mut lattice = lattice(rows, columns, seed);
            let mut plain = Plain { rows, columns, seed, spins: spins(&lattice) };
            // The number of a sweep has 64 bits.
            let first = [0, u64::from(u32::MAX)][round % 2];
            lattice.set_sweeps(first);
            let rule = LatticeRule::new(*beta, *acceptance).unwrap();
            for sweep in first..first + 2 {
                let flips = lattice.sweep(*beta, *acceptance, 1).unwrap();
                let expected = plain.visit(rule, 0, sweep) + plain.visit(rule, 1, sweep);
                assert_eq!(flips, expected, "{rows} x {columns}, beta {beta}, {acceptance:?}");
                assert!(spins(&lattice) == plain.spins, "{rows} x {columns}, beta {beta}, {acceptance:?}");
            }
        }
    }
}

#[test]
fn rules() {
    let rule = |beta: f64, acceptance| LatticeRule::new(beta, acceptance).unwrap();
    let unit = 2f64.powi(48);
    for beta in [-2.0f64, -0.3, 0.01, 0.44, 1.0] {
        let (metropolis, heat) = (rule(beta, Acceptance::Metropolis), rule(beta, Acceptance::HeatBath));
        for (class, bonds) in [4.0, 2.0].into_iter().enumerate() {
            let weight = (-2.0 * bonds * beta.abs()).exp();
            assert!((metropolis.probabilities[class] as f64 - unit * weight).abs() < 2.0);
            assert!((heat.probabilities[class] as f64 - unit * weight / (1.0 + weight)).abs() < 2.0);
        }
        assert_eq!((metropolis.is_negative, metropolis.is_heat_bath), (beta < 0.0, false));
        assert_eq!((heat.is_negative, heat.is_heat_bath), (beta < 0.0, true));
        assert_eq!(rule(beta, Acceptance::Auto), if beta == 0.01 { heat } else { metropolis });
    }
    assert!(rule(0.0, Acceptance::Metropolis).is_heat_bath);
    for beta in [f64::NAN, f64::INFINITY] {
        assert!(matches!(LatticeRule::new(beta, Acceptance::Auto), Err(Error::Beta { argument: "beta", .. })));
    }
}

#[test]
fn splits_are_whole_sweeps() {
    for (rows, columns, sweeps) in [(2, 2, 5), (8, 130, 4), (10, 64, 7), (40, 40, 20), (66, 300, 9)] {
        for parts in [0, 1, 2, 3, 5, 100] {
            let (mut whole, mut split) = (lattice(rows, columns, 9), lattice(rows, columns, 9));
            let flips = whole.sweep(0.4, Acceptance::Auto, sweeps).unwrap();
            let mut parts_of = split.split(0.4, Acceptance::Auto, sweeps, parts).unwrap();
            assert_eq!(parts_of.parts().len(), parts.clamp(1, rows.div_ceil(8)));
            std::thread::scope(|scope| {
                for mut part in parts_of.parts() {
                    scope.spawn(move || part.run(std::thread::yield_now));
                }
            });
            assert!(parts_of.parts().all(|part| part.is_done()));
            assert_eq!(parts_of.finish(), flips);
            assert!(spins(&whole) == spins(&split), "{rows} x {columns}, {parts} parts");
            assert_eq!(whole.sweeps(), split.sweeps());
            // What the parts leave, the end of the split does.
            let mut begun = whole.split(0.4, Acceptance::Auto, 3, parts).unwrap();
            if let Some(mut part) = begun.parts().last() {
                assert!(part.visit());
            }
            drop(begun);
            split.sweep(0.4, Acceptance::Auto, 3).unwrap();
            assert!(spins(&whole) == spins(&split));
            assert_eq!(whole.sweeps(), split.sweeps());
        }
    }
}

#[test]
fn a_part_waits_for_those_beside_it() {
    let mut lattice = lattice(24, 64, 1);
    let mut split = lattice.split(0.4, Acceptance::Metropolis, 2, 3).unwrap();
    let mut parts: Vec<_> = split.parts().collect();
    assert!(parts[0].visit());
    assert!(!parts[0].visit());
    assert!(parts[1].visit() && !parts[0].visit() && !parts[1].visit());
    assert!(parts[2].visit() && parts[0].visit() && !parts[0].visit());
}

/// Compares the sums of ranges of rows with plain loops.
fn sums_of_rows(lattice: &SquareLattice, plain: &Plain) {
    let (rows, columns) = (plain.rows, plain.columns);
    for (first, count) in [(0, rows), (0, 1), (1, 2), (rows - 1, 1), (rows, 0)] {
        let mut expected = LatticeSums::default();
        for index in first * columns..(first + count) * columns {
            let spin = i64::from(plain.spins[index]);
            if (index / columns + index % columns) % 2 == 1 {
                expected.odd += spin;
                continue;
            }
            expected.even += spin;
            let beside = plain.neighbours(index / columns, index % columns);
            expected.energy += spin * beside.into_iter().map(i64::from).sum::<i64>();
        }
        assert_eq!(lattice.sums(first, count), Ok(expected), "{rows} x {columns}: {count} from {first}");
    }
    for (first, count) in [(0, rows + 1), (rows, 1), (usize::MAX, 2)] {
        assert_eq!(lattice.sums(first, count), Err(Error::TooLarge { argument: "count" }));
    }
}

#[test]
fn saved_lattices_continue() {
    for (rows, columns) in [(4, 6), (12, 130), (10, 256)] {
        let mut lattice = lattice(rows, columns, 5);
        lattice.sweep(0.3, Acceptance::Metropolis, 3).unwrap();
        let mut words = vec![0; lattice.words_len()];
        lattice.words(&mut words).unwrap();
        let ones: u32 = words.iter().map(|word| word.count_ones()).sum();
        let mut other = SquareLattice::new(rows, columns, lattice.seed()).unwrap();
        let mut noisy = words.clone();
        if columns % 128 != 0 {
            noisy.iter_mut().skip(columns / 128).step_by(columns.div_ceil(128)).for_each(|word| *word |= 1 << 63);
        }
        other.set_words(&noisy).unwrap();
        other.set_sweeps(lattice.sweeps());
        let all = spins(&lattice);
        assert!(all == spins(&other));
        let down = all.iter().filter(|&&spin| spin < 0).count();
        assert_eq!(down, ones as usize);
        // Sums by plain loops.
        let plain = Plain { rows, columns, seed: 0, spins: all };
        let bonds = |index: usize| {
            let [_, below, _, right] = plain.neighbours(index / columns, index % columns);
            i64::from(plain.spins[index]) * (i64::from(below) + i64::from(right))
        };
        assert_eq!(lattice.energy(), (0..rows * columns).map(bonds).sum::<i64>());
        assert_eq!(lattice.magnetisation(), (rows * columns) as i64 - 2 * down as i64);
        sums_of_rows(&lattice, &plain);
        lattice.sweep(0.3, Acceptance::HeatBath, 2).unwrap();
        other.sweep(0.3, Acceptance::HeatBath, 2).unwrap();
        assert!(spins(&lattice) == spins(&other));
    }
}

/// Mean and standard error by batches.
fn estimate(values: &[f64]) -> (f64, f64) {
    let batches: Vec<f64> = values.chunks(values.len() / 64).map(|c| c.iter().sum::<f64>() / c.len() as f64).collect();
    let count = batches.len() as f64;
    let mean = batches.iter().sum::<f64>() / count;
    let variance = batches.iter().map(|batch| (batch - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, (variance / count).sqrt())
}

#[test]
fn small_lattices_have_the_energies_of_enumeration() {
    for (rows, columns) in [(4, 4), (2, 6)] {
        let sites = rows * columns;
        let mut plain = Plain { rows, columns, seed: 0, spins: vec![1; sites] };
        let mut levels = vec![];
        for state in 0..1u32 << sites {
            plain.spins = (0..sites).map(|site| 1 - 2 * (state >> site & 1) as i8).collect();
            let bonds = |site: usize| {
                let [_, below, _, right] = plain.neighbours(site / columns, site % columns);
                plain.spins[site] * (below + right)
            };
            let energy: i32 = (0..sites).map(|site| i32::from(bonds(site))).sum();
            let magnetisation: i32 = plain.spins.iter().map(|&spin| i32::from(spin)).sum();
            levels.push((f64::from(energy), f64::from(magnetisation.abs())));
        }
        for beta in [-0.3, 0.0, 0.03, 0.2, 0.4407, 0.6] {
            let mean = |of: &dyn Fn(&(f64, f64)) -> f64| {
                let weights = levels.iter().map(|level| (beta * level.0).exp());
                weights.clone().zip(&levels).map(|(weight, level)| weight * of(level)).sum::<f64>()
                    / weights.sum::<f64>()
            };
            let (energy, magnetisation) = (mean(&|level| level.0), mean(&|level| level.1));
            for acceptance in ACCEPTANCES {
                let mut lattice = lattice(rows, columns, 3);
                lattice.sweep(beta, acceptance, 100).unwrap();
                let mut samples = (vec![], vec![]);
                for _ in 0..32_768 {
                    lattice.sweep(beta, acceptance, 1).unwrap();
                    samples.0.push(lattice.energy() as f64);
                    samples.1.push(lattice.magnetisation().abs() as f64);
                }
                for (samples, expected) in [(samples.0, energy), (samples.1, magnetisation)] {
                    let (found, error) = estimate(&samples);
                    let z = (found - expected) / error;
                    assert!(z.abs() < 4.5, "{rows} x {columns}, {beta}, {acceptance:?}: {found}, not {expected}");
                }
            }
        }
    }
}

/// The infinite lattice. Correlation lengths are below 7 sites.
#[test]
fn large_lattices_have_onsager_s_energy() {
    for (beta, expected) in [(0.3, 0.704_499_071), (0.4, 1.106_079_204), (0.6, 1.909_086_178)] {
        for sign in [1.0, -1.0] {
            let (rows, columns) = (128, 1000);
            let mut lattice = SquareLattice::new(rows, columns, 11).unwrap();
            if sign < 0.0 {
                let site = |index: usize| 1 - 2 * ((index / columns + index % columns) % 2) as i8;
                lattice.set_spins(&(0..rows * columns).map(site).collect::<Vec<_>>()).unwrap();
            }
            lattice.sweep(sign * beta, Acceptance::Auto, 200).unwrap();
            let samples: Vec<f64> = (0..640)
                .map(|_| {
                    lattice.sweep(sign * beta, Acceptance::Auto, 2).unwrap();
                    sign * lattice.energy() as f64 / (rows * columns) as f64
                })
                .collect();
            let (found, error) = estimate(&samples);
            assert!((found - expected).abs() < 4.5 * error, "{beta}: {found} +- {error}, not {expected}");
        }
    }
}
