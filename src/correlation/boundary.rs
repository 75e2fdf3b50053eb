//! Open and periodic planes: checks, differences and folding of coordinates.

use crate::frame::error::Error;
use crate::math::float::Float;
use crate::math::fused;

/// Boundary condition of the plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Boundary {
    /// The plane is infinite.
    Open,
    /// The plane repeats after these lengths in x and y. The distance of a pair is the distance of
    /// its nearest images.
    Periodic([f64; 2]),
}

/// The largest magnitude of a coordinate in an open plane, so that differences do not overflow.
pub(super) const FARTHEST: f64 = 1e300;

/// The valid range of periods. Squares of scaled periods neither overflow nor underflow.
pub(super) const PERIODS: [f64; 2] = [1e-290, 1e290];

/// The smallest and the largest finite coordinate; infinity and -infinity if there is none.
pub(super) fn range<T: Float>(values: &[T]) -> [f64; 2] {
    let finite = || values.iter().map(|x| x.to_f64()).filter(|x| x.is_finite());
    [finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max)]
}

/// [`Error::Coordinate`] for the first coordinate that is not finite, or above `farthest` in
/// magnitude.
pub(super) fn check<T: Float>(argument: &'static str, values: &[T], farthest: f64) -> Result<(), Error> {
    // Comparisons with NaN are false.
    let valid = |x: f64| x.abs() <= farthest && x.is_finite();
    match values.iter().position(|x| !valid(x.to_f64())) {
        Some(index) => Err(Error::Coordinate { argument, index }),
        None => Ok(()),
    }
}

/// `to` - `from`, exactly, as a sum of two parts: the nearest f64, and the rounding error.
pub(super) fn difference(from: f64, to: f64) -> (f64, f64) {
    let d = to - from;
    let z = d - to;
    (d, (to - (d - z)) - (from + z))
}

/// The image of a coordinate that is at least -`period` / 2 and less than `period` / 2. Exact for
/// every finite coordinate. The period must be positive and normal.
pub(super) fn folded(x: f64, period: f64) -> f64 {
    let half = 0.5 * period;
    let rest = remainder(x.abs(), period);
    // Each difference is exact: `period` is at most twice `rest` (Sterbenz).
    match (x > 0.0, rest >= half) {
        (true, true) => rest - period,
        (true, false) => rest,
        (false, true) if rest > half => period - rest,
        _ => -rest,
    }
}

/// `x` modulo `period`, exactly, by long division of integers. `x` is not negative.
fn remainder(x: f64, period: f64) -> f64 {
    if x < period {
        return x;
    }
    let ((x, x_exponent), (period, exponent)) = (fused::magnitude(x), fused::magnitude(period));
    let mut rest = x % period;
    let mut digits = x_exponent - exponent;
    while digits > 0 {
        // A rest below 2^53 has room for 11 more bits.
        let step = digits.min(11);
        rest = (rest << step) % period;
        digits -= step;
    }
    fused::round(false, rest.into(), exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_is_exact() {
        let mut bits = 1u64;
        let mut number = |exponents: u64| {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let exponent = 1023 - exponents / 2 + (bits >> 33) % exponents;
            f64::from_bits(bits << 63 | exponent << 52 | bits >> 12)
        };
        for round in 0..20_000 {
            let (period, x) = (number(20).abs(), number([20, 100, 2040][round % 3]));
            let found = folded(x, period);
            // The standard library's remainder is exact, too.
            let rest = x % period;
            let images = [rest - period, rest, rest + period];
            assert!((-0.5 * period..0.5 * period).contains(&found), "{x} {period}");
            assert!(images.contains(&found) || found == -(period + rest) + 2.0 * rest, "{x} {period}: {found}");
        }
        for period in [0.75, 8.0, f64::MIN_POSITIVE * 4.0] {
            let half = 0.5 * period;
            for x in [half, -half, period + half, -period - half, 3.0 * half] {
                assert_eq!(folded(x, period), -half, "one image of those at the edge");
            }
            for x in [0.0, -0.0, period, -period, 1024.0 * period] {
                assert_eq!(folded(x, period), 0.0);
            }
        }
        assert_eq!(folded(5e-324, 1.0), 5e-324);
        assert_eq!(folded(-5e-324, 1.0), -5e-324);
        assert_eq!(folded(f64::MAX, 3.0), f64::MAX % 3.0 - 3.0);
    }
}
