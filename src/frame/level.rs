//! The words, their features, and which of them this CPU has; its facts. No other file names a feature.

use core::ffi::CStr;

pub use crate::frame::facts::Fact;
use crate::frame::facts::{Cpu, facts_of};
use crate::math::atomic::{AtomicU32, Ordering::SeqCst};

/// A row has the word, the words whose bundles it includes, and the compiler's names of its
/// features; then, optionally, one more feature with its own test, for a feature that `cpufeatures`
/// does not detect. `$d` is the dollar sign for the macros that this one defines.
macro_rules! isas {
    ($d:tt $($(#[$doc:meta])* $word:ident [$($part:ident)*] [$($feature:tt)*] $(($own:tt if $test:expr))?)+) => {
        /// An instruction-set level: an exact bundle of CPU features. It has the same name
        /// everywhere (module, file suffix, symbol suffix, benchmark id, `HOTLOOPS_ISA`).
        #[allow(non_camel_case_types)]
        #[repr(i32)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Isa { $($(#[$doc])* $word),+ }

        impl Isa {
            /// All levels, weakest first within an architecture.
            pub const ALL: &[Isa] = &[$(Isa::$word),+];

            /// The name as a C string.
            pub const fn c_word(self) -> &'static CStr {
                let text = match self { $(Isa::$word => concat!(stringify!($word), "\0")),+ };
                match CStr::from_bytes_with_nul(text.as_bytes()) { Ok(text) => text, Err(_) => c"" }
            }

            /// Bit set of this level and of the levels that it includes.
            pub(crate) const fn includes(self) -> u32 {
                match self { $(Isa::$word => 1 << Isa::$word as u32 $(| 1 << Isa::$part as u32)*),+ }
            }
        }

        /// Bit set of the levels that this CPU and operating system support. CPUID may take
        /// microseconds in a virtual machine, so the result is cached.
        pub(crate) fn detect() -> u32 {
            static DETECTED: AtomicU32 = AtomicU32::new(0);
            let mut set = DETECTED.load(SeqCst);
            if set == 0 {
                $(
                    #[cfg($word)]
                    if cpu_has!($($feature)*) $(&& $test)? {
                        set |= 1 << Isa::$word as u32;
                    }
                )+
                DETECTED.store(set, SeqCst);
            }
            set
        }

        // `avx2! { fn .. }` compiles a function with the bundle of `avx2` enabled. Every word has
        // such a macro.
        $(
            #[cfg($word)]
            #[allow(unused_macros)]
            macro_rules! $word {
                ($d($d item:item)*) => {
                    $d($(#[target_feature(enable = $feature)])* $(#[target_feature(enable = $own)])? $d item)*
                };
            }
            #[cfg($word)]
            #[allow(unused_imports)]
            pub(crate) use $word;
        )+
    };
}

macro_rules! cpu_has {
    () => { true };
    ($($feature:tt)+) => {{
        cpufeatures::new!(cpu, $($feature),+);
        cpu::get()
    }};
}

isas! { $
    /// Portable Rust: any CPU.
    scalar [] []
    /// Baseline x86-64: SSE and SSE2.
    sse2 [scalar] [] ("sse2" if true)
    /// AVX2, FMA, BMI1, BMI2, POPCNT.
    avx2 [scalar sse2] ["avx2" "fma" "bmi1" "bmi2" "popcnt"]
    /// `avx2` and GFNI, as on client CPUs without AVX-512.
    avx2gfni [scalar sse2 avx2] ["avx2" "fma" "bmi1" "bmi2" "popcnt"] ("gfni" if seven_ecx(8))
    /// `avx2` and AVX-512 F, CD, BW, DQ, VL.
    avx512 [scalar sse2 avx2]
        ["avx2" "fma" "bmi1" "bmi2" "popcnt" "avx512f" "avx512cd" "avx512bw" "avx512dq" "avx512vl"]
    /// `avx512`, `avx2gfni` and IFMA, VBMI, VBMI2, VPOPCNTDQ, BITALG, VNNI.
    avx512icl [scalar sse2 avx2 avx2gfni avx512]
        ["avx2" "fma" "bmi1" "bmi2" "popcnt" "avx512f" "avx512cd" "avx512bw" "avx512dq" "avx512vl"
         "avx512ifma" "avx512vbmi" "avx512vbmi2" "avx512vpopcntdq" "avx512bitalg" "gfni"]
        ("avx512vnni" if seven_ecx(11))
    /// Baseline AArch64: Advanced SIMD.
    neon [scalar] [] ("neon" if true)
}

/// The registers that CPUID returns for a leaf.
#[cfg(sse2)]
#[allow(unused_unsafe, reason = "unsafe in Rust 1.89")]
pub(crate) fn cpuid(leaf: u32, index: u32) -> core::arch::x86_64::CpuidResult {
    // SAFETY: every x86-64 CPU has CPUID.
    unsafe { core::arch::x86_64::__cpuid_count(leaf, index) }
}

/// Bit set of the facts of this CPU, cached for the same reason as [`detect`].
#[cfg(sse2)]
pub(crate) fn facts() -> u32 {
    /// Marks a set that has been computed.
    const KNOWN: u32 = 1 << 31;
    static FACTS: AtomicU32 = AtomicU32::new(0);
    let mut set = FACTS.load(SeqCst);
    if set == 0 {
        let vendor = cpuid(0, 0);
        let name = [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes);
        // Family and model each consist of a base field and an extended field.
        let signature = cpuid(1, 0).eax;
        let field = |shift: u32, bits: u32| signature >> shift & ((1 << bits) - 1);
        let (family, model) = (field(8, 4) + field(20, 8), field(4, 4) | field(16, 4) << 4);
        let has_gfni = detect() & 1 << Isa::avx2gfni as u32 != 0;
        set = KNOWN | facts_of(Cpu { vendor: name.as_flattened(), family, model, has_gfni });
        FACTS.store(set, SeqCst);
    }
    set & !KNOWN
}

/// Only facts of x86-64 are defined.
#[cfg(not(sse2))]
pub(crate) fn facts() -> u32 {
    facts_of(Cpu { vendor: &[], family: 0, model: 0, has_gfni: false })
}

/// Bit `bit` of CPUID leaf 7, ECX. `cpufeatures` lacks VNNI, and reports GFNI only if the operating
/// system also saves the AVX-512 registers.
#[cfg(avx2gfni)]
fn seven_ecx(bit: u32) -> bool {
    cpuid(7, 0).ecx >> bit & 1 != 0
}

impl Isa {
    /// The name, as in `HOTLOOPS_ISA`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self.c_word().to_str() {
            Ok(word) => word,
            Err(_) => "",
        }
    }
}
