//! Matrix algebras isomorphic to Clifford algebras, and the products of units that they need.

use alloc::vec::Vec;

use super::signature::{MAX_BLADES, Signature};
use crate::error::Error;
use crate::memory::push;

/// Coefficients of a linear form of the blades of a multivector, each +1, -1 or 0.
pub(super) type Form = [i8; MAX_BLADES];

/// The scalars that the entries of a matrix are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scalars {
    Real,
    Complex,
    Quaternion,
}

/// A scalar: the coefficients of 1, i, j, k.
type Scalar = [i8; 4];
/// A 2x2 matrix in rows, or a 1x1 matrix in its first element.
type Matrix = [[Scalar; 2]; 2];

const ZERO: Scalar = [0; 4];
const ONE: Scalar = [1, 0, 0, 0];
const MINUS: Scalar = [-1, 0, 0, 0];
const I: Scalar = [0, 1, 0, 0];
const J: Scalar = [0, 0, 1, 0];
const K: Scalar = [0, 0, 0, 1];
/// Z Z = 1.
const Z: Matrix = [[ONE, ZERO], [ZERO, MINUS]];
/// X X = 1, X Z = -Z X.
const X: Matrix = [[ZERO, ONE], [ONE, ZERO]];
/// E E = -1, E = Z X.
const E: Matrix = [[ZERO, ONE], [MINUS, ZERO]];

fn scalar_product(a: Scalar, b: Scalar) -> Scalar {
    [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ]
}

fn matrix_product(a: Matrix, b: Matrix) -> Matrix {
    let mut product = [[ZERO; 2]; 2];
    for (i, row) in product.iter_mut().enumerate() {
        for (j, entry) in row.iter_mut().enumerate() {
            for (l, b) in b.iter().enumerate() {
                let term = scalar_product(a[i][l], b[j]);
                entry.iter_mut().zip(term).for_each(|(sum, term)| *sum += term);
            }
        }
    }
    product
}

/// The matrix times a scalar, from the right.
fn scaled(a: Matrix, by: Scalar) -> Matrix {
    a.map(|row| row.map(|entry| scalar_product(entry, by)))
}

fn single(entry: Scalar) -> Matrix {
    [[entry, ZERO], [ZERO, ZERO]]
}

/// An algebra without generators of square 0, as a direct sum of `components` algebras of matrices
/// of `size` rows.
#[derive(Clone, Copy, Debug)]
struct Representation {
    scalars: Scalars,
    size: usize,
    components: usize,
    /// The matrix of each generator in each component.
    generators: [[Matrix; 2]; 4],
}

/// The algebra with these squares, all +1 or -1. `None` for some of 4 generators.
///
/// Pairs of generators give 2x2 matrices, or quaternions for (-1, -1). A third generator commutes
/// with the pseudoscalar e123, so it is its inverse times the product of the other two: it is
/// represented by +1 and -1 times a matrix, or by i times it, as the square of e123 says. The fourth
/// generator is found for (1, -1, -1, -1) alone: quaternion units times X.
fn representation(squares: &[i8]) -> Option<Representation> {
    let quaternion = |unit| [single(unit); 2];
    let same = |matrix| [matrix; 2];
    let none = same(single(ZERO));
    let of = |scalars, size, components, generators| Some(Representation { scalars, size, components, generators });
    let pair = |a: i8, b: i8| match (a, b) {
        (1, 1) => [Z, X],
        (1, -1) => [Z, E],
        _ => [E, Z],
    };
    match *squares {
        [] => of(Scalars::Real, 1, 1, [none; 4]),
        [1] => of(Scalars::Real, 1, 2, [[single(ONE), single(MINUS)], none, none, none]),
        [_] => of(Scalars::Complex, 1, 1, [quaternion(I), none, none, none]),
        [-1, -1] => of(Scalars::Quaternion, 1, 1, [quaternion(I), quaternion(J), none, none]),
        [a, b] => {
            let [a, b] = pair(a, b).map(same);
            of(Scalars::Real, 2, 1, [a, b, none, none])
        }
        [-1, -1, -1] => {
            let third = [single(K.map(|unit| -unit)), single(K)];
            of(Scalars::Quaternion, 1, 2, [quaternion(I), quaternion(J), third, none])
        }
        [a, b, c] => {
            // The first pair with a positive square, and the generator that is left.
            let [i, j, l] = if a > 0 || b > 0 { [0, 1, 2] } else { [0, 2, 1] };
            let [first, second] = pair(squares[i], squares[j]);
            let split = a * b * c < 0;
            // The inverse of a product of two anticommuting generators.
            let sign = -squares[i] * squares[j];
            let inverse = matrix_product(first, second).map(|row| row.map(|entry| entry.map(|unit| sign * unit)));
            let third = if split { [inverse, scaled(inverse, MINUS)] } else { same(scaled(inverse, I)) };
            let mut generators = [none; 4];
            (generators[i], generators[j], generators[l]) = (same(first), same(second), third);
            let (scalars, components) = if split { (Scalars::Real, 2) } else { (Scalars::Complex, 1) };
            of(scalars, 2, components, generators)
        }
        [1, -1, -1, -1] => {
            let [i, j, k] = [I, J, K].map(|unit| same(scaled(X, unit)));
            of(Scalars::Quaternion, 2, 1, [same(Z), i, j, k])
        }
        _ => None,
    }
}

impl Representation {
    /// The matrix of a blade, given by its bitmap, in a component.
    fn blade(&self, bitmap: usize, component: usize) -> Matrix {
        let identity = if self.size == 1 { single(ONE) } else { matrix_product(Z, Z) };
        let generators = self.generators.iter().enumerate().filter(|(i, _)| bitmap >> i & 1 == 1);
        generators.fold(identity, |product, (_, matrices)| matrix_product(product, matrices[component]))
    }

    /// The map from coefficients of blades to parts of entries has orthogonal columns, each with this
    /// many coefficients +1 or -1: the map's transpose, divided by this, is its inverse.
    fn gain(&self) -> usize {
        self.components * self.size
    }
}

/// How products of scalars are computed from products of real numbers: product number t is that of
/// form `x[t]` of the first factor and form `w[t]` of the second, the latter halved if `halved[t]`.
/// Part p of the result is the sum of the products with the signs `y[p]`.
struct Scheme {
    x: &'static [Scalar],
    w: &'static [Scalar],
    halved: &'static [bool],
    y: &'static [&'static [i8]],
}

impl Scalars {
    fn scheme(self) -> Scheme {
        match self {
            Scalars::Real => Scheme { x: &[ONE], w: &[ONE], halved: &[false], y: &[&[1]] },
            // (x0 + x1 i)(w0 + w1 i) with 3 products.
            Scalars::Complex => Scheme {
                x: &[ONE, I, [1, 1, 0, 0]],
                w: &[ONE, I, [1, 1, 0, 0]],
                halved: &[false; 3],
                y: &[&[1, -1, 0], &[-1, -1, 1]],
            },
            // The product of quaternions with 8 products.
            Scalars::Quaternion => Scheme {
                x: &[
                    [1, 1, 0, 0],
                    [0, 0, -1, 1],
                    [1, -1, 0, 0],
                    [0, 0, 1, 1],
                    [0, 1, 0, 1],
                    [0, 1, 0, -1],
                    [1, 0, 1, 0],
                    [1, 0, -1, 0],
                ],
                w: &[
                    [1, 1, 0, 0],
                    [0, 0, 1, -1],
                    [0, 0, 1, 1],
                    [1, -1, 0, 0],
                    [0, 1, 1, 0],
                    [0, 1, -1, 0],
                    [1, 0, 0, -1],
                    [1, 0, 0, 1],
                ],
                halved: &[false, false, false, false, true, true, true, true],
                y: &[
                    &[0, 1, 0, 0, -1, -1, 1, 1],
                    &[1, 0, 0, 0, -1, -1, -1, -1],
                    &[0, 0, 1, 0, 1, -1, 1, -1],
                    &[0, 0, 0, 1, 1, -1, -1, 1],
                ],
            },
        }
    }
}

/// A product of real matrices that is part of a product of multivectors.
///
/// For one input and one output channel, its first factor has `size` rows and `size * blocks`
/// columns, its second factor as many rows and `size` columns.
#[derive(Clone, Debug)]
pub(super) struct Pass {
    /// Rows of the product: 1 or 2.
    pub size: usize,
    /// The first factor, row by row: forms of the input.
    pub x: Vec<Form>,
    /// The second factor, row by row: forms of the weights.
    pub w: Vec<Form>,
    /// The power of 2 by which the second factor is divided.
    pub halvings: u32,
    /// The product, row by row: the signs by which each element counts for the blades of the output.
    pub units: Vec<Form>,
}

impl Pass {
    /// Rows of the second factor for one channel.
    pub fn depth(&self) -> usize {
        self.x.len() / self.size
    }

    pub fn multiplications(&self) -> usize {
        self.x.len() * self.size
    }
}

/// The products of real matrices that give a product of multivectors, if there is a matrix algebra
/// for the signature.
pub(super) fn passes(signature: &Signature) -> Result<Option<Vec<Pass>>, Error> {
    let squares = signature.squares();
    let is_zero = |&i: &usize| squares[i] == 0;
    let (mut kept, mut kept_squares, mut count) = ([0; 4], [0; 4], 0);
    for i in (0..squares.len()).filter(|i| !is_zero(i)) {
        (kept[count], kept_squares[count]) = (i, squares[i]);
        count += 1;
    }
    let Some(representation) = representation(&kept_squares[..count]) else { return Ok(None) };
    let mut zeros = [0; 4];
    let mut n_zeros = 0;
    for i in (0..squares.len()).filter(is_zero) {
        zeros[n_zeros] = i;
        n_zeros += 1;
    }
    let spread = |bits: usize, places: &[usize]| {
        places.iter().enumerate().fold(0, |bitmap, (i, place)| bitmap | (bits >> i & 1) << place)
    };
    let (scheme, size) = (representation.scalars.scheme(), representation.size);
    let gain = representation.gain();
    // Form of a part of entry (row, column) of the matrix of the algebra's element that is left of
    // the product of the zero generators `subset`; with the grade involution, if `flips`.
    let entry = |component: usize, [row, column]: [usize; 2], parts: Scalar, subset: usize, flips: bool| {
        let mut form: Form = [0; MAX_BLADES];
        let behind = spread(subset, &zeros[..n_zeros]);
        for bits in 0..1_usize << count {
            let before = spread(bits, &kept[..count]);
            let scalar = representation.blade(bits, component)[row][column];
            let value: i8 = scalar.iter().zip(parts).map(|(a, b)| a * b).sum();
            // The blade is e_before e_behind, with the generators sorted.
            let blade = signature.index(before | behind);
            let swaps: u32 = (1..4).map(|by| (before >> by & behind).count_ones()).sum();
            let flipped = flips && bits.count_ones() % 2 == 1;
            form[blade] = if (swaps % 2 == 1) != flipped { -value } else { value };
        }
        form
    };
    let mut passes = Vec::new();
    for subset in 0..1_usize << n_zeros {
        for component in 0..representation.components {
            for t in 0..scheme.x.len() {
                // e_left e_right = +- e_subset for the parts of the zero generators.
                let lefts = || (0..=subset).filter(|left| left & !subset == 0);
                let (mut x, mut w, mut units) = (Vec::new(), Vec::new(), Vec::new());
                for row in 0..size {
                    for column in 0..size {
                        for left in lefts() {
                            push(&mut x, entry(component, [row, column], scheme.x[t], left, false))?;
                        }
                    }
                }
                for row in 0..size {
                    for left in lefts() {
                        let right = subset & !left;
                        let swaps: u32 = (1..4).map(|by| (left >> by & right).count_ones()).sum();
                        let flips = left.count_ones() % 2 == 1;
                        for column in 0..size {
                            let form = entry(component, [row, column], scheme.w[t], right, flips);
                            push(&mut w, form.map(|sign| if swaps % 2 == 1 { -sign } else { sign }))?;
                        }
                    }
                }
                for row in 0..size {
                    for column in 0..size {
                        let mut unit: Form = [0; MAX_BLADES];
                        for (part, signs) in scheme.y.iter().enumerate() {
                            let mut scalar = ZERO;
                            scalar[part] = signs[t];
                            let form = entry(component, [row, column], scalar, subset, false);
                            unit.iter_mut().zip(form).for_each(|(sum, term)| *sum += term);
                        }
                        push(&mut units, unit)?;
                    }
                }
                let halvings = gain.ilog2() + u32::from(scheme.halved[t]);
                push(&mut passes, Pass { size, x, w, halvings, units })?;
            }
        }
    }
    Ok(Some(passes))
}
