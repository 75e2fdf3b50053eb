//! Problems of variables 0 and 1 as problems of spins.

use alloc::vec::Vec;

use crate::frame::error::Error;
use crate::frame::memory;

/// The terms of a field.
#[derive(Clone, Copy)]
struct Sum {
    value: f64,
    magnitude: f64,
    terms: u32,
    /// The exponent of the lowest bit that is set in a term.
    unit: i32,
}

impl Sum {
    const ZERO: Self = Sum { value: 0.0, magnitude: 0.0, terms: 0, unit: i32::MAX };

    fn add(&mut self, term: f64) {
        if term != 0.0 {
            self.value += term;
            self.magnitude += term.abs();
            self.terms += 1;
            self.unit = self.unit.min(unit(term));
        }
    }

    /// 0 if the sum is below the rounding of its terms, which are themselves sums. Sums without rounding are kept.
    fn rounded(self) -> f64 {
        let is_exact = exponent(self.magnitude) < self.unit.saturating_add(53);
        let rounding = f64::from(self.terms) * f64::EPSILON / 2.0 * self.magnitude;
        if !is_exact && self.value.abs() <= rounding { 0.0 } else { self.value }
    }
}

/// The exponent of the highest bit of a number that is not negative.
pub(super) fn exponent(value: f64) -> i32 {
    ((value.to_bits() >> 52) as i32).max(1) - 1023
}

/// The exponent of the lowest bit that is set in a number other than 0.
pub(super) fn unit(value: f64) -> i32 {
    let (bits, exponent) = (value.abs().to_bits(), exponent(value.abs()));
    // Subnormal numbers have no implicit bit; their lowest bits are the same.
    let trailing = (bits | 1 << 52).trailing_zeros();
    exponent - 52 + trailing as i32
}

/// The sums `diagonal_i / 2 + sum q_ij / 4` at all sites, for products `(i, j, q_ij)` that are listed once. With
/// `x = (1 + s) / 2`, up to a constant, `sum diagonal_i x_i + sum q_ij x_i x_j` is
/// `sum fields_i s_i + sum q_ij / 4 s_i s_j`.
///
/// Terms often cancel but for the rounding of decimal fractions, as in a QUBO of Max-Cut. A rest below this rounding
/// is 0: it would set the scale of temperatures, and no kind of model holds such unequal magnitudes. Sums of integers
/// and binary fractions are kept as they are.
///
/// # Errors
/// [`Error::SiteRange`] for a product that names no site; [`Error::NoMemory`].
#[doc(hidden)]
pub fn binary_fields(
    diagonal: &[f64],
    products: impl IntoIterator<Item = (usize, usize, f64)>,
) -> Result<Vec<f64>, Error> {
    let sites = diagonal.len();
    let mut sums = memory::filled(sites, Sum::ZERO)?;
    sums.iter_mut().zip(diagonal).for_each(|(sum, value)| sum.add(value / 2.0));
    for (i, j, value) in products {
        for site in [i, j] {
            sums.get_mut(site).ok_or(Error::SiteRange { site, sites })?.add(value / 4.0);
        }
    }
    memory::collected(sums.into_iter().map(Sum::rounded))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_rounding_cancels() {
        // 0.1 + 0.2 differs from 0.3 by its rounding.
        let products = [(0, 1, 0.2), (0, 2, 0.4)];
        let fields = binary_fields(&[-(0.1 + 0.2), -0.1, -0.2], products).unwrap();
        assert_eq!(fields, [0.0; 3]);
        let fields = binary_fields(&[-0.3, -0.1, -0.2], products).unwrap();
        assert_eq!(fields, [0.0; 3]);
        let fields = binary_fields(&[-0.3 + 1e-14, -0.1, -0.2 - 1e-12], products).unwrap();
        assert!(fields[0] > 4e-15 && fields[2] < -4e-13, "{fields:?}");
        // Integers cancel exactly, to the last bit of 2^53.
        for penalty in [1.0, 1e6, 2f64.powi(52)] {
            let fields = binary_fields(&[1.0 - penalty, 2.0 - penalty], [(0, 1, 2.0 * penalty)]).unwrap();
            assert_eq!(fields, [0.5, 1.0], "{penalty}");
        }
        let tiny = f64::from_bits(8);
        assert_eq!(binary_fields(&[tiny, 0.0], []).unwrap(), [tiny / 2.0, 0.0]);
        assert_eq!(binary_fields(&[0.0], [(0, 1, 1.0)]), Err(Error::SiteRange { site: 1, sites: 1 }));
    }

    #[test]
    fn units_are_lowest_bits() {
        for (value, lowest) in [(1.0, 0), (-3.0, 0), (0.75, -2), (2f64.powi(60), 60), (f64::from_bits(4), -1072)] {
            assert_eq!(unit(value), lowest, "{value}");
        }
        assert_eq!([1.0, 1.9, 2.0, 0.5].map(exponent), [0, 0, 1, -1]);
    }
}
