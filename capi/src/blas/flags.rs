//! Flags: layouts, transpositions, triangles, sides and diagonals.

use super::Int;
use super::number::Number;
use super::view::View;
use hotloops::matmul::Strides;

pub(super) const ROW_MAJOR: Int = 101;
pub(super) const COLUMN_MAJOR: Int = 102;
pub(super) const NO_TRANS: Int = 111;
pub(super) const TRANS: Int = 112;
/// The conjugate transpose; for real numbers the same as `TRANS`.
pub(super) const CONJ_TRANS: Int = 113;
/// The conjugate without transposition, in copies alone.
pub(super) const CONJ_NO_TRANS: Int = 114;
pub(super) const UPPER: Int = 121;
pub(super) const LOWER: Int = 122;
pub(super) const NON_UNIT: Int = 131;
pub(super) const UNIT: Int = 132;
pub(super) const LEFT: Int = 141;
pub(super) const RIGHT: Int = 142;

/// Defines a kind of flag, by CBLAS's numbers and Fortran's letters.
macro_rules! flag {
    ($(#[$doc:meta])* $name:ident: $($letter:literal $number:ident),+) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq)]
        #[repr(transparent)]
        pub(super) struct $name(pub Int);

        impl $name {
            pub(super) fn from_letter(letter: u8) -> Self {
                $name(match letter.to_ascii_uppercase() {
                    $($letter => $number,)+
                    _ => 0,
                })
            }

            pub(super) fn is_legal(self) -> bool {
                [$($number),+].contains(&self.0)
            }
        }
    };
}
flag! { /// A transposition.
Trans: b'N' NO_TRANS, b'T' TRANS, b'C' CONJ_TRANS }
flag! { /// A triangle.
Uplo: b'U' UPPER, b'L' LOWER }
flag! { /// Whether the diagonal is read, or taken as ones.
Diag: b'N' NON_UNIT, b'U' UNIT }
flag! { /// The side of a product that the matrix with a structure is on.
Side: b'L' LEFT, b'R' RIGHT }

flag! { /// A layout, in copies alone: other routines of Fortran are column-major.
Layout: b'R' ROW_MAJOR, b'C' COLUMN_MAJOR }
flag! { /// A transposition or conjugation of a copy.
Mapping: b'N' NO_TRANS, b'T' TRANS, b'C' CONJ_TRANS, b'R' CONJ_NO_TRANS }

impl Mapping {
    pub(super) fn transposes(self) -> bool {
        [TRANS, CONJ_TRANS].contains(&self.0)
    }
}

impl Trans {
    pub(super) fn transposes(self) -> bool {
        self.0 != NO_TRANS
    }
}

/// Whether rows of op(A) are contiguous, rather than columns.
pub(super) fn in_rows(layout: Int, trans: Trans) -> bool {
    (layout == ROW_MAJOR) != trans.transposes()
}

/// Minimum stride of A, with the sizes of op(A).
pub(super) fn min_stride(layout: Int, trans: Trans, rows: Int, columns: Int) -> Int {
    if in_rows(layout, trans) { columns.max(1) } else { rows.max(1) }
}

/// The strides of op(A).
pub(super) fn strides(layout: Int, trans: Trans, stride: Int) -> Strides {
    match in_rows(layout, trans) {
        true => Strides::row_major(stride as usize),
        false => Strides::column_major(stride as usize),
    }
}

/// op(A), of `rows` and `columns`.
pub(super) fn operand<T: Number>(
    layout: Int,
    trans: Trans,
    a: *const T,
    rows: usize,
    columns: usize,
    stride: Int,
) -> View<T> {
    let view = View::new(a, rows, columns, strides(layout, trans, stride));
    if T::IS_COMPLEX && trans.0 == CONJ_TRANS { view.conjugated() } else { view }
}
