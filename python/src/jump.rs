//! MT19937 advanced by powers of two.
//!
//! The generator is linear over GF(2): with the characteristic polynomial p, the state after n steps is
//! the polynomial x^n mod p of the step, applied to the state.

use std::sync::OnceLock;

use pyo3::prelude::*;

use crate::threads::Signals;

/// Words of the state of a lane.
const WORDS: usize = 624;

/// The distance of the second word of the recurrence.
const MIDDLE: usize = 397;

/// Degree of the characteristic polynomial.
const DEGREE: usize = 19_937;

/// Bytes of a saved state before its words; see `Mt19937::state_bytes`.
const HEADER: usize = 24;

/// The word that replaces `first`.
fn next(first: u32, second: u32, middle: u32) -> u32 {
    let y = (first & 0x8000_0000) | (second & 0x7fff_ffff);
    middle ^ (y >> 1) ^ if y & 1 == 1 { 0x9908_b0df } else { 0 }
}

fn tempered(word: u32) -> u32 {
    let mut y = word;
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c_5680;
    y ^= (y << 15) & 0xefc6_0000;
    y ^ (y >> 18)
}

/// A polynomial over GF(2), 64 coefficients in each word.
type Polynomial = Vec<u64>;

fn coefficient(polynomial: &[u64], degree: usize) -> bool {
    polynomial[degree / 64] >> (degree % 64) & 1 == 1
}

/// Adds `other` times x^`shift`.
fn add_shifted(polynomial: &mut [u64], other: &[u64], shift: usize) {
    let (words, bits) = (shift / 64, shift % 64);
    for (at, &word) in other.iter().enumerate().filter(|(_, word)| **word != 0) {
        polynomial[at + words] ^= word << bits;
        if bits > 0 && word >> (64 - bits) != 0 {
            polynomial[at + words + 1] ^= word >> (64 - bits);
        }
    }
}

/// The characteristic polynomial: the shortest recurrence of one bit of the words (Berlekamp and Massey).
fn characteristic(signals: &mut Signals) -> PyResult<Polynomial> {
    let mut words: Vec<u32> = (0..WORDS as u32).map(|index| index.wrapping_mul(0x9e37_79b9) | 1).collect();
    let len = 2 * DEGREE;
    for at in 0..len {
        words.push(next(words[at], words[at + 1], words[at + MIDDLE]));
    }
    let size = len / 64 + 2;
    // The last bits, the newest lowest, so that a discrepancy is a product of words.
    let (mut recent, mut connection, mut before) = (vec![0u64; size], vec![0u64; size], vec![0u64; size]);
    (connection[0], before[0]) = (1, 1);
    let (mut degree, mut since) = (0, 1);
    for (n, word) in words[WORDS..].iter().enumerate() {
        if n % 64 == 0 {
            signals.poll()?;
        }
        let used = n / 64 + 1;
        let mut carry = u64::from(word & 1);
        for word in &mut recent[..used] {
            (*word, carry) = (*word << 1 | carry, *word >> 63);
        }
        let used = degree / 64 + 1;
        let products = recent[..used].iter().zip(&connection[..used]).map(|(a, b)| (a & b).count_ones());
        if products.sum::<u32>() % 2 == 0 {
            since += 1;
            continue;
        }
        let is_longer = 2 * degree <= n;
        let copy = if is_longer { connection.clone() } else { Vec::new() };
        add_shifted(&mut connection, &before, since);
        if is_longer {
            (degree, before, since) = (n + 1 - degree, copy, 1);
        } else {
            since += 1;
        }
    }
    debug_assert_eq!(degree, DEGREE);
    // The connection polynomial read backwards.
    let mut polynomial = vec![0; DEGREE / 64 + 1];
    for power in (0..=DEGREE).filter(|&power| coefficient(&connection, DEGREE - power)) {
        polynomial[power / 64] |= 1 << (power % 64);
    }
    Ok(polynomial)
}

/// The remainder of a polynomial of degree below 2 [`DEGREE`] by the characteristic one.
fn reduced(mut polynomial: Polynomial, signals: &mut Signals) -> PyResult<Polynomial> {
    static MODULUS: OnceLock<Polynomial> = OnceLock::new();
    let modulus = or_made(&MODULUS, || characteristic(signals))?;
    signals.poll()?;
    for degree in (DEGREE..2 * DEGREE).rev() {
        if coefficient(&polynomial, degree) {
            add_shifted(&mut polynomial, modulus, degree - DEGREE);
        }
    }
    polynomial.truncate(DEGREE / 64 + 1);
    Ok(polynomial)
}

fn product(a: &[u64], b: &[u64], signals: &mut Signals) -> PyResult<Polynomial> {
    let mut product = vec![0; a.len() + b.len() + 1];
    for degree in (0..DEGREE).filter(|&degree| coefficient(a, degree)) {
        add_shifted(&mut product, b, degree);
    }
    reduced(product, signals)
}

fn square(polynomial: &[u64], signals: &mut Signals) -> PyResult<Polynomial> {
    let mut square = vec![0; 2 * polynomial.len() + 1];
    for degree in (0..DEGREE).filter(|&degree| coefficient(polynomial, degree)) {
        square[2 * degree / 64] |= 1 << (2 * degree % 64);
    }
    reduced(square, signals)
}

/// x^(2^`exponent`) modulo the characteristic polynomial.
fn power(exponent: u32, signals: &mut Signals) -> PyResult<Polynomial> {
    let mut power = vec![0; DEGREE / 64 + 1];
    power[0] = 2;
    for _ in 0..exponent {
        power = square(&power, signals)?;
    }
    Ok(power)
}

/// The power `times`, which is not 0, of a polynomial modulo the characteristic one.
fn raised(polynomial: &[u64], times: usize, signals: &mut Signals) -> PyResult<Polynomial> {
    let mut result = polynomial.to_vec();
    for bit in (0..times.ilog2()).rev() {
        result = square(&result, signals)?;
        if times >> bit & 1 == 1 {
            result = product(&result, polynomial, signals)?;
        }
    }
    Ok(result)
}

/// A value that is made once. Threads may make it at the same time; an interrupted one makes none.
fn or_made(place: &OnceLock<Polynomial>, make: impl FnOnce() -> PyResult<Polynomial>) -> PyResult<&Polynomial> {
    match place.get() {
        Some(value) => Ok(value),
        None => make().map(|value| place.get_or_init(|| value)),
    }
}

/// x^(2^128), the power that `BitGenerator.jumped` uses.
fn power_of(exponent: u32, signals: &mut Signals) -> PyResult<Polynomial> {
    static LONG: OnceLock<Polynomial> = OnceLock::new();
    if exponent == 128 { or_made(&LONG, || power(128, signals)).cloned() } else { power(exponent, signals) }
}

/// The words of a lane, the oldest first, as many steps later as the power of x that is congruent to `polynomial`.
fn jumped(mut words: Vec<u32>, polynomial: &[u64]) -> Vec<u32> {
    for at in 0..DEGREE {
        words.push(next(words[at], words[at + 1], words[at + MIDDLE]));
    }
    let mut sum = vec![0; WORDS];
    for degree in (0..DEGREE).filter(|&degree| coefficient(polynomial, degree)) {
        sum.iter_mut().zip(&words[degree..]).for_each(|(sum, word)| *sum ^= word);
    }
    sum
}

/// Advances each lane of a saved state by 2^`exponent` numbers, `times` times, without its hash. Returns the last
/// `left` numbers before the new position.
pub fn state(
    bytes: &mut [u8],
    lanes: usize,
    (exponent, times): (u32, usize),
    left: usize,
    signals: &mut Signals,
) -> PyResult<Vec<u32>> {
    let mut position = [0; 8];
    position.copy_from_slice(&bytes[16..HEADER]);
    let position = u64::from_le_bytes(position) as usize;
    let polynomial = match times {
        0 => None,
        times => Some(raised(&power_of(exponent, signals)?, times, signals)?),
    };
    let end = HEADER + 4 * WORDS * lanes;
    let (words, _) = bytes[HEADER..end].as_chunks_mut::<4>();
    let mut last = vec![0; left];
    for lane in 0..lanes {
        // The lane's next word to update, its oldest one.
        let oldest = (position + lanes - 1 - lane) / lanes;
        let place = |index: usize| (oldest + index) % WORDS * lanes + lane;
        let ring: Vec<u32> = (0..WORDS).map(|index| u32::from_le_bytes(words[place(index)])).collect();
        signals.poll()?;
        let ring = match &polynomial {
            Some(polynomial) => jumped(ring, polynomial),
            None => ring,
        };
        ring.iter().enumerate().for_each(|(index, word)| words[place(index)] = word.to_le_bytes());
        // Number `position - 1` of the stream is the last one; lanes take turns.
        let newest = (0..lanes).find(|back| (position + lanes - 1 - back) % lanes == lane).unwrap_or(0);
        let places = (newest..left).step_by(lanes).map(|back| left - 1 - back);
        places.zip(ring.iter().rev()).for_each(|(place, &word)| last[place] = tempered(word));
    }
    Ok(last)
}
