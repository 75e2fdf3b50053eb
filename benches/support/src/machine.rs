//! The processor, the compilers and the C library, on which figures depend.

/// Instruction sets that the compilers may use.
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

/// The brand string of the processor, with family and model, which a virtual machine's brand string
/// often omits.
#[cfg(target_arch = "x86_64")]
pub fn cpu() -> String {
    // SAFETY: every x86-64 CPU has CPUID.
    #[allow(unused_unsafe, reason = "unsafe in Rust 1.89")]
    let cpuid = |leaf| unsafe { std::arch::x86_64::__cpuid(leaf) };
    if cpuid(0x8000_0000).eax < 0x8000_0004 {
        return "x86_64".to_owned();
    }
    let bytes: Vec<u8> = (0x8000_0002..=0x8000_0004)
        .map(cpuid)
        .flat_map(|leaf| [leaf.eax, leaf.ebx, leaf.ecx, leaf.edx])
        .flat_map(u32::to_le_bytes)
        .take_while(|&byte| byte != 0)
        .collect();
    let name = String::from_utf8_lossy(&bytes);
    // Family and model each consist of a base field and an extended field.
    let signature = cpuid(1).eax;
    let field = |shift: u32, bits: u32| signature >> shift & ((1 << bits) - 1);
    let (family, model) = (field(8, 4) + field(20, 8), field(4, 4) | field(16, 4) << 4);
    format!("{}, family {family}, model {model}", name.trim())
}

/// The architecture; other processors do not report a name to programs.
#[cfg(not(target_arch = "x86_64"))]
pub fn cpu() -> String {
    std::env::consts::ARCH.to_owned()
}

/// The C compiler of the sources' programs.
pub const C_COMPILER: &str = env!("C_COMPILER");
