//! Pairs from each of some distances on, for any vector: one algorithm, which the instruction sets share.

use crate::vector::Vector;

/// Pairs that a lane of a sum holds: their number in its upper 5 bits, and the sum of their products, of at most 2^21.
const MOST: usize = 31;
pub(super) const COUNT_SHIFT: u32 = 27;

/// Products may be negative: a lane begins with half a pair.
pub(super) const HALF: i32 = 1 << (COUNT_SHIFT - 1);

/// The lower and the upper half of a word, of a lane that is shifted right by [`COUNT_SHIFT`] - 15 for the upper one.
pub(super) const LOW: i32 = (1 << COUNT_SHIFT) - 1;
pub(super) const HIGH: i32 = (MOST as i32) << 15;

/// Vectors of floats, and of as many integers.
///
/// # Safety
/// As for [`Vector`].
pub(super) trait Lanes: Vector<Element = f32> {
    type Integers: Copy;

    /// Reads the first `n` elements, more than none and less than `LANES`; the others are 0.
    #[inline(always)]
    unsafe fn load_part(from: *const f32, n: usize) -> Self {
        // SAFETY: the contract of the trait.
        unsafe { Self::load_first(from, n) }
    }
    unsafe fn bits(self) -> Self::Integers;
    unsafe fn integers(x: i32) -> Self::Integers;
    unsafe fn add_integers(a: Self::Integers, b: Self::Integers) -> Self::Integers;
    /// The products of orientations, rounded.
    unsafe fn product(psi: Self::Integers, other_psi: Self::Integers) -> Self::Integers;
    unsafe fn root(self) -> Self;
    /// The integer parts, or those of `most` where they are less.
    unsafe fn whole(self, most: Self) -> Self::Integers;
    /// Products as words, two of them each, with `one` added to the upper halves: those of pairs 0 and 1, and of 2 and 3, of each four.
    unsafe fn halves(product: Self::Integers, one: Self::Integers) -> [Self::Integers; 2];
    /// Adds pairs where the bits of `r2` are greater.
    unsafe fn add_beyond(lanes: Self::Integers, r2: Self, near: Self::Integers, pair: Self::Integers)
    -> Self::Integers;
    /// Lanes as words, two of them each.
    unsafe fn widen(lanes: Self::Integers) -> Self::Integers;
    unsafe fn add_words(a: Self::Integers, b: Self::Integers) -> Self::Integers;
}

/// [`Lanes`] with intrinsics in the order of their use, and `load_part` if that is quicker by itself.
#[cfg(sse2)]
macro_rules! lanes {
    ($vector:ident $integers:ident $bits:ident $set1:ident $add:ident $madd:ident $srai:ident $sqrt:ident $min:ident $convert:ident
     $low:ident $high:ident $srli:ident $and:ident $add_words:ident $sub_words:ident $set1_word:ident |$lanes:ident, $r2:ident, $near:ident, $pair:ident| $add_beyond:expr; $($load_part:item)?) => {
        // SAFETY: the contract of the trait, throughout.
        #[allow(unsafe_op_in_unsafe_fn)]
        impl crate::correlation::tiles::Lanes for $vector {
            type Integers = $integers;

            $($load_part)?

            #[inline(always)]
            unsafe fn bits(self) -> $integers {
                $bits(self)
            }
            #[inline(always)]
            unsafe fn integers(x: i32) -> $integers {
                $set1(x)
            }
            #[inline(always)]
            unsafe fn add_integers(a: $integers, b: $integers) -> $integers {
                $add(a, b)
            }
            #[inline(always)]
            unsafe fn product(psi: $integers, other_psi: $integers) -> $integers {
                $srai::<8>($add($madd(psi, other_psi), $set1(128)))
            }
            #[inline(always)]
            unsafe fn root(self) -> Self {
                $sqrt(self)
            }
            #[inline(always)]
            unsafe fn whole(self, most: Self) -> $integers {
                $convert($min(self, most))
            }
            #[inline(always)]
            unsafe fn halves(product: $integers, one: $integers) -> [$integers; 2] {
                let upper = $add($srai::<31>(product), one);
                [$low(product, upper), $high(product, upper)]
            }
            #[inline(always)]
            unsafe fn add_beyond($lanes: $integers, r2: Self, $near: $integers, $pair: $integers) -> $integers {
                let $r2 = $bits(r2);
                $add_beyond
            }
            #[inline(always)]
            unsafe fn widen(lanes: $integers) -> $integers {
                use crate::correlation::tiles::{COUNT_SHIFT, HALF, HIGH, LOW};
                let (sums, counts) =
                    ($and(lanes, $set1(LOW)), $and($srli::<{ (COUNT_SHIFT - 15) as _ }>(lanes), $set1(HIGH)));
                $sub_words($add_words($low(sums, counts), $high(sums, counts)), $set1_word(2 * HALF as i64))
            }
            #[inline(always)]
            unsafe fn add_words(a: $integers, b: $integers) -> $integers {
                $add_words(a, b)
            }
        }
    };
}
#[cfg(sse2)]
pub(super) use lanes;

/// A pair in each of 16 lanes, then none.
static ONES: [[f32; 16]; 2] = [[f32::from_bits(1 << COUNT_SHIFT); 16], [0.0; 16]];

/// `n` points.
#[derive(Clone, Copy)]
pub(super) struct Points {
    pub x: *const f32,
    pub y: *const f32,
    pub psi: *const i16,
    pub n: usize,
}

impl Points {
    /// Those from point `j` on.
    ///
    /// # Safety
    /// There are as many.
    #[inline(always)]
    pub unsafe fn from(self, j: usize) -> Self {
        // SAFETY: the caller's contract.
        unsafe { Points { x: self.x.add(j), y: self.y.add(j), psi: self.psi.add(2 * j), n: self.n - j } }
    }
}

/// The pairs from each of `E` distances on.
///
/// # Safety
/// As for [`edges`](super::edges()).
#[inline(always)]
unsafe fn pairs_beyond<V: Lanes, const E: usize>(
    first: Points,
    other: Points,
    shift: *const f32,
    edges: *const f32,
    words: *mut i64,
) {
    // SAFETY: two shifts, E edges and words, points i < n of the first and j < n of the others, and the caller's contract.
    unsafe {
        let [shift_x, shift_y] = [0, 1].map(|axis| V::splat(shift.add(axis).read_unaligned()));
        // The bits of floats that are not negative are ordered as they are: so are those of r2 and an edge.
        let mut near = [V::integers(0); E];
        for (e, near) in near.iter_mut().enumerate() {
            *near = V::integers((edges.add(e).read_unaligned().to_bits() as i32).max(0) - 1);
        }
        let (mut sums, mut begin) = ([V::integers(0); E], 0);
        while begin < first.n {
            let end = first.n.min(begin + MOST);
            for j in (0..other.n).step_by(V::LANES) {
                let left = other.n - j;
                let load = |from: *const f32| if left < V::LANES { V::load_part(from, left) } else { V::load(from) };
                let (xj, yj, psi_j) =
                    (load(other.x.add(j)), load(other.y.add(j)), load(other.psi.add(2 * j).cast()).bits());
                // Lanes without a point add zero: their orientations are zeros, and their pairs none.
                let one = V::load(ONES.as_ptr().cast::<f32>().add(16 - left.min(V::LANES))).bits();
                let mut lanes = [V::integers(HALF); E];
                for i in begin..end {
                    let psi_i = V::integers(first.psi.add(2 * i).cast::<i32>().read_unaligned());
                    let dx = xj.sub(V::splat(first.x.add(i).read_unaligned())).add(shift_x);
                    let dy = yj.sub(V::splat(first.y.add(i).read_unaligned())).add(shift_y);
                    let r2 = dx.mul(dx).add(dy.mul(dy));
                    let pair = V::add_integers(V::product(psi_j, psi_i), one);
                    for (lanes, near) in lanes.iter_mut().zip(near) {
                        *lanes = V::add_beyond(*lanes, r2, near, pair);
                    }
                }
                for (sum, lanes) in sums.iter_mut().zip(lanes) {
                    *sum = V::add_words(*sum, V::widen(lanes));
                }
            }
            begin = end;
        }
        for (e, &sum) in sums.iter().enumerate() {
            let mut parts = [0i64; 8];
            parts.as_mut_ptr().cast::<V::Integers>().write_unaligned(sum);
            let word = words.add(e);
            word.write_unaligned(parts.iter().fold(word.read_unaligned(), |sum, &part| sum.wrapping_add(part)));
        }
    }
}

/// The kernel, 8 edges at a time.
///
/// # Safety
/// As for [`edges`](super::edges()).
#[inline(always)]
pub(super) unsafe fn edges<V: Lanes>(
    first: Points,
    other: Points,
    shift: *const f32,
    edges: *const f32,
    k: usize,
    words: *mut i64,
) {
    for e in (0..k).step_by(8) {
        // SAFETY: e < k, and the caller's contract.
        unsafe {
            let (edges, words) = (edges.add(e), words.add(e));
            match k - e {
                1 => pairs_beyond::<V, 1>(first, other, shift, edges, words),
                2 => pairs_beyond::<V, 2>(first, other, shift, edges, words),
                3 => pairs_beyond::<V, 3>(first, other, shift, edges, words),
                4 => pairs_beyond::<V, 4>(first, other, shift, edges, words),
                5 => pairs_beyond::<V, 5>(first, other, shift, edges, words),
                6 => pairs_beyond::<V, 6>(first, other, shift, edges, words),
                7 => pairs_beyond::<V, 7>(first, other, shift, edges, words),
                _ => pairs_beyond::<V, 8>(first, other, shift, edges, words),
            }
        }
    }
}

/// Makes the kernels of an instruction set, with its [`Block`](super::rows::Block), if it has one, and its [`Lanes`].
macro_rules! kernels {
    ($block:ty, $vector:ident $lanes:literal, $isa:ident) => {
        kernels! { $vector $lanes, $isa }
        crate::isa::$isa! {
            pub(super) unsafe extern "C" fn offsets(
                x: *const i32,
                psi: *const i16,
                n: usize,
                other_x: *const i32,
                other_psi: *const i16,
                m: usize,
                words: *mut i64,
            ) {
                // SAFETY: the caller's contract.
                unsafe { crate::correlation::rows::offsets::<$block>(x, psi, n, other_x, other_psi, m, words) }
            }
        }
    };
    ($vector:ident $lanes:literal, $isa:ident) => {
        crate::isa::$isa! {
            #[allow(clippy::too_many_arguments)]
            pub(super) unsafe extern "C" fn scatter(
                x: *const f32,
                y: *const f32,
                psi: *const i16,
                n: usize,
                other_x: *const f32,
                other_y: *const f32,
                other_psi: *const i16,
                m: usize,
                shift: *const f32,
                inverse_width: f32,
                bins: usize,
                words: *mut i64,
            ) {
                use crate::correlation::{ring, tiles::Points};
                let (first, other) = (Points { x, y, psi, n }, Points { x: other_x, y: other_y, psi: other_psi, n: m });
                // SAFETY: the caller's contract.
                unsafe { ring::scatter::<$vector, $lanes>(first, other, shift, inverse_width, bins, words) }
            }

            #[allow(clippy::too_many_arguments)]
            pub(super) unsafe extern "C" fn edges(
                x: *const f32,
                y: *const f32,
                psi: *const i16,
                n: usize,
                other_x: *const f32,
                other_y: *const f32,
                other_psi: *const i16,
                m: usize,
                shift: *const f32,
                edges: *const f32,
                k: usize,
                words: *mut i64,
            ) {
                use crate::correlation::tiles::{self, Points};
                let (first, other) = (Points { x, y, psi, n }, Points { x: other_x, y: other_y, psi: other_psi, n: m });
                // SAFETY: the caller's contract.
                unsafe { tiles::edges::<$vector>(first, other, shift, edges, k, words) }
            }
        }
    };
}
pub(super) use kernels;
