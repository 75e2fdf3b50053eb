//! The operations.

/// Lanes of the longest vector.
pub(in super::super) const MAX_LANES: usize = 16;

/// A vector of `R`. Every operation is that of the elements, rounded once. A pair of lanes, the even
/// one first, may hold a complex number.
///
/// # Safety
/// The methods need a CPU with the vector's instructions.
pub(in super::super) unsafe trait Lanes<R>: Copy {
    const LANES: usize;
    /// Number of vectors that registers hold.
    const REGISTERS: usize;
    /// A set of lanes.
    type Mask: Copy;

    unsafe fn load(at: *const R) -> Self;
    unsafe fn store(self, at: *mut R);
    unsafe fn splat(x: R) -> Self;
    /// `self * b + c`, rounded once.
    unsafe fn fma(self, b: Self, c: Self) -> Self;
    unsafe fn plus(self, b: Self) -> Self;
    unsafe fn minus(self, b: Self) -> Self;
    unsafe fn times(self, b: Self) -> Self;
    unsafe fn over(self, b: Self) -> Self;

    /// Lanes `begin..end`, those that there are.
    unsafe fn mask(begin: usize, end: usize) -> Self::Mask;
    /// The lanes of the mask; the others are 0, and their memory is not read.
    unsafe fn load_masked(at: *const R, mask: Self::Mask) -> Self;
    /// Writes the lanes of the mask alone.
    unsafe fn store_masked(self, at: *mut R, mask: Self::Mask);
    /// `self` in the lanes of the mask, `other` in the others.
    unsafe fn select(self, other: Self, mask: Self::Mask) -> Self;

    /// All lanes get lane `i`.
    unsafe fn broadcast(self, i: usize) -> Self;
    /// Lane 0.
    unsafe fn first(self) -> R;
    /// The even lanes of `self` and the odd ones of `odd`.
    unsafe fn with_odd(self, odd: Self) -> Self;
    /// The lanes of a pair are exchanged.
    unsafe fn swapped(self) -> Self;
    /// The odd lanes change their sign.
    unsafe fn conjugated(self) -> Self;

    /// Pairs of lanes times a complex number, whose parts are in all lanes of two vectors: each operation is rounded.
    #[inline(always)]
    unsafe fn times_complex(self, re: Self, im: Self) -> Self {
        // SAFETY: the caller's contract.
        unsafe {
            let (straight, crossed) = (self.times(re), self.swapped().times(im));
            straight.minus(crossed).with_odd(straight.plus(crossed))
        }
    }

    /// Transposes the square matrix of the first `LANES` rows.
    unsafe fn transpose(rows: &mut [Self; MAX_LANES]);
    /// Transposes the square matrix of the first `LANES / 2` rows, whose elements are pairs of lanes.
    unsafe fn transpose_pairs(rows: &mut [Self; MAX_LANES]);
}

/// Implements the methods that are one intrinsic each.
macro_rules! basics {
    ($real:ident $lanes:literal $registers:literal $load:ident $store:ident $splat:ident $fma:expr,
        $add:ident $sub:ident $mul:ident $div:ident) => {
        const LANES: usize = $lanes;
        const REGISTERS: usize = $registers;

        #[inline(always)]
        unsafe fn load(at: *const $real) -> Self {
            $load(at)
        }

        #[inline(always)]
        unsafe fn store(self, at: *mut $real) {
            $store(at, self)
        }

        #[inline(always)]
        unsafe fn splat(x: $real) -> Self {
            $splat(x)
        }

        #[inline(always)]
        unsafe fn fma(self, b: Self, c: Self) -> Self {
            $fma(self, b, c)
        }

        #[inline(always)]
        unsafe fn plus(self, b: Self) -> Self {
            $add(self, b)
        }

        #[inline(always)]
        unsafe fn minus(self, b: Self) -> Self {
            $sub(self, b)
        }

        #[inline(always)]
        unsafe fn times(self, b: Self) -> Self {
            $mul(self, b)
        }

        #[inline(always)]
        unsafe fn over(self, b: Self) -> Self {
            $div(self, b)
        }
    };
}
pub(super) use basics;

/// Implements the transpositions of vectors of `f32` by those of `f64`.
macro_rules! transpositions_by_pairs {
    ($pairs:ident $lanes:literal $low:ident $high:ident $to_pairs:ident $from_pairs:ident) => {
        #[inline(always)]
        unsafe fn transpose(rows: &mut [Self; MAX_LANES]) {
            // Elements of two rows become pairs. Of the four columns in each 128 bits, `low` has two.
            let (mut low, mut high) = ([$pairs::splat(0.0); MAX_LANES], [$pairs::splat(0.0); MAX_LANES]);
            for i in 0..$lanes / 2 {
                let (a, b) = (rows[2 * i], rows[2 * i + 1]);
                (low[i], high[i]) = ($to_pairs($low(a, b)), $to_pairs($high(a, b)));
            }
            $pairs::transpose(&mut low);
            $pairs::transpose(&mut high);
            for i in 0..$lanes / 4 {
                for j in 0..2 {
                    rows[4 * i + j] = $from_pairs(low[2 * i + j]);
                    rows[4 * i + 2 + j] = $from_pairs(high[2 * i + j]);
                }
            }
        }

        #[inline(always)]
        unsafe fn transpose_pairs(rows: &mut [Self; MAX_LANES]) {
            let mut pairs = [$pairs::splat(0.0); MAX_LANES];
            for i in 0..$lanes / 2 {
                pairs[i] = $to_pairs(rows[i]);
            }
            $pairs::transpose(&mut pairs);
            for i in 0..$lanes / 2 {
                rows[i] = $from_pairs(pairs[i]);
            }
        }
    };
}
pub(super) use transpositions_by_pairs;

/// Implements the transposition of vectors of `f64` by that of pairs.
macro_rules! transposition_of_halves {
    ($lanes:literal $low:ident $high:ident) => {
        #[inline(always)]
        unsafe fn transpose(rows: &mut [Self; MAX_LANES]) {
            for i in (0..$lanes).step_by(2) {
                let (a, b) = (rows[i], rows[i + 1]);
                (rows[i], rows[i + 1]) = ($low(a, b), $high(a, b));
            }
            // Even rows are a matrix of pairs with the even columns, odd rows one with the odd columns.
            for parity in 0..2 {
                let mut pairs = *rows;
                for i in 0..$lanes / 2 {
                    pairs[i] = rows[2 * i + parity];
                }
                Self::transpose_pairs(&mut pairs);
                for i in 0..$lanes / 2 {
                    rows[2 * i + parity] = pairs[i];
                }
            }
        }
    };
}
pub(super) use transposition_of_halves;
