//! NEON: a row in 4 vectors; table lookups of bytes give the factors of a digit.

use core::arch::aarch64::*;

use super::factors::DIGITS;
use super::lanes::{row, sweep};
use super::scalar::export_wide_sweeps;
use crate::frame::isa::neon;

export_wide_sweeps! { neon [Words,] }

row! { Words([uint16x8_t; 4]);
    // The lower bytes and the upper bytes of 16 factors.
    digits(factors) -> [[uint8x16_t; 2]; 4] {
        let mut digits = [[vdupq_n_u8(0); 2]; 4];
        for (digit, planes) in digits.iter_mut().enumerate() {
            let uint8x16x2_t(low, high) = vld2q_u8(factors.add(DIGITS + 16 * digit).cast());
            *planes = [low, high];
        }
        digits
    }
    product(row, tables) {
        let [a, b] = pair_product([row[0], row[1]], tables);
        let [c, d] = pair_product([row[2], row[3]], tables);
        Words([a, b, c, d])
    }
    load(from) { vld1q_u16(from.cast()) }
    store(value, to) { vst1q_u16(to.cast(), value) }
    splat(pair) { vreinterpretq_u16_u32(vdupq_n_u32(pair)) }
    bits(mask) {
        let weights = vcombine_u8(vcreate_u8(0x8040_2010_0804_0201), vcreate_u8(0x8040_2010_0804_0201));
        let low = vandq_u8(lower_bytes(mask[0], mask[1]), weights);
        let high = vandq_u8(lower_bytes(mask[2], mask[3]), weights);
        let sums = vpaddq_u8(low, high);
        let sums = vpaddq_u8(sums, sums);
        vgetq_lane_u32::<0>(vreinterpretq_u32_u8(vpaddq_u8(sums, sums)))
    }
    and vandq_u16
    and_not and_not
    or vorrq_u16
    xor veorq_u16
    add vaddq_u16
    sub vsubq_u16
    excess vqsubq_u16
    times times
    equals vceqq_u16
    exceeds exceeds
}

neon! {
    #[inline]
    fn and_not(a: uint16x8_t, b: uint16x8_t) -> uint16x8_t {
        vbicq_u16(b, a)
    }

    #[inline]
    fn exceeds(a: uint16x8_t, b: uint16x8_t) -> uint16x8_t {
        vcgtq_s16(vreinterpretq_s16_u16(a), vreinterpretq_s16_u16(b))
    }

    #[inline]
    fn times(a: uint16x8_t, b: uint16x8_t) -> uint16x8_t {
        let (low, high) = (vmull_u16(vget_low_u16(a), vget_low_u16(b)), vmull_high_u16(a, b));
        vuzp2q_u16(vreinterpretq_u16_u32(low), vreinterpretq_u16_u32(high))
    }

    #[inline]
    fn lower_bytes(a: uint16x8_t, b: uint16x8_t) -> uint8x16_t {
        vuzp1q_u8(vreinterpretq_u8_u16(a), vreinterpretq_u8_u16(b))
    }

    #[inline]
    fn look_up([low, high]: [uint8x16_t; 2], index: uint8x16_t) -> [uint16x8_t; 2] {
        let (low, high) = (vqtbl1q_u8(low, index), vqtbl1q_u8(high, index));
        [vreinterpretq_u16_u8(vzip1q_u8(low, high)), vreinterpretq_u16_u8(vzip2q_u8(low, high))]
    }

    #[inline]
    fn pair_product([x, y]: [uint16x8_t; 2], tables: &[[uint8x16_t; 2]; 4]) -> [uint16x8_t; 2] {
        let (low, fifteen) = (lower_bytes(x, y), vdupq_n_u8(15));
        let high = vuzp2q_u8(vreinterpretq_u8_u16(x), vreinterpretq_u8_u16(y));
        let a = look_up(tables[0], vandq_u8(low, fifteen));
        let b = look_up(tables[1], vshrq_n_u8::<4>(low));
        let c = look_up(tables[2], vandq_u8(high, fifteen));
        let d = look_up(tables[3], vshrq_n_u8::<4>(high));
        [
            times(times(a[0], b[0]), times(c[0], d[0])),
            times(times(a[1], b[1]), times(c[1], d[1])),
        ]
    }
}
