//! What each kernel is measured on. [`variants`](crate::variants) insists on a case for each.

use std::hint::black_box;

use crate::mersenne::Textbook;
use crate::workload::Problem;

/// A call to be timed, and the elements that it works on.
pub struct Work {
    /// What an element is.
    pub unit: &'static str,
    pub elements: usize,
    pub call: Box<dyn FnMut()>,
}

fn work(unit: &'static str, elements: usize, mut call: impl FnMut() + 'static) -> Work {
    Work { unit, elements, call: Box::new(move || black_box(&mut call)()) }
}

fn words(n: usize) -> Vec<u32> {
    let mut random = Textbook::new(1);
    (0..n).map(|_| random.next_u32()).collect()
}

/// The random numbers of one sweep of the paper's model.
pub mod random {
    use super::*;
    const LANES: usize = 16;
    const N: usize = 256 * 96;

    pub fn mt19937_u32(function: hotloops::random::mt19937_u32::Function) -> Work {
        let (mut state, mut position, mut numbers) = (words(624 * LANES), 0, vec![0; N]);
        // SAFETY: arrays of the sizes that the kernel wants.
        work("number", N, move || unsafe {
            function(state.as_mut_ptr(), LANES, &mut position, numbers.as_mut_ptr(), N);
        })
    }

    pub fn mt19937_f32(function: hotloops::random::mt19937_f32::Function) -> Work {
        let (mut state, mut position, mut numbers) = (words(624 * LANES), 0, vec![0.0; N]);
        // SAFETY: as above.
        work("number", N, move || unsafe {
            function(state.as_mut_ptr(), LANES, &mut position, numbers.as_mut_ptr(), N);
        })
    }
}

/// Arrays that fit the first cache, exponents between -16 and 0.
pub mod exp {
    pub use self::{unary as fast_f32, unary as accurate_f32, unary as poly_f32};
    use super::*;

    pub fn unary(function: hotloops::exp::fast_f32::Function) -> Work {
        const N: usize = 2048;
        let x: Vec<f32> = words(N).iter().map(|&word| word as f32 * -(-28f32).exp2()).collect();
        let mut y = vec![0f32; N];
        // SAFETY: two arrays of N values.
        work("value", N, move || unsafe { function(x.as_ptr(), y.as_mut_ptr(), N) })
    }
}

/// Blocks of 2048 elements in the first cache.
pub mod bitslice {
    use super::*;
    use hotloops::bitslice::CHUNK;

    const BLOCK: usize = 2048;

    fn bytes(n: usize) -> Vec<u8> {
        words(n).iter().map(|&word| (word >> 24) as u8).collect()
    }

    pub fn slice_u8(function: hotloops::bitslice::slice_u8::Function) -> Work {
        let (src, mut dst) = (bytes(BLOCK), vec![0u8; BLOCK]);
        // SAFETY: a block and its planes.
        work("integer", BLOCK, move || unsafe { function(src.as_ptr(), BLOCK / CHUNK, dst.as_mut_ptr(), BLOCK / 8) })
    }

    pub fn unslice_u8(function: hotloops::bitslice::unslice_u8::Function) -> Work {
        let (src, mut dst) = (bytes(BLOCK), vec![0u8; BLOCK]);
        // SAFETY: a block and its planes.
        work("integer", BLOCK, move || unsafe { function(src.as_ptr(), BLOCK / 8, BLOCK / CHUNK, dst.as_mut_ptr()) })
    }

    pub fn tile_u8(function: hotloops::bitslice::tile_u8::Function) -> Work {
        let (src, mut dst) = (bytes(BLOCK), vec![0u8; BLOCK]);
        // SAFETY: a block and its tiles.
        work("integer", BLOCK, move || unsafe { function(src.as_ptr(), BLOCK / CHUNK, dst.as_mut_ptr(), 64) })
    }

    pub fn untile_u8(function: hotloops::bitslice::untile_u8::Function) -> Work {
        let (src, mut dst) = (bytes(BLOCK), vec![0u8; BLOCK]);
        // SAFETY: a block and its tiles.
        work("integer", BLOCK, move || unsafe { function(src.as_ptr(), 64, BLOCK / CHUNK, dst.as_mut_ptr()) })
    }

    pub fn slice_u32(function: hotloops::bitslice::slice_u32::Function) -> Work {
        let (src, mut dst) = (words(BLOCK), vec![0u8; 4 * BLOCK]);
        // SAFETY: a block and its planes.
        work("integer", BLOCK, move || unsafe { function(src.as_ptr(), BLOCK / CHUNK, dst.as_mut_ptr(), BLOCK / 8) })
    }

    pub fn unslice_u32(function: hotloops::bitslice::unslice_u32::Function) -> Work {
        let (src, mut dst) = (bytes(4 * BLOCK), vec![0u32; BLOCK]);
        // SAFETY: a block and its planes.
        work("integer", BLOCK, move || unsafe { function(src.as_ptr(), BLOCK / 8, BLOCK / CHUNK, dst.as_mut_ptr()) })
    }

    pub fn tile_u32(function: hotloops::bitslice::tile_u32::Function) -> Work {
        let (src, mut dst) = (words(BLOCK), vec![0u8; 4 * BLOCK]);
        // SAFETY: a block and its tiles.
        work("integer", BLOCK, move || unsafe { function(src.as_ptr(), BLOCK / CHUNK, dst.as_mut_ptr(), 256) })
    }

    pub fn untile_u32(function: hotloops::bitslice::untile_u32::Function) -> Work {
        let (src, mut dst) = (bytes(4 * BLOCK), vec![0u32; BLOCK]);
        // SAFETY: a block and its tiles.
        work("integer", BLOCK, move || unsafe { function(src.as_ptr(), 256, BLOCK / CHUNK, dst.as_mut_ptr()) })
    }

    pub fn transpose_u64x32x32(function: hotloops::bitslice::transpose_u64x32x32::Function) -> Work {
        let (src, mut dst) = (vec![1u64; 1024], vec![0u64; 1024]);
        // SAFETY: 1024 words on both sides.
        work("word", 1024, move || unsafe { function(src.as_ptr(), dst.as_mut_ptr()) })
    }

    /// From tiles.
    pub fn pick(function: hotloops::bitslice::pick::Function) -> Work {
        let (tiles, mut out) = (bytes(4 * BLOCK), vec![0u32; 256]);
        let indices: Vec<usize> = words(256).iter().map(|&word| word as usize % BLOCK).collect();
        // SAFETY: the indices are below 2048.
        work("integer", 256, move || unsafe {
            function(tiles.as_ptr(), 8, 32, 6, 256, indices.as_ptr(), 256, out.as_mut_ptr().cast())
        })
    }

    pub fn count_positions(function: hotloops::bitslice::count_positions::Function) -> Work {
        let (src, mut counts) = (vec![0x0123_4567_89ab_cdef_u64; 1024], vec![0u64; 64]);
        // SAFETY: 1024 words, 64 counts.
        work("word", 1024, move || unsafe { function(src.as_ptr(), 1024, counts.as_mut_ptr()) })
    }

    /// What the first cache holds already.
    pub fn prefetch(function: hotloops::bitslice::prefetch::Function) -> Work {
        let src = bytes(4 * BLOCK);
        // SAFETY: any pointer is legal.
        work("byte", 4 * BLOCK, move || unsafe { function(src.as_ptr(), 4 * BLOCK) })
    }

    /// More than any cache holds.
    pub fn stream(function: hotloops::bitslice::stream::Function) -> Work {
        const N: usize = 64 << 20;
        let (src, mut dst) = (vec![1u8; N], vec![2u8; N]);
        // SAFETY: N bytes on both sides.
        work("byte", N, move || unsafe { function(src.as_ptr(), dst.as_mut_ptr(), N) })
    }
}

/// The planes of a block; 256 packed rows of 2048 bits against 64 rows.
pub mod hamming {
    pub use self::{similarity as tanimoto, similarity as dice, similarity as cosine};
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

    pub fn distances(function: hotloops::hamming::distances::Function) -> Work {
        let (common, others, mut out) = (vec![300u32; 1024], vec![1000u32; 1024], vec![0u32; 1024]);
        // SAFETY: 1024 integers everywhere.
        work("pair", 1024, move || unsafe { function(common.as_ptr(), others.as_ptr(), 1024, 900, out.as_mut_ptr()) })
    }

    pub fn similarity(function: hotloops::hamming::tanimoto::Function) -> Work {
        let (common, others, mut out) = (vec![300u32; 1024], vec![1000u32; 1024], vec![0f32; 1024]);
        // SAFETY: 1024 values everywhere.
        work("pair", 1024, move || unsafe {
            function(common.as_ptr(), others.as_ptr(), 1024, 900, 1.0, out.as_mut_ptr())
        })
    }
}

/// Points of the density of the article's image, one on 57 pixels; per pair.
pub mod correlation {
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
        // SAFETY: arrays of the sizes that the kernel wants; all differences are below half of the table.
        work("pair", N * N, move || unsafe {
            let middle = table.as_mut_ptr().add(57 * (N + 1));
            function(x.as_ptr(), psi.as_ptr(), N, other_x.as_ptr(), other_psi.as_ptr(), N, middle);
        })
    }

    /// A cell of 30 x 30 pixels and the cells left and right of it to a distance of 300, in 300 bins.
    pub fn scatter(function: hotloops::correlation::scatter::Function) -> Work {
        const BINS: usize = 300;
        const CELL: usize = 16;
        let (x, y, psi, shift) = (coordinates(CELL, 30), coordinates(CELL, 30), self::psi(CELL), [-300.0f32, 0.0]);
        let (other_x, other_y, other_psi) = (coordinates(M, 600), coordinates(M, 30), self::psi(M));
        let mut table = vec![0i64; 4 * (BINS + 1)];
        // SAFETY: arrays of the sizes that the kernel wants.
        work("pair", CELL * M, move || unsafe {
            let (x, y, psi, shift) = (x.as_ptr(), y.as_ptr(), psi.as_ptr(), shift.as_ptr());
            let (other_x, other_y, other_psi) = (other_x.as_ptr(), other_y.as_ptr(), other_psi.as_ptr());
            function(x, y, psi, CELL, other_x, other_y, other_psi, M, shift, 1.0, BINS, table.as_mut_ptr());
        })
    }

    /// Two cells of 30 x 30 pixels, whose distances fall into bins 15 wide.
    pub fn edges(function: hotloops::correlation::edges::Function) -> Work {
        const CELL: usize = 16;
        let (x, y, psi, shift) = (coordinates(CELL, 30), coordinates(CELL, 30), self::psi(CELL), [60.0f32, 0.0]);
        let edges = [0.0, 30.0, 45.0, 60.0, 75.0, 90.0].map(|r: f32| r * r);
        let mut table = vec![0i64; edges.len()];
        // SAFETY: arrays of the sizes that the kernel wants.
        work("pair", CELL * CELL, move || unsafe {
            let (x, y, psi, table) = (x.as_ptr(), y.as_ptr(), psi.as_ptr(), table.as_mut_ptr());
            let (k, edges, shift) = (edges.len(), edges.as_ptr(), shift.as_ptr());
            function(x, y, psi, CELL, x, y, psi, CELL, shift, edges, k, table);
        })
    }
}

/// The search of exp from 1 on, by domains of 2^15 doubles.
pub mod hardround {
    use super::*;
    use hotloops::hardround::Cell;

    pub fn domains(function: hotloops::hardround::regular::Function) -> Work {
        const N: usize = 4096;
        // The slope, e, and its change from one domain to the next, mod 1.
        let a: Vec<u64> = (0..N as u64).map(|k| (0xb7e1_5162_8aed_2a6b + k * 0x15bf_0a8b).wrapping_neg()).collect();
        let any = |word: &[u32]| u64::from(word[0]) << 32 | u64::from(word[1]);
        let (b, mut bits): (Vec<u64>, _) = (words(2 * N).chunks_exact(2).map(any).collect(), vec![0; N / 8]);
        // SAFETY: arrays of the sizes that the kernel wants.
        work("domain", N, move || unsafe {
            function(a.as_ptr(), b.as_ptr(), N, 1 << 15, (1 << 41) + (1 << 40), bits.as_mut_ptr());
        })
    }

    pub use self::{domains as lefevre, domains as regular};

    /// None is found.
    pub fn exhaust(function: hotloops::hardround::exhaust::Function) -> Work {
        let d = [1 << 60, 0x9e37_79b9_7f4a_7c15, 1 << 30, 0];
        // SAFETY: four integers.
        work("argument", 4096, move || unsafe {
            black_box(function(d.as_ptr(), 4096, 1 << 18));
        })
    }

    /// Cells as they are on average; few domains are let through.
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
            least: 65536.0,
            reach: 2_f32.powi(-29),
            most: 0.001,
            width: 0.001,
            slack: 0.000_01,
            count: DOMAINS,
        };
        let cells: Vec<Cell> = numbers.chunks_exact(6).map(cell).collect();
        let mut hits = vec![0; 2 * CELLS];
        // SAFETY: as many cells and twice as many words.
        work("domain", CELLS * DOMAINS as usize, move || unsafe { function(cells.as_ptr(), CELLS, hits.as_mut_ptr()) })
    }
}

/// 4096 numbers in the first cache.
pub mod reduce {
    pub use self::{
        binary_f32 as dot_f32, binary_f32 as dot2_f32, binary_f64 as dot_f64, binary_f64 as dot2_f64,
        binned_f32_case as binned_f32, binned_f64_case as binned_f64, unary_f32 as sum_f32, unary_f32 as asum_f32,
        unary_f32 as sum2_f32, unary_f32 as kahan_f32, unary_f64 as sum_f64, unary_f64 as asum_f64,
        unary_f64 as sum2_f64, unary_f64 as kahan_f64,
    };
    use super::*;

    /// 16 KiB.
    fn bytes<T: hotloops::matmul::Element>() -> Vec<T> {
        words((16 << 10) / size_of::<T>()).iter().map(|&word| T::from_f64(f64::from(word) - 2e9)).collect()
    }

    macro_rules! cases {
        ($($unary:ident $binary:ident $binned:ident $sum:ident $dot:ident $binned_kernel:ident $type:ident)+) => {$(
            pub fn $unary(function: hotloops::reduce::$sum::Function) -> Work {
                let x = bytes::<$type>();
                // SAFETY: the numbers of a slice.
                work("number", x.len(), move || unsafe { black_box(function(x.as_ptr(), x.len())); })
            }

            pub fn $binary(function: hotloops::reduce::$dot::Function) -> Work {
                let (x, y) = (bytes::<$type>(), bytes::<$type>());
                // SAFETY: two slices of one length.
                work("number", x.len(), move || unsafe { black_box(function(x.as_ptr(), y.as_ptr(), x.len())); })
            }

            pub fn $binned(function: hotloops::reduce::$binned_kernel::Function) -> Work {
                let (x, mut sums) = (bytes::<$type>(), [0; 2]);
                // SAFETY: the numbers of a slice, below 2^32; two sums.
                work("number", x.len(), move || unsafe { black_box(function(x.as_ptr(), x.len(), -34, sums.as_mut_ptr())); })
            }
        )+};
    }
    cases! {
        unary_f32 binary_f32 binned_f32_case sum_f32 dot_f32 binned_f32 f32
        unary_f64 binary_f64 binned_f64_case sum_f64 dot_f64 binned_f64 f64
    }
}

/// Matrices in the first and second cache; an element is a multiply-add.
pub mod matmul {
    pub use self::{
        block32 as block_f32, block64 as block_f64, columns32 as columns_f32, columns64 as columns_f64,
        transpose32 as transpose_f32, transpose64 as transpose_f64, unfused32 as block_unfused_f32,
        unfused64 as block_unfused_f64,
    };
    use super::*;

    const SIDE: usize = 96;

    macro_rules! cases {
        ($($block:ident $unfused:ident $columns:ident $transpose:ident $block_kernel:ident $columns_kernel:ident
           $transpose_kernel:ident $type:ident $copies:literal)+) => {$(
            pub fn $block(function: hotloops::matmul::$block_kernel::Function) -> Work {
                const ROW: isize = SIDE as isize;
                let (a, b, mut c) = (vec![1.5 as $type; SIDE * SIDE], vec![0.5 as $type; SIDE * SIDE], vec![0.0 as $type; SIDE * SIDE]);
                // SAFETY: square matrices.
                work("multiply-add", SIDE * SIDE * SIDE, move || unsafe {
                    let null = std::ptr::null_mut();
                    function(SIDE, SIDE, SIDE, a.as_ptr(), ROW, 1, b.as_ptr(), ROW, null, c.as_mut_ptr(), ROW, 0)
                })
            }

            /// A is in panels of 6 rows, as the kernel for SSE2 wants it.
            pub fn $unfused(function: hotloops::matmul::$block_kernel::Function) -> Work {
                const ROW: isize = SIDE as isize;
                let (a, b, mut c) = (vec![1.5 as $type; $copies * SIDE * SIDE], vec![0.5 as $type; SIDE * SIDE], vec![0.0 as $type; SIDE * SIDE]);
                // SAFETY: square matrices.
                work("multiply-add", SIDE * SIDE * SIDE, move || unsafe {
                    for i in (0..SIDE).step_by(6) {
                        let (a, c) = (a.as_ptr().add($copies * i * SIDE), c.as_mut_ptr().add(i * SIDE));
                        function(6, SIDE, SIDE, a, $copies, 6 * $copies, b.as_ptr(), ROW, std::ptr::null_mut(), c, ROW, 0)
                    }
                })
            }

            pub fn $columns(function: hotloops::matmul::$columns_kernel::Function) -> Work {
                const M: usize = 96;
                const K: usize = 64;
                const N: usize = 3;
                let (a, b, mut c) = (vec![1.5 as $type; M * K], vec![0.5 as $type; K * N], vec![0.0 as $type; M * N]);
                // SAFETY: matrices of M x K, K x N, M x N.
                work("multiply-add", M * N * K, move || unsafe {
                    function(M, N, K, a.as_ptr(), K as isize, b.as_ptr(), N as isize, c.as_mut_ptr(), N as isize, 0)
                })
            }

            pub fn $transpose(function: hotloops::matmul::$transpose_kernel::Function) -> Work {
                const ROW: isize = 64;
                let (a, mut b) = (vec![1.5 as $type; 64 * 64], vec![0.0 as $type; 64 * 64]);
                // SAFETY: square matrices.
                work("element", 64 * 64, move || unsafe { function(64, 64, a.as_ptr(), ROW, b.as_mut_ptr(), ROW) })
            }
        )+};
    }
    cases! {
        block32 unfused32 columns32 transpose32 block_f32 columns_f32 transpose_f32 f32 4
        block64 unfused64 columns64 transpose64 block_f64 columns_f64 transpose_f64 f64 2
    }
}

/// One group of the paper's model: 96 sites in 16 layers.
pub mod ising {
    pub use self::{
        gather as sweep_fast_f32, gather as sweep_poly_f32, gather as sweep_heat_fast_f32,
        gather as sweep_heat_poly_f32, scatter as scatter_fast_f32, scatter as scatter_poly_f32,
        scatter as scatter_heat_fast_f32, scatter as scatter_heat_poly_f32,
    };
    use super::*;
    use hotloops::ising::Link;

    const LANES: usize = 16;
    const BETA: f32 = 0.4;

    fn links(problem: &Problem) -> Vec<Link> {
        let site = |(list, &field): (Vec<(u32, f32)>, &f32)| {
            let header = Link { word: list.len() as u32, value: field };
            [header].into_iter().chain(list.into_iter().map(|(j, value)| Link { word: 64 * j, value }))
        };
        problem.neighbours().into_iter().zip(&problem.fields).flat_map(site).collect()
    }

    pub fn gather(function: hotloops::ising::sweep_fast_f32::Function) -> Work {
        let problem = Problem::paper(1);
        let (links, sites) = (links(&problem), problem.sites());
        let (mut spins, neighbours) = (vec![1f32; sites * LANES], vec![1f32; sites * LANES]);
        let random = words(sites * LANES);
        let mut flips = [0; LANES];
        // SAFETY: the links lead to rows of the group, of which all arrays hold every row.
        work("spin", sites * LANES, move || unsafe {
            let (beside, flips) = (neighbours.as_ptr(), flips.as_mut_ptr());
            let (spins, links, random) = (spins.as_mut_ptr(), links.as_ptr(), random.as_ptr());
            function(spins, 0, sites, beside, beside, links, BETA, BETA, random, flips);
        })
    }

    pub fn sweep_i8(function: hotloops::ising::sweep_i8::Function) -> Work {
        bytewise(function, hotloops::ising::thresholds)
    }

    pub fn sweep_heat_i8(function: hotloops::ising::sweep_heat_i8::Function) -> Work {
        bytewise(function, hotloops::ising::heat_thresholds)
    }

    /// One group of the paper's model in 64 layers. Sites where a call stops, one in a thousand, are left as they are.
    fn bytewise(
        function: hotloops::ising::sweep_i8::Function,
        tabulate: fn(f64, f64) -> [u16; hotloops::ising::THRESHOLDS],
    ) -> Work {
        let problem = Problem::paper(1);
        let (sites, neighbours) = (problem.sites(), problem.neighbours());
        let quanta = |value: f32| (8.0 * value) as i32;
        let sum = |site: usize| {
            quanta(problem.fields[site]) + neighbours[site].iter().map(|&(_, value)| quanta(value)).sum::<i32>()
        };
        // As in a model: all even sites, then all odd ones.
        let mut order: Vec<usize> = (0..sites).collect();
        order.sort_by_key(|&site| sum(site) & 1);
        let row = |site: u32| order.iter().position(|&other| other == site as usize).unwrap() as u32;
        let (mut links, mut headers) = (Vec::new(), Vec::new());
        for &site in &order {
            headers.push(links.len());
            let (sum, degree) = (sum(site), neighbours[site].len() as u32);
            links.push((sum >> 1) as u32 & 0xff | degree << 8 | (sum as u32 & 1) << 16);
            links.extend(neighbours[site].iter().map(|&(j, value)| row(j) << 8 | quanta(value) as u32 & 0xff));
        }
        let (mut spins, beside, mut bytes) = (vec![0u64; sites], vec![0u64; sites], vec![0u8; 64 * sites]);
        let thresholds = tabulate(f64::from(BETA) / 4.0, f64::from(BETA) * 4.0);
        let random = words(32 * sites);
        let mut flips = 0;
        // SAFETY: the links lead to rows of the group, of which all arrays hold every row.
        work("spin", sites * 64, move || unsafe {
            let (spins, bytes, thresholds) = (spins.as_mut_ptr(), bytes.as_mut_ptr(), thresholds.as_ptr());
            let mut done = 0;
            while done < sites {
                let (beside, links) = (beside[done..].as_ptr(), links[headers[done]..].as_ptr());
                let (random, count) = (random[32 * done..].as_ptr(), sites - done);
                done += 1 + function(
                    spins,
                    bytes,
                    sites,
                    done,
                    count,
                    beside,
                    beside,
                    links,
                    thresholds,
                    random,
                    u64::MAX,
                    &mut flips,
                );
            }
        })
    }

    pub fn scatter(function: hotloops::ising::scatter_fast_f32::Function) -> Work {
        let problem = Problem::paper(1);
        let (links, sites) = (links(&problem), problem.sites());
        let (mut state, mut below, mut above) =
            (vec![6f32; sites * LANES], vec![6f32; sites * LANES], vec![6f32; sites * LANES]);
        let sum = |list: &Vec<(u32, f32)>, field: &f32| list.iter().fold(*field, |sum, link| sum + link.1);
        let sums =
            problem.neighbours().iter().zip(&problem.fields).map(|(list, field)| sum(list, field)).collect::<Vec<_>>();
        let mut fields: Vec<f32> = sums.iter().flat_map(|&sum| [sum; LANES]).collect();
        let random = words(sites * LANES);
        let mut flips = [0; LANES];
        // SAFETY: as above.
        work("spin", sites * LANES, move || unsafe {
            let (state, fields, flips) = (state.as_mut_ptr(), fields.as_mut_ptr(), flips.as_mut_ptr());
            let (below, above) = (below.as_mut_ptr(), above.as_mut_ptr());
            let (links, random) = (links.as_ptr(), random.as_ptr());
            function(state, fields, 0, sites, below, above, links, BETA, BETA, random, flips);
        })
    }
}
