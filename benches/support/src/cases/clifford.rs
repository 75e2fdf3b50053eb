//! Products of 256 multivectors of the algebra of space, (1, 1, 1), and the transforms of the plane's, (1, 1).

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

/// The forms of Cl(2, 0): rows of 64 channels of 4 blades.
macro_rules! cases {
    ($($case:ident $type:ident)+) => {$(
        pub fn $case(function: hotloops::clifford::$case::Function) -> Work {
            const ROWS: usize = 12;
            const N: usize = 64;
            let (x, mut y) = (vec![1.5 as $type; ROWS * 4 * N], vec![0.0 as $type; ROWS * 4 * N]);
            let (terms, ends) = ([0, 2, 4, 6, 4, 7, 0, 3], [2, 4, 6, 8]);
            // SAFETY: rows of 4 vectors, and of 4 sums.
            work("number", ROWS * 4 * N, move || unsafe {
                function(ROWS, N, x.as_ptr(), 4 * N, y.as_mut_ptr(), 4 * N, terms.as_ptr(), ends.as_ptr(), 4, 0)
            })
        }
    )+};
}
cases! { signed_sums_f32 f32 signed_sums_f64 f64 }

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

/// The transforms of the plane's algebra, (1, 1): rows of 64 channels of 4 blades.
macro_rules! transforms {
    ($($forms:ident $blades:ident $type:ident)+) => {$(
        pub fn $forms(function: hotloops::clifford::$forms::Function) -> Work {
            const ROWS: usize = 12;
            const N: usize = 64;
            let (x, mut y) = (vec![1.5 as $type; ROWS * 4 * N], vec![0.0 as $type; ROWS * 4 * N]);
            let list = [4, 2, 0, 4, 0, 0, 2, 2, 0, 4, 1, 4, 6, 2, 0, 4, 2, 4, 7, 2, 0, 4, 3, 0, 3];
            // SAFETY: rows of 4 blades, and of 4 sums.
            work("number", ROWS * 4 * N, move || unsafe {
                function(ROWS, N, 4, x.as_ptr(), 4 * N, 4, y.as_mut_ptr(), ROWS, 0, list.as_ptr())
            })
        }
        pub fn $blades(function: hotloops::clifford::$blades::Function) -> Work {
            const ROWS: usize = 12;
            const N: usize = 64;
            let (x, mut y) = (vec![1.5 as $type; ROWS * 4 * N], vec![0.0 as $type; ROWS * 4 * N]);
            let sum = |first: u32, second: u32| [2, 0, 4, first, 0, 4, second];
            let list = [sum(0, 6), sum(0, 7), sum(2, 4), sum(2, 5)].concat();
            // SAFETY: rows of 4 numbers, and of 4 blades.
            work("number", ROWS * 4 * N, move || unsafe {
                let start = core::ptr::null();
                function(ROWS, N, 4, x.as_ptr(), ROWS, 0, start, y.as_mut_ptr(), 4 * N, 4, list.as_ptr())
            })
        }
    )+};
}
transforms! { forms_f32 blades_f32 f32 forms_f64 blades_f64 f64 }
