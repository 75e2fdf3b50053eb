//! Products and systems with a structured matrix, which have code of their own for real and for complex numbers.

use super::super::number::{Complex, Number};
use super::super::view::View;
use super::triangular_view::Triangular;
use super::{leaf, multiply};

/// Products with matrices that have a structure.
pub(in super::super) trait Structured: Number {
    /// `B = alpha A B`. `scales_a` says that alpha is multiplied by A rather than by B, if they are
    /// real.
    ///
    /// # Safety
    /// The triangle of A is readable; B is writable and does not overlap it. The shapes match.
    unsafe fn multiply_triangular(alpha: Self, a: Triangular<Self>, b: View<Self>, scales_a: bool);

    /// Solves `A X = B` in vectors, for a lower A of 1 to [`leaf::ROWS`] rows. Returns false, and does
    /// nothing, if this CPU cannot.
    ///
    /// # Safety
    /// The triangle of A is readable; B is writable and does not overlap it. The shapes match.
    unsafe fn solve_leaf(a: Triangular<Self>, b: View<Self>) -> bool;
}

macro_rules! structured {
    ($($real:ident)+) => {$(
        impl Structured for $real {
            unsafe fn multiply_triangular(alpha: Self, a: Triangular<Self>, b: View<Self>, scales_a: bool) {
                // SAFETY: the caller's contract.
                unsafe { multiply::in_place_real(alpha, a, b, scales_a) }
            }

            unsafe fn solve_leaf(a: Triangular<Self>, b: View<Self>) -> bool {
                // SAFETY: the caller's contract.
                unsafe { leaf::solve(a, b) }
            }
        }

        impl Structured for Complex<$real> {
            unsafe fn multiply_triangular(alpha: Self, a: Triangular<Self>, b: View<Self>, _: bool) {
                // SAFETY: the caller's contract.
                unsafe { multiply::in_place_complex(alpha, a, b) }
            }

            unsafe fn solve_leaf(a: Triangular<Self>, b: View<Self>) -> bool {
                // SAFETY: the caller's contract.
                unsafe { leaf::solve_complex(a, b) }
            }
        }
    )+};
}
structured! { f32 f64 }
