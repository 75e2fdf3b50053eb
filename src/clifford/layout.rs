//! The layout blade by blade.

use super::combine::transpose;
use super::signature::Signature;
use crate::error::{Error, exactly};
use crate::matmul::Element;

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
