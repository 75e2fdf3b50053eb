//! Choosing and forcing an instruction set.
//!
//! # The words
//! Each word of [`Isa`](crate::isa::Isa) (`scalar`, `sse2`, `avx2`, .., `neon`) names a fixed
//! bundle of CPU features, listed there. Both the CPU and the operating system must support all of
//! them. Bundles nest: `avx2` includes `sse2`. A kernel's table has one row per variant, best
//! first; it has no row for an instruction set that would not make it faster. A call runs the first
//! *usable* row: the CPU supports its bundle, and the cap, if there is one, includes it. Each
//! kernel makes this choice on its first call; later calls pay less than a nanosecond for it.
//!
//! # Facts of the CPU
//! CPUs with the same instruction sets may disagree on the fastest row: sums of columns are faster with AVX-512 on
//! Granite Rapids, but slower than with AVX2 on Zen 4, where 512-bit operations run as two halves. A row may
//! therefore name a [`Fact`](crate::isa::Fact), here `narrow_512`. A call skips the row on a CPU for which the fact
//! holds, whatever the cap: `HOTLOOPS_ISA=avx512` forces no row. [`isa::holds`](crate::isa::holds) says which facts
//! hold; they are found by CPUID's vendor, family and model. Skipped rows have the same bits, and can still be called
//! as below.
//!
//! # A cap by environment variable
//! `HOTLOOPS_ISA=avx2 program` restricts every kernel to `avx2`, `sse2` and `scalar`. A cap never
//! enables what the CPU lacks. The variable is read once, at the first kernel call or the first
//! query. A value that is not a word (wrong case and the empty string included) ends the process,
//! and so does a word that this CPU lacks:
//!
//! ```text
//! hotloops: HOTLOOPS_ISA=avx is not the name of an instruction set; valid here: scalar sse2 avx2
//! ```
//!
//! A silent fallback would test or measure the wrong code. Unset the variable to remove the cap.
//!
//! # A cap from code
//! [`isa::set`](crate::isa::set) (`hl_isa_set` in C) sets the cap from code, effective from the
//! next call, and returns an error where the variable would end the process. It replaces the
//! variable, which is not read at all if `set` is called first. It may be called repeatedly;
//! setting the best [detected](crate::isa::detected) word removes the cap.
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
//! Other threads may be inside kernels during the change: those calls finish in the variant they
//! began with, and results do not depend on it. A [`Plan`](crate::matmul::Plan) keeps the kernel of
//! the instruction set under which it was made.
//!
//! # What runs
//! [`isa::active`](crate::isa::active) is the best word in force; a kernel without a row for it
//! runs its next best one. The command `hotloops list` prints every kernel's rows, which of them
//! this CPU can run, which are skipped for which fact, and which one is chosen. From code:
//!
//! ```
//! for kernel in hotloops::kernels() {
//!     let (family, name) = kernel.name();
//!     let rows: Vec<_> = kernel.variants.iter().map(|row| row.to_string()).collect();
//!     println!("{family}/{name}: {} of {rows:?}", rows[kernel.chosen()]);
//! }
//! ```
//!
//! # Calling one variant
//! Each kernel is a function and a module of the same name; the module's `KERNEL` holds its rows. A
//! row's function may be called wherever its instruction set is detected, regardless of the cap:
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
//! Where a kernel has assembly, its intrinsics for the same instruction set serve tests, benches
//! and calls like this one. Without the feature `all-variants`, a build contains only the first row
//! of each instruction set, and the next if a fact may skip it; the C library is built this way.
//!
//! In C, `hl_variant_count` and `hl_variant_name` list the variants, and
//! `hl_variant_find("reduce/dot_f32/avx2_assembly")` returns the function, or null if this CPU
//! cannot run it.
//!
//! # Threads and first calls
//! The choice is an index in an atomic: no lock, no allocation, no constructor. Threads that race
//! for the first call store the same index. So the first call may come from anywhere: a static
//! initialiser, a library loaded at run time, many threads at once.
