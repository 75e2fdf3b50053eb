//! Splits an interval of arguments into segments; the search of a segment is one series of blocks.

use std::ops::Range;

use crate::ball::Ball;
use crate::error::Error;
use crate::fixed::scaled;
use crate::function::{Dyadic, Function, exponent};
use crate::jet::{Jet, MAX_TERMS};

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
/// |f| stays between two neighbouring powers of 2 or is subnormal, so that the unit is constant: half
/// an ulp for [`Modes::All`], where even integers are binary64 numbers, and one ulp for the other
/// modes. F has the sign of f.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    pub function: &'static dyn Function,
    pub modes: Modes,
    /// Number of arguments of the interval before this segment.
    pub first: u64,
    pub count: u64,
    pub start: i64,
    pub e: i32,
    pub unit: i32,
}

/// Smallest magnitude of arguments. Closer to 0, results of all functions with a series there are
/// the first term of it to more digits than the search can tell apart.
const NEAREST_ZERO: f64 = 1.0 / (1_u128 << 96) as f64;

/// The exponent of the smallest normal number. The ulp of subnormal numbers is that of this binade.
const MIN_EXPONENT: i32 = -1022;

/// Maximum number of cells that an interval is cut into.
const MAX_CELLS: usize = 1 << 17;

/// The arguments of `from` <= x < `to` in ascending order, all binary64 numbers or, with `grid`,
/// all multiples of 2^`grid`, as segments in ascending order.
pub fn segments(
    function: &'static dyn Function,
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
    let mut cells = Vec::new();
    for run in runs {
        run.cut(function, &mut cells)?;
    }
    for cell in cells {
        cell.parts(function, |start, end, exponent| {
            let exponent = exponent.max(MIN_EXPONENT);
            let unit = if modes == Modes::All { 53 - exponent } else { 52 - exponent };
            let first = segments.last().map_or(0, |last| last.first + last.count);
            let count = end.abs_diff(start);
            let e = cell.run.e;
            match segments.last_mut() {
                Some(last) if last.unit == unit && last.end() == (start, e) => last.count += count,
                _ => segments.push(Segment { function, modes, first, count, start, e, unit }),
            }
        });
    }
    Ok(segments)
}

fn check(function: &dyn Function, from: f64, to: f64, grid: bool) -> Result<(), Error> {
    let wrong = |why: String| Err(Error::argument(&["from", "to"], why));
    if !(from.is_finite() && to.is_finite()) {
        return wrong("must be finite numbers".to_owned());
    }
    if from >= to {
        return wrong(format!("the interval begins at {}, not below its end {}", Dyadic::of(from), Dyadic::of(to)));
    }
    let (least, most) = function.domain();
    // The end itself is excluded.
    let end = if grid { most } else { most.next_up() };
    if from < least || to > end {
        let [least, most] = [least, most].map(|x| format!("{} = {x:e}", Dyadic::of(x)));
        return wrong(format!("this function can be searched from {least} to {most}"));
    }
    if least < 0.0 && from < NEAREST_ZERO && to > -NEAREST_ZERO {
        let [least, near, most] = [least, NEAREST_ZERO, most].map(Dyadic::of);
        return wrong(format!(
            "arguments closer to zero than {near} cannot be searched; this function can be searched from {least} to \
             -{near} and from {near} to {most}"
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

/// The binades of an interval without zero. Subnormal numbers have the step of the first one.
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
    /// Halves the run into cells until the enclosure of f over a cell has one exponent, or f and its
    /// derivative have one sign each, so that the exponents are in order. Appends the cells,
    /// ascending.
    fn cut(self, function: &dyn Function, cells: &mut Vec<Cell>) -> Result<(), Error> {
        let mut stack = vec![self];
        while let Some(run) = stack.pop() {
            let (value, slope) = run.enclosure(function);
            let exponent = value.exponent();
            let ordered = value.sign().is_some() && slope.sign().is_some();
            if run.end - run.start == 1 || exponent.is_some() || ordered {
                cells.push(Cell { run, exponent });
            } else {
                let middle = run.start + (run.end - run.start) / 2;
                stack.extend([Run { start: middle, ..run }, Run { end: middle, ..run }]);
            }
            if cells.len() + stack.len() > MAX_CELLS {
                let why = "the result changes its binade too often; shorten the interval";
                return Err(Error::argument(&["from", "to"], why.to_owned()));
            }
        }
        Ok(())
    }

    /// The series at m, as the variable the number of arguments from there; the coefficients hold for
    /// all arguments within `reach`.
    fn jet(self, function: &dyn Function, m: i64, reach: u64, terms: usize) -> Jet<3> {
        let step = Ball::dyadic(1, self.e);
        let x = Ball::dyadic(m, self.e);
        let x = if reach == 0 { x } else { x.add(Ball::symmetric().mul(step).times(reach as i64)) };
        function.jet3(&Jet::variable(x, step, terms))
    }

    /// f and its derivative over a cell, by the second derivative.
    fn enclosure(self, function: &dyn Function) -> (Ball<3>, Ball<3>) {
        let Run { start, end, .. } = self;
        let middle = start + (end - 1 - start) / 2;
        let reach = end.abs_diff(middle).max(1);
        let centre = self.jet(function, middle, 0, 2);
        let wide = self.jet(function, middle, reach, 3);
        let [value, slope] = [centre.coefficients()[0], centre.coefficients()[1]];
        let far = Ball::symmetric().times(reach as i64);
        let bend = wide.coefficients()[2];
        let offset = slope.add(bend.mul(far)).mul(far);
        (value.add(offset), slope.add(bend.mul(far).shifted(1)))
    }
}

/// A run on which the exponent of the result is constant, if it is given, or monotone.
#[derive(Clone, Copy, Debug)]
struct Cell {
    run: Run,
    exponent: Option<i32>,
}

impl Cell {
    /// Calls `part(start, end, exponent)` for parts of the cell on which the exponent of the result
    /// is constant, ascending; 0 counts as 1.
    fn parts(self, function: &dyn Function, mut part: impl FnMut(i64, i64, i32)) {
        let Run { mut start, end, e } = self.run;
        let key = |m: i64| exponent(function, Dyadic { m, e }).unwrap_or(0);
        let near = |m: i64| self.run.jet(function, m, 0, 1).value().exponent().unwrap_or(i32::MIN);
        if let Some(exponent) = self.exponent {
            return part(start, end, exponent);
        }
        while start < end {
            let here = key(start);
            let past = first_other(start, end, here, near, key);
            part(start, past, here);
            start = past;
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

impl Segment {
    /// The position after the last argument.
    fn end(&self) -> (i64, i32) {
        (self.start.wrapping_add_unsigned(self.count), self.e)
    }

    /// Argument number k of the segment.
    pub fn argument(&self, k: u64) -> Dyadic {
        Dyadic { m: self.start.wrapping_add_unsigned(k), e: self.e }
    }

    fn run(&self) -> Run {
        Run { start: self.start, end: self.end().0, e: self.e }
    }

    /// F' over the arguments from number `range.start` to `range.end`.
    pub(crate) fn slope(&self, range: &Range<u64>) -> Ball<3> {
        let [start, end] = [range.start, range.end].map(|k| self.start.wrapping_add_unsigned(k));
        Run { start, end, e: self.e }.enclosure(self.function).1.shifted(self.unit)
    }

    /// Bounds of |F^(n)| / n! for n = 0, 1, .. over the arguments within `reach` of number `at`, by
    /// their base-2 logarithms, and the ball of F'.
    pub(crate) fn bounds(&self, at: u64, reach: u64) -> ([f64; MAX_TERMS], Ball<3>) {
        let jet = self.run().jet(self.function, self.argument(at).m, reach, MAX_TERMS);
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
        let jet = self.run().jet(self.function, self.argument(k).m, 0, 3);
        scaled(jet.coefficients()[2].to_f64().abs(), self.unit)
    }
}
