//! Splits an interval of arguments into segments; the search of a segment is one series of blocks.

use std::ops::Range;

use crate::ball::Ball;
use crate::error::Error;
use crate::fixed::scaled;
use crate::format::Format;
use crate::function::{Dyadic, Function, Series, exponent};
use crate::jet::{Jet, MAX_TERMS};

/// The rounding modes to search for, each with its breakpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modes {
    /// To nearest and directed: breakpoints are the numbers of the format and the midpoints between them
    All,
    /// To nearest: breakpoints are the midpoints
    Nearest,
    /// Up, down and towards zero: breakpoints are the numbers of the format
    Directed,
}

/// Consecutive arguments (start + k) 2^e, k = 0, 1, .. `count` - 1, on which F = f 2^unit has
/// breakpoints at the integers, or F = f 2^unit + 1/2 for [`Modes::Nearest`]: an argument is hard
/// if |F mod 1| is small.
///
/// |f| stays between two neighbouring powers of 2 or is subnormal, so that the unit is constant: half
/// an ulp for [`Modes::All`], where even integers are numbers of the format, and one ulp for the
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

/// Smallest magnitude of arguments, unless the format is small. Closer to 0, results of all functions
/// with a series there are the first term of it to more digits than the search can tell apart.
pub(crate) const NEAREST_ZERO: f64 = 1.0 / (1_u128 << 96) as f64;

/// Maximum number of cells that an interval is cut into.
const MAX_CELLS: usize = 1 << 17;

/// Maximum number of cells of a run of a small format. More cells are searched as one scattered cell.
const MAX_CELLS_OF_RUN: usize = 1 << 13;

/// Maximum number of arguments of a small format that are evaluated one by one.
const MAX_POINTWISE: u64 = 256;

/// Smaller arguments need more than 128 bits: a result may cancel all bits of an argument, and
/// once more as many.
const TINY: i32 = -40;

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
    fn misses(&self, one: i32, other: i32) -> bool {
        one.max(other) < self.last_bit() - 2 || one.min(other) > self.max_exponent
    }
}

/// The arguments of `from` <= x < `to` in ascending order, all numbers of the format or, with `grid`,
/// all multiples of 2^`grid`, as segments in ascending order. Results that overflow or vanish are
/// left out.
pub fn segments<'f>(
    function: &'f dyn Function,
    format: Format,
    modes: Modes,
    from: f64,
    to: f64,
    grid: Option<i32>,
) -> Result<Vec<Segment<'f>>, Error> {
    check(function, format, from, to, grid.is_some())?;
    let runs = match grid {
        None => numbers(format, Dyadic::of(from), Dyadic::of(to)),
        Some(e) => multiples(from, to, e)?,
    };
    let count: u128 = runs.iter().map(|run| run.end.abs_diff(run.start)).sum();
    if count == 0 {
        return Err(match grid {
            Some(_) => Error::argument(
                &["grid"],
                "no multiple of it is between the ends of the interval; use a finer grid".to_owned(),
            ),
            None => Error::argument(
                &["from", "to"],
                format!("no number of {format} is between them; lengthen the interval"),
            ),
        });
    }
    if count > 1 << 63 {
        return Err(Error::argument(&["from", "to"], "more than 2^63 arguments; shorten the interval".to_owned()));
    }
    let mut segments: Vec<Segment> = Vec::new();
    let mut cells = Vec::new();
    for run in runs {
        run.cut(function, format.is_small() && grid.is_none(), &mut cells)?;
    }
    for cell in cells {
        cell.parts(function, format, |start, end, exponent| {
            let scattered = exponent.is_none();
            let unit = match exponent {
                Some(exponent) if !format.reaches(exponent) => return,
                Some(exponent) => format.unit(modes, exponent),
                None => 0,
            };
            let first = segments.last().map_or(0, |last| last.first + last.count);
            let count = end.abs_diff(start) as u64;
            let e = cell.run.e;
            match segments.last_mut() {
                Some(last) if (last.unit, last.scattered) == (unit, scattered) && last.end() == (start, e) => {
                    last.count += count;
                }
                _ => segments.push(Segment { function, format, modes, first, count, start, e, unit, scattered }),
            }
        })?;
    }
    if segments.is_empty() {
        let why =
            format!("all results overflow {format}, or are below half of its smallest number; search other arguments");
        return Err(Error::argument(&["from", "to"], why));
    }
    Ok(segments)
}

fn check(function: &dyn Function, format: Format, from: f64, to: f64, grid: bool) -> Result<(), Error> {
    let wrong = |why: String| Err(Error::argument(&["from", "to"], why));
    if !(from.is_finite() && to.is_finite()) {
        return wrong("must be finite numbers".to_owned());
    }
    if from >= to {
        return wrong(format!(
            "the interval begins at {}, not below its end {}; exchange or change them",
            Dyadic::of(from),
            Dyadic::of(to)
        ));
    }
    let (least, most) = function.domain();
    // The end itself is excluded.
    let end = if grid { most } else { most.next_up() };
    if from < least || to > end {
        let [least, most] = [least, most].map(|x| format!("{} = {x:e}", Dyadic::of(x)));
        return wrong(format!("this function can be searched from {least} to {most}"));
    }
    if !format.is_small() && least < 0.0 && from < NEAREST_ZERO && to > -NEAREST_ZERO {
        let [least, near, most] = [least, NEAREST_ZERO, most].map(Dyadic::of);
        return wrong(format!(
            "arguments closer to zero than {near} cannot be searched; this function can be searched from {least} to \
             -{near} and from {near} to {most}"
        ));
    }
    if format.is_small() && !grid && (from < -format.end() || to > format.end()) {
        let end = Dyadic::of(format.end());
        return wrong(format!("the numbers of {format} are between -{end} and {end}"));
    }
    Ok(())
}

/// Arguments m 2^e for start <= m < end.
#[derive(Clone, Copy, Debug)]
struct Run {
    start: i128,
    end: i128,
    e: i32,
}

/// The binades of an interval. Subnormal numbers have the step of the first one, as zero has.
fn numbers(format: Format, from: Dyadic, to: Dyadic) -> Vec<Run> {
    let [first, end] = [from, to].map(|x| format.number_from(x));
    let binade = 1_i128 << (format.precision - 1);
    // The exponent of the last bit and the significand of a number that is counted from 0.
    let above = |number: i128| (number / binade - 1).max(0);
    let positive = |first: i128, end: i128| {
        let mut runs = Vec::new();
        let mut number = first;
        while number < end {
            let above = above(number);
            let past = end.min((above + 2) * binade);
            let base = above * binade;
            runs.push(Run { start: number - base, end: past - base, e: format.last_bit() + above as i32 });
            number = past;
        }
        runs
    };
    let mut runs: Vec<Run> = positive(1.max(1 - end), 1 - first)
        .into_iter()
        .rev()
        .map(|run| Run { start: 1 - run.end, end: 1 - run.start, ..run })
        .collect();
    runs.extend(positive(first.max(0), end));
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
    fn len(&self) -> i128 {
        self.end - self.start
    }

    /// Halves the run into cells until the enclosure of f over a cell has one exponent, or f and its
    /// derivative have one sign each, so that the exponents are in order. Appends the cells,
    /// ascending. `may_scatter` permits a scattered cell in place of many.
    fn cut(self, function: &dyn Function, may_scatter: bool, cells: &mut Vec<Cell>) -> Result<(), Error> {
        let before = cells.len();
        let scattered = Cell { run: self, exponents: Exponents::Scattered };
        if may_scatter && self.is_scattered(function) {
            cells.push(scattered);
            return Ok(());
        }
        let mut stack = vec![self];
        while let Some(run) = stack.pop() {
            match run.exponents(function) {
                Some(exponents) => cells.push(Cell { run, exponents }),
                None if run.len() == 1 => cells.push(Cell { run, exponents: Exponents::Ordered }),
                None => {
                    let middle = run.start + run.len() / 2;
                    stack.extend([Run { start: middle, ..run }, Run { end: middle, ..run }]);
                }
            }
            if may_scatter && cells.len() + stack.len() > before + MAX_CELLS_OF_RUN {
                cells.truncate(before);
                cells.push(scattered);
                return Ok(());
            }
            if cells.len() + stack.len() > MAX_CELLS {
                return Err(self.too_many(stack.last().map_or(self.end, |run| run.start)));
            }
        }
        Ok(())
    }

    /// The error of a run of too many cells, of which those before `reached` were counted.
    fn too_many(self, reached: i128) -> Error {
        let e = self.e;
        let part = (reached - self.start) / 4 * 3;
        let rounding = part.max(4).ilog2() - 2;
        let shorter = Dyadic { m: (self.start + part) >> rounding << rounding, e };
        let reached = Dyadic { m: reached, e };
        let why = format!(
            "the result changes its binade too often for one search: it has {MAX_CELLS} parts before {reached}; search \
             several intervals, the first to {shorter}, for example"
        );
        Error::argument(&["from", "to"], why)
    }

    /// The exponents of f over the run, if its enclosure shows them.
    fn exponents(self, function: &dyn Function) -> Option<Exponents> {
        let (exponent, ordered) = match self.is_tiny() {
            false => signs(self.enclosure::<3>(function)),
            true => signs(self.enclosure::<9>(function)),
        };
        exponent.map(Exponents::One).or_else(|| ordered.then_some(Exponents::Ordered))
    }

    /// Whether many short parts of the run have undetermined exponents.
    fn is_scattered(self, function: &dyn Function) -> bool {
        const PARTS: i128 = 32;
        const LENGTH: i128 = 256;
        if self.len() < 4 * PARTS * LENGTH {
            return false;
        }
        let part = |i: i128| {
            let start = self.start + self.len() * i / PARTS;
            Run { start, end: start + LENGTH, ..self }
        };
        (0..PARTS).filter(|&i| part(i).exponents(function).is_none()).count() >= PARTS as usize / 4
    }

    fn is_tiny(&self) -> bool {
        let largest = self.start.unsigned_abs().max(self.end.unsigned_abs());
        self.e + largest.max(1).ilog2() as i32 <= TINY
    }

    /// The series at m, as the variable the number of arguments from there; the coefficients hold for
    /// all arguments within `reach`.
    fn jet<const N: usize>(self, function: &dyn Function, m: i128, reach: u64, terms: usize) -> Jet<N>
    where
        Jet<N>: Series,
    {
        let step = Ball::dyadic(1, self.e);
        let x = Ball::dyadic(m, self.e);
        let x = if reach == 0 { x } else { x.add(Ball::symmetric().mul(step).times(reach as i64)) };
        Jet::variable(x, step, terms).of(function)
    }

    /// f and its derivative over a cell, by the second derivative.
    fn enclosure<const N: usize>(self, function: &dyn Function) -> (Ball<N>, Ball<N>)
    where
        Jet<N>: Series,
    {
        let Run { start, end, .. } = self;
        let middle = start + (end - 1 - start) / 2;
        let reach = end.abs_diff(middle).max(1) as u64;
        let centre = self.jet::<N>(function, middle, 0, 2);
        let wide = self.jet::<N>(function, middle, reach, 3);
        let [value, slope] = [centre.coefficients()[0], centre.coefficients()[1]];
        let far = Ball::symmetric().times(reach as i64);
        let bend = wide.coefficients()[2];
        let offset = slope.add(bend.mul(far)).mul(far);
        (value.add(offset), slope.add(bend.mul(far).shifted(1)))
    }
}

/// The exponent of f, and whether f and its derivative have one sign each.
fn signs<const N: usize>((value, slope): (Ball<N>, Ball<N>)) -> (Option<i32>, bool) {
    (value.exponent(), value.sign().is_some() && slope.sign().is_some())
}

/// The exponents of the results of a run.
#[derive(Clone, Copy, Debug)]
enum Exponents {
    One(i32),
    /// Monotone.
    Ordered,
    Scattered,
}

/// A run with the exponents of its results.
#[derive(Clone, Copy, Debug)]
struct Cell {
    run: Run,
    exponents: Exponents,
}

impl Cell {
    /// Calls `part(start, end, exponent)` for parts of the cell on which the exponent of the result
    /// is constant, ascending; 0 counts as 1. A scattered cell is one part, without an exponent. Monotone results that
    /// all overflow or vanish have no parts: each exponent takes long to find.
    fn parts(
        self,
        function: &dyn Function,
        format: Format,
        mut part: impl FnMut(i128, i128, Option<i32>),
    ) -> Result<(), Error> {
        let Run { mut start, end, e } = self.run;
        match self.exponents {
            Exponents::One(exponent) => {
                part(start, end, Some(exponent));
                return Ok(());
            }
            Exponents::Scattered => {
                part(start, end, None);
                return Ok(());
            }
            Exponents::Ordered => {}
        }
        let key = |m: i128| Ok(exponent(function, Dyadic { m, e })?.unwrap_or(0));
        let tiny = self.run.is_tiny();
        let near = |m: i128| {
            let near = match tiny {
                false => self.run.jet::<3>(function, m, 0, 1).value().exponent(),
                true => self.run.jet::<9>(function, m, 0, 1).value().exponent(),
            };
            near.unwrap_or(i32::MIN)
        };
        if format.misses(key(start)?, key(end - 1)?) {
            return Ok(());
        }
        while start < end {
            let here = key(start)?;
            let past = first_other(start, end, here, near, key)?;
            part(start, past, Some(here));
            start = past;
        }
        Ok(())
    }
}

/// The first m in `start` .. `end` whose key differs from `here`, the key of `start`; `end` if
/// there is none. No later key equals `here`. `near` approximates the key.
fn first_other(
    start: i128,
    end: i128,
    here: i32,
    near: impl Fn(i128) -> i32,
    key: impl Fn(i128) -> Result<i32, Error>,
) -> Result<i128, Error> {
    let (mut low, mut high) = (start, end);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        *if near(middle) == here { &mut low } else { &mut high } = middle;
    }
    let guess = high;
    let (mut low, mut high, mut width) = (start, end, 1);
    let narrow = |low: &mut i128, high: &mut i128, m: i128| {
        if *low < m && m < *high {
            *if key(m)? == here { low } else { high } = m;
        }
        Ok::<_, Error>(())
    };
    while (high - low) / 4 > width {
        narrow(&mut low, &mut high, guess - width)?;
        narrow(&mut low, &mut high, guess + width - 1)?;
        width *= 2;
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        narrow(&mut low, &mut high, middle)?;
    }
    Ok(high)
}

impl Segment<'_> {
    /// The position after the last argument.
    fn end(&self) -> (i128, i32) {
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
