//! The kernel of activations.

#[cfg(avx2)]
mod avx2;
#[cfg(avx512)]
mod avx512;
mod kernels;
#[cfg(any(sse2, neon))]
mod lanes;
#[cfg(neon)]
mod neon;
pub(super) mod scalar;
#[cfg(sse2)]
mod sse2;

pub use kernels::*;

use core::f64::consts::{FRAC_2_SQRT_PI, SQRT_2};

use super::signature::{MAX_BLADES, MAX_GENERATORS, Signature};

/// The kinds of gates, by their numbers.
pub(super) const LINEAR: usize = 0;
pub(super) const SUM: usize = 1;
pub(super) const MEAN: usize = 2;
pub(super) const GELU: usize = 3;
pub(super) const SILU: usize = 4;

/// The coefficient of the cubic term in the argument of GELU.
pub(super) const CUBIC: f64 = 0.044_715;

/// GELU(u) = u S(FACTOR (u + CUBIC u^3)), because (1 + tanh(t)) / 2 = S(2 t): 2 sqrt(2 / pi).
pub(super) const FACTOR: f64 = FRAC_2_SQRT_PI * SQRT_2;

/// Parameters of the grades, at most.
pub(super) const GRADES: usize = MAX_GENERATORS + 1;

/// The grades of the blades of every algebra with `BLADES` blades, then zeros.
const fn grades<const BLADES: usize>() -> [usize; MAX_BLADES] {
    let (any, _) = [1; MAX_GENERATORS].split_at(BLADES.ilog2() as usize);
    let Ok(signature) = Signature::new(any) else { panic!("no signature") };
    let (mut grades, mut p) = ([0; MAX_BLADES], 0);
    while p < BLADES {
        grades[p] = signature.grade(p);
        p += 1;
    }
    grades
}
