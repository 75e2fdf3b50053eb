//! `hotloops.hardround`.

use hotloops_hardround::{Algorithm, Error, Format, Found, Modes, Plan, Problem, functions};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::arguments::{choice, name, optional_count, word};
use crate::arrays::wrong;
use crate::raised;
use crate::threads::{Stop, on};

fn failed(error: Error) -> PyErr {
    let own = |name: &&'static str| match *name {
        "from" => "lo",
        "to" => "hi",
        name => name,
    };
    match error {
        Error::Kernel(error) => raised(error),
        Error::Argument { names, why } => wrong(&names.iter().map(own).collect::<Vec<_>>().join(" and "), why),
        Error::SelfCheck { .. } => PyRuntimeError::new_err(error.to_string()),
        error => PyValueError::new_err(error.to_string()),
    }
}

/// The names of the functions that can be searched.
#[pyfunction]
#[pyo3(name = "functions")]
fn functions_() -> Vec<&'static str> {
    functions::ALL.iter().map(|function| function.name()).collect()
}

/// x, f(x) rounded to nearest, the distance in ulps, the identical bits, whether it is exact.
type Case = (f64, f64, f64, f64, bool);

/// The hard cases of an interval as a list of tuples, and the number of arguments searched.
#[pyfunction]
#[pyo3(signature = (function, lo, hi, within, modes, format, progress, threads))]
#[allow(clippy::too_many_arguments, reason = "the options of a call by keyword")]
fn cases(
    py: Python<'_>,
    #[pyo3(from_py_with = word::<name::Function>)] function: String,
    lo: f64,
    hi: f64,
    within: f64,
    #[pyo3(from_py_with = choice::<name::Modes>)] modes: &'static str,
    #[pyo3(from_py_with = choice::<name::Format>)] format: &'static str,
    progress: Option<&Bound<'_, PyAny>>,
    #[pyo3(from_py_with = optional_count::<name::Threads>)] threads: Option<usize>,
) -> PyResult<(Vec<Case>, u64)> {
    let Some(function) = functions::by_name(&function) else {
        let valid = functions_().join(", ");
        return Err(wrong("function", format_args!("{function:?} is none of {valid}")));
    };
    let modes = match modes {
        "all" => Modes::All,
        "nearest" => Modes::Nearest,
        _ => Modes::Directed,
    };
    let format = match format {
        "binary64" => Format::BINARY64,
        "binary32" => Format::BINARY32,
        "binary16" => Format::BINARY16,
        _ => Format::BFLOAT16,
    };
    let plan = Plan::new(&Problem { function, format, from: lo, to: hi, grid: None, modes, within }).map_err(failed)?;
    let units = 0..plan.units();
    plan.check_size(&units).map_err(failed)?;
    let mut found = Found::default();
    // As many units together as keep the threads busy for moments between calls of `progress`.
    let together = 64;
    for first in units.clone().step_by(together as usize) {
        let part = first..(first + together).min(units.end);
        let results: Vec<Result<Found, Error>> = on(py, threads, |watch| {
            let results = part.clone().into_par_iter().map(|unit| {
                watch.check()?;
                Ok(plan.search_checked(&units, unit, Algorithm::default()))
            });
            results.collect::<Result<_, Stop>>()
        })?;
        for one in results {
            found.extend(&one.map_err(failed)?).map_err(failed)?;
        }
        py.check_signals()?;
        if let Some(progress) = progress {
            progress.call1((part.end, units.end))?;
        }
    }
    found.sort(|index| plan.begins_segment(index));
    let mut all = Vec::new();
    let streams = found.streams.iter().flat_map(|stream| [stream.start, stream.end - 1]);
    let indices = found.cases.iter().chain(&found.exact).copied().chain(streams);
    for index in indices {
        py.check_signals()?;
        let judged = plan.try_judge(index).map_err(failed)?;
        let (x, nearest) = (judged.x.to_f64(), judged.nearest.to_f64());
        all.push((x, nearest, judged.distance_ulp, judged.bits_after_round, judged.exact));
    }
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let range = plan.range(&units);
    Ok((all, range.end - range.start))
}

pub fn register(parent: &Bound<'_, PyModule>) -> PyResult<()> {
    let module = PyModule::new(parent.py(), "hardround")?;
    module.add_function(wrap_pyfunction!(cases, &module)?)?;
    module.add_function(wrap_pyfunction!(functions_, &module)?)?;
    parent.add_submodule(&module)
}
