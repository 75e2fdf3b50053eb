//! Entries of matrices as forms of the blades of a signature.

use super::super::signature::{MAX_BLADES, MAX_GENERATORS, Signature};
use super::Form;
use super::matrices::{Matrix, Representation, Scalar, representation};

/// A signature whose generators of square 0 are apart.
pub(super) struct Parts {
    pub signature: Signature,
    pub representation: Representation,
    /// The matrices of the blades in each component, by the bitmaps of the generators kept.
    blades: [[Matrix; MAX_BLADES]; 2],
    kept: [usize; MAX_GENERATORS],
    count: usize,
    zeros: [usize; MAX_GENERATORS],
    pub n_zeros: usize,
}

/// The part of an entry of a matrix that a form is: of a component, in a row and a column.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub component: usize,
    pub row: usize,
    pub column: usize,
    pub parts: Scalar,
}

/// The bits of a number at these places.
const fn spread(bits: usize, places: &[usize]) -> usize {
    let (mut bitmap, mut i) = (0, 0);
    while i < places.len() {
        bitmap |= (bits >> i & 1) << places[i];
        i += 1;
    }
    bitmap
}

/// The parity of the swaps that sort the generators of `a` and those of `b` behind them.
const fn is_odd_order(a: usize, b: usize) -> bool {
    let (mut swaps, mut by) = (0, 1);
    while by < MAX_GENERATORS {
        swaps += (a >> by & b).count_ones();
        by += 1;
    }
    swaps % 2 == 1
}

const fn scaled_form(mut form: Form, sign: i8) -> Form {
    let mut p = 0;
    while p < MAX_BLADES {
        form[p] *= sign;
        p += 1;
    }
    form
}

impl Parts {
    pub const fn new(signature: &Signature) -> Option<Self> {
        let squares = signature.squares();
        let (mut kept, mut kept_squares, mut count) = ([0; MAX_GENERATORS], [0; MAX_GENERATORS], 0);
        let (mut zeros, mut n_zeros, mut i) = ([0; MAX_GENERATORS], 0, 0);
        while i < squares.len() {
            if squares[i] == 0 {
                zeros[n_zeros] = i;
                n_zeros += 1;
            } else {
                (kept[count], kept_squares[count]) = (i, squares[i]);
                count += 1;
            }
            i += 1;
        }
        match representation(kept_squares.split_at(count).0) {
            Some(representation) => {
                let blades = [representation.blades(0, count), representation.blades(1, count)];
                Some(Parts { signature: *signature, representation, blades, kept, count, zeros, n_zeros })
            }
            None => None,
        }
    }

    /// Form of a part of the matrix of the algebra's element that is left of the product of the zero generators
    /// `subset`; with the grade involution, if `flips`.
    pub const fn form(&self, Entry { component, row, column, parts }: Entry, subset: usize, flips: bool) -> Form {
        let mut form: Form = [0; MAX_BLADES];
        let behind = spread(subset, self.zeros.split_at(self.n_zeros).0);
        let mut bits: usize = 0;
        while bits < 1 << self.count {
            let before = spread(bits, self.kept.split_at(self.count).0);
            let [a, b, c, d] = self.blades[component][bits][row][column];
            let value = a * parts[0] + b * parts[1] + c * parts[2] + d * parts[3];
            // The blade is e_before e_behind, with the generators sorted.
            let flipped = flips && bits.count_ones() % 2 == 1;
            let sign = if is_odd_order(before, behind) != flipped { -1 } else { 1 };
            form[self.signature.index(before | behind)] = sign * value;
            bits += 1;
        }
        form
    }

    /// Form of the second factor for the zero generators `left` of the first one, of `subset` together: e_left
    /// e_right = +- e_subset.
    pub const fn second(&self, entry: Entry, subset: usize, left: usize) -> Form {
        let right = subset & !left;
        let form = self.form(entry, right, left.count_ones() % 2 == 1);
        scaled_form(form, if is_odd_order(left, right) { -1 } else { 1 })
    }
}
