//! Sums that do not depend on the order of what is added.

use super::element::Element;
use super::scalar::{BINNED_MAX, COARSE, power};
use crate::error::Error;
use crate::fused;
use crate::state::Format;

/// Exponent of the quantum of the finest bin: that of the smallest denormal number, so that nothing is cut there.
const FINEST: i32 = -1074;

/// Numbers of this bin are divided by `2^SCALE`, so that what they are cut with does not overflow.
const LAST_BIN: u32 = 51;
const SCALE: i32 = 64;

/// Elements whose magnitudes are looked at before any is added.
const PROBED: usize = 128;

/// A sum under way, whose final bits do not depend on the order in which numbers come, on how they are cut into pieces, nor on which
/// of several sums they are added to before those are merged.
///
/// Each number is rounded to a multiple of a quantum, and the multiples are added as integers. The quantum is that of the bin of the
/// largest magnitude so far: bin b has the quantum 2^(40 b - 1074), and magnitudes below 2^79 of them. A number of a higher
/// bin than all before makes the quantum coarser; the coarse integers, those of 2^40 quanta, are then the fine ones of the
/// bin that follows.
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
    /// Sums of the coarse and of the fine integers, the low words first.
    sums: [[u64; 2]; 2],
    bin: u32,
    /// Bits: a NaN, +infinity, -infinity were added.
    special: u32,
}

const NAN: u32 = 1;
const POSITIVE: u32 = 2;
const NEGATIVE: u32 = 4;

fn wide(words: [u64; 2]) -> i128 {
    (u128::from(words[1]) << 64 | u128::from(words[0])) as i128
}

fn narrow(value: i128) -> [u64; 2] {
    [value as u64, (value >> 64) as u64]
}

impl Repro {
    /// The sum of nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the numbers of a slice; up to 2^48 may be added in all.
    pub fn extend<T: Element>(&mut self, x: &[T]) {
        x.chunks(BINNED_MAX).for_each(|block| self.block(block));
    }

    fn block<T: Element>(&mut self, x: &[T]) {
        if self.bin == 0 {
            // No kernel is quick at the lowest bin, which is that of denormal numbers; the first elements tell where the others are.
            self.raise_to(&x[..x.len().min(PROBED)]);
        }
        if self.add(x) {
            return;
        }
        self.raise_to(x);
        if self.add(x) {
            return;
        }
        // The highest bin, or something is not finite: whatever the magnitudes, what follows is done once a block.
        for &x in x.iter().filter(|x| !x.to_f64().is_finite()) {
            self.special |= match x.partial_cmp(&T::ZERO) {
                None => NAN,
                Some(core::cmp::Ordering::Less) => NEGATIVE,
                Some(_) => POSITIVE,
            };
        }
        self.one_by_one(x);
    }

    /// Adds what the bin has room for, which is all or nothing; whether it was.
    fn add<T: Element>(&mut self, x: &[T]) -> bool {
        self.bin < LAST_BIN && self.deposit(x, FINEST + COARSE * self.bin as i32)
    }

    /// Raises the bin above the finite magnitudes.
    fn raise_to<T: Element>(&mut self, x: &[T]) {
        // Comparisons with NaN are false. Lanes, so that they are vectors.
        let mut lanes = [T::ZERO; 16];
        let highest = |most: T, x: &T| match x.magnitude() {
            magnitude if magnitude > most && magnitude < T::INFINITY => magnitude,
            _ => most,
        };
        let rows = x.chunks_exact(lanes.len());
        let rest = rows.remainder();
        for row in rows {
            lanes.iter_mut().zip(row).for_each(|(lane, x)| *lane = highest(*lane, x));
        }
        let largest = lanes.iter().chain(rest).fold(T::ZERO, highest);
        self.raise(bin_of(largest.to_f64()));
    }

    /// The finite ones among `x`, in parts that are scaled where needed.
    fn one_by_one<T: Element>(&mut self, x: &[T]) {
        let mut exponent = FINEST + COARSE * self.bin as i32;
        let mut factor = 1.0;
        if self.bin == LAST_BIN {
            exponent -= SCALE;
            factor = power(-SCALE);
        }
        for x in x.chunks(64) {
            let mut part = [0.0; 64];
            let finite = x.iter().map(|x| x.to_f64()).filter(|x| x.is_finite());
            part.iter_mut().zip(finite).for_each(|(slot, x)| *slot = x * factor);
            self.deposit(&part, exponent);
        }
    }

    /// Whether no magnitude is outside the bin, and so all were added.
    fn deposit<T: Element>(&mut self, x: &[T], exponent: i32) -> bool {
        let mut sums = [0; 2];
        // SAFETY: at most `BINNED_MAX` elements of a slice, two sums, an exponent of the range.
        let done = unsafe { T::BINNED(x.as_ptr(), x.len(), exponent, sums.as_mut_ptr()) } != 0;
        for (sum, more) in self.sums.iter_mut().zip(sums) {
            *sum = narrow(wide(*sum).wrapping_add(i128::from(more)));
        }
        done
    }

    /// Makes `bin` the least bin.
    fn raise(&mut self, bin: u32) {
        match bin.saturating_sub(self.bin) {
            0 => return,
            1 => self.sums = [narrow(0), self.sums[0]],
            _ => self.sums = [narrow(0); 2],
        }
        self.bin = bin;
    }

    /// Adds what was added to another sum.
    pub fn merge(&mut self, other: &Repro) {
        let mut other = *other;
        self.raise(other.bin);
        other.raise(self.bin);
        self.special |= other.special;
        for (sum, more) in self.sums.iter_mut().zip(other.sums) {
            *sum = narrow(wide(*sum).wrapping_add(wide(more)));
        }
    }

    /// The sum of all that was added, rounded once: NaN if there was a NaN or infinities of both signs, an infinity if there was one,
    /// or if the sum is too large. A sum of 0 is +0.
    #[must_use]
    pub fn sum(&self) -> f64 {
        match self.special {
            0 => {
                let total = wide(self.sums[0]).wrapping_shl(COARSE as u32).wrapping_add(wide(self.sums[1]));
                fused::round(total < 0, total.unsigned_abs(), FINEST + COARSE * self.bin as i32)
            }
            POSITIVE => f64::INFINITY,
            NEGATIVE => f64::NEG_INFINITY,
            _ => f64::NAN,
        }
    }

    /// Bytes of a saved state.
    pub const STATE_LEN: usize = 64;

    /// Writes the state as [`STATE_LEN`](Self::STATE_LEN) bytes, the same on every machine: to add on later, or to merge sums of
    /// several machines.
    ///
    /// All values are little-endian: the 8 bytes `hlrepros`, the version 1 (`u32`), 0 (`u32`), the bin (`u32`), the bits NaN 1,
    /// +infinity 2, -infinity 4 of what was added (`u32`); the sums of the coarse and of the fine integers (`i128` each); and
    /// the FNV-1a hash of all that (`u64`).
    ///
    /// # Errors
    /// [`Error::Length`] if `bytes` is not so long.
    pub fn state_bytes(&self, bytes: &mut [u8]) -> Result<(), Error> {
        let position = u64::from(self.bin) | u64::from(self.special) << 32;
        FORMAT.write(bytes, 0, position, self.sums.as_flattened().iter().map(|word| word.to_le_bytes()))
    }

    /// The sum whose state [`state_bytes`](Self::state_bytes) wrote.
    ///
    /// # Errors
    /// [`Error::StateTruncated`], [`Error::StateForeign`], [`Error::StateCorrupt`], [`Error::Length`] for bytes past the end.
    pub fn from_state_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let saved = FORMAT.parse(bytes)?;
        let (bin, special) = (saved.position as u32, (saved.position >> 32) as u32);
        if bin > LAST_BIN || special > (NAN | POSITIVE | NEGATIVE) {
            return Err(Error::StateCorrupt);
        }
        let mut sums = [[0; 2]; 2];
        sums.as_flattened_mut()
            .iter_mut()
            .zip(saved.words())
            .for_each(|(slot, word)| *slot = u64::from_le_bytes(*word));
        Ok(Repro { sums, bin, special })
    }
}

const FORMAT: Format = Format { magic: b"hlrepros", version: 1, has_count: |count| count == 0, fixed: 32, each: 0 };

/// The lowest bin whose magnitudes are all above `magnitude`.
fn bin_of(magnitude: f64) -> u32 {
    // 2^top is above the magnitude; the bin wants top <= exponent + 2 COARSE - 1.
    let (mantissa, exponent) = fused::magnitude(magnitude);
    let top = exponent + (64 - mantissa.leading_zeros() as i32);
    let above = top - (FINEST + 2 * COARSE - 1);
    if mantissa == 0 || above <= 0 { 0 } else { ((above + COARSE - 1) / COARSE) as u32 }
}

/// The sum of the elements, whose bits depend on no order: [`Repro`] of the whole slice. For `f32` it is rounded to 32 bits from the sum
/// in 64.
///
/// The error is at most n/2 quanta, a quantum being at most 2^-39 of the largest magnitude, and the final rounding.
///
/// ```
/// let mut x = vec![3.0e5f32, -2.0e-3, 1.0e-7];
/// let sum = hotloops::reduce::sum_repro(&x);
/// x.reverse();
/// assert_eq!(hotloops::reduce::sum_repro(&x), sum);
/// ```
#[must_use]
pub fn sum_repro<T: Element>(x: &[T]) -> T {
    let mut sum = Repro::new();
    sum.extend(x);
    T::from_f64(sum.sum())
}
