//! Square roots and rounding, which `core` lacks, for references and for single values.

/// 1.5 * 2^52, above which doubles are integers: what is added to it is rounded to the nearest one, even in a tie.
pub(crate) const ROUND: f64 = 6_755_399_441_055_744.0;

/// The nearest integer of a double below 2^51 in magnitude.
pub(crate) fn nearest(x: f64) -> f64 {
    (x + ROUND) - ROUND
}

/// The nearest integer of a float below 2^31 in magnitude.
pub(crate) fn nearest_i32(x: f32) -> i32 {
    (f64::from(x) + ROUND).to_bits() as i32
}

/// The root of a float that is not negative. Newton's method gives it to 2^-52, and the root of a
/// 24-bit number is no closer than 2^-51 to a point where the rounding to `f32` changes.
pub(crate) fn sqrt_f32(p: f32) -> f32 {
    if p == f32::INFINITY {
        return p;
    }
    let p = f64::from(p);
    let mut root = f64::from_bits((p.to_bits() >> 1) + (1023 << 51));
    for _ in 0..4 {
        root = 0.5 * (root + p / root);
    }
    root as f32
}

/// The root of a positive normal number: the integer root of 53 bits and of one more to
/// round by. That no root lies half-way between two floats makes the last bit enough.
pub(crate) fn sqrt_f64(p: f64) -> f64 {
    let exponent = (p.to_bits() >> 52) as i32 - 1023;
    // p = m 2^(2 half - 106), with 107 or 108 bits in m, and so 54 in its root.
    let half = exponent.div_euclid(2);
    let m = u128::from(p.to_bits() & ((1 << 52) - 1) | 1 << 52) << (54 + exponent.rem_euclid(2));
    // Digit by digit: `u128` divides by a call, which a library without a run-time should not need.
    let (mut root, mut rest, mut digit) = (0u128, m, 1u128 << 106);
    while digit != 0 {
        let next = root + digit;
        root >>= 1;
        if rest >= next {
            rest -= next;
            root += digit;
        }
        digit >>= 2;
    }
    let root = root as u64;
    let rounded = (root >> 1) + (root & 1);
    rounded as f64 * f64::from_bits(((1023 + half - 52) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn square_roots_are_those_of_the_cpu() {
        let mut p = 1u64;
        for _ in 0..1_000_000 {
            p = p.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let value = (p >> (2 + p % 62)) as f64 + 1.0;
            assert_eq!(sqrt_f64(value), value.sqrt(), "{value}");
            let double = f64::from_bits(p >> 1);
            if double.is_normal() {
                assert_eq!(sqrt_f64(double), double.sqrt(), "{double}");
            }
            let float = f32::from_bits((p >> 33) as u32);
            if float >= 0.0 {
                assert_eq!(sqrt_f32(float), float.sqrt(), "{float}");
            }
        }
    }
}
