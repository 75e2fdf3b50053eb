//! Arguments and results that are arrays.

use std::ffi::c_int;

use hotloops::Error;
use numpy::npyffi::{NPY_ARRAY_WRITEABLE, NPY_TYPES, PY_ARRAY_API, npy_intp};
use numpy::{
    Complex32, Complex64, Element, PyArray1, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyUntypedArray,
    PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyOverflowError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{IntoPyDict, PyFloat, PyInt, PyList, PySlice, PyTuple};

use crate::raised;

/// numpy's function of this name.
pub fn numpy<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    MODULE.get_or_try_init(py, || py.import("numpy").map(Bound::unbind))?.bind(py).getattr(name)
}

/// `name: why`, as a ValueError.
pub fn wrong(name: &str, why: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(format!("{name}: {why}"))
}

/// Whether an object complained about a value. Other exceptions are those of a signal, or of missing memory, and stay
/// what they are.
pub fn is_complaint(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<PyTypeError>(py)
        || error.is_instance_of::<PyValueError>(py)
        || error.is_instance_of::<PyOverflowError>(py)
        || error.get_type(py).is(py.get_type::<PyRuntimeError>())
}

/// What numpy or a method of the argument's object raised, with the argument's name.
pub fn complained(py: Python<'_>, name: &str, error: PyErr) -> PyErr {
    if is_complaint(py, &error) { wrong(name, error.value(py)) } else { error }
}

/// An array argument of f32 or f64.
pub enum Floats<'py> {
    Single(Bound<'py, PyArrayDyn<f32>>),
    Double(Bound<'py, PyArrayDyn<f64>>),
}

impl<'py> Floats<'py> {
    /// Sequences of numbers become arrays of float64.
    #[inline]
    pub fn of(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Self> {
        const SINGLE: i32 = NPY_TYPES::NPY_FLOAT as i32;
        const DOUBLE: i32 = NPY_TYPES::NPY_DOUBLE as i32;
        let Ok(array) = value.cast::<PyUntypedArray>() else { return Ok(Floats::Double(converted(name, value)?)) };
        refuse_masked(name, value)?;
        let dtype = array.dtype();
        // A cast that checks costs a call of numpy for each type.
        match (dtype.num(), dtype.is_native_byteorder()) {
            // SAFETY: the elements are native floats of this type.
            (SINGLE, Some(true)) => Ok(Floats::Single(unsafe { array.cast_unchecked() }.clone())),
            // SAFETY: as above.
            (DOUBLE, Some(true)) => Ok(Floats::Double(unsafe { array.cast_unchecked() }.clone())),
            _ => Err(PyTypeError::new_err(format!("{name}: expected float32 or float64, found {dtype}"))),
        }
    }
}

/// An array argument of real or complex elements.
pub enum Numbers<'py> {
    Single(Bound<'py, PyArrayDyn<f32>>),
    Double(Bound<'py, PyArrayDyn<f64>>),
    ComplexSingle(Bound<'py, PyArrayDyn<Complex32>>),
    ComplexDouble(Bound<'py, PyArrayDyn<Complex64>>),
}

impl<'py> Numbers<'py> {
    /// Sequences of numbers become arrays of float64, or of complex128 if one is complex.
    #[inline]
    pub fn of(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Self> {
        const SINGLE: i32 = NPY_TYPES::NPY_FLOAT as i32;
        const DOUBLE: i32 = NPY_TYPES::NPY_DOUBLE as i32;
        const COMPLEX_SINGLE: i32 = NPY_TYPES::NPY_CFLOAT as i32;
        const COMPLEX_DOUBLE: i32 = NPY_TYPES::NPY_CDOUBLE as i32;
        refuse_masked(name, value)?;
        let Ok(array) = value.cast::<PyUntypedArray>() else {
            let py = value.py();
            let array = numpy(py, "asarray")?.call1((value,)).map_err(|error| complained(py, name, error))?;
            let array = array.cast::<PyUntypedArray>()?;
            return Ok(match array.dtype().kind() {
                b'c' => Numbers::ComplexDouble(numbers_of(name, array)?),
                _ => Numbers::Double(numbers_of(name, array)?),
            });
        };
        let dtype = array.dtype();
        // SAFETY, throughout: the elements are native ones of this type. A cast that checks costs a call of numpy.
        Ok(match (dtype.num(), dtype.is_native_byteorder()) {
            (SINGLE, Some(true)) => Numbers::Single(unsafe { array.cast_unchecked() }.clone()),
            (DOUBLE, Some(true)) => Numbers::Double(unsafe { array.cast_unchecked() }.clone()),
            (COMPLEX_SINGLE, Some(true)) => Numbers::ComplexSingle(unsafe { array.cast_unchecked() }.clone()),
            (COMPLEX_DOUBLE, Some(true)) => Numbers::ComplexDouble(unsafe { array.cast_unchecked() }.clone()),
            _ => {
                let expected = "float32, float64, complex64 or complex128";
                return Err(PyTypeError::new_err(format!("{name}: expected {expected}, found {dtype}")));
            }
        })
    }
}

/// Refuses numpy's masked arrays, whose masked values would count, and sequences of them.
#[inline]
pub fn refuse_masked(name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    if value.is_exact_instance_of::<PyUntypedArray>() || value.is_instance_of::<PyInt>() {
        return Ok(());
    }
    refuse_masked_object(name, value)
}

fn refuse_masked_object(name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    if value.is_instance_of::<PyTuple>() || value.is_instance_of::<PyList>() {
        let is_plain = |element: &Bound<'_, PyAny>| element.is_instance_of::<PyFloat>();
        let mut elements = value.try_iter()?.filter(|element| !element.as_ref().is_ok_and(is_plain));
        return elements.try_for_each(|element| refuse_masked(name, &element?));
    }
    static TYPE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = value.py();
    let masked = TYPE.get_or_try_init(py, || numpy(py, "ma")?.getattr("MaskedArray").map(Bound::unbind))?;
    if value.is_instance(masked.bind(py))? {
        let remedy = "fill it (numpy.ma.filled) or select its valid elements (compressed)";
        return Err(PyTypeError::new_err(format!("{name}: is a masked array; {remedy}")));
    }
    Ok(())
}

/// A sequence, scalar or buffer of numbers as an array of `T`.
fn converted<'py, T: Element>(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    let py = value.py();
    refuse_masked(name, value)?;
    let array = numpy(py, "asarray")?.call1((value,)).map_err(|error| complained(py, name, error))?;
    numbers_of(name, array.cast::<PyUntypedArray>()?)
}

/// Floats or integers of any type as an array of float64.
pub fn reals<'py>(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
    match value.cast_exact::<PyArrayDyn<f64>>() {
        Ok(array) => Ok(array.clone()),
        Err(_) => converted(name, value),
    }
}

/// Integers of any type as an array of int64.
pub fn integers<'py>(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArrayDyn<i64>>> {
    converted(name, value)
}

/// An array of any numeric type as one of `T`; integers must be representable.
pub fn numbers_of<'py, T: Element>(
    name: &str,
    array: &Bound<'py, PyUntypedArray>,
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    let (py, found, expected) = (array.py(), array.dtype(), numpy::dtype::<T>(array.py()));
    let is_real = matches!(expected.kind(), b'f' | b'c');
    let is_number = match found.kind() {
        b'b' | b'i' | b'u' => true,
        b'f' => is_real || array.is_empty(),
        b'c' => expected.kind() == b'c',
        // numpy would turn None into NaN, and texts into numbers.
        b'O' => is_real && are_numbers(array)?,
        _ => false,
    };
    if !is_number {
        return Err(PyTypeError::new_err(format!("{name}: expected {expected}, found {found}")));
    }
    let result = array.call_method1("astype", (&expected,)).map_err(|error| complained(py, name, error))?;
    if !is_real && !numpy(py, "array_equal")?.call1((&result, array))?.is_truthy()? {
        return Err(wrong(name, format_args!("has values that are not of type {expected}")));
    }
    Ok(result.cast_into::<PyArrayDyn<T>>()?)
}

/// Whether all objects of an array are numbers, from any library.
fn are_numbers(array: &Bound<'_, PyUntypedArray>) -> PyResult<bool> {
    static TYPE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = array.py();
    let number = TYPE.get_or_try_init(py, || py.import("numbers")?.getattr("Number").map(Bound::unbind))?;
    for value in array.getattr("flat")?.try_iter()? {
        if !value?.is_instance(number.bind(py))? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// An array of `T`; other arrays are a TypeError, other sequences are converted.
pub fn of_type<'py, T: Element>(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    if let Ok(array) = value.cast::<PyArrayDyn<T>>() {
        refuse_masked(name, value)?;
        return Ok(array.clone());
    }
    match value.cast::<PyUntypedArray>() {
        Ok(array) => {
            let (expected, found) = (numpy::dtype::<T>(value.py()), array.dtype());
            Err(PyTypeError::new_err(format!("{name}: expected {expected}, found {found}")))
        }
        Err(_) => converted(name, value),
    }
}

/// The elements in order of rows, copied if they are not contiguous and aligned.
#[inline]
pub fn contiguous<'py, T: Element>(array: &Bound<'py, PyArrayDyn<T>>) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    if array.is_c_contiguous() && array.is_aligned() {
        return Ok(array.clone());
    }
    Ok(copied(array.as_untyped())?.cast_into::<PyArrayDyn<T>>()?)
}

/// Elements of an array that are copied between two looks for signals.
const COPIED: usize = 1 << 20;

/// A contiguous and aligned copy.
pub fn copied<'py>(array: &Bound<'py, PyUntypedArray>) -> PyResult<Bound<'py, PyAny>> {
    let py = array.py();
    if array.len() <= COPIED {
        return numpy(py, "array")?.call((array,), Some(&[("order", "C")].into_py_dict(py)?));
    }
    let copy = numpy(py, "empty")?.call1((PyTuple::new(py, array.shape())?, array.dtype()))?;
    copy_parts(array.as_any(), &copy, array.shape())?;
    Ok(copy)
}

/// Copies an array part by part along its axes, each of which may be short.
fn copy_parts<'py>(from: &Bound<'py, PyAny>, to: &Bound<'py, PyAny>, shape: &[usize]) -> PyResult<()> {
    let (py, row) = (from.py(), shape[1..].iter().product::<usize>());
    if row > COPIED {
        return (0..shape[0]).try_for_each(|at| copy_parts(&from.get_item(at)?, &to.get_item(at)?, &shape[1..]));
    }
    let rows = COPIED / row.max(1);
    for start in (0..shape[0]).step_by(rows) {
        let part = PySlice::new(py, start as isize, shape[0].min(start + rows) as isize, 1);
        to.set_item(&part, from.get_item(&part)?)?;
        py.check_signals()?;
    }
    Ok(())
}

/// The elements of a contiguous array.
#[inline]
pub fn elements<'a, T: Element>(array: &'a Bound<'_, PyArrayDyn<T>>) -> &'a [T] {
    // SAFETY: the array is contiguous and aligned, is kept alive by the reference, and is not
    // written to while a call uses it (see the crate's documentation).
    unsafe { array.as_slice().unwrap_or(&[]) }
}

/// A new array, of zeros or, with [`PyArray_Empty`](numpy::npyffi::PyArrayAPI), not initialised.
fn allocated<'py, T: Element>(py: Python<'py>, shape: &[usize], is_zero: bool) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    // A size above isize::MAX becomes negative, which numpy rejects.
    let mut sizes: Vec<npy_intp> = shape.iter().map(|&size| size as npy_intp).collect();
    let (axes, dtype) = (sizes.len() as c_int, numpy::dtype::<T>(py).into_ptr().cast());
    let (sizes, api) = (sizes.as_mut_ptr(), &PY_ARRAY_API);
    // SAFETY: `sizes` has a size for each axis; numpy takes over the reference to the type.
    let array = unsafe {
        match is_zero {
            true => api.PyArray_Zeros(py, axes, sizes, dtype, 0),
            false => api.PyArray_Empty(py, axes, sizes, dtype, 0),
        }
    };
    // SAFETY: a new reference, or null and an exception. An array that is too large for an address is a wrong
    // argument to numpy; here the caller has checked the shapes.
    let array = unsafe { Bound::from_owned_ptr_or_err(py, array) }.map_err(|_| raised(Error::NoMemory))?;
    // SAFETY: an array of this type.
    Ok(unsafe { array.cast_into_unchecked() })
}

/// A new array of zeros, and its elements.
pub fn zeros<'py, T: Element + Copy>(
    py: Python<'py>,
    shape: &[usize],
) -> PyResult<(Bound<'py, PyArrayDyn<T>>, &'py mut [T])> {
    let array = allocated::<T>(py, shape, true)?;
    // SAFETY: the array's elements; nothing else refers to them before the call returns.
    let elements = unsafe { std::slice::from_raw_parts_mut(array.data(), array.len()) };
    Ok((array, elements))
}

/// A new array whose elements are not initialised.
///
/// # Safety
/// The caller writes all elements before anything reads them.
pub unsafe fn uninitialised<'py, T: Element>(py: Python<'py>, shape: &[usize]) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    allocated(py, shape, false)
}

/// A new array of `len` elements, and its elements.
pub fn fresh<'py, T: Element + Copy>(py: Python<'py>, len: usize) -> PyResult<(Bound<'py, PyArray1<T>>, &'py mut [T])> {
    let (array, elements) = zeros(py, &[len])?;
    // SAFETY: it has one axis.
    Ok((unsafe { array.into_any().cast_into_unchecked() }, elements))
}

/// Room for `len` elements.
pub fn reserved<T>(len: usize) -> PyResult<Vec<T>> {
    let mut room = Vec::new();
    room.try_reserve_exact(len).map_err(|_| raised(Error::NoMemory))?;
    Ok(room)
}

/// The elements of an iterator that tells how many it has.
pub fn collected<T>(all: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>, Error> {
    let mut room = Vec::new();
    room.try_reserve_exact(all.len()).map_err(|_| Error::NoMemory)?;
    room.extend(all);
    Ok(room)
}

/// `len` elements for work of a call.
pub fn room<T: Clone>(len: usize, value: T) -> Result<Vec<T>, Error> {
    let mut room = Vec::new();
    room.try_reserve_exact(len).map_err(|_| Error::NoMemory)?;
    room.resize(len, value);
    Ok(room)
}

/// Whether the elements may be written.
pub fn is_writeable<T: Element>(array: &Bound<'_, PyArrayDyn<T>>) -> bool {
    // SAFETY: the array is alive.
    unsafe { (*array.as_array_ptr()).fields.flags & NPY_ARRAY_WRITEABLE != 0 }
}

/// The sizes of an array with `N` axes.
pub fn shape<const N: usize, T: Element>(name: &str, array: &Bound<'_, PyArrayDyn<T>>) -> PyResult<[usize; N]> {
    let found = array.shape();
    found.try_into().map_err(|_| wrong(name, format_args!("expected {N} axes, found {}", found.len())))
}

/// Rows of bytes.
pub struct Bytes<'py> {
    array: Bound<'py, PyArrayDyn<u8>>,
    /// Rows, and bytes of a row.
    pub shape: [usize; 2],
    /// Whether the argument was one row, without an axis of rows.
    pub is_row: bool,
}

impl<'py> Bytes<'py> {
    /// An array of rows.
    pub fn rows(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Self> {
        let array = contiguous(&of_type::<u8>(name, value)?)?;
        let shape = shape(name, &array)?;
        Ok(Bytes { array, shape, is_row: false })
    }

    /// An array of rows, or one row.
    pub fn row_or_rows(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Self> {
        let array = contiguous(&of_type::<u8>(name, value)?)?;
        let is_row = array.shape().len() == 1;
        let shape = if is_row { [1, array.len()] } else { shape(name, &array)? };
        Ok(Bytes { array, shape, is_row })
    }

    pub fn elements(&self) -> &[u8] {
        elements(&self.array)
    }
}
