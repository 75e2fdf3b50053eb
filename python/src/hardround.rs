//! `hotloops.hardround`.

use hotloops::hardround::Test;
use hotloops_gpu::hardround::Tester;
use hotloops_gpu::{Choice, Shared};
use hotloops_hardround::three_phase::{Device, Strip};
use hotloops_hardround::{Algorithm, Error, Format, Found, Judged, Modes, Problem, SearchPlan, functions};
use numpy::PyArray1;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::arguments::{choice, name, optional_count, word};
use crate::arrays::wrong;
use crate::devices;
use crate::raised;
use crate::threads::on;

fn failed(error: Error) -> PyErr {
    let own = |name: &&'static str| match *name {
        "from" => "lo",
        "to" => "hi",
        name => name,
    };
    match error {
        Error::Kernel(error) => raised(error),
        Error::Argument { names, why } => wrong(&names.iter().map(own).collect::<Vec<_>>().join(" and "), why),
        Error::SelfCheck { .. } | Error::Device(_) => PyRuntimeError::new_err(error.to_string()),
        error => PyValueError::new_err(error.to_string()),
    }
}

/// The names of the functions that can be searched.
#[pyfunction]
#[pyo3(name = "functions")]
fn functions_() -> Vec<&'static str> {
    functions::ALL.iter().map(|function| function.name()).collect()
}

/// The first phase of three on devices.
#[derive(Debug)]
struct Devices(Shared<Tester>);

impl Devices {
    fn open(py: Python<'_>, choice: Choice) -> PyResult<Option<Self>> {
        let queues = devices::open(py, choice)?;
        let testers = queues.into_iter().map(|queue| Tester::new(queue, Test::Regular));
        let testers: Result<Vec<_>, _> = py.detach(|| testers.collect());
        Ok(Shared::new(testers.map_err(crate::failed)?).map(Devices))
    }
}

impl Device for Devices {
    fn domains(
        &self,
        coefficients: &[u128; 4],
        first: u64,
        n: u64,
        count: u64,
        strip: &Strip,
        passed: &mut Vec<u64>,
    ) -> Result<(), Error> {
        let begin = passed.len();
        let found = self.0.free().domains(coefficients, first, n, count, strip.above, strip.width, passed);
        found.map_err(|error| Error::Device(format!("device: {error}")))?;
        passed[begin..].iter_mut().for_each(|number| *number = first + *number * n);
        Ok(())
    }
}

/// The work of a judgement, in that of other calls.
const JUDGEMENT: usize = 1 << 12;

/// Judged cases that a thread takes at once.
const CASES: usize = 64;

/// x, f(x) rounded to nearest, the distance in ulps, the identical bits.
type Numbers<'py> = [Bound<'py, PyArray1<f64>>; 4];

/// `Numbers` for each case, whether it is exact, and how many arguments were searched.
type Cases<'py> = (Numbers<'py>, Bound<'py, PyArray1<bool>>, u64);

/// The hard cases of an interval, ascending.
#[pyfunction]
#[pyo3(signature = (function, lo, hi, within, modes, format, progress, threads, device))]
#[allow(clippy::too_many_arguments, reason = "the options of a call by keyword")]
fn cases<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = word::<name::Function>)] function: String,
    lo: f64,
    hi: f64,
    within: f64,
    #[pyo3(from_py_with = choice::<name::Modes>)] modes: &'static str,
    #[pyo3(from_py_with = choice::<name::Format>)] format: &'static str,
    progress: Option<&Bound<'_, PyAny>>,
    #[pyo3(from_py_with = optional_count::<name::Threads>)] threads: Option<usize>,
    #[pyo3(from_py_with = devices::choice)] device: Choice,
) -> PyResult<Cases<'py>> {
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
    let plan =
        SearchPlan::new(&Problem { function, format, from: lo, to: hi, grid: None, modes, within }).map_err(failed)?;
    let units = 0..plan.units();
    plan.check_size(&units).map_err(failed)?;
    let devices = Devices::open(py, device)?;
    let algorithm = if devices.is_some() { Algorithm::ThreePhase } else { Algorithm::default() };
    let here = plan.clone().on(devices.as_ref().map(|devices| devices as _));
    let mut found = Found::default();
    // As many units together as keep the threads busy for moments between calls of `progress`.
    let together = 64;
    for first in units.clone().step_by(together as usize) {
        let part = first..(first + together).min(units.end);
        let arguments: u64 = part.clone().map(|unit| plan.unit_len(unit)).sum();
        let results = on(py, threads, arguments as usize, |watch| {
            watch.each(part.clone(), |_, unit| {
                Ok(here.search_checked_while(&units, unit, algorithm, &|| watch.goes_on()))
            })
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
    let streams = found.streams.iter().flat_map(|stream| [stream.start, stream.end - 1]);
    let indices: Vec<u64> = found.cases.iter().chain(&found.exact).copied().chain(streams).collect();
    let judged = on(py, threads, indices.len() * JUDGEMENT, |watch| {
        watch.each(indices.chunks(CASES), |_, some| Ok(some.iter().map(|&index| plan.try_judge(index)).collect()))
    })?;
    let judged: Vec<Vec<Judged>> = judged.into_iter().collect::<Result<_, _>>().map_err(failed)?;
    let mut all: Vec<Judged> = judged.into_iter().flatten().collect();
    all.sort_by(|a, b| a.x.to_f64().total_cmp(&b.x.to_f64()));
    let numbers = |of: fn(&Judged) -> f64| PyArray1::from_iter(py, all.iter().map(of));
    let numbers = [
        numbers(|case| case.x.to_f64()),
        numbers(|case| case.nearest.to_f64()),
        numbers(|case| case.distance_ulp),
        numbers(|case| case.bits_after_round),
    ];
    let exact = PyArray1::from_iter(py, all.iter().map(|case| case.exact));
    let range = plan.range(&units);
    Ok((numbers, exact, range.end - range.start))
}

pub fn register(parent: &Bound<'_, PyModule>) -> PyResult<()> {
    let module = crate::submodule(parent, "hardround")?;
    module.add_function(wrap_pyfunction!(cases, &module)?)?;
    module.add_function(wrap_pyfunction!(functions_, &module)?)?;
    Ok(())
}
