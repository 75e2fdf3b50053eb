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
