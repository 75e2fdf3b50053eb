//! Coefficients of rotations: the bits of netlib's, what they do, and numbers at the edges of the types. The library's
//! code is the one that `blas_exits` includes.
#![cfg(all(target_os = "linux", feature = "libc"))]

use crate::rng::Rng;

unsafe extern "C" {
    fn srotg_(a: *mut f32, b: *mut f32, c: *mut f32, s: *mut f32);
    fn drotg_(a: *mut f64, b: *mut f64, c: *mut f64, s: *mut f64);
    fn crotg_(a: *mut [f32; 2], b: *const [f32; 2], c: *mut f32, s: *mut [f32; 2]);
    fn zrotg_(a: *mut [f64; 2], b: *const [f64; 2], c: *mut f64, s: *mut [f64; 2]);
    fn srotmg_(d1: *mut f32, d2: *mut f32, x1: *mut f32, y1: *const f32, p: *mut f32);
    fn drotmg_(d1: *mut f64, d2: *mut f64, x1: *mut f64, y1: *const f64, p: *mut f64);
    fn cblas_drotmg(d1: *mut f64, d2: *mut f64, x1: *mut f64, y1: f64, p: *mut f64);
    fn lsame_(a: *const u8, b: *const u8) -> std::ffi::c_int;
}

/// A digest of numbers; the sign of 0 does not count.
#[derive(Default)]
struct Digest(u64);

impl Digest {
    fn add(&mut self, x: f64) {
        let bits = (x + 0.0).to_bits();
        self.0 = (self.0 ^ bits).wrapping_mul(0x100_0000_01b3);
        self.0 ^= self.0 >> 29;
    }
}

/// 0, 1, a number near 1, or one with an exponent from `low` to `high`.
fn number(rng: &mut Rng, low: i32, high: i32) -> f64 {
    match rng.below(20) {
        0 => return 0.0,
        1 => return 1.0,
        _ => {}
    }
    let unit = (rng.word() >> 11) as f64 * (-53f64).exp2() + 1.0;
    let signed = if rng.word() & 1 == 1 { -unit } else { unit };
    let exponent =
        if rng.word() & 1 == 1 { rng.below(7) as i32 - 3 } else { rng.below((high - low) as u64) as i32 + low };
    // In two steps, of which only the last one rounds.
    signed * f64::from(exponent.max(-1000)).exp2() * f64::from((exponent + 1000).min(0)).exp2()
}

/// Calls of rotg at all magnitudes, and the digest of netlib 3.12.0's results, compiled by gfortran 12
/// with `-O1 -ffp-contract=off` for x86-64.
macro_rules! rotg {
    ($name:ident $real:ident $low:literal $high:literal $digest:literal) => {{
        let (mut rng, mut digest) = (Rng(1), Digest::default());
        for _ in 0..20_000 {
            let [mut a, mut b] = [(); 2].map(|()| number(&mut rng, $low, $high) as $real);
            let (mut c, mut s) = (0.0, 0.0);
            // SAFETY: four numbers.
            unsafe { $name(&mut a, &mut b, &mut c, &mut s) };
            [a, b, c, s].into_iter().for_each(|x| digest.add(x.into()));
        }
        assert_eq!(digest.0, $digest, stringify!($name));
    }};
}

macro_rules! rotg_complex {
    ($name:ident $real:ident $low:literal $high:literal $digest:literal) => {{
        let (mut rng, mut digest) = (Rng(1), Digest::default());
        for _ in 0..20_000 {
            let mut complex = || [(); 2].map(|()| number(&mut rng, $low, $high) as $real);
            let (mut a, b) = (complex(), complex());
            let (mut c, mut s) = (0.0, [0.0; 2]);
            // SAFETY: three complex numbers and a real one.
            unsafe { $name(&mut a, &b, &mut c, &mut s) };
            [a[0], a[1], b[0], b[1], c, s[0], s[1]].into_iter().for_each(|x| digest.add(x.into()));
        }
        assert_eq!(digest.0, $digest, stringify!($name));
    }};
}

/// Numbers that need at most one scaling.
macro_rules! rotmg {
    ($name:ident $real:ident $digest:literal) => {{
        let (mut rng, mut digest) = (Rng(1), Digest::default());
        for _ in 0..20_000 {
            let [mut d1, mut d2, mut x1, y1] = [(); 4].map(|()| number(&mut rng, -10, 10) as $real);
            let mut p = [9.0; 5];
            // SAFETY: four numbers, and five.
            unsafe { $name(&mut d1, &mut d2, &mut x1, &y1, p.as_mut_ptr()) };
            [d1, d2, x1].into_iter().chain(p).for_each(|x| digest.add(x.into()));
        }
        assert_eq!(digest.0, $digest, stringify!($name));
    }};
}

#[test]
fn coefficients_have_the_bits_of_netlib() {
    rotg! { srotg_ f32 -140 100 0x417f_f03b_a422_fe33 }
    rotg! { drotg_ f64 -1070 970 0x1aa6_d529_8e8b_467c }
    rotg_complex! { crotg_ f32 -140 100 0xe7f3_077a_320e_069a }
    rotg_complex! { zrotg_ f64 -1070 970 0x6dbe_8bc9_7ee0_15ea }
    rotmg! { srotmg_ f32 0x3366_ce59_3623_9f96 }
    rotmg! { drotmg_ f64 0xffb8_0914_f9bf_e596 }
}

/// a, b, c and s after the call.
fn rotated(mut a: f64, mut b: f64) -> [f64; 4] {
    let (mut c, mut s) = (0.0, 0.0);
    // SAFETY: four numbers.
    unsafe { drotg_(&mut a, &mut b, &mut c, &mut s) };
    [a, b, c, s]
}

#[test]
fn edges_of_the_types_are_rotated() {
    assert_eq!(rotated(0.0, 0.0), [0.0, 0.0, 1.0, 0.0]);
    assert_eq!(rotated(-2.0, 0.0), [-2.0, 0.0, 1.0, 0.0]);
    assert_eq!(rotated(0.0, -2.0), [-2.0, 1.0, 0.0, 1.0]);
    assert_eq!(rotated(3.0, 4.0), [5.0, 1.0 / 0.6, 0.6, 0.8]);
    let least = f64::from_bits(1);
    assert_eq!(rotated(3.0 * least, 4.0 * least), [5.0 * least, 1.0 / 0.6, 0.6, 0.8]);
    let large = 2f64.powi(1021);
    assert_eq!(rotated(-3.0 * large, 4.0 * large), [5.0 * large, -1.0 / 0.6, -0.6, 0.8]);
    assert_eq!(rotated(f64::MAX, f64::MAX)[0], f64::INFINITY);
    assert!(rotated(f64::NAN, 1.0).iter().all(|x| x.is_nan()));
    assert!(rotated(1.0, f64::NAN).iter().all(|x| x.is_nan()));
    let infinite = rotated(f64::INFINITY, 1.0);
    assert!(infinite[0] == f64::INFINITY && infinite[2].is_nan() && infinite[3] == 0.0, "{infinite:?}");
}

/// Both new components: the second one vanishes, and the norm is kept.
#[test]
fn modified_rotations_do_what_they_should() {
    let mut rng = Rng(4);
    for i in 0..20_000 {
        // Up to several scalings of each weight.
        let old = [(); 4].map(|()| number(&mut rng, -90, 90));
        let [d1, d2, x, y] = [old[0].abs(), old[1], old[2], old[3]];
        let (mut e1, mut e2, mut z, mut p) = (d1, d2, x, [f64::NAN; 5]);
        // SAFETY: three numbers and five.
        unsafe { cblas_drotmg(&mut e1, &mut e2, &mut z, y, p.as_mut_ptr()) };
        let [h11, h21, h12, h22] = match p[0] {
            -2.0 => {
                assert!(d2 * y == 0.0 && (e1, e2, z) == (d1, d2, x));
                continue;
            }
            -1.0 => [p[1], p[2], p[3], p[4]],
            0.0 => [1.0, p[2], p[3], 1.0],
            1.0 => [p[1], -1.0, 1.0, p[4]],
            flag => panic!("flag {flag}"),
        };
        if (e1, e2, z) == (0.0, 0.0, 0.0) {
            assert_eq!(p, [-1.0, 0.0, 0.0, 0.0, 0.0]);
            continue;
        }
        let limits = [5.9e-8, 1.7e7];
        assert!(e1 == 0.0 || (limits[0]..limits[1]).contains(&e1), "{i}: {old:?} {e1}");
        assert!(e2 == 0.0 || (limits[0]..limits[1]).contains(&e2.abs()), "{i}: {old:?} {e2}");
        let close = |a: f64, b: f64, of: f64| (a - b).abs() <= 1e-13 * of;
        assert!(close(h11 * x + h12 * y, z, (h11 * x).abs() + (h12 * y).abs()), "{i}: {old:?} {p:?}");
        assert!(close(h21 * x, -h22 * y, (h21 * x).abs() + (h22 * y).abs()), "{i}: {old:?} {p:?}");
        let terms = [d1 * x * x, d2 * y * y];
        assert!(close(e1 * z * z, terms[0] + terms[1], terms[0].abs() + terms[1].abs()), "{i}: {old:?} {e1} {z}");
    }
    // Weights that cannot be scaled end the scaling.
    for d1 in [f64::INFINITY, f64::NAN, -1.0] {
        let (mut d1, mut d2, mut x, mut p) = (d1, 2.0, 3.0, [9.0; 5]);
        // SAFETY: three numbers and five.
        unsafe { cblas_drotmg(&mut d1, &mut d2, &mut x, 1.5, p.as_mut_ptr()) };
        assert!(p[0] == -1.0 || d1.is_nan() || d1.is_infinite(), "{p:?}");
    }
}

#[test]
fn letters_are_compared_in_any_case() {
    for (a, b, equal) in [(b'u', b'U', 1), (b'T', b't', 1), (b'N', b'N', 1), (b'N', b'C', 0), (b'[', b'{', 0)] {
        // SAFETY: two letters.
        assert_eq!(unsafe { lsame_(&a, &b) }, equal, "{a} {b}");
    }
}
