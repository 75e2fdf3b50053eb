//! The tests of domains in blocks, as the variants that hold some domains in vectors do them.

/// A test of `N` domains at `a` and `b`, with `n` and the strip in integers, `n` 3 at least: a bit for each.
pub(super) type Block = unsafe fn(a: *const u64, b: *const u64, n: f64, w: f64) -> u32;

/// `block` for all domains, the last of them with zeros after them.
///
/// # Safety
/// As for the kernels; and `block` may be called, with `N` domains.
pub(super) unsafe fn blocks<const N: usize>(
    block: Block,
    a: *const u64,
    b: *const u64,
    count: usize,
    n: u64,
    w: u64,
    bits: *mut u8,
) {
    let n = n.max(3);
    let (n, w) = (n as f64, (w.div_ceil(1 << 12) + n - 1) as f64);
    for at in (0..count).step_by(N) {
        let here = N.min(count - at);
        // SAFETY: `here` domains from `at` on, and a bit for each.
        unsafe {
            let (a, b) = (a.add(at), b.add(at));
            let found = if here == N {
                block(a, b, n, w)
            } else {
                let mut rest = [[0_u64; N]; 2];
                rest[0].as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(a.cast(), 8 * here);
                rest[1].as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(b.cast(), 8 * here);
                block(rest[0].as_ptr(), rest[1].as_ptr(), n, w) & ((1 << here) - 1)
            };
            bits.add(at / 8).copy_from_nonoverlapping(found.to_le_bytes().as_ptr(), here.div_ceil(8));
        }
    }
}
