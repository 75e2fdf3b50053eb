//! Level 2 of BLAS, bit for bit equal to its definition in `hotloops_cblas.h`: plain loops over the elements that are
//! stored, with `mul_add`. Everything that a routine must not read is NaN, and everything that it must not write stays.
//!
//! `blas_exits` holds the routines of this test program.
#![cfg(all(target_os = "linux", feature = "libc"))]

mod storage;
mod types;

use storage::{Matrix, Storage, Strided};
use types::Number;

use std::ffi::c_int;

const ROW: c_int = 101;
const COLUMN: c_int = 102;
const NO: c_int = 111;
const CONJ: c_int = 113;
const UPPER: c_int = 121;
const UNIT: c_int = 132;

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    fn pick<V: Copy>(&mut self, values: &[V]) -> V {
        values[self.below(values.len())]
    }

    /// From -1 to 1; one of four is a multiple of 1/4, so that sums cancel.
    fn real(&mut self) -> f64 {
        let x = self.bits() as i64 as f64 / 9.3e18;
        if self.below(4) == 0 { (x * 4.0).round() / 4.0 } else { x }
    }

    fn number<T: Number>(&mut self) -> T {
        let re = self.real();
        T::new(re, self.real())
    }

    fn scalar<T: Number>(&mut self) -> T {
        match self.below(4) {
            0 => T::new(0.0, 0.0),
            1 => T::new(1.0, 0.0),
            _ => self.number(),
        }
    }

    /// Few large sizes.
    fn size(&mut self) -> usize {
        let most = self.pick(&[4, 20, 70, 150]);
        self.below(most + 1)
    }

    fn step(&mut self) -> c_int {
        self.pick(&[1, 1, -1, 2, -3])
    }

    fn vector<T: Number>(&mut self, n: usize) -> Strided<T> {
        let step = self.step();
        Strided::new((0..n).map(|_| self.number()).collect(), step)
    }

    fn layout(&mut self) -> c_int {
        self.pick(&[ROW, COLUMN])
    }
}

/// y = alpha op(A) x + beta y with `get(i, j)` of op(A).
#[allow(clippy::too_many_arguments)]
fn product<T: Number>(
    [m, n]: [usize; 2],
    get: impl Fn(usize, usize) -> Option<T>,
    alpha: T,
    x: &[T],
    beta: T,
    y: &[T],
) -> Vec<T> {
    let element = |i: usize| {
        if alpha == T::new(0.0, 0.0) {
            let [zero, one] = [0.0, 1.0].map(|re| T::new(re, 0.0));
            let scaled = if beta == one { y[i] } else { y[i].times(beta) };
            return if beta == zero { zero } else { scaled };
        }
        let terms: Vec<_> = (0..n).filter_map(|j| Some((get(i, j)?, x[j]))).collect();
        T::sum(alpha, &terms, beta, y[i])
    };
    (0..m).map(element).collect()
}

/// A y that is NaN where it is not read.
fn hidden<T: Number>(y: &Strided<T>, beta: T) -> Strided<T> {
    let n = y.values.len();
    if beta == T::new(0.0, 0.0) { Strided::new(vec![T::new(f64::NAN, f64::NAN); n], y.step) } else { y.clone() }
}

fn general<T: Number>(random: &mut Random) {
    let (layout, trans) = (random.layout(), random.pick(&[NO, 112, CONJ]));
    let [m, n] = [random.size(), random.size()];
    let [kl, ku] = [random.below(m + 3), random.below(n + 3)];
    let is_band = random.below(2) == 0;
    let storage = if is_band { Storage::Band { kl, ku } } else { Storage::Dense };
    let pad = random.below(3);
    let a: Matrix<T> = Matrix::new([m, n], layout == COLUMN, storage, pad, |_, _| random.number());
    let (rows, columns) = if trans == NO { (m, n) } else { (n, m) };
    let (x, y) = (random.vector(columns), random.vector(rows));
    let [alpha, beta] = [random.scalar(), random.scalar()];
    let get = |i, j| {
        let element: T = if trans == NO { a.get(i, j) } else { a.get(j, i) }?;
        Some(if trans == CONJ { element.conj() } else { element })
    };
    // Without elements, or with an alpha of 0 and a beta of 1, nothing is written.
    let is_empty = m == 0 || n == 0;
    let expected =
        if is_empty { y.values.clone() } else { product([rows, columns], get, alpha, &x.values, beta, &y.values) };
    let mut out = if is_empty { y.clone() } else { hidden(&y, beta) };
    let (m, n, kl, ku) = (m as c_int, n as c_int, kl as c_int, ku as c_int);
    let (from, to) = (x.values_at(), out.pointer());
    // SAFETY: the matrix and the vectors have these sizes and strides.
    unsafe {
        let (alpha, beta) = (alpha.scalar(), beta.scalar());
        if is_band {
            T::GBMV(layout, trans, m, n, kl, ku, alpha, a.pointer(), a.lda, from, x.step, beta, to, y.step);
        } else {
            T::GEMV(layout, trans, m, n, alpha, a.pointer(), a.lda, from, x.step, beta, to, y.step);
        }
    }
    out.compare(&expected, &format!("{layout} {trans} {m} {n} {kl} {ku} {is_band} {} {}", x.step, y.step));
}

fn triangle_storage(random: &mut Random, n: usize, uplo: c_int) -> (Storage, usize) {
    let is_upper = uplo == UPPER;
    match random.below(3) {
        0 => (Storage::Triangle { is_upper }, 0),
        1 => (Storage::Packed { is_upper }, 0),
        _ => {
            let k = random.below(n + 3);
            (if is_upper { Storage::Band { kl: 0, ku: k } } else { Storage::Band { kl: k, ku: 0 } }, k)
        }
    }
}

fn symmetric<T: Number>(random: &mut Random) {
    let (layout, uplo, n) = (random.layout(), random.pick(&[121, 122]), random.size());
    let (storage, k) = triangle_storage(random, n, uplo);
    let pad = random.below(3);
    let a: Matrix<T> = Matrix::new([n, n], layout == COLUMN, storage, pad, |_, _| random.number());
    let (x, y) = (random.vector(n), random.vector(n));
    let [alpha, beta] = [random.scalar(), random.scalar()];
    let get = |i: usize, j: usize| match a.get(i, j) {
        Some(element) if i == j => Some(element.real_part()),
        None => a.get(j, i).map(T::conj),
        element => element,
    };
    let expected = product([n, n], get, alpha, &x.values, beta, &y.values);
    let mut out = hidden(&y, beta);
    let (n, k, from, to) = (n as c_int, k as c_int, x.values_at(), out.pointer());
    // SAFETY: as for `general`.
    unsafe {
        let (alpha, beta) = (alpha.scalar(), beta.scalar());
        match storage {
            Storage::Band { .. } => {
                T::SBMV(layout, uplo, n, k, alpha, a.pointer(), a.lda, from, x.step, beta, to, y.step)
            }
            Storage::Packed { .. } => T::SPMV(layout, uplo, n, alpha, a.pointer(), from, x.step, beta, to, y.step),
            _ => T::SYMV(layout, uplo, n, alpha, a.pointer(), a.lda, from, x.step, beta, to, y.step),
        }
    }
    out.compare(&expected, &format!("{layout} {uplo} {n} {k} {storage:?} {} {}", x.step, y.step));
}

/// Solves op(A) x = b by the order of the header, with `get(i, j)` of op(A).
fn substituted<T: Number>(get: impl Fn(usize, usize) -> Option<T>, is_lower: bool, unit: bool, b: &[T]) -> Vec<T> {
    let (n, one) = (b.len(), T::new(1.0, 0.0));
    let place = |i: usize| if is_lower { i } else { n - 1 - i };
    let mut x = b.to_vec();
    for i in 0..n {
        let begin = if T::IS_COMPLEX { i / 64 * 64 } else { 0 };
        for block in (0..begin).step_by(64) {
            let terms = (block..block + 64).filter_map(|p| Some((get(place(i), place(p))?, x[place(p)])));
            let terms: Vec<_> = terms.collect();
            if !terms.is_empty() {
                x[place(i)] = T::sum(T::new(-1.0, 0.0), &terms, one, x[place(i)]);
            }
        }
        for p in begin..i {
            if let Some(element) = get(place(i), place(p)) {
                x[place(i)] = T::subtracted(x[place(i)], element, x[place(p)]);
            }
        }
        if !unit {
            x[place(i)] = T::divided(x[place(i)], get(place(i), place(i)).unwrap());
        }
    }
    x
}

fn triangular<T: Number>(random: &mut Random) {
    let (layout, uplo, n) = (random.layout(), random.pick(&[121, 122]), random.size());
    let (trans, diag, solves) = (random.pick(&[NO, 112, CONJ]), random.pick(&[131, UNIT]), random.below(2) == 0);
    let (storage, k) = triangle_storage(random, n, uplo);
    // Solutions stay finite.
    let scale = if solves { 0.5 / n.max(1) as f64 } else { 1.0 };
    let pad = random.below(3);
    let a: Matrix<T> = Matrix::new([n, n], layout == COLUMN, storage, pad, |i, j| match i == j {
        true if diag == UNIT => T::new(f64::NAN, f64::NAN),
        true => T::new(1.5 + random.real(), random.real()),
        false => T::new(scale * random.real(), scale * random.real()),
    });
    let x: Strided<T> = random.vector(n);
    let get = |i: usize, j: usize| {
        let element = if trans == NO { a.get(i, j) } else { a.get(j, i) }?;
        match () {
            () if i == j && diag == UNIT => Some(T::new(1.0, 0.0)),
            () if trans == CONJ => Some(element.conj()),
            () => Some(element),
        }
    };
    let is_lower = (uplo == UPPER) != (trans == NO);
    let expected = match solves {
        true => substituted(get, is_lower, diag == UNIT, &x.values),
        false => product([n, n], get, T::new(1.0, 0.0), &x.values, T::new(0.0, 0.0), &x.values),
    };
    let mut out = x.clone();
    let (n, k, to) = (n as c_int, k as c_int, out.pointer());
    // SAFETY: as for `general`.
    unsafe {
        match storage {
            Storage::Band { .. } => {
                let routine = if solves { T::TBSV } else { T::TBMV };
                routine(layout, uplo, trans, diag, n, k, a.pointer(), a.lda, to, x.step);
            }
            Storage::Packed { .. } => {
                let routine = if solves { T::TPSV } else { T::TPMV };
                routine(layout, uplo, trans, diag, n, a.pointer(), to, x.step);
            }
            _ => {
                let routine = if solves { T::TRSV } else { T::TRMV };
                routine(layout, uplo, trans, diag, n, a.pointer(), a.lda, to, x.step);
            }
        }
    }
    out.compare(&expected, &format!("{layout} {uplo} {trans} {diag} {n} {k} {storage:?} {} {solves}", x.step));
}

fn outer<T: Number>(random: &mut Random) {
    let (layout, conjugates) = (random.layout(), random.below(2));
    let [m, n] = [random.size(), random.size()];
    let pad = random.below(3);
    let mut a: Matrix<T> = Matrix::new([m, n], layout == COLUMN, Storage::Dense, pad, |_, _| random.number());
    let (x, y): (Strided<T>, Strided<T>) = (random.vector(m), random.vector(n));
    let alpha: T = random.scalar();
    let expected = a.map(|i, j, element| {
        let y = if conjugates == 1 { y.values[j].conj() } else { y.values[j] };
        if alpha == T::new(0.0, 0.0) { element } else { T::added(alpha, x.values[i], y, element) }
    });
    let (from_x, from_y, lda) = (x.values_at(), y.values_at(), a.lda);
    // SAFETY: as for `general`.
    unsafe {
        let routine = T::GER[conjugates];
        let (m, n, to) = (m as c_int, n as c_int, a.pointer_mut());
        routine(layout, m, n, alpha.scalar(), from_x, x.step, from_y, y.step, to, lda);
    }
    a.compare(&expected, &format!("{layout} {m} {n} {conjugates}"));
}

fn updated<T: Number>(random: &mut Random) {
    let (layout, uplo, n) = (random.layout(), random.pick(&[121, 122]), random.size());
    let is_upper = uplo == UPPER;
    let (is_packed, has_two) = (random.below(2) == 0, random.below(2) == 0);
    let storage = if is_packed { Storage::Packed { is_upper } } else { Storage::Triangle { is_upper } };
    let pad = random.below(3);
    let mut a: Matrix<T> = Matrix::new([n, n], layout == COLUMN, storage, pad, |_, _| random.number());
    let (x, y): (Strided<T>, Strided<T>) = (random.vector(n), random.vector(n));
    let mut alpha: T = random.scalar();
    if !has_two {
        alpha = alpha.real_part();
    }
    let expected = a.map(|i, j, element| {
        if alpha == T::new(0.0, 0.0) {
            return element;
        }
        let [x_i, x_j, y_i, y_j] = [x.values[i], x.values[j], y.values[i], y.values[j]];
        let sum = match has_two {
            true => T::added(alpha.conj(), y_i, x_j.conj(), T::added(alpha, x_i, y_j.conj(), element)),
            false => T::added(alpha, x_i, x_j.conj(), element),
        };
        if i == j { sum.real_part() } else { sum }
    });
    let (from_x, from_y, lda, n) = (x.values_at(), y.values_at(), a.lda, n as c_int);
    // SAFETY: as for `general`.
    unsafe {
        let to = a.pointer_mut();
        match (has_two, is_packed) {
            (false, false) => T::SYR(layout, uplo, n, alpha.re(), from_x, x.step, to, lda),
            (false, true) => T::SPR(layout, uplo, n, alpha.re(), from_x, x.step, to),
            (true, false) => T::SYR2(layout, uplo, n, alpha.scalar(), from_x, x.step, from_y, y.step, to, lda),
            (true, true) => T::SPR2(layout, uplo, n, alpha.scalar(), from_x, x.step, from_y, y.step, to),
        }
    }
    a.compare(&expected, &format!("{layout} {uplo} {n} {is_packed} {has_two}"));
}

/// Cases of each kind and type.
const CASES: usize = 150;

fn of_each_type(single: fn(&mut Random), double: fn(&mut Random), complex: [fn(&mut Random); 2]) {
    let mut random = Random(1);
    for _ in 0..CASES {
        for check in [single, double, complex[0], complex[1]] {
            check(&mut random);
        }
    }
}

macro_rules! tests {
    ($($name:ident: $check:ident;)+) => {$(
        #[test]
        fn $name() {
            use types::Complex;
            of_each_type($check::<f32>, $check::<f64>, [$check::<Complex<f32>>, $check::<Complex<f64>>]);
        }
    )+};
}
tests! {
    general_matrices_and_bands: general;
    symmetric_matrices_in_three_storages: symmetric;
    triangles_in_three_storages: triangular;
    outer_products: outer;
    updates_of_triangles: updated;
}
