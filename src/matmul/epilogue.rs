//! Products with a bias and an activation.

use super::element::Element;
use super::execute::{Ends, Prepacked, near};
use super::options::Options;
use super::packed::PackedB;
use super::plan::Plan;
use super::view::{MatMut, MatRef};
use super::workspace::{shape, with_workspace};
use crate::frame::error::{Error, exactly};

/// What a product begins and ends with, such as those of the layers of a network:
/// `C = activation(bias + alpha A B)`.
#[derive(Clone, Copy, Debug)]
pub struct Epilogue<'a, T> {
    /// The first term of each chain.
    pub bias: Bias<'a, T>,
    /// Applied to each element.
    pub activation: Activation,
}

/// Numbers that are added to a product.
#[derive(Clone, Copy, Debug)]
pub enum Bias<'a, T> {
    /// None: chains begin at +0.
    None,
    /// One for each row of C.
    Rows(&'a [T]),
    /// One for each column of C.
    Columns(&'a [T]),
}

/// A function of each element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Activation {
    /// Leaves an element as it is.
    Identity = 0,
    /// Replaces negative numbers by +0. -0 and NaN stay.
    Relu = 1,
}

impl<T: Element> Epilogue<'_, T> {
    fn ends(&self, [m, n, _]: [usize; 3]) -> Result<Ends<T>, Error> {
        let (bias, per_row) = match self.bias {
            Bias::None => (core::ptr::null(), false),
            Bias::Rows(bias) => {
                exactly("bias", m, bias.len())?;
                (bias.as_ptr(), true)
            }
            Bias::Columns(bias) => {
                exactly("bias", n, bias.len())?;
                (bias.as_ptr(), false)
            }
        };
        Ok(Ends { bias, per_row, relu: self.activation == Activation::Relu })
    }
}

/// `C = activation(bias + alpha A B)`. Without an activation, it has the bits of
/// [`gemm_in`](super::gemm_in) with a beta of 1 and a C that holds the bias. C is not read.
///
/// Blocks of C get the bias and the activation while they are in the caches, so both cost little.
///
/// ```
/// use hotloops::matmul::{Activation, Bias, Epilogue, MatMut, MatRef, Options, gemm_with_epilogue};
/// let a = MatRef::row_major(&[1.0f32, 2.0, 3.0, 4.0], 2, 2, 2)?;
/// let b = MatRef::row_major(&[1.0, -1.0, 1.0, -1.0], 2, 2, 2)?;
/// let epilogue = Epilogue { bias: Bias::Columns(&[0.5, 4.5]), activation: Activation::Relu };
/// let mut c = [0.0; 4];
/// let c_view = MatMut::row_major(&mut c, 2, 2, 2)?;
/// gemm_with_epilogue(1.0, a, b, &epilogue, c_view, &Options::default(), None)?;
/// assert_eq!(c, [3.5, 1.5, 7.5, 0.0]);
/// # Ok::<(), hotloops::Error>(())
/// ```
///
/// # Errors
/// As for [`gemm_in`](super::gemm_in), and [`Error::Length`] if the bias does not have one number
/// for each row, or column, of C.
pub fn gemm_with_epilogue<T: Element>(
    alpha: T,
    a: MatRef<T>,
    b: MatRef<T>,
    epilogue: &Epilogue<T>,
    c: MatMut<T>,
    options: &Options,
    workspace: Option<&mut [u8]>,
) -> Result<(), Error> {
    let shape = shape([(a.rows, a.columns), (b.rows, b.columns), (c.rows, c.columns)])?;
    let ends = epilogue.ends(shape)?;
    let plan = Plan::unchecked(shape, a.strides, b.strides, c.strides, options);
    // SAFETY: the matrices have the plan's shape, C is borrowed exclusively, the bias has its length,
    // and the workspace has the size that the plan needs.
    with_workspace(plan.workspace_bytes(), workspace, |workspace| unsafe {
        plan.execute_with_ends(alpha, a.at, b.at, None, ends, c.at, workspace)
    })
}

/// [`gemm_with_epilogue`] with a packed B, with the same bits.
///
/// # Errors
/// As for [`gemm_with_epilogue`].
pub fn gemm_packed_with_epilogue<T: Element>(
    alpha: T,
    a: MatRef<T>,
    b: &PackedB<T>,
    epilogue: &Epilogue<T>,
    c: MatMut<T>,
    options: &Options,
    workspace: Option<&mut [u8]>,
) -> Result<(), Error> {
    let shape = shape([(a.rows, a.columns), (b.k, b.n), (c.rows, c.columns)])?;
    let ends = epilogue.ends(shape)?;
    if alpha == T::ONE && b.is_near_to(&a, &c) {
        let block = [a.rows, b.columns()];
        // SAFETY: the matrices have the shape of the product, and the bias its length; C is borrowed exclusively.
        unsafe {
            ends.begin([0, 0], block, c.at, c.strides);
            near(a.rows, (a.at, a.strides.row), b, (c.at, c.strides.row), (!ends.bias.is_null()).into());
            ends.end(block, c.at, c.strides);
        }
        return Ok(());
    }
    let plan = Plan::<T>::prepacked(shape, a.strides, c.strides, [b.nr, b.kc], options);
    let packed = Prepacked { at: b.values.as_ptr(), n: b.n, first: 0 };
    // SAFETY: as for `gemm_with_epilogue`.
    with_workspace(plan.workspace_bytes(), workspace, |workspace| unsafe {
        plan.execute_with_ends(alpha, a.at, packed.at, Some(packed), ends, c.at, workspace)
    })
}
