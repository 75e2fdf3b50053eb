//! The bits of BLAS's vector routines against plain loops: every length, stride and type, and numbers at the edges of
//! the types. The library's code is the one that `blas_exits` includes.
#![cfg(all(target_os = "linux", feature = "libc"))]

use std::ffi::c_int;
use std::fmt::Debug;

use crate::rng::Rng;

/// A real type, and its lanes in sums.
trait Real: Copy + Debug + PartialOrd + Default + std::ops::Add<Output = Self> + 'static {
    const LANES: usize;
    fn is_nan(self) -> bool;
    fn same(self, other: Self) -> bool;
    fn random(rng: &mut Rng, special: bool) -> Self;
}

macro_rules! real {
    ($($real:ident $lanes:literal;)+) => {$(
        impl Real for $real {
            const LANES: usize = $lanes;
            fn is_nan(self) -> bool {
                self.is_nan()
            }
            /// Equal bits; a NaN equals any other.
            fn same(self, other: $real) -> bool {
                self.to_bits() == other.to_bits() || self.is_nan() && other.is_nan()
            }
            fn random(rng: &mut Rng, special: bool) -> $real {
                const SPECIAL: [$real; 9] = [
                    0.0, -0.0, 1.0, $real::INFINITY, -$real::INFINITY, $real::NAN, $real::MAX,
                    $real::MIN_POSITIVE / 8.0, -$real::MIN_POSITIVE,
                ];
                match rng.index(3) {
                    0 if special => SPECIAL[rng.index(SPECIAL.len())],
                    _ => ((rng.real(2.0) - 1.0) * (rng.real(8.0) - 4.0).exp2()) as $real,
                }
            }
        }
    )+};
}
real! { f32 64; f64 32; }

/// Lengths; around the vectors of all instruction sets and their unrolled loops.
const LENGTHS: [c_int; 15] = [-1, 0, 1, 2, 3, 4, 7, 8, 15, 16, 33, 64, 100, 131, 1100];
const STRIDES: [[c_int; 2]; 9] = [[1, 1], [1, 2], [2, 1], [2, 2], [-1, 1], [1, -2], [-3, -1], [0, 1], [3, 0]];

/// The order of sums: lanes from -0 on, then halves.
fn lanes<R: Real>(negative_zero: R, terms: impl Iterator<Item = R>) -> R {
    let mut lanes = vec![negative_zero; R::LANES];
    let mut n = 0;
    for (i, term) in terms.enumerate() {
        lanes[i % R::LANES] = lanes[i % R::LANES] + term;
        n = i + 1;
    }
    while lanes.len() > 1 {
        let half = lanes.len() / 2;
        lanes = (0..half).map(|l| lanes[l] + lanes[l + half]).collect();
    }
    if n == 0 { R::default() } else { lanes[0] }
}

/// The index in memory of element i of `n`.
fn at(n: c_int, stride: c_int, i: usize) -> usize {
    let i = i as isize - if stride < 0 { n as isize - 1 } else { 0 };
    (i * stride as isize) as usize
}

/// Runs a step for the elements of two vectors in order.
fn each<T: Copy>(n: c_int, (x, y): (&mut [T], &mut [T]), [incx, incy]: [c_int; 2], step: impl Fn(T, T) -> (T, T)) {
    for i in 0..n.max(0) as usize {
        let (a, b) = (at(n, incx, i), at(n, incy, i));
        (x[a], y[b]) = step(x[a], y[b]);
    }
}

/// The elements of a vector in order.
fn elements<T: Copy>(n: c_int, x: &[T], incx: c_int) -> Vec<T> {
    (0..n.max(0) as usize).map(|i| x[at(n, incx, i)]).collect()
}

fn vector<T>(rng: &mut Rng, n: c_int, stride: c_int, special: bool, random: impl Fn(&mut Rng, bool) -> T) -> Vec<T> {
    let len = (n.max(1) - 1) * stride.abs() + 2;
    (0..len).map(|_| random(rng, special)).collect()
}

/// The first of best magnitude, or the first NaN.
fn extreme<R: Real>(sizes: &[R], is_better: impl Fn(R, R) -> bool) -> Option<usize> {
    if let Some(nan) = sizes.iter().position(|size| size.is_nan()) {
        return Some(nan);
    }
    (0..sizes.len()).find(|&i| sizes.iter().all(|&other| !is_better(other, sizes[i])))
}

/// Tests of a real type and its complex type.
macro_rules! vectors {
    ($module:ident $real:ident $s:literal $c:literal $sc:literal $cs:literal) => {
        mod $module {
            use super::*;

            type Complex = [$real; 2];

            unsafe extern "C" {
                #[link_name = concat!("cblas_", $s, "dot")]
                fn dot(n: c_int, x: *const $real, incx: c_int, y: *const $real, incy: c_int) -> $real;
                #[link_name = concat!("cblas_", $s, "sum")]
                fn sum(n: c_int, x: *const $real, incx: c_int) -> $real;
                #[link_name = concat!("cblas_", $s, "asum")]
                fn asum(n: c_int, x: *const $real, incx: c_int) -> $real;
                #[link_name = concat!("cblas_", $s, "nrm2")]
                fn nrm2(n: c_int, x: *const $real, incx: c_int) -> $real;
                #[link_name = concat!("cblas_i", $s, "amax")]
                fn amax(n: c_int, x: *const $real, incx: c_int) -> usize;
                #[link_name = concat!("cblas_i", $s, "amin")]
                fn amin(n: c_int, x: *const $real, incx: c_int) -> usize;
                #[link_name = concat!("i", $s, "amax_")]
                fn amax_fortran(n: *const c_int, x: *const $real, incx: *const c_int) -> c_int;
                #[link_name = concat!("cblas_", $s, "axpy")]
                fn axpy(n: c_int, alpha: $real, x: *const $real, incx: c_int, y: *mut $real, incy: c_int);
                #[link_name = concat!($s, "axpy_")]
                fn axpy_fortran(
                    n: *const c_int,
                    alpha: *const $real,
                    x: *const $real,
                    incx: *const c_int,
                    y: *mut $real,
                    incy: *const c_int,
                );
                #[link_name = concat!("cblas_", $s, "axpby")]
                fn axpby(n: c_int, alpha: $real, x: *const $real, incx: c_int, beta: $real, y: *mut $real, incy: c_int);
                #[link_name = concat!("cblas_", $s, "scal")]
                fn scal(n: c_int, alpha: $real, x: *mut $real, incx: c_int);
                #[link_name = concat!("cblas_", $s, "copy")]
                fn copy(n: c_int, x: *const $real, incx: c_int, y: *mut $real, incy: c_int);
                #[link_name = concat!("cblas_", $s, "swap")]
                fn swap(n: c_int, x: *mut $real, incx: c_int, y: *mut $real, incy: c_int);
                #[link_name = concat!("cblas_", $s, "rot")]
                fn rot(n: c_int, x: *mut $real, incx: c_int, y: *mut $real, incy: c_int, c: $real, s: $real);
                #[link_name = concat!("cblas_", $s, "rotm")]
                fn rotm(n: c_int, x: *mut $real, incx: c_int, y: *mut $real, incy: c_int, p: *const $real);

                #[link_name = concat!("cblas_", $c, "dotu_sub")]
                fn dotu(n: c_int, x: *const Complex, incx: c_int, y: *const Complex, incy: c_int, to: *mut Complex);
                #[link_name = concat!("cblas_", $c, "dotc_sub")]
                fn dotc(n: c_int, x: *const Complex, incx: c_int, y: *const Complex, incy: c_int, to: *mut Complex);
                #[link_name = concat!("cblas_", $sc, "sum")]
                fn csum(n: c_int, x: *const Complex, incx: c_int) -> $real;
                #[link_name = concat!("cblas_", $sc, "asum")]
                fn casum(n: c_int, x: *const Complex, incx: c_int) -> $real;
                #[link_name = concat!("cblas_", $sc, "nrm2")]
                fn cnrm2(n: c_int, x: *const Complex, incx: c_int) -> $real;
                #[link_name = concat!("cblas_i", $c, "amax")]
                fn camax(n: c_int, x: *const Complex, incx: c_int) -> usize;
                #[link_name = concat!("cblas_i", $c, "amin")]
                fn camin(n: c_int, x: *const Complex, incx: c_int) -> usize;
                #[link_name = concat!("cblas_", $s, "cabs1")]
                fn cabs1(z: *const Complex) -> $real;
                #[link_name = concat!("cblas_", $c, "axpy")]
                fn caxpy(n: c_int, a: *const Complex, x: *const Complex, incx: c_int, y: *mut Complex, incy: c_int);
                #[link_name = concat!("cblas_", $c, "axpby")]
                fn caxpby(
                    n: c_int,
                    a: *const Complex,
                    x: *const Complex,
                    incx: c_int,
                    b: *const Complex,
                    y: *mut Complex,
                    incy: c_int,
                );
                #[link_name = concat!("cblas_", $c, "scal")]
                fn cscal(n: c_int, alpha: *const Complex, x: *mut Complex, incx: c_int);
                #[link_name = concat!("cblas_", $cs, "scal")]
                fn csscal(n: c_int, alpha: $real, x: *mut Complex, incx: c_int);
                #[link_name = concat!("cblas_", $c, "copy")]
                fn ccopy(n: c_int, x: *const Complex, incx: c_int, y: *mut Complex, incy: c_int);
                #[link_name = concat!("cblas_", $c, "swap")]
                fn cswap(n: c_int, x: *mut Complex, incx: c_int, y: *mut Complex, incy: c_int);
                #[link_name = concat!("cblas_", $cs, "rot")]
                fn csrot(n: c_int, x: *mut Complex, incx: c_int, y: *mut Complex, incy: c_int, c: $real, s: $real);
            }

            fn times(a: Complex, b: Complex) -> Complex {
                [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
            }

            fn plus(a: Complex, b: Complex) -> Complex {
                [a[0] + b[0], a[1] + b[1]]
            }

            fn all_same(a: &[$real], b: &[$real]) -> bool {
                a.iter().zip(b).all(|(a, b)| a.same(*b))
            }

            fn random_complex(rng: &mut Rng, special: bool) -> Complex {
                [$real::random(rng, special), $real::random(rng, special)]
            }

            /// The factors: some, one and zero.
            fn factor(rng: &mut Rng) -> $real {
                [0.0, 1.0, -1.0, $real::random(rng, false), $real::random(rng, true)][rng.index(5)]
            }

            /// Runs a routine and its loop on copies of two vectors, whose elements are then equal.
            fn compare<T: Copy, const N: usize>(
                name: &str,
                n: c_int,
                strides: [c_int; 2],
                (x, y): (&[T], &[T]),
                flat: impl Fn(&T) -> [$real; N],
                routine: impl FnOnce(*mut T, *mut T),
                step: impl Fn(T, T) -> (T, T),
            ) {
                let [mut xs, mut ys] = [x, y].map(<[T]>::to_vec);
                routine(xs.as_mut_ptr(), ys.as_mut_ptr());
                let [mut x, mut y] = [x, y].map(<[T]>::to_vec);
                each(n, (&mut x, &mut y), strides, step);
                let flat = |x: &[T]| x.iter().flat_map(&flat).collect::<Vec<_>>();
                let is_same = all_same(&flat(&xs), &flat(&x)) && all_same(&flat(&ys), &flat(&y));
                assert!(is_same, "{name}, n {n}, strides {strides:?}");
            }

            #[test]
            fn real_vectors_equal_plain_loops() {
                let mut rng = Rng(1);
                for n in LENGTHS {
                    for ([incx, incy], special) in STRIDES.into_iter().flat_map(|s| [(s, false), (s, true)]) {
                        let x = vector(&mut rng, n, incx, special, $real::random);
                        let y = vector(&mut rng, n, incy, special, $real::random);
                        let (a, b, h) = (factor(&mut rng), factor(&mut rng), [(); 4].map(|()| factor(&mut rng)));
                        let run = |name, routine: &dyn Fn(*mut $real, *mut $real), step: &dyn Fn($real, $real) -> _| {
                            compare(name, n, [incx, incy], (&x, &y), |&x| [x], routine, step);
                        };
                        let axpy_step = |x, y| (x, if a == 0.0 { y } else { y + a * x });
                        // SAFETY: the vectors have their elements, here and below.
                        unsafe {
                            run("axpy", &|x, y| axpy(n, a, x, incx, y, incy), &axpy_step);
                            run("axpy_", &|x, y| axpy_fortran(&n, &a, x, &incx, y, &incy), &axpy_step);
                            run("axpby", &|x, y| axpby(n, a, x, incx, b, y, incy), &|x, y| {
                                (
                                    x,
                                    match (a, b) {
                                        (0.0, 0.0) => 0.0,
                                        (0.0, _) => b * y,
                                        (_, 0.0) => a * x,
                                        _ => a * x + b * y,
                                    },
                                )
                            });
                            run("copy", &|x, y| copy(n, x, incx, y, incy), &|x, _| (x, x));
                            run("swap", &|x, y| swap(n, x, incx, y, incy), &|x, y| (y, x));
                            run("rot", &|x, y| rot(n, x, incx, y, incy, a, b), &|x, y| (a * x + b * y, a * y - b * x));
                            let skip = incx <= 0 || a == 1.0;
                            run("scal", &|x, _| scal(n, a, x, incx), &|x, y| (if skip { x } else { a * x }, y));
                            for flag in [-2.0, -1.0, 0.0, 1.0] {
                                let p = [flag, h[0], h[1], h[2], h[3]];
                                run("rotm", &|x, y| rotm(n, x, incx, y, incy, p.as_ptr()), &|x, y| match flag {
                                    -2.0 => (x, y),
                                    -1.0 => (x * h[0] + y * h[2], x * h[1] + y * h[3]),
                                    0.0 => (x + y * h[2], x * h[1] + y),
                                    _ => (x * h[0] + y, -x + h[3] * y),
                                });
                            }
                            let (us, vs) = (elements(n, &x, incx), elements(n, &y, incy));
                            let found = dot(n, x.as_ptr(), incx, y.as_ptr(), incy);
                            let expected = lanes(-0.0, us.iter().zip(&vs).map(|(x, y)| x * y));
                            assert!(found.same(expected), "dot, n {n}, strides {incx} {incy}: {found} {expected}");
                            let none = n < 1 || incx < 1;
                            let zero = |sum: $real| if none { 0.0 } else { sum };
                            let expected = zero(lanes(-0.0, us.iter().copied()));
                            assert!(sum(n, x.as_ptr(), incx).same(expected), "sum, n {n}, stride {incx}");
                            let expected = zero(lanes(-0.0, us.iter().map(|x| x.abs())));
                            assert!(asum(n, x.as_ptr(), incx).same(expected), "asum, n {n}, stride {incx}");
                            let sizes: Vec<_> = us.iter().map(|x| x.abs()).collect();
                            let max = extreme(&sizes, |a, b| a > b).filter(|_| !none);
                            let min = extreme(&sizes, |a, b| a < b).filter(|_| !none);
                            assert_eq!(amax(n, x.as_ptr(), incx), max.unwrap_or(0), "n {n}, stride {incx} {us:?}");
                            assert_eq!(amin(n, x.as_ptr(), incx), min.unwrap_or(0), "n {n}, stride {incx} {us:?}");
                            let expected = max.map_or(0, |i| i as c_int + 1);
                            assert_eq!(amax_fortran(&n, x.as_ptr(), &incx), expected, "n {n}, stride {incx}");
                        }
                    }
                }
            }

            #[test]
            fn complex_vectors_equal_plain_loops() {
                let mut rng = Rng(2);
                for n in LENGTHS {
                    for ([incx, incy], special) in STRIDES.into_iter().flat_map(|s| [(s, false), (s, true)]) {
                        let x = vector(&mut rng, n, incx, special, random_complex);
                        let y = vector(&mut rng, n, incy, special, random_complex);
                        let [a, b] = [(); 2].map(|()| [factor(&mut rng), factor(&mut rng)]);
                        let run = |name,
                                   routine: &dyn Fn(*mut Complex, *mut Complex),
                                   step: &dyn Fn(Complex, Complex) -> _| {
                            compare(name, n, [incx, incy], (&x, &y), |&x| x, routine, step);
                        };
                        let (zero, one) = ([0.0; 2], [1.0, 0.0]);
                        let scaled = |a: $real, z: Complex| z.map(|x| a * x);
                        // SAFETY: the vectors have their elements, here and below.
                        unsafe {
                            run("axpy", &|x, y| caxpy(n, &a, x, incx, y, incy), &|x, y| {
                                (x, if a == zero { y } else { plus(y, times(a, x)) })
                            });
                            run("axpby", &|x, y| caxpby(n, &a, x, incx, &b, y, incy), &|x, y| {
                                (
                                    x,
                                    match (a == zero, b == zero) {
                                        (true, true) => zero,
                                        (true, false) => times(b, y),
                                        (false, true) => times(a, x),
                                        _ => plus(times(a, x), times(b, y)),
                                    },
                                )
                            });
                            run("copy", &|x, y| ccopy(n, x, incx, y, incy), &|x, _| (x, x));
                            run("swap", &|x, y| cswap(n, x, incx, y, incy), &|x, y| (y, x));
                            run("rot", &|x, y| csrot(n, x, incx, y, incy, a[0], b[0]), &|x, y| {
                                let minus = |x: Complex| x.map(|x| -x);
                                (plus(scaled(a[0], x), scaled(b[0], y)), plus(scaled(a[0], y), minus(scaled(b[0], x))))
                            });
                            let skip = incx <= 0 || a == one;
                            run("scal", &|x, _| cscal(n, &a, x, incx), &|x, y| (if skip { x } else { times(a, x) }, y));
                            let skip = incx <= 0 || a[0] == 1.0;
                            run("sscal", &|x, _| csscal(n, a[0], x, incx), &|x, y| {
                                (if skip { x } else { scaled(a[0], x) }, y)
                            });
                            let (us, vs) = (elements(n, &x, incx), elements(n, &y, incy));
                            let part = |p: usize, q: usize| lanes(-0.0, us.iter().zip(&vs).map(|(x, y)| x[p] * y[q]));
                            let [rr, ii, ri, ir] = [part(0, 0), part(1, 1), part(0, 1), part(1, 0)];
                            let mut found = zero;
                            dotu(n, x.as_ptr(), incx, y.as_ptr(), incy, &mut found);
                            assert!(all_same(&found, &[rr - ii, ri + ir]), "dotu, n {n}, strides {incx} {incy}");
                            dotc(n, x.as_ptr(), incx, y.as_ptr(), incy, &mut found);
                            assert!(all_same(&found, &[rr + ii, ri - ir]), "dotc, n {n}, strides {incx} {incy}");
                            let none = n < 1 || incx < 1;
                            let zero = |sum: $real| if none { 0.0 } else { sum };
                            let parts = || us.iter().flatten().copied();
                            let expected = zero(lanes(-0.0, parts()));
                            assert!(csum(n, x.as_ptr(), incx).same(expected), "sum, n {n}, stride {incx}");
                            let expected = zero(lanes(-0.0, parts().map(|x| x.abs())));
                            assert!(casum(n, x.as_ptr(), incx).same(expected), "asum, n {n}, stride {incx}");
                            let all: Vec<_> = parts().collect();
                            let expected = nrm2(all.len() as c_int, all.as_ptr(), 1);
                            assert!(cnrm2(n, x.as_ptr(), incx).same(expected), "nrm2, n {n}, stride {incx}");
                            let sizes: Vec<_> = us.iter().map(|x| x[0].abs() + x[1].abs()).collect();
                            let max = extreme(&sizes, |a, b| a > b).filter(|_| !none).unwrap_or(0);
                            let min = extreme(&sizes, |a, b| a < b).filter(|_| !none).unwrap_or(0);
                            assert_eq!(camax(n, x.as_ptr(), incx), max, "n {n}, stride {incx} {us:?}");
                            assert_eq!(camin(n, x.as_ptr(), incx), min, "n {n}, stride {incx} {us:?}");
                            assert!(us.iter().zip(&sizes).all(|(z, &size)| cabs1(z).same(size)));
                        }
                    }
                }
            }

            /// The norm is within an ulp and a half of that in more bits, where squares overflow or underflow too, and
            /// does not depend on the stride.
            #[test]
            fn norms_are_right_at_all_scales() {
                let mut rng = Rng(3);
                let least = $real::MIN_EXP - $real::MANTISSA_DIGITS as i32;
                for e in (least..$real::MAX_EXP - 6).step_by(17) {
                    let scale = f64::from(e);
                    let mantissas: Vec<f64> = (0..70).map(|_| rng.real(2.0) - 1.0).collect();
                    let x: Vec<_> = mantissas.iter().map(|m| (m * scale.exp2()) as $real).collect();
                    // In units of the scale, the squares are exact enough.
                    let units = x.iter().map(|&x| f64::from(x) / scale.max(-1022.0).exp2());
                    let expected = units.map(|x| x * x).sum::<f64>().sqrt() * scale.max(-1022.0).exp2();
                    // SAFETY: 70 elements.
                    let found = f64::from(unsafe { nrm2(70, x.as_ptr(), 1) });
                    let ulp = f64::from($real::EPSILON) * expected;
                    let last = f64::from($real::from_bits(1));
                    assert!((found - expected).abs() <= (3.0 * ulp).max(last), "2^{e}: {found} {expected}");
                    let twice: Vec<_> = x.iter().flat_map(|&x| [x, $real::NAN]).collect();
                    // SAFETY: 140 elements.
                    assert_eq!(f64::from(unsafe { nrm2(70, twice.as_ptr(), 2) }), found, "2^{e}");
                }
                for special in [[1.0, $real::INFINITY], [$real::INFINITY, 0.0]] {
                    // SAFETY: two elements.
                    assert_eq!(unsafe { nrm2(2, special.as_ptr(), 1) }, $real::INFINITY);
                }
                // SAFETY: two elements.
                assert!(unsafe { nrm2(2, [$real::NAN, $real::INFINITY].as_ptr(), 1) }.is_nan());
            }
        }
    };
}
vectors! { single f32 "s" "c" "sc" "cs" }
vectors! { double f64 "d" "z" "dz" "zd" }
