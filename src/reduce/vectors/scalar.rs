//! The references.

use crate::reduce::scalar::fold_any;

/// Exchanges, and the kernels of a type.
pub(super) unsafe extern "C" fn swap_u32(x: *mut u32, y: *mut u32, n: usize) {
    for i in 0..n {
        // SAFETY: i < n, the elements of `x` and of `y`.
        unsafe {
            let (a, b) = (x.add(i).read_unaligned(), y.add(i).read_unaligned());
            x.add(i).write_unaligned(b);
            y.add(i).write_unaligned(a);
        }
    }
}

/// The index of the first NaN, or of the first maximum.
fn first_max<T: PartialOrd>(n: usize, size: impl Fn(usize) -> T) -> usize {
    let mut best = 0;
    for i in 0..n {
        match size(i).partial_cmp(&size(best)) {
            None => return i,
            Some(order) if order.is_gt() => best = i,
            _ => {}
        }
    }
    best
}

macro_rules! references {
    ($type:ident $axpy:ident $scal:ident $rot:ident $amax:ident $axpy_complex:ident $scal_complex:ident
     $amax_complex:ident $dot_pairs:ident $dot_crossed:ident) => {
        pub(super) unsafe extern "C" fn $axpy(alpha: $type, x: *const $type, y: *mut $type, n: usize) {
            for i in 0..n {
                // SAFETY: i < n, the elements of `x` and of `y`.
                unsafe { y.add(i).write_unaligned(y.add(i).read_unaligned() + alpha * x.add(i).read_unaligned()) }
            }
        }

        pub(super) unsafe extern "C" fn $scal(alpha: $type, x: *mut $type, n: usize) {
            for i in 0..n {
                // SAFETY: i < n, the elements of `x`.
                unsafe { x.add(i).write_unaligned(alpha * x.add(i).read_unaligned()) }
            }
        }

        pub(super) unsafe extern "C" fn $rot(c: $type, s: $type, x: *mut $type, y: *mut $type, n: usize) {
            for i in 0..n {
                // SAFETY: i < n, the elements of `x` and of `y`.
                unsafe {
                    let (a, b) = (x.add(i).read_unaligned(), y.add(i).read_unaligned());
                    x.add(i).write_unaligned(c * a + s * b);
                    y.add(i).write_unaligned(c * b - s * a);
                }
            }
        }

        pub(super) unsafe extern "C" fn $amax(x: *const $type, n: usize) -> usize {
            // SAFETY: i < n, the elements of `x`.
            first_max(n, |i| unsafe { x.add(i).read_unaligned() }.abs())
        }

        pub(super) unsafe extern "C" fn $axpy_complex(re: $type, im: $type, x: *const $type, y: *mut $type, n: usize) {
            for i in 0..n {
                // SAFETY: i < n, the parts of the elements of `x` and of `y`.
                unsafe {
                    let (x, y) = (x.add(2 * i).cast::<[$type; 2]>(), y.add(2 * i).cast::<[$type; 2]>());
                    let ([a, b], [c, d]) = (x.read_unaligned(), y.read_unaligned());
                    y.write_unaligned([c + (re * a - im * b), d + (re * b + im * a)]);
                }
            }
        }

        pub(super) unsafe extern "C" fn $scal_complex(re: $type, im: $type, x: *mut $type, n: usize) {
            for i in 0..n {
                // SAFETY: i < n, the parts of the elements of `x`.
                unsafe {
                    let x = x.add(2 * i).cast::<[$type; 2]>();
                    let [a, b] = x.read_unaligned();
                    x.write_unaligned([re * a - im * b, re * b + im * a]);
                }
            }
        }

        pub(super) unsafe extern "C" fn $amax_complex(x: *const $type, n: usize) -> usize {
            first_max(n, |i| {
                // SAFETY: i < n, the parts of the elements of `x`.
                let [a, b] = unsafe { x.add(2 * i).cast::<[$type; 2]>().read_unaligned() };
                a.abs() + b.abs()
            })
        }

        pub(super) unsafe extern "C" fn $dot_pairs(x: *const $type, y: *const $type, n: usize, sums: *mut $type) {
            // SAFETY: i < n, the elements of `x` and of `y`; two sums.
            unsafe {
                let product = |i: usize| x.add(i).read_unaligned() * y.add(i).read_unaligned();
                sums.write_unaligned(fold_any(n.div_ceil(2), |i| product(2 * i)));
                sums.add(1).write_unaligned(fold_any(n / 2, |i| product(2 * i + 1)));
            }
        }

        pub(super) unsafe extern "C" fn $dot_crossed(x: *const $type, y: *const $type, n: usize, sums: *mut $type) {
            // SAFETY: i < 2 n, the elements of `x` and of `y`; two sums.
            unsafe {
                let product = |i: usize| x.add(i).read_unaligned() * y.add(i ^ 1).read_unaligned();
                sums.write_unaligned(fold_any(n, |i| product(2 * i)));
                sums.add(1).write_unaligned(fold_any(n, |i| product(2 * i + 1)));
            }
        }
    };
}
references! { f32 axpy_f32 scal_f32 rot_f32 amax_f32 axpy_complex_f32 scal_complex_f32 amax_complex_f32
dot_pairs_f32 dot_crossed_f32 }
references! { f64 axpy_f64 scal_f64 rot_f64 amax_f64 axpy_complex_f64 scal_complex_f64 amax_complex_f64
dot_pairs_f64 dot_crossed_f64 }
