//! One temperature: its lattice and its measurements.

use hotloops::Error;
use hotloops::ising::{Acceptance, SquareLattice};

use super::arguments::Start;
use super::plan::Plan;

/// A measurement: the sum of `s s'` over the bonds, and the magnetisation, staggered for an antiferromagnet.
pub type Record = [i64; 2];

pub struct Point {
    /// Its place in --betas.
    pub index: usize,
    pub beta: f64,
    pub lattice: SquareLattice,
    /// The number of its first sweep: a random start is one, at infinite temperature.
    first: u64,
    pub series: Vec<Record>,
}

impl Point {
    pub fn new(plan: &Plan, index: usize) -> Result<Self, Error> {
        // Each temperature has its own random numbers.
        let seed = (index as u64) << 32 | u64::from(plan.seed);
        let mut lattice = SquareLattice::new(plan.size.rows, plan.size.columns, seed)?;
        match plan.start {
            Start::Random => _ = lattice.sweep(0.0, Acceptance::HeatBath, 1)?,
            Start::Ordered if plan.coupling < 0 => {
                let half = lattice.words_len() / 2;
                lattice.set_words(&[vec![0; half], vec![u64::MAX; half]].concat())?;
            }
            Start::Ordered => {}
        }
        Ok(Point { index, beta: plan.betas[index], first: lattice.sweeps(), lattice, series: Vec::new() })
    }

    /// Sweeps so far.
    pub fn sweeps(&self) -> u64 {
        self.lattice.sweeps() - self.first
    }

    /// Sets the number of sweeps so far.
    pub fn set_sweeps(&mut self, sweeps: u64) {
        self.lattice.set_sweeps(self.first + sweeps);
    }

    pub fn is_done(&self, plan: &Plan) -> bool {
        self.series.len() as u64 == plan.steps()
    }
}
