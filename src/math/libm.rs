//! Square roots and rounding, which `core` lacks, for references and single values.

/// 1.5 * 2^52. Doubles near it are integers, so adding a number rounds it to the nearest integer,
/// ties to even.
pub(crate) const ROUND: f64 = 6_755_399_441_055_744.0;

/// Rounds a double below 2^51 in magnitude to the nearest integer.
pub(crate) fn nearest(x: f64) -> f64 {
    (x + ROUND) - ROUND
}

/// Rounds a float below 2^31 in magnitude to the nearest integer.
pub(crate) fn nearest_i32(x: f32) -> i32 {
    (f64::from(x) + ROUND).to_bits() as i32
}

/// The square root of a nonnegative float, correctly rounded. Newton's method computes it to 2^-52,
/// and the root of a 24-bit number is never within 2^-51 of a midpoint between floats.
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

/// The square root of a positive normal number, correctly rounded. The integer root has 53 bits and
/// one more, which decides the rounding. One bit suffices because no root lies halfway between two
/// doubles.
pub(crate) fn sqrt_f64(p: f64) -> f64 {
    let exponent = (p.to_bits() >> 52) as i32 - 1023;
    // p = m 2^(2 half - 106), with 107 or 108 bits in m and therefore 54 in its root.
    let half = exponent.div_euclid(2);
    let m = u128::from(p.to_bits() & ((1 << 52) - 1) | 1 << 52) << (54 + exponent.rem_euclid(2));
    // Digit by digit: dividing a `u128` would call a runtime function.
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
