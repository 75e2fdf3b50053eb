//! Which planes of a block need not be kept, after the slices of BitMagic's `bmtrans.h`.

use crate::Error;
use crate::error::{at_least, exactly};

/// What a plane is beside the later ones; in a code, its number is in bits 0..3 and the other plane's above.
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
    /// Kept as its difference (exclusive or) from the plane of this index, which has fewer ones
    /// than the plane has ones or zeros.
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

    /// The class of a plane's code; the index is that of a later plane among `planes`.
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
/// [`Error::Length`] if there are not 1024 distances and 32 codes, [`Error::TooLarge`] if `n` is
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

/// The bytes that [`reduce`] keeps of planes of `n` bits.
///
/// # Errors
/// [`Error::PlaneCode`] for a code that [`classify`] does not give at its place.
pub fn reduced_len(n: usize, codes: &[u16]) -> Result<usize, Error> {
    let mut kept = 0usize;
    for (plane, &code) in codes.iter().enumerate() {
        kept += usize::from(Class::of(plane, codes.len(), code)?.is_kept());
    }
    kept.checked_mul(n.div_ceil(8)).ok_or(Error::TooLarge { argument: "n" })
}

/// Keeps the bytes of plain planes, and of differences, one after the other; `n` bits of each
/// plane, the rest of its last byte 0.
///
/// # Errors
/// [`Error::PlaneCode`] as for [`reduced_len`], [`Error::Stride`] if a plane is longer than
/// `stride`, [`Error::Length`] if `planes` does not hold all of them or `reduced` is not
/// [`reduced_len`] bytes long.
pub fn reduce(planes: &[u8], stride: usize, n: usize, codes: &[u16], reduced: &mut [u8]) -> Result<(), Error> {
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

/// Restores all planes from what [`reduce`] kept, the last one first; bits past `n` in a plane's
/// last byte are 0.
///
/// That the codes are right for the planes is not checked: other codes restore other planes.
///
/// # Errors
/// As for [`reduce`].
pub fn restore(reduced: &[u8], codes: &[u16], n: usize, planes: &mut [u8], stride: usize) -> Result<(), Error> {
    let expected = check(planes.len(), stride, n, codes)?;
    exactly("reduced", expected, reduced.len())?;
    let bytes = n.div_ceil(8);
    if bytes == 0 {
        return Ok(());
    }
    let mut kept = reduced.rchunks_exact(bytes);
    for (i, &code) in codes.iter().enumerate().rev() {
        // Those after this plane are there.
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

/// The reduced length, if the planes are long enough.
fn check(found: usize, stride: usize, n: usize, codes: &[u16]) -> Result<usize, Error> {
    let expected = reduced_len(n, codes)?;
    let least = super::planes::extent(n, codes.len(), stride)?;
    at_least("planes", least, found)?;
    Ok(expected)
}

/// The bits of a row's last byte that belong to it.
fn last_mask(n: usize) -> u8 {
    0xff >> (n.wrapping_neg() % 8)
}
