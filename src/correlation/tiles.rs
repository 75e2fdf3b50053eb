//! The kernels `edges` and `counts` for vectors of any length; all instruction sets share them.

use super::ONE_PAIR;
use super::lanes::{MAX_LANE_POINTS, POINT, POINTS, PairVector, Points, START, split};

/// 1 in 16 lanes, then 0 in 16 lanes. A vector loaded from the middle counts one pair in its first lanes
/// only.
static SINGLES: [[f32; 16]; 2] = [[f32::from_bits(1); 16], [0.0; 16]];

/// As [`SINGLES`], with a mask of all bits and one of none.
static PRESENT: [[f32; 16]; 2] = [[f32::from_bits(u32::MAX); 16], [0.0; 16]];

/// The lanes of a vector.
///
/// # Safety
/// Same as for [`PairVector`].
#[inline(always)]
unsafe fn to_lanes<V: PairVector>(x: V::Integers) -> [i32; 16] {
    let mut lanes = [0i32; 16];
    // SAFETY: vectors have at most 16 lanes.
    unsafe { lanes.as_mut_ptr().cast::<V::Integers>().write_unaligned(x) }
    lanes
}

/// Adds the pairs beyond each of `E` edges.
///
/// # Safety
/// Same as for [`edges`](super::edges()).
#[inline(always)]
unsafe fn pairs_beyond<V: PairVector, const E: usize>(
    first: Points,
    other: Points,
    shift: *const f32,
    edges: *const f32,
    words: *mut i64,
) {
    // SAFETY: there are two shifts, E edges and E words; i < first.n and j < other.n; the caller's
    // contract.
    unsafe {
        let (shift_x, shift_y) = (V::splat(shift.read_unaligned()), V::splat(shift.add(1).read_unaligned()));
        // Floats that are not negative have the order of their bits, so r2 and edges are compared
        // as integers; `near` is 1 less because the comparison is "greater".
        let mut near = [V::integers(0); E];
        for (e, near) in near.iter_mut().enumerate() {
            *near = V::integers((edges.add(e).read_unaligned().to_bits() as i32).max(0) - 1);
        }
        for begin in (0..first.n).step_by(MAX_LANE_POINTS) {
            let n = (first.n - begin).min(MAX_LANE_POINTS);
            let mut own = [[0; 2]; MAX_LANE_POINTS];
            for (i, own) in own.iter_mut().enumerate().take(n) {
                *own = split(first.psi.cast::<[i16; 2]>().add(begin + i).read_unaligned());
            }
            for j in (0..other.n).step_by(V::LANES) {
                let left = other.n - j;
                let load = |from: *const f32| if left < V::LANES { V::load_part(from, left) } else { V::load(from) };
                let (xj, yj, psi_j) =
                    (load(other.x.add(j)), load(other.y.add(j)), load(other.psi.add(2 * j).cast()).bits());
                let mut sums = [[V::integers(0), V::integers(START)]; E];
                for (i, own) in own.iter().enumerate().take(n) {
                    let dx = xj.sub(V::splat(first.x.add(begin + i).read_unaligned())).add(shift_x);
                    let dy = yj.sub(V::splat(first.y.add(begin + i).read_unaligned())).add(shift_y);
                    let r2 = dx.mul(dx).add(dy.mul(dy));
                    let numbers = [V::integers(own[0]), V::integers(own[1])];
                    for (sums, near) in sums.iter_mut().zip(near) {
                        *sums = V::add_beyond(*sums, r2, near, numbers);
                    }
                }
                let present = V::load(PRESENT.as_ptr().cast::<f32>().add(16 - left.min(V::LANES))).bits();
                for (e, &[low, high]) in sums.iter().enumerate() {
                    let points = V::and(low, V::integers(POINTS));
                    let low = V::product(psi_j, V::xor(low, points));
                    let high = V::product(psi_j, V::xor(high, V::integers(START)));
                    let points = to_lanes::<V>(V::and(points, present)).iter().sum::<i32>();
                    // Of at most 16 lanes with 2^26 each.
                    let [low, high] =
                        [low, high].map(|products| i64::from(to_lanes::<V>(products).iter().sum::<i32>()));
                    let word = words.add(e);
                    let pairs = i64::from(points / POINT) * ONE_PAIR + 128 * high + low;
                    word.write_unaligned(word.read_unaligned().wrapping_add(pairs));
                }
            }
        }
    }
}

/// The kernel, 4 edges at a time.
///
/// # Safety
/// Same as for [`edges`](super::edges()).
#[inline(always)]
pub(super) unsafe fn edges<V: PairVector>(
    first: Points,
    other: Points,
    shift: *const f32,
    edges: *const f32,
    k: usize,
    words: *mut i64,
) {
    for e in (0..k).step_by(4) {
        // SAFETY: e < k, and the caller's contract.
        unsafe {
            let (edges, words) = (edges.add(e), words.add(e));
            match k - e {
                1 => pairs_beyond::<V, 1>(first, other, shift, edges, words),
                2 => pairs_beyond::<V, 2>(first, other, shift, edges, words),
                3 => pairs_beyond::<V, 3>(first, other, shift, edges, words),
                _ => pairs_beyond::<V, 4>(first, other, shift, edges, words),
            }
        }
    }
}

/// Counts the pairs beyond each of `E` edges.
///
/// # Safety
/// Same as for [`counts`](super::counts()); the points need no orientations.
#[inline(always)]
unsafe fn count_beyond<V: PairVector, const E: usize>(
    first: Points,
    other: Points,
    shift: *const f32,
    edges: *const f32,
    words: *mut i64,
) {
    // SAFETY: there are two shifts, E edges and E words; i < first.n and j < other.n; the caller's
    // contract.
    unsafe {
        let (shift_x, shift_y) = (V::splat(shift.read_unaligned()), V::splat(shift.add(1).read_unaligned()));
        // As in `pairs_beyond`.
        let mut near = [V::integers(0); E];
        for (e, near) in near.iter_mut().enumerate() {
            *near = V::integers((edges.add(e).read_unaligned().to_bits() as i32).max(0) - 1);
        }
        let mut lanes = [V::integers(0); E];
        for j in (0..other.n).step_by(V::LANES) {
            let left = other.n - j;
            let load = |from: *const f32| if left < V::LANES { V::load_part(from, left) } else { V::load(from) };
            let (xj, yj) = (load(other.x.add(j)), load(other.y.add(j)));
            let one = V::load(SINGLES.as_ptr().cast::<f32>().add(16 - left.min(V::LANES))).bits();
            for i in 0..first.n {
                let dx = xj.sub(V::splat(first.x.add(i).read_unaligned())).add(shift_x);
                let dy = yj.sub(V::splat(first.y.add(i).read_unaligned())).add(shift_y);
                let r2 = dx.mul(dx).add(dy.mul(dy));
                for (lanes, near) in lanes.iter_mut().zip(near) {
                    [*lanes] = V::add_beyond([*lanes], r2, near, [one]);
                }
            }
        }
        for (e, &lanes) in lanes.iter().enumerate() {
            let mut parts = [0u32; 16];
            parts.as_mut_ptr().cast::<V::Integers>().write_unaligned(lanes);
            let word = words.add(e);
            let count: i64 = parts.iter().map(|&part| i64::from(part)).sum();
            word.write_unaligned(word.read_unaligned().wrapping_add(count));
        }
    }
}

/// The kernel `counts`, 8 edges at a time.
///
/// # Safety
/// Same as for [`counts`](super::counts()).
#[inline(always)]
pub(super) unsafe fn counts<V: PairVector>(
    first: Points,
    other: Points,
    shift: *const f32,
    edges: *const f32,
    k: usize,
    words: *mut i64,
) {
    for e in (0..k).step_by(8) {
        // SAFETY: e < k, and the caller's contract.
        unsafe {
            let (edges, words) = (edges.add(e), words.add(e));
            match k - e {
                1 => count_beyond::<V, 1>(first, other, shift, edges, words),
                2 => count_beyond::<V, 2>(first, other, shift, edges, words),
                3 => count_beyond::<V, 3>(first, other, shift, edges, words),
                4 => count_beyond::<V, 4>(first, other, shift, edges, words),
                5 => count_beyond::<V, 5>(first, other, shift, edges, words),
                6 => count_beyond::<V, 6>(first, other, shift, edges, words),
                7 => count_beyond::<V, 7>(first, other, shift, edges, words),
                _ => count_beyond::<V, 8>(first, other, shift, edges, words),
            }
        }
    }
}

/// Exports the kernels of an instruction set. Arguments: its [`OrientationBlock`](super::rows::OrientationBlock), if it
/// has one, its [`PairVector`], and the number of lanes.
macro_rules! export_pair_kernels {
    ($block:ty, $vector:ident $lanes:literal, $isa:ident) => {
        export_pair_kernels! { $vector $lanes, $isa }
        crate::frame::isa::$isa! {
            pub(super) unsafe extern "C" fn offsets(
                x: *const i32,
                psi: *const i16,
                n: usize,
                other_x: *const i32,
                other_psi: *const i16,
                m: usize,
                words: *mut i64,
            ) {
                // SAFETY: the caller's contract.
                unsafe { crate::correlation::rows::offsets::<$block>(x, psi, n, other_x, other_psi, m, words) }
            }
        }
    };
    ($vector:ident $lanes:literal, $isa:ident) => {
        crate::frame::isa::$isa! {
            #[allow(clippy::too_many_arguments)]
            pub(super) unsafe extern "C" fn scatter(
                x: *const f32,
                y: *const f32,
                psi: *const i16,
                n: usize,
                other_x: *const f32,
                other_y: *const f32,
                other_psi: *const i16,
                m: usize,
                shift: *const f32,
                inverse_width: f32,
                start: f32,
                bins: usize,
                words: *mut i64,
            ) {
                use crate::correlation::{lanes::Points, ring};
                let (first, other) = (Points { x, y, psi, n }, Points { x: other_x, y: other_y, psi: other_psi, n: m });
                // SAFETY: the caller's contract.
                unsafe { ring::scatter::<$vector, $lanes>(first, other, shift, (inverse_width, start), bins, words) }
            }

            #[allow(clippy::too_many_arguments)]
            pub(super) unsafe extern "C" fn scatter_below(
                x: *const f32,
                y: *const f32,
                psi: *const i16,
                n: usize,
                other_x: *const f32,
                other_y: *const f32,
                other_psi: *const i16,
                m: usize,
                shift: *const f32,
                limit: f32,
                inverse_width: f32,
                start: f32,
                bins: usize,
                words: *mut i64,
            ) {
                use crate::correlation::{lanes::Points, survivors};
                let (first, other) = (Points { x, y, psi, n }, Points { x: other_x, y: other_y, psi: other_psi, n: m });
                let scale = (limit, inverse_width, start);
                // SAFETY: the caller's contract.
                unsafe { survivors::scatter_below::<$vector, $lanes>(first, other, shift, scale, bins, words) }
            }

            #[allow(clippy::too_many_arguments)]
            pub(super) unsafe extern "C" fn edges(
                x: *const f32,
                y: *const f32,
                psi: *const i16,
                n: usize,
                other_x: *const f32,
                other_y: *const f32,
                other_psi: *const i16,
                m: usize,
                shift: *const f32,
                edges: *const f32,
                k: usize,
                words: *mut i64,
            ) {
                use crate::correlation::{lanes::Points, tiles};
                let (first, other) = (Points { x, y, psi, n }, Points { x: other_x, y: other_y, psi: other_psi, n: m });
                // SAFETY: the caller's contract.
                unsafe { tiles::edges::<$vector>(first, other, shift, edges, k, words) }
            }

            #[allow(clippy::too_many_arguments)]
            pub(super) unsafe extern "C" fn counts(
                x: *const f32,
                y: *const f32,
                n: usize,
                other_x: *const f32,
                other_y: *const f32,
                m: usize,
                shift: *const f32,
                edges: *const f32,
                k: usize,
                words: *mut i64,
            ) {
                use crate::correlation::{lanes::Points, tiles};
                let psi = core::ptr::null();
                let (first, other) = (Points { x, y, psi, n }, Points { x: other_x, y: other_y, psi, n: m });
                // SAFETY: the caller's contract.
                unsafe { tiles::counts::<$vector>(first, other, shift, edges, k, words) }
            }
        }
    };
}
pub(super) use export_pair_kernels;
