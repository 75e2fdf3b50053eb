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

/// A type with vectors.
pub(super) trait Simd: Sized {
    /// Runs a task by the widest vectors that the CPU has, and returns true; without vectors of fused
    /// multiply-adds does nothing and returns false.
    ///
    /// # Safety
    /// The contract of the task holds.
    unsafe fn run(task: &impl Task<Self>) -> bool;
}

macro_rules! simd {
    ($($type:ident)+) => {$(
        impl Simd for $type {
            #[inline(always)]
            unsafe fn run(task: &impl Task<Self>) -> bool {
                use hotloops::isa::{Isa, usable};
                // SAFETY: the CPU has the instructions; the caller's contract.
                unsafe {
                    #[cfg(target_arch = "x86_64")]
                    match () {
                        () if usable(Isa::avx512) => avx512::$type(task),
                        () if usable(Isa::avx2) => avx2::$type(task),
                        () => return false,
                    }
                    #[cfg(target_arch = "aarch64")]
                    if usable(Isa::neon) {
                        neon::$type(task);
                    } else {
                        return false;
                    }
                }
                cfg!(any(target_arch = "x86_64", target_arch = "aarch64"))
            }
        }
    )+};
}
simd! { f32 f64 }
