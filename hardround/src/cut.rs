//! Splits an interval of arguments into segments.

use crate::ball::Ball;
use crate::dyadic::Dyadic;
use crate::error::Error;
use crate::format::Format;
use crate::function::{Function, exponent};
use crate::run::Run;
use crate::segment::{Modes, Segment};

/// Smallest magnitude of arguments, unless the format is small. Closer to 0, results of all functions
/// with a series there are the first term of it to more digits than the search can tell apart.
pub(crate) const NEAREST_ZERO: f64 = 1.0 / (1_u128 << 96) as f64;

/// Maximum number of cells that an interval is cut into.
const MAX_CELLS: usize = 1 << 17;

/// Maximum number of cells of a run of a small format. More cells are searched as one scattered cell.
const MAX_CELLS_OF_RUN: usize = 1 << 13;

/// Smaller arguments need more than 128 bits: a result may cancel all bits of an argument, and
/// once more as many.
const TINY: i32 = -40;

/// The arguments of `from` <= x < `to` as segments in ascending order: every number of the format or,
/// with `grid`, every multiple of 2^`grid`. Results that overflow or vanish are
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
    /// Halves the run into cells until the enclosure of f over a cell has one exponent, or f and its
    /// derivative have one sign each, so that the exponents are in order. Appends the cells,
    /// ascending. `may_scatter` permits a scattered cell in place of many.
    fn cut(self, function: &dyn Function, may_scatter: bool, cells: &mut Vec<ExponentRun>) -> Result<(), Error> {
        let before = cells.len();
        let scattered = ExponentRun { run: self, exponents: Exponents::Scattered };
        if may_scatter && self.is_scattered(function) {
            cells.push(scattered);
            return Ok(());
        }
        let mut stack = vec![self];
        while let Some(run) = stack.pop() {
            match run.exponents(function) {
                Some(exponents) => cells.push(ExponentRun { run, exponents }),
                None if run.len() == 1 => cells.push(ExponentRun { run, exponents: Exponents::Ordered }),
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
struct ExponentRun {
    run: Run,
    exponents: Exponents,
}

impl ExponentRun {
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
