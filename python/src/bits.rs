//! `hotloops.bits`.

use hotloops::bitslice::{self, Layout, Store};
use numpy::{Element, PyArray1, PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::arguments::{choice, count, name, unexpected};
use crate::arrays::{contiguous, copied, elements, fresh, is_complaint, numpy, of_type, refuse_masked, wrong};
use crate::raised;
use crate::threads::in_parts;

/// Elements of a block of any layout.
const BLOCK: usize = 2048;

fn layout_of(word: &str) -> Layout {
    if word == "tiles" { Layout::Tiles64 } else { Layout::Rows2048 }
}

/// Calls a function for arrays of the unsigned type of as many bytes as the elements of `array`.
macro_rules! of_width {
    ($name:literal, $array:expr, $function:ident($($argument:expr),*)) => {{
        let array: &Bound<'_, PyUntypedArray> = $array;
        let dtype = array.dtype();
        if !matches!(dtype.kind(), b'u' | b'i' | b'f' | b'b') {
            return Err(PyTypeError::new_err(format!("{}: expected integers or floats, found {dtype}", $name)));
        }
        if dtype.is_native_byteorder() == Some(false) {
            let why = "expected the byte order of this machine (astype converts), found";
            return Err(PyTypeError::new_err(format!("{}: {why} {dtype}", $name)));
        }
        match dtype.itemsize() {
            1 => $function::<u8>($($argument),*),
            2 => $function::<u16>($($argument),*),
            4 => $function::<u32>($($argument),*),
            8 => $function::<u64>($($argument),*),
            size => Err(PyTypeError::new_err(format!("{}: elements of {size} bytes", $name))),
        }
    }};
}

fn array_of<'a, 'py>(array: &'a Bound<'py, PyAny>) -> PyResult<&'a Bound<'py, PyUntypedArray>> {
    refuse_masked("array", array)?;
    array.cast::<PyUntypedArray>().map_err(|_| unexpected("array", "a numpy array", array))
}

/// Calls `f` with the elements of an array, in order of rows, as bits of `T`.
fn with_bits<'py, T: bitslice::Element, R>(
    array: &Bound<'py, PyUntypedArray>,
    f: impl FnOnce(&[T]) -> PyResult<R>,
) -> PyResult<R> {
    if !(array.is_c_contiguous() && array.is_aligned()) {
        return with_bits(copied(array)?.cast()?, f);
    }
    if array.is_empty() {
        return f(&[]);
    }
    // SAFETY: the array, which the reference keeps alive, is contiguous and aligned for its elements, which
    // have the size of `T`. No element is written to during the call (see the crate's documentation).
    f(unsafe { std::slice::from_raw_parts((*array.as_array_ptr()).fields.data.cast(), array.len()) })
}

fn sliced<'py, T: Element + bitslice::Element>(
    array: &Bound<'py, PyUntypedArray>,
    layout: Layout,
) -> PyResult<Bound<'py, PyArray1<u8>>> {
    let py = array.py();
    with_bits::<T, _>(array, |source| {
        let (planes, target) = fresh(py, bitslice::blocks_len::<T>(source.len(), layout).map_err(raised)?)?;
        in_parts(py, (source.len(), BLOCK), size_of_val(source), |part| {
            let (source, target) = (&source[part.clone()], &mut target[part.start * size_of::<T>()..]);
            let len = bitslice::blocks_len::<T>(source.len(), layout)?;
            bitslice::slice_blocks(source, layout, Store::Auto, &mut target[..len])
        })?;
        Ok(planes)
    })
}

/// The bit planes of an array, as bytes (uint8).
///
/// The elements of `array` are integers, floats or booleans of 1, 2, 4 or 8 bytes; other shapes are
/// read in order of rows. `layout` "rows": planes of blocks of 2048 elements, the bytes of bitshuffle with
/// that block size; "tiles": planes of 64 elements each. A last unit that is not full is padded with
/// zeros, so the result has `len(array)` rounded up to 2048 or 64, times the element size, bytes.
///
/// Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
///
/// >>> import numpy as np
/// >>> from hotloops import bits
/// >>> samples = np.arange(5000, dtype=np.int16)
/// >>> planes = bits.bitslice(samples)
/// >>> planes.shape
/// (12288,)
/// >>> bool((bits.bitunslice(planes, np.int16, 5000) == samples).all())
/// True
#[pyfunction]
#[pyo3(name = "bitslice", signature = (array, layout = "rows"))]
fn bitslice_<'py>(
    array: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = choice::<name::Layout>)] layout: &'static str,
) -> PyResult<Bound<'py, PyArray1<u8>>> {
    let layout = layout_of(layout);
    let untyped = array_of(array)?;
    of_width!("array", untyped, sliced(untyped, layout))
}

fn unsliced<'py, T: Element + bitslice::Element + Copy>(
    planes: &[u8],
    dtype: &Bound<'py, PyAny>,
    n: usize,
    layout: Layout,
) -> PyResult<Bound<'py, PyAny>> {
    let py = dtype.py();
    let expected = bitslice::blocks_len::<T>(n, layout).map_err(raised)?;
    if planes.len() != expected {
        return Err(wrong(
            "planes",
            format_args!("expected {expected} bytes for {n} elements, found {}", planes.len()),
        ));
    }
    let (array, target) = fresh::<T>(py, n)?;
    in_parts(py, (n, BLOCK), planes.len(), |part| {
        let (planes, target) = (&planes[part.start * size_of::<T>()..], &mut target[part]);
        let len = bitslice::blocks_len::<T>(target.len(), layout)?;
        bitslice::unslice_blocks(&planes[..len], layout, Store::Auto, target)
    })?;
    array.call_method1("view", (dtype,))
}

/// The array of `n` elements whose bit planes these are: the inverse of `bitslice`.
///
/// `planes` has the bytes (uint8) that `bitslice` returns for `n` elements of `dtype` and this `layout`.
/// Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
#[pyfunction]
#[pyo3(signature = (planes, dtype, n, layout = "rows"))]
fn bitunslice<'py>(
    planes: &Bound<'py, PyAny>,
    dtype: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = count::<name::N>)] n: usize,
    #[pyo3(from_py_with = choice::<name::Layout>)] layout: &'static str,
) -> PyResult<Bound<'py, PyAny>> {
    let layout = layout_of(layout);
    let planes = contiguous(&of_type::<u8>("planes", planes)?)?;
    let planes = elements(&planes);
    if dtype.is_none() {
        return Err(PyTypeError::new_err("dtype: is None"));
    }
    let empty = numpy(dtype.py(), "empty")?.call1((0, dtype));
    let empty = empty.map_err(|error| match is_complaint(dtype.py(), &error) {
        true => PyTypeError::new_err(format!("dtype: {}", error.value(dtype.py()))),
        false => error,
    })?;
    let untyped = empty.cast::<PyUntypedArray>()?;
    of_width!("dtype", untyped, unsliced(planes, dtype, n, layout))
}

fn counted<'py, T: Element + bitslice::Element>(
    array: &Bound<'py, PyUntypedArray>,
) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let py = array.py();
    with_bits::<T, _>(array, |source| {
        let (counts, target) = fresh::<u64>(py, 8 * size_of::<T>())?;
        let mut of_part = vec![0; target.len()];
        in_parts(py, (source.len(), 1), size_of_val(source), |part| {
            bitslice::count_ones(&source[part], &mut of_part)?;
            target.iter_mut().zip(&of_part).for_each(|(all, count)| *all += count);
            Ok(())
        })?;
        Ok(counts)
    })
}

/// How many elements have bit j set, for each j: the positional population count (uint64).
///
/// `array` as for `bitslice`; the result has a number for each bit of an element.
/// Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
///
/// >>> import numpy as np
/// >>> from hotloops import bits
/// >>> bits.count_positions(np.array([1, 3, 3], dtype=np.uint8))[:3].tolist()
/// [3, 2, 0]
#[pyfunction]
fn count_positions<'py>(array: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let untyped = array_of(array)?;
    of_width!("array", untyped, counted(untyped))
}

pub fn register(parent: &Bound<'_, PyModule>) -> PyResult<()> {
    let module = crate::submodule(parent, "bits")?;
    module.add_function(wrap_pyfunction!(bitslice_, &module)?)?;
    module.add_function(wrap_pyfunction!(bitunslice, &module)?)?;
    module.add_function(wrap_pyfunction!(count_positions, &module)?)?;
    Ok(())
}
