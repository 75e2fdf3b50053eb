//! exp and ln in double precision, which `core` lacks: for tables and for single decisions, not for
//! arrays.

use core::f64::consts::{LN_2, LOG2_E};

use crate::math::libm::nearest;

/// `ln 2` in two parts. The first ends in 33 zero bits, so its product with an exponent is exact.
const LN_2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_0000_0000);
const LN_2_LOW: f64 = f64::from_bits(0x3e9f_df47_3de6_af28);

/// `1 / k!` for k = 2..14; with |r| < 0.347, `r^14 / 14!` is below 2^-57.
const TAYLOR: [f64; 12] = {
    let (mut terms, mut factorial, mut k) = ([0.0; 12], 1.0, 0);
    while k < 12 {
        factorial *= (k + 2) as f64;
        terms[k] = 1.0 / factorial;
        k += 1;
    }
    terms
};

/// `exp(x)` to about one unit in the last place, the same bits on every CPU; 0 below -708, infinity
/// above 709.
#[inline(never)] // tables compute it at many places
pub(crate) fn exp(x: f64) -> f64 {
    if x < -708.0 {
        return 0.0;
    }
    if x > 709.0 {
        return f64::INFINITY;
    }
    let n = nearest(x * LOG2_E);
    let r = (x - n * LN_2_HIGH) - n * LN_2_LOW;
    let series = TAYLOR.iter().rev().fold(0.0, |sum, term| sum * r + term);
    let power = f64::from_bits(((n as i64 + 1023) << 52) as u64);
    (1.0 + (r + r * r * series)) * power
}

/// `ln x` to some units in the last place, for normal `x > 0`, the same bits on every CPU. Needs no more precision
/// near 1 than an absolute error of 1e-15.
pub(crate) fn ln(x: f64) -> f64 {
    let exponent = ((x.to_bits() >> 52) as i32 - 1023) as f64;
    // Each step of Halley's method cubes the error, at first below ln 2.
    (0..4).fold((exponent + 0.5) * LN_2, |y, _| {
        let ratio = x * exp(-y);
        y + 2.0 * (ratio - 1.0) / (ratio + 1.0)
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn ln_is_that_of_the_system_s_library_to_some_ulps() {
        for i in 1..100_000 {
            for x in [f64::from(i) * 100.0, f64::from(i) * 1.1e-3, 1e300 / f64::from(i), 1e-300 * f64::from(i)] {
                let (ours, theirs) = (super::ln(x), x.ln());
                assert!((ours - theirs).abs() <= 8.0 * f64::EPSILON * theirs.abs().max(0.5), "{x:e}: {ours}, {theirs}");
            }
        }
    }

    #[test]
    fn exp_is_that_of_the_system_s_library_to_an_ulp_or_two() {
        for i in -700_000..=700_000 {
            let x = f64::from(i) * 1.000_123e-3;
            let (ours, theirs) = (super::exp(x), x.exp());
            assert!((ours - theirs).abs() <= 2.0 * f64::EPSILON * theirs, "{x}: {ours:e}, not {theirs:e}");
        }
        assert_eq!(
            [0.0, -0.0, -709.0, 710.0, f64::NEG_INFINITY, f64::INFINITY].map(super::exp),
            [1.0, 1.0, 0.0, f64::INFINITY, 0.0, f64::INFINITY]
        );
    }
}
