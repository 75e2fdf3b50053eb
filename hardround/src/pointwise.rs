//! The search where arguments are so few, or their results so unrelated, that each result is
//! evaluated: at 64 bits, and with more if that leaves a doubt.

use std::ops::Range;

use crate::error::{Error, ask, reserve};
use crate::fixed::{Fixed, scaled};
use crate::function::point;
use crate::segment::{Modes, Segment};

const ONE: f64 = 18_446_744_073_709_551_616.0;

/// Appends the arguments of a range whose distances may be below `e` units of F.
pub fn search(
    segment: &Segment,
    range: Range<u64>,
    e: f64,
    found: &mut Vec<u64>,
    go_on: &dyn Fn() -> bool,
) -> Result<(), Error> {
    for k in range {
        ask(go_on)?;
        if may_be_case(segment, k, e * ONE) {
            reserve(found, 1)?;
            found.push(k);
        }
    }
    Ok(())
}

/// Whether |F mod 1| may be below e 2^-64.
fn may_be_case(segment: &Segment, k: u64, e: f64) -> bool {
    let f = segment.function.jet2(&point(segment.argument(k))).value();
    let unit = match (segment.scattered, f.exponent()) {
        (false, _) => segment.unit,
        (true, Some(exponent)) if segment.format.reaches(exponent) => segment.format.unit(segment.modes, exponent),
        (true, Some(_)) => return false,
        (true, None) => return true,
    };
    let (m, exponent, r) = f.parts();
    let by = exponent + unit;
    let wrong = scaled(r, by) + 2.0;
    // The integer part needs to fit.
    if by > 60 || !wrong.is_finite() {
        return true;
    }
    let f = m.shifted(by);
    let f = if segment.modes == Modes::Nearest { f.add(Fixed::dyadic(1, -1)) } else { f };
    (f.0[0] as i64).unsigned_abs() as f64 <= (e + wrong) * 1.000_001
}
