//! Products of complex matrices by real ones, with the bits of the BLAS library's `zgemm` and `cgemm`.
//!
//! ```text
//! re = sum a.re b.re - sum a.im b.im         im = sum a.re b.im + sum a.im b.re
//! ```
//!
//! Each sum is a chain of fused multiply-adds from +0 over ascending k; the difference and the sum are rounded.

use hotloops::Error;
use hotloops::matmul::{Element, MatMut, Options, Order, Strides, gemm_in};
use pyo3::prelude::*;

use super::matrix::Raw;
use crate::arrays::room;
use crate::products::{self, WHOLE};
use crate::raised;
use crate::threads::{run, steps};

/// Maximum elements of a chain's sums that are computed together, unless a row has more.
const BLOCK: usize = 1 << 20;

/// Real and imaginary parts.
type Planes<T> = [Raw<T>; 2];

/// The parts of A and of B whose products are the two chains of each part of C.
const CHAINS: [[[usize; 2]; 2]; 2] = [[[0, 0], [1, 1]], [[0, 1], [1, 0]]];

/// # Safety
/// The elements of A and B are readable; those of C are distinct, writable and not among them.
pub unsafe fn small<T: Element>(a: Planes<T>, b: Planes<T>, c: Planes<T>, order: Order) -> Result<(), Error> {
    let [m, n] = c[0].shape;
    if m == 0 || n == 0 {
        return Ok(());
    }
    let mut sums = room(2 * m * n, T::ZERO)?;
    let options = Options { order, ..Options::default() };
    for (part, chains) in CHAINS.iter().enumerate() {
        for (&[of_a, of_b], sums) in chains.iter().zip(sums.chunks_exact_mut(m * n)) {
            let sums = MatMut::row_major(sums, m, n, n)?;
            // SAFETY: the caller's contract.
            unsafe { gemm_in(T::ONE, a[of_a].to_read(), b[of_b].to_read(), T::ZERO, sums, &options, None)? }
        }
        // SAFETY: the caller's contract.
        unsafe { combine(part, &sums, c[part]) }
    }
    Ok(())
}

/// A product of any size, by rows, which Ctrl-C ends.
///
/// # Safety
/// As for [`small`].
pub unsafe fn product<T: Element>(
    py: Python<'_>,
    a: Planes<T>,
    b: Planes<T>,
    c: Planes<T>,
    order: Order,
) -> PyResult<()> {
    let ([m, n], k) = (c[0].shape, a[0].shape[1]);
    let work = [m, n, k.saturating_mul(4)].into_iter().fold(1, usize::saturating_mul);
    if work <= WHOLE && m * n <= BLOCK {
        // SAFETY: the caller's contract.
        return run(py, work, || unsafe { small(a, b, c, order) }).map_err(raised);
    }
    if n == 0 {
        return Ok(());
    }
    let rows = (BLOCK / n).clamp(1, m.max(1));
    let mut sums = room(rows * n * 2, T::ZERO).map_err(raised)?;
    for rows in steps(m, rows) {
        let sums = &mut sums[..2 * rows.len() * n];
        for (part, chains) in CHAINS.iter().enumerate() {
            for (&[of_a, of_b], sums) in chains.iter().zip(sums.chunks_exact_mut(rows.len() * n)) {
                let strides = Strides::row_major(n);
                let sums = Raw { at: sums.as_mut_ptr(), shape: [rows.len(), n], strides };
                // SAFETY: the caller's contract; the sums are borrowed exclusively.
                let (factors, sums) =
                    unsafe { ([a[of_a].rows(rows.clone()).to_read(), b[of_b].to_read()], sums.to_write()) };
                products::multiply(py, T::ONE, factors, T::ZERO, sums, order)?;
            }
            let (sums, c) = (&*sums, c[part].rows(rows.clone()));
            // SAFETY: the caller's contract.
            run(py, sums.len(), || unsafe { combine(part, sums, c) });
        }
        py.check_signals()?;
    }
    Ok(())
}

/// Writes the real (0) or the imaginary (1) part of C from the sums of its two chains.
///
/// # Safety
/// C is not empty, and its elements are writable.
unsafe fn combine<T: Element>(part: usize, sums: &[T], c: Raw<T>) {
    let [m, n] = c.shape;
    let (first, second) = sums.split_at(m * n);
    let rows = first.chunks_exact(n).zip(second.chunks_exact(n));
    for (i, (first, second)) in rows.enumerate() {
        for (j, (&x, &y)) in first.iter().zip(second).enumerate() {
            // SAFETY: the caller's contract.
            unsafe { *c.at(i, j) = if part == 0 { x - y } else { x + y } }
        }
    }
}
