//! The rows of an index, put together from its planes.

use core::ops::Range;

use super::image::{BLOCK, GROUP, Index, LINE};
use crate::bitslice::unslice;
use crate::frame::error::Error;
use crate::frame::error::exactly;

impl Index<'_> {
    /// Copies the rows at a range of positions to `rows`, one after the other: bit k of a row is bit k % 8 of its byte
    /// k / 8, and bits after the last one are 0. [`Index::row`] has their numbers.
    ///
    /// ```
    /// use hotloops::fingerprints::Index;
    /// use hotloops::hamming::BitRows;
    ///
    /// let rows = BitRows::new(&[0xff, 0x1f, 0xf0, 0x0f], 4, 8, 1)?;
    /// let mut memory = vec![0; Index::image_len(4, 8)?];
    /// let index = Index::build(rows, &mut memory)?;
    /// let mut sorted = [0; 3];
    /// index.copy_rows(1..4, &mut sorted)?;
    /// assert_eq!(sorted, [0x0f, 0x1f, 0xff]);
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Index`] if `range` is not a range of positions, [`Error::Length`] unless `rows` has whole bytes for
    /// the bits of each row.
    pub fn copy_rows(&self, range: Range<usize>, rows: &mut [u8]) -> Result<(), Error> {
        if range.start > range.end || range.end > self.n {
            let index = range.end.max(range.start);
            return Err(Error::Index { argument: "range", index, count: self.n });
        }
        let width = self.bits.div_ceil(8);
        exactly("rows", range.len() * width, rows.len())?;
        let mut at = range.start;
        while at < range.end {
            let end = range.end.min((at / GROUP + 1) * GROUP);
            let of_group = (at - range.start) * width..(end - range.start) * width;
            self.copy_group(at / GROUP, at % GROUP, &mut rows[of_group])?;
            at = end;
        }
        Ok(())
    }

    /// Copies the rows of a group from number `first` on.
    fn copy_group(&self, group: usize, first: usize, rows: &mut [u8]) -> Result<(), Error> {
        let (block, width) = (self.block(group * GROUP / BLOCK), self.bits.div_ceil(8));
        let planes = &self.bytes[block.at + group % (BLOCK / GROUP) * LINE..];
        let mut words = [0u64; GROUP];
        let mut last = [0; 64 * LINE];
        for word in 0..self.bits.div_ceil(64) {
            let planes = &planes[64 * word * block.stride..];
            if 64 * (word + 1) <= self.bits {
                unslice(planes, block.stride, &mut words)?;
            } else {
                for (plane, line) in last.chunks_exact_mut(LINE).take(self.bits - 64 * word).enumerate() {
                    line.copy_from_slice(&planes[plane * block.stride..][..LINE]);
                }
                unslice(&last, LINE, &mut words)?;
            }
            for (row, word_of_row) in rows.chunks_exact_mut(width).zip(&words[first..]) {
                let bytes = word_of_row.to_le_bytes();
                let end = width.min(8 * word + 8);
                row[8 * word..end].copy_from_slice(&bytes[..end - 8 * word]);
            }
        }
        Ok(())
    }
}
