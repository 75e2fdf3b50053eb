use hotloops::hamming::*;

use super::{alike, noise, word};
use crate::harness::room::Room;
use crate::harness::sizes::{Sizes, Values};

alike! { slices::Function: slices = vec![] }

pub fn intersections() -> Vec<Sizes<intersections::Function>> {
    let call = |kernel: intersections::Function, v: &Values| {
        let [groups, chunks, n] = ["groups", "chunks", "n"].map(|name| v.size(name));
        // Rows are as long as their words.
        let (stride, out_stride) = (v.size("stride").max(8 * chunks), v.size("out_stride").max(8 * groups));
        let packed = Room::of(8 * groups * (chunks + 1), word)?;
        let rows = Room::rows(n, stride as isize, 8 * chunks, |i| noise(i + 3) as u8)?;
        let tails = Room::of(n, |i| word(i + 7))?;
        let out = Room::rows(n, out_stride as isize, 8 * groups, |_| 7u32)?;
        let (packed, rows, tails) = (packed.ptr().cast(), rows.ptr(), tails.ptr());
        // SAFETY: rooms of the sizes that the kernel wants.
        unsafe { kernel(packed, groups, chunks, rows, stride, tails, n, out.ptr(), out_stride) };
        Some(out.contents())
    };
    let base = [("groups", 2), ("chunks", 3), ("stride", 29), ("n", 3), ("out_stride", 17)];
    vec![Sizes::new(&base, call).bound("chunks", (1 << 26) - 2)]
}

type Rows = unsafe extern "C" fn(*const u8, *const u8, usize, usize, usize, *mut u32);
const ROWS: [(&str, i64); 3] = [("n", 3), ("bits", 77), ("stride", 11)];
const MOST_BITS: i64 = (1 << 32) - 1;

pub fn counts() -> Vec<Sizes<counts::Function>> {
    let call = |kernel: counts::Function, v: &Values| {
        let [n, bits, stride] = ["n", "bits", "stride"].map(|name| v.size(name));
        let rows = Room::rows(n, stride as isize, bits.div_ceil(8), |i| noise(i) as u8)?;
        let out = Room::of(n, |_| 7u32)?;
        // SAFETY: n rows and n counts.
        unsafe { kernel(rows.ptr(), n, bits, stride, out.ptr()) };
        Some(out.contents())
    };
    vec![Sizes::new(&ROWS, call).bound("bits", MOST_BITS)]
}

fn pairs() -> Vec<Sizes<Rows>> {
    let call = |kernel: Rows, v: &Values| {
        let [n, bits, stride] = ["n", "bits", "stride"].map(|name| v.size(name));
        let query = Room::of(bits.div_ceil(8), |i| noise(i + 11) as u8)?;
        let rows = Room::rows(n, stride as isize, bits.div_ceil(8), |i| noise(i) as u8)?;
        let out = Room::of(n, |_| 7u32)?;
        // SAFETY: a query, n rows and n counts.
        unsafe { kernel(query.ptr(), rows.ptr(), n, bits, stride, out.ptr()) };
        Some(out.contents())
    };
    vec![Sizes::new(&ROWS, call).bound("bits", MOST_BITS)]
}
alike! { Rows: shared differing = pairs() }

/// Ones in common and of others: `ones` is the largest number.
fn finished<F: 'static>(call: fn(F, *const u32, *const u32, usize, u32, *mut u32)) -> Vec<Sizes<F>> {
    let call = move |kernel: F, v: &Values| {
        let (n, ones) = (v.size("n"), v.int("ones") as u32);
        let (common, others) = (Room::of(n, |i| noise(i) % 40)?, Room::of(n, |i| 40 + noise(i + 7) % 1000)?);
        let out = Room::of(n, |_| 7u32)?;
        call(kernel, common.ptr(), others.ptr(), n, ones, out.ptr());
        Some(out.contents())
    };
    vec![Sizes::new(&[("n", 7), ("ones", 41)], call)]
}
alike! {
    // SAFETY: n integers each.
    distances::Function: distances = finished(|f, c, o, n, ones, out| unsafe { f(c, o, n, ones, out) })
}
alike! {
    tanimoto::Function: tanimoto dice cosine =
        // SAFETY: as above.
        finished(|f, c, o, n, ones, out| unsafe { f(c, o, n, ones, 1.0, out.cast()) })
}

pub fn misses() -> Vec<Sizes<misses::Function>> {
    const LINES: usize = 7;
    let call = |kernel: misses::Function, v: &Values| {
        let [chunks, n, levels] = ["chunks", "n", "levels"].map(|name| v.size(name));
        let planes = Room::of(64 * (LINES + 5), |i| noise(i) as u8)?;
        let offsets = Room::of(8 * chunks, |i| 64 * (noise(i) % LINES as u32))?;
        let groups = Room::of(n, |i| (noise(i) % 5) as u16)?;
        let states = Room::of(8 * (4 + levels) * n, |i| if i / 8 % (4 + levels as isize) == 3 { 0 } else { word(i) })?;
        let (invert, fresh) = (v.int("invert") as u64, std::ptr::null());
        let (planes, offsets) = (planes.ptr(), offsets.ptr());
        // SAFETY: rooms of the sizes that the kernel wants.
        let live = unsafe { kernel(planes, offsets, chunks, invert, groups.ptr(), n, fresh, states.ptr(), levels) };
        Some([live.to_le_bytes().to_vec(), groups.contents(), states.contents()].concat())
    };
    let base = [("chunks", 3), ("invert", 0x0123_4567_89ab_cdef), ("n", 3), ("levels", 2)];
    vec![Sizes::new(&base, call)]
}
