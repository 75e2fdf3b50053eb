//! `hotloops.ising.Worldlines`, and the anneals of worldlines.

mod paths;

use hotloops::Error;
use hotloops::ising::{Transverse, Worldlines};
use hotloops::random::Mt19937;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments::{count, long, name, optional_counts, real, small};
use crate::arrays::{contiguous, elements, fresh, of_type, shape, wrong, zeros};
use crate::problems::{Bonds, described, generator};
use crate::raised;
use crate::threads::{Stop, Watch, on, run};
pub use paths::anneal_paths;

/// Segments between two looks for an interruption.
const SEGMENTS: u64 = 1 << 18;
/// Lags between two looks for an interruption.
const LAGS: usize = 16;

/// Worldlines of a transverse-field Ising model, H = -sum J sz sz - sum h sz - gamma sum sx.
///
/// `pairs` (int64) has rows (i, j) with the couplings J in `couplings` (float64), `fields` the h of each site. A site
/// in all `slices` of imaginary time (2 to 2^30) is the list of its kinks: time and memory of a sweep do not depend on
/// `slices`; the error of means by their number is of order (beta gamma / slices)^2. All spins are +1 at first.
/// Results depend on `seed` and the calls of `sweep` and `series`, and not on the CPU. For independent runs on several
/// threads, use an object for each: a call releases the interpreter lock.
///
/// Raises: ValueError or TypeError with the name of a wrong argument; MemoryError.
///
/// >>> import numpy as np
/// >>> from hotloops.ising import Worldlines
/// >>> sites = np.arange(16)
/// >>> ring = Worldlines(np.stack([sites, (sites + 1) % 16], axis=1), np.ones(16), np.zeros(16), seed=1)
/// >>> segments = ring.sweep(8.0, 1.0, 500)
/// >>> abs(ring.series(8.0, 1.0, 4000)["energy"].mean() + 20.37) < 0.3  # free fermions
/// True
#[pyclass(name = "Worldlines", module = "hotloops.ising")]
pub struct PyWorldlines {
    lines: Worldlines,
    rng: Mt19937,
    /// `None` before the first cluster sweep.
    is_frustrated: Option<bool>,
}

/// The exception for an error of the library, with the argument.
fn named(error: Error) -> PyErr {
    let name = match error {
        Error::NoSites | Error::Field { .. } => "fields",
        Error::DuplicateEdge { .. } => "pairs",
        Error::Coupling { .. } => "couplings",
        Error::Spin { .. } => "spins",
        _ => return raised(error),
    };
    wrong(name, error)
}

impl PyWorldlines {
    /// The step of a call: `clusters` cluster sweeps after each sweep.
    fn step(&mut self, beta: f64, gamma: f64, clusters: u64) -> PyResult<Step> {
        let is_frustrated = match (clusters, self.is_frustrated) {
            (0, _) => false,
            (_, Some(is_frustrated)) => is_frustrated,
            (_, None) => self.lines.is_frustrated().map_err(raised)?,
        };
        if clusters > 0 {
            self.is_frustrated = Some(is_frustrated);
        }
        if is_frustrated {
            let why = "the couplings are frustrated (a closed loop has a negative product), so clusters would move \
                       little; leave it out, and anneal in gamma";
            return Err(wrong("clusters", why));
        }
        Ok(Step { at: Transverse { beta, gamma }, clusters })
    }
}

/// A sweep and its cluster sweeps.
struct Step {
    at: Transverse,
    /// Cluster sweeps after each sweep.
    clusters: u64,
}

impl Step {
    /// Sweeps worldlines while the call goes on. Returns the number of segments.
    fn repeat(&self, lines: &mut Worldlines, rng: &mut Mt19937, sweeps: u64, watch: &Watch) -> Result<u64, Stop> {
        let (mut segments, mut left, mut together) = (0, sweeps, 1);
        // Also without sweeps, arguments are checked.
        loop {
            watch.check()?;
            let now = left.min(together);
            let redrawn = lines.sweep(rng, self.at, now)?;
            segments += redrawn;
            if self.clusters == 0 {
                together = (SEGMENTS / (redrawn / now.max(1)).max(1)).max(1);
            }
            let clusters = if now > 0 { self.clusters } else { 0 };
            if lines.sweep_clusters_while(rng, self.at, clusters, || watch.goes_on())? < clusters {
                return Err(Stop::Interrupted);
            }
            left -= now;
            if left == 0 {
                return Ok(segments);
            }
        }
    }
}

#[pymethods]
impl PyWorldlines {
    #[new]
    #[pyo3(signature = (pairs, couplings, fields, slices = 65536, seed = 0))]
    fn new(
        pairs: &Bound<'_, PyAny>,
        couplings: &Bound<'_, PyAny>,
        fields: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = count::<name::Slices>)] slices: usize,
        #[pyo3(from_py_with = small::<name::Seed>)] seed: u32,
    ) -> PyResult<Self> {
        let py = pairs.py();
        let fields = contiguous(&of_type::<f64>("fields", fields)?)?;
        let [_] = shape("fields", &fields)?;
        let fields = elements(&fields);
        let bonds = Bonds::of(pairs, couplings, "couplings", fields.len())?;
        let bonds = bonds.parts();
        if !(2..=1 << 30).contains(&slices) {
            return Err(wrong("slices", format_args!("expected 2 to 2^30, found {slices}")));
        }
        let built = on(py, Some(1), bonds.1.len() + fields.len(), |watch| {
            Ok(described(slices, bonds, fields, watch)?.build_worldlines_while(|| watch.goes_on()))
        })?;
        let lines = built.map_err(named)?.ok_or_else(|| Stop::Interrupted.raised())?;
        Ok(PyWorldlines { lines, rng: generator(seed, 0).map_err(raised)?, is_frustrated: None })
    }

    /// Redraws all lines `sweeps` times at the inverse temperature `beta` in the field `gamma`, and returns the number
    /// of segments that were redrawn. An interrupted call leaves the lines after one of its sweeps.
    ///
    /// After each of them come `clusters` cluster sweeps in space and imaginary time (Swendsen-Wang), which shorten the
    /// autocorrelation near a transition. Couplings that are frustrated, with a negative product around a closed loop,
    /// are refused.
    ///
    /// Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
    #[pyo3(signature = (beta, gamma, sweeps = 1, clusters = 0))]
    fn sweep(
        &mut self,
        py: Python<'_>,
        #[pyo3(from_py_with = real::<name::Beta>)] beta: f64,
        #[pyo3(from_py_with = real::<name::Gamma>)] gamma: f64,
        #[pyo3(from_py_with = long::<name::Sweeps>)] sweeps: u64,
        #[pyo3(from_py_with = long::<name::Clusters>)] clusters: u64,
    ) -> PyResult<u64> {
        let step = self.step(beta, gamma, clusters)?;
        let work = self.lines.sites().saturating_mul(usize::try_from(sweeps).unwrap_or(usize::MAX));
        let work = work.saturating_mul(64).saturating_mul(1 + clusters as usize);
        let PyWorldlines { lines, rng, .. } = self;
        on(py, Some(1), work, |watch| step.repeat(lines, rng, sweeps, watch))
    }

    /// Makes `count` measurements, `every` sweeps apart, at the inverse temperature `beta` in the field `gamma`: a
    /// dictionary of arrays (float64). `clusters` is that of `sweep`.
    ///
    /// "energy" estimates the mean of H, "diagonal_energy" that of its terms without gamma, "transverse_magnetisation"
    /// the mean of sx over the sites; "magnetisation" is the mean of all spins of all slices, "kinks" the number of
    /// kinks. With `lags`, slices from 0 to `slices` - 1, "correlation" of shape (count, len(lags)) has the mean of
    /// s(t) s(t + lag) over all sites and slices t, which estimates that of sz(0) sz(tau) at
    /// tau = beta lag / `slices`; see `correlation_gap`.
    ///
    /// Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
    #[pyo3(signature = (beta, gamma, count, every = 1, clusters = 0, lags = None))]
    #[allow(clippy::too_many_arguments, reason = "the options of a call by keyword")]
    fn series<'py>(
        &mut self,
        py: Python<'py>,
        #[pyo3(from_py_with = real::<name::Beta>)] beta: f64,
        #[pyo3(from_py_with = real::<name::Gamma>)] gamma: f64,
        #[pyo3(from_py_with = count::<name::Count>)] count: usize,
        #[pyo3(from_py_with = long::<name::Every>)] every: u64,
        #[pyo3(from_py_with = long::<name::Clusters>)] clusters: u64,
        #[pyo3(from_py_with = optional_counts::<name::Lags>)] lags: Option<Vec<usize>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        const NAMES: [&str; 5] = ["energy", "diagonal_energy", "transverse_magnetisation", "magnetisation", "kinks"];
        let step = self.step(beta, gamma, clusters)?;
        let at = step.at;
        if let Some(lag) = lags.iter().flatten().find(|lag| **lag >= self.lines.slices()) {
            return Err(wrong(
                "lags",
                format_args!("expected slices from 0 to {}, found {lag}", self.lines.slices() - 1),
            ));
        }
        let mut arrays = Vec::new();
        for _ in NAMES {
            arrays.push(fresh::<f64>(py, count)?);
        }
        let mut columns: Vec<&mut [f64]> = Vec::new();
        let result = PyDict::new(py);
        for (name, (array, column)) in NAMES.into_iter().zip(arrays) {
            result.set_item(name, array)?;
            columns.push(column);
        }
        let (correlation, mut correlations) = zeros::<f64>(py, &[count, lags.as_ref().map_or(0, Vec::len)])?;
        if lags.is_some() {
            result.set_item("correlation", correlation)?;
        }
        let lags = lags.unwrap_or_default();
        let PyWorldlines { lines, rng, .. } = self;
        let spins = lines.slices() as f64 * lines.sites() as f64;
        on(py, Some(1), usize::MAX, |watch| {
            lines.energy(at)?;
            for row in 0..count {
                step.repeat(lines, rng, every, watch)?;
                let (now, later) = std::mem::take(&mut correlations).split_at_mut(lags.len());
                correlations = later;
                for (lags, now) in lags.chunks(LAGS).zip(now.chunks_mut(LAGS)) {
                    watch.check()?;
                    lines.correlation(lags, now)?;
                }
                let values = [
                    lines.energy(at)?,
                    lines.diagonal_energy(),
                    lines.transverse_magnetisation(at)?,
                    lines.magnetisation() as f64 / spins,
                    lines.kinks() as f64,
                ];
                columns.iter_mut().zip(values).for_each(|(column, value)| column[row] = value);
            }
            Ok(())
        })?;
        Ok(result)
    }

    /// The spins of a slice, +1 or -1 (int8).
    ///
    /// Raises: ValueError or TypeError with the name of a wrong argument; MemoryError.
    #[pyo3(signature = (slice = 0))]
    fn spins<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = count::<name::Slice>)] slice: usize,
    ) -> PyResult<Bound<'py, PyArray1<i8>>> {
        let (array, spins) = fresh::<i8>(py, self.lines.sites())?;
        run(py, self.lines.sites(), || self.lines.spins(slice, spins)).map_err(raised)?;
        Ok(array)
    }

    /// Sets all slices to the same spins, one for each site, without kinks.
    ///
    /// Raises: ValueError or TypeError with the name of a wrong argument; MemoryError.
    fn set_spins(&mut self, spins: &Bound<'_, PyAny>) -> PyResult<()> {
        let spins = contiguous(&of_type::<i8>("spins", spins)?)?;
        self.lines.set_spins(elements(&spins)).map_err(named)
    }

    /// The kinks of a site, ascending (int32): the slices whose spin differs from that of the next slice, or of slice
    /// 0 after the last one.
    ///
    /// Raises: ValueError or TypeError with the name of a wrong argument; MemoryError.
    fn kinks<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = count::<name::Site>)] site: usize,
    ) -> PyResult<Bound<'py, PyArray1<i32>>> {
        Ok(PyArray1::from_slice(py, self.lines.line(site).map_err(raised)?.1))
    }

    /// The number of slices.
    #[getter]
    fn slices(&self) -> usize {
        self.lines.slices()
    }

    /// The number of sites.
    #[getter]
    fn sites(&self) -> usize {
        self.lines.sites()
    }
}

/// The gap for which A cosh(gap (beta / 2 - tau)) + B has the three `values` (float64) at the three `taus` (float64),
/// at any A > 0 and B; None if the values do not fall, or fall as slowly as without a gap.
///
/// It is the lowest excitation that the correlation sees if it has most of the weight at these times, and else lies
/// above it: less, the later the times. `taus` ascend from 0 to at most beta / 2.
/// Raises: ValueError or TypeError with the name of a wrong argument.
///
/// >>> import numpy as np
/// >>> from hotloops import ising
/// >>> taus = np.array([1.0, 2.0, 4.0])
/// >>> round(ising.correlation_gap(8.0, taus, 0.3 + 0.2 * np.cosh(1.7 * (4.0 - taus))), 9)
/// 1.7
#[pyfunction]
pub fn correlation_gap(
    #[pyo3(from_py_with = real::<name::Beta>)] beta: f64,
    taus: &Bound<'_, PyAny>,
    values: &Bound<'_, PyAny>,
) -> PyResult<Option<f64>> {
    let three = |name, values: &Bound<'_, PyAny>| {
        let values = contiguous(&of_type::<f64>(name, values)?)?;
        let [count] = shape(name, &values)?;
        <[f64; 3]>::try_from(elements(&values)).map_err(|_| wrong(name, format_args!("expected 3, found {count}")))
    };
    hotloops::ising::correlation_gap(beta, three("taus", taus)?, three("values", values)?).map_err(raised)
}
