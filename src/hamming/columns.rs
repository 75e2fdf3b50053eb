//! Blocks of rows as bit planes, which a batch of queries shares.

use alloc::vec::Vec;

use super::rows::BitRows;
use super::{counts, misses};
use crate::bitslice::slice;
use crate::frame::error::Error;
use crate::frame::memory;

/// Rows of a block: one line of 64 bytes in each plane.
pub(super) const BLOCK: usize = 512;
/// Bytes of a line.
const LINE: usize = 64;
/// Words of a line.
const WORDS: usize = LINE / 8;
/// Columns are this many words apart, so that the words of a row fall into different cache sets.
const COLUMN: usize = BLOCK + 8;
/// Maximum bits of a row: planes of 1 MiB.
pub(super) const MAX_BITS: usize = 1 << 14;
/// Lines of a state besides its levels, as [`misses()`] has them.
const LINES: usize = 4;
const DEAD: usize = 3;
/// Sums of distances, ones and padding are less than 2^16, of which the levels do not hold the last 4 bits.
const MAX_LEVELS: usize = 12;

/// A query: the planes of its ones, in which a miss is a 0, or of its zeros, in which a miss is a 1.
#[derive(Clone, Copy, Debug)]
struct QueryPlanes {
    /// Its number of ones.
    ones: u32,
    of_zeros: bool,
    /// Planes of zeros that fill up the last chunk.
    padding: u32,
    /// Its offsets: the first, and the chunks of 8.
    first: usize,
    chunks: usize,
}

/// Queries, and a block of rows.
///
/// Let a row have a ones, a query b, and let m be the misses. They differ in a - b + 2 m bits if misses
/// are counted in the planes of the query's ones, in b - a + 2 m bits otherwise. So the counter of each
/// row begins with half of a, or of -a, less what its distance may be, and overflows at the bound.
#[derive(Debug)]
pub(super) struct Columns {
    plans: Vec<QueryPlanes>,
    offsets: Vec<u32>,
    /// The planes of a block, from the first multiple of 64 bytes on; the last one is zero.
    planes: Vec<u8>,
    /// Words of the rows, a column for each.
    columns: Vec<u64>,
    state: State,
    /// The number of ones of each row as planes, the minimum, and the maximum.
    ones: [[u64; WORDS]; 32],
    least: u32,
    greatest: u32,
}

/// The counters of [`misses()`], for one group of rows.
#[derive(Debug)]
#[repr(align(64))]
struct State([[u64; WORDS]; LINES + MAX_LEVELS]);

impl Columns {
    /// Prepares for queries of at most [`MAX_BITS`] bits.
    pub fn new(queries: BitRows) -> Result<Self, Error> {
        let (n, bits, words) = (queries.len(), queries.bits(), queries.words());
        let planes = memory::filled(LINE * (64 * words + 2), 0)?;
        let columns = memory::filled(WORDS * COLUMN, 0)?;
        let mut plans = Vec::new();
        let mut offsets = Vec::new();
        plans.try_reserve(n).map_err(|_| Error::NoMemory)?;
        offsets.try_reserve(n * (bits / 2).next_multiple_of(8)).map_err(|_| Error::NoMemory)?;
        for query in 0..n {
            let word = |word| u64::from_le_bytes(queries.word(query, word));
            let ones: u32 = (0..words).map(|at| word(at).count_ones()).sum();
            let of_zeros = 2 * ones as usize > bits;
            let first = offsets.len();
            let chosen = |&bit: &usize| (word(bit / 64) >> (bit % 64)) & 1 != u64::from(of_zeros);
            let padding = (if of_zeros { bits - ones as usize } else { ones as usize }).wrapping_neg() % 8;
            let zero = core::iter::repeat_n(64 * words, padding);
            offsets.extend(zero.chain((0..bits).filter(chosen)).map(|plane| (LINE * plane) as u32));
            let chunks = (offsets.len() - first) / 8;
            plans.push(QueryPlanes { ones, of_zeros, padding: padding as u32, first, chunks });
        }
        let state = State([[0; WORDS]; LINES + MAX_LEVELS]);
        Ok(Columns { plans, offsets, planes, columns, state, ones: [[0; WORDS]; 32], least: 0, greatest: 0 })
    }

    fn start(&self) -> usize {
        self.planes.as_ptr().align_offset(LINE).min(LINE)
    }

    /// Cuts a block of rows into planes.
    pub fn load(&mut self, rows: BitRows) {
        debug_assert!(rows.len() == BLOCK);
        let start = self.start();
        // A cache line of each row at a time.
        for (line, planes) in self.planes[start..].chunks_mut(WORDS * 64 * LINE).enumerate() {
            let first = WORDS * line;
            let words = rows.words().saturating_sub(first).min(WORDS);
            for row in 0..BLOCK {
                let whole = rows.row(row).as_chunks().0.get(first..).unwrap_or(&[]);
                for (word, &bytes) in whole.iter().enumerate().take(words) {
                    self.columns[word * COLUMN + row] = u64::from_le_bytes(bytes);
                }
                if !rows.bits.is_multiple_of(64) && first + words == rows.words() && words > 0 {
                    self.columns[(words - 1) * COLUMN + row] = u64::from_le_bytes(rows.word(row, rows.words() - 1));
                }
            }
            for (column, planes) in self.columns.chunks(COLUMN).zip(planes.chunks_mut(64 * LINE)).take(words) {
                let cut = slice(&column[..BLOCK], planes, LINE);
                debug_assert!(cut.is_ok());
            }
        }
        let (mut ones, mut planes) = ([0; BLOCK], [0; 32 * LINE]);
        // SAFETY: the rows exist, with a count for each.
        unsafe { counts(rows.as_ptr(0), BLOCK, rows.bits(), rows.stride, ones.as_mut_ptr()) }
        let cut = slice(&ones, &mut planes, LINE);
        debug_assert!(cut.is_ok());
        for (word, bytes) in self.ones.as_flattened_mut().iter_mut().zip(planes.as_chunks().0) {
            *word = u64::from_ne_bytes(*bytes);
        }
        self.least = ones.iter().copied().min().unwrap_or(0);
        self.greatest = ones.iter().copied().max().unwrap_or(0);
    }

    /// The rows of the block whose distance from the query is less than `bound`: bit r % 64 of word r /
    /// 64 is 1 for row r. `bound` is at most the number of bits plus 1.
    pub fn closer(&mut self, query: usize, bound: u32) -> [u64; WORDS] {
        let plan = self.plans[query];
        let [bound, ones, padding, least, greatest] =
            [bound, plan.ones, plan.padding, self.least, self.greatest].map(u32::cast_signed);
        // The distance reaches the bound when twice the misses plus the row's ones (or minus them)
        // reach `end`.
        let (end, range) = match plan.of_zeros {
            false => (bound + ones + 2 * padding, [least, greatest]),
            true => (bound - ones, [-greatest, -least]),
        };
        let most = (end - range[0]).max(range[1] - end + 1).max(1).cast_unsigned();
        let levels = (most.next_power_of_two().trailing_zeros() as usize).saturating_sub(LINES);
        let overflow = 16 << levels;
        let invert = if plan.of_zeros { 0 } else { !0 };
        // -a is 1 more than the complement of a.
        self.begin(overflow - end + i32::from(plan.of_zeros), !invert, levels);
        let planes = self.planes[self.start()..].as_ptr();
        let offsets = self.offsets[plan.first..].as_ptr();
        let state = self.state.0.as_mut_ptr().cast();
        // SAFETY: offsets of planes of one line, for one group; a state with its levels.
        unsafe { misses(planes, offsets, plan.chunks, invert, &mut 0, 1, core::ptr::null(), state, levels) };
        self.state.0[DEAD].map(|dead| !u64::from_le(dead))
    }

    /// Begins to count: half of `start` plus the row's ones, complemented by `flip`. A row whose sum has
    /// bit `levels + 4` is dead.
    fn begin(&mut self, start: i32, flip: u64, levels: usize) {
        let State(state) = &mut self.state;
        let mut carries = [0; WORDS];
        for (bit, ones) in self.ones.iter().enumerate().take(levels + LINES + 1) {
            let add = 0u64.wrapping_sub(u64::from(start.cast_unsigned() >> bit & 1));
            let (line, complement) = match bit {
                1..=3 => (bit - 1, !flip),
                _ if bit == levels + LINES => (DEAD, 0),
                _ => (bit, 0),
            };
            for ((place, carry), &ones) in state[line].iter_mut().zip(&mut carries).zip(ones) {
                let ones = ones ^ flip;
                *place = ones ^ *carry ^ add ^ complement;
                *carry = (ones & *carry) | ((ones | *carry) & add);
            }
        }
    }
}
