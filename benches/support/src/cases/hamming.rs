//! The planes of a block; 256 packed rows of 2048 bits against 64 rows.

pub use self::{shared as differing, similarity as tanimoto, similarity as dice, similarity as cosine};
use super::*;

const BITS: usize = 2048;
const N: usize = 64;

fn rows(n: usize) -> Vec<u32> {
    words(n * BITS / 32)
}

/// Per pair of planes, and plane.
pub fn slices(function: hotloops::hamming::slices::Function) -> Work {
    let (tiles, mut distances) = (rows(32), vec![0u32; 1024]);
    // SAFETY: a block in tiles, 1024 distances.
    work("pair of planes", 528, move || unsafe { function(tiles.as_ptr().cast(), distances.as_mut_ptr()) })
}

/// Per pair of rows.
pub fn intersections(function: hotloops::hamming::intersections::Function) -> Work {
    const PACKED: usize = 256;
    let (packed, rows, mut out) = (rows(PACKED), rows(N), vec![0u32; PACKED * N]);
    // SAFETY: whole groups and rows of 32 words.
    work("pair of rows", PACKED * N, move || unsafe {
        let (packed, rows) = (packed.as_ptr().cast(), rows.as_ptr().cast());
        let (tails, out) = (std::ptr::null(), out.as_mut_ptr());
        function(packed, PACKED / 8, BITS / 64, rows, BITS / 8, tails, N, out, PACKED)
    })
}

/// Per row.
pub fn counts(function: hotloops::hamming::counts::Function) -> Work {
    let (rows, mut counts) = (rows(N), vec![0u32; N]);
    // SAFETY: whole rows.
    work("row", N, move || unsafe { function(rows.as_ptr().cast(), N, BITS, BITS / 8, counts.as_mut_ptr()) })
}

/// Per row.
pub fn shared(function: hotloops::hamming::shared::Function) -> Work {
    let (query, rows, mut out) = (rows(1), rows(N), vec![0u32; N]);
    // SAFETY: whole rows.
    work("row", N, move || unsafe {
        let (query, rows) = (query.as_ptr().cast(), rows.as_ptr().cast());
        function(query, rows, N, BITS, BITS / 8, out.as_mut_ptr())
    })
}

pub fn distances(function: hotloops::hamming::distances::Function) -> Work {
    let (common, others, mut out) = (vec![300u32; 1024], vec![1000u32; 1024], vec![0u32; 1024]);
    // SAFETY: 1024 integers everywhere.
    work("pair", 1024, move || unsafe { function(common.as_ptr(), others.as_ptr(), 1024, 900, out.as_mut_ptr()) })
}

pub fn similarity(function: hotloops::hamming::tanimoto::Function) -> Work {
    let (common, others, mut out) = (vec![300u32; 1024], vec![1000u32; 1024], vec![0f32; 1024]);
    // SAFETY: 1024 values everywhere.
    work("pair", 1024, move || unsafe { function(common.as_ptr(), others.as_ptr(), 1024, 900, 1.0, out.as_mut_ptr()) })
}

/// Per 8 planes of 512 rows: 64 groups, 16 planes, 2 levels.
pub fn misses(function: hotloops::hamming::misses::Function) -> Work {
    const GROUPS: usize = 64;
    const STRIDE: usize = 64 * (GROUPS + 1);
    let planes = words(16 * STRIDE / 4);
    let offsets: Vec<u32> = (0..16).map(|plane| (plane * STRIDE) as u32).collect();
    let mut groups: Vec<u16> = (0..GROUPS as u16).collect();
    let mut states = vec![0u64; GROUPS * 8 * 6 + 8];
    let start = states.as_ptr().align_offset(64);
    // SAFETY: 16 planes of 64 groups; a counter that starts at 0 does not overflow, so that all groups live.
    work("8 planes of 512 rows", 2 * GROUPS, move || unsafe {
        let (planes, states) = (planes.as_ptr().cast(), states.as_mut_ptr().add(start));
        function(planes, offsets.as_ptr(), 2, 0, groups.as_mut_ptr(), GROUPS, [0; 6].as_ptr(), states, 2);
    })
}
