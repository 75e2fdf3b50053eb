//! DNA letters as three planes. Bits 1 to 3 of the ASCII codes identify the letter, in upper or
//! lower case.
//!
//! | letter | A | C | G | T, U | N |
//! |---|---|---|---|---|---|
//! | bit 1 (plane 0) | 0 | 1 | 1 | 0 | 1 |
//! | bit 2 (plane 1) | 0 | 0 | 1 | 1 | 1 |
//! | bit 3 (plane 2) | 0 | 0 | 0 | 0 | 1 |
//!
//! If no letter is N, plane 2 is all zeros, and two bits per letter suffice.

use super::planes::extent;
use super::{CHUNK, slice_u8, unslice_u8};
use crate::frame::error::Error;
use crate::frame::error::at_least;

/// Number of planes of a sequence.
pub const PLANES: usize = 3;
/// Bytes of a chunk in each plane.
const PIECE: usize = CHUNK / 8;

/// Writes the three planes of a sequence: bit i of byte o of plane j belongs to letter 8 o + i. The
/// unused high bits of the last byte are 0.
///
/// ```
/// use hotloops::bitslice::dna;
///
/// let mut planes = [0; 3];
/// dna::encode(b"GATTACAn", &mut planes, 1)?;
/// let mut letters = [0; 8];
/// dna::decode(&planes, 1, &mut letters)?;
/// assert_eq!(&letters, b"GATTACAN");
/// # Ok::<(), hotloops::Error>(())
/// ```
///
/// # Errors
/// [`Error::Letter`] for the first letter that is not one of A C G T U N, in upper or lower case;
/// [`Error::Stride`] and [`Error::Length`] as for [`slice()`](super::slice).
pub fn encode(letters: &[u8], planes: &mut [u8], stride: usize) -> Result<(), Error> {
    let needed = extent(letters.len(), PLANES, stride)?;
    at_least("planes", needed, planes.len())?;
    let known = |letter: u8| {
        // No short circuit, so that the compiler vectorises the check.
        let capital = letter & 0xdf;
        [b'A', b'C', b'G', b'T', b'U', b'N'].into_iter().fold(false, |any, known| any | (capital == known))
    };
    for (at, chunk) in letters.chunks(CHUNK).enumerate() {
        if !chunk.iter().fold(true, |all, &letter| all & known(letter)) {
            let index = chunk.iter().position(|&letter| !known(letter)).unwrap_or(0);
            return Err(Error::Letter { index: at * CHUNK + index, letter: chunk[index] });
        }
    }
    for (at, chunk) in letters.chunks(CHUNK).enumerate() {
        let (mut bytes, mut pieces) = ([0u8; CHUNK], [0u8; 8 * PIECE]);
        bytes[..chunk.len()].copy_from_slice(chunk);
        // SAFETY: a chunk and its planes.
        unsafe { slice_u8(bytes.as_ptr(), 1, pieces.as_mut_ptr(), PIECE) };
        let length = chunk.len().div_ceil(8);
        for j in 0..PLANES {
            planes[j * stride + at * PIECE..][..length].copy_from_slice(&pieces[(j + 1) * PIECE..][..length]);
        }
    }
    Ok(())
}

/// Writes the letters of three planes, in upper case, with T for U. Bits past the last letter are
/// ignored.
///
/// # Errors
/// [`Error::LetterCode`] for the first three bits that encode no letter; [`Error::Stride`] and
/// [`Error::Length`] as for [`unslice`](super::unslice).
pub fn decode(planes: &[u8], stride: usize, letters: &mut [u8]) -> Result<(), Error> {
    let n = letters.len();
    let needed = extent(n, PLANES, stride)?;
    at_least("planes", needed, planes.len())?;
    let row = |j: usize| &planes[(j * stride).min(planes.len())..][..n.div_ceil(8)];
    let [first, second, third] = if n == 0 { [&[][..]; 3] } else { [row(0), row(1), row(2)] };
    // Plane 2 is 1 only for N.
    for (at, ((&a, &b), &c)) in first.iter().zip(second).zip(third).enumerate() {
        let wrong = c & !(a & b) & 0xff >> (8 - (n - 8 * at).min(8));
        if wrong != 0 {
            let bit = wrong.trailing_zeros() as usize;
            let code = (a >> bit & 1) | (b >> bit & 1) << 1 | (c >> bit & 1) << 2;
            return Err(Error::LetterCode { index: 8 * at + bit, code });
        }
    }
    for (at, chunk) in letters.chunks_mut(CHUNK).enumerate() {
        let length = chunk.len().div_ceil(8);
        let (mut pieces, mut bytes) = ([0u8; 8 * PIECE], [0u8; CHUNK]);
        // Bit 0 is 1 in A, C and G; bit 4 in T; bit 6 in every letter.
        for i in 0..length {
            let [a, b, c] = [first, second, third].map(|plane| plane[at * PIECE + i]);
            let t = b & !a;
            for (j, bits) in [!(c | t), a, b, c, t, 0, 0xff, 0].into_iter().enumerate() {
                pieces[j * PIECE + i] = bits;
            }
        }
        // SAFETY: the planes of a chunk, and room for its elements.
        unsafe { unslice_u8(pieces.as_ptr(), PIECE, 1, bytes.as_mut_ptr()) };
        chunk.copy_from_slice(&bytes[..chunk.len()]);
    }
    Ok(())
}
