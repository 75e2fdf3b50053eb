//! Fused multiply-add in software, `a b + c` rounded once, for the references and for CPUs without
//! the instruction.

/// The product of two floats is exact in `f64`. The sum is rounded to odd there, so that rounding
/// it again to `f32` is correct.
pub(crate) fn fma_f32(a: f32, b: f32, c: f32) -> f32 {
    let (product, addend) = (f64::from(a) * f64::from(b), f64::from(c));
    let sum = product + addend;
    let virtual_addend = sum - product;
    let error = (product - (sum - virtual_addend)) + (addend - virtual_addend);
    let bits = sum.to_bits();
    if error == 0.0 || !sum.is_finite() || bits & 1 == 1 {
        return sum as f32;
    }
    let odd = if (error > 0.0) == (sum > 0.0) { bits + 1 } else { bits - 1 };
    f64::from_bits(odd) as f32
}

/// A finite nonzero number `mantissa * 2^exponent`. The leading bit of the mantissa is bit `TOP`.
#[derive(Clone, Copy)]
struct Parts {
    negative: bool,
    mantissa: u128,
    exponent: i32,
}

/// Position of the leading bit. The bits above it leave room for the carry of a sum.
const TOP: u32 = 125;

impl Parts {
    fn new(negative: bool, mantissa: u128, exponent: i32) -> Self {
        let shift = mantissa.leading_zeros() as i32 - (127 - TOP as i32);
        Parts { negative, mantissa: mantissa << shift, exponent: exponent - shift }
    }
}

/// Integer mantissa and exponent of `|x|`, for finite `x`.
pub(crate) fn magnitude(x: f64) -> (u64, i32) {
    let bits = x.to_bits();
    let (field, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
    if field == 0 { (fraction, -1074) } else { (fraction | 1 << 52, field - 1075) }
}

pub(crate) fn fma_f64(a: f64, b: f64, c: f64) -> f64 {
    if a == 0.0 || b == 0.0 || !a.is_finite() || !b.is_finite() {
        return a * b + c;
    }
    if c == 0.0 {
        return a * b;
    }
    if !c.is_finite() {
        return c + c;
    }
    let ((ma, ea), (mb, eb), (mc, ec)) = (magnitude(a), magnitude(b), magnitude(c));
    let product = Parts::new(a.is_sign_negative() != b.is_sign_negative(), u128::from(ma) * u128::from(mb), ea + eb);
    let addend = Parts::new(c.is_sign_negative(), u128::from(mc), ec);
    let larger = (product.exponent, product.mantissa) >= (addend.exponent, addend.mantissa);
    let (large, small) = if larger { (product, addend) } else { (addend, product) };
    // The low 20 bits of both mantissas are 0, so the shift loses bits only where the exponents are
    // far apart. One sticky bit below the rounding position then represents them.
    let distance = (large.exponent - small.exponent) as u32;
    let shifted = small.mantissa.checked_shr(distance).unwrap_or(0);
    let lost = shifted.checked_shl(distance).unwrap_or(0) != small.mantissa;
    let shifted = shifted | u128::from(lost);
    let sum = match large.negative == small.negative {
        true => large.mantissa + shifted,
        false => large.mantissa - shifted,
    };
    round(large.negative, sum, large.exponent)
}

/// Rounds `mantissa * 2^exponent` to nearest, ties to even. A zero result is +0.
pub(crate) fn round(negative: bool, mantissa: u128, exponent: i32) -> f64 {
    if mantissa == 0 {
        return 0.0;
    }
    let top = 127 - mantissa.leading_zeros() as i32 + exponent;
    // Exponent of the result's last bit.
    let last = (top - 52).max(-1074);
    let shift = last - exponent;
    let kept = match shift {
        128.. => 0,
        1.. => {
            let (kept, half) = (mantissa >> shift, 1u128 << (shift - 1));
            let rest = mantissa & (half | (half - 1));
            kept + u128::from(rest > half || rest == half && kept & 1 == 1)
        }
        _ => mantissa << -shift,
    };
    // The leading bit of a normal number carries into the exponent field and adds one to it.
    let bits = match top {
        1024.. => 0x7ff << 52,
        -1022.. => (((top + 1022) as u64) << 52) + kept as u64,
        _ => kept as u64,
    };
    f64::from_bits(bits | u64::from(negative) << 63)
}

#[cfg(test)]
mod tests {
    use super::{fma_f32, fma_f64};

    /// Random bit patterns: uniform, near each other, near the ends of the range, with few bits
    /// set.
    fn numbers() -> impl Iterator<Item = u64> {
        let mut state = 1u64;
        std::iter::repeat_with(move || {
            let mut word = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                state ^ state >> 29
            };
            let (kind, bits, few) = (word() >> 60, word(), word() & word() & word());
            let exponent = [1023, 1022 + bits % 4, 1, 0, 2046, 2047, 500 + bits % 40, 970 + bits % 110];
            match kind {
                0..4 => bits,
                4..8 => few,
                kind => {
                    (bits >> 63) << 63
                        | exponent[kind as usize - 8] << 52
                        | (if bits & 1 == 0 { bits } else { few }) >> 12
                }
            }
        })
    }

    fn same(expected: f64, found: f64, of: [f64; 3]) {
        assert!(
            expected.to_bits() == found.to_bits() || expected.is_nan() && found.is_nan(),
            "{of:?}: {expected}, {found}"
        );
    }

    #[test]
    fn as_the_standard_library() {
        let mut numbers = numbers();
        for _ in 0..if cfg!(miri) { 1000 } else { 1_000_000 } {
            let mut next = || f64::from_bits(numbers.next().unwrap());
            let [a, b, c] = [next(), next(), next()];
            same(a.mul_add(b, c), fma_f64(a, b, c), [a, b, c]);
            // Near cancellation.
            let c = -(a * b) * (1.0 + f64::EPSILON * (c.to_bits() % 5) as f64);
            same(a.mul_add(b, c), fma_f64(a, b, c), [a, b, c]);
        }
    }

    #[test]
    fn as_the_standard_library_in_32_bits() {
        let mut numbers = numbers();
        for _ in 0..if cfg!(miri) { 1000 } else { 1_000_000 } {
            let mut next = || {
                let bits = numbers.next().unwrap();
                if bits & 2 == 0 { f32::from_bits((bits >> 32) as u32) } else { f64::from_bits(bits) as f32 }
            };
            let [a, b, c] = [next(), next(), next()];
            let of = [a, b, c].map(f64::from);
            same(a.mul_add(b, c).into(), fma_f32(a, b, c).into(), of);
            let c = -(a * b) * (1.0 + f32::EPSILON * (c.to_bits() % 5) as f32);
            same(a.mul_add(b, c).into(), fma_f32(a, b, c).into(), of);
        }
    }
}
