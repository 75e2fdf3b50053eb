//! Routines of level 3 have the bits of their definitions: a plain loop for each element. What they must not read
//! is NaN, and what they must not write stays.
#![cfg(all(target_os = "linux", feature = "libc"))]

use std::ffi::c_int;

use crate::blas_numbers::{C, Element, Random};

pub const ROW: c_int = 101;
pub const COLUMN: c_int = 102;
pub const NO: c_int = 111;
pub const TRANS: c_int = 112;
pub const CONJ: c_int = 113;
pub const UPPER: c_int = 121;
pub const LOWER: c_int = 122;
pub const NON_UNIT: c_int = 131;
pub const UNIT: c_int = 132;
pub const LEFT: c_int = 141;
pub const RIGHT: c_int = 142;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Op {
    Gemm,
    Gemmt,
    Symm,
    Hemm,
    Syrk,
    Herk,
    Syr2k,
    Her2k,
    Trmm,
    Trsm,
}
use Op::*;

/// The arguments of any routine; those that it does not have are ignored.
#[derive(Clone, Copy, Debug)]
pub struct Case<T> {
    pub op: Op,
    pub layout: c_int,
    pub side: c_int,
    pub uplo: c_int,
    pub trans: [c_int; 2],
    pub diag: c_int,
    pub m: usize,
    pub n: usize,
    pub k: usize,
    pub alpha: T,
    pub beta: T,
    pub strides: [usize; 3],
}

/// Unknowns of a complex system between two products.
const BLOCK: usize = 64;

impl<T: Element> Case<T> {
    fn at(&self, matrix: usize, i: usize, j: usize) -> usize {
        let stride = self.strides[matrix];
        if self.layout == ROW { i * stride + j } else { i + j * stride }
    }

    fn order(&self) -> usize {
        if self.side == LEFT { self.m } else { self.n }
    }

    /// The sizes of A, B and C in memory.
    fn sizes(&self) -> [(usize, usize); 3] {
        let &Case { m, n, k, trans, .. } = self;
        let turned =
            |trans: c_int, rows: usize, columns: usize| if trans == NO { (rows, columns) } else { (columns, rows) };
        let order = self.order();
        match self.op {
            Gemm => [turned(trans[0], m, k), turned(trans[1], k, n), (m, n)],
            Gemmt => [turned(trans[0], n, k), turned(trans[1], k, n), (n, n)],
            Symm | Hemm => [(order, order), (m, n), (m, n)],
            Syrk | Herk | Syr2k | Her2k => [turned(trans[0], n, k), turned(trans[0], n, k), (n, n)],
            Trmm | Trsm => [(order, order), (0, 0), (m, n)],
        }
    }

    /// Whether A is read at (i, j) of its memory.
    fn reads(&self, i: usize, j: usize) -> bool {
        let in_triangle = if self.uplo == LOWER { i >= j } else { i <= j };
        match self.op {
            Symm | Hemm => in_triangle,
            Trmm | Trsm => in_triangle && (i != j || self.diag == NON_UNIT),
            _ => true,
        }
    }

    /// Whether C is written at (i, j).
    fn writes(&self, i: usize, j: usize) -> bool {
        match self.op {
            Gemmt | Syrk | Herk | Syr2k | Her2k => {
                if self.uplo == LOWER {
                    i >= j
                } else {
                    i <= j
                }
            }
            _ => true,
        }
    }

    /// op(X) at (i, j) for a transposition.
    fn get(&self, x: &[T], matrix: usize, trans: c_int, i: usize, j: usize) -> T {
        match trans {
            NO => x[self.at(matrix, i, j)],
            TRANS => x[self.at(matrix, j, i)],
            _ => x[self.at(matrix, j, i)].conj(),
        }
    }

    /// Element (i, j) of the whole symmetric or Hermitian matrix.
    fn mirrored(&self, a: &[T], i: usize, j: usize) -> T {
        let is_stored = if self.uplo == LOWER { i >= j } else { i <= j };
        let element = if is_stored { a[self.at(0, i, j)] } else { a[self.at(0, j, i)] };
        match self.op {
            Hemm if i == j => element.real_part(),
            Hemm if !is_stored => element.conj(),
            _ => element,
        }
    }

    /// Whether op(A) is lower triangular.
    fn is_lower(&self) -> bool {
        (self.uplo == LOWER) == (self.trans[0] == NO)
    }

    /// Element (i, j) of C.
    fn expected(&self, a: &[T], b: &[T], c: &[T], i: usize, j: usize) -> T {
        let &Case { k, alpha, beta, trans, .. } = self;
        let old = c[self.at(2, i, j)];
        let conj = |trans: c_int, conj: c_int| if trans == NO { conj } else { NO };
        let outer = |alpha: T, x: (&[T], usize), y: (&[T], usize), conjugated: c_int, beta: T, old: T| {
            let terms = (0..k).map(|p| {
                let y = self.get(y.0, y.1, conj(trans[0], TRANS), p, j);
                let y = if conjugated == CONJ { y.conj() } else { y };
                let x = self.get(x.0, x.1, if trans[0] == NO { NO } else { TRANS }, i, p);
                if conjugated == CONJ && trans[0] != NO { (x.conj(), y.conj(), false) } else { (x, y, false) }
            });
            T::chain(alpha, terms, true, beta, old)
        };
        let (a, b) = ((a, 0), (b, 1));
        match self.op {
            Gemm | Gemmt => {
                let terms = (0..k).map(|p| (self.get(a.0, 0, trans[0], i, p), self.get(b.0, 1, trans[1], p, j), false));
                T::chain(alpha, terms, true, beta, old)
            }
            Symm | Hemm if self.side == LEFT => {
                let terms = (0..self.m).map(|p| (self.mirrored(a.0, i, p), b.0[self.at(1, p, j)], false));
                T::chain(alpha, terms, true, beta, old)
            }
            Symm | Hemm => {
                let terms = (0..self.n).map(|p| (b.0[self.at(1, i, p)], self.mirrored(a.0, p, j), false));
                T::chain(alpha, terms, true, beta, old)
            }
            Syrk => outer(alpha, a, a, TRANS, beta, old),
            Syr2k => outer(alpha, b, a, TRANS, T::ONE, outer(alpha, a, b, TRANS, beta, old)),
            Herk | Her2k => {
                let is_unchanged = beta == T::ONE && (alpha == T::ZERO || k == 0);
                if is_unchanged {
                    return old;
                }
                let old = if i == j { old.real_part() } else { old };
                let c = match self.op {
                    Herk => outer(alpha, a, a, CONJ, beta, old),
                    _ => outer(alpha.conj(), b, a, CONJ, T::ONE, outer(alpha, a, b, CONJ, beta, old)),
                };
                if i == j { c.real_part() } else { c }
            }
            Trmm => {
                let left = self.side == LEFT;
                let at = if left { i } else { j };
                let range = if self.is_lower() == left { 0..at + 1 } else { at..self.order() };
                let terms = range.map(|p| {
                    let unit = p == at && self.diag == UNIT;
                    let (row, column) = if left { (i, p) } else { (p, j) };
                    let x = if unit { T::ONE } else { self.get(a.0, 0, trans[0], row, column) };
                    (x, c[if left { self.at(2, p, j) } else { self.at(2, i, p) }], unit)
                });
                if alpha == T::ZERO { T::ZERO } else { T::chain(alpha, terms, left, T::ZERO, old) }
            }
            Trsm => unreachable!(),
        }
    }

    /// Solves for one column, or for one row if the matrix is on the right.
    fn solve(&self, a: &[T], c: &mut [T], line: usize) {
        let (order, left) = (self.order(), self.side == LEFT);
        let at = |i: usize| if left { self.at(2, i, line) } else { self.at(2, line, i) };
        let element = |i: usize, p: usize| match left {
            true => self.get(a, 0, self.trans[0], i, p),
            false => self.get(a, 0, self.trans[0], p, i),
        };
        let ascends = self.is_lower() == left;
        let unknowns: Vec<usize> = if ascends { (0..order).collect() } else { (0..order).rev().collect() };
        let mut x: Vec<T> = unknowns.iter().map(|&i| self.alpha.times(c[at(i)])).collect();
        if self.alpha == T::ONE {
            x = unknowns.iter().map(|&i| c[at(i)]).collect();
        }
        if self.alpha == T::ZERO {
            unknowns.iter().for_each(|&i| c[at(i)] = T::ZERO);
            return;
        }
        for q in 0..order {
            let first = if T::IS_COMPLEX { q / BLOCK * BLOCK } else { 0 };
            for block in (0..first).step_by(BLOCK) {
                let terms = (block..block + BLOCK).map(|p| (element(unknowns[q], unknowns[p]), x[p], false));
                x[q] = T::chain(T::ONE.negated(), terms, true, T::ONE, x[q]);
            }
            for p in first..q {
                x[q] = x[q].minus(element(unknowns[q], unknowns[p]), x[p]);
            }
            if self.diag == NON_UNIT {
                x[q] = x[q].over(element(unknowns[q], unknowns[q]));
            }
        }
        for (q, &i) in unknowns.iter().enumerate() {
            c[at(i)] = x[q];
        }
    }

    /// The three matrices in memory, with NaN where nothing is read.
    fn operands(&self, random: &mut Random) -> [Vec<T>; 3] {
        let mut matrices = [0, 1, 2].map(|matrix| {
            let (rows, columns) = self.sizes()[matrix];
            let lines = if self.layout == ROW { rows } else { columns };
            let mut values = vec![T::NAN; lines * self.strides[matrix]];
            for (i, j) in (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))) {
                let used = match matrix {
                    0 => self.reads(i, j),
                    1 => true,
                    _ => self.writes(i, j) && (self.beta != T::ZERO || matches!(self.op, Trmm | Trsm)),
                };
                if used {
                    values[self.at(matrix, i, j)] = T::random(random);
                }
                // Systems whose solutions do not grow.
                if matrix == 0 && self.op == Trsm && used {
                    let element = &mut values[self.at(0, i, j)];
                    let scale = T::from_f64(if i == j { 2.0 } else { 1.0 / rows as f64 });
                    *element = element.times(scale);
                }
            }
            values
        });
        let (order, diagonal) = (self.sizes()[0].0, self.op == Hemm);
        for i in 0..if diagonal { order } else { 0 } {
            let at = self.at(0, i, i);
            matrices[0][at] = matrices[0][at].with_nan_part();
        }
        for i in 0..if matches!(self.op, Herk | Her2k) && self.beta != T::ZERO { self.n } else { 0 } {
            let at = self.at(2, i, i);
            matrices[2][at] = matrices[2][at].with_nan_part();
        }
        matrices
    }

    fn check(&self, random: &mut Random) {
        let [a, b, mut c] = self.operands(random);
        let mut expected = c.clone();
        let (rows, columns) = self.sizes()[2];
        if self.op == Trsm {
            (0..if self.side == LEFT { columns } else { rows }).for_each(|line| self.solve(&a, &mut expected, line));
        } else {
            for (i, j) in (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))).filter(|&(i, j)| self.writes(i, j))
            {
                expected[self.at(2, i, j)] = self.expected(&a, &b, &c, i, j);
            }
        }
        // SAFETY: the operands have the sizes and strides of the case.
        unsafe { T::call(self, &a, &b, &mut c) }
        for (at, (found, expected)) in c.iter().zip(&expected).enumerate() {
            assert!(found.bits() == expected.bits(), "{self:?}: {found:?} at {at}, not {expected:?}");
        }
    }
}

fn random_case<T: Element>(op: Op, limits: [usize; 3], random: &mut Random) -> Case<T> {
    let [m, n, k] = limits.map(|limit| random.below(limit + 1));
    let transposed = match op {
        Herk | Her2k => CONJ,
        Syrk | Syr2k if T::IS_COMPLEX => TRANS,
        _ => [TRANS, CONJ][random.below(2)],
    };
    let factor = |random: &mut Random| [T::ZERO, T::ONE, T::ONE.negated(), T::random(random)][random.below(4)];
    let mut case = Case {
        op,
        layout: [ROW, COLUMN][random.below(2)],
        side: [LEFT, RIGHT][random.below(2)],
        uplo: [UPPER, LOWER][random.below(2)],
        trans: [[NO, transposed][random.below(2)], [NO, TRANS, CONJ][random.below(3)]],
        diag: [NON_UNIT, UNIT][random.below(2)],
        m,
        n,
        k,
        alpha: factor(random),
        beta: factor(random),
        strides: [0; 3],
    };
    if op == Herk {
        case.alpha = case.alpha.real_part();
    }
    if matches!(op, Herk | Her2k) {
        case.beta = case.beta.real_part();
    }
    for (matrix, (rows, columns)) in case.sizes().into_iter().enumerate() {
        let line = if case.layout == ROW { columns } else { rows };
        case.strides[matrix] = line.max(1) + random.below(4);
    }
    case
}

fn all_have_the_bits_of_the_definition<T: Element>() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for op in [Gemm, Gemmt, Symm, Hemm, Syrk, Herk, Syr2k, Her2k, Trmm, Trsm] {
        if matches!(op, Hemm | Herk | Her2k) && !T::IS_COMPLEX {
            continue;
        }
        let limits =
            [([9, 9, 9], 60), ([40, 40, 40], 12), ([110, 110, 110], 2), ([300, 20, 70], 1), ([20, 300, 70], 1)];
        for (limits, count) in limits {
            for _ in 0..count {
                random_case::<T>(op, limits, &mut random).check(&mut random);
            }
        }
    }
}

#[test]
fn level_3_has_the_bits_of_its_definition() {
    all_have_the_bits_of_the_definition::<f32>();
    all_have_the_bits_of_the_definition::<f64>();
    all_have_the_bits_of_the_definition::<C<f32>>();
    all_have_the_bits_of_the_definition::<C<f64>>();
}

fn case<T: Element>(op: Op, m: usize, n: usize, k: usize) -> Case<T> {
    Case {
        op,
        layout: COLUMN,
        side: LEFT,
        uplo: LOWER,
        trans: [NO, NO],
        diag: UNIT,
        m,
        n,
        k,
        alpha: T::ONE,
        beta: T::ZERO,
        strides: [0; 3],
    }
}

fn products_are_symmetric<T: Element>() {
    let mut random = Random(7);
    for (m, n, k) in [(5, 6, 7), (70, 41, 130), (100, 101, 300)] {
        let [a, b] = [m * k, k * n].map(|len| (0..len).map(|_| T::random(&mut random)).collect::<Vec<_>>());
        // SAFETY: operands of these sizes.
        unsafe {
            let mut c = vec![T::NAN; m * m];
            T::call(&Case { trans: [NO, CONJ], strides: [m, m, m], ..case(Gemm, m, m, k) }, &a, &a, &mut c);
            let is_mirror = |i: usize, j: usize| c[i + j * m].bits() == c[j + i * m].conj().bits();
            assert!((0..m).all(|i| (0..i).all(|j| is_mirror(i, j))), "A A^H, {m} x {k}");
            let (mut c, mut turned) = (vec![T::NAN; m * n], vec![T::NAN; m * n]);
            T::call(&Case { strides: [m, k, m], ..case(Gemm, m, n, k) }, &a, &b, &mut c);
            T::call(&Case { trans: [TRANS; 2], strides: [k, m, n], ..case(Gemm, n, m, k) }, &b, &a, &mut turned);
            let is_equal = |i: usize, j: usize| c[i + j * m].bits() == turned[j + i * n].bits();
            assert!((0..m).all(|i| (0..n).all(|j| is_equal(i, j))), "(A B)^T, {m} x {n} x {k}");
        }
    }
}

#[test]
fn products_and_their_transposes_have_equal_bits() {
    products_are_symmetric::<f32>();
    products_are_symmetric::<f64>();
    products_are_symmetric::<C<f32>>();
    products_are_symmetric::<C<f64>>();
}

/// Factors A = L U without pivots by panels of `step` columns.
fn factor(a: &mut [f64], n: usize, step: usize) {
    for first in (0..n).step_by(step) {
        let end = n.min(first + step);
        for j in first..end {
            for i in j + 1..n {
                a[i + j * n] /= a[j + j * n];
            }
            for (q, i) in (j + 1..end).flat_map(|q| (j + 1..n).map(move |i| (q, i))) {
                a[i + q * n] = (-a[i + j * n]).mul_add(a[j + q * n], a[i + q * n]);
            }
        }
        let old = a.to_vec();
        let (solve, update) = (case(Trsm, end - first, n - end, 0), case(Gemm, n - end, n - end, end - first));
        // SAFETY: blocks of the matrix.
        unsafe {
            f64::call(
                &Case { strides: [n; 3], ..solve },
                &old[first + first * n..],
                &[],
                &mut a[first + end.min(n - 1) * n..],
            );
            let solved = a.to_vec();
            let update = Case { alpha: -1.0, beta: 1.0, strides: [n; 3], ..update };
            let (l, u) = (&solved[end.min(n - 1) + first * n..], &solved[first + end.min(n - 1) * n..]);
            f64::call(&update, l, u, &mut a[end.min(n - 1) * (n + 1)..]);
        }
    }
}

#[test]
fn real_factors_do_not_depend_on_the_width_of_panels() {
    let (n, mut random) = (150, Random(3));
    let mut a: Vec<f64> = (0..n * n).map(|_| f64::random(&mut random)).collect();
    (0..n).for_each(|i| a[i + i * n] += 10.0);
    let factors = [1, 7, 32, 64, 150].map(|step| {
        let mut factors = a.clone();
        factor(&mut factors, n, step);
        factors.into_iter().map(f64::to_bits).collect::<Vec<_>>()
    });
    assert!(factors.iter().all(|other| *other == factors[0]));
}
