//! Anneals of worldlines: reads that are kept as the spins of slice 0, and as kinks.

use hotloops::ising::{Transverse, Worldlines};
use numpy::{PyArray1, PyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;

use super::Step;
use crate::arguments::{name, optional_count};
use crate::arrays::{collected, contiguous, elements, fresh, of_type, reserved, wrong, zeros};
use crate::problems::{Bonds, described, generator, random_spins};
use crate::raised;
use crate::threads::{Stop, Watch, on};

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
        let mut rows = statistics.chunks_exact_mut(sites);
        for (step, &at) in (1..).zip(self.schedule) {
            let now = Step { at, clusters: 0 };
            now.repeat(lines, &mut rng, self.sweeps, watch)?;
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
