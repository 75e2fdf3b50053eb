//! Products of the caller's matrices.

use super::element::Element;
use super::execute::{self, Prepacked, near, unscaled};
use super::options::Options;
use super::packed::PackedB;
use super::plan::Plan;
use super::view::{MatMut, MatRef, Strides};
use super::workspace::{shape, with_workspace};
use crate::frame::error::Error;

/// `C = alpha A B + beta C`.
///
/// If `beta` is 0, C is not read. If `alpha` is 0, A and B are not read. Products that need more
/// than 64 KiB of workspace allocate it; [`gemm_in`] takes it from the caller.
///
/// ```
/// use hotloops::matmul::{MatMut, MatRef, gemm};
/// let a = MatRef::row_major(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], 2, 3, 3)?;
/// let mut c = [0.0; 4];
/// gemm(1.0, a, a.transposed(), 0.0, MatMut::row_major(&mut c, 2, 2, 2)?)?;
/// assert_eq!(c, [14.0, 32.0, 32.0, 77.0]);
/// # Ok::<(), hotloops::Error>(())
/// ```
///
/// # Errors
/// [`Error::Length`], which names the row or column count that does not match, or
/// [`Error::NoMemory`]. C is unchanged then.
#[inline]
pub fn gemm<T: Element>(alpha: T, a: MatRef<T>, b: MatRef<T>, beta: T, c: MatMut<T>) -> Result<(), Error> {
    gemm_in(alpha, a, b, beta, c, &Options::default(), None)
}

/// [`gemm`] with options. With a `workspace` of at least [`workspace_bytes`] it allocates nothing.
///
/// # Errors
/// As for [`gemm`], and [`Error::Length`] if the workspace is too short.
#[inline]
pub fn gemm_in<T: Element>(
    alpha: T,
    a: MatRef<T>,
    b: MatRef<T>,
    beta: T,
    c: MatMut<T>,
    options: &Options,
    workspace: Option<&mut [u8]>,
) -> Result<(), Error> {
    let shape = shape([(a.rows, a.columns), (b.rows, b.columns), (c.rows, c.columns)])?;
    // SAFETY: the shapes match, and C is borrowed exclusively.
    if unsafe { execute::at_once_in_any_order(alpha, [a, b], beta, &c, options) } {
        return Ok(());
    }
    let plan = Plan::unchecked(shape, a.strides, b.strides, c.strides, options);
    let needed = if workspace.is_some() { plan.workspace_bytes() } else { plan.bytes(alpha != T::ONE) };
    // SAFETY: the matrices have the plan's shape, C is borrowed exclusively, and the workspace has
    // the size that the plan needs.
    with_workspace(needed, workspace, |workspace| unsafe { plan.execute(alpha, a.at, b.at, beta, c.at, workspace) })
}

/// `C = A B`, or `C + A B` if `accumulate`, by one call of the kernel: for an A and a B that stay in the level 2
/// cache, whose rows, and those of C, are contiguous and do not evict each other.
///
/// # Errors
/// As for [`gemm`].
pub(crate) fn gemm_in_place<T: Element>(
    a: MatRef<T>,
    b: MatRef<T>,
    accumulate: bool,
    c: MatMut<T>,
) -> Result<(), Error> {
    let [m, n, k] = shape([(a.rows, a.columns), (b.rows, b.columns), (c.rows, c.columns)])?;
    assert!([b.strides.column, c.strides.column] == [1, 1], "rows in pieces");
    let (kernel, accumulate) = (T::BLOCK.function(), accumulate.into());
    let ([a_row, a_column], null) = ([a.strides.row, a.strides.column], core::ptr::null_mut());
    // SAFETY: the matrices have the shape of the product; C is borrowed exclusively.
    unsafe { kernel(m, n, k, a.at, a_row, a_column, b.at, b.strides.row, null, c.at, c.strides.row, accumulate) }
    Ok(())
}

/// Bytes of workspace that [`gemm_in`] needs for a product of this shape and layout, at most 4 MiB;
/// 0 for small products.
///
/// # Errors
/// As for [`Plan::new`].
pub fn workspace_bytes<T: Element>(
    shape: [usize; 3],
    a: Strides,
    b: Strides,
    c: Strides,
    options: &Options,
) -> Result<usize, Error> {
    Ok(Plan::<T>::new(shape, a, b, c, options)?.workspace_bytes())
}

/// `C = alpha A B + beta C` with a packed B. Gives the bits of [`gemm`].
///
/// # Errors
/// As for [`gemm_in`].
pub fn gemm_packed<T: Element>(
    alpha: T,
    a: MatRef<T>,
    b: &PackedB<T>,
    beta: T,
    c: MatMut<T>,
    options: &Options,
    workspace: Option<&mut [u8]>,
) -> Result<(), Error> {
    let shape = shape([(a.rows, a.columns), (b.k, b.n), (c.rows, c.columns)])?;
    if let Some(accumulate) = unscaled(alpha, beta)
        && b.is_near_to(&a, &c)
    {
        // SAFETY: the matrices have the shape of the product; C is borrowed exclusively.
        unsafe { near(a.rows, (a.at, a.strides.row), b, (c.at, c.strides.row), accumulate) }
        return Ok(());
    }
    let plan = Plan::<T>::prepacked(shape, a.strides, c.strides, [b.nr, b.kc], options);
    let packed = Prepacked { at: b.values.as_ptr(), n: b.n, first: 0 };
    // SAFETY: the matrices have the plan's shape, C is borrowed exclusively, and the workspace has
    // the size that the plan needs.
    with_workspace(plan.workspace_bytes(), workspace, |workspace| unsafe {
        plan.execute_packed(alpha, a.at, packed, beta, c.at, workspace)
    })
}
