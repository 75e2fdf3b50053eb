//! Layouts of batches: by blade or by multivector, in blocks of rows, forward or backward.

use super::combine::transpose;
use super::signature::Signature;
use crate::frame::error::{Error, exactly};
use crate::matmul::{Element, Options, Strides, workspace_bytes};

/// The pass that weights are packed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Forward,
    Backward,
}

impl Direction {
    /// `[input, output]`, exchanged for the backward pass.
    pub fn of<P>(self, [input, output]: [P; 2]) -> [P; 2] {
        if self == Direction::Forward { [input, output] } else { [output, input] }
    }
}

/// Maximum elements of a block's input and output together, so that both stay in the level 2 cache.
pub(super) const BLOCK: usize = 1 << 16;

/// Minimum number of batch rows of a block, if the batch has as many.
const MIN_ROWS: usize = 4;

/// Numbers by blade: `y` has shape (blades, n) for n multivectors `x`, of shape (n, blades). Some
/// programs keep multivectors so; layers take them after [`blades_last`].
///
/// ```
/// use hotloops::clifford::{Signature, blades_first, blades_last};
/// let complex = Signature::new(&[-1])?;
/// let (mut y, mut x) = ([0.0f32; 6], [0.0; 6]);
/// blades_first(complex, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &mut y)?;
/// assert_eq!(y, [1.0, 3.0, 5.0, 2.0, 4.0, 6.0]);
/// blades_last(complex, &y, &mut x)?;
/// assert_eq!(x, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
/// # Ok::<(), hotloops::Error>(())
/// ```
///
/// # Errors
/// [`Error::Length`] if `x` is not a whole number of multivectors or `y` has another length.
pub fn blades_first<T: Element>(signature: Signature, x: &[T], y: &mut [T]) -> Result<(), Error> {
    let n = check(signature, x, y)?;
    transpose(n, signature.blades(), x, y);
    Ok(())
}

/// Numbers by multivector, the inverse of [`blades_first`].
///
/// # Errors
/// As for [`blades_first`].
pub fn blades_last<T: Element>(signature: Signature, x: &[T], y: &mut [T]) -> Result<(), Error> {
    let n = check(signature, x, y)?;
    transpose(signature.blades(), n, x, y);
    Ok(())
}

/// The number of multivectors.
fn check<T>(signature: Signature, x: &[T], y: &[T]) -> Result<usize, Error> {
    let blades = signature.blades();
    exactly("x", x.len() / blades * blades, x.len())?;
    exactly("y", x.len(), y.len())?;
    Ok(x.len() / blades)
}

/// The length of an array of `batch` rows of multivectors, in elements, for each number of channels.
pub(super) fn batch_lengths<const N: usize>(
    batch: usize,
    blades: usize,
    channels: [usize; N],
) -> Result<[usize; N], Error> {
    let mut lengths = [0; N];
    for (length, channels) in lengths.iter_mut().zip(channels) {
        let numbers = channels.checked_mul(blades).and_then(|row| row.checked_mul(batch));
        let numbers = numbers.filter(|&numbers| numbers <= isize::MAX as usize / 16);
        *length = numbers.ok_or(Error::TooLarge { argument: "batch" })?;
    }
    Ok(lengths)
}

/// Batch rows of a block.
pub(super) fn block_rows(batch: usize, blades: usize, channels: usize) -> usize {
    (BLOCK / channels.saturating_mul(blades)).max(MIN_ROWS).min(batch)
}

/// Elements of workspace for X^T Y, an m x n matrix of sums over `k`.
pub(super) fn gradient_workspace<T: Element>([m, n, k]: [usize; 3]) -> Result<usize, Error> {
    let [a, b] = [Strides::column_major(m), Strides::row_major(n)];
    Ok(workspace_bytes::<T>([m, n, k], a, b, b, &Options::default())?.div_ceil(size_of::<T>()))
}
