//! The processor and the math library, on which figures depend.

pub use hotloops_bench_support::machine::cpu;

/// Instruction sets that the compiler may use.
pub fn target() -> &'static str {
    if cfg!(target_feature = "avx512f") {
        "x86-64 with AVX-512 (not the baseline)"
    } else if cfg!(target_feature = "avx2") {
        "x86-64 with AVX2 (not the baseline)"
    } else if cfg!(target_feature = "sse4.1") {
        "x86-64 with SSE4.1 (not the baseline)"
    } else {
        std::env::consts::ARCH
    }
}

/// The library that implements `f32::exp`.
pub fn libm() -> String {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        unsafe extern "C" {
            safe fn gnu_get_libc_version() -> *const std::ffi::c_char;
        }
        // SAFETY: the C library returns a constant string.
        let version = unsafe { std::ffi::CStr::from_ptr(gnu_get_libc_version()) };
        format!("glibc {}", version.to_string_lossy())
    }
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    "the system".to_owned()
}
