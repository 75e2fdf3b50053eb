//! Products of matrices in blocks, between which Ctrl-C ends a call.

use std::ops::Range;

use hotloops::Error;
use hotloops::matmul::{
    Activation, Bias, Element, Epilogue, MatMut, MatRef, Options, Order, PackedB, gemm_in, gemm_packed,
    gemm_packed_with_epilogue, gemm_with_epilogue,
};
use pyo3::prelude::*;

use crate::raised;
use crate::threads::{Signals, in_parts, run, steps};

/// Multiply-adds up to which a product is one block.
pub const WHOLE: usize = 1 << 28;

/// Columns of a block of C, and its depth: as large as the library's own blocks, or larger.
const COLUMNS: usize = 4096;
const DEPTH: usize = 512;

/// Depth of a block if C has few rows or columns. Rows of A, or columns of B, are then read once.
const LONG: usize = 1 << 20;

/// Rows or columns that count as few.
const FEW: usize = 64;

/// Rows and columns of a C whose elements are dot products in any order.
const FEW_DOTS: usize = 8;

/// Elements of a product with a vector that are computed together, in any order: the library has other kernels for less
/// than [`LONE`], and for up to [`FEW_DOTS`].
const TOGETHER: usize = 16;
const LONE: usize = 4;

/// Rows of a block of C are a multiple of this, except for the last.
const ROWS: usize = 48;

/// The right factor of a product.
pub enum Right<'a, T> {
    Matrix(MatRef<'a, T>),
    Packed(&'a PackedB<'a, T>),
}

impl<T> Clone for Right<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Right<'_, T> {}

impl<T: Element> Right<'_, T> {
    fn columns(&self) -> usize {
        match self {
            Right::Matrix(b) => b.columns(),
            Right::Packed(b) => b.columns(),
        }
    }
}

/// The terms of a product: `activation(bias + alpha A B)`, or `alpha A B + beta C` without bias and activation.
#[derive(Clone, Copy)]
pub struct Terms<'a, T> {
    pub alpha: T,
    pub beta: T,
    pub bias: Bias<'a, T>,
    pub activation: Activation,
    pub order: Order,
}

impl<T> Terms<'_, T> {
    pub fn has_epilogue(&self) -> bool {
        !matches!(self.bias, Bias::None) || self.activation != Activation::Identity
    }
}

/// A product in one call of the library.
#[inline]
pub fn small<T: Element>(a: MatRef<T>, b: Right<T>, c: MatMut<T>, terms: &Terms<T>) -> Result<(), Error> {
    let &Terms { alpha, beta, bias, activation, order } = terms;
    let options = Options { order, ..Options::default() };
    if !terms.has_epilogue() {
        return match b {
            Right::Matrix(b) => gemm_in(alpha, a, b, beta, c, &options, None),
            Right::Packed(b) => gemm_packed(alpha, a, b, beta, c, &options, None),
        };
    }
    let epilogue = Epilogue { bias, activation };
    match b {
        Right::Matrix(b) => gemm_with_epilogue(alpha, a, b, &epilogue, c, &options, None),
        Right::Packed(b) => gemm_packed_with_epilogue(alpha, a, b, &epilogue, c, &options, None),
    }
}

/// Like [`small`], by rows of C, between which Ctrl-C ends the call.
pub fn by_rows<T: Element>(
    py: Python<'_>,
    a: MatRef<T>,
    b: Right<T>,
    mut c: MatMut<T>,
    terms: &Terms<T>,
) -> PyResult<()> {
    let (m, row) = (a.rows(), a.columns().saturating_mul(b.columns()));
    let grain = (WHOLE / row.max(1)).clamp(1, ROWS);
    in_parts(py, (m, grain), row.saturating_mul(m), |rows| {
        let (_, below) = c.reborrow().split_rows(rows.start)?;
        let (c, _) = below.split_rows(rows.len())?;
        let bias = match terms.bias {
            Bias::Rows(bias) => Bias::Rows(&bias[rows.clone()]),
            bias => bias,
        };
        small(a.block(rows, 0..a.columns())?, b, c, &Terms { bias, ..*terms })
    })
}

/// `C = alpha A B + beta C`, with the bits of one call of [`gemm_in`].
pub fn multiply<T: Element>(
    py: Python<'_>,
    alpha: T,
    [a, b]: [MatRef<T>; 2],
    beta: T,
    mut c: MatMut<T>,
    order: Order,
) -> PyResult<()> {
    let [m, n, k] = [a.rows(), b.columns(), a.columns()];
    let work = m.saturating_mul(n).saturating_mul(k);
    let options = Options { order, ..Options::default() };
    if work <= WHOLE {
        return run(py, work, || gemm_in(alpha, a, b, beta, c, &options, None)).map_err(raised);
    }
    if order == Order::Fast && (m.min(n) == 1 || m.max(n) <= FEW_DOTS) {
        return dots(py, alpha, [a, b], beta, c, &options);
    }
    let is_narrow = m.min(n) < FEW;
    let depth = if is_narrow { LONG } else { DEPTH };
    py.detach(|| {
        let mut signals = Signals::new();
        for columns in steps(n, COLUMNS) {
            for depths in steps(k, depth) {
                let (a, b) = (block(a, 0..m, depths.clone())?, block(b, depths.clone(), columns.clone())?);
                let beta = if depths.start == 0 { beta } else { T::ONE };
                let work = m.saturating_mul(columns.len()).saturating_mul(depths.len());
                signals.in_parts((m, ROWS), work, |rows| {
                    let (_, below) = c.reborrow().split_rows(rows.start)?;
                    let (c, _) = below.split_rows(rows.len())?;
                    let (_, right) = c.split_columns(columns.start)?;
                    let (c, _) = right.split_columns(columns.len())?;
                    gemm_in(alpha, a.block(rows, 0..depths.len())?, b, beta, c, &Options::default(), None)
                })?;
            }
        }
        Ok(())
    })
}

/// The product in any order, where its elements may be dot products, whose sums other blocks do not continue.
fn dots<T: Element>(
    py: Python<'_>,
    alpha: T,
    [a, b]: [MatRef<T>; 2],
    beta: T,
    mut c: MatMut<T>,
    options: &Options,
) -> PyResult<()> {
    let [m, n, k] = [a.rows(), b.columns(), a.columns()];
    let len = m.max(n);
    let together = match (m.min(n), len) {
        (1, 0..LONE) => 1,
        (1, TOGETHER..) => TOGETHER,
        _ => len,
    };
    let groups = len / together;
    in_parts(py, (groups, 1), m.saturating_mul(n).saturating_mul(k), |part| {
        let end = if part.end == groups { len } else { part.end * together };
        let part = part.start * together..end;
        if n == 1 || m > 1 {
            let (_, below) = c.reborrow().split_rows(part.start.min(m))?;
            let rows = part.start..part.end.min(m);
            let (c, _) = below.split_rows(rows.len())?;
            return gemm_in(alpha, a.block(rows, 0..k)?, b, beta, c, options, None);
        }
        let (_, right) = c.reborrow().split_columns(part.start)?;
        let (c, _) = right.split_columns(part.len())?;
        gemm_in(alpha, a, b.block(0..k, part)?, beta, c, options, None)
    })
}

fn block<T: Element>(matrix: MatRef<T>, rows: Range<usize>, columns: Range<usize>) -> PyResult<MatRef<T>> {
    matrix.block(rows, columns).map_err(raised)
}
