//! The references.

/// Offset, on this machine, of the byte with bits `8 byte ..` in an element of `bytes` bytes.
pub(super) fn in_memory(bytes: usize, byte: usize) -> usize {
    if cfg!(target_endian = "big") { bytes - 1 - byte } else { byte }
}

pub unsafe extern "C" fn transpose_u64x32x32(src: *const u64, dst: *mut u64) {
    for i in 0..32 {
        for j in 0..32 {
            // SAFETY: the caller's contract.
            unsafe { dst.add(32 * j + i).write_unaligned(src.add(32 * i + j).read_unaligned()) }
        }
    }
}

pub unsafe extern "C" fn pick(
    planes: *const u8,
    stride: usize,
    count: usize,
    block_bits: usize,
    block_stride: usize,
    indices: *const usize,
    n: usize,
    dst: *mut u8,
) {
    // SAFETY: the caller's contract.
    let octet = |planes, place| unsafe { bits(planes, stride, place, 8) };
    // SAFETY: the caller's contract; `octet` reads the bit that `pick_octets` asks for, in planes
    // that exist.
    unsafe { pick_octets(planes, stride, count, block_bits, block_stride, indices, n, dst, octet) }
}

/// The kernel for an instruction set, from its `octet(planes, place)`: bit `place` of each of 8
/// planes.
///
/// # Safety
/// Same as for [`pick`](super::pick()).
#[inline(always)]
#[allow(clippy::too_many_arguments)]
pub(super) unsafe fn pick_octets(
    planes: *const u8,
    stride: usize,
    count: usize,
    block_bits: usize,
    block_stride: usize,
    indices: *const usize,
    n: usize,
    dst: *mut u8,
    octet: impl Fn(*const u8, usize) -> u8,
) {
    // For 8 and 32 planes the number of octets is a constant, so their loop is unrolled.
    let pick = |bytes: usize, count: usize| {
        for i in 0..n {
            // SAFETY: the caller's contract.
            let index = unsafe { indices.add(i).read_unaligned() };
            let place = index & ((1 << block_bits) - 1);
            // SAFETY: the caller's planes hold every index, and so the block of this one.
            let block = unsafe { planes.add((index >> block_bits) * block_stride) };
            for byte in 0..bytes {
                let planes = block.wrapping_add(8 * byte * stride);
                let value = match count.saturating_sub(8 * byte) {
                    8.. => octet(planes, place),
                    // SAFETY: the block has these `rest` planes, and each of them this place.
                    rest => unsafe { bits(planes, stride, place, rest) },
                };
                // SAFETY: `dst` has `bytes` bytes for each of the n indices.
                unsafe { dst.add(i * bytes + in_memory(bytes, byte)).write(value) }
            }
        }
    };
    match count {
        8 => pick(1, 8),
        32 => pick(4, 32),
        _ => pick(super::gathered_bytes(count), count),
    }
}

/// Exports `pick` for an instruction set. Its `octet` returns bit `place` of each of 8 words of a
/// tile; `other` is the kernel for other layouts.
macro_rules! pick_from_tiles {
    ($isa:ident $octet:ident, $other:path) => {
        crate::frame::isa::$isa! {
            pub unsafe extern "C" fn pick(
                planes: *const u8,
                stride: usize,
                count: usize,
                block_bits: usize,
                block_stride: usize,
                indices: *const usize,
                n: usize,
                dst: *mut u8,
            ) {
                use crate::bitslice::scalar::pick_octets;
                // SAFETY: the caller's contract.
                unsafe {
                    if stride == 8 && block_bits == 6 {
                        pick_octets(planes, stride, count, block_bits, block_stride, indices, n, dst, |planes, place| {
                            $octet(planes, place)
                        })
                    } else {
                        $other(planes, stride, count, block_bits, block_stride, indices, n, dst)
                    }
                }
            }
        }
    };
}
pub(super) use pick_from_tiles;

/// Bit `place` of each of `count` planes, at most 8.
///
/// # Safety
/// The bytes of these bits are readable.
#[inline(always)]
unsafe fn bits(planes: *const u8, stride: usize, place: usize, count: usize) -> u8 {
    // SAFETY: the caller's contract.
    let bit = |j: usize| unsafe { planes.add(j * stride + place / 8).read() } >> (place % 8) & 1;
    (0..count).fold(0, |bits, j| bits | bit(j) << j)
}

pub unsafe extern "C" fn count_positions(src: *const u64, n: usize, counts: *mut u64) {
    for i in 0..n {
        // SAFETY: the caller's contract.
        let word = unsafe { src.add(i).read_unaligned() };
        for j in 0..64 {
            // SAFETY: j is below 64, the number of counts.
            let count = unsafe { counts.add(j) };
            // SAFETY: the count is readable and writable; the caller's contract.
            unsafe { count.write_unaligned(count.read_unaligned().wrapping_add(word >> j & 1)) }
        }
    }
}

pub unsafe extern "C" fn stream(src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's contract.
    unsafe { src.copy_to_nonoverlapping(dst, n) }
}

/// Exports `count_positions` for an instruction set, from its vectors of `lanes` words. `carry(sum,
/// x, y)` adds x and y to each bit of `sum` and returns the carries. `shift::<N>` shifts right by N
/// bits; `and` works on bits, `add` on bytes.
macro_rules! position_counts {
    (
        $isa:ident $vector:ident, $lanes:literal,
        $zero:expr, $one:expr, $carry:ident, $and:ident, $add:ident, $shift:ident
    ) => {
        crate::frame::isa::$isa! {
            pub unsafe extern "C" fn count_positions(src: *const u64, n: usize, counts: *mut u64) {
                // Each block adds at most 1 to a byte of `sixteens`, so that this many cannot overflow it.
                const MAX_BLOCKS: usize = 255;
                const BLOCK: usize = 16 * $lanes;
                // For each bit, the number of words with a 1 there, as a binary number: its digits
                // of weight 1, 2, 4 and 8.
                let [mut ones, mut twos, mut fours, mut eights] = [$zero; 4];
                let mut add = |block: *const u64| {
                    // SAFETY: one of the 16 vectors of a block.
                    let load = |i: usize| unsafe { block.add($lanes * i).cast::<$vector>().read_unaligned() };
                    let a: [_; 8] = core::array::from_fn(|i| $carry(&mut ones, load(2 * i), load(2 * i + 1)));
                    let b: [_; 4] = core::array::from_fn(|i| $carry(&mut twos, a[2 * i], a[2 * i + 1]));
                    let c: [_; 2] = core::array::from_fn(|i| $carry(&mut fours, b[2 * i], b[2 * i + 1]));
                    $carry(&mut eights, c[0], c[1])
                };
                // Byte o of word i of the sums counts for position 8 o + i.
                let spread = |sums: &mut [$vector; 8], mut bits: $vector| {
                    for sum in sums {
                        *sum = $add(*sum, $and(bits, $one));
                        bits = $shift::<1>(bits);
                    }
                };
                let flush = |sums: [$vector; 8], weight: u64| {
                    // SAFETY: both types have the same size, and any bits are integers.
                    let sums = unsafe { (&raw const sums).cast::<[[[u8; 8]; $lanes]; 8]>().read() };
                    for i in 0..8 {
                        let mut totals = [0; 8];
                        for word in sums[i] {
                            for o in 0..8 {
                                totals[o] += weight * u64::from(word[o]);
                            }
                        }
                        for o in 0..8 {
                            // SAFETY: one of 64 counts.
                            unsafe {
                                let count = counts.add(8 * o + i);
                                count.write_unaligned(count.read_unaligned().wrapping_add(totals[o]));
                            }
                        }
                    }
                };

                let whole = n / BLOCK;
                for first in (0..whole).step_by(MAX_BLOCKS) {
                    let mut sixteens = [$zero; 8];
                    for block in first..whole.min(first + MAX_BLOCKS) {
                        // SAFETY: a block of the words.
                        spread(&mut sixteens, add(unsafe { src.add(BLOCK * block) }));
                    }
                    flush(sixteens, 16);
                }
                let mut last = [0u64; BLOCK];
                // SAFETY: less than a block remains.
                unsafe {
                    let rest = src.add(BLOCK * whole).cast::<u8>();
                    rest.copy_to_nonoverlapping(last.as_mut_ptr().cast(), 8 * (n % BLOCK));
                }
                let sixteens = add(last.as_ptr());
                let mut sums = [$zero; 8];
                for bits in [sixteens, eights, fours, twos, ones] {
                    sums = sums.map(|sum| $add(sum, sum));
                    spread(&mut sums, bits);
                }
                flush(sums, 1);
            }
        }
    };
}
pub(super) use position_counts;

/// The reference does nothing.
pub unsafe extern "C" fn prefetch(_: *const u8, _: usize) {}

/// Exports `stream` for an instruction set, from its store that bypasses the caches.
#[cfg(sse2)]
macro_rules! past_caches {
    ($isa:ident $vector:ident, $store:ident) => {
        crate::frame::isa::$isa! {
            pub unsafe extern "C" fn stream(src: *const u8, dst: *mut u8, n: usize) {
                // Only whole cache lines bypass the caches.
                const LINE: usize = 64;
                type CacheLine = [$vector; LINE / size_of::<$vector>()];
                let head = dst.align_offset(LINE).min(n);
                let lines = (n - head) / LINE;
                // SAFETY: `head` is at most n.
                unsafe { src.copy_to_nonoverlapping(dst, head) }
                let tail = head + LINE * lines;
                for at in (head..tail).step_by(LINE) {
                    // SAFETY: the line ends at `tail`, which is at most n.
                    let line = unsafe { src.add(at).cast::<CacheLine>().read_unaligned() };
                    for i in 0..line.len() {
                        // SAFETY: `dst + at` is aligned to a line, and its vectors end at `tail`.
                        unsafe { $store(dst.add(at).cast::<$vector>().add(i).cast(), line[i]) }
                    }
                }
                // SAFETY: the bytes from `tail` to n, which lie apart in `src` and `dst`.
                unsafe { src.add(tail).copy_to_nonoverlapping(dst.add(tail), n - tail) }
            }
        }
    };
}
#[cfg(sse2)]
pub(super) use past_caches;
