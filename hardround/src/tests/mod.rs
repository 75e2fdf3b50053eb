//! Compares the search with another library's correctly rounded functions and with published cases.

mod counts;
mod formats;
mod functions;
mod judgements;
#[cfg(feature = "mpfr")]
mod mpfr;
mod segments;

use dashu_float::FBig;
use dashu_float::round::mode::HalfEven;

use crate::dyadic::Dyadic;
use crate::error::Error;
use crate::fixed::{Fixed, scaled};
use crate::format::Format;
use crate::found::Found;
use crate::function::Function;
use crate::functions::{Cos, Exp, Exp2, Exp10, Log, Log2, Sin};
use crate::judge::{Class, Judged};
use crate::plan::{Algorithm, SearchPlan};
use crate::segment::{Modes, Segment};

type Big = FBig<HalfEven, 2>;

/// Enough bits for all but the longest numbers.
const PRECISION: usize = 640;

/// The functions that the other library has.
const FUNCTIONS: [&dyn Function; 7] = [&Exp, &Exp2, &Exp10, &Log, &Log2, &Sin, &Cos];

/// The largest reach, a power of 2 up to 2^`most`, for which the error of a series in the middle of
/// a segment is at most `error`.
fn reach_for(segment: &Segment, error: f64, most: u32) -> u64 {
    let loss = |reach: u64| segment.taylor(segment.count / 2, reach).1;
    (0..=most).rev().map(|bits| 1 << bits).find(|&reach| loss(reach) <= error).unwrap_or(1)
}

fn big(x: Dyadic) -> Big {
    Big::from_parts(x.m.into(), x.e as isize).with_precision(0).value()
}

fn rounded(x: &Big) -> Big {
    x.clone().with_precision(PRECISION).value()
}

fn value(function: &dyn Function, x: Dyadic) -> Big {
    value_in(PRECISION, function, x)
}

fn value_in(precision: usize, function: &dyn Function, x: Dyadic) -> Big {
    let [x, two, ten] = [big(x), Big::from(2), Big::from(10)].map(|x| x.with_precision(precision).value());
    match function.name() {
        "exp" => x.exp(),
        "exp2" => (x * two.ln()).exp(),
        "exp10" => (x * ten.ln()).exp(),
        "log" => x.ln(),
        "log2" => x.ln() / two.ln(),
        "sin" => x.sin(),
        "cos" => x.cos(),
        other => panic!("{other}"),
    }
}

/// Words of a number modulo a power of 2, the lowest a multiple of 2^e.
fn from_words(words: &[u64], e: i32) -> Big {
    let words = words.iter().zip(0..);
    words.fold(big(Dyadic { m: 0, e: 0 }), |sum, (&word, at)| {
        let [low, high] = [word as u32, (word >> 32) as u32].map(i64::from);
        let e = e + 64 * at;
        sum + big(Dyadic { m: low.into(), e }) + big(Dyadic { m: high.into(), e: e + 32 })
    })
}

fn from_fixed<const N: usize>(x: Fixed<N>, e: i32) -> Big {
    let magnitude = from_words(&x.magnitude().0, e - Fixed::<N>::BITS);
    if x.is_negative() { -magnitude } else { magnitude }
}

fn to_f64(x: &Big) -> f64 {
    x.to_f64().value()
}

/// A pseudo-random sequence.
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

/// Intervals with both signs of slope and curvature, on doubles and on grids, with results in one
/// binade and in many.
fn intervals() -> Vec<(&'static dyn Function, f64, f64, Option<i32>)> {
    vec![
        (&Exp, 1.0, 2.0, None),
        (&Exp, -3.0, -0.4, None),
        (&Exp, 600.0, 709.0, None),
        (&Exp, -708.0, -707.0, None),
        (&Exp, scaled(1.0, -40), scaled(1.5, -38), None),
        (&Exp, 1.0, 1.0 + scaled(1.0, -13), Some(-53)),
        (&Exp, -2.0, -1.0, Some(-54)),
        (&Exp2, 0.75, 3.5, None),
        (&Exp2, -1021.0, -1000.5, None),
        (&Exp10, -2.5, -0.3, None),
        (&Exp10, 300.0, 308.0, None),
        (&Exp10, 0.25, 0.5, Some(-56)),
        (&Log, 0.4, 3.0, None),
        (&Log, 1e300, 1e301, None),
        (&Log, f64::MIN_POSITIVE, 1e-307, None),
        (&Log, 0.5, 2.0, Some(-40)),
        (&Log2, 0.7, 5.0, None),
        (&Sin, 1.0, 4.0, None),
        (&Sin, -7.0, -2.0, None),
        (&Sin, 2040.0, 2046.0, None),
        (&Sin, 0.25, 0.5, Some(-55)),
        (&Cos, 0.5, 5.0, None),
        (&Cos, -1e-9, -1e-12, None),
        (&Cos, -5.0, -1.0, Some(-52)),
    ]
}

/// Segments of binary64 numbers.
fn segments(
    function: &'static dyn Function,
    modes: Modes,
    from: f64,
    to: f64,
    grid: Option<i32>,
) -> Result<Vec<Segment<'static>>, Error> {
    crate::cut::segments(function, Format::BINARY64, modes, from, to, grid)
}

/// The cases that a search of all units finds, and the indices of all arguments found. Dual rows find the
/// same.
fn found(plan: &SearchPlan, algorithm: Algorithm) -> (Found, Vec<u64>) {
    let mut found = Found::default();
    for unit in 0..plan.units() {
        let of_unit = no_failure(plan.search(unit, algorithm));
        if algorithm == Algorithm::Farey {
            assert_eq!(no_failure(plan.search(unit, Algorithm::Dual)), of_unit, "{:?}", plan.problem);
        }
        no_failure(found.extend(&of_unit));
    }
    found.sort(|index| plan.begins_segment(index));
    let mut all = [&found.cases[..], &found.exact].concat();
    all.extend(found.streams.iter().cloned().flatten());
    all.sort_unstable();
    (found, all)
}

fn all_segments(modes: Modes) -> Vec<Segment<'static>> {
    let parts = intervals().into_iter().map(|(function, from, to, grid)| {
        segments(function, modes, from, to, grid).unwrap_or_else(|_| panic!("{function:?} {from} {to}"))
    });
    parts.flatten().collect()
}

pub fn no_failure<T>(result: Result<T, Error>) -> T {
    result.unwrap_or_else(|error| panic!("{error}"))
}
