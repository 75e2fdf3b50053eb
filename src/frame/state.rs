//! Saved states: a header and a hash around the saved words.
//!
//! All values are little-endian: 8 magic bytes that identify the type, the version (`u32`), a count
//! (`u32`) and a position (`u64`) that the type interprets, the content, and the FNV-1a hash of
//! everything before it (`u64`).

use core::iter;

use crate::frame::error::Error;
use crate::frame::error::exactly;

const HEADER: usize = 24;
const HASH: usize = 8;

/// The format of the saved states of one type.
pub(crate) struct Format {
    pub magic: &'static [u8; 8],
    pub version: u32,
    /// Whether a count is valid.
    pub has_count: fn(usize) -> bool,
    /// The content has `fixed + each * count` bytes.
    pub fixed: usize,
    /// See [`Format::fixed`].
    pub each: usize,
}

/// A saved state whose header and hash are valid.
pub(crate) struct Saved<'a> {
    pub count: usize,
    pub position: u64,
    content: &'a [u8],
}

impl<'a> Saved<'a> {
    /// The content as words of `N` bytes; its length is a multiple of `N`.
    pub fn words<const N: usize>(&self) -> &'a [[u8; N]] {
        self.content.as_chunks().0
    }
}

impl Format {
    /// Size in bytes of a state with this count, saturating.
    pub fn len(&self, count: usize) -> usize {
        self.each.saturating_mul(count).saturating_add(HEADER + self.fixed + HASH)
    }

    /// Writes a state; `content` yields exactly the bytes that the count implies.
    pub fn write<const N: usize>(
        &self,
        bytes: &mut [u8],
        count: usize,
        position: u64,
        content: impl IntoIterator<Item = [u8; N]>,
    ) -> Result<(), Error> {
        let length = self.len(count);
        exactly("bytes", length, bytes.len())?;
        let (body, hash) = bytes.split_at_mut(length - HASH);
        body[..8].copy_from_slice(self.magic);
        body[8..12].copy_from_slice(&self.version.to_le_bytes());
        body[12..16].copy_from_slice(&(count as u32).to_le_bytes());
        body[16..HEADER].copy_from_slice(&position.to_le_bytes());
        for (slot, word) in iter::zip(body[HEADER..].as_chunks_mut().0, content) {
            *slot = word;
        }
        hash.copy_from_slice(&fnv1a(body).to_le_bytes());
        Ok(())
    }

    /// Checks header and hash.
    ///
    /// # Errors
    /// [`Error::StateTruncated`], [`Error::StateForeign`], [`Error::StateCorrupt`];
    /// [`Error::Length`] for trailing bytes.
    pub fn parse<'a>(&self, bytes: &'a [u8]) -> Result<Saved<'a>, Error> {
        let found = bytes.len();
        let known = self.magic.len().min(found);
        if bytes[..known] != self.magic[..known] {
            return Err(Error::StateForeign);
        }
        if found < HEADER {
            return Err(Error::StateTruncated { expected: HEADER, found });
        }
        if le_u32(&bytes[8..]) != self.version {
            return Err(Error::StateForeign);
        }
        let (count, position) = (le_u32(&bytes[12..]) as usize, le_u64(&bytes[16..]));
        if !(self.has_count)(count) {
            return Err(Error::StateCorrupt);
        }
        let expected = self.len(count);
        if found < expected {
            return Err(Error::StateTruncated { expected, found });
        }
        exactly("bytes", expected, found)?;
        let (body, hash) = bytes.split_at(expected - HASH);
        match fnv1a(body) == le_u64(hash) {
            true => Ok(Saved { count, position, content: &body[HEADER..] }),
            false => Err(Error::StateCorrupt),
        }
    }
}

/// Each step is a bijection of the hash, so a change in a single byte always changes the result.
fn fnv1a(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

fn le_u32(bytes: &[u8]) -> u32 {
    bytes[..4].iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte))
}

fn le_u64(bytes: &[u8]) -> u64 {
    bytes[..8].iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}
