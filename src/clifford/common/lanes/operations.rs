//! Products of the multivectors in lanes. Loops over blades and terms are unrolled by a macro.

use core::mem::MaybeUninit;

use super::super::super::multiply::lanes::Transpose;
use super::super::table::{ALL, EVEN, EVEN_REVERSE, MAX_PATHS, REVERSE, STEPS, TABLES, Term};
use super::repeat;
use crate::math::float::Float;
use crate::math::vector::Vector;

/// Adds to the coefficients z whose blades have the generators `ZEROS` of square 0 their terms with x\[P\],
/// which is `x`.
///
/// # Safety
/// As for [`Vector`].
#[inline(always)]
unsafe fn add_terms<
    V: Vector,
    const A: usize,
    const N: usize,
    const P: usize,
    const ZEROS: usize,
    const TERMS: usize,
>(
    x: V,
    y: &[V; N],
    z: &mut [V; N],
) {
    repeat! { J below N {
        if const { TABLES[A].zeros[J] == ZEROS && STEPS[A][TERMS][J][P].is_term } {
            // SAFETY: the caller's contract.
            unsafe {
                let product = x.mul(y[const { STEPS[A][TERMS][J][P].second }]);
                let is_negative = const { STEPS[A][TERMS][J][P].is_negative };
                z[J] = if const { STEPS[A][TERMS][J][P].begins } {
                    // -0 + a = a for every a.
                    if is_negative { V::splat(-V::Element::ZERO).sub(product) } else { product }
                } else {
                    if is_negative { z[J].sub(product) } else { z[J].add(product) }
                };
            }
        }
    } }
}

/// Coefficients of products.
///
/// # Safety
/// As for [`Vector`].
#[inline(always)]
unsafe fn product<V: Vector, const A: usize, const N: usize, const TERMS: usize>(x: &[V; N], y: &[V; N]) -> [V; N] {
    // SAFETY: the caller's contract.
    unsafe {
        let mut z = [V::splat(V::Element::ZERO); N];
        repeat! { P below N { add_terms::<V, A, N, P, 0, TERMS>(x[P], y, &mut z) } }
        repeat! { P below N { add_terms::<V, A, N, P, 1, TERMS>(x[P], y, &mut z) } }
        z
    }
}

/// The sum of the magnitudes of the odd coefficients: 0 if all of them are 0.
///
/// # Safety
/// As for [`Vector`].
#[inline(always)]
unsafe fn odd_part<V: Vector, const A: usize, const N: usize>(r: &[V; N]) -> V {
    // SAFETY: the caller's contract.
    unsafe {
        let mut sum = V::splat(V::Element::ZERO);
        repeat! { P below N {
            if const { TABLES[A].odd[P] } {
                sum = sum.add(r[P].magnitude());
            }
        } }
        sum
    }
}

/// Coefficient `J` of products with the weights of paths.
///
/// # Safety
/// `weights` has a vector for each path; as for [`Vector`].
#[inline(always)]
unsafe fn weighted<V: Vector, const A: usize, const N: usize, const J: usize>(
    weights: *const V,
    x: &[V; N],
    y: &[V; N],
) -> V {
    // SAFETY: the caller's contract.
    unsafe {
        // -0 + a = a for every a.
        let zero = V::splat(-V::Element::ZERO);
        let (mut total, mut sum) = (zero, zero);
        repeat! { T below N {
            if const { TABLES[A].by_path[J][T].sign != 0 } {
                let Term { first, second, path, .. } = const { TABLES[A].by_path[J][T] };
                let product = x[first as usize].mul(y[second as usize]);
                if const { TABLES[A].by_path[J][T].begins } {
                    sum = zero;
                }
                sum = if const { TABLES[A].by_path[J][T].sign < 0 } {
                    sum.sub(product)
                } else if const { TABLES[A].by_path[J][T].begins } {
                    product
                } else {
                    sum.add(product)
                };
                if const { TABLES[A].by_path[J][T].ends } {
                    let sum = (*weights.add(path as usize)).mul(sum);
                    total = if const { TABLES[A].by_path[J][T].path == TABLES[A].by_path[J][0].path } {
                        sum
                    } else {
                        total.add(sum)
                    };
                }
            }
        } }
        total
    }
}

/// An operation on the multivectors in lanes.
///
/// # Safety
/// As for [`Vector`].
pub(super) trait Operation<V: Transpose> {
    unsafe fn apply<const A: usize, const N: usize>(&self, x: &[V; N], y: &[V; N]) -> [V; N];
}

pub(super) struct GeometricProduct;
pub(super) struct Sandwich;
pub(super) struct Weighted<'a, V>(pub &'a [MaybeUninit<V>; MAX_PATHS]);

impl<V: Transpose> Operation<V> for GeometricProduct {
    #[inline(always)]
    unsafe fn apply<const A: usize, const N: usize>(&self, x: &[V; N], y: &[V; N]) -> [V; N] {
        // SAFETY: the caller's contract.
        unsafe { product::<V, A, N, ALL>(x, y) }
    }
}

impl<V: Transpose> Operation<V> for Sandwich {
    #[inline(always)]
    unsafe fn apply<const A: usize, const N: usize>(&self, r: &[V; N], x: &[V; N]) -> [V; N] {
        // SAFETY: the caller's contract.
        unsafe {
            let odd = odd_part::<V, A, N>(r);
            let [all_even, none_even] = odd.zeros();
            if all_even {
                return product::<V, A, N, EVEN_REVERSE>(&product::<V, A, N, EVEN>(r, x), r);
            }
            let mut z = product::<V, A, N, REVERSE>(&product::<V, A, N, ALL>(r, x), r);
            if !none_even {
                let even = product::<V, A, N, EVEN_REVERSE>(&product::<V, A, N, EVEN>(r, x), r);
                for (z, even) in z.iter_mut().zip(even) {
                    *z = odd.where_zero(even, *z);
                }
            }
            z
        }
    }
}

impl<V: Transpose> Operation<V> for Weighted<'_, V> {
    #[inline(always)]
    unsafe fn apply<const A: usize, const N: usize>(&self, x: &[V; N], y: &[V; N]) -> [V; N] {
        // SAFETY: the caller's contract; there are vectors of weights for the paths of the algebra.
        unsafe {
            let mut z = [V::splat(V::Element::ZERO); N];
            repeat! { J below N { z[J] = weighted::<V, A, N, J>(self.0.as_ptr().cast(), x, y) } }
            z
        }
    }
}
