//! The reference: one word at a time.

use super::contract::{
    BITS, BLOCK_ROWS, HEAT_BATH, NEGATIVE, ODD, OWN, OWN_CALLS, ROUND_CALLS, Visit, export_visit, last_mask, stride,
    words,
};
use crate::random::philox4x32;

export_visit! { scalar visit }

/// Numbers that are compared with acceptance probabilities bit by bit, from the most significant
/// bit on.
#[derive(Clone, Copy, Default)]
struct Comparison {
    /// Spins with an odd number of unsatisfied bonds.
    odd: u64,
    /// Spins for which all bits so far are equal.
    undecided: u64,
    /// Spins whose random number is less.
    less: u64,
}

impl Comparison {
    /// Compares the next bit, given the code of the probabilities and the random plane.
    fn add(&mut self, code: u8, random: u64) {
        let bit = |class: u8| if code >> class & 1 == 1 { u64::MAX } else { 0 };
        let probability = bit(0) & !self.odd | bit(1) & self.odd;
        self.less |= self.undecided & probability & !random;
        self.undecided &= !(probability ^ random);
    }
}

/// Two random planes of a block.
fn planes(visit: &Visit, block: u32, call: usize) -> [u64; 2] {
    let Visit { flags, seed, sweep, .. } = *visit;
    let counter = [block, 2 * call as u32 + (flags & ODD), sweep as u32, (sweep >> 32) as u32];
    let [a, b, c, d] = philox4x32(counter, [seed as u32, (seed >> 32) as u32]).map(u64::from);
    [a << 32 | b, c << 32 | d]
}

/// Visits a word as far as its own planes decide it. Returns the flips so far.
///
/// # Safety
/// The row and those beside it exist; `codes` are those of the kernel.
unsafe fn begin(visit: &Visit, row: usize, word: usize, spins: u64) -> (u64, Comparison) {
    let mask = |flag: u32| if visit.flags & flag != 0 { u64::MAX } else { 0 };
    let live = if word + 1 == words(visit.columns) { last_mask(visit.columns) } else { u64::MAX };
    // SAFETY: the caller's contract.
    let bonds = unsafe { visit.neighbours(row, word) }.map(|neighbour| spins ^ mask(NEGATIVE) ^ neighbour);
    let (mut odd, mut half, mut over) = (0, 0, 0);
    for bit in 0..64 {
        let unsatisfied = bonds.iter().filter(|&bond| bond >> bit & 1 == 1).count();
        odd |= (unsatisfied as u64 & 1) << bit;
        half |= u64::from(unsatisfied == 2) << bit;
        over |= u64::from(unsatisfied > 2) << bit;
    }
    let mut comparison = Comparison { odd, undecided: live & !half & (!over | mask(HEAT_BATH)), less: 0 };
    let block = visit.block(row, word);
    for k in 0..OWN {
        let random = planes(visit, block, row % BLOCK_ROWS * OWN / 2 + k / 2)[k % 2];
        // SAFETY: the caller's contract.
        comparison.add(unsafe { visit.codes.add(k).read() }, random);
        if k == 0 {
            half &= !random;
        }
    }
    ((comparison.less ^ over | half) & live, comparison)
}

/// Decides what the own planes left undecided.
///
/// # Safety
/// `codes` are those of the kernel.
unsafe fn pool(visit: &Visit, block: u32, sites: &mut [(u64, Comparison)]) {
    for round in 0.. {
        let mut pooled = Comparison::default();
        let mut chosen = [0; BLOCK_ROWS];
        for ((_, own), chosen) in sites.iter_mut().zip(&mut chosen) {
            *chosen = own.undecided & !pooled.undecided;
            own.undecided &= pooled.undecided;
            pooled.undecided |= *chosen;
            pooled.odd |= own.odd & *chosen;
        }
        if pooled.undecided == 0 {
            return;
        }
        for k in OWN..BITS {
            let random = planes(visit, block, OWN_CALLS + round * ROUND_CALLS + (k - OWN) / 2)[k % 2];
            // SAFETY: the caller's contract.
            pooled.add(unsafe { visit.codes.add(k).read() }, random);
            if pooled.undecided == 0 {
                break;
            }
        }
        for ((flips, _), chosen) in sites.iter_mut().zip(chosen) {
            *flips ^= pooled.less & chosen;
        }
    }
}

/// # Safety
/// As for [`super::sweep_lattice()`].
unsafe fn visit(visit: Visit) -> u64 {
    let Visit { spins, columns, first, count, .. } = visit;
    let (stride, words) = (stride(columns), words(columns));
    let mut flipped = 0;
    for begin_row in (first..first + count).step_by(BLOCK_ROWS) {
        let block_rows = BLOCK_ROWS.min(first + count - begin_row);
        for word in 0..words {
            let mut sites = [(0, Comparison::default()); BLOCK_ROWS];
            let sites = &mut sites[..block_rows];
            // SAFETY: the caller's contract.
            let at = |b: usize| unsafe { spins.add(stride * (begin_row + b) + 1 + word) };
            for (b, site) in sites.iter_mut().enumerate() {
                // SAFETY: as above.
                *site = unsafe { begin(&visit, begin_row + b, word, at(b).read_unaligned()) };
            }
            // SAFETY: as above.
            unsafe { pool(&visit, visit.block(begin_row, word), sites) };
            for (b, &(flips, _)) in sites.iter().enumerate() {
                // SAFETY: as above.
                unsafe { at(b).write_unaligned(at(b).read_unaligned() ^ flips) };
                flipped += u64::from(flips.count_ones());
            }
        }
    }
    // SAFETY: as above.
    unsafe { visit.write_ghosts() };
    flipped
}
