//! The references: one pair at a time.

use super::{ONE_PAIR, TABLES};
use crate::libm::sqrt_f32;

/// Re(a* b) of two orientations, exactly, in units of 2^-28; at most 2^29 in magnitude.
///
/// # Safety
/// Element `i` of `a` and `j` of `b` are readable pairs.
unsafe fn product(a: *const i16, i: usize, b: *const i16, j: usize) -> i64 {
    // SAFETY: the caller's contract.
    let (a, b) =
        unsafe { (a.cast::<[i16; 2]>().add(i).read_unaligned(), b.cast::<[i16; 2]>().add(j).read_unaligned()) };
    i64::from(a[0]) * i64::from(b[0]) + i64::from(a[1]) * i64::from(b[1])
}

/// Re(a* b), rounded to units of 2^-20, ties up.
///
/// # Safety
/// Same as for [`product`].
unsafe fn rounded_product(a: *const i16, i: usize, b: *const i16, j: usize) -> i64 {
    // SAFETY: the caller's contract.
    unsafe { (product(a, i, b, j) + 128) >> 8 }
}

/// The squared distance; each operation is rounded.
///
/// # Safety
/// Elements `i` of `a` and `j` of `b` and two shifts are readable.
unsafe fn squared(a: [*const f32; 2], i: usize, b: [*const f32; 2], j: usize, shift: *const f32) -> f32 {
    // SAFETY: the caller's contract.
    let [dx, dy] = [0, 1].map(|axis| unsafe {
        (b[axis].add(j).read_unaligned() - a[axis].add(i).read_unaligned()) + shift.add(axis).read_unaligned()
    });
    dx * dx + dy * dy
}

/// # Safety
/// `word` can be read and written.
unsafe fn add(word: *mut i64, pair: i64) {
    // SAFETY: the caller's contract.
    unsafe { word.write_unaligned(word.read_unaligned().wrapping_add(pair)) }
}

pub(super) unsafe extern "C" fn offsets(
    x: *const i32,
    psi: *const i16,
    n: usize,
    other_x: *const i32,
    other_psi: *const i16,
    m: usize,
    words: *mut i64,
) {
    for i in 0..n {
        for j in 0..m {
            // SAFETY: i < n, j < m, and the caller's contract.
            unsafe {
                let offset = other_x.add(j).read_unaligned() as isize - x.add(i).read_unaligned() as isize;
                add(words.wrapping_offset(offset), ONE_PAIR + product(psi, i, other_psi, j));
            }
        }
    }
}

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
    for i in 0..n {
        for j in 0..m {
            // SAFETY: i < n, j < m, and the caller's contract.
            unsafe {
                let r2 = squared([x, y], i, [other_x, other_y], j, shift);
                let bin = ((sqrt_f32(r2) * inverse_width).max(start) - start).min(bins as f32) as usize;
                add(words.add(j % TABLES * (bins + 1) + bin), ONE_PAIR + rounded_product(psi, i, other_psi, j));
            }
        }
    }
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
    for i in 0..n {
        for j in 0..m {
            for e in 0..k {
                // SAFETY: i < n, j < m, e < k, and the caller's contract.
                unsafe {
                    if squared([x, y], i, [other_x, other_y], j, shift) >= edges.add(e).read_unaligned() {
                        add(words.add(e), ONE_PAIR + rounded_product(psi, i, other_psi, j));
                    }
                }
            }
        }
    }
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
    for i in 0..n {
        for j in 0..m {
            for e in 0..k {
                // SAFETY: i < n, j < m, e < k, and the caller's contract.
                unsafe {
                    if squared([x, y], i, [other_x, other_y], j, shift) >= edges.add(e).read_unaligned() {
                        add(words.add(e), 1);
                    }
                }
            }
        }
    }
}
