//! Matrix algebras isomorphic to Clifford algebras, and the products of units that they need.

use alloc::vec::Vec;

use super::signature::{MAX_BLADES, MAX_GENERATORS, Signature};
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
const fn representation(squares: &[i8]) -> Option<Representation> {
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
    const fn blades(&self, component: usize, count: usize) -> [Matrix; MAX_BLADES] {
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
    const fn gain(&self) -> usize {
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
    const fn scheme(self) -> Scheme {
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
    /// `x` and `units` as forms of the parts of [`Passes`].
    pub x_parts: Vec<Form>,
    pub unit_parts: Vec<Form>,
    pub places: Places,
}

/// Where the forms of a pass are among those of all passes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    /// The places of `x` and of `units`.
    pub x_at: usize,
    pub units_at: usize,
    /// Whether the rows of `x` are the beginnings of those of another pass.
    pub is_beginning: bool,
    /// The place of `x` without the passes that are beginnings, and the forms from row to row.
    pub own_at: usize,
    pub own_row: usize,
}

/// The products of real matrices that give a product of multivectors.
pub(super) struct Passes {
    /// The real parts of the entries of all matrices, as forms of the blades: as many as blades. Empty if `x` and
    /// `units` have no shorter sums by way of them.
    pub parts: Vec<Form>,
    pub all: Vec<Pass>,
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

/// The passes of a signature, if there is a matrix algebra for it.
pub(super) fn passes(signature: &Signature) -> Result<Option<Passes>, Error> {
    let Some(network) = Network::new(signature) else { return Ok(None) };
    let of = |forms: &[Form]| {
        let mut all = Vec::new();
        forms.iter().try_for_each(|form| push(&mut all, *form)).map(|()| all)
    };
    let (mut all, mut begin, own) = (Vec::<Pass>::new(), 0, network.own());
    for (p, (&end, &halvings)) in network.ends.iter().zip(&network.halvings).enumerate().take(network.passes) {
        let (size, products) = (network.size, network.size * network.size);
        let (factor, product) = (begin..end, p * products..(p + 1) * products);
        let (x, w, x_parts) =
            (of(&network.x[factor.clone()])?, of(&network.w[factor.clone()])?, of(&network.x_parts[factor])?);
        let (units, unit_parts) = (of(&network.units[product.clone()])?, of(&network.unit_parts[product.clone()])?);
        let (is_beginning, own_at, own_row) = (begin < own, begin.saturating_sub(own), x.len() / size);
        let (x_at, units_at) = (begin, product.start);
        let places = Places { x_at, units_at, is_beginning, own_at, own_row };
        push(&mut all, Pass { size, x, w, halvings, units, x_parts, unit_parts, places })?;
        begin = end;
    }
    let (beginnings, others) = all.split_at_mut(network.beginnings);
    for (Pass { places, .. }, whole) in beginnings.iter_mut().zip(others) {
        (places.own_at, places.own_row) = (whole.places.own_at, whole.places.own_row);
    }
    Ok(Some(Passes { parts: of(&network.parts[..network.n_parts])?, all }))
}

/// Maximum numbers of passes, of forms of their factors, and of their products, of all signatures.
const MAX_PASSES: usize = 32;
const MAX_FORMS: usize = 81;
const MAX_UNITS: usize = 32;

/// All passes of a signature, known at compile time.
pub(super) struct Network {
    /// Rows of each product.
    size: usize,
    passes: usize,
    /// The passes without the last generator of square 0. Each has the beginnings of the rows of the first factor that
    /// the pass with this generator has, which is as many passes behind it.
    beginnings: usize,
    halvings: [u32; MAX_PASSES],
    /// The forms of the first and of the second factors of all passes, and the end of those of each.
    ends: [usize; MAX_PASSES],
    pub x: [Form; MAX_FORMS],
    w: [Form; MAX_FORMS],
    pub forms: usize,
    /// The products of all passes.
    pub units: [Form; MAX_UNITS],
    pub products: usize,
    /// The parts of [`Passes`], and `x` and `units` as forms of them.
    pub parts: [Form; MAX_BLADES],
    pub n_parts: usize,
    pub x_parts: [Form; MAX_FORMS],
    pub unit_parts: [Form; MAX_UNITS],
}

/// A signature whose generators of square 0 are apart.
struct Parts {
    signature: Signature,
    representation: Representation,
    /// The matrices of the blades in each component, by the bitmaps of the generators kept.
    blades: [[Matrix; MAX_BLADES]; 2],
    kept: [usize; MAX_GENERATORS],
    count: usize,
    zeros: [usize; MAX_GENERATORS],
    n_zeros: usize,
}

/// The part of an entry of a matrix that a form is: of a component, in a row and a column.
#[derive(Clone, Copy)]
struct Entry {
    component: usize,
    row: usize,
    column: usize,
    parts: Scalar,
}

/// The bits of a number at these places.
const fn spread(bits: usize, places: &[usize]) -> usize {
    let (mut bitmap, mut i) = (0, 0);
    while i < places.len() {
        bitmap |= (bits >> i & 1) << places[i];
        i += 1;
    }
    bitmap
}

/// The parity of the swaps that sort the generators of `a` and those of `b` behind them.
const fn is_odd_order(a: usize, b: usize) -> bool {
    let (mut swaps, mut by) = (0, 1);
    while by < MAX_GENERATORS {
        swaps += (a >> by & b).count_ones();
        by += 1;
    }
    swaps % 2 == 1
}

const fn scaled_form(mut form: Form, sign: i8) -> Form {
    let mut p = 0;
    while p < MAX_BLADES {
        form[p] *= sign;
        p += 1;
    }
    form
}

impl Parts {
    const fn new(signature: &Signature) -> Option<Self> {
        let squares = signature.squares();
        let (mut kept, mut kept_squares, mut count) = ([0; MAX_GENERATORS], [0; MAX_GENERATORS], 0);
        let (mut zeros, mut n_zeros, mut i) = ([0; MAX_GENERATORS], 0, 0);
        while i < squares.len() {
            if squares[i] == 0 {
                zeros[n_zeros] = i;
                n_zeros += 1;
            } else {
                (kept[count], kept_squares[count]) = (i, squares[i]);
                count += 1;
            }
            i += 1;
        }
        match representation(kept_squares.split_at(count).0) {
            Some(representation) => {
                let blades = [representation.blades(0, count), representation.blades(1, count)];
                Some(Parts { signature: *signature, representation, blades, kept, count, zeros, n_zeros })
            }
            None => None,
        }
    }

    /// Form of a part of the matrix of the algebra's element that is left of the product of the zero generators
    /// `subset`; with the grade involution, if `flips`.
    const fn form(&self, Entry { component, row, column, parts }: Entry, subset: usize, flips: bool) -> Form {
        let mut form: Form = [0; MAX_BLADES];
        let behind = spread(subset, self.zeros.split_at(self.n_zeros).0);
        let mut bits: usize = 0;
        while bits < 1 << self.count {
            let before = spread(bits, self.kept.split_at(self.count).0);
            let [a, b, c, d] = self.blades[component][bits][row][column];
            let value = a * parts[0] + b * parts[1] + c * parts[2] + d * parts[3];
            // The blade is e_before e_behind, with the generators sorted.
            let flipped = flips && bits.count_ones() % 2 == 1;
            let sign = if is_odd_order(before, behind) != flipped { -1 } else { 1 };
            form[self.signature.index(before | behind)] = sign * value;
            bits += 1;
        }
        form
    }

    /// Form of the second factor for the zero generators `left` of the first one, of `subset` together: e_left
    /// e_right = +- e_subset.
    const fn second(&self, entry: Entry, subset: usize, left: usize) -> Form {
        let right = subset & !left;
        let form = self.form(entry, right, left.count_ones() % 2 == 1);
        scaled_form(form, if is_odd_order(left, right) { -1 } else { 1 })
    }
}

impl Network {
    /// The passes of a signature, if there is a matrix algebra for it.
    pub const fn new(signature: &Signature) -> Option<Self> {
        let Some(parts) = Parts::new(signature) else { return None };
        let (scheme, size) = (parts.representation.scalars.scheme(), parts.representation.size);
        let none = [0; MAX_BLADES];
        let (x, w, units) = ([none; MAX_FORMS], [none; MAX_FORMS], [none; MAX_UNITS]);
        let (halvings, ends) = ([0; MAX_PASSES], [0; MAX_PASSES]);
        let (x_parts, unit_parts, parts_of_blades) = (x, units, [none; MAX_BLADES]);
        let mut all = Network {
            size,
            passes: 0,
            beginnings: 0,
            halvings,
            ends,
            x,
            w,
            forms: 0,
            units,
            products: 0,
            parts: parts_of_blades,
            n_parts: 0,
            x_parts,
            unit_parts,
        };
        if parts.representation.gain() > 1 && !matches!(parts.representation.scalars, Scalars::Real) {
            all.add_parts(&parts);
        }
        let (schemes, components) = (scheme.x.len(), parts.representation.components);
        let mut number = 0;
        while number < (components * schemes) << parts.n_zeros {
            let (t, component, subset) =
                (number % schemes, number / schemes % components, number / schemes / components);
            all.add(&parts, &scheme, t, component, subset);
            number += 1;
        }
        all.beginnings = if parts.n_zeros == 0 { 0 } else { all.passes / 2 };
        Some(all)
    }

    /// The first form of the passes that are no beginnings.
    pub const fn own(&self) -> usize {
        if self.beginnings == 0 { 0 } else { self.ends[self.beginnings - 1] }
    }

    /// Sets the parts.
    const fn add_parts(&mut self, parts: &Parts) {
        let scalars = parts.representation.scalars.scheme().y.len();
        let entries = self.size * self.size;
        self.n_parts = parts.signature.blades();
        let mut number = 0;
        while number < self.n_parts {
            let (mut scalar, at, component) =
                (ZERO, number / scalars % entries, number / scalars / entries % parts.representation.components);
            scalar[number % scalars] = 1;
            let entry = Entry { component, row: at / self.size, column: at % self.size, parts: scalar };
            let subset = number / scalars / entries / parts.representation.components;
            self.parts[number] = parts.form(entry, subset, false);
            number += 1;
        }
    }

    /// The form of an entry, as in [`Parts::form`], of the parts.
    const fn of_parts(&self, parts: &Parts, entry: Entry, subset: usize) -> Form {
        let (mut form, mut i) = ([0; MAX_BLADES], 0);
        let scalars = parts.representation.scalars.scheme().y.len();
        let matrix = subset * parts.representation.components + entry.component;
        while i < scalars && self.n_parts != 0 {
            form[((matrix * self.size + entry.row) * self.size + entry.column) * scalars + i] = entry.parts[i];
            i += 1;
        }
        form
    }

    /// Appends a pass.
    const fn add(&mut self, parts: &Parts, scheme: &Scheme, t: usize, component: usize, subset: usize) {
        let (size, mut end, mut row) = (self.size, self.forms, 0);
        // Rows of the first factor: the zero generators on the left, for each the columns.
        while row < size {
            let mut left = 0;
            while left <= subset {
                let mut column = 0;
                while left & !subset == 0 && column < size {
                    let entry = Entry { component, row, column, parts: scheme.x[t] };
                    self.x[end] = parts.form(entry, left, false);
                    self.x_parts[end] = self.of_parts(parts, entry, left);
                    (end, column) = (end + 1, column + 1);
                }
                left += 1;
            }
            row += 1;
        }
        let (mut end, mut left) = (self.forms, 0);
        while left <= subset {
            let mut at = 0;
            while left & !subset == 0 && at < size * size {
                let entry = Entry { component, row: at / size, column: at % size, parts: scheme.w[t] };
                self.w[end] = parts.second(entry, subset, left);
                (end, at) = (end + 1, at + 1);
            }
            left += 1;
        }
        self.forms = end;
        let mut at = 0;
        while at < size * size {
            let (mut scalar, mut part) = (ZERO, 0);
            while part < scheme.y.len() {
                scalar[part] = scheme.y[part][t];
                part += 1;
            }
            let entry = Entry { component, row: at / size, column: at % size, parts: scalar };
            self.units[self.products] = parts.form(entry, subset, false);
            self.unit_parts[self.products] = self.of_parts(parts, entry, subset);
            self.products += 1;
            at += 1;
        }
        (self.ends[self.passes], self.halvings[self.passes]) =
            (end, parts.representation.gain().ilog2() + scheme.halved[t] as u32);
        self.passes += 1;
    }
}
