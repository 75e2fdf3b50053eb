//! Random damage of files, for tests. `HOTLOOPS_SEED` repeats a run.

use std::hash::{BuildHasher, RandomState};

/// A pseudo-random sequence.
pub struct Random(u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(n)) >> 64) as u64
    }
}

/// A sequence with a new seed, which is printed.
pub fn random(test: &str) -> Random {
    let seed = std::env::var("HOTLOOPS_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or_else(|| RandomState::new().hash_one(test));
    println!("HOTLOOPS_SEED={seed}");
    Random(seed)
}

/// Some bytes changed, dropped, inserted, repeated, moved or overwritten.
pub fn mutated(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut new = bytes.to_vec();
    for _ in 0..1 + random.below(3) {
        if new.is_empty() {
            break;
        }
        let at = random.below(new.len() as u64) as usize;
        let end = new.len().min(at + 1 + random.below(64) as usize);
        let other = random.next();
        match random.below(10) {
            0 => new[at] ^= 1 << (other % 8),
            1 => new[at] = other as u8,
            2 => drop(new.drain(at..end)),
            3 => drop(new.splice(at..at, other.to_le_bytes())),
            4 => drop(new.splice(at..at, new[at..end].to_vec())),
            5 => new[at..end].fill([0, 0xff][other as usize % 2]),
            6 => new[at..end].reverse(),
            7 => new.truncate(at),
            8 => new.extend_from_slice(&bytes[at.min(bytes.len())..]),
            _ => {
                let part: Vec<u8> = new.drain(at..end).collect();
                let to = random.below(new.len() as u64 + 1) as usize;
                new.splice(to..to, part);
            }
        }
    }
    new
}

/// Asserts that a file of a job is refused after each of 10,000 changes of one bit.
pub fn every_flip_is_refused(job: &str, bytes: &[u8], is_refused: impl Fn(&[u8]) -> bool) {
    let mut random = random(job);
    let mut flipped = bytes.to_vec();
    for _ in 0..10_000 {
        let (at, bit) = (random.below(bytes.len() as u64) as usize, random.below(8));
        flipped[at] ^= 1 << bit;
        assert!(is_refused(&flipped), "{job}: bit {bit} of byte {at} of {}", bytes.len());
        flipped[at] ^= 1 << bit;
    }
}

/// 1,000 lengths that a file may be truncated to.
pub fn cuts(job: &str, bytes: &[u8]) -> Vec<usize> {
    let mut random = random(job);
    (0..1000).map(|_| random.below(bytes.len() as u64 + 1) as usize).collect()
}
