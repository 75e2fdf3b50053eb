//! Energies from the couplings as given.

use super::program::{BlockLine, Counted, Program, for_each_bit};
use super::scalar::{BLOCK, entry};
use crate::ising::shape::CompensatedSum;

/// Chains of the sums of an energy: one would wait for each addition.
pub(super) const CHAINS: usize = 8;

/// A sum of terms.
pub(super) trait Chain: Copy {
    fn add(&mut self, term: f64);
}

impl Chain for f64 {
    #[inline(always)]
    fn add(&mut self, term: f64) {
        *self += term;
    }
}

impl Chain for CompensatedSum {
    #[inline(always)]
    fn add(&mut self, term: f64) {
        CompensatedSum::add(self, term);
    }
}

/// The sign of a float.
const SIGN: u32 = 1 << 31;

/// A spin as the blocks hold it.
pub(super) trait Spin: Copy {
    const UP: Self;

    /// The sign of the spin, that of a float.
    fn sign(self) -> u32;
}

impl Spin for f32 {
    const UP: f32 = 1.0;

    #[inline(always)]
    fn sign(self) -> u32 {
        self.to_bits() & SIGN
    }
}

impl Spin for i64 {
    const UP: i64 = 0;

    #[inline(always)]
    fn sign(self) -> u32 {
        (self as u32) << 31
    }
}

impl Spin for u8 {
    const UP: u8 = 0;

    #[inline(always)]
    fn sign(self) -> u32 {
        u32::from(self) << 31
    }
}

/// Moves the signs of some bonds to the front, in the order of the bits of `which`; returns their number.
fn gather(which: u64, signs: &mut [u32; BLOCK], sign: impl Fn(&[u32; BLOCK], usize) -> u32) -> usize {
    let mut count = 0;
    for_each_bit(which, |number| {
        // No sign is read behind its place.
        signs[count] = sign(signs, number);
        count += 1;
    });
    count
}

/// Adds the weights, each with a sign.
#[inline(always)]
fn add<S: Chain>(sums: &mut [S; CHAINS], weights: &[f64], signs: &[u32; BLOCK]) {
    let mut chains = *sums;
    // The sign is flipped without a branch, because spins are random.
    let term = |weight: f64, sign: u32| f64::from_bits(weight.to_bits() ^ u64::from(sign) << 32);
    for (weights, signs) in weights.chunks(CHAINS).zip(signs.as_chunks::<CHAINS>().0) {
        if let Some(weights) = weights.first_chunk::<CHAINS>() {
            for n in 0..CHAINS {
                chains[n].add(term(weights[n], signs[n]));
            }
        } else {
            for (n, &weight) in weights.iter().enumerate() {
                chains[n].add(term(weight, signs[n]));
            }
        }
    }
    *sums = chains;
}

/// Adds the terms of the energy `Es` of one system, lane by lane, to chains: term number n of a line to chain
/// n modulo [`CHAINS`]. Returns the number of spins that are -1. `spins` begin with a block that is only read.
pub(super) fn measure<P: Copy + Default + PartialEq, T: Spin, S: Chain>(
    program: &Program<P>,
    spins: &[BlockLine<T>],
    system: usize,
    weights: &[f64],
    chains: &mut [S; CHAINS],
) -> i64 {
    let spins = BlockLine::flat(spins);
    let first = BLOCK * (1 + program.starts.len() * system);
    let up = [T::UP; BLOCK];
    let block_at = |place: usize| spins[place..].first_chunk::<BLOCK>().unwrap_or(&up);
    let (mut weights, mut down, mut signs) = (weights, 0, [0; BLOCK]);
    program.visit(|block, counted| {
        let own = block_at(first + BLOCK * block);
        let count = match counted {
            Counted::Sites(sites) => {
                (0..BLOCK).for_each(|lane| signs[lane] = own[lane].sign());
                down += signs[..sites].iter().map(|sign| i64::from(sign >> 31)).sum::<i64>();
                sites
            }
            Counted::Diagonal { base, lanes } => {
                let others = block_at(first.wrapping_add_signed(base));
                (0..BLOCK).for_each(|lane| signs[lane] = own[lane].sign() ^ others[lane].sign());
                if lanes == u64::MAX { BLOCK } else { gather(lanes, &mut signs, |signs, lane| signs[lane]) }
            }
            Counted::Slot { entries, which } => gather(which, &mut signs, |_, number| {
                let (lane, position) = entry(entries[number], number, entries.len());
                own[lane].sign() ^ spins[first + position].sign()
            }),
        };
        let (terms, rest) = weights.split_at(count);
        weights = rest;
        add(chains, terms, &signs);
    });
    down
}
