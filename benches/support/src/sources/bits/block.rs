//! The article's block of 2048 integers, and what its programs must make of it.

use std::rc::Rc;

use crate::mersenne::Textbook;

/// The integers of a block, or the 32 planes of 64 words that they are sliced into.
pub type Block = [u32; 2048];
/// 32 rows of 32 distances.
pub type Distances = [u32; 1024];

pub fn words(n: usize) -> Vec<u32> {
    let mut random = Textbook::new(1);
    (0..n).map(|_| random.next_u32()).collect()
}

/// A source and a destination, equally far into their pages: kernels that alternate between loads and stores depend
/// on the difference.
#[derive(Clone)]
#[repr(align(4096))]
pub struct Page<T>(pub T);

#[derive(Clone)]
pub struct Pair {
    pub from: Page<Block>,
    pub to: Page<Block>,
}

/// Random integers, with their planes and distances by definition.
pub struct Example {
    pub block: Block,
    pub planes: Block,
    /// Popcounts on the diagonal, distances to its right, 0 below.
    pub distances: Distances,
}

impl Example {
    pub fn new() -> Rc<Self> {
        let block: Block = words(2048).try_into().expect("as many");
        let mut planes = [0; 2048];
        for (e, element) in block.iter().enumerate() {
            (0..32).for_each(|j| planes[64 * j + e / 32] |= (element >> j & 1) << (e % 32));
        }
        let mut distances = [0; 1024];
        for (i, j) in (0..32).flat_map(|i| (i..32).map(move |j| (i, j))) {
            let is_one = |element: &&u32| (*element >> i & 1) != if i == j { 0 } else { *element >> j & 1 };
            distances[32 * i + j] = block.iter().filter(is_one).count() as u32;
        }
        Rc::new(Example { block, planes, distances })
    }

    /// The transposed matrix of distances.
    pub fn lower(&self) -> Distances {
        std::array::from_fn(|at| self.distances[at % 32 * 32 + at / 32])
    }

    /// Memory for slicing.
    pub fn to_slice(&self) -> Box<Pair> {
        Box::new(Pair { from: Page(self.block), to: Page([0; 2048]) })
    }

    /// Memory for joining, and for counting.
    pub fn sliced(&self) -> Box<Pair> {
        Box::new(Pair { from: Page(self.planes), to: Page([0; 2048]) })
    }
}

pub fn bytes(words: &[u32]) -> &[u8] {
    // SAFETY: every byte of an integer is one.
    unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), size_of_val(words)) }
}

pub fn bytes_mut(words: &mut [u32]) -> &mut [u8] {
    // SAFETY: as above, and integers have any bytes.
    unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), size_of_val(words)) }
}
