//! The lines of a model in memory.

use alloc::vec::Vec;

use super::Worldline;
use super::contract::{FAR, PAD};
use crate::frame::error::Error;
use crate::frame::memory;

/// A cache line of kinks.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
struct Block([i32; PAD]);

/// The lines, in visiting order, and a row of kinks for each.
#[derive(Debug)]
pub(super) struct Lines {
    pub slices: u32,
    pub lines: Vec<Worldline>,
    kinks: Vec<Block>,
    /// Blocks from a row to the next.
    blocks: usize,
    /// Maximum number of boundaries of a line.
    pub room: usize,
}

impl Lines {
    /// Lines of spin +1.
    pub fn new(slices: u32, sites: usize) -> Result<Self, Error> {
        let line = Worldline { count: 0, spin: 1, magnetisation: slices as i32, even: 0 };
        let lines = memory::filled(sites, line)?;
        let mut lines = Lines { slices, lines, kinks: Vec::new(), blocks: 0, room: 0 };
        lines.reserve(1)?;
        Ok(lines)
    }

    /// Makes room for at least as many boundaries of each line, or for all slices twice.
    pub fn reserve(&mut self, room: usize) -> Result<(), Error> {
        let room = room.min(2 * self.slices as usize);
        if room <= self.room {
            return Ok(());
        }
        // An odd number of cache lines: rows do not compete for the same sets of a cache.
        let blocks = (room + PAD).div_ceil(PAD) | 1;
        let total = blocks.checked_mul(self.lines.len()).ok_or(Error::NoMemory)?;
        let mut kinks = memory::filled(total, Block([FAR; PAD]))?;
        for row in 0..self.lines.len() {
            let used = (self.lines[row].count as usize).div_ceil(PAD);
            kinks[row * blocks..][..used].copy_from_slice(&self.kinks[row * self.blocks..][..used]);
            let words = &mut kinks[row * blocks..][..used];
            if let Some(last) = words.last_mut() {
                last.0[(self.lines[row].count as usize - 1) % PAD + 1..].fill(FAR);
            }
        }
        (self.kinks, self.blocks) = (kinks, blocks);
        self.room = blocks * PAD - PAD;
        Ok(())
    }

    /// Words from a row to the next.
    pub fn stride(&self) -> usize {
        self.blocks * PAD
    }

    pub fn as_ptr(&self) -> *const i32 {
        self.kinks.as_ptr().cast()
    }

    pub fn as_mut_ptr(&mut self) -> *mut i32 {
        self.kinks.as_mut_ptr().cast()
    }

    /// The kinks of a row.
    pub fn kinks(&self, row: usize) -> &[i32] {
        let count = self.lines[row].count as usize;
        let blocks = &self.kinks[row * self.blocks..(row + 1) * self.blocks];
        // SAFETY: the blocks of the row are as many words, of which the first are kinks.
        unsafe { core::slice::from_raw_parts(blocks.as_ptr().cast(), count.min(blocks.len() * PAD)) }
    }

    /// Replaces a line; the kinks are valid and even in number.
    pub fn set(&mut self, row: usize, spin: i32, kinks: &[i32]) -> Result<(), Error> {
        self.reserve(kinks.len())?;
        let words = self.kinks[row * self.blocks..(row + 1) * self.blocks].iter_mut().flat_map(|block| &mut block.0);
        let padded = kinks.iter().copied().chain(core::iter::repeat(FAR));
        words.zip(padded).for_each(|(word, kink)| *word = kink);
        let inside: i32 = kinks.chunks_exact(2).map(|pair| pair[1] - pair[0]).sum();
        let even = kinks.iter().step_by(2).fold(0u32, |sum, &kink| sum.wrapping_add(kink as u32));
        let magnetisation = spin * (self.slices as i32 - 2 * inside);
        self.lines[row] = Worldline { count: kinks.len() as u32, spin, magnetisation, even };
        Ok(())
    }

    pub fn heap_bytes(&self) -> usize {
        self.lines.capacity() * size_of::<Worldline>() + self.kinks.capacity() * size_of::<Block>()
    }
}
