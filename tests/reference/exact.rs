//! Sums of products of doubles without any rounding: integers of 4300 bits.

/// A sum in units of 2^-2148, the square of the smallest number, in two's complement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exact([u64; 68]);

impl Exact {
    pub fn new() -> Self {
        Exact([0; 68])
    }

    /// Mantissa and exponent of the magnitude of a finite number.
    fn parts(x: f64) -> (u64, u32) {
        let (field, fraction) = (x.to_bits() >> 52 & 0x7ff, x.to_bits() & ((1 << 52) - 1));
        assert!(field < 0x7ff, "{x} is not finite");
        if field == 0 { (fraction, 0) } else { (fraction | 1 << 52, field as u32 - 1) }
    }

    /// Adds `x y`.
    pub fn add(&mut self, x: f64, y: f64) {
        let ((x_mantissa, x_shift), (y_mantissa, y_shift)) = (Self::parts(x), Self::parts(y));
        let (product, shift) = (u128::from(x_mantissa) * u128::from(y_mantissa), x_shift + y_shift);
        let (word, bits) = ((shift / 64) as usize, shift % 64);
        let low = product << bits;
        let high = if bits == 0 { 0 } else { (product >> (128 - bits)) as u64 };
        let words = [low as u64, (low >> 64) as u64, high];
        let negative = x.is_sign_negative() != y.is_sign_negative();
        let mut carry = false;
        for (i, slot) in self.0[word..].iter_mut().enumerate() {
            let more = words.get(i).copied().unwrap_or(0);
            let (sum, first) = if negative { slot.overflowing_sub(more) } else { slot.overflowing_add(more) };
            let (sum, second) = match negative {
                true => sum.overflowing_sub(u64::from(carry)),
                false => sum.overflowing_add(u64::from(carry)),
            };
            (*slot, carry) = (sum, first || second);
        }
    }

    /// The nearest double, ties to even.
    pub fn round(&self) -> f64 {
        let negative = self.0[67] >> 63 == 1;
        let mut words = self.0;
        if negative {
            let mut carry = true;
            for word in &mut words {
                (*word, carry) = (!*word).overflowing_add(u64::from(carry));
            }
        }
        let Some(top) = (0..68 * 64).rev().find(|bit| words[bit / 64] >> (bit % 64) & 1 == 1) else { return 0.0 };
        // Bits below `last` are rounded away. Denormal numbers start at 2^-1074.
        let last = (top as i32 - 52).max(1074) as usize;
        let bit = |at: usize| words[at / 64] >> (at % 64) & 1;
        let mut kept = (last..=top.max(last)).rev().fold(0u64, |kept, at| kept << 1 | bit(at));
        let half = bit(last - 1) == 1;
        let rest = (0..last - 1).any(|at| bit(at) == 1);
        kept += u64::from(half && (rest || kept & 1 == 1));
        // Two steps, each exact, so that no power of two overflows.
        let exponent = last as i32 - 2148;
        let scale = |e: i32| f64::from(e).exp2();
        let magnitude = kept as f64 * scale(exponent / 2) * scale(exponent - exponent / 2);
        if negative { -magnitude } else { magnitude }
    }

    /// `x` minus this sum.
    pub fn error_of(&self, x: f64) -> f64 {
        let mut difference = self.clone();
        difference.add(-x, 1.0);
        -difference.round()
    }
}
