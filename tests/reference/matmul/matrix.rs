//! Matrices of any layout, the definition as a loop, and a comparison with every entry point.

use hotloops::Caches;
use hotloops::matmul::{
    Element, MatMut, MatRef, Options, PackedB, Plan, Strides, gemm_in, gemm_packed, workspace_bytes,
};

use crate::harness::rng::Rng;

impl Rng {
    pub fn numbers<T: Element>(&mut self, n: usize) -> Vec<T> {
        (0..n).map(|_| T::from_f64((self.word() >> 11) as f64 * (-52f64).exp2() - 1.0)).collect()
    }
}

/// One step of a chain, by the standard library's fused multiply-add.
pub trait Step: Element {
    fn step(self, b: Self, c: Self) -> Self;
}

macro_rules! steps {
    ($($type:ident)+) => {$(
        impl Step for $type {
            fn step(self, b: Self, c: Self) -> Self {
                self.mul_add(b, c)
            }
        }
    )+};
}

steps! { f32 f64 }

/// A matrix with any layout that owns its memory.
#[derive(Clone)]
pub struct Matrix<T> {
    pub values: Vec<T>,
    rows: usize,
    columns: usize,
    strides: Strides,
}

impl<T: Element> Matrix<T> {
    pub fn new(rng: &mut Rng, rows: usize, columns: usize, strides: Strides) -> Self {
        let reach = |n: usize, stride: isize| n.saturating_sub(1) * stride.unsigned_abs();
        let length = reach(rows, strides.row) + reach(columns, strides.column) + 1;
        Matrix { values: rng.numbers(length), rows, columns, strides }
    }

    pub fn place(&self, i: usize, j: usize) -> usize {
        let before =
            |n: usize, stride: isize, i: usize| (if stride < 0 { n - 1 - i } else { i }) * stride.unsigned_abs();
        before(self.rows, self.strides.row, i) + before(self.columns, self.strides.column, j)
    }

    pub fn at(&self, i: usize, j: usize) -> T {
        self.values[self.place(i, j)]
    }

    pub fn view(&self) -> MatRef<'_, T> {
        MatRef::strided(&self.values, self.rows, self.columns, self.strides).unwrap()
    }

    pub fn view_mut(&mut self) -> MatMut<'_, T> {
        MatMut::strided(&mut self.values, self.rows, self.columns, self.strides).unwrap()
    }

    pub fn bits(&self) -> Vec<u64> {
        let bits = |x: &T| if x.to_f64().is_nan() { u64::MAX } else { x.to_f64().to_bits() };
        self.values.iter().map(bits).collect()
    }
}

/// The module's documented definition as a loop.
fn expected<T: Step>(alpha: T, a: &Matrix<T>, b: &Matrix<T>, beta: T, c: &mut Matrix<T>) {
    for i in 0..c.rows {
        for j in 0..c.columns {
            let place = c.place(i, j);
            let mut element = match () {
                _ if beta == T::ZERO => T::ZERO,
                _ if beta == T::ONE => c.values[place],
                _ => beta * c.values[place],
            };
            if alpha != T::ZERO {
                for p in 0..a.columns {
                    element = (alpha * a.at(i, p)).step(b.at(p, j), element);
                }
            }
            c.values[place] = element;
        }
    }
}

/// Row-major, column-major, both reversed, or no stride equal to 1.
pub fn layout(rng: &mut Rng, rows: usize, columns: usize) -> Strides {
    let pad = [0, 0, 1, 5, 16][rng.index(5)];
    let (wide, tall) = ((columns + pad) as isize, (rows + pad) as isize);
    match rng.index(7) {
        0..=2 => Strides { row: wide, column: 1 },
        3 | 4 => Strides { row: 1, column: tall },
        5 => Strides { row: -2 * wide, column: 2 },
        _ => Strides { row: 3, column: -3 * tall },
    }
}

pub fn check<T: Step>(
    rng: &mut Rng,
    [m, n, k]: [usize; 3],
    [a, b, c]: [Strides; 3],
    [alpha, beta]: [T; 2],
    caches: Option<Caches>,
) {
    let operands = [Matrix::new(rng, m, k, a), Matrix::new(rng, k, n, b), Matrix::new(rng, m, n, c)];
    check_operands(rng, operands, [alpha, beta], caches);
}

pub fn check_operands<T: Step>(
    rng: &mut Rng,
    [a, b, before]: [Matrix<T>; 3],
    [alpha, beta]: [T; 2],
    caches: Option<Caches>,
) {
    let ([m, n, k], c) = ([a.rows, b.columns, a.columns], before.strides);
    let mut truth = before.clone();
    expected(alpha, &a, &b, beta, &mut truth);
    let what = format!("{m} x {n} x {k}, {:?} {:?} {:?}, {alpha:?}, {beta:?}, {caches:?}", a.strides, b.strides, c);
    let options = Options { caches, ..Options::default() };

    let mut found = before.clone();
    gemm_in(alpha, a.view(), b.view(), beta, found.view_mut(), &options, None).unwrap();
    assert!(found.bits() == truth.bits(), "{what}");

    let needed = workspace_bytes::<T>([m, n, k], a.strides, b.strides, c, &options).unwrap();
    assert!(needed <= 4 << 20, "{needed} bytes for {what}");
    let mut workspace = vec![0xff; needed];
    let mut found = before.clone();
    gemm_in(alpha, a.view(), b.view(), beta, found.view_mut(), &options, Some(&mut workspace)).unwrap();
    assert!(found.bits() == truth.bits(), "with a workspace, {what}");

    let plan = Plan::<T>::new([m, n, k], a.strides, b.strides, c, &options).unwrap();
    let mut found = before.clone();
    plan.run(alpha, &a.values, &b.values, beta, &mut found.values, &mut workspace).unwrap();
    assert!(found.bits() == truth.bits(), "by a plan, {what}");

    let mut memory = rng.numbers(PackedB::<T>::len(k, n).unwrap());
    let packed = PackedB::new(b.view(), &mut memory, &options).unwrap();
    let mut found = before;
    gemm_packed(alpha, a.view(), &packed, beta, found.view_mut(), &options, None).unwrap();
    assert!(found.bits() == truth.bits(), "with B packed, {what}");
}
