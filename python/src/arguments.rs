//! Arguments that are numbers, words or short lists: one conversion for all functions, whose errors
//! name the argument.
//!
//! `#[pyo3(from_py_with = count::<name::K>)] k: usize` converts an argument of a function.

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyFloat, PyInt, PyString};

use crate::arrays::{is_complaint, numpy, refuse_masked, wrong};

/// The name of an argument.
pub trait Name {
    const NAME: &'static str;
}

/// An argument that is one of some words.
pub trait Words: Name {
    const WORDS: &'static [&'static str];
}

/// Types that stand for the names of arguments.
pub mod name {
    macro_rules! names {
        ($($name:ident = $text:literal $($words:expr)?;)*) => {
            $(
                pub enum $name {}

                impl super::Name for $name {
                    const NAME: &'static str = $text;
                }

                $(impl super::Words for $name {
                    const WORDS: &'static [&'static str] = &$words;
                })?
            )*
        };
    }

    names! {
        Acceptance = "acceptance" ["auto", "metropolis", "heat_bath"];
        Activation = "activation" ["identity", "relu"];
        Alpha = "alpha";
        Beta = "beta";
        Bits = "bits";
        Box = "box";
        Clusters = "clusters";
        Columns = "columns";
        Count = "count";
        Empty = "empty";
        Every = "every";
        Fold = "fold";
        Format = "format" ["binary64", "binary32", "binary16", "bfloat16"];
        Function = "function";
        Gamma = "gamma";
        Gate = "gate" ["linear", "sum", "mean", "gelu", "silu"];
        K = "k";
        Keepdims = "keepdims";
        Kind = "kind" ["f32-fast", "f32-poly", "i8-exact", "single", "i16-exact", "bits", "dense", "fixed", "auto"];
        Lags = "lags";
        Layout = "layout" ["rows", "tiles"];
        Measure = "measure" ["tanimoto", "dice", "cosine", "hamming", "tversky", "containment"];
        Mode = "mode" ["exact", "fast", "auto"];
        Modes = "modes" ["all", "nearest", "directed"];
        N = "n";
        Order = "order" ["strict", "fast"];
        Radius = "radius";
        Rows = "rows";
        Seed = "seed";
        Similarity = "measure" ["tanimoto", "dice", "cosine"];
        Site = "site";
        Size = "size";
        Slice = "slice";
        Slices = "slices";
        Squares = "squares";
        Sweeps = "sweeps";
        Threads = "threads";
        Threshold = "threshold";
        Top = "top";
        Triangle = "triangle" ["lower", "upper"];
        Word = "word";
    }
}

/// `name: expected .., found ..`, as a TypeError.
pub fn unexpected(name: &str, expected: &str, value: &Bound<'_, PyAny>) -> PyErr {
    let found = value.get_type().name().map_or_else(|_| "another type".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!("{name}: expected {expected}, found {found}"))
}

/// A result, or `None` if the object complained about its value.
fn unless_complaint<T>(py: Python<'_>, result: PyResult<T>) -> PyResult<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if is_complaint(py, &error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// An integer of type `T`.
pub fn integer<'py, T>(name: &str, value: &Bound<'py, PyAny>) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py, Error = PyErr>,
{
    refuse_masked(name, value)?;
    value.extract().map_err(|error: PyErr| {
        if !is_complaint(value.py(), &error) {
            return error;
        }
        if !error.is_instance_of::<PyOverflowError>(value.py()) {
            return unexpected(name, "an integer", value);
        }
        match value.lt(0) {
            Ok(true) => wrong(name, format_args!("is {value}, expected at least 0")),
            _ => wrong(name, format_args!("{value} is too large")),
        }
    })
}

fn number(name: &str, value: &Bound<'_, PyAny>) -> PyResult<f64> {
    refuse_masked(name, value)?;
    // Arrays of one element are numbers for Python, too.
    let is_sequence = unless_complaint(value.py(), value.len())?.is_some();
    let is_simple = value.is_instance_of::<PyFloat>() || value.is_instance_of::<PyInt>();
    // numpy raises an error of its own for a ragged sequence.
    let is_complex = !is_simple && !is_sequence && numpy(value.py(), "iscomplexobj")?.call1((value,))?.is_truthy()?;
    let number =
        if is_sequence || is_complex { Err(unexpected(name, "a number", value)) } else { value.extract::<f64>() };
    match number {
        Ok(number) => Ok(number),
        Err(error) if !is_complaint(value.py(), &error) => Err(error),
        Err(error) if error.is_instance_of::<PyOverflowError>(value.py()) => Err(wrong(name, "is too large")),
        Err(_) => Err(unexpected(name, "a number", value)),
    }
}

fn finite(name: &str, value: &Bound<'_, PyAny>) -> PyResult<f64> {
    let number = number(name, value)?;
    if number.is_finite() {
        Ok(number)
    } else {
        Err(wrong(name, format_args!("is {number}, expected a finite number")))
    }
}

/// `None`, or what `convert` makes of a value.
fn optional<'py, T>(
    value: &Bound<'py, PyAny>,
    convert: impl FnOnce(&Bound<'py, PyAny>) -> PyResult<T>,
) -> PyResult<Option<T>> {
    if value.is_none() { Ok(None) } else { convert(value).map(Some) }
}

/// An integer of at least 0.
pub fn count<N: Name>(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    integer(N::NAME, value)
}

/// An integer of at least 0 and below 2^32.
pub fn small<N: Name>(value: &Bound<'_, PyAny>) -> PyResult<u32> {
    integer(N::NAME, value)
}

/// An integer of at least 0 and below 2^64.
pub fn long<N: Name>(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    integer(N::NAME, value)
}

/// `None` or a count.
pub fn optional_count<N: Name>(value: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    optional(value, count::<N>)
}

pub fn optional_small<N: Name>(value: &Bound<'_, PyAny>) -> PyResult<Option<u32>> {
    optional(value, small::<N>)
}

/// A finite number.
pub fn real<N: Name>(value: &Bound<'_, PyAny>) -> PyResult<f64> {
    finite(N::NAME, value)
}

/// A finite number that is rounded to f32 without overflow.
pub fn single<N: Name>(value: &Bound<'_, PyAny>) -> PyResult<f32> {
    let number = finite(N::NAME, value)? as f32;
    if number.is_finite() { Ok(number) } else { Err(wrong(N::NAME, "is too large")) }
}

pub fn optional_real<N: Name>(value: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
    optional(value, real::<N>)
}

pub fn optional_single<N: Name>(value: &Bound<'_, PyAny>) -> PyResult<Option<f32>> {
    optional(value, single::<N>)
}

/// A number of a product: NaN and infinity have their meaning.
pub fn factor<N: Name>(value: &Bound<'_, PyAny>) -> PyResult<f64> {
    number(N::NAME, value)
}

/// A number from 0 to 1.
pub fn unit<N: Name>(value: &Bound<'_, PyAny>) -> PyResult<f32> {
    let number = number(N::NAME, value)?;
    match number {
        0.0..=1.0 => Ok(number as f32),
        _ => Err(wrong(N::NAME, format_args!("is {number}, expected a number from 0 to 1"))),
    }
}

pub fn optional_unit<N: Name>(value: &Bound<'_, PyAny>) -> PyResult<Option<f32>> {
    optional(value, unit::<N>)
}

/// True or False.
pub fn flag<N: Name>(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    unless_complaint(value.py(), value.extract())?.ok_or_else(|| unexpected(N::NAME, "True or False", value))
}

/// A word.
pub fn word<N: Name>(value: &Bound<'_, PyAny>) -> PyResult<String> {
    match value.cast::<PyString>() {
        Ok(word) => word.extract().map_err(|_| wrong(N::NAME, "is not text")),
        Err(_) => Err(unexpected(N::NAME, "a word", value)),
    }
}

/// One of the words of a name.
pub fn choice<N: Words>(value: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    let found = word::<N>(value)?;
    let choice = N::WORDS.iter().find(|&&word| word == found);
    choice.copied().ok_or_else(|| wrong(N::NAME, format_args!("{found:?} is none of {}", N::WORDS.join(", "))))
}

/// An argument of type bytes.
pub fn byte_string<'py>(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    refuse_masked(name, value)?;
    value.cast::<PyBytes>().cloned().map_err(|_| unexpected(name, "bytes", value))
}

/// The elements of a sequence or array with one axis, each converted.
fn list<'py, T>(
    name: &str,
    value: &Bound<'py, PyAny>,
    convert: impl Fn(&str, &Bound<'py, PyAny>) -> PyResult<T>,
) -> PyResult<Vec<T>> {
    refuse_masked(name, value)?;
    let is_text = value.is_instance_of::<PyString>() || value.is_instance_of::<PyBytes>();
    let elements = if is_text { None } else { unless_complaint(value.py(), value.try_iter())? };
    let elements = elements.ok_or_else(|| unexpected(name, "a sequence", value))?;
    elements.map(|element| convert(name, &element?)).collect()
}

/// The squares of generators.
pub fn squares<N: Name>(value: &Bound<'_, PyAny>) -> PyResult<Vec<i8>> {
    list(N::NAME, value, |name, square| {
        let found = unless_complaint(square.py(), integer::<i64>(name, square))?
            .ok_or_else(|| wrong(name, "expected the integers 1, -1 and 0"))?;
        match found {
            -1..=1 => Ok(found as i8),
            _ => Err(wrong(name, format_args!("expected 1, -1 or 0, found {found}"))),
        }
    })
}

/// A sequence of integers of at least 0.
pub fn counts(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<usize>> {
    list(name, value, integer)
}

pub fn optional_counts<N: Name>(value: &Bound<'_, PyAny>) -> PyResult<Option<Vec<usize>>> {
    optional(value, |value| counts(N::NAME, value))
}

/// The periods of a plane.
pub fn periods<N: Name>(value: &Bound<'_, PyAny>) -> PyResult<Option<[f64; 2]>> {
    let name = N::NAME;
    let two = |found: Vec<f64>| match found[..] {
        [x, y] if x > 0.0 && y > 0.0 => Ok([x, y]),
        _ => Err(wrong(name, format_args!("expected two positive periods, found {found:?}"))),
    };
    optional(value, |value| list(name, value, finite).and_then(two))
}

/// Conversions for the Python files of the package.
mod exported {
    use super::*;

    /// A finite number.
    #[pyfunction]
    pub fn real(name: &str, value: &Bound<'_, PyAny>) -> PyResult<f64> {
        finite(name, value)
    }

    /// An integer of at least 0.
    #[pyfunction]
    pub fn count(name: &str, value: &Bound<'_, PyAny>) -> PyResult<usize> {
        integer(name, value)
    }

    /// An integer of at least 0 and below 2^32.
    #[pyfunction]
    pub fn word(name: &str, value: &Bound<'_, PyAny>) -> PyResult<u32> {
        integer(name, value)
    }

    /// Refuses masked arrays.
    #[pyfunction]
    pub fn unmasked(name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        refuse_masked(name, value)
    }
}

pub fn register(parent: &Bound<'_, PyModule>) -> PyResult<()> {
    let module = crate::submodule(parent, "arguments")?;
    module.add_function(wrap_pyfunction!(exported::real, &module)?)?;
    module.add_function(wrap_pyfunction!(exported::count, &module)?)?;
    module.add_function(wrap_pyfunction!(exported::word, &module)?)?;
    module.add_function(wrap_pyfunction!(exported::unmasked, &module)?)?;
    Ok(())
}
