//! Splits an interval of arguments into segments; the search of a segment is one series of blocks.

use crate::error::Error;
use crate::fixed::{Fixed, scaled};
use crate::function::{Dyadic, ERROR, Function, Value, quarters};

/// The rounding modes to search for, each with its breakpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modes {
    /// To nearest and directed: breakpoints are binary64 numbers and the midpoints between them
    All,
    /// To nearest: breakpoints are the midpoints
    Nearest,
    /// Up, down and towards zero: breakpoints are the binary64 numbers
    Directed,
}

/// Consecutive arguments (start + k) 2^e, k = 0, 1, .. `count` - 1, on which F = f 2^unit has
/// breakpoints at the integers, or F = f 2^unit + 1/2 for [`Modes::Nearest`]: an argument is hard
/// if |F mod 1| is small.
///
/// |f| stays between two neighbouring powers of 2, so that the unit is constant: half an ulp for
/// [`Modes::All`], where even integers are binary64 numbers, and one ulp for the other modes. F has
/// the sign of f. F'' does not change its sign.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    pub function: Function,
    pub modes: Modes,
    /// Number of arguments of the interval before this segment.
    pub first: u64,
    pub count: u64,
    pub start: i64,
    pub e: i32,
    pub unit: i32,
    /// Whether F'' >= 0; else F'' <= 0.
    pub convex: bool,
}

/// Smallest magnitude of arguments of all functions but the logarithms. Closer to zero, results are
/// in long runs of hard cases or without any, for which a search by blocks is unsuitable.
const NEAREST_ZERO: f64 = 1.0 / (1_u64 << 40) as f64;

/// The maximum degree of a series.
pub const MAX_DEGREE: usize = hotloops::hardround::MAX_DEGREE;

/// The arguments of `from` <= x < `to` in ascending order, all binary64 numbers or, with `grid`,
/// all multiples of 2^`grid`, as segments in ascending order.
pub fn segments(
    function: Function,
    modes: Modes,
    from: f64,
    to: f64,
    grid: Option<i32>,
) -> Result<Vec<Segment>, Error> {
    check(function, from, to, grid.is_some())?;
    let runs = match grid {
        None => doubles(Dyadic::of(from), Dyadic::of(to)),
        Some(e) => multiples(from, to, e)?,
    };
    let count: u128 = runs.iter().map(|run| run.end.abs_diff(run.start) as u128).sum();
    if count == 0 {
        return Err(Error::argument(&["grid"], "no multiple of it is between the ends of the interval".to_owned()));
    }
    if count > 1 << 63 {
        return Err(Error::argument(&["from", "to"], "more than 2^63 arguments; shorten the interval".to_owned()));
    }
    let mut segments: Vec<Segment> = Vec::new();
    for run in runs {
        run.cut(function, |start, end, side, exponent| {
            let unit = if modes == Modes::All { 53 - exponent } else { 52 - exponent };
            let convex = match function {
                Function::Exp | Function::Exp2 | Function::Exp10 => true,
                Function::Log | Function::Log2 => false,
                Function::Sin => side.rem_euclid(4) >= 2,
                Function::Cos => (side + 1).rem_euclid(4) >= 2,
            };
            let first = segments.last().map_or(0, |last| last.first + last.count);
            let count = end.abs_diff(start);
            match segments.last_mut() {
                // The two parts are separated by an extremum only.
                Some(last) if last.unit == unit && last.convex == convex && last.end() == (start, run.e) => {
                    last.count += count;
                }
                _ => segments.push(Segment { function, modes, first, count, start, e: run.e, unit, convex }),
            }
        });
    }
    Ok(segments)
}

impl Function {
    /// The smallest and the largest argument that can be searched.
    fn range(self) -> (f64, f64) {
        match self {
            // Results must be normal numbers.
            Function::Exp => (-708.3964185322641, 709.782712893384),
            Function::Exp2 => (-1022.0, 1024_f64.next_down()),
            Function::Exp10 => (-307.6526555685887, 308.2547155599167),
            // Arguments must be normal numbers.
            Function::Log | Function::Log2 => (f64::MIN_POSITIVE, f64::MAX),
            // In this range the reduction by multiples of pi / 2 is within `ERROR`.
            Function::Sin | Function::Cos => (-2048.0, 2048.0),
        }
    }
}

fn check(function: Function, from: f64, to: f64, grid: bool) -> Result<(), Error> {
    let wrong = |why: String| Err(Error::argument(&["from", "to"], why));
    if !(from.is_finite() && to.is_finite()) {
        return wrong("must be finite numbers".to_owned());
    }
    if from >= to {
        return wrong(format!("the interval begins at {}, not below its end {}", Dyadic::of(from), Dyadic::of(to)));
    }
    let (least, most) = function.range();
    // The end itself is excluded.
    let end = if grid { most } else { most.next_up() };
    if from < least || to > end {
        let [least, most] = [least, most].map(|x| format!("{} = {x:e}", Dyadic::of(x)));
        return wrong(format!("this function can be searched from {least} to {most}"));
    }
    if from < NEAREST_ZERO && to > -NEAREST_ZERO && !matches!(function, Function::Log | Function::Log2) {
        let [least, near, most] = [least, NEAREST_ZERO, most].map(Dyadic::of);
        return wrong(format!(
            "arguments closer to zero than {near} cannot be searched yet, although some are hard cases; \
             this function can be searched from {least} to -{near} and from {near} to {most}"
        ));
    }
    Ok(())
}

/// Arguments m 2^e for start <= m < end.
#[derive(Clone, Copy, Debug)]
struct Run {
    start: i64,
    end: i64,
    e: i32,
}

/// The binades of an interval without zero.
fn doubles(from: Dyadic, to: Dyadic) -> Vec<Run> {
    const MIN_SIGNIFICAND: i64 = 1 << 52;
    let run = |e: i32, first: i64, past: i64| Run {
        start: if e == from.e { from.m } else { first },
        end: if e == to.e { to.m } else { past },
        e,
    };
    let mut runs: Vec<Run> = if from.m > 0 {
        (from.e..=to.e).map(|e| run(e, MIN_SIGNIFICAND, 2 * MIN_SIGNIFICAND)).collect()
    } else {
        (to.e..=from.e).rev().map(|e| run(e, 1 - 2 * MIN_SIGNIFICAND, 1 - MIN_SIGNIFICAND)).collect()
    };
    runs.retain(|run| run.start < run.end);
    runs
}

/// The multiples of 2^e in an interval.
fn multiples(from: f64, to: f64, e: i32) -> Result<Vec<Run>, Error> {
    let up = |x: f64| {
        let Dyadic { m, e: of } = Dyadic::of(x);
        match of - e {
            by @ 0..=9 => Some(m << by),
            by @ ..0 => Some(-(-m >> by.unsigned_abs().min(63))),
            _ => None,
        }
    };
    match (up(from), up(to)) {
        (Some(start), Some(end)) if e >= -256 => Ok(vec![Run { start, end, e }]),
        _ => Err(Error::argument(
            &["grid"],
            format!(
                "2^{e} is below 2^-256, or too fine for this interval (its ends exceed 2^62 steps); use a coarser grid"
            ),
        )),
    }
}

impl Run {
    /// Calls `part(start, end, side, exponent)` for each part of the run on which
    /// [`Function::side`] and the exponent of the result are constant.
    fn cut(self, function: Function, mut part: impl FnMut(i64, i64, i64, i32)) {
        let x = |m: i64| Dyadic { m, e: self.e };
        let guess = |m: i64| function.approximately(x(m).to_f64());
        let mut start = self.start;
        while start < self.end {
            let side = function.side(x(start));
            let near = |m| function.side_near(x(m));
            let past = first_other(start, self.end, side, near, |m| function.side(x(m)));
            while start < past {
                let exponent = function.exponent(x(start));
                let near = |m| Dyadic::of(guess(m)).exponent_or_least();
                let end = first_other(start, past, exponent, near, |m| function.exponent(x(m)));
                part(start, end, side, exponent);
                start = end;
            }
        }
    }
}

/// The first m in `start` .. `end` whose key differs from `here`, the key of `start`; `end` if
/// there is none. No later key equals `here`. `near` approximates the key.
fn first_other<K: PartialEq>(start: i64, end: i64, here: K, near: impl Fn(i64) -> K, key: impl Fn(i64) -> K) -> i64 {
    let (mut low, mut high) = (start, end);
    // Bisect with the approximation; `end` counts as a different key.
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        *if near(middle) == here { &mut low } else { &mut high } = middle;
    }
    let guess = high;
    let (mut low, mut high, mut width) = (start, end, 1);
    let narrow = |low: &mut i64, high: &mut i64, m: i64| {
        if *low < m && m < *high {
            *if key(m) == here { low } else { high } = m;
        }
    };
    while (high - low) / 4 > width {
        narrow(&mut low, &mut high, guess - width);
        narrow(&mut low, &mut high, guess + width - 1);
        width *= 2;
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        narrow(&mut low, &mut high, middle);
    }
    high
}

impl Dyadic {
    fn exponent_or_least(self) -> i32 {
        if self.m == 0 { i32::MIN } else { self.exponent() }
    }
}

impl Function {
    /// Ascending with x, and constant where f has neither zero, extremum nor inflection.
    fn side(self, x: Dyadic) -> i64 {
        match self {
            Function::Exp | Function::Exp2 | Function::Exp10 => 0,
            Function::Log | Function::Log2 => {
                let one = x.exponent() == 0 && x.m & (x.m - 1) == 0;
                if one { 0 } else { i64::from(x.exponent() >= 0) * 2 - 1 }
            }
            Function::Sin | Function::Cos => {
                fn side<const N: usize>(x: Dyadic) -> Option<i64> {
                    let (n, r) = quarters::<N>(x);
                    let sure = r.magnitude().sub(error()).is_negative();
                    (!sure).then_some(if r.is_negative() { n - 1 } else { n })
                }
                decided([side::<5>, side::<9>, side::<17>], x)
            }
        }
    }

    fn side_near(self, x: Dyadic) -> i64 {
        match self {
            Function::Sin | Function::Cos => (x.to_f64() * std::f64::consts::FRAC_2_PI).floor() as i64,
            _ => self.side(x),
        }
    }

    /// The exponent of the largest power of 2 at most |f(x)|, 0 for f(x) = 0.
    pub fn exponent(self, x: Dyadic) -> i32 {
        if let Some(exact) = self.exact(x) {
            return if exact.m == 0 { 0 } else { exact.exponent() };
        }
        fn exponent<const N: usize>((function, x): (Function, Dyadic)) -> Option<i32> {
            let Value { m, e } = function.value::<N>(x);
            let (low, high) = (m.magnitude().sub(error()), m.magnitude().add(error()));
            let sure = !low.is_negative() && !low.is_zero() && low.exponent() == high.exponent();
            sure.then(|| low.exponent() + e)
        }
        decided([exponent::<5>, exponent::<9>, exponent::<17>], (self, x))
    }
}

/// [`ERROR`] units.
pub fn error<const N: usize>() -> Fixed<N> {
    Fixed::dyadic(ERROR as i64, -Fixed::<N>::BITS)
}

/// The first answer, in order of ascending precision.
///
/// Exact cases are handled before. At all other arguments, no function comes within 2^-900 of a
/// value that it is compared with.
pub fn decided<X: Copy, T>(by_precision: [fn(X) -> Option<T>; 3], x: X) -> T {
    by_precision.iter().find_map(|answer| answer(x)).expect("1000 bits tell results from breakpoints")
}

impl Segment {
    /// The position after the last argument.
    fn end(&self) -> (i64, i32) {
        (self.start.wrapping_add_unsigned(self.count), self.e)
    }

    /// Argument number k of the segment.
    pub fn argument(&self, k: u64) -> Dyadic {
        Dyadic { m: self.start.wrapping_add_unsigned(k), e: self.e }
    }

    /// The Taylor series of F mod 1 at argument `at`, for arguments of the segment at most `reach`
    /// before and after it. The variable is the number of arguments from `at`. Returns `degree` + 1
    /// coefficients in units of 2^-256, in two's complement, lowest word first, and a bound of the
    /// polynomial's error. `degree` is at most [`MAX_DEGREE`].
    pub fn taylor(&self, at: u64, reach: u64, degree: usize) -> (Vec<[u64; 4]>, f64) {
        let reach = reach.min(at.max(self.count - 1 - at));
        let error = self.loss(self.least_magnitude(at, reach), reach, degree);
        let terms = self.terms(at, degree);
        let mut coefficients: Vec<[u64; 4]> = terms.iter().map(|(m, e)| m.fraction(*e)).collect();
        if self.modes == Modes::Nearest {
            coefficients[0][3] ^= 1 << 63;
        }
        (coefficients, error)
    }

    /// The smallest degree for which [`Segment::taylor`] truncates less than 2^-62, at most
    /// [`MAX_DEGREE`].
    pub fn degree_for(&self, reach: u64) -> usize {
        let reach = reach.min(self.count);
        let nearest = self.least_magnitude(0, 0);
        (0..MAX_DEGREE).find(|&degree| self.term(nearest, reach, degree + 1) < scaled(1.0, -62)).unwrap_or(MAX_DEGREE)
    }

    /// |F''| / 2 at argument k, in units of arguments.
    pub fn bend(&self, k: u64) -> f64 {
        let (m, e) = self.terms(k, 2)[2];
        m.to_f64(e).abs()
    }

    /// The coefficients of the series as m 2^e.
    fn terms(&self, at: u64, degree: usize) -> Vec<(Fixed<5>, i32)> {
        let terms = self.function.taylor::<5>(self.argument(at), degree).into_iter().zip(0..);
        terms.map(|(Value { m, e }, k)| (m, e + self.unit + k * self.e)).collect()
    }

    /// The smallest |x| within reach.
    fn least_magnitude(&self, at: u64, reach: u64) -> f64 {
        // Arguments that may be small are positive.
        self.argument(at.saturating_sub(reach)).to_f64()
    }

    /// Maximum error of a series, if all |x| are at least `nearest`: the remainder, the rounding of
    /// the coefficients to multiples of 2^-256, and their own errors.
    fn loss(&self, nearest: f64, reach: u64, degree: usize) -> f64 {
        // A coefficient that rounds to zero loses at most its own term.
        let rounding = |k: usize| scaled((reach as f64).powi(k as i32), -257).min(self.term(nearest, reach, k));
        // Own errors are scaled by at most 2^55 or 2^unit.
        let (ratio, shift) = match self.function {
            Function::Exp | Function::Exp2 | Function::Exp10 => (self.function.rate().max(1.0), 55),
            Function::Log | Function::Log2 => (2.0 / nearest, self.unit),
            Function::Sin | Function::Cos => (1.0, self.unit),
        };
        let ratio = ratio * scaled(reach as f64, self.e);
        let wrong = |k: usize| scaled(ERROR, shift - 256) * ratio.powi(k as i32);
        let coefficients: f64 = (0..=degree).map(|k| rounding(k) + wrong(k)).sum();
        1.001 * (self.term(nearest, reach, degree + 1) + coefficients)
    }

    /// A bound of |F^(n)| reach^n / n! if all |x| are at least `nearest`. For n = degree + 1 it
    /// bounds the remainder (Lagrange's form).
    ///
    /// For b^x the derivative is F (ln b)^n with |F| < 2^54, for the logarithm 2^unit (n - 1)! /
    /// x^n, doubled for log2, for sine and cosine at most 2^unit.
    fn term(&self, nearest: f64, reach: u64, n: usize) -> f64 {
        if n == 0 {
            return f64::INFINITY;
        }
        let factorial = (1..=n).map(|factor| factor as f64).product::<f64>();
        let n = n as f64;
        let distance = scaled(reach as f64, self.e) * self.function.rate();
        let logarithm = match self.function {
            Function::Exp | Function::Exp2 | Function::Exp10 => 54.0 - factorial.log2() + n * distance.log2(),
            Function::Log | Function::Log2 => f64::from(self.unit) + 1.0 - n.log2() + n * (distance / nearest).log2(),
            Function::Sin | Function::Cos => f64::from(self.unit) - factorial.log2() + n * distance.log2(),
        };
        logarithm.exp2()
    }
}

impl Function {
    /// Natural logarithm of the base.
    fn rate(self) -> f64 {
        match self {
            Function::Exp2 => std::f64::consts::LN_2,
            Function::Exp10 => std::f64::consts::LN_10,
            _ => 1.0,
        }
    }
}
