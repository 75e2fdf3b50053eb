//! Signatures, blades and their products.

use crate::frame::error::Error;

/// Maximum number of generators.
pub const MAX_GENERATORS: usize = 4;

/// Maximum number of blades.
pub const MAX_BLADES: usize = 1 << MAX_GENERATORS;

/// Bitmaps of blades in the order of their indices, for 4 generators: by grade, then by the list of
/// their generators. The blades of fewer generators are in the same order.
const ORDER: [u8; MAX_BLADES] = {
    let mut order = [0; MAX_BLADES];
    let (mut grade, mut at) = (0, 0);
    while grade <= MAX_GENERATORS {
        // Reversed bits descend as lists of generators ascend.
        let mut reversed = MAX_BLADES;
        while reversed > 0 {
            reversed -= 1;
            let bitmap = (reversed as u8).reverse_bits() >> (8 - MAX_GENERATORS);
            if bitmap.count_ones() as usize == grade {
                order[at] = bitmap;
                at += 1;
            }
        }
        grade += 1;
    }
    order
};

/// The signature of a Clifford algebra: the squares of its generators e1, e2, .., each +1, -1 or 0.
///
/// *Blades* are the products of different generators, one for each subset. They have indices: by
/// grade (number of generators), then in lexicographic order of their generators. With 3 generators:
/// 1, e1, e2, e3, e12, e13, e23, e123. A multivector is its coefficients in this order.
///
/// ```
/// use hotloops::clifford::Signature;
/// let plane = Signature::new(&[1, 1])?; // 1, e1, e2, e12
/// assert_eq!(plane.product(1, 2), (3, 1)); // e1 e2 = e12
/// assert_eq!(plane.product(2, 1), (3, -1)); // e2 e1 = -e12
/// assert_eq!(plane.product(3, 3), (0, -1)); // e12 e12 = -1
/// # Ok::<(), hotloops::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Signature {
    squares: [i8; MAX_GENERATORS],
    generators: u8,
}

impl Signature {
    /// The signature with these squares, at most 4. An empty list gives the real numbers.
    ///
    /// # Errors
    /// [`Error::Signature`] if there are more, or one is not +1, -1 or 0.
    pub const fn new(squares: &[i8]) -> Result<Self, Error> {
        let mut all = [0; MAX_GENERATORS];
        if squares.len() > MAX_GENERATORS {
            return Err(Error::Signature { generator: MAX_GENERATORS });
        }
        let mut i = 0;
        while i < squares.len() {
            if squares[i] < -1 || squares[i] > 1 {
                return Err(Error::Signature { generator: i });
            }
            all[i] = squares[i];
            i += 1;
        }
        Ok(Signature { squares: all, generators: squares.len() as u8 })
    }

    /// The squares of the generators.
    #[must_use]
    pub const fn squares(&self) -> &[i8] {
        self.squares.split_at(self.generators as usize).0
    }

    /// The number of blades: 2 to the power of the number of generators.
    #[must_use]
    pub const fn blades(&self) -> usize {
        1 << self.generators
    }

    /// The generators of blade `index`: bit i is 1 if it has generator i, counted from 0.
    ///
    /// # Panics
    /// If `index` is not less than [`Signature::blades`], here and in the following functions.
    #[must_use]
    pub const fn bitmap(&self, index: usize) -> usize {
        assert!(index < self.blades(), "no such blade");
        let (mut at, mut remaining) = (0, index);
        loop {
            let bitmap = ORDER[at] as usize;
            if bitmap < self.blades() {
                if remaining == 0 {
                    return bitmap;
                }
                remaining -= 1;
            }
            at += 1;
        }
    }

    /// The index of the blade with these generators, the inverse of [`Signature::bitmap`].
    #[must_use]
    pub const fn index(&self, bitmap: usize) -> usize {
        assert!(bitmap < self.blades(), "no such blade");
        let (mut at, mut index) = (0, 0);
        loop {
            let other = ORDER[at] as usize;
            if other == bitmap {
                return index;
            }
            index += (other < self.blades()) as usize;
            at += 1;
        }
    }

    /// The number of generators of blade `index`.
    #[must_use]
    pub const fn grade(&self, index: usize) -> usize {
        self.bitmap(index).count_ones() as usize
    }

    /// The product of blades `p` and `q`: the index of its blade, and its sign: +1, -1, or 0 if the
    /// product is 0.
    #[must_use]
    pub const fn product(&self, p: usize, q: usize) -> (usize, i8) {
        let (a, b) = (self.bitmap(p), self.bitmap(q));
        (self.index(a ^ b), self.sign(a, b))
    }

    /// The sign of the product of two blades, given by their bitmaps.
    pub(super) const fn sign(&self, a: usize, b: usize) -> i8 {
        // The generators of b move to their places, past those of a that follow them.
        let (mut swaps, mut shifted) = (0, a >> 1);
        while shifted > 0 {
            swaps += (shifted & b).count_ones();
            shifted >>= 1;
        }
        let mut sign = if swaps.is_multiple_of(2) { 1 } else { -1 };
        let mut i = 0;
        while i < MAX_GENERATORS {
            if (a & b) >> i & 1 == 1 {
                sign *= self.squares[i];
            }
            i += 1;
        }
        sign
    }

    /// The sign of the reverse of blade `index`, whose generators are in descending order.
    #[must_use]
    pub const fn reverse(&self, index: usize) -> i8 {
        if self.grade(index) % 4 < 2 { 1 } else { -1 }
    }

    /// The sign of blade `index` under the grade involution, which changes the sign of every
    /// generator.
    #[must_use]
    pub const fn involution(&self, index: usize) -> i8 {
        if self.grade(index).is_multiple_of(2) { 1 } else { -1 }
    }

    /// Pairs of blades (p, q) with the given product, in ascending order of p, with their signs.
    /// Pairs whose product is 0 are left out.
    pub fn factors(self, product: usize) -> impl Iterator<Item = (usize, usize, i8)> {
        let target = self.bitmap(product);
        (0..self.blades()).filter_map(move |p| {
            let (a, b) = (self.bitmap(p), self.bitmap(p) ^ target);
            let sign = self.sign(a, b);
            (sign != 0).then(|| (p, self.index(b), sign))
        })
    }
}
