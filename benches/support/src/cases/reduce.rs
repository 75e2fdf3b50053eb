//! 16 KiB of numbers in the L1 cache; the matrices of column sums have rows of 256 bytes.

pub use self::{
    binary_f32 as dot_f32, binary_f32 as dot2_f32, binary_f64 as dot_f64, binary_f64 as dot2_f64,
    binned_f32_case as binned_f32, binned_f64_case as binned_f64, columns_f32 as column_sums_f32,
    columns_f64 as column_sums_f64, products_f32_case as products_f32, products_f64_case as products_f64,
    unary_f32 as sum_f32, unary_f32 as asum_f32, unary_f32 as sum2_f32, unary_f32 as kahan_f32, unary_f64 as sum_f64,
    unary_f64 as asum_f64, unary_f64 as sum2_f64, unary_f64 as kahan_f64,
};
use super::*;

/// 16 KiB.
fn bytes<T: hotloops::matmul::Element>() -> Vec<T> {
    words((16 << 10) / size_of::<T>()).iter().map(|&word| T::from_f64(f64::from(word) - 2e9)).collect()
}

macro_rules! cases {
    ($($unary:ident $binary:ident $binned:ident $products:ident $columns:ident $sum:ident $dot:ident
      $binned_kernel:ident $products_kernel:ident $column_sums:ident $type:ident)+) => {$(
        pub fn $unary(function: hotloops::reduce::$sum::Function) -> Work {
            let x = bytes::<$type>();
            // SAFETY: the elements of a slice.
            work("number", x.len(), move || unsafe { black_box(function(x.as_ptr(), x.len())); })
        }

        pub fn $binary(function: hotloops::reduce::$dot::Function) -> Work {
            let (x, y) = (bytes::<$type>(), bytes::<$type>());
            // SAFETY: two slices of one length.
            work("number", x.len(), move || unsafe { black_box(function(x.as_ptr(), y.as_ptr(), x.len())); })
        }

        pub fn $binned(function: hotloops::reduce::$binned_kernel::Function) -> Work {
            let (x, mut sums) = (bytes::<$type>(), [0; 3]);
            // SAFETY: the elements of a slice, below 2^32; three sums.
            work("number", x.len(), move || unsafe {
                black_box(function(x.as_ptr(), x.len(), -34, sums.as_mut_ptr()));
            })
        }

        pub fn $products(function: hotloops::reduce::$products_kernel::Function) -> Work {
            let (x, y, mut sums) = (bytes::<$type>(), bytes::<$type>(), [0; 3]);
            // SAFETY: two slices of one length, at most 4096, below 2^32; three sums.
            work("number", x.len(), move || unsafe {
                black_box(function(x.as_ptr(), y.as_ptr(), x.len(), -34, sums.as_mut_ptr()));
            })
        }

        pub fn $columns(function: hotloops::reduce::$column_sums::Function) -> Work {
            const WIDTH: usize = 256 / size_of::<$type>();
            let (x, mut sums) = (bytes::<$type>(), [0.0; WIDTH]);
            // SAFETY: the rows of a slice, a sum for each column.
            work("number", x.len(), move || unsafe {
                function(x.len() / WIDTH, WIDTH, x.as_ptr(), WIDTH as isize, sums.as_mut_ptr());
                black_box(&mut sums);
            })
        }
    )+};
}
cases! {
    unary_f32 binary_f32 binned_f32_case products_f32_case columns_f32 sum_f32 dot_f32 binned_f32 products_f32
    column_sums_f32 f32
    unary_f64 binary_f64 binned_f64_case products_f64_case columns_f64 sum_f64 dot_f64 binned_f64 products_f64
    column_sums_f64 f64
}

pub fn exact_f32(function: hotloops::reduce::exact_f32::Function) -> Work {
    // The smallest of these numbers are too small a part of the largest.
    let x: Vec<f32> = bytes::<f32>().iter().map(|x| x + 1e5).collect();
    let mut sum = 0.0;
    // SAFETY: the elements of a slice, below 2^32; two floats, a double.
    work("number", x.len(), move || unsafe {
        black_box(function(x.as_ptr(), x.len(), [f32::INFINITY, 0.0].as_mut_ptr(), &raw mut sum));
    })
}

pub fn swap_u32(function: hotloops::reduce::swap_u32::Function) -> Work {
    let (mut x, mut y) = (words(4 << 10), words(4 << 10));
    // SAFETY: two slices of one length.
    work("number", x.len(), move || unsafe { function(x.as_mut_ptr(), y.as_mut_ptr(), x.len()) })
}

/// Kernels of vectors. The factors keep the numbers bounded.
macro_rules! vectors {
    ($type:ident $axpy:ident $scal:ident $rot:ident $amax:ident $axpy_complex:ident $scal_complex:ident
     $amax_complex:ident $dot_pairs:ident $dot_crossed:ident) => {
        pub fn $dot_pairs(function: hotloops::reduce::$dot_pairs::Function) -> Work {
            let (x, y, mut sums) = (bytes::<$type>(), bytes::<$type>(), [0.0; 2]);
            // SAFETY: two slices of one length, two sums, here and below.
            work("number", x.len(), move || unsafe { function(x.as_ptr(), y.as_ptr(), x.len(), sums.as_mut_ptr()) })
        }

        pub fn $dot_crossed(function: hotloops::reduce::$dot_crossed::Function) -> Work {
            let (x, y, mut sums) = (bytes::<$type>(), bytes::<$type>(), [0.0; 2]);
            work("number", x.len(), move || unsafe { function(x.as_ptr(), y.as_ptr(), x.len() / 2, sums.as_mut_ptr()) })
        }

        pub fn $axpy(function: hotloops::reduce::$axpy::Function) -> Work {
            let (x, mut y) = (bytes::<$type>(), bytes::<$type>());
            work("number", x.len(), move || unsafe { function(1e-9, x.as_ptr(), y.as_mut_ptr(), x.len()) })
        }

        pub fn $scal(function: hotloops::reduce::$scal::Function) -> Work {
            let mut x = bytes::<$type>();
            work("number", x.len(), move || unsafe { function(-1.0, x.as_mut_ptr(), x.len()) })
        }

        pub fn $rot(function: hotloops::reduce::$rot::Function) -> Work {
            let (mut x, mut y) = (bytes::<$type>(), bytes::<$type>());
            work("number", x.len(), move || unsafe { function(0.0, 1.0, x.as_mut_ptr(), y.as_mut_ptr(), x.len()) })
        }

        pub fn $amax(function: hotloops::reduce::$amax::Function) -> Work {
            let x = bytes::<$type>();
            work("number", x.len(), move || unsafe {
                black_box(function(x.as_ptr(), x.len()));
            })
        }

        pub fn $axpy_complex(function: hotloops::reduce::$axpy_complex::Function) -> Work {
            let (x, mut y) = (bytes::<$type>(), bytes::<$type>());
            work("number", x.len(), move || unsafe {
                function(1e-9, 1e-9, x.as_ptr(), y.as_mut_ptr(), x.len() / 2);
            })
        }

        pub fn $scal_complex(function: hotloops::reduce::$scal_complex::Function) -> Work {
            let mut x = bytes::<$type>();
            work("number", x.len(), move || unsafe { function(0.0, 1.0, x.as_mut_ptr(), x.len() / 2) })
        }

        pub fn $amax_complex(function: hotloops::reduce::$amax_complex::Function) -> Work {
            let x = bytes::<$type>();
            work("number", x.len(), move || unsafe {
                black_box(function(x.as_ptr(), x.len() / 2));
            })
        }
    };
}
vectors! { f32 axpy_f32 scal_f32 rot_f32 amax_f32 axpy_complex_f32 scal_complex_f32 amax_complex_f32
dot_pairs_f32 dot_crossed_f32 }
vectors! { f64 axpy_f64 scal_f64 rot_f64 amax_f64 axpy_complex_f64 scal_complex_f64 amax_complex_f64
dot_pairs_f64 dot_crossed_f64 }
