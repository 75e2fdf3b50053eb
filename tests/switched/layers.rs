//! Layered models described by tests, and their energies computed from the definition.
#![allow(dead_code)] // each test binary uses a part of it

use hotloops::ising::{Builder, LANES, LayeredIsing};
use hotloops::random::Mt19937;
use hotloops_bench_support::workload::Problem;

pub use crate::harness::rng::Rng;

/// Random numbers for graphs and spins. Sweeps use their own generators.
impl Rng {
    /// `k / 8`, `|k| <= most`.
    pub fn eighths(&mut self, most: u64) -> f64 {
        (self.below(2 * most + 1) as f64 - most as f64) / 8.0
    }

    pub fn spins(&mut self, count: usize) -> Vec<i8> {
        (0..count).map(|_| 1 - 2 * self.below(2) as i8).collect()
    }
}

/// One layer, as a list of couplings and fields, and the coupling to the next.
#[derive(Clone)]
pub struct Layer {
    pub couplings: Vec<(usize, usize, f64)>,
    pub fields: Vec<f64>,
    pub tau_coupling: f64,
}

impl Layer {
    pub fn free(fields: &[f64]) -> Self {
        Layer { couplings: Vec::new(), fields: fields.to_vec(), tau_coupling: 1.0 }
    }

    pub fn ring(sites: usize) -> Self {
        let couplings = (0..sites).map(|i| (i, (i + 1) % sites, 1.0)).collect();
        Layer { couplings, ..Layer::free(&vec![0.0; sites]) }
    }

    /// Each pair is coupled with probability `percent` %. With several sites, site 0 is uncoupled.
    pub fn random(sites: usize, percent: u64, draws: &mut Rng) -> Self {
        let pairs = (1..sites).flat_map(|i| (i + 1..sites).map(move |j| (i, j)));
        let pairs: Vec<_> = pairs.filter(|_| draws.below(100) < percent).collect();
        let couplings = pairs.into_iter().map(|(i, j)| (j, i, draws.eighths(7))).collect();
        Layer { couplings, ..Layer::free(&(0..sites).map(|_| draws.eighths(3)).collect::<Vec<_>>()) }
    }

    pub fn paper() -> Self {
        let Problem { couplings, fields, .. } = Problem::paper(1);
        let couplings = couplings.into_iter().map(|(i, j, value)| (i as usize, j as usize, value.into()));
        let fields: Vec<_> = fields.into_iter().map(f64::from).collect();
        Layer { couplings: couplings.collect(), ..Layer::free(&fields) }
    }

    /// All couplings and fields times `factor`.
    pub fn times(mut self, factor: f64) -> Self {
        let couplings = self.couplings.iter_mut().map(|(_, _, value)| value);
        couplings.chain(&mut self.fields).for_each(|value| *value *= factor);
        self
    }

    pub fn tau_coupling(self, tau_coupling: f64) -> Self {
        Layer { tau_coupling, ..self }
    }

    pub fn sites(&self) -> usize {
        self.fields.len()
    }

    pub fn builder(&self, layers: usize) -> Builder {
        LayeredIsing::builder(layers, self.sites())
            .couplings(self.couplings.iter().copied())
            .fields(&self.fields)
            .tau_coupling(self.tau_coupling)
    }

    /// Whether a site has neither field nor couplings.
    pub fn is_free(&self, site: usize) -> bool {
        let is_coupled = |&(i, j, value): &(usize, usize, f64)| (i == site || j == site) && value != 0.0;
        self.fields[site] == 0.0 && !self.couplings.iter().any(is_coupled)
    }

    /// Ascending.
    pub fn neighbours(&self) -> Vec<Vec<(usize, f64)>> {
        let mut lists = vec![Vec::new(); self.sites()];
        for &(i, j, value) in &self.couplings {
            lists[i].push((j, value));
            lists[j].push((i, value));
        }
        lists.iter_mut().for_each(|list| list.sort_by_key(|&(j, _)| j));
        lists
    }

    /// `Es` and `Et` of whole layers.
    pub fn energies(&self, spins: &[i8]) -> [f64; 2] {
        let (mut space, mut tau) = (0.0, 0.0);
        for (this, above) in spins.chunks(self.sites()).zip(spins.chunks(self.sites()).cycle().skip(1)) {
            let bond = |&(i, j, value): &(usize, usize, f64)| value * f64::from(this[i] * this[j]);
            space += self.couplings.iter().map(bond).sum::<f64>();
            space += this.iter().zip(&self.fields).map(|(&s, &h)| h * f64::from(s)).sum::<f64>();
            tau += this.iter().zip(above).map(|(&a, &b)| f64::from(a * b)).sum::<f64>();
        }
        [space, self.tau_coupling * tau]
    }
}

pub fn generator(seed: u32) -> Mt19937 {
    Mt19937::seeded(LANES, seed).unwrap()
}

pub fn spins_of(model: &LayeredIsing) -> Vec<i8> {
    let mut spins = vec![0; model.layers() * model.sites()];
    model.spins(&mut spins).unwrap();
    spins
}
