//! Building an image: rows sorted by their number of ones, cut into planes.

use alloc::vec::Vec;
use core::array;

use super::image::{BLOCK, BlockPlanes, GROUP, Index, LINE, Parts, block};
use crate::bitslice::slice;
use crate::frame::cache::prefetch;
use crate::frame::error::Error;
use crate::frame::error::exactly;
use crate::frame::memory;
use crate::hamming::{self, BitRows};

/// Words of a row that are gathered together: a cache line.
const WORDS: usize = 8;
/// Columns are this many words apart, so that the words of a row fall into different cache sets.
const COLUMN: usize = GROUP + 8;
/// Rows between the one that is gathered and the one that is requested.
const AHEAD: usize = 16;

impl<'a> Index<'a> {
    /// Writes the image of `rows` into `memory`.
    ///
    /// ```
    /// use hotloops::fingerprints::{Condition, Index, Match, Measure, Searcher};
    /// use hotloops::hamming::BitRows;
    ///
    /// let rows = BitRows::new(&[0x0f, 0xff, 0x1f, 0xf0], 4, 8, 1)?;
    /// let mut memory = vec![0; Index::image_len(4, 8)?];
    /// let index = Index::build(rows, &mut memory)?;
    ///
    /// let (mut searcher, mut hits) = (Searcher::new(), [Match::default(); 2]);
    /// let condition = Condition { measure: Measure::Tanimoto, threshold: 0.5, empty: 0.0 };
    /// let found = searcher.top(&[index], &[0x0f], &condition, &mut hits)?;
    /// let hits: Vec<_> = hits[..found].iter().map(|hit| (hit.row, hit.score)).collect();
    /// assert_eq!(hits, [(0, 1.0), (2, 0.8)]);
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Index::image_len`], [`Error::Length`] if `memory` does not have its length,
    /// [`Error::NoMemory`].
    pub fn build(rows: BitRows, memory: &'a mut [u8]) -> Result<Self, Error> {
        // `None` follows only a false.
        Index::build_while(rows, memory, || true)?.ok_or(Error::NoMemory)
    }

    /// Like [`Index::build`]. Returns `None` as soon as `go_on`, called before each block of at most 32,768
    /// rows, returns false; `memory` then holds no index.
    ///
    /// ```
    /// use hotloops::fingerprints::Index;
    /// use hotloops::hamming::BitRows;
    ///
    /// let rows = BitRows::new(&[0x0f, 0xff], 2, 8, 1)?;
    /// let mut memory = vec![0; Index::image_len(2, 8)?];
    /// assert!(Index::build_while(rows, &mut memory, || false)?.is_none());
    /// assert!(Index::new(&memory).is_err());
    /// assert!(Index::build_while(rows, &mut memory, || true)?.is_some());
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Index::build`].
    pub fn build_while(
        rows: BitRows,
        memory: &'a mut [u8],
        mut go_on: impl FnMut() -> bool,
    ) -> Result<Option<Self>, Error> {
        let (n, bits) = (rows.len(), rows.bits());
        let parts = Parts::new(n, bits)?;
        exactly("memory", parts.end, memory.len())?;
        let mut counts: Vec<u32> = memory::filled(n, 0)?;
        let (mut next, mut order) = (memory::filled(bits + 2, 0u32)?, memory::filled(n, 0u32)?);
        let (mut frequency, mut part): (Vec<u32>, Vec<u32>) = (memory::filled(bits, 0)?, memory::filled(bits, 0)?);
        let mut bits_by_frequency: Vec<u32> = memory::collected(0..bits as u32)?;
        let mut columns: Vec<u64> = memory::filled(WORDS * COLUMN, 0)?;

        memory[..parts.start].copy_from_slice(&parts.header(n, bits));
        // SAFETY: the rows exist, with a count for each.
        unsafe { hamming::counts(rows.as_ptr(0), n, bits, rows.stride, counts.as_mut_ptr()) };
        for &count in &counts {
            next[count as usize + 1] += 1;
        }
        for count in 0..=bits {
            next[count + 1] += next[count];
        }
        put(&mut memory[parts.start..parts.order], &next);
        for (row, &count) in (0..).zip(&counts) {
            let position = &mut next[count as usize];
            order[*position as usize] = row;
            *position += 1;
        }
        put(&mut memory[parts.row..parts.blocks], &order);

        for (number, order) in order.chunks(BLOCK).enumerate() {
            if !go_on() {
                memory[..parts.start].fill(0);
                return Ok(None);
            }
            let block = block(&parts, n, bits, number);
            let planes = &mut memory[block.at..][..block.stride * (bits + 1)];
            cut(rows, order, &block, &mut columns, planes);
            // SAFETY: `bits` planes of whole groups, and a count for each.
            unsafe { hamming::counts(planes.as_ptr(), bits, GROUP * block.groups, block.stride, part.as_mut_ptr()) };
            frequency.iter_mut().zip(&part).for_each(|(all, part)| *all += part);
        }
        bits_by_frequency.sort_unstable_by_key(|&bit| (frequency[bit as usize], bit));
        put(&mut memory[parts.order..parts.rank], &bits_by_frequency);
        for (rank, &bit) in (0..).zip(&bits_by_frequency) {
            part[bit as usize] = rank;
        }
        put(&mut memory[parts.rank..parts.frequency], &part);
        for (rank, &bit) in bits_by_frequency.iter().enumerate() {
            part[rank] = frequency[bit as usize];
        }
        put(&mut memory[parts.frequency..parts.row], &part);
        Ok(Some(Index { bytes: memory, n, bits, parts }))
    }
}

/// Writes a section; zeros fill it up.
fn put(section: &mut [u8], values: &[u32]) {
    let (filled, rest) = section.split_at_mut(4 * values.len());
    filled.chunks_exact_mut(4).zip(values).for_each(|(bytes, value)| bytes.copy_from_slice(&value.to_ne_bytes()));
    rest.fill(0);
}

/// Cuts the rows of a block, at most 32,768, into its planes.
fn cut(rows: BitRows, order: &[u32], block: &BlockPlanes, columns: &mut [u64], planes: &mut [u8]) {
    let (bits, stride) = (rows.bits(), block.stride);
    let mut last = [0; 64 * LINE];
    for (group, order) in order.chunks(GROUP).enumerate() {
        for first in (0..rows.words()).step_by(WORDS) {
            let words = WORDS.min(rows.words() - first);
            if order.len() < GROUP {
                columns.fill(0);
            }
            gather(rows, order, first, words, columns);
            for (word, column) in (first..).zip(columns.chunks_exact(COLUMN)).take(words) {
                let at = 64 * word * stride + group * LINE;
                if 64 * (word + 1) <= bits {
                    let cut = slice(&column[..GROUP], &mut planes[at..], stride);
                    debug_assert!(cut.is_ok());
                } else {
                    let cut = slice(&column[..GROUP], &mut last, LINE);
                    debug_assert!(cut.is_ok());
                    for (plane, line) in last.chunks_exact(LINE).take(bits - 64 * word).enumerate() {
                        planes[at + plane * stride..][..LINE].copy_from_slice(line);
                    }
                }
            }
        }
    }
    for plane in planes.chunks_exact_mut(stride) {
        plane[stride - LINE..].fill(0);
    }
    planes[bits * stride..].fill(0);
}

/// Gathers `words` words of each row from word `first` on, one column for each word.
fn gather(rows: BitRows, order: &[u32], first: usize, words: usize, columns: &mut [u64]) {
    let whole = (rows.bits() / 64).saturating_sub(first).min(words);
    for (i, &row) in order.iter().enumerate() {
        if let Some(&later) = order.get(i + AHEAD) {
            prefetch(rows.as_ptr(later as usize).wrapping_add(8 * first));
        }
        if whole == WORDS {
            let bytes = &rows.row(row as usize)[8 * first..][..8 * WORDS];
            let line: [u64; WORDS] = array::from_fn(|word| {
                let mut number = [0; 8];
                number.copy_from_slice(&bytes[8 * word..8 * word + 8]);
                u64::from_le_bytes(number)
            });
            (0..WORDS).for_each(|word| columns[word * COLUMN + i] = line[word]);
        } else {
            for word in 0..words {
                columns[word * COLUMN + i] = u64::from_le_bytes(rows.word(row as usize, first + word));
            }
        }
    }
}
