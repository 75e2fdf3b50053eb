//! The bytes of saved states: a frame with its checks around the words of what is saved.
//!
//! All values are little-endian: 8 bytes that say whose state it is, the version (`u32`), a count (`u32`) and a
//! position (`u64`), both for their owner to interpret, the content, and the FNV-1a hash of all that (`u64`).

use core::iter;

use crate::Error;
use crate::error::exactly;

const HEADER: usize = 24;
const HASH: usize = 8;

/// What the saved states of one type have in common.
pub(crate) struct Format {
    pub magic: &'static [u8; 8],
    pub version: u32,
    /// Whether there are states of this count.
    pub has_count: fn(usize) -> bool,
    /// The content has `fixed + each * count` bytes.
    pub fixed: usize,
    /// See `fixed`.
    pub each: usize,
}

/// A saved state whose frame passed all checks.
pub(crate) struct Saved<'a> {
    pub count: usize,
    pub position: u64,
    content: &'a [u8],
}

impl<'a> Saved<'a> {
    /// The content as words of `N` bytes, of which its length is a multiple.
    pub fn words<const N: usize>(&self) -> &'a [[u8; N]] {
        self.content.as_chunks().0
    }
}

impl Format {
    /// Bytes of a state of this count; too many for any slice where that overflows.
    pub fn len(&self, count: usize) -> usize {
        self.each.saturating_mul(count).saturating_add(HEADER + self.fixed + HASH)
    }

    /// `content` gives as many bytes as the count tells.
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

    /// Checks the frame: [`Error::StateTruncated`], [`Error::StateForeign`], [`Error::StateCorrupt`], or
    /// [`Error::Length`] for bytes past the end.
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

/// Each step is a bijection of the hash, so that a change of one byte always shows.
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
