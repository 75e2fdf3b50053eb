//! The definitions of the dense kernels.

use core::slice;

use crate::math::libm::nearest_i32;

/// Numbers closer to an end of the unit interval than this, in units of 2^-31, are in doubt.
pub(super) const EDGE: f32 = 524_288.0;
/// Error of a logarithm per unit of its magnitude, in the f32 arithmetic of the kernels.
pub(super) const RELATIVE: f32 = 4e-7;
/// The largest bound in front of rounding.
pub(super) const LARGEST: f32 = 32767.25;
/// The smallest bound in front of rounding: of a Metropolis flip, and with the heat bath.
pub(super) const SMALLEST: [f32; 2] = [0.25, -32767.75];

/// The same limits of a level in 32 bits.
pub(super) const LARGEST_LEVEL: f32 = 2_147_483_520.0;
pub(super) const SMALLEST_LEVEL: [f32; 2] = [0.25, -2_147_483_648.0];

/// The bits of sqrt(1/2).
pub(super) const HALF: u32 = 0x3f35_04f3;
/// Added to the bits of a float, makes the exponent relative to sqrt(1/2), plus 64.
pub(super) const SHIFT: u32 = (64u32 << 23).wrapping_sub(HALF);
pub(super) const LN_2: f32 = core::f32::consts::LN_2;
/// Coefficients of `ln(1 + t) / t`, the constant first. For `1 + t` between sqrt(1/2) and sqrt(2),
/// `ln(1 + t)` has an error of at most 2.6e-7 (least maximum, rounding included).
pub(super) const SERIES: [f32; 7] = [
    f32::from_bits(0x3f80_001b),
    f32::from_bits(0xbf00_014a),
    f32::from_bits(0x3eaa_834c),
    f32::from_bits(0xbe7e_c8f0),
    f32::from_bits(0x3e52_fdf3),
    f32::from_bits(0xbe41_8e68),
    f32::from_bits(0x3df2_39cb),
];

/// The exponent `e` and the logarithm of the rest: `ln x = (e - 64) ln 2 + rest`.
fn logarithm(x: f32) -> (f32, f32) {
    let bits = x.to_bits().wrapping_add(SHIFT);
    let t = f32::from_bits((bits & 0x7f_ffff) + HALF) - 1.0;
    ((bits >> 23) as f32, SERIES.iter().rev().fold(0.0, |sum, term| sum * t + term) * t)
}

/// The bound of one random number, and whether it is in doubt.
fn bound<const HEAT: bool>(random: u32, scale: f32, margin: f32) -> (i16, bool) {
    let (log, inner) = odds::<HEAT>(random);
    let value = (log * scale).min(LARGEST).max(SMALLEST[usize::from(HEAT)]);
    let nearest = nearest_i32(value);
    let distance = (value - nearest as f32).abs();
    let is_close = distance <= value.abs() * RELATIVE + margin;
    (round_down(value, nearest) as i16, is_close || inner < EDGE)
}

/// `-ln u` of one random number, or `ln((1 - u) / u)`, and its distance to an end of the interval.
fn odds<const HEAT: bool>(random: u32) -> (f32, f32) {
    let x = random >> 1 | 1;
    let (x, y) = (x as f32, (0x8000_0000 - x) as f32);
    if HEAT {
        let (exponent, rest) = logarithm(y / x);
        ((exponent - 64.0) * LN_2 + rest, x.min(y))
    } else {
        let (exponent, rest) = logarithm(x);
        ((95.0 - exponent) * LN_2 - rest, x)
    }
}

/// `value` rounded down, given the nearest integer.
fn round_down(value: f32, nearest: i32) -> i32 {
    nearest - i32::from(value < nearest as f32)
}

macro_rules! export_bounds {
    ($($name:ident $heat:literal)+) => {$(
        pub(super) unsafe extern "C" fn $name(random: *const u32, scale: f32, margin: f32, bounds: *mut i16) -> u64 {
            let mut doubt = 0;
            for i in 0..64 {
                // SAFETY: the caller's 64 numbers and bounds.
                unsafe {
                    let (value, is_in_doubt) = bound::<$heat>(random.add(i).read_unaligned(), scale, margin);
                    bounds.add(i).write_unaligned(value);
                    doubt |= u64::from(is_in_doubt) << i;
                }
            }
            doubt
        }
    )+};
}
export_bounds! { dense_bounds false dense_heat_bounds true }

/// Spin `i` of a word: +1 or -1.
pub(super) fn spin(spins: u64, i: usize) -> i16 {
    1 - 2 * (spins >> i & 1) as i16
}

pub(super) unsafe extern "C" fn dense_flips(
    spins: u64,
    fields: *const i16,
    bounds: *const i16,
    couplings: *const i8,
    stride: usize,
) -> u64 {
    let mut flips = 0;
    // SAFETY: the caller's 64 fields, bounds and rows of 64 couplings.
    unsafe {
        let mut fields = fields.cast::<[i16; 64]>().read_unaligned();
        for i in 0..64 {
            if fields[i].wrapping_mul(spin(spins, i)) <= bounds.add(i).read_unaligned() {
                flips |= 1 << i;
                let row = slice::from_raw_parts(couplings.add(i * stride), 64);
                add_row(&mut fields, row, -spin(spins, i));
            }
        }
    }
    flips
}

pub(super) unsafe extern "C" fn dense_update(
    fields: *mut i16,
    columns: usize,
    couplings: *const i8,
    stride: usize,
    spins: u64,
    flips: u64,
    _depth: usize,
) {
    for i in (0..64).filter(|i| flips >> i & 1 == 1) {
        for column in (0..columns).step_by(64) {
            // SAFETY: the caller's fields and rows of couplings, whole blocks of 64.
            unsafe {
                let fields = fields.add(column).cast::<[i16; 64]>();
                let mut sums = fields.read_unaligned();
                let row = slice::from_raw_parts(couplings.add(i * stride + column), 64);
                add_row(&mut sums, row, -spin(spins, i));
                fields.write_unaligned(sums);
            }
        }
    }
}

/// Adds `2 s` times a row.
fn add_row(fields: &mut [i16; 64], row: &[i8], s: i16) {
    fields.iter_mut().zip(row).for_each(|(field, &j)| *field = field.wrapping_add(2 * s * i16::from(j)));
}

macro_rules! export_levels {
    ($($name:ident $heat:literal)+) => {$(
        pub(super) unsafe extern "C" fn $name(random: *const u32, scales: *const f32, levels: *mut i32) {
            for i in 0..64 {
                // SAFETY: the caller's 64 numbers, scales and levels.
                unsafe {
                    let (log, _) = odds::<$heat>(random.add(i).read_unaligned());
                    let value = log * scales.add(i).read_unaligned();
                    let value = value.min(LARGEST_LEVEL).max(SMALLEST_LEVEL[usize::from($heat)]);
                    levels.add(i).write_unaligned(round_down(value, nearest_i32(value)));
                }
            }
        }
    )+};
}
export_levels! { dense_levels false dense_heat_levels true }

pub(super) unsafe extern "C" fn dense_flips_i32(
    spins: u64,
    fields: *const i32,
    levels: *const i32,
    couplings: *const i32,
) -> u64 {
    let mut flips = 0;
    // SAFETY: the caller's 64 fields, levels and rows of 64 couplings.
    unsafe {
        let mut fields = fields.cast::<[i32; 64]>().read_unaligned();
        for i in 0..64 {
            let (s, level) = (i32::from(spin(spins, i)), levels.add(i).read_unaligned());
            if if s == 1 { fields[i] <= level } else { fields[i] > !level } {
                flips |= 1 << i;
                add_line(&mut fields, couplings.add(64 * i), -s);
            }
        }
    }
    flips
}

pub(super) unsafe extern "C" fn dense_update_i32(
    fields: *mut i32,
    couplings: *const i32,
    up: *const u32,
    ups: usize,
    down: *const u32,
    downs: usize,
) {
    // SAFETY: the caller's fields, numbers and rows.
    unsafe {
        let mut sums = fields.cast::<[i32; 64]>().read_unaligned();
        for (rows, count, s) in [(up, ups, 1), (down, downs, -1)] {
            for i in 0..count {
                add_line(&mut sums, couplings.add(64 * rows.add(i).read_unaligned() as usize), s);
            }
        }
        fields.cast::<[i32; 64]>().write_unaligned(sums);
    }
}

/// Adds `s` times a row.
///
/// # Safety
/// The row has 64 couplings.
unsafe fn add_line(fields: &mut [i32; 64], row: *const i32, s: i32) {
    // SAFETY: the caller's row.
    let row = unsafe { row.cast::<[i32; 64]>().read_unaligned() };
    fields.iter_mut().zip(row).for_each(|(field, value)| *field = field.wrapping_add(s.wrapping_mul(value)));
}
