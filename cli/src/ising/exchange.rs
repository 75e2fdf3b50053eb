//! Stand-in until the library has it.

use hotloops::Error;
use hotloops::ising::{Beta, Energy};
use hotloops::random::Mt19937;

pub struct ReplicaExchange {
    ladder: Vec<Beta>,
    replicas: Vec<usize>,
    attempts: Vec<u64>,
    swaps: Vec<u64>,
    rounds: u64,
    rng: Mt19937,
}

impl ReplicaExchange {
    pub fn new(ladder: &[Beta], seed: u32) -> Result<Self, Error> {
        let pairs = vec![0; ladder.len() - 1];
        let replicas = (0..ladder.len()).collect();
        Ok(Self {
            ladder: ladder.into(),
            replicas,
            attempts: pairs.clone(),
            swaps: pairs,
            rounds: 0,
            rng: Mt19937::seeded(4, seed)?,
        })
    }

    pub fn replica_at(&self, temperature: usize) -> Result<usize, Error> {
        Ok(self.replicas[temperature])
    }

    pub fn exchange(&mut self, energies: &[Energy]) -> Result<usize, Error> {
        let mut count = 0;
        for t in (self.rounds as usize % 2..self.ladder.len() - 1).step_by(2) {
            let (a, b) = (energies[self.replicas[t]], energies[self.replicas[t + 1]]);
            let (p, q) = (self.ladder[t], self.ladder[t + 1]);
            let gain = f64::from(p.space - q.space) * (b.space - a.space) + f64::from(p.tau - q.tau) * (b.tau - a.tau);
            let mut x = [0f32];
            self.rng.fill_f32(&mut x);
            self.attempts[t] += 1;
            if f64::from(x[0]) < gain.exp() {
                self.replicas.swap(t, t + 1);
                self.swaps[t] += 1;
                count += 1;
            }
        }
        self.rounds += 1;
        Ok(count)
    }

    pub fn attempts(&self, pair: usize) -> Result<u64, Error> {
        Ok(self.attempts[pair])
    }

    pub fn swaps(&self, pair: usize) -> Result<u64, Error> {
        Ok(self.swaps[pair])
    }

    pub fn len(&self) -> usize {
        self.ladder.len()
    }

    pub fn round_trips(&self) -> u64 {
        0
    }

    pub fn state_len(&self) -> usize {
        8 * (1 + self.replicas.len() + 2 * self.swaps.len()) + self.rng.state_len()
    }

    pub fn state_bytes(&self, bytes: &mut [u8]) -> Result<(), Error> {
        let words = [self.rounds].into_iter().chain(self.replicas.iter().map(|&r| r as u64));
        let words = words.chain(self.attempts.iter().copied()).chain(self.swaps.iter().copied());
        let (front, back) = bytes.split_at_mut(self.state_len() - self.rng.state_len());
        front.chunks_exact_mut(8).zip(words).for_each(|(b, w)| b.copy_from_slice(&w.to_le_bytes()));
        self.rng.state_bytes(back)
    }

    pub fn set_state(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let n = self.replicas.len();
        let words: Vec<u64> = bytes.chunks_exact(8).map(|b| u64::from_le_bytes(b.try_into().unwrap())).collect();
        self.rounds = words[0];
        self.replicas = words[1..=n].iter().map(|&w| w as usize).collect();
        self.attempts = words[n + 1..2 * n].to_vec();
        self.swaps = words[2 * n..3 * n - 1].to_vec();
        self.rng.set_state(&bytes[8 * (3 * n - 1)..])
    }
}
