//! Means and errors of quantum systems against the exact sums of their Trotter slices.

use crate::support::folder;

use super::*;

const QUANTITIES: [&str; 4] = ["energy", "total_energy", "magnetisation", "transverse_magnetisation"];

struct Quantum {
    problem: Problem,
    beta: f64,
    gamma: f64,
    slices: usize,
}

type Matrix = Vec<Vec<f64>>;

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let entry = |row: &Vec<f64>, j: usize| row.iter().zip(b).map(|(x, other)| x * other[j]).sum();
    a.iter().map(|row| (0..b.len()).map(|j| entry(row, j)).collect()).collect()
}

impl Quantum {
    /// [`QUANTITIES`] by the transfer matrix between slices.
    fn exact(&self) -> [f64; 4] {
        let sites = self.problem.fields.len();
        let states = 1u32 << sites;
        let step = self.beta / self.slices as f64;
        let bond = -0.5 * (step * self.gamma).tanh().ln();
        let energies: Vec<f64> = (0..states).map(|bits| self.problem.energy(|i| spin_of(bits, i))).collect();
        let low = energies.iter().copied().fold(f64::INFINITY, f64::min);
        // Equal minus different spins of two slices.
        let aligned = |a: u32, b: u32| sites as f64 - 2.0 * f64::from((a ^ b).count_ones());
        let weight = |a: u32, b: u32| {
            (bond * (aligned(a, b) - sites as f64)
                - step * (energies[a as usize] + energies[b as usize] - 2.0 * low) / 2.0)
                .exp()
        };
        let matrix = |of: &dyn Fn(u32, u32) -> f64| -> Matrix {
            (0..states).map(|a| (0..states).map(|b| of(a, b)).collect()).collect()
        };
        let transfer = matrix(&weight);
        let rest = (2..self.slices).fold(transfer.clone(), |power, _| product(&power, &transfer));
        let trace = |m: &Matrix| (0..m.len()).map(|i| m[i][i]).sum::<f64>();
        let all = product(&rest, &transfer);
        let norm = trace(&all);
        let mean =
            |of: &dyn Fn(u32) -> f64| (0..states).map(|a| of(a) * all[a as usize][a as usize]).sum::<f64>() / norm;
        let energy = mean(&|bits| energies[bits as usize]);
        let magnetisation = mean(&|bits| (0..sites).map(|i| spin_of(bits, i)).sum::<f64>() / sites as f64);
        let aligned = trace(&product(&rest, &matrix(&|a, b| aligned(a, b) * weight(a, b)))) / norm;
        let equal = (step * self.gamma).tanh();
        let transverse = (sites as f64 + aligned) / 2.0 * equal + (sites as f64 - aligned) / 2.0 / equal;
        [energy, energy - self.gamma * transverse, magnetisation, transverse / sites as f64]
    }

    /// For each quantity, the deviations from the exact mean in errors, of the seeds that have an error.
    fn deviations(&self, path: &str, seeds: u32) -> [Vec<f64>; 4] {
        let exact = self.exact();
        let numbers = [self.slices as f64, self.beta, self.gamma].map(|value| value.to_string());
        let [slices, beta, gamma] = numbers.each_ref().map(String::as_str);
        let mut found = [const { Vec::new() }; 4];
        for seed in (1..=seeds).map(|seed| seed.to_string()) {
            let words = ["ising", path, "--method", "exchange", "--slices", slices, "--ladder", beta, "--gamma", gamma];
            let document = json(&[&words[..], &["--sweeps", "4000", "--threads", "1", "--seed", &seed]].concat());
            for (index, name) in QUANTITIES.into_iter().enumerate() {
                let mean = &document["ladder"][0][name];
                if let Some(error) = mean["error"].as_f64() {
                    found[index].push((mean["mean"].as_f64().unwrap() - exact[index]) / error);
                }
            }
        }
        found
    }
}

/// Root of the mean square.
fn spread(deviations: &[f64]) -> f64 {
    (deviations.iter().map(|z| z * z).sum::<f64>() / deviations.len() as f64).sqrt()
}

#[test]
fn errors_of_a_quantum_ring_cover_the_exact_means() {
    let couplings = (0..4).map(|i| (i, (i + 1) % 4, 1.0)).collect();
    let ring = Quantum { problem: Problem { couplings, fields: vec![0.0; 4] }, beta: 1.0, gamma: 1.0, slices: 64 };
    let path = ring.problem.write(&folder("quantum_ring").join("ring.coo"));
    let found = ring.deviations(&path, 40);
    for (name, found) in QUANTITIES.into_iter().zip(&found) {
        println!("{name}: {} errors, spread {:.3}", found.len(), spread(found));
        assert!(found.len() >= 38 && (0.8..1.2).contains(&spread(found)), "{name}: {found:?}");
    }
    assert!((0.85..1.15).contains(&spread(&found[1])), "{found:?}");
}

/// Two to five spins with random couplings, and fields in two of three models.
#[test]
fn errors_of_random_quantum_models_cover_the_exact_means() {
    let folder = folder("quantum_models");
    let mut state = 1u64;
    let mut uniform = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as f64 / 2f64.powi(31)
    };
    let mut all = [const { Vec::new() }; 4];
    for model in 0..18 {
        let sites = 2 + model % 4;
        let mut value = |scale: f64| ((uniform() + uniform() + uniform() - 1.5) * 2000.0 * scale).round() / 1000.0;
        let pairs = (0..sites).flat_map(|i| (0..i).map(move |j| (i, j)));
        let couplings = pairs.map(|(i, j)| (i, j, value(1.0))).collect();
        let fields = (0..sites).map(|_| value(if model % 3 == 0 { 0.0 } else { 0.5 })).collect();
        let pick = |of: [f64; 3], which: usize| of[which % 3];
        let system = Quantum {
            problem: Problem { couplings, fields },
            beta: pick([0.5, 1.0, 2.0], model / 3),
            gamma: pick([0.5, 1.0, 2.0], model),
            slices: [8, 16, 32, 64][model / 2 % 4],
        };
        let path = system.problem.write(&folder.join(format!("{model}.coo")));
        for (all, found) in all.iter_mut().zip(system.deviations(&path, 20)) {
            all.extend(found);
        }
    }
    for (name, found) in QUANTITIES.into_iter().zip(&all) {
        let largest = found.iter().fold(0f64, |largest, z| largest.max(z.abs()));
        println!("{name}: {} errors, spread {:.3}, largest {largest:.2}", found.len(), spread(found));
        assert!(found.len() >= 233 && (0.8..1.15).contains(&spread(found)) && largest < 4.5, "{name}: {found:?}");
    }
}

/// Where kinks are rare, a few of them decide on the transverse magnetisation and the total energy.
#[test]
fn errors_of_rare_kinks_cover_the_exact_means() {
    let folder = folder("rare_kinks");
    let triangle = vec![(0, 1, 1.0), (1, 2, -1.0), (0, 2, 1.0)];
    let chain = (0..5).map(|i| (i, i + 1, 1.0)).collect();
    // With the minimum percentage of runs that have errors of the total energy and the transverse magnetisation.
    for (index, (couplings, fields, (beta, gamma, slices), given)) in [
        (vec![], vec![0.5], (0.5, 1.0, 64), [40, 40]),
        (vec![(0, 1, 1.0)], vec![0.0; 2], (0.3, 1.5, 64), [70, 70]),
        (vec![(0, 1, 1.111)], vec![-0.901, -0.447, -0.603], (0.334, 1.755, 64), [90, 90]),
        (triangle, vec![0.0; 3], (1.0, 0.3, 32), [40, 60]),
        // So rare that runs are flagged: about 3 pairs of kinks in all measurements.
        (vec![], vec![0.5], (0.2, 0.8, 64), [0, 0]),
        // The same, but the error of the energy from its other excitations exceeds that from the kinks.
        (chain, vec![0.0; 6], (1.0, 0.1, 32), [80, 0]),
    ]
    .into_iter()
    .enumerate()
    {
        let system = Quantum { problem: Problem { couplings, fields }, beta, gamma, slices };
        let path = system.problem.write(&folder.join(format!("{index}.coo")));
        let found = system.deviations(&path, 200);
        for (name, found) in QUANTITIES.into_iter().zip(&found) {
            let largest = found.iter().fold(0f64, |largest, z| largest.max(z.abs()));
            println!("{index} {name}: {} errors, spread {:.3}, largest {largest:.2}", found.len(), spread(found));
            let covers = found.len() < 50 || (0.8..1.2).contains(&spread(found));
            assert!(covers && largest < 4.5, "{index} {name}: {found:?}");
        }
        assert!(found[1].len() >= 2 * given[0] && found[3].len() >= 2 * given[1], "{index}: {found:?}");
    }
}
