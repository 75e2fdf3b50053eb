//! Operations on vectors that strips use.

use super::super::super::number::Real;

/// A vector of numbers. Every operation is that of the numbers.
///
/// # Safety
/// Its methods need a CPU with its instructions.
pub(super) unsafe trait Vector<R: Real>: Copy {
    const LANES: usize;
    unsafe fn load(at: *const R) -> Self;
    unsafe fn store(self, at: *mut R);
    unsafe fn splat(x: R) -> Self;
    /// `self * b + c`, rounded once.
    unsafe fn fma(self, b: Self, c: Self) -> Self;
    unsafe fn plus(self, b: Self) -> Self;
    unsafe fn minus(self, b: Self) -> Self;
    unsafe fn times(self, b: Self) -> Self;
    unsafe fn over(self, b: Self) -> Self;
    /// Each two neighbours exchanged.
    unsafe fn swapped(self) -> Self;
}

/// Implements the trait by one intrinsic for each method.
macro_rules! vector {
    ($vector:ident $real:ident $lanes:literal $load:ident $store:ident $splat:ident $fma:expr, $add:ident $sub:ident
        $mul:ident $div:ident, $swap:expr) => {
        // SAFETY: one intrinsic each; the caller has the instructions.
        #[allow(unsafe_op_in_unsafe_fn)]
        unsafe impl Vector<$real> for $vector {
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn load(at: *const $real) -> Self {
                $load(at)
            }

            #[inline(always)]
            unsafe fn store(self, at: *mut $real) {
                $store(at, self)
            }

            #[inline(always)]
            unsafe fn splat(x: $real) -> Self {
                $splat(x)
            }

            #[inline(always)]
            unsafe fn fma(self, b: Self, c: Self) -> Self {
                $fma(self, b, c)
            }

            #[inline(always)]
            unsafe fn plus(self, b: Self) -> Self {
                $add(self, b)
            }

            #[inline(always)]
            unsafe fn minus(self, b: Self) -> Self {
                $sub(self, b)
            }

            #[inline(always)]
            unsafe fn times(self, b: Self) -> Self {
                $mul(self, b)
            }

            #[inline(always)]
            unsafe fn over(self, b: Self) -> Self {
                $div(self, b)
            }

            #[inline(always)]
            unsafe fn swapped(self) -> Self {
                $swap(self)
            }
        }
    };
}
pub(super) use vector;

/// The kernels of one instruction set: functions with its features, and the vectors of a strip.
macro_rules! kernels {
    ($features:literal, $count:literal, $($real:ident $vector:ident $solve:ident $multiply:ident
        $solve_complex:ident $combine:ident $step:ident),+) => {$(
        #[target_feature(enable = $features)]
        pub(super) unsafe fn $solve(system: &System<$real>) {
            // SAFETY: the caller's contract.
            unsafe { system.run::<$vector, $count>() }
        }

        #[target_feature(enable = $features)]
        pub(super) unsafe fn $multiply(product: &Product<$real>) {
            // SAFETY: the caller's contract.
            unsafe { product.run::<$vector, $count>() }
        }

        #[target_feature(enable = $features)]
        pub(super) unsafe fn $solve_complex(system: &ComplexSystem<$real>) {
            // SAFETY: the caller's contract.
            unsafe { system.run::<$vector, $count>() }
        }

        #[target_feature(enable = $features)]
        pub(super) unsafe fn $combine(line: &Line<$real>) {
            // SAFETY: the caller's contract.
            unsafe { line.run::<$vector>() }
        }

        #[target_feature(enable = $features)]
        pub(super) unsafe fn $step(step: &Step<$real>) {
            // SAFETY: the caller's contract.
            unsafe { step.run::<$vector>() }
        }
    )+};
}
pub(super) use kernels;
