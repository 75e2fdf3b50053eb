//! Kernels of `reduce` that write vectors or find the largest magnitude.

use hotloops::Float;
use hotloops::reduce as k;

use super::reduce::{SIDES, arrays, lengths};
use crate::harness::guard::Guarded;
use crate::harness::lengths;
use crate::harness::rng::Rng;

/// Bits, with one NaN for all.
fn bits<T: Float>(x: T) -> u64 {
    if x.partial_cmp(&x).is_none() { u64::MAX } else { x.to_f64().to_bits() }
}

/// Factors of all kinds.
fn factors<T: Float>() -> [[T; 2]; 5] {
    [[0.5, -3.1], [1.0, 0.0], [-0.0, f64::INFINITY], [1e30, 1e-30], [f64::NAN, -1.0]].map(|pair| pair.map(T::from_f64))
}

/// Numbers for all lengths.
fn long<T: Float>(parts: usize, seed: u64) -> Vec<T> {
    let mut rng = Rng(seed);
    (0..parts * lengths::all().max().unwrap_or(0)).map(|_| rng.number(3)).collect()
}

/// `call(kernel, factors, x, y, n)` on `n` elements of `parts` numbers. Both vectors are compared: one that the kernel
/// only reads must not change.
fn updates<T: Float, F: Copy>(parts: usize, reference: F, subject: F, call: impl Fn(F, [T; 2], *mut T, *mut T, usize)) {
    let check = |x: &[T], y: &[T], factors: [T; 2], sides: [usize; 2], slacks: [usize; 2]| {
        let n = x.len() / parts;
        let [mut a, mut b] = [x.to_vec(), y.to_vec()];
        call(reference, factors, a.as_mut_ptr(), b.as_mut_ptr(), n);
        let mut first = Guarded::new(x, SIDES[sides[0]], slacks[0]);
        let mut second = Guarded::new(y, SIDES[sides[1]], slacks[1]);
        call(subject, factors, first.as_mut_ptr(), second.as_mut_ptr(), n);
        for (name, expected, found) in [("x", a, first.to_vec()), ("y", b, second.to_vec())] {
            for (i, (expected, found)) in expected.iter().zip(&found).enumerate() {
                assert_eq!(bits(*expected), bits(*found), "{name}[{i}] of {n}, factors {factors:?}, slacks {slacks:?}");
            }
        }
    };
    for n in lengths() {
        let (xs, ys) = (arrays::<T>(parts * n, n as u64), arrays::<T>(parts * n, 7 + n as u64));
        for (kind, (x, y)) in xs.iter().zip(&ys).enumerate() {
            let slack = [0, 4 + 4 * (n + kind) % 60, 1 + n % 7][(n + kind) % 3];
            check(x, y, factors()[(n + kind) % 5], [kind % 2, n % 2], [slack, 3 * slack % 64]);
        }
    }
    let [x, y] = [6, 7].map(|seed| long::<T>(parts, seed));
    for n in lengths::all() {
        check(&x[..parts * n], &y[..parts * n], factors()[0], [n % 2, n / 2 % 2], [n % 5, n % 3]);
    }
    // No elements: a null pointer is legal.
    call(subject, factors()[0], std::ptr::null_mut(), std::ptr::null_mut(), 0);
}

/// `call(kernel, x, n)` on elements of `parts` numbers: maxima anywhere and repeated, one NaN or two.
fn maxima<T: Float, F: Copy>(parts: usize, reference: F, subject: F, call: impl Fn(F, *const T, usize) -> usize) {
    let check = |x: &[T], side: usize, slack: usize| {
        let n = x.len() / parts;
        let input = Guarded::new(x, SIDES[side], slack);
        assert_eq!(call(subject, input.as_ptr(), n), call(reference, x.as_ptr(), n), "of {n}: {x:?}");
    };
    for n in lengths() {
        for (kind, x) in arrays::<T>(parts * n, n as u64).iter().enumerate() {
            check(x, (n + kind) % 2, [0, 4 + 4 * (n + kind) % 60, 1 + n % 7][(n + kind) % 3]);
        }
    }
    let (mut rng, random) = (Rng(9), long::<T>(parts, 8));
    // Each block has a larger one; all are equal.
    let ascending: Vec<T> = (0..random.len()).map(|i| T::from_f64(i as f64)).collect();
    let equal = vec![-T::ONE; random.len()];
    for n in lengths::all().filter(|&n| n > 0) {
        let mut x = random[..parts * n].to_vec();
        for special in [9.0, -9.0, f64::INFINITY, f64::INFINITY, f64::NAN, f64::NAN] {
            x[rng.index(parts * n)] = T::from_f64(special);
            if n < 300 || special.is_nan() {
                check(&x, n % 2, n % 5);
            }
        }
        check(&ascending[..parts * n], n % 2, n % 7);
        check(&equal[..parts * n], n % 2, n % 3);
    }
    assert_eq!(call(subject, std::ptr::null(), 0), 0);
}

pub fn swap_u32(reference: k::swap_u32::Function, subject: k::swap_u32::Function) {
    // Signaling NaN must not change, so that the words are not compared as floats.
    let words = |n: usize, seed| {
        let mut rng = Rng(seed);
        (0..n).map(|_| rng.word() as u32).collect::<Vec<_>>()
    };
    for n in lengths().chain(lengths::all()) {
        let (x, y) = (words(n, n as u64), words(n, 1 + n as u64));
        let [mut a, mut b] = [x.clone(), y.clone()];
        let mut first = Guarded::new(&x, SIDES[n % 2], n % 9);
        let mut second = Guarded::new(&y, SIDES[n / 2 % 2], n % 5);
        // SAFETY: n words each.
        unsafe {
            reference(a.as_mut_ptr(), b.as_mut_ptr(), n);
            subject(first.as_mut_ptr(), second.as_mut_ptr(), n);
        }
        assert_eq!((first.to_vec(), second.to_vec()), (a, b), "of {n}");
    }
}

/// `call(kernel, x, y, n, sums)` on elements of `parts` numbers.
fn dots<T: Float, F: Copy>(
    parts: usize,
    reference: F,
    subject: F,
    call: impl Fn(F, *const T, *const T, usize, *mut T),
) {
    let check = |x: &[T], y: &[T], sides: [usize; 2], slacks: [usize; 2]| {
        let n = x.len() / parts;
        let mut expected = [T::ONE; 2];
        call(reference, x.as_ptr(), y.as_ptr(), n, expected.as_mut_ptr());
        let [first, second] = [(x, 0), (y, 1)].map(|(x, i)| Guarded::new(x, SIDES[sides[i]], slacks[i]));
        let mut sums = Guarded::new(&[T::ONE; 2], SIDES[n % 2], n % 5);
        call(subject, first.as_ptr(), second.as_ptr(), n, sums.as_mut_ptr());
        // A NaN of a sum has no payload.
        let bits = |sums: &[T]| sums.iter().map(|x| x.to_f64().to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&sums.to_vec()), bits(&expected), "of {n}, slacks {slacks:?}");
    };
    for n in lengths() {
        let (xs, ys) = (arrays::<T>(parts * n, n as u64), arrays::<T>(parts * n, 7 + n as u64));
        for (kind, (x, y)) in xs.iter().zip(&ys).enumerate() {
            let slack = [0, 4 + 4 * (n + kind) % 60, 1 + n % 7][(n + kind) % 3];
            check(x, y, [kind % 2, n % 2], [slack, 3 * slack % 64]);
        }
    }
    let [x, y] = [6, 7].map(|seed| long::<T>(parts, seed));
    for n in lengths::all() {
        check(&x[..parts * n], &y[..parts * n], [n % 2, n / 2 % 2], [n % 5, n % 3]);
    }
    let mut sums = [T::ONE; 2];
    call(subject, std::ptr::null(), std::ptr::null(), 0, sums.as_mut_ptr());
    assert_eq!(sums, [T::ZERO; 2]);
}

macro_rules! cases {
    ($type:ident $axpy:ident $scal:ident $rot:ident $amax:ident $axpy_complex:ident $scal_complex:ident
     $amax_complex:ident $dot_pairs:ident $dot_crossed:ident) => {
        pub fn $dot_pairs(reference: k::$dot_pairs::Function, subject: k::$dot_pairs::Function) {
            // SAFETY: n elements each, two sums.
            dots(1, reference, subject, |kernel, x, y, n, sums| unsafe { kernel(x, y, n, sums) });
        }

        pub fn $dot_crossed(reference: k::$dot_crossed::Function, subject: k::$dot_crossed::Function) {
            // SAFETY: n pairs each, two sums.
            dots(2, reference, subject, |kernel, x, y, n, sums| unsafe { kernel(x, y, n, sums) });
        }

        pub fn $axpy(reference: k::$axpy::Function, subject: k::$axpy::Function) {
            // SAFETY: n elements each.
            updates(1, reference, subject, |kernel, [alpha, _], x, y, n| unsafe { kernel(alpha, x, y, n) });
        }

        pub fn $scal(reference: k::$scal::Function, subject: k::$scal::Function) {
            // SAFETY: n elements each.
            updates(1, reference, subject, |kernel, [alpha, _], x, _, n| unsafe { kernel(alpha, x, n) });
        }

        pub fn $rot(reference: k::$rot::Function, subject: k::$rot::Function) {
            // SAFETY: n elements each.
            updates(1, reference, subject, |kernel, [c, s], x, y, n| unsafe { kernel(c, s, x, y, n) });
        }

        pub fn $amax(reference: k::$amax::Function, subject: k::$amax::Function) {
            // SAFETY: n elements each.
            maxima::<$type, _>(1, reference, subject, |kernel, x, n| unsafe { kernel(x, n) });
        }

        pub fn $axpy_complex(reference: k::$axpy_complex::Function, subject: k::$axpy_complex::Function) {
            // SAFETY: n elements each.
            updates(2, reference, subject, |kernel, [re, im], x, y, n| unsafe { kernel(re, im, x, y, n) });
        }

        pub fn $scal_complex(reference: k::$scal_complex::Function, subject: k::$scal_complex::Function) {
            // SAFETY: n elements each.
            updates(2, reference, subject, |kernel, [re, im], x, _, n| unsafe { kernel(re, im, x, n) });
        }

        pub fn $amax_complex(reference: k::$amax_complex::Function, subject: k::$amax_complex::Function) {
            // SAFETY: n elements each.
            maxima::<$type, _>(2, reference, subject, |kernel, x, n| unsafe { kernel(x, n) });
        }
    };
}
cases! { f32 axpy_f32 scal_f32 rot_f32 amax_f32 axpy_complex_f32 scal_complex_f32 amax_complex_f32
dot_pairs_f32 dot_crossed_f32 }
cases! { f64 axpy_f64 scal_f64 rot_f64 amax_f64 axpy_complex_f64 scal_complex_f64 amax_complex_f64
dot_pairs_f64 dot_crossed_f64 }
