//! The kernels that multiply multivectors one by one, and the list of terms that describes an
//! algebra to them.

#[cfg(avx2)]
mod avx2;
#[cfg(avx512)]
mod avx512;
#[cfg(any(sse2, neon))]
mod lanes;
#[cfg(neon)]
mod neon;
mod scalar;
#[cfg(sse2)]
mod sse2;

use super::signature::{MAX_BLADES, Signature};
use crate::kernel::kernel;
use crate::matmul;

/// Indices of rows are multiplied by this in [`Terms`]: assembly adds them to addresses as they are.
const SCALE: usize = 8;

/// Maximum number of coefficients of a group of [`Terms`].
const MAX_WIDTH: usize = 8;

kernel! {
    /// Products of multivectors: each coefficient of z is a sum of terms, each the product of a
    /// coefficient of x and one of y. The terms are added from the first to the last; each product
    /// and each sum is rounded.
    ///
    /// `terms` has a width, 1, 4 or 8, and then for each group of as many coefficients of z: the number
    /// of its blades p, at least 1; for each of these, 8 p, and then for each coefficient 8 q, or 8 (q +
    /// `blades`) for the negative of y\[q\]; and at last for each coefficient its index times 8.
    ///
    /// # Safety
    /// `blades` is 4, 8 or 16. `x`, `y` and `z` point to `count` multivectors of as many numbers, those
    /// of `z` writable; `z` overlaps neither of the others. `terms` is as above, with all blades below
    /// `blades` and each coefficient in one group. Any alignment.
    "hl_clifford_multiply_f32" unsafe fn multiply_f32(terms: *const u16, blades: usize, x: *const f32, y: *const f32, count: usize, z: *mut f32);
    avx512 assembly,
    avx512 intrinsics,
    avx2 assembly,
    avx2 intrinsics,
    sse2 assembly,
    sse2 intrinsics,
    neon assembly,
    neon intrinsics,
    scalar reference,
}

kernel! {
    /// Products of multivectors of doubles: [`multiply_f32()`] for f64.
    ///
    /// # Safety
    /// As for [`multiply_f32()`].
    "hl_clifford_multiply_f64" unsafe fn multiply_f64(terms: *const u16, blades: usize, x: *const f64, y: *const f64, count: usize, z: *mut f64);
    avx512 assembly,
    avx512 intrinsics,
    avx2 assembly,
    avx2 intrinsics,
    sse2 assembly,
    sse2 intrinsics,
    neon assembly,
    neon intrinsics,
    scalar reference,
}

/// The terms of the product of an algebra, for the kernels.
///
/// Coefficients whose blades share the generators of square 0 are sums over the same p: those that
/// have no other generator of square 0.
pub(super) struct Terms([u16; 1 + MAX_BLADES * (2 + 2 * MAX_BLADES)]);

impl Terms {
    pub fn new(signature: Signature) -> Self {
        let (mut terms, mut length) = ([0; _], 0);
        let mut push = |value: usize| {
            terms[length] = value as u16;
            length += 1;
        };
        let blades = signature.blades();
        let squares = signature.squares().iter().enumerate();
        let zeros = squares.fold(0, |zeros, (i, &square)| zeros | usize::from(square == 0) << i);
        let zeros_of = |blade: usize| signature.bitmap(blade) & zeros;
        let width = match blades >> zeros.count_ones() {
            MAX_WIDTH.. => MAX_WIDTH,
            4 => 4,
            _ => 1,
        };
        push(width);
        for subset in (0..blades).filter(|subset| subset & !zeros == 0) {
            let coefficients = || (0..blades).filter(move |&j| zeros_of(j) == subset);
            let factors = || (0..blades).filter(move |&p| zeros_of(p) & !subset == 0);
            let mut first = 0;
            while coefficients().nth(first).is_some() {
                let group = || coefficients().skip(first).take(width);
                push(factors().count());
                for p in factors() {
                    push(SCALE * p);
                    for j in group() {
                        let q = signature.index(signature.bitmap(p) ^ signature.bitmap(j));
                        push(SCALE * if signature.product(p, q).1 < 0 { q + blades } else { q });
                    }
                }
                group().for_each(|j| push(SCALE * j));
                first += width;
            }
        }
        Terms(terms)
    }

    pub fn as_ptr(&self) -> *const u16 {
        self.0.as_ptr()
    }
}

/// Pointer type of the kernels.
#[doc(hidden)]
pub type Multiply<T> = unsafe extern "C" fn(*const u16, usize, *const T, *const T, usize, *mut T);

/// A number that multivectors are made of: `f32` or `f64`.
pub trait Element: matmul::Element {
    #[doc(hidden)]
    const MULTIPLY: Multiply<Self>;
}

impl Element for f32 {
    const MULTIPLY: Multiply<f32> = multiply_f32;
}

impl Element for f64 {
    const MULTIPLY: Multiply<f64> = multiply_f64;
}
