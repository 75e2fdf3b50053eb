//! The tests of domains in blocks, as the variants that hold some domains in vectors do them.

/// A bit for each of the domains, from `block`, which tests `N` of them at `a` and `b`, with `n` and the strip in integers, `n` 3 at
/// least: a bit for each. The last block has zeros after the domains.
///
/// # Safety
/// As for the kernels; and `block` reads no more.
#[inline(always)]
pub(super) unsafe fn blocks<const N: usize>(
    block: impl Fn(*const u64, *const u64, f64, f64) -> u32,
    a: *const u64,
    b: *const u64,
    count: usize,
    n: u64,
    w: u64,
    bits: *mut u8,
) {
    let n = n.max(3);
    let (n, w) = (n as f64, (w.div_ceil(1 << 12) + n - 1) as f64);
    let mut rest = [[0_u64; N]; 2];
    for at in (0..count).step_by(N) {
        let here = N.min(count - at);
        // SAFETY: `here` domains from `at` on, and a bit for each.
        unsafe {
            let (mut a, mut b) = (a.add(at), b.add(at));
            if here < N {
                rest[0].as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(a.cast(), 8 * here);
                rest[1].as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(b.cast(), 8 * here);
                (a, b) = (rest[0].as_ptr(), rest[1].as_ptr());
            }
            let found = block(a, b, n, w) & !0 >> (32 - here);
            bits.add(at / 8).copy_from_nonoverlapping(found.to_le_bytes().as_ptr(), here.div_ceil(8));
        }
    }
}
