//! Binary floating-point formats.

use std::fmt;

use crate::dyadic::Dyadic;

/// A format of IEEE 754, of arguments and results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Bits of the significand.
    pub precision: u32,
    /// Exponents of the smallest and the largest normal number.
    pub min_exponent: i32,
    pub max_exponent: i32,
}

impl Format {
    pub const BINARY16: Self = Format { precision: 11, min_exponent: -14, max_exponent: 15 };
    pub const BFLOAT16: Self = Format { precision: 8, min_exponent: -126, max_exponent: 127 };
    pub const BINARY32: Self = Format { precision: 24, min_exponent: -126, max_exponent: 127 };
    pub const BINARY64: Self = Format { precision: 53, min_exponent: -1022, max_exponent: 1023 };
    /// The extended format of x87. Intervals end at binary64 numbers, so larger arguments are not
    /// searched.
    pub const X87: Self = Format { precision: 64, min_exponent: -16382, max_exponent: 16383 };

    /// The formats with their names.
    pub const ALL: [(&'static str, Self); 5] = [
        ("binary16", Self::BINARY16),
        ("bfloat16", Self::BFLOAT16),
        ("binary32", Self::BINARY32),
        ("binary64", Self::BINARY64),
        ("x87", Self::X87),
    ];

    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(its, _)| *its == name).map(|&(_, format)| format)
    }

    /// The name, `None` for other formats than those of [`Format::ALL`].
    pub fn name(&self) -> Option<&'static str> {
        Self::ALL.iter().find(|(_, its)| its == self).map(|&(name, _)| name)
    }

    /// Whether all numbers can be searched: they are so few that each one can be evaluated, and 0 is
    /// not far from them.
    pub fn is_small(&self) -> bool {
        self.precision <= 24 && self.min_exponent >= -126
    }

    /// 2 to the largest exponent plus 1, for the end of an interval of all numbers.
    pub(crate) fn end(&self) -> f64 {
        f64::from(self.max_exponent + 1).exp2()
    }

    /// The exponent of the last bit of the smallest numbers.
    pub(crate) fn last_bit(&self) -> i32 {
        self.min_exponent - self.precision as i32 + 1
    }

    /// Counts the format's numbers in (0, |x|), or in (0, |x|] with `inclusive`.
    fn below(&self, x: Dyadic, inclusive: bool) -> i128 {
        let m = x.m.unsigned_abs() as i128;
        if m == 0 {
            return 0;
        }
        let magnitude = Dyadic { m, e: x.e };
        let binade = magnitude.exponent().max(self.min_exponent);
        let last = binade - self.precision as i32 + 1;
        let by = last - x.e;
        let rounded = match by {
            ..=0 => m << -by,
            1..=126 if inclusive => m >> by,
            1..=126 => (m + (1 << by) - 1) >> by,
            _ => i128::from(!inclusive),
        };
        let before = i128::from(binade - self.min_exponent) << (self.precision - 1);
        before + rounded - i128::from(!inclusive)
    }

    /// The number of the smallest number of the format that is at least x. Numbers count up from 0
    /// for 0.
    pub(crate) fn number_from(&self, x: Dyadic) -> i128 {
        if x.m < 0 { -self.below(x, true) } else { self.below(x, false) + i128::from(x.m != 0) }
    }

    /// Whether x is a number of the format.
    pub fn holds(&self, x: Dyadic) -> bool {
        let odd = x.odd();
        if odd.m == 0 {
            return true;
        }
        let exponent = odd.exponent();
        exponent <= self.max_exponent && odd.e > exponent.max(self.min_exponent) - self.precision as i32
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "{} bits, exponents {} to {}", self.precision, self.min_exponent, self.max_exponent),
        }
    }
}
