//! The search where F is a line with an integer slope plus a slow function: close to 0, mostly.
//!
//! There all arguments would have nearly the same fraction, and blocks are unsuitable. With s the
//! integer nearest to F', F - s k has the fractions of F. If it is monotone and changes by less than
//! 1/4 over some arguments, the cases are those of one run, whose ends bisection finds.

use std::ops::Range;

use crate::segment::{Modes, Segment};

/// Maximum change of the fraction.
const MAX_CHANGE: f64 = 0.25;

/// The cases among the arguments of a range, with bound `e` in units of F and a few more arguments
/// whose distances are next to it. `None` if F is not slow.
pub fn search(segment: &Segment, range: &Range<u64>, e: f64) -> Option<Range<u64>> {
    let e = e * 1.000_001;
    let slope = segment.slope(range);
    let excess = slope.sub(slope.nearest_integer()?);
    let change = (excess.log2() + ((range.end - range.start) as f64).log2()).exp2();
    if change.is_nan() || change >= MAX_CHANGE {
        return None;
    }
    let breakpoints = if segment.modes == Modes::All { 2.0 } else { 1.0 };
    let distance = |k: u64| segment.judge(k).distance_ulp * breakpoints;
    let begin = distance(range.start);
    // The distance continued from the first argument, without a step of 1.
    let continued = |k: u64| {
        let here = distance(k);
        here - (here - begin).round()
    };
    let Some(sign) = excess.sign() else {
        // Constant, compared with the bound.
        return match begin.abs() {
            d if d >= e + change => Some(range.start..range.start),
            d if d + change < e => Some(range.clone()),
            _ => None,
        };
    };
    let rising = |k: u64| continued(k) * f64::from(sign);
    let first = |above: f64| {
        let (mut low, mut high) = (range.start, range.end);
        while low < high {
            let middle = low + (high - low) / 2;
            (low, high) = if rising(middle) > above { (low, middle) } else { (middle + 1, high) };
        }
        low
    };
    if rising(range.start) >= e || rising(range.end - 1) <= -e {
        return Some(range.start..range.start);
    }
    Some(first(-e)..first(e))
}
