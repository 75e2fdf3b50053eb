//! Classes of planes: they mark the planes of a block that need not be stored, after the slices of
//! BitMagic's `bmtrans.h`.

use crate::frame::error::Error;
use crate::frame::error::{at_least, exactly};

/// How a plane is stored. A code holds the class in bits 0..3 and, if the class refers to a later
/// plane, the index of that plane above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Kept as it is.
    Plain,
    /// All zeros.
    Zeros,
    /// All ones.
    Ones,
    /// Equal to the plane of this index.
    Equal(u8),
    /// Kept as its difference (exclusive or) from the plane of this index. The difference has fewer
    /// ones than the plane has ones, and fewer than it has zeros.
    Xor(u8),
    /// The complement of the plane of this index.
    Complement(u8),
}

impl Class {
    /// The code: class | index << 3.
    #[must_use]
    pub const fn code(self) -> u16 {
        let (class, index) = match self {
            Class::Plain => (0, 0),
            Class::Zeros => (1, 0),
            Class::Ones => (2, 0),
            Class::Equal(index) => (3, index),
            Class::Xor(index) => (4, index),
            Class::Complement(index) => (5, index),
        };
        class | (index as u16) << 3
    }

    /// Decodes the code of a plane. An index must be that of a later plane among `planes`.
    fn of(plane: usize, planes: usize, code: u16) -> Result<Self, Error> {
        let index = (code >> 3) as u8;
        let class = match code & 7 {
            0 => Class::Plain,
            1 => Class::Zeros,
            2 => Class::Ones,
            3 => Class::Equal(index),
            4 => Class::Xor(index),
            5 => Class::Complement(index),
            _ => return Err(Error::PlaneCode { plane, code }),
        };
        let refers = matches!(class, Class::Equal(_) | Class::Xor(_) | Class::Complement(_));
        let right = match refers {
            true => usize::from(index) > plane && usize::from(index) < planes,
            false => index == 0,
        };
        if right && code == class.code() { Ok(class) } else { Err(Error::PlaneCode { plane, code }) }
    }

    /// Whether bytes of this plane are kept.
    const fn is_kept(self) -> bool {
        matches!(self, Class::Plain | Class::Xor(_))
    }
}

/// Classifies the planes of a block of `n` elements by their distances: `distances[32 i + j]` for i
/// < j, and ones on the diagonal, as [`slices_distance`](crate::hamming::slices_distance) writes
/// them.
///
/// # Errors
/// [`Error::Length`] unless there are 1024 distances and 32 codes, [`Error::TooLarge`] if `n` is
/// more than 2048 or less than a distance.
pub fn classify(distances: &[u32], n: usize, codes: &mut [u16]) -> Result<(), Error> {
    for (argument, expected, found) in [("distances", 1024, distances.len()), ("codes", 32, codes.len())] {
        exactly(argument, expected, found)?;
    }
    let distance = |i: usize, j: usize| distances[32 * i + j] as usize;
    let largest = (0..32).flat_map(|i| (i..32).map(move |j| distance(i, j))).max();
    if n > super::BLOCK || largest > Some(n) {
        return Err(Error::TooLarge { argument: "n" });
    }
    for (i, code) in codes.iter_mut().enumerate() {
        let ones = distance(i, i);
        let nearest = (i + 1..32).min_by_key(|&j| distance(i, j));
        let opposite = (i + 1..32).find(|&j| distance(i, j) == n);
        let class = match (nearest, opposite) {
            _ if ones == 0 => Class::Zeros,
            _ if ones == n => Class::Ones,
            (Some(j), _) if distance(i, j) == 0 => Class::Equal(j as u8),
            (_, Some(j)) => Class::Complement(j as u8),
            (Some(j), _) if distance(i, j) < ones.min(n - ones) => Class::Xor(j as u8),
            _ => Class::Plain,
        };
        *code = class.code();
    }
    Ok(())
}

/// The number of bytes that [`reduce`] keeps of planes of `n` bits.
///
/// # Errors
/// [`Error::PlaneCode`] for a code that is invalid for its plane.
pub fn reduced_len(n: usize, codes: &[u16]) -> Result<usize, Error> {
    let mut kept = 0usize;
    for (plane, &code) in codes.iter().enumerate() {
        kept += usize::from(Class::of(plane, codes.len(), code)?.is_kept());
    }
    kept.checked_mul(n.div_ceil(8)).ok_or(Error::TooLarge { argument: "n" })
}

/// Stores the plain planes and the differences contiguously: `n` bits of each plane, with 0 in the
/// unused bits of its last byte.
///
/// # Errors
/// [`Error::PlaneCode`] as for [`reduced_len`], [`Error::Stride`] if a plane is longer than
/// `stride`, [`Error::Length`] if `planes` is too short or `reduced` is not [`reduced_len`] bytes
/// long.
pub fn reduce(planes: &[u8], n: usize, stride: usize, codes: &[u16], reduced: &mut [u8]) -> Result<(), Error> {
    let expected = check(planes.len(), stride, n, codes)?;
    exactly("reduced", expected, reduced.len())?;
    let bytes = n.div_ceil(8);
    if bytes == 0 {
        return Ok(());
    }
    let plane = |index: usize| &planes[index * stride..][..bytes];
    let mut kept = reduced.chunks_exact_mut(bytes);
    for (i, &code) in codes.iter().enumerate() {
        let class = Class::of(i, codes.len(), code)?;
        let Some(to) = (if class.is_kept() { kept.next() } else { None }) else { continue };
        to.copy_from_slice(plane(i));
        if let Class::Xor(j) = class {
            to.iter_mut().zip(plane(j.into())).for_each(|(to, from)| *to ^= from);
        }
        to[bytes - 1] &= last_mask(n);
    }
    Ok(())
}

/// Restores all planes from the bytes that [`reduce`] kept. Bits past `n` in a plane's last byte
/// are 0.
///
/// Codes must be those given to [`reduce`]. This is not checked: other codes restore other planes.
///
/// # Errors
/// Same as for [`reduce`].
pub fn restore(reduced: &[u8], n: usize, codes: &[u16], planes: &mut [u8], stride: usize) -> Result<(), Error> {
    let expected = check(planes.len(), stride, n, codes)?;
    exactly("reduced", expected, reduced.len())?;
    let bytes = n.div_ceil(8);
    if bytes == 0 {
        return Ok(());
    }
    let mut kept = reduced.rchunks_exact(bytes);
    for (i, &code) in codes.iter().enumerate().rev() {
        // Later planes are already restored.
        let (plane, later) = planes[i * stride..].split_at_mut(if i + 1 < codes.len() { stride } else { bytes });
        let plane = &mut plane[..bytes];
        let other = |j: u8| &later[(usize::from(j) - i - 1) * stride..][..bytes];
        let class = Class::of(i, codes.len(), code)?;
        match class {
            Class::Zeros => plane.fill(0),
            Class::Ones => plane.fill(0xff),
            Class::Equal(j) | Class::Complement(j) => plane.copy_from_slice(other(j)),
            Class::Plain | Class::Xor(_) => plane.copy_from_slice(kept.next().unwrap_or_default()),
        }
        match class {
            Class::Complement(_) => plane.iter_mut().for_each(|byte| *byte = !*byte),
            Class::Xor(j) => plane.iter_mut().zip(other(j)).for_each(|(byte, other)| *byte ^= other),
            _ => {}
        }
        plane[bytes - 1] &= last_mask(n);
    }
    Ok(())
}

/// Checks that the planes are long enough; returns the reduced length.
fn check(found: usize, stride: usize, n: usize, codes: &[u16]) -> Result<usize, Error> {
    let expected = reduced_len(n, codes)?;
    let needed = super::planes::extent(n, codes.len(), stride)?;
    at_least("planes", needed, found)?;
    Ok(expected)
}

/// Mask of the used bits in a plane's last byte.
fn last_mask(n: usize) -> u8 {
    0xff >> (n.wrapping_neg() % 8)
}
