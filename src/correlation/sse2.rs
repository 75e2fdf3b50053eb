//! Pairs of points.

use core::arch::x86_64::*;

use super::lanes::implement_lanes;
use super::ntt::{export_transforms, implement_residues};
use super::ring::ONE;
use super::rows::OrientationBlock;
use super::tiles::export_pair_kernels;

impl OrientationBlock for [__m128i; 2] {
    #[inline(always)]
    unsafe fn load(psi: &[i32; 8]) -> Self {
        // SAFETY: the contract of the trait.
        unsafe { [_mm_loadu_si128(psi.as_ptr().cast()), _mm_loadu_si128(psi.as_ptr().add(4).cast())] }
    }

    #[inline(always)]
    unsafe fn values(self, psi: i32) -> [__m128i; 4] {
        // SAFETY: the contract of the trait: the CPU has the instruction set.
        unsafe {
            let [[a, b], [c, d]] = self.map(|own| {
                let products = _mm_madd_epi16(own, _mm_set1_epi32(psi));
                // The upper halves of 2^47 + product.
                let upper = _mm_add_epi32(_mm_srai_epi32::<31>(products), _mm_set1_epi32(ONE as i32));
                [_mm_unpacklo_epi32(products, upper), _mm_unpackhi_epi32(products, upper)]
            });
            [a, b, c, d]
        }
    }
}

implement_lanes! { __m128 __m128i _mm_castps_si128 _mm_set1_epi32 _mm_add_epi32 _mm_madd_epi16 _mm_srai_epi32
_mm_sqrt_ps _mm_max_ps _mm_min_ps _mm_cvttps_epi32
_mm_unpacklo_epi32 _mm_unpackhi_epi32 _mm_and_si128 _mm_xor_si128
|r2, near| _mm_cmpgt_epi32(r2, near), |beyond, sum, number| _mm_add_epi32(sum, _mm_and_si128(beyond, number)),
|r2, products, limit, to_r2, to_products| {
    let below = _mm_movemask_ps(_mm_cmplt_ps(r2, limit)) as usize;
    let (mut squares, mut values) = ([0.0f32; 4], [0i32; 4]);
    _mm_storeu_ps(squares.as_mut_ptr(), r2);
    _mm_storeu_si128(values.as_mut_ptr().cast(), products);
    let mut count = 0;
    for lane in 0..4 {
        to_r2.add(count).write(squares[lane]);
        to_products.add(count).write(values[lane]);
        count += below >> lane & 1;
    }
    count
}
#[inline(always)]
unsafe fn load_part(from: *const f32, n: usize) -> Self {
    if n == 1 {
        return _mm_set_ss(from.read_unaligned());
    }
    let two = _mm_castsi128_ps(_mm_loadl_epi64(from.cast()));
    if n == 2 { two } else { _mm_movelh_ps(two, _mm_set_ss(from.add(2).read_unaligned())) }
} }

export_pair_kernels! { [__m128i; 2], __m128 4, sse2 }

implement_residues! { __m128i 4 _mm_set1_epi32 _mm_loadu_si128 _mm_storeu_si128 _mm_add_epi32 _mm_sub_epi32
_mm_mul_epu32 _mm_add_epi64
|a, b| { let rest = _mm_sub_epi32(a, b); _mm_add_epi32(rest, _mm_and_si128(b, _mm_srai_epi32::<31>(rest))) },
|x| _mm_srli_epi64::<32>(x),
|even, odd| _mm_or_si128(_mm_srli_epi64::<32>(even), _mm_and_si128(odd, _mm_set1_epi64x(-1 << 32))),
|a, b| { let (even, odd) = (_mm_mul_epu32(a, b), _mm_mul_epu32(_mm_srli_epi64::<32>(a), _mm_srli_epi64::<32>(b)));
_mm_unpacklo_epi32(_mm_shuffle_epi32::<0b1000>(even), _mm_shuffle_epi32::<0b1000>(odd)) } }

export_transforms! { __m128i, sse2 }
