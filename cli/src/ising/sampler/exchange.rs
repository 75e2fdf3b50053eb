//! A step of an exchange: the swaps of adjacent rungs, on one rank and between neighbours.

use std::ops::Range;

use hotloops::ising::Energy;
use hotloops_gpu::Error;

use super::Sampler;
use crate::ising::plan::RunPlan;

/// A neighbour of this rank whose rung may swap with one of its own.
struct Border {
    rank: usize,
    pair: usize,
    /// The rungs of the pair.
    mine: usize,
    theirs: usize,
}

impl Sampler<'_> {
    /// Does a step: sweeps this rank's models, takes their measurements, and exchanges. A temperature belongs to
    /// a model here, so systems that swap temperatures swap models.
    ///
    /// A rank draws the swaps of its own rungs only, with the energies of these and of the rungs that follow.
    /// Neighbours send each other the energies and spins of a rung in one message, before they draw. A rank with one
    /// thread sweeps that rung first, so that the message arrives while it sweeps the others.
    pub(super) fn sweep_and_exchange(&mut self, end: u64) -> Result<(), Error> {
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
                let (is_any, layers) = (has_bit(&decided, 0), Layers::of(self.plan, &decided));
                let (left, right) = self.models.split_at_mut(pair + 1 - first);
                left.last_mut().expect("not empty").state.swap(&mut right[0].state, is_any, || layers.list())?;
            }
            self.news.swaps.extend(decided);
        }
        for (Border { pair, mine, .. }, words) in layers_from {
            let decided = self.decide(*pair)?;
            let layers = Layers::of(self.plan, &decided);
            self.models[mine - first].state.set_words(&words, has_bit(&decided, 0), || layers.list())?;
        }
        self.news.records.extend(records.into_iter().map(|records| records[0]));
        Ok(())
    }

    /// The energies and spins of a rung.
    fn message(&self, rung: usize) -> Result<Vec<u8>, Error> {
        let model = &self.models[rung - self.own.start];
        let words = model.state.words()?;
        let energies = model.sums.iter().flat_map(|sums| [sums.space.to_bits(), sums.tau.to_bits()]);
        Ok(energies.chain(words).flat_map(u64::to_le_bytes).collect())
    }

    /// The pairs of rungs that a step attempts to swap, of those whose first rung is one of `rungs`.
    pub(super) fn due(&self, rungs: &Range<usize>, step: u64) -> impl Iterator<Item = usize> + use<> {
        let end = rungs.end.min(self.plan.models - 1);
        (rungs.start..end).filter(move |&pair| pair as u64 % 2 == step % 2)
    }

    /// The number of words with one bit for each system.
    pub(super) fn words_of_systems(&self) -> usize {
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

    /// For each pair of adjacent rungs, the mean probability of a swap at the last measurement. It
    /// needs the energies of all.
    pub(super) fn swap_probabilities(&self) -> impl Iterator<Item = f64> {
        self.sums.windows(2).enumerate().map(|(rung, pair)| {
            let [near, far] = [rung, rung + 1].map(|rung| self.plan.weights(self.plan.point(rung, 0)));
            let [space, tau] = [(near.space, far.space), (near.tau, far.tau)].map(|(a, b)| f64::from(a) - f64::from(b));
            let exponent = |(a, b): (&Energy, &Energy)| space * (b.space - a.space) + tau * (b.tau - a.tau);
            let systems = pair[0].iter().zip(&pair[1]);
            systems.map(|of| exponent(of).exp().min(1.0)).sum::<f64>() / self.chains.len() as f64
        })
    }
}

/// Some systems of a plan, one bit each.
struct Layers<'a> {
    plan: &'a RunPlan,
    systems: &'a [u64],
}

impl<'a> Layers<'a> {
    fn of(plan: &'a RunPlan, systems: &'a [u64]) -> Self {
        Layers { plan, systems }
    }

    /// Their layers.
    fn list(&self) -> Vec<usize> {
        let width = self.plan.layers() / self.plan.systems();
        let systems = (0..self.plan.systems()).filter(|&system| has_bit(self.systems, system));
        systems.flat_map(|system| system * width..(system + 1) * width).collect()
    }
}

pub fn has_bit(words: &[u64], index: usize) -> bool {
    words[index / 64] >> (index % 64) & 1 == 1
}
