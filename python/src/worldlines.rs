//! `hotloops.ising.Worldlines`, and the anneals of worldlines.

use hotloops::ising::{Transverse, Worldlines};
use hotloops::random::Mt19937;
use numpy::{PyArray1, PyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments::{count, long, name, optional_count, real, small};
use crate::arrays::{collected, contiguous, elements, fresh, of_type, reserved, shape, wrong, zeros};
use crate::problems::{Bonds, described, generator, random_spins};
use crate::raised;
use crate::threads::{Stop, Watch, on, run};

/// Lines between two looks for an interruption.
const LINES: usize = 1 << 16;

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
}

impl PyWorldlines {
    /// Sweeps between two looks for an interruption.
    fn together(&self) -> u64 {
        (LINES / self.lines.sites()).max(1) as u64
    }
}

/// Sweeps worldlines while the call goes on.
fn swept(
    lines: &mut Worldlines,
    rng: &mut Mt19937,
    at: Transverse,
    sweeps: u64,
    together: u64,
    watch: &Watch,
) -> Result<u64, Stop> {
    let (mut segments, mut left) = (0, sweeps);
    // Also without sweeps, arguments are checked.
    loop {
        watch.check()?;
        let now = left.min(together);
        segments += lines.sweep(rng, at, now)?;
        left -= now;
        if left == 0 {
            return Ok(segments);
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
        let lines = on(py, Some(1), bonds.1.len() + fields.len(), |watch| {
            let builder = described(slices, bonds, fields, watch)?;
            builder.build_worldlines_while(|| watch.goes_on())?.ok_or(Stop::Interrupted)
        })?;
        Ok(PyWorldlines { lines, rng: generator(seed, 0).map_err(raised)? })
    }

    /// Redraws all lines `sweeps` times at the inverse temperature `beta` in the field `gamma`, and returns the number
    /// of segments that were redrawn. An interrupted call leaves the lines after one of its sweeps.
    ///
    /// Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
    #[pyo3(signature = (beta, gamma, sweeps = 1))]
    fn sweep(
        &mut self,
        py: Python<'_>,
        #[pyo3(from_py_with = real::<name::Beta>)] beta: f64,
        #[pyo3(from_py_with = real::<name::Gamma>)] gamma: f64,
        #[pyo3(from_py_with = long::<name::Sweeps>)] sweeps: u64,
    ) -> PyResult<u64> {
        let together = self.together();
        let work = self.lines.sites().saturating_mul(usize::try_from(sweeps).unwrap_or(usize::MAX));
        let PyWorldlines { lines, rng } = self;
        on(py, Some(1), work.saturating_mul(64), |watch| {
            swept(lines, rng, Transverse { beta, gamma }, sweeps, together, watch)
        })
    }

    /// Makes `count` measurements, `every` sweeps apart, at the inverse temperature `beta` in the field `gamma`: a
    /// dictionary of arrays (float64).
    ///
    /// "energy" estimates the mean of H, "diagonal_energy" that of its terms without gamma, "transverse_magnetisation"
    /// the mean of sx over the sites; "magnetisation" is the mean of all spins of all slices, "kinks" the number of
    /// kinks.
    ///
    /// Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
    #[pyo3(signature = (beta, gamma, count, every = 1))]
    fn series<'py>(
        &mut self,
        py: Python<'py>,
        #[pyo3(from_py_with = real::<name::Beta>)] beta: f64,
        #[pyo3(from_py_with = real::<name::Gamma>)] gamma: f64,
        #[pyo3(from_py_with = count::<name::Count>)] count: usize,
        #[pyo3(from_py_with = long::<name::Every>)] every: u64,
    ) -> PyResult<Bound<'py, PyDict>> {
        const NAMES: [&str; 5] = ["energy", "diagonal_energy", "transverse_magnetisation", "magnetisation", "kinks"];
        let at = Transverse { beta, gamma };
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
        let together = self.together();
        let PyWorldlines { lines, rng } = self;
        let spins = lines.slices() as f64 * lines.sites() as f64;
        on(py, Some(1), usize::MAX, |watch| {
            lines.energy(at)?;
            for row in 0..count {
                swept(lines, rng, at, every, together, watch)?;
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
        self.lines.set_spins(elements(&spins)).map_err(raised)
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

/// A problem, and how its reads are annealed.
struct Paths<'a> {
    bonds: (&'a [[i64; 2]], &'a [f64]),
    fields: &'a [f64],
    slices: usize,
    seed: u32,
    schedule: &'a [Transverse],
    sweeps: u64,
    interval: usize,
    initial: &'a [i8],
}

/// The spins of slice 0 of a read, those of its statistics, and its kinks if they are wanted.
type Read<'a> = ((&'a mut [i8], &'a mut [i8]), &'a mut Vec<Vec<i32>>);

impl Paths<'_> {
    fn read(&self, lines: &mut Worldlines, number: usize, read: Read, wants: bool, watch: &Watch) -> Result<(), Stop> {
        let ((spins, statistics), kinks) = read;
        let mut rng = generator(self.seed, number as u32)?;
        random_spins(&mut rng, spins, watch)?;
        let sites = self.fields.len();
        if let Some(given) = self.initial.get(number * sites..(number + 1) * sites) {
            spins.copy_from_slice(given);
        }
        lines.set_spins(spins)?;
        let together = (LINES / sites).max(1) as u64;
        let mut rows = statistics.chunks_exact_mut(sites);
        for (step, &at) in (1..).zip(self.schedule) {
            swept(lines, &mut rng, at, self.sweeps, together, watch)?;
            if self.interval > 0
                && step % self.interval == 0
                && let Some(row) = rows.next()
            {
                lines.spins(0, row)?;
            }
        }
        lines.spins(0, spins)?;
        if wants {
            for site in 0..sites {
                kinks.push(collected(lines.line(site)?.1.iter().copied())?);
            }
        }
        Ok(())
    }
}

/// The spins, those of the statistics, the number of kinks of each line, and their positions.
type Annealed<'py> =
    (Bound<'py, PyAny>, Bound<'py, PyAny>, Option<(Bound<'py, PyArrayDyn<i32>>, Bound<'py, PyArray1<i32>>)>);

/// anneal_paths(pairs, biases, fields, reads, betas, gammas, sweeps, slices, seed, threads=None, initial=None,
///              interrupt=None, interval=0, wants_kinks=False)
/// --
///
/// Spins of slice 0 (int8) of shape (reads, sites) after `sweeps` sweeps of worldlines at each of `betas` and `gammas`
/// (float64); the problem, `initial` and `interrupt` are those of `anneal`. Also the spins after each `interval` steps,
/// of shape (reads, steps // interval, sites), and None or the lengths of the lists of kinks (int32), of shape (reads,
/// sites), and all kinks.
#[pyfunction]
#[pyo3(signature = (pairs, biases, fields, reads, betas, gammas, sweeps, slices, seed, threads = None, initial = None,
                    interrupt = None, interval = 0, wants_kinks = false))]
#[allow(clippy::too_many_arguments, reason = "the options of a call by keyword")]
pub fn anneal_paths<'py>(
    py: Python<'py>,
    pairs: &Bound<'py, PyAny>,
    biases: &Bound<'py, PyAny>,
    fields: &Bound<'py, PyAny>,
    reads: usize,
    betas: &Bound<'py, PyAny>,
    gammas: &Bound<'py, PyAny>,
    sweeps: u64,
    slices: usize,
    seed: u32,
    #[pyo3(from_py_with = optional_count::<name::Threads>)] threads: Option<usize>,
    initial: Option<&Bound<'py, PyAny>>,
    interrupt: Option<&Bound<'py, PyAny>>,
    interval: usize,
    wants_kinks: bool,
) -> PyResult<Annealed<'py>> {
    let [fields, betas, gammas] = [("fields", fields), ("betas", betas), ("gammas", gammas)]
        .map(|(name, values)| of_type::<f64>(name, values).and_then(|values| contiguous(&values)));
    let (fields, betas, gammas) = (fields?, betas?, gammas?);
    if betas.len() != gammas.len() {
        return Err(wrong("gammas", format_args!("expected {}, found {}", betas.len(), gammas.len())));
    }
    let points = elements(&betas).iter().zip(elements(&gammas)).map(|(&beta, &gamma)| Transverse { beta, gamma });
    let schedule = collected(points).map_err(raised)?;
    let fields = elements(&fields);
    let sites = fields.len();
    let bonds = Bonds::of(pairs, biases, "biases", sites)?;
    let initial = initial.map(|initial| contiguous(&of_type::<i8>("initial", initial)?)).transpose()?;
    let initial = initial.as_ref().map_or(&[][..], |all| elements(all));
    let samples = schedule.len().checked_div(interval).unwrap_or(0);
    let (array, spins) = zeros::<i8>(py, &[reads, sites])?;
    let (statistics, rows) = zeros::<i8>(py, &[reads, samples, sites])?;
    let mut kinks: Vec<Vec<Vec<i32>>> = reserved(reads)?;
    kinks.resize_with(reads, Vec::new);
    let paths = Paths { bonds: bonds.parts(), fields, slices, seed, schedule: &schedule, sweeps, interval, initial };
    let mut done = 0;
    if !spins.is_empty() {
        let round = if interrupt.is_some() { crate::threads::count(threads)? } else { reads };
        let mut rest = rows;
        for (number, (spins, kinks)) in spins.chunks_mut(round * sites).zip(kinks.chunks_mut(round)).enumerate() {
            let (rows, later) = std::mem::take(&mut rest).split_at_mut(kinks.len() * samples * sites);
            rest = later;
            let work = spins.len().saturating_mul(schedule.len()).saturating_mul(sweeps as usize).saturating_mul(64);
            on(py, threads, work, |watch| all_reads(&paths, number * round, spins, rows, kinks, wants_kinks, watch))?;
            done += kinks.len();
            if let Some(interrupt) = interrupt
                && interrupt.call0()?.is_truthy()?
            {
                break;
            }
        }
    }
    let first = |array: Bound<'py, PyAny>| array.get_item(pyo3::types::PySlice::new(py, 0, done as isize, 1));
    let kinks = wants_kinks.then(|| {
        let (counts, numbers) = zeros::<i32>(py, &[done, sites])?;
        let all = || kinks.iter().flatten();
        numbers.iter_mut().zip(all()).for_each(|(number, kinks)| *number = kinks.len() as i32);
        let (positions, places) = fresh::<i32>(py, all().map(Vec::len).sum())?;
        places.iter_mut().zip(all().flatten()).for_each(|(place, kink)| *place = *kink);
        PyResult::Ok((counts, positions))
    });
    Ok((first(array.into_any())?, first(statistics.into_any())?, kinks.transpose()?))
}

/// Anneals reads from number `first` on; a thread builds one model.
fn all_reads(
    paths: &Paths,
    first: usize,
    spins: &mut [i8],
    rows: &mut [i8],
    kinks: &mut [Vec<Vec<i32>>],
    wants: bool,
    watch: &Watch,
) -> Result<(), Stop> {
    let (sites, reads) = (paths.fields.len(), kinks.len());
    let of_thread = reads.div_ceil(watch.threads()).max(1);
    let row = rows.len() / reads;
    // Rows may be empty: `chunks_mut` would have no parts.
    let mut rest = rows;
    let mut parts = Vec::new();
    for part in 0..reads.div_ceil(of_thread) {
        let count = of_thread.min(reads - part * of_thread);
        let (now, later) = std::mem::take(&mut rest).split_at_mut(count * row);
        rest = later;
        parts.push(now);
    }
    let parts = spins.chunks_mut(of_thread * sites).zip(parts).zip(kinks.chunks_mut(of_thread));
    watch.each(parts, |part, ((spins, mut rows), kinks)| {
        let builder = described(paths.slices, paths.bonds, paths.fields, watch)?;
        let mut lines = builder.build_worldlines_while(|| watch.goes_on())?.ok_or(Stop::Interrupted)?;
        for (number, (spins, kinks)) in spins.chunks_mut(sites).zip(kinks).enumerate() {
            let (now, later) = std::mem::take(&mut rows).split_at_mut(row);
            rows = later;
            paths.read(&mut lines, first + part * of_thread + number, ((spins, now), kinks), wants, watch)?;
        }
        Ok(())
    })?;
    Ok(())
}
