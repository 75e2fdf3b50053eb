//! Adding a kernel, from the scalar function to the last test.
//!
//! `ARCHITECTURE.md` has the map and the recipes, `asm/README.md` the style of assembly. This page
//! follows one kernel through them: `exp/sigmoid_f32`, y = 1 / (1 + exp(-x)), with the exponential
//! of [`exp::poly`](crate::exp::poly). At each step something fails until the next one is done, so
//! that none is forgotten.
//!
//! `cargo xtask new-kernel exp/sigmoid_f32` writes steps 2 to 6 at once, for a kernel that computes
//! magnitudes: it builds and passes its tests, and each piece of it is then replaced by the right
//! one. By hand:
//!
//! # 1. The contract
//! Before any code: what the bits are. Which operations, in which order, each rounded to what; what
//! a NaN, an infinity, a length of 0 gives; which pointers may overlap. An operation that one
//! instruction set lacks (a fused multiply-add, a reciprocal estimate) is not part of it. If the
//! result would be another one than that of a kernel that exists, it is another kernel, with a name
//! of its own.
//!
//! # 2. The reference
//! In `src/exp/scalar.rs`, for one value, as plainly as can be: it is what all else is held to, and
//! what other CPUs run.
//!
//! ```text
//! fn sigmoid(x: f32) -> f32 {
//!     1.0 / (1.0 + poly(-x))
//! }
//! ```
//!
//! In this family a macro in the same file makes the `extern "C"` function of it, from a list of
//! names:
//!
//! ```text
//! kernels! { fast_f32 fast, accurate_f32 accurate, poly_f32 poly, sigmoid_f32 sigmoid }
//! ```
//!
//! Elsewhere the functions are written as they are, with the signature of the declaration.
//!
//! # 3. The declaration
//! In `src/exp/mod.rs`. The doc comment says what the kernel computes and, under `# Safety`, which
//! bytes it reads and writes. Rows stand best first.
//!
//! ```text
//! kernel! {
//!     /// Sigmoid: 1 / (1 + e), with e the result of [`poly_f32()`] at -x; each operation rounded, none fused.
//!     ///
//!     /// # Safety
//!     /// As for [`poly_f32()`].
//!     "hl_exp_sigmoid_f32" unsafe fn sigmoid_f32(x: *const f32, y: *mut f32, n: usize);
//!     avx512 intrinsics,
//!     avx2 intrinsics,
//!     sse2 intrinsics,
//!     neon intrinsics,
//!     scalar reference,
//! }
//! ```
//!
//! That makes the dispatcher, which is the C function, and the module `sigmoid_f32` with its table.
//! Then its word goes into `for_each_kernel!` in `src/lib.rs`, the only list of kernels:
//!
//! ```text
//! exp { fast_f32, accurate_f32, poly_f32, sigmoid_f32 }
//! ```
//!
//! # 4. The variants
//! A row `sse2 intrinsics` is the function `sse2::sigmoid_f32`. `src/exp/lanes.rs` holds the
//! algorithm once, for the vectors of all instruction sets (the traits in `src/vector/`; division is
//! one of `Fractional`, which the file does not import yet):
//!
//! ```text
//! use crate::vector::{Fractional, Int, Single};
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
//! An operation that the traits lack becomes a method of one, with an intrinsic for each
//! instruction set. `sse2.rs` and its neighbours call the macro at the foot of the file, whose list
//! of names grows too:
//!
//! ```text
//! $crate::exp::lanes::kernels! {
//!     $isa $vector fast_f32 fast, accurate_f32 accurate, poly_f32 poly, sigmoid_f32 sigmoid
//! }
//! ```
//!
//! An algorithm that suits one instruction set alone stands in the file of that one, in the macro
//! of its word (`avx2! { fn .. }`, from `src/isa.rs`), which enables exactly the features of its
//! bundle ([`guide::isa`](super::isa)).
//!
//! A hot loop gets assembly too: a row `avx2 assembly` is the function `hl_exp_sigmoid_f32_avx2` in
//! a file of `asm/exp` whose name ends in `_avx2.S`; build.rs assembles all of these.
//! `tests/symbols.rs` fails for a function without a row and for a row without a function,
//! `tests/banners.rs` for a banner that contradicts its function. A row stands above another if it
//! is faster, which `cargo bench --bench variants` checks. While it is written:
//!
//! ```sh
//! cargo xtask abi exp/sigmoid_f32/avx2_assembly      # registers and stack, along all paths
//! cargo xtask step exp/sigmoid_f32/avx2_assembly     # gdb at its first instruction, called by the test
//! cargo xtask mca asm/exp/sigmoid_f32_avx2.S         # cycles a turn, against its Bound line
//! ```
//!
//! # 5. The tests that do not compile
//! `tests/variants.rs` calls `sigmoid_f32(reference, subject)` of `tests/harness/cases/exp.rs`,
//! which there has to be: all lengths about the vectors' own, all alignments, special values,
//! random ones, on memory guarded at both ends (`Guarded`). The `subject` is the variant behind a
//! checker that looks at registers, stack, flags and upper halves after each call. In this family
//! one case serves all:
//!
//! ```text
//! pub fn sigmoid_f32(reference: Function, subject: Function) {
//!     check(reference, subject);
//! }
//! ```
//!
//! `benches/variants.rs` requires an input for the kernel in the same way, in
//! `benches/support/src/cases/exp.rs`; this one has it already, under other names:
//!
//! ```text
//! pub use self::{unary as fast_f32, unary as accurate_f32, unary as poly_f32, unary as sigmoid_f32};
//! ```
//!
//! ```sh
//! cargo test --test variants exp::sigmoid            # HOTLOOPS_TEST_ISA=avx2: that one alone
//! cargo bench --bench variants -- exp/sigmoid_f32
//! ```
//!
//! Break the variant once, a constant or the tail, and see the test fail.
//!
//! # 6. The header
//! `tests/c_api/header.rs` compares `include/hotloops.h` with the crate, and now misses a line:
//!
//! ```text
//! // Sigmoid by the polynomial exponential: 1 / (1 + exp(-x)).
//! void hl_exp_sigmoid_f32(const float *x, float *y, size_t n);
//! ```
//!
//! # 7. The safe function
//! In `src/exp/mod.rs`: it checks its arguments, and then makes one unsafe call, whose `SAFETY`
//! line says why it is sound. Its documentation has the shapes, units and valid ranges, an example,
//! and `# Errors`.
//!
//! ```text
//! pub fn sigmoid(x: &[f32], y: &mut [f32]) -> Result<(), Error> {
//!     apply(sigmoid_f32, x, y)
//! }
//! ```
//!
//! A function whose arguments can be wrong in other ways than a bad pointer has a C
//! twin in `src/<family>/ffi.rs`, which turns pointers into slices and the error into a status, and
//! nothing else.
//!
//! # 8. The reference itself
//! Variants that equal a wrong reference are wrong. `tests/reference_exp.rs` holds it to the
//! outside: for a function of one `f32`, every one of the 2^32 inputs against double precision,
//! within the bound that its documentation states. A sum has exact integers, a generator published
//! outputs, a physical model an exact energy. `tests/reference_kernels.rs` fails until its table names
//! this test:
//!
//! ```text
//! ("sigmoid_at_all_floats", "reference_exp.rs", &["exp/sigmoid_f32"]),
//! ```
//!
//! # 9. All of it
//! ```sh
//! cargo fmt --all && cargo clippy --all-targets -- -D warnings
//! RUSTDOCFLAGS='-D warnings' cargo doc --no-deps
//! cargo test
//! .ci/run                                            # each cap, no assembler, old CPUs, AVX-512 and AArch64 on emulators
//! ```
//!
//! A new *family* is a folder with these files, a `pub mod` line in `src/lib.rs`, and its name with
//! its kernels in `for_each_kernel!`. A new *instruction set* is a word in build.rs and a row in
//! `src/isa.rs`, and then variants.
