//! The models of a run, and the step that advances them all.

mod ahead;
mod devices;
mod exchange;
mod meet;
mod outcome;
mod repeats;

use std::mem;
use std::ops::Range;

use hotloops::ising::{Acceptance, Energy, ReplicaExchange};
use hotloops_gpu::Error;
use rayon::prelude::*;

use super::choices::Method;
use super::model::{Model, Step};
use super::plan::{RunPlan, generator};
use super::results::Record;
use super::saved::SavedModel;
use super::state::State;
use crate::cluster::Cluster;
use crate::coo::Couplings;
use devices::Devices;
use meet::Met;
use repeats::{Complete, Earlier};

/// The models of a run. Each rank advances some of them, its own: neighbours on the ladder, or some of the
/// runs. Ranks keep their results until they [meet](Sampler::meet). After [`Sampler::collect`], rank 0 has the state of
/// all models.
pub struct Sampler<'a> {
    cluster: &'a Cluster,
    /// The models that this rank advances.
    own: Range<usize>,
    pub plan: &'a RunPlan,
    problem: &'a Couplings,
    /// The models that this rank advances, or one that it does not if it has no work.
    models: Vec<Model>,
    /// The state of the models of other ranks, on rank 0.
    others: Vec<SavedModel>,
    /// The results of this rank's last steps, which rank 0 has not received, and the number of these steps.
    news: Met,
    ahead: u64,
    /// Es and Et of each system of each model of an exchange at the last measurement, of this rank's rungs and of those
    /// next to them. Rank 0 has all while steps are visited.
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
    /// Sweep in place of the CPU.
    devices: Option<Devices>,
}

/// Estimated nanoseconds of a step below which it runs on one thread: another one would take about as long to
/// wake up.
const SHORT_STEP: f64 = 50_000.0;

impl<'a> Sampler<'a> {
    /// A sampler with random spins.
    pub fn new(cluster: &'a Cluster, plan: &'a RunPlan, problem: &'a Couplings) -> Result<Self, Error> {
        let own = cluster.part(plan.models);
        // A rank without work has one model too, which it does not advance.
        let held = own.start..own.end.max(own.start + 1);
        let models = held.into_par_iter().map(|index| Model::new(plan, problem, index));
        let models: Vec<Model> = models.collect::<Result<_, _>>()?;
        let mut chains = Vec::new();
        if plan.method == Method::Exchange && plan.rungs() > 1 {
            let ladder: Vec<_> = (0..plan.models).map(|model| plan.weights(plan.point(model, 0))).collect();
            let mut seeds = vec![0; plan.systems()];
            generator(plan.seed, u32::MAX)?.fill_u32(&mut seeds);
            chains = seeds.into_iter().map(|seed| ReplicaExchange::new(&ladder, seed)).collect::<Result<_, _>>()?;
        }
        let earlier = Earlier { energy: f64::INFINITY, systems: 0, found: 0 };
        let sweep_cost = models[0].state.sweep_cost(plan, problem)? * own.len() as f64;
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
            devices: None,
        })
    }

    /// The spins of a model; all are of one kind.
    pub fn state(&self) -> &State {
        &self.models[0].state
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
            && self.devices.is_none()
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
        if self.devices.is_some() {
            return ends.iter().try_for_each(|&end| {
                self.sweep_on_devices(end)?;
                self.measure_to(&[end], keeps_sums)
            });
        }
        self.measure_to(ends, keeps_sums)
    }

    /// Does what is left of the sweeps of steps, and their measurements.
    fn measure_to(&mut self, ends: &[u64], keeps_sums: bool) -> Result<(), Error> {
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
                Ok(model.advance(plan, problem, start + index, Step { number, sweeps, end, anneal })?)
            });
            steps.collect::<Result<Vec<_>, Error>>()
        };
        let models = &mut self.models[models];
        match is_short {
            true => models.iter_mut().enumerate().map(advance).collect(),
            false => models.par_iter_mut().enumerate().map(advance).collect(),
        }
    }

    /// The acceptance rule of a model, which depends on its weights only.
    pub fn acceptance(&self, index: usize) -> Acceptance {
        self.state().acceptance(self.plan, self.plan.point(index, 0))
    }

    /// Whether this number of sweeps ends before other threads would have woken up, or there are none.
    fn is_short(&self, sweeps: u64) -> bool {
        rayon::current_num_threads() == 1 || (sweeps + 1) as f64 * self.sweep_cost < SHORT_STEP
    }
}
