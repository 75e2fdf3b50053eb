//! `hotloops.linalg`.

mod complex;
mod matmul;
mod matrix;
mod packed;
mod reductions;
mod repro;
mod scalar;
mod syrk;

use pyo3::prelude::*;

pub fn register(parent: &Bound<'_, PyModule>) -> PyResult<()> {
    let module = crate::submodule(parent, "linalg")?;
    module.add_function(wrap_pyfunction!(matmul::matmul, &module)?)?;
    module.add_function(wrap_pyfunction!(syrk::syrk, &module)?)?;
    module.add_function(wrap_pyfunction!(reductions::sum, &module)?)?;
    module.add_function(wrap_pyfunction!(reductions::asum, &module)?)?;
    module.add_function(wrap_pyfunction!(reductions::sum2, &module)?)?;
    module.add_function(wrap_pyfunction!(reductions::kahan, &module)?)?;
    module.add_function(wrap_pyfunction!(reductions::sum_repro, &module)?)?;
    module.add_function(wrap_pyfunction!(reductions::dot, &module)?)?;
    module.add_function(wrap_pyfunction!(reductions::dot2, &module)?)?;
    module.add_function(wrap_pyfunction!(reductions::dot_repro, &module)?)?;
    module.add_class::<packed::PyPackedB>()?;
    module.add_class::<repro::PyRepro>()?;
    Ok(())
}
