//! A library model with its measurements: its sweeps up to the next measurement, and the measurement.

use std::mem;

use hotloops::Error;
use hotloops::ising::{Energy, LayeredIsing};
use hotloops::random::Mt19937;

use super::choices::Method;
use super::observables::Observer;
use super::plan::{Point, RunPlan, System, build, generator};
use super::results::{Best, Record, Results, margin, packed};
use super::worldlines::Worldlines;
use crate::coo::Couplings;

/// A library model with its measurements.
pub struct Model {
    pub ising: LayeredIsing,
    pub random: Mt19937,
    pub results: Results,
    /// Sweeps of the next step that are done.
    pub ahead: u64,
    worldlines: Option<Worldlines>,
    /// Es and Et of each system, in the library's convention.
    pub sums: Vec<Energy>,
    /// Physical energy and magnetisation of each layer.
    energies: Vec<f64>,
    magnetisations: Vec<i64>,
    /// Space for the spins of a layer.
    layer: Vec<i8>,
    /// Energies that differ by less are equal.
    margin: f64,
}

/// A step of an anneal: its sweeps, and those of the anneal up to its end.
#[derive(Clone, Copy)]
pub struct Step {
    pub number: u64,
    pub sweeps: u64,
    pub end: u64,
    /// Number of complete anneals before this one.
    pub anneal: u64,
}

impl Model {
    pub fn new(plan: &RunPlan, problem: &Couplings, index: usize) -> Result<Self, Error> {
        let sites = problem.fields.len();
        let ising = build(plan, problem, plan.kind)?;
        let random = generator(plan.seed, index as u32)?;
        let layer = vec![1; sites];
        let best = Best { energy: f64::INFINITY, anneal: 0, sweep: 0, spins: packed(&layer) };
        let lowest = vec![f64::INFINITY; plan.systems()];
        let tallies = if plan.method == Method::Exchange && plan.systems() > 1 {
            vec![Default::default(); plan.systems()]
        } else {
            Vec::new()
        };
        let observer = plan.observes.then(|| Observer::new(plan));
        let (energies, magnetisations) = (vec![0.0; plan.layers()], vec![0; plan.layers()]);
        let (sums, margin) = (Vec::new(), margin(problem));
        let results = Results { lowest, best, tallies, observer };
        let worldlines =
            (plan.is_quantum() && plan.method == Method::Exchange).then(|| Worldlines::new(problem, plan.layers()));
        let mut model =
            Model { ising, random, results, ahead: 0, worldlines, sums, energies, magnetisations, layer, margin };
        model.randomise()?;
        Ok(model)
    }

    /// Sweeps up to the measurement of a step and takes it.
    pub fn advance(&mut self, plan: &RunPlan, problem: &Couplings, index: usize, step: Step) -> Result<Record, Error> {
        let point = plan.point(index, step.number);
        let sweeps = step.sweeps - mem::take(&mut self.ahead);
        self.ising.sweep(&mut self.random, plan.weights(point), sweeps)?;
        if let Some(worldlines) = &mut self.worldlines {
            worldlines.update(&mut self.ising, &mut self.random, problem, plan.weights(point))?;
        }
        let before = self.results.best.energy;
        let record = self.measure(plan, problem, point, step.number, step.end)?;
        if self.results.best.energy < before {
            self.results.best.anneal = step.anneal;
        }
        if plan.counts(step.number) {
            self.observe(problem);
        }
        Ok(record)
    }

    /// The spins of `ising`, layer by layer.
    pub fn spins(&self) -> Vec<i8> {
        let mut spins = vec![1; self.ising.layers() * self.ising.sites()];
        self.ising.spins(&mut spins).expect("as many as layers and sites");
        spins
    }

    /// Adds the last measurement to the observables.
    fn observe(&mut self, problem: &Couplings) {
        if let Some(observer) = &mut self.results.observer {
            observer.add(&self.ising, self.sums.iter().map(|sums| -sums.space), problem);
        }
    }

    /// Sets all spins at random.
    pub fn randomise(&mut self) -> Result<(), Error> {
        let mut words = vec![0; self.ising.layers() * self.ising.sites()];
        self.random.fill_u32(&mut words);
        let spins: Vec<i8> = words.into_iter().map(|word| if word >> 31 == 0 { 1 } else { -1 }).collect();
        self.ising.set_spins(&spins)
    }

    fn measure(
        &mut self,
        plan: &RunPlan,
        problem: &Couplings,
        point: Point,
        step: u64,
        sweep: u64,
    ) -> Result<Record, Error> {
        let (layers, sites) = (plan.layers(), problem.fields.len());
        self.ising.layer_energies(&mut self.energies, &mut self.magnetisations)?;
        self.energies.iter_mut().for_each(|energy| *energy = 0.0 - *energy);
        let mut least = f64::INFINITY;
        for (layer, &energy) in self.energies.iter().enumerate() {
            let lowest = &mut self.results.lowest[layer * plan.systems() / layers];
            *lowest = lowest.min(energy);
            least = least.min(energy);
            let best = &mut self.results.best;
            if energy < best.energy - self.margin {
                self.ising.copy_layer(layer, &mut self.layer)?;
                best.spins = packed(&self.layer);
                (best.energy, best.sweep) = (energy, sweep);
            }
        }
        if plan.counts(step) {
            for (layer, [energy, magnetisation]) in self.results.tallies.iter_mut().enumerate() {
                energy.add(self.energies[layer]);
                magnetisation.add(self.magnetisations[layer] as f64);
            }
        }
        let total: f64 = self.energies.iter().sum();
        let mut transverse = 0.0;
        self.sums = match plan.system {
            System::Copies(_) => self.energies.iter().map(|energy| Energy { space: -energy, tau: 0.0 }).collect(),
            System::Slices(_) => {
                let tau = self.ising.tau_energy();
                transverse = plan.transverse(point, sites, tau);
                vec![Energy { space: -total, tau }]
            }
        };
        Ok(Record {
            energy: total / layers as f64,
            lowest: least,
            magnetisation: self.magnetisations.iter().sum::<i64>() as f64 / layers as f64,
            transverse,
        })
    }
}
