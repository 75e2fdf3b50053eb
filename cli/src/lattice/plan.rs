//! Everything that determines the results.

use hotloops::ising::{Acceptance, LatticeRule};

use super::arguments::{Arguments, Size, Start};
use crate::failure::Failure;
use crate::ising::choices::FlipRule;

pub struct Plan {
    pub size: Size,
    pub betas: Vec<f64>,
    /// J: 1 or -1.
    pub coupling: i64,
    pub start: Start,
    pub acceptance: FlipRule,
    pub sweeps: u64,
    pub every: u64,
    /// Initial sweeps that the means exclude.
    pub warm_up: u64,
    pub seed: u32,
}

impl Plan {
    pub fn new(a: &Arguments) -> Result<Self, Failure> {
        let sweeps = a.sweeps.unwrap_or(1000);
        let plan = Plan {
            size: a.size,
            betas: a.betas.clone(),
            coupling: if a.antiferromagnet { -1 } else { 1 },
            start: a.start,
            acceptance: a.acceptance,
            sweeps,
            every: a.every.unwrap_or(10),
            warm_up: a.warm_up.unwrap_or(sweeps / 5),
            seed: a.seed,
        };
        if plan.warm_up >= sweeps {
            let warm_up = plan.warm_up;
            return Err(Failure::Usage(format!(
                "--warm-up {warm_up}: no measurement of {sweeps} sweeps is left; reduce it, or increase --sweeps"
            )));
        }
        let (betas, memory) = (plan.betas.len(), memory());
        let bytes = plan.sites() as u128 / 8 * betas as u128;
        if memory.is_some_and(|memory| bytes > memory) {
            let (lattices, fewer) = if betas == 1 { ("lattice", "") } else { ("lattices", ", or fewer --betas") };
            return Err(Failure::Usage(format!(
                "SIZE: {betas} {lattices} of {} x {} spins need {} GiB, and this machine has {} GiB; choose a smaller \
                 SIZE{fewer}",
                a.size.rows,
                a.size.columns,
                bytes >> 30,
                memory.unwrap_or(0) >> 30
            )));
        }
        Ok(plan)
    }

    /// Spins of a lattice.
    pub fn sites(&self) -> u64 {
        self.size.rows as u64 * self.size.columns as u64
    }

    /// The number of measurements.
    pub fn steps(&self) -> u64 {
        self.sweeps.div_ceil(self.every)
    }

    /// Sweeps until the end of a step, which ends with a measurement.
    pub fn sweeps_after(&self, steps: u64) -> u64 {
        steps.saturating_mul(self.every).min(self.sweeps)
    }

    /// The steps before the first one that counts.
    pub fn first_counted(&self) -> u64 {
        self.warm_up / self.every
    }

    pub fn rule(&self) -> Acceptance {
        self.acceptance.into()
    }

    /// The rule at a temperature.
    pub fn acceptance_at(&self, beta: f64) -> &'static str {
        let rule = LatticeRule::new(self.exponent(beta), self.rule());
        if rule.is_ok_and(|rule| rule.is_heat_bath) { "heat-bath" } else { "metropolis" }
    }

    /// The inverse temperature times the coupling.
    pub fn exponent(&self, beta: f64) -> f64 {
        beta * self.coupling as f64
    }

    /// Names and values of what a run that continues must share.
    pub fn options(&self) -> Vec<(String, String)> {
        let betas: Vec<_> = self.betas.iter().map(f64::to_string).collect();
        let acceptance = match self.acceptance {
            FlipRule::Auto => "auto",
            FlipRule::Metropolis => "metropolis",
            FlipRule::HeatBath => "heat-bath",
        };
        let start = match self.start {
            Start::Ordered => "ordered",
            Start::Random => "random",
        };
        let all = [
            ("size", format!("{}x{}", self.size.rows, self.size.columns)),
            ("coupling", self.coupling.to_string()),
            ("betas", betas.join(",")),
            ("start", start.to_owned()),
            ("acceptance", acceptance.to_owned()),
            ("every", self.every.to_string()),
            ("seed", self.seed.to_string()),
        ];
        all.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

/// Bytes of this machine's memory, if it tells.
#[cfg(unix)]
fn memory() -> Option<u128> {
    // SAFETY: asks the system for two numbers.
    let [pages, size] = [libc::_SC_PHYS_PAGES, libc::_SC_PAGESIZE].map(|name| unsafe { libc::sysconf(name) });
    (pages > 0 && size > 0).then(|| pages as u128 * size as u128)
}

#[cfg(not(unix))]
fn memory() -> Option<u128> {
    None
}
