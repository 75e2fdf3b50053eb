//! The meaning of the kernels: one spin at a time, no operation fused. Below that, what the variants in Rust share.

use super::bytes::ByteLink;
use super::thresholds::{THRESHOLD, THRESHOLDS};
use super::{LANES, Link};
use crate::exp::scalar::{self as exp, ONE, SCALE, exp2};
use crate::libm::nearest_i32;

/// Turns `beta * energy` into the exponent, which `fast` counts in units of `2^-23 ln 2` and `poly` in units of `ln 2`;
/// the heat bath of `fast` takes half of it.
pub(super) const FAST_FACTOR: f32 = -2.0 * exp::FAST_FACTOR;
pub(super) const FAST_HALF_FACTOR: f32 = -exp::FAST_FACTOR;
pub(super) const POLY_FACTOR: f32 = -2.0 * exp::LOG2_E;

/// `tau` is cut here: its product with -2, 0 or 2 is exact then, and a variant may fuse it.
const LARGEST_TAU: f32 = (1u128 << 126) as f32;

/// `random >> 8` is below this.
pub(super) const RANGE: f32 = 16_777_216.0;
/// An exponent that `fast` accepts for certain; a NaN counts as this.
pub(super) const FAST_MOST: f32 = 8_388_608.0;
pub(super) const FAST_SCALE: f32 = SCALE * RANGE;
/// The exponents of which `poly` has the power; a NaN counts as the upper end.
pub(super) const POLY_LEAST: f32 = -126.0;
pub(super) const POLY_MOST: f32 = 1.0;

/// Metropolis moves with exponents of smaller magnitude, 2^-5 ln 2, are made with probability `1/2 + v/4`.
pub(super) const FAST_SMALL: f32 = 262_144.0;
pub(super) const POLY_SMALL: f32 = 0.031_25;
/// `RANGE` times `v/4`, for an exponent in the units of each.
pub(super) const FAST_SLOPE: f32 = core::f32::consts::LN_2 / 2.0;
pub(super) const POLY_SLOPE: f32 = core::f32::consts::LN_2 * 4_194_304.0;
pub(super) const HALF: f32 = RANGE / 2.0;

/// Magnitudes of the exponent at which the heat bath is certain: odds of 2^32. A NaN counts as these.
pub(super) const FAST_CERTAIN: f32 = 134_217_728.0;
pub(super) const POLY_CERTAIN: f32 = 32.0;

/// The arguments of a gather sweep; `space` and `tau` in units of the exponent.
pub(super) struct Gather {
    pub spins: *mut f32,
    pub first: usize,
    pub count: usize,
    pub below: *const f32,
    pub above: *const f32,
    pub links: *const Link,
    pub space: f32,
    pub tau: f32,
    pub random: *const u32,
    pub flips: *mut u32,
}

/// The arguments of a scatter sweep.
pub(super) struct Scatter {
    pub state: *mut f32,
    pub fields: *mut f32,
    pub first: usize,
    pub count: usize,
    pub below: *mut f32,
    pub above: *mut f32,
    pub links: *const Link,
    pub space: f32,
    pub tau: f32,
    pub random: *const u32,
    pub flips: *mut u32,
}

/// The arguments of an exact sweep. The reference has no use for `bytes` and `sites`.
pub(super) struct Integers {
    pub spins: *mut u64,
    pub bytes: *mut u8,
    pub sites: usize,
    pub first: usize,
    pub count: usize,
    pub below: *const u64,
    pub above: *const u64,
    pub links: *const u32,
    pub thresholds: *const u16,
    pub random: *const u32,
    pub live: u64,
    pub flips: *mut u64,
}

/// The temperatures in units of the exponent.
pub(super) fn exponents(beta_space: f32, beta_tau: f32, factor: f32) -> (f32, f32) {
    (beta_space * factor, (beta_tau * factor).clamp(-LARGEST_TAU, LARGEST_TAU))
}

/// Makes the kernels of an instruction set, given the two sweeps, from its functions of random numbers and exponents: whether
/// flips are accepted.
macro_rules! kernels {
    ($gather:expr, $scatter:expr $(, #[$features:meta])?) => {
        $crate::ising::scalar::kernels! { @gather sweep_fast_f32 $gather, metropolis_fast, FAST_FACTOR $(, #[$features])? }
        $crate::ising::scalar::kernels! { @gather sweep_poly_f32 $gather, metropolis_poly, POLY_FACTOR $(, #[$features])? }
        $crate::ising::scalar::kernels! { @gather sweep_heat_fast_f32 $gather, heat_fast, FAST_HALF_FACTOR $(, #[$features])? }
        $crate::ising::scalar::kernels! { @gather sweep_heat_poly_f32 $gather, heat_poly, POLY_FACTOR $(, #[$features])? }
        $crate::ising::scalar::kernels! { @scatter scatter_fast_f32 $scatter, metropolis_fast, FAST_FACTOR $(, #[$features])? }
        $crate::ising::scalar::kernels! { @scatter scatter_poly_f32 $scatter, metropolis_poly, POLY_FACTOR $(, #[$features])? }
        $crate::ising::scalar::kernels! { @scatter scatter_heat_fast_f32 $scatter, heat_fast, FAST_HALF_FACTOR $(, #[$features])? }
        $crate::ising::scalar::kernels! { @scatter scatter_heat_poly_f32 $scatter, heat_poly, POLY_FACTOR $(, #[$features])? }
    };
    (@gather $name:ident $gather:expr, $accepts:ident, $factor:ident $(, #[$features:meta])?) => {
        $(#[$features])?
        pub(super) unsafe extern "C" fn $name(
            spins: *mut f32,
            first: usize,
            count: usize,
            below: *const f32,
            above: *const f32,
            links: *const $crate::ising::Link,
            beta_space: f32,
            beta_tau: f32,
            random: *const u32,
            flips: *mut u32,
        ) {
            let (space, tau) = exponents(beta_space, beta_tau, $factor);
            let arguments = Gather { spins, first, count, below, above, links, space, tau, random, flips };
            // SAFETY: the caller's contract.
            unsafe { $gather(arguments, |random, v| $accepts(random, v)) }
        }
    };
    (@scatter $name:ident $scatter:expr, $accepts:ident, $factor:ident $(, #[$features:meta])?) => {
        $(#[$features])?
        pub(super) unsafe extern "C" fn $name(
            state: *mut f32,
            fields: *mut f32,
            first: usize,
            count: usize,
            below: *mut f32,
            above: *mut f32,
            links: *const $crate::ising::Link,
            beta_space: f32,
            beta_tau: f32,
            random: *const u32,
            flips: *mut u32,
        ) {
            let (space, tau) = exponents(beta_space, beta_tau, $factor);
            let arguments = Scatter { state, fields, first, count, below, above, links, space, tau, random, flips };
            // SAFETY: the caller's contract.
            unsafe { $scatter(arguments, |random, v| $accepts(random, v)) }
        }
    };
}
pub(super) use kernels;

/// Makes an exact kernel of an instruction set from its function of [`Integers`].
macro_rules! integer_kernel {
    ($name:ident $sweep:ident $(, #[$features:meta])?) => {
        $(#[$features])?
        pub(super) unsafe extern "C" fn $name(
            spins: *mut u64,
            bytes: *mut u8,
            sites: usize,
            first: usize,
            count: usize,
            below: *const u64,
            above: *const u64,
            links: *const u32,
            thresholds: *const u16,
            random: *const u32,
            live: u64,
            flips: *mut u64,
        ) -> usize {
            let arguments = $crate::ising::scalar::Integers {
                spins, bytes, sites, first, count, below, above, links, thresholds, random, live, flips,
            };
            // SAFETY: the caller's contract.
            unsafe { $sweep(arguments) }
        }
    };
}
pub(super) use integer_kernel;

kernels! { gather, scatter }
integer_kernel! { sweep_i8 integers }
integer_kernel! { sweep_heat_i8 integers }

/// The nearest integer of a float below 2^31; the least integer for those that are too small.
fn nearest(v: f32) -> i32 {
    nearest_i32(v.max(i32::MIN as f32))
}

/// Where the exponent is below `-127 * 2^23`, the bits are those of a negative number or of a NaN: never accepted.
fn fast(v: f32) -> f32 {
    let v = if v < FAST_MOST { v } else { FAST_MOST };
    f32::from_bits(ONE.wrapping_add_signed(nearest(v))) * FAST_SCALE
}

fn poly(v: f32) -> f32 {
    let v = if v < POLY_MOST { v } else { POLY_MOST };
    exp2(v.max(POLY_LEAST)) * RANGE
}

fn metropolis_fast(random: u32, v: f32) -> bool {
    let probability = if v.abs() < FAST_SMALL { HALF + FAST_SLOPE * v } else { fast(v) };
    ((random >> 8) as f32) < probability
}

fn metropolis_poly(random: u32, v: f32) -> bool {
    let probability = if v.abs() < POLY_SMALL { HALF + POLY_SLOPE * v } else { poly(v) };
    ((random >> 8) as f32) < probability
}

/// Odds of the random number, an odd multiple of `1 / RANGE`: `x` against `RANGE - x`.
fn odds(random: u32) -> (f32, f32) {
    let x = (random >> 8 | 1) as f32;
    (x, RANGE - x)
}

fn heat_fast(random: u32, v: f32) -> bool {
    let v = if v < FAST_CERTAIN { v } else { FAST_CERTAIN };
    let n = nearest_i32(v.max(-FAST_CERTAIN));
    let (x, rest) = odds(random);
    x * f32::from_bits(ONE.wrapping_add_signed(-n)) < rest * f32::from_bits(ONE.wrapping_add_signed(n))
}

fn heat_poly(random: u32, v: f32) -> bool {
    let v = if v < POLY_CERTAIN { v } else { POLY_CERTAIN };
    let (x, rest) = odds(random);
    x < rest * exp2(v.max(-POLY_CERTAIN))
}

/// # Safety
/// As [`super::sweep_fast_f32()`].
unsafe fn gather(g: Gather, accepts: impl Fn(u32, f32) -> bool) {
    let mut links = g.links;
    for i in 0..g.count {
        // SAFETY: site `first + i` of the caller's arrays, and its links.
        unsafe {
            let Link { word: degree, value: h } = links.read_unaligned();
            let couplings = links.add(1);
            links = couplings.add(degree as usize);
            for k in 0..LANES {
                let mut field = h;
                for j in 0..degree as usize {
                    let Link { word: offset, value: coupling } = couplings.add(j).read_unaligned();
                    field += coupling * g.spins.byte_add(offset as usize).add(k).read_unaligned();
                }
                let cell = LANES * i + k;
                let t = g.below.add(cell).read_unaligned() + g.above.add(cell).read_unaligned();
                let spin = g.spins.add(LANES * g.first + cell);
                let s = spin.read_unaligned();
                let v = (g.space * field + g.tau * t) * s;
                if accepts(g.random.add(cell).read_unaligned(), v) {
                    spin.write_unaligned(-s);
                    increment(g.flips.add(k));
                }
            }
        }
    }
}

/// # Safety
/// As [`super::scatter_fast_f32()`].
unsafe fn scatter(g: Scatter, accepts: impl Fn(u32, f32) -> bool) {
    let mut links = g.links;
    for i in 0..g.count {
        // SAFETY: site `first + i` of the caller's arrays, and its links.
        unsafe {
            let degree = links.read_unaligned().word as usize;
            let couplings = links.add(1);
            links = couplings.add(degree);
            for k in 0..LANES {
                let cell = LANES * i + k;
                let own = LANES * g.first + cell;
                let state = g.state.add(own).read_unaligned();
                let s = 1f32.copysign(state);
                let t = state - 4.0 * s;
                let v = (g.space * g.fields.add(own).read_unaligned() + g.tau * t) * s;
                let accepted = accepts(g.random.add(cell).read_unaligned(), v);
                let d = if accepted { -2.0 * s } else { 0.0 };
                for j in 0..degree {
                    let Link { word: offset, value: coupling } = couplings.add(j).read_unaligned();
                    add(g.fields.byte_add(offset as usize).add(k), coupling * d);
                }
                add(g.state.add(own), 4.0 * d);
                add(g.below.add(cell), d);
                add(g.above.add(cell), d);
                if accepted {
                    increment(g.flips.add(k));
                }
            }
        }
    }
}

/// # Safety
/// `x` is a float of the caller's.
unsafe fn add(x: *mut f32, d: f32) {
    // SAFETY: the caller's contract.
    unsafe { x.write_unaligned(x.read_unaligned() + d) }
}

/// # Safety
/// `counter` is one of the caller's.
unsafe fn increment(counter: *mut u32) {
    // SAFETY: the caller's contract.
    unsafe { counter.write_unaligned(counter.read_unaligned().wrapping_add(1)) }
}

/// Makes the sweeps of an instruction set and from them the kernels. A row is `$vectors` times its type `Vector`, for which it
/// has the functions `splat`, `load`, `store`, `add`, `sub`, `mul` and these:
///
/// ```text
/// mul_add(x, y, z)    x y + z, of which the product is exact and may be fused
/// signs(x)            1 with the sign of each lane
/// fast(v), poly(v)    the probability times RANGE
/// cut(v, most)        v between -most and most, which is also what a NaN counts as
/// sides(v)            the floats with the bits ONE - n and ONE + n, n the integer nearest to v
/// uniform(random)     random >> 8 as a float
/// odd(random)         random >> 8 | 1 as a float
/// within(v, bound)    the mask of the lanes in which |v| < bound
/// less(x, y)          the mask of the lanes in which x < y
/// select(mask, x, y)  x in the lanes of the mask, else y
/// flip(x, mask)       the other sign in the lanes of the mask
/// keep(x, mask)       0 outside the mask
/// count(n, mask)      integers, counted up in the lanes of the mask
/// ```
macro_rules! rows {
    ($vectors:literal, #[$features:meta]) => {
        type Row = [Vector; $vectors];
        const STEP: usize = LANES / $vectors;

        kernels! { gather, scatter, #[$features] }

        /// # Safety
        /// `random` points to the numbers of a vector.
        #[inline]
        #[$features]
        unsafe fn metropolis_fast(random: *const u32, v: Vector) -> Mask {
            let small = add(splat(HALF), mul(splat(FAST_SLOPE), v));
            // SAFETY: the caller's numbers.
            less(unsafe { uniform(random) }, select(within(v, FAST_SMALL), small, fast(v)))
        }

        /// # Safety
        /// `random` points to the numbers of a vector.
        #[inline]
        #[$features]
        unsafe fn metropolis_poly(random: *const u32, v: Vector) -> Mask {
            let small = add(splat(HALF), mul(splat(POLY_SLOPE), v));
            // SAFETY: the caller's numbers.
            less(unsafe { uniform(random) }, select(within(v, POLY_SMALL), small, poly(v)))
        }

        /// # Safety
        /// `random` points to the numbers of a vector.
        #[inline]
        #[$features]
        unsafe fn heat_fast(random: *const u32, v: Vector) -> Mask {
            // SAFETY: the caller's numbers.
            let x = unsafe { odd(random) };
            let [stays, flips] = sides(cut(v, FAST_CERTAIN));
            less(mul(x, stays), mul(sub(splat(RANGE), x), flips))
        }

        /// # Safety
        /// `random` points to the numbers of a vector.
        #[inline]
        #[$features]
        unsafe fn heat_poly(random: *const u32, v: Vector) -> Mask {
            // SAFETY: the caller's numbers.
            let x = unsafe { odd(random) };
            less(x, mul(sub(splat(RANGE), x), unsafe { exp2(cut(v, POLY_CERTAIN)) }))
        }

        /// # Safety
        /// `row` points to a row.
        #[inline]
        #[$features]
        unsafe fn load_row(row: *const f32) -> Row {
            // SAFETY: the caller's row.
            from_fn(|n| unsafe { load(row.add(STEP * n)) })
        }

        /// # Safety
        /// `row` points to a row.
        #[inline]
        #[$features]
        unsafe fn store_row(row: *mut f32, values: Row) {
            for n in 0..$vectors {
                // SAFETY: the caller's row.
                unsafe { store(row.add(STEP * n), values[n]) }
            }
        }

        /// Adds `factor * d`. The product with a huge coupling overflows: it is not fused.
        ///
        /// # Safety
        /// `row` points to a row.
        #[inline]
        #[$features]
        unsafe fn add_to_row(row: *mut f32, factor: f32, d: Row) {
            // SAFETY: the caller's row.
            unsafe {
                let sum = load_row(row);
                store_row(row, from_fn(|n| add(sum[n], mul(splat(factor), d[n]))));
            }
        }

        /// The field of the site at `links`, and the links of the next site; nothing if a neighbour's row is at `excluded`.
        ///
        /// # Safety
        /// `links` points to the links of a site among those of `spins`.
        #[inline]
        #[$features]
        unsafe fn field(spins: *const f32, mut links: *const Link, excluded: usize) -> Option<(Row, *const Link)> {
            // SAFETY: the caller's links and rows.
            unsafe {
                let Link { word: degree, value: h } = links.read_unaligned();
                links = links.add(1);
                let mut sum = [splat(h); $vectors];
                let mut couple = |link: *const Link| {
                    let Link { word: offset, value: coupling } = link.read_unaligned();
                    let spin = load_row(spins.byte_add(offset as usize));
                    sum = from_fn(|n| mul_add(splat(coupling), spin[n], sum[n]));
                    offset as usize == excluded
                };
                for _ in 0..degree / 2 {
                    if couple(links) || couple(links.add(1)) {
                        return None;
                    }
                    links = links.add(2);
                }
                if degree % 2 == 1 {
                    if couple(links) {
                        return None;
                    }
                    links = links.add(1);
                }
                Some((sum, links))
            }
        }

        /// The field of a site is formed before the site visited just before, whose field waits, is decided: the more of
        /// the work overlaps. Where these two are neighbours, it is formed after the decision.
        ///
        /// # Safety
        /// As `sweep_fast_f32`.
        #[inline]
        #[$features]
        unsafe fn gather(g: Gather, accepts: impl Fn(*const u32, Vector) -> Mask) {
            const NONE: usize = usize::MAX;
            if g.count == 0 {
                return;
            }
            // SAFETY: the sites from `first` on of the caller's arrays, and their links; with none excluded there is a field.
            unsafe {
                let mut flips = load_row(g.flips.cast());
                let mut decide = |i: usize, field: Row| {
                    let spin = g.spins.add(LANES * (g.first + i));
                    let s = load_row(spin);
                    let (below, above) = (load_row(g.below.add(LANES * i)), load_row(g.above.add(LANES * i)));
                    let accepted: [Mask; $vectors] = from_fn(|n| {
                        let t = add(below[n], above[n]);
                        let v = mul_add(splat(g.tau), t, mul(splat(g.space), field[n]));
                        accepts(g.random.add(LANES * i + STEP * n), mul(v, s[n]))
                    });
                    store_row(spin, from_fn(|n| flip(s[n], accepted[n])));
                    flips = from_fn(|n| count(flips[n], accepted[n]));
                };
                let (mut waiting, mut links) = field(g.spins, g.links, NONE).unwrap_unchecked();
                for i in 1..g.count {
                    let next = field(g.spins, links, 4 * LANES * (g.first + i - 1));
                    decide(i - 1, waiting);
                    let next = next.or_else(|| field(g.spins, links, NONE));
                    (waiting, links) = next.unwrap_unchecked();
                }
                decide(g.count - 1, waiting);
                store_row(g.flips.cast(), flips);
            }
        }

        /// # Safety
        /// As `scatter_fast_f32`.
        #[inline]
        #[$features]
        unsafe fn scatter(g: Scatter, accepts: impl Fn(*const u32, Vector) -> Mask) {
            let mut links = g.links;
            // SAFETY: the sites from `first` on of the caller's arrays, and their links.
            unsafe {
                let mut flips = load_row(g.flips.cast());
                for i in 0..g.count {
                    let own = LANES * (g.first + i);
                    let (state, field) = (load_row(g.state.add(own)), load_row(g.fields.add(own)));
                    let s = state.map(|state| signs(state));
                    let accepted: [Mask; $vectors] = from_fn(|n| {
                        let t = mul_add(splat(-4.0), s[n], state[n]);
                        let v = mul_add(splat(g.tau), t, mul(splat(g.space), field[n]));
                        accepts(g.random.add(LANES * i + STEP * n), mul(v, s[n]))
                    });
                    flips = from_fn(|n| count(flips[n], accepted[n]));
                    let d = from_fn(|n| keep(mul(splat(-2.0), s[n]), accepted[n]));

                    let degree = links.read_unaligned().word;
                    links = links.add(1);
                    for _ in 0..degree {
                        let Link { word: offset, value: coupling } = links.read_unaligned();
                        add_to_row(g.fields.byte_add(offset as usize), coupling, d);
                        links = links.add(1);
                    }
                    add_to_row(g.state.add(own), 4.0, d);
                    add_to_row(g.below.add(LANES * i), 1.0, d);
                    add_to_row(g.above.add(LANES * i), 1.0, d);
                }
                store_row(g.flips.cast(), flips);
            }
        }
    };
}
pub(super) use rows;

/// The local field of one lane, as the thresholds are indexed: the field is `2 k + parity` quanta, `c` of the bonds to
/// the layers beside are unsatisfied.
pub(super) struct Field {
    pub k: i32,
    pub c: usize,
}

/// A site of the exact sweep as its words tell.
#[derive(Clone, Copy)]
pub(super) struct Site {
    pub spin: u64,
    pub below: u64,
    pub above: u64,
    pub header: ByteLink,
}

impl Site {
    /// The field of `lane`, where `spins` are the words of the group.
    ///
    /// # Safety
    /// `links` points to the links of the site, which lead to readable `spins`.
    pub unsafe fn field(self, lane: usize, links: *const u32, spins: *const u64) -> Field {
        let down = |word: u64| (word >> lane & 1) as i32;
        let mut v = self.header.value();
        for j in 0..self.header.degree() {
            // SAFETY: the caller's contract.
            unsafe {
                let link = ByteLink(links.add(j).read_unaligned());
                v -= link.value() * down(spins.add(link.row()).read_unaligned());
            }
        }
        let k = if down(self.spin) == 0 { v } else { -v - self.header.parity() as i32 };
        Field { k, c: (down(self.spin ^ self.below) + down(self.spin ^ self.above)) as usize }
    }
}

/// The 16 random bits of `lane`: the upper 8 are in the first 64 of 128 bytes.
pub(super) fn random_bits(random: &[u32; 32], lane: usize) -> u16 {
    let byte = |vector: usize| random[16 * vector + lane / 4].to_le_bytes()[lane % 4];
    u16::from_be_bytes([byte(0), byte(1)])
}

/// # Safety
/// As [`super::sweep_i8()`].
unsafe fn integers(arguments: Integers) -> usize {
    let Integers { spins, first, count, below, above, mut links, thresholds, random, live, flips, .. } = arguments;
    for i in 0..count {
        // SAFETY: site `first + i` of the caller's arrays, its links, and one of the 384 thresholds of its parity.
        unsafe {
            let spin = spins.add(first + i);
            let header = ByteLink(links.read_unaligned());
            let [below, above] = [below, above].map(|words| words.add(i).read_unaligned());
            let site = Site { spin: spin.read_unaligned(), below, above, header };
            let random = random.cast::<[u32; 32]>().add(i).read_unaligned();
            let table = thresholds.add(header.parity() * THRESHOLDS / 2 + THRESHOLD);
            let (mut accepted, mut tied) = (0u64, 0u64);
            for lane in 0..64 {
                let Field { k, c } = site.field(lane, links.add(1), spins);
                let threshold = table.add(128 * c + (k & 127) as usize).read_unaligned();
                let random = random_bits(&random, lane);
                accepted |= u64::from(random < threshold) << lane;
                tied |= u64::from(random == threshold) << lane;
            }
            if tied & live != 0 {
                return i;
            }
            spin.write_unaligned(site.spin ^ accepted);
            let count = u64::from((accepted & live).count_ones());
            flips.write_unaligned(flips.read_unaligned().wrapping_add(count));
            links = links.add(1 + header.degree());
        }
    }
    count
}

/// Those of the lanes in `doubt` that their thresholds accept, or nothing if one in `live` is tied: for variants that look
/// bounds up first.
///
/// # Safety
/// As [`Site::field()`]; `table` holds the thresholds of the parity of the site.
#[cold]
#[cfg(any(avx2, neon))]
pub(super) unsafe fn decide(
    site: Site,
    links: *const u32,
    spins: *const u64,
    table: *const u16,
    random: &[u32; 32],
    live: u64,
    mut doubt: u64,
) -> Option<u64> {
    let mut accepted = 0;
    while doubt != 0 {
        let lane = doubt.trailing_zeros() as usize;
        doubt &= doubt - 1;
        // SAFETY: the caller's links, and one of 384 thresholds.
        let threshold = unsafe {
            let Field { k, c } = site.field(lane, links, spins);
            table.add(THRESHOLD + 128 * c + (k & 127) as usize).read_unaligned()
        };
        let bits = random_bits(random, lane);
        if bits == threshold && live >> lane & 1 == 1 {
            return None;
        }
        accepted |= u64::from(bits < threshold) << lane;
    }
    Some(accepted)
}
