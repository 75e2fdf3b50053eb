//! Classifies an argument, at as much precision as necessary.

use crate::ball::Ball;
use crate::fixed::{Fixed, scaled};
use crate::function::{Dyadic, decided};
use crate::segment::{Modes, Segment};

/// The kind of the nearest breakpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A binary64 number.
    Representable,
    /// Halfway between two.
    Midpoint,
}

/// An argument, its result and the nearest breakpoint of the modes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    pub x: Dyadic,
    /// f(x) rounded to nearest.
    pub nearest: f64,
    /// f(x) minus the breakpoint, in ulps of the result's binade.
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

impl Segment {
    /// Argument number k of the segment.
    pub fn judge(&self, k: u64) -> Judged {
        let x = self.argument(k);
        if let Some(Dyadic { m, e }) = self.function.exact(x) {
            let judged = judge::<17>(self, x, Fixed::dyadic(m, e + self.unit), None);
            return judged.expect("an exact result needs no more words");
        }
        decided(self.function, x, |f| near(self, x, f), |f| near(self, x, f), |f| near(self, x, f))
    }
}

fn near<const N: usize>(segment: &Segment, x: Dyadic, f: Ball<N>) -> Option<Judged> {
    let (m, e, r) = f.parts();
    let e = e + segment.unit;
    let wrong = scaled(r, e) + 1.0;
    if e < 60 && wrong.is_finite() { judge(segment, x, m.shifted(e), Some(wrong.log2().ceil() as i32)) } else { None }
}

/// Classifies f(x) in units, below 2^54, with an error of at most 2^wrong units of its last word.
fn judge<const N: usize>(segment: &Segment, x: Dyadic, scaled_f: Fixed<N>, wrong: Option<i32>) -> Option<Judged> {
    let half = Fixed::<N>::dyadic(1, -1);
    let f = if segment.modes == Modes::Nearest { scaled_f.add(half) } else { scaled_f };
    let breakpoint = f.add(half).floor();
    let distance = f.sub(Fixed::dyadic(breakpoint, 0));
    if let Some(by) = wrong {
        // The error must not change the side of the breakpoint, nor the side of the point halfway
        // to the next one, nor the first 53 bits of the distance.
        let least = by - Fixed::<N>::BITS + 54;
        let sure = |x: Fixed<N>| !x.is_zero() && x.exponent() >= least;
        if !(sure(distance) && sure(half.sub(distance.magnitude()))) {
            return None;
        }
    }

    let all = segment.modes == Modes::All;
    let distance_ulp = distance.to_f64(if all { -1 } else { 0 });
    let midpoint = match segment.modes {
        Modes::All => breakpoint % 2 != 0,
        Modes::Nearest => true,
        Modes::Directed => false,
    };
    let ulps = scaled_f.shifted(if all { -1 } else { 0 }).add(half);
    let tie = ulps.sub(Fixed::dyadic(ulps.floor(), 0)).is_zero() && ulps.floor() % 2 != 0;
    let nearest = (ulps.floor() - i64::from(tie)) as f64;
    Some(Judged {
        x,
        nearest: scaled(nearest, i32::from(all) - segment.unit),
        distance_ulp,
        bits_after_round: -(2.0 * distance_ulp.abs()).log2(),
        class: if midpoint { Class::Midpoint } else { Class::Representable },
        above: distance_ulp > 0.0,
        exact: distance.is_zero(),
    })
}
