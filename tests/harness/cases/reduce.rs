use std::cell::RefCell;
use std::collections::HashMap;

use hotloops::Float;
use hotloops::reduce::binned_f32::Function as Binned32;
use hotloops::reduce::binned_f64::Function as Binned64;
use hotloops::reduce::column_sums_f32::Function as ColumnSums32;
use hotloops::reduce::column_sums_f64::Function as ColumnSums64;
use hotloops::reduce::dot_f32::Function as Dot32;
use hotloops::reduce::dot_f64::Function as Dot64;
use hotloops::reduce::exact_f32::Function as Exact32;
use hotloops::reduce::products_f32::Function as Products32;
use hotloops::reduce::products_f64::Function as Products64;
use hotloops::reduce::sum_f32::Function as Sum32;
use hotloops::reduce::sum_f64::Function as Sum64;

use crate::harness::guard::{Guarded, Side};
use crate::harness::lengths::{self, Ends};
use crate::harness::rng::Rng;

pub use super::vectors::*;

pub(super) const SIDES: [Side; 2] = [Side::Start, Side::End];

impl Rng {
    /// Between -1 and 1, times a power of two of up to `spread` either way.
    pub fn number<T: Float>(&mut self, spread: i32) -> T {
        let unit = (self.word() >> 11) as f64 * (-52f64).exp2() - 1.0;
        let exponent = (self.word() % (2 * spread as u64 + 1)) as i32 - spread;
        T::from_f64(unit * f64::from(exponent).exp2())
    }
}

/// Lengths around whole blocks of every size.
pub(super) fn lengths() -> impl Iterator<Item = usize> {
    (0..140).chain([
        159, 160, 161, 191, 192, 193, 255, 256, 257, 258, 300, 319, 320, 383, 384, 511, 512, 513, 515, 600, 633, 700,
        1027,
    ])
}

/// Ordinary values of all magnitudes, then also signed zeros, denormal numbers, values that
/// overflow, infinities, NaN.
pub(super) fn arrays<T: Float>(n: usize, seed: u64) -> Vec<Vec<T>> {
    let mut rng = Rng(seed);
    let (tiny, huge) = match size_of::<T>() {
        4 => (f64::from(f32::from_bits(1)), f64::from(f32::MAX)),
        _ => (f64::from_bits(1), f64::MAX),
    };
    let mut arrays =
        vec![(0..n).map(|_| rng.number(0)).collect(), (0..n).map(|_| rng.number(30)).collect(), vec![-T::ZERO; n]];
    let special =
        [0.0, -0.0, tiny, -3.0 * tiny, huge, -huge, huge / 2.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -f64::NAN];
    for kinds in [4, 7, 8, 9, 11] {
        let every = [1, 3, 17][kinds % 3];
        let pick = |i| if i % every == 0 { T::from_f64(special[rng.word() as usize % kinds]) } else { rng.number(2) };
        arrays.push((0..n).map(pick).collect());
    }
    // One non-finite number at any index.
    if n > 0 {
        let mut one = arrays[0].clone();
        one[rng.word() as usize % n] = T::from_f64(f64::INFINITY);
        arrays.push(one);
    }
    arrays
}

thread_local! {
    /// Cache of the references' results for all lengths. The references are slow, and every variant
    /// uses the same results.
    static EXPECTED: RefCell<HashMap<usize, Vec<u64>>> = RefCell::default();
}

/// `call(kernel, x, y, n)` at all lengths, with an inaccessible page on either side.
fn every_length<T: Float, F: Copy>(reference: F, subject: F, call: impl Fn(F, *const T, *const T, usize) -> T) {
    let longest = lengths::all().max().unwrap();
    let mut rng = Rng(6);
    let [x, y] = [(); 2].map(|()| Ends::new(&(0..longest).map(|_| rng.number::<T>(3)).collect::<Vec<_>>()));
    let sides = |n| if n % 2 == 0 { SIDES } else { [Side::End, Side::Start] };
    let run = |kernel, n| {
        let [first, second] = sides(n);
        call(kernel, x.part(first, n), y.part(second, n), n).to_f64().to_bits()
    };
    // SAFETY: a function pointer is a word.
    let key = unsafe { std::mem::transmute_copy(&reference) };
    EXPECTED.with_borrow_mut(|expected| {
        let expected = expected.entry(key).or_insert_with(|| lengths::all().map(|n| run(reference, n)).collect());
        for (n, &bits) in lengths::all().zip(expected.iter()) {
            assert_eq!(run(subject, n), bits, "of {n}, {:?}", sides(n));
        }
    });
}

fn same<T: Float>(expected: T, found: T, what: &str, n: usize) {
    let [a, b] = [expected, found].map(|x| x.to_f64().to_bits());
    assert_eq!(a, b, "{what} of {n}: {expected:?} expected, {found:?} found");
}

/// `call(kernel, x, n)`.
fn unary<T: Float, F: Copy>(reference: F, subject: F, call: impl Fn(F, *const T, usize) -> T) {
    for n in lengths() {
        for (kind, x) in arrays::<T>(n, n as u64).iter().enumerate() {
            let expected = call(reference, x.as_ptr(), n);
            for side in SIDES {
                for slack in [0, 4 + 4 * (n + kind) % 60, 1 + n % 7] {
                    let input = Guarded::new(x, side, slack);
                    same(expected, call(subject, input.as_ptr(), n), &format!("array {kind}, {side:?}, {slack}"), n);
                }
            }
        }
    }
    every_length(reference, subject, |kernel, x, _, n| call(kernel, x, n));
    // No elements: a null pointer is legal.
    same(T::ZERO, call(subject, std::ptr::null(), 0), "nothing", 0);
}

/// `call(kernel, x, y, n)`.
fn binary<T: Float, F: Copy>(reference: F, subject: F, call: impl Fn(F, *const T, *const T, usize) -> T) {
    for n in lengths() {
        for (kind, (x, mut y)) in arrays::<T>(n, n as u64).iter().zip(arrays(n, 7 + n as u64)).enumerate() {
            // Make every product of zeros -0.
            if kind == 2 {
                y.fill(T::from_f64(1.0));
            }
            let expected = call(reference, x.as_ptr(), y.as_ptr(), n);
            for side in SIDES {
                let slack = [0, 4 + 4 * (n + kind) % 60, 1 + n % 7][(n + kind) % 3];
                let (first, second) = (Guarded::new(x, side, slack), Guarded::new(&y, side, 3 * slack % 64));
                let found = call(subject, first.as_ptr(), second.as_ptr(), n);
                same(expected, found, &format!("arrays {kind}, {side:?}, {slack}"), n);
            }
        }
    }
    let mut rng = Rng(4);
    // Two orders of addition seldom give different bits: many sums are needed.
    for n in (0..140).cycle().take(8 * 140) {
        let (x, y): (Vec<T>, Vec<T>) = (0..n).map(|_| (rng.number::<T>(3), rng.number::<T>(3))).unzip();
        let [a, b] = [reference, subject].map(|kernel| call(kernel, x.as_ptr(), y.as_ptr(), n));
        same(a, b, "arrays", n);
    }
    every_length(reference, subject, &call);
    same(T::ZERO, call(subject, std::ptr::null(), std::ptr::null(), 0), "nothing", 0);
}

/// Magnitudes up to and beyond the limit of each exponent, ties, and numbers below all quanta.
fn binned<T: Float, F: Copy>(
    exponents: &[i32],
    reference: F,
    subject: F,
    call: impl Fn(F, *const T, usize, i32, *mut i64) -> u32,
) {
    let mut rng = Rng(5);
    for &exponent in exponents {
        for n in (0..70).chain([127, 128, 129, 255, 256, 300, 1000]) {
            for kind in 0..8 {
                let top = exponent + 119;
                let number = |i: usize| {
                    // If 2^top overflows f32, no finite number exceeds the limit.
                    let power = |e: i32| f64::from(e.clamp(-1074, 1023)).exp2();
                    let unit = (rng.word() >> 11) as f64 * (-52f64).exp2() - 1.0;
                    let below = (rng.word() % 130) as i32;
                    match kind {
                        0 => unit * power(top),
                        1 | 5..=7 => unit * power(top - below),
                        // Halves of all quanta, and next to them.
                        2 => ((rng.word() % 64) as f64 - 31.5) * power(exponent + [40, 80][i % 2]),
                        3 => {
                            ((rng.word() % 64) as f64 - 31.5)
                                * power(exponent)
                                * if i.is_multiple_of(2) { 1.0 } else { 1.0 + f64::EPSILON }
                        }
                        _ => {
                            if i.is_multiple_of(2) {
                                0.0
                            } else {
                                -0.0
                            }
                        }
                    }
                };
                let mut x: Vec<T> = (0..n).map(number).map(T::from_f64).collect();
                // One number that is too large, barely small enough, or not finite.
                let one = [power(top), -power(top), f64::NAN, f64::INFINITY, power(top) * (1.0 - f64::EPSILON)];
                if kind >= 5 && n > 0 {
                    x[rng.word() as usize % n] = T::from_f64(one[(n + kind) % 5]);
                }
                let mut expected = [rng.word() as i64 >> 8, 0, -5];
                let mut sums = Guarded::new(&expected, SIDES[n % 2], n % 9);
                let input = Guarded::new(&x, SIDES[(n + kind) % 2], [0, 4, 1, 20][kind % 4]);
                let done = call(reference, x.as_ptr(), n, exponent, expected.as_mut_ptr());
                let found = call(subject, input.as_ptr(), n, exponent, sums.as_mut_ptr());
                assert_eq!((found, sums.to_vec()), (done, expected.to_vec()), "2^{exponent}, kind {kind}, {n}: {x:?}");
            }
        }
        // The maximum count of numbers near the limit, all with one sign.
        let x = [T::from_f64(-0.999 * power(exponent + 119)); 8192];
        let [mut expected, mut sums] = [[0; 3]; 2];
        let done = call(reference, x.as_ptr(), x.len(), exponent, expected.as_mut_ptr());
        let found = call(subject, x.as_ptr(), x.len(), exponent, sums.as_mut_ptr());
        assert_eq!((found, sums), (done, expected), "2^{exponent}, all large");
    }
}

fn power(exponent: i32) -> f64 {
    f64::from(exponent).exp2()
}

macro_rules! cases {
    ($($unary32:ident)+; $($unary64:ident)+; $($binary32:ident)+; $($binary64:ident)+) => {
        $(pub fn $unary32(reference: Sum32, subject: Sum32) {
            // SAFETY: n elements.
            unary(reference, subject, |kernel, x, n| unsafe { kernel(x, n) });
        })+
        $(pub fn $unary64(reference: Sum64, subject: Sum64) {
            // SAFETY: n elements.
            unary(reference, subject, |kernel, x, n| unsafe { kernel(x, n) });
        })+
        $(pub fn $binary32(reference: Dot32, subject: Dot32) {
            // SAFETY: n elements.
            binary(reference, subject, |kernel, x, y, n| unsafe { kernel(x, y, n) });
        })+
        $(pub fn $binary64(reference: Dot64, subject: Dot64) {
            // SAFETY: n elements.
            binary(reference, subject, |kernel, x, y, n| unsafe { kernel(x, y, n) });
        })+
    };
}
cases! { sum_f32 asum_f32 sum2_f32 kahan_f32; sum_f64 asum_f64 sum2_f64 kahan_f64; dot_f32 dot2_f32; dot_f64 dot2_f64 }

pub fn binned_f32(reference: Binned32, subject: Binned32) {
    // SAFETY: n elements, three sums.
    binned::<f32, _>(
        &[-1074, -300, -269, -240, -200, -112, -80, -34, 8],
        reference,
        subject,
        |kernel, x, n, exponent, sums| unsafe { kernel(x, n, exponent, sums) },
    );
}

pub fn binned_f64(reference: Binned64, subject: Binned64) {
    let exponents = [-1074, -1073, -1034, -1030, -994, -600, -580, -480, -119, -79, 0, 400, 440, 480, 862, 886, 891];
    // SAFETY: n elements, three sums.
    binned::<f64, _>(&exponents, reference, subject, |kernel, x, n, exponent, sums| unsafe {
        kernel(x, n, exponent, sums)
    });
}

/// Products of magnitudes up to and beyond the limit, with errors at every quantum and below all.
fn products<T: Float, F: Copy>(
    exponents: &[i32],
    reference: F,
    subject: F,
    call: impl Fn(F, *const T, *const T, usize, i32, *mut i64) -> u32,
) {
    let mut rng = Rng(6);
    for &exponent in exponents {
        for n in (0..40).chain([63, 64, 65, 127, 300]) {
            for kind in 0..6 {
                let mut factor = |whole: i32| {
                    let unit = (rng.word() >> 11) as f64 * (-52f64).exp2() - 1.0;
                    let spread = (rng.word() % 60) as i32;
                    match kind {
                        0 => unit * power((whole / 2).clamp(-1022, 1020)),
                        1 => ((rng.word() % 64) as f64 - 31.5) * power((whole / 2 - 40).clamp(-1022, 1000)),
                        2 if spread < 9 => 0.0,
                        _ => unit * power((whole / 2 - spread).clamp(-1060, 1020)),
                    }
                };
                let pairs: Vec<[f64; 2]> =
                    (0..n).map(|_| [factor(exponent + 119), factor(exponent + 119 + exponent % 2)]).collect();
                let [mut x, mut y] = [0, 1].map(|k| pairs.iter().map(|pair| T::from_f64(pair[k])).collect::<Vec<_>>());
                if kind == 5 && n > 0 {
                    let at = rng.word() as usize % n;
                    (x[at], y[at]) = [(T::NAN, T::ONE), (T::INFINITY, T::ZERO), (T::INFINITY, T::ONE)][n % 3];
                }
                if kind == 4 {
                    // One large factor, one small: parts of an exact product by halves overflow, or vanish.
                    let shift = if size_of::<T>() == 4 { 100 } else { 900 };
                    for (x, y) in x.iter_mut().zip(&mut y) {
                        (*x, *y) = (*x * T::from_f64(power(shift)), *y * T::from_f64(power(-shift)));
                    }
                }
                let mut expected = [rng.word() as i64 >> 8, 0, -5];
                let mut sums = Guarded::new(&expected, SIDES[n % 2], n % 9);
                let inputs = [&x, &y].map(|x| Guarded::new(x, SIDES[(n + kind) % 2], [0, 4, 1, 20][kind % 4]));
                let done = call(reference, x.as_ptr(), y.as_ptr(), n, exponent, expected.as_mut_ptr());
                let [a, b] = inputs.each_ref().map(Guarded::as_ptr);
                let found = call(subject, a, b, n, exponent, sums.as_mut_ptr());
                assert_eq!((found, sums.to_vec()), (done, expected.to_vec()), "2^{exponent}, {kind}, {n}: {x:?} {y:?}");
            }
        }
        // The maximum count of products near the limit, all with one sign.
        let half = |e: i32| T::from_f64(0.9999 * power(e.clamp(-1000, 1000)));
        let (x, y) = ([half((exponent + 119) / 2); 4096], [half((exponent + 118) / 2); 4096]);
        let [mut expected, mut sums] = [[0; 3]; 2];
        let done = call(reference, x.as_ptr(), y.as_ptr(), x.len(), exponent, expected.as_mut_ptr());
        let found = call(subject, x.as_ptr(), y.as_ptr(), x.len(), exponent, sums.as_mut_ptr());
        assert_eq!((found, sums), (done, expected), "2^{exponent}, all large");
    }
}

pub fn products_f32(reference: Products32, subject: Products32) {
    // SAFETY: n pairs, three sums.
    products::<f32, _>(
        &[-1074, -400, -320, -240, -200, -119, -80, -34, 8, 90],
        reference,
        subject,
        |kernel, x, y, n, exponent, sums| unsafe { kernel(x, y, n, exponent, sums) },
    );
}

pub fn products_f64(reference: Products64, subject: Products64) {
    let exponents = [-1074, -1073, -1034, -1020, -994, -600, -580, -480, -119, -79, 0, 400, 440, 862, 886, 891];
    // SAFETY: n pairs, three sums.
    products::<f64, _>(&exponents, reference, subject, |kernel, x, y, n, exponent, sums| unsafe {
        kernel(x, y, n, exponent, sums)
    });
}

/// `call(kernel, m, n, x, row, sums)`: all widths of a block and more than one block, rows that are
/// adjacent, apart, the same, and in reverse.
fn columns<T: Float, F: Copy>(reference: F, subject: F, call: impl Fn(F, usize, usize, *const T, isize, *mut T)) {
    for m in [0, 1, 2, 3, 5, 8, 15, 16, 17, 31, 32, 33, 40, 63, 64, 65, 100, 128, 129, 200] {
        for n in (0..20).chain([31, 32, 33, 63, 64, 65, 66, 70, 127, 128, 130]) {
            let gap = [0, 1, 9][(m + n) % 3];
            for (kind, x) in arrays::<T>(m.max(1) * (n + gap), (m + n) as u64).into_iter().enumerate() {
                let row = [n + gap, n + gap, 0][kind % 3] as isize;
                let length = if m * n == 0 { 0 } else { (m - 1) * row as usize + n };
                let input = Guarded::new(&x[..length], SIDES[(m + kind) % 2], [0, 4, 1, 20][(n + kind) % 4]);
                // From the last row to the first.
                let (first, row) = if kind % 2 == 1 { ((length - n.min(length)) as isize, -row) } else { (0, row) };
                let mut expected = vec![T::ONE; n];
                let mut sums = Guarded::new(&expected, SIDES[n % 2], [0, 1, 4][m % 3]);
                call(reference, m, n, x.as_ptr().wrapping_offset(first), row, expected.as_mut_ptr());
                call(subject, m, n, input.as_ptr().wrapping_offset(first), row, sums.as_mut_ptr());
                for (j, (expected, found)) in expected.iter().zip(sums.to_vec()).enumerate() {
                    same(*expected, found, &format!("array {kind}, column {j} of {n}"), m);
                }
            }
        }
    }
}

pub fn column_sums_f32(reference: ColumnSums32, subject: ColumnSums32) {
    // SAFETY: m rows of n elements, n sums.
    columns(reference, subject, |kernel, m, n, x, row, sums| unsafe { kernel(m, n, x, row, sums) });
}

pub fn column_sums_f64(reference: ColumnSums64, subject: ColumnSums64) {
    // SAFETY: m rows of n elements, n sums.
    columns(reference, subject, |kernel, m, n, x, row, sums| unsafe { kernel(m, n, x, row, sums) });
}

/// Elements whose exponents span 15 to 18 binades at all places of the range, zeros, denormal numbers,
/// one element beyond the span, one that is not finite.
pub fn exact_f32(reference: Exact32, subject: Exact32) {
    let mut rng = Rng(8);
    for n in (0..70).chain([127, 128, 129, 300, 1000, 8191, 8192]) {
        for lowest in [0, 1, 2, 100, 127, 200, 239, 250] {
            for kind in 0..9 {
                let span = [15, 16, 17, 18][kind % 4];
                let number = |rng: &mut Rng| {
                    let word = rng.word() as u32;
                    let exponent = lowest + (rng.word() % (span + 1)) as u32;
                    f32::from_bits(word & 0x807f_ffff | exponent.min(254) << 23)
                };
                let mut x: Vec<f32> = (0..n).map(|_| number(&mut rng)).collect();
                if n > 0 {
                    let at = rng.word() as usize % n;
                    match kind {
                        4 => x.fill(-0.0),
                        5 => (0..n).step_by(3).for_each(|i| x[i] = 0.0),
                        6 => x[at] = f32::from_bits(rng.word() as u32 % 3 + 1),
                        7 => x[at] = [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, -f32::NAN][at % 4],
                        8 => x.fill(-f32::from_bits(lowest.max(1) << 23 | 0x7f_ffff)),
                        _ => {}
                    }
                }
                let small = f32::from_bits((lowest + 4).min(254) << 23);
                let before = [[f32::INFINITY, 0.0], [small, small], [small / 1024.0, small * 1024.0]][n % 3];
                let (mut expected, mut expected_sum) = (before, [1.5]);
                let input = Guarded::new(&x, SIDES[(n + kind) % 2], [0, 4, 1, 20][kind % 4]);
                let mut range = Guarded::new(&before, SIDES[n % 2], n % 9);
                let mut sum = Guarded::new(&expected_sum, SIDES[kind % 2], n % 5);
                // SAFETY: n elements, two floats, a double.
                let (done, found) = unsafe {
                    (
                        reference(x.as_ptr(), n, expected.as_mut_ptr(), expected_sum.as_mut_ptr()),
                        subject(input.as_ptr(), n, range.as_mut_ptr(), sum.as_mut_ptr()),
                    )
                };
                let bits = |range: &[f32], sum: &[f64]| (range[0].to_bits(), range[1].to_bits(), sum[0].to_bits());
                assert_eq!(
                    (found, bits(&range.to_vec(), &sum.to_vec())),
                    (done, bits(&expected, &expected_sum)),
                    "{n} from 2^{lowest}, kind {kind}, {before:?}"
                );
            }
        }
    }
}
