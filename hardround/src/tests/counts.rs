//! Tests of [`crate::chance`]: counts agree with the reported expectation, and searches with too
//! many cases are rejected.

use super::{FUNCTIONS, Random, no_failure};
use crate::fixed::scaled;
use crate::functions::{Cos, Exp, Log, Sin};
use crate::{Algorithm, Error, Function, Modes, Plan, Problem};

/// Deviation of the number of cases of a whole search from its expectation, in standard deviations.
fn deviations(problem: Problem) -> Option<f64> {
    let plan = no_failure(Plan::new(&problem));
    let found = (0..plan.units()).flat_map(|unit| no_failure(plan.search(unit, Algorithm::Farey)));
    let cases: Vec<u64> = found.filter(|&index| !plan.is_exact(index)).collect();
    let (found, expected) = plan.chance(&(0..plan.units()), &cases)?;
    Some((found as f64 - expected) / expected.sqrt().max(1.0))
}

fn problem(function: &'static dyn Function, from: f64, to: f64, grid: Option<i32>, bits: u16) -> Problem {
    Problem { function, from, to, grid, modes: Modes::All, within: (-1.0 - f64::from(bits)).exp2() }
}

#[test]
fn chance_is_reported_only_where_results_are_spread() {
    let mut random = Random(6);
    let mut reported = 0;
    for round in 0..28 {
        let function = FUNCTIONS[round % FUNCTIONS.len()];
        let from = 0.75 + random.below(1 << 20) as f64 / (1 << 18) as f64;
        let count = f64::from(1 << (20 + round % 3));
        let Some(z) = deviations(problem(function, from, from + count * (-40_f64).exp2(), Some(-40), 14)) else {
            continue;
        };
        assert!(z.abs() < 5.0, "{function:?} from {from}: {z}");
        reported += 1;
    }
    assert!(reported > 14, "{reported}");
    assert!(deviations(problem(&Exp, 1.0, 1.0 + scaled(1.0, -15), None, 30)).is_some_and(|z| z.abs() < 5.0));
    // Where cases come in runs, or not at all.
    let to = |from: f64, count: u64| f64::from_bits(from.to_bits() + count);
    let runs: [(&'static dyn Function, f64, u64, u16); 6] = [
        (&Log, 0.9999999999, 1_000_000, 24),
        (&Cos, scaled(1.0, -20), 1 << 28, 24),
        (&Cos, scaled(1.0, -27), 1 << 36, 36),
        (&Sin, scaled(1.0, -30), 1 << 36, 30),
        (&Exp, scaled(1.0, -38), 1 << 40, 40),
        (&Exp, 1.098612288668109, 2000, 20),
    ];
    for (function, from, count, bits) in runs {
        assert_eq!(deviations(problem(function, from, to(from, count), None, bits)), None, "{function:?} {from}");
    }
}

#[test]
fn too_many_cases_are_refused() {
    let size = |problem: &Problem| {
        let plan = no_failure(Plan::new(problem));
        plan.check_size(&(0..plan.units()))
    };
    for function in [&Sin as &'static dyn Function, &Cos] {
        let all = problem(function, scaled(1.0, -38), scaled(1.0625, -38), None, 20);
        let Err(Error::ExpectedCases { among: [_, last], parts: None, .. }) = size(&all) else { panic!() };
        assert_eq!(last.to_f64(), all.to.next_down());
        no_failure(size(&Problem { within: scaled(1.0, -31), ..all.clone() }));
        // The search of such a unit stops at the maximum.
        let plan = no_failure(Plan::new(&all));
        for algorithm in [Algorithm::Farey, Algorithm::ThreePhase] {
            assert!(matches!(plan.search(1, algorithm), Err(Error::TooManyCases { .. })));
        }
    }
    let binade = problem(&Exp, 1.0, 2.0, None, 30);
    assert!(matches!(size(&binade), Err(Error::ExpectedCases { parts: Some(8), .. })));
    no_failure(size(&Problem { within: scaled(1.0, -34), ..binade }));
}
