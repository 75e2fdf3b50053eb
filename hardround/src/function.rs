//! The functions: values and derivatives with proved errors, and the arguments with exact results.

use std::fmt;

use crate::fixed::{Fixed, scaled};

/// A function whose results are rounded to binary64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    Exp,
    Exp2,
    Exp10,
    Log,
    Log2,
    Sin,
    Cos,
}

/// The number m 2^e.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dyadic {
    pub m: i64,
    pub e: i32,
}

impl Dyadic {
    /// A finite number, with 53 bits in m if it is normal.
    pub fn of(x: f64) -> Self {
        let bits = x.abs().to_bits();
        let (e, fraction) = ((bits >> 52) as i32, (bits & ((1 << 52) - 1)) as i64);
        let (m, e) = if e == 0 { (fraction, -1074) } else { (fraction | 1 << 52, e - 1075) };
        Dyadic { m: if x < 0.0 { -m } else { m }, e }
    }

    /// The number as f64: rounded, if m has more than 53 bits.
    pub fn to_f64(self) -> f64 {
        scaled(self.m as f64, self.e)
    }

    /// The exponent of the largest power of 2 at most |m 2^e|, which is not zero.
    pub fn exponent(self) -> i32 {
        self.m.unsigned_abs().ilog2() as i32 + self.e
    }

    /// The number, if it is an integer of at most 32 bits.
    fn integer(self) -> Option<i32> {
        let zeros = self.m.trailing_zeros().min(63);
        match (self.m, self.e + zeros as i32) {
            (0, _) => Some(0),
            (m, e @ 0..=31) => i32::try_from(i128::from(m >> zeros) << e).ok(),
            _ => None,
        }
    }

    fn is_power_of_2(self) -> bool {
        self.m > 0 && self.m & (self.m - 1) == 0
    }
}

/// In hexadecimal, as C prints it.
impl fmt::Display for Dyadic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.m == 0 {
            return f.write_str("0x0p+0");
        }
        let sign = if self.m < 0 { "-" } else { "" };
        let fraction = (self.m.unsigned_abs() << self.m.unsigned_abs().leading_zeros()) << 1;
        let digits = format!("{fraction:016x}");
        let digits = digits.trim_end_matches('0');
        let point = if digits.is_empty() { "" } else { "." };
        write!(f, "{sign}0x1{point}{digits}p{:+}", self.exponent())
    }
}

/// The number `m` 2^`e`, within [`ERROR`] 2^`e` units.
#[derive(Clone, Copy, Debug)]
pub struct Value<const N: usize> {
    pub m: Fixed<N>,
    pub e: i32,
}

/// Maximum error of a [`Value`], in units of its m.
///
/// Arguments are exact for N >= 5. Argument reduction subtracts at most 1500 times a constant, with
/// an error of 1500 x 2^9 units; the product with ln 10 has an error of 310 x 2^11. Then exp, sin
/// and cos add 2^14, ln adds 2^17, the factor 1 / ln 2 of a logarithm adds 2^10.
pub const ERROR: f64 = (1 << 22) as f64;

impl Function {
    pub const ALL: [Function; 7] =
        [Function::Exp, Function::Exp2, Function::Exp10, Function::Log, Function::Log2, Function::Sin, Function::Cos];

    pub fn name(self) -> &'static str {
        match self {
            Function::Exp => "exp",
            Function::Exp2 => "exp2",
            Function::Exp10 => "exp10",
            Function::Log => "log",
            Function::Log2 => "log2",
            Function::Sin => "sin",
            Function::Cos => "cos",
        }
    }

    /// Values and derivatives at an argument within [`Function::range`]: f^(k) / k! for k = 0, ..
    /// `degree`, which is at most 12.
    pub fn taylor<const N: usize>(self, x: Dyadic, degree: usize) -> Vec<Value<N>> {
        match self {
            Function::Exp | Function::Exp2 | Function::Exp10 => self.exponential(x, degree),
            Function::Log | Function::Log2 => self.logarithm(x, degree),
            Function::Sin | Function::Cos => self.circular(x, degree),
        }
    }

    /// f(x).
    pub fn value<const N: usize>(self, x: Dyadic) -> Value<N> {
        self.taylor(x, 0)[0]
    }

    /// exp(r) 2^n; its derivatives are products with powers of ln b.
    fn exponential<const N: usize>(self, x: Dyadic, degree: usize) -> Vec<Value<N>> {
        let argument = Fixed::dyadic(x.m, x.e);
        let half = Fixed::dyadic(1, -1);
        let multiple = |times: i64| Fixed::LN_2.times(Fixed::dyadic(times, 0));
        let (r, n) = match self {
            Function::Exp2 => {
                let n = argument.add(half).floor();
                (argument.sub(Fixed::dyadic(n, 0)).times(Fixed::LN_2), n)
            }
            _ => {
                let y = if self == Function::Exp10 { argument.times(Fixed::LN_10) } else { argument };
                let n = y.times(Fixed::LOG2_E).add(half).floor();
                (y.sub(multiple(n)), n)
            }
        };
        let base = match self {
            Function::Exp2 => Some(Fixed::LN_2),
            Function::Exp10 => Some(Fixed::LN_10),
            _ => None,
        };
        let powers = std::iter::successors(Some(r.exp()), |&power| Some(base.map_or(power, |base| power.times(base))));
        let terms = powers.zip(Fixed::INVERSE_FACTORIALS).take(degree + 1);
        terms.map(|(power, &inverse)| Value { m: power.times(inverse), e: n as i32 }).collect()
    }

    /// For x = z 2^q with z in [1, 2): q ln 2 + ln z, followed by (-1)^(k - 1) / (k x^k).
    fn logarithm<const N: usize>(self, x: Dyadic, degree: usize) -> Vec<Value<N>> {
        let q = x.exponent();
        let z = Fixed::dyadic(x.m, x.e - q);
        let integer = Fixed::dyadic(q.into(), 0);
        let (ln, one) = (z.ln(), Fixed::ONE);
        let (value, factor) = match self {
            Function::Log2 => (integer.add(ln.times(Fixed::LOG2_E)), Fixed::LOG2_E),
            _ => (integer.times(Fixed::LN_2).add(ln), one),
        };
        let mut terms = Vec::with_capacity(degree + 1);
        terms.push(Value { m: value, e: 0 });
        if degree > 0 {
            let inverse = z.inverse();
            let mut power = factor.times(inverse);
            for k in 1..=degree {
                terms.push(Value { m: power.divided(k as u64), e: -q * k as i32 });
                power = power.times(inverse).negated();
            }
        }
        terms
    }

    /// For x = r + n pi / 2: plus or minus the sine or cosine of r, by the quadrant. Each
    /// derivative advances the quadrant by one.
    fn circular<const N: usize>(self, x: Dyadic, degree: usize) -> Vec<Value<N>> {
        let (n, r) = quarters(x);
        let (cos, sin) = r.cos_sin();
        let circle = [sin, cos, sin.negated(), cos.negated()];
        let quarter = n + i64::from(self == Function::Cos);
        let terms = (quarter..).zip(Fixed::INVERSE_FACTORIALS).take(degree + 1);
        terms.map(|(n, &inverse)| Value { m: circle[n.rem_euclid(4) as usize].times(inverse), e: 0 }).collect()
    }

    /// f(x) if it is a breakpoint. The list is complete.
    ///
    /// By Lindemann's theorem exp, sin and cos are transcendental at algebraic arguments except 0,
    /// and ln at those except 1. If 2^x is dyadic for x = p / 2^j with p odd, so is the 2^j-th root
    /// of 2^p, hence j = 0; for 10^x, the number of factors 5 in 10^p is p, which is odd. 10^n =
    /// 5^n 2^n is not dyadic for n < 0; 5^22 has 52 bits; 5^23 has 54, so 10^23 is halfway between
    /// two numbers; 5^24 has 56. If log2(x) is dyadic, x is a dyadic power of 2 and dyadic itself,
    /// so log2(x) is an integer.
    pub fn exact(self, x: Dyadic) -> Option<Dyadic> {
        let integer = x.integer();
        match (self, integer) {
            (Function::Exp | Function::Cos, Some(0)) => Some(Dyadic { m: 1, e: 0 }),
            (Function::Sin, Some(0)) | (Function::Log, Some(1)) => Some(Dyadic { m: 0, e: 0 }),
            (Function::Exp2, Some(n)) => Some(Dyadic { m: 1, e: n }),
            (Function::Exp10, Some(n @ 0..=23)) => Some(Dyadic { m: 5_i64.pow(n as u32), e: n }),
            (Function::Log2, _) if x.is_power_of_2() => Some(Dyadic { m: x.exponent().into(), e: 0 }),
            _ => None,
        }
    }

    /// An f64 near f(x), for guesses.
    pub fn approximately(self, x: f64) -> f64 {
        match self {
            Function::Exp => x.exp(),
            Function::Exp2 => x.exp2(),
            Function::Exp10 => (x * std::f64::consts::LN_10).exp(),
            Function::Log => x.ln(),
            Function::Log2 => x.log2(),
            Function::Sin => x.sin(),
            Function::Cos => x.cos(),
        }
    }
}

/// n and x - n pi / 2. n is the nearest integer to x / (pi / 2), or nearly: rounding may select the
/// second nearest.
pub fn quarters<const N: usize>(x: Dyadic) -> (i64, Fixed<N>) {
    let n = (x.to_f64() * std::f64::consts::FRAC_2_PI).round() as i64;
    (n, Fixed::dyadic(x.m, x.e).sub(Fixed::HALF_PI.times(Fixed::dyadic(n, 0))))
}
