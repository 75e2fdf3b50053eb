//! Products of multivectors, and signed sums of vectors.

use hotloops::Float;
use hotloops::clifford::gate_f32::Function as Gate;
use hotloops::clifford::signed_sums_f32::Function as Sums32;
use hotloops::clifford::signed_sums_f64::Function as Sums64;
use hotloops::clifford::{Element, Multiply};

use super::matmul::{bits, numbers};
use crate::harness::guard::{Guarded, Side};
use crate::harness::once;
use crate::harness::rng::Rng;

/// Any terms: as of an algebra, but with arbitrary blades.
fn terms(rng: &mut Rng) -> (u64, Vec<u16>) {
    let (blades, width) = (4 << rng.below(3), [1, 4, 8][rng.below(3) as usize]);
    let width = u64::min(width, blades);
    let mut terms = vec![width as u16];
    let mut order: Vec<u64> = (0..blades).collect();
    for i in 1..order.len() {
        order.swap(i, rng.below(i as u64 + 1) as usize);
    }
    for group in order.chunks(width as usize) {
        let number = 1 + rng.below(blades);
        terms.push(number as u16);
        for _ in 0..number {
            terms.push(8 * rng.below(blades) as u16);
            terms.extend((0..width).map(|_| 8 * rng.below(2 * blades) as u16));
        }
        terms.extend(group.iter().map(|&j| 8 * j as u16));
    }
    (blades, terms)
}

/// Any number; one in some is a zero, an infinity or NaN.
fn number(rng: &mut Rng, some: u64) -> f64 {
    match rng.below(some) {
        0 => [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN][rng.below(5) as usize],
        _ => (rng.word() as i64 >> 40) as f64 * (rng.below(40) as f64 - 20.0).exp2(),
    }
}

fn same<T: Element>(a: T, b: T) -> bool {
    let bits = |value: T| value.to_f64().to_bits();
    bits(a) == bits(b) || a.to_f64().is_nan() && b.to_f64().is_nan()
}

fn check<T: Element>(reference: Multiply<T>, subject: Multiply<T>) {
    let mut rng = Rng(1);
    for (round, count) in (0..300).map(|i| i % 75).chain([127, 200, 255]).enumerate() {
        let (blades, terms) = terms(&mut rng);
        let blades = blades as usize;
        let some = [4, 50, 1 << 20][round % 3];
        let [x, y] =
            [(); 2].map(|()| (0..count * blades).map(|_| T::from_f64(number(&mut rng, some))).collect::<Vec<T>>());
        let mut expected = vec![T::ONE; x.len()];
        // SAFETY: arrays of `count` multivectors, and terms within them.
        unsafe { reference(terms.as_ptr(), blades, x.as_ptr(), y.as_ptr(), count, expected.as_mut_ptr()) };
        for side in [Side::Start, Side::End] {
            let (terms, first) = (Guarded::new(&terms, side, round % 3), Guarded::new(&x, side, round % 5));
            let second = Guarded::new(&y, side, round % 7);
            let mut z = Guarded::new(&vec![T::ONE; x.len()], side, round % 4);
            // SAFETY: as above.
            unsafe { subject(terms.as_ptr(), blades, first.as_ptr(), second.as_ptr(), count, z.as_mut_ptr()) };
            let wrong = z.to_vec().into_iter().zip(&expected).position(|(z, &expected)| !same(z, expected));
            assert_eq!(wrong, None, "{count} multivectors of {blades} blades, round {round}, {side:?}");
        }
    }
}

pub fn multiply_f32(reference: Multiply<f32>, subject: Multiply<f32>) {
    check(reference, subject);
}

pub fn multiply_f64(reference: Multiply<f64>, subject: Multiply<f64>) {
    check(reference, subject);
}

/// The arguments of a kernel, in its order.
type Call<'a, T, F> = &'a dyn Fn(F, usize, usize, *const T, usize, *mut T, usize, *const u32, *const u32, usize, u32);

fn sums<T: Float, F: Copy>(reference: F, subject: F, call: Call<T, F>) {
    let mut rng = Rng(18);
    for number in 0..600 {
        let (rows, n) = (number % 4, number / 4 % 75);
        let (vectors, count) = (1 + number % 5, number / 3 % 7);
        let mut terms = Vec::new();
        let ends: Vec<u32> = (0..count)
            .map(|f| {
                terms.extend((0..(f + number) % 4).map(|_| rng.word() as u32 % (2 * vectors as u32)));
                terms.len() as u32
            })
            .collect();
        let pad = [0, 1, 9][number / 5 % 3];
        let (x_row, y_row) = (vectors * n + pad, count * n + pad);
        let length = |row: usize, last: usize| if rows == 0 { 0 } else { (rows - 1) * row + last };
        let x = numbers::<T>(&mut rng, length(x_row, vectors * n), true);
        let y = numbers::<T>(&mut rng, length(y_row, count * n), true);
        let accumulate = number as u32 / 2 % 2;
        let expected = once(|| {
            let mut expected = y.clone();
            let (terms, ends) = (terms.as_ptr(), ends.as_ptr());
            call(reference, rows, n, x.as_ptr(), x_row, expected.as_mut_ptr(), y_row, terms, ends, count, accumulate);
            bits(&expected)
        });
        for side in [Side::Start, Side::End] {
            let slack = [0, 1, size_of::<T>()][number % 3];
            let (input, mut output) = (Guarded::new(&x, side, slack), Guarded::new(&y, side, slack));
            let (guarded_terms, guarded_ends) = (Guarded::new(&terms, side, slack), Guarded::new(&ends, side, slack));
            let (terms, ends, into) = (guarded_terms.as_ptr(), guarded_ends.as_ptr(), output.as_mut_ptr());
            call(subject, rows, n, input.as_ptr(), x_row, into, y_row, terms, ends, count, accumulate);
            assert_eq!(bits(&output.to_vec()), *expected, "{rows} rows of {count} sums of {n} numbers");
        }
    }
}

pub fn signed_sums_f32(reference: Sums32, subject: Sums32) {
    // SAFETY: buffers of the sizes that the kernel wants.
    sums::<f32, _>(reference, subject, &|kernel, rows, n, x, x_row, y, y_row, terms, ends, count, accumulate| unsafe {
        kernel(rows, n, x, x_row, y, y_row, terms, ends, count, accumulate)
    });
}

pub fn signed_sums_f64(reference: Sums64, subject: Sums64) {
    // SAFETY: buffers of the sizes that the kernel wants.
    sums::<f64, _>(reference, subject, &|kernel, rows, n, x, x_row, y, y_row, terms, ends, count, accumulate| unsafe {
        kernel(rows, n, x, x_row, y, y_row, terms, ends, count, accumulate)
    });
}

type Common<T> = unsafe extern "C" fn(usize, *const T, *const T, usize, *mut T);
type Weighted<T> = unsafe extern "C" fn(usize, usize, *const T, *const T, *const T, usize, *mut T);

/// Blades and paths of the common algebras.
const COMMON: [[usize; 2]; 3] = [[4, 10], [8, 20], [16, 34]];

/// Calls `run` with an algebra, channels, weights, x, y, a number of multivectors, z and whether z is the expected
/// one.
fn common<T: Element>(run: &dyn Fn(usize, usize, *const T, *const T, *const T, usize, *mut T, bool)) {
    let mut rng = Rng(3);
    for (round, count) in (0..240).map(|i| i % 40).chain([63, 127, 200]).enumerate() {
        let algebra = round % 3;
        let [blades, paths] = COMMON[algebra];
        let channels = [1, 2, 3, 4, 8, 12, 16, 24, 37][round / 3 % 9];
        let some = [4, 50, 1 << 20][round / 40 % 3];
        let mut numbers = |len: usize| (0..len).map(|_| T::from_f64(number(&mut rng, some))).collect::<Vec<T>>();
        let (weights, mut x, y) = (numbers(paths * channels), numbers(count * blades), numbers(count * blades));
        // The odd coefficients of all, of some or of no first factors are 0 or -0.
        for (i, x) in x.chunks_exact_mut(blades).enumerate().filter(|(i, _)| [true, i % 3 != 0, false][round % 4 % 3]) {
            let grades =
                [&[0, 1, 1, 2][..], &[0, 1, 1, 1, 2, 2, 2, 3], &[0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4]];
            let odd = x.iter_mut().zip(grades[algebra]).filter(|(_, grade)| *grade % 2 == 1);
            odd.for_each(|(x, _)| *x = if i % 2 == 0 { T::ZERO } else { -T::ZERO });
        }
        let mut expected = vec![T::ONE; x.len()];
        run(algebra, channels, weights.as_ptr(), x.as_ptr(), y.as_ptr(), count, expected.as_mut_ptr(), true);
        for side in [Side::Start, Side::End] {
            let (weights, first) = (Guarded::new(&weights, side, round % 3), Guarded::new(&x, side, round % 5));
            let second = Guarded::new(&y, side, round % 7);
            let mut z = Guarded::new(&vec![T::ONE; x.len()], side, round % 4);
            let (weights, first, second) = (weights.as_ptr(), first.as_ptr(), second.as_ptr());
            run(algebra, channels, weights, first, second, count, z.as_mut_ptr(), false);
            let wrong = z.to_vec().into_iter().zip(&expected).position(|(z, &expected)| !same(z, expected));
            assert_eq!(
                wrong, None,
                "{count} multivectors of {blades} blades, {channels} channels, round {round}, {side:?}"
            );
        }
    }
}

fn without_weights<T: Element>(reference: Common<T>, subject: Common<T>) {
    common::<T>(&|algebra, _, _, x, y, count, z, is_reference| {
        // SAFETY: arrays of `count` multivectors of the algebra.
        unsafe { (if is_reference { reference } else { subject })(algebra, x, y, count, z) }
    });
}

fn with_weights<T: Element>(reference: Weighted<T>, subject: Weighted<T>) {
    common::<T>(&|algebra, channels, weights, x, y, count, z, is_reference| {
        // SAFETY: arrays of `count` multivectors of the algebra, and its weights.
        unsafe { (if is_reference { reference } else { subject })(algebra, channels, weights, x, y, count, z) }
    });
}

pub fn common_product_f32(reference: Common<f32>, subject: Common<f32>) {
    without_weights(reference, subject);
}

pub fn common_product_f64(reference: Common<f64>, subject: Common<f64>) {
    without_weights(reference, subject);
}

pub fn common_sandwich_f32(reference: Common<f32>, subject: Common<f32>) {
    without_weights(reference, subject);
}

pub fn common_sandwich_f64(reference: Common<f64>, subject: Common<f64>) {
    without_weights(reference, subject);
}

pub fn common_weighted_f32(reference: Weighted<f32>, subject: Weighted<f32>) {
    with_weights(reference, subject);
}

pub fn common_weighted_f64(reference: Weighted<f64>, subject: Weighted<f64>) {
    with_weights(reference, subject);
}

pub fn gate_f32(reference: Gate, subject: Gate) {
    let mut rng = Rng(5);
    for round in 0..15 * 30 {
        let (kind, blades) = (round % 5, 4usize << (round / 5 % 3));
        let count = [0, 1, 2, 3, 5, 7, 15, 16, 17, 31, 33, 64, 100, 290][(round / 15 + round % 7) % 14];
        let channels = [1, 2, 3, 4, 8, 12, 16, 24, 37][round / 3 % 9];
        let grades = blades.ilog2() as usize + 1;
        let [weights, bias] = match kind {
            0 => [blades * channels, channels],
            4 => [grades * channels; 2],
            _ => [0; 2],
        };
        // Arguments of every size, also next to the ends of the range of the exponential; in some rounds not
        // finite.
        let scale = [0.1, 3.0, 20.0, 90.0][round / 7 % 4];
        let mut numbers = |len: usize, some: u64| -> Vec<f32> {
            let any = |rng: &mut Rng| match rng.below(some) {
                0 => number(rng, 4) as f32,
                1 => [87.3, -88.7, 44.0][rng.below(3) as usize] + rng.below(100) as f32 * 1e-3,
                _ => (scale * (rng.below(1 << 24) as f64 / f64::from(1 << 23) - 1.0)) as f32,
            };
            (0..len).map(|_| any(&mut rng)).collect()
        };
        let some = [8, 100, 1 << 20][round / 4 % 3];
        let (x, weights, bias) = (numbers(count * blades, some), numbers(weights, 1 << 20), numbers(bias, 1 << 20));
        let signs: Vec<f32> = (0..blades).map(|p| [1.0, -1.0, 0.0][(p + round) % 3]).collect();
        let mut expected = vec![1.0f32; x.len()];
        let (w, b, s, from) = (weights.as_ptr(), bias.as_ptr(), signs.as_ptr(), x.as_ptr());
        // SAFETY: arrays of `count` multivectors, and the parameters of the gate.
        unsafe { reference(kind, blades, channels, w, b, s, from, count, expected.as_mut_ptr()) };
        for side in [Side::Start, Side::End] {
            let (weights, bias) = (Guarded::new(&weights, side, round % 3), Guarded::new(&bias, side, round % 4));
            let (signs, from) = (Guarded::new(&signs, side, round % 2), Guarded::new(&x, side, round % 5));
            let mut z = Guarded::new(&vec![1.0f32; x.len()], side, round % 7);
            let (w, b, s) = (weights.as_ptr(), bias.as_ptr(), signs.as_ptr());
            // SAFETY: as above.
            unsafe { subject(kind, blades, channels, w, b, s, from.as_ptr(), count, z.as_mut_ptr()) };
            let wrong = z.to_vec().into_iter().zip(&expected).position(|(z, &expected)| !same(z, expected));
            assert_eq!(wrong, None, "kind {kind}, {count} of {blades} blades, {channels} channels, {side:?}");
        }
    }
}

/// Rows, channels and blades, and the distances of a case.
struct Transform {
    shape: [usize; 3],
    /// Numbers between the multivectors of two rows, and of two channels.
    distances: [usize; 2],
    /// Rows of the matrices, and the first one.
    all: [usize; 2],
    list: Vec<u32>,
    /// Vectors of the matrices.
    vectors: usize,
}

impl Transform {
    /// A case of two matrices; a list of forms, or of blades.
    fn new(rng: &mut Rng, round: usize, is_forms: bool) -> Self {
        let blades = 1 << (round % 5);
        let rows = [0, 1, 2, 3, 7, 12][round / 5 % 6];
        let n = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 33, 40, 67, 131][round / 2 % 16];
        let is_planar = round / 3 % 2 == 1;
        let distances = if is_planar { [blades, rows * blades + 3] } else { [n * blades + round % 2 * 5, blades] };
        let (first, of_point) = (round % 3, [1 + round as u32 % 4, 3]);
        let all = rows + first + round % 2;
        let place = |number: u32| match number {
            number if number < of_point[0] => [0, of_point[0], number],
            number => [of_point[0], of_point[1], number - of_point[0]],
        };
        let sums = of_point[0] + of_point[1];
        let mut list = Vec::new();
        if is_forms {
            list.push(sums);
            for sum in 0..sums {
                let terms = [1, 2, 4, 0, 3, 7][(sum as usize + round) % 6];
                list.push(terms);
                list.extend(place(sum));
                list.extend((0..terms).map(|_| rng.below(2 * blades as u64) as u32));
            }
        } else {
            for blade in 0..blades {
                let terms = (blade + round) as u32 % 7;
                list.push(terms);
                for _ in 0..terms {
                    let [before, of_row, at] = place(rng.below(sums.into()) as u32);
                    list.extend([before, of_row, 2 * at + rng.below(2) as u32]);
                }
            }
        }
        Transform { shape: [rows, n, blades], distances, all: [all, first], list, vectors: all * sums as usize }
    }

    /// Numbers of the multivectors, and of the matrices.
    fn lengths(&self) -> [usize; 2] {
        let ([rows, n, blades], [row, channel]) = (self.shape, self.distances);
        let end = if rows == 0 { 0 } else { (rows - 1) * row + (n - 1) * channel + blades };
        [end, self.vectors * n]
    }
}

type Forms<T> = unsafe extern "C" fn(usize, usize, usize, *const T, usize, usize, *mut T, usize, usize, *const u32);
type Blades<T> =
    unsafe extern "C" fn(usize, usize, usize, *const T, usize, usize, *const T, *mut T, usize, usize, *const u32);

fn forms<T: Element>(reference: Forms<T>, subject: Forms<T>) {
    let mut rng = Rng(11);
    for round in 0..480 {
        let case = Transform::new(&mut rng, round, true);
        let ([rows, n, blades], [row, channel], [all, first]) = (case.shape, case.distances, case.all);
        let [x, y] = case.lengths();
        let x: Vec<T> = (0..x).map(|_| T::from_f64(number(&mut rng, [9, 1 << 20][round % 2]))).collect();
        let mut expected = vec![T::ONE; y];
        let (from, to, list) = (x.as_ptr(), expected.as_mut_ptr(), case.list.as_ptr());
        // SAFETY: multivectors and matrices of the case's lengths.
        unsafe { reference(rows, n, blades, from, row, channel, to, all, first, list) };
        for side in [Side::Start, Side::End] {
            let (from, list) = (Guarded::new(&x, side, round % 5), Guarded::new(&case.list, side, round % 3));
            let mut to = Guarded::new(&vec![T::ONE; y], side, round % 4);
            let (from, list, into) = (from.as_ptr(), list.as_ptr(), to.as_mut_ptr());
            // SAFETY: as above.
            unsafe { subject(rows, n, blades, from, row, channel, into, all, first, list) };
            let wrong = to.to_vec().into_iter().zip(&expected).position(|(y, &expected)| !same(y, expected));
            assert_eq!(wrong, None, "{rows} rows of {n} channels, {blades} blades, round {round}, {side:?}");
        }
    }
}

fn blades<T: Element>(reference: Blades<T>, subject: Blades<T>) {
    let mut rng = Rng(12);
    for round in 0..480 {
        let case = Transform::new(&mut rng, round, false);
        let ([rows, n, blades], [row, channel], [all, first]) = (case.shape, case.distances, case.all);
        let [y, x] = case.lengths();
        let mut numbers =
            |len: usize| (0..len).map(|_| T::from_f64(number(&mut rng, [9, 1 << 20][round % 2]))).collect::<Vec<T>>();
        let (x, start) = (numbers(x), numbers(n * blades));
        let mut expected = vec![T::ONE; y];
        let (from, to, list) = (x.as_ptr(), expected.as_mut_ptr(), case.list.as_ptr());
        let begin = if round / 4 % 2 == 0 { core::ptr::null() } else { start.as_ptr() };
        // SAFETY: matrices and multivectors of the case's lengths.
        unsafe { reference(rows, n, blades, from, all, first, begin, to, row, channel, list) };
        for side in [Side::Start, Side::End] {
            let (from, list) = (Guarded::new(&x, side, round % 5), Guarded::new(&case.list, side, round % 3));
            let (start, mut to) =
                (Guarded::new(&start, side, round % 2), Guarded::new(&vec![T::ONE; y], side, round % 4));
            let begin = if begin.is_null() { begin } else { start.as_ptr() };
            let (from, list, into) = (from.as_ptr(), list.as_ptr(), to.as_mut_ptr());
            // SAFETY: as above.
            unsafe { subject(rows, n, blades, from, all, first, begin, into, row, channel, list) };
            let wrong = to.to_vec().into_iter().zip(&expected).position(|(y, &expected)| !same(y, expected));
            assert_eq!(wrong, None, "{rows} rows of {n} channels, {blades} blades, round {round}, {side:?}");
        }
    }
}

pub fn forms_f32(reference: Forms<f32>, subject: Forms<f32>) {
    forms(reference, subject);
}

pub fn forms_f64(reference: Forms<f64>, subject: Forms<f64>) {
    forms(reference, subject);
}

pub fn blades_f32(reference: Blades<f32>, subject: Blades<f32>) {
    blades(reference, subject);
}

pub fn blades_f64(reference: Blades<f64>, subject: Blades<f64>) {
    blades(reference, subject);
}
