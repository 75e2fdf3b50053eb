//! Choosing and forcing an instruction set.
//!
//! # The words
//! Each word of [`Isa`](crate::isa::Isa) (`scalar`, `sse2`, `avx2`, .., `neon`) stands for exactly the bundle of CPU features
//! that is documented there, all of which the CPU and the operating system must have. Bundles include others: all of `sse2` is
//! in `avx2`. The table of a kernel has a row for each variant, best first, and no row for a word that would gain it nothing. A
//! call runs the first row that is *usable*: the CPU has its word, and under a cap, the cap's bundle includes it. The choice is
//! made at the first call of each kernel, and costs less than a nanosecond a call from then on.
//!
//! # A cap from outside
//! `HOTLOOPS_ISA=avx2 program` leaves `avx2`, `sse2` and `scalar` to all kernels. It never raises anything above what the CPU
//! has. The variable is read once, when the first kernel is called or the first question asked. A value that is no word, in
//! capitals, empty, or of what this CPU lacks ends the process:
//!
//! ```text
//! hotloops: HOTLOOPS_ISA=avx is not the name of an instruction set; valid here: scalar sse2 avx2
//! ```
//!
//! for a silent fallback would measure, or test, other code than was asked for. Unset the variable to have no cap.
//!
//! # A cap from inside
//! [`isa::set`](crate::isa::set) (`hl_isa_set` in C) does the same from code, from the next call on, and returns an error where
//! the variable ends the process. It stands in place of the variable, which is not even read if `set` comes first. It can be
//! called again; `set` of the best word that [is detected](crate::isa::detected) takes the cap away.
//!
//! ```
//! use hotloops::{exp, isa::{self, Isa}};
//!
//! let (x, mut by) = ([0.5f32; 100], [[0.0; 100]; 2]);
//! for (y, cap) in by.iter_mut().zip([isa::active(), Isa::scalar]) {
//!     isa::set(cap)?;
//!     exp::poly(&x, y)?;
//! }
//! assert_eq!(by[0], by[1]);
//! assert_eq!(exp::poly_f32::KERNEL.variant().to_string(), "scalar_reference");
//! # Ok::<(), hotloops::Error>(())
//! ```
//!
//! Threads may be inside kernels meanwhile: these finish as they began, and results do not depend on it. A
//! [`Plan`](crate::matmul::Plan) keeps the block kernel of the instruction set under which it was made.
//!
//! # What runs
//! [`isa::active`](crate::isa::active) is the best word in force; a kernel without a row for it runs a lesser one. The command
//! `hotloops list` prints the rows of all kernels, those that this CPU can run and the one that is chosen. From code:
//!
//! ```
//! for kernel in hotloops::kernels() {
//!     let (family, name) = kernel.name();
//!     let rows: Vec<_> = kernel.variants.iter().map(|row| row.to_string()).collect();
//!     println!("{family}/{name}: {} of {rows:?}", rows[kernel.chosen()]);
//! }
//! ```
//!
//! # One variant by its name
//! Each kernel is a function and a module of the same name; the module's `KERNEL` holds its rows. A row's function may be
//! called wherever its word is detected, whatever the cap:
//!
//! ```
//! use hotloops::{isa, reduce::dot_f32::KERNEL};
//!
//! let (x, y) = ([0.1f32; 1001], [3.0f32; 1001]);
//! let expected = hotloops::reduce::dot(&x, &y)?;
//! for variant in KERNEL.variants.iter().filter(|variant| isa::detected(variant.isa)) {
//!     // SAFETY: this CPU has the instruction set, and both arrays have 1001 elements.
//!     let found = unsafe { (variant.function)(x.as_ptr(), y.as_ptr(), x.len()) };
//!     assert_eq!(found.to_bits(), expected.to_bits(), "{variant}"); // avx2_assembly, ..
//! }
//! # Ok::<(), hotloops::Error>(())
//! ```
//!
//! Where there is assembly, the intrinsics for the same instruction set are there for tests, for benches and for such calls;
//! without the feature `all-variants` a build has only the first of each instruction set, as the C library does.
//!
//! In C, `hl_variant_count` and `hl_variant_name` list them, and `hl_variant_find("reduce/dot_f32/avx2_assembly")` is the
//! function, or null where this CPU lacks what it needs.
//!
//! # Threads and first calls
//! The choice is an index in an atomic, made without lock, allocation or constructor. Threads that race for the first call
//! store the same index, and so it may come from anywhere: a static initialiser, a library loaded at run time, many threads at
//! once.
