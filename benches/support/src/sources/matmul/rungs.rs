//! The article's programs and ours on the same operands.

use std::hint::black_box;
use std::rc::Rc;

use hotloops::isa::Isa;
use hotloops::matmul::{self, MatMut, MatRef};

use super::{BLOCK, flops};
use crate::ladder::{Origin, Rung};
use crate::sources::programs::{Build, checked};

/// The arguments of the programs in `matmul.c`.
#[repr(C)]
struct Arguments {
    n: usize,
    rows: usize,
    block: usize,
    a: *const f32,
    b: *const f32,
    c: *mut f32,
    sliver: *mut f32,
}

unsafe extern "C" {
    fn hotloops_bench_product_plain(rung: usize, of: *const Arguments);
    fn hotloops_bench_product_vectorised(rung: usize, of: *const Arguments);
}

/// The programs of `matmul.c` in its order. Loops are named outermost first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Program {
    Ijk,
    Unrolled,
    Accumulators,
    Ikj,
    Jik,
    Jki,
    Kij,
    Kji,
    Blocked,
    BlockedOuter,
    Packed,
}

pub const PROGRAMS: [(Program, &str); 11] = [
    (Program::Ijk, "naive, i-j-k"),
    (Program::Unrolled, "unrolled by 8"),
    (Program::Accumulators, "8 accumulators"),
    (Program::Ikj, "i-k-j"),
    (Program::Jik, "j-i-k"),
    (Program::Jki, "j-k-i"),
    (Program::Kij, "k-i-j"),
    (Program::Kji, "k-j-i"),
    (Program::Blocked, "blocked (mini)"),
    (Program::BlockedOuter, "blocked, k-i-j (micro)"),
    (Program::Packed, "packed"),
];

/// Elements of a sliver for each row of B.
const SLIVER: usize = 8;

/// Square matrices of small integers, whose product is exact in any order.
pub struct Operands<T = f32> {
    pub n: usize,
    pub a: Rc<[T]>,
    pub b: Rc<[T]>,
    pub product: Rc<[T]>,
}

impl<T: matmul::Element> Operands<T> {
    pub fn new(n: usize) -> Self {
        let small = |most: usize| -> Rc<[T]> { (0..n * n).map(|i| T::from_f64((i % most) as f64 - 2.0)).collect() };
        let (a, b) = (small(7), small(5));
        let mut product = vec![T::ZERO; n * n];
        for (a, c) in a.chunks(n).zip(product.chunks_mut(n)) {
            for (&a, b) in a.iter().zip(b.chunks(n)) {
                c.iter_mut().zip(b).for_each(|(c, &b)| *c = *c + a * b);
            }
        }
        Operands { n, a, b, product: product.into() }
    }
}

/// Calls a program on `n` x `n` matrices `a` and `b` for the first rows of `c`.
pub fn call_program(kind: Program, build: Build, block: usize, [a, b]: [&[f32]; 2], c: &mut [f32], sliver: &mut [f32]) {
    let n = a.len().isqrt();
    let rows = c.len() / n;
    assert!(n * n == a.len() && a.len() == b.len() && rows <= n && sliver.len() >= SLIVER * n, "square matrices");
    let (a, b, c, sliver) = (a.as_ptr(), b.as_ptr(), c.as_mut_ptr(), sliver.as_mut_ptr());
    let of = Arguments { n, rows, block, a, b, c, sliver };
    // SAFETY: matrices of n x n elements, of which `c` has some rows; a sliver of 8 columns.
    unsafe {
        match build {
            Build::Plain => hotloops_bench_product_plain(kind as usize, &of),
            Build::Vectorised => hotloops_bench_product_vectorised(kind as usize, &of),
        }
    }
}

pub fn sliver(n: usize) -> Vec<f32> {
    vec![0.0; SLIVER * n]
}

pub fn name(kind: Program, build: Build) -> String {
    build.name(PROGRAMS[kind as usize].1)
}

/// Multiply-adds of a call of a program by rows, about: long calls would be interrupted by others on a busy machine.
const CALL: usize = 1 << 19;
/// Rows that the packed program computes: copying a sliver takes 1 / 64 of its time.
const PACKED_ROWS: usize = 64;

/// Rows of the product that a program computes in a call. All rows take the same time, and so do all rows of cubes.
/// Programs whose outermost loop is not over rows compute all of them.
pub fn rows(kind: Program, n: usize) -> usize {
    n.min(match kind {
        Program::Ijk | Program::Unrolled | Program::Accumulators | Program::Ikj => (CALL / (n * n)).max(2),
        Program::Blocked | Program::BlockedOuter => BLOCK,
        Program::Packed => PACKED_ROWS,
        Program::Jik | Program::Jki | Program::Kij | Program::Kji => n,
    })
}

/// The note about these rows.
pub fn first_rows() -> String {
    format!(
        "Of large products the programs in C compute some rows, blocked ones {BLOCK}, the packed one {PACKED_ROWS}; \
         others would take the same time."
    )
}

/// A program that computes the first rows of the product.
pub fn program(of: &Operands, kind: Program, build: Build, rows: usize, block: usize) -> Rung {
    let (n, a, b, product) = (of.n, of.a.clone(), of.b.clone(), of.product.clone());
    let mut sliver = sliver(n);
    let work = move |c: &mut [f32]| call_program(kind, build, block, [black_box(&a), black_box(&b)], c, &mut sliver);
    let check = move |c: &[f32]| *c == product[..c.len()];
    checked(name(kind, build), build.origin(), flops(n, rows), vec![9.0; rows * n], work, check)
}

/// Our product.
pub fn multiply<T: matmul::Element>(n: usize, [a, b]: [&[T]; 2], c: &mut [T]) {
    let [a, b] = [a, b].map(|matrix| MatRef::row_major(matrix, n, n, n).unwrap());
    matmul::gemm(T::ONE, a, b, T::ZERO, MatMut::row_major(c, n, n, n).unwrap()).unwrap();
}

pub fn ours<T: matmul::Element>(of: &Operands<T>, isa: Isa) -> Rung {
    let (n, a, b, product) = (of.n, of.a.clone(), of.b.clone(), of.product.clone());
    let work = move |c: &mut [T]| multiply(n, [black_box(&a), black_box(&b)], c);
    let check = move |c: &[T]| *c == *product;
    checked("hotloops gemm", Origin::Ours, flops(n, n), vec![T::ONE; n * n], work, check).under(isa)
}
