//! exp in fixed point: Taylor coefficients, and the distance of a value from a breakpoint.

use std::sync::OnceLock;

/// Coefficients of a series that are not 0 in units of 2^-256.
pub const TERMS: usize = 6;

const WORDS: usize = 8;

/// Bits of the fraction.
const FRACTION: u32 = 64 * (WORDS as u32 - 1);

/// A positive number in units of 2^-448, the lowest word first.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Fixed([u64; WORDS]);

impl Fixed {
    fn integer(value: u64) -> Self {
        let mut words = [0; WORDS];
        words[WORDS - 1] = value;
        Fixed(words)
    }

    fn plus(self, other: Self) -> Self {
        let mut carry = 0;
        Fixed(std::array::from_fn(|i| {
            carry += u128::from(self.0[i]) + u128::from(other.0[i]);
            let word = carry as u64;
            carry >>= 64;
            word
        }))
    }

    fn times(self, by: u64) -> Self {
        let mut carry = 0;
        Fixed(self.0.map(|word| {
            carry += u128::from(word) * u128::from(by);
            let word = carry as u64;
            carry >>= 64;
            word
        }))
    }

    fn over(self, by: u64) -> Self {
        let (mut words, mut rest) = (self.0, 0);
        for word in words.iter_mut().rev() {
            let value = rest << 64 | u128::from(*word);
            *word = (value / u128::from(by)) as u64;
            rest = value % u128::from(by);
        }
        Fixed(words)
    }

    fn shifted(self, bits: u32) -> Self {
        let (words, bits) = ((bits / 64) as usize, bits % 64);
        let word = |i: usize| u128::from(self.0.get(i).copied().unwrap_or(0));
        Fixed(std::array::from_fn(|i| ((word(i + words + 1) << 64 | word(i + words)) >> bits) as u64))
    }

    /// The sum of `self` t^i / i! for t = k 2^-step.
    fn times_exp(self, k: u64, step: u32) -> Self {
        let (mut sum, mut term) = (self, self);
        for i in 1.. {
            term = term.times(k).shifted(step).over(i);
            if term == Fixed::integer(0) {
                return sum;
            }
            sum = sum.plus(term);
        }
        unreachable!("factorials grow")
    }
}

/// exp(1 + k 2^-step), too small by less than 2^-430, for k < 2^step.
fn exp(k: u64, step: u32) -> Fixed {
    static E: OnceLock<Fixed> = OnceLock::new();
    E.get_or_init(|| Fixed::integer(1).times_exp(1, 0)).times_exp(k, step)
}

/// The Taylor coefficients of 2^scale exp(1 + k 2^-step) around k, modulo 1 in units of 2^-256.
pub fn taylor([scale, step]: [u32; 2], k: u64) -> [[u64; 4]; TERMS] {
    let mut value = exp(k, step);
    std::array::from_fn(|i| {
        if i > 0 {
            value = value.over(i as u64);
        }
        let shifted = value.shifted(FRACTION - 256 - scale + step * i as u32);
        std::array::from_fn(|word| shifted.0[word])
    })
}

/// The distance of the same value from an integer, in units of 2^-64.
pub fn distance([scale, step]: [u32; 2], k: u64) -> f64 {
    let [.., low, high] = exp(k, step).shifted(FRACTION - 256 - scale).0[..4] else { unreachable!() };
    let value = (u128::from(high) << 64 | u128::from(low)) as i128;
    value.unsigned_abs() as f64 * (-64_f64).exp2()
}
