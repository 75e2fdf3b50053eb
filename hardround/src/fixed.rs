//! Fixed-point numbers with a proved bound for every rounding error.

/// A signed number of N words, lowest first; the last word is the integer part. The number is a
/// multiple of the *unit* 2^-[`Fixed::BITS`].
///
/// Sums are exact. Overflow of the integer part wraps silently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixed<const N: usize>(pub [u64; N]);

impl<const N: usize> Fixed<N> {
    /// Bits of the fraction.
    pub const BITS: i32 = 64 * (N as i32 - 1);
    pub const ZERO: Self = Fixed([0; N]);
    /// The argument of a series is divided by 2^HALVINGS first. Long numbers need more terms.
    const HALVINGS: i32 = if N == 2 { 3 } else { 8 };
    pub const ONE: Self = Self::dyadic(1, 0);

    /// ln 2 = 2 artanh(1/3), within 2^9 units.
    pub const LN_2: Self = Self::inverse_tangent(3, 2, false);
    /// ln 10 = 3 ln 2 + 2 artanh(1/9), within 2^11 units.
    pub const LN_10: Self = Self::LN_2.add(Self::LN_2).add(Self::LN_2).add(Self::inverse_tangent(9, 2, false));
    /// pi / 2 = 8 arctan(1/5) - 2 arctan(1/239), within 2^9 units.
    pub const HALF_PI: Self = Self::half_pi();
    /// 1 / ln 2, within 2^10 units.
    pub const LOG2_E: Self = Self::LN_2.inverse_from(Self::approximately(std::f64::consts::LOG2_E));

    /// 1 / j!, truncated to multiples of the unit.
    pub const INVERSE_FACTORIALS: &'static [Self; 128] = &{
        let mut inverses = [Self::ONE; 128];
        let mut j = 1;
        while j < 128 {
            inverses[j] = inverses[j - 1].divided(j as u64);
            j += 1;
        }
        inverses
    };

    /// Number of terms of the series of exp(r) for |r| <= 2^-[`HALVINGS`](Self::HALVINGS). The remainder is below 3
    /// units.
    const TERMS: usize = {
        let mut j = 1;
        while !Self::INVERSE_FACTORIALS[j].shifted(-Self::HALVINGS * j as i32).is_zero() {
            j += 1;
        }
        j
    };

    pub const fn half_pi() -> Self {
        Self::inverse_tangent(5, 8, true).sub(Self::inverse_tangent(239, 2, true))
    }

    /// `times` artanh(1/x) or arctan(1/x): the sum of (+-1)^j / ((2 j + 1) x^(2 j + 1)).
    ///
    /// The error of the power is at most 9/8 units, that of a term 1 + 9/8 / (2 j + 1): in total
    /// 330 units for at most 324 terms (x = 3, N = 17).
    const fn inverse_tangent(x: u64, times: u64, alternate: bool) -> Self {
        let mut power = Self::dyadic(times as i128, 0).divided(x);
        let mut sum = Self::ZERO;
        let mut j = 0;
        while !power.is_zero() {
            let term = power.divided(2 * j + 1);
            sum = if alternate && j % 2 == 1 { sum.sub(term) } else { sum.add(term) };
            power = power.divided(x * x);
            j += 1;
        }
        sum
    }

    /// m 2^e, rounded down.
    pub const fn dyadic(m: i128, e: i32) -> Self {
        let mut words = [0; N];
        (words[N - 2], words[N - 1]) = (m as u64, (m >> 64) as u64);
        Fixed(words).shifted(e + 64)
    }

    /// A finite f64, rounded down.
    pub const fn approximately(x: f64) -> Self {
        let bits = x.to_bits();
        let e = (bits >> 52 & 0x7ff) as i32;
        let m = (bits & ((1 << 52) - 1) | (if e > 0 { 1 << 52 } else { 0 })) as i128;
        Self::dyadic(if x < 0.0 { -m } else { m }, (if e > 0 { e } else { 1 }) - 1075)
    }

    pub const fn is_zero(&self) -> bool {
        let mut at = 0;
        while at < N {
            if self.0[at] != 0 {
                return false;
            }
            at += 1;
        }
        true
    }

    pub const fn is_negative(&self) -> bool {
        self.0[N - 1] >> 63 == 1
    }

    pub const fn add(self, other: Self) -> Self {
        let mut sum = [0; N];
        let (mut at, mut carry) = (0, false);
        while at < N {
            let (part, first) = self.0[at].overflowing_add(other.0[at]);
            let (whole, second) = part.overflowing_add(carry as u64);
            sum[at] = whole;
            carry = first | second;
            at += 1;
        }
        Fixed(sum)
    }

    pub const fn negated(self) -> Self {
        let mut words = self.0;
        let (mut at, mut carry) = (0, true);
        while at < N {
            (words[at], carry) = (!words[at]).overflowing_add(carry as u64);
            at += 1;
        }
        Fixed(words)
    }

    pub const fn sub(self, other: Self) -> Self {
        self.add(other.negated())
    }

    pub const fn magnitude(self) -> Self {
        if self.is_negative() { self.negated() } else { self }
    }

    const fn with_sign(self, negative: bool) -> Self {
        if negative { self.negated() } else { self }
    }

    /// The product, rounded towards zero.
    pub const fn times(self, other: Self) -> Self {
        let (a, b) = (self.magnitude().0, other.magnitude().0);
        let mut words = [0; N];
        let (mut low, mut high) = (0_u128, 0_u64);
        let mut column = 0;
        while column < 2 * N - 1 {
            let mut at = if column < N { 0 } else { column - N + 1 };
            while at < N && at <= column {
                let carry;
                (low, carry) = low.overflowing_add(a[at] as u128 * b[column - at] as u128);
                high += carry as u64;
                at += 1;
            }
            if column + 1 >= N {
                words[column + 1 - N] = low as u64;
            }
            low = low >> 64 | (high as u128) << 64;
            high = 0;
            column += 1;
        }
        Fixed(words).with_sign(self.is_negative() != other.is_negative())
    }

    /// The quotient, rounded towards zero.
    pub const fn divided(self, by: u64) -> Self {
        let mut words = self.magnitude().0;
        let (mut at, mut rest) = (N, 0_u128);
        while at > 0 {
            at -= 1;
            let part = rest << 64 | words[at] as u128;
            words[at] = (part / by as u128) as u64;
            rest = part % by as u128;
        }
        Fixed(words).with_sign(self.is_negative())
    }

    /// The product with 2^by, rounded down.
    pub const fn shifted(self, by: i32) -> Self {
        let sign = if self.is_negative() { u64::MAX } else { 0 };
        let mut words = [0; N];
        let (whole, part) = (by.div_euclid(64) as isize, by.rem_euclid(64) as u32);
        let mut at = 0;
        while at < N {
            let from = at as isize - whole;
            let upper = self.word(from, sign);
            words[at] =
                if part == 0 { upper } else { upper << part | self.word(from.saturating_sub(1), sign) >> (64 - part) };
            at += 1;
        }
        Fixed(words)
    }

    /// The upper words of the product with 2^by, rounded down.
    pub fn upper(&self, by: i32, words: &mut [u64]) {
        let sign = if self.is_negative() { u64::MAX } else { 0 };
        let (whole, part) = (by.div_euclid(64) as isize, by.rem_euclid(64) as u32);
        let first = (N - words.len()) as isize - whole;
        for (word, from) in words.iter_mut().zip(first..) {
            let (high, low) = (self.word(from, sign), self.word(from - 1, sign));
            *word = ((u128::from(high) << 64 | u128::from(low)) << part >> 64) as u64;
        }
    }

    const fn word(&self, at: isize, sign: u64) -> u64 {
        match at {
            ..0 => 0,
            at if at as usize >= N => sign,
            at => self.0[at as usize],
        }
    }

    /// 1 / self for self in [1/2, 2), from an estimate within 2^-50. The error, at most 4 units, is
    /// the rounding of the last products.
    const fn inverse_from(self, estimate: Self) -> Self {
        let mut inverse = estimate;
        let mut bits = 50;
        while bits < Self::BITS {
            inverse = inverse.add(inverse.times(Self::ONE.sub(self.times(inverse))));
            bits = 2 * bits - 2;
        }
        inverse
    }

    /// 1 / self for self in [1/2, 2), within 8 units.
    pub fn inverse(self) -> Self {
        self.inverse_from(Self::approximately(1.0 / self.to_f64(0)))
    }

    /// The sum of r^j / j! over j = first, first + step, .. divided by r^first, where r^step is
    /// `power`, for |r| <= 2^-[`HALVINGS`](Self::HALVINGS), within 6 units.
    fn series(power: Self, first: usize, step: usize, sign: bool) -> Self {
        let last = first + (Self::TERMS - first).next_multiple_of(step);
        (first..last).step_by(step).rev().fold(Self::ZERO, |sum, j| {
            let next = sum.times(power);
            Self::INVERSE_FACTORIALS[j].add(next.with_sign(sign))
        })
    }

    /// exp(self) for |self| <= 1, within 2^14 units.
    ///
    /// The error of the series, with the division of the argument, is at most 8 units. Each
    /// squaring doubles the relative error and adds at most e units.
    pub fn exp(self) -> Self {
        let sum = Self::series(self.shifted(-Self::HALVINGS), 0, 1, false);
        (0..Self::HALVINGS).fold(sum, |power, _| power.times(power))
    }

    /// The cosine and the sine of self for |self| <= 1, within 2^14 units.
    ///
    /// The error is bounded as for the exponential of i self; each squaring adds at most 3 units.
    pub fn cos_sin(self) -> (Self, Self) {
        let r = self.shifted(-Self::HALVINGS);
        let square = r.times(r);
        let cos_sin = (Self::series(square, 0, 2, true), Self::series(square, 1, 2, true).times(r));
        (0..Self::HALVINGS)
            .fold(cos_sin, |(cos, sin), _| (cos.times(cos).sub(sin.times(sin)), cos.times(sin).shifted(1)))
    }

    /// The logarithm of self in [1, 2), within 2^17 units.
    ///
    /// For any estimate y, ln(self) = y + ln(1 + v) with v = self exp(-y) - 1.
    pub fn ln(self) -> Self {
        let y = Self::approximately(self.to_f64(0).ln());
        let v = self.times(y.negated().exp()).sub(Self::ONE);
        let (mut sum, mut power, mut j) = (y, v, 1);
        while !power.is_zero() {
            let term = power.divided(j);
            sum = if j % 2 == 1 { sum.add(term) } else { sum.sub(term) };
            power = power.times(v);
            j += 1;
        }
        sum
    }

    /// The largest integer at most self.
    pub const fn floor(self) -> i64 {
        self.0[N - 1] as i64
    }

    /// The largest integer at most self 2^64.
    pub const fn floor_of_128(self) -> i128 {
        ((self.0[N - 1] as u128) << 64 | self.0[N - 2] as u128) as i128
    }

    /// The exponent of the largest power of 2 at most |self|, which is not zero.
    pub fn exponent(self) -> i32 {
        let words = self.magnitude().0;
        let top = (0..N).rev().find(|&at| words[at] != 0).unwrap_or(0);
        64 * top as i32 + 63 - words[top].leading_zeros() as i32 - Self::BITS
    }

    /// self 2^e, to about 2^-52.
    pub fn to_f64(self, e: i32) -> f64 {
        if self.is_zero() {
            return 0.0;
        }
        let exponent = self.exponent();
        let leading = self.magnitude().shifted(62 - exponent).0[N - 1] as f64;
        let value = scaled(leading, exponent - 62 + e);
        if self.is_negative() { -value } else { value }
    }

    /// self 2^e modulo 1, rounded to the nearest multiple of 2^-256.
    pub fn fraction(self, e: i32) -> [u64; 4] {
        const { assert!(N == 5) }
        let doubled = self.shifted(e.min(0) + 1);
        let rounded = doubled.add(Self::dyadic(1, -Self::BITS)).shifted(-1).shifted(e.max(0));
        [0, 1, 2, 3].map(|at| rounded.0[at])
    }
}

/// x 2^e. 2^e itself may overflow or underflow.
pub fn scaled(x: f64, e: i32) -> f64 {
    let power = |e: i32| f64::from_bits(((e.clamp(-1022, 1023) + 1023) as u64) << 52);
    let half = e / 2;
    x * power(half) * power(e - half)
}
