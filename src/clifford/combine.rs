//! Signed sums of blades: between multivectors and the factors of products of matrices.

use super::algebra::Form;
use crate::float::Float;

/// Where the multivectors of a row and channel are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub channels: usize,
    pub blades: usize,
    /// Numbers from a row to the next, and from a channel to the next.
    pub row: usize,
    pub channel: usize,
}

/// Adds a term with a sign; the first term is the sum.
pub(super) fn add<T: Float>(sum: Option<T>, sign: i8, term: T) -> T {
    let term = if sign < 0 { -term } else { term };
    sum.map_or(term, |sum| sum + term)
}

/// Forms of multivectors: `out[(row * forms.len() + f) * channels + i]` is form f of channel i of
/// the row, its terms added in ascending order of blades.
pub(super) fn spread<T: Float>(layout: &Layout, rows: usize, x: &[T], forms: &[Form], out: &mut [T]) {
    for (row, out) in out.chunks_exact_mut(forms.len() * layout.channels).enumerate().take(rows) {
        for (form, out) in forms.iter().zip(out.chunks_exact_mut(layout.channels)) {
            for (i, out) in out.iter_mut().enumerate() {
                let x = &x[row * layout.row + i * layout.channel..][..layout.blades];
                let terms = x.iter().zip(form).filter(|(_, sign)| **sign != 0);
                *out = terms.fold(None, |sum, (&x, &sign)| Some(add(sum, sign, x))).unwrap_or(T::ZERO);
            }
        }
    }
}

/// The transposed map: adds to blade j of channel o of each row the units with a sign for it, in
/// ascending order. Unit u of a row is at `units[(row * forms.len() + u) * channels + o]`.
pub(super) fn gather<T: Float>(layout: &Layout, rows: usize, units: &[T], forms: &[Form], y: &mut [T]) {
    for (row, units) in units.chunks_exact(forms.len() * layout.channels).enumerate().take(rows) {
        for o in 0..layout.channels {
            let y = &mut y[row * layout.row + o * layout.channel..][..layout.blades];
            for (j, y) in y.iter_mut().enumerate() {
                let terms = forms.iter().enumerate().filter(|(_, form)| form[j] != 0);
                *y = terms.fold(*y, |sum, (u, form)| add(Some(sum), form[j], units[u * layout.channels + o]));
            }
        }
    }
}
