//! Rows of bits: plain, and packed for repeated use.

use core::ops::Range;

use super::GROUP;
use crate::frame::error::Error;
use crate::frame::error::{self, at_least, exactly};

/// Rows of `bits` bits, `stride` bytes apart. Bit k of a row is bit k % 8 of its byte k / 8; bits
/// past `bits` in its last byte are ignored.
#[derive(Clone, Copy, Debug)]
pub struct BitRows<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) n: usize,
    pub(crate) bits: usize,
    pub(crate) stride: usize,
}

impl<'a> BitRows<'a> {
    /// `n` rows in `bytes`, which may be longer than the rows.
    ///
    /// ```
    /// use hotloops::hamming::BitRows;
    /// let rows = BitRows::new(&[0b111, 0xff, 0b1010, 0xff], 2, 12, 2)?;
    /// let mut counts = [0; 2];
    /// hotloops::hamming::count_ones(rows, &mut counts)?;
    /// assert_eq!(counts, [7, 6]);
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoBits`] if `bits` is 0 and there are rows, [`Error::TooLarge`] if `bits` is 2^32
    /// or more, [`Error::Stride`] if a row is longer than `stride`, [`Error::Length`] if `bytes` is
    /// too short for the rows.
    pub fn new(bytes: &'a [u8], n: usize, bits: usize, stride: usize) -> Result<Self, Error> {
        let needed = extent(n, bits, stride)?;
        at_least("rows", needed, bytes.len())?;
        Ok(BitRows { bytes: &bytes[..needed], n, bits, stride })
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

    pub(crate) fn as_ptr(&self, row: usize) -> *const u8 {
        self.bytes.as_ptr().wrapping_add(row * self.stride)
    }

    /// The rows from `first` on, at most `n`.
    pub(crate) fn part(&self, first: usize, n: usize) -> BitRows<'a> {
        BitRows { bytes: &self.bytes[(first * self.stride).min(self.bytes.len())..], n: n.min(self.n - first), ..*self }
    }

    /// The bytes of a row.
    ///
    /// # Panics
    /// Panics if there is no such row.
    #[must_use]
    pub fn row(&self, row: usize) -> &'a [u8] {
        &self.bytes[row * self.stride..][..self.bits.div_ceil(8)]
    }

    /// Counts the ones of each row; there are at most `N` rows.
    pub(super) fn ones<const N: usize>(&self) -> [u32; N] {
        debug_assert!(self.n <= N);
        let mut ones = [0; N];
        // SAFETY: the rows exist, and there are at most `N`.
        unsafe { super::counts(self.as_ptr(0), self.n, self.bits, self.stride, ones.as_mut_ptr()) };
        ones
    }

    /// The last word of each row if rows end within a word; there are at most `N` rows.
    pub(super) fn tails<const N: usize>(&self) -> Option<[u64; N]> {
        let tail = |i| if i < self.n { u64::from_ne_bytes(self.word(i, self.bits / 64)) } else { 0 };
        (!self.bits.is_multiple_of(64)).then(|| core::array::from_fn(tail))
    }

    /// Words of 8 bytes per row, a partial last one included.
    pub(crate) fn words(&self) -> usize {
        self.bits.div_ceil(64)
    }

    /// The bytes of word `index` of a row, with zeros after the row's last bit.
    pub(crate) fn word(&self, row: usize, index: usize) -> [u8; 8] {
        let bytes = &self.row(row)[8 * index..];
        let mut word = [0; 8];
        let length = bytes.len().min(8);
        word[..length].copy_from_slice(&bytes[..length]);
        if length == bytes.len() && !self.bits.is_multiple_of(8) {
            word[length - 1] &= (1 << (self.bits % 8)) - 1;
        }
        word
    }
}

/// Bytes from the start of the first row to the end of the last.
pub(crate) fn extent(n: usize, bits: usize, stride: usize) -> Result<usize, Error> {
    match n {
        _ if u32::try_from(bits).is_err() => Err(Error::TooLarge { argument: "bits" }),
        1.. if bits == 0 => Err(Error::NoBits),
        _ => error::extent("stride", n, bits.div_ceil(8), stride),
    }
}

/// Reads as another number on a machine of the other byte order.
const MAGIC: u64 = 0x0100_7377_6f72_6c68;
/// Bytes of the header: magic, number of rows, bits, 8 bytes each, then zeros.
const HEADER: usize = 64;

/// Rows packed for comparison with many others, in the caller's memory.
///
/// Layout: a header of 64 bytes, then each row's number of ones as 4 bytes, then groups of 8 rows,
/// interleaved by words of 8 bytes (as [`intersections`](super::intersections()) reads them). Any
/// alignment. Numbers are in the machine's byte order. Zeros fill the counts to a multiple of 64
/// bytes, the last group to 8 rows, and each row to whole words.
#[derive(Clone, Copy, Debug)]
pub struct PackedRows<'a> {
    n: usize,
    bits: usize,
    bytes: &'a [u8],
    parts: [usize; 3],
}

/// Size in bytes of `n` packed rows of `bits` bits.
///
/// # Errors
/// [`Error::NoBits`] if `bits` is 0 and there are rows, [`Error::TooLarge`] if `bits` is 2^32 or
/// more or the size exceeds `isize::MAX`.
pub fn packed_len(n: usize, bits: usize) -> Result<usize, Error> {
    extent(n, bits, bits.div_ceil(8))?;
    let [_, _, end] = parts(n, bits).ok_or(Error::TooLarge { argument: "n_rows" })?;
    Ok(end)
}

/// Offsets of the counts, of the groups, and of the end.
fn parts(n: usize, bits: usize) -> Option<[usize; 3]> {
    let rows = n.checked_next_multiple_of(GROUP)?;
    // Counts fill whole cache lines, so that groups are aligned like the header.
    let groups = rows.checked_mul(4)?.checked_next_multiple_of(64)?.checked_add(HEADER)?;
    let end = rows.checked_mul(8 * bits.div_ceil(64))?.checked_add(groups)?;
    (end <= isize::MAX as usize).then_some([HEADER, groups, end])
}

/// Packs rows into `packed`.
///
/// # Errors
/// [`Error::TooLarge`] if the size exceeds `isize::MAX`, [`Error::Length`] if `packed` is not
/// [`packed_len`] bytes long.
pub fn pack(rows: BitRows, packed: &mut [u8]) -> Result<(), Error> {
    let expected = packed_len(rows.n, rows.bits)?;
    exactly("packed", expected, packed.len())?;
    let [counts, groups, _] = parts(rows.n, rows.bits).ok_or(Error::TooLarge { argument: "n_rows" })?;
    let (head, body) = packed.split_at_mut(groups);
    head.fill(0);
    head[..8].copy_from_slice(&MAGIC.to_ne_bytes());
    head[8..16].copy_from_slice(&(rows.n as u64).to_ne_bytes());
    head[16..24].copy_from_slice(&(rows.bits as u64).to_ne_bytes());
    let counts = &mut head[counts..][..4 * rows.n];
    // SAFETY: the rows exist, with 4 bytes for the count of each, at any alignment.
    unsafe { super::counts(rows.as_ptr(0), rows.n, rows.bits, rows.stride, counts.as_mut_ptr().cast()) };
    if rows.n > 0 {
        let group_bytes = 8 * GROUP * rows.words();
        for (first, group) in (0..).step_by(GROUP).zip(body.chunks_exact_mut(group_bytes)) {
            // SAFETY: a group has 8 lanes of all words.
            unsafe {
                interleave(rows, first..rows.n.min(first + GROUP), 0..rows.words(), group.as_mut_ptr().cast());
            }
        }
    }
    Ok(())
}

/// Interleaves words `words` of up to 8 rows; lanes without a row are 0.
///
/// # Safety
/// `group` has room for 8 lanes of these words.
pub(super) unsafe fn interleave(rows: BitRows, of: Range<usize>, words: Range<usize>, group: *mut [u8; 8]) {
    let whole = (rows.bits / 64).clamp(words.start, words.end);
    let first = rows.as_ptr(of.start).wrapping_add(8 * words.start);
    for (index, place) in (0..whole - words.start).map(|index| (index, group.wrapping_add(GROUP * index))) {
        let word = |lane| first.wrapping_add(lane * rows.stride + 8 * index).cast::<[u8; 8]>();
        // Lanes of a whole group need no comparison each.
        if of.len() == GROUP {
            for lane in 0..GROUP {
                // SAFETY: a whole word of row `of.start + lane`, and its place.
                unsafe { place.add(lane).write(word(lane).read()) }
            }
            continue;
        }
        for lane in 0..GROUP {
            // SAFETY: as before.
            unsafe { place.add(lane).write(if lane < of.len() { word(lane).read() } else { [0; 8] }) }
        }
    }
    for index in whole..words.end {
        let place = group.wrapping_add(GROUP * (index - words.start));
        for lane in 0..GROUP {
            let word = if lane < of.len() { rows.word(of.start + lane, index) } else { [0; 8] };
            // SAFETY: the caller's contract.
            unsafe { place.add(lane).write(word) }
        }
    }
}

impl<'a> PackedRows<'a> {
    /// The rows that [`pack`] wrote into `packed`.
    ///
    /// # Errors
    /// [`Error::Packed`] if `packed` does not begin with a header by [`pack`], [`Error::Length`] if
    /// it is too short.
    pub fn new(packed: &'a [u8]) -> Result<Self, Error> {
        at_least("packed", HEADER, packed.len())?;
        let (n, bits, parts) = read_header(&packed[..HEADER])?;
        at_least("packed", parts[2], packed.len())?;
        Ok(PackedRows { n, bits, bytes: &packed[..parts[2]], parts })
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

    pub(super) fn words(&self) -> usize {
        self.bits.div_ceil(64)
    }

    /// Start of group `index`; later groups follow it.
    pub(super) fn group(&self, index: usize) -> *const u8 {
        self.bytes[self.parts[1] + 8 * GROUP * self.words() * index..].as_ptr()
    }

    /// Start of the counts of ones, from row `from` on.
    pub(super) fn counts(&self, from: usize) -> *const u32 {
        self.bytes[self.parts[0] + 4 * from..].as_ptr().cast()
    }

    pub(super) fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }
}

/// The number of rows, the bits of a row and the offsets, from a header.
fn read_header(header: &[u8]) -> Result<(usize, usize, [usize; 3]), Error> {
    let word = |at: usize| {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&header[at..at + 8]);
        u64::from_ne_bytes(bytes)
    };
    let [n, bits] = [word(8), word(16)].map(|value| usize::try_from(value).unwrap_or(usize::MAX));
    let right = word(0) == MAGIC && header[24..].iter().all(|&byte| byte == 0) && extent(n.min(1), bits, bits).is_ok();
    match (right, parts(n, bits)) {
        (true, Some(parts)) => Ok((n, bits, parts)),
        _ => Err(Error::Packed),
    }
}

/// Size in bytes of the packed rows that begin with this header.
pub(super) fn packed_extent(header: &[u8; HEADER]) -> Result<usize, Error> {
    read_header(header).map(|(_, _, [_, _, end])| end)
}
