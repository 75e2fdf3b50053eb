//! SSE2, whose fused multiply-adds are [emulated](crate::math::vector::emulated).

use core::arch::x86_64::*;

use super::layout::Layout;
use super::tiles::BlockArguments;
use crate::frame::isa::sse2;
use crate::math::vector::Vector;

mod blocks;
mod lanewise;
mod tiles;

pub(super) use lanewise::{dots_f32, dots_f64, outer_f32, outer_f64, vector_f32, vector_f64};

sse2! {
    /// `square` transposes as many rows and columns as a vector has lanes. A strip of rows fills
    /// cache lines of B.
    ///
    /// # Safety
    /// The contract of the kernels.
    #[inline]
    unsafe fn transpose<V: Vector>(
        [m, n]: [usize; 2],
        (a, a_row): (*const V::Element, isize),
        (b, b_row): (*mut V::Element, isize),
        square: impl Fn(*const V::Element, *mut V::Element),
    ) {
        let lanes = V::LANES as isize;
        let from = |i: usize, j: usize| a.wrapping_offset(i as isize * a_row).wrapping_add(j);
        let to = |i: usize, j: usize| b.wrapping_offset(j as isize * b_row).wrapping_add(i);
        let (rows, columns) = (m - m % V::LANES, n - n % V::LANES);
        let strip = 64 / size_of::<V::Element>();
        for first in (0..rows).step_by(strip) {
            let (mut from, mut to) = (from(first, 0), to(first, 0));
            for _ in 0..columns / V::LANES {
                let (mut square_from, mut square_to) = (from, to);
                for _ in 0..(rows - first).min(strip) / V::LANES {
                    square(square_from, square_to);
                    square_from = square_from.wrapping_offset(lanes * a_row);
                    square_to = square_to.wrapping_offset(lanes);
                }
                from = from.wrapping_offset(lanes);
                to = to.wrapping_offset(lanes * b_row);
            }
        }
        for i in 0..m {
            for j in if i < rows { columns } else { 0 }..n {
                // SAFETY: i < m and j < n.
                unsafe { to(i, j).write_unaligned(from(i, j).read_unaligned()) }
            }
        }
    }
}

macro_rules! export_blocks {
    ($type:ident $vector:ident $block:ident $columns:ident $tiny:ident $transpose:ident
        |$a:ident, $a_row:ident, $b:ident, $b_row:ident| $square:block) => {
        sse2! {
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
                let mut product = BlockArguments { m, n, k, a, a_row, a_column, b, b_row, c, c_row, accumulate };
                // SAFETY: the caller's contract.
                unsafe {
                    product.pack::<$vector>(packed);
                    blocks::block(product, lanewise::$block);
                }
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
                let product = BlockArguments { m, n, k, a, a_row, a_column: 1, b, b_row, c, c_row, accumulate };
                // SAFETY: the caller's contract.
                unsafe { blocks::block(product, lanewise::$block) }
            }

            pub(super) unsafe extern "C" fn $tiny(
                layout: *const Layout,
                a: *const $type,
                b: *const $type,
                c: *mut $type,
                accumulate: u32,
            ) {
                // SAFETY: the caller's contract.
                unsafe { blocks::block(BlockArguments::tiny(layout, a, b, c, accumulate), lanewise::$block) }
            }

            pub(super) unsafe extern "C" fn $transpose(
                m: usize,
                n: usize,
                a: *const $type,
                $a_row: isize,
                b: *mut $type,
                $b_row: isize,
            ) {
                // SAFETY: the contract of the kernel; squares lie within both matrices.
                unsafe {
                    transpose::<$vector>([m, n], (a, $a_row), (b, $b_row), |$a: *const $type, $b: *mut $type| $square);
                }
            }
        }
    };
}
export_blocks! { f32 __m128 block_f32 columns_f32 tiny_f32 transpose_f32 |a, a_row, b, b_row| {
    let row = |i: isize| _mm_loadu_ps(a.offset(i * a_row));
    let (mut w, mut x, mut y, mut z) = (row(0), row(1), row(2), row(3));
    _MM_TRANSPOSE4_PS(&mut w, &mut x, &mut y, &mut z);
    for (j, column) in [w, x, y, z].into_iter().enumerate() {
        _mm_storeu_ps(b.offset(j as isize * b_row), column);
    }
} }
export_blocks! { f64 __m128d block_f64 columns_f64 tiny_f64 transpose_f64 |a, a_row, b, b_row| {
    let (x, y) = (_mm_loadu_pd(a), _mm_loadu_pd(a.offset(a_row)));
    _mm_storeu_pd(b, _mm_unpacklo_pd(x, y));
    _mm_storeu_pd(b.offset(b_row), _mm_unpackhi_pd(x, y));
} }
