//! Sweeps of a model.

use std::hint::black_box;
use std::sync::Arc;

use hotloops::ising::Beta;
use hotloops_bench_support::levels;
use hotloops_bench_support::workload::Problem;

use crate::rows::{Row, cap};

/// Sweeps of a call.
const SWEEPS: usize = 4;

/// One model of the paper's size at the temperature where its flip rate is the paper's.
pub fn ising_rows() -> Vec<Row> {
    let problem = Arc::new(Problem::paper(1));
    let spins = problem.random_spins(1);
    let beta = Beta { space: 0.4, tau: 0.4 };
    let mut rows: Vec<Row> = Vec::new();
    for level in levels::levels(&problem) {
        for &(isa, form) in &level.rows {
            let mut model = (level.model)(&spins, 1);
            let mut call = move || {
                cap(isa);
                black_box(model.sweep(beta, SWEEPS));
            };
            (0..5).for_each(|_| call());
            rows.push((format!("{} {}_{form}", level.name, isa.word()), SWEEPS * problem.spins(), Box::new(call)));
        }
    }
    rows
}
