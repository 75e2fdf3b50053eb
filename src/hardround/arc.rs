//! The types of the kernels [`arcs`](super::arcs()) and [`dual`](super::dual()).

/// Maximum number of arcs of one call of [`arcs`](super::arcs()).
pub const MAX_ARCS: usize = 64;

/// Number of pieces of arcs in a [`Bundle`].
pub const PIECES: usize = 32;

/// Maximum number of rows of a [`Bundle`].
pub const MAX_ROWS: usize = 32;

/// A quartic F(y) = c0 + C y + c2 y^2 + c3 y^3 + c4 y^4, y counted from the middle of a part, and the
/// constants of its search by dual rows. C is the slope that differences are relative to, plus
/// `rest`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Curve {
    /// F(0) modulo 1.
    pub c0: f64,
    /// The quadratic coefficient, positive.
    pub c2: f64,
    /// The cubic coefficient.
    pub c3: f64,
    /// The quartic coefficient.
    pub c4: f64,
    /// 3 c3.
    pub triple: f64,
    /// c3 / 2.
    pub half: f64,
    /// The slope's part below the unit of differences.
    pub rest: f64,
    /// 1 / (2 c2).
    pub inverse: f64,
    /// 3 c3 / (2 c2).
    pub ratio: f64,
    /// Half the width of a row, divided by the denominator of its arc.
    pub within: f64,
    /// At least 1 / (4 c2) for each c2 of the part.
    pub rise: f64,
    /// At least 1 / (2 c2) for each c2 of the part.
    pub reach: f64,
    /// The tolerance: its constant part, its part for 1 / denominator, and its part for the largest
    /// distance from the vertex.
    pub slack: f64,
    /// See `slack`.
    pub shift: f64,
    /// See `slack`.
    pub rounding: f64,
    /// The `slack` of [`refine`](super::refine()), without the errors of `f32` and of integers.
    pub fine: f64,
}

/// Rows of arcs, for [`refine`](super::refine()).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Suspects {
    /// The denominators of the arcs.
    pub u: [f64; MAX_ARCS],
    /// Those of the right neighbours.
    pub v: [f64; MAX_ARCS],
    /// See [`arcs`](super::arcs()).
    pub differences: [f64; MAX_ARCS],
    /// The rows, from 0 on.
    pub rows: [f64; MAX_ARCS],
}

impl Suspects {
    /// Rows without an argument; any number of them may be replaced.
    pub const EMPTY: Self =
        Suspects { u: [1.0; MAX_ARCS], v: [1.0; MAX_ARCS], differences: [0.0; MAX_ARCS], rows: [0.0; MAX_ARCS] };
}

/// The arguments that may be on rows of arcs, counted as in [`Curve`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Places {
    /// The first one, before and behind the vertex. The others follow at distances of the
    /// denominator.
    pub first: [[f64; MAX_ARCS]; 2],
    /// How many there are.
    pub counts: [[u32; MAX_ARCS]; 2],
}

impl Default for Places {
    fn default() -> Self {
        Places { first: [[0.0; MAX_ARCS]; 2], counts: [[0; MAX_ARCS]; 2] }
    }
}

/// What [`dual`](super::dual()) needs of [`MAX_ARCS`] arcs.
///
/// Positions are in units of the denominator, modulo 1, as integers in units of 2^-32.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Arcs {
    /// The distance of the arguments of a row k from the vertex is `scale sqrt(k - G)`, where G is the value at
    /// the vertex; in units of 2^-14 of the denominator.
    pub scale: [f32; MAX_ARCS],
    /// The first row minus G.
    pub height: [f32; MAX_ARCS],
    /// The position of the vertex on the first row, plus the tolerance, minus 1/2.
    pub base: [u32; MAX_ARCS],
    /// The decrease of this position from row to row.
    pub step: [u32; MAX_ARCS],
    /// Twice the tolerance, minus 1/2.
    pub limit: [u32; MAX_ARCS],
    /// The excess of the tolerance of the first row over that of the others.
    pub extra: [u32; MAX_ARCS],
    /// `limit` for the first row.
    pub first: [u32; MAX_ARCS],
    /// Number of rows.
    pub rows: [u32; MAX_ARCS],
}

impl Default for Arcs {
    fn default() -> Self {
        let (floats, words) = ([0.0; MAX_ARCS], [0; MAX_ARCS]);
        Arcs {
            scale: floats,
            height: floats,
            base: words,
            step: words,
            limit: words,
            extra: words,
            first: words,
            rows: words,
        }
    }
}

/// Pieces of arcs that have the same number of rows, for [`dual`](super::dual()). The fields are
/// those of [`Arcs`]. Only an arc's first piece has an `extra` and a different `first`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Bundle {
    /// See [`Arcs`], as for the other fields.
    pub scale: [f32; PIECES],
    /// Not negative.
    pub height: [f32; PIECES],
    /// Integers in units of 2^-32.
    pub base: [u32; PIECES],
    /// The decrease of `base` from row to row.
    pub step: [u32; PIECES],
    /// A signed integer.
    pub limit: [u32; PIECES],
    /// Added to `base` for the first row.
    pub extra: [u32; PIECES],
    /// `limit` for the first row.
    pub first: [u32; PIECES],
    /// Number of rows, at most [`MAX_ROWS`].
    pub rows: u32,
}

impl Default for Bundle {
    /// Pieces without a case.
    fn default() -> Self {
        let (floats, words, never) = ([0.0; PIECES], [0; PIECES], [1 << 31; PIECES]);
        Bundle {
            scale: floats,
            height: floats,
            base: words,
            step: words,
            limit: never,
            extra: words,
            first: never,
            rows: 0,
        }
    }
}
