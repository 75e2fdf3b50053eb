//! Products of scalars by fewer multiplications of real numbers.

use super::matrices::{I, ONE, Scalar, Scalars};

/// How products of scalars are computed from products of real numbers: product number t is that of
/// form `x[t]` of the first factor and form `w[t]` of the second, the latter halved if `halved[t]`.
/// Part p of the result is the sum of the products with the signs `y[p]`.
pub(super) struct Scheme {
    pub x: &'static [Scalar],
    pub w: &'static [Scalar],
    pub halved: &'static [bool],
    pub y: &'static [&'static [i8]],
}

impl Scalars {
    pub const fn scheme(self) -> Scheme {
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
