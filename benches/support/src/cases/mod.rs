//! The workload of each kernel. [`variants`](crate::variants) requires a case for each.

pub mod bitslice;
pub mod clifford;
pub mod correlation;
pub mod exp;
pub mod hamming;
pub mod hardround;
pub mod ising;
pub mod matmul;
pub mod random;
pub mod reduce;

use std::hint::black_box;

use crate::mersenne::Textbook;
use crate::workload::Problem;

/// A call to be timed, and the number of elements that it processes.
pub struct Work {
    /// The name of an element.
    pub unit: &'static str,
    pub elements: usize,
    pub call: Box<dyn FnMut()>,
}

fn work(unit: &'static str, elements: usize, mut call: impl FnMut() + 'static) -> Work {
    Work { unit, elements, call: Box::new(move || black_box(&mut call)()) }
}

fn words(n: usize) -> Vec<u32> {
    let mut random = Textbook::new(1);
    (0..n).map(|_| random.next_u32()).collect()
}
