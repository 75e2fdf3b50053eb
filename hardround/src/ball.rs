//! Balls: numbers with a proved bound of their error, for points and for whole intervals.

use std::sync::LazyLock;

use crate::fixed::{Fixed, scaled};

/// The numbers within `r` units of `m` 2^`e`, where a unit is 2^(`e` - 64 (N - 1)) and |m| is in [1, 2) or 0.
///
/// Each operation returns a ball that holds its result for all numbers of its operands. An infinite
/// radius means that nothing is known: outside a function's domain, for example.
#[derive(Clone, Copy, Debug)]
pub struct Ball<const N: usize> {
    m: Fixed<N>,
    e: i32,
    r: f64,
}

/// The weight of the last bit of a word below the integer part.
const ULP: f64 = 1.0 / 18_446_744_073_709_551_616.0;

/// More than the rounding of a sum of some products of f64 loses.
const SLOP: f64 = 1.0 + 1.0 / (1_u64 << 40) as f64;

/// 2 / pi, for the reduction of every binary64 number.
static TWO_OVER_PI: LazyLock<Fixed<32>> = LazyLock::new(|| Fixed::half_pi().inverse());

/// Maximum number of terms of a series.
const MAX_SERIES: u64 = 1 << 14;

/// Radii do not underflow: smaller ones count as this.
const LEAST: f64 = 1e-300;

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

// Methods, so that chains read from left to right as those of `Fixed` do.
#[allow(clippy::should_implement_trait)]
impl<const N: usize> Ball<N> {
    pub const ZERO: Self = Ball { m: Fixed::ZERO, e: 0, r: 0.0 };

    fn new(m: Fixed<N>, e: i32, r: f64) -> Self {
        if m.is_zero() {
            return Ball { m, e, r };
        }
        let by = m.exponent();
        let cut = if by > 0 { 1.0 } else { 0.0 };
        let r = if r == 0.0 { cut } else { (scaled(r, -by) + cut) * SLOP };
        Ball { m: m.shifted(-by), e: e + by, r }
    }

    /// The numbers from -1 to 1.
    pub fn symmetric() -> Self {
        Ball { r: scaled(1.0, Fixed::<N>::BITS), ..Self::ZERO }
    }

    /// A ball that holds every number.
    fn unknown() -> Self {
        Ball { r: f64::INFINITY, ..Self::ZERO }
    }

    /// A fixed-point number and its error in units.
    fn of(m: Fixed<N>, units: f64) -> Self {
        Self::new(m, 0, units)
    }

    /// m 2^e for |m| < 2^126.
    pub fn dyadic(m: i128, e: i32) -> Self {
        let by = m.unsigned_abs().max(1).ilog2() as i32;
        Self::new(Fixed::dyadic(m, -by), e + by, 0.0)
    }

    pub fn pi() -> Self {
        Self::of(Fixed::HALF_PI, 512.0).shifted(1)
    }

    pub fn ln_2() -> Self {
        Self::of(Fixed::LN_2, 512.0)
    }

    pub fn ln_10() -> Self {
        Self::of(Fixed::LN_10, 2048.0)
    }

    /// The ball that holds all numbers within `distance` of this one.
    pub fn widened(self, distance: f64) -> Self {
        if distance == 0.0 {
            return self;
        }
        Ball { r: (self.r + scaled(distance.max(LEAST), Fixed::<N>::BITS - self.e)) * SLOP, ..self }
    }

    pub fn is_known(&self) -> bool {
        self.r.is_finite()
    }

    fn is_zero(&self) -> bool {
        self.m.is_zero() && self.r == 0.0
    }

    /// The centre as m 2^e, and its error in units of m.
    pub fn parts(&self) -> (Fixed<N>, i32, f64) {
        (self.m, self.e, self.r)
    }

    /// The centre.
    pub fn to_f64(self) -> f64 {
        self.m.to_f64(self.e)
    }

    /// The centre is negative.
    pub fn is_negative(&self) -> bool {
        self.m.is_negative()
    }

    /// log2 of a bound of all magnitudes.
    pub fn log2(&self) -> f64 {
        let centre = self.m.magnitude().to_f64(0);
        ((centre + scaled(self.r, -Fixed::<N>::BITS)) * SLOP).log2() + f64::from(self.e)
    }

    /// -1 or 1 if all numbers have this sign.
    pub fn sign(&self) -> Option<i32> {
        let sure = !self.m.is_zero() && scaled(self.r, -Fixed::<N>::BITS) < 1.0;
        sure.then(|| if self.m.is_negative() { -1 } else { 1 })
    }

    /// The exponent of the largest power of 2 at most the magnitude of any number, if all have the
    /// same.
    pub fn exponent(&self) -> Option<i32> {
        if !self.is_known() || self.m.is_zero() || self.r > scaled(1.0, Fixed::<N>::BITS - 2) {
            return None;
        }
        let r = Fixed::dyadic(1, -Fixed::<N>::BITS).add(Fixed::approximately(scaled(self.r, -Fixed::<N>::BITS)));
        let m = self.m.magnitude();
        let (low, high) = (m.sub(r), m.add(r));
        let exact = self.r == 0.0;
        (exact || low.exponent() == high.exponent()).then(|| m.exponent() + self.e)
    }

    /// Whether the ball holds a number.
    pub fn may_be(&self, value: crate::dyadic::Dyadic) -> bool {
        self.sub(Self::dyadic(value.m, value.e)).sign().is_none()
    }

    /// The product with 2^by.
    pub fn shifted(self, by: i32) -> Self {
        Ball { e: self.e + by, ..self }
    }

    pub fn negated(self) -> Self {
        Ball { m: self.m.negated(), ..self }
    }

    pub fn add(self, other: Self) -> Self {
        if self.is_zero() {
            return other;
        }
        if other.is_zero() {
            return self;
        }
        let (high, low) = if self.e >= other.e { (self, other) } else { (other, self) };
        let by = high.e - low.e;
        let cut = if by > 0 { 1.0 } else { 0.0 };
        let r = high.r + scaled(low.r, -by) + cut;
        Self::new(high.m.add(low.m.shifted(-by)), high.e, r * SLOP)
    }

    pub fn sub(self, other: Self) -> Self {
        self.add(other.negated())
    }

    pub fn mul(self, other: Self) -> Self {
        if self.is_zero() || other.is_zero() {
            return Self::ZERO;
        }
        // Truncated to 128 bits; SLOP covers that.
        let bound = |x: &Self| (x.m.0[N - 1] as i64 as f64 + x.m.0[N - 2] as f64 * ULP).abs();
        let r = bound(&self) * other.r + bound(&other) * self.r + scaled(self.r, -Fixed::<N>::BITS) * other.r + 1.0;
        Self::new(self.m.times(other.m), self.e + other.e, r * SLOP)
    }

    /// The quotient by a positive integer.
    pub fn over(self, by: u64) -> Self {
        if self.is_zero() { self } else { Self::new(self.m.divided(by), self.e, self.r / by as f64 + 1.0) }
    }

    /// The product with an integer.
    pub fn times(self, by: i64) -> Self {
        self.mul(Self::dyadic(by.into(), 0))
    }

    /// The radius, divided by a power of 2 that is at most the centre.
    fn relative(&self) -> f64 {
        if self.m.is_zero() || !self.is_known() { f64::INFINITY } else { scaled(self.r, -Fixed::<N>::BITS) * SLOP }
    }

    /// The derivative is at most 1 / (1 - relative)^2 in units of m.
    pub fn inverse(self) -> Self {
        let relative = self.relative();
        if relative > 0.5 {
            return Self::unknown();
        }
        let m = self.m.magnitude().inverse();
        let m = if self.m.is_negative() { m.negated() } else { m };
        Self::new(m, -self.e, (self.r / (1.0 - relative) + 8.0) * SLOP)
    }

    pub fn div(self, other: Self) -> Self {
        if other.m.is_zero() { Self::unknown() } else { self.mul(other.inverse()) }
    }

    /// For any estimate y >= 1 of the root of a in [1, 4), |sqrt(a) - y| <= |a - y^2| / 2, and
    /// sqrt(a) - sqrt(a - d) <= d for d <= 1.
    pub fn sqrt(self) -> Self {
        if self.is_zero() {
            return self;
        }
        if self.m.is_negative() || self.relative() > 0.5 {
            return Self::unknown();
        }
        let odd = self.e.rem_euclid(2);
        let a = self.m.shifted(odd);
        let half = |x: Fixed<N>| x.shifted(-1);
        let mut root = Fixed::approximately(1.0 / a.to_f64(0).sqrt());
        let mut bits = 50;
        while bits < Fixed::<N>::BITS {
            root = root.add(half(root.times(Fixed::ONE.sub(a.times(root.times(root))))));
            bits = 2 * bits - 4;
        }
        let y = a.times(root);
        let y = if y.exponent() < 0 { Fixed::ONE } else { y };
        let wrong = a.sub(y.times(y)).magnitude().to_f64(Fixed::<N>::BITS) + 1.0;
        Self::new(y, (self.e - odd) / 2, (scaled(self.r, odd) + wrong) * SLOP)
    }

    /// The number in fixed point, with its error in units. `None` beyond 2^60.
    fn fixed(&self) -> Option<(Fixed<N>, f64)> {
        (self.is_known() && self.e < 60).then(|| (self.m.shifted(self.e), scaled(self.r, self.e) + 1.0))
    }

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

    /// The sum of terms t_0 = `first`, t_(k + 1) = `next(k, t_k)`, for k = 0, 1, ..
    ///
    /// `halves(k)` promises that, from term k on, no term's magnitude exceeds half of its predecessor's;
    /// it must hold from some k on. The rest is then at most the last term, for which the sum's
    /// error accounts. A power series whose coefficients have a recurrence of two terms is such a sum.
    ///
    /// ```
    /// use hotloops_hardround::Ball;
    /// /// e as the sum of 1 / k!.
    /// let e = Ball::<5>::series(Ball::dyadic(1, 0), |k, term| term.over(k + 1), |k| k >= 1);
    /// assert_eq!(e.to_f64(), std::f64::consts::E);
    /// ```
    pub fn series(first: Self, next: impl Fn(u64, Self) -> Self, halves: impl Fn(u64) -> bool) -> Self {
        let (mut sum, mut term) = (first, first);
        for k in 0..MAX_SERIES {
            if !sum.is_known() {
                return Self::unknown();
            }
            if halves(k) && (term.is_zero() || term.log2() < sum.log2() - f64::from(Fixed::<N>::BITS)) {
                return sum.widened(term.log2().exp2().max(LEAST));
            }
            term = next(k, term);
            sum = sum.add(term);
        }
        Self::unknown()
    }

    /// The centre without its error, and the error as a number.
    pub fn centre(self) -> (Self, f64) {
        let distance = if self.r == 0.0 { 0.0 } else { (scaled(self.r, self.e - Fixed::<N>::BITS) * SLOP).max(LEAST) };
        (Ball { r: 0.0, ..self }, distance)
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

    /// The integer nearest to the centre.
    pub fn nearest_integer(self) -> Option<Self> {
        let (x, _) = self.fixed()?;
        Some(Self::dyadic(x.add(Fixed::dyadic(1, -1)).floor().into(), 0))
    }

    /// The centre minus the nearest multiple of 2, exactly.
    pub fn modulo_2(self) -> Self {
        match self.fixed().filter(|_| self.e >= 0) {
            None => self,
            Some((x, _)) => {
                let half = x.shifted(-1).add(Fixed::dyadic(1, -1)).floor();
                self.sub(Self::dyadic(half.into(), 1))
            }
        }
    }
}
