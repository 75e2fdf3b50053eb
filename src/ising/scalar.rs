//! The references of the kernels: one spin at a time, no operation fused. Also constants and
//! helpers that the Rust variants share.

use super::links::ByteLink;
use super::thresholds::{THRESHOLD, THRESHOLDS};
use super::{LANES, Link};
use crate::exp::scalar::{self as exp, ONE, exp2};
use crate::math::libm::nearest_i32;

/// `tau` is clamped to this magnitude. Its product with -2, 0 or 2 is then exact, so a variant may
/// fuse it.
const LARGEST_TAU: f32 = (1u128 << 126) as f32;

/// Exclusive upper bound of `random >> 8`.
pub(super) const RANGE: f32 = 16_777_216.0;
/// The largest probability of a Metropolis flip, times `RANGE`: no flip is certain.
const LARGEST: f32 = RANGE * 0.9375;
/// The bits of the float that stands for the exponent 0 in `fast`: 1.82421875, which centres the
/// error of the odds.
pub(super) const FAST_UNIT: u32 = 0x3fe9_8000;
pub(super) const FAST_SCALE: f32 = LARGEST / f32::from_bits(FAST_UNIT);
/// The smallest exponent for which `poly` computes the power; smaller ones count as this.
pub(super) const POLY_MIN: f32 = -126.0;
pub(super) const POLY_SCALE: f32 = exp::POLY_SCALE * LARGEST;

/// Bounds of the magnitude of the exponent in the heat bath: odds of 2^32, at which a flip is
/// certain. A NaN counts as the bound.
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

/// An acceptance rule. `FACTOR` converts `beta * energy` to the exponent, in units of `2^-23 ln 2`
/// for `fast` and of `ln 2` for `poly`. The heat bath of `fast` uses half the exponent.
pub(super) trait Rule {
    const FACTOR: f32;

    /// Whether a flip is accepted, given a random number and the exponent.
    fn accepts(random: u32, v: f32) -> bool;
}

/// Exports the f32 kernels of an instruction set, given the type arguments of its `gather` and
/// `scatter` before the rule.
macro_rules! export_float_sweeps {
    ($isa:ident $lanes:tt) => {
        export_float_sweeps! { $isa $lanes gather sweep_fast_f32 MetropolisFast }
        export_float_sweeps! { $isa $lanes scatter scatter_fast_f32 MetropolisFast }
        export_float_sweeps! { $isa $lanes gather sweep_poly_f32 MetropolisPoly }
        export_float_sweeps! { $isa $lanes scatter scatter_poly_f32 MetropolisPoly }
        export_float_sweeps! { $isa $lanes gather sweep_heat_fast_f32 HeatFast }
        export_float_sweeps! { $isa $lanes scatter scatter_heat_fast_f32 HeatFast }
        export_float_sweeps! { $isa $lanes gather sweep_heat_poly_f32 HeatPoly }
        export_float_sweeps! { $isa $lanes scatter scatter_heat_poly_f32 HeatPoly }
    };
    ($isa:ident [$($lanes:tt)*] gather $sweep:ident $rule:ident) => {
        $crate::frame::isa::$isa! {
            pub(super) unsafe extern "C" fn $sweep(
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
                let (space, tau) = exponents(beta_space, beta_tau, $rule::FACTOR);
                let arguments = Gather { spins, first, count, below, above, links, space, tau, random, flips };
                // SAFETY: the caller's contract.
                unsafe { gather::<$($lanes)* $rule>(arguments) }
            }
        }
    };
    ($isa:ident [$($lanes:tt)*] scatter $scatter:ident $rule:ident) => {
        $crate::frame::isa::$isa! {
            pub(super) unsafe extern "C" fn $scatter(
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
                let (space, tau) = exponents(beta_space, beta_tau, $rule::FACTOR);
                let arguments = Scatter { state, fields, first, count, below, above, links, space, tau, random, flips };
                // SAFETY: the caller's contract.
                unsafe { scatter::<$($lanes)* $rule>(arguments) }
            }
        }
    };
}
pub(super) use export_float_sweeps;

/// Exports an exact kernel of an instruction set, given its function of [`Integers`].
macro_rules! integer_kernel {
    ($isa:ident $name:ident $sweep:ident) => {
        $crate::frame::isa::$isa! {
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
        }
    };
}
pub(super) use integer_kernel;

export_float_sweeps! { scalar [] }
integer_kernel! { scalar sweep_i8 integers }
integer_kernel! { scalar sweep_heat_i8 integers }

/// Rounds a float below 2^31 to the nearest integer; saturates at the smallest integer.
fn nearest(v: f32) -> i32 {
    nearest_i32(v.max(i32::MIN as f32))
}

/// Below an exponent of `-127 * 2^23` the bits may form a negative number or a NaN; such a flip is
/// never accepted.
fn fast(v: f32) -> f32 {
    let v = if v < 0.0 { v } else { 0.0 };
    f32::from_bits(FAST_UNIT.wrapping_add_signed(nearest(v))) * FAST_SCALE
}

fn poly(v: f32) -> f32 {
    let v = if v < 0.0 { v } else { 0.0 };
    exp2(v.max(POLY_MIN), POLY_SCALE)
}

/// The random number `x / RANGE`, with `x` odd, as odds: `x` to `RANGE - x`.
fn odds(random: u32) -> (f32, f32) {
    let x = (random >> 8 | 1) as f32;
    (x, RANGE - x)
}

pub(super) struct MetropolisFast;
pub(super) struct MetropolisPoly;
pub(super) struct HeatFast;
pub(super) struct HeatPoly;

impl Rule for MetropolisFast {
    const FACTOR: f32 = -2.0 * exp::FAST_FACTOR;

    fn accepts(random: u32, v: f32) -> bool {
        ((random >> 8) as f32) < fast(v)
    }
}

impl Rule for MetropolisPoly {
    const FACTOR: f32 = -2.0 * exp::LOG2_E;

    fn accepts(random: u32, v: f32) -> bool {
        ((random >> 8) as f32) < poly(v)
    }
}

impl Rule for HeatFast {
    const FACTOR: f32 = -exp::FAST_FACTOR;

    fn accepts(random: u32, v: f32) -> bool {
        let v = if v < FAST_CERTAIN { v } else { FAST_CERTAIN };
        let n = nearest_i32(v.max(-FAST_CERTAIN));
        let (x, rest) = odds(random);
        x * f32::from_bits(ONE.wrapping_add_signed(-n)) < rest * f32::from_bits(ONE.wrapping_add_signed(n))
    }
}

impl Rule for HeatPoly {
    const FACTOR: f32 = -2.0 * exp::LOG2_E;

    fn accepts(random: u32, v: f32) -> bool {
        let v = if v < POLY_CERTAIN { v } else { POLY_CERTAIN };
        let (x, rest) = odds(random);
        x < rest * exp2(v.max(-POLY_CERTAIN), exp::POLY_SCALE)
    }
}

/// # Safety
/// As for [`super::sweep_fast_f32()`].
unsafe fn gather<R: Rule>(g: Gather) {
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
                if R::accepts(g.random.add(cell).read_unaligned(), v) {
                    spin.write_unaligned(-s);
                    increment(g.flips.add(k));
                }
            }
        }
    }
}

/// # Safety
/// As for [`super::scatter_fast_f32()`].
unsafe fn scatter<R: Rule>(g: Scatter) {
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
                let accepted = R::accepts(g.random.add(cell).read_unaligned(), v);
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

/// The indices of a lane's threshold: its spin times its local field is `2 k + parity` quanta, and
/// `c` of its two bonds to the adjacent layers are unsatisfied.
pub(super) struct Field {
    pub k: i32,
    pub c: usize,
}

/// The words of a site in the exact sweep.
#[derive(Clone, Copy)]
pub(super) struct Site {
    pub spin: u64,
    pub below: u64,
    pub above: u64,
    pub header: ByteLink,
}

impl Site {
    /// The field of `lane`; `spins` are the words of the group.
    ///
    /// # Safety
    /// `links` points to the links of the site, which refer to readable `spins`.
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
/// As for [`super::sweep_i8()`].
unsafe fn integers(arguments: Integers) -> usize {
    let Integers { spins, first, count, below, above, mut links, thresholds, random, live, flips, .. } = arguments;
    for i in 0..count {
        // SAFETY: site `first + i` of the caller's arrays, its links, and one of the 384 thresholds
        // of its parity.
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

/// The lanes in `doubt` whose flips are accepted, or `None` if one of them is live and tied. For
/// variants that test against bounds first.
///
/// # Safety
/// As for [`Site::field()`]; `table` holds the thresholds of the parity of the site.
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
