//! Representations of Clifford algebras without generators of square 0 by matrices.

use super::super::signature::MAX_BLADES;

/// The scalars that the entries of a matrix are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalars {
    Real,
    Complex,
    Quaternion,
}

/// A scalar: the coefficients of 1, i, j, k.
pub(super) type Scalar = [i8; 4];
/// A 2x2 matrix in rows, or a 1x1 matrix in its first element.
pub(super) type Matrix = [[Scalar; 2]; 2];

pub(super) const ZERO: Scalar = [0; 4];
pub(super) const ONE: Scalar = [1, 0, 0, 0];
const MINUS: Scalar = [-1, 0, 0, 0];
pub(super) const I: Scalar = [0, 1, 0, 0];
const J: Scalar = [0, 0, 1, 0];
const K: Scalar = [0, 0, 0, 1];
/// Z Z = 1.
const Z: Matrix = [[ONE, ZERO], [ZERO, MINUS]];
/// X X = 1, X Z = -Z X.
const X: Matrix = [[ZERO, ONE], [ONE, ZERO]];
/// E E = -1, E = Z X.
const E: Matrix = [[ZERO, ONE], [MINUS, ZERO]];

const fn scalar_product(a: Scalar, b: Scalar) -> Scalar {
    [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ]
}

const fn matrix_product(a: Matrix, b: Matrix) -> Matrix {
    let mut product = [[ZERO; 2]; 2];
    let mut at = 0;
    while at < 8 {
        let (i, j, l) = (at / 4, at / 2 % 2, at % 2);
        product[i][j] = scalar_sum(product[i][j], scalar_product(a[i][l], b[l][j]));
        at += 1;
    }
    product
}

const fn scalar_sum(a: Scalar, b: Scalar) -> Scalar {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]]
}

/// The matrix times a scalar, from the right.
const fn scaled(a: Matrix, by: Scalar) -> Matrix {
    let [[a, b], [c, d]] = a;
    [[scalar_product(a, by), scalar_product(b, by)], [scalar_product(c, by), scalar_product(d, by)]]
}

const fn single(entry: Scalar) -> Matrix {
    [[entry, ZERO], [ZERO, ZERO]]
}

/// An algebra without generators of square 0, as a direct sum of `components` algebras of matrices
/// of `size` rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Representation {
    pub scalars: Scalars,
    pub size: usize,
    pub components: usize,
    /// The matrix of each generator in each component.
    generators: [[Matrix; 2]; 4],
}

/// The algebra with these squares, all +1 or -1. `None` for some of 4 generators.
///
/// Pairs of generators give 2x2 matrices, or quaternions for (-1, -1). A third generator commutes
/// with the pseudoscalar e123, so it is its inverse times the product of the other two: it is
/// represented by +1 and -1 times a matrix, or by i times it, as the square of e123 says. The fourth
/// generator is found for (1, -1, -1, -1) alone: quaternion units times X.
pub(super) const fn representation(squares: &[i8]) -> Option<Representation> {
    const NONE: [Matrix; 2] = [single(ZERO); 2];
    const ONE_I: [Matrix; 2] = [single(I); 2];
    const ONE_J: [Matrix; 2] = [single(J); 2];
    let (scalars, size, components, generators) = match *squares {
        [] => (Scalars::Real, 1, 1, [NONE; 4]),
        [1] => (Scalars::Real, 1, 2, [[single(ONE), single(MINUS)], NONE, NONE, NONE]),
        [_] => (Scalars::Complex, 1, 1, [ONE_I, NONE, NONE, NONE]),
        [-1, -1] => (Scalars::Quaternion, 1, 1, [ONE_I, ONE_J, NONE, NONE]),
        [a, b] => {
            let [a, b] = pair(a, b);
            (Scalars::Real, 2, 1, [[a; 2], [b; 2], NONE, NONE])
        }
        [-1, -1, -1] => {
            let third = [single(scalar_product(K, MINUS)), single(K)];
            (Scalars::Quaternion, 1, 2, [ONE_I, ONE_J, third, NONE])
        }
        [a, b, c] => {
            // The first pair with a positive square, and the generator that is left.
            let [i, j, l] = if a > 0 || b > 0 { [0, 1, 2] } else { [0, 2, 1] };
            let [first, second] = pair(squares[i], squares[j]);
            let split = a * b * c < 0;
            // The inverse of a product of two anticommuting generators.
            let sign = [-squares[i] * squares[j], 0, 0, 0];
            let inverse = scaled(matrix_product(first, second), sign);
            let third = if split { [inverse, scaled(inverse, MINUS)] } else { [scaled(inverse, I); 2] };
            let mut generators = [NONE; 4];
            (generators[i], generators[j], generators[l]) = ([first; 2], [second; 2], third);
            let (scalars, components) = if split { (Scalars::Real, 2) } else { (Scalars::Complex, 1) };
            (scalars, 2, components, generators)
        }
        [1, -1, -1, -1] => {
            (Scalars::Quaternion, 2, 1, [[Z; 2], [scaled(X, I); 2], [scaled(X, J); 2], [scaled(X, K); 2]])
        }
        _ => return None,
    };
    Some(Representation { scalars, size, components, generators })
}

/// Matrices that anticommute, with these squares, one of them positive.
const fn pair(a: i8, b: i8) -> [Matrix; 2] {
    match (a, b) {
        (1, 1) => [Z, X],
        (1, -1) => [Z, E],
        _ => [E, Z],
    }
}

impl Representation {
    /// The matrices of the blades of the first `count` generators in a component, by their bitmaps.
    pub const fn blades(&self, component: usize, count: usize) -> [Matrix; MAX_BLADES] {
        let mut blades = [if self.size == 1 { single(ONE) } else { [[ONE, ZERO], [ZERO, ONE]] }; MAX_BLADES];
        let mut bitmap = 1usize;
        while bitmap < 1 << count {
            let last = bitmap.ilog2() as usize;
            blades[bitmap] = matrix_product(blades[bitmap & !(1 << last)], self.generators[last][component]);
            bitmap += 1;
        }
        blades
    }

    /// The map from coefficients of blades to parts of entries has orthogonal columns, each with this
    /// many coefficients +1 or -1: the map's transpose, divided by this, is its inverse.
    pub const fn gain(&self) -> usize {
        self.components * self.size
    }
}
