//! Classifies an argument, at as much precision as necessary.

use crate::ball::Ball;
use crate::dyadic::Dyadic;
use crate::error::Error;
use crate::fixed::{Fixed, scaled};
use crate::function::{decided, exponent, point};
use crate::segment::{Modes, Segment};

/// The kind of the nearest breakpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A number of the format.
    Representable,
    /// Halfway between two.
    Midpoint,
}

/// An argument, its result and the nearest breakpoint of the modes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    pub x: Dyadic,
    /// f(x) rounded to nearest, with an unlimited exponent range above.
    pub nearest: Dyadic,
    /// f(x) minus the breakpoint, in ulps of the result's binade. Infinite if the result is outside
    /// of the format's range.
    pub distance_ulp: f64,
    /// -log2 of |distance| in half ulps: identical bits after the rounding bit, with a fraction.
    /// Infinite if exact.
    pub bits_after_round: f64,
    pub class: Class,
    /// Whether f(x) is above the breakpoint.
    pub above: bool,
    /// Whether f(x) is the breakpoint.
    pub exact: bool,
}

impl Segment<'_> {
    /// Argument number k of the segment.
    pub fn judge(&self, k: u64) -> Result<Judged, Error> {
        let x = self.argument(k);
        let unit = match self.scattered {
            false => self.unit,
            true => {
                let exponent = exponent(self.function, x)?.unwrap_or(0);
                if !self.format.reaches(exponent) {
                    return Ok(out_of_range(x));
                }
                self.format.unit(self.modes, exponent)
            }
        };
        if let Some(value) = self.function.exact(x) {
            if !self.function.jet5(&point(x)).value().may_be(value) {
                return Err(Error::NotExact { function: self.function.name().to_owned(), x, value });
            }
            let (m, e) = (Fixed::<17>::dyadic(value.m, -64), value.e + unit + 64);
            return Ok(judge(self.modes, x, m, e, unit, None).expect("an exact result needs no more words"));
        }
        let near = Near { modes: self.modes, x, unit };
        decided(self.function, x, |f| near.judge(f), |f| near.judge(f), |f| near.judge(f))
    }
}

fn out_of_range(x: Dyadic) -> Judged {
    Judged {
        x,
        nearest: Dyadic { m: 0, e: 0 },
        distance_ulp: f64::INFINITY,
        bits_after_round: f64::NEG_INFINITY,
        class: Class::Representable,
        above: true,
        exact: false,
    }
}

struct Near {
    modes: Modes,
    x: Dyadic,
    unit: i32,
}

impl Near {
    fn judge<const N: usize>(&self, f: Ball<N>) -> Option<Judged> {
        let (m, e, r) = f.parts();
        let e = e + self.unit;
        let wrong = scaled(r, e) + 1.0;
        if e < 80 && wrong.is_finite() {
            judge(self.modes, self.x, m, e, self.unit, Some(wrong.log2().ceil() as i32))
        } else {
            None
        }
    }
}

/// Classifies m 2^e, which is f(x) in units and below 2^81, with an error of at most 2^wrong units
/// of the last word.
fn judge<const N: usize>(
    modes: Modes,
    x: Dyadic,
    m: Fixed<N>,
    e: i32,
    unit: i32,
    wrong: Option<i32>,
) -> Option<Judged> {
    let half = Fixed::<N>::dyadic(1, -1);
    // The integer part is modulo 2^64.
    let scaled_f = m.shifted(e);
    let f = if modes == Modes::Nearest { scaled_f.add(half) } else { scaled_f };
    let breakpoint = f.add(half).floor();
    let distance = f.sub(Fixed::dyadic(breakpoint.into(), 0));
    if let Some(by) = wrong {
        // The error must not change the side of the breakpoint, nor the side of the point halfway
        // to the next one, nor the first 53 bits of the distance.
        let least = by - Fixed::<N>::BITS + 54;
        let sure = |x: Fixed<N>| !x.is_zero() && x.exponent() >= least;
        if !(sure(distance) && sure(half.sub(distance.magnitude()))) {
            return None;
        }
    }

    let all = modes == Modes::All;
    let distance_ulp = distance.to_f64(if all { -1 } else { 0 });
    let midpoint = match modes {
        Modes::All => breakpoint % 2 != 0,
        Modes::Nearest => true,
        Modes::Directed => false,
    };
    let whole = m.shifted(e - 64).floor_of_128();
    let fraction = scaled_f.sub(Fixed::dyadic(scaled_f.floor().into(), 0));
    let to_half = fraction.sub(half);
    let (ulps, tie) = match all {
        true => ((whole + 1) >> 1, fraction.is_zero() && whole & 1 == 1),
        false => (whole + i128::from(!to_half.is_negative()), to_half.is_zero()),
    };
    let nearest = ulps - i128::from(tie && ulps & 1 == 1);
    Some(Judged {
        x,
        nearest: Dyadic { m: nearest, e: i32::from(all) - unit },
        distance_ulp,
        bits_after_round: -(2.0 * distance_ulp.abs()).log2(),
        class: if midpoint { Class::Midpoint } else { Class::Representable },
        above: distance_ulp > 0.0,
        exact: distance.is_zero(),
    })
}
