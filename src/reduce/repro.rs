//! Sums that do not depend on the order of their terms.

use super::contract::{BINNED_MAX, LEVELS, PRODUCTS_MAX, STEP, TOP};
use super::element::Element;
use super::scalar::power;
use crate::frame::error::{Error, exactly};
use crate::frame::state::Format;
use crate::math::float::Float;
use crate::math::fused;

/// Exponent of the quantum of the finest bin. The quantum is the smallest denormal number, so this
/// bin rounds nothing.
const FINEST: i32 = -1074;

/// Elements of this bin are divided by `2^SCALE`, so that the doubles that they are added to do not
/// overflow.
const LAST_BIN: u32 = 50;
const SCALE: i32 = 64;

/// Number of elements that choose the first bin, before any is added, and length of parts of products.
const PROBED: usize = 128;

/// A running sum. The bits of its result do not depend on the order of the numbers, on how they are
/// split into slices, or on which of several sums they are added to before these are merged.
///
/// Each number is rounded to a multiple of a quantum, and the multiples are added as integers. The
/// largest magnitude so far determines the bin: bin b has the quantum 2^(40 b - 1074) and holds
/// magnitudes below 2^119 quanta, in three integers, which count 2^80, 2^40 and 1 of them. A number
/// of a higher bin than all numbers before it makes the quantum coarser. The integers that are
/// multiples of it are kept.
///
/// ```
/// use hotloops::reduce::{Repro, sum_repro};
/// let x: Vec<f64> = (1..=1000).map(|i| 1.0 / f64::from(i)).collect();
/// let (mut ascending, mut other) = (Repro::new(), Repro::new());
/// ascending.extend(&x[400..]);
/// other.extend(&x[..400]);
/// ascending.merge(&other);
/// assert_eq!(ascending.sum().to_bits(), sum_repro(&x).to_bits());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repro {
    /// Sums of the integers, from the coarsest to the finest, the low words first.
    sums: [[u64; 2]; LEVELS],
    bin: u32,
    /// Bits: a NaN, +infinity, -infinity were added.
    special: u32,
}

const NAN: u32 = 1;
const POSITIVE: u32 = 2;
const NEGATIVE: u32 = 4;

#[inline]
fn wide(words: [u64; 2]) -> i128 {
    (u128::from(words[1]) << 64 | u128::from(words[0])) as i128
}

#[inline]
fn narrow(value: i128) -> [u64; 2] {
    [value as u64, (value >> 64) as u64]
}

impl Repro {
    /// An empty sum.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the elements of a slice. A sum takes up to 2^47 numbers in total.
    pub fn extend<T: Element>(&mut self, x: &[T]) {
        x.chunks(BINNED_MAX).for_each(|block| self.block(block));
    }

    /// Adds the products `x[i] * y[i]`, each as two numbers: the product, rounded to `f64`, and its
    /// error `fma(x[i], y[i], -product)`. Together they are exact unless the product overflows or its
    /// error is denormal.
    ///
    /// ```
    /// use hotloops::reduce::{Repro, dot_repro};
    /// let (x, y) = ([1e16, 1.0, -1e16], [1.0; 3]);
    /// let mut sum = Repro::new();
    /// sum.extend_products(&x[1..], &y[1..])?;
    /// sum.extend_products(&x[..1], &y[..1])?;
    /// assert_eq!(sum.sum(), dot_repro(&x, &y)?);
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Length`] if `x` and `y` differ in length; nothing is added then.
    pub fn extend_products<T: Element>(&mut self, x: &[T], y: &[T]) -> Result<(), Error> {
        exactly("y", x.len(), y.len())?;
        x.chunks(PRODUCTS_MAX).zip(y.chunks(PRODUCTS_MAX)).for_each(|(x, y)| self.product_block(x, y));
        Ok(())
    }

    fn product_block<T: Element>(&mut self, x: &[T], y: &[T]) {
        if self.bin == 0 {
            let probed = x.len().min(PROBED);
            products_of(&x[..probed], &y[..probed], |products, _, _| self.raise_to(products));
        }
        if self.add_products(x, y) {
            return;
        }
        products_of(x, y, |products, _, _| self.raise_to(products));
        if self.add_products(x, y) {
            return;
        }
        products_of(x, y, |products, x, y| {
            let mut errors = [0.0; PROBED];
            for ((x, y), (product, error)) in x.iter().zip(y).zip(products.iter().zip(&mut errors)) {
                if product.is_finite() {
                    *error = x.to_f64().fma(y.to_f64(), -product);
                }
            }
            self.extend(products);
            self.extend(&errors);
        });
    }

    /// Adds all products if the bin holds every one, otherwise nothing. Returns whether it added.
    fn add_products<T: Element>(&mut self, x: &[T], y: &[T]) -> bool {
        self.bin < LAST_BIN
            && self.deposit(|exponent, sums| {
                // SAFETY: at most `PRODUCTS_MAX` elements of two slices, three sums, an exponent of the range.
                unsafe { T::PRODUCTS(x.as_ptr(), y.as_ptr(), x.len(), exponent, sums) }
            })
    }

    fn block<T: Element>(&mut self, x: &[T]) {
        if self.bin == 0 {
            // The kernels are slow in the lowest bin, the one of denormal numbers. So the first
            // elements choose a bin.
            self.raise_to(&x[..x.len().min(PROBED)]);
        }
        if self.add(x) {
            return;
        }
        self.raise_to(x);
        if self.add(x) {
            return;
        }
        // The highest bin, or an element is not finite. This slow path runs at most once per block.
        for &x in x.iter().filter(|x| !x.to_f64().is_finite()) {
            self.special |= match x.partial_cmp(&T::ZERO) {
                None => NAN,
                Some(core::cmp::Ordering::Less) => NEGATIVE,
                Some(_) => POSITIVE,
            };
        }
        self.one_by_one(x);
    }

    /// Adds all of `x` if the bin holds every magnitude, otherwise nothing. Returns whether it
    /// added.
    fn add<T: Element>(&mut self, x: &[T]) -> bool {
        self.bin < LAST_BIN && self.add_at_bin(x)
    }

    fn add_at_bin<T: Element>(&mut self, x: &[T]) -> bool {
        // SAFETY: at most `BINNED_MAX` elements of a slice, three sums, an exponent of the range.
        self.deposit(|exponent, sums| unsafe { T::BINNED(x.as_ptr(), x.len(), exponent, sums) })
    }

    /// Raises the bin until it holds all finite magnitudes.
    fn raise_to<T: Element>(&mut self, x: &[T]) {
        // Comparisons with NaN are false. With lanes, the compiler uses vectors.
        const LANES: usize = 16;
        let larger = |most: T, x: T| if x > most { x } else { most };
        let mut lanes = [T::ZERO; LANES];
        let mut rows = x.chunks_exact(LANES);
        for row in &mut rows {
            lanes.iter_mut().zip(row).for_each(|(lane, x)| *lane = larger(*lane, x.magnitude()));
        }
        lanes.iter_mut().zip(rows.remainder()).for_each(|(lane, x)| *lane = larger(*lane, x.magnitude()));
        let mut largest = lanes.into_iter().fold(T::ZERO, larger);
        if largest == T::INFINITY {
            let finite = x.iter().map(|x| x.magnitude()).filter(|&x| x < T::INFINITY);
            largest = finite.fold(T::ZERO, larger);
        }
        self.raise(bin_of(largest.to_f64()));
    }

    /// Adds the finite elements of `x` in chunks, which are scaled if the bin needs it.
    fn one_by_one<T: Element>(&mut self, x: &[T]) {
        let factor = if self.bin == LAST_BIN { power(-SCALE) } else { 1.0 };
        for x in x.chunks(64) {
            let mut part = [0.0; 64];
            let finite = x.iter().map(|x| x.to_f64()).filter(|x| x.is_finite());
            part.iter_mut().zip(finite).for_each(|(slot, x)| *slot = x * factor);
            self.add_at_bin(&part);
        }
    }

    /// Adds what a kernel adds to three sums, given the exponent of the bin's quantum. Returns whether
    /// the kernel added.
    fn deposit(&mut self, kernel: impl FnOnce(i32, *mut i64) -> u32) -> bool {
        let mut sums = [0; LEVELS];
        let scale = if self.bin == LAST_BIN { SCALE } else { 0 };
        let done = kernel(FINEST + STEP * self.bin as i32 - scale, sums.as_mut_ptr()) != 0;
        for (sum, more) in self.sums.iter_mut().zip(sums) {
            *sum = narrow(wide(*sum).wrapping_add(i128::from(more)));
        }
        done
    }

    /// Raises the bin to `bin` if it is lower.
    fn raise(&mut self, bin: u32) {
        if bin > self.bin {
            let steps = LEVELS.min((bin - self.bin) as usize);
            self.sums.rotate_right(steps);
            self.sums[..steps].fill(narrow(0));
            self.bin = bin;
        }
    }

    /// Adds the terms of another sum.
    pub fn merge(&mut self, other: &Repro) {
        let mut other = *other;
        self.raise(other.bin);
        other.raise(self.bin);
        self.special |= other.special;
        for (sum, more) in self.sums.iter_mut().zip(other.sums) {
            *sum = narrow(wide(*sum).wrapping_add(wide(more)));
        }
    }

    /// The sum of all terms, rounded once. It is NaN if a term is NaN or if terms are infinite with
    /// both signs. It is infinite if terms are infinite with one sign or if the sum overflows. A
    /// zero sum is +0.
    #[must_use]
    pub fn sum(&self) -> f64 {
        match self.special {
            0 => {
                let [coarse, middle, fine] = self.sums.map(wide);
                // The total is 2^40 quanta times `high`, and `low` quanta, from 0 to 2^40.
                let (carry, low) = (fine >> STEP, fine & ((1 << STEP) - 1));
                let high = coarse.wrapping_shl(STEP as u32).wrapping_add(middle).wrapping_add(carry);
                let exponent = FINEST + STEP * self.bin as i32;
                // The products round nothing: if one is denormal, the total has less than 53 bits.
                if high.unsigned_abs() < 1 << 80 {
                    return (high << STEP | low) as f64 * power(exponent);
                }
                // An odd last bit, far below those of the result, stands for what is between.
                (high | i128::from(low != 0)) as f64 * power(exponent + STEP)
            }
            POSITIVE => f64::INFINITY,
            NEGATIVE => f64::NEG_INFINITY,
            _ => f64::NAN,
        }
    }

    /// Size of a saved state in bytes.
    pub const STATE_LEN: usize = 80;

    /// Writes the state as [`STATE_LEN`](Self::STATE_LEN) bytes, identical on every machine. It
    /// serves to continue the sum later, or to merge the sums of several machines.
    ///
    /// All values are little-endian: the 8 bytes `hlrepros`, the version 2 (`u32`), 0 (`u32`), the
    /// bin (`u32`), the kinds of terms that are not finite (`u32`; bits: NaN 1, +infinity 2,
    /// -infinity 4); the sums of the integers, from the coarsest to the finest (`i128` each); and the
    /// FNV-1a hash of all these bytes (`u64`).
    ///
    /// # Errors
    /// [`Error::Length`] if `bytes` has another length.
    pub fn state_bytes(&self, bytes: &mut [u8]) -> Result<(), Error> {
        let position = u64::from(self.bin) | u64::from(self.special) << 32;
        FORMAT.write(bytes, 0, position, self.sums.as_flattened().iter().map(|word| word.to_le_bytes()))
    }

    /// Restores a sum from the state that [`state_bytes`](Self::state_bytes) wrote.
    ///
    /// # Errors
    /// [`Error::StateTruncated`], [`Error::StateForeign`], [`Error::StateCorrupt`],
    /// [`Error::Length`] for trailing bytes.
    pub fn from_state_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let saved = FORMAT.parse(bytes)?;
        let (bin, special) = (saved.position as u32, (saved.position >> 32) as u32);
        if bin > LAST_BIN || special > (NAN | POSITIVE | NEGATIVE) {
            return Err(Error::StateCorrupt);
        }
        let mut sums = [[0; 2]; LEVELS];
        sums.as_flattened_mut()
            .iter_mut()
            .zip(saved.words())
            .for_each(|(slot, word)| *slot = u64::from_le_bytes(*word));
        Ok(Repro { sums, bin, special })
    }
}

/// Calls `each` with the products, rounded to `f64`, of parts of two slices, and with these parts.
fn products_of<T: Element>(x: &[T], y: &[T], mut each: impl FnMut(&[f64], &[T], &[T])) {
    let mut products = [0.0; PROBED];
    for (x, y) in x.chunks(PROBED).zip(y.chunks(PROBED)) {
        for (product, (x, y)) in products.iter_mut().zip(x.iter().zip(y)) {
            *product = x.to_f64() * y.to_f64();
        }
        each(&products[..x.len()], x, y);
    }
}

const FORMAT: Format = Format { magic: b"hlrepros", version: 2, has_count: |count| count == 0, fixed: 48, each: 0 };

/// The lowest bin that holds `magnitude`.
fn bin_of(magnitude: f64) -> u32 {
    // 2^top is above the magnitude; the bin needs top <= exponent + TOP.
    let (mantissa, exponent) = fused::magnitude(magnitude);
    let top = exponent + (64 - mantissa.leading_zeros() as i32);
    let above = top - (FINEST + TOP);
    if mantissa == 0 || above <= 0 { 0 } else { ((above + STEP - 1) / STEP) as u32 }
}

/// The sum of the elements, with bits that do not depend on their order: [`Repro`] of the whole
/// slice. For `f32` the 64-bit sum is rounded to 32 bits.
///
/// The error is at most n/2 quanta plus the final rounding. A quantum is at most 2^-79 of the
/// largest magnitude.
///
/// ```
/// assert_eq!(hotloops::reduce::sum_repro(&[1e16, 1.0, -1e16]), 1.0);
///
/// let mut x = vec![3.0e5f32, -2.0e-3, 1.0e-7];
/// let sum = hotloops::reduce::sum_repro(&x);
/// x.reverse();
/// assert_eq!(hotloops::reduce::sum_repro(&x), sum);
/// ```
#[must_use]
pub fn sum_repro<T: Element>(x: &[T]) -> T {
    T::from_f64(T::EXACT(x).unwrap_or_else(|| {
        let mut sum = Repro::new();
        sum.extend(x);
        sum.sum()
    }))
}

/// The dot product, with bits that do not depend on the order of the pairs:
/// [`Repro::extend_products`] of the whole slices. For `f32` the 64-bit sum is rounded to 32 bits.
///
/// The error is at most n quanta plus the final rounding. A quantum is at most 2^-79 of the largest
/// product.
///
/// # Errors
/// [`Error::Length`] if `x` and `y` differ in length.
pub fn dot_repro<T: Element>(x: &[T], y: &[T]) -> Result<T, Error> {
    let mut sum = Repro::new();
    sum.extend_products(x, y)?;
    Ok(T::from_f64(sum.sum()))
}
