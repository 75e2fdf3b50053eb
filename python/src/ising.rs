//! `hotloops.ising`.

use hotloops::Error;
use hotloops::ising::{Beta, Kind, LayeredIsing};
use hotloops::random::Mt19937;
use numpy::{PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::arrays::{contiguous, elements, fresh, of_type, shape, wrong};
use crate::raised;
use crate::threads::on;

/// The largest number of reads of a model: the fastest kinds update so many together.
const READS: usize = 512;

/// anneal(pairs, biases, fields, reads, betas, seed, threads=None)
/// --
///
/// Spins (int8, +1 and -1) of shape (reads, sites) after an anneal with one sweep at each of
/// `betas`. `pairs` (int64) has rows (i, j), `biases` their J, `fields` a number for each site, and the energy
/// is -sum J s s - sum h s. The spins do not depend on the number of threads or the instruction set.
#[pyfunction]
#[pyo3(signature = (pairs, biases, fields, reads, betas, seed, threads = None))]
#[allow(clippy::too_many_arguments, reason = "the options of a call by keyword")]
fn anneal<'py>(
    py: Python<'py>,
    pairs: &Bound<'py, PyAny>,
    biases: &Bound<'py, PyAny>,
    fields: &Bound<'py, PyAny>,
    reads: usize,
    betas: Vec<f32>,
    seed: u32,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArray2<i8>>> {
    let pairs = contiguous(&of_type::<i64>("pairs", pairs)?)?;
    let [count, 2] = shape("pairs", &pairs)? else { return Err(wrong("pairs", "expected two columns")) };
    let (couplings, _) = elements(&pairs).as_chunks::<2>();
    let biases = contiguous(&of_type::<f64>("biases", biases)?)?;
    let biases = elements(&biases);
    if biases.len() != count {
        return Err(wrong("biases", format_args!("expected {count}, found {}", biases.len())));
    }
    let fields = contiguous(&of_type::<f64>("fields", fields)?)?;
    let fields = elements(&fields);
    let sites = fields.len();
    let size = reads.checked_mul(sites).ok_or_else(|| wrong("reads", "the result is too large"))?;
    if size == 0 {
        return fresh::<i8>(py, 0).0.reshape([reads, sites]);
    }
    let (array, spins) = fresh::<i8>(py, size);
    let steps = steps(&betas);
    // Parts of equal size share a model; a thread builds one.
    let parts = reads.div_ceil(READS);
    let layers = reads.div_ceil(parts);
    on(py, threads, || {
        let parts_of_thread = parts.div_ceil(rayon::current_num_threads());
        spins.par_chunks_mut(parts_of_thread * layers * sites).enumerate().try_for_each(|(thread, spins)| {
            let layers_of_model = layers.max(2);
            let builder = LayeredIsing::builder(layers_of_model, sites).tau_coupling(0.0);
            let couplings = couplings.iter().zip(biases).map(|(&[i, j], &bias)| (i as usize, j as usize, bias));
            let mut model = builder.couplings(couplings).fields(fields).build(Kind::Auto)?;
            for (part, spins) in spins.chunks_mut(layers * sites).enumerate() {
                let part = thread * parts_of_thread + part;
                let keys: [[u32; 3]; 16] = std::array::from_fn(|lane| [seed, part as u32, lane as u32]);
                let mut rng = Mt19937::from_arrays(&keys.each_ref().map(|key| &key[..]))?;
                let mut words = vec![0; layers_of_model * sites];
                rng.fill_u32(&mut words);
                let random: Vec<i8> = words.iter().map(|word| if word >> 31 == 0 { 1 } else { -1 }).collect();
                model.set_spins(&random)?;
                for &(beta, sweeps) in &steps {
                    model.sweep(&mut rng, Beta { space: beta, tau: 0.0 }, sweeps)?;
                }
                for (layer, spins) in spins.chunks_exact_mut(sites).enumerate() {
                    model.copy_layer(layer, spins)?;
                }
            }
            Ok::<(), Error>(())
        })
    })?
    .map_err(raised)?;
    array.reshape([reads, sites])
}

/// Each inverse temperature with the number of its consecutive sweeps.
fn steps(betas: &[f32]) -> Vec<(f32, u64)> {
    let mut steps: Vec<(f32, u64)> = Vec::new();
    for &beta in betas {
        match steps.last_mut() {
            Some((last, sweeps)) if *last == beta => *sweeps += 1,
            _ => steps.push((beta, 1)),
        }
    }
    steps
}

pub fn register(parent: &Bound<'_, PyModule>) -> PyResult<()> {
    let module = PyModule::new(parent.py(), "ising")?;
    module.add_function(wrap_pyfunction!(anneal, &module)?)?;
    parent.add_submodule(&module)
}
