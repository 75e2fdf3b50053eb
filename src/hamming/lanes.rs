//! The kernels of the family for vectors of any length. A lane is a packed row or a plane, so no
//! sums across a vector are needed.

pub(super) mod intersections;
pub(super) mod misses;
pub(super) mod scores;
pub(super) mod slices;

use crate::math::vector::Words;

/// Vectors of words whose ones can be counted.
///
/// # Safety
/// Same as for [`Words`].
pub(super) trait Popcount: Words {
    unsafe fn and(self, b: Self) -> Self;
    unsafe fn xor(self, b: Self) -> Self;
    /// The number of ones in each byte.
    unsafe fn ones(self) -> Self;
    unsafe fn add_bytes(self, b: Self) -> Self;
    /// The sum of the bytes of each lane.
    unsafe fn across(self) -> Self;
    /// Writes the lanes, which are less than 2^32, as 32-bit integers.
    unsafe fn store_narrow(self, to: *mut u32);
}

/// A sequence of pairs of words.
///
/// # Safety
/// Same as for [`Words`], and pair `k` exists.
pub(super) trait Pairs<W>: Copy {
    /// The parity after each word of pair `k`, if `x` is the parity before the pair.
    unsafe fn two(self, k: usize, x: W) -> [W; 2];
}

/// A count of ones in each lane.
///
/// # Safety
/// Same as for [`Words`].
pub(super) trait Counter: Copy {
    type Words: Popcount;
    /// Pairs per call of `take`.
    const PAIRS: usize;
    /// Whether it uses the parities of [`Pairs::two`] directly, not the words.
    const PARITIES: bool = true;

    unsafe fn new() -> Self;
    unsafe fn take(&mut self, pairs: impl Pairs<Self::Words>);
    /// Takes one word; at most `2 * PAIRS` words are taken singly.
    unsafe fn one(&mut self, word: Self::Words);
    unsafe fn sum(&self) -> Self::Words;
}

/// A pair whose second word is 0.
#[derive(Clone, Copy)]
pub(super) struct Single<W>(pub W);

impl<W: Popcount> Pairs<W> for Single<W> {
    #[inline(always)]
    unsafe fn two(self, _: usize, x: W) -> [W; 2] {
        // SAFETY: the contract of the trait.
        unsafe { [x.xor(self.0); 2] }
    }
}

/// Exports the kernels of an instruction set. Arguments: its counter, the rows and the vectors of
/// packed rows per block, and its vector of integers.
macro_rules! export_hamming {
    ($isa:ident $counter:ty, $rows:literal, $vectors:literal) => {
        $isa! {
            pub(super) unsafe extern "C" fn slices(tiles: *const u8, distances: *mut u32) {
                // SAFETY: the contract of the kernel.
                unsafe { lanes::slices::slices::<$counter>(tiles, distances) }
            }

            pub(super) unsafe extern "C" fn intersections(
                packed: *const u8, groups: usize, chunks: usize, rows: *const u8, stride: usize, tails: *const u64,
                n: usize, out: *mut u32, out_stride: usize,
            ) {
                // SAFETY: the contract of the kernel.
                unsafe {
                    lanes::intersections::intersections::<$counter, $rows, $vectors>(
                        packed, groups, chunks, rows, stride, tails, n, out, out_stride,
                    );
                }
            }
        }
    };
    ($isa:ident $counter:ty, $rows:literal, $vectors:literal; $integers:ty) => {
        export_hamming! { $isa $counter, $rows, $vectors }
        export_hamming! { @ $isa $integers: tanimoto Tanimoto, dice Dice, cosine Cosine }
    };
    (@ $isa:ident $integers:ty: $($name:ident $finish:ident),+) => {
        $isa! {
            pub(super) unsafe extern "C" fn distances(
                common: *const u32, others: *const u32, n: usize, ones: u32, out: *mut u32,
            ) {
                use $crate::hamming::lanes::scores;
                // SAFETY: the contract of the kernel.
                unsafe { scores::finish::<$integers, scores::Distance>(common, others, n, ones, None, out) }
            }

            $(pub(super) unsafe extern "C" fn $name(
                common: *const u32, others: *const u32, n: usize, ones: u32, empty: f32, out: *mut f32,
            ) {
                use $crate::hamming::lanes::scores;
                // SAFETY: the contract of the kernel; floats have the size of integers.
                unsafe {
                    scores::finish::<$integers, scores::$finish>(common, others, n, ones, Some(empty), out.cast());
                }
            })+
        }
    };
}
pub(super) use export_hamming;
