//! The logistic function, S(a) = 1 / (1 + exp(-a)).

use crate::exp::double::exp;
use crate::math::float::Float;

pub(super) fn logistic(a: f64) -> f64 {
    1.0 / (1.0 + exp(-a))
}

/// Replaces each number a by S(a).
pub(super) fn logistic_of_each<T: Float>(values: &mut [T]) {
    if size_of::<T>() == 4 {
        // SAFETY: `T` is `f32`, the only type of 4 bytes.
        let values = unsafe { core::slice::from_raw_parts_mut(values.as_mut_ptr().cast::<f32>(), values.len()) };
        values.iter_mut().for_each(|value| *value = 1.0 / (1.0 + exp_f32(-*value)));
    } else {
        values.iter_mut().for_each(|value| *value = T::from_f64(logistic(value.to_f64())));
    }
}

/// `ln 2` in two parts. Products of the first with integers of up to 8 bits are exact.
pub(super) const LN_2_HIGH: f32 = 0.693_359_4;
pub(super) const LN_2_LOW: f32 = -2.121_944_4e-4;

/// exp(r) = 1 + r + r^2 times a polynomial for |r| <= ln 2 / 2, highest power first (Cephes, `expf`).
pub(super) const POLYNOMIAL: [f32; 6] =
    [1.987_569_1e-4, 1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5];

/// Adding it rounds to an integer, which the lower bits hold then.
pub(super) const ROUND: f32 = 12_582_912.0;

/// The bounds outside of which exp is 0 or infinity.
pub(super) const SMALLEST: f32 = -87.33;
pub(super) const LARGEST: f32 = 88.72;

/// exp(x) to 2 units in the last place, the same bits on every CPU; 0 below -87.33, infinity above
/// 88.72. Without branches, so that loops over it are vectorised.
#[inline(always)]
fn exp_f32(x: f32) -> f32 {
    let rounded = x * core::f32::consts::LOG2_E + ROUND;
    let n = rounded - ROUND;
    let r = (x - n * LN_2_HIGH) - n * LN_2_LOW;
    let mut series = POLYNOMIAL[0];
    for term in &POLYNOMIAL[1..] {
        series = series * r + term;
    }
    let power = series * (r * r) + r + 1.0;
    // Two factors, so that 2^128 times a number below 1 does not overflow.
    let shift = (rounded.to_bits() as i32).wrapping_sub(ROUND.to_bits() as i32);
    let half = shift >> 1;
    let two_to = |n: i32| f32::from_bits((n.wrapping_add(127) as u32) << 23);
    let value = power * two_to(half) * two_to(shift.wrapping_sub(half));
    let value = if x < SMALLEST { 0.0 } else { value };
    let value = if x > LARGEST { f32::INFINITY } else { value };
    if x.is_nan() { x } else { value }
}

#[cfg(test)]
mod tests {
    use super::{exp_f32, logistic, logistic_of_each};

    #[test]
    fn exp_is_within_two_ulps() {
        let mut worst = 0.0f64;
        for bits in (0..=f32::INFINITY.to_bits()).step_by(1009) {
            for x in [f32::from_bits(bits), -f32::from_bits(bits)] {
                let (ours, theirs) = (exp_f32(x), f64::from(x).exp());
                if x > 88.72 {
                    assert_eq!(ours, f32::INFINITY);
                } else if x < -87.33 {
                    assert_eq!(ours, 0.0);
                } else {
                    let ulp = f64::from((theirs as f32).next_up() - theirs as f32);
                    worst = worst.max((f64::from(ours) - theirs).abs() / ulp);
                }
            }
        }
        assert!(worst <= 2.0, "{worst} ulps");
        assert!(exp_f32(f32::NAN).is_nan());
    }

    #[test]
    fn the_function_is_accurate_and_has_its_limits() {
        let mut worst = 0.0f64;
        for i in -170_000..170_000 {
            let x = i as f32 * 5.001e-4;
            let mut value = [x];
            logistic_of_each(&mut value);
            let exact = logistic(f64::from(x));
            let ulp = f64::from((exact as f32).next_up() - exact as f32);
            worst = worst.max((f64::from(value[0]) - exact).abs() / ulp);
        }
        assert!(worst <= 3.0, "{worst} ulps");
        let mut limits = [f32::INFINITY, f32::NEG_INFINITY, 1e30, -1e30, 0.0, f32::NAN];
        logistic_of_each(&mut limits);
        assert_eq!(limits[..5], [1.0, 0.0, 1.0, 0.0, 0.5]);
        assert!(limits[5].is_nan());
    }
}
