//! Products of matrices in blocks, between which Ctrl-C ends a call.

use std::ops::Range;

use hotloops::matmul::{Element, MatMut, MatRef, Options, Order, gemm_in};
use pyo3::prelude::*;

use crate::raised;
use crate::threads::{Signals, in_parts, run, steps};

/// Multiply-adds up to which a product is one block.
const WHOLE: usize = 1 << 28;

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
