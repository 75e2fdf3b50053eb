//! A library model with its measurements: its sweeps up to the next measurement, and the measurement.

use std::mem;

use hotloops::Error;
use hotloops::ising::Energy;
use hotloops::random::Mt19937;

use super::choices::Method;
use super::observables::Observer;
use super::plan::{Point, RunPlan, System, generator, unit};
use super::results::{Best, Record, Results, margin, packed};
use super::state::{State, transverse};
use super::timeline::Timeline;
use super::worldlines::Worldlines;
use crate::coo::Couplings;

/// A library model with its measurements.
pub struct Model {
    pub state: State,
    pub random: Mt19937,
    pub results: Results,
    /// Sweeps of the next step that are done.
    pub ahead: u64,
    moves: Moves,
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

/// Moves and measurements that some models have.
enum Moves {
    None,
    /// Moves of whole worldlines of layers.
    Columns(Worldlines),
    /// Measurements of all slices of worldlines.
    Timeline(Timeline),
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
        let state = State::new(plan, problem)?;
        let random = generator(plan.seed, index as u32)?;
        let layer = vec![1; sites];
        let best = Best { energy: f64::INFINITY, anneal: 0, sweep: 0, spins: packed(&layer) };
        let lowest = vec![f64::INFINITY; plan.systems()];
        let tallies = if plan.method == Method::Exchange && plan.systems() * plan.copies > 1 {
            vec![Default::default(); plan.systems()]
        } else {
            Vec::new()
        };
        let observer = plan.observes.then(|| Observer::new(plan));
        let (energies, magnetisations) = (vec![0.0; plan.kept()], vec![0; plan.kept()]);
        let (sums, margin) = (Vec::new(), margin(problem));
        let results = Results { lowest, best, tallies, observer };
        let moves = match plan.system {
            System::Slices(layers) if plan.method == Method::Exchange => {
                Moves::Columns(Worldlines::new(problem, layers))
            }
            System::Lines(_) => Moves::Timeline(Timeline::new(problem)),
            _ => Moves::None,
        };
        let mut model =
            Model { state, random, results, ahead: 0, moves, sums, energies, magnetisations, layer, margin };
        model.randomise()?;
        if plan.has_lines() && plan.method == Method::Exchange {
            // A rank without work has the last rung, too.
            model.settle(plan, problem, plan.point(index.min(plan.models - 1), 0))?;
        }
        Ok(model)
    }

    /// Lowers the field from far above the local fields to that of a point: lines that begin without kinks would
    /// keep the valley of their first spins. Where the field alone would give more breaks than `BREAKS` and those of
    /// the point, the temperature is higher.
    fn settle(&mut self, plan: &RunPlan, problem: &Couplings, to: Point) -> Result<(), Error> {
        const STEPS: i32 = 64;
        const BREAKS: f64 = 1024.0;
        let (hot, breaks) = (to.gamma.max(3.0 / unit(problem)), BREAKS.max(to.beta * to.gamma));
        for step in 0..STEPS {
            let gamma = hot * (to.gamma / hot).powf(f64::from(step) / f64::from(STEPS));
            let point = Point { gamma, beta: to.beta.min(breaks / gamma) };
            self.state.sweep(&mut self.random, plan, point, 1)?;
        }
        Ok(())
    }

    /// Sweeps up to the measurement of a step and takes it.
    pub fn advance(&mut self, plan: &RunPlan, problem: &Couplings, index: usize, step: Step) -> Result<Record, Error> {
        let point = plan.point(index, step.number);
        let sweeps = step.sweeps - mem::take(&mut self.ahead);
        self.state.sweep(&mut self.random, plan, point, sweeps)?;
        if let (Moves::Columns(columns), State::Layers(ising)) = (&mut self.moves, &mut self.state) {
            columns.update(ising, &mut self.random, problem, plan.weights(point))?;
        }
        let before = self.results.best.energy;
        let record = self.measure(plan, problem, point, step.number, step.end)?;
        if self.results.best.energy < before {
            self.results.best.anneal = step.anneal;
        }
        if plan.counts(step.number) {
            self.observe(plan, problem, record.energy - point.gamma * record.transverse)?;
        }
        Ok(record)
    }

    /// Adds the last measurement to the observables. `total` is the energy with the transverse field.
    fn observe(&mut self, plan: &RunPlan, problem: &Couplings, total: f64) -> Result<(), Error> {
        let Some(observer) = &mut self.results.observer else { return Ok(()) };
        match (&self.state, &self.moves) {
            (State::Lines(lines), Moves::Timeline(timeline)) => {
                observer.add_lines(lines, timeline, total);
                if plan.correlates {
                    observer.add_correlation(lines)?;
                }
            }
            (State::Layers(ising), _) => observer.add(ising, self.sums.iter().map(|sums| -sums.space), problem),
            _ => unreachable!("worldlines have a timeline"),
        }
        Ok(())
    }

    /// Sets all spins at random.
    pub fn randomise(&mut self) -> Result<(), Error> {
        let mut words = vec![0; self.state.len()];
        self.random.fill_u32(&mut words);
        let spins: Vec<i8> = words.into_iter().map(|word| if word >> 31 == 0 { 1 } else { -1 }).collect();
        self.state.set_spins(&spins)
    }

    fn measure(
        &mut self,
        plan: &RunPlan,
        problem: &Couplings,
        point: Point,
        step: u64,
        sweep: u64,
    ) -> Result<Record, Error> {
        let record = match &self.state {
            State::Layers(_) => self.measure_layers(plan, problem, point, sweep),
            State::Lines(_) => self.measure_lines(plan, problem, point, sweep),
        }?;
        if plan.counts(step) {
            for (layer, [energy, magnetisation]) in self.results.tallies.iter_mut().enumerate() {
                let values = match plan.is_quantum() {
                    true => [record.energy, record.magnetisation],
                    false => [self.energies[layer], self.magnetisations[layer] as f64],
                };
                energy.add(values[0]);
                magnetisation.add(values[1]);
            }
        }
        Ok(record)
    }

    fn measure_layers(
        &mut self,
        plan: &RunPlan,
        problem: &Couplings,
        point: Point,
        sweep: u64,
    ) -> Result<Record, Error> {
        let Model { state: State::Layers(ising), energies, magnetisations, results, .. } = self else {
            unreachable!("the caller has looked");
        };
        let (layers, sites) = (plan.layers(), problem.fields.len());
        ising.layer_energies(energies, magnetisations)?;
        energies.iter_mut().for_each(|energy| *energy = 0.0 - *energy);
        let mut least = f64::INFINITY;
        for (layer, &energy) in energies.iter().enumerate() {
            let lowest = &mut results.lowest[layer * plan.systems() / layers];
            *lowest = lowest.min(energy);
            least = least.min(energy);
            let best = &mut results.best;
            if energy < best.energy - self.margin {
                ising.copy_layer(layer, &mut self.layer)?;
                best.spins = packed(&self.layer);
                (best.energy, best.sweep) = (energy, sweep);
            }
        }
        let total: f64 = energies.iter().sum();
        let mut transverse = 0.0;
        self.sums = match plan.system {
            System::Copies(_) => energies.iter().map(|energy| Energy { space: -energy, tau: 0.0 }).collect(),
            System::Slices(_) | System::Lines(_) => {
                let tau = ising.tau_energy();
                transverse = plan.transverse(point, sites, tau);
                vec![Energy { space: -total, tau }]
            }
        };
        let magnetisation = magnetisations.iter().sum::<i64>() as f64 / layers as f64;
        Ok(Record { energy: total / layers as f64, lowest: least, magnetisation, transverse })
    }

    /// The lowest energy is that of any slice.
    fn measure_lines(
        &mut self,
        plan: &RunPlan,
        problem: &Couplings,
        point: Point,
        sweep: u64,
    ) -> Result<Record, Error> {
        let Model { state: State::Lines(lines), moves: Moves::Timeline(timeline), results, .. } = self else {
            unreachable!("worldlines have a timeline");
        };
        timeline.read(lines)?;
        let found = timeline.lowest(plan.layers());
        results.lowest[0] = results.lowest[0].min(found.energy);
        let best = &mut results.best;
        if found.energy < best.energy - self.margin {
            lines.spins(found.slice, &mut self.layer)?;
            best.spins = packed(&self.layer);
            (best.energy, best.sweep) = (found.energy, sweep);
        }
        let (sums, slices) = (lines.sums(), plan.layers() as f64);
        self.sums = vec![sums];
        Ok(Record {
            energy: 0.0 - sums.space / slices,
            lowest: found.energy,
            magnetisation: lines.magnetisation() as f64 / slices,
            transverse: lines.transverse_magnetisation(transverse(point))? * problem.fields.len() as f64,
        })
    }
}
