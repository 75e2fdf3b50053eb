//! The kernels between multivectors and the numbers of products of matrices, and their lists.

#[cfg(avx2)]
mod avx2;
#[cfg(avx512)]
mod avx512;
#[cfg(any(sse2, neon))]
mod lanes;
#[cfg(any(sse2, neon))]
mod lists;
#[cfg(neon)]
mod neon;
mod scalar;
#[cfg(sse2)]
mod sse2;
#[cfg(any(sse2, neon))]
mod tiles;

use alloc::vec::Vec;

use super::algebra::{Form, Pass};
use super::linear::Direction;
use crate::error::Error;
use crate::kernel::kernel;
use crate::matmul::Element;
use crate::memory::push;

/// Maximum numbers of sums and of terms of a list. The lists of all signatures have up to 81 and 192.
const MAX_SUMS: usize = 96;
const MAX_TERMS: usize = 208;

kernel! {
    /// Signed sums of the blades of multivectors, channel by channel.
    ///
    /// `list` has the number of sums, and for each sum the number of its terms, three numbers a, b and c, and
    /// its terms: 2 p adds blade p, 2 p + 1 subtracts it. A sum begins at +0; its terms follow in their order,
    /// each addition rounded. The sum of channel i of row r, whose blades begin at `x + r * x_row + i *
    /// x_channel`, goes to `y + (a * y_rows + b * (y_first + r) + c) * n + i`.
    ///
    /// # Safety
    /// `blades` is at most 16. The list has at most 96 sums and 208 terms. The blades of the `rows` rows of `n`
    /// channels are readable. The places of the sums are writable, and overlap neither each other nor anything
    /// that is read. Any alignment is valid.
    "hl_clifford_forms_f32" unsafe fn forms_f32(rows: usize, n: usize, blades: usize, x: *const f32, x_row: usize, x_channel: usize, y: *mut f32, y_rows: usize, y_first: usize, list: *const u32);
    avx512 intrinsics,
    avx2 intrinsics,
    sse2 intrinsics,
    neon intrinsics,
    scalar reference,
}

kernel! {
    /// Signed sums of the blades of multivectors of doubles, like [`forms_f32()`].
    ///
    /// # Safety
    /// As for [`forms_f32()`].
    "hl_clifford_forms_f64" unsafe fn forms_f64(rows: usize, n: usize, blades: usize, x: *const f64, x_row: usize, x_channel: usize, y: *mut f64, y_rows: usize, y_first: usize, list: *const u32);
    avx512 intrinsics,
    avx2 intrinsics,
    sse2 intrinsics,
    neon intrinsics,
    scalar reference,
}

kernel! {
    /// Blades of multivectors from signed sums of numbers, channel by channel.
    ///
    /// `list` has for each blade the number of its terms, and for each term three numbers a, b and d. The term
    /// of channel i of row r is at `x + (a * x_rows + b * (x_first + r) + d / 2) * n + i`; it is subtracted if
    /// d is odd. The sum of blade j begins at `start[j * n + i]`, or at +0 if `start` is null. Its terms follow
    /// in their order, each addition rounded. It goes to `y + r * y_row + i * y_channel + j`.
    ///
    /// # Safety
    /// `blades` is at most 16. The list has at most 208 terms. The terms and the start are readable. The
    /// blades of the `rows` rows of `n` channels are writable, and overlap neither each other nor anything that
    /// is read. Any alignment is valid.
    "hl_clifford_blades_f32" unsafe fn blades_f32(rows: usize, n: usize, blades: usize, x: *const f32, x_rows: usize, x_first: usize, start: *const f32, y: *mut f32, y_row: usize, y_channel: usize, list: *const u32);
    avx512 intrinsics,
    avx2 intrinsics,
    sse2 intrinsics,
    neon intrinsics,
    scalar reference,
}

kernel! {
    /// Blades of multivectors of doubles from signed sums, like [`blades_f32()`].
    ///
    /// # Safety
    /// As for [`blades_f32()`].
    "hl_clifford_blades_f64" unsafe fn blades_f64(rows: usize, n: usize, blades: usize, x: *const f64, x_rows: usize, x_first: usize, start: *const f64, y: *mut f64, y_row: usize, y_channel: usize, list: *const u32);
    avx512 intrinsics,
    avx2 intrinsics,
    sse2 intrinsics,
    neon intrinsics,
    scalar reference,
}

/// A matrix in which each point has so many vectors; those of a point have `before` of them in the matrices
/// before it.
#[derive(Clone, Copy, Debug)]
struct Place {
    before: usize,
    of_point: usize,
}

/// The first factors of all passes from the blades, and the blades from all products.
#[derive(Clone, Debug)]
pub(super) struct Transform {
    pub forms: Forms,
    pub blades: Blades,
    /// Numbers of the factors and of the products, for one channel of each and one point.
    pub numbers: [usize; 2],
}

impl Transform {
    /// Each pass has a matrix of factors, or one for each row of a point.
    pub fn new<'a>(
        passes: impl Iterator<Item = &'a Pass>,
        direction: Direction,
        blades: usize,
        by_rows: bool,
    ) -> Result<Self, Error> {
        let (mut forms, mut units, mut numbers) = (Forms::new()?, Vec::new(), [0; 2]);
        for pass in passes {
            let [factor, product] = match direction {
                Direction::Forward => [&pass.x[..], &pass.units],
                Direction::Backward => [&pass.units[..], &pass.x],
            };
            let of_point = if by_rows { factor.len() / pass.size } else { factor.len() };
            for matrix in factor.chunks_exact(of_point) {
                forms.add(matrix, Place { before: numbers[0], of_point })?;
                numbers[0] += of_point;
            }
            push(&mut units, (product, Place { before: numbers[1], of_point: product.len() }))?;
            numbers[1] += product.len();
        }
        let blades = Blades::of(&units, blades)?;
        let terms_of_forms = forms.0.len() - 1 - 4 * forms.0[0] as usize;
        assert!(forms.0[0] as usize <= MAX_SUMS && terms_of_forms.max(blades.terms.len()) <= MAX_TERMS, "long lists");
        Ok(Transform { forms, blades, numbers })
    }
}

/// Sums of blades by forms, and their places.
#[derive(Clone, Debug)]
pub(super) struct Forms(Vec<u32>);

impl Forms {
    fn new() -> Result<Self, Error> {
        let mut list = Vec::new();
        push(&mut list, 0)?;
        Ok(Forms(list))
    }

    /// Appends the sums of a matrix.
    fn add(&mut self, forms: &[Form], place: Place) -> Result<(), Error> {
        for (number, form) in forms.iter().enumerate() {
            let terms = form.iter().filter(|sign| **sign != 0).count();
            for entry in [terms, place.before, place.of_point, number] {
                push(&mut self.0, entry as u32)?;
            }
            for (p, &sign) in (0..).zip(form).filter(|(_, sign)| **sign != 0) {
                push(&mut self.0, 2 * p + u32::from(sign < 0))?;
            }
            self.0[0] += 1;
        }
        Ok(())
    }

    /// The sums of rows of `n` multivectors, which are `x_row` numbers apart, the multivectors of a row
    /// `x_channel`. They are rows from `first` on of matrices of `all` rows.
    pub fn apply<T: Element>(
        &self,
        [rows, n, blades]: [usize; 3],
        (x, x_row, x_channel): (&[T], usize, usize),
        (y, all, first): (&mut [T], usize, usize),
    ) {
        if rows == 0 || n == 0 {
            return;
        }
        let most = self.places().map(|[before, of_point, place]| before * all + of_point * (first + rows - 1) + place);
        let end = most.max().map_or(0, |last| (last + 1) * n);
        let read = (rows - 1) * x_row + (n - 1) * x_channel + blades;
        assert!(x.len() >= read && y.len() >= end, "numbers outside an array");
        let list = self.0.as_ptr();
        // SAFETY: the multivectors are in `x` and the sums in `y`, which is borrowed exclusively. `T` is the type
        // of the kernel that is called.
        unsafe {
            if size_of::<T>() == 4 {
                let (x, y) = (x.as_ptr().cast(), y.as_mut_ptr().cast());
                forms_f32(rows, n, blades, x, x_row, x_channel, y, all, first, list);
            } else {
                let (x, y) = (x.as_ptr().cast(), y.as_mut_ptr().cast());
                forms_f64(rows, n, blades, x, x_row, x_channel, y, all, first, list);
            }
        }
    }

    fn places(&self) -> impl Iterator<Item = [usize; 3]> {
        let mut rest = &self.0[1..];
        core::iter::from_fn(move || {
            let (sum, after) = rest.split_at_checked(4)?;
            rest = &after[sum[0] as usize..];
            Some([sum[1], sum[2], sum[3]].map(|number| number as usize))
        })
    }
}

/// The sums that are blades.
#[derive(Clone, Debug)]
pub(super) struct Blades {
    list: Vec<u32>,
    terms: Vec<[u32; 3]>,
}

impl Blades {
    /// The blades from numbers that count for each of them by their forms, and the places of the numbers.
    fn of(matrices: &[(&[Form], Place)], blades: usize) -> Result<Self, Error> {
        let mut all = Blades { list: Vec::new(), terms: Vec::new() };
        for blade in 0..blades {
            let begin = all.list.len();
            push(&mut all.list, 0)?;
            for (forms, place) in matrices {
                for (number, form) in forms.iter().enumerate().filter(|(_, form)| form[blade] != 0) {
                    let is_negative = usize::from(form[blade] < 0);
                    for entry in [place.before, place.of_point, 2 * number + is_negative] {
                        push(&mut all.list, entry as u32)?;
                    }
                    push(&mut all.terms, [place.before, place.of_point, number].map(|number| number as u32))?;
                    all.list[begin] += 1;
                }
            }
        }
        Ok(all)
    }

    /// The blades of rows of `n` multivectors, which are `y_row` numbers apart, the multivectors of a row
    /// `y_channel`, from rows from `first` on of matrices of `all` rows. `start` has `n` numbers for each
    /// blade, or is empty.
    pub fn apply<T: Element>(
        &self,
        [rows, n, blades]: [usize; 3],
        (x, all, first): (&[T], usize, usize),
        start: &[T],
        (y, y_row, y_channel): (&mut [T], usize, usize),
    ) {
        if rows == 0 || n == 0 {
            return;
        }
        let places = self.terms.iter().map(|term| term.map(|number| number as usize));
        let most = places.map(|[before, of_point, place]| before * all + of_point * (first + rows - 1) + place);
        let read = most.max().map_or(0, |last| (last + 1) * n);
        let end = (rows - 1) * y_row + (n - 1) * y_channel + blades;
        let is_start = start.is_empty() || start.len() == n * blades;
        assert!(x.len() >= read && y.len() >= end && is_start, "numbers outside an array");
        let (start, list) = (if start.is_empty() { core::ptr::null() } else { start.as_ptr() }, self.list.as_ptr());
        // SAFETY: the terms are in `x` and the blades in `y`, which is borrowed exclusively. `T` is the type of
        // the kernel that is called.
        unsafe {
            if size_of::<T>() == 4 {
                let (x, y) = (x.as_ptr().cast(), y.as_mut_ptr().cast());
                blades_f32(rows, n, blades, x, all, first, start.cast(), y, y_row, y_channel, list);
            } else {
                let (x, y) = (x.as_ptr().cast(), y.as_mut_ptr().cast());
                blades_f64(rows, n, blades, x, all, first, start.cast(), y, y_row, y_channel, list);
            }
        }
    }
}
