//! Truncated power series over balls, and functions of them.

use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::ball::Ball;

/// Maximum number of coefficients.
pub const MAX_TERMS: usize = hotloops::hardround::MAX_DEGREE + 2;

/// The first coefficients of a function's Taylor series, each a ball of N words.
///
/// A formula that is run on the series of the argument yields the series of the function. On wide
/// balls it yields bounds of the coefficients over an interval.
#[derive(Clone, Copy, Debug)]
pub struct Jet<const N: usize> {
    c: [Ball<N>; MAX_TERMS],
    terms: usize,
}

impl<const N: usize> Jet<N> {
    /// x + t `step`, cut after the given number of coefficients.
    pub(crate) fn variable(x: Ball<N>, step: Ball<N>, terms: usize) -> Self {
        let mut jet = Jet { c: [Ball::ZERO; MAX_TERMS], terms };
        jet.c[0] = x;
        if terms > 1 {
            jet.c[1] = step;
        }
        jet
    }

    /// The coefficients, lowest degree first.
    pub fn coefficients(&self) -> &[Ball<N>] {
        &self.c[..self.terms]
    }

    /// The first coefficient: the value.
    pub fn value(&self) -> Ball<N> {
        self.c[0]
    }

    /// A constant.
    pub fn constant(&self, value: Ball<N>) -> Self {
        let mut jet = Jet { c: [Ball::ZERO; MAX_TERMS], terms: self.terms };
        jet.c[0] = value;
        jet
    }

    pub fn integer(&self, value: i64) -> Self {
        self.constant(Ball::dyadic(value.into(), 0))
    }

    pub fn pi(&self) -> Self {
        self.constant(Ball::pi())
    }

    pub fn ln_2(&self) -> Self {
        self.constant(Ball::ln_2())
    }

    pub fn ln_10(&self) -> Self {
        self.constant(Ball::ln_10())
    }

    fn map(mut self, each: impl Fn(Ball<N>) -> Ball<N>) -> Self {
        self.c[..self.terms].iter_mut().for_each(|c| *c = each(*c));
        self
    }

    /// The product with 2^by.
    pub fn shifted(self, by: i32) -> Self {
        self.map(|c| c.shifted(by))
    }

    /// With another value: the formula must not depend on the difference.
    pub fn modulo_2(mut self) -> Self {
        self.c[0] = self.c[0].modulo_2();
        self
    }

    /// A series by its value and a rule that yields coefficient k from the earlier ones.
    fn by(&self, value: Ball<N>, rule: impl Fn(usize, &[Ball<N>]) -> Ball<N>) -> Self {
        let mut jet = self.constant(value);
        for k in 1..self.terms {
            jet.c[k] = rule(k, &jet.c);
        }
        jet
    }

    /// The sum of a_j b_(k - j) over `range`.
    fn convolved(a: &[Ball<N>], b: &[Ball<N>], k: usize, range: std::ops::Range<usize>) -> Ball<N> {
        range.fold(Ball::ZERO, |sum, j| sum.add(a[j].mul(b[k - j])))
    }

    /// The series with coefficients k c_k, for x f'(x).
    fn weighted(&self) -> Self {
        let mut jet = *self;
        (0..self.terms).for_each(|k| jet.c[k] = self.c[k].times(k as i64));
        jet
    }

    /// The series with this value whose derivative is the product of `slope` and the derivative of
    /// `self`.
    fn integrated(&self, value: Ball<N>, slope: &Self) -> Self {
        let weighted = self.weighted();
        self.by(value, |k, _| Self::convolved(&weighted.c, &slope.c, k, 1..k + 1).over(k as u64))
    }

    pub fn exp(&self) -> Self {
        let weighted = self.weighted();
        self.by(self.c[0].exp(), |k, y| Self::convolved(&weighted.c, y, k, 1..k + 1).over(k as u64))
    }

    pub fn ln(&self) -> Self {
        let inverse = self.c[0].inverse();
        self.by(self.c[0].ln(), |k, y| {
            let sum = (1..k).fold(Ball::ZERO, |sum, j| sum.add(y[j].times(j as i64).mul(self.c[k - j])));
            self.c[k].sub(sum.over(k as u64)).mul(inverse)
        })
    }

    pub fn sqrt(&self) -> Self {
        let root = self.c[0].sqrt();
        let inverse = Ball::dyadic(1, -1).div(root);
        self.by(root, |k, y| self.c[k].sub(Self::convolved(y, y, k, 1..k)).mul(inverse))
    }

    /// The sine and the cosine.
    pub fn sin_cos(&self) -> (Self, Self) {
        let (cos, sin) = self.c[0].cos_sin();
        let weighted = self.weighted();
        let (mut sine, mut cosine) = (self.constant(sin), self.constant(cos));
        for k in 1..self.terms {
            sine.c[k] = Self::convolved(&weighted.c, &cosine.c, k, 1..k + 1).over(k as u64);
            cosine.c[k] = Self::convolved(&weighted.c, &sine.c, k, 1..k + 1).over(k as u64).negated();
        }
        (sine, cosine)
    }

    pub fn atan(&self) -> Self {
        let slope = self.integer(1) / (self.integer(1) + *self * *self);
        self.integrated(self.c[0].atan(), &slope)
    }

    fn gauss(&self) -> Self {
        let factor = self.constant(Ball::pi().sqrt().inverse().shifted(1));
        (-(*self * *self)).exp() * factor
    }

    pub fn erf(&self) -> Self {
        self.integrated(self.c[0].erf(), &self.gauss())
    }

    pub fn erfc(&self) -> Self {
        self.integrated(self.c[0].erfc(), &-self.gauss())
    }

    /// The series of f(x(t)), for a function whose Taylor coefficients a_0, a_1, .. at the value of x begin
    /// with `first` and continue by `rule(k, [a_0, .. a_(k - 1)])`: a linear differential
    /// equation with polynomial coefficients has such a rule. For an interval of values, `first` must
    /// hold for all of them; then so do the other coefficients.
    ///
    /// The example `bessel` solves Bessel's equation.
    ///
    /// ```
    /// use hotloops_hardround::{Ball, Jet};
    /// /// sin x, by y'' = -y: k (k - 1) a_k = -a_(k - 2).
    /// fn sin<const N: usize>(x: &Jet<N>) -> Jet<N> {
    ///     let (sin, cos) = x.sin_cos();
    ///     x.solution([sin.value(), cos.value()], |k, a| a[k - 2].over((k * (k - 1)) as u64).negated())
    /// }
    /// ```
    pub fn solution<const M: usize>(&self, first: [Ball<N>; M], rule: impl Fn(usize, &[Ball<N>]) -> Ball<N>) -> Self {
        let mut a = [Ball::ZERO; MAX_TERMS];
        for k in 0..self.terms {
            a[k] = if k < M { first[k] } else { rule(k, &a[..k]) };
        }
        let step = self.zeroed();
        let last = self.constant(a[self.terms - 1]);
        (0..self.terms - 1).rev().fold(last, |sum, k| sum * step + self.constant(a[k]))
    }

    /// The series without its value.
    fn zeroed(mut self) -> Self {
        self.c[0] = Ball::ZERO;
        self
    }

    /// The magnitude and whether the value was negative, for odd and even functions.
    pub fn split_sign(self) -> (Self, bool) {
        let negative = self.c[0].is_negative();
        (if negative { -self } else { self }, negative)
    }

    pub fn with_sign(self, negative: bool) -> Self {
        if negative { -self } else { self }
    }
}

impl<const N: usize> Add for Jet<N> {
    type Output = Self;
    fn add(mut self, other: Self) -> Self {
        (0..self.terms).for_each(|k| self.c[k] = self.c[k].add(other.c[k]));
        self
    }
}

impl<const N: usize> Sub for Jet<N> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl<const N: usize> Neg for Jet<N> {
    type Output = Self;
    fn neg(self) -> Self {
        self.map(Ball::negated)
    }
}

impl<const N: usize> Mul for Jet<N> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let value = self.c[0].mul(other.c[0]);
        self.by(value, |k, _| Self::convolved(&self.c, &other.c, k, 0..k + 1))
    }
}

impl<const N: usize> Div for Jet<N> {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let inverse = other.c[0].inverse();
        self.by(self.c[0].mul(inverse), |k, y| self.c[k].sub(Self::convolved(y, &other.c, k, 0..k)).mul(inverse))
    }
}
