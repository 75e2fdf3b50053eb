//! The declarations of the kernels.

use crate::frame::kernel::kernel;

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
