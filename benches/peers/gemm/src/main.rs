//! hotloops' matrix products, sums and dot products against the strongest of other libraries: the
//! same work, one core, one interleaved run.
//!
//! ```text
//! apt-get install libopenblas0-pthread libblis4-pthread libxsmm-dev
//! gcc -shared -o /tmp/libxsmm.so -Wl,--whole-archive /usr/lib/libxsmm.a -Wl,--no-whole-archive \
//!     /usr/lib/libxsmmnoblas.a -lpthread -ldl -lm
//! cargo run --release -- --xsmm /tmp/libxsmm.so
//! ```
//!
//! `cargo run --release -- f32 squares` runs a part; `--help` has the words. `--features avx512`
//! enables the crates' AVX-512 kernels, for CPUs with AVX-512. `--blas LIBRARY` (repeatable) names
//! other libraries with the C interface of BLAS, such as
//! `scipy_openblas32/lib/libscipy_openblas.so` of the package `scipy-openblas32`, a newer OpenBLAS.
//!
//! C = A B, row-major, beta 0. Each row is a cell and each column a library. Figures are
//! percentages of the CPU's peak in flops per cycle, which is measured at the start with
//! independent fused multiply-adds in registers. The clock rate is measured before and after each
//! cell with a chain of dependent additions. If the two differ by more than 1 %, the cell is run
//! again, at most four times, and then marked `~`. Every result is checked first. One-time set-up
//! per shape is not timed: dispatch in libxsmm, plans in nano-gemm and in hotloops' plan column.
//! Times are minima of interleaved rounds.
//!
//! Sums and dot products are in bytes read per cycle.
//!
//! Parts that only run if named:
//!
//! - `walk`, perhaps with `m`, `n` or `k`, finds cliffs: sizes at which a planned product is slower
//!   than at sizes a little smaller and larger. It takes about 8 minutes for each type.
//! - `heat` prints hotloops' ratio to the strongest library for many m and n as CSV, and draws it
//!   with `--svg DIRECTORY`.
//! - `threads` compares products on two threads. Leave two cores free and do not pin the process.
//! - `epilogues` compares a product with bias and ReLU with the plain product.

mod arguments;
mod cells;
mod clock;
mod epilogues;
mod foreign;
mod heat;
mod libraries;
mod memory;
mod operands;
mod ours;
mod peers;
mod picture;
mod products;
mod sums;
mod threads;
mod walk;

use std::process::ExitCode;

use arguments::{Arguments, Word};
use libraries::Libraries;
use operands::Scalar;

fn run<T: Scalar>(arguments: &Arguments, libraries: &Libraries, peak: f64) -> Result<(), String> {
    products::run::<T>(arguments, libraries, peak);
    if arguments.wants_part(Word::Sums) {
        sums::run::<T>(&libraries.blas, arguments.budget(0.5));
    }
    if arguments.wants(Word::Walk) {
        walk::run::<T>(arguments, peak);
    }
    if arguments.wants(Word::Epilogues) {
        epilogues::run::<T>(arguments, peak);
    }
    if arguments.wants(Word::Threads) {
        threads::run::<T>(arguments, libraries, peak);
    }
    if arguments.wants(Word::Heat) {
        heat::run::<T>(arguments, libraries, peak)?;
    }
    Ok(())
}

fn main() -> ExitCode {
    let arguments = Arguments::read();
    for name in ["OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"] {
        // SAFETY: the only thread yet.
        unsafe { std::env::set_var(name, "1") };
    }
    let libraries = Libraries::load(&arguments);
    libraries.print();
    let peak = clock::peak();
    println!("peak: {:.2} f32 or {:.2} f64 flops per cycle", peak / 2.0, peak / 4.0);
    let types: [(Word, fn(&Arguments, &Libraries, f64) -> Result<(), String>, f64); 2] =
        [(Word::F32, run::<f32>, peak / 2.0), (Word::F64, run::<f64>, peak / 4.0)];
    for (word, run, peak) in types {
        if arguments.wants(word)
            && let Err(error) = run(&arguments, &libraries, peak)
        {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
