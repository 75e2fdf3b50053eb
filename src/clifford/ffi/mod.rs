//! The C functions of the family. They convert pointers for the safe API and its errors to a
//! status.

mod act;
mod layers;
mod plan;

use super::layout::{blades_first, blades_last};
use super::products::{geometric_product, grade_norms, paths, sandwich, weighted_product};
use super::signature::Signature;
use crate::frame::error::Error;
use crate::frame::ffi::{Bytes, Status, slice, slice_mut, status};
use crate::math::float::Float;

/// # Safety
/// `squares` is null or points to `generators` readable values.
unsafe fn signature(squares: *const i8, generators: usize) -> Result<Signature, Error> {
    // SAFETY: the caller's contract.
    Signature::new(unsafe { slice(squares, generators, "squares") }?)
}

/// An array to be read, its length, and its name.
type Input<T> = (*const T, usize, &'static str);

/// An array to be written, its length, and its name.
type Output<T> = (*mut T, usize, &'static str);

/// Calls `run` with the inputs and the output, none of which overlap.
///
/// # Safety
/// Each pointer is null or points to as many readable values, that of the output to writable ones.
unsafe fn call<T: Float, const N: usize>(
    inputs: [Input<T>; N],
    output: Output<T>,
    run: impl FnOnce([&[T]; N], &mut [T]) -> Result<(), Error>,
) -> Result<(), Error> {
    // SAFETY: the caller's contract.
    unsafe { call_all(inputs, [output], |inputs, [output]| run(inputs, output)) }
}

/// Calls `run` with the inputs and the outputs. No output overlaps another array.
///
/// # Safety
/// Each pointer is null or points to as many readable values, those of the outputs to writable ones.
unsafe fn call_all<T: Float, const N: usize, const M: usize>(
    inputs: [Input<T>; N],
    outputs: [Output<T>; M],
    run: impl FnOnce([&[T]; N], [&mut [T]; M]) -> Result<(), Error>,
) -> Result<(), Error> {
    let range = |at: *const T, length: usize, argument| {
        Bytes::of(at, length.checked_mul(size_of::<T>()).ok_or(Error::TooLarge { argument })?, argument)
    };
    for (number, (at, length, name)) in outputs.into_iter().enumerate() {
        let written = range(at.cast_const(), length, name)?;
        for (at, length, name) in inputs {
            range(at, length, name)?.apart(written)?;
        }
        for (at, length, name) in &outputs[..number] {
            range(at.cast_const(), *length, name)?.apart(written)?;
        }
    }
    let mut read: [&[T]; N] = [&[]; N];
    let mut write: [&mut [T]; M] = core::array::from_fn(|_| Default::default());
    for ((at, length, name), slice_of) in inputs.into_iter().zip(&mut read) {
        // SAFETY: the caller's contract.
        *slice_of = unsafe { slice(at, length, name) }?;
    }
    for ((at, length, name), slice_of) in outputs.into_iter().zip(&mut write) {
        // SAFETY: the caller's contract; the output overlaps no other array.
        *slice_of = unsafe { slice_mut(at, length, name) }?;
    }
    run(read, write)
}

/// `count` multivectors, as numbers.
fn numbers(signature: &Signature, count: usize, argument: &'static str) -> Result<usize, Error> {
    count.checked_mul(signature.blades()).ok_or(Error::TooLarge { argument })
}

/// A conversion of multivectors to another layout.
type Convert<T> = fn(Signature, &[T], &mut [T]) -> Result<(), Error>;

/// `count` multivectors in another layout.
///
/// # Safety
/// `squares` is null or points to `generators` readable values, `x` and `y` are null or point to `count` multivectors,
/// those of `y` writable.
unsafe fn lay_out<T: Float>(
    (squares, generators): (*const i8, usize),
    count: usize,
    (x, y): (*const T, *mut T),
    run: Convert<T>,
) -> Status {
    let convert = || {
        // SAFETY: the caller's contract.
        let of = unsafe { signature(squares, generators) }?;
        let n = numbers(&of, count, "count")?;
        // SAFETY: the caller's contract.
        unsafe { call([(x, n, "x")], (y, n, "y"), |[x], y| run(of, x, y)) }
    };
    status(convert())
}

macro_rules! export_for_type {
    ($type:ident $product:ident $sandwich:ident $weighted:ident $norms:ident $first:ident $last:ident) => {
        /// z = x y for `count` multivectors: [`geometric_product`].
        ///
        /// # Safety
        /// `squares` is null or points to `generators` readable values; the others are null or point to
        /// `count` multivectors, those of `z` writable.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $product(
            squares: *const i8,
            generators: usize,
            count: usize,
            x: *const $type,
            y: *const $type,
            z: *mut $type,
        ) -> Status {
            let multiply = || {
                // SAFETY: the caller's contract.
                let of = unsafe { signature(squares, generators) }?;
                let n = numbers(&of, count, "count")?;
                // SAFETY: the caller's contract.
                unsafe { call([(x, n, "x"), (y, n, "y")], (z, n, "z"), |[x, y], z| geometric_product(of, x, y, z)) }
            };
            status(multiply())
        }

        /// z = r x ~r for `count` multivectors: [`sandwich`].
        ///
        /// # Safety
        /// As for the geometric product.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $sandwich(
            squares: *const i8,
            generators: usize,
            count: usize,
            r: *const $type,
            x: *const $type,
            z: *mut $type,
        ) -> Status {
            let rotate = || {
                // SAFETY: the caller's contract.
                let of = unsafe { signature(squares, generators) }?;
                let n = numbers(&of, count, "count")?;
                // SAFETY: the caller's contract.
                unsafe { call([(r, n, "r"), (x, n, "x")], (z, n, "z"), |[r, x], z| sandwich(of, r, x, z)) }
            };
            status(rotate())
        }

        /// Products with a weight for each path and channel: [`weighted_product`].
        ///
        /// # Safety
        /// As for the geometric product, with `batch` times `channels` multivectors; `weights` is null
        /// or points to `channels` values for each path.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $weighted(
            squares: *const i8,
            generators: usize,
            batch: usize,
            channels: usize,
            weights: *const $type,
            x: *const $type,
            y: *const $type,
            z: *mut $type,
        ) -> Status {
            let multiply = || {
                // SAFETY: the caller's contract.
                let of = unsafe { signature(squares, generators) }?;
                let count = batch.checked_mul(channels).ok_or(Error::TooLarge { argument: "batch" })?;
                let n = numbers(&of, count, "batch")?;
                let needed = paths(of).count().checked_mul(channels).ok_or(Error::TooLarge { argument: "channels" })?;
                let inputs = [(weights, needed, "weights"), (x, n, "x"), (y, n, "y")];
                if channels == 0 {
                    return Err(Error::Channels { argument: "channels" });
                }
                // SAFETY: the caller's contract.
                unsafe { call(inputs, (z, n, "z"), |[weights, x, y], z| weighted_product(of, weights, x, y, z)) }
            };
            status(multiply())
        }

        /// Squared norms of the parts of each grade of `count` multivectors: [`grade_norms`].
        ///
        /// # Safety
        /// As for the geometric product; `out` is null or points to `generators` + 1 writable values for
        /// each multivector.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $norms(
            squares: *const i8,
            generators: usize,
            count: usize,
            x: *const $type,
            out: *mut $type,
        ) -> Status {
            let sum = || {
                // SAFETY: the caller's contract.
                let of = unsafe { signature(squares, generators) }?;
                let n = numbers(&of, count, "count")?;
                // There are at most as many grades as blades.
                // SAFETY: the caller's contract.
                unsafe {
                    call([(x, n, "x")], (out, count * (generators + 1), "out"), |[x], out| grade_norms(of, x, out))
                }
            };
            status(sum())
        }

        /// `count` multivectors, blade by blade: [`blades_first`].
        ///
        /// # Safety
        /// As for the geometric product.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $first(
            squares: *const i8,
            generators: usize,
            count: usize,
            x: *const $type,
            y: *mut $type,
        ) -> Status {
            // SAFETY: the caller's contract.
            unsafe { lay_out((squares, generators), count, (x, y), blades_first) }
        }

        /// `count` multivectors, one by one: [`blades_last`].
        ///
        /// # Safety
        /// As for the geometric product.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $last(
            squares: *const i8,
            generators: usize,
            count: usize,
            x: *const $type,
            y: *mut $type,
        ) -> Status {
            // SAFETY: the caller's contract.
            unsafe { lay_out((squares, generators), count, (x, y), blades_last) }
        }
    };
}

export_for_type! {
    f32 hl_clifford_product_f32 hl_clifford_sandwich_f32 hl_clifford_weighted_f32 hl_clifford_norms_f32
    hl_clifford_blades_first_f32 hl_clifford_blades_last_f32
}
export_for_type! {
    f64 hl_clifford_product_f64 hl_clifford_sandwich_f64 hl_clifford_weighted_f64 hl_clifford_norms_f64
    hl_clifford_blades_first_f64 hl_clifford_blades_last_f64
}
