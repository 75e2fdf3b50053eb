//! The kernels that multiply multivectors one by one, and the list of terms that describes an
//! algebra to them.

#[cfg(avx2)]
mod avx2;
#[cfg(avx512)]
mod avx512;
mod kernels;
#[cfg(any(sse2, neon))]
pub(super) mod lanes;
#[cfg(neon)]
mod neon;
mod scalar;
#[cfg(sse2)]
mod sse2;

pub use kernels::*;

use super::common;
use super::signature::{MAX_BLADES, MAX_GENERATORS, Signature};
use crate::matmul;

/// Indices of rows are multiplied by this in lists of terms: assembly adds them to addresses as they are.
const SCALE: usize = 8;

/// Maximum number of coefficients of a group.
const MAX_WIDTH: usize = 8;

/// Lengths of the longest lists of terms for 2, 3 and 4 generators.
const LENGTHS: [usize; 3] = [33, 89, 307];

/// The lists of terms of all algebras with 2, 3 and 4 generators.
static LISTS_2: [[u16; LENGTHS[0]]; 9] = lists(2);
static LISTS_3: [[u16; LENGTHS[1]]; 27] = lists(3);
static LISTS_4: [[u16; LENGTHS[2]]; 81] = lists(4);

/// The terms of the product of an algebra of at least 2 generators, for the kernels.
pub(super) fn terms(signature: &Signature) -> &'static [u16] {
    let squares = signature.squares();
    let place = squares.iter().fold(0, |place, square| 3 * place + (square + 1) as usize);
    match squares.len() {
        2 => &LISTS_2[place],
        3 => &LISTS_3[place],
        _ => &LISTS_4[place],
    }
}

/// The lists of all algebras with this number of generators: at index i, the squares plus 1 are the digits of
/// i to base 3, the first square the highest digit.
const fn lists<const LENGTH: usize, const COUNT: usize>(generators: usize) -> [[u16; LENGTH]; COUNT] {
    let mut lists = [[0; LENGTH]; COUNT];
    let mut place = 0;
    while place < COUNT {
        let (mut squares, mut digits, mut i) = ([0; MAX_GENERATORS], place, generators);
        while i > 0 {
            i -= 1;
            squares[i] = (digits % 3) as i8 - 1;
            digits /= 3;
        }
        lists[place] = list(squares.split_at(generators).0);
        place += 1;
    }
    lists
}

/// The terms of an algebra.
///
/// Coefficients whose blades share the generators of square 0 are sums over the same p: those that
/// have no other generator of square 0.
const fn list<const LENGTH: usize>(squares: &[i8]) -> [u16; LENGTH] {
    let Ok(signature) = Signature::new(squares) else { panic!("no signature") };
    let blades = signature.blades();
    let (mut bitmaps, mut indices) = ([0; MAX_BLADES], [0; MAX_BLADES]);
    let (mut zeros, mut p) = (0, 0);
    while p < blades {
        bitmaps[p] = signature.bitmap(p);
        indices[bitmaps[p]] = p;
        p += 1;
    }
    let mut i = 0;
    while i < squares.len() {
        zeros |= ((squares[i] == 0) as usize) << i;
        i += 1;
    }
    let width = match blades >> zeros.count_ones() {
        MAX_WIDTH.. => MAX_WIDTH,
        4 => 4,
        _ => 1,
    };
    let (mut terms, mut length) = ([0; LENGTH], 1);
    terms[0] = width as u16;
    let mut subset = 0;
    while subset < blades {
        // Coefficients of the group, and the blades p.
        let (mut group, mut members, mut j) = ([0; MAX_WIDTH], 0, 0);
        while j < blades && subset & !zeros == 0 {
            if bitmaps[j] & zeros == subset {
                group[members] = j;
                members += 1;
            }
            if members == width {
                let number = length;
                length += 1;
                let mut p = 0;
                while p < blades {
                    if bitmaps[p] & zeros & !subset == 0 {
                        terms[number] += 1;
                        terms[length] = (SCALE * p) as u16;
                        length += 1;
                        let mut i = 0;
                        while i < width {
                            let q = indices[bitmaps[p] ^ bitmaps[group[i]]];
                            let negative = signature.sign(bitmaps[p], bitmaps[q]) < 0;
                            terms[length] = (SCALE * if negative { q + blades } else { q }) as u16;
                            length += 1;
                            i += 1;
                        }
                    }
                    p += 1;
                }
                let mut i = 0;
                while i < width {
                    terms[length] = (SCALE * group[i]) as u16;
                    length += 1;
                    i += 1;
                }
                members = 0;
            }
            j += 1;
        }
        subset += 1;
    }
    terms
}

/// Pointer type of the kernels.
#[doc(hidden)]
pub type Multiply<T> = unsafe extern "C" fn(*const u16, usize, *const T, *const T, usize, *mut T);

/// A number that multivectors are made of: `f32` or `f64`.
pub trait Element: matmul::Element {
    #[doc(hidden)]
    const MULTIPLY: Multiply<Self>;
    #[doc(hidden)]
    const COMMON: common::Kernels<Self>;
}

impl Element for f32 {
    const MULTIPLY: Multiply<f32> = multiply_f32;
    const COMMON: common::Kernels<f32> = common::SINGLE;
}

impl Element for f64 {
    const MULTIPLY: Multiply<f64> = multiply_f64;
    const COMMON: common::Kernels<f64> = common::DOUBLE;
}
