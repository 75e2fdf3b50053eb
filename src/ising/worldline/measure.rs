//! Measurements of worldlines.

use alloc::vec::Vec;

use super::model::Worldlines;
use super::sampler::Values;
use super::{Transverse, worldline_overlaps};
use crate::frame::error::{Error, exactly};
use crate::ising::shape::Energy;

/// Links of a call of the kernel of overlaps.
const OVERLAPS: usize = 64;

impl Worldlines {
    /// The sum of the spins of all sites and slices.
    #[must_use]
    pub fn magnetisation(&self) -> i64 {
        self.lines.lines.iter().map(|line| i64::from(line.magnetisation)).sum()
    }

    /// Writes the sum of the spins of all slices for each site.
    ///
    /// # Errors
    /// [`Error::Length`].
    pub fn magnetisations(&self, magnetisations: &mut [i64]) -> Result<(), Error> {
        exactly("magnetisations", self.sites(), magnetisations.len())?;
        for (line, &site) in self.lines.lines.iter().zip(&self.order) {
            magnetisations[site as usize] = i64::from(line.magnetisation);
        }
        Ok(())
    }

    /// The number of kinks of all lines.
    #[must_use]
    pub fn kinks(&self) -> u64 {
        self.lines.lines.iter().map(|line| u64::from(line.count)).sum()
    }

    /// The energy of couplings and fields, `- sum J_ij s_i s_j - sum h_i s_i`, its mean over the slices. It takes about
    /// half of the time of a sweep. With a [`quantum`](Self::quantum) it is exact up to its last rounding.
    #[must_use]
    pub fn diagonal_energy(&self) -> f64 {
        -self.space_sum() / f64::from(self.lines.slices)
    }

    /// The sum of `J_ij s_i s_j` and `h_i s_i` over all slices.
    fn space_sum(&self) -> f64 {
        match &self.links.values {
            Values::Integers { quantum, fields, couplings } => {
                let mut sum = 0i64;
                let product = |value: i32, spins: i32| i64::from(value) * i64::from(spins);
                self.for_each_term(|at, spins, is_field| {
                    sum += product(if is_field { fields[at] } else { couplings[at] }, spins);
                });
                sum as f64 * quantum
            }
            Values::Reals { fields, couplings } => {
                let mut sum = 0.0;
                self.for_each_term(|at, spins, is_field| {
                    sum += if is_field { fields[at] } else { couplings[at] } * f64::from(spins);
                });
                sum
            }
        }
    }

    /// Calls `add` with the index of each field and the sum of its spins, and with the index of each coupling, at the
    /// first of its lines, and the overlap of the two.
    fn for_each_term(&self, mut add: impl FnMut(usize, i32, bool)) {
        let mut overlaps = [0; OVERLAPS];
        for (row, line) in self.lines.lines.iter().enumerate() {
            add(row, line.magnetisation, true);
            let ends = [0, 1].map(|next| self.links.starts[row + next] as usize);
            let neighbours = &self.links.neighbours[ends[0]..ends[1]];
            let earlier = neighbours.partition_point(|&other| other as usize <= row);
            let mut at = ends[0] + earlier;
            for others in neighbours[earlier..].chunks(OVERLAPS) {
                let (lines, kinks, stride) = (self.lines.lines.as_ptr(), self.lines.as_ptr(), self.lines.stride());
                // SAFETY: all lines exist; there are `OVERLAPS` overlaps.
                unsafe {
                    let to = overlaps.as_mut_ptr();
                    worldline_overlaps(lines, kinks, stride, row, others.as_ptr(), others.len(), to);
                }
                for &overlap in &overlaps[..others.len()] {
                    add(at, overlap, false);
                    at += 1;
                }
            }
        }
    }

    /// An estimate of the energy of `H = - sum J_ij sz_i sz_j - sum h_i sz_i - gamma sum sx_i`: its mean over sweeps is
    /// that of the Trotter decomposition, which differs from the mean of H by terms of order
    /// `(beta gamma / slices)^2`.
    ///
    /// # Errors
    /// [`Error::Range`] if `beta` or `gamma` is negative or not finite as f32.
    pub fn energy(&self, at: Transverse) -> Result<f64, Error> {
        at.check()?;
        Ok(self.diagonal_energy() - at.transverse_energy(self.lines.slices, self.sites(), self.kinks()))
    }

    /// An estimate of the mean of `sx` over the sites; 0, the exact mean, if `gamma` is 0.
    ///
    /// # Errors
    /// As for [`energy`](Self::energy).
    pub fn transverse_magnetisation(&self, at: Transverse) -> Result<f64, Error> {
        at.check()?;
        let energy = at.transverse_energy(self.lines.slices, self.sites(), self.kinks());
        Ok(if at.gamma > 0.0 { energy / (at.gamma * self.sites() as f64) } else { 0.0 })
    }

    /// The two sums that [`Transverse::weights`] multiply, for a [`ReplicaExchange`](crate::ising::ReplicaExchange) of
    /// worldlines with the same couplings and number of slices.
    ///
    /// ```
    /// use hotloops::ising::{LayeredIsing, ReplicaExchange, Transverse, Worldlines};
    /// use hotloops::random::Mt19937;
    ///
    /// let ladder = [0.8, 1.0, 1.2].map(|gamma| Transverse { beta: 4.0, gamma });
    /// let line = |_| {
    ///     LayeredIsing::builder(1 << 16, 8).couplings((0..8).map(|i| (i, (i + 1) % 8, 1.0))).build_worldlines()
    /// };
    /// let mut models = ladder.iter().map(line).collect::<Result<Vec<Worldlines>, _>>()?;
    /// let weights = ladder.map(|at| at.weights(1 << 16).unwrap());
    /// let mut exchange = ReplicaExchange::new(&weights, 1)?;
    /// let mut rng = Mt19937::seeded(16, 2)?;
    /// for _ in 0..100 {
    ///     for (replica, lines) in models.iter_mut().enumerate() {
    ///         lines.sweep(&mut rng, ladder[exchange.temperature_of(replica)?], 1)?;
    ///     }
    ///     let sums: Vec<_> = models.iter().map(Worldlines::sums).collect();
    ///     exchange.exchange(&sums)?;
    /// }
    /// assert!(exchange.swaps(0)? > 10);
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    #[must_use]
    pub fn sums(&self) -> Energy {
        let bonds = self.slices() as f64 * self.sites() as f64;
        Energy { space: self.space_sum(), tau: bonds - 2.0 * self.kinks() as f64 }
    }

    /// Writes the kinks of all lines by ascending slices: the slice and the site of each. `kinks` is cleared first.
    /// Between two of them no spin changes, so that they and the spins of slice 0 give a sum over all slices.
    ///
    /// # Errors
    /// [`Error::NoMemory`].
    pub fn kinks_in_order(&self, kinks: &mut Vec<(u32, u32)>) -> Result<(), Error> {
        kinks.clear();
        kinks.try_reserve(self.kinks() as usize).map_err(|_| Error::NoMemory)?;
        for (row, &site) in self.order.iter().enumerate() {
            kinks.extend(self.lines.kinks(row).iter().map(|&kink| (kink as u32, site)));
        }
        kinks.sort_unstable();
        Ok(())
    }
}
