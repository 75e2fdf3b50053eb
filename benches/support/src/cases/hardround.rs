//! The search of exp from 1 on, by domains of 2^15 doubles.

use super::*;
use hotloops::hardround::{Arcs, Bundle, Cell, Curve, MAX_ARCS, MAX_ROWS, PIECES, Places, Suspects};

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

/// The curve of a block of exp.
fn curve() -> Curve {
    let c2 = 1.36 * 2_f64.powi(-52);
    Curve {
        c2,
        inverse: 0.5 / c2,
        within: 2_f64.powi(-31),
        rise: 0.25 / c2,
        reach: 0.5 / c2,
        slack: 2_f64.powi(-15),
        rounding: 2_f64.powi(-22),
        fine: 2_f64.powi(-29),
        ..Curve::default()
    }
}

/// Consecutive denominators of the Farey sequence.
pub fn arcs(function: hotloops::hardround::arcs::Function) -> Work {
    let curve = curve();
    let (mut u, mut v) = (17_389_u32, 25_003);
    let mut denominators = vec![f64::from(u)];
    denominators.extend((0..=MAX_ARCS).map(|_| {
        (u, v) = (v, (29_000 + u) / v * v - u);
        f64::from(u)
    }));
    let differences: Vec<f64> = (0..MAX_ARCS).map(|i| i as f64 * 1e-4).collect();
    let mut out = Arcs::default();
    // SAFETY: as many numbers as the kernel requires.
    work("arc", MAX_ARCS, move || unsafe {
        function(&curve, denominators.as_ptr(), differences.as_ptr(), MAX_ARCS, &mut out);
    })
}

/// Rows of arcs of large denominators.
pub fn refine(function: hotloops::hardround::refine::Function) -> Work {
    let curve = curve();
    let mut suspects = Suspects::EMPTY;
    for i in 0..MAX_ARCS {
        suspects.u[i] = (17_389 + 128 * i) as f64;
        suspects.v[i] = (28_000 - 99 * i) as f64;
        suspects.differences[i] = i as f64 * 1e-4;
        suspects.rows[i] = i as f64;
    }
    let mut places = Places::default();
    // SAFETY: suspects, and as many places.
    work("row", MAX_ARCS, move || unsafe { function(&curve, &suspects, MAX_ARCS, &mut places) })
}

/// Pieces of arcs of 16 rows.
pub fn dual(function: hotloops::hardround::dual::Function) -> Work {
    const BUNDLES: usize = 16;
    const ROWS: u32 = 16;
    let numbers = words(3 * PIECES * BUNDLES);
    let bundle = |words: &[u32]| {
        let of = |field: usize| std::array::from_fn(|i| words[field * PIECES + i]);
        Bundle {
            scale: [11.6 * 16384.0; PIECES],
            height: of(0).map(|word| word as f32 * 2_f32.powi(-32)),
            base: of(1),
            step: of(2),
            limit: [(1 << 31) + (1 << 18); PIECES],
            extra: [1 << 20; PIECES],
            first: [(1 << 31) + (1 << 22); PIECES],
            rows: ROWS,
        }
    };
    let bundles: Vec<Bundle> = numbers.chunks_exact(3 * PIECES).map(bundle).collect();
    let mut hits = vec![0; MAX_ROWS * BUNDLES];
    // SAFETY: as many bundles, and words for each.
    work("row", PIECES * BUNDLES * ROWS as usize, move || unsafe {
        function(bundles.as_ptr(), BUNDLES, hits.as_mut_ptr());
    })
}
