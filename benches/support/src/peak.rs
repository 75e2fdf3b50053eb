//! The peak rate of multiply-adds of this core: independent operations in registers, nothing else.

use std::time::Instant;

use hotloops::isa::Isa;

/// Flops per nanosecond of `f32` (twice those of `f64`) with the vectors of `isa`: the best of a
/// few runs of 0.1 ms.
pub fn flops(isa: Isa) -> f64 {
    const STEPS: u64 = 20_000;
    let run = || {
        let begin = Instant::now();
        let per_step = steps(isa, STEPS);
        STEPS as f64 * per_step / begin.elapsed().as_nanos() as f64
    };
    (0..20).map(|_| run()).fold(0.0, f64::max)
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
