//! Cases and their judgements, refused intervals.

use super::*;

fn judged(function: &'static dyn Function, modes: Modes, x: f64) -> Judged {
    no_failure(no_failure(segments(function, modes, x, x.next_up(), None))[0].judge(0))
}

/// The hardest arguments of binades of exp, from the list of CORE-MATH.
#[test]
fn published_cases() {
    use Class::*;
    for (m, e, bits, class, above) in [
        (0x15a75293a5dcda, -6, 52.233, Midpoint, true),
        (0x18ae823850230b, -5, 53.779, Midpoint, false),
        (0x146370d915991b, -4, 53.145, Representable, true),
        (0x1f6e4c3ced7c72, -3, 53.523, Representable, true),
        (0x11a0408712e00a, -2, 52.455, Representable, true),
        (0x1accfbe46b4ef0, -1, 54.611, Midpoint, false),
        (0x1aca7ae8da5a7b, 0, 53.992, Midpoint, true),
    ] {
        let x = Dyadic { m, e: e - 52 }.to_f64();
        let case = judged(&Exp, Modes::All, x);
        assert!((case.bits_after_round - bits).abs() < 0.0006, "{case:?}");
        assert_eq!((case.class, case.above, case.exact), (class, above, false), "{case:?}");
        assert!((case.nearest.to_f64() / x.exp() - 1.0).abs() < 1e-15);
        let modes = if class == Midpoint { Modes::Nearest } else { Modes::Directed };
        assert_eq!(judged(&Exp, modes, x), case);
    }
    let case = judged(&Exp, Modes::All, f64::from_bits(0x3ff0_0089_b832_fd81));
    assert_eq!(case.x.to_string(), "0x1.00089b832fd81p+0");
    assert_eq!(case.class, Class::Midpoint);
    assert!((2.0 * case.distance_ulp - 2.91241e-13).abs() < 1e-18, "{case:?}");
    let grid = no_failure(segments(&Exp, Modes::Directed, 1.0, 1.0 + scaled(1.0, -13), Some(-53)));
    let case = no_failure(grid[0].judge(219_157_413_985));
    assert!((case.bits_after_round - 44.492).abs() < 0.0006, "{case:?}");
    for k in [5_325_184_606, 9_613_778_543, 19_882_855_748, 1_093_427_726_679, 1_096_126_232_926] {
        let case = no_failure(grid[0].judge(k));
        assert!(case.distance_ulp.abs() < scaled(1.0, -33), "{case:?}");
    }
    let doubles = no_failure(segments(&Exp, Modes::All, 1.0, 1.0 + scaled(1.0, -12), None));
    for (k, bits, class) in [(528_080_142_543, 39.352, Midpoint), (221_974_797_241, 38.763, Representable)] {
        let case = no_failure(doubles[0].judge(k));
        assert!((case.bits_after_round - bits).abs() < 0.0006 && case.class == class, "{case:?}");
    }
}

#[test]
fn blocks_of_the_library_agree_with_judgements() {
    let mut random = Random(4);
    for modes in [Modes::All, Modes::Nearest, Modes::Directed] {
        for segment in all_segments(modes).iter().filter(|segment| segment.count > 1 << 40) {
            let reach = reach_for(segment, scaled(1.0, -58), 33);
            let at = reach + random.below(segment.count - 2 * reach);
            let (taylor, _) = segment.taylor(at, reach);
            let log2_length = reach.ilog2().min(20) - 1;
            let series = hotloops::hardround::Series::new(&taylor, log2_length).unwrap();
            let blocks = reach >> log2_length;
            let j = random.below(2 * blocks) as i64 - blocks as i64;
            let x = random.below(1 << log2_length);
            let fraction = scaled(series.block(j).at(x) as i128 as f64, -128);
            let k = at.wrapping_add_signed((j << log2_length) + x as i64);
            let units = no_failure(segment.judge(k)).distance_ulp * if modes == Modes::All { 2.0 } else { 1.0 };
            let far = fraction - units;
            assert!((far - far.round()).abs() < scaled(1.0, -40), "{segment:?} {k}: {fraction} {units}");
        }
    }
}

/// Searches 2^`log2` arguments of each interval under each instruction set and in domains of
/// several sizes. The cases must equal those of judging every argument. Returns their number.
fn windows(log2: u32, bound: f64) -> usize {
    use hotloops::hardround;
    use hotloops::isa::{self, Isa};
    let usable: Vec<_> = Isa::ALL.iter().copied().filter(|&isa| isa::usable(isa)).collect();
    let cap = isa::active();
    let mut random = Random(5);
    let mut cases = 0;
    for (function, from, to, grid) in intervals() {
        let segments = no_failure(segments(function, Modes::All, from, to, grid));
        let segment = segments.iter().max_by_key(|segment| segment.count).unwrap();
        let n = 1 << log2;
        let at = n + random.below(segment.count - 2 * n);
        let is_case = |k: u64| no_failure(segment.judge(k)).distance_ulp.abs() < bound;
        let expected: Vec<_> = (at..at + n).filter(|&k| is_case(k)).collect();
        cases += expected.len();

        let (taylor, truncation) = segment.taylor(at, n);
        let series = hardround::Series::new(&taylor, log2).unwrap();
        // Breakpoints are half an ulp apart.
        let within = (2.0 * bound + truncation + series.error(1)) * 1.000_001;
        for &isa in &usable {
            isa::set(isa).unwrap();
            for domain in [None, Some(32), Some(50), Some(300)] {
                let scan = hardround::Scan::new(scaled(within, 64) as u64).unwrap();
                let mut scan = domain.into_iter().fold(scan, hardround::Scan::domain);
                let mut found = Vec::new();
                scan.block(&series.block(0), n, |x| found.push(at + x)).unwrap();
                assert!(found.len() <= 2 * expected.len() + 10, "{} of {segment:?}", found.len());
                found.retain(|&k| is_case(k));
                assert_eq!(found, expected, "{segment:?}, {isa:?}, domains of {domain:?}");
            }
        }
    }
    isa::set(cap).unwrap();
    cases
}

#[test]
fn windows_are_complete() {
    let cases = windows(13, scaled(1.0, -13));
    assert!(cases > 50, "{cases}");
}

#[test]
#[ignore = "judges 25 million arguments: two minutes"]
fn large_windows_are_complete() {
    let cases = windows(20, scaled(1.0, -16));
    println!("{cases} cases");
}

#[test]
fn judgements_are_right() {
    let mut random = Random(3);
    for modes in [Modes::All, Modes::Nearest, Modes::Directed] {
        for segment in all_segments(modes).iter().step_by(5) {
            let k = random.below(segment.count);
            let case = no_failure(segment.judge(k));
            if segment.function.exact(case.x).is_some() {
                continue;
            }
            let f = value(segment.function, case.x);
            let units = f.clone() << segment.unit as isize;
            let half = rounded(&big(Dyadic { m: 1, e: -1 }));
            let shifted = if modes == Modes::Nearest { units - half } else { units };
            let distance = to_f64(&(shifted.clone() - shifted.round()));
            let ulps = if modes == Modes::All { distance / 2.0 } else { distance };
            assert!((case.distance_ulp / ulps - 1.0).abs() < 1e-15, "{case:?} {ulps}");
            assert_eq!(case.nearest.to_f64(), to_f64(&f), "{case:?}");
            assert_eq!(case.above, distance > 0.0);
        }
    }
}

#[test]
fn exact_cases() {
    let exact: [(&'static dyn Function, f64, f64); 8] = [
        (&Exp2, 10.0, 1024.0),
        (&Exp2, -1022.0, f64::MIN_POSITIVE),
        (&Exp10, 1.0, 10.0),
        (&Exp10, 22.0, 1e22),
        (&Log, 1.0, 0.0),
        (&Log2, 1.0, 0.0),
        (&Log2, 0.125, -3.0),
        (&Log2, scaled(1.0, 1000), 1000.0),
    ];
    for (function, x, nearest) in exact {
        for modes in [Modes::All, Modes::Directed] {
            let case = judged(function, modes, x);
            assert!(case.exact && case.distance_ulp == 0.0 && case.bits_after_round == f64::INFINITY, "{case:?}");
            assert_eq!((case.nearest.to_f64(), case.class), (nearest, Class::Representable), "{case:?}");
        }
        let case = judged(function, Modes::Nearest, x);
        assert_eq!((case.exact, case.distance_ulp.abs(), case.nearest.to_f64()), (false, 0.5, nearest), "{case:?}");
    }
    for modes in [Modes::All, Modes::Nearest] {
        let case = judged(&Exp10, modes, 23.0);
        assert_eq!((case.exact, case.class, case.nearest.to_f64()), (true, Class::Midpoint, 1e23), "{case:?}");
    }
    assert_eq!(judged(&Exp10, Modes::Directed, 23.0).nearest.to_f64(), 1e23);
    let inexact: [(&'static dyn Function, f64); 4] = [(&Exp10, 24.0), (&Exp10, -1.0), (&Exp2, 0.5), (&Log2, 3.0)];
    for (function, x) in inexact {
        assert!(!judged(function, Modes::All, x).exact);
    }
}

#[test]
fn refused_intervals() {
    let tiny = scaled(1.0, -97);
    let refused: [(&'static dyn Function, f64, f64, Option<i32>); 15] = [
        (&Exp, f64::NAN, 1.0, None),
        (&Exp, 1.0, f64::INFINITY, None),
        (&Exp, 1.0, 1.0, None),
        (&Exp, 2.0, 1.0, None),
        (&Exp, -1.0, 1.0, None),
        (&Exp, tiny, 1.0, None),
        (&Exp, 700.0, 710.0, None),
        (&Exp, -746.0, -700.0, None),
        (&Exp10, 1.0, 1e300, None),
        (&Log, 0.0, 1.0, None),
        (&Log2, -1.0, -0.5, None),
        (&Sin, 1e15, 1e16, None),
        (&Cos, -1.0, -tiny, None),
        (&Exp, 1.0, 1.5, Some(-70)),
        (&Exp, 1.1, 1.2, Some(0)),
    ];
    for (function, from, to, grid) in refused {
        assert!(segments(function, Modes::All, from, to, grid).is_err(), "{function:?} {from} {to} {grid:?}");
    }
    assert!(segments(&Exp, Modes::All, scaled(1.0, -40), 1.0, None).is_ok());
    assert!(segments(&Exp, Modes::All, -1.0, -scaled(1.0, -40), None).is_ok());
}

#[test]
fn numbers_in_hexadecimal() {
    for (x, text) in [
        (1.0, "0x1p+0"),
        (-0.1, "-0x1.999999999999ap-4"),
        (0.0, "0x0p+0"),
        (f64::MAX, "0x1.fffffffffffffp+1023"),
        (3.0, "0x1.8p+1"),
    ] {
        assert_eq!(Dyadic::of(x).to_string(), text);
        assert_eq!(Dyadic::of(x).to_f64(), x);
    }
    assert_eq!(Dyadic { m: (1 << 53) + 1, e: -53 }.to_string(), "0x1.00000000000008p+0");
}

/// Results that lose more bits to 1 than f64 has exponents, down to subnormal ones.
#[test]
fn the_tail_of_erfc() {
    for (x, value) in [(26.28125, 2.304_014_941_954_474_8e-302), (27.0, 5.237_05e-319)] {
        let case = judged(&crate::functions::Erfc, Modes::All, x);
        assert!((case.nearest.to_f64() / value - 1.0).abs() < 1e-5, "{case:?}");
    }
}

#[test]
fn the_smallest_i32_is_not_an_exact_case() {
    use crate::functions::{Acospi, Asinpi, Atanpi, Exp2m1};
    for function in [&Acospi as &dyn Function, &Asinpi, &Atanpi, &Exp2m1] {
        assert_eq!(function.exact(Dyadic { m: -1, e: 31 }), None, "{}", function.name());
    }
}
