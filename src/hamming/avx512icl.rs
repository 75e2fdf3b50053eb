//! AVX-512 with VBMI and GFNI.

use core::arch::x86_64::*;
use core::array::from_fn;

#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl,avx512vpopcntdq")]
pub unsafe extern "C" fn counts(rows: *const u8, n: usize, bits: usize, stride: usize, counts: *mut u32) {
    // The bytes of a row's last vector, which may have none, and the bits that count.
    let (vectors, rest) = (bits / 512, bits % 512);
    let last_bytes = _bzhi_u64(!0, rest.div_ceil(8) as u32);
    let whole = _mm512_movm_epi8(_bzhi_u64(!0, rest as u32 / 8));
    let last_bits = _mm512_mask_set1_epi8(whole, 1 << (rest / 8), (1i16 << (rest % 8)).wrapping_sub(1) as i8);
    for i in (0..n & !7).step_by(8) {
        // SAFETY: 8 of the rows.
        let rows: [_; 8] = from_fn(|j| unsafe { rows.add((i + j) * stride) });
        let mut sums = [_mm512_setzero_si512(); 8];
        for vector in 0..vectors {
            for (sum, row) in sums.iter_mut().zip(rows) {
                // SAFETY: a whole vector of a row.
                let bits = unsafe { _mm512_loadu_si512(row.add(64 * vector).cast()) };
                *sum = _mm512_add_epi64(*sum, _mm512_popcnt_epi64(bits));
            }
        }
        if rest != 0 {
            for (sum, row) in sums.iter_mut().zip(rows) {
                // SAFETY: the mask selects what is left of a row.
                let bytes = unsafe { _mm512_maskz_loadu_epi8(last_bytes, row.add(64 * vectors).cast()) };
                *sum = _mm512_add_epi64(*sum, _mm512_popcnt_epi64(_mm512_and_si512(bytes, last_bits)));
            }
        }
        // The 8 words of each sum are added: first those of a pair, then of the quarters, then of the halves.
        let [a, b, c, d] = from_fn(|j| {
            let (x, y) = (sums[2 * j], sums[2 * j + 1]);
            _mm512_add_epi64(_mm512_unpacklo_epi64(x, y), _mm512_unpackhi_epi64(x, y))
        });
        let fold = |x, y| _mm512_add_epi64(_mm512_shuffle_i64x2::<0x88>(x, y), _mm512_shuffle_i64x2::<0xdd>(x, y));
        let sums = _mm512_cvtepi64_epi32(fold(fold(a, b), fold(c, d)));
        // SAFETY: 8 of the counts.
        unsafe { _mm256_storeu_si256(counts.add(i).cast(), sums) }
    }
    for i in n & !7..n {
        // SAFETY: one of the rows.
        unsafe { counts.add(i).write_unaligned(super::scalar::ones(rows.add(i * stride), bits)) }
    }
}
