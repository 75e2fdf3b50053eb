//! Points at the density of the article's image, one per 57 pixels; per pair. Transforms of 1024 rows; per
//! number.

use super::*;

const N: usize = 42;
const M: usize = 320;

fn psi(n: usize) -> Vec<i16> {
    words(2 * n).iter().map(|word| ((word % 32769) as i32 - 16384) as i16).collect()
}

fn coordinates(n: usize, spread: u32) -> Vec<f32> {
    words(n).iter().map(|word| (word % (64 * spread)) as f32 / 64.0).collect()
}

/// Two rows of an image.
pub fn offsets(function: hotloops::correlation::offsets::Function) -> Work {
    let row = || (0..N as i32).map(|i| 57 * i + i * i % 40).collect::<Vec<i32>>();
    let (x, other_x, psi, other_psi, mut table) = (row(), row(), psi(N), psi(N), vec![0i64; 2 * 57 * (N + 1)]);
    // SAFETY: arrays of the sizes that the kernel requires; all differences are below half of the table.
    work("pair", N * N, move || unsafe {
        let middle = table.as_mut_ptr().add(57 * (N + 1));
        function(x.as_ptr(), psi.as_ptr(), N, other_x.as_ptr(), other_psi.as_ptr(), N, middle);
    })
}

/// A cell of 30 x 30 pixels against the cells on its left and right up to a distance of 300, in 300
/// bins.
pub fn scatter(function: hotloops::correlation::scatter::Function) -> Work {
    const BINS: usize = 300;
    const CELL: usize = 16;
    let (x, y, psi, shift) = (coordinates(CELL, 30), coordinates(CELL, 30), self::psi(CELL), [-300.0f32, 0.0]);
    let (other_x, other_y, other_psi) = (coordinates(M, 600), coordinates(M, 30), self::psi(M));
    let mut table = vec![0i64; 4 * (BINS + 1)];
    // SAFETY: arrays of the sizes that the kernel requires.
    work("pair", CELL * M, move || unsafe {
        let (x, y, psi, shift) = (x.as_ptr(), y.as_ptr(), psi.as_ptr(), shift.as_ptr());
        let (other_x, other_y, other_psi) = (other_x.as_ptr(), other_y.as_ptr(), other_psi.as_ptr());
        function(x, y, psi, CELL, other_x, other_y, other_psi, M, shift, 1.0, 0.0, BINS, table.as_mut_ptr());
    })
}

/// A cell of 30 x 30 pixels against points of the cells above and beside it, up to a distance of 40, in 80
/// bins. A third of the pairs are nearer.
pub fn scatter_below(function: hotloops::correlation::scatter_below::Function) -> Work {
    const BINS: usize = 80;
    const CELL: usize = 16;
    const NEAR: usize = 64;
    let (x, y, psi, shift) = (coordinates(CELL, 30), coordinates(CELL, 30), self::psi(CELL), [-45.0f32, 30.0]);
    let (other_x, other_y, other_psi) = (coordinates(NEAR, 120), coordinates(NEAR, 30), self::psi(NEAR));
    let mut table = vec![0i64; 4 * (BINS + 1)];
    // SAFETY: arrays of the sizes that the kernel requires.
    work("pair", CELL * NEAR, move || unsafe {
        let (x, y, psi, shift) = (x.as_ptr(), y.as_ptr(), psi.as_ptr(), shift.as_ptr());
        let (other_x, other_y, other_psi) = (other_x.as_ptr(), other_y.as_ptr(), other_psi.as_ptr());
        let (limit, table) = (1600.0, table.as_mut_ptr());
        function(x, y, psi, CELL, other_x, other_y, other_psi, NEAR, shift, limit, 2.0, 0.0, BINS, table);
    })
}

/// Two cells of 30 x 30 pixels, whose distances fall into bins 15 wide.
pub fn edges(function: hotloops::correlation::edges::Function) -> Work {
    const CELL: usize = 16;
    let (x, y, psi, shift) = (coordinates(CELL, 30), coordinates(CELL, 30), self::psi(CELL), [60.0f32, 0.0]);
    let edges = [0.0, 30.0, 45.0, 60.0, 75.0, 90.0].map(|r: f32| r * r);
    let mut table = vec![0i64; edges.len()];
    // SAFETY: arrays of the sizes that the kernel requires.
    work("pair", CELL * CELL, move || unsafe {
        let (x, y, psi, table) = (x.as_ptr(), y.as_ptr(), psi.as_ptr(), table.as_mut_ptr());
        let (k, edges, shift) = (edges.len(), edges.as_ptr(), shift.as_ptr());
        function(x, y, psi, CELL, x, y, psi, CELL, shift, edges, k, table);
    })
}

/// The cells of [`edges`] without orientations.
pub fn counts(function: hotloops::correlation::counts::Function) -> Work {
    const CELL: usize = 16;
    let (x, y, shift) = (coordinates(CELL, 30), coordinates(CELL, 30), [60.0f32, 0.0]);
    let edges = [0.0, 30.0, 45.0, 60.0, 75.0, 90.0].map(|r: f32| r * r);
    let mut table = vec![0i64; edges.len()];
    // SAFETY: arrays of the sizes that the kernel requires.
    work("pair", CELL * CELL, move || unsafe {
        let (x, y, table) = (x.as_ptr(), y.as_ptr(), table.as_mut_ptr());
        let (k, edges, shift) = (edges.len(), edges.as_ptr(), shift.as_ptr());
        function(x, y, CELL, x, y, CELL, shift, edges, k, table);
    })
}

/// Length of transforms, the modulus, and minus its inverse modulo 2^32.
const ROWS: usize = 1024;
const PRIME: u32 = 268_369_921;
const INVERSE: u32 = 268_369_919;

fn residues(n: usize) -> Vec<u32> {
    words(n).iter().map(|word| word % PRIME).collect()
}

fn roots(n: usize) -> Vec<u32> {
    let root = |w: u32| [w, ((u64::from(w) << 32) / u64::from(PRIME)) as u32];
    residues(n).into_iter().flat_map(root).collect()
}

/// The two levels of 1024 rows that have 16 nodes.
pub fn ntt_forward(function: hotloops::correlation::ntt_forward::Function) -> Work {
    let (mut x, roots) = (residues(16 * ROWS), roots(32));
    // SAFETY: arrays of the sizes that the kernel requires; results are below 4 p, as operands must be.
    work("number", 16 * ROWS, move || unsafe { function(x.as_mut_ptr(), 16, ROWS / 64, roots.as_ptr(), PRIME) })
}

/// As [`ntt_forward`].
pub fn ntt_inverse(function: hotloops::correlation::ntt_inverse::Function) -> Work {
    let (mut x, roots) = (residues(16 * ROWS), roots(32));
    // SAFETY: arrays of the sizes that the kernel requires; results are below 2 p, as operands must be.
    work("number", 16 * ROWS, move || unsafe { function(x.as_mut_ptr(), 16, ROWS / 64, roots.as_ptr(), PRIME) })
}

/// 5 sums of 3 of 256 rows; per product.
pub fn ntt_combine(function: hotloops::correlation::ntt_combine::Function) -> Work {
    let (from, mut to) = (residues(16 * 256 * 3), residues(16 * 256 * 5));
    let factors = residues(256 * 15);
    // SAFETY: arrays of the sizes that the kernel requires.
    work("product", 16 * 256 * 15, move || unsafe {
        function(from.as_ptr(), to.as_mut_ptr(), 256, 3, 5, factors.as_ptr(), PRIME, INVERSE);
    })
}

/// Two fields of 256 rows; per product.
pub fn ntt_multiply(function: hotloops::correlation::ntt_multiply::Function) -> Work {
    let (mut a, b) = (residues(16 * 512), residues(16 * 512));
    // SAFETY: arrays of the sizes that the kernel requires; b points to the last row of a field.
    work("product", 16 * 512, move || unsafe {
        function(a.as_mut_ptr(), b.as_ptr().add(16 * 255), 256, 2, 16 * 256, PRIME, INVERSE);
    })
}
