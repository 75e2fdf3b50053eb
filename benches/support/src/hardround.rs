//! The programs that searches for hard-to-round cases are measured against: the tests of domains of
//! Fortin, Gouicem, Graillat (2012 and later) in scalar code, with the errors of the printed
//! versions fixed, and the search argument by argument.
//!
//! As printed, both tests return whether d *exceeds* the strip's width, and start with gaps of 1,
//! which 64-bit fractions cannot represent. Here they start after the first point, x = 0.

/// Taylor coefficients of F(x) = 2^52 exp(1 + 2^-52 x), whose breakpoints, for all roundings, are
/// the integers: 2^52 e 2^(-52 k) / k! mod 1 in units of 2^-256, the lowest word first. The next
/// one is below half a unit.
pub const EXP: [[u64; 4]; 6] = [
    [0xfef3_24e7_7389_26d0, 0xa56a_784d_9045_190c, 0x3c76_2e71_60f3_8b4d, 0xa6ab_f715_8809_cf4f],
    [0xa784_d904_5190_cfef, 0x62e7_160f_38b4_da56, 0xbf71_5880_9cf4_f3c7, 0xb7e1_5162_8aed_2a6a],
    [0x38b0_79c5_a6d2_b53c, 0x8ac4_04e7_a79e_3b17, 0x0a8b_1457_6953_55fb, 0x15bf],
    [0xc01a_28d3_4be5_d12e, 0xe5c1_d231_bc75_3d8e, 0x73_fae2, 0],
    [0x0748_c6f1_d4f6_3b00, 0x1_cfeb_8b97, 0, 0],
    [0x5cc_8b58_49b1, 0, 0, 0],
];

/// True if an x < n has b - a x mod 1 < w, in units of 2^-64; for n >= 3. False positives are
/// allowed.
pub type Test = fn(a: u64, b: u64, n: u64, w: u64) -> bool;

/// Tests many domains and writes one bit per domain.
pub fn all(test: Test, a: &[u64], b: &[u64], n: u64, w: u64, bits: &mut [u8]) {
    for ((byte, a), b) in bits.iter_mut().zip(a.chunks(8)).zip(b.chunks(8)) {
        *byte = a.iter().zip(b).rev().fold(0, |byte, (&a, &b)| byte << 1 | u8::from(test(a, b, n, w)));
    }
}

/// Quotients may exceed what an integer holds by far; n does not.
fn longer(u: u64, k: u64, v: u64) -> u64 {
    u.saturating_add(k.saturating_mul(v))
}

/// Lefevre's test: gaps of the kind that does not contain b are cut by quotients, gaps of b's kind
/// one at a time.
pub fn lefevre(a: u64, b: u64, n: u64, w: u64) -> bool {
    let (mut p, mut q, mut d, mut u, mut v) = (a, a.wrapping_neg(), b, 1, 1);
    if d < w {
        return true;
    }
    if p == 0 {
        return false;
    }
    loop {
        if d < p {
            let k = q / p;
            q -= k * p;
            u = longer(u, k, v);
            if q == 0 || longer(u, 1, v) >= n {
                return false;
            }
            p -= q;
            v += u;
        } else {
            d -= p;
            if d < w {
                return true;
            }
            let k = p / q;
            p -= k * q;
            v = longer(v, k, u);
            if p == 0 || longer(u, 1, v) >= n {
                return false;
            }
            q -= p;
            u += v;
        }
    }
}

/// The regular test: gaps of both kinds are cut by quotients in turn, as far as possible and
/// independently of b. So d may be too small, and more domains pass than necessary.
pub fn regular(a: u64, b: u64, n: u64, w: u64) -> bool {
    let (mut p, mut q, mut d, mut u, mut v) = (a, a.wrapping_neg(), b, 1, 1);
    if p == 0 {
        return d < w;
    }
    loop {
        let k = q / p;
        q -= k * p;
        u = longer(u, k, v);
        d %= p;
        if q == 0 || longer(u, 1, v) >= n {
            return d < w;
        }
        let k = p / q;
        p -= k * q;
        v = longer(v, k, u);
        if d >= p {
            d = (d - p) % q;
        }
        if p == 0 || longer(u, 1, v) >= n {
            return d < w;
        }
    }
}

/// The smallest x < n whose value, by tabulated differences, is below w; n if there is none.
pub fn exhaust(d: &[u64; 4], n: u64, w: u64) -> u64 {
    let [mut y, mut d1, mut d2, d3] = *d;
    for x in 0..n {
        if y < w {
            return x;
        }
        y = y.wrapping_add(d1);
        d1 = d1.wrapping_add(d2);
        d2 = d2.wrapping_add(d3);
    }
    n
}
