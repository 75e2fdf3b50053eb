use std::ptr::null_mut;

use hotloops::Float;
use hotloops::matmul::Layout;

use super::{alike, float};
use crate::harness::room::Room;
use crate::harness::sizes::{Sizes, Values};

type Block<T> =
    unsafe extern "C" fn(usize, usize, usize, *const T, isize, isize, *const T, isize, *mut T, *mut T, isize, u32);
type Columns<T> = unsafe extern "C" fn(usize, usize, usize, *const T, isize, *const T, isize, *mut T, isize, u32);
type Vector<T> = unsafe extern "C" fn(usize, usize, *const T, isize, *const T, *mut T);
type Outer<T> = unsafe extern "C" fn(usize, usize, *const T, isize, *const T, *mut T, isize, u32);
type Tiny<T> = unsafe extern "C" fn(*const Layout, *const T, *const T, *mut T, u32);
type Transpose<T> = unsafe extern "C" fn(usize, usize, *const T, isize, *mut T, isize);

/// The integers of a product of any kind; a kernel uses those that it has.
struct Product {
    m: usize,
    n: usize,
    k: usize,
    a_row: isize,
    a_column: isize,
    b_row: isize,
    c_row: isize,
    accumulate: u32,
}

/// Integers that a kernel lacks, and their values.
struct Given {
    n: usize,
    k: usize,
    columns: bool,
}

/// Rooms for A, B, packed B and C.
fn product<T: Float, F: 'static>(
    base: &[(&'static str, i64)],
    given: Given,
    call: fn(F, &Product, [*mut T; 4]),
) -> Sizes<F> {
    let names: Vec<_> = base.iter().map(|value| value.0).collect();
    let call = move |kernel: F, v: &Values| {
        let or = |name: &str, other: i64| if names.contains(&name) { v.int(name) } else { other };
        let (m, n, k) = (v.size("m"), or("n", given.n as i64) as usize, or("k", given.k as i64) as usize);
        let a_column = if given.columns { v.step("a_column") } else { 1 };
        let p = Product {
            m,
            n,
            k,
            a_row: or("a_row", 1) as isize,
            a_column,
            b_row: or("b_row", n as i64) as isize,
            // Rows of C do not overlap.
            c_row: or("c_row", n as i64).max(n as i64) as isize,
            accumulate: or("accumulate", 1) as u32,
        };
        let of_a = (0..m as isize).flat_map(|i| (0..k as isize).map(move |l| i * p.a_row + l * p.a_column));
        let a = Room::new(of_a.map(|at| at..at + 1), float::<T>)?;
        let b = Room::rows(k, p.b_row, n, |i| float::<T>(i + 7))?;
        let packed = Room::of(k * n, |_| T::ONE)?;
        let c = Room::rows(m, p.c_row, n, |i| float::<T>(i + 11))?;
        call(kernel, &p, [a.ptr(), b.ptr(), packed.ptr(), c.ptr()]);
        Some(c.contents())
    };
    Sizes::new(base, call)
}

const ALL: Given = Given { n: 0, k: 0, columns: true };
const NO_COLUMNS: Given = Given { n: 0, k: 0, columns: false };

/// Blocks with B packed and not, few columns and many.
fn blocks<T: Float>() -> Vec<Sizes<Block<T>>> {
    let of = |n: i64, a_row: i64, a_column: i64| {
        let base = [("m", 3), ("n", n), ("k", 2), ("a_row", a_row), ("a_column", a_column)];
        let base = [&base[..], &[("b_row", n + 1), ("c_row", n + 2), ("accumulate", 0)]].concat();
        // SAFETY: rooms of the sizes that the kernel wants, here and below.
        let packed = product(&base, ALL, |f: Block<T>, p, [a, b, packed, c]| unsafe {
            f(p.m, p.n, p.k, a, p.a_row, p.a_column, b, p.b_row, packed, c, p.c_row, p.accumulate)
        });
        // SAFETY: as above.
        let direct = product(&base, ALL, |f: Block<T>, p, [a, b, _, c]| unsafe {
            f(p.m, p.n, p.k, a, p.a_row, p.a_column, b, p.b_row, null_mut(), c, p.c_row, p.accumulate)
        });
        if n < 8 { packed } else { direct }
    };
    vec![of(5, 2, 1), of(19, 1, 3)]
}
alike! { Block<f32>: block_f32 = blocks() }
alike! { Block<f64>: block_f64 = blocks() }

fn columns<T: Float>() -> Vec<Sizes<Columns<T>>> {
    let base = [("m", 7), ("n", 5), ("k", 4), ("a_row", 4), ("b_row", 6), ("c_row", 7), ("accumulate", 0)];
    // SAFETY: as above.
    vec![product(&base, NO_COLUMNS, |f: Columns<T>, p, [a, b, _, c]| unsafe {
        f(p.m, p.n, p.k, a, p.a_row, b, p.b_row, c, p.c_row, p.accumulate)
    })]
}
alike! { Columns<f32>: columns_f32 = columns() }
alike! { Columns<f64>: columns_f64 = columns() }

/// Products with a vector: one column of B and C.
fn vectors<T: Float>(m: i64) -> Sizes<Vector<T>> {
    let given = Given { n: 1, ..NO_COLUMNS };
    // SAFETY: as above.
    product(&[("m", m), ("k", 20), ("a_row", 21)], given, |f: Vector<T>, p, [a, x, _, c]| unsafe {
        f(p.m, p.k, a, p.a_row, x, c)
    })
}
alike! { Vector<f32>: vector_f32 = vec![vectors(8).bound("m", 32)] }
alike! { Vector<f64>: vector_f64 = vec![vectors(4).bound("m", 16)] }
alike! { Vector<f32>: dots_f32 = vec![vectors(5)] }
alike! { Vector<f64>: dots_f64 = vec![vectors(5)] }

fn outers<T: Float>() -> Vec<Sizes<Outer<T>>> {
    let given = Given { k: 1, ..NO_COLUMNS };
    let base = [("m", 3), ("n", 20), ("a_row", 2), ("c_row", 21), ("accumulate", 0)];
    // SAFETY: as above.
    vec![product(&base, given, |f: Outer<T>, p, [a, b, _, c]| unsafe {
        f(p.m, p.n, a, p.a_row, b, c, p.c_row, p.accumulate)
    })]
}
alike! { Outer<f32>: outer_f32 = outers() }
alike! { Outer<f64>: outer_f64 = outers() }

/// The sizes and strides are in a layout, the strides in bytes.
fn tinies<T: Float>() -> Vec<Sizes<Tiny<T>>> {
    let base =
        [("m", 3), ("n", 5), ("k", 4), ("a_row", 4), ("a_column", 1), ("b_row", 6), ("c_row", 7), ("accumulate", 0)];
    // SAFETY: as above.
    let sizes = product(&base, ALL, |f: Tiny<T>, p, [a, b, _, c]| unsafe {
        let [a_row, a_column, b_row, c_row] =
            [p.a_row, p.a_column, p.b_row, p.c_row].map(|stride| stride * size_of::<T>() as isize);
        f(&Layout { m: p.m, n: p.n, k: p.k, a_row, a_column, b_row, c_row }, a, b, c, p.accumulate)
    });
    vec![sizes.bound("m", 8).bound("n", 8).bound("k", 8)]
}
alike! { Tiny<f32>: tiny_f32 = tinies() }
alike! { Tiny<f64>: tiny_f64 = tinies() }

fn transposes<T: Float>() -> Vec<Sizes<Transpose<T>>> {
    let call = |kernel: Transpose<T>, v: &Values| {
        let (m, n, a_row) = (v.size("m"), v.size("n"), v.step("a_row"));
        let b_row = v.step("b_row").max(m as isize);
        let (a, b) = (Room::rows(m, a_row, n, float::<T>)?, Room::rows(n, b_row, m, |_| T::ONE)?);
        // SAFETY: rooms of the sizes that the kernel wants.
        unsafe { kernel(m, n, a.ptr(), a_row, b.ptr(), b_row) };
        Some(b.contents())
    };
    vec![Sizes::new(&[("m", 3), ("n", 5), ("a_row", 6), ("b_row", 4)], call)]
}
alike! { Transpose<f32>: transpose_f32 = transposes() }
alike! { Transpose<f64>: transpose_f64 = transposes() }
