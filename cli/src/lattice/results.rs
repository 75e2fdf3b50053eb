//! Means at each temperature.

use serde::Serialize;

use super::plan::Plan;
use super::point::{Point, Record};
use crate::ising::mean::Mean;
use crate::ising::statistics::{Doubt, Estimate, of_series};

/// Maximum number of blocks of time.
const MAX_BLOCKS: usize = 128;

/// One temperature.
#[derive(Serialize)]
pub struct Row {
    pub beta: f64,
    /// `metropolis` or `heat-bath`.
    pub acceptance: &'static str,
    pub energy_per_spin: Mean,
    pub absolute_magnetisation: Mean,
    pub heat_capacity: Mean,
    pub susceptibility: Mean,
    pub binder_cumulant: Mean,
}

impl Row {
    /// The names of the means.
    pub const NAMES: [&str; 5] =
        ["energy_per_spin", "absolute_magnetisation", "heat_capacity", "susceptibility", "binder_cumulant"];

    pub fn means(&self) -> [&Mean; 5] {
        [
            &self.energy_per_spin,
            &self.absolute_magnetisation,
            &self.heat_capacity,
            &self.susceptibility,
            &self.binder_cumulant,
        ]
    }
}

pub fn rows(plan: &Plan, points: &[Point]) -> Vec<Row> {
    points.iter().map(|point| row(plan, point.beta, &point.series[plan.first_counted() as usize..])).collect()
}

fn row(plan: &Plan, beta: f64, records: &[Record]) -> Row {
    let sites = plan.sites() as f64;
    let energies: Vec<f64> = records.iter().map(|record| (-plan.coupling * record[0]) as f64 / sites).collect();
    let magnetisations: Vec<f64> = records.iter().map(|record| record[1].unsigned_abs() as f64 / sites).collect();
    let [energy, magnetisation] = [&energies, &magnetisations].map(|series| of_series(series));
    // The error of the mean within a square is of second order.
    let fluctuation = |series: &[f64], mean: f64, scale: f64| {
        of_blocks(&series.iter().map(|value| scale * (value - mean).powi(2)).collect::<Vec<_>>())
    };
    let heat = fluctuation(&energies, energy.mean, beta * beta * sites);
    let susceptibility = fluctuation(&magnetisations, magnetisation.mean, beta * sites);
    let mean = |estimate| Mean::new(estimate, (1.0, 0.0), plan.every);
    Row {
        beta,
        acceptance: plan.acceptance_at(beta),
        heat_capacity: mean(doubted(heat, energy)),
        susceptibility: mean(doubted(susceptibility, magnetisation)),
        binder_cumulant: mean(doubted(of_blocks(&binder(&magnetisations)), magnetisation)),
        energy_per_spin: mean(energy),
        absolute_magnetisation: mean(magnetisation),
    }
}

/// The mean of powers, whose distribution has a long tail that is shorter for the means of blocks.
fn of_blocks(series: &[f64]) -> Estimate {
    let length = series.len().div_ceil(MAX_BLOCKS);
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let found = of_series(&series.chunks_exact(length).map(mean).collect::<Vec<_>>());
    Estimate { mean: mean(series), time: found.time * length as f64, ..found }
}

/// The cumulant, to first order in the deviations of each measurement's second and fourth power.
fn binder(magnetisations: &[f64]) -> Vec<f64> {
    let mean = |power: i32| magnetisations.iter().map(|m| m.powi(power)).sum::<f64>() / magnetisations.len() as f64;
    let (second, fourth) = (mean(2), mean(4));
    let of = |m: &f64| {
        let (m2, m4) = (m.powi(2), m.powi(4));
        1.0 - (m4 - 2.0 * fourth / second * (m2 - second)) / (3.0 * second * second)
    };
    magnetisations.iter().map(of).collect()
}

/// Fluctuations of a quantity that has not converged have no errors.
fn doubted(estimate: Estimate, of: Estimate) -> Estimate {
    match of.error {
        Err(doubt) if doubt != Doubt::Constant => Estimate { error: Err(doubt), ..estimate },
        _ => estimate,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_linear_cumulant_has_the_mean_of_the_cumulant() {
        let values: Vec<f64> = (1..40).map(|i| f64::from(i * i % 17) / 16.0).collect();
        let mean = |power: i32| values.iter().map(|m| m.powi(power)).sum::<f64>() / values.len() as f64;
        let found = binder(&values).iter().sum::<f64>() / values.len() as f64;
        assert!((found - (1.0 - mean(4) / (3.0 * mean(2) * mean(2)))).abs() < 1e-12);
        // A change of one value changes the mean of the series as it changes the cumulant.
        let mut moved = values.clone();
        moved[7] += 1e-4;
        let moment = |values: &[f64], power: i32| values.iter().map(|m| m.powi(power)).sum::<f64>() / 39.0;
        let cumulant = |values: &[f64]| 1.0 - moment(values, 4) / (3.0 * moment(values, 2) * moment(values, 2));
        let (second, fourth) = (mean(2), mean(4));
        let linear = |m: f64| -(m.powi(4) - 2.0 * fourth / second * m * m) / (3.0 * second * second);
        let expected = (linear(moved[7]) - linear(values[7])) / 39.0;
        assert!((cumulant(&moved) - cumulant(&values) - expected).abs() < 1e-9);
    }
}
