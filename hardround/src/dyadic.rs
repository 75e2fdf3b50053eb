//! Numbers m 2^e.

use std::fmt;

use crate::fixed::scaled;

/// The number m 2^e, with |m| < 2^126.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dyadic {
    pub m: i128,
    pub e: i32,
}

impl Dyadic {
    /// A finite number, with 53 bits in m if it is normal.
    pub fn of(x: f64) -> Self {
        let bits = x.abs().to_bits();
        let (e, fraction) = ((bits >> 52) as i32, i128::from(bits & ((1 << 52) - 1)));
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
    pub fn integer(self) -> Option<i32> {
        let zeros = self.m.trailing_zeros().min(127);
        match (self.m, self.e + zeros as i32) {
            (0, _) => Some(0),
            (m, e @ 0..=31) => i32::try_from((m >> zeros).checked_mul(1 << e)?).ok(),
            _ => None,
        }
    }

    /// The same number with an odd m, or 0.
    pub fn odd(self) -> Self {
        let zeros = self.m.trailing_zeros().min(127);
        if self.m == 0 { Dyadic { m: 0, e: 0 } } else { Dyadic { m: self.m >> zeros, e: self.e + zeros as i32 } }
    }

    pub fn is_power_of_2(self) -> bool {
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
        let digits = format!("{fraction:032x}");
        let digits = digits.trim_end_matches('0');
        let point = if digits.is_empty() { "" } else { "." };
        write!(f, "{sign}0x1{point}{digits}p{:+}", self.exponent())
    }
}
