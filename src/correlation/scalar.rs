//! The references: one pair at a time.

use super::{ONE_PAIR, ROW, TABLES};
use crate::math::libm::sqrt_f32;

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
                add(words.add(j % TABLES * (bins + 1) + bin), ONE_PAIR + product(psi, i, other_psi, j));
            }
        }
    }
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
    let mut k = 0;
    for i in 0..n {
        for j in 0..m {
            // SAFETY: i < n, j < m, bin <= bins, and the caller's contract.
            unsafe {
                let r2 = squared([x, y], i, [other_x, other_y], j, shift);
                if r2 < limit {
                    let bin = ((sqrt_f32(r2) * inverse_width).max(start) - start).min(bins as f32) as usize;
                    add(words.add(k % TABLES * (bins + 1) + bin), ONE_PAIR + product(psi, i, other_psi, j));
                    k += 1;
                }
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
                        add(words.add(e), ONE_PAIR + product(psi, i, other_psi, j));
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

/// `x` less `b` if it is not less than that.
fn less(x: u32, b: u32) -> u32 {
    if x < b { x } else { x - b }
}

/// `x` times root `k` of `roots`, modulo `p`, below 2 `p`.
///
/// # Safety
/// There is such a root.
unsafe fn times(x: u32, roots: *const u32, k: usize, p: u32) -> u32 {
    // SAFETY: the caller's contract.
    let (root, ratio) = unsafe { (roots.add(2 * k).read_unaligned(), roots.add(2 * k + 1).read_unaligned()) };
    let quotient = (u64::from(x) * u64::from(ratio)) >> 32;
    root.wrapping_mul(x).wrapping_sub((quotient as u32).wrapping_mul(p))
}

/// Replaces the four elements of each node, lane by lane.
///
/// # Safety
/// `x` points to 64 `nodes` `quarter` numbers.
unsafe fn for_each_four(x: *mut u32, nodes: usize, quarter: usize, f: impl Fn(usize, [u32; 4]) -> [u32; 4]) {
    let part = ROW * quarter;
    for node in 0..nodes {
        for at in 0..part {
            let x = [0, 1, 2, 3].map(|k| x.wrapping_add((4 * node + k) * part + at));
            // SAFETY: the caller's contract.
            let new = f(node, x.map(|x| unsafe { x.read_unaligned() }));
            // SAFETY: the caller's contract.
            x.iter().zip(new).for_each(|(x, new)| unsafe { x.write_unaligned(new) });
        }
    }
}

pub(super) unsafe extern "C" fn ntt_forward(x: *mut u32, nodes: usize, quarter: usize, roots: *const u32, p: u32) {
    // SAFETY: node < nodes, and the caller's contract.
    let times = |x, k| unsafe { times(x, roots, k, p) };
    let level = |node, [a, b, c, d]: [u32; 4]| {
        let (a, b, c, d) = (less(a, 2 * p), less(b, 2 * p), times(c, node), times(d, node));
        let (e, b_root) = (less(a + c, 2 * p), times(b + d, 2 * node));
        let (f, d_root) = (less(a + 2 * p - c, 2 * p), times(b + 2 * p - d, 2 * node + 1));
        [e + b_root, e + 2 * p - b_root, f + d_root, f + 2 * p - d_root]
    };
    // SAFETY: the caller's contract.
    unsafe { for_each_four(x, nodes, quarter, level) }
}

pub(super) unsafe extern "C" fn ntt_inverse(x: *mut u32, nodes: usize, quarter: usize, roots: *const u32, p: u32) {
    // SAFETY: node < nodes, and the caller's contract.
    let times = |x, k| unsafe { times(x, roots, k, p) };
    let level = |node, [a, b, c, d]: [u32; 4]| {
        let (e, f) = (less(a + b, 2 * p), times(a + 2 * p - b, 2 * node));
        let (g, h) = (less(c + d, 2 * p), times(c + 2 * p - d, 2 * node + 1));
        [less(e + g, 2 * p), less(f + h, 2 * p), times(e + 2 * p - g, node), times(f + 2 * p - h, node)]
    };
    // SAFETY: the caller's contract.
    unsafe { for_each_four(x, nodes, quarter, level) }
}

/// `sum` / 2^32 modulo `p`, where `p` `inverse` is -1 modulo 2^32.
fn reduced(sum: u64, p: u32, inverse: u32) -> u32 {
    let multiple = u64::from((sum as u32).wrapping_mul(inverse)) * u64::from(p);
    less(((sum + multiple) >> 32) as u32, 2 * p)
}

#[allow(clippy::too_many_arguments)]
pub(super) unsafe extern "C" fn ntt_combine(
    from: *const u32,
    to: *mut u32,
    n: usize,
    inputs: usize,
    outputs: usize,
    factors: *const u32,
    p: u32,
    inverse: u32,
) {
    for i in 0..n {
        for r in 0..outputs {
            for lane in 0..ROW {
                // SAFETY: s < inputs, and the caller's contract.
                let product = |s: usize| unsafe {
                    let x = from.add(ROW * (s * n + i) + lane).read_unaligned();
                    u64::from(x) * u64::from(factors.add((i * outputs + r) * inputs + s).read_unaligned())
                };
                let result = reduced((0..inputs).map(product).sum(), p, inverse);
                // SAFETY: the caller's contract.
                unsafe { to.add(ROW * (r * n + i) + lane).write_unaligned(result) }
            }
        }
    }
}

pub(super) unsafe extern "C" fn ntt_multiply(
    a: *mut u32,
    b: *const u32,
    n: usize,
    fields: usize,
    stride: usize,
    p: u32,
    inverse: u32,
) {
    for i in 0..n {
        for lane in 0..ROW {
            let to = a.wrapping_add(ROW * i + lane);
            // SAFETY: f < fields, and the caller's contract.
            let product = |f: usize| unsafe {
                let (a, b) = (to.add(f * stride), b.wrapping_add(f * stride + lane).wrapping_sub(ROW * i));
                u64::from(a.read_unaligned()) * u64::from(b.read_unaligned())
            };
            let result = reduced((0..fields).map(product).sum(), p, inverse);
            // SAFETY: the caller's contract.
            unsafe { to.write_unaligned(result) }
        }
    }
}
