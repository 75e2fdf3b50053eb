//! Orientations in multiples of 2^-14.

use crate::frame::error::Error;
use crate::math::libm;

/// 1 in units of 2^-14.
const UNIT: f64 = 16384.0;

/// Tolerance of the magnitude, for rounded numbers on the unit circle.
const SLACK: f64 = 1e-6;

/// An orientation: a complex number of magnitude at most 1, whose parts are rounded to multiples of
/// 2^-14, ties to even.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Psi([i16; 2]);

impl Psi {
    /// Adds nothing to a sum of products.
    pub(super) const ZERO: Psi = Psi([0; 2]);

    /// 1, the orientation of angle 0.
    pub const ONE: Psi = Psi([UNIT as i16, 0]);

    /// Rounds the parts of a complex number, such as the bond-orientational order of a particle, to
    /// multiples of 2^-14.
    ///
    /// ```
    /// use hotloops::correlation::Psi;
    /// assert_eq!(Psi::new(-0.5, 0.8660254)?.parts(), [-8192, 14189]);
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Orientation`] with index 0 if a part is NaN or the magnitude exceeds 1 by more than
    /// 10^-6.
    pub fn new(re: f64, im: f64) -> Result<Self, Error> {
        // Comparisons with NaN are false.
        let valid = re * re + im * im <= (1.0 + SLACK) * (1.0 + SLACK);
        if valid { Ok(Self::rounded(re, im)) } else { Err(Error::Orientation { index: 0 }) }
    }

    /// exp(i `fold` `theta`): the orientation of a particle of `fold`-fold symmetry at an angle of
    /// `theta` radians.
    ///
    /// ```
    /// use hotloops::correlation::Psi;
    /// assert_eq!(Psi::from_angle(30f64.to_radians(), 6)?.parts(), [-16384, 0]);
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Orientation`] with index 0 if `fold` times `theta` is NaN, or above 10^9 in
    /// magnitude, where rounding would lose the angle.
    pub fn from_angle(theta: f64, fold: u32) -> Result<Self, Error> {
        let angle = theta * f64::from(fold);
        if !(-1e9..=1e9).contains(&angle) {
            return Err(Error::Orientation { index: 0 });
        }
        let (sine, cosine) = sine_and_cosine(angle);
        Ok(Self::rounded(cosine, sine))
    }

    /// Rounds to multiples of 2^-14. The magnitude is at most 1, apart from rounding errors.
    pub(super) fn rounded(re: f64, im: f64) -> Self {
        Psi([nearest(re), nearest(im)])
    }

    /// Re(psi* other) in units of 2^-28.
    pub(super) fn product(self, other: Psi) -> i32 {
        self.parts().into_iter().zip(other.parts()).map(|(a, b)| i32::from(a) * i32::from(b)).sum()
    }

    /// Real and imaginary part in units of 2^-14.
    #[must_use]
    pub fn parts(self) -> [i16; 2] {
        self.0
    }

    /// The orientation with these [`parts`](Self::parts), such as one that another process computed.
    ///
    /// # Errors
    /// [`Error::Orientation`] if a part is greater than 2^14 in magnitude.
    pub fn from_parts(parts: [i16; 2]) -> Result<Self, Error> {
        let valid = parts.iter().all(|part| f64::from(part.unsigned_abs()) <= UNIT);
        if valid { Ok(Psi(parts)) } else { Err(Error::Orientation { index: 0 }) }
    }
}

/// `part`, clamped to -1..=1, in units of 2^-14.
fn nearest(part: f64) -> i16 {
    libm::nearest(part.clamp(-1.0, 1.0) * UNIT) as i16
}

/// Sine and cosine with errors of at most 2^-40, for angles up to 10^9 in magnitude.
fn sine_and_cosine(angle: f64) -> (f64, f64) {
    // pi/2 in three parts; the first two end in zero bits, so that their products with a number
    // below 2^30 are exact.
    const PARTS: [f64; 3] = [
        f64::from_bits(0x3ff9_21fb_4000_0000),
        f64::from_bits(0x3e74_442d_0000_0000),
        f64::from_bits(0x3cf8_4698_98cc_5170),
    ];
    let quarters = libm::nearest(angle * core::f64::consts::FRAC_2_PI);
    let r = PARTS.iter().fold(angle, |r, part| r - quarters * part);
    let r2 = r * r;
    // Taylor series up to r^15 for the sine and r^14 for the cosine; |r| is at most pi/4.
    let series = |first: u32| {
        let terms = (1..=7).rev().map(|k| f64::from((2 * k + first - 1) * (2 * k + first)));
        terms.fold(1.0, |sum, divisor| 1.0 - sum * r2 / divisor)
    };
    let (sine, cosine) = (r * series(1), series(0));
    match quarters as i64 & 3 {
        0 => (sine, cosine),
        1 => (cosine, -sine),
        2 => (-sine, -cosine),
        _ => (-cosine, sine),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sines_and_cosines_are_those_of_libm() {
        for i in -200_000i32..200_000 {
            let angle = f64::from(i) * [0.000_01, 0.37, 4999.123][i.unsigned_abs() as usize % 3];
            let (sine, cosine) = sine_and_cosine(angle);
            let (expected_sine, expected_cosine) = angle.sin_cos();
            assert!((sine - expected_sine).abs() < 1e-12 && (cosine - expected_cosine).abs() < 1e-12, "{angle}");
        }
    }

    #[test]
    fn ties_go_to_even() {
        for (value, expected) in [(0.5, 0), (1.5, 2), (2.5, 2), (-0.5, 0), (-1.5, -2)] {
            assert_eq!(nearest(value / UNIT), expected);
        }
    }
}
