//! The example `bessel` against other values of J0.

#[path = "../examples/bessel.rs"]
mod bessel;

use bessel::cases;

/// Published values of J0, to 16 digits.
#[test]
fn values() {
    for (x, value) in [
        (0.5, 0.938_469_807_240_812_9),
        (2.0, 0.223_890_779_141_235_67),
        (10.0, -0.245_935_764_451_348_34),
        (30.0, -0.086_367_983_581_040_21),
    ] {
        let to = f64::from_bits(f64::to_bits(x) + 256);
        let cases = cases(x, to, 0.031).unwrap();
        assert!(cases.len() > 10, "{x}: {} cases", cases.len());
        for case in cases {
            assert!((case.nearest.to_f64() / value - 1.0).abs() < 1e-11, "{x}: {case:?}");
        }
    }
}

/// Windows on which MPFR judges every argument: next to 1, next to an extremum, at a zero, and at the end of
/// the domain.
#[cfg(feature = "mpfr")]
#[test]
fn every_argument_of_windows() {
    use hotloops_hardround::{Dyadic, Format, Modes, mpfr};
    const COUNT: u64 = 1 << 13;
    let within = f64::exp2(-7.0);
    for start in [1.0, 3.84, 2.404_825_557_695_773, 31.9_f64] {
        let [from, to] = [start.to_bits() - COUNT / 2, start.to_bits() + COUNT / 2].map(f64::from_bits);
        let found = cases(from, to, within).unwrap();
        let all = (from.to_bits()..to.to_bits()).map(|bits| Dyadic::of(f64::from_bits(bits)));
        let judged = all.map(|x| mpfr::judge_by(Format::BINARY64, Modes::All, x, |x| x.j0()));
        let expected: Vec<_> = judged.filter(|case| case.distance_ulp.abs() < within).collect();
        assert!(expected.len() > 50, "{start}: {} cases", expected.len());
        assert_eq!(found.len(), expected.len(), "{start}");
        for (ours, theirs) in found.iter().zip(&expected) {
            let same = (theirs.x, theirs.nearest, theirs.class, theirs.above);
            assert_eq!((ours.x, ours.nearest, ours.class, ours.above), same, "{start}");
        }
    }
}
