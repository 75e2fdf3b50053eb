//! Against another library's correctly rounded functions, and against published cases.

use dashu_float::FBig;
use dashu_float::round::mode::HalfEven;

use super::fixed::{Fixed, scaled};
use super::function::{Dyadic, ERROR, Function, Value};
use super::judge::{Class, Judged};
use super::segment::{Modes, Segment, segments};
use crate::failure::Failure;

type Big = FBig<HalfEven, 2>;

pub const FUNCTIONS: [Function; 7] =
    [Function::Exp, Function::Exp2, Function::Exp10, Function::Log, Function::Log2, Function::Sin, Function::Cos];

/// Bits enough for all but the longest numbers.
const PRECISION: usize = 640;

/// The largest power of 2 up to 2^`most` with which a series in the middle of a segment loses at most `error`.
fn reach_for(segment: &Segment, error: f64, most: u32) -> u64 {
    let loss = |reach: u64| segment.taylor(segment.count / 2, reach, segment.degree_for(reach)).1;
    (0..=most).rev().map(|bits| 1 << bits).find(|&reach| loss(reach) <= error).unwrap_or(1)
}

fn big(x: Dyadic) -> Big {
    Big::from_parts(x.m.into(), x.e as isize).with_precision(0).value()
}

fn rounded(x: &Big) -> Big {
    x.clone().with_precision(PRECISION).value()
}

fn value(function: Function, x: Dyadic) -> Big {
    value_in(PRECISION, function, x)
}

fn value_in(precision: usize, function: Function, x: Dyadic) -> Big {
    let [x, two, ten] = [big(x), Big::from(2), Big::from(10)].map(|x| x.with_precision(precision).value());
    match function {
        Function::Exp => x.exp(),
        Function::Exp2 => (x * two.ln()).exp(),
        Function::Exp10 => (x * ten.ln()).exp(),
        Function::Log => x.ln(),
        Function::Log2 => x.ln() / two.ln(),
        Function::Sin => x.sin(),
        Function::Cos => x.cos(),
    }
}

/// Words of a number modulo a power of 2, the lowest a multiple of 2^e.
fn from_words(words: &[u64], e: i32) -> Big {
    let words = words.iter().zip(0..);
    words.fold(big(Dyadic { m: 0, e: 0 }), |sum, (&word, at)| {
        let [low, high] = [word as u32, (word >> 32) as u32].map(i64::from);
        let e = e + 64 * at;
        sum + big(Dyadic { m: low, e }) + big(Dyadic { m: high, e: e + 32 })
    })
}

fn from_fixed<const N: usize>(x: Fixed<N>, e: i32) -> Big {
    let magnitude = from_words(&x.magnitude().0, e - Fixed::<N>::BITS);
    if x.is_negative() { -magnitude } else { magnitude }
}

fn to_f64(x: &Big) -> f64 {
    x.to_f64().value()
}

/// A sequence that is random enough.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(n)) >> 64) as u64
    }
}

/// Intervals with both signs of slope and curvature, on doubles and on grids, with results in one binade and in many.
fn intervals() -> Vec<(Function, f64, f64, Option<i32>)> {
    use Function::*;
    vec![
        (Exp, 1.0, 2.0, None),
        (Exp, -3.0, -0.4, None),
        (Exp, 600.0, 709.0, None),
        (Exp, -708.0, -707.0, None),
        (Exp, scaled(1.0, -40), scaled(1.5, -38), None),
        (Exp, 1.0, 1.0 + scaled(1.0, -13), Some(-53)),
        (Exp, -2.0, -1.0, Some(-54)),
        (Exp2, 0.75, 3.5, None),
        (Exp2, -1021.0, -1000.5, None),
        (Exp10, -2.5, -0.3, None),
        (Exp10, 300.0, 308.0, None),
        (Exp10, 0.25, 0.5, Some(-56)),
        (Log, 0.4, 3.0, None),
        (Log, 1e300, 1e301, None),
        (Log, f64::MIN_POSITIVE, 1e-307, None),
        (Log, 0.5, 2.0, Some(-40)),
        (Log2, 0.7, 5.0, None),
        (Sin, 1.0, 4.0, None),
        (Sin, -7.0, -2.0, None),
        (Sin, 2040.0, 2046.0, None),
        (Sin, 0.25, 0.5, Some(-55)),
        (Cos, 0.5, 5.0, None),
        (Cos, -1e-9, -1e-12, None),
        (Cos, -5.0, -1.0, Some(-52)),
    ]
}

fn all_segments(modes: Modes) -> Vec<Segment> {
    let parts = intervals().into_iter().map(|(function, from, to, grid)| {
        segments(function, modes, from, to, grid).unwrap_or_else(|_| panic!("{function:?} {from} {to}"))
    });
    parts.flatten().collect()
}

pub fn no_failure<T>(result: Result<T, Failure>) -> T {
    result.unwrap_or_else(|_| panic!("refused"))
}

#[test]
fn values_are_within_the_error() {
    fn far<const N: usize>(function: Function, x: Dyadic) -> f64 {
        let Value { m, e } = function.value::<N>(x);
        to_f64(&((from_fixed(m, e) - value_in(64 * N + 64, function, x)) << (Fixed::<N>::BITS - e) as isize)).abs()
    }
    let mut random = Random(1);
    for segment in all_segments(Modes::All).into_iter().step_by(3) {
        let x = segment.argument(random.below(segment.count));
        for far in [far::<5>(segment.function, x), far::<9>(segment.function, x)] {
            assert!(far < ERROR, "{:?} {x}: {far} units", segment.function);
        }
    }
    for (function, x) in FUNCTIONS.into_iter().zip([700.1, -1000.3, 299.9, 1e-300, 1e300, -2047.3, 2047.6]) {
        let x = Dyadic::of(x);
        for far in [far::<5>(function, x), far::<9>(function, x), far::<17>(function, x)] {
            assert!(far < ERROR, "{function:?} {x}: {far} units");
        }
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
            let degree = segment.degree_for(reach).max(random.below(9) as usize);
            let (coefficients, bound) = segment.taylor(at, reach, degree);
            let first = at.saturating_sub(reach);
            let count = at.saturating_add(reach).min(segment.count - 1) - first + 1;
            let offsets = [first, first + count - 1, first + random.below(count), at];
            for k in offsets {
                let offset = rounded(&big(Dyadic { m: k as i64 - at as i64, e: 0 }));
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
                assert!(bound < scaled(1.0, -58), "{segment:?} reach 2^{bits}, degree {degree}: {bound:e}");
            }
        }
    }
}

#[test]
fn bounds_are_not_loose() {
    let [segment, ..] = no_failure(segments(Function::Exp, Modes::All, 1.0, 2.0, None))[..] else { panic!() };
    let reach = 1 << 33;
    assert_eq!(segment.degree_for(reach), 5);
    assert_eq!(segment.degree_for(1 << 35), 6);
    let (_, bound) = segment.taylor(1 << 40, reach, 5);
    assert!(bound > scaled(1.0, -75) && bound < scaled(1.0, -62), "{bound:e}");
    assert_eq!(reach_for(&segment, scaled(1.0, -60), 40), 1 << 34);
    let [far] = no_failure(segments(Function::Exp, Modes::All, 600.0, 600.1, None))[..] else { panic!() };
    let reach = reach_for(&far, scaled(1.0, -60), 40);
    assert_eq!(reach, 1 << 28);
    assert!(far.taylor(far.count / 2, reach, far.degree_for(reach)).1 <= scaled(1.0, -60));
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
                    (Some(e), None) => assert_eq!(first.m, scaled(from, -e).ceil() as i64),
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
                        assert_eq!(function.exponent(x), offset - segment.unit, "{segment:?}");
                    }
                    let slope = |x: Dyadic| function.taylor::<5>(x, 2)[2].m;
                    for x in [first, last] {
                        assert_eq!(segment.convex, !slope(x).is_negative(), "{segment:?}");
                    }
                }
            }
            assert_eq!(next, all, "{function:?} {from} {to}");
        }
    }
}

#[test]
fn exp_is_cut_at_the_logarithm_of_4() {
    let segments = no_failure(segments(Function::Exp, Modes::All, 1.0, 2.0, None));
    assert_eq!(segments.len(), 2);
    let (last, first) = (segments[0].argument(segments[0].count - 1), segments[1].argument(0));
    let four = Big::from(4);
    assert!(value(Function::Exp, last) < four && value(Function::Exp, first) > four);
    assert_eq!(segments.iter().map(|segment| segment.count).sum::<u64>(), 1 << 52);
    assert_eq!(segments.iter().map(|segment| segment.unit).collect::<Vec<_>>(), [52, 51]);
}

#[test]
fn sines_are_cut_at_pi_and_not_at_the_maximum() {
    let segments = no_failure(segments(Function::Sin, Modes::All, 1.0, 4.0, None));
    let below = std::f64::consts::PI;
    let place = segments.iter().position(|segment| segment.argument(0).to_f64() > below).unwrap();
    assert_eq!(segments[place - 1].argument(segments[place - 1].count - 1).to_f64(), below);
    assert_eq!((segments[place - 1].convex, segments[place].convex), (false, true));
    let holds = |x: f64| segments.iter().find(|segment| segment.argument(segment.count - 1).to_f64() >= x).unwrap();
    assert_eq!(holds(1.5), holds(1.6));
}

fn judged(function: Function, modes: Modes, x: f64) -> Judged {
    no_failure(segments(function, modes, x, x.next_up(), None))[0].judge(0)
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
        let case = judged(Function::Exp, Modes::All, x);
        assert!((case.bits_after_round - bits).abs() < 0.0006, "{case:?}");
        assert_eq!((case.class, case.above, case.exact), (class, above, false), "{case:?}");
        assert!((case.nearest / x.exp() - 1.0).abs() < 1e-15);
        let modes = if class == Midpoint { Modes::Nearest } else { Modes::Directed };
        assert_eq!(judged(Function::Exp, modes, x), case);
    }
    let case = judged(Function::Exp, Modes::All, f64::from_bits(0x3ff0_0089_b832_fd81));
    assert_eq!(case.x.to_string(), "0x1.00089b832fd81p+0");
    assert_eq!(case.class, Class::Midpoint);
    assert!((2.0 * case.distance_ulp - 2.91241e-13).abs() < 1e-18, "{case:?}");
    let grid = no_failure(segments(Function::Exp, Modes::Directed, 1.0, 1.0 + scaled(1.0, -13), Some(-53)));
    let case = grid[0].judge(219_157_413_985);
    assert!((case.bits_after_round - 44.492).abs() < 0.0006, "{case:?}");
    for k in [5_325_184_606, 9_613_778_543, 19_882_855_748, 1_093_427_726_679, 1_096_126_232_926] {
        let case = grid[0].judge(k);
        assert!(case.distance_ulp.abs() < scaled(1.0, -33), "{case:?}");
    }
    let doubles = no_failure(segments(Function::Exp, Modes::All, 1.0, 1.0 + scaled(1.0, -12), None));
    for (k, bits, class) in [(528_080_142_543, 39.352, Midpoint), (221_974_797_241, 38.763, Representable)] {
        let case = doubles[0].judge(k);
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
            let (taylor, _) = segment.taylor(at, reach, segment.degree_for(reach));
            let log2_length = reach.ilog2().min(20) - 1;
            let series = hotloops::hardround::Series::new(&taylor, log2_length).unwrap();
            let blocks = reach >> log2_length;
            let j = random.below(2 * blocks) as i64 - blocks as i64;
            let x = random.below(1 << log2_length);
            let fraction = scaled(series.block(j).at(x) as i128 as f64, -128);
            let k = at.wrapping_add_signed((j << log2_length) + x as i64);
            let units = segment.judge(k).distance_ulp * if modes == Modes::All { 2.0 } else { 1.0 };
            let far = fraction - units;
            assert!((far - far.round()).abs() < scaled(1.0, -40), "{segment:?} {k}: {fraction} {units}");
        }
    }
}

/// Searches 2^`log2` arguments of each interval under each instruction set and in domains of several sizes: the cases are those of all arguments
/// judged one by one. Gives their number.
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
        let is_case = |k: u64| segment.judge(k).distance_ulp.abs() < bound;
        let expected: Vec<_> = (at..at + n).filter(|&k| is_case(k)).collect();
        cases += expected.len();

        let (taylor, truncation) = segment.taylor(at, n, segment.degree_for(n));
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
            let case = segment.judge(k);
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
            assert_eq!(case.nearest, to_f64(&f), "{case:?}");
            assert_eq!(case.above, distance > 0.0);
        }
    }
}

#[test]
fn exact_cases() {
    for (function, x, nearest) in [
        (Function::Exp2, 10.0, 1024.0),
        (Function::Exp2, -1022.0, f64::MIN_POSITIVE),
        (Function::Exp10, 1.0, 10.0),
        (Function::Exp10, 22.0, 1e22),
        (Function::Log, 1.0, 0.0),
        (Function::Log2, 1.0, 0.0),
        (Function::Log2, 0.125, -3.0),
        (Function::Log2, scaled(1.0, 1000), 1000.0),
    ] {
        for modes in [Modes::All, Modes::Directed] {
            let case = judged(function, modes, x);
            assert!(case.exact && case.distance_ulp == 0.0 && case.bits_after_round == f64::INFINITY, "{case:?}");
            assert_eq!((case.nearest, case.class), (nearest, Class::Representable), "{case:?}");
        }
        let case = judged(function, Modes::Nearest, x);
        assert_eq!((case.exact, case.distance_ulp.abs(), case.nearest), (false, 0.5, nearest), "{case:?}");
    }
    for modes in [Modes::All, Modes::Nearest] {
        let case = judged(Function::Exp10, modes, 23.0);
        assert_eq!((case.exact, case.class, case.nearest), (true, Class::Midpoint, 1e23), "{case:?}");
    }
    assert_eq!(judged(Function::Exp10, Modes::Directed, 23.0).nearest, 1e23);
    for (function, x) in
        [(Function::Exp10, 24.0), (Function::Exp10, -1.0), (Function::Exp2, 0.5), (Function::Log2, 3.0)]
    {
        assert!(!judged(function, Modes::All, x).exact);
    }
}

#[test]
fn results_are_normal_up_to_the_ends_of_the_range() {
    for (function, least, most) in [
        (Function::Exp, -708.3964185322641, 709.782712893384),
        (Function::Exp2, -1022.0, 1024_f64.next_down()),
        (Function::Exp10, -307.6526555685887, 308.2547155599167),
    ] {
        let exponent = |x: f64| function.exponent(Dyadic::of(x));
        assert_eq!([exponent(least), exponent(least.next_down())], [-1022, -1023]);
        assert_eq!([exponent(most), exponent(most.next_up())], [1023, 1024]);
        for (from, to) in [(least, least + 1.0), (most - 1.0, most.next_up())] {
            no_failure(segments(function, Modes::All, from, to, None));
        }
    }
}

#[test]
fn refused_intervals() {
    let tiny = scaled(1.0, -41);
    for (function, from, to, grid) in [
        (Function::Exp, f64::NAN, 1.0, None),
        (Function::Exp, 1.0, f64::INFINITY, None),
        (Function::Exp, 1.0, 1.0, None),
        (Function::Exp, 2.0, 1.0, None),
        (Function::Exp, -1.0, 1.0, None),
        (Function::Exp, tiny, 1.0, None),
        (Function::Exp, 700.0, 710.0, None),
        (Function::Exp, -709.0, -700.0, None),
        (Function::Exp10, 1.0, 1e300, None),
        (Function::Log, 0.0, 1.0, None),
        (Function::Log2, -1.0, -0.5, None),
        (Function::Log, 1e-310, 1.0, None),
        (Function::Sin, 1.0, 2049.0, None),
        (Function::Cos, -1.0, -tiny, None),
        (Function::Exp, 1.0, 1.5, Some(-70)),
        (Function::Exp, 1.1, 1.2, Some(0)),
    ] {
        assert!(segments(function, Modes::All, from, to, grid).is_err(), "{function:?} {from} {to} {grid:?}");
    }
    assert!(segments(Function::Exp, Modes::All, scaled(1.0, -40), 1.0, None).is_ok());
    assert!(segments(Function::Exp, Modes::All, -1.0, -scaled(1.0, -40), None).is_ok());
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
