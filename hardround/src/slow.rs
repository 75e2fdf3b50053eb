//! The search where F is a line with an integer slope plus a slow function: close to 0, mostly.
//!
//! There all arguments would have nearly the same fraction, and blocks are unsuitable. With s the
//! integer nearest to F', F - s k has the fractions of F. If it is monotone and changes by less than
//! 1/4 over some arguments, the cases are those of one run, whose ends bisection finds.

use std::ops::Range;

use crate::ball::Ball;
use crate::error::Error;
use crate::found::MAX_RUN;
use crate::function::Series;
use crate::jet::Jet;
use crate::segment::{Modes, Segment};

/// Maximum change of the fraction.
const MAX_CHANGE: f64 = 0.25;

/// How often a range is halved to bound a slope.
const HALVINGS: u32 = 3;

/// How often a range is halved to find the sign of a slope: that of erf at 6 is e^11 times less than at 5.
const HALVINGS_OF_SIGN: u32 = 6;

/// Maximum number of arguments that are compared with the list of exact cases.
const MAX_LISTED: u64 = 1 << 26;

/// The cases of a slow function.
pub struct Run {
    /// All arguments within the bound, exact ones included.
    pub cases: Range<u64>,
    /// The arguments among them whose results may be breakpoints.
    pub maybe_exact: Range<u64>,
}

/// The distance of F' from the integer s: a bound of its magnitude, and its sign.
fn excess<const N: usize>(slope: Ball<N>) -> Option<(f64, Option<i32>)> {
    let excess = slope.sub(slope.nearest_integer()?);
    Some((excess.log2(), excess.sign()))
}

/// Base-2 logarithm of a bound of |F' - s| over a range. Where it is small, s is the same in all parts, because F'
/// is continuous.
fn magnitude(segment: &Segment, range: &Range<u64>, halvings: u32) -> Option<f64> {
    let whole = excess(segment.slope::<3>(range)).map(|(log2, _)| log2).filter(|log2| !log2.is_nan());
    if whole.is_some() || halvings == 0 || range.end - range.start < 2 {
        return whole;
    }
    let middle = range.start + (range.end - range.start) / 2;
    let of = |half| magnitude(segment, &half, halvings - 1);
    Some(of(range.start..middle)?.max(of(middle..range.end)?))
}

/// The sign of F' - s over a range, if it has one. The enclosure over the whole range may be too wide, where
/// those over parts of it are not.
fn sign<const N: usize>(segment: &Segment, range: &Range<u64>, halvings: u32) -> Option<i32>
where
    Jet<N>: Series,
{
    let whole = excess(segment.slope::<N>(range)).and_then(|(_, sign)| sign);
    if whole.is_some() || halvings == 0 || range.end - range.start < 2 {
        return whole;
    }
    let middle = range.start + (range.end - range.start) / 2;
    let one = sign::<N>(segment, &(range.start..middle), halvings - 1)?;
    let other = sign::<N>(segment, &(middle..range.end), halvings - 1)?;
    (one == other).then_some(one)
}

/// The first number of a range for which `is_past` holds, or the end; it holds for all later ones.
fn first(range: &Range<u64>, mut is_past: impl FnMut(u64) -> Result<bool, Error>) -> Result<u64, Error> {
    let (mut low, mut high) = (range.start, range.end);
    while low < high {
        let middle = low + (high - low) / 2;
        (low, high) = if is_past(middle)? { (low, middle) } else { (middle + 1, high) };
    }
    Ok(low)
}

/// A bound of the change of F - s k over a range, if it is small.
fn change(segment: &Segment, range: &Range<u64>, halvings: u32) -> Option<f64> {
    let log2 = magnitude(segment, range, halvings)?;
    let change = (log2 + ((range.end - range.start) as f64).log2()).exp2();
    (change < MAX_CHANGE).then_some(change)
}

/// Whether F is slow over the first or the last arguments of a range, more than a run. Such a range may have too many
/// cases to search for each.
pub fn at_an_end(segment: &Segment, range: &Range<u64>) -> bool {
    let many = 2 * MAX_RUN;
    range.end - range.start > many
        && [range.start..range.start + many, range.end - many..range.end]
            .iter()
            .any(|end| change(segment, end, 0).is_some())
}

/// The cases among the arguments of a range, with a distance below `within` ulps. `None` if F is not
/// slow.
pub fn search(segment: &Segment, range: &Range<u64>, within: f64) -> Result<Option<Run>, Error> {
    let Some(change) = change(segment, range, HALVINGS) else { return Ok(None) };
    // 1 - cos x, for example, is lost in 128 bits.
    let sign = sign::<3>(segment, range, HALVINGS_OF_SIGN)
        .or_else(|| sign::<9>(segment, range, HALVINGS_OF_SIGN))
        .or_else(|| sign::<17>(segment, range, HALVINGS_OF_SIGN));
    let nothing = Run { cases: range.start..range.start, maybe_exact: range.start..range.start };
    let breakpoints = if segment.modes == Modes::All { 2.0 } else { 1.0 };
    let distance = |k: u64| Ok::<_, Error>(segment.judge(k)?.distance_ulp * breakpoints);
    let begin = distance(range.start)?;
    let e = within * breakpoints;
    let Some(sign) = sign else {
        // Constant, compared with the bound.
        let maybe_exact = if begin.abs() <= 2.0 * change { range.clone() } else { range.start..range.start };
        return Ok(match begin.abs() {
            d if d >= 1.000_001 * e + change => Some(nothing),
            d if d + change < 0.999_999 * e && maybe_exact.end - maybe_exact.start <= MAX_LISTED => {
                Some(Run { cases: range.clone(), maybe_exact })
            }
            _ => None,
        });
    };
    // The distance continued from the first argument, without a step of 1; it rises.
    let rising = |k: u64| {
        let here = distance(k)?;
        Ok::<_, Error>((here - (here - begin).round()) * f64::from(sign))
    };
    if rising(range.start)? >= e || rising(range.end - 1)? <= -e {
        return Ok(Some(nothing));
    }
    let cases = first(range, |k| Ok(rising(k)? > -e))?..first(range, |k| Ok(rising(k)? >= e))?;
    let crossing = first(&cases, |k| Ok(rising(k)? >= 0.0))?;
    Ok(Some(Run { maybe_exact: crossing..cases.end.min(crossing + 1), cases }))
}
