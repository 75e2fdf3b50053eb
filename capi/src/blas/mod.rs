//! BLAS under its C and Fortran names, in a separate library, `libhotloops_blas`. Results are
//! hotloops' own: the same bits on every CPU.
//!
//! Each level declares its routines and holds their code; [`export`] makes both names of each type.
//! `include/hotloops_cblas.h` and `hotloops_cblas_level3.h` say what each routine computes.

#[macro_use]
mod export;
mod complex;
mod flags;
mod lapack;
mod level1;
mod level2;
mod level3;
mod memory;
mod number;
mod report;
mod simd;
mod threads;
mod vector;
mod view;

/// The integer of the interface.
#[cfg(not(feature = "ilp64"))]
type Int = core::ffi::c_int;
#[cfg(feature = "ilp64")]
type Int = i64;

/// Ends the process if there is no memory for packed blocks: BLAS has no error code for it.
#[inline(always)]
fn complete(done: Result<(), hotloops::Error>) {
    if done.is_err() {
        // SAFETY: no precondition.
        unsafe { libc::abort() }
    }
}
