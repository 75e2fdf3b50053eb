//! Products of 256 multivectors of the algebra of space, (1, 1, 1), and its transforms.

use super::*;
use hotloops::clifford::Signature;

const N: usize = 256;

/// The terms of the products, as the kernels read them: one group of 8 coefficients.
fn terms(signature: Signature) -> Vec<u16> {
    let mut terms = vec![1, 1];
    for p in 0..8 {
        terms.push(p);
        for j in 0..8 {
            let (q, sign) = (0..8)
                .map(|q| (q, signature.product(p, q)))
                .find_map(|(q, (blade, sign))| (blade == j).then_some((q, sign)))
                .unwrap();
            terms.push(if sign < 0 { q + 8 } else { q });
        }
    }
    terms.extend(0..8);
    terms.into_iter().map(|index| 8 * index as u16).collect()
}

macro_rules! products {
    ($name:ident $type:ident) => {
        pub fn $name(function: hotloops::clifford::$name::Function) -> Work {
            let space = Signature::new(&[1, 1, 1]).unwrap();
            let terms = terms(space);
            let numbers = |n: usize| words(2 * n).into_iter().skip(n).map(|word| word as $type).collect::<Vec<_>>();
            let (x, y) = (numbers(8 * N), numbers(8 * N));
            let mut z = vec![0.0; 8 * N];
            // SAFETY: arrays of N multivectors of 8 numbers, and the terms of their product.
            work("multivector", N, move || unsafe {
                function(terms.as_ptr(), 8, x.as_ptr(), y.as_ptr(), N, z.as_mut_ptr());
            })
        }
    };
}
products! { multiply_f32 f32 }
products! { multiply_f64 f64 }

/// Kernels of common algebras: the algebra of space, 16 channels.
macro_rules! common {
    ($($name:ident $type:ident $(($weights:ident))?)+) => {$(
        pub fn $name(function: hotloops::clifford::$name::Function) -> Work {
            let numbers = |n: usize| words(2 * n).into_iter().skip(n).map(|word| word as $type).collect::<Vec<_>>();
            let (x, y) = (numbers(8 * N), numbers(8 * N));
            let mut z = vec![0.0; 8 * N];
            $(let $weights = numbers(20 * 16);)?
            // SAFETY: arrays of N multivectors of 8 numbers, and weights of 20 paths and 16 channels.
            work("multivector", N, move || unsafe {
                function(1, $(16, $weights.as_ptr(),)? x.as_ptr(), y.as_ptr(), N, z.as_mut_ptr());
            })
        }
    )+};
}
common! {
    common_product_f32 f32
    common_product_f64 f64
    common_sandwich_f32 f32
    common_sandwich_f64 f64
    common_weighted_f32 f32 (weights)
    common_weighted_f64 f64 (weights)
}

/// The gate of a linear form, in the algebra of space, 16 channels.
pub fn gate_f32(function: hotloops::clifford::gate_f32::Function) -> Work {
    let numbers = |n: usize| (0..n).map(|i| (i % 13) as f32 / 8.0 - 0.75).collect::<Vec<_>>();
    let (weights, bias, x) = (numbers(8 * 16), numbers(16), numbers(8 * N));
    let mut z = vec![0.0; 8 * N];
    // SAFETY: arrays of N multivectors of 8 numbers, and parameters of 16 channels.
    work("multivector", N, move || unsafe {
        let (weights, bias) = (weights.as_ptr(), bias.as_ptr());
        function(0, 8, 16, weights, bias, core::ptr::null(), x.as_ptr(), N, z.as_mut_ptr());
    })
}

/// The transforms of the algebra of space: 48 rows of 8 channels.
macro_rules! transforms {
    ($($forms:ident $blades:ident $type:ident)+) => {$(
        pub fn $forms(function: hotloops::clifford::$forms::Function) -> Work {
            let (algebra, [(terms, ends, kept), _]) = lists();
            let (x, mut y) = (vec![1.5 as $type; ROWS * ROW], vec![0.0 as $type; PLANES * ROWS * CHANNELS]);
            // SAFETY: rows of multivectors, and planes of as many numbers.
            work("number", ROWS * ROW, move || unsafe {
                let (x, y, plane) = (x.as_ptr(), y.as_mut_ptr(), CHANNELS * ROWS);
                let (terms, ends) = (terms.as_ptr(), ends.as_ptr());
                function(algebra, CHANNELS, ROWS, 8, x, 8, ROW, y, ROWS, plane, terms, ends, kept, PLANES)
            })
        }
        pub fn $blades(function: hotloops::clifford::$blades::Function) -> Work {
            let (algebra, [_, (terms, ends, kept)]) = lists();
            let (x, mut y) = (vec![1.5 as $type; PLANES * ROWS * CHANNELS], vec![0.0 as $type; ROWS * ROW]);
            // SAFETY: planes of numbers, and rows of as many multivectors.
            work("number", ROWS * ROW, move || unsafe {
                let (x, start, y) = (x.as_ptr(), core::ptr::null(), y.as_mut_ptr());
                let (terms, ends, plane) = (terms.as_ptr(), ends.as_ptr(), CHANNELS * ROWS);
                function(algebra, CHANNELS, ROWS, 8, x, ROWS, plane, start, 0, y, 8, ROW, terms, ends, kept)
            })
        }
    )+};
}
transforms! { forms_f32 blades_f32 f32 forms_f64 blades_f64 f64 }

const ROWS: usize = 48;
const CHANNELS: usize = 8;
const ROW: usize = 8 * CHANNELS;
/// Planes of the forms, and of the products.
const PLANES: usize = 12;

/// The terms of sums, and the end of each.
type Terms = (Vec<u32>, Vec<u32>, usize);

/// The number and the lists of the algebra of space.
fn lists() -> (usize, [Terms; 2]) {
    hotloops::clifford::transform_lists(Signature::new(&[1, 1, 1]).unwrap()).unwrap().unwrap()
}
