//! The extension module `hotloops._hotloops`. The Python files of `hotloops/` give its functions
//! their public places.
//!
//! Arguments are read where they lie. While the interpreter lock is released, another thread of the
//! program must not write to the arrays of a call, as with numpy's own functions.

mod arguments;
mod arrays;
mod bit_rows;
mod bits;
mod clifford;
mod correlation;
mod devices;
mod exp;
mod fingerprints;
mod hardround;
mod index;
mod isa;
mod ising;
mod jump;
mod layers;
mod linalg;
mod nets;
mod problems;
mod products;
mod random;
mod schedule;
mod square;
mod sums;
mod threads;
mod worldlines;

use hotloops::Error;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

/// The exception for an error of the library.
fn raised(error: Error) -> PyErr {
    match error {
        Error::NoMemory => PyMemoryError::new_err("out of memory"),
        error => PyValueError::new_err(error.to_string()),
    }
}

/// The exception for an error of a device.
fn failed(error: hotloops_gpu::Error) -> PyErr {
    match error {
        hotloops_gpu::Error::Library(error) => raised(error),
        error @ hotloops_gpu::Error::NoSuchDevice { .. } => PyValueError::new_err(format!("device: {error}")),
        error => PyRuntimeError::new_err(format!("device: {error}")),
    }
}

/// A new module of `parent`. Its functions are those of the Python file of this name, where pickle looks for them.
fn submodule<'py>(parent: &Bound<'py, PyModule>, name: &str) -> PyResult<Bound<'py, PyModule>> {
    let module = PyModule::new(parent.py(), &format!("hotloops.{name}"))?;
    parent.add(name, &module)?;
    Ok(module)
}

#[pymodule]
fn _hotloops(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // Loads numpy now: an interrupted call cannot report that numpy is not there.
    let _ = numpy::dtype::<f64>(module.py());
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    arguments::register(module)?;
    isa::register(module)?;
    linalg::register(module)?;
    bits::register(module)?;
    clifford::register(module)?;
    random::register(module)?;
    fingerprints::register(module)?;
    correlation::register(module)?;
    exp::register(module)?;
    hardround::register(module)?;
    ising::register(module)
}
