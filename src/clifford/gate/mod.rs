//! The kernel of activations.

#[cfg(avx2)]
mod avx2;
#[cfg(avx512)]
mod avx512;
#[cfg(any(sse2, neon))]
mod lanes;
#[cfg(neon)]
mod neon;
pub(super) mod scalar;
#[cfg(sse2)]
mod sse2;

use core::f64::consts::{FRAC_2_SQRT_PI, SQRT_2};

use super::signature::{MAX_BLADES, MAX_GENERATORS, Signature};
use crate::frame::kernel::kernel;

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

kernel! {
    /// Activations of multivectors: z = x times a gate, a function of x.
    ///
    /// The gate is S(a) = 1 / (1 + exp(-a)) with, for `kind` 0, a = bias + the sum of weights times
    /// coefficients; for 1 the sum of all coefficients; for 2 their mean. For 3 it is x\[0\] S(a), or 0 where
    /// S(a) is 0, with a = 1.5957691 (x\[0\] + 0.044715 x\[0\]^3). For 4 each grade has a gate S(weight n +
    /// bias), where n is x\[0\] for grade 0, else the sum of `signs`\[p\] x\[p\]^2 over the blades of the grade.
    /// Sums are in the order of the blades, each operation rounded.
    ///
    /// Multivector i has channel i modulo `channels`. For kind 0, `weights` holds `blades` numbers for each
    /// channel, `bias` one; for kind 4, both hold one for each grade.
    ///
    /// # Safety
    /// `kind` is one of these, `blades` is 4, 8 or 16, and `channels` is not 0. `x` and `z` point to `count`
    /// multivectors, those of `z` writable; `z` overlaps no other. The weights and the bias of the kind are
    /// readable; for kind 4, `signs` points to `blades` numbers. Any alignment.
    "hl_clifford_gate_f32" unsafe fn gate_f32(
        kind: usize, blades: usize, channels: usize, weights: *const f32, bias: *const f32, signs: *const f32,
        x: *const f32, count: usize, z: *mut f32,
    );
    rows: all;
    header: kernels;
}

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
