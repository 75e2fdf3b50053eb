//! Values, polynomials and segments.

use super::*;
use crate::ball::Ball;
use crate::function::{exponent, point};
use crate::plan::{Problem, SearchPlan};

#[test]
fn values_are_within_the_error() {
    fn check<const N: usize>(function: &dyn Function, x: Dyadic, f: Ball<N>) {
        let (m, e, r) = f.parts();
        let far = (from_fixed(m, e) - value_in(64 * N + 64, function, x)) << (Fixed::<N>::BITS - e) as isize;
        let far = to_f64(&far).abs();
        assert!(far <= r && scaled(r, e.min(0)) < 1e9, "{function:?} {x}: {far} units, {r}");
    }
    let mut random = Random(1);
    for segment in all_segments(Modes::All).into_iter().step_by(3) {
        let x = segment.argument(random.below(segment.count));
        check(segment.function, x, segment.function.jet5(&point(x)).value());
        check(segment.function, x, segment.function.jet9(&point(x)).value());
    }
    for (function, x) in FUNCTIONS.into_iter().zip([700.1, -1000.3, 299.9, 1e-300, 1e300, -2047.3, 2047.6]) {
        let x = Dyadic::of(x);
        check(function, x, function.jet5(&point(x)).value());
        check(function, x, function.jet9(&point(x)).value());
        check(function, x, function.jet17(&point(x)).value());
    }
}

#[test]
fn polynomials_are_within_their_bound() {
    let mut random = Random(2);
    for modes in [Modes::All, Modes::Nearest, Modes::Directed] {
        let segments = all_segments(modes);
        let few = segments.iter().filter(|segment| segment.count > 1 << 40);
        for segment in few.chain(segments.iter().step_by(16)) {
            let bits = 20 + random.below(17);
            let reach = 1 << bits;
            let at = random.below(segment.count);
            let (coefficients, bound) = segment.taylor(at, reach);
            let first = at.saturating_sub(reach);
            let count = at.saturating_add(reach).min(segment.count - 1) - first + 1;
            let offsets = [first, first + count - 1, first + random.below(count), at];
            for k in offsets {
                let offset = rounded(&big(Dyadic { m: i128::from(k) - i128::from(at), e: 0 }));
                let polynomial = coefficients
                    .iter()
                    .rev()
                    .fold(rounded(&Big::from(0)), |sum, words| sum * offset.clone() + from_words(words, -256));
                let f = value(segment.function, segment.argument(k)) << segment.unit as isize;
                let half = if modes == Modes::Nearest { 1 } else { 0 };
                let difference = polynomial - f - rounded(&big(Dyadic { m: half, e: -1 }));
                let far = to_f64(&(difference.clone() - difference.round())).abs();
                assert!(far <= bound, "{segment:?} {at} {k}: {far:e} beyond {bound:e}");
            }
            if bits <= 33 && segment.count > 1 << 40 && segment.e <= -52 {
                assert!(bound < scaled(1.0, -58), "{segment:?} reach 2^{bits}: {bound:e}");
            }
        }
    }
}

#[test]
fn bounds_are_not_loose() {
    let [segment, ..] = no_failure(segments(&Exp, Modes::All, 1.0, 2.0, None))[..] else { panic!() };
    let reach = 1 << 33;
    let (coefficients, bound) = segment.taylor(1 << 40, reach);
    assert_eq!(coefficients.len(), 6);
    assert_eq!(segment.taylor(1 << 40, 1 << 35).0.len(), 7);
    assert!(bound > scaled(1.0, -75) && bound < scaled(1.0, -62), "{bound:e}");
    assert_eq!(reach_for(&segment, scaled(1.0, -60), 40), 1 << 34);
    let [far] = no_failure(segments(&Exp, Modes::All, 600.0, 600.1, None))[..] else { panic!() };
    let reach = reach_for(&far, scaled(1.0, -60), 40);
    assert_eq!(reach, 1 << 28);
    assert!(far.taylor(far.count / 2, reach).1 <= scaled(1.0, -60));
}

#[test]
fn segments_partition_the_interval() {
    for modes in [Modes::All, Modes::Directed] {
        for (function, from, to, grid) in intervals() {
            let segments = no_failure(segments(function, modes, from, to, grid));
            let ordinal = |x: f64| (x.abs().to_bits() as i64) * if x < 0.0 { -1 } else { 1 };
            let all = match grid {
                None => ordinal(to).abs_diff(ordinal(from)),
                Some(e) => (scaled(to, -e).ceil() - scaled(from, -e).ceil()) as u64,
            };
            let mut next = 0;
            let mut last_x: Option<Dyadic> = None;
            for segment in &segments {
                assert_eq!(segment.first, next, "{segment:?}");
                assert!(segment.count > 0);
                next += segment.count;
                let (first, last) = (segment.argument(0), segment.argument(segment.count - 1));
                match (grid, last_x) {
                    (None, Some(x)) => assert_eq!(first.to_f64(), x.to_f64().next_up(), "{segment:?}"),
                    (Some(_), Some(x)) => assert_eq!((first.m, first.e), (x.m + 1, x.e)),
                    (Some(e), None) => assert_eq!(first.m, scaled(from, -e).ceil() as i128),
                    (None, None) => assert_eq!(first.to_f64(), from),
                }
                if grid.is_none() {
                    for x in [first, last] {
                        assert_eq!(Dyadic::of(x.to_f64()), x, "{segment:?}");
                    }
                }
                last_x = Some(last);
                let offset = if modes == Modes::All { 53 } else { 52 };
                if function.exact(first).is_none_or(|exact| exact.m != 0) {
                    for x in [first, last] {
                        assert_eq!(exponent(function, x), Ok(Some(offset - segment.unit)), "{segment:?}");
                    }
                }
            }
            assert_eq!(next, all, "{function:?} {from} {to}");
        }
    }
}

#[test]
fn exp_is_cut_at_the_logarithm_of_4() {
    let segments = no_failure(segments(&Exp, Modes::All, 1.0, 2.0, None));
    assert_eq!(segments.len(), 2);
    let (last, first) = (segments[0].argument(segments[0].count - 1), segments[1].argument(0));
    let four = Big::from(4);
    assert!(value(&Exp, last) < four && value(&Exp, first) > four);
    assert_eq!(segments.iter().map(|segment| segment.count).sum::<u64>(), 1 << 52);
    assert_eq!(segments.iter().map(|segment| segment.unit).collect::<Vec<_>>(), [52, 51]);
}

#[test]
fn sines_are_cut_at_pi_and_not_at_the_maximum() {
    let segments = no_failure(segments(&Sin, Modes::All, 1.0, 4.0, None));
    let below = std::f64::consts::PI;
    let place = segments.iter().position(|segment| segment.argument(0).to_f64() > below).unwrap();
    assert_eq!(segments[place - 1].argument(segments[place - 1].count - 1).to_f64(), below);
    let holds = |x: f64| segments.iter().find(|segment| segment.argument(segment.count - 1).to_f64() >= x).unwrap();
    assert_eq!(holds(1.5), holds(1.6));
}

/// Some of these are nearly 2^64 steps from the first argument of the third segment.
#[test]
fn other_arguments_have_no_number() {
    let [from, to] = [-44.0, -41.0].map(f64::exp2);
    let plan = SearchPlan::new(&Problem {
        function: &Exp,
        format: Format::BINARY64,
        from,
        to,
        grid: None,
        modes: Modes::All,
        within: 1e-14,
    })
    .unwrap();
    assert_eq!(plan.segments.len(), 3);
    for x in [f64::MAX, 1.0, f64::exp2(-30.0), f64::exp2(-30.0).next_down(), f64::exp2(-45.0), 0.0, -1.0] {
        assert_eq!(plan.index(Dyadic::of(x)), None, "{x:e}");
    }
    for (power, index) in [(-44, 0), (-43, 1 << 52), (-42, 2 << 52)] {
        assert_eq!(plan.index(Dyadic::of(f64::exp2(power.into()))), Some(index));
    }
}
