//! One group of the paper's model: 96 sites in 16 layers. Bits: a +-J lattice in 512 copies.

pub use self::worldline::{worldline_breaks, worldline_overlaps, worldline_sweep_f64, worldline_sweep_i32};
pub use self::{
    gather as sweep_fast_f32, gather as sweep_poly_f32, gather as sweep_heat_fast_f32, gather as sweep_heat_poly_f32,
    scatter as scatter_fast_f32, scatter as scatter_poly_f32, scatter as scatter_heat_fast_f32,
    scatter as scatter_heat_poly_f32,
};
use super::*;
use hotloops::ising::{Link, WideLink};

mod worldline;

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
    // SAFETY: links refer to rows of the group; all arrays hold every row of it.
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

/// One group of the paper's model in 64 layers. Sites where a call stops, one in a thousand, are
/// left as they are.
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
    // SAFETY: links refer to rows of the group; all arrays hold every row of it.
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

pub fn sweep_i16(function: hotloops::ising::sweep_i16::Function) -> Work {
    wide(function, hotloops::ising::factors)
}

pub fn sweep_heat_i16(function: hotloops::ising::sweep_heat_i16::Function) -> Work {
    wide(function, hotloops::ising::heat_factors)
}

/// One group of the paper's model in 32 layers, in quanta of 1/1024. Lanes in doubt are left as they
/// are.
fn wide(
    function: hotloops::ising::sweep_i16::Function,
    tabulate: fn(f64, f64) -> [u16; hotloops::ising::FACTORS],
) -> Work {
    let problem = Problem::paper(1);
    let sites = problem.sites();
    let link = |word: u32, value: f32| {
        let half = (1024.0 * value) as i32 as u32 & 0xffff;
        WideLink { word, pair: half << 16 | half }
    };
    let (mut links, mut headers) = (Vec::new(), Vec::new());
    for (list, &field) in problem.neighbours().into_iter().zip(&problem.fields) {
        headers.push(links.len());
        links.push(link(list.len() as u32, list.iter().fold(field, |sum, link| sum + link.1)));
        links.extend(list.into_iter().map(|(j, value)| link(64 * j, 2.0 * value)));
    }
    let (mut spins, beside) = (vec![0i16; 32 * sites], vec![0i16; 32 * sites]);
    let factors = tabulate(2.0 * f64::from(BETA) / 1024.0, f64::from(BETA) * 4.0);
    let random = words(16 * sites);
    let (mut flips, mut doubt) = (0, 0);
    // SAFETY: links refer to rows of the group; all arrays hold every row of it.
    work("spin", sites * 32, move || unsafe {
        let (spins, factors) = (spins.as_mut_ptr(), factors.as_ptr());
        let mut done = 0;
        while done < sites {
            let (beside, links) = (beside[32 * done..].as_ptr(), links[headers[done]..].as_ptr());
            let random = random[16 * done..].as_ptr();
            done += function(
                spins,
                done,
                sites - done,
                beside,
                beside,
                links,
                factors,
                random,
                u32::MAX,
                &mut flips,
                &mut doubt,
            );
        }
    })
}

pub fn sweep_blocks_i8(function: hotloops::ising::sweep_blocks_i8::Function) -> Work {
    blockwise(function)
}

pub fn sweep_heat_blocks_i8(function: hotloops::ising::sweep_heat_blocks_i8::Function) -> Work {
    blockwise(function)
}

pub fn sweep_blocks_f32(function: hotloops::ising::sweep_blocks_f32::Function) -> Work {
    blockwise_floats(function)
}

pub fn sweep_heat_blocks_f32(function: hotloops::ising::sweep_heat_blocks_f32::Function) -> Work {
    blockwise_floats(function)
}

pub fn sweep_blocks_i64(function: hotloops::ising::sweep_blocks_i64::Function) -> Work {
    blockwise_fixed(function)
}

pub fn sweep_heat_blocks_i64(function: hotloops::ising::sweep_heat_blocks_i64::Function) -> Work {
    blockwise_fixed(function)
}

/// Half the rows of [`torus`].
const ROWS: usize = 64;
const BLOCKS: usize = 2 * ROWS;

/// The links of a torus of 64 x 128 sites: each block is half the sites of a row. Bases are at most
/// one site outside the blocks.
fn torus() -> Vec<u32> {
    // The sites of the other colour in the rows above and below, in this row and beside that.
    let block = |block: usize| {
        let (colour, row) = (block / ROWS, block % ROWS);
        let of_row = |row: usize| (64 * ((1 - colour) * ROWS + row % ROWS)) as u32;
        let side = if (row + colour) % 2 == 0 { of_row(row).wrapping_sub(1) } else { of_row(row) + 1 };
        [4, 0, u32::MAX, u32::MAX, of_row(row + 1), of_row(row + ROWS - 1), of_row(row), side]
    };
    (0..BLOCKS).flat_map(block).collect()
}

/// A torus with couplings +-1. Blocks where a call stops, one in a thousand, are left as they are.
fn blockwise(function: hotloops::ising::sweep_blocks_i8::Function) -> Work {
    let (links, signs) = (torus(), words(8 * BLOCKS));
    let mut couplings = Vec::new();
    for signs in signs.chunks(8) {
        let coupling = |nth: usize, lane: usize| match signs[2 * nth + lane / 32] >> (lane % 32) & 1 {
            0 => 1u8,
            _ => 255,
        };
        let sum = |lane: usize| (0..4).fold(0u8, |sum, nth| sum.wrapping_add(coupling(nth, lane)));
        couplings.extend((0..64).map(sum));
        couplings.extend((0..256).map(|at| coupling(at / 64, at % 64).wrapping_mul(2)));
    }
    let mut spins = vec![0u8; 64 * (BLOCKS + 2)];
    let threshold = |m: usize| ((-2.0 * f64::from(BETA) * m as f64).exp() * 65535.0) as u16 ^ 0x8080;
    let thresholds: Vec<i8> = (0..256).map(|at| threshold(at % 128).to_be_bytes()[at / 128] as i8).collect();
    let random = words(32 * BLOCKS);
    let mut flips = 0;
    // SAFETY: the streams refer to the blocks and the spare ones around them.
    work("spin", BLOCKS * 64, move || unsafe {
        let spins = spins.as_mut_ptr().add(64);
        let mut done = 0;
        while done < BLOCKS {
            let (links, couplings) = (links[8 * done..].as_ptr(), couplings[320 * done..].as_ptr());
            let (thresholds, random) = (thresholds.as_ptr(), random[32 * done..].as_ptr());
            done += 1 + function(spins, done, BLOCKS - done, links, couplings, thresholds, 1, random, &mut flips);
        }
    })
}

/// A torus without fields, and with couplings between -1 and 1.
fn blockwise_floats(function: hotloops::ising::sweep_blocks_f32::Function) -> Work {
    let links = torus();
    let line = |(at, word): (usize, u32)| if at / 64 % 5 == 0 { 0.0 } else { word as f32 / 2f32.powi(31) - 1.0 };
    let couplings: Vec<f32> = words(320 * BLOCKS).into_iter().enumerate().map(line).collect();
    let mut spins = vec![1f32; 64 * (BLOCKS + 2)];
    let random = words(64 * BLOCKS);
    let mut flips = 0;
    // SAFETY: as above.
    work("spin", BLOCKS * 64, move || unsafe {
        let (spins, links, couplings) = (spins.as_mut_ptr().add(64), links.as_ptr(), couplings.as_ptr());
        function(spins, 0, BLOCKS, links, couplings, BETA, random.as_ptr(), &mut flips);
    })
}

/// The same in fixed point: couplings of magnitude below 2^31 units.
fn blockwise_fixed(function: hotloops::ising::sweep_blocks_i64::Function) -> Work {
    let links = torus();
    let line = |(at, word): (usize, u32)| if at / 64 % 5 == 0 { 0 } else { 2 * i64::from(word as i32) };
    let mut couplings: Vec<i64> = words(320 * BLOCKS).into_iter().enumerate().map(line).collect();
    for block in couplings.chunks_mut(320) {
        (64..320).for_each(|at| block[at % 64] += block[at] / 2);
    }
    let mut spins = vec![0i64; 64 * (BLOCKS + 2)];
    let (units, random) = (vec![2f64.powi(-31); 64 * BLOCKS], words(64 * BLOCKS));
    let mut flips = 0;
    // SAFETY: as above.
    work("spin", BLOCKS * 64, move || unsafe {
        let (spins, links, couplings) = (spins.as_mut_ptr().add(64), links.as_ptr(), couplings.as_ptr());
        let (units, random) = (units.as_ptr(), random.as_ptr());
        function(spins, 0, BLOCKS, links, couplings, units, f64::from(BETA), random, &mut flips);
    })
}

pub fn sweep_bits(function: hotloops::ising::sweep_bits::Function) -> Work {
    lattice(function, |exponent: f64| exponent.exp())
}

pub fn sweep_heat_bits(function: hotloops::ising::sweep_heat_bits::Function) -> Work {
    lattice(function, |exponent: f64| exponent.exp() / (1.0 + exponent.exp()))
}

/// One colour of a square lattice of 16 x 16 sites with couplings of +-1, at an inverse temperature
/// of 0.8. Every call has the same random planes.
fn lattice(function: hotloops::ising::sweep_bits::Function, probability: fn(f64) -> f64) -> Work {
    const SIDE: usize = 16;
    const SITES: usize = SIDE * SIDE / 2;
    const PLANES: usize = 512;
    // Site (x, y) of a colour is row x / 2 + SIDE / 2 y of it; the other colour follows.
    let row = |x: usize, y: usize| ((x + y) % 2 * SITES + x % SIDE / 2 + SIDE / 2 * (y % SIDE)) as u32;
    let (mut links, mut starts) = (Vec::new(), Vec::new());
    for site in 0..SITES {
        let y = site / (SIDE / 2);
        let x = 2 * (site % (SIDE / 2)) + y % 2;
        if site % 8 == 0 {
            starts.push(links.len());
            links.push(8 | 4 << 8);
        }
        let neighbours = [(x + 1, y), (x + SIDE - 1, y), (x, y + 1), (x, y + SIDE - 1)];
        links.extend(neighbours.iter().enumerate().flat_map(|(j, &(x, y))| [row(x, y), (site * 5 + j) as u32 % 2]));
    }
    let mut codes = vec![0; 48 * 9];
    for (class, bit) in (0..3).flat_map(|class| (0..48).map(move |bit| (class, bit))) {
        let threshold = (2f64.powi(48) * probability(-1.6 * f64::from(4 - 2 * class))) as u64;
        codes[48 * 4 + bit] |= ((threshold >> (47 - bit) & 1) as u8) << class;
    }
    let signs: Vec<u64> = [[0; 8], [u64::MAX; 8]].concat();
    let (mut spins, random, live) = (vec![0u64; 8 * 2 * SITES], words(16 * PLANES), [u64::MAX; 8]);
    let mut flips = 0;
    // SAFETY: links refer to rows of the lattice and to two rows of signs.
    work("spin", SITES * 512, move || unsafe {
        let mut done = 0;
        while done < starts.len() {
            let mut planes = PLANES;
            done += function(
                spins.as_mut_ptr(),
                8 * done,
                starts.len() - done,
                links[starts[done]..].as_ptr(),
                signs.as_ptr(),
                codes.as_ptr(),
                random.as_ptr(),
                &mut planes,
                live.as_ptr(),
                &mut flips,
            );
        }
    })
}

/// One colour of a lattice of 128 x 2048 sites at an inverse temperature of 0.44, by Metropolis.
pub fn sweep_lattice(function: hotloops::ising::sweep_lattice::Function) -> Work {
    const ROWS: usize = 128;
    const COLUMNS: usize = 2048;
    const STRIDE: usize = COLUMNS / 128 + 2;
    let codes: Vec<u8> = (0..48)
        .map(|k| {
            let bit = |m: f64| ((2f64.powi(48) * (-0.88 * m).exp()) as u64 >> (47 - k) & 1) as u8;
            bit(4.0) | bit(2.0) << 1
        })
        .collect();
    // Clusters of 64 x 8 sites.
    let spins = || (0..ROWS * STRIDE).map(|at| ((at / STRIDE / 8 + at % STRIDE) as u64 & 1).wrapping_neg());
    let (mut spins, others) = (spins().collect::<Vec<_>>(), spins().collect::<Vec<_>>());
    let mut sweep = 0;
    // SAFETY: all rows of both colours, and 48 codes.
    work("spin", ROWS * COLUMNS / 2, move || unsafe {
        let (spins, others, codes) = (spins.as_mut_ptr(), others.as_ptr(), codes.as_ptr());
        function(spins, others, ROWS, COLUMNS, 0, ROWS, 0, codes, 1, sweep);
        sweep += 1;
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

/// Sites of the dense model: 16 blocks.
const DENSE_SITES: usize = 1024;
const DENSE_STRIDE: usize = DENSE_SITES + 64;

pub use self::{
    bounds as dense_bounds, bounds as dense_heat_bounds, levels as dense_heat_levels, levels as dense_levels,
};

/// The bounds of a block at `beta sqrt(n) = 1`.
pub fn bounds(function: hotloops::ising::dense_bounds::Function) -> Work {
    let (random, mut bounds) = (words(64), [0; 64]);
    // SAFETY: 64 numbers and bounds.
    work("spin", 64, move || unsafe {
        function(random.as_ptr(), 16.0, 5e-5, bounds.as_mut_ptr());
    })
}

fn signs(count: usize) -> Vec<i8> {
    words(count).into_iter().map(|word| 1 - 2 * (word & 1) as i8).collect()
}

/// A block of which a third flips.
pub fn dense_flips(function: hotloops::ising::dense_flips::Function) -> Work {
    let fields: Vec<i16> = words(64).into_iter().map(|word| (word % 64) as i16 - 32).collect();
    let bounds: Vec<i16> = words(64).into_iter().map(|word| (word >> 8) as i16 % 24).map(|value| value - 24).collect();
    let (couplings, spins) = (signs(64 * DENSE_STRIDE), 0x0123_4567_89ab_cdef);
    // SAFETY: 64 fields and bounds, and 64 rows.
    work("spin", 64, move || unsafe {
        std::hint::black_box(function(spins, fields.as_ptr(), bounds.as_ptr(), couplings.as_ptr(), DENSE_STRIDE));
    })
}

/// Couplings of 16 rows.
pub fn dense_update(function: hotloops::ising::dense_update::Function) -> Work {
    let (mut fields, couplings) = (vec![0i16; DENSE_SITES], signs(64 * DENSE_STRIDE));
    // SAFETY: as many fields as columns, and 64 rows.
    work("coupling", 16 * DENSE_SITES, move || unsafe {
        let flips = 0x1111_2222_4444_8888;
        function(fields.as_mut_ptr(), DENSE_SITES, couplings.as_ptr(), DENSE_STRIDE, 0xffff_0000, flips, 127);
    })
}

/// The levels of a block at `beta sqrt(n) = 1`.
pub fn levels(function: hotloops::ising::dense_levels::Function) -> Work {
    let (random, scales, mut levels) = (words(64), [2e7; 64], [0; 64]);
    // SAFETY: 64 numbers, scales and levels.
    work("spin", 64, move || unsafe {
        function(random.as_ptr(), scales.as_ptr(), levels.as_mut_ptr());
    })
}

fn wide_couplings(rows: usize) -> Vec<i32> {
    words(64 * rows).into_iter().map(|word| word as i32 >> 8).collect()
}

/// A block of which a third flips.
pub fn dense_flips_i32(function: hotloops::ising::dense_flips_i32::Function) -> Work {
    let fields: Vec<i32> = words(64).into_iter().map(|word| word as i32 >> 4).collect();
    let levels: Vec<i32> = words(64).into_iter().rev().map(|word| -((word >> 4) as i32)).collect();
    let (couplings, spins) = (wide_couplings(64), 0x0123_4567_89ab_cdef);
    // SAFETY: 64 fields and levels, and 64 rows.
    work("spin", 64, move || unsafe {
        std::hint::black_box(function(spins, fields.as_ptr(), levels.as_ptr(), couplings.as_ptr()));
    })
}

/// 256 of 1024 rows.
pub fn dense_update_i32(function: hotloops::ising::dense_update_i32::Function) -> Work {
    let (mut fields, couplings) = (vec![0i32; 64], wide_couplings(DENSE_SITES));
    let rows: Vec<u32> = (0..DENSE_SITES as u32).step_by(4).collect();
    // SAFETY: 64 fields, and a row for each number of the lists.
    work("coupling", 64 * rows.len(), move || unsafe {
        let (up, down) = rows.split_at(rows.len() / 2);
        function(fields.as_mut_ptr(), couplings.as_ptr(), up.as_ptr(), up.len(), down.as_ptr(), down.len());
    })
}
