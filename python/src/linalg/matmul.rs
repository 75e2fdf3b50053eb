//! Products of matrices and of stacks of them.

use hotloops::matmul::{Activation, Bias, Order, PackedB};
use numpy::{PyArrayDyn, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::matrix::{Axes, Items, Raw, Stack, broadcast, is_distinct, overlap};
use super::packed::{Packed, PyPackedB};
use super::scalar::{Factor, Scalar, stacks};
use crate::arguments::{choice, factor, name, unexpected};
use crate::arrays::{Numbers, contiguous, elements, is_writeable, of_type, uninitialised, wrong};
use crate::products::Terms;

/// The argument `b`.
enum Operand<'a, 'py, T: Scalar> {
    Array(&'a Bound<'py, PyArrayDyn<T>>),
    Packed(&'a PackedB<'static, T>, [usize; 2]),
}

/// The other arguments.
struct Call<'a, 'py> {
    alpha: f64,
    beta: f64,
    order: Order,
    bias: Option<&'a Bound<'py, PyAny>>,
    activation: Activation,
}

impl Call<'_, '_> {
    /// Refuses arguments that exclude each other.
    fn check<T: Scalar>(&self, has_out: bool) -> PyResult<()> {
        let has_epilogue = self.bias.is_some() || self.activation != Activation::Identity;
        let found = if self.bias.is_some() { "bias" } else { "activation" };
        if T::IS_COMPLEX && has_epilogue {
            return Err(wrong(found, "is for real matrices only"));
        }
        if T::IS_COMPLEX && self.alpha != 1.0 {
            return Err(wrong("alpha", "expected 1 for complex matrices; multiply the result"));
        }
        if T::IS_COMPLEX && self.beta != 0.0 {
            return Err(wrong("beta", "expected 0 for complex matrices; add to the result"));
        }
        if self.beta != 0.0 && has_epilogue {
            return Err(wrong(&format!("beta, {found}"), "beta is not 0, but bias and activation replace out"));
        }
        if self.beta != 0.0 && !has_out {
            return Err(wrong("beta", "is not 0, but there is no out"));
        }
        Ok(())
    }
}

/// The sizes of axes as numpy writes them.
fn tuple(sizes: &[usize]) -> String {
    sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

fn sizes_of<S: Copy>(leading: &[(usize, S)]) -> Vec<usize> {
    leading.iter().map(|axis| axis.0).collect()
}

/// The array `out`, if it fits.
fn checked_out<T: Scalar>(
    c: &Bound<'_, PyArrayDyn<T>>,
    expected: &[usize],
    inputs: &[(&str, &Bound<'_, PyArrayDyn<T>>)],
) -> PyResult<()> {
    if c.shape() != expected {
        let axes = tuple(expected);
        return Err(wrong("out", format_args!("expected shape ({axes}) from a and b, found {:?}", c.shape())));
    }
    if !is_writeable(c) {
        return Err(wrong("out", "is read-only"));
    }
    for (name, input) in inputs {
        if overlap(c, input)? {
            return Err(wrong("out", format_args!("overlaps {name}")));
        }
    }
    if is_distinct(c) { Ok(()) } else { Err(wrong("out", "its elements overlap")) }
}

/// The bias as an array, and whether it is one of the rows.
fn bias_of<'py, T: Scalar>(
    bias: &Bound<'py, PyAny>,
    [m, n]: [usize; 2],
    is_matrix: [bool; 2],
) -> PyResult<(Bound<'py, PyArrayDyn<T>>, bool)> {
    let bias = contiguous(&of_type::<T>("bias", bias)?)?;
    let per_row = match (bias.shape(), is_matrix) {
        (&[len], [_, true]) if len == n => false,
        (&[len], [_, false]) if len == m => true,
        (&[1, len], [true, true]) if len == n => false,
        (&[len, 1], [true, true]) if len == m => true,
        (found, is_matrix) => {
            let expected = match is_matrix {
                [true, true] => format!("({n},), one for each column, or ({m}, 1), one for each row"),
                [_, true] => format!("({n},)"),
                [_, false] => format!("({m},)"),
            };
            return Err(wrong("bias", format_args!("expected shape {expected}; found {found:?}")));
        }
    };
    Ok((bias, per_row))
}

/// The product of arrays.
fn multiply<'py, T: Scalar>(
    a: &Bound<'py, PyArrayDyn<T>>,
    b: Operand<'_, 'py, T>,
    out: Option<&Bound<'py, PyArrayDyn<T>>>,
    call: &Call<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    call.check::<T>(out.is_some())?;
    let py = a.py();
    let b_axes = match b {
        Operand::Array(b) => b.ndim(),
        Operand::Packed(..) => 2,
    };
    let is_matrix = [a.ndim() != 1, b_axes != 1];
    let (a, of_a) = Stack::input("a", a, Axes::Columns)?;
    let (b_array, factor, [depth, n], leading) = match b {
        Operand::Array(b) => {
            let (array, stack) = Stack::input("b", b, Axes::Rows)?;
            (Some(array), Factor::Matrix(stack.first), stack.first.shape, stack.leading)
        }
        Operand::Packed(b, shape) => (None, Factor::Packed(b), shape, Vec::new()),
    };
    let [m, k] = of_a.first.shape;
    if depth != k {
        let (rows, columns) =
            (["elements", "rows"][usize::from(is_matrix[1])], ["elements", "columns"][usize::from(is_matrix[0])]);
        return Err(wrong("b", format_args!("expected {k} {rows}, as many as a has {columns}; found {depth}")));
    }
    let Some(common) = broadcast(&of_a.leading, &leading) else {
        let [of_a, of_b] = [sizes_of(&of_a.leading), sizes_of(&leading)];
        return Err(wrong("a, b", format_args!("leading axes {of_a:?} and {of_b:?} cannot be broadcast together")));
    };
    // The axes of vectors disappear.
    let (own, axes) = match is_matrix {
        [true, true] => (&[m, n][..], Axes::Both),
        [true, false] => (&[m][..], Axes::Rows),
        [false, true] => (&[n][..], Axes::Columns),
        [false, false] => (&[][..], Axes::None),
    };
    let mut expected = sizes_of(&common);
    expected.extend_from_slice(own);
    let bias = call.bias.map(|bias| bias_of::<T>(bias, [m, n], is_matrix)).transpose()?;
    let c = match out {
        // SAFETY: the product writes all elements: `beta` is 0.
        None => unsafe { uninitialised::<T>(py, &expected)? },
        Some(c) => {
            let inputs =
                [Some(("a", &a)), b_array.as_ref().map(|b| ("b", b)), bias.as_ref().map(|(bias, _)| ("bias", bias))];
            checked_out(c, &expected, &inputs.into_iter().flatten().collect::<Vec<_>>())?;
            c.clone()
        }
    };
    let of_c = Stack::of(&c, axes).ok_or_else(|| wrong("out", "is not aligned"))?;
    let bias = match &bias {
        None => Bias::None,
        Some((bias, true)) => Bias::Rows(elements(bias)),
        Some((bias, false)) => Bias::Columns(elements(bias)),
    };
    let [alpha, beta] = [call.alpha, call.beta].map(T::from_f64);
    let terms = Terms { alpha, beta, bias, activation: call.activation, order: call.order };
    let (items, a_first, c_first) = items(&of_a, &common, &of_c, &terms);
    // SAFETY: the references keep the arrays alive. C is new, or its elements are distinct and not among those of the
    // others. Numpy's strides count from the first element.
    unsafe { stacks(py, &items, a_first, factor, c_first, &terms)? }
    // As in numpy, the product of two vectors is a scalar.
    if expected.is_empty() && out.is_none() { c.get_item(PyTuple::empty(py)) } else { Ok(c.into_any()) }
}

/// The products to compute, and the first A and C. The products of a stack and one matrix are a single product if the
/// rows of all matrices have one stride.
fn items<T: Scalar>(
    a: &Stack<T>,
    common: &[(usize, [isize; 2])],
    c: &Stack<T>,
    terms: &Terms<T>,
) -> (Items, Raw<T>, Raw<T>) {
    let is_one_b = !common.is_empty() && common.iter().all(|(_, [_, of_b])| *of_b == 0);
    if is_one_b
        && terms.order == Order::Strict
        && !matches!(terms.bias, Bias::Rows(_))
        && let (Some(a), Some(c)) = (a.merged(), c.merged())
        && a.shape[0] == c.shape[0]
    {
        return (Items(Vec::new()), a, c);
    }
    let axes = common.iter().zip(&c.leading);
    (Items(axes.map(|(&(size, [a, b]), &(_, c))| (size, [a, b, c])).collect()), a.first, c.first)
}

/// The product `alpha a b + beta out`, or `activation(bias + alpha a b)`.
///
/// `a` has shape (m, k), `b` (k, n), both of one type: float32, float64, complex64 or complex128 (lists become float64
/// or complex128), with any strides: slices and transposes are read where they lie. `b` may be a `PackedB`. `out` has
/// shape (m, n), is writable and shares no element with `a` and `b`; without it a new array is returned. As in numpy,
/// `a` of shape (k,) is a row and `b` of shape (k,) a column; the result lacks that axis, and of two vectors it is a
/// number. Arrays of more axes are stacks of matrices: the axes before the last two are broadcast, and each product has
/// the bits that it has alone.
///
/// With `order="strict"` each element is one chain of fused multiply-adds by ascending k, so the bits are the same on
/// every CPU, and for every way of splitting the product by rows and columns. "fast" may split k: the bits may then
/// depend on the shape and on the instruction set. Of complex numbers, the real part is the difference of two such
/// chains, sum a.re b.re - sum a.im b.im, the imaginary part the sum of two, sum a.re b.im + sum a.im b.re.
///
/// `alpha` and `beta` are any numbers; a `beta` other than 0 needs `out`. `bias` begins the chains, as `out` does
/// with a `beta` of 1: it has shape (n,), one number for each column, or (m, 1), one for each row. `activation` is
/// "identity" or "relu", which replaces negative numbers by 0. Complex matrices have none of these four.
/// Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
///
/// >>> import numpy as np
/// >>> from hotloops import linalg
/// >>> a = np.arange(6, dtype=np.float32).reshape(2, 3)
/// >>> linalg.matmul(a, a.T)
/// array([[ 5., 14.],
///        [14., 50.]], dtype=float32)
/// >>> linalg.matmul(a, a.T, bias=[-20, 0], activation="relu")
/// array([[ 0., 14.],
///        [ 0., 50.]], dtype=float32)
/// >>> linalg.matmul(np.ones((5, 1, 2, 3)), np.ones((4, 3, 2))).shape
/// (5, 4, 2, 2)
#[pyfunction]
#[pyo3(signature = (
    a, b, out = None, *, alpha = 1.0, beta = 0.0, order = "strict", bias = None, activation = "identity",
))]
#[allow(clippy::too_many_arguments, reason = "the options of a call by keyword")]
pub fn matmul<'py>(
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    out: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = factor::<name::Alpha>)] alpha: f64,
    #[pyo3(from_py_with = factor::<name::Beta>)] beta: f64,
    #[pyo3(from_py_with = choice::<name::Order>)] order: &'static str,
    bias: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = choice::<name::Activation>)] activation: &'static str,
) -> PyResult<Bound<'py, PyAny>> {
    let order = if order == "fast" { Order::Fast } else { Order::Strict };
    let activation = if activation == "relu" { Activation::Relu } else { Activation::Identity };
    let call = Call { alpha, beta, order, bias, activation };
    let out = out.map(|out| match out.cast::<PyUntypedArray>() {
        Ok(_) => Numbers::of("out", out),
        Err(_) => Err(unexpected("out", "an array", out)),
    });
    let a = Numbers::of("a", a)?;
    if let Ok(b) = b.cast::<PyPackedB>() {
        let (b, shape) = (&b.get().0, b.get().shape());
        let shape = [shape.0, shape.1];
        return match (&a, b, out.transpose()?) {
            (Numbers::Single(a), Packed::Single(b), None) => {
                multiply(a, Operand::Packed(&b.packed, shape), None, &call)
            }
            (Numbers::Single(a), Packed::Single(b), Some(Numbers::Single(c))) => {
                multiply(a, Operand::Packed(&b.packed, shape), Some(&c), &call)
            }
            (Numbers::Double(a), Packed::Double(b), None) => {
                multiply(a, Operand::Packed(&b.packed, shape), None, &call)
            }
            (Numbers::Double(a), Packed::Double(b), Some(Numbers::Double(c))) => {
                multiply(a, Operand::Packed(&b.packed, shape), Some(&c), &call)
            }
            _ => Err(PyTypeError::new_err("a, b, out: expected the type of the packed b")),
        };
    }
    macro_rules! of_one_type {
        ($($kind:ident)+) => {
            match (a, Numbers::of("b", b)?, out.transpose()?) {
                $(
                    (Numbers::$kind(a), Numbers::$kind(b), None) => multiply(&a, Operand::Array(&b), None, &call),
                    (Numbers::$kind(a), Numbers::$kind(b), Some(Numbers::$kind(c))) => {
                        multiply(&a, Operand::Array(&b), Some(&c), &call)
                    }
                )+
                _ => Err(PyTypeError::new_err(
                    "a, b, out: expected the same type, float32, float64, complex64 or complex128",
                )),
            }
        };
    }
    of_one_type! { Single Double ComplexSingle ComplexDouble }
}
