//! The scalar reference of the programs B.1 and B.2: one spin at a time.

use hotloops::ising::Beta;
use hotloops::random::Mt19937;

use super::{Layers, exponents};
use crate::error::Error;

/// A model on the CPU, with any number of lanes: with [`ITEMS`](super::ITEMS) the trajectory of the programs, with 16
/// that of the library's program A.4 in the natural order of sites.
pub struct Reference {
    lanes: usize,
    groups: usize,
    neighbours: Vec<Vec<(u32, f32)>>,
    spins: Vec<f32>,
    /// Local fields within the layers, and sums of the adjacent layers.
    fields: Vec<f32>,
    taus: Vec<f32>,
    /// Sixteen lanes each.
    random: Vec<Mt19937>,
}

impl Reference {
    /// A model with `spins`, layer-major, and a generator whose lane k has the seed `seed + k` modulo 2^32.
    ///
    /// # Errors
    /// Fails with the name of an argument that is wrong: `lanes` are a multiple of 16, and layers a multiple of
    /// `lanes` of twice as many at least.
    pub fn new(layers: &Layers, spins: &[i8], seed: u32, lanes: usize) -> Result<Self, Error> {
        if lanes == 0 || !lanes.is_multiple_of(16) || !layers.count.is_multiple_of(lanes) || layers.count < 2 * lanes {
            let why =
                format!("{lanes} for {} layers; a multiple of 16 that divides half of them is needed", layers.count);
            return Err(Error::argument("lanes", why));
        }
        layers.check_values()?;
        layers.check_spins(spins)?;
        let (fields, taus) = layers.local_fields(spins);
        let seeds = (0..lanes as u32).step_by(16).map(|lane| seed.wrapping_add(lane));
        Ok(Reference {
            lanes,
            groups: layers.count / lanes,
            neighbours: layers.neighbours(),
            spins: spins.iter().map(|&spin| f32::from(spin)).collect(),
            fields,
            taus,
            random: seeds.map(|seed| Mt19937::seeded(16, seed)).collect::<Result<_, _>>()?,
        })
    }

    /// Visits every spin `sweeps` times. Returns the number of flips.
    ///
    /// # Errors
    /// Fails if a temperature is not finite.
    pub fn sweep(&mut self, beta: Beta, sweeps: usize) -> Result<u64, Error> {
        let Reference { lanes, groups, neighbours, spins, fields, taus, random } = self;
        let [by_space, by_tau] = exponents(beta)?;
        let (sites, layers) = (neighbours.len(), *lanes * *groups);
        let mut numbers = vec![0; *lanes];
        let mut flips = 0;
        for group in (0..sweeps).flat_map(|_| 0..*groups) {
            for (site, neighbours) in neighbours.iter().enumerate() {
                for (numbers, random) in numbers.chunks_mut(16).zip(&mut *random) {
                    random.fill_u32(numbers);
                }
                for (lane, &number) in numbers.iter().enumerate() {
                    let layer = lane * *groups + group;
                    let (base, cell) = (layer * sites, layer * sites + site);
                    let v = (by_space * fields[cell] + by_tau * taus[cell]) * spins[cell];
                    if !accepts(number, v) {
                        continue;
                    }
                    let change = -2.0 * spins[cell];
                    spins[cell] = -spins[cell];
                    for &(far, coupling) in neighbours {
                        fields[base + far as usize] += coupling * change;
                    }
                    for layer in [layer + layers - 1, layer + 1] {
                        taus[layer % layers * sites + site] += change;
                    }
                    flips += 1;
                }
            }
        }
        Ok(flips)
    }

    /// The spins, layer-major.
    pub fn spins(&self) -> Vec<i8> {
        self.spins.iter().map(|&spin| spin as i8).collect()
    }
}

/// The fast exponential: v, an exponent in units of 2^-23 ln 2, is added to the bits of a number. No flip is certain.
fn accepts(random: u32, v: f32) -> bool {
    const UNIT: u32 = 0x3fe9_8000;
    const SCALE: f32 = 0.9375 * 16_777_216.0 / f32::from_bits(UNIT);
    let n = if v < 0.0 { v.round_ties_even() as i32 } else { 0 };
    ((random >> 8) as f32) < f32::from_bits(UNIT.wrapping_add_signed(n)) * SCALE
}
