//! Balls: numbers with a proved bound of their error, for points and for whole intervals.

mod functions;

use crate::fixed::{Fixed, scaled};

/// The numbers within `r` units of `m` 2^`e`, where a unit is 2^(`e` - 64 (N - 1)) and |m| is in [1, 2) or 0.
///
/// Each operation returns a ball that holds its result for every number in its operands. An infinite
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

/// Maximum number of terms of a series.
const MAX_SERIES: u64 = 1 << 14;

/// Radii do not underflow: smaller ones count as this.
const LEAST: f64 = 1e-300;

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
