use hotloops::Float;
use hotloops::reduce::*;

use super::{alike, float};
use crate::harness::room::Room;
use crate::harness::sizes::{Sizes, Values, bytes};

type Sum<T> = unsafe extern "C" fn(*const T, usize) -> T;
type Dot<T> = unsafe extern "C" fn(*const T, *const T, usize) -> T;
type Binned<T> = unsafe extern "C" fn(*const T, usize, i32, *mut i64) -> u32;
type Products<T> = unsafe extern "C" fn(*const T, *const T, usize, i32, *mut i64) -> u32;
type Columns<T> = unsafe extern "C" fn(usize, usize, *const T, isize, *mut T);

fn sums<T: Float>() -> Vec<Sizes<Sum<T>>> {
    let call = |kernel: Sum<T>, v: &Values| {
        let n = v.size("n");
        let x = Room::of(n, float::<T>)?;
        // SAFETY: n elements.
        Some(bytes(unsafe { kernel(x.ptr(), n) }))
    };
    vec![Sizes::new(&[("n", 7)], call)]
}
alike! { Sum<f32>: sum_f32 asum_f32 sum2_f32 kahan_f32 = sums() }
alike! { Sum<f64>: sum_f64 asum_f64 sum2_f64 kahan_f64 = sums() }

fn dots<T: Float>() -> Vec<Sizes<Dot<T>>> {
    let call = |kernel: Dot<T>, v: &Values| {
        let n = v.size("n");
        let (x, y) = (Room::of(n, float::<T>)?, Room::of(n, |i| float::<T>(i + 3))?);
        // SAFETY: n elements each.
        Some(bytes(unsafe { kernel(x.ptr(), y.ptr(), n) }))
    };
    vec![Sizes::new(&[("n", 7)], call)]
}
alike! { Dot<f32>: dot_f32 dot2_f32 = dots() }
alike! { Dot<f64>: dot_f64 dot2_f64 = dots() }

fn binned<T: Float>() -> Vec<Sizes<Binned<T>>> {
    let call = |kernel: Binned<T>, v: &Values| {
        let n = v.size("n");
        // Numbers that suit a small exponent; all exceed the limit of one below -240.
        let (x, sums) = (Room::of(n, float::<T>)?, Room::copy(&[0i64, (1 << 32) - 3, -1])?);
        // SAFETY: n elements and three sums.
        let done = unsafe { kernel(x.ptr(), n, v.int("exponent") as i32, sums.ptr()) };
        Some([bytes(done), sums.contents()].concat())
    };
    let sizes = |exponent| Sizes::new(&[("n", 7), ("exponent", exponent)], call);
    // Only the first result depends on the elements, and only the second on the upper bits of the exponent.
    vec![sizes(-34).bound("n", 8192).bound("exponent", -34), sizes(-300).bound("n", 7).bound("exponent", 891)]
}
alike! { Binned<f32>: binned_f32 = binned() }
alike! { Binned<f64>: binned_f64 = binned() }

fn products<T: Float>() -> Vec<Sizes<Products<T>>> {
    let call = |kernel: Products<T>, v: &Values| {
        let n = v.size("n");
        let (x, y) = (Room::of(n, float::<T>)?, Room::of(n, |i| float::<T>(i + 3))?);
        let sums = Room::copy(&[0i64, (1 << 32) - 3, -1])?;
        // SAFETY: n pairs and three sums.
        let done = unsafe { kernel(x.ptr(), y.ptr(), n, v.int("exponent") as i32, sums.ptr()) };
        Some([bytes(done), sums.contents()].concat())
    };
    let sizes = |exponent| Sizes::new(&[("n", 7), ("exponent", exponent)], call);
    vec![sizes(-34).bound("n", 4096).bound("exponent", -34), sizes(-300).bound("n", 7).bound("exponent", 891)]
}
alike! { Products<f32>: products_f32 = products() }
alike! { Products<f64>: products_f64 = products() }

pub fn exact_f32() -> Vec<Sizes<exact_f32::Function>> {
    let call = |kernel: exact_f32::Function, v: &Values| {
        let n = v.size("n");
        let x = Room::of(n, |i| 1.0 + float::<f32>(i).abs())?;
        let (range, sum) = (Room::copy(&[f32::INFINITY, 0.0])?, Room::copy(&[1.5f64])?);
        // SAFETY: n elements, a range and a sum.
        let done = unsafe { kernel(x.ptr(), n, range.ptr(), sum.ptr()) };
        Some([bytes(done), range.contents(), sum.contents()].concat())
    };
    vec![Sizes::new(&[("n", 7)], call).bound("n", 8192)]
}

fn columns<T: Float>() -> Vec<Sizes<Columns<T>>> {
    let call = |kernel: Columns<T>, v: &Values| {
        let (m, n, row) = (v.size("m"), v.size("n"), v.step("row"));
        let (x, sums) = (Room::rows(m, row, n, float::<T>)?, Room::of(n, |_| T::ONE)?);
        // SAFETY: m rows of n elements, n sums.
        unsafe { kernel(m, n, x.ptr(), row, sums.ptr()) };
        Some(sums.contents())
    };
    vec![Sizes::new(&[("m", 3), ("n", 5), ("row", 6)], call)]
}
alike! { Columns<f32>: column_sums_f32 = columns() }
alike! { Columns<f64>: column_sums_f64 = columns() }

pub fn swap_u32() -> Vec<Sizes<swap_u32::Function>> {
    let call = |kernel: swap_u32::Function, v: &Values| {
        let n = v.size("n");
        let (x, y) = (Room::of(n, super::noise)?, Room::of(n, |i| super::noise(i + 3))?);
        // SAFETY: n words each.
        unsafe { kernel(x.ptr(), y.ptr(), n) };
        Some([x.contents(), y.contents()].concat())
    };
    vec![Sizes::new(&[("n", 7)], call)]
}

/// A kernel that changes `n` elements of `parts` numbers, with two factors.
fn updates<T: Float, F: Copy + 'static>(parts: usize, run: fn(F, T, T, *mut T, *mut T, usize)) -> Vec<Sizes<F>> {
    let call = move |kernel: F, v: &Values| {
        let n = v.size("n");
        let len = n.checked_mul(parts)?;
        let (x, y) = (Room::of(len, float::<T>)?, Room::of(len, |i| float::<T>(i + 3))?);
        run(kernel, T::from_f64(0.5), T::from_f64(-3.0), x.ptr(), y.ptr(), n);
        Some([x.contents(), y.contents()].concat())
    };
    vec![Sizes::new(&[("n", 7)], call)]
}

/// The last element is the largest.
fn maxima<T: Float>(parts: usize) -> Vec<Sizes<unsafe extern "C" fn(*const T, usize) -> usize>> {
    let call = move |kernel: unsafe extern "C" fn(*const T, usize) -> usize, v: &Values| {
        let n = v.size("n");
        let x = Room::of(n.checked_mul(parts)?, |i| T::from_f64(i as f64))?;
        // SAFETY: n elements.
        Some(bytes(unsafe { kernel(x.ptr(), n) }))
    };
    vec![Sizes::new(&[("n", 7)], call)]
}

/// Two dot products of `n` elements of `parts` numbers.
fn two_dots<T: Float>(parts: usize) -> Vec<Sizes<unsafe extern "C" fn(*const T, *const T, usize, *mut T)>> {
    let call = move |kernel: unsafe extern "C" fn(*const T, *const T, usize, *mut T), v: &Values| {
        let n = v.size("n");
        let len = n.checked_mul(parts)?;
        let (x, y) = (Room::of(len, float::<T>)?, Room::of(len, |i| float::<T>(i + 3))?);
        let sums = Room::of(2, |_| T::ONE)?;
        // SAFETY: n elements each, two sums.
        unsafe { kernel(x.ptr(), y.ptr(), n, sums.ptr()) };
        Some(sums.contents())
    };
    vec![Sizes::new(&[("n", 7)], call)]
}

macro_rules! vectors {
    ($type:ident $axpy:ident $scal:ident $rot:ident $amax:ident $axpy_complex:ident $scal_complex:ident
     $amax_complex:ident $dot_pairs:ident $dot_crossed:ident) => {
        pub fn $dot_pairs() -> Vec<Sizes<$dot_pairs::Function>> {
            two_dots::<$type>(1)
        }

        pub fn $dot_crossed() -> Vec<Sizes<$dot_crossed::Function>> {
            two_dots::<$type>(2)
        }

        pub fn $axpy() -> Vec<Sizes<$axpy::Function>> {
            // SAFETY: n elements each.
            updates::<$type, _>(1, |kernel: $axpy::Function, a, _, x, y, n| unsafe { kernel(a, x, y, n) })
        }

        pub fn $scal() -> Vec<Sizes<$scal::Function>> {
            // SAFETY: n elements each.
            updates::<$type, _>(1, |kernel: $scal::Function, a, _, x, _, n| unsafe { kernel(a, x, n) })
        }

        pub fn $rot() -> Vec<Sizes<$rot::Function>> {
            // SAFETY: n elements each.
            updates::<$type, _>(1, |kernel: $rot::Function, c, s, x, y, n| unsafe { kernel(c, s, x, y, n) })
        }

        pub fn $amax() -> Vec<Sizes<$amax::Function>> {
            maxima::<$type>(1)
        }

        pub fn $axpy_complex() -> Vec<Sizes<$axpy_complex::Function>> {
            // SAFETY: n elements each.
            updates::<$type, _>(2, |kernel: $axpy_complex::Function, a, b, x, y, n| unsafe { kernel(a, b, x, y, n) })
        }

        pub fn $scal_complex() -> Vec<Sizes<$scal_complex::Function>> {
            // SAFETY: n elements each.
            updates::<$type, _>(2, |kernel: $scal_complex::Function, a, b, x, _, n| unsafe { kernel(a, b, x, n) })
        }

        pub fn $amax_complex() -> Vec<Sizes<$amax_complex::Function>> {
            maxima::<$type>(2)
        }
    };
}
vectors! { f32 axpy_f32 scal_f32 rot_f32 amax_f32 axpy_complex_f32 scal_complex_f32 amax_complex_f32
dot_pairs_f32 dot_crossed_f32 }
vectors! { f64 axpy_f64 scal_f64 rot_f64 amax_f64 axpy_complex_f64 scal_complex_f64 amax_complex_f64
dot_pairs_f64 dot_crossed_f64 }
