//! The rungs of a run from its series, tallies and observers.

use std::collections::BTreeMap;

use hotloops::ising::ReplicaExchange;

use super::correlation::Curve;
use super::{Rung, Valley, Value, round_trips};
use crate::ising::mean::Mean;
use crate::ising::observables::{Observer, Place, Quantity, quantities};
use crate::ising::plan::{Point, RunPlan, acceptance_name};
use crate::ising::problem::Problem;
use crate::ising::results::{Record, Results};
use crate::ising::sampler::Sampler;
use crate::ising::statistics::{Doubt, Estimate, MIN_COPIES, of_copies, of_few, of_series, of_sum, of_symmetric};
use crate::ising::tally::Tally;
use crate::ising::valleys;

/// The data of all rungs of a run.
pub struct Summary<'a> {
    sampler: &'a Sampler<'a>,
    plan: &'a RunPlan,
    problem: &'a Problem,
    results: Vec<&'a Results>,
    /// For each rung, the tallies of its copies.
    tallies: Vec<Vec<[Tally; 2]>>,
    /// Whether copies keep their first energies and magnetisations.
    keeps: [bool; 2],
    is_trapped: bool,
    /// Without fields.
    is_symmetric: bool,
}

/// The estimate without its error if there is a reason.
fn doubted(estimate: Estimate, is_doubted: bool, doubt: Doubt) -> Estimate {
    let error = if is_doubted { estimate.error.and(Err(doubt)) } else { estimate.error };
    Estimate { error, ..estimate }
}

impl<'a> Summary<'a> {
    pub fn new(sampler: &'a Sampler, problem: &'a Problem) -> Self {
        let plan = sampler.plan;
        let results: Vec<&Results> = sampler.results().collect();
        let of_rung = |rung: usize| results[plan.members(rung)].iter().flat_map(|one| one.tallies.iter().copied());
        let tallies: Vec<Vec<_>> = (0..plan.rungs()).map(|rung| of_rung(rung).collect()).collect();
        Summary {
            sampler,
            plan,
            problem,
            keeps: [0, 1].map(|which| valleys::are_kept(tallies.iter().map(|tallies| &tallies[..]), which)),
            tallies,
            results,
            is_trapped: plan.rungs() > 1 && round_trips(sampler) == 0,
            is_symmetric: problem.model.fields.iter().all(|&field| field == 0.0),
        }
    }

    /// The mean over the models of a rung of each measurement after the warm-up.
    fn series(&self, rung: usize, of: &dyn Fn(&Record) -> f64) -> Vec<f64> {
        let members = self.plan.members(rung);
        let steps = self.sampler.series.chunks(self.plan.models).skip(self.plan.first_counted() as usize);
        steps.map(|records| records[members.clone()].iter().map(of).sum::<f64>() / members.len() as f64).collect()
    }

    /// The autocorrelation of one series cannot reveal valleys that it never visited.
    fn trapped(&self, estimate: Estimate) -> Estimate {
        doubted(estimate, self.is_trapped, Doubt::Trapped)
    }

    /// Quantity 0 or 1 of the tallies.
    fn mean(&self, rung: usize, which: usize, scale: (f64, f64), of: &dyn Fn(&Record) -> f64) -> Mean {
        let tallies: Vec<_> = self.tallies[rung].iter().map(|tallies| tallies[which]).collect();
        let series = self.series(rung, of);
        // Half of the copies are in each valley of a symmetric magnetisation, from the start.
        let is_halved = which == 1 && self.is_symmetric;
        let estimate = match tallies.len() {
            MIN_COPIES.. => doubted(of_copies(&tallies, &series), self.keeps[which] && !is_halved, Doubt::Valleys),
            2.. => self.trapped(of_few(&tallies, &series)),
            _ => self.trapped(of_series(&series)),
        };
        let estimate = if is_halved { of_symmetric(estimate) } else { estimate };
        Mean::new(estimate, scale, self.plan.every)
    }

    /// The total energy and the transverse magnetisation of a quantum system. Copies in different valleys differ in
    /// these, too.
    fn quantum(&self, rung: usize, is_split: bool) -> [Mean; 2] {
        let Point { beta, gamma } = self.plan.point(self.plan.members(rung).start, 0);
        let transverse = of_series(&self.series(rung, &|record| record.transverse));
        let total = self.series(rung, &|record| record.energy - gamma * record.transverse);
        // Kinks come in pairs, and a pair in one measurement lowers its total energy by 2 / beta.
        let pair = 2.0 / beta / total.len() as f64 / self.plan.copies as f64;
        let total = of_sum(of_series(&total), transverse, pair);
        // Cuts and maxima have another sign: their total energy is that of the spins.
        let (sign, constant) = self.problem.objective.of_energy();
        let of_problem = if sign == 1.0 { (1.0, constant) } else { (1.0, 0.0) };
        let of_site = (1.0 / self.problem.model.fields.len() as f64, 0.0);
        [(total, of_problem), (transverse, of_site)].map(|(estimate, scale)| {
            Mean::new(doubted(self.trapped(estimate), is_split, Doubt::Valleys), scale, self.plan.every)
        })
    }

    /// The observables of a rung.
    fn observables(&self, observer: &Observer, place: &Place, value: &Mean) -> BTreeMap<&'static str, Mean> {
        let of = |quantity: &Quantity| {
            let (mean, error) = observer.estimate(quantity, place);
            (quantity.name, self.observed(mean, error, value))
        };
        quantities(self.plan.has_lines()).iter().map(of).collect()
    }

    /// A rung that has not converged has no errors at all.
    fn observed(&self, mean: f64, error: Result<f64, Doubt>, value: &Mean) -> Mean {
        let error = match value.not_converged {
            Some(doubt) if doubt != Doubt::Constant => Err(doubt),
            _ => error,
        };
        Mean::new(Estimate { mean, error, time: f64::NAN }, (1.0, 0.0), self.plan.every)
    }

    /// The valleys of the copies of a quantum system, if they differ.
    fn valleys(&self, rung: usize, value: &Mean) -> Option<Vec<Valley>> {
        let is_split = self.plan.copies > 1 && value.not_converged == Some(Doubt::Valleys);
        let (scale, offset) = self.problem.objective.of_energy();
        let energies: Vec<_> = self.tallies[rung].iter().map(|tallies| tallies[0]).collect();
        let valley = |(energy, copies): (f64, usize)| Valley {
            value: Value::new(&self.problem.objective, scale * energy + offset),
            copies,
        };
        is_split.then(|| valleys::of_copies(&energies).into_iter().map(valley).collect())
    }

    pub fn rung(&self, index: usize) -> Rung {
        let (sampler, plan, sites) = (self.sampler, self.plan, self.problem.model.fields.len());
        let objective = &self.problem.objective;
        let members = plan.members(index);
        let Point { beta, gamma } = plan.point(members.start, 0);
        // Sum over the pairs of all systems.
        let pairs = |of: &dyn Fn(&ReplicaExchange) -> u64| {
            let is_pair = index + 1 < plan.rungs();
            is_pair.then(|| sampler.chains.iter().map(of).sum::<u64>())
        };
        let value = self.mean(index, 0, objective.of_energy(), &|record| record.energy);
        let is_split = value.not_converged == Some(Doubt::Valleys);
        let quantum = plan.is_quantum().then(|| self.quantum(index, is_split));
        let [total_energy, transverse_magnetisation] = quantum.map_or([None, None], |means| means.map(Some));
        let observers: Option<Vec<_>> = self.results[members.clone()].iter().map(|one| one.observer.as_ref()).collect();
        let observer = observers.map(|observers| Observer::merged(&observers));
        let slices = if plan.is_quantum() { plan.layers() } else { 1 };
        let place = Place { beta, gamma, sites: sites as f64, slices: slices as f64 };
        let observables = observer.as_ref().map(|observer| self.observables(observer, &place, &value));
        let correlation = observer
            .as_ref()
            .filter(|_| plan.correlates)
            .map(|observer| Curve::new(observer, &place, |mean, error| self.observed(mean, error, &value)));
        Rung {
            beta,
            gamma,
            acceptance: acceptance_name(sampler.acceptance(members.start)),
            valleys: self.valleys(index, &value),
            value: Value::new(objective, value),
            total_energy,
            magnetisation: self.mean(index, 1, (1.0 / sites as f64, 0.0), &|record| record.magnetisation),
            transverse_magnetisation,
            attempts: pairs(&|chain| chain.attempts(index).expect("a pair")),
            swaps: pairs(&|chain| chain.swaps(index).expect("a pair")),
            observables,
            correlation,
            overlaps: observer.filter(|_| !plan.is_quantum()).map(|observer| observer.distribution(sites)),
        }
    }
}
