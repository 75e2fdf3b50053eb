//! The source's programs: its two tests of domains in scalar code, with the errors of the printed versions fixed, and
//! the search argument by argument.
//!
//! As printed, both tests return whether d *exceeds* the strip's width, and start with gaps of 1,
//! which 64-bit fractions cannot represent. Here they start after the first point, x = 0.
//!
//! `LOGMS` is how the source divides: quotients below 2^`LOGMS` by repeated subtraction, others by an instruction. With
//! 0 every quotient has a division, with [`ALWAYS`] none.

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
#[inline(always)]
fn longer(u: u64, k: u64, v: u64) -> u64 {
    u.saturating_add(k.saturating_mul(v))
}

/// The `LOGMS` without divisions.
pub const ALWAYS: u32 = 64;

/// The `LOGMS` of Lefevre's test where one form stands for it: it is faster than divisions alone.
pub const HYBRID: u32 = 4;

/// The quotient and the remainder of q / p, which is not 0.
#[inline(always)]
fn divide<const LOGMS: u32>(q: u64, p: u64) -> (u64, u64) {
    if LOGMS == 0 || (LOGMS < ALWAYS && q >> (LOGMS % ALWAYS) >= p) {
        return (q / p, q % p);
    }
    let (mut k, mut rest) = (0, q);
    while rest >= p {
        rest -= p;
        k += 1;
    }
    (k, rest)
}

/// Lefevre's test: gaps of the kind that does not contain b are cut by quotients, gaps of b's kind
/// one at a time.
pub fn lefevre<const LOGMS: u32>(a: u64, b: u64, n: u64, w: u64) -> bool {
    lefevre_counted::<LOGMS>(a, b, n, w).0
}

/// Also counts the iterations of the loop.
#[inline(always)]
pub fn lefevre_counted<const LOGMS: u32>(a: u64, b: u64, n: u64, w: u64) -> (bool, u32) {
    let (mut p, mut q, mut d, mut u, mut v) = (a, a.wrapping_neg(), b, 1, 1);
    if d < w {
        return (true, 0);
    }
    if p == 0 {
        return (false, 0);
    }
    for turn in 1.. {
        if d < p {
            let (k, rest) = divide::<LOGMS>(q, p);
            q = rest;
            u = longer(u, k, v);
            if q == 0 || longer(u, 1, v) >= n {
                return (false, turn);
            }
            p -= q;
            v += u;
        } else {
            d -= p;
            if d < w {
                return (true, turn);
            }
            let (k, rest) = divide::<LOGMS>(p, q);
            p = rest;
            v = longer(v, k, u);
            if p == 0 || longer(u, 1, v) >= n {
                return (false, turn);
            }
            q -= p;
            u += v;
        }
    }
    unreachable!("u and v grow")
}

/// The regular test: gaps of both kinds are cut by quotients in turn, as far as possible and
/// independently of b. So d may be too small, and more domains pass than necessary.
pub fn regular<const LOGMS: u32>(a: u64, b: u64, n: u64, w: u64) -> bool {
    regular_counted::<LOGMS>(a, b, n, w).0
}

/// Also counts the iterations of the loop.
#[inline(always)]
pub fn regular_counted<const LOGMS: u32>(a: u64, b: u64, n: u64, w: u64) -> (bool, u32) {
    let (mut p, mut q, mut d, mut u, mut v) = (a, a.wrapping_neg(), b, 1, 1);
    if p == 0 {
        return (d < w, 0);
    }
    for turn in 1.. {
        let (k, rest) = divide::<LOGMS>(q, p);
        q = rest;
        u = longer(u, k, v);
        d = divide::<LOGMS>(d, p).1;
        if q == 0 || longer(u, 1, v) >= n {
            return (d < w, turn);
        }
        let (k, rest) = divide::<LOGMS>(p, q);
        p = rest;
        v = longer(v, k, u);
        if d >= p {
            d = divide::<LOGMS>(d - p, q).1;
        }
        if p == 0 || longer(u, 1, v) >= n {
            return (d < w, turn);
        }
    }
    unreachable!("u and v grow")
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
