//! NEON: a row in 4 vectors.

use core::arch::aarch64::*;
use core::array::from_fn;

use super::lanes::{gather, scatter};
use super::links::ByteLink;
use super::scalar::*;
use super::thresholds::{FIRST, HIGH, LOW, TAU, THRESHOLDS};
use crate::frame::isa::neon;

integer_kernel! { neon sweep_i8 integers }
integer_kernel! { neon sweep_heat_i8 heat_integers }

export_float_sweeps! { neon [float32x4_t, 4,] }

/// One byte for each of the 64 lanes of a site in the exact sweep.
type LaneBytes = [uint8x16_t; 4];

/// The factors of one parity. With `d = k - FIRST[c]`, a flip has probability
/// `low[d % 32] * -high[c, d / 32]` in units of 2^-15; if `d` is negative, 32767.
///
/// With all roundings this differs from half the threshold by -3 to 4, which the doubt in
/// [`Self::verdict()`] covers.
#[derive(Clone, Copy)]
struct Factors {
    /// The lower and the upper bytes.
    low: [uint8x16x2_t; 2],
    /// The lower and the upper bytes. An index consists of the bits `c >= 1` and `c = 2` and the
    /// upper three bits of `d`.
    high: [uint8x16x2_t; 2],
    first: u8,
    /// `d` is `v - FIRST[0]`, or its complement where the spin's own bit is 1, minus these:
    /// `mirror` for the own bit, `step` for `c >= 1`, `rise` for `c = 2`.
    mirror: uint8x16_t,
    step: uint8x16_t,
    rise: uint8x16_t,
}

impl Factors {
    neon! {
        /// # Safety
        /// `thresholds` are those of both parities.
        #[inline]
        unsafe fn new(thresholds: *const u16, parity: usize) -> Self {
            let table = thresholds.wrapping_add(parity * THRESHOLDS / 2);
            // SAFETY: 8 values in the table of a parity.
            let load = |at: usize| unsafe { vld1q_u16(table.add(at)) };
            // SAFETY: the first `k` of each `c` in the table of a parity.
            let first = |c: usize| unsafe { table.add(FIRST + c).read_unaligned() } as u8;
            let planes = |x: [int16x8_t; 4]| {
                let x = x.map(|x| vreinterpretq_u8_s16(x));
                let pair = |plane: fn(_, _) -> _| uint8x16x2_t(plane(x[0], x[1]), plane(x[2], x[3]));
                [pair(|x, y| vuzp1q_u8(x, y)), pair(|x, y| vuzp2q_u8(x, y))]
            };
            let [low, next] = [0, 8].map(|at| vreinterpretq_s16_u16(vshrq_n_u16::<1>(load(LOW + at))));
            let high = vreinterpretq_s16_u16(vshrq_n_u16::<1>(load(HIGH)));
            let times = |x| vqrdmulhq_laneq_s16::<1>(x, high);
            let low = planes([low, next, times(low), times(next)]);

            let tau = vqsubq_s16(vdupq_n_s16(-2), vreinterpretq_s16_u16(load(TAU)));
            let high = vget_low_s16(vuzp1q_s16(high, high));
            let certain = vdup_n_s16(i16::MIN);
            let high = [
                vqrdmulh_laneq_s16::<0>(high, tau),
                vqrdmulh_laneq_s16::<1>(high, tau),
                vqrdmulh_laneq_s16::<2>(high, tau),
            ]
            .map(|high| vcombine_s16(high, certain));
            // No index selects the second entry: `c = 2` implies `c >= 1`.
            let high = planes([high[0], high[0], high[1], high[2]]);

            let [first, second, third] = [first(0), first(1), first(2)];
            Factors {
                low,
                high,
                first,
                mirror: vdupq_n_u8(first.wrapping_mul(2).wrapping_add(parity as u8).wrapping_sub(1)),
                step: vdupq_n_u8(second.wrapping_sub(first)),
                rise: vdupq_n_u8(third.wrapping_sub(second)),
            }
        }

        /// Negative if the random number is less than the threshold, positive if it is greater, 0
        /// in doubt: if half the random number minus the probability is -4 to 3. `any` and `both`
        /// are the masks of `c >= 1` and `c = 2`.
        #[inline]
        fn verdict(self, d: uint8x16_t, any: uint8x16_t, both: uint8x16_t, random: [uint8x16_t; 2]) -> int8x16_t {
            let high = vshrq_n_u8::<3>(vsriq_n_u8::<2>(vsriq_n_u8::<1>(any, both), d));
            let d = vreinterpretq_u8_s8(vmaxq_s8(vreinterpretq_s8_u8(d), vdupq_n_s8(0)));
            let low = vandq_u8(d, vdupq_n_u8(31));
            let words = |[lower, upper]: [uint8x16_t; 2]| {
                [vzip1q_u8(lower, upper), vzip2q_u8(lower, upper)].map(|x| vreinterpretq_s16_u8(x))
            };
            let low = words(self.low.map(|plane| vqtbl2q_u8(plane, low)));
            let high = words(self.high.map(|plane| vqtbl2q_u8(plane, high)));
            let random = words([random[1], random[0]]).map(|x| vreinterpretq_u16_s16(x));
            let [x, y] = from_fn(|n| {
                let negative = vreinterpretq_u16_s16(vqdmulhq_s16(low[n], high[n]));
                vreinterpretq_s16_u16(vsraq_n_u16::<1>(negative, random[n]))
            });
            vqrshrn_high_n_s16::<3>(vqrshrn_n_s16::<3>(x), y)
        }
    }
}

neon! {
    /// 255 where the bit is 1, else 0.
    #[inline]
    fn masks(word: u64) -> LaneBytes {
        let bytes = vcombine_u8(vcreate_u8(word), vcreate_u8(0));
        let halves = vcombine_u8(vdup_n_u8(0), vdup_n_u8(1));
        from_fn(|n| vtstq_u8(vqtbl1q_u8(bytes, vaddq_u8(halves, vdupq_n_u8(2 * n as u8))), bits_of_lanes()))
    }

    /// The word of these masks, the inverse of [`masks()`].
    #[inline]
    fn word(masks: LaneBytes) -> u64 {
        let x = masks.map(|mask| vandq_u8(mask, bits_of_lanes()));
        let sum = vpaddq_u8(vpaddq_u8(x[0], x[1]), vpaddq_u8(x[2], x[3]));
        vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(sum, sum)))
    }

    /// The bit of a lane in its byte of a word.
    #[inline]
    fn bits_of_lanes() -> uint8x16_t {
        vreinterpretq_u8_u64(vdupq_n_u64(0x8040_2010_0804_0201))
    }

    /// # Safety
    /// 64 bytes can be read.
    #[inline]
    unsafe fn load_lanes(bytes: *const u8) -> LaneBytes {
        // SAFETY: the caller's bytes.
        from_fn(|n| unsafe { vld1q_u8(bytes.add(16 * n)) })
    }

    /// # Safety
    /// 64 bytes can be written.
    #[inline]
    unsafe fn store_lanes(bytes: *mut u8, lanes: LaneBytes) {
        for (n, lanes) in lanes.into_iter().enumerate() {
            // SAFETY: the caller's bytes.
            unsafe { vst1q_u8(bytes.add(16 * n), lanes) }
        }
    }

    /// # Safety
    /// As for [`super::sweep_i8()`].
    unsafe fn integers(arguments: Integers) -> usize {
        let Integers { spins, bytes, sites, first, count, below, above, mut links, thresholds, random, live, flips } =
            arguments;
        if count == 0 {
            return 0;
        }
        // SAFETY: the sites from `first` on of the caller's arrays, their links, their rows of
        // `bytes` and those of their neighbours; at the beginning of a group, all sites.
        unsafe {
            if first == 0 {
                for i in 0..sites {
                    store_lanes(bytes.add(64 * i), masks(spins.add(i).read_unaligned()));
                }
            }
            let mut parity = ByteLink(links.read_unaligned()).parity();
            let mut factors = Factors::new(thresholds, parity);
            let mut flipped = 0;
            let mut visited = 0;
            while visited < count {
                let header = ByteLink(links.read_unaligned());
                if header.parity() != parity {
                    parity = header.parity();
                    factors = Factors::new(thresholds, parity);
                }
                let couplings = links.add(1);
                let mut sum = [vdupq_n_u8((header.0 as u8).wrapping_sub(factors.first)); 4];
                for j in 0..header.degree() {
                    let link = ByteLink(couplings.add(j).read_unaligned());
                    let neighbour = load_lanes(bytes.add(64 * link.row()));
                    let coupling = vdupq_n_u8(link.0 as u8);
                    sum = from_fn(|n| vmlaq_u8(sum[n], neighbour[n], coupling));
                }

                let spin = spins.add(first + visited);
                let row = bytes.add(64 * (first + visited));
                let [below, above] = [below, above].map(|words| words.add(visited).read_unaligned());
                let site = Site { spin: spin.read_unaligned(), below, above, header };
                let (below, above) = (site.spin ^ below, site.spin ^ above);
                let (any, both) = (masks(below | above), masks(below & above));
                let own = load_lanes(row);
                let random = random.cast::<[u32; 32]>().add(visited);
                let lines = [load_lanes(random.cast()), load_lanes(random.cast::<u8>().add(64))];
                let mut verdicts = [vdupq_n_s8(0); 4];
                for (n, verdict) in verdicts.iter_mut().enumerate() {
                    let d = vmlaq_u8(veorq_u8(sum[n], own[n]), own[n], factors.mirror);
                    let d = vmlaq_u8(vmlaq_u8(d, any[n], factors.step), both[n], factors.rise);
                    *verdict = factors.verdict(d, any[n], both[n], lines.map(|line| line[n]));
                }
                let mut accepted = verdicts.map(|verdict| vcltzq_s8(verdict));
                let [x, y, z, w] = verdicts.map(|verdict| vreinterpretq_u8_s8(verdict));
                if vminvq_u8(vminq_u8(vminq_u8(x, y), vminq_u8(z, w))) == 0 {
                    let doubt = word(verdicts.map(|verdict| vceqzq_s8(verdict)));
                    let table = thresholds.add(parity * THRESHOLDS / 2);
                    let Some(more) = decide(site, couplings, spins, table, &random.read_unaligned(), live, doubt)
                    else {
                        break;
                    };
                    let more = masks(more);
                    accepted = from_fn(|n| vorrq_u8(accepted[n], more[n]));
                }
                store_lanes(row, from_fn(|n| veorq_u8(own[n], accepted[n])));
                let accepted = word(accepted);
                spin.write_unaligned(site.spin ^ accepted);
                flipped += u64::from(vaddlv_u8(vcnt_u8(vcreate_u8(accepted & live))));
                links = couplings.add(header.degree());
                visited += 1;
            }
            flips.write_unaligned(flips.read_unaligned().wrapping_add(flipped));
            visited
        }
    }
}

/// The factors of one parity for the heat bath, in units of 2^-15: the lower and the upper bytes of
/// 16 values each.
#[derive(Clone, Copy)]
struct Odds {
    low: [uint8x16_t; 2],
    high: [uint8x16_t; 2],
    /// From value 8 on, the lower bytes are the first `k` of each `c`, not halved.
    tau: [uint8x16_t; 2],
    parity: uint8x16_t,
}

impl Odds {
    neon! {
        /// # Safety
        /// `thresholds` are those of both parities.
        #[inline]
        unsafe fn new(thresholds: *const u16, parity: usize) -> Self {
            let table = thresholds.wrapping_add(parity * THRESHOLDS / 2);
            // SAFETY: 16 values in the table of a parity; the last 8 may be unused.
            let load = |at: usize| unsafe { [vld1q_u16(table.add(at)), vld1q_u16(table.add(at + 8))] };
            let bytes = |x: [uint16x8_t; 2]| {
                let [x, y] = x.map(|x| vreinterpretq_u8_u16(x));
                [vuzp1q_u8(x, y), vuzp2q_u8(x, y)]
            };
            let half = |x: uint16x8_t| vshrq_n_u16::<1>(x);
            let [tau, first] = load(TAU);
            Odds {
                low: bytes(load(LOW).map(half)),
                high: bytes(load(HIGH).map(half)),
                tau: bytes([half(tau), first]),
                parity: vdupq_n_u8(parity as u8),
            }
        }

        /// Two masks: flips that are accepted, and flips that are in doubt. Compares half the
        /// random number `r` with half of `(2^16 - r) exp(v)`. Where `v` is positive, it uses the
        /// opposite field and the complement of `r`, and inverts the verdict. A surplus from -9 to
        /// 1 is in doubt, or from -9 to 2 where the verdict is inverted.
        #[inline]
        fn verdict(self, k: uint8x16_t, c: uint8x16_t, random: [uint8x16_t; 2]) -> (uint8x16_t, uint8x16_t) {
            let first = |c: uint8x16_t| vqtbl1q_u8(self.tau[0], vorrq_u8(c, vdupq_n_u8(8)));
            let inverted = vcltq_s8(vreinterpretq_s8_u8(k), vreinterpretq_s8_u8(first(c)));
            let minus = |x: uint8x16_t| vsubq_u8(veorq_u8(x, inverted), inverted);
            // -k - parity and 2 - c
            let k = vsubq_u8(minus(k), vandq_u8(inverted, self.parity));
            let c = vaddq_u8(minus(c), vandq_u8(inverted, vdupq_n_u8(2)));
            let d = vsubq_u8(k, first(c));
            let words = |lower: uint8x16_t, upper: uint8x16_t| {
                [vzip1q_u8(lower, upper), vzip2q_u8(lower, upper)].map(|x| vreinterpretq_s16_u8(x))
            };
            let at = |[lower, upper]: [uint8x16_t; 2], index| words(vqtbl1q_u8(lower, index), vqtbl1q_u8(upper, index));
            let low = at(self.low, vandq_u8(d, vdupq_n_u8(15)));
            let (high, tau) = (at(self.high, vshrq_n_u8::<4>(d)), at(self.tau, c));
            let random = words(veorq_u8(random[1], inverted), veorq_u8(random[0], inverted));
            let [x, y] = from_fn(|n| {
                let weight = vqdmulhq_s16(vqdmulhq_s16(low[n], high[n]), tau[n]);
                let half = vreinterpretq_s16_u16(vshrq_n_u16::<1>(vreinterpretq_u16_s16(random[n])));
                vsubq_s16(vqdmulhq_s16(vsubq_s16(vdupq_n_s16(i16::MAX), half), weight), half)
            });
            let surplus = vqmovn_high_s16(vqmovn_s16(x), y);
            let (sure, possible) = (vcgtq_s8(surplus, vdupq_n_s8(2)), vcgtq_s8(surplus, vdupq_n_s8(-11)));
            (vbslq_u8(inverted, vmvnq_u8(possible), sure), veorq_u8(sure, possible))
        }
    }
}

neon! {
    /// # Safety
    /// As for [`super::sweep_heat_i8()`].
    unsafe fn heat_integers(arguments: Integers) -> usize {
        let Integers { spins, bytes, sites, first, count, below, above, mut links, thresholds, random, live, flips } =
            arguments;
        if count == 0 {
            return 0;
        }
        // SAFETY: the sites from `first` on of the caller's arrays, their links, their rows of
        // `bytes` and those of their neighbours; at the beginning of a group, all sites.
        unsafe {
            if first == 0 {
                for i in 0..sites {
                    store_lanes(bytes.add(64 * i), masks(spins.add(i).read_unaligned()));
                }
            }
            let odds = [Odds::new(thresholds, 0), Odds::new(thresholds, 1)];
            let mut flipped = 0;
            let mut visited = 0;
            while visited < count {
                let header = ByteLink(links.read_unaligned());
                let parity = header.parity();
                let couplings = links.add(1);
                let mut sum = [vdupq_n_u8(header.0 as u8); 4];
                for j in 0..header.degree() {
                    let link = ByteLink(couplings.add(j).read_unaligned());
                    let neighbour = load_lanes(bytes.add(64 * link.row()));
                    let coupling = vdupq_n_u8(link.0 as u8);
                    // A mask is -1: this subtracts the coupling.
                    sum = from_fn(|n| vmlaq_u8(sum[n], neighbour[n], coupling));
                }

                let spin = spins.add(first + visited);
                let row = bytes.add(64 * (first + visited));
                let [below, above] = [below, above].map(|words| words.add(visited).read_unaligned());
                let site = Site { spin: spin.read_unaligned(), below, above, header };
                let unsatisfied = [below, above].map(|beside| masks(site.spin ^ beside));
                let own = load_lanes(row);
                let even = vdupq_n_u8((parity as u8).wrapping_sub(1));
                let random = random.cast::<[u32; 32]>().add(visited);
                let lines = [load_lanes(random.cast()), load_lanes(random.cast::<u8>().add(64))];
                let (mut accepted, mut doubt) = ([vdupq_n_u8(0); 4], [vdupq_n_u8(0); 4]);
                for n in 0..4 {
                    let k = vsubq_u8(veorq_u8(sum[n], own[n]), vandq_u8(own[n], even));
                    let c = vnegq_s8(vreinterpretq_s8_u8(vaddq_u8(unsatisfied[0][n], unsatisfied[1][n])));
                    let verdict = odds[parity].verdict(k, vreinterpretq_u8_s8(c), lines.map(|line| line[n]));
                    (accepted[n], doubt[n]) = verdict;
                }
                let doubt = word(doubt);
                if doubt != 0 {
                    let table = thresholds.add(parity * THRESHOLDS / 2);
                    let Some(more) = decide(site, couplings, spins, table, &random.read_unaligned(), live, doubt)
                    else {
                        break;
                    };
                    let more = masks(more);
                    accepted = from_fn(|n| vorrq_u8(accepted[n], more[n]));
                }
                store_lanes(row, from_fn(|n| veorq_u8(own[n], accepted[n])));
                let accepted = word(accepted);
                spin.write_unaligned(site.spin ^ accepted);
                flipped += u64::from(vaddlv_u8(vcnt_u8(vcreate_u8(accepted & live))));
                links = couplings.add(header.degree());
                visited += 1;
            }
            flips.write_unaligned(flips.read_unaligned().wrapping_add(flipped));
            visited
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ising::thresholds;

    /// The verdict of one lane for the random number `bits`.
    fn verdict(factors: &Factors, d: i32, c: usize, bits: u16) -> i8 {
        let mask = |bit: bool| vdup(if bit { 255 } else { 0 });
        fn vdup(byte: u8) -> uint8x16_t {
            // SAFETY: every AArch64 has NEON.
            unsafe { vdupq_n_u8(byte) }
        }
        let random = bits.to_be_bytes().map(vdup);
        // SAFETY: every AArch64 has NEON.
        unsafe { vgetq_lane_s8::<0>(factors.verdict(vdup(d as u8), mask(c >= 1), mask(c == 2), random)) }
    }

    #[test]
    fn what_is_not_in_doubt_is_right() {
        let scales = [0.0, 1e-300, 1e-4, 0.003, 0.0125, 0.1, 0.173_286_795, core::f64::consts::LN_2, 2.0, 30.0];
        for space in scales.into_iter().chain((0..100).map(|i| 1.053f64.powi(i) * 1e-3)) {
            for tau in scales.into_iter().flat_map(|tau| [tau, -tau, 16.0 * space + tau]).chain([1e300, -1e300]) {
                let tables = thresholds(space, tau);
                for (parity, table) in tables.chunks(THRESHOLDS / 2).enumerate() {
                    // SAFETY: the tables of both parities.
                    let factors = unsafe { Factors::new(tables.as_ptr(), parity) };
                    for (c, k) in (0..3).flat_map(|c| (-64..64i32).map(move |k| (c, k))) {
                        let threshold = table[thresholds::THRESHOLD + 128 * c + (k & 127) as usize];
                        let d = k - i32::from(table[FIRST + c] as i16);
                        let name = (space, tau, parity, c, k);
                        let at = |bits: Option<u16>| bits.map(|bits| verdict(&factors, d, c, bits));
                        assert!(at(Some(threshold)) == Some(0), "{name:?}: tied");
                        assert!(at(threshold.checked_sub(1)) <= Some(0), "{name:?}: less");
                        assert!(at(threshold.checked_add(1)).is_none_or(|verdict| verdict >= 0), "{name:?}: more");
                        // Doubt is rare.
                        assert!(at(threshold.checked_sub(16)) < Some(0), "{name:?}: much less");
                        assert!(at(threshold.checked_add(16)).is_none_or(|verdict| verdict > 0), "{name:?}: much more");
                    }
                }
            }
        }
    }
}
