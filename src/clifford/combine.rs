//! Signed sums of blades: between multivectors and the factors of products of matrices.

use alloc::vec::Vec;

use super::algebra::Form;
use crate::error::Error;
use crate::float::Float;
use crate::memory::push;

/// Channels of a block, whose numbers are added side by side.
const LANES: usize = 8;

/// Numbers of a block of channels.
type Lanes<T> = [T; LANES];

/// Signed sums, each of some of the same numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Sums {
    /// The place and the sign of each term, in the order of addition.
    terms: Vec<(u8, f32)>,
    /// For each sum, the end of its terms.
    ends: Vec<usize>,
}

impl Sums {
    /// Appends a sum.
    pub fn add(&mut self, signs: impl Iterator<Item = i8>) -> Result<(), Error> {
        for (place, sign) in (0..).zip(signs) {
            if sign != 0 {
                push(&mut self.terms, (place, f32::from(sign)))?;
            }
        }
        push(&mut self.ends, self.terms.len())
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The terms of the longest sum.
    pub fn max_terms(&self) -> usize {
        let starts = core::iter::once(&0).chain(&self.ends);
        starts.zip(&self.ends).map(|(start, end)| end - start).max().unwrap_or(0)
    }

    /// The terms of each sum. A sign is +1 or -1, so that products with it are exact.
    fn each<T: Float>(&self) -> impl Iterator<Item = impl Iterator<Item = (usize, T)>> {
        let starts = core::iter::once(&0).chain(&self.ends);
        starts.zip(&self.ends).map(|(&start, &end)| {
            self.terms[start..end].iter().map(|&(place, sign)| (place.into(), T::from_f64(sign.into())))
        })
    }
}

/// Forms of a multivector's blades.
pub(super) fn sums_of(forms: &[Form]) -> Result<Sums, Error> {
    let mut sums = Sums::default();
    forms.iter().try_for_each(|form| sums.add(form.iter().copied()))?;
    Ok(sums)
}

/// Adds a term.
fn add<T: Float>(sum: &mut Lanes<T>, sign: T, term: &Lanes<T>) {
    sum.iter_mut().zip(term).for_each(|(sum, &term)| *sum = *sum + sign * term);
}

/// Calls `$function::<T, BLADES>` for a number of blades that is known only at run time.
macro_rules! for_blades {
    ($blades:expr, $function:ident($($argument:expr),+ $(,)?)) => {
        match $blades {
            1 => $function::<T, 1>($($argument),+),
            2 => $function::<T, 2>($($argument),+),
            4 => $function::<T, 4>($($argument),+),
            8 => $function::<T, 8>($($argument),+),
            _ => $function::<T, 16>($($argument),+),
        }
    };
}

/// Sums of each multivector's blades. `x` holds rows of multivectors, one for each channel; sum f of
/// channel i of row r goes to `out[(r * sums.len() + f) * channels + i]`.
pub(super) fn spread<T: Float>(channels: usize, blades: usize, x: &[T], sums: &Sums, out: &mut [T]) {
    for_blades!(blades, spread_blades(channels, x, sums, out));
}

fn spread_blades<T: Float, const BLADES: usize>(channels: usize, x: &[T], sums: &Sums, out: &mut [T]) {
    for (x, out) in x.chunks_exact(channels * BLADES).zip(out.chunks_exact_mut(channels * sums.len())) {
        let (x, _) = x.as_chunks::<BLADES>();
        for (block, x) in x.chunks(LANES).enumerate() {
            let mut blades = [[T::ZERO; LANES]; BLADES];
            for (lane, x) in x.iter().enumerate() {
                (0..BLADES).for_each(|p| blades[p][lane] = x[p]);
            }
            for (out, terms) in out.chunks_exact_mut(channels).zip(sums.each::<T>()) {
                let mut sum = [T::ZERO; LANES];
                // +0 as the first term changes at most the sign of a zero.
                terms.for_each(|(place, sign)| add(&mut sum, sign, &blades[place]));
                let out = &mut out[block * LANES..][..x.len()];
                match out.as_mut_array::<LANES>() {
                    Some(out) => *out = sum,
                    None => out.copy_from_slice(&sum[..out.len()]),
                }
            }
        }
    }
}

/// The other direction: adds to blade j of each multivector of `y` its sum of units. `y` holds rows of
/// multivectors; unit u of channel o of row r is at `units[(r * n_units + u) * channels + o]`.
pub(super) fn gather<T: Float>(channels: usize, units: &[T], n_units: usize, sums: &Sums, y: &mut [T]) {
    for_blades!(sums.len(), gather_blades(channels, units, n_units, sums, y));
}

fn gather_blades<T: Float, const BLADES: usize>(
    channels: usize,
    units: &[T],
    n_units: usize,
    sums: &Sums,
    y: &mut [T],
) {
    for (units, y) in units.chunks_exact(channels * n_units).zip(y.chunks_exact_mut(channels * BLADES)) {
        let (y, _) = y.as_chunks_mut::<BLADES>();
        for (block, y) in y.chunks_mut(LANES).enumerate() {
            let mut blades = [[T::ZERO; LANES]; BLADES];
            for (lane, y) in y.iter().enumerate() {
                (0..BLADES).for_each(|j| blades[j][lane] = y[j]);
            }
            for (blade, terms) in blades.iter_mut().zip(sums.each::<T>()) {
                for (unit, sign) in terms {
                    let unit = &units[unit * channels + block * LANES..][..y.len()];
                    match unit.as_array::<LANES>() {
                        Some(unit) => add(blade, sign, unit),
                        None => {
                            blade.iter_mut().zip(unit).for_each(|(sum, &term)| *sum = *sum + sign * term);
                        }
                    }
                }
            }
            for (lane, y) in y.iter_mut().enumerate() {
                (0..BLADES).for_each(|j| y[j] = blades[j][lane]);
            }
        }
    }
}
