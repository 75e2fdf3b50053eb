//! A judge that shares no arithmetic with the search: MPFR.

use rug::Float;

use crate::dyadic::Dyadic;
use crate::error::Error;
use crate::format::Format;
use crate::judge::{Class, Judged};
use crate::plan::Problem;
use crate::segment::Modes;

/// Bits of the values. A value that leaves a doubt is computed again with the next number.
const PRECISIONS: [u32; 5] = [192, 384, 768, 1536, 4096];

/// Values may have an error of 2^GUARD ulps.
const GUARD: i32 = 8;

/// Bits of the arithmetic beyond those of a value, such that it is exact: values in units of breakpoints
/// are between 2^-4 and 2^70.
const EXACT: u32 = 256;

/// The value of a function of [`functions`](crate::functions). `None` for other names.
///
/// The error is below 4 ulps: all but x^(3/2) are functions of MPFR.
fn value(name: &str, x: Float) -> Option<Float> {
    Some(match name {
        "exp" => x.exp(),
        "exp2" => x.exp2(),
        "exp10" => x.exp10(),
        "expm1" => x.exp_m1(),
        "exp2m1" => x.exp2_m1(),
        "exp10m1" => x.exp10_m1(),
        "log" => x.ln(),
        "log2" => x.log2(),
        "log10" => x.log10(),
        "log1p" => x.ln_1p(),
        "log2p1" => x.log2_1p(),
        "log10p1" => x.log10_1p(),
        "cbrt" => x.cbrt(),
        "rsqrt" => x.recip_sqrt(),
        "pow3o2" => x.clone().sqrt() * x,
        "root4" => x.root(4),
        "root5" => x.root(5),
        "sin" => x.sin(),
        "cos" => x.cos(),
        "tan" => x.tan(),
        "asin" => x.asin(),
        "acos" => x.acos(),
        "atan" => x.atan(),
        "sinh" => x.sinh(),
        "cosh" => x.cosh(),
        "tanh" => x.tanh(),
        "asinh" => x.asinh(),
        "acosh" => x.acosh(),
        "atanh" => x.atanh(),
        "erf" => x.erf(),
        "erfc" => x.erfc(),
        "sinpi" => x.sin_pi(),
        "cospi" => x.cos_pi(),
        "tanpi" => x.tan_pi(),
        "asinpi" => x.asin_pi(),
        "acospi" => x.acos_pi(),
        "atanpi" => x.atan_pi(),
        _ => return None,
    })
}

/// The version of MPFR.
pub fn version() -> String {
    use gmp_mpfr_sys::mpfr::{VERSION_MAJOR, VERSION_MINOR, VERSION_PATCHLEVEL};
    format!("{VERSION_MAJOR}.{VERSION_MINOR}.{VERSION_PATCHLEVEL}")
}

/// Classifies an argument of a function of this crate, as [`SearchPlan::judge`](crate::SearchPlan::judge) does, by
/// MPFR's values.
///
/// An argument is exact here if 4096 bits do not distinguish its result from a breakpoint.
///
/// ```
/// use hotloops_hardround::{Dyadic, Format, Modes, Problem, functions, mpfr};
/// let (format, modes) = (Format::BINARY64, Modes::All);
/// let problem = Problem { function: &functions::Exp, format, from: 1.0, to: 2.0, grid: None, modes, within: 1e-9 };
/// // exp has its hardest argument here.
/// let judged = mpfr::judge(&problem, Dyadic { m: 0x1_aca7_ae8d_a5a7b, e: -52 })?;
/// assert_eq!(format!("{:.3}", judged.bits_after_round), "53.992");
/// # Ok::<(), hotloops_hardround::Error>(())
/// ```
pub fn judge(problem: &Problem, x: Dyadic) -> Result<Judged, Error> {
    let name = problem.function.name();
    if value(name, Float::with_val(PRECISIONS[0], 1)).is_none() {
        return Err(Error::argument(&["function"], format!("MPFR has no function {name}")));
    }
    Ok(judge_by(problem.format, problem.modes, x, |x| value(name, x).expect("the name is known")))
}

/// Classifies an argument by a function that yields values at the precision of its argument, with an
/// error of at most 256 ulps.
pub fn judge_by(format: Format, modes: Modes, x: Dyadic, value: impl Fn(Float) -> Float) -> Judged {
    let values = PRECISIONS.iter().map(|&bits| value(Float::with_val(bits, x.m) << x.e));
    let mut last = None;
    for f in values {
        let (judged, is_sure) = classify(format, modes, x, &f);
        if is_sure {
            return judged;
        }
        last = Some(judged);
    }
    let judged = last.expect("there are precisions");
    // A result halfway between two breakpoints.
    if judged.distance_ulp.abs() >= 0.25 {
        return judged;
    }
    let exact = judged.distance_ulp.is_finite();
    Judged { distance_ulp: 0.0, bits_after_round: f64::INFINITY, above: false, exact, ..judged }
}

/// The judgement of a value, and whether its error does not matter.
fn classify(format: Format, modes: Modes, x: Dyadic, f: &Float) -> (Judged, bool) {
    let bits = f.prec();
    let exponent = f.get_exp().map_or(format.min_exponent, |exponent| exponent - 1);
    let ulp = exponent.max(format.min_exponent) - format.precision as i32 + 1;
    let step = if modes == Modes::All { ulp - 1 } else { ulp };
    // In units of the distance between breakpoints, which are the integers.
    let mut scaled = Float::with_val(bits + EXACT, f) >> step;
    if modes == Modes::Nearest {
        scaled -= 0.5;
    }
    let breakpoint = Float::with_val(bits + EXACT, &scaled + 0.5).floor();
    let distance = scaled - &breakpoint;
    // The first 53 bits of both distances are right.
    let error = exponent - step + 1 - bits as i32 + GUARD;
    let is_above = |x: &Float| x.get_exp().is_some_and(|exponent| exponent > error + 54);
    let to_half = Float::with_val(bits + EXACT, 0.5) - distance.clone().abs();
    let is_sure = is_above(&distance) && is_above(&to_half);

    let above = distance.is_sign_positive() && !distance.is_zero();
    let n = breakpoint.to_integer().and_then(|n| n.to_i128()).unwrap_or(0);
    let (class, nearest) = match modes {
        Modes::All if n % 2 == 0 => (Class::Representable, n / 2),
        Modes::All => (Class::Midpoint, (n + if above { 1 } else { -1 }) / 2),
        Modes::Nearest => (Class::Midpoint, n + i128::from(above)),
        Modes::Directed => (Class::Representable, n),
    };
    let distance = if modes == Modes::All { distance >> 1 } else { distance };
    let distance_ulp = distance.to_f64();
    let bits_after_round = -(2.0 * distance_ulp.abs()).log2();
    let nearest = Dyadic { m: nearest, e: ulp };
    (Judged { x, nearest, distance_ulp, bits_after_round, class, above, exact: false }, is_sure)
}
