//! Vectors of each instruction set that has fused multiply-adds, and code that is generic over them.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod lanes;
#[cfg(target_arch = "aarch64")]
mod neon;

pub(super) use lanes::{Lanes, MAX_LANES};

/// Code for the vectors of any instruction set.
pub(super) trait Task<R> {
    /// `#[inline(always)]`, so that it is compiled for the instruction set of its caller.
    ///
    /// # Safety
    /// The CPU has the instructions of `V`, and the contract of the task holds.
    unsafe fn run<V: Lanes<R>>(&self);
}

/// The instruction set of the vectors.
#[derive(Clone, Copy)]
pub(super) enum Vectors {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "aarch64")]
    Neon,
}

/// The widest vectors of the CPU, if it has any with fused multiply-adds.
#[inline(always)]
pub(super) fn vectors() -> Option<Vectors> {
    use hotloops::isa::{Isa, usable};
    #[cfg(target_arch = "x86_64")]
    return match () {
        () if usable(Isa::avx512) => Some(Vectors::Avx512),
        () if usable(Isa::avx2) => Some(Vectors::Avx2),
        () => None,
    };
    #[cfg(target_arch = "aarch64")]
    return usable(Isa::neon).then_some(Vectors::Neon);
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    None
}

/// A type with vectors.
pub(super) trait Simd: Sized {
    /// Runs a task by these vectors.
    ///
    /// # Safety
    /// The CPU has the vectors, and the contract of the task holds.
    unsafe fn run_in(vectors: Vectors, task: &impl Task<Self>);

    /// Runs a task by the widest vectors that the CPU has, and returns true; without vectors of fused
    /// multiply-adds does nothing and returns false.
    ///
    /// # Safety
    /// The contract of the task holds.
    #[inline(always)]
    unsafe fn run(task: &impl Task<Self>) -> bool {
        let Some(vectors) = vectors() else { return false };
        // SAFETY: the CPU has the vectors; the caller's contract.
        unsafe { Self::run_in(vectors, task) }
        true
    }
}

macro_rules! simd {
    ($($type:ident)+) => {$(
        impl Simd for $type {
            #[inline(always)]
            unsafe fn run_in(vectors: Vectors, task: &impl Task<Self>) {
                // SAFETY: the caller's contract.
                unsafe {
                    match vectors {
                        #[cfg(target_arch = "x86_64")]
                        Vectors::Avx512 => avx512::$type(task),
                        #[cfg(target_arch = "x86_64")]
                        Vectors::Avx2 => avx2::$type(task),
                        #[cfg(target_arch = "aarch64")]
                        Vectors::Neon => neon::$type(task),
                    }
                }
            }
        }
    )+};
}
simd! { f32 f64 }
