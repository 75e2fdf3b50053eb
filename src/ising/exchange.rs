//! Replica exchange: assigns the temperatures of a ladder to equal models.

use alloc::vec::Vec;
use core::borrow::Borrow;
use core::iter;

use super::model::LayeredIsing;
use super::shape::{Beta, Energy, finite};
use crate::exp::double::exp;
use crate::frame::error::{Error, exactly};
use crate::frame::memory;
use crate::frame::state::{Format, Saved};
use crate::random::SplitMix64;

/// Replica exchange (parallel tempering): equal models, the replicas, move along a ladder of
/// temperatures, so that a replica stuck at a low temperature escapes at a high one. Sweep each
/// model at the [`beta`](Self::beta) of its replica. A swap exchanges the temperatures of two
/// replicas; the spins stay in their models.
///
/// Temperatures are numbered along the ladder; pair `p` consists of temperatures `p` and `p + 1`.
/// Rounds alternate: the first attempts the even pairs, the next the odd pairs. The replicas `a`
/// and `b` at temperatures `p` and `p + 1` are swapped with probability `min(1, exp(x))`, which
/// preserves the weights of [`Beta`]:
///
/// ```text
/// x = (space_p - space_p+1) (Es_b - Es_a) + (tau_p - tau_p+1) (Et_b - Et_a)
/// ```
///
/// A replica completes a round trip when it has moved from the first temperature of the ladder to
/// the last and back to the first.
///
/// Each attempt uses the upper 53 bits of one number from the exchange's own SplitMix64. The same
/// seed and the same energies give the same swaps on every machine.
///
/// Source: Hukushima, Nemoto, "Exchange Monte Carlo method and application to spin glass
/// simulations" (J. Phys. Soc. Jpn. 65, 1996).
///
/// ```
/// use hotloops::ising::{Beta, Kind, LayeredIsing, ReplicaExchange};
/// use hotloops::random::Mt19937;
///
/// let ladder = [0.2, 0.3, 0.4].map(|space| Beta { space, tau: 0.5 });
/// let mut exchange = ReplicaExchange::new(&ladder, 1)?;
/// let ring = || LayeredIsing::builder(32, 8).couplings((0..8).map(|i| (i, (i + 1) % 8, 1.0))).build(Kind::Auto);
/// let mut models = [ring()?, ring()?, ring()?];
/// let mut rng = Mt19937::seeded(16, 5489)?;
/// for _ in 0..1000 {
///     for (replica, model) in models.iter_mut().enumerate() {
///         model.sweep(&mut rng, exchange.beta(replica)?, 1)?;
///     }
///     exchange.step(&models)?;
/// }
/// assert!((1..500).contains(&exchange.swaps(0)?) && exchange.round_trips() > 0);
/// println!("coldest: {:?}", models[exchange.replica_at(2)?].energy());
/// # Ok::<(), hotloops::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct ReplicaExchange {
    ladder: Vec<Rung>,
    replicas: Vec<Replica>,
    rounds: u64,
    random: SplitMix64,
}

/// A temperature, and the swaps of the pair that it forms with the next one.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rung {
    beta: Beta,
    replica: usize,
    swaps: u64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Replica {
    temperature: usize,
    leg: Leg,
    trips: u64,
}

/// Where a replica is on its round trip.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Leg {
    /// It has not been at the first temperature yet.
    Before,
    /// On its way from the first temperature to the last.
    Out,
    /// On its way from the last temperature to the first.
    Back,
}

const LEGS: [Leg; 3] = [Leg::Before, Leg::Out, Leg::Back];

impl ReplicaExchange {
    /// Creates as many replicas as temperatures, replica `r` at temperature `r`. It allocates 48
    /// bytes for each; only [`set_state`](Self::set_state) may allocate again.
    ///
    /// Adjacent temperatures should be so close that a fair share of the swaps is accepted. The
    /// order is otherwise arbitrary.
    ///
    /// # Errors
    /// [`Error::Ladder`] for fewer than two temperatures, [`Error::TooLarge`] for 2^32 or more,
    /// [`Error::Beta`] if one is not finite, [`Error::NoMemory`].
    pub fn new(ladder: &[Beta], seed: u32) -> Result<Self, Error> {
        if ladder.len() < 2 {
            return Err(Error::Ladder { temperatures: ladder.len() });
        }
        u32::try_from(ladder.len()).map_err(|_| Error::TooLarge { argument: "ladder" })?;
        for beta in ladder {
            for (argument, value) in [("space", beta.space), ("tau", beta.tau)] {
                finite(value, Error::Beta { argument, value })?;
            }
        }
        let mut exchange = Self::blank(ladder.len())?;
        exchange.random = SplitMix64(seed.into());
        for (temperature, &beta) in ladder.iter().enumerate() {
            exchange.ladder[temperature].beta = beta;
            exchange.place(temperature, temperature);
        }
        Ok(exchange)
    }

    /// The number of temperatures, and of replicas; at least two.
    #[expect(clippy::len_without_is_empty, reason = "it never is")]
    #[must_use]
    pub fn len(&self) -> usize {
        self.ladder.len()
    }

    /// The inverse temperatures for the next sweep of a replica.
    ///
    /// # Errors
    /// [`Error::Index`] if there is no such replica.
    pub fn beta(&self, replica: usize) -> Result<Beta, Error> {
        Ok(self.ladder[self.temperature_of(replica)?].beta)
    }

    /// The index of a replica's current temperature.
    ///
    /// # Errors
    /// [`Error::Index`] if there is no such replica.
    pub fn temperature_of(&self, replica: usize) -> Result<usize, Error> {
        Ok(self.replicas[self.index("replica", replica, self.len())?].temperature)
    }

    /// The replica that is now at a temperature.
    ///
    /// # Errors
    /// [`Error::Index`] if there is no such temperature.
    pub fn replica_at(&self, temperature: usize) -> Result<usize, Error> {
        Ok(self.ladder[self.index("temperature", temperature, self.len())?].replica)
    }

    /// Attempts one round of swaps, of every second pair of temperatures, and returns the number of
    /// swaps made. `energies[replica]` is the energy of all layers together, see
    /// [`LayeredIsing::energy`].
    ///
    /// With two temperatures there is only one pair, so every second round does nothing.
    ///
    /// # Errors
    /// [`Error::Length`] unless there are as many energies as replicas; [`Error::Energy`] if one is
    /// not finite.
    pub fn exchange(&mut self, energies: &[Energy]) -> Result<usize, Error> {
        exactly("energies", self.len(), energies.len())?;
        check_energies(energies)?;
        Ok(self.round(|replica| energies[replica]))
    }

    /// Like [`exchange`](Self::exchange), but measures the energies of `models[replica]` itself,
    /// and only those that it needs.
    ///
    /// # Errors
    /// [`Error::Length`] unless there are as many models as replicas.
    pub fn step<M: Borrow<LayeredIsing>>(&mut self, models: &[M]) -> Result<usize, Error> {
        exactly("models", self.len(), models.len())?;
        Ok(self.round(|replica| models[replica].borrow().energy()))
    }

    /// Whether a round swaps the replicas at the temperatures `pair` and `pair + 1`, whose energies are
    /// given in this order. `ahead` is the number of rounds before it that have not been made: 0 for the
    /// next round. A round that does not attempt the pair does not swap it.
    ///
    /// This changes nothing. Processes that hold some of the replicas each decide their own pairs with it;
    /// [`apply`](Self::apply) makes the rounds, later and elsewhere.
    ///
    /// # Errors
    /// [`Error::Index`] if there is no such pair; [`Error::Energy`] if an energy is not finite, with its
    /// position in `energies`.
    pub fn decide(&self, ahead: u64, pair: usize, energies: [Energy; 2]) -> Result<bool, Error> {
        let pairs = self.len() - 1;
        let pair = self.index("pair", pair, pairs)?;
        check_energies(&energies)?;
        let (first, parity) = (self.rounds % 2, (self.rounds ^ ahead) % 2);
        // Two rounds take a number for each pair.
        let attempts = |parity: u64| (pairs as u64 + 1 - parity) / 2;
        let before = (ahead / 2).wrapping_mul(pairs as u64).wrapping_add(ahead % 2 * attempts(first));
        Ok(pair as u64 % 2 == parity && self.accepts(pair, before.wrapping_add(pair as u64 / 2), energies))
    }

    /// Makes a round whose swaps [`decide`](Self::decide) has found: `swaps(pair)` is called for each pair
    /// that the round attempts, in ascending order. Returns the number of swaps made.
    pub fn apply(&mut self, mut swaps: impl FnMut(usize) -> bool) -> usize {
        self.attempt(|_, pair| swaps(pair))
    }

    /// The number of swaps of a pair that were attempted.
    ///
    /// # Errors
    /// [`Error::Index`] if there is no such pair; there is one pair fewer than temperatures.
    pub fn attempts(&self, pair: usize) -> Result<u64, Error> {
        let pair = self.index("pair", pair, self.len() - 1)?;
        Ok((self.rounds + 1 - pair as u64 % 2) / 2)
    }

    /// The number of swaps of a pair that were made.
    ///
    /// # Errors
    /// As for [`attempts`](Self::attempts).
    pub fn swaps(&self, pair: usize) -> Result<u64, Error> {
        Ok(self.ladder[self.index("pair", pair, self.len() - 1)?].swaps)
    }

    /// The number of round trips that all replicas together have completed.
    #[must_use]
    pub fn round_trips(&self) -> u64 {
        self.replicas.iter().map(|replica| replica.trips).sum()
    }

    /// The number of round trips that a replica has completed.
    ///
    /// # Errors
    /// [`Error::Index`] if there is no such replica.
    pub fn round_trips_of(&self, replica: usize) -> Result<u64, Error> {
        Ok(self.replicas[self.index("replica", replica, self.len())?].trips)
    }

    /// The number of bytes of [`state_bytes`](Self::state_bytes).
    #[must_use]
    pub fn state_len(&self) -> usize {
        FORMAT.len(self.len())
    }

    /// Writes everything, ladder and statistics included, as [`state_len`](Self::state_len) bytes,
    /// the same on every machine.
    ///
    /// All values are little-endian:
    ///
    /// - the 8 bytes `hlrepexc`, the version 1 (`u32`), the number of temperatures (`u32`), the
    ///   number of rounds (`u64`), the state of the random numbers (`u64`)
    /// - for each `i` five `u64`: the bits of `space` of temperature `i` in the lower half and of
    ///   `tau` in the upper half; the replica at temperature `i`; the swaps of pair `i`; the leg of
    ///   replica `i` (0 if it has not been at the first temperature, 1 on its way to the last, 2 on
    ///   its way back); the round trips of replica `i`
    /// - the FNV-1a hash of all bytes before it (`u64`)
    ///
    /// # Errors
    /// [`Error::Length`] unless `bytes` has this length.
    pub fn state_bytes(&self, bytes: &mut [u8]) -> Result<(), Error> {
        let rows = iter::zip(&self.ladder, &self.replicas).flat_map(|(rung, replica)| {
            let beta = u64::from(rung.beta.space.to_bits()) | u64::from(rung.beta.tau.to_bits()) << 32;
            [beta, rung.replica as u64, rung.swaps, replica.leg as u64, replica.trips]
        });
        FORMAT.write(bytes, self.len(), self.rounds, iter::once(self.random.0).chain(rows).map(u64::to_le_bytes))
    }

    /// An exchange in the state that [`state_bytes`](Self::state_bytes) wrote.
    ///
    /// # Errors
    /// [`Error::StateTruncated`], [`Error::StateForeign`], [`Error::StateCorrupt`],
    /// [`Error::Length`] if bytes follow the end, [`Error::NoMemory`].
    pub fn from_state_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let saved = parse(bytes)?;
        let mut exchange = Self::blank(saved.count)?;
        exchange.load(&saved);
        Ok(exchange)
    }

    /// Restores the state that [`state_bytes`](Self::state_bytes) wrote, ladder included. It
    /// allocates only if the number of temperatures changes. After an error the exchange is
    /// unchanged.
    ///
    /// # Errors
    /// As for [`from_state_bytes`](Self::from_state_bytes).
    pub fn set_state(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let saved = parse(bytes)?;
        if saved.count != self.len() {
            *self = Self::blank(saved.count)?;
        }
        self.load(&saved);
        Ok(())
    }

    /// An exchange with memory for `len` temperatures; their values are still to be set.
    fn blank(len: usize) -> Result<Self, Error> {
        let rung = Rung { beta: Beta { space: 0.0, tau: 0.0 }, replica: 0, swaps: 0 };
        let replica = Replica { temperature: 0, leg: Leg::Before, trips: 0 };
        Ok(ReplicaExchange {
            ladder: memory::filled(len, rung)?,
            replicas: memory::filled(len, replica)?,
            rounds: 0,
            random: SplitMix64(0),
        })
    }

    /// `self` must have as many temperatures as `saved`.
    fn load(&mut self, saved: &Saved) {
        (self.rounds, self.random) = (saved.position, SplitMix64(u64::from_le_bytes(saved.words()[0])));
        for (index, [beta, replica, swaps, leg, trips]) in rows(saved).enumerate() {
            let replica = replica as usize;
            self.ladder[index] = Rung { beta: beta_of(beta), replica, swaps };
            self.replicas[replica].temperature = index;
            (self.replicas[index].leg, self.replicas[index].trips) = (LEGS[leg as usize], trips);
        }
    }

    fn index(&self, argument: &'static str, index: usize, count: usize) -> Result<usize, Error> {
        if index < count { Ok(index) } else { Err(Error::Index { argument, index, count }) }
    }

    /// `energy` returns finite values.
    fn round(&mut self, energy: impl Fn(usize) -> Energy) -> usize {
        self.attempt(|exchange, pair| {
            let energies = [pair, pair + 1].map(|temperature| energy(exchange.ladder[temperature].replica));
            exchange.accepts(pair, 0, energies)
        })
    }

    /// Makes a round: swaps the pairs for which `swaps` returns true. The generator is at the pair's number then.
    fn attempt(&mut self, mut swaps: impl FnMut(&Self, usize) -> bool) -> usize {
        let mut made = 0;
        for pair in ((self.rounds % 2) as usize..self.len() - 1).step_by(2) {
            let is_swapped = swaps(self, pair);
            // Each pair takes a number, whether or not it needs one.
            self.random.next();
            if is_swapped {
                let [a, b] = [pair, pair + 1].map(|temperature| self.ladder[temperature].replica);
                self.place(a, pair + 1);
                self.place(b, pair);
                self.ladder[pair].swaps += 1;
                made += 1;
            }
        }
        self.rounds += 1;
        made
    }

    /// Whether the replicas of a pair swap, given their finite energies and the random number after `draws` others.
    fn accepts(&self, pair: usize, draws: u64, [a, b]: [Energy; 2]) -> bool {
        let [p, q] = [self.ladder[pair].beta, self.ladder[pair + 1].beta];
        let difference = |p: f32, q: f32| f64::from(p) - f64::from(q);
        let space = difference(p.space, q.space) * (b.space - a.space);
        let tau = difference(p.tau, q.tau) * (b.tau - a.tau);
        // A multiple of 2^-53 in [0, 1).
        let number = (self.random.nth(draws) >> 11) as f64 / (1u64 << 53) as f64;
        space + tau >= 0.0 || number < exp(space + tau)
    }

    fn place(&mut self, replica: usize, temperature: usize) {
        let last = self.len() - 1;
        self.ladder[temperature].replica = replica;
        let replica = &mut self.replicas[replica];
        replica.temperature = temperature;
        if temperature == 0 {
            replica.trips += u64::from(replica.leg == Leg::Back);
            replica.leg = Leg::Out;
        } else if temperature == last && replica.leg == Leg::Out {
            replica.leg = Leg::Back;
        }
    }
}

fn check_energies(energies: &[Energy]) -> Result<(), Error> {
    for (replica, energy) in energies.iter().enumerate() {
        if let Some(value) = [energy.space, energy.tau].into_iter().find(|value| !value.is_finite()) {
            return Err(Error::Energy { replica, value });
        }
    }
    Ok(())
}

const WORDS: usize = 5;
const FORMAT: Format =
    Format { magic: b"hlrepexc", version: 1, has_count: |count| count >= 2, fixed: 8, each: 8 * WORDS };

/// The words of each temperature and replica.
fn rows<'a>(saved: &Saved<'a>) -> impl Iterator<Item = [u64; WORDS]> + Clone + use<'a> {
    saved.words()[1..].as_chunks().0.iter().map(|row: &[_; WORDS]| row.map(u64::from_le_bytes))
}

fn beta_of(bits: u64) -> Beta {
    Beta { space: f32::from_bits(bits as u32), tau: f32::from_bits((bits >> 32) as u32) }
}

/// Accepts only states that this library can have written, so that no index is out of range and no
/// sum overflows.
fn parse(bytes: &[u8]) -> Result<Saved<'_>, Error> {
    let saved = FORMAT.parse(bytes)?;
    let (rounds, count, rows) = (saved.position, saved.count as u64, rows(&saved));
    let sound = rounds < 1 << 63
        && rows.clone().enumerate().all(|(index, [beta, replica, swaps, leg, _])| {
            let Beta { space, tau } = beta_of(beta);
            let others = || rows.clone().take(index).all(|[_, other, ..]| other != replica);
            space.is_finite() && tau.is_finite() && replica < count && others() && swaps <= rounds && leg < 3
        })
        // At most one replica reaches the first temperature in a round.
        && rows.clone().try_fold(0u64, |sum, row| sum.checked_add(row[4])).is_some_and(|trips| trips <= rounds);
    if sound { Ok(saved) } else { Err(Error::StateCorrupt) }
}
