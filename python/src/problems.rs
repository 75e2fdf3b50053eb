//! Problems of `hotloops.ising`: their arrays, their descriptions for the library, and their first spins.

use hotloops::ising::{Builder, LayeredIsing};
use hotloops::random::Mt19937;
use numpy::{PyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::arrays::{contiguous, elements, of_type, room, shape, wrong};
use crate::threads::{Stop, Watch};

/// Bonds that are added to a description between two looks for an interruption.
const BONDS: usize = 1 << 18;

/// Spins that are drawn between two looks for an interruption.
const DRAWN: usize = 1 << 20;

/// The bonds of a problem: pairs of sites, and a number for each.
pub struct Bonds<'py> {
    pub pairs: Bound<'py, PyArrayDyn<i64>>,
    biases: Bound<'py, PyArrayDyn<f64>>,
}

impl<'py> Bonds<'py> {
    /// `name` is that of the argument `biases`.
    pub fn of(pairs: &Bound<'py, PyAny>, biases: &Bound<'py, PyAny>, name: &str, sites: usize) -> PyResult<Self> {
        let pairs = contiguous(&of_type::<i64>("pairs", pairs)?)?;
        let [count, 2] = shape("pairs", &pairs)? else { return Err(wrong("pairs", "expected two columns")) };
        let biases = contiguous(&of_type::<f64>(name, biases)?)?;
        if biases.len() != count {
            return Err(wrong(name, format_args!("expected {count}, one for each of pairs, found {}", biases.len())));
        }
        if let Some(site) = elements(&pairs).iter().find(|&&site| !(0..sites as i64).contains(&site)) {
            return Err(wrong("pairs", format_args!("there is no site {site}; fields are those of {sites}")));
        }
        if let Some([site, _]) = elements(&pairs).as_chunks().0.iter().find(|[i, j]| i == j) {
            return Err(wrong(
                "pairs",
                format_args!("{site} is coupled to itself; leave it out and add it to the energy"),
            ));
        }
        Ok(Bonds { pairs, biases })
    }

    /// Pairs and biases.
    pub fn parts(&self) -> (&[[i64; 2]], &[f64]) {
        (elements(&self.pairs).as_chunks().0, elements(&self.biases))
    }
}

/// The description of a model of `layers` independent copies of a problem.
pub fn described(
    layers: usize,
    (pairs, biases): (&[[i64; 2]], &[f64]),
    fields: &[f64],
    watch: &Watch,
) -> Result<Builder, Stop> {
    let mut builder = LayeredIsing::builder(layers.max(2), fields.len()).tau_coupling(0.0);
    for (pairs, biases) in pairs.chunks(BONDS).zip(biases.chunks(BONDS)) {
        watch.check()?;
        let couplings = pairs.iter().zip(biases).map(|(&[i, j], &bias)| (i as usize, j as usize, bias));
        builder = builder.couplings(couplings);
    }
    watch.check()?;
    Ok(builder.fields(fields))
}

/// The generator of a part of a call, as of a run of the command.
pub fn generator(seed: u32, part: u32) -> Result<Mt19937, hotloops::Error> {
    let keys: [[u32; 3]; 16] = std::array::from_fn(|lane| [seed, part, lane as u32]);
    Mt19937::from_arrays(&keys.each_ref().map(|key| &key[..]))
}

/// Draws spins.
pub fn random_spins(rng: &mut Mt19937, spins: &mut [i8], watch: &Watch) -> Result<(), Stop> {
    let mut words = room(spins.len().min(DRAWN), 0)?;
    for spins in spins.chunks_mut(DRAWN) {
        watch.check()?;
        let words = &mut words[..spins.len()];
        rng.fill_u32(words);
        for (spin, word) in spins.iter_mut().zip(words) {
            *spin = if *word >> 31 == 0 { 1 } else { -1 };
        }
    }
    Ok(())
}
