//! The references. Every variant gives their results bit for bit, except the sign and payload of
//! NaNs.

use super::layout::Layout;
use crate::math::float::Float;

/// Adds products by fused multiply-adds over ascending p to each element of C, or to 0 if `accumulate` is 0.
///
/// # Safety
/// The contract of the kernels.
unsafe fn block<T: Float>(
    [m, n, k]: [usize; 3],
    a: impl Fn(usize, usize) -> T,
    (b, b_row): (*const T, isize),
    packed: *mut T,
    (c, c_row): (*mut T, isize),
    accumulate: u32,
) {
    // SAFETY: i < m, j < n, p < k, and the caller's contract.
    unsafe {
        let b = |p: usize, j: usize| b.offset(p as isize * b_row).add(j).read_unaligned();
        for i in 0..m {
            for j in 0..n {
                let c = c.offset(i as isize * c_row).add(j);
                let first = if accumulate == 0 { T::ZERO } else { c.read_unaligned() };
                c.write_unaligned((0..k).fold(first, |c, p| T::fma(a(i, p), b(p, j), c)));
            }
        }
        if !packed.is_null() {
            for p in 0..k {
                for j in 0..n {
                    packed.add(p * n + j).write_unaligned(b(p, j));
                }
            }
        }
    }
}

/// The references of one type.
macro_rules! references {
    ($type:ident $block:ident $columns:ident $vector:ident $dots:ident $outer:ident $tiny:ident
        $transpose:ident) => {
        #[allow(clippy::too_many_arguments)]
        pub(super) unsafe extern "C" fn $block(
            m: usize,
            n: usize,
            k: usize,
            a: *const $type,
            a_row: isize,
            a_column: isize,
            b: *const $type,
            b_row: isize,
            packed: *mut $type,
            c: *mut $type,
            c_row: isize,
            accumulate: u32,
        ) {
            // SAFETY: the contract of the kernel.
            let a = |i, p| unsafe { a.offset(i as isize * a_row + p as isize * a_column).read_unaligned() };
            // SAFETY: i < m, p < k, and the rest is the contract of the kernel.
            unsafe { block([m, n, k], a, (b, b_row), packed, (c, c_row), accumulate) }
        }

        #[allow(clippy::too_many_arguments)]
        pub(super) unsafe extern "C" fn $columns(
            m: usize,
            n: usize,
            k: usize,
            a: *const $type,
            a_row: isize,
            b: *const $type,
            b_row: isize,
            c: *mut $type,
            c_row: isize,
            accumulate: u32,
        ) {
            // SAFETY: the contract of `block` for A in rows and no packed B.
            unsafe { $block(m, n, k, a, a_row, 1, b, b_row, core::ptr::null_mut(), c, c_row, accumulate) }
        }

        pub(super) unsafe extern "C" fn $vector(
            m: usize,
            k: usize,
            a: *const $type,
            a_row: isize,
            x: *const $type,
            c: *mut $type,
        ) {
            // SAFETY: the contract of `block` for a B and a C of one column.
            unsafe { $block(m, 1, k, a, a_row, 1, x, 1, core::ptr::null_mut(), c, 1, 1) }
        }

        pub(super) unsafe extern "C" fn $dots(
            m: usize,
            k: usize,
            a: *const $type,
            a_row: isize,
            x: *const $type,
            y: *mut $type,
        ) {
            const LANES: usize = 64 / size_of::<$type>();
            for i in 0..m {
                let mut sums = [0.0; LANES];
                for p in 0..k.next_multiple_of(LANES) {
                    let (mut factor, mut other) = (0.0, 0.0);
                    if p < k {
                        // SAFETY: i < m, p < k, and the contract of the kernel.
                        unsafe {
                            factor = a.offset(i as isize * a_row).add(p).read_unaligned();
                            other = x.add(p).read_unaligned();
                        }
                    }
                    sums[p % LANES] = <$type>::fma(factor, other, sums[p % LANES]);
                }
                let mut half = LANES / 2;
                while half > 0 {
                    for l in 0..half {
                        sums[l] += sums[l + half];
                    }
                    half /= 2;
                }
                // SAFETY: i < m.
                unsafe { y.add(i).write_unaligned(sums[0]) }
            }
        }

        #[allow(clippy::too_many_arguments)]
        pub(super) unsafe extern "C" fn $outer(
            m: usize,
            n: usize,
            a: *const $type,
            a_row: isize,
            b: *const $type,
            c: *mut $type,
            c_row: isize,
            accumulate: u32,
        ) {
            // SAFETY: the contract of `block` for an A of one column.
            unsafe { $block(m, n, 1, a, a_row, 0, b, 0, core::ptr::null_mut(), c, c_row, accumulate) }
        }

        pub(super) unsafe extern "C" fn $tiny(
            layout: *const Layout,
            a: *const $type,
            b: *const $type,
            c: *mut $type,
            accumulate: u32,
        ) {
            // SAFETY: the contract of the kernel, which is that of `block` for other strides.
            unsafe {
                let Layout { m, n, k, a_row, a_column, b_row, c_row } = layout.read();
                let [a_row, a_column, b_row, c_row] =
                    [a_row, a_column, b_row, c_row].map(|stride| stride / size_of::<$type>() as isize);
                $block(m, n, k, a, a_row, a_column, b, b_row, core::ptr::null_mut(), c, c_row, accumulate)
            }
        }

        pub(super) unsafe extern "C" fn $transpose(
            m: usize,
            n: usize,
            a: *const $type,
            a_row: isize,
            b: *mut $type,
            b_row: isize,
        ) {
            for i in 0..m {
                for j in 0..n {
                    // SAFETY: i < m and j < n: an element of A and its place in B.
                    unsafe {
                        let x = a.offset(i as isize * a_row).add(j).read_unaligned();
                        b.offset(j as isize * b_row).add(i).write_unaligned(x);
                    }
                }
            }
        }
    };
}
references! { f32 block_f32 columns_f32 vector_f32 dots_f32 outer_f32 tiny_f32 transpose_f32 }
references! { f64 block_f64 columns_f64 vector_f64 dots_f64 outer_f64 tiny_f64 transpose_f64 }
