//! Segments of an interval of arguments; the search of a segment is one series of blocks.

use std::ops::Range;

use crate::ball::Ball;
use crate::dyadic::Dyadic;
use crate::fixed::scaled;
use crate::format::Format;
use crate::function::{Function, Series};
use crate::jet::{Jet, MAX_TERMS};
use crate::run::Run;

/// The rounding modes to search for, each with its breakpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modes {
    /// To nearest and directed: breakpoints are the format's numbers and the midpoints between them
    All,
    /// To nearest: breakpoints are the midpoints
    Nearest,
    /// Up, down and towards zero: breakpoints are the format's numbers
    Directed,
}

/// Consecutive arguments (start + k) 2^e, k = 0, 1, .. `count` - 1, on which F = f 2^unit has
/// breakpoints at the integers, or F = f 2^unit + 1/2 for [`Modes::Nearest`]: an argument is hard
/// if |F mod 1| is small.
///
/// |f| stays between two neighbouring powers of 2 or is subnormal, so that the unit is constant: half
/// an ulp for [`Modes::All`], where even integers are the format's numbers, and one ulp for the
/// other modes. F has the sign of f. A scattered segment is an exception: each of its results has
/// its own unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment<'f> {
    pub function: &'f dyn Function,
    pub format: Format,
    pub modes: Modes,
    /// Number of arguments of the interval before this segment.
    pub first: u64,
    pub count: u64,
    pub start: i128,
    pub e: i32,
    pub unit: i32,
    /// Results of neighbouring arguments are unrelated; `unit` is 0.
    pub scattered: bool,
}

/// Maximum number of arguments of a small format that are evaluated one by one.
const MAX_POINTWISE: u64 = 256;

impl Format {
    /// The exponent of units of F, for a result with this exponent. The ulp of subnormal numbers is that
    /// of the smallest normal binade.
    pub(crate) fn unit(&self, modes: Modes, exponent: i32) -> i32 {
        self.precision as i32 - exponent.max(self.min_exponent) - i32::from(modes != Modes::All)
    }

    /// Whether results with this exponent are searched: they do not overflow, and are at least a
    /// quarter of the smallest number.
    pub(crate) fn reaches(&self, exponent: i32) -> bool {
        !self.misses(exponent, exponent)
    }

    /// Whether no result with an exponent between these is searched.
    pub(crate) fn misses(&self, one: i32, other: i32) -> bool {
        one.max(other) < self.last_bit() - 2 || one.min(other) > self.max_exponent
    }
}

impl Segment<'_> {
    /// The position after the last argument.
    pub(crate) fn end(&self) -> (i128, i32) {
        (self.start + i128::from(self.count), self.e)
    }

    /// Whether each result is evaluated: a series would serve few arguments.
    pub(crate) fn is_pointwise(&self) -> bool {
        self.scattered || self.format.is_small() && self.count <= MAX_POINTWISE
    }

    /// Argument number k of the segment.
    pub fn argument(&self, k: u64) -> Dyadic {
        Dyadic { m: self.start + i128::from(k), e: self.e }
    }

    fn run(&self) -> Run {
        Run { start: self.start, end: self.end().0, e: self.e }
    }

    /// F' over the arguments from number `range.start` to `range.end`.
    pub(crate) fn slope<const N: usize>(&self, range: &Range<u64>) -> Ball<N>
    where
        Jet<N>: Series,
    {
        let [start, end] = [range.start, range.end].map(|k| self.start + i128::from(k));
        Run { start, end, e: self.e }.enclosure::<N>(self.function).1.shifted(self.unit)
    }

    /// Bounds of |F^(n)| / n! for n = 0, 1, .. over the arguments within `reach` of number `at`, by
    /// their base-2 logarithms, and the ball of F'.
    pub(crate) fn bounds(&self, at: u64, reach: u64) -> ([f64; MAX_TERMS], Ball<3>) {
        let jet = self.run().jet::<3>(self.function, self.argument(at).m, reach, MAX_TERMS);
        let mut bounds = [f64::INFINITY; MAX_TERMS];
        for (bound, c) in bounds.iter_mut().zip(jet.coefficients()) {
            if c.is_known() {
                *bound = c.log2() + f64::from(self.unit);
            }
        }
        (bounds, jet.coefficients()[1].shifted(self.unit))
    }

    /// The Taylor series of F mod 1 at argument `at`, for arguments of the segment at most `reach`
    /// before and after it. The variable is the number of arguments from `at`. Returns the
    /// coefficients in units of 2^-256, in two's complement, lowest word first, and a bound of the
    /// polynomial's error: the remainder in Lagrange's form, the rounding of the coefficients to
    /// multiples of 2^-256, and their own errors.
    pub fn taylor(&self, at: u64, reach: u64) -> (Vec<[u64; 4]>, f64) {
        let reach = reach.min(at.max(self.count - 1 - at));
        let (bounds, _) = self.bounds(at, reach);
        let far = (reach as f64).log2();
        let term = |n: usize| (bounds[n] + n as f64 * far).exp2();
        let most = MAX_TERMS - 2;
        let degree = (0..most).find(|&degree| term(degree + 1) < scaled(1.0, -62)).unwrap_or(most);

        let x = self.argument(at);
        let step = Ball::dyadic(1, self.e);
        let jet = self.function.jet5(&Jet::variable(Ball::dyadic(x.m, x.e), step, degree + 1));
        let mut error = term(degree + 1);
        let mut coefficients = Vec::with_capacity(degree + 1);
        for (k, c) in jet.coefficients().iter().enumerate() {
            let (m, e, r) = c.parts();
            let e = e + self.unit;
            // A coefficient that rounds to zero loses at most its own term.
            let rounding = scaled((reach as f64).powi(k as i32), -257).min(term(k));
            error += rounding + r * scaled((reach as f64).powi(k as i32), e - 256);
            coefficients.push(if c.is_known() { m.fraction(e) } else { [0; 4] });
        }
        if self.modes == Modes::Nearest {
            coefficients[0][3] ^= 1 << 63;
        }
        (coefficients, if error.is_nan() { f64::INFINITY } else { 1.001 * error })
    }

    /// |F''| / 2 at argument k, in units of arguments.
    pub fn bend(&self, k: u64) -> f64 {
        let jet = self.run().jet::<3>(self.function, self.argument(k).m, 0, 3);
        scaled(jet.coefficients()[2].to_f64().abs(), self.unit)
    }
}
