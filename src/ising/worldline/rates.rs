//! The rates of a sweep and the functions of the Trotter number, for `core` without libm.

use super::Transverse;
use super::contract::ATANH;
use crate::exp::double::{exp, ln};
use crate::frame::error::Error;
use crate::ising::shape::Beta;

/// What a sweep needs of [`Transverse`] and the number of slices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rates {
    /// `1 / ln(1 - p)`.
    pub break_scale: f64,
    /// The probability `p` of a break between two slices.
    pub break_rate: f64,
    /// The exponent for a unit of energy.
    pub exponent: f64,
}

impl Transverse {
    /// Both are finite and not negative.
    pub(super) fn check(self) -> Result<(), Error> {
        for (argument, value) in [("beta", self.beta), ("gamma", self.gamma)] {
            if !(value as f32).is_finite() || value < 0.0 {
                return Err(Error::Range { argument, value });
            }
        }
        Ok(())
    }

    /// The inverse temperatures of [`Worldlines::sums`](super::Worldlines::sums), such as for a
    /// [`ReplicaExchange`](crate::ising::ReplicaExchange): `beta / slices`, and half of `-ln tanh(beta gamma /
    /// slices)`. They are those of a [`LayeredIsing`](crate::ising::LayeredIsing) with a coupling of 1 between layers.
    ///
    /// Without a field kinks have no weight, and `tau` is 1e30.
    ///
    /// # Errors
    /// [`Error::Range`] if `beta` or `gamma` is negative or not finite as f32; [`Error::Layers`] for fewer than two
    /// slices.
    pub fn weights(self, slices: usize) -> Result<Beta, Error> {
        self.check()?;
        if slices < 2 {
            return Err(Error::Layers { layers: slices });
        }
        let step = self.beta * self.gamma / slices as f64;
        let tau = if step > 0.0 { (-0.5 * ln(tanh(step))) as f32 } else { 1e30 };
        Ok(Beta { space: (self.beta / slices as f64) as f32, tau })
    }

    /// `beta gamma / slices`.
    fn step(self, slices: u32) -> f64 {
        self.beta * self.gamma / f64::from(slices)
    }

    pub(super) fn rates(self, slices: u32) -> Rates {
        let step = self.step(slices);
        Rates {
            break_scale: -1.0 / (step + ln_cosh(step)),
            break_rate: tanh(step),
            exponent: -2.0 * self.beta / f64::from(slices),
        }
    }

    /// The estimate of the sum of `gamma sigma_x` over `sites` sites.
    pub(super) fn transverse_energy(self, slices: u32, sites: usize, kinks: u64) -> f64 {
        let step = self.step(slices);
        // gamma (coth(step) - tanh(step)) / slices for each kink, where gamma / slices is step / beta.
        let ratio = if step > 0.0 { 2.0 * step / sinh(2.0 * step) } else { 1.0 };
        let of_kinks = if kinks > 0 { kinks as f64 / self.beta * ratio } else { 0.0 };
        self.gamma * sites as f64 * tanh(step) + of_kinks
    }
}

/// `sinh x` for `x >= 0`, to some units in the last place.
fn sinh(x: f64) -> f64 {
    if x < 0.5 {
        let q = x * x;
        return x * (1.0 + q / 6.0 * (1.0 + q / 20.0 * (1.0 + q / 42.0 * (1.0 + q / 72.0 * (1.0 + q / 110.0)))));
    }
    0.5 * (exp(x) - exp(-x))
}

/// `tanh x` for `x >= 0`.
fn tanh(x: f64) -> f64 {
    if x < 0.5 {
        return sinh(x) / (0.5 * (exp(x) + exp(-x)));
    }
    let square = exp(-2.0 * x);
    (1.0 - square) / (1.0 + square)
}

/// `ln cosh x` for `x >= 0`, with an error of 1e-15 of `x`.
fn ln_cosh(x: f64) -> f64 {
    if x < 0.5 {
        let half = sinh(0.5 * x);
        let excess = 2.0 * half * half;
        let s = excess / (excess + 2.0);
        let series = ATANH.iter().rev().fold(0.0, |sum, term| sum * s * s + term);
        return 2.0 * (s + s * s * s * series);
    }
    x + ln(0.5 * (1.0 + exp(-2.0 * x)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_those_of_the_system_s_library() {
        for i in 0..40_000 {
            let x = 1e-9 * 1.0006f64.powi(i);
            for (name, found, expected) in
                [("tanh", tanh(x), x.tanh()), ("rate", x + ln_cosh(x), x + x.cosh().ln()), ("sinh", sinh(x), x.sinh())]
            {
                if x < 300.0 && (name != "rate" || x > 1e-3) {
                    assert!((found - expected).abs() <= 1e-12 * expected, "{name} {x:e}: {found:e}, {expected:e}");
                }
            }
            let series = x + x * x / 2.0;
            assert!(x > 1e-4 || (x + ln_cosh(x) - series).abs() < 1e-12 * x, "{x:e}");
        }
        assert_eq!([tanh(0.0), ln_cosh(0.0), sinh(0.0)], [0.0; 3]);
        assert_eq!(Transverse { beta: 1.0, gamma: 0.0 }.rates(8).break_scale, f64::NEG_INFINITY);
    }

    #[test]
    fn weights_are_those_of_layers() {
        for (beta, gamma, slices) in [(2.0, 1.5, 64), (8.0, 0.01, 2), (0.5, 3.0, 1 << 30)] {
            let found = Transverse { beta, gamma }.weights(slices).unwrap();
            let space = beta / slices as f64;
            let tau = -0.5 * (space * gamma).tanh().ln();
            assert_eq!((found.space, found.tau), (space as f32, tau as f32));
        }
        let still = Transverse { beta: 2.0, gamma: 0.0 };
        assert_eq!(still.weights(4), Ok(Beta { space: 0.5, tau: 1e30 }));
        assert_eq!(still.weights(1), Err(Error::Layers { layers: 1 }));
    }

    #[test]
    fn a_kink_without_a_field_counts_as_temperature() {
        let at = |gamma: f64| Transverse { beta: 2.0, gamma }.transverse_energy(64, 3, 10);
        assert_eq!(at(0.0), 5.0);
        assert!((at(1e-8) - 5.0).abs() < 1e-6);
    }
}
