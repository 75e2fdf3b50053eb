//! The models of a run, and the step that advances them all.

mod ahead;
mod messages;

use std::mem;
use std::ops::Range;

use hotloops::Error;
use hotloops::ising::{Acceptance, Builder, Energy, Kind, LayeredIsing, ReplicaExchange};
use hotloops::random::Mt19937;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::Method;
use super::checkpoint::{SavedModel, packed, unpacked};
use super::observables::Observer;
use super::plan::{Plan, Point, System};
use super::tally::Tally;
use super::worldlines::Worldlines;
use crate::cluster::{Cluster, wire::decoded, wire::encoded};
use crate::coo::Couplings;
use messages::{Border, Met, Part};

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
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Best {
    pub energy: f64,
    /// Number of complete anneals before it, if they are repeated, which no file or other rank has.
    #[serde(skip)]
    pub anneal: u64,
    /// Sweeps done when it was measured, in its anneal.
    pub sweep: u64,
    /// One bit for each spin.
    pub spins: Vec<u8>,
}

/// The measurements of a model.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Results {
    /// Lowest energy so far of each system.
    pub lowest: Vec<f64>,
    pub best: Best,
    /// Energy and magnetisation of each copy of an exchange; empty for a single one.
    pub tallies: Vec<[Tally; 2]>,
    pub observer: Option<Observer>,
}

/// A library model with its measurements.
pub struct Model {
    pub ising: LayeredIsing,
    pub random: Mt19937,
    pub results: Results,
    /// Sweeps of the next step that are done.
    pub ahead: u64,
    worldlines: Option<Worldlines>,
    /// Es and Et of each system, in the library's convention.
    sums: Vec<Energy>,
    /// Physical energy and magnetisation of each layer.
    energies: Vec<f64>,
    magnetisations: Vec<i64>,
    /// Space for the spins of a layer.
    layer: Vec<i8>,
    /// Energies that differ by less are equal.
    margin: f64,
}

/// The models of a run. Each rank advances some of them, its own: neighbours on the ladder, or some of the
/// runs. Ranks keep their results until they [meet](Sampler::meet). After [`Sampler::collect`], rank 0 has the state of
/// all models.
pub struct Sampler<'a> {
    cluster: &'a Cluster,
    /// The models that this rank advances.
    own: Range<usize>,
    pub plan: &'a Plan,
    problem: &'a Couplings,
    /// The models that this rank advances, or one that it does not if it has no work.
    models: Vec<Model>,
    /// The state of the models of other ranks, on rank 0.
    others: Vec<SavedModel>,
    /// The results of this rank's last steps, which rank 0 has not received, and the number of these steps.
    news: Met,
    ahead: u64,
    /// Es and Et of each system of each model of an exchange at the last measurement, of this rank's rungs and of the
    /// next ones. Rank 0 has all while steps are visited.
    sums: Vec<Vec<Energy>>,
    /// The lowest energy that another rank has found.
    others_lowest: f64,
    /// One for each system of a model; empty if there is only one temperature. They lack the rounds of the last
    /// steps. Ranks other than 0 only count rounds.
    pub chains: Vec<ReplicaExchange>,
    /// Steps done.
    pub step: u64,
    /// For each step but the last ones, one record per model, on rank 0.
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
/// magnitudes of couplings and fields, the rounding error of a sum of 10^8 terms.
const ROUNDING: f64 = 1e-12;

/// Estimated nanoseconds of a step below which it runs on one thread: another one would take about as long to
/// wake up.
const SHORT_STEP: f64 = 50_000.0;

/// Records of all models after which ranks meet: 32 MiB.
const MAX_RECORDS: u64 = 1 << 20;

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
            others: Vec::new(),
            news: Met::default(),
            ahead: 0,
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

    /// See [`LayeredIsing::rounding`].
    pub fn rounding(&self) -> f64 {
        self.models[0].ising.rounding()
    }

    /// Whether Metropolis may go round in circles.
    pub fn may_trap(&self) -> bool {
        self.models[0].ising.may_trap()
    }

    pub fn is_done(&self) -> bool {
        self.step == self.plan.steps()
    }

    /// Whether there are measurements of an exchange after its warm-up.
    pub fn has_means(&self) -> bool {
        self.plan.method == Method::Exchange && self.step > self.plan.first_counted()
    }

    /// Does up to `max_steps` steps: sweeps all models up to the next measurement, takes it, and exchanges. Without
    /// exchanges, does them model by model. A single step may end early after a signal.
    pub fn advance(&mut self, max_steps: u64) -> Result<(), Error> {
        let ends = self.next_ends(max_steps);
        if let [end] = ends[..]
            && !self.sweep_ahead(end)?
        {
            return Ok(());
        }
        self.advance_to(&ends, false)?;
        self.meet_if_due();
        Ok(())
    }

    /// Does up to `max_steps` steps of an exchange. Then ranks meet. Rank 0 calls `visit` for each of these steps, with
    /// the swap probabilities of all pairs of adjacent rungs at its measurement.
    pub fn advance_visited(&mut self, max_steps: u64, visit: &mut dyn FnMut(Vec<f64>)) -> Result<(), Error> {
        let ends = self.next_ends(max_steps);
        self.advance_to(&ends, true)?;
        self.meet_with(self.step - ends.len() as u64, visit);
        Ok(())
    }

    /// Does one step, whose number of sweeps follows from the time.
    pub fn advance_by(&mut self, sweeps: u64) -> Result<(), Error> {
        let end = self.sweeps_after(self.step) + sweeps;
        self.positions.push(end);
        self.advance_to(&[end], false)?;
        self.meet_if_due();
        Ok(())
    }

    /// The sweeps after each of the next steps.
    fn next_ends(&self, max_steps: u64) -> Vec<u64> {
        let steps = self.step..self.plan.steps().min(self.step.saturating_add(max_steps));
        steps.map(|step| self.plan.sweeps_after(step + 1)).collect()
    }

    /// Does steps with the given sweeps after each. `keeps_sums` for steps that will be visited.
    fn advance_to(&mut self, ends: &[u64], keeps_sums: bool) -> Result<(), Error> {
        if self.chains.is_empty() {
            let models = self.sweep_to(0..self.own.len(), ends)?;
            self.news.records.extend((0..ends.len()).flat_map(|step| models.iter().map(move |records| records[step])));
            self.step += ends.len() as u64;
            self.ahead += ends.len() as u64;
            return Ok(());
        }
        for &end in ends {
            self.sweep_and_exchange(end)?;
            if keeps_sums {
                let own = self.sums[self.own.clone()].iter().flatten();
                self.news.sums.extend(own.map(|sums| (sums.space, sums.tau)));
            }
            self.step += 1;
            self.ahead += 1;
        }
        Ok(())
    }

    fn meet_if_due(&mut self) {
        if self.cluster.ranks() == 1 || self.ahead.saturating_mul(self.plan.models as u64) >= MAX_RECORDS {
            self.meet();
        }
    }

    /// Brings the results of all ranks to rank 0. All ranks call it.
    pub fn meet(&mut self) {
        self.meet_with(self.step, &mut |_| ());
    }

    /// The same, and visits the steps from `visited` on.
    fn meet_with(&mut self, visited: u64, visit: &mut dyn FnMut(Vec<f64>)) {
        let first = self.step - mem::take(&mut self.ahead);
        let mut parts: Vec<_> = self.gathered().into_iter().map(Part::new).collect();
        let width = self.words_of_systems();
        for step in first..self.step {
            // Other ranks only count the round.
            let mut swaps = Vec::new();
            for (rank, part) in parts.iter_mut().enumerate() {
                let own = self.cluster.part_of(rank, self.plan.models);
                swaps.extend(part.swaps.by_ref().take(self.due(&own, step).count() * width));
                for index in own {
                    self.series.extend(part.records.next());
                    if step >= visited {
                        let sums = part.sums.by_ref().take(self.plan.systems());
                        self.sums[index] = sums.map(|(space, tau)| Energy { space, tau }).collect();
                    }
                }
            }
            for (system, chain) in self.chains.iter_mut().enumerate() {
                chain.apply(|pair| !swaps.is_empty() && has_bit(&swaps[pair / 2 * width..], system));
            }
            if step >= visited && self.cluster.leads() {
                visit(self.swap_probabilities().collect());
            }
        }
    }

    /// Sweeps some of this rank's models, with a measurement at each of the given sweeps. Returns the records
    /// of each model.
    fn sweep_to(&mut self, models: Range<usize>, ends: &[u64]) -> Result<Vec<Vec<Record>>, Error> {
        let (plan, problem, anneal) = (self.plan, self.problem, self.anneals);
        let (first, begin) = (self.step, self.sweeps_after(self.step));
        let is_short = self.is_short(ends.last().map_or(0, |end| end - begin));
        let start = self.own.start + models.start;
        let advance = |(index, model): (usize, &mut Model)| {
            let mut before = begin;
            let steps = (first..).zip(ends).map(|(number, &end)| {
                let sweeps = end - mem::replace(&mut before, end);
                model.advance(plan, problem, start + index, Step { number, sweeps, end, anneal })
            });
            steps.collect::<Result<Vec<_>, Error>>()
        };
        let models = &mut self.models[models];
        match is_short {
            true => models.iter_mut().enumerate().map(advance).collect(),
            false => models.par_iter_mut().enumerate().map(advance).collect(),
        }
    }

    /// The news of all ranks, on rank 0; nothing on others.
    fn gathered(&mut self) -> Vec<Met> {
        let own = mem::take(&mut self.news);
        if self.cluster.ranks() == 1 {
            return vec![own];
        }
        let lowest = self.own_results().map(|results| results.best.energy).fold(f64::INFINITY, f64::min);
        let messages = self.cluster.gather(encoded(&Met { lowest, ..own }));
        let met: Vec<Met> = messages.iter().map(|message| decoded(message)).collect();
        self.others_lowest = met.iter().map(|met| met.lowest).fold(self.others_lowest, f64::min);
        met
    }

    /// Brings the results and the state of all models to rank 0. All ranks call it.
    pub fn collect(&mut self) {
        if self.cluster.ranks() == 1 {
            return;
        }
        self.meet();
        // Rank 0 has its own already.
        let saved: Vec<SavedModel> = match self.cluster.leads() {
            true => Vec::new(),
            false => self.own_models().map(SavedModel::of).collect(),
        };
        let messages = self.cluster.gather(encoded(&saved));
        self.others = messages.iter().flat_map(|message| decoded::<Vec<SavedModel>>(message)).collect();
    }

    fn own_models(&self) -> impl Iterator<Item = &Model> {
        self.models[..self.own.len()].iter()
    }

    fn own_results(&self) -> impl Iterator<Item = &Results> {
        self.own_models().map(|model| &model.results)
    }

    /// The results of the models of this rank, and of all others on rank 0 after [`Sampler::collect`].
    pub fn results(&self) -> impl Iterator<Item = &Results> {
        self.own_results().chain(self.others.iter().map(|model| &model.results))
    }

    /// The state of all models, on rank 0 after [`Sampler::collect`].
    pub fn saved_models(&self) -> Vec<SavedModel> {
        self.own_models().map(SavedModel::of).chain(self.others.iter().cloned()).collect()
    }

    /// Brings the model of this index to a saved state, if it is this rank's. `None` if it does not fit.
    pub fn load(&mut self, index: usize, saved: SavedModel) -> Option<()> {
        match index.checked_sub(self.own.start).and_then(|index| self.models.get_mut(index)) {
            Some(model) => saved.load(model),
            None => {
                self.others_lowest = self.others_lowest.min(saved.results.best.energy);
                Some(())
            }
        }
    }

    /// The acceptance rule of a model, which depends on its weights only.
    pub fn acceptance(&self, index: usize) -> Acceptance {
        self.models[0].ising.acceptance(self.plan.weights(self.plan.point(index, 0)))
    }

    /// Keeps the results of a complete anneal, and starts it again from other random spins.
    pub fn restart(&mut self) -> Result<(), Error> {
        let (systems, found) = self.found();
        self.earlier = Earlier { energy: self.best().energy, systems, found };
        let spins = self.own_spins();
        self.earlier_sweeps += self.sweeps_after(self.step);
        let (series, positions) = (mem::take(&mut self.series), mem::take(&mut self.positions));
        self.complete = Some(Complete { series, positions, spins });
        self.anneals += 1;
        self.step = 0;
        self.models.par_iter_mut().try_for_each(|model| {
            model.results.lowest.fill(f64::INFINITY);
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
        // The target is rounded, too.
        let slack = rounding(self.problem).max(8.0 * f64::EPSILON * energy.abs());
        self.best().energy.min(self.others_lowest) <= energy + slack
    }

    /// Whether so many sweeps end before other threads would have woken up, or there are none.
    fn is_short(&self, sweeps: u64) -> bool {
        rayon::current_num_threads() == 1 || (sweeps + 1) as f64 * self.sweep_cost < SHORT_STEP
    }

    /// Does a step: sweeps this rank's models, takes their measurements, and exchanges. A temperature belongs to
    /// a model here, so systems that swap temperatures swap models.
    ///
    /// A rank draws the swaps of its own rungs only, with the energies of these and of the next ones. Neighbours
    /// send each other the energies and spins of a rung in one message, before they draw. A rank with one
    /// thread sweeps that rung first, so that the message arrives while it sweeps the others.
    fn sweep_and_exchange(&mut self, end: u64) -> Result<(), Error> {
        let (cluster, own) = (self.cluster, self.own.clone());
        let is_due = |pair: usize| pair as u64 % 2 == self.step % 2;
        let (first, last) = (own.start, own.end.wrapping_sub(1));
        let sides = [(first, first.wrapping_sub(1), first.wrapping_sub(1)), (last, last, own.end)];
        let borders = sides.map(|(mine, pair, theirs)| {
            let rank = cluster.owner(theirs, self.plan.models).filter(|_| !own.is_empty() && is_due(pair))?;
            Some(Border { rank, pair, mine, theirs })
        });
        // The models to sweep before the message is sent, at both ends.
        let (head, tail) = match rayon::current_num_threads() {
            1 => (usize::from(borders[0].is_some()), usize::from(borders[1].is_some())),
            _ => (own.len(), 0),
        };
        let rest = head..own.len() - tail;
        let [head, tail] = [0..head, rest.end..own.len()];
        let (mut records, last_records) = (self.sweep_to(head, &[end])?, self.sweep_to(tail, &[end])?);
        let borders: Vec<Border> = borders.into_iter().flatten().collect();
        let messages: Result<Vec<_>, Error> =
            borders.iter().map(|border| Ok((border.rank, self.message(border.mine)?))).collect();
        let mut rest_records = Ok(Vec::new());
        let received = cluster.trade(&messages?, || rest_records = self.sweep_to(rest, &[end]));
        records.extend(rest_records?);
        records.extend(last_records);
        for (index, model) in own.clone().zip(&self.models) {
            self.sums[index].clone_from(&model.sums);
        }
        let mut layers_from = Vec::new();
        for (from, message) in received {
            let words: Vec<u64> = message.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
            let border = borders.iter().find(|border| border.rank == from).expect("a neighbour");
            let (energies, words) = words.split_at(2 * self.plan.systems());
            let energy = |bits: &[u64]| Energy { space: f64::from_bits(bits[0]), tau: f64::from_bits(bits[1]) };
            self.sums[border.theirs] = energies.chunks_exact(2).map(energy).collect();
            layers_from.push((border, words.to_vec()));
        }
        for pair in self.due(&own, self.step) {
            let decided = self.decide(pair)?;
            if own.contains(&(pair + 1)) {
                let layers = self.layers(&decided);
                let (left, right) = self.models.split_at_mut(pair + 1 - first);
                left.last_mut().expect("not empty").ising.swap_layers(&mut right[0].ising, layers)?;
            }
            self.news.swaps.extend(decided);
        }
        for (Border { pair, mine, .. }, words) in layers_from {
            let layers = self.layers(&self.decide(*pair)?);
            self.models[mine - first].ising.set_words(layers, &words)?;
        }
        self.news.records.extend(records.into_iter().map(|records| records[0]));
        Ok(())
    }

    /// The energies and spins of a rung.
    fn message(&self, rung: usize) -> Result<Vec<u8>, Error> {
        let model = &self.models[rung - self.own.start];
        let mut words = vec![0; model.ising.words()];
        model.ising.copy_words(&mut words)?;
        let energies = model.sums.iter().flat_map(|sums| [sums.space.to_bits(), sums.tau.to_bits()]);
        Ok(energies.chain(words).flat_map(u64::to_le_bytes).collect())
    }

    /// The pairs of rungs that a step attempts to swap, of those whose first rung is one of `rungs`.
    fn due(&self, rungs: &Range<usize>, step: u64) -> impl Iterator<Item = usize> + use<> {
        let end = rungs.end.min(self.plan.models - 1);
        (rungs.start..end).filter(move |&pair| pair as u64 % 2 == step % 2)
    }

    /// The number of words with one bit for each system.
    fn words_of_systems(&self) -> usize {
        self.chains.len().div_ceil(u64::BITS as usize)
    }

    /// The systems that swap at a pair of rungs, one bit each.
    fn decide(&self, pair: usize) -> Result<Vec<u64>, Error> {
        let mut swaps = vec![0; self.words_of_systems()];
        for (system, energies) in self.sums[pair].iter().zip(&self.sums[pair + 1]).enumerate() {
            let is_swapped = self.chains[system].decide(self.ahead, pair, [*energies.0, *energies.1])?;
            swaps[system / 64] |= u64::from(is_swapped) << (system % 64);
        }
        Ok(swaps)
    }

    /// The layers of some systems.
    fn layers(&self, systems: &[u64]) -> Vec<usize> {
        let width = self.plan.layers() / self.plan.systems();
        let systems = (0..self.plan.systems()).filter(|&system| has_bit(systems, system));
        systems.flat_map(|system| system * width..(system + 1) * width).collect()
    }

    /// For each pair of adjacent rungs, the mean probability of a swap at the last measurement. It
    /// needs the energies of all.
    fn swap_probabilities(&self) -> impl Iterator<Item = f64> {
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
        self.own_models().map(Model::spins).collect()
    }

    /// Sets the spins of this rank's models; none are given to keep the random ones.
    pub fn set_spins(&mut self, spins: &[Vec<i8>]) -> Result<(), Error> {
        self.models.iter_mut().zip(spins).try_for_each(|(model, spins)| model.ising.set_spins(spins))
    }

    /// The current spins of a model, layer by layer, on rank 0 after [`Sampler::collect`].
    pub fn final_spins(&self, model: usize) -> Vec<i8> {
        match model.checked_sub(self.own.len()) {
            None => self.models[model].spins(),
            Some(other) => unpacked(&self.others[other].spins, self.plan.layers() * self.problem.fields.len()),
        }
    }

    /// The configuration of lowest energy; the first one if several are equal.
    pub fn best(&self) -> &Best {
        let margin = rounding(self.problem);
        let held = self.models.iter().map(|model| &model.results);
        let all = held.chain(self.others.iter().map(|model| &model.results)).map(|results| &results.best);
        all.reduce(|best, other| {
            let is_before =
                other.energy <= best.energy + margin && (other.anneal, other.sweep) < (best.anneal, best.sweep);
            if other.energy < best.energy - margin || is_before { other } else { best }
        })
        .expect("there are models")
    }

    /// The spins of the configuration of lowest energy.
    pub fn best_spins(&self) -> Vec<i8> {
        unpacked(&self.best().spins, self.problem.fields.len())
    }

    /// The number of independent systems, and the number of those that reached the lowest energy.
    pub fn found(&self) -> (usize, usize) {
        let bar = self.best().energy + rounding(self.problem);
        let systems = self.plan.systems();
        let meets = |results: &Results, system: usize| results.lowest[system] <= bar;
        match self.plan.method {
            Method::Anneal => {
                let found = self.results().map(|model| (0..systems).filter(|&system| meets(model, system)).count());
                let earlier = if self.earlier.energy <= bar { self.earlier.found } else { 0 };
                (self.earlier.systems + systems * self.plan.models, earlier + found.sum::<usize>())
            }
            Method::Exchange => {
                (systems, (0..systems).filter(|&system| self.results().any(|model| meets(model, system))).count())
            }
        }
    }
}

impl Model {
    fn new(plan: &Plan, problem: &Couplings, index: usize) -> Result<Self, Error> {
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
        let (sums, margin) = (Vec::new(), rounding(problem));
        let results = Results { lowest, best, tallies, observer };
        let worldlines =
            (plan.is_quantum() && plan.method == Method::Exchange).then(|| Worldlines::new(problem, plan.layers()));
        let mut model =
            Model { ising, random, results, ahead: 0, worldlines, sums, energies, magnetisations, layer, margin };
        model.randomise()?;
        Ok(model)
    }

    /// Sweeps up to the measurement of a step and takes it.
    fn advance(&mut self, plan: &Plan, problem: &Couplings, index: usize, step: Step) -> Result<Record, Error> {
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

fn has_bit(words: &[u64], index: usize) -> bool {
    words[index / 64] >> (index % 64) & 1 == 1
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

/// Energies that differ by at most this are equal: 0 if all sums are exact in f64.
fn rounding(problem: &Couplings) -> f64 {
    let values = || problem.couplings.iter().map(|(.., coupling)| coupling).chain(&problem.fields).map(|x| x.abs());
    let sum = values().sum::<f64>();
    let unit = values().filter(|&value| value > 0.0).map(lowest_bit).fold(f64::INFINITY, f64::min);
    if sum / unit <= 2f64.powi(53) { 0.0 } else { ROUNDING * sum }
}

/// The largest power of two that divides a positive value.
fn lowest_bit(value: f64) -> f64 {
    let zeros = value.to_bits().trailing_zeros().min(52);
    let power = f64::from_bits(value.to_bits() & 0x7FF << 52);
    power / 2f64.powi(52 - zeros as i32)
}
