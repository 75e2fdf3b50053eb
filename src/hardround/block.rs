//! The polynomials of blocks, and the Taylor series that they are computed from.

use alloc::vec::Vec;

use crate::frame::error::Error;
use crate::frame::memory;

/// F(x) mod 1 = c0 + c1 x + c2 x^2 + c3 x^3 on x = 0, 1, 2, .. of a block. The coefficients are
/// fractions in units of 2^-128, in two's complement, each as its lower and upper word.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// The coefficients, lowest degree first.
    pub c: [[u64; 2]; 4],
}

fn join(words: [u64; 2]) -> u128 {
    u128::from(words[0]) | u128::from(words[1]) << 64
}

impl Block {
    /// A block with coefficients in units of 2^-128.
    #[must_use]
    pub fn new(c: [u128; 4]) -> Self {
        Block { c: c.map(|c| [c as u64, (c >> 64) as u64]) }
    }

    pub(super) fn coefficients(&self) -> [u128; 4] {
        self.c.map(join)
    }

    /// The value at an argument, in units of 2^-128.
    #[must_use]
    pub fn at(&self, x: u64) -> u128 {
        evaluate(&self.coefficients(), x)
    }
}

pub(super) fn evaluate(c: &[u128; 4], x: u64) -> u128 {
    c.iter().rev().fold(0, |value, &c| value.wrapping_mul(x.into()).wrapping_add(c))
}

/// The same polynomial with its origin moved to x.
pub(super) fn moved([c0, c1, c2, c3]: [u128; 4], x: u64) -> [u128; 4] {
    let x = u128::from(x);
    let by = |c: u128, x: u128| c.wrapping_mul(x);
    let sum = u128::wrapping_add;
    [
        sum(c0, by(sum(c1, by(sum(c2, by(c3, x)), x)), x)),
        sum(c1, by(sum(by(c2, 2), by(by(c3, 3), x)), x)),
        sum(c2, by(by(c3, 3), x)),
        c3,
    ]
}

/// The largest degree of a [`Series`].
pub const MAX_DEGREE: usize = 12;

/// A Taylor polynomial, which yields the polynomials of many blocks.
///
/// Coefficient m of the block at j 2^k is a polynomial of degree D - m in j, whose coefficients f_i
/// binomial(i, m) 2^(k (i - m)) are computed once, modulo 1 in units of 2^-256. Its value is rounded
/// to a multiple of 2^-128. [`Series::error`] bounds the error of this and of dropping the terms
/// above the cube.
#[derive(Clone, Debug)]
pub struct Series {
    /// For each coefficient of a block, the coefficients of its polynomial in j, highest first.
    terms: [Vec<[u64; 4]>; 4],
    /// The coefficients of the series, each within 2^-51 of its magnitude.
    numbers: [f64; MAX_DEGREE + 1],
    degree: usize,
    log2_length: u32,
}

/// A quartic that approximates a series: its coefficients around an argument, and a bound of its
/// difference from the polynomials of blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quartic {
    /// In units of 2^-128.
    pub c: [u128; 3],
    pub c3: f64,
    pub c4: f64,
    pub error: f64,
}

impl Series {
    /// The series F(x) = f0 + f1 x + f2 x^2 + .. for blocks of 2^`log2_length` arguments.
    /// Coefficients are fractions in units of 2^-256, in two's complement, four words each, lowest
    /// first.
    ///
    /// # Errors
    /// [`Error::Proof`] for no coefficient, for more than [`MAX_DEGREE`] + 1 and for blocks longer
    /// than 2^32; [`Error::NoMemory`].
    pub fn new(taylor: &[[u64; 4]], log2_length: u32) -> Result<Self, Error> {
        if taylor.is_empty() || taylor.len() > MAX_DEGREE + 1 {
            return Err(Error::Proof { argument: "taylor" });
        }
        if log2_length > 32 {
            return Err(Error::Proof { argument: "log2_length" });
        }
        let mut terms = [const { Vec::new() }; 4];
        for (m, terms) in terms.iter_mut().enumerate() {
            *terms = memory::with_capacity(taylor.len().saturating_sub(m))?;
            for i in (m..taylor.len()).rev() {
                let binomial = (0..m).fold(1, |product, factor| product * (i - factor) as u64 / (factor as u64 + 1));
                terms.push(shifted(times(taylor[i], binomial), log2_length * (i - m) as u32));
            }
        }
        let mut numbers = [0.0; MAX_DEGREE + 1];
        for (number, &f) in numbers.iter_mut().zip(taylor) {
            let negative = f[3] >> 63 == 1;
            let positive = if negative { product(f, -1) } else { f };
            *number = if negative { -magnitude(positive) } else { magnitude(positive) };
        }
        Ok(Series { terms, numbers, degree: taylor.len() - 1, log2_length })
    }

    /// Upper bound of the difference between the polynomials of blocks -`blocks` .. `blocks` and
    /// the series, in units of 1.
    #[must_use]
    pub fn error(&self, blocks: u64) -> f64 {
        let length = power(self.log2_length as i32);
        self.loss(length, blocks, |m, size| if m < 4 { size.min(power(-129)) } else { size })
    }

    /// The length of a block, log2.
    #[must_use]
    pub fn log2_length(&self) -> u32 {
        self.log2_length
    }

    /// The block that begins at argument `j` 2^`log2_length`.
    #[must_use]
    pub fn block(&self, j: i64) -> Block {
        let horner =
            |terms: &Vec<[u64; 4]>| upper(terms.iter().fold([0; 4], |value, &term| sum(product(value, j), term)));
        Block::new([0, 1, 2, 3].map(|m| horner(&self.terms[m])))
    }

    /// The quartic around the beginning of block `j`, with a bound of its error.
    pub(super) fn quartic(&self, j: i64, error: f64) -> Quartic {
        let c = self.block(j).coefficients();
        let x = j as f64 * power(self.log2_length as i32);
        let [c3, c4] = [3, 4].map(|m| {
            self.numbers.iter().enumerate().skip(m).rev().fold(0.0, |sum, (i, &f)| sum * x + binomial(i, m) * f)
        });
        Quartic { c: [c[0], c[1], c[2]], c3, c4, error }
    }

    /// Upper bound of the difference between the polynomials of blocks -`blocks` .. `blocks` and
    /// quartics, for `reach` arguments before and behind the beginning of a block.
    pub(super) fn bent(&self, reach: f64, blocks: u64) -> f64 {
        self.error(blocks)
            + self.loss(reach, blocks, |m, size| match m {
                0..3 => size.min(power(-129)),
                3 | 4 => size * power(-46),
                _ => size,
            })
    }

    /// The sum of the errors of coefficients around blocks -`blocks` .. `blocks`, times powers of
    /// `reach`. `error` is that of coefficient m, given a bound of its magnitude.
    fn loss(&self, reach: f64, blocks: u64, error: impl Fn(usize, f64) -> f64) -> f64 {
        let x = blocks as f64 * power(self.log2_length as i32);
        let (mut sizes, degree) = (self.numbers.map(f64::abs), self.degree);
        for low in 0..degree {
            for at in (low..degree).rev() {
                sizes[at] += sizes[at + 1] * x;
            }
        }
        let sizes = sizes[..=degree].iter().enumerate().rev();
        1.000_001 * sizes.fold(0.0, |all, (m, &size)| all * reach + error(m, size))
    }
}

fn binomial(i: usize, m: usize) -> f64 {
    (0..m).fold(1.0, |product, factor| product * (i - factor) as f64 / (factor + 1) as f64)
}

/// The product with a signed number, modulo 2^256.
fn product(words: [u64; 4], factor: i64) -> [u64; 4] {
    let mut carry = 0;
    words.map(|word| {
        let product = i128::from(word) * i128::from(factor) + carry;
        carry = product >> 64;
        product as u64
    })
}

/// The sum modulo 2^256.
fn sum(a: [u64; 4], b: [u64; 4]) -> [u64; 4] {
    let mut carry = false;
    [0, 1, 2, 3].map(|at| {
        let (sum, over) = a[at].overflowing_add(b[at]);
        let (sum, carried) = sum.overflowing_add(carry.into());
        carry = over | carried;
        sum
    })
}

/// The product modulo 2^256.
fn times(words: [u64; 4], factor: u64) -> [u64; 4] {
    let mut carry = 0;
    words.map(|word| {
        let product = u128::from(word) * u128::from(factor) + carry;
        carry = product >> 64;
        product as u64
    })
}

/// Shifts left, modulo 2^256.
fn shifted(words: [u64; 4], bits: u32) -> [u64; 4] {
    let (whole, part) = ((bits / 64) as usize, bits % 64);
    [0_usize, 1, 2, 3].map(|at| {
        let word = |back: usize| at.checked_sub(whole + back).map_or(0, |from| words[from]);
        if part == 0 { word(0) } else { word(0) << part | word(1) >> (64 - part) }
    })
}

/// The nearest multiple of 2^-128.
fn upper([_, half, low, high]: [u64; 4]) -> u128 {
    join([low, high]).wrapping_add(u128::from(half >> 63))
}

fn magnitude(words: [u64; 4]) -> f64 {
    let negative = words[3] >> 63 == 1;
    // The bitwise complement is one unit too small. One unit is added for either sign.
    let words = if negative { words.map(|word| !word) } else { words };
    words.iter().fold(power(-64), |value, &word| (value + word as f64) * power(-64))
}

/// 2^exponent, or 0 if that is below the normal numbers.
pub(super) const fn power(exponent: i32) -> f64 {
    f64::from_bits(if exponent > -1023 { ((1023 + exponent) as u64) << 52 } else { 0 })
}
