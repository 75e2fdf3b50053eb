//! The search of exp from 1 on, by domains of 2^15 doubles.

use super::*;
use hotloops::hardround::Cell;

pub fn domains(function: hotloops::hardround::regular::Function) -> Work {
    const N: usize = 4096;
    // The slope, e, and its change from one domain to the next, mod 1.
    let a: Vec<u64> = (0..N as u64).map(|k| (0xb7e1_5162_8aed_2a6b + k * 0x15bf_0a8b).wrapping_neg()).collect();
    let any = |word: &[u32]| u64::from(word[0]) << 32 | u64::from(word[1]);
    let (b, mut bits): (Vec<u64>, _) = (words(2 * N).chunks_exact(2).map(any).collect(), vec![0; N / 8]);
    // SAFETY: arrays of the sizes that the kernel requires.
    work("domain", N, move || unsafe {
        function(a.as_ptr(), b.as_ptr(), N, 1 << 15, (1 << 41) + (1 << 40), bits.as_mut_ptr());
    })
}

pub use self::{domains as lefevre, domains as regular};

/// A search without hits.
pub fn exhaust(function: hotloops::hardround::exhaust::Function) -> Work {
    let d = [1 << 60, 0x9e37_79b9_7f4a_7c15, 1 << 30, 0];
    // SAFETY: four integers.
    work("argument", 4096, move || unsafe {
        black_box(function(d.as_ptr(), 4096, 1 << 18));
    })
}

/// Typical cells, in which few domains survive.
pub fn rows(function: hotloops::hardround::rows::Function) -> Work {
    const CELLS: usize = 32;
    const DOMAINS: u32 = 107;
    let numbers = words(6 * CELLS);
    let cell = |word: &[u32]| Cell {
        z: [word[0], word[1], word[2] >> 8],
        h: [word[3], word[4], word[5] >> 8],
        y: [1 << 27, 1 << 22],
        per: (1 << 29) as f32,
        ratio: 1.5,
        min_y: 65536.0,
        row_slope: 2_f32.powi(-29),
        row_offset: 0.001,
        width: 0.001,
        slack: 0.000_01,
        count: DOMAINS,
    };
    let cells: Vec<Cell> = numbers.chunks_exact(6).map(cell).collect();
    let mut hits = vec![0; 2 * CELLS];
    // SAFETY: as many cells and twice as many words.
    work("domain", CELLS * DOMAINS as usize, move || unsafe { function(cells.as_ptr(), CELLS, hits.as_mut_ptr()) })
}
