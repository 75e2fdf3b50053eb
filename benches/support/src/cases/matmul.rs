//! Matrices in the L1 and L2 caches; an element is a multiply-add.

pub use self::{
    block32 as block_f32, block64 as block_f64, columns32 as columns_f32, columns64 as columns_f64, dots32 as dots_f32,
    dots64 as dots_f64, outer32 as outer_f32, outer64 as outer_f64, tiny32 as tiny_f32, tiny64 as tiny_f64,
    transpose32 as transpose_f32, transpose64 as transpose_f64, vector32 as vector_f32, vector64 as vector_f64,
};
use super::*;
use hotloops::matmul::Layout;

const SIDE: usize = 96;

macro_rules! cases {
    ($($block:ident $columns:ident $vector:ident $dots:ident $outer:ident $tiny:ident $transpose:ident
       $block_kernel:ident $columns_kernel:ident $vector_kernel:ident $outer_kernel:ident $tiny_kernel:ident
       $transpose_kernel:ident $type:ident)+) => {$(
        pub fn $block(function: hotloops::matmul::$block_kernel::Function) -> Work {
            const ROW: isize = SIDE as isize;
            // Random bits: the emulation of SSE2 is slower for integers.
            let number = |i: usize| ((i as f64 * 0.618_033_988_749_895).fract() - 0.5) as $type;
            let [a, b] = [0, 1].map(|of| (0..SIDE * SIDE).map(|i| number(2 * i + of)).collect::<Vec<_>>());
            let mut c = vec![0.0 as $type; SIDE * SIDE];
            // SAFETY: square matrices.
            work("multiply-add", SIDE * SIDE * SIDE, move || unsafe {
                let null = std::ptr::null_mut();
                function(SIDE, SIDE, SIDE, a.as_ptr(), ROW, 1, b.as_ptr(), ROW, null, c.as_mut_ptr(), ROW, 0)
            })
        }

        pub fn $columns(function: hotloops::matmul::$columns_kernel::Function) -> Work {
            const M: usize = 96;
            const K: usize = 64;
            const N: usize = 3;
            let (a, b, mut c) = (vec![1.5 as $type; M * K], vec![0.5 as $type; K * N], vec![0.0 as $type; M * N]);
            // SAFETY: matrices of M x K, K x N, M x N.
            work("multiply-add", M * N * K, move || unsafe {
                function(M, N, K, a.as_ptr(), K as isize, b.as_ptr(), N as isize, c.as_mut_ptr(), N as isize, 0)
            })
        }

        pub fn $vector(function: hotloops::matmul::$vector_kernel::Function) -> Work {
            const M: usize = 128 / size_of::<$type>();
            const K: usize = 208;
            let (a, x, mut c) = (vec![1.5 as $type; M * K], vec![0.5 as $type; K], vec![0.0 as $type; M]);
            // SAFETY: a matrix of M x K, vectors of K and M.
            work("multiply-add", M * K, move || unsafe {
                function(M, K, a.as_ptr(), K as isize, x.as_ptr(), c.as_mut_ptr())
            })
        }

        pub fn $dots(function: hotloops::matmul::$vector_kernel::Function) -> Work {
            const M: usize = 32;
            const K: usize = 208;
            let (a, x, mut y) = (vec![1.5 as $type; M * K], vec![0.5 as $type; K], vec![0.0 as $type; M]);
            // SAFETY: a matrix of M x K, vectors of K and M.
            work("multiply-add", M * K, move || unsafe {
                function(M, K, a.as_ptr(), K as isize, x.as_ptr(), y.as_mut_ptr())
            })
        }

        pub fn $outer(function: hotloops::matmul::$outer_kernel::Function) -> Work {
            const ROW: isize = SIDE as isize;
            let (a, b, mut c) = (vec![1.5 as $type; SIDE], vec![0.5 as $type; SIDE], vec![0.0 as $type; SIDE * SIDE]);
            // SAFETY: vectors, and a square matrix.
            work("multiply-add", SIDE * SIDE, move || unsafe {
                function(SIDE, SIDE, a.as_ptr(), 1, b.as_ptr(), c.as_mut_ptr(), ROW, 1)
            })
        }

        pub fn $tiny(function: hotloops::matmul::$tiny_kernel::Function) -> Work {
            const ROW: isize = 8 * size_of::<$type>() as isize;
            let layout =
                Layout { m: 8, n: 8, k: 8, a_row: ROW, a_column: ROW / 8, b_row: ROW, c_row: ROW };
            let (a, b, mut c) = ([1.5 as $type; 64], [0.5 as $type; 64], [0.0 as $type; 64]);
            // SAFETY: matrices of 8 x 8.
            work("multiply-add", 8 * 8 * 8, move || unsafe {
                function(&layout, a.as_ptr(), b.as_ptr(), c.as_mut_ptr(), 0)
            })
        }

        pub fn $transpose(function: hotloops::matmul::$transpose_kernel::Function) -> Work {
            const ROW: isize = 64;
            let (a, mut b) = (vec![1.5 as $type; 64 * 64], vec![0.0 as $type; 64 * 64]);
            // SAFETY: square matrices.
            work("element", 64 * 64, move || unsafe { function(64, 64, a.as_ptr(), ROW, b.as_mut_ptr(), ROW) })
        }
    )+};
}
cases! {
    block32 columns32 vector32 dots32 outer32 tiny32 transpose32
    block_f32 columns_f32 vector_f32 outer_f32 tiny_f32 transpose_f32 f32
    block64 columns64 vector64 dots64 outer64 tiny64 transpose64
    block_f64 columns_f64 vector_f64 outer_f64 tiny_f64 transpose_f64 f64
}
