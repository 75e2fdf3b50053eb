//! Elementary functions of balls.

use std::sync::LazyLock;

use super::{Ball, LEAST, SLOP};
use crate::fixed::{Fixed, scaled};

/// 2 / pi, for the reduction of every binary64 number.
static TWO_OVER_PI: LazyLock<Fixed<32>> = LazyLock::new(|| Fixed::half_pi().inverse());

/// m 2^e times 2 / pi, for a number m of two words: an integer modulo 2^64, and the difference from it, at
/// most 1/2 in magnitude and rounded down.
///
/// A window of the words of 2 / pi suffices (Payne and Hanek): the words above it contribute multiples
/// of 2^64, and the words below it less than 2^128 times their unit, which is 128 bits below that of
/// the result.
fn quarter_turns<const N: usize>(m: [u64; 2], e: i32) -> (i64, [u64; N]) {
    let length = N + 2;
    let (mut turns, mut window) = ([0; 32], [0; 32]);
    TWO_OVER_PI.upper(e, &mut window[..length]);
    for (at, &m) in m.iter().enumerate().filter(|(_, m)| **m != 0) {
        let mut carry = 0;
        for (sum, &word) in turns[at..length].iter_mut().zip(&window) {
            let product = u128::from(m) * u128::from(word) + u128::from(*sum) + u128::from(carry);
            (*sum, carry) = (product as u64, (product >> 64) as u64);
        }
    }
    let mut rest = [0; N];
    rest.copy_from_slice(&turns[length - N..length]);
    let is_above_half = rest[N - 2] >> 63;
    let n = rest[N - 1].wrapping_add(is_above_half);
    rest[N - 1] = is_above_half.wrapping_neg();
    (n as i64, rest)
}

impl<const N: usize> Ball<N> {
    /// exp(r + n ln 2) = exp(r) 2^n with exp(r) < 3/2, and exp(d) - 1 <= 2 d for d <= 1.
    pub fn exp(self) -> Self {
        let Some((x, wrong)) = self.fixed().filter(|_| self.e < 12) else { return Self::unknown() };
        let n = x.times(Fixed::LOG2_E).add(Fixed::dyadic(1, -1)).floor();
        let r = x.sub(Fixed::LN_2.times(Fixed::dyadic(n.into(), 0)));
        let wrong = wrong + 512.0 * n.unsigned_abs() as f64 + 2.0;
        if scaled(wrong, -Fixed::<N>::BITS) > 1.0 {
            return Self::unknown();
        }
        Self::new(r.exp(), n as i32, (3.0 * wrong + 16384.0) * SLOP)
    }

    /// q ln 2 + ln z for z 2^q with z in [1, 2).
    pub fn ln(self) -> Self {
        let relative = self.relative();
        if self.m.is_negative() || relative > 0.5 {
            return Self::unknown();
        }
        let q = i64::from(self.e);
        let value = Fixed::LN_2.times(Fixed::dyadic(q.into(), 0)).add(self.m.ln());
        let wrong = self.r / (1.0 - relative) + 512.0 * q.unsigned_abs() as f64 + 131_073.0;
        Self::of(value, wrong * SLOP)
    }

    /// The cosine and the sine. With n the integer nearest to x / (pi / 2), or nearly, the quadrant
    /// is n modulo 4, and x - n pi / 2 the argument in it. Both derivatives are at most 1.
    pub fn cos_sin(self) -> (Self, Self) {
        if !self.is_known() || self.e > 1024 {
            return (Self::unknown(), Self::unknown());
        }
        let spread = scaled(self.r, self.e);
        let (n, r, wrong) = match self.fixed().filter(|_| self.e < 8) {
            Some((x, wrong)) => {
                let n = (x.to_f64(0) * std::f64::consts::FRAC_2_PI).round() as i64;
                (
                    n,
                    x.sub(Fixed::HALF_PI.times(Fixed::dyadic(n.into(), 0))),
                    wrong + 512.0 * n.unsigned_abs() as f64 + 2.0,
                )
            }
            None => {
                // The centre is an integer of 128 bits times a power of 2.
                let words = self.m.magnitude().shifted(62).0;
                if words[..N - 2].iter().any(|&word| word != 0) {
                    return (Self::unknown(), Self::unknown());
                }
                let (n, r) = quarter_turns([words[N - 2], words[N - 1]], self.e - 126);
                let r = Fixed(r).times(Fixed::HALF_PI);
                // 2 / pi is within 2^10 units of its 32 words. The rest of the reduction loses 2 units.
                let reduction = scaled(1.0, 14 + self.e + Fixed::<N>::BITS - Fixed::<32>::BITS);
                let (n, r) = if self.m.is_negative() { (-n, r.negated()) } else { (n, r) };
                (n, r, spread + reduction + 1024.0)
            }
        };
        let (cos, sin) = r.cos_sin();
        let ball = |x| Self::of(x, (wrong + 16384.0) * SLOP);
        match n.rem_euclid(4) {
            0 => (ball(cos), ball(sin)),
            1 => (ball(sin.negated()), ball(cos)),
            2 => (ball(cos.negated()), ball(sin.negated())),
            _ => (ball(sin), ball(cos.negated())),
        }
    }

    /// For any estimate y, atan(x) = y + atan(v) with v = (x cos y - sin y) / (cos y + x sin y). The
    /// derivative is at most 1.
    pub fn atan(self) -> Self {
        let (x, distance) = self.centre();
        if !self.is_known() {
            return self;
        }
        if self.e > 60 {
            let inverse = x.inverse().atan();
            let quarter = if self.m.is_negative() { Self::pi().shifted(-1).negated() } else { Self::pi().shifted(-1) };
            return quarter.sub(inverse).widened(distance);
        }
        let estimate = x.to_f64().atan();
        let (m, e) = (scaled(estimate, 60) as i128, -60);
        let y = Self::dyadic(m, e);
        let (cos, sin) = y.cos_sin();
        let v = x.mul(cos).sub(sin).div(cos.add(x.mul(sin)));
        if v.log2().is_nan() || v.log2() >= -20.0 {
            return Self::unknown();
        }
        let square = v.mul(v).negated();
        let (mut sum, mut power, mut k) = (y, v, 1);
        while power.log2() > f64::from(1 - Fixed::<N>::BITS) {
            sum = sum.add(power.over(k));
            power = power.mul(square);
            k += 2;
        }
        sum.widened(power.log2().exp2().max(LEAST)).widened(distance)
    }

    /// erf(x) = 2 / sqrt(pi) exp(-x^2) (x + 2 x^3 / 3 + 4 x^5 / 15 + ..). The terms of the sum are
    /// positive; from the ratio 1/2 on, the rest is at most the last term. The derivative is at most
    /// 9/8.
    pub fn erf(self) -> Self {
        let (x, distance) = self.centre();
        if !self.is_known() || self.e > 5 {
            return Self::unknown();
        }
        let square = x.mul(x);
        let factor = square.negated().exp().mul(Self::pi().sqrt().inverse().shifted(1));
        let (mut sum, mut term, mut n) = (x, x, 1);
        while !term.m.is_zero() {
            let last = term.log2() < sum.log2() - f64::from(Fixed::<N>::BITS);
            let ratio = 2.0 * square.to_f64() / (2 * n + 1) as f64;
            if last && ratio < 0.49 {
                sum = sum.widened(term.log2().exp2().max(LEAST));
                break;
            }
            term = term.mul(square).shifted(1).over(2 * n + 1);
            sum = sum.add(term);
            n += 1;
        }
        factor.mul(sum).widened(1.125 * distance)
    }

    /// 1 - erf(x), with words for the leading digits that cancel. The radius in units of these words may exceed
    /// the range of f64, that in units of the result does not. The derivative is at most
    /// 9/8 exp(-x^2).
    pub fn erfc(self) -> Self {
        let (x, distance) = self.centre();
        if !self.is_known() {
            return self;
        }
        if x.to_f64() < 1.0 {
            return Self::dyadic(1, 0).sub(self.erf());
        }
        let (m, e, r) = x.resized::<24>().erf().parts();
        let rest = Fixed::<24>::ONE.sub(m.shifted(e));
        if rest.is_zero() || e > 0 {
            return Self::unknown();
        }
        let by = rest.exponent();
        let mut words = [0; N];
        words.copy_from_slice(&rest.shifted(-by).0[24 - N..]);
        let units = scaled(r + 1.0, Fixed::<N>::BITS - Fixed::<24>::BITS - by);
        let rest = Ball { m: Fixed(words), e: by, r: (units + 1.0) * SLOP };
        let slope = self.mul(self).negated().exp().shifted(1);
        let spread = slope.mul(Self::ZERO.widened(distance));
        rest.add(spread)
    }

    /// The same ball with another number of words.
    fn resized<const M: usize>(self) -> Ball<M> {
        let mut words = [0; M];
        let shared = N.min(M);
        words[M - shared..].copy_from_slice(&self.m.0[N - shared..]);
        let cut = if M < N { 1.0 } else { 0.0 };
        let r = scaled(self.r, Fixed::<M>::BITS - Fixed::<N>::BITS) + cut;
        Ball::new(Fixed(words), self.e, if self.r == 0.0 { cut } else { r * SLOP })
    }
}
