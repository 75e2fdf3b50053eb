//! The image: tables and bit planes in one piece of memory.

use core::ops::Range;

use crate::frame::error::{Error, at_least};
use crate::hamming::rows;

/// Rows of a group: one line of 64 bytes in each plane.
pub(super) const GROUP: usize = 512;
/// Bytes of a line.
pub(super) const LINE: usize = 64;
/// Groups of a block.
pub(super) const GROUPS: usize = 64;
/// Rows of a block.
pub(super) const BLOCK: usize = GROUP * GROUPS;
/// Maximum bits of a row: offsets of planes within a block have 32 bits.
const MAX_BITS: usize = 1 << 19;

/// Reads as another number on a machine of the other byte order.
const MAGIC: u64 = 0x0100_7865_646e_6968;
const VERSION: u64 = 1;
/// Bytes of the header: magic, version, number of rows, bits, size of the image, 8 bytes each, then
/// zeros.
const HEADER: usize = 64;

/// Offsets of the sections, each a multiple of 64.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    /// For each count 0 ..= bits + 1, the rows with fewer ones.
    pub start: usize,
    /// The bits, rarest first.
    pub order: usize,
    /// The place of each bit in that order.
    pub rank: usize,
    /// The number of rows that have the bit of each rank.
    pub frequency: usize,
    /// The row at each position.
    pub row: usize,
    pub blocks: usize,
    pub end: usize,
}

impl Parts {
    /// The sections for `n` rows of `bits` bits.
    pub fn new(n: usize, bits: usize) -> Result<Self, Error> {
        rows::extent(n, bits, bits.div_ceil(8))?;
        if bits > MAX_BITS {
            return Err(Error::TooLarge { argument: "bits" });
        }
        let too_large = Error::TooLarge { argument: "n_rows" };
        u32::try_from(n).map_err(|_| too_large)?;
        let mut at = HEADER;
        let mut section = |values: usize, size: usize| {
            let start = at;
            let end = values.checked_mul(size).and_then(|bytes| bytes.checked_next_multiple_of(LINE)?.checked_add(at));
            at = end.filter(|&end| end <= isize::MAX as usize).ok_or(too_large)?;
            Ok(start)
        };
        let [start, order, rank, frequency] = [bits + 2, bits, bits, bits].map(|values| section(values, 4));
        let row = section(n, 4)?;
        let lines = n.div_ceil(GROUP) + n.div_ceil(BLOCK);
        let blocks = section(lines, LINE * (bits + 1))?;
        Ok(Parts { start: start?, order: order?, rank: rank?, frequency: frequency?, row, blocks, end: at })
    }

    pub fn header(&self, n: usize, bits: usize) -> [u8; HEADER] {
        let mut header = [0; HEADER];
        for (field, value) in header.chunks_exact_mut(8).zip([MAGIC, VERSION, n as u64, bits as u64, self.end as u64]) {
            field.copy_from_slice(&value.to_ne_bytes());
        }
        header
    }
}

/// Where the planes of a block are.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockPlanes {
    /// Offset of plane 0. Plane `bits` is zero.
    pub at: usize,
    /// Bytes from a plane to the next.
    pub stride: usize,
    pub groups: usize,
}

/// Block `block` of `n` rows of `bits` bits.
pub(super) fn block(parts: &Parts, n: usize, bits: usize, block: usize) -> BlockPlanes {
    let groups = (n - block * BLOCK).min(BLOCK).div_ceil(GROUP);
    BlockPlanes { at: parts.blocks + block * (GROUPS + 1) * LINE * (bits + 1), stride: (groups + 1) * LINE, groups }
}

/// Rows stored as bit planes for exact similarity search, in the caller's memory.
///
/// An index is a flat image: [`Index::build`] writes it, [`Index::new`] takes it from memory, which
/// may be a file that is mapped. Images are in the machine's byte order; an image of the other byte
/// order is refused.
///
/// Rows are ordered by their number of ones, then as they were given. The *position* of a row is its
/// place in that order.
///
/// Every search counts on the planes and never reads rows. Searches that compare the rows themselves
/// would need a sorted copy of them, and are faster only where nearly all rows match.
///
/// Layout: sections that begin at multiples of 64 bytes: a header of 64 bytes; for each count 0 ..=
/// bits + 1, the number of rows with fewer ones; the bits, rarest first; the place of each bit in
/// that order; the number of rows with the bit at each place; the row at each position; all of these
/// are 32-bit integers. Then the blocks, of 32,768 rows each, the last one shorter. A block has a
/// plane for each bit and one of zeros. Bit i of byte o of a plane belongs to row 8 o + i of the
/// block. A plane has 64 bytes for each 512 rows, the last ones filled up with zeros, and 64 more
/// bytes of zeros.
#[derive(Clone, Copy, Debug)]
pub struct Index<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) n: usize,
    pub(super) bits: usize,
    pub(super) parts: Parts,
}

impl<'a> Index<'a> {
    /// Size in bytes of the image of `n` rows of `bits` bits: about `n * (bits / 8 + 4)`, for at
    /// least 512 rows.
    ///
    /// # Errors
    /// [`Error::NoBits`] if `bits` is 0 and there are rows, [`Error::TooLarge`] if `bits` is more
    /// than 2^19, if there are 2^32 rows or more, or if the size exceeds `isize::MAX`.
    pub fn image_len(n: usize, bits: usize) -> Result<usize, Error> {
        Ok(Parts::new(n, bits)?.end)
    }

    /// The index whose image begins at `memory[0]`; bytes after it are ignored.
    ///
    /// Checks the header and the table of counts, which takes microseconds. Searches of an image
    /// that is corrupt elsewhere return wrong rows; they stay in the memory and do not panic.
    ///
    /// # Errors
    /// [`Error::Packed`] if `memory` does not begin with an image by [`Index::build`],
    /// [`Error::Length`] if it is too short.
    pub fn new(memory: &'a [u8]) -> Result<Self, Error> {
        at_least("memory", HEADER, memory.len())?;
        let field = |at: usize| {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(&memory[8 * at..8 * at + 8]);
            usize::try_from(u64::from_ne_bytes(bytes)).unwrap_or(usize::MAX)
        };
        let (n, bits) = (field(2), field(3));
        let parts = Parts::new(n, bits).map_err(|_| Error::Packed)?;
        if memory[..HEADER] != parts.header(n, bits) {
            return Err(Error::Packed);
        }
        at_least("memory", parts.end, memory.len())?;
        let index = Index { bytes: &memory[..parts.end], n, bits, parts };
        let ascends = (0..=bits).all(|count| index.word(parts.start, count) <= index.word(parts.start, count + 1));
        let ends = index.word(parts.start, 0) == 0 && index.word(parts.start, bits + 1) as usize == n;
        if ascends && ends { Ok(index) } else { Err(Error::Packed) }
    }

    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.n
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// The bits of a row.
    #[must_use]
    pub fn bits(&self) -> usize {
        self.bits
    }

    /// The image.
    #[must_use]
    pub fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The row at a position, or `None` past the end.
    #[must_use]
    pub fn row(&self, position: usize) -> Option<usize> {
        (position < self.n).then(|| self.row_at(position) as usize)
    }

    pub(super) fn row_at(&self, position: usize) -> u32 {
        self.word(self.parts.row, position)
    }

    /// The number of rows with fewer than `count` ones: the position of the first row with more.
    pub(super) fn start(&self, count: u32) -> usize {
        (self.word(self.parts.start, (count as usize).min(self.bits + 1)) as usize).min(self.n)
    }

    /// The number of ones of the row at `position`, if it is at least `from`.
    pub(super) fn ones_at(&self, position: usize, from: u32) -> u32 {
        // Mostly it is `from`; else by bisection.
        let (mut low, mut high, mut step) = (from, self.bits as u32, 1);
        while low < high {
            let middle = low + step.min((high - low).div_ceil(2));
            if self.start(middle) <= position {
                (low, step) = (middle, 2 * step);
            } else {
                (high, step) = (middle - 1, high);
            }
        }
        low
    }

    /// The minimum and the maximum number of ones of a row.
    pub(super) fn counts(&self) -> [u32; 2] {
        let least = self.ones_at(0, 0);
        [least, self.ones_at(self.n.max(1) - 1, least)]
    }

    pub(super) fn word(&self, section: usize, i: usize) -> u32 {
        let mut bytes = [0; 4];
        bytes.copy_from_slice(&self.bytes[section + 4 * i..][..4]);
        u32::from_ne_bytes(bytes)
    }

    /// The first `n` integers of a section.
    pub(super) fn words(&self, section: usize, n: usize) -> &'a [[u8; 4]] {
        self.bytes[section..][..4 * n].as_chunks().0
    }

    pub(super) fn block(&self, number: usize) -> BlockPlanes {
        block(&self.parts, self.n, self.bits, number)
    }

    /// The groups that hold the positions.
    pub(super) fn groups(&self, positions: &Range<usize>) -> Range<usize> {
        positions.start / GROUP..positions.end.div_ceil(GROUP)
    }
}
