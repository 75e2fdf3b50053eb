//! Tests of [`crate::chance`]: counts agree with the reported expectation, and searches with too
//! many cases are rejected.

use super::{FUNCTIONS, Random, found, no_failure};
use crate::fixed::scaled;
use crate::functions::{Atanpi, Cos, Erf, Exp, Log, Sin};
use crate::{Algorithm, Error, Format, Found, Function, Modes, Problem, SearchPlan};

/// Deviation of the number of cases of a whole search from its expectation, in standard deviations.
fn deviations(problem: Problem) -> Option<f64> {
    let plan = no_failure(SearchPlan::new(&problem));
    let cases = found(&plan, Algorithm::Farey).0.cases;
    let (found, expected) = plan.chance(&(0..plan.units()), &cases)?;
    Some((found as f64 - expected) / expected.sqrt().max(1.0))
}

fn problem(function: &'static dyn Function, from: f64, to: f64, grid: Option<i32>, bits: u16) -> Problem<'static> {
    Problem {
        function,
        format: Format::BINARY64,
        from,
        to,
        grid,
        modes: Modes::All,
        within: (-1.0 - f64::from(bits)).exp2(),
    }
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
        let plan = no_failure(SearchPlan::new(problem));
        plan.check_size(&(0..plan.units()))
    };
    let binade = problem(&Exp, 1.0, 2.0, None, 30);
    assert!(matches!(size(&binade), Err(Error::ExpectedCases { parts: Some(8), .. })));
    no_failure(size(&Problem { within: scaled(1.0, -34), ..binade }));
}

/// Where nearly every argument is a case, a run is one value; the estimate does not count its cases.
#[test]
fn runs_are_streams() {
    for function in [&Sin as &'static dyn Function, &Cos] {
        let all = problem(function, scaled(1.0, -38), scaled(1.0625, -38), None, 20);
        let plan = no_failure(SearchPlan::new(&all));
        no_failure(plan.check_size(&(0..plan.units())));
        let mut some = Found::default();
        let last = plan.units() - 1;
        for unit in [1, 2, 3, 99, last] {
            no_failure(some.extend(&no_failure(plan.search_checked(&(0..plan.units()), unit, Algorithm::Farey))));
        }
        some.sort(|index| plan.begins_segment(index));
        assert_eq!(some.streams, [1..4, 99..100, last..last + 1].map(|units| plan.range(&units)), "{function:?}");
        assert_eq!((some.cases.len(), some.exact_count), (0, 0));
    }
    // Breakpoints are 2^44 arguments apart, and samples must not be multiples of that.
    let plan = no_failure(SearchPlan::new(&problem(&Exp, scaled(1.0, -49), scaled(1.0, -48), None, 44)));
    no_failure(plan.check_size(&(0..plan.units())));
    assert!(plan.expected(&(0..plan.units())) < 1e5);
    // Here breakpoints are as far apart as the binade is long: all cases are in its first unit.
    let plan = no_failure(SearchPlan::new(&problem(&Exp, -scaled(1.0, -54), -scaled(1.0, -55), None, 44)));
    no_failure(plan.check_size(&(0..plan.units())));
    let expected = plan.expected(&(0..plan.units()));
    assert!((256.0..2048.0).contains(&expected), "{expected}");
    // A run ends at cases that are at the bound.
    let cosine = problem(&Cos, scaled(1.0, -20), scaled(1.0 + scaled(1.0, -24), -20), None, 24);
    let plan = no_failure(SearchPlan::new(&cosine));
    let (runs, _) = found(&plan, Algorithm::Farey);
    for stream in &runs.streams {
        for index in [stream.start, stream.end - 1] {
            assert!(no_failure(plan.is_found(index)));
        }
        for index in [stream.start.wrapping_sub(1), stream.end].into_iter().filter(|&index| index < 1 << 28) {
            assert!(!no_failure(plan.is_found(index)), "{stream:?}");
        }
    }
}

/// The enclosure of the slope over each of these binades has no sign, or there is none; those over its parts have one.
#[test]
fn a_binade_is_a_stream() {
    let within = f64::exp2(-28.0);
    for (function, e) in [(&Sin as &'static dyn Function, -26.0), (&Atanpi, 60.0), (&Atanpi, 127.0)] {
        let (format, from, to) = (Format::BINARY32, f64::exp2(e), 2.0 * f64::exp2(e));
        let problem = Problem { function, format, from, to, grid: None, modes: Modes::All, within };
        let plan = SearchPlan::new(&problem).unwrap();
        let mut found = Found::default();
        for unit in 0..plan.units() {
            found.extend(&plan.search_checked(&(0..plan.units()), unit, Algorithm::Dual).unwrap()).unwrap();
        }
        assert_eq!((found.count(), found.streams.len()), (1 << 23, 1), "{function:?}: {found:?}");
    }
}

/// Close to 1, erf is so nearly constant that its last arguments are all cases, and no others.
#[test]
fn the_end_of_a_range_is_a_stream() {
    let (format, within) = (Format::BINARY32, f64::exp2(-28.0));
    for [from, to] in [[5.0, 6.0], [4.0, 6.0], [-6.0, -4.0]] {
        let problem = Problem { function: &Erf, format, from, to, grid: None, modes: Modes::All, within };
        let plan = no_failure(SearchPlan::new(&problem));
        let found = no_failure(plan.search(0, Algorithm::Dual));
        let count = found.count();
        let edge = if from > 0.0 { plan.range(&(0..1)).end - count } else { count };
        assert_eq!((plan.units(), found.streams.len(), found.cases.len()), (1, 1, 0), "{from}");
        assert!(no_failure(plan.is_found(edge)) != no_failure(plan.is_found(edge - 1)), "{from}: {edge}");
    }
}

/// All subnormal numbers and those of the first binade, of both signs.
#[test]
fn arguments_around_zero_are_streams() {
    let (format, to, within) = (Format::BINARY32, f64::exp2(-125.0), f64::exp2(-28.0));
    let problem = Problem { function: &Cos, format, from: -to, to, grid: None, modes: Modes::All, within };
    let plan = SearchPlan::new(&problem).unwrap();
    let mut found = Found::default();
    for unit in 0..plan.units() {
        no_failure(found.extend(&no_failure(plan.search(unit, Algorithm::Dual))));
    }
    // -to is a case, 0 is exact.
    assert_eq!((found.count(), found.exact_count), ((1 << 25) - 1, 1));
}
