//! `hotloops.ising`.

use hotloops::Error;
use hotloops::ising::{Beta, Kind, LayeredIsing};
use hotloops::random::Mt19937;
use numpy::{PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::arrays::{fresh, wrong};
use crate::raised;
use crate::threads::on;

/// Reads of one model: what the fastest kinds update at once.
const READS: usize = 512;

/// anneal(sites, couplings, fields, reads, betas, seed, threads=None)
/// --
///
/// Spins (int8, +1 and -1) of shape (reads, sites) after an anneal with one sweep at each of
/// `betas`. `couplings` is a list of (i, j, J), `fields` has a number for each site, and the energy
/// is -sum J s s - sum h s. The spins do not depend on the number of threads or the instruction set.
#[pyfunction]
#[pyo3(signature = (sites, couplings, fields, reads, betas, seed, threads = None))]
#[allow(clippy::too_many_arguments, reason = "the options of a call by keyword")]
fn anneal<'py>(
    py: Python<'py>,
    sites: usize,
    couplings: Vec<(usize, usize, f64)>,
    fields: Vec<f64>,
    reads: usize,
    betas: Vec<f32>,
    seed: u32,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArray2<i8>>> {
    let elements = reads.checked_mul(sites).ok_or_else(|| wrong("reads", "the result is too large"))?;
    if elements == 0 {
        return fresh::<i8>(py, 0).0.reshape([reads, sites]);
    }
    let (array, spins) = fresh::<i8>(py, elements);
    let steps = steps(&betas);
    on(py, threads, || {
        spins.par_chunks_mut(READS * sites).enumerate().try_for_each(|(part, spins)| {
            let layers = spins.len() / sites;
            let builder = LayeredIsing::builder(layers.max(2), sites).tau_coupling(0.0);
            let mut model = builder.couplings(couplings.iter().copied()).fields(&fields).build(Kind::Auto)?;
            let mut rng = Mt19937::from_arrays(
                &(0..16)
                    .map(|lane| [seed, part as u32, lane])
                    .collect::<Vec<_>>()
                    .iter()
                    .map(|key| &key[..])
                    .collect::<Vec<_>>(),
            )?;
            let mut words = vec![0; layers.max(2) * sites];
            rng.fill_u32(&mut words);
            let random: Vec<i8> = words.iter().map(|word| if word >> 31 == 0 { 1 } else { -1 }).collect();
            model.set_spins(&random)?;
            for &(beta, sweeps) in &steps {
                model.sweep(&mut rng, Beta { space: beta, tau: 0.0 }, sweeps)?;
            }
            for (layer, spins) in spins.chunks_exact_mut(sites).enumerate() {
                model.copy_layer(layer, spins)?;
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
