//! SSE2: a block in 4 vectors.

use core::arch::x86_64::*;

use super::lanes::{Bytes, sweep, sweep_floats};
use super::scalar::{block_kernels, float_block_kernels};

block_kernels! { sse2 [sweep __m128i, 4,] }
float_block_kernels! { sse2 [sweep_floats __m128, 16,] }

// SAFETY: the contract of the trait, throughout.
#[allow(unsafe_op_in_unsafe_fn)]
impl Bytes for __m128i {
    type Mask = __m128i;
    const LANES: usize = 16;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        _mm_loadu_si128(from.cast())
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        _mm_storeu_si128(to.cast(), self)
    }
    #[inline(always)]
    unsafe fn sub(self, b: Self) -> Self {
        _mm_sub_epi8(self, b)
    }
    #[inline(always)]
    unsafe fn and(self, b: Self) -> Self {
        _mm_and_si128(self, b)
    }
    #[inline(always)]
    unsafe fn xor(self, b: Self) -> Self {
        _mm_xor_si128(self, b)
    }
    #[inline(always)]
    unsafe fn positive(self) -> Self {
        _mm_andnot_si128(self.negative(), self)
    }
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        let negative = self.negative();
        self.xor(negative).sub(negative)
    }
    #[inline(always)]
    unsafe fn negative(self) -> Self {
        _mm_cmpgt_epi8(_mm_setzero_si128(), self)
    }
    #[inline(always)]
    unsafe fn complement(self, mask: Self) -> Self {
        self.xor(mask)
    }
    /// One lane at a time through memory: SSE2 has no look-up.
    #[inline(always)]
    unsafe fn look_up(self, thresholds: *const i8, _: usize) -> [Self; 2] {
        let (mut index, mut found) = ([0u8; 16], [[0u8; 16]; 2]);
        self.store(index.as_mut_ptr());
        for lane in 0..16 {
            let threshold = thresholds.add(usize::from(index[lane])).cast::<u8>();
            found[0][lane] = threshold.read();
            found[1][lane] = threshold.add(128).read();
        }
        [Self::load(found[0].as_ptr()), Self::load(found[1].as_ptr())]
    }
    #[inline(always)]
    unsafe fn compare(a: [Self; 2], b: [Self; 2]) -> (Self, Self) {
        let equal = _mm_cmpeq_epi8(a[0], b[0]);
        let lower = _mm_and_si128(equal, _mm_cmplt_epi8(a[1], b[1]));
        let less = _mm_or_si128(_mm_cmplt_epi8(a[0], b[0]), lower);
        (less, _mm_and_si128(equal, _mm_cmpeq_epi8(a[1], b[1])))
    }
    #[inline(always)]
    unsafe fn differ(a: Self, b: Self) -> Self {
        a.xor(b)
    }
    #[inline(always)]
    unsafe fn bits(mask: Self) -> u64 {
        _mm_movemask_epi8(mask) as u64
    }
}
