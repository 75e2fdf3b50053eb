use hotloops::ising::*;

use super::{alike, noise, word};
use crate::harness::room::Room;
use crate::harness::sizes::{Sizes, Values, bytes};

/// A random bit.
fn bit(i: isize) -> bool {
    noise(i) & 1 != 0
}

fn sign(i: isize) -> f32 {
    if bit(i) { -1.0 } else { 1.0 }
}

/// Rows `first..first + count` of a group, and row 0, to which all sites are linked.
fn rows<T: Copy>(first: usize, count: usize, width: usize, value: impl FnMut(isize) -> T) -> Option<Room<T>> {
    let [start, end, width] = [first * width, (first + count) * width, width].map(|index| index as isize);
    Room::new([0..width.min(start), start..end], value)
}

const SITES: [(&str, i64); 2] = [("first", 2), ("count", 3)];

/// Headers and links to row 0 in turn.
fn links(count: usize) -> Option<Room<Link>> {
    Room::of(2 * count, |i| Link { word: u32::from(i % 2 == 0), value: sign(i) * 0.3 })
}

fn gathers() -> Vec<Sizes<sweep_fast_f32::Function>> {
    let call = |kernel: sweep_fast_f32::Function, v: &Values| {
        let (first, count) = (v.size("first"), v.size("count"));
        let (spins, links) = (rows(first, count, 16, sign)?, links(count)?);
        let [below, above] = [3, 5].map(|shift| Room::of(16 * count, move |i| sign(i + shift)));
        let (below, above, random) = (below?, above?, Room::of(16 * count, noise)?);
        let flips = Room::of(16, |_| 0x00ff_fffe_u32)?;
        let (below, above, links, random) = (below.ptr(), above.ptr(), links.ptr(), random.ptr());
        // SAFETY: rows of the sites, here and below.
        unsafe { kernel(spins.ptr(), first, count, below, above, links, 0.3, 0.2, random, flips.ptr()) };
        Some([spins.contents(), flips.contents()].concat())
    };
    vec![Sizes::new(&SITES, call)]
}
alike! { sweep_fast_f32::Function: sweep_fast_f32 sweep_poly_f32 sweep_heat_fast_f32 sweep_heat_poly_f32 = gathers() }

fn scatters() -> Vec<Sizes<scatter_fast_f32::Function>> {
    let call = |kernel: scatter_fast_f32::Function, v: &Values| {
        let (first, count) = (v.size("first"), v.size("count"));
        let state = |i| 4.0 * sign(i) + sign(i + 1) + sign(i + 2);
        let (spins, fields) = (rows(first, count, 16, state)?, rows(first, count, 16, sign)?);
        let (links, random) = (links(count)?, Room::of(16 * count, noise)?);
        let (below, above) = (Room::of(16 * count, state)?, Room::of(16 * count, |_| 0.0f32)?);
        let flips = Room::of(16, |_| 0x00ff_fffe_u32)?;
        let (links, random, to) = (links.ptr(), random.ptr(), flips.ptr());
        let (s, f, b, a) = (spins.ptr(), fields.ptr(), below.ptr(), above.ptr());
        // SAFETY: as above.
        unsafe { kernel(s, f, first, count, b, a, links, 0.3, 0.2, random, to) };
        Some(
            [&spins, &fields, &below, &above]
                .map(Room::contents)
                .into_iter()
                .flatten()
                .chain(flips.contents())
                .collect(),
        )
    };
    vec![Sizes::new(&SITES, call)]
}
alike! {
    scatter_fast_f32::Function: scatter_fast_f32 scatter_poly_f32 scatter_heat_fast_f32 scatter_heat_poly_f32 =
        scatters()
}

/// Sweeps of bits of layers, which go on after a site in doubt as long as there are some.
fn exact(tabulate: fn(f64, f64) -> [u16; 864]) -> Vec<Sizes<sweep_i8::Function>> {
    let call = move |kernel: sweep_i8::Function, v: &Values| {
        let [sites, first, count] = ["sites", "first", "count"].map(|name| v.size(name));
        let sites = sites.max(first + count);
        // In a group that begins, all spins are there; later only those of the sites and of row 0.
        let begin = if first == 0 { sites } else { first + count };
        let spins = if first == 0 { Room::of(sites, word)? } else { rows(first, count, 1, word)? };
        let lanes = |i: isize| 0u8.wrapping_sub((word(i / 64) >> (i % 64) & 1) as u8);
        let scratch = if first == 0 { Room::of(64 * sites, |_| 0x5a)? } else { rows(first, begin - first, 64, lanes)? };
        // Each site is linked to the last one of the group, or to row 0.
        let last = if first == 0 { (sites - 1) as u32 } else { 0 };
        let links = Room::of(2 * count, |i| if i % 2 == 0 { 3 | 1 << 8 } else { 2 | last << 8 })?;
        let (below, above) = (Room::of(count, |i| word(i + 3))?, Room::of(count, |i| word(i + 5))?);
        let (thresholds, random) = (Room::copy(&tabulate(0.1, 0.2))?, Room::of(32 * count, noise)?);
        let flips = Room::copy(&[(1u64 << 32) - 2])?;
        let (below, above, links, thresholds) = (below.ptr(), above.ptr(), links.ptr(), thresholds.ptr());
        let (live, to) = (v.int("live") as u64, flips.ptr());
        // SAFETY: as above, and the bytes of all sites.
        let visited = unsafe {
            let (s, b, random) = (spins.ptr(), scratch.ptr(), random.ptr());
            kernel(s, b, sites, first, count, below, above, links, thresholds, random, live, to)
        };
        Some([bytes(visited), spins.contents(), flips.contents()].concat())
    };
    let live = ("live", 0x7fff_ffff_ffff_ffff);
    let begun = Sizes::new(&[("sites", 3), ("first", 0), ("count", 3), live], call).scratch("sites");
    vec![begun, Sizes::new(&[("sites", 7), ("first", 2), ("count", 3), live], call).unseen("sites")]
}
alike! { sweep_i8::Function: sweep_i8 = exact(thresholds) }
alike! { sweep_i8::Function: sweep_heat_i8 = exact(heat_thresholds) }

fn wide(tabulate: fn(f64, f64) -> [u16; FACTORS]) -> Vec<Sizes<sweep_i16::Function>> {
    let call = move |kernel: sweep_i16::Function, v: &Values| {
        let (first, count) = (v.size("first"), v.size("count"));
        let spin = |i| -i16::from(bit(i));
        let spins = rows(first, count, 32, spin)?;
        let links = Room::of(2 * count, |i| WideLink { word: u32::from(i % 2 == 0), pair: 0x0007_0007 })?;
        let [below, above] = [3, 5].map(|shift| Room::of(32 * count, move |i| spin(i + shift)));
        let (below, above, random) = (below?, above?, Room::of(16 * count, noise)?);
        let factors = Room::copy(&tabulate(0.01, 0.2))?;
        let (flips, doubt) = (Room::copy(&[(1u64 << 32) - 2])?, Room::copy(&[7u32])?);
        let (s, below, above, links) = (spins.ptr(), below.ptr(), above.ptr(), links.ptr());
        let (factors, random, live) = (factors.ptr(), random.ptr(), v.int("live") as u32);
        // SAFETY: as above.
        let visited =
            unsafe { kernel(s, first, count, below, above, links, factors, random, live, flips.ptr(), doubt.ptr()) };
        Some([bytes(visited), spins.contents(), flips.contents(), doubt.contents()].concat())
    };
    vec![Sizes::new(&[&SITES[..], &[("live", 0x7fff_ffff)]].concat(), call)]
}
alike! { sweep_i16::Function: sweep_i16 = wide(factors) }
alike! { sweep_i16::Function: sweep_heat_i16 = wide(heat_factors) }

/// Blocks of one site each, linked to row 0.
fn bits() -> Vec<Sizes<sweep_bits::Function>> {
    let call = |kernel: sweep_bits::Function, v: &Values| {
        let (first, blocks) = (v.size("first"), v.size("blocks"));
        let planes = 200 + 6 * blocks;
        let spins = rows(first, blocks, 8, word)?;
        let links = Room::of(3 * blocks, |i| if i % 3 == 0 { 1 | 1 << 8 } else { 0 })?;
        let (signs, codes) = (Room::of(8, |i| word(i + 3))?, Room::of(432, |i| noise(i) as u8 & 1)?);
        let random = Room::of(8 * planes, |i| word(i + 5))?;
        let (live, flips) = (Room::of(8, |_| !0u64)?, Room::copy(&[(1u64 << 32) - 2])?);
        let used = Room::copy(&[planes])?;
        let (s, links, signs, codes) = (spins.ptr(), links.ptr(), signs.ptr(), codes.ptr());
        let (random, live) = (random.ptr().cast(), live.ptr());
        // SAFETY: as above.
        let visited = unsafe { kernel(s, first, blocks, links, signs, codes, random, used.ptr(), live, flips.ptr()) };
        Some([bytes(visited), used.contents(), spins.contents(), flips.contents()].concat())
    };
    vec![Sizes::new(&[("first", 2), ("blocks", 3)], call)]
}
alike! { sweep_bits::Function: sweep_bits sweep_heat_bits = bits() }

/// Blocks of one system with a diagonal to the first block.
fn block_links(count: usize) -> Option<Room<u32>> {
    Room::of(5 * count, |i| [1, 0, u32::MAX, u32::MAX, 0][i as usize % 5])
}

fn blocks() -> Vec<Sizes<sweep_blocks_i8::Function>> {
    let call = |kernel: sweep_blocks_i8::Function, v: &Values| {
        let [first, count, levels] = ["first", "count", "levels"].map(|name| v.size(name));
        let spins = rows(first, count, 64, |i| 0u8.wrapping_sub(u8::from(bit(i))))?;
        let (links, couplings) = (block_links(count)?, Room::of(128 * count, |i| 1 + (i / 64 % 2) as u8)?);
        let (thresholds, random) = (Room::of(256, |i| noise(i) as i8)?, Room::of(32 * count, noise)?);
        let flips = Room::copy(&[(1u64 << 32) - 2])?;
        let (s, links, couplings, thresholds) = (spins.ptr(), links.ptr(), couplings.ptr(), thresholds.ptr());
        // SAFETY: the bytes and streams of the blocks.
        let visited =
            unsafe { kernel(s, first, count, links, couplings, thresholds, levels, random.ptr(), flips.ptr()) };
        Some([bytes(visited), spins.contents(), flips.contents()].concat())
    };
    // There are thresholds for 128 values.
    vec![Sizes::new(&[&SITES[..], &[("levels", 2)]].concat(), call).bound("levels", 8)]
}
alike! { sweep_blocks_i8::Function: sweep_blocks_i8 sweep_heat_blocks_i8 = blocks() }

fn float_blocks() -> Vec<Sizes<sweep_blocks_f32::Function>> {
    let call = |kernel: sweep_blocks_f32::Function, v: &Values| {
        let (first, count) = (v.size("first"), v.size("count"));
        let (spins, links) = (rows(first, count, 64, sign)?, block_links(count)?);
        let (couplings, random) = (Room::of(128 * count, |i| sign(i + 3) * 0.4)?, Room::of(64 * count, noise)?);
        let flips = Room::copy(&[(1u64 << 32) - 2])?;
        let (s, links, couplings, random) = (spins.ptr(), links.ptr(), couplings.ptr(), random.ptr());
        // SAFETY: the floats and streams of the blocks.
        unsafe { kernel(s, first, count, links, couplings, 0.4, random, flips.ptr()) };
        Some([spins.contents(), flips.contents()].concat())
    };
    vec![Sizes::new(&SITES, call)]
}
alike! { sweep_blocks_f32::Function: sweep_blocks_f32 sweep_heat_blocks_f32 = float_blocks() }

fn fixed_blocks() -> Vec<Sizes<sweep_blocks_i64::Function>> {
    let call = |kernel: sweep_blocks_i64::Function, v: &Values| {
        let (first, count) = (v.size("first"), v.size("count"));
        let spins = rows(first, count, 64, |i| -i64::from(bit(i)))?;
        let (links, couplings) = (block_links(count)?, Room::of(128 * count, |i| i64::from(noise(i) as i32))?);
        let (units, random) = (Room::of(64 * count, |_| 2f64.powi(-32))?, Room::of(64 * count, noise)?);
        let flips = Room::copy(&[(1u64 << 32) - 2])?;
        let (s, links, couplings, units) = (spins.ptr(), links.ptr(), couplings.ptr(), units.ptr());
        // SAFETY: the spins and streams of the blocks.
        unsafe { kernel(s, first, count, links, couplings, units, 0.4, random.ptr(), flips.ptr()) };
        Some([spins.contents(), flips.contents()].concat())
    };
    vec![Sizes::new(&SITES, call)]
}
alike! { sweep_blocks_i64::Function: sweep_blocks_i64 sweep_heat_blocks_i64 = fixed_blocks() }

alike! { dense_bounds::Function: dense_bounds dense_heat_bounds = vec![] }
alike! { dense_levels::Function: dense_levels dense_heat_levels = vec![] }

const SPINS: i64 = 0x0123_4567_89ab_cdef;

pub fn dense_flips() -> Vec<Sizes<dense_flips::Function>> {
    let call = |kernel: dense_flips::Function, v: &Values| {
        let stride = v.size("stride");
        let couplings = Room::rows(64, stride as isize, 64, |i| (noise(i) % 9) as i8 - 4)?;
        let (fields, bounds) = (Room::of(64, |i| (noise(i + 3) % 40) as i16 - 20)?, Room::of(64, |_| 0i16)?);
        let (spins, fields, bounds) = (v.int("spins") as u64, fields.ptr(), bounds.ptr());
        // SAFETY: 64 fields and bounds, and 64 rows of 64.
        Some(bytes(unsafe { kernel(spins, fields, bounds, couplings.ptr(), stride) }))
    };
    vec![Sizes::new(&[("spins", SPINS), ("stride", 67)], call)]
}

pub fn dense_update() -> Vec<Sizes<dense_update::Function>> {
    let call = |kernel: dense_update::Function, v: &Values| {
        let [columns, depth] = ["columns", "depth"].map(|name| v.size(name));
        let stride = v.size("stride").max(columns);
        let couplings = Room::rows(64, stride as isize, columns, |i| (noise(i) % 3) as i8 - 1)?;
        let fields = Room::of(columns, |i| noise(i + 3) as i16)?;
        let (spins, flips) = (v.int("spins") as u64, v.int("flips") as u64);
        // SAFETY: `columns` fields, and 64 rows of as many couplings.
        unsafe { kernel(fields.ptr(), columns, couplings.ptr(), stride, spins, flips, depth) };
        Some(fields.contents())
    };
    let base = [("columns", 64), ("stride", 67), ("spins", SPINS), ("flips", 3 * SPINS), ("depth", 5)];
    vec![Sizes::new(&base, call).bound("depth", 127)]
}

pub fn dense_flips_i32() -> Vec<Sizes<dense_flips_i32::Function>> {
    let call = |kernel: dense_flips_i32::Function, v: &Values| {
        let couplings = Room::of(64 * 64, |i| (noise(i) % 9) as i32 - 4)?;
        let (fields, levels) = (Room::of(64, |i| (noise(i + 3) % 40) as i32 - 20)?, Room::of(64, |_| 0i32)?);
        // SAFETY: 64 fields and levels, and 64 rows of 64.
        Some(bytes(unsafe { kernel(v.int("spins") as u64, fields.ptr(), levels.ptr(), couplings.ptr()) }))
    };
    vec![Sizes::new(&[("spins", SPINS)], call)]
}

pub fn dense_update_i32() -> Vec<Sizes<dense_update_i32::Function>> {
    const ROWS: u32 = 5;
    let call = |kernel: dense_update_i32::Function, v: &Values| {
        let (ups, downs) = (v.size("ups"), v.size("downs"));
        let fields = Room::of(64, |i| noise(i + 3) as i32)?;
        let couplings = Room::of(64 * ROWS as usize, |i| noise(i) as i32)?;
        let (up, down) = (Room::of(ups, |i| noise(i) % ROWS)?, Room::of(downs, |i| noise(i + 7) % ROWS)?);
        // SAFETY: 64 fields, and a row of 64 for each number.
        unsafe { kernel(fields.ptr(), couplings.ptr(), up.ptr(), ups, down.ptr(), downs) };
        Some(fields.contents())
    };
    vec![Sizes::new(&[("ups", 3), ("downs", 2)], call)]
}

/// Lattices of up to 128 columns: rows of 10 words.
fn lattice() -> Vec<Sizes<sweep_lattice::Function>> {
    let call = |kernel: sweep_lattice::Function, v: &Values| {
        let [rows, columns, first, count] = ["rows", "columns", "first", "count"].map(|name| v.size(name));
        let stride = (columns.div_ceil(128).next_multiple_of(8) + 2) as isize;
        let at = |row: usize| row as isize * stride;
        let above = if first == 0 { rows - 1 } else { first - 1 };
        let below = if first + count == rows { 0 } else { first + count };
        let visited = at(first)..at(first + count);
        let beside = [above, below].map(|row| at(row)..at(row) + stride);
        let spins = Room::new(std::iter::once(visited.clone()), word)?;
        let others = Room::new(beside.into_iter().chain([visited]), |i| word(i + 3))?;
        let codes = Room::of(48, |i| noise(i) as u8)?;
        let (seed, sweep) = (v.int("seed") as u64, v.int("sweep") as u64);
        let (s, o, codes, flags) = (spins.ptr(), others.ptr(), codes.ptr(), v.int("flags") as u32);
        // SAFETY: the visited rows, and those beside them.
        let flips = unsafe { kernel(s, o, rows, columns, first, count, flags, codes, seed, sweep) };
        Some([bytes(flips as usize), spins.contents()].concat())
    };
    let others = [("columns", 90), ("flags", 4), ("seed", 5), ("sweep", 7)];
    let within = Sizes::new(&[&[("rows", 40), ("first", 8), ("count", 8)], &others[..]].concat(), call);
    let begun = Sizes::new(&[&[("rows", 40), ("first", 0), ("count", 8)], &others[..]].concat(), call);
    vec![within.bound("flags", 7).unseen("rows"), begun.bound("flags", 7)]
}
alike! { sweep_lattice::Function: sweep_lattice = lattice() }

pub fn worldline_breaks() -> Vec<Sizes<worldline_breaks::Function>> {
    let call = |kernel: worldline_breaks::Function, v: &Values| {
        let n = v.size("n");
        let (random, breaks) = (Room::of(2 * n, noise)?, Room::of(n, |_| 0u32)?);
        // SAFETY: two words for each break.
        unsafe { kernel(random.ptr(), n, -20.0, v.int("start") as u32, breaks.ptr()) };
        Some(breaks.contents())
    };
    vec![Sizes::new(&[("n", 40), ("start", 5)], call).bound("start", i32::MAX.into())]
}

// Their arguments are pointers.
alike! { worldline_sweep_i32::Function: worldline_sweep_i32 = vec![] }
alike! { worldline_sweep_f64::Function: worldline_sweep_f64 = vec![] }

/// Overlaps of a line of 4 kinks with line 0.
pub fn worldline_overlaps() -> Vec<Sizes<worldline_overlaps::Function>> {
    let call = |kernel: worldline_overlaps::Function, v: &Values| {
        let [stride, row, n] = ["stride", "row", "n"].map(|name| v.size(name));
        let begin = (row as isize).checked_mul(stride as isize)?;
        let kink = move |i: isize| if i < 16 { 3 * i + 1 } else { 2 * (i - begin) * (i - begin) };
        let is_kink = move |i: isize| i < 4 || (begin..begin + 4).contains(&i);
        let word = move |i: isize| if is_kink(i) { kink(i) as i32 } else { 0x7f7f_ffff };
        let kinks = Room::new([0..20, begin..begin + 20], word)?;
        let line = |i: isize| Worldline {
            count: 4,
            spin: if i == 0 { 1 } else { -1 },
            magnetisation: if i == 0 { 100 - 12 } else { 24 - 100 },
            even: 0,
        };
        let lines = Room::new([0..1, row as isize..row as isize + 1], line)?;
        let (others, overlaps) = (Room::of(n, |_| 0u32)?, Room::of(n, |_| 0i32)?);
        // SAFETY: line 0 and the line of the row.
        unsafe { kernel(lines.ptr(), kinks.ptr(), stride, row, others.ptr(), n, overlaps.ptr()) };
        Some(overlaps.contents())
    };
    vec![Sizes::new(&[("stride", 67), ("row", 2), ("n", 3)], call)]
}
