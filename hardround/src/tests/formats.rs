//! Formats other than binary64, against another library, published cases and judgements of every
//! argument.

use super::*;
use crate::functions::{ALL, by_name};
use crate::plan::{Outside, Problem};

fn problem(function: &'static dyn Function, format: Format, [from, to]: [f64; 2], bits: i32) -> Problem<'static> {
    Problem { function, format, from, to, grid: None, modes: Modes::All, within: scaled(1.0, -1 - bits) }
}

/// A number of binary16 or bfloat16 by its encoding.
fn encoded(bits: u16, format: Format) -> Option<f64> {
    let fraction_bits = format.precision - 1;
    let magnitude = i32::from(bits & 0x7fff);
    let (e, fraction) = (magnitude >> fraction_bits, magnitude & ((1 << fraction_bits) - 1));
    if e > format.max_exponent - format.min_exponent + 1 {
        return None;
    }
    let value = match e {
        0 => scaled(fraction.into(), format.last_bit()),
        _ => scaled((fraction + (1 << fraction_bits)).into(), format.last_bit() + e - 1),
    };
    Some(if bits >> 15 == 1 { -value } else { value })
}

/// All encodings are counted once, and have their numbers.
#[test]
fn numbers_are_those_of_the_encodings() {
    for format in [Format::BINARY16, Format::BFLOAT16] {
        for bits in 0..0x8000_u16 {
            let Some(x) = encoded(bits, format) else { continue };
            let exact = Dyadic::of(x);
            assert!(format.holds(exact), "{x:e}");
            assert_eq!(format.number_from(exact), i128::from(bits), "{x:e}");
            assert_eq!(format.number_from(Dyadic::of(-x)), -i128::from(bits));
            assert_eq!(format.number_from(Dyadic::of(x.next_up())), i128::from(bits) + 1);
            assert_eq!(format.number_from(Dyadic::of(-x.next_up())), -i128::from(bits), "{x:e}");
        }
    }
    let x = Dyadic { m: (1 << 64) - 1, e: -63 };
    assert!(Format::X87.holds(x) && !Format::X87.holds(Dyadic { m: 2 * x.m - 1, e: -64 }));
    assert_eq!(Format::X87.number_from(x) + 1, Format::X87.number_from(Dyadic::of(2.0)));
}

/// Every number of binary16 and bfloat16, against another library.
#[test]
fn small_formats_are_complete() {
    for format in [Format::BINARY16, Format::BFLOAT16] {
        type Approximation = fn(f64) -> f64;
        let functions: [(&'static dyn Function, Approximation); 4] =
            [(&Exp, f64::exp), (&Log, f64::ln), (&Sin, f64::sin), (&Exp2, f64::exp2)];
        for (function, approximate) in functions {
            let bits = 9;
            let ends = Problem::whole(function, format).unwrap();
            let plan = no_failure(SearchPlan::new(&problem(function, format, ends, bits)));
            let (_, found) = found(&plan, Algorithm::Farey);
            let found: Vec<f64> = found.iter().map(|&index| plan.judge(index).x.to_f64()).collect();
            let is_case = |x: &f64| {
                if *x < ends[0] || *x >= ends[1] {
                    return false;
                }
                // 53 bits decide most arguments.
                let about = approximate(*x);
                if about.is_normal() {
                    let exponent = Dyadic::of(about.abs()).exponent();
                    let units = scaled(about, format.precision as i32 - exponent.max(format.min_exponent));
                    let (far, limit) = ((units - units.round()).abs(), scaled(1.0, -bits));
                    let is_inside = (format.last_bit()..format.max_exponent).contains(&exponent);
                    if is_inside && (far - limit).abs() > limit / 2.0 {
                        return far < limit;
                    }
                }
                let f = value(function, Dyadic::of(*x));
                let magnitude = to_f64(&f).abs();
                if magnitude == 0.0 {
                    return f == Big::from(0);
                }
                let exponent = Dyadic::of(magnitude).exponent();
                if exponent > format.max_exponent || exponent < format.last_bit() - 2 {
                    return false;
                }
                let units = f << (format.precision as i32 - exponent.max(format.min_exponent)) as isize;
                to_f64(&(units.clone() - units.round())).abs() < scaled(1.0, -bits)
            };
            let mut expected: Vec<f64> = (0..=u16::MAX)
                .filter(|&bits| bits != 0x8000)
                .filter_map(|bits| encoded(bits, format))
                .filter(is_case)
                .collect();
            expected.sort_by(f64::total_cmp);
            assert!(expected.len() > 8, "{format} {function:?}");
            assert_eq!(found, expected, "{format} {function:?}");
        }
    }
}

/// Hard cases of binary32 from the sources of CORE-MATH, with -log2 of the distance to the nearest
/// breakpoint in half ulps, computed with 400 bits by mpmath.
const BINARY32: &[(&str, u32, f64)] = &[
    ("sin", 0x4619_9998, 29.505),
    ("sin", 0x3f3a_dc51, 27.598),
    ("sin", 0x3fa7_832a, 28.424),
    ("cos", 0x5922_aa80, 28.532),
    ("cos", 0x5aa4_542c, 29.091),
    ("cos", 0x5f18_b878, 30.572),
    ("cos", 0x6115_cb11, 30.939),
    ("tan", 0x3f8a_1f62, 27.381),
    ("tan", 0x4d56_d355, 30.671),
    ("tan", 0x57d7_b0ed, 28.764),
    ("tan", 0x6a66_2711, 27.120),
    ("tan", 0x72b5_05bb, 27.841),
    ("log1p", 0xbd1d_20af, 25.842),
    ("log1p", 0x3efd_81ad, 32.016),
    ("exp2", 0x3b42_9d37, 29.197),
    ("exp2", 0xbcf3_a937, 31.918),
    ("asin", 0x3f2a_b445, 27.174),
    ("acos", 0x3288_85a3, 29.858),
    ("acos", 0x3982_6222, 32.477),
    ("exp2m1", 0xb3d8_5005, 28.589),
    ("exp2m1", 0x388b_ca4f, 28.660),
];

/// Searches of 2^12 arguments around published cases find these, and what judging every argument
/// finds.
#[test]
fn published_cases_of_binary32() {
    for &(name, bits, hardness) in BINARY32 {
        let function = by_name(name).unwrap();
        let mut ends = [-2048, 2048].map(|by| f64::from(f32::from_bits(bits.wrapping_add_signed(by))));
        ends.sort_by(f64::total_cmp);
        let plan = no_failure(SearchPlan::new(&problem(function, Format::BINARY32, ends, 8)));
        let (_, found) = found(&plan, Algorithm::Farey);
        let all = plan.range(&(0..plan.units()));
        let expected: Vec<u64> = all.filter(|&index| no_failure(plan.is_found(index))).collect();
        assert_eq!(found, expected, "{name} {bits:x}");
        let index = plan.index(Dyadic::of(f32::from_bits(bits).into())).unwrap();
        assert!(found.contains(&index));
        assert!((plan.judge(index).bits_after_round - hardness).abs() < 0.001, "{:?}", plan.judge(index));
    }
}

/// Windows of each function, argument by argument: short intervals, and a slice of a whole search
/// in which large arguments of trigonometric functions are scattered.
#[test]
fn windows_of_binary32_are_complete() {
    let mut random = Random(11);
    for &function in ALL {
        let [least, most] = Problem::whole(function, Format::BINARY32).unwrap();
        let mut cases = 0;
        for magnitude in [1e-42, 1e-30, 1e-5, 0.4, 0.9, 3.0, 80.0, 5e3, 1e8, 1e30] {
            for sign in [-1.0, 1.0] {
                let x = (sign * magnitude * (1.0 + random.below(1 << 10) as f64 / 4096.0)) as f32;
                let few = ["exp", "expm1", "sin", "cos", "log", "cbrt"].contains(&function.name());
                if magnitude < 1e-20 && !few {
                    continue;
                }
                let width = if magnitude < 1e-20 { 8 } else { 32 };
                let mut ends = [-width, width].map(|by| f64::from(f32::from_bits(x.to_bits().wrapping_add_signed(by))));
                ends.sort_by(f64::total_cmp);
                if ends[0] < least || ends[1] > most {
                    continue;
                }
                let Ok(plan) = SearchPlan::new(&problem(function, Format::BINARY32, ends, 6)) else { continue };
                let (_, found) = found(&plan, Algorithm::Farey);
                let all = plan.range(&(0..plan.units()));
                let expected: Vec<u64> = all.filter(|&index| no_failure(plan.is_found(index))).collect();
                assert_eq!(found, expected, "{function:?} {x:e}");
                cases += found.len();
            }
        }
        assert!(cases > 1, "{function:?}");
    }
}

#[test]
fn runs_of_binary32_are_complete() {
    for (name, ends, bits) in
        [("sin", [scaled(1.0, 60), scaled(1.0 + 1.0 / 64.0, 60)], 18), ("exp", [1.0, 1.0 + 1.0 / 64.0], 14)]
    {
        let function = by_name(name).unwrap();
        let plan = no_failure(SearchPlan::new(&problem(function, Format::BINARY32, ends, bits)));
        assert_eq!(plan.segments[0].scattered, name == "sin");
        let (_, all) = found(&plan, Algorithm::Farey);
        assert!(!all.is_empty());
        // A part by judgements.
        let part = 1 << 12;
        let coarse = no_failure(SearchPlan::new(&problem(function, Format::BINARY32, ends, 6)));
        let (_, coarse_found) = found(&coarse, Algorithm::Farey);
        let expected: Vec<u64> = (0..part).filter(|&index| no_failure(coarse.is_found(index))).collect();
        assert_eq!(coarse_found.iter().copied().filter(|&index| index < part).collect::<Vec<_>>(), expected);
        let hard: Vec<u64> = coarse_found.into_iter().filter(|&index| no_failure(plan.is_found(index))).collect();
        assert_eq!(all, hard);
    }
}

/// Hard cases of x87's format from the lists of CORE-MATH, m 2^e with their -log2 of the distance in
/// half ulps, computed with 400 bits by mpmath.
const X87: &[(&str, i128, i32, f64)] = &[
    ("exp", -0x83dc_6535_6e64_d017, -63, 55.922),
    ("exp", -0xea67_86d4_3514_8b4e, -65, 56.589),
    ("exp", 0x804b_ad5d_ca38_1098, -64, 54.467),
    ("log2", 0xd1ab_5e51_b7a6_0d85, -192, 57.828),
    ("log2", 0x8c30_0fc9_d218_e715, -60, 56.168),
    ("rsqrt", 0xa3cb_0206_e109_428a, -65, 55.762),
    ("rsqrt", 0x8b6d_4b5c_e764_f846, -64, 58.445),
    ("cbrt", 0xaa6a_0294_4b2f_dfcf, -62, 49.371),
    ("cbrt", 0xecce_f197_bb12_8399, -62, 49.153),
];

#[test]
fn published_cases_of_x87() {
    for &(name, m, e, hardness) in X87 {
        let function = by_name(name).unwrap();
        let x = Dyadic { m, e };
        assert!(Format::X87.holds(x));
        // The ends are binary64 numbers.
        let middle = scaled((m >> 12) as f64, e + 12);
        let step = scaled(1.0, e + 12);
        for bits in [14, 48] {
            let width = if bits == 14 { 1.0 } else { 1024.0 };
            let ends = [middle - width * step, middle + width * step];
            let plan = no_failure(SearchPlan::new(&problem(function, Format::X87, ends, bits)));
            let (_, found) = found(&plan, Algorithm::Farey);
            let index = plan.index(x).unwrap();
            assert!(found.contains(&index), "{name} {x}");
            let judged = plan.judge(index);
            assert!((judged.bits_after_round - hardness).abs() < 0.001, "{judged:?}");
            assert!(Format::X87.holds(judged.nearest) && judged.nearest.m.unsigned_abs() >= 1 << 63);
            if bits == 14 {
                let all = plan.range(&(0..plan.units()));
                let expected: Vec<u64> = all.filter(|&index| no_failure(plan.is_found(index))).collect();
                assert_eq!(found, expected, "{name} {x}");
            }
        }
    }
}

#[test]
fn what_is_outside_has_a_reason() {
    let whole = |function: &'static dyn Function, format| {
        no_failure(SearchPlan::new(&problem(function, format, Problem::whole(function, format).unwrap(), 12)))
    };
    let plan = whole(&Exp, Format::BINARY32);
    for (x, reason) in
        [(0.1, Outside::Format), (1000.0, Outside::Domain), (89.0, Outside::Overflow), (-110.0, Outside::Underflow)]
    {
        assert_eq!((plan.index(Dyadic::of(x)), plan.outside(Dyadic::of(x))), (None, reason), "{x}");
    }
    for x in [0.0, -104.5, 88.5, scaled(1.0, -149)] {
        assert!(plan.index(Dyadic::of(x)).is_some(), "{x}");
    }
    let some = no_failure(SearchPlan::new(&problem(&Sin, Format::BINARY64, [1.0, 2.0], 40)));
    assert_eq!(some.outside(Dyadic::of(3.0)), Outside::Interval);
    assert_eq!(some.outside(Dyadic::of(1e-40)), Outside::TooSmall);
}
