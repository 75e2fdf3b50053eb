//! Dot products of rows with one vector, for the vectors of all instruction sets.

use crate::math::float::Float;
use crate::math::vector::Fused;

/// The dot products of `m` rows, `R` at a time. The last group may begin with rows that are done.
/// `N` vectors fill a cache line.
///
/// # Safety
/// The contract of the kernels; m is at least `R`.
#[inline(always)]
pub(super) unsafe fn dots<V: Fused, const N: usize, const R: usize>(
    [m, k]: [usize; 2],
    (a, a_row): (*const V::Element, isize),
    x: *const V::Element,
    y: *mut V::Element,
) {
    let mut done = 0;
    while done < m {
        let first = done.min(m - R);
        // SAFETY: R rows of A, and their elements of y.
        unsafe { group::<V, N, R>(k, (a.offset(first as isize * a_row), a_row), x, y.add(first)) }
        done = first + R;
    }
}

/// # Safety
/// As for [`dots`], for `R` rows.
#[inline(always)]
unsafe fn group<V: Fused, const N: usize, const R: usize>(
    k: usize,
    (a, a_row): (*const V::Element, isize),
    x: *const V::Element,
    y: *mut V::Element,
) {
    let line = N * V::LANES;
    let rest = k % line;
    // SAFETY: vectors within the rows and x; the last are cut off at k.
    unsafe {
        let mut sums = [[V::splat(V::Element::ZERO); N]; R];
        for p in (0..k - rest).step_by(line) {
            for v in 0..N {
                let at = p + v * V::LANES;
                let x = V::load(x.add(at));
                for (r, sums) in sums.iter_mut().enumerate() {
                    sums[v] = V::load(a.offset(r as isize * a_row).add(at)).fma(x, sums[v]);
                }
            }
        }
        if rest > 0 {
            for v in 0..N {
                let at = k - rest + v * V::LANES;
                let load = |from: *const V::Element| match (k.saturating_sub(at)).min(V::LANES) {
                    0 => V::splat(V::Element::ZERO),
                    n if n == V::LANES => V::load(from.add(at)),
                    n => V::load_first(from.add(at), n),
                };
                let x = load(x);
                for (r, sums) in sums.iter_mut().enumerate() {
                    sums[v] = load(a.offset(r as isize * a_row)).fma(x, sums[v]);
                }
            }
        }
        for (r, sums) in sums.into_iter().enumerate() {
            let mut lanes = [V::Element::ZERO; 16];
            for (v, sum) in sums.into_iter().enumerate() {
                sum.store(lanes.as_mut_ptr().add(v * V::LANES));
            }
            let mut half = line / 2;
            while half > 0 {
                for l in 0..half {
                    lanes[l] = lanes[l] + lanes[l + half];
                }
                half /= 2;
            }
            y.add(r).write_unaligned(lanes[0]);
        }
    }
}
