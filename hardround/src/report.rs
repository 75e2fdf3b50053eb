//! A search in one call.

use std::ops::Range;

use crate::error::Error;
use crate::found::Found;
use crate::judge::Judged;
use crate::plan::{Algorithm, Problem, SearchPlan};

/// The result of [`search`].
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The cases that are not exact, ascending.
    pub cases: Vec<Judged>,
    /// The first and the last argument of runs in which all arguments are cases.
    pub streams: Vec<[Judged; 2]>,
    /// The first arguments whose results are breakpoints.
    pub exact: Vec<Judged>,
    /// The number of arguments searched.
    pub arguments: u64,
    /// The number of blocks that another algorithm searched too, with the same result.
    pub checked: u64,
}

/// Finds all hard cases of an interval, on this thread, with the self-check.
///
/// A [`SearchPlan`] searches in parts: on several threads, or over several days.
///
/// ```
/// use hotloops_hardround::{Dyadic, Format, Formula, Jet, Modes, Problem, search};
///
/// /// x ln x.
/// struct Entropy;
///
/// impl Formula for Entropy {
///     fn name(&self) -> &str {
///         "entropy"
///     }
///     fn domain(&self) -> (f64, f64) {
///         (f64::MIN_POSITIVE, 1e300)
///     }
///     fn jet<const N: usize>(&self, x: &Jet<N>) -> Jet<N> {
///         *x * x.ln()
///     }
///     fn exact(&self, x: Dyadic) -> Option<Dyadic> {
///         (x.to_f64() == 1.0).then_some(Dyadic { m: 0, e: 0 })
///     }
/// }
///
/// let report = search(&Problem {
///     function: &Entropy,
///     format: Format::BINARY32,
///     from: 2.0,
///     to: 4.0,
///     grid: None,
///     modes: Modes::All,
///     within: (-22_f64).exp2(),
/// })?;
/// assert_eq!(report.arguments, 1 << 23);
/// assert!(!report.cases.is_empty());
/// # Ok::<(), hotloops_hardround::Error>(())
/// ```
pub fn search(problem: &Problem) -> Result<Report, Error> {
    let plan = SearchPlan::new(problem)?;
    let units = 0..plan.units();
    plan.check_size(&units)?;
    let mut found = Found::default();
    for unit in units.clone() {
        found.extend(&plan.search_checked(&units, unit, Algorithm::default())?)?;
    }
    found.sort(|index| plan.begins_segment(index));
    let judged = |indices: &[u64]| indices.iter().map(|&index| plan.try_judge(index)).collect::<Result<Vec<_>, _>>();
    let ends = |run: &Range<u64>| Ok([plan.try_judge(run.start)?, plan.try_judge(run.end - 1)?]);
    let range = plan.range(&units);
    Ok(Report {
        cases: judged(&found.cases)?,
        streams: found.streams.iter().map(ends).collect::<Result<_, Error>>()?,
        exact: judged(&found.exact)?,
        arguments: range.end - range.start,
        checked: plan.checked(&units),
    })
}
