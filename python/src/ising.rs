//! `hotloops.ising`.

mod devices;

use std::sync::{Mutex, PoisonError};

use hotloops::Error;
use hotloops::ising::{Acceptance, Beta, Kind, LayeredIsing};
use hotloops::random::Mt19937;
use hotloops_gpu::{Choice, Queue};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PySlice;

use crate::arguments::{choice, name};
use crate::arrays::{contiguous, elements, fresh, of_type, room, shape, wrong, zeros};
use crate::problems::{Bonds, described, generator, random_spins};
use crate::raised;
use crate::schedule::Schedule;
use crate::square::PyLattice;
use crate::threads::{self, Stop, Watch, on, on_raising};
use crate::worldlines::{PyWorldlines, anneal_paths, correlation_gap};

/// Maximum reads of a model: the fastest kinds update this many together.
const READS: usize = 512;

/// The number of reads that are annealed together if a function may end the call between them.
const READS_BETWEEN_CALLS: usize = 16;

/// Updates of spins between two looks for an interruption.
const UPDATES: usize = 1 << 20;

/// Terms of energies that a thread adds up at once.
const TERMS: usize = 1 << 16;

/// A problem, and how its reads are annealed, `layers` together.
struct Anneal<'a> {
    bonds: (&'a [[i64; 2]], &'a [f64]),
    fields: &'a [f64],
    layers: usize,
    acceptance: Acceptance,
    kind: Kind,
    seed: u32,
    schedule: &'a Schedule,
    /// The first spins of the first reads.
    initial: &'a [i8],
    /// A model that a thread can take instead of building one.
    built: Mutex<Option<LayeredIsing>>,
}

impl Anneal<'_> {
    /// Anneals the reads of `spins`, from part number `first` on. Parts of equal size share a model; a thread
    /// builds one.
    fn parts(&self, first: usize, spins: &mut [i8], watch: &Watch) -> Result<(), Stop> {
        let len = self.layers * self.fields.len();
        let parts_of_thread = spins.len().div_ceil(len).div_ceil(watch.threads());
        watch.each(spins.chunks_mut(parts_of_thread * len), |thread, spins| {
            let mut model = self.any_model(watch)?;
            spins.chunks_mut(len).enumerate().try_for_each(|(part, spins)| {
                self.part(&mut model, first + thread * parts_of_thread + part, spins, watch)
            })
        })?;
        Ok(())
    }

    /// The model that was built before, or another one.
    fn any_model(&self, watch: &Watch) -> Result<LayeredIsing, Stop> {
        let built = self.built.lock().unwrap_or_else(PoisonError::into_inner).take();
        built.map_or_else(|| self.model(watch), Ok)
    }

    /// A model for `layers` reads, the spins +1.
    fn model(&self, watch: &Watch) -> Result<LayeredIsing, Stop> {
        let builder = described(self.layers, self.bonds, self.fields, watch)?.acceptance(self.acceptance);
        builder.build_while(self.kind, || watch.goes_on())?.ok_or(Stop::Interrupted)
    }

    fn part(&self, model: &mut LayeredIsing, part: usize, spins: &mut [i8], watch: &Watch) -> Result<(), Stop> {
        let mut rng = self.begin(model, part, spins.len(), watch)?;
        let together = (UPDATES / (model.layers() * self.fields.len())).max(1) as u64;
        let mut left = 0;
        for (beta, sweeps) in self.schedule.steps(together) {
            if left < sweeps {
                watch.check()?;
                left = together;
            }
            left -= sweeps;
            model.sweep(&mut rng, Beta { space: beta, tau: 0.0 }, sweeps)?;
        }
        self.finish(model, spins, watch)
    }

    /// Gives a model the first spins of a part whose reads have `wanted` spins. Returns the part's generator.
    fn begin(&self, model: &mut LayeredIsing, part: usize, wanted: usize, watch: &Watch) -> Result<Mt19937, Stop> {
        let mut rng = generator(self.seed, part as u32)?;
        let (sites, len) = (self.fields.len(), model.layers() * self.fields.len());
        let mut first = room(len, 1)?;
        random_spins(&mut rng, &mut first, watch)?;
        let given = self.initial.get(part * self.layers * sites..).unwrap_or(&[]);
        let given = &given[..given.len().min(wanted)];
        first[..given.len()].copy_from_slice(given);
        if !model.set_spins_while(&first, || watch.goes_on())? {
            return Err(Stop::Interrupted);
        }
        Ok(rng)
    }

    /// Copies the reads of a part.
    fn finish(&self, model: &LayeredIsing, spins: &mut [i8], watch: &Watch) -> Result<(), Stop> {
        for (layer, spins) in spins.chunks_exact_mut(self.fields.len()).enumerate() {
            watch.check()?;
            model.copy_layer(layer, spins)?;
        }
        Ok(())
    }

    /// Anneals the reads of `spins`, from part number `first` on, by threads or on devices.
    fn run(
        &self,
        py: Python<'_>,
        threads: Option<usize>,
        queues: &[Queue],
        first: usize,
        spins: &mut [i8],
    ) -> PyResult<()> {
        let updates = spins.len().saturating_mul(self.schedule.sweeps());
        if queues.is_empty() {
            return on(py, threads, updates, |watch| self.parts(first, spins, watch));
        }
        // Sweeps on a device always take long enough to release the interpreter lock.
        let work = usize::MAX;
        let devices: Vec<_> = queues.iter().map(|queue| queue.device().clone()).collect();
        on(py, Some(devices.len()), work, |watch| self.parts_on(&devices, first, spins, watch))
    }
}

/// anneal(pairs, biases, fields, reads, betas, seed, threads=None, initial=None, interrupt=None, is_gibbs=None,
///        per_beta=1, warn=None, device='cpu', kind='auto')
/// --
///
/// Spins (int8, +1 and -1) of shape (reads, sites) after an anneal with `per_beta` sweeps at each of `betas` (float32),
/// or at each of `count` if these are ("geometric" or "linear", hot, cold, count). `pairs` (int64) has rows (i, j),
/// `biases` their J, `fields` a number for each site, and the energy is -sum J s s - sum h s. The spins do not depend
/// on the number of threads or the instruction set. `initial` has the first spins of the first reads; others begin
/// at random. `interrupt` is called after some reads each: if it returns True, the result has only the reads made by
/// then. `is_gibbs` selects the heat bath, or Metropolis; `warn` is called first if Metropolis may go round in
/// circles. `device` and `kind` are those of `Sampler.sample`.
#[pyfunction]
#[pyo3(signature = (pairs, biases, fields, reads, betas, seed, threads = None, initial = None, interrupt = None,
                    is_gibbs = None, per_beta = 1, warn = None, device = Choice::Cpu, kind = "auto"))]
#[allow(clippy::too_many_arguments, reason = "the options of a call by keyword")]
fn anneal<'py>(
    py: Python<'py>,
    pairs: &Bound<'py, PyAny>,
    biases: &Bound<'py, PyAny>,
    fields: &Bound<'py, PyAny>,
    reads: usize,
    betas: &Bound<'py, PyAny>,
    seed: u32,
    threads: Option<usize>,
    initial: Option<&Bound<'py, PyAny>>,
    interrupt: Option<&Bound<'py, PyAny>>,
    is_gibbs: Option<bool>,
    per_beta: u64,
    warn: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = crate::devices::choice)] device: Choice,
    #[pyo3(from_py_with = choice::<name::Kind>)] kind: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let fields = contiguous(&of_type::<f64>("fields", fields)?)?;
    let fields = elements(&fields);
    let sites = fields.len();
    let bonds = Bonds::of(pairs, biases, "biases", sites)?;
    let initial = initial.map(|initial| contiguous(&of_type::<i8>("initial", initial)?)).transpose()?;
    let (array, spins) = zeros::<i8>(py, &[reads, sites])?;
    if spins.is_empty() {
        return Ok(array.into_any());
    }
    let layers = together(reads, interrupt.is_some());
    let schedule = Schedule::of(betas, per_beta)?;
    let initial = initial.as_ref().map_or(&[][..], |all| elements(all));
    let acceptance = match is_gibbs {
        None => Acceptance::Auto,
        Some(false) => Acceptance::Metropolis,
        Some(true) => Acceptance::HeatBath,
    };
    let (bonds, schedule, built) = (bonds.parts(), &schedule, Mutex::new(None));
    let word = kind;
    let kind = Kind::ALL.into_iter().find(|&kind| word_of(kind) == word).unwrap_or_default();
    let mut work = Anneal { bonds, fields, layers, acceptance, kind, seed, schedule, initial, built };
    let warn = warn.filter(|_| acceptance == Acceptance::Metropolis);
    let mut queues = Vec::new();
    if warn.is_some() || device != Choice::Cpu || kind != Kind::Auto {
        let unfit = |error| match error {
            Error::NoMemory => raised(error),
            error if kind == Kind::Auto => raised(error),
            error => wrong("kind", format_args!("{word} cannot run this problem: {error}; choose another kind")),
        };
        let model = on_raising(py, Some(1), bonds.1.len() + sites, unfit, |watch| work.model(watch))?;
        if let Some(warn) = warn.filter(|_| model.may_trap()) {
            warn.call0()?;
        }
        queues = crate::devices::open_if(py, device, devices::unfit(&model))?;
        work.built = Mutex::new(Some(model));
    }
    let Some(interrupt) = interrupt else {
        work.run(py, threads, &queues, 0, spins)?;
        return Ok(array.into_any());
    };
    let of_devices = devices::MODELS * queues.len();
    let (mut done, parts_of_round) = (0, threads::count(threads)?.max(of_devices));
    for (round, spins) in spins.chunks_mut(parts_of_round.max(1) * layers * sites).enumerate() {
        work.run(py, threads, &queues, round * parts_of_round, spins)?;
        done += spins.len() / sites;
        if interrupt.call0()?.is_truthy()? {
            break;
        }
    }
    array.get_item(PySlice::new(py, 0, done as isize, 1))
}

/// The word of a kind, such as `i8-exact` of `I8Exact`.
fn word_of(kind: Kind) -> String {
    let name = format!("{kind:?}");
    let dash = |(index, letter): (usize, char)| {
        let dash = if index > 0 && letter.is_uppercase() { "-" } else { "" };
        format!("{dash}{}", letter.to_ascii_lowercase())
    };
    name.char_indices().map(dash).collect()
}

/// The number of reads that share a model.
fn together(reads: usize, has_interrupt: bool) -> usize {
    let most = if has_interrupt { READS_BETWEEN_CALLS } else { READS };
    reads.div_ceil(reads.div_ceil(most).max(1))
}

/// may_trap(pairs, biases, fields, reads)
/// --
///
/// Whether the Metropolis rule may go round in circles in an anneal of these arguments.
#[pyfunction]
fn may_trap(
    pairs: &Bound<'_, PyAny>,
    biases: &Bound<'_, PyAny>,
    fields: &Bound<'_, PyAny>,
    reads: usize,
) -> PyResult<bool> {
    let py = pairs.py();
    let fields = contiguous(&of_type::<f64>("fields", fields)?)?;
    let fields = elements(&fields);
    let bonds = Bonds::of(pairs, biases, "biases", fields.len())?;
    if fields.is_empty() {
        return Ok(false);
    }
    let (bonds, layers) = (bonds.parts(), together(reads, false));
    on(py, Some(1), bonds.1.len() + fields.len(), |watch| {
        let builder = described(layers, bonds, fields, watch)?;
        let model = builder.build_while(Kind::Auto, || watch.goes_on())?;
        Ok(model.ok_or(Stop::Interrupted)?.may_trap())
    })
}

/// beta_range(pairs, biases, fields)
/// --
///
/// The library's default inverse temperatures of an anneal, hot and cold. The problem is that of `anneal`.
#[pyfunction]
fn beta_range(pairs: &Bound<'_, PyAny>, biases: &Bound<'_, PyAny>, fields: &Bound<'_, PyAny>) -> PyResult<(f64, f64)> {
    let py = pairs.py();
    let fields = contiguous(&of_type::<f64>("fields", fields)?)?;
    let fields = elements(&fields);
    let bonds = Bonds::of(pairs, biases, "biases", fields.len())?;
    let bonds = bonds.parts();
    // A model has a site; without couplings and fields it has the same range as none.
    let fields = if fields.is_empty() { &[0.0] } else { fields };
    let range = |watch: &Watch| Ok(described(2, bonds, fields, watch)?.beta_range()?);
    Ok(on(py, Some(1), bonds.1.len() + fields.len(), range)?.into())
}

/// binary_fields(pairs, biases, linear)
/// --
///
/// The fields of the same problem in spins, for variables 0 and 1.
#[pyfunction]
fn binary_fields<'py>(
    pairs: &Bound<'py, PyAny>,
    biases: &Bound<'py, PyAny>,
    linear: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let linear = contiguous(&of_type::<f64>("linear", linear)?)?;
    let linear = elements(&linear);
    let bonds = Bonds::of(pairs, biases, "biases", linear.len())?;
    let (pairs, biases) = bonds.parts();
    let products = pairs.iter().zip(biases).map(|(&[i, j], &bias)| (i as usize, j as usize, bias));
    let fields = hotloops::ising::binary_fields(linear, products).map_err(raised)?;
    Ok(PyArray1::from_slice(bonds.pairs.py(), &fields))
}

/// energies(samples, linear, pairs, biases, threads=None)
/// --
///
/// The sum of linear[i] x[i] and of biases[k] x[i] x[j], where (i, j) is pairs[k], for each row x of `samples`
/// (int8).
#[pyfunction]
#[pyo3(signature = (samples, linear, pairs, biases, threads = None))]
fn energies<'py>(
    samples: &Bound<'py, PyAny>,
    linear: &Bound<'py, PyAny>,
    pairs: &Bound<'py, PyAny>,
    biases: &Bound<'py, PyAny>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let samples = contiguous(&of_type::<i8>("samples", samples)?)?;
    let linear = contiguous(&of_type::<f64>("linear", linear)?)?;
    let linear = elements(&linear);
    let [reads, sites] = shape("samples", &samples)?;
    if linear.len() != sites {
        return Err(wrong("linear", format_args!("expected {sites}, found {}", linear.len())));
    }
    let bonds = Bonds::of(pairs, biases, "biases", sites)?;
    let ((pairs, biases), samples) = (bonds.parts(), elements(&samples));
    let (array, energies) = fresh::<f64>(bonds.pairs.py(), reads)?;
    if sites > 0 {
        let terms = sites + pairs.len();
        let together = (TERMS / terms).max(1);
        on(array.py(), threads, reads.saturating_mul(terms), |watch| {
            watch.each(energies.chunks_mut(together).zip(samples.chunks(together * sites)), |_, (energies, samples)| {
                for (energy, x) in energies.iter_mut().zip(samples.chunks_exact(sites)) {
                    let fields = linear.iter().zip(x).map(|(h, &x)| h * f64::from(x)).sum::<f64>();
                    let of_pair = |&[i, j]: &[i64; 2]| f64::from(x[i as usize] * x[j as usize]);
                    *energy = fields + pairs.iter().zip(biases).map(|(pair, bias)| bias * of_pair(pair)).sum::<f64>();
                }
                Ok(())
            })
        })?;
    }
    Ok(array)
}

pub fn register(parent: &Bound<'_, PyModule>) -> PyResult<()> {
    let module = crate::submodule(parent, "ising")?;
    module.add_function(wrap_pyfunction!(anneal, &module)?)?;
    module.add_function(wrap_pyfunction!(beta_range, &module)?)?;
    module.add_function(wrap_pyfunction!(binary_fields, &module)?)?;
    module.add_function(wrap_pyfunction!(energies, &module)?)?;
    module.add_function(wrap_pyfunction!(may_trap, &module)?)?;
    module.add_class::<PyLattice>()?;
    module.add_function(wrap_pyfunction!(anneal_paths, &module)?)?;
    module.add_class::<PyWorldlines>()?;
    module.add_function(wrap_pyfunction!(correlation_gap, &module)?)?;
    Ok(())
}
