//! The references of the 16-bit sweep: one lane at a time.

use super::factors::{DIGITS, FACTORS, FIRST, TAU};
use super::{HEAT_SLACK, SLACK, WideLink};
use crate::frame::isa::scalar;
use crate::ising::shape::WIDE_LANES;

/// The arguments of a sweep.
pub(super) struct Arguments {
    pub spins: *mut i16,
    pub first: usize,
    pub count: usize,
    pub below: *const i16,
    pub above: *const i16,
    pub links: *const WideLink,
    pub factors: *const u16,
    pub random: *const u32,
    pub live: u32,
    pub flips: *mut u64,
    pub doubt: *mut u32,
}

/// Exports the kernels of an instruction set, given the type arguments of its `sweep` before the
/// flag for the heat bath.
macro_rules! export_wide_sweeps {
    ($isa:ident $row:tt) => {
        $crate::ising::wide::scalar::export_wide_sweeps! { $isa $row sweep_i16 false }
        $crate::ising::wide::scalar::export_wide_sweeps! { $isa $row sweep_heat_i16 true }
    };
    ($isa:ident [$($row:tt)*] $name:ident $heat:literal) => {
        $isa! {
            pub(super) unsafe extern "C" fn $name(
                spins: *mut i16,
                first: usize,
                count: usize,
                below: *const i16,
                above: *const i16,
                links: *const $crate::ising::wide::WideLink,
                factors: *const u16,
                random: *const u32,
                live: u32,
                flips: *mut u64,
                doubt: *mut u32,
            ) -> usize {
                let arguments = $crate::ising::wide::scalar::Arguments {
                    spins, first, count, below, above, links, factors, random, live, flips, doubt,
                };
                // SAFETY: the caller's contract.
                unsafe { sweep::<$($row)* $heat>(arguments) }
            }
        }
    };
}
pub(super) use export_wide_sweeps;

export_wide_sweeps! { scalar [] }

/// A lower bound of an acceptance probability.
pub(super) struct Bound {
    /// The product of the factors.
    pub product: u16,
    /// Whether the field is below that of [`FIRST`].
    pub is_before: bool,
}

/// `a b / 2^16`, rounded down.
fn times(a: u16, b: u16) -> u16 {
    ((u32::from(a) * u32::from(b)) >> 16) as u16
}

pub(super) fn bound(factors: &[u16; FACTORS], m: i16, c: usize) -> Bound {
    let first = factors[FIRST + c] as i16;
    let d = m.wrapping_sub(first) as u16;
    let digit = |nth: usize| factors[DIGITS + 16 * nth + usize::from(d >> (4 * nth) & 15)];
    let product = times(times(digit(0), digit(1)), times(digit(2), digit(3)));
    Bound { product: times(product, factors[TAU + c]), is_before: m < first }
}

/// `m` of a lane: its spin times its local field; `spins` are the rows of the group.
///
/// # Safety
/// `links` points to the header of a site; its links refer to readable rows.
pub(super) unsafe fn local_field(spin: i16, lane: usize, links: *const WideLink, spins: *const i16) -> i16 {
    // SAFETY: the caller's contract.
    unsafe {
        let header = links.read_unaligned();
        let mut sum = header.value();
        for j in 1..=header.word as usize {
            let link = links.add(j).read_unaligned();
            let neighbour = spins.byte_add(link.word as usize).add(lane).read_unaligned();
            sum = sum.wrapping_sub(link.value() & neighbour);
        }
        (sum ^ spin).wrapping_sub(spin)
    }
}

/// # Safety
/// As for [`super::sweep_i16()`].
unsafe fn sweep<const HEAT: bool>(arguments: Arguments) -> usize {
    let Arguments { spins, first, count, below, above, mut links, factors, random, live, flips, doubt } = arguments;
    // SAFETY: the caller's arrays.
    unsafe {
        doubt.write_unaligned(0);
        if count == 0 {
            return 0;
        }
        let factors = factors.cast::<[u16; FACTORS]>().read_unaligned();
        for i in 0..count {
            let mut open = 0;
            let mut changed = [false; WIDE_LANES];
            for (lane, changed) in changed.iter_mut().enumerate() {
                let cell = WIDE_LANES * i + lane;
                let spin = spins.add(WIDE_LANES * first + cell).read_unaligned();
                let m = local_field(spin, lane, links, spins);
                let differs = |row: *const i16| usize::from(row.add(cell).read_unaligned() != spin);
                let c = differs(below) + differs(above);
                let r = random.cast::<u16>().add(cell).read_unaligned();
                let Bound { product, is_before } = bound(&factors, m, c);
                let slack = if HEAT { HEAT_SLACK } else { SLACK };
                let in_doubt = |r: u16, p: u16| r >= p && r - p <= slack;
                let is_open;
                (*changed, is_open) = match (HEAT, is_before) {
                    (false, true) => (r < u16::MAX, r == u16::MAX),
                    (false, false) => (r < product, in_doubt(r, product)),
                    (true, false) => {
                        let q = times(!r, product);
                        (r < q, in_doubt(r, q))
                    }
                    (true, true) => {
                        let q = times(r, bound(&factors, m.wrapping_neg(), 2 - c).product);
                        (!r > q && !in_doubt(!r, q), in_doubt(!r, q))
                    }
                };
                open |= u32::from(is_open) << lane;
            }
            for (lane, changed) in changed.into_iter().enumerate() {
                if changed {
                    let spin = spins.add(WIDE_LANES * (first + i) + lane);
                    spin.write_unaligned(!spin.read_unaligned());
                    let count = u64::from(live >> lane & 1);
                    flips.write_unaligned(flips.read_unaligned().wrapping_add(count));
                }
            }
            if open & live != 0 {
                doubt.write_unaligned(open & live);
                return i + 1;
            }
            links = links.add(1 + links.read_unaligned().word as usize);
        }
    }
    count
}
