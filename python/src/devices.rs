//! The argument `device`: where the kernels of a call run.

use std::ffi::CString;
use std::sync::Mutex;

use hotloops::fingerprints::{Condition, Match};
use hotloops::hamming::BitRows;
use hotloops_gpu::fingerprints::Searcher;
use hotloops_gpu::{Choice, Error, Queue};
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString};

use crate::arguments::{integer, unexpected};
use crate::arrays::wrong;
use crate::threads::{Stop, on};
use crate::{failed, raised};

/// Queries that are searched for between two looks for an interruption, at least.
const QUERIES: usize = 1024;

/// "cpu", "auto", "all", or the number of a device.
pub fn choice(value: &Bound<'_, PyAny>) -> PyResult<Choice> {
    if let Ok(word) = value.cast::<PyString>() {
        return match &*word.extract::<String>().unwrap_or_default() {
            "cpu" => Ok(Choice::Cpu),
            "auto" => Ok(Choice::Auto),
            "all" => Ok(Choice::All),
            word => Err(wrong("device", format_args!("{word:?} is none of cpu, auto, all; or give a device's number"))),
        };
    }
    if value.is_instance_of::<PyBool>() {
        return Err(unexpected("device", "a word or the number of a device", value));
    }
    integer("device", value).map(Choice::Number)
}

/// Opens the devices, each with its self-test. None for the CPU.
pub fn open(py: Python<'_>, choice: Choice) -> PyResult<Vec<Queue>> {
    if choice == Choice::Cpu {
        return Ok(Vec::new());
    }
    let opened = py.detach(|| choice.open(None)).map_err(failed)?;
    opened.note.map_or(Ok(()), |why| note(py, &why))?;
    Ok(opened.queues)
}

/// The same for a call that devices may not be able to do, for a reason.
pub fn open_if(py: Python<'_>, choice: Choice, unfit: Option<String>) -> PyResult<Vec<Queue>> {
    match (choice, unfit) {
        (Choice::Cpu, _) | (_, None) => open(py, choice),
        (Choice::Auto, Some(why)) => note(py, &why).map(|()| Vec::new()),
        (_, Some(why)) => Err(wrong("device", why)),
    }
}

/// Warns that the CPU does the work of "auto".
fn note(py: Python<'_>, why: &str) -> PyResult<()> {
    let text = CString::new(format!("device: {why}; the CPU runs the kernels"))?;
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 1)
}

/// Rows on devices, each with a part of them.
pub struct Rows {
    /// Each with the number of its first row.
    searchers: Vec<(Mutex<Searcher>, usize)>,
}

impl Rows {
    /// Copies rows to devices.
    pub fn new(queues: Vec<Queue>, bytes: &[u8], (n, bits, stride): (usize, usize, usize)) -> Result<Self, Error> {
        let count = queues.len();
        let mut searchers = Vec::new();
        for (i, queue) in queues.into_iter().enumerate() {
            let [first, end] = [i, i + 1].map(|i| (n as u128 * i as u128 / count as u128) as usize);
            let part = BitRows::new(&bytes[first * stride..end * stride], end - first, bits, stride)?;
            searchers.push((Mutex::new(Searcher::new(queue, part)?), first));
        }
        Ok(Rows { searchers })
    }

    /// The best matches of each query, or all, best first, equal scores by row.
    pub fn search(
        &self,
        py: Python<'_>,
        (queries, n, width): (&[u8], usize, usize),
        bits: usize,
        condition: &Condition,
        top: Option<usize>,
    ) -> PyResult<Vec<Vec<Match>>> {
        condition.check().map_err(raised)?;
        let parts = on(py, Some(self.searchers.len()), usize::MAX, |watch| {
            watch.each(&self.searchers, |_, (searcher, first)| {
                let mut searcher = searcher.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                let mut all = Vec::new();
                for from in (0..n).step_by(QUERIES) {
                    let some = QUERIES.min(n - from);
                    let queries = BitRows::new(&queries[from * width..][..some * width], some, bits, width)?;
                    let found = searcher.find_while(queries, condition, top, |_| watch.goes_on())?;
                    all.extend(found.ok_or(Stop::Interrupted)?);
                }
                all.iter_mut().flatten().for_each(|hit| hit.row += *first as u64);
                Ok(all)
            })
        })?;
        let mut parts = parts.into_iter();
        let mut all = parts.next().unwrap_or_default();
        parts.for_each(|part| all.iter_mut().zip(part).for_each(|(all, mut more)| all.append(&mut more)));
        py.detach(|| {
            for matches in &mut all {
                matches.sort_unstable_by(|x, y| condition.precedes(y, x).cmp(&condition.precedes(x, y)));
                matches.truncate(top.unwrap_or(usize::MAX));
            }
        });
        Ok(all)
    }
}
