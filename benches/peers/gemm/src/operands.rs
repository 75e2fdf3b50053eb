//! The operands of a product, of a type that all libraries support.

use std::ops::{Add, Mul};

use numkong::{Dot, ReduceMoments};

use crate::cells::Cell;
use crate::memory::Memory;

/// `f32` or `f64`, with each library's name for it.
pub trait Scalar:
    hotloops::matmul::Element
    + faer::traits::ComplexField
    + Dot<Output: Into<f64>>
    + ReduceMoments<SumOutput: Into<f64>>
    + Add<Output = Self>
    + Mul<Output = Self>
    + Default
    + From<f32>
    + Into<f64>
{
    const NAME: &str;
    const LETTER: char;
    const ROUNDING: f64;
    const MATRIXMULTIPLY: MatrixMultiply<Self>;
    const PLAN: fn(usize, usize, usize) -> nano_gemm::Plan<Self>;
    const PLAN_COLUMN_MAJOR: fn(usize, usize, usize) -> nano_gemm::Plan<Self>;
}

type MatrixMultiply<T> =
    unsafe fn(usize, usize, usize, T, *const T, isize, isize, *const T, isize, isize, T, *mut T, isize, isize);

macro_rules! scalars {
    ($($type:ident $letter:literal $gemm:ident $plan:ident $plan_column_major:ident)+) => {$(
        impl Scalar for $type {
            const NAME: &str = stringify!($type);
            const LETTER: char = $letter;
            const ROUNDING: f64 = $type::EPSILON as f64;
            const MATRIXMULTIPLY: MatrixMultiply<Self> = matrixmultiply::$gemm;
            const PLAN: fn(usize, usize, usize) -> nano_gemm::Plan<Self> = nano_gemm::Plan::$plan;
            const PLAN_COLUMN_MAJOR: fn(usize, usize, usize) -> nano_gemm::Plan<Self> =
                nano_gemm::Plan::$plan_column_major;
        }
    )+};
}
scalars! {
    f32 's' sgemm new_f32 new_colmajor_lhs_and_dst_f32
    f64 'd' dgemm new_f64 new_colmajor_lhs_and_dst_f64
}

/// The operands of a cell. Strides are in elements, of rows and of columns.
#[derive(Clone, Copy)]
pub struct Operands<T> {
    pub cell: Cell,
    pub a: *const T,
    pub b: *const T,
    pub c: *mut T,
}

impl<T: Scalar> Operands<T> {
    pub fn memory(cell: &Cell) -> Memory<T> {
        Memory::new(&[cell.a(), cell.b(), cell.c()].map(|(rows, _, stride)| rows * stride))
    }

    pub fn new(cell: &Cell, memory: &Memory<T>) -> Self {
        let b = if cell.symmetric { 0 } else { 1 };
        Operands { cell: *cell, a: memory.at(0), b: memory.at(b), c: memory.at(2) }
    }

    pub fn a_strides(&self) -> (isize, isize) {
        let (_, _, stride) = self.cell.a();
        if self.cell.a_transposed { (1, stride as isize) } else { (stride as isize, 1) }
    }

    pub fn b_strides(&self) -> (isize, isize) {
        let (_, _, stride) = self.cell.b();
        if self.cell.b_transposed { (1, stride as isize) } else { (stride as isize, 1) }
    }

    pub fn c_stride(&self) -> isize {
        self.cell.c().2 as isize
    }

    /// Whether about 64 elements of C are as accurate as expected of a sum in this type. Fills C
    /// with NaN.
    pub fn right(&self) -> bool {
        let Cell { m, n, k, .. } = self.cell;
        let ((a_row, a_column), (b_row, b_column)) = (self.a_strides(), self.b_strides());
        let step = (m * n / 64).max(1) | 1;
        let elements = (0..m * n).step_by(step).map(|at| ((at / n) as isize, (at % n) as isize));
        let right = elements.filter(|(i, j)| !self.cell.symmetric || i <= j).all(|(i, j)| {
            let (mut exact, mut magnitude) = (0.0, 0.0);
            for p in 0..k as isize {
                // SAFETY: elements of the operands.
                let (x, y): (f64, f64) = unsafe {
                    (
                        (*self.a.offset(i * a_row + p * a_column)).into(),
                        (*self.b.offset(p * b_row + j * b_column)).into(),
                    )
                };
                exact += x * y;
                magnitude += (x * y).abs();
            }
            // SAFETY: an element of C.
            let got: f64 = unsafe { *self.c.offset(i * self.c_stride() + j) }.into();
            // Roundings of squares have a bias, others nearly cancel.
            let steps = if self.cell.symmetric && i == j { k as f64 } else { (k as f64).sqrt().max(2.0) };
            (got - exact).abs() <= magnitude * T::ROUNDING * steps * 2.0
        });
        self.spoil();
        right
    }

    pub fn spoil(&self) {
        let (rows, _, stride) = self.cell.c();
        // SAFETY: the elements of C and between its rows.
        (0..rows * stride).for_each(|at| unsafe { *self.c.add(at) = T::from(f32::NAN) });
    }
}
