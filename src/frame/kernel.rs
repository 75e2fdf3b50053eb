//! Kernels, their variants, and the choice between them.
//!
//! [`kernel!`](crate::kernel) declares a kernel once: its C symbol, its signature and its rows.
//! From this it generates the dispatcher, which *is* the C function, and the table that
//! tests and benches iterate over. The guide shows [how to use the table](crate::guide::isa) and
//! [how to add a kernel](crate::guide::adding_a_kernel).

use core::fmt;

pub use crate::frame::choice::Choice;
use crate::frame::isa::{self, Fact, Isa};
use crate::math::atomic::AtomicU32;

/// How a variant is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The scalar Rust code that defines the result.
    Reference,
    /// Rust with `core::arch` intrinsics.
    Intrinsics,
    /// An assembly file.
    Assembly,
}

impl Form {
    /// The word used in declarations, benchmark ids and listings.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Form::Reference => "reference",
            Form::Intrinsics => "intrinsics",
            Form::Assembly => "assembly",
        }
    }
}

/// A type-erased kernel entry point; cast it to the kernel's `Function` before calling.
pub type Code = unsafe extern "C" fn();

/// One row of a kernel's table. `F` is the kernel's function pointer type.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Variant<F> {
    /// The instruction set it needs.
    pub isa: Isa,
    /// How it is written.
    pub form: Form,
    /// Calls skip the row on a CPU for which this fact [holds](isa::holds): another row is faster there.
    pub unless: Option<Fact>,
    /// The entry point. Calling it is sound only if [`isa::detected`]`(self.isa)`.
    pub function: F,
}

impl<F> Variant<F> {
    /// A better row has a greater rank.
    const fn rank(&self) -> i32 {
        4 * self.isa as i32 + self.form as i32
    }

    /// Whether a call may run the row, for bit sets of levels in force and of the CPU's facts.
    fn is_eligible(&self, levels: u32, facts: u32) -> bool {
        let is_skipped = self.unless.is_some_and(|fact| facts & fact.bit() != 0);
        levels & 1 << self.isa as u32 != 0 && !is_skipped
    }
}

impl<F> fmt::Display for Variant<F> {
    /// Writes `avx2_assembly`.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}_{}", self.isa.word(), self.form.word())
    }
}

impl Choice {
    pub(crate) const fn new() -> Self {
        Choice(AtomicU32::new(Self::NONE))
    }
}

/// A kernel: its name, its signature and its rows, best first; the last row is the reference.
#[repr(C)]
#[derive(Debug)]
pub struct Kernel<F: 'static> {
    #[doc(hidden)]
    pub path: &'static str,
    /// The C symbol of the dispatcher.
    pub symbol: &'static str,
    /// The C header that declares it: `hotloops.h`, or `hotloops_kernels.h` for layouts that may change in any version.
    pub header: &'static str,
    /// The signature as Rust text, `(x: *const u32, n: usize) -> u64`.
    pub signature: &'static str,
    /// The rows in this build: without the feature `all-variants`, only those that some CPU would run.
    pub variants: &'static [Variant<F>],
    #[doc(hidden)]
    pub choice: Choice,
}

impl<F> Kernel<F> {
    /// Family, the outermost module, and name: `("exp", "fast_f32")`.
    pub fn name(&self) -> (&'static str, &'static str) {
        let mut words = self.path.split("::").skip(1);
        (words.next().unwrap_or_default(), words.last().unwrap_or_default())
    }

    /// The same kernel with its signature erased, as [`kernels`](crate::kernels) lists it.
    pub const fn untyped(&'static self) -> &'static Kernel<Code> {
        const { assert!(size_of::<F>() == size_of::<Code>()) };
        // SAFETY: `F` is a function pointer (`kernel!` creates no other kernel) of the size
        // asserted above, and both types have C layout.
        unsafe { &*(&raw const *self).cast() }
    }

    /// The index of the row that a call runs: the first one that is usable under the ISA in force and that no fact
    /// of the CPU skips.
    #[inline(always)]
    pub fn chosen(&self) -> usize {
        match self.choice.known(isa::cap()) {
            Some(row) => row,
            None => self.choose(),
        }
    }

    #[cold]
    fn choose(&self) -> usize {
        let levels = isa::in_force();
        let row = self.first(levels, isa::facts());
        self.choice.choose(levels, row);
        row
    }

    /// The index of the first row that is eligible, for bit sets of levels and of facts; bits are discriminants of
    /// [`Isa`] and [`Fact`].
    #[doc(hidden)]
    pub fn first(&self, levels: u32, facts: u32) -> usize {
        let best = self.variants.iter().position(|variant| variant.is_eligible(levels, facts));
        best.unwrap_or(self.variants.len() - 1)
    }

    /// The variant that a call runs.
    #[inline(always)]
    pub fn variant(&self) -> &'static Variant<F> {
        // SAFETY: the chosen index is the index of a variant.
        unsafe { self.variants.get_unchecked(self.chosen()) }
    }
}

impl<F: Copy> Kernel<F> {
    /// The entry point that a call runs.
    #[inline(always)]
    pub fn function(&self) -> F {
        self.variant().function
    }

    /// The entry point that a call runs, if it is chosen already.
    #[doc(hidden)]
    #[inline(always)]
    pub fn known(&self) -> Option<F> {
        // SAFETY: the chosen index is the index of a variant.
        self.choice.known(isa::cap()).map(|row| unsafe { self.variants.get_unchecked(row).function })
    }
}

/// Whether this build contains row `index`: all rows, or of each instruction set, whose rows are adjacent, the first
/// and, after rows that a fact may skip, the next.
const fn is_held<F>(rows: &[Variant<F>], index: usize) -> bool {
    if cfg!(feature = "all-variants") || index == 0 || rows[index - 1].isa as u32 != rows[index].isa as u32 {
        return true;
    }
    // There are two forms of an instruction set. A fact that skips both needs one.
    match (rows[index - 1].unless, rows[index].unless) {
        (Some(before), Some(own)) => before as i32 != own as i32,
        (Some(_), None) => true,
        (None, _) => false,
    }
}

/// The number of rows that this build contains.
pub(crate) const fn held_count<F>(rows: &[Variant<F>]) -> usize {
    let (mut count, mut index) = (0, 0);
    while index < rows.len() {
        count += is_held(rows, index) as usize;
        index += 1;
    }
    count
}

/// The `COUNT` rows that this build contains. Code referenced only by other rows is not linked.
pub(crate) const fn held<F: Copy, const COUNT: usize>(rows: &[Variant<F>]) -> [Variant<F>; COUNT] {
    let mut held = [rows[0]; COUNT];
    let (mut count, mut index) = (0, 0);
    while index < rows.len() {
        if is_held(rows, index) {
            held[count] = rows[index];
            count += 1;
        }
        index += 1;
    }
    held
}

/// The rows of a declaration, best first: stronger instruction sets before weaker ones, and assembly before
/// intrinsics.
pub(crate) const fn ordered<F: Copy, const COUNT: usize>(declared: &[Variant<F>]) -> [Variant<F>; COUNT] {
    let mut rows = [declared[0]; COUNT];
    let mut sorted = 0;
    while sorted < COUNT {
        let mut index = sorted;
        while index > 0 && rows[index - 1].rank() < declared[sorted].rank() {
            rows[index] = rows[index - 1];
            index -= 1;
        }
        rows[index] = declared[sorted];
        sorted += 1;
    }
    rows
}

/// Declares a kernel, in a module `kernels` beside the modules of its variants.
///
/// `"symbol" unsafe fn name(arguments) -> result;` is followed by the instruction sets that the
/// kernel has in assembly and intrinsics, besides the scalar reference:
///
/// ```text
/// rows: all;                              // avx512, avx2, sse2 and neon, in both forms
/// rows: avx512icl, avx2, sse2, neon;      // these, in both forms
/// assembly: avx2; intrinsics: avx2, neon; // or only `intrinsics`
/// rows: avx512 unless narrow_512, avx2;   // a call skips the rows of avx512 where the fact holds
/// ```
///
/// A last line `header: kernels;` declares the C function in `hotloops_kernels.h`, outside the ABI, instead of
/// `hotloops.h`: for arguments whose layout is private to an engine.
///
/// The macro generates the dispatcher `name`, exported under the symbol, and the module
/// `name` with the pointer type `Function` and the static `KERNEL`, whose rows are [`ordered`]. A row
/// exists if build.rs set both of its words as cfg, and is in the table if [`is_held`].
macro_rules! kernel {
    ($(#[$doc:meta])* $symbol:literal unsafe fn $name:ident($($argument:ident: $type:ty),* $(,)?);
     $($rows:tt)+) => {
        $crate::frame::kernel::kernel! {
            @ { $($rows)+ } [$(#[$doc])*] $symbol $name ($($argument: $type),*) ($($argument),*) ($($type),*) (()) []
        }
    };
    ($(#[$doc:meta])* $symbol:literal unsafe fn $name:ident($($argument:ident: $type:ty),* $(,)?) -> $result:ty;
     $($rows:tt)+) => {
        $crate::frame::kernel::kernel! {
            @ { $($rows)+ } [$(#[$doc])*] $symbol $name ($($argument: $type),*) ($($argument),*) ($($type),*)
            ($result) [-> $result]
        }
    };
    (@ { rows: all; $($header:tt)* } $($head:tt)+) => {
        $crate::frame::kernel::kernel! { @ { rows: avx512, avx2, sse2, neon; $($header)* } $($head)+ }
    };
    (@ { rows: $($isa:ident $(unless $fact:ident)?),+; $($header:tt)* } $($head:tt)+) => {
        $crate::frame::kernel::kernel! {
            @ { assembly: $($isa $(unless $fact)?),+; intrinsics: $($isa $(unless $fact)?),+; $($header)* } $($head)+
        }
    };
    // Bracketed parts are single token trees, so that they can be used inside the repetition over
    // rows.
    (@ {
        $(assembly: $($assembly:ident $(unless $skips:ident)?),+;)?
        $(intrinsics: $($intrinsics:ident $(unless $fact:ident)?),+;)?
        $(header: $header:ident;)?
     }
     [$($doc:tt)*] $symbol:literal $name:ident $arguments:tt $values:tt $types:tt ($result:ty) [$($arrow:tt)*]) => {
        $($doc)*
        #[cfg_attr(feature = "c-api", unsafe(export_name = $symbol))]
        pub unsafe extern "C" fn $name $arguments $($arrow)* {
            // SAFETY: the caller's contract; this CPU supports the chosen row.
            unsafe {
                match $name::KERNEL.known() {
                    Some(function) => function $values,
                    None => $name::first $values,
                }
            }
        }

        #[doc = concat!("Table of [`", stringify!($name), "()`].")]
        pub mod $name {
            #[allow(unused_imports)]
            use super::*;
            use $crate::{isa::Isa, kernel::{self, Choice, Form, Kernel, Variant}};

            /// Pointer type of the kernel.
            pub type Function = unsafe extern "C" fn $types -> $result;

            /// The kernel and its rows.
            // LLVM makes one object of the data of many kernels on AArch64; a program that needs one would link
            // all. It leaves alone what has a section.
            #[cfg_attr(
                all(target_arch = "aarch64", target_os = "linux"),
                unsafe(link_section = concat!(".data.", $symbol))
            )]
            pub static KERNEL: Kernel<Function> = Kernel {
                path: module_path!(),
                symbol: $symbol,
                header: concat!("hotloops", $("_", stringify!($header),)? ".h"),
                signature: stringify!($arguments $($arrow)*),
                variants: &kernel::held::<_, { kernel::held_count(ROWS) }>(ROWS),
                choice: Choice::new(),
            };

            /// The first call. It is a function of its own, so that the others save no registers.
            #[cold]
            #[inline(never)]
            #[allow(clippy::too_many_arguments)]
            pub(super) unsafe extern "C" fn first $arguments -> $result {
                // SAFETY: as in the dispatcher.
                unsafe { KERNEL.function() $values }
            }

            const DECLARED: &[Variant<Function>] = &[
                $($(
                    #[cfg(all($assembly, assembly))]
                    Variant {
                        isa: Isa::$assembly,
                        form: Form::Assembly,
                        unless: kernel::unless!($($skips)?),
                        function: kernel::assembly!(
                            concat!($symbol, "_", stringify!($assembly)), $arguments, $values, $result
                        ),
                    },
                )+)?
                $($(
                    #[cfg(all($intrinsics, intrinsics))]
                    Variant {
                        isa: Isa::$intrinsics,
                        form: Form::Intrinsics,
                        unless: kernel::unless!($($fact)?),
                        function: super::super::$intrinsics::$name,
                    },
                )+)?
                Variant {
                    isa: Isa::scalar,
                    form: Form::Reference,
                    unless: None,
                    function: super::super::scalar::$name,
                },
            ];
            const ROWS: &[Variant<Function>] = &kernel::ordered::<_, { DECLARED.len() }>(DECLARED);
        }
    };
}
pub(crate) use kernel;

/// The fact of a row, if it has one.
macro_rules! unless {
    () => {
        None
    };
    ($fact:ident) => {
        Some($crate::frame::isa::Fact::$fact)
    };
}
pub(crate) use unless;

/// A function defined in an assembly file.
#[cfg(all(assembly, not(all(windows, target_arch = "x86_64"))))]
macro_rules! assembly {
    ($symbol:expr, $arguments:tt, $values:tt, $result:ty) => {{
        unsafe extern "C" {
            #[link_name = $symbol]
            fn variant $arguments -> $result;
        }
        variant
    }};
}

/// Assembly functions use the System V convention; this wraps one for callers that use the Windows
/// convention.
#[cfg(all(assembly, windows, target_arch = "x86_64"))]
macro_rules! assembly {
    ($symbol:expr, $arguments:tt, $values:tt, $result:ty) => {{
        unsafe extern "sysv64" {
            #[link_name = $symbol]
            fn variant $arguments -> $result;
        }
        unsafe extern "C" fn called_from_windows $arguments -> $result {
            // SAFETY: the caller's contract.
            unsafe { variant $values }
        }
        called_from_windows
    }};
}
#[cfg(assembly)]
pub(crate) use assembly;
