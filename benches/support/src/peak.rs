//! The limits of this core: independent multiply-adds in registers, and loads, nothing else.

use std::time::Instant;

use hotloops::isa::Isa;

/// Flops per nanosecond of `f32` (twice those of `f64`) with the vectors of `isa`: the best of a
/// few runs of 0.1 ms.
pub fn flops(isa: Isa) -> f64 {
    const STEPS: u64 = 20_000;
    let run = || {
        let begin = Instant::now();
        let flops = multiply_adds(isa, STEPS);
        flops / begin.elapsed().as_nanos() as f64
    };
    (0..20).map(|_| run()).fold(0.0, f64::max)
}

/// Runs `n` steps of at least twelve independent multiply-adds. Returns the number of flops.
pub fn multiply_adds(isa: Isa, n: u64) -> f64 {
    n as f64 * steps(isa, n)
}

/// Floats of a step of [`loads`].
const LOADED: usize = 128;

/// Loads all of `x`, whose length is a positive multiple of 128, and returns its last element.
pub fn loads(isa: Isa, x: &[f32]) -> f32 {
    assert!(!x.is_empty() && x.len().is_multiple_of(LOADED), "whole steps");
    // SAFETY: the array has that many steps.
    unsafe { load_steps(isa, x.as_ptr(), x.len() / LOADED) }
}

/// Runs `n` steps of at least twelve independent operations. Returns the flops of a step.
#[cfg(target_arch = "x86_64")]
fn steps(isa: Isa, n: u64) -> f64 {
    use std::arch::asm;
    macro_rules! run {
        ($fma:literal $zero:literal) => {
            // SAFETY: registers alone, of an instruction set that the caller has.
            unsafe {
                asm!(
                    concat!(".irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n", $zero, "\n.endr"),
                    "2:",
                    concat!(".irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11\n", $fma, "\n.endr"),
                    "dec {n}",
                    "jnz 2b",
                    n = inout(reg) n => _,
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _, out("xmm5") _,
                    out("xmm6") _, out("xmm7") _, out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
                    out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _,
                )
            }
        };
    }
    match isa {
        Isa::avx512 | Isa::avx512icl => {
            run!("vfmadd231ps zmm\\i, zmm12, zmm13" "vpxor xmm\\i, xmm\\i, xmm\\i");
            12.0 * 32.0
        }
        Isa::avx2 | Isa::avx2gfni => {
            run!("vfmadd231ps ymm\\i, ymm12, ymm13" "vpxor xmm\\i, xmm\\i, xmm\\i");
            12.0 * 16.0
        }
        _ => {
            // Half of the registers take products, half take sums: one of each per multiply-add.
            run!(".if \\i < 6\nmulps xmm\\i, xmm12\n.else\naddps xmm\\i, xmm13\n.endif" "xorps xmm\\i, xmm\\i");
            12.0 * 4.0
        }
    }
}

/// Loads `n` steps with the vectors of `isa`. Returns the last element.
///
/// # Safety
/// `x` is valid for `n` steps, n > 0, and the CPU has `isa`.
#[cfg(target_arch = "x86_64")]
unsafe fn load_steps(isa: Isa, x: *const f32, n: usize) -> f32 {
    use std::arch::asm;
    macro_rules! run {
        ($offsets:literal $load:literal $last:literal) => {{
            let last: u32;
            // SAFETY: loads of what the caller has, by an instruction set that the caller has.
            unsafe {
                asm!(
                    "2:",
                    concat!(".irp i, ", $offsets, "\n", $load, "\n.endr"),
                    "add {x}, 512",
                    "dec {n}",
                    "jnz 2b",
                    $last,
                    x = inout(reg) x => _,
                    n = inout(reg) n => _,
                    last = out(reg) last,
                    out("xmm0") _,
                    options(readonly, nostack),
                )
            }
            last
        }};
    }
    let last = match isa {
        Isa::avx512 | Isa::avx512icl => run!(
            "0, 64, 128, 192, 256, 320, 384, 448" "vmovups zmm0, [{x} + \\i]"
            "vextractf32x4 xmm0, zmm0, 3\nvpextrd {last:e}, xmm0, 3\nvzeroupper"
        ),
        Isa::avx2 | Isa::avx2gfni => run!(
            "0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448, 480" "vmovups ymm0, [{x} + \\i]"
            "vextractf128 xmm0, ymm0, 1\nvpextrd {last:e}, xmm0, 3\nvzeroupper"
        ),
        _ => run!(
            "0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448, 480"
            "movups xmm0, [{x} + \\i]\nmovups xmm0, [{x} + \\i + 16]"
            "shufps xmm0, xmm0, 255\nmovd {last:e}, xmm0"
        ),
    };
    f32::from_bits(last)
}

#[cfg(target_arch = "aarch64")]
unsafe fn load_steps(_: Isa, mut x: *const f32, n: usize) -> f32 {
    let last: u32;
    // SAFETY: loads of what the caller has.
    unsafe {
        std::arch::asm!(
            "2:",
            ".rept 16\nldp q0, q1, [{x}], #32\n.endr",
            "subs {n}, {n}, #1",
            "b.ne 2b",
            "mov {last:w}, v1.s[3]",
            x = inout(reg) x,
            n = inout(reg) n => _,
            last = out(reg) last,
            out("v0") _,
            out("v1") _,
            options(readonly, nostack),
        );
    }
    let _ = x;
    f32::from_bits(last)
}

#[cfg(target_arch = "aarch64")]
fn steps(_: Isa, n: u64) -> f64 {
    // SAFETY: registers alone.
    unsafe {
        std::arch::asm!(
            ".irp i, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25\nmovi v\\i\\().16b, #0\n.endr",
            "2:",
            ".irp i, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23\nfmla v\\i\\().4s, v24.4s, v25.4s\n.endr",
            "subs {n}, {n}, #1",
            "b.ne 2b",
            n = inout(reg) n => _,
            out("v0") _, out("v1") _, out("v2") _, out("v3") _, out("v4") _, out("v5") _, out("v6") _, out("v7") _,
            out("v16") _, out("v17") _, out("v18") _, out("v19") _, out("v20") _, out("v21") _, out("v22") _,
            out("v23") _, out("v24") _, out("v25") _,
        );
    }
    16.0 * 8.0
}
