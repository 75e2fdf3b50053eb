//! Products of multivectors, and their transforms.

use hotloops::clifford::gate_f32::Function as Gate;
use hotloops::clifford::{Element, Multiply, Signature, transform_lists};

use crate::harness::guard::{Guarded, Side};
use crate::harness::lengths::{WIDE, largest};
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

pub type Common<T> = unsafe extern "C" fn(usize, *const T, *const T, usize, *mut T);
pub type Weighted<T> = unsafe extern "C" fn(usize, usize, *const T, *const T, *const T, usize, *mut T);

/// Blades and paths of the common algebras.
pub const COMMON: [[usize; 2]; 3] = [[4, 10], [8, 20], [16, 34]];

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
        // The odd coefficients of all, of some or of no first factors are 0 or -0. Of the others, some have
        // equal ones.
        for (i, x) in x.chunks_exact_mut(blades).enumerate() {
            let zero = if i % 2 == 0 { T::ZERO } else { -T::ZERO };
            let value = match (round % 4, i % 3) {
                (0 | 3, _) | (1, 1 | 2) => zero,
                (_, 1) => T::ONE,
                _ => continue,
            };
            let grades =
                [&[0, 1, 1, 2][..], &[0, 1, 1, 1, 2, 2, 2, 3], &[0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4]];
            let odd = x.iter_mut().zip(grades[algebra]).filter(|(_, grade)| *grade % 2 == 1);
            odd.for_each(|(x, _)| *x = value);
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
    // At last more multivectors of 16 blades than caches hold, with few and with many channels.
    let wide = if largest() < WIDE { [].as_slice() } else { &[(0, 16, WIDE, 3), (4, 16, WIDE, 40_000)] };
    let shapes = (0..15 * 30).map(|round| {
        let count = [0, 1, 2, 3, 5, 7, 15, 16, 17, 31, 33, 64, 100, 290][(round / 15 + round % 7) % 14];
        (round % 5, 4usize << (round / 5 % 3), count, [1, 2, 3, 4, 8, 12, 16, 24, 37][round / 3 % 9])
    });
    for (round, (kind, blades, count, channels)) in shapes.chain(wide.iter().copied()).enumerate() {
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

/// Sums of blades or of planes: of any terms, or of an algebra.
struct Transform {
    algebra: usize,
    /// The outer dimension, the inner one, and the blades.
    shape: [usize; 3],
    /// Elements from a multivector to the next in the outer dimension and in the inner one.
    multivectors: [usize; 2],
    /// Elements from one element to the next in the outer dimension, and from plane to plane.
    planes: [usize; 2],
    terms: Vec<u32>,
    ends: Vec<u32>,
    kept: usize,
    /// Lengths of the multivectors and of the planes.
    lengths: [usize; 2],
}

/// The algebras that the kernels have code for, and others.
pub const SQUARES: [&[i8]; 9] =
    [&[1, 1], &[1, -1], &[1, 1, 1], &[1, 1, -1], &[0, 1, 1, 1], &[1, -1, -1, -1], &[-1], &[-1, -1, -1], &[0, 0, 0, 1]];

impl Transform {
    fn new(rng: &mut Rng, round: usize, is_forms: bool) -> Self {
        let m = [0, 1, 2, 3, 7, 12][round / 5 % 6];
        let n = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 33, 48, 67, 131][round / 2 % 16];
        let (algebra, blades, (terms, ends, kept)) = if round.is_multiple_of(3) {
            let signature = Signature::new(SQUARES[round / 3 % SQUARES.len()]).unwrap();
            let (algebra, [forms, blades]) = transform_lists(signature).unwrap().unwrap();
            assert_eq!(algebra, if round / 3 % SQUARES.len() < 7 { round / 3 % SQUARES.len() + 1 } else { 0 });
            (algebra, signature.blades(), if is_forms { forms } else { blades })
        } else {
            let (blades, mut terms) = (1 << (round % 5), Vec::new());
            let (sums, vectors) = if is_forms { (round as u32 % 7, blades) } else { (blades, 1 + round as u32 % 9) };
            // Of sums that are kept, those before a sum may be its terms.
            let kept = [0, 1, 5, 16][round / 7 % 4];
            let ends = (0..kept + sums).map(|sum| {
                let (count, first) = ([1, 2, 4, 0, 3, 7][(sum as usize + round) % 6], kept - kept.min(sum));
                terms.extend((0..count).map(|_| {
                    let place = rng.below(2 * u64::from(vectors + kept - first)) as u32;
                    if place < 2 * (kept - first) { place } else { place + 2 * first }
                }));
                terms.len() as u32
            });
            let ends = ends.collect();
            (0, blades as usize, (terms, ends, kept as usize))
        };
        let planes = match is_forms {
            true => ends.len() - kept,
            false => terms.iter().map(|term| (*term as usize / 2 + 1).saturating_sub(kept)).max().unwrap_or(0).max(1),
        };
        let is_planar = round / 3 % 2 == 1;
        let multivectors = if is_planar { [blades, m * blades + 3] } else { [n * blades + round % 2 * 5, blades] };
        let outer = if (round / 4).is_multiple_of(2) { n + round % 3 } else { planes * n };
        let plane = if (round / 4).is_multiple_of(2) { m * outer + round % 5 } else { n };
        let end = |distances: [usize; 3], counts: [usize; 3], last: usize| match counts.contains(&0) {
            true => 0,
            false => distances.into_iter().zip(counts).map(|(by, count)| by * (count - 1)).sum::<usize>() + last,
        };
        let lengths =
            [end([multivectors[0], multivectors[1], 0], [m, n, 1], blades), end([outer, plane, 0], [m, planes, 1], n)];
        Transform { algebra, shape: [m, n, blades], multivectors, planes: [outer, plane], terms, ends, kept, lengths }
    }
}

pub type Forms<T> = unsafe extern "C" fn(
    usize,
    usize,
    usize,
    usize,
    *const T,
    usize,
    usize,
    *mut T,
    usize,
    usize,
    *const u32,
    *const u32,
    usize,
    usize,
);
pub type Blades<T> = unsafe extern "C" fn(
    usize,
    usize,
    usize,
    usize,
    *const T,
    usize,
    usize,
    *const T,
    u32,
    *mut T,
    usize,
    usize,
    *const u32,
    *const u32,
    usize,
);

fn forms<T: Element>(reference: Forms<T>, subject: Forms<T>) {
    let mut rng = Rng(11);
    for round in 0..960 {
        let Transform { algebra, shape: [m, n, blades], multivectors, planes, terms, ends, kept, lengths } =
            Transform::new(&mut rng, round, true);
        let ([x_outer, x_inner], [y_outer, y_plane], sums) = (multivectors, planes, ends.len() - kept);
        let x: Vec<T> = (0..lengths[0]).map(|_| T::from_f64(number(&mut rng, [9, 1 << 20][round % 2]))).collect();
        let mut expected = vec![T::ONE; lengths[1]];
        let (from, to, list, last) = (x.as_ptr(), expected.as_mut_ptr(), terms.as_ptr(), ends.as_ptr());
        // SAFETY: multivectors and planes of the case's lengths.
        unsafe {
            reference(algebra, m, n, blades, from, x_outer, x_inner, to, y_outer, y_plane, list, last, kept, sums)
        };
        for side in [Side::Start, Side::End] {
            let (from, list) = (Guarded::new(&x, side, round % 5), Guarded::new(&terms, side, round % 3));
            let (last, mut to) =
                (Guarded::new(&ends, side, round % 2), Guarded::new(&vec![T::ONE; lengths[1]], side, round % 4));
            let (from, list, last, into) = (from.as_ptr(), list.as_ptr(), last.as_ptr(), to.as_mut_ptr());
            // SAFETY: as above.
            unsafe {
                subject(algebra, m, n, blades, from, x_outer, x_inner, into, y_outer, y_plane, list, last, kept, sums)
            };
            let wrong = to.to_vec().into_iter().zip(&expected).position(|(y, &expected)| !same(y, expected));
            assert_eq!(wrong, None, "{m} x {n} multivectors of {blades} blades, algebra {algebra}, round {round}");
        }
    }
}

fn blades<T: Element>(reference: Blades<T>, subject: Blades<T>) {
    let mut rng = Rng(12);
    for round in 0..960 {
        let Transform { algebra, shape: [m, n, blades], multivectors, planes, terms, ends, kept, lengths } =
            Transform::new(&mut rng, round, false);
        let ([y_outer, y_inner], [x_outer, x_plane], inner) = (multivectors, planes, round as u32 / 8 % 2);
        let mut numbers =
            |len: usize| (0..len).map(|_| T::from_f64(number(&mut rng, [9, 1 << 20][round % 2]))).collect::<Vec<T>>();
        let (x, start) = (numbers(lengths[1]), numbers(blades * if inner == 0 { m } else { n }));
        let mut expected = vec![T::ONE; lengths[0]];
        let begin = if round / 4 % 2 == 0 { core::ptr::null() } else { start.as_ptr() };
        let (from, to, list, last) = (x.as_ptr(), expected.as_mut_ptr(), terms.as_ptr(), ends.as_ptr());
        // SAFETY: planes and multivectors of the case's lengths.
        unsafe {
            reference(
                algebra, m, n, blades, from, x_outer, x_plane, begin, inner, to, y_outer, y_inner, list, last, kept,
            )
        };
        for side in [Side::Start, Side::End] {
            let (from, list) = (Guarded::new(&x, side, round % 5), Guarded::new(&terms, side, round % 3));
            let (start, last) = (Guarded::new(&start, side, round % 2), Guarded::new(&ends, side, round % 2));
            let mut to = Guarded::new(&vec![T::ONE; lengths[0]], side, round % 4);
            let begin = if begin.is_null() { begin } else { start.as_ptr() };
            let (from, list, last, into) = (from.as_ptr(), list.as_ptr(), last.as_ptr(), to.as_mut_ptr());
            // SAFETY: as above.
            unsafe {
                subject(
                    algebra, m, n, blades, from, x_outer, x_plane, begin, inner, into, y_outer, y_inner, list, last,
                    kept,
                )
            };
            let wrong = to.to_vec().into_iter().zip(&expected).position(|(y, &expected)| !same(y, expected));
            assert_eq!(wrong, None, "{m} x {n} multivectors of {blades} blades, algebra {algebra}, round {round}");
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
