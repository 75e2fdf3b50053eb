//! All slices of worldlines: their energies, and the moments of their magnetisation.

use std::f64::consts::TAU;

use hotloops::Error;
use hotloops::ising::Worldlines;

use crate::coo::Couplings;

/// Goes through the kinks of all lines in the order of the slices. A kink changes one spin, so that the energy and the
/// magnetisation of each slice follow from those of the slice before.
pub struct Timeline {
    /// The links of site `i` are `links[starts[i]..starts[i + 1]]`.
    starts: Vec<usize>,
    links: Vec<(u32, f64)>,
    fields: Vec<f64>,
    kinks: Vec<(u32, u32)>,
    spins: Vec<i8>,
}

/// A slice of lowest energy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lowest {
    pub energy: f64,
    pub slice: usize,
}

/// Means over the slices, with `m` the magnetisation of a slice per site.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    /// Mean of `m`.
    pub mean: f64,
    /// Mean of `|m|`, of `m^2` and of `m^4`.
    pub absolute: f64,
    pub square: f64,
    pub fourth: f64,
    /// The square of the magnitude of the mean of `m exp(2 pi i t / L)`.
    pub wave: f64,
}

impl Timeline {
    pub fn new(problem: &Couplings) -> Self {
        let sites = problem.fields.len();
        let mut starts = vec![0; sites + 1];
        problem.couplings.iter().for_each(|&(i, j, _)| [i, j].iter().for_each(|&end| starts[end as usize + 1] += 1));
        (0..sites).for_each(|site| starts[site + 1] += starts[site]);
        let (mut next, mut links) = (starts.clone(), vec![(0, 0.0); starts[sites]]);
        for &(i, j, coupling) in &problem.couplings {
            for (site, other) in [(i, j), (j, i)] {
                links[next[site as usize]] = (other, coupling);
                next[site as usize] += 1;
            }
        }
        Timeline { starts, links, fields: problem.fields.clone(), kinks: Vec::new(), spins: vec![1; sites] }
    }

    /// Reads lines; the other functions are about these.
    pub fn read(&mut self, lines: &Worldlines) -> Result<(), Error> {
        lines.kinks_in_order(&mut self.kinks)?;
        lines.spins(0, &mut self.spins)
    }

    fn local_field(&self, site: usize, spins: &[i8]) -> f64 {
        let links = &self.links[self.starts[site]..self.starts[site + 1]];
        links
            .iter()
            .fold(self.fields[site], |sum, &(other, coupling)| sum + coupling * f64::from(spins[other as usize]))
    }

    /// The first slice of lowest energy, of lines with this number of slices. The energy may differ from its exact sum
    /// by rounding.
    pub fn lowest(&self, slices: usize) -> Lowest {
        let mut spins = self.spins.clone();
        let of_site = |(site, &spin): (usize, &i8)| {
            f64::from(spin) * (self.local_field(site, &self.spins) + self.fields[site]) / 2.0
        };
        let mut energy = -self.spins.iter().enumerate().map(of_site).sum::<f64>();
        let mut lowest = Lowest { energy, slice: 0 };
        for kinks in self.kinks.chunk_by(|a, b| a.0 == b.0) {
            for &(_, site) in kinks {
                let site = site as usize;
                energy += 2.0 * f64::from(spins[site]) * self.local_field(site, &spins);
                spins[site] = -spins[site];
            }
            let slice = kinks[0].0 as usize + 1;
            if energy < lowest.energy && slice < slices {
                lowest = Lowest { energy, slice };
            }
        }
        lowest
    }

    /// The moments of lines with this number of slices.
    pub fn moments(&self, slices: usize) -> Moments {
        let sites = self.spins.len() as f64;
        let mut spins = self.spins.clone();
        let mut sum = spins.iter().map(|&spin| i64::from(spin)).sum::<i64>();
        let mut moments = Moments::default();
        let mut wave = [0.0; 2];
        let mut from = 0;
        let step = TAU / slices as f64;
        let mut add = |from: u32, end: usize, sum: i64| {
            let (m, weight) = (sum as f64 / sites, (end - from as usize) as f64 / slices as f64);
            moments.mean += weight * m;
            moments.absolute += weight * m.abs();
            moments.square += weight * m * m;
            moments.fourth += weight * m * m * m * m;
        };
        for kinks in self.kinks.chunk_by(|a, b| a.0 == b.0) {
            let end = kinks[0].0 + 1;
            add(from, end as usize, sum);
            from = end;
            let before = sum;
            for &(_, site) in kinks {
                let spin = &mut spins[site as usize];
                sum -= 2 * i64::from(*spin);
                *spin = -*spin;
            }
            // Summation by parts: only changes of m count.
            let (sin, cos) = (step * f64::from(end)).sin_cos();
            wave[0] += (before - sum) as f64 * cos;
            wave[1] += (before - sum) as f64 * sin;
        }
        add(from, slices, sum);
        // The sum of exp(i step t) over slices below `t` is (exp(i step t) - 1) / (exp(i step) - 1).
        let divisor = 2.0 * (step / 2.0).sin() * slices as f64 * sites;
        moments.wave = (wave[0] * wave[0] + wave[1] * wave[1]) / (divisor * divisor);
        moments
    }
}

#[cfg(test)]
mod tests {
    use hotloops::ising::{LayeredIsing, Transverse};
    use hotloops::random::Mt19937;

    use super::*;

    #[test]
    fn energies_and_moments_are_sums_over_all_slices() {
        let couplings = (0..9).map(|i| (i, (i + 1) % 9, if i == 4 { -0.5 } else { 1.25 }));
        let fields: Vec<f64> = (0..9).map(|i| f64::from(i) / 8.0 - 0.5).collect();
        let problem = Couplings { couplings: couplings.clone().collect(), fields: fields.clone() };
        let of_builder = couplings.map(|(i, j, coupling)| (i as usize, j as usize, coupling));
        let builder = LayeredIsing::builder(60, 9).couplings(of_builder).fields(&fields);
        let mut lines = builder.build_worldlines().unwrap();
        let mut random = Mt19937::seeded(16, 3).unwrap();
        let mut timeline = Timeline::new(&problem);
        for gamma in [0.0, 0.3, 1.0, 4.0, 100.0] {
            lines.sweep(&mut random, Transverse { beta: 2.0, gamma }, 5).unwrap();
            timeline.read(&lines).unwrap();
            let (mut spins, mut energies, mut expected, mut wave) =
                ([0i8; 9], Vec::new(), Moments::default(), [0.0; 2]);
            for slice in 0..60 {
                lines.spins(slice, &mut spins).unwrap();
                let spin = |site: u32| f64::from(spins[site as usize]);
                let pairs = problem.couplings.iter().map(|&(i, j, value)| value * spin(i) * spin(j)).sum::<f64>();
                energies.push(-pairs - (0..9).map(|site| fields[site as usize] * spin(site)).sum::<f64>());
                let m = (0..9).map(spin).sum::<f64>() / 9.0;
                let angle = TAU * slice as f64 / 60.0;
                wave = [wave[0] + m * angle.cos() / 60.0, wave[1] + m * angle.sin() / 60.0];
                expected.mean += m / 60.0;
                expected.absolute += m.abs() / 60.0;
                expected.square += m * m / 60.0;
                expected.fourth += m.powi(4) / 60.0;
            }
            expected.wave = wave[0].powi(2) + wave[1].powi(2);
            let min = energies.iter().copied().fold(f64::INFINITY, f64::min);
            let lowest = timeline.lowest(60);
            assert!((lowest.energy - min).abs() < 1e-12 && (energies[lowest.slice] - min).abs() < 1e-12, "{gamma}");
            let found = timeline.moments(60);
            for (found, expected) in [
                (found.mean, expected.mean),
                (found.absolute, expected.absolute),
                (found.square, expected.square),
                (found.fourth, expected.fourth),
                (found.wave, expected.wave),
            ] {
                assert!((found - expected).abs() < 1e-12, "{gamma}: {found}, {expected}");
            }
        }
    }
}
