//! The models of a run, and the step that advances them all.

use std::mem;
use std::ops::Range;

use hotloops::Error;
use hotloops::ising::{Builder, Energy, Kind, LayeredIsing, ReplicaExchange};
use hotloops::random::Mt19937;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::Method;
use super::checkpoint::SavedModel;
use super::observables::Observer;
use super::plan::{Plan, Point, System};
use super::statistics::Tally;
use crate::cluster::{Cluster, decoded, encoded};
use crate::coo::Couplings;

/// A measurement of one model. Energies are physical energies of a system or a slice.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Record {
    /// Mean over all layers.
    pub energy: f64,
    /// Lowest energy of any layer.
    pub lowest: f64,
    /// Sum over the spins of a layer, mean over all layers.
    pub magnetisation: f64,
    /// Sum of the transverse magnetisations of all sites; 0 for classical systems.
    pub transverse: f64,
}

/// The configuration of lowest energy.
#[derive(Clone, Debug)]
pub struct Best {
    pub energy: f64,
    /// Number of complete anneals before it, if they are repeated.
    pub anneal: u64,
    /// Sweeps done when it was measured, in its anneal.
    pub sweep: u64,
    pub spins: Vec<i8>,
}

/// A library model with its measurements.
pub struct Model {
    pub ising: LayeredIsing,
    pub random: Mt19937,
    /// Lowest energy so far of each system.
    pub lowest: Vec<f64>,
    pub best: Best,
    /// Energy and magnetisation of each copy; empty if there are too few copies for errors from
    /// their spread.
    pub tallies: Vec<[Tally; 2]>,
    pub observer: Option<Observer>,
    /// Es and Et of each system, in the library's convention.
    sums: Vec<Energy>,
    /// Physical energy and magnetisation of each layer.
    energies: Vec<f64>,
    magnetisations: Vec<i64>,
    /// Energies that differ by less are equal.
    margin: f64,
}

/// The models of a run. Each rank advances some of them, its own: neighbours on the ladder, or some of the
/// runs. After [`Sampler::collect`], rank 0 holds all models.
pub struct Sampler<'a> {
    cluster: &'a Cluster,
    /// The models that this rank advances.
    own: Range<usize>,
    pub plan: &'a Plan,
    problem: &'a Couplings,
    /// The models that this rank holds; the ones it advances come first.
    pub models: Vec<Model>,
    /// Es and Et of each system of each model of an exchange at the last measurement. Rank 0 has all after
    /// [`Sampler::advance`]; others have those of their own rungs and of the next ones.
    sums: Vec<Vec<Energy>>,
    /// The lowest energy that another rank has found.
    others_lowest: f64,
    /// One for each system of a model; empty if there is only one temperature. On ranks other than 0, only the
    /// swaps of their own rungs are true.
    pub chains: Vec<ReplicaExchange>,
    /// Steps done.
    pub step: u64,
    /// For each step, one record per model.
    pub series: Vec<Record>,
    /// Number of complete anneals before this one.
    pub anneals: u64,
    /// Sweeps of these anneals.
    earlier_sweeps: u64,
    /// Sweeps of this anneal after each step, if they follow from the time.
    positions: Vec<u64>,
    /// The systems of these anneals.
    earlier: Earlier,
    /// The end of the last complete anneal, if they are repeated.
    complete: Option<Complete>,
    /// Estimated nanoseconds of a sweep of all models.
    sweep_cost: f64,
}

/// A step of an anneal: its sweeps, and those of the anneal up to its end.
#[derive(Clone, Copy)]
struct Step {
    number: u64,
    sweeps: u64,
    end: u64,
    /// Number of complete anneals before this one.
    anneal: u64,
}

/// Number of systems, and of those that reached the lowest energy.
struct Earlier {
    energy: f64,
    systems: usize,
    found: usize,
}

/// The results of an anneal.
struct Complete {
    series: Vec<Record>,
    positions: Vec<u64>,
    /// For each model.
    spins: Vec<Vec<i8>>,
}

/// Energies are considered equal if they differ by at most this fraction of the sum of all
/// magnitudes of couplings and fields.
const ROUNDING: f64 = 1e-10;

/// Estimated nanoseconds of a step below which it runs on one thread: another one would take about as long to
/// wake up.
const SHORT_STEP: f64 = 50_000.0;

impl<'a> Sampler<'a> {
    /// A sampler with random spins.
    pub fn new(cluster: &'a Cluster, plan: &'a Plan, problem: &'a Couplings) -> Result<Self, Error> {
        let own = cluster.part(plan.models);
        // A rank without work has one model too, which it does not advance.
        let held = own.start..own.end.max(own.start + 1);
        let models = held.into_par_iter().map(|index| Model::new(plan, problem, index));
        let models: Vec<Model> = models.collect::<Result<_, _>>()?;
        let mut chains = Vec::new();
        if plan.method == Method::Exchange && plan.models > 1 {
            let ladder: Vec<_> = (0..plan.models).map(|model| plan.weights(plan.point(model, 0))).collect();
            let mut seeds = vec![0; plan.systems()];
            generator(plan.seed, u32::MAX)?.fill_u32(&mut seeds);
            chains = seeds.into_iter().map(|seed| ReplicaExchange::new(&ladder, seed)).collect::<Result<_, _>>()?;
        }
        let earlier = Earlier { energy: f64::INFINITY, systems: 0, found: 0 };
        let visits = own.len() * plan.layers() * problem.fields.len();
        let sweep_cost = builder(plan, problem).cost(models[0].ising.kind())? * visits as f64;
        Ok(Sampler {
            cluster,
            own,
            sums: vec![Vec::new(); plan.models],
            others_lowest: f64::INFINITY,
            plan,
            problem,
            models,
            chains,
            step: 0,
            series: Vec::new(),
            anneals: 0,
            earlier_sweeps: 0,
            positions: Vec::new(),
            earlier,
            complete: None,
            sweep_cost,
        })
    }

    pub fn kind(&self) -> Kind {
        self.models[0].ising.kind()
    }

    pub fn is_done(&self) -> bool {
        self.step == self.plan.steps()
    }

    /// Whether there are measurements of an exchange after its warm-up.
    pub fn has_means(&self) -> bool {
        self.plan.method == Method::Exchange && self.step > self.plan.first_counted()
    }

    /// Does up to `max_steps` steps: sweeps all models up to the next measurement, takes it, and exchanges. Without
    /// exchanges, does them model by model. Then rank 0 has the records of all ranks.
    pub fn advance(&mut self, max_steps: u64) -> Result<(), Error> {
        let plan = self.plan;
        let steps = self.step..plan.steps().min(self.step.saturating_add(max_steps));
        let ends = steps.clone().map(|step| plan.sweeps_after(step + 1));
        if self.chains.is_empty() {
            return self.advance_to(&ends.collect::<Vec<_>>());
        }
        let replayed = (self.cluster.ranks() > 1 && self.cluster.leads()).then(|| self.chains.clone());
        let mut met = Met { lowest: 0.0, records: Vec::new(), sums: Vec::new() };
        for end in ends {
            let records = self.sweep_to(&[end])?;
            met.records.extend(records.iter().map(|records| records[0]));
            for (index, model) in self.own.clone().zip(&self.models) {
                self.sums[index].clone_from(&model.sums);
                met.sums.extend(model.sums.iter().map(|sums| (sums.space, sums.tau)));
            }
            self.exchange()?;
            self.step += 1;
        }
        if self.cluster.ranks() == 1 {
            self.series.extend(met.records);
            return Ok(());
        }
        let mut parts: Vec<_> =
            self.meet(met).into_iter().map(|met| (met.records.into_iter(), met.sums.into_iter())).collect();
        if let Some(chains) = replayed {
            self.chains = chains;
            for _ in steps {
                for (rank, (records, sums)) in parts.iter_mut().enumerate() {
                    for index in self.cluster.part_of(rank, plan.models) {
                        self.series.extend(records.next());
                        let sums = sums.by_ref().take(plan.systems());
                        self.sums[index] = sums.map(|(space, tau)| Energy { space, tau }).collect();
                    }
                }
                self.decide(0..plan.models, |_, _| ())?;
            }
        }
        Ok(())
    }

    /// Does one step, whose number of sweeps follows from the time.
    pub fn advance_by(&mut self, sweeps: u64) -> Result<(), Error> {
        let end = self.sweeps_after(self.step) + sweeps;
        self.positions.push(end);
        self.advance_to(&[end])
    }

    /// Does steps of an anneal with the given sweeps after each.
    fn advance_to(&mut self, ends: &[u64]) -> Result<(), Error> {
        let mut models = self.sweep_to(ends)?;
        if self.cluster.ranks() > 1 {
            let met = self.meet(Met { lowest: 0.0, records: models.concat(), sums: Vec::new() });
            let steps = ends.len();
            models = met.iter().flat_map(|met| met.records.chunks(steps)).map(<[Record]>::to_vec).collect();
        }
        self.series.extend((0..ends.len()).flat_map(|step| models.iter().map(move |records| records[step])));
        self.step += ends.len() as u64;
        Ok(())
    }

    /// Sweeps this rank's models, with a measurement at each of the given sweeps. Returns the records of each
    /// model.
    fn sweep_to(&mut self, ends: &[u64]) -> Result<Vec<Vec<Record>>, Error> {
        let (plan, problem, anneal) = (self.plan, self.problem, self.anneals);
        let (first, begin) = (self.step, self.sweeps_after(self.step));
        let (own, is_short) = (self.own.clone(), self.is_short(ends.last().map_or(0, |end| end - begin)));
        let advance = |(index, model): (usize, &mut Model)| {
            let index = own.start + index;
            let mut before = begin;
            let steps = (first..).zip(ends).map(|(number, &end)| {
                let sweeps = end - mem::replace(&mut before, end);
                model.advance(plan, problem, index, Step { number, sweeps, end, anneal })
            });
            steps.collect::<Result<Vec<_>, Error>>()
        };
        let models = &mut self.models[..own.len()];
        match is_short {
            true => models.iter_mut().enumerate().map(advance).collect(),
            false => models.par_iter_mut().enumerate().map(advance).collect(),
        }
    }

    /// Brings the results of all ranks to rank 0; other ranks receive nothing.
    fn meet(&mut self, own: Met) -> Vec<Met> {
        let lowest = self.models[..self.own.len()].iter().map(|model| model.best.energy).fold(f64::INFINITY, f64::min);
        let messages = self.cluster.gather(encoded(&Met { lowest, ..own }));
        let met: Vec<Met> = messages.iter().map(|message| decoded(message)).collect();
        self.others_lowest = met.iter().map(|met| met.lowest).fold(self.others_lowest, f64::min);
        met
    }

    /// Brings the state of all models to rank 0. All ranks call it.
    pub fn collect(&mut self) -> Result<(), Error> {
        if self.cluster.ranks() == 1 {
            return Ok(());
        }
        let saved: Vec<SavedModel> = match self.cluster.leads() {
            true => Vec::new(),
            false => self.models[..self.own.len()].iter().map(SavedModel::of).collect(),
        };
        let messages = self.cluster.gather(encoded(&saved));
        for index in self.models.len()..if self.cluster.leads() { self.plan.models } else { 0 } {
            self.models.push(Model::new(self.plan, self.problem, index)?);
        }
        let saved = messages.iter().flat_map(|message| decoded::<Vec<SavedModel>>(message));
        for (model, saved) in self.models.iter_mut().skip(self.own.len()).zip(saved) {
            saved.load(model).expect("a rank sends its state");
        }
        Ok(())
    }

    /// The model of this index, unless this rank has none of its state.
    pub fn held_mut(&mut self, index: usize) -> Option<&mut Model> {
        self.models.get_mut(index.checked_sub(self.own.start)?)
    }

    /// Keeps the results of a complete anneal, and starts it again from other random spins.
    pub fn restart(&mut self) -> Result<(), Error> {
        let (systems, found) = self.found();
        self.earlier = Earlier { energy: self.best().energy, systems, found };
        let spins = (0..self.models.len()).map(|model| self.final_spins(model)).collect();
        self.earlier_sweeps += self.sweeps_after(self.step);
        let (series, positions) = (mem::take(&mut self.series), mem::take(&mut self.positions));
        self.complete = Some(Complete { series, positions, spins });
        self.anneals += 1;
        self.step = 0;
        self.models.par_iter_mut().try_for_each(|model| {
            model.lowest.fill(f64::INFINITY);
            model.randomise()
        })
    }

    /// Goes back to the end of the last complete anneal, if there is one.
    pub fn drop_incomplete(&mut self) -> Result<(), Error> {
        if !self.is_done()
            && let Some(Complete { series, positions, spins }) = self.complete.take()
        {
            (self.series, self.positions) = (series, positions);
            self.step = self.plan.steps();
            self.anneals -= 1;
            self.set_spins(&spins)?;
        }
        Ok(())
    }

    /// All sweeps of all anneals.
    pub fn sweeps(&self) -> u64 {
        self.earlier_sweeps + self.sweeps_after(self.step)
    }

    /// Sweeps of this anneal after `steps` steps.
    pub fn sweeps_after(&self, steps: u64) -> u64 {
        let position = |step: u64| self.positions.get(step as usize).copied();
        steps.checked_sub(1).and_then(position).unwrap_or_else(|| self.plan.sweeps_after(steps))
    }

    /// Whether the lowest energy is at most `energy`.
    pub fn reaches(&self, energy: f64) -> bool {
        self.best().energy.min(self.others_lowest) <= energy + rounding(self.problem)
    }

    /// Whether so many sweeps end before other threads would have woken up, or there are none.
    fn is_short(&self, sweeps: u64) -> bool {
        rayon::current_num_threads() == 1 || (sweeps + 1) as f64 * self.sweep_cost < SHORT_STEP
    }

    /// Exchanges once in each chain. A temperature belongs to a model here, so systems that swap
    /// temperatures swap models.
    ///
    /// Every rank draws all swaps, with the energies of its own rungs and of the next ones. It needs no others: the
    /// energies decide whether a pair swaps, but not which random number it takes. Neighbours send
    /// each other the energies and spins of a rung in one message, before they draw.
    fn exchange(&mut self) -> Result<(), Error> {
        let (mut messages, mut borders) = (Vec::new(), Vec::new());
        // Pairs take turns.
        let is_due = |pair: usize| pair as u64 % 2 == self.step % 2;
        let (first, last) = (self.own.start, self.own.end.wrapping_sub(1));
        for (mine, pair, theirs) in [(first, first.wrapping_sub(1), first.wrapping_sub(1)), (last, last, self.own.end)]
        {
            let owner = self.cluster.owner(theirs, self.plan.models).filter(|_| !self.own.is_empty() && is_due(pair));
            let Some(rank) = owner else { continue };
            let model = &self.models[mine - first];
            let mut words = vec![0; model.ising.words()];
            model.ising.copy_words(&mut words)?;
            let energies = model.sums.iter().flat_map(|sums| [sums.space.to_bits(), sums.tau.to_bits()]);
            messages.push((rank, energies.chain(words).flat_map(u64::to_le_bytes).collect()));
            borders.push((rank, pair, mine, theirs));
        }
        let mut received = Vec::new();
        for (from, message) in self.cluster.trade(&messages) {
            let words: Vec<u64> = message.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
            let &(_, pair, mine, theirs) = borders.iter().find(|(rank, ..)| *rank == from).expect("a neighbour");
            let (energies, words) = words.split_at(2 * self.plan.systems());
            let energy = |bits: &[u64]| Energy { space: f64::from_bits(bits[0]), tau: f64::from_bits(bits[1]) };
            self.sums[theirs] = energies.chunks_exact(2).map(energy).collect();
            received.push((pair, mine, words.to_vec()));
        }
        // The systems that swap, by pair.
        let mut swaps = vec![Vec::new(); self.plan.models - 1];
        let known = self.own.start.saturating_sub(1)..self.plan.models.min(self.own.end + 1);
        self.decide(known, |pair, system| swaps[pair].push(system))?;
        let width = self.plan.layers() / self.plan.systems();
        let layers = |pair: usize| swaps[pair].iter().flat_map(move |system| system * width..(system + 1) * width);
        for pair in self.own.start..self.own.end.saturating_sub(1) {
            let mut layers = layers(pair).peekable();
            if layers.peek().is_some() {
                let (left, right) = self.models.split_at_mut(pair + 1 - first);
                left.last_mut().expect("not empty").ising.swap_layers(&mut right[0].ising, layers)?;
            }
        }
        for (pair, mine, words) in received {
            self.models[mine - first].ising.set_words(layers(pair), &words)?;
        }
        Ok(())
    }

    /// Draws the swaps of all chains; those of the `known` rungs, whose energies are here, are true. `swap` takes
    /// the first rung of such a pair that swaps, and the system.
    fn decide(&mut self, known: Range<usize>, mut swap: impl FnMut(usize, usize)) -> Result<(), Error> {
        let zero = Energy { space: 0.0, tau: 0.0 };
        let (mut before, mut energies) = (vec![0; self.plan.models], vec![zero; self.plan.models]);
        for (system, chain) in self.chains.iter_mut().enumerate() {
            energies.fill(zero);
            for rung in known.clone() {
                before[rung] = chain.replica_at(rung)?;
                energies[before[rung]] = self.sums[rung].get(system).copied().unwrap_or(zero);
            }
            chain.exchange(&energies)?;
            for rung in known.clone().skip(1) {
                if chain.replica_at(rung)? == before[rung - 1] {
                    swap(rung - 1, system);
                }
            }
        }
        Ok(())
    }

    /// For each pair of adjacent rungs, the mean probability of a swap at the last measurement. Only rank 0
    /// has the energies of all.
    pub fn swap_probabilities(&self) -> impl Iterator<Item = f64> {
        self.sums.windows(2).enumerate().map(|(rung, pair)| {
            let [near, far] = [rung, rung + 1].map(|rung| self.plan.weights(self.plan.point(rung, 0)));
            let [space, tau] = [(near.space, far.space), (near.tau, far.tau)].map(|(a, b)| f64::from(a) - f64::from(b));
            let exponent = |(a, b): (&Energy, &Energy)| space * (b.space - a.space) + tau * (b.tau - a.tau);
            let systems = pair[0].iter().zip(&pair[1]);
            systems.map(|of| exponent(of).exp().min(1.0)).sum::<f64>() / self.chains.len() as f64
        })
    }

    /// The current spins of this rank's models.
    pub fn own_spins(&self) -> Vec<Vec<i8>> {
        self.models[..self.own.len()].iter().map(Model::spins).collect()
    }

    /// Sets the spins of this rank's models; none are given to keep the random ones.
    pub fn set_spins(&mut self, spins: &[Vec<i8>]) -> Result<(), Error> {
        self.models.iter_mut().zip(spins).try_for_each(|(model, spins)| model.ising.set_spins(spins))
    }

    /// The current spins of a model, layer by layer.
    pub fn final_spins(&self, model: usize) -> Vec<i8> {
        self.models[model].spins()
    }

    /// The configuration of lowest energy; the first one if several are equal.
    pub fn best(&self) -> &Best {
        let margin = rounding(self.problem);
        let all = self.models.iter().map(|model| &model.best);
        all.reduce(|best, other| {
            let is_before =
                other.energy <= best.energy + margin && (other.anneal, other.sweep) < (best.anneal, best.sweep);
            if other.energy < best.energy - margin || is_before { other } else { best }
        })
        .expect("there are models")
    }

    /// The number of independent systems, and the number of those that reached the lowest energy.
    pub fn found(&self) -> (usize, usize) {
        let bar = self.best().energy + rounding(self.problem);
        let systems = self.plan.systems();
        let meets = |model: &Model, system: usize| model.lowest[system] <= bar;
        match self.plan.method {
            Method::Anneal => {
                let found = self.models.iter().map(|model| (0..systems).filter(|&system| meets(model, system)).count());
                let earlier = if self.earlier.energy <= bar { self.earlier.found } else { 0 };
                (self.earlier.systems + systems * self.models.len(), earlier + found.sum::<usize>())
            }
            Method::Exchange => {
                (systems, (0..systems).filter(|&system| self.models.iter().any(|model| meets(model, system))).count())
            }
        }
    }
}

impl Model {
    fn new(plan: &Plan, problem: &Couplings, index: usize) -> Result<Self, Error> {
        let sites = problem.fields.len();
        let ising = build(plan, problem, plan.kind)?;
        let random = generator(plan.seed, index as u32)?;
        let best = Best { energy: f64::INFINITY, anneal: 0, sweep: 0, spins: vec![1; sites] };
        let lowest = vec![f64::INFINITY; plan.systems()];
        let tallies = if plan.has_many_copies() { vec![Default::default(); plan.systems()] } else { Vec::new() };
        let observer = plan.observes.then(|| Observer::new(plan));
        let (energies, magnetisations) = (vec![0.0; plan.layers()], vec![0; plan.layers()]);
        let (sums, margin) = (Vec::new(), rounding(problem));
        let mut model =
            Model { ising, random, lowest, best, tallies, observer, sums, energies, magnetisations, margin };
        model.randomise()?;
        Ok(model)
    }

    /// Sweeps up to the measurement of a step and takes it.
    fn advance(&mut self, plan: &Plan, problem: &Couplings, index: usize, step: Step) -> Result<Record, Error> {
        let point = plan.point(index, step.number);
        self.ising.sweep(&mut self.random, plan.weights(point), step.sweeps)?;
        let before = self.best.energy;
        let record = self.measure(plan, problem, point, step.number, step.end)?;
        if self.best.energy < before {
            self.best.anneal = step.anneal;
        }
        if plan.half(step.number).is_some() {
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
        if let Some(observer) = &mut self.observer {
            observer.add(&self.ising, self.sums.iter().map(|sums| -sums.space), problem);
        }
    }

    /// Sets all spins at random.
    fn randomise(&mut self) -> Result<(), Error> {
        let mut words = vec![0; self.ising.layers() * self.ising.sites()];
        self.random.fill_u32(&mut words);
        let spins: Vec<i8> = words.into_iter().map(|word| if word >> 31 == 0 { 1 } else { -1 }).collect();
        self.ising.set_spins(&spins)
    }

    fn measure(
        &mut self,
        plan: &Plan,
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
            let lowest = &mut self.lowest[layer * plan.systems() / layers];
            *lowest = lowest.min(energy);
            least = least.min(energy);
            if energy < self.best.energy - self.margin {
                self.ising.copy_layer(layer, &mut self.best.spins)?;
                (self.best.energy, self.best.sweep) = (energy, sweep);
            }
        }
        if let Some(half) = plan.half(step) {
            for (layer, [energy, magnetisation]) in self.tallies.iter_mut().enumerate() {
                energy.add(self.energies[layer], half);
                magnetisation.add(self.magnetisations[layer] as f64, half);
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

/// The results of a rank's steps: the lowest energy so far; the records of its models, for an exchange step by
/// step, and for an anneal model by model; and Es and Et of each of the systems of an exchange.
#[derive(Serialize, Deserialize)]
struct Met {
    lowest: f64,
    records: Vec<Record>,
    sums: Vec<(f64, f64)>,
}

/// The library's model of a plan.
pub fn build(plan: &Plan, problem: &Couplings, kind: Kind) -> Result<LayeredIsing, Error> {
    let mut ising = builder(plan, problem).build(kind)?;
    // Not every kind takes every coupling between layers.
    ising.sweep(&mut generator(plan.seed, 0)?, plan.weights(plan.point(0, 0)), 0)?;
    Ok(ising)
}

/// The description of a model.
pub fn builder(plan: &Plan, problem: &Couplings) -> Builder {
    let couplings = problem.couplings.iter().map(|&(i, j, coupling)| (i as usize, j as usize, coupling));
    LayeredIsing::builder(plan.layers(), problem.fields.len())
        .couplings(couplings)
        .fields(&problem.fields)
        .tau_coupling(if plan.is_quantum() { 1.0 } else { 0.0 })
        .acceptance(plan.acceptance)
}

/// A generator of 16 lanes, different for every seed and index.
fn generator(seed: u32, index: u32) -> Result<Mt19937, Error> {
    let keys: [_; 16] = std::array::from_fn(|lane| [seed, index, lane as u32]);
    Mt19937::from_arrays(&keys.each_ref().map(|key| key.as_slice()))
}

fn rounding(problem: &Couplings) -> f64 {
    let couplings = problem.couplings.iter().map(|(_, _, coupling)| coupling.abs()).sum::<f64>();
    ROUNDING * (couplings + problem.fields.iter().map(|field| field.abs()).sum::<f64>())
}
