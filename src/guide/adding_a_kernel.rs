//! Adding a kernel, from the scalar function to the last test.
//!
//! `ARCHITECTURE.md` describes the layout of the project, `asm/README.md` the style of assembly.
//! This page adds one kernel step by step: `exp/sigmoid_f32`, y = 1 / (1 + exp(-x)), with the
//! exponential of [`exp::poly`](crate::exp::poly). After each step, a build or a test fails until
//! the next step is done.
//!
//! `cargo xtask new-kernel exp/sigmoid_f32` writes steps 2 to 6 at once, for a kernel that computes
//! magnitudes: it builds and passes its tests, and each piece of it is then replaced by the right
//! one. Where a family has its kernels in folders, it takes the folder too: `clifford/gate/norm_f32`.
//! By hand:
//!
//! # 1. The contract
//! Before you write code, define the bits of the result: the operations, their order and the
//! rounding of each; the results for NaN, infinities and length 0; which pointers may overlap.
//! Avoid operations that one instruction set lacks (a fused multiply-add, a reciprocal estimate). A
//! result that differs from an existing kernel's needs a new kernel with its own name.
//!
//! # 2. The reference
//! Write it in `src/exp/scalar.rs`, for one value, as plainly as possible. All variants are
//! compared with it, and CPUs without vector instructions run it.
//!
//! ```text
//! fn sigmoid(x: f32) -> f32 {
//!     1.0 / (1.0 + poly(-x))
//! }
//! ```
//!
//! In this family a macro in the same file generates the `extern "C"` function from a list of
//! names:
//!
//! ```text
//! kernels! { fast_f32 fast, accurate_f32 accurate, poly_f32 poly, sigmoid_f32 sigmoid }
//! ```
//!
//! In other families, write the function with the signature of the declaration.
//!
//! # 3. The declaration
//! Add it to `src/exp/kernels.rs`. The doc comment states the result of the kernel and, under
//! `# Safety`, the bytes that it reads and writes. Last come the instruction sets that it has
//! intrinsics for.
//!
//! ```text
//! kernel! {
//!     /// Sigmoid: 1 / (1 + e), with e the result of [`poly_f32()`] at -x; each operation rounded, none fused.
//!     ///
//!     /// # Safety
//!     /// As for [`poly_f32()`].
//!     "hl_exp_sigmoid_f32" unsafe fn sigmoid_f32(x: *const f32, y: *mut f32, n: usize);
//!     intrinsics: avx512, avx2, sse2, neon;
//! }
//! ```
//!
//! This generates the dispatcher, which is the C function, and the module `sigmoid_f32` with its
//! table of variants. Then add the name to `for_each_kernel!` in `src/lib.rs`, the only list of
//! kernels:
//!
//! ```text
//! exp { fast_f32, accurate_f32, poly_f32, sigmoid_f32 }
//! ```
//!
//! # 4. The variants
//! A row `sse2 intrinsics` is the function `sse2::sigmoid_f32`. `src/exp/lanes.rs` holds the
//! algorithm once, for the vectors of all instruction sets (the traits in `src/math/vector/`; division is
//! one of `Fractional`, which the file does not import yet):
//!
//! ```text
//! use crate::math::vector::{Fractional, Int, Single};
//!
//! #[inline(always)]
//! pub(super) unsafe fn sigmoid<V: Fractional>(x: V) -> V {
//!     // SAFETY: the CPU has the instruction set.
//!     unsafe {
//!         let (one, minus_x) = (V::splat(1.0), V::from_bits(x.bits().xor(V::splat(-0.0).bits())));
//!         one.div(one.add(poly(minus_x)))
//!     }
//! }
//! ```
//!
//! If the traits lack an operation, add a method with an intrinsic for each instruction set. The
//! macro at the end of the file, which `sse2.rs` and the other files of the family call, has a list
//! of names too:
//!
//! ```text
//! $crate::exp::lanes::kernels! {
//!     $isa $vector fast_f32 fast, accurate_f32 accurate, poly_f32 poly, sigmoid_f32 sigmoid
//! }
//! ```
//!
//! An algorithm for one instruction set only goes into the file of that instruction set, inside its
//! macro (`avx2! { fn .. }`, from `src/frame/level.rs`), which enables exactly the features of its bundle
//! ([`guide::isa`](super::isa)).
//!
//! A hot loop gets assembly too: with `assembly: avx2;` before its intrinsics, or `rows: avx2;` for both, the
//! kernel calls the function `hl_exp_sigmoid_f32_avx2` in a file of `asm/exp` whose name ends in `_avx2.S`;
//! build.rs assembles all such files. `rows: all;` are AVX-512, AVX2, SSE2 and NEON in both forms.
//! `tests/c_api/symbols.rs` fails for a function without a row and for a row without a function.
//! `tests/c_api/banners.rs` fails for a banner that contradicts its function. Rows are ordered by
//! instruction set, assembly before intrinsics; one that is slower than the next is deleted.
//! `cargo bench --bench variants` measures them, and `cargo xtask rows` judges the records. Tools for the work on
//! a function:
//!
//! ```sh
//! cargo xtask abi exp/sigmoid_f32/avx2_assembly      # registers and stack, along all paths
//! cargo xtask step exp/sigmoid_f32/avx2_assembly     # gdb at its first instruction, called by the test
//! cargo xtask mca asm/exp/sigmoid_f32_avx2.S         # cycles per iteration, compared with its Bound line
//! ```
//!
//! # 5. The tests
//! `tests/contract/variants.rs` does not compile until `tests/harness/cases/exp.rs` has a function
//! `sigmoid_f32(reference, subject)`. It compares the two for all lengths around the vector length,
//! all alignments, special values and random values, on memory guarded at both ends (`Guarded`).
//! The `subject` is the variant behind a checker that inspects registers, stack, flags and upper
//! halves after each call. In this family one function serves all kernels:
//!
//! ```text
//! pub fn sigmoid_f32(reference: Function, subject: Function) {
//!     check(reference, subject);
//! }
//! ```
//!
//! `tests/harness/cases/sizes/exp.rs` has another function of this name. It lays out memory for any values of the
//! integer arguments, so that the tests call the kernel with each of them beyond 8, 16 and 32 bits; here a line lists
//! the kernels that are called alike.
//!
//! `benches/variants.rs` requires an input for the kernel in the same way, in
//! `benches/support/src/cases/exp.rs`; this one has it already, under other names:
//!
//! ```text
//! pub use self::{unary as fast_f32, unary as accurate_f32, unary as poly_f32, unary as sigmoid_f32};
//! ```
//!
//! ```sh
//! cargo test --test contract variants::exp::sigmoid  # HOTLOOPS_TEST_ISA=avx2: only avx2
//! cargo bench --bench variants -- exp/sigmoid_f32
//! ```
//!
//! Break the variant once, for example a constant or the tail, and check that the test fails.
//!
//! # 6. The header
//! `tests/c_api` compares the C headers with the crate. Add the declaration to `include/hotloops.h`:
//!
//! ```text
//! // Sigmoid by the polynomial exponential: 1 / (1 + exp(-x)).
//! void hl_exp_sigmoid_f32(const float *x, float *y, size_t n);
//! ```
//!
//! It is part of the ABI now: `capi/abi.txt` records it. If only an engine can prepare the arguments, add
//! `header: kernels;` to the declaration in Rust, and that in C to `include/hotloops_kernels.h`. Functions there may
//! change in any version, and the shared library does not export them.
//!
//! # 7. The safe function
//! Add it to `src/exp/mod.rs`. It checks its arguments, then makes one unsafe call, whose `SAFETY`
//! comment explains why it is sound. Document the shapes, units and valid ranges, an example, and
//! the `# Errors`.
//!
//! ```text
//! pub fn sigmoid(x: &[f32], y: &mut [f32]) -> Result<(), Error> {
//!     apply(sigmoid_f32, x, y)
//! }
//! ```
//!
//! If arguments other than pointers can be invalid, add a C function in `src/<family>/ffi.rs`. It
//! converts pointers to slices and the error to a status, nothing else.
//!
//! # 8. The test of the reference
//! Variants that equal a wrong reference are wrong. `tests/reference/exp.rs` compares the reference
//! with outside truth: for a function of one `f32`, all 2^32 inputs against double precision,
//! within the documented bound. Sums are compared with exact integers, generators with published
//! outputs, physical models with exact energies. `tests/reference/kernels.rs` fails until its table
//! names this test:
//!
//! ```text
//! ("sigmoid_at_all_floats", "reference/exp.rs", &["exp/sigmoid_f32"]),
//! ```
//!
//! # 9. The whole suite
//! ```sh
//! cargo fmt --all && cargo clippy --all-targets -- -D warnings
//! RUSTDOCFLAGS='-D warnings' cargo doc --no-deps
//! cargo test
//! .ci/run    # each cap, no assembler, old CPUs, AVX-512 and AArch64 on emulators
//! ```
//!
//! A new *family* needs a folder with these files, a `pub mod` line in `src/lib.rs`, and its name
//! with its kernels in `for_each_kernel!`. A new *instruction set* needs a word in build.rs, a row
//! in `src/frame/level.rs`, and variants.
