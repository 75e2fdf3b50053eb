//! Work on several threads, without the interpreter lock.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::ThreadPoolBuilder;

use crate::arrays::wrong;

/// Runs `f` on this thread, without the interpreter lock unless `work`, in elements, bytes or
/// multiply-adds, is small.
#[inline]
pub fn run<T: Send>(py: Python<'_>, work: usize, f: impl FnOnce() -> T + Send) -> T {
    if work < 1 << 14 { f() } else { py.detach(f) }
}

/// Runs `f` on a pool of `threads` threads, by default one for each core.
pub fn on<T: Send>(py: Python<'_>, threads: Option<usize>, f: impl FnOnce() -> T + Send) -> PyResult<T> {
    match threads {
        Some(0) => Err(wrong("threads", "is 0")),
        None => Ok(py.detach(|| rayon::scope(|_| f()))),
        Some(1) => {
            let pool = ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
            match pool {
                Ok(pool) => Ok(py.detach(|| pool.install(f))),
                // The thread already belongs to a pool.
                Err(_) => Ok(py.detach(f)),
            }
        }
        Some(threads) => {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build();
            let pool = pool.map_err(|error| PyRuntimeError::new_err(format!("threads: {error}")))?;
            Ok(py.detach(|| pool.install(f)))
        }
    }
}
