//! Latency and throughput of instructions: twelve in one chain, and in chains of their own.

use std::time::Duration;

use hotloops::isa::Isa;

use crate::ladder::{Compared, Origin, Rung, Scale, Table, allowed, measure};

/// An instruction that is timed.
struct Instruction {
    name: &'static str,
    isa: Isa,
    /// Instructions of a step.
    count: u32,
    /// Runs steps in one chain, and in a chain for each register; returns the bits of the first register.
    run: [fn(u64) -> u64; 2],
    /// What it holds after one step.
    expected: [u64; 2],
}

/// The tables of latencies and of reciprocal throughputs.
pub fn tables(steps: u64, budget: Duration) -> [Table; 2] {
    let table = |name, title: &str, form: usize| {
        let rungs = instructions().filter(|instruction| allowed().contains(&instruction.isa)).map(|instruction| {
            let Instruction { name, isa, count, run, expected } = instruction;
            let units = f64::from(count) * steps as f64;
            let call = move || {
                std::hint::black_box(run[form](steps));
            };
            let verify = move || run[form](1) == expected[form];
            Rung::new(name, Origin::Step, units, call, verify).under(isa)
        });
        let scale = (Scale::Cycles, "cycles an instruction");
        measure(name, title, scale, Compared::Value, rungs.collect(), budget / 2)
    };
    let mut tables = [
        table("latency", "Latency of instructions, each waiting for the one before", 0),
        table("throughput", "Reciprocal throughput of instructions, in independent chains", 1),
    ];
    for table in &mut tables {
        table.notes.push("Divisions are by 1, square roots of 1, which some CPUs end early.".to_owned());
    }
    tables
}

#[cfg(target_arch = "x86_64")]
use x86_64::instructions;

#[cfg(target_arch = "aarch64")]
use aarch64::instructions;

/// The bits of floats.
const ONE: u64 = 0x3f80_0000;
const THREE: u64 = 0x4040_0000;
const TWELVE: u64 = 0x4140_0000;

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use std::arch::asm;

    use super::{Instruction, Isa, ONE, THREE, TWELVE};

    /// Steps on the general registers from r8 on, which begin as `$x`.
    macro_rules! integers {
        ($registers:literal $op:literal, $n:expr, $x:expr, $y:expr) => {{
            let result: u64;
            // SAFETY: registers alone.
            unsafe {
                asm!(
                    "/* {y} */",
                    ".irp i, 8, 9, 10, 11, 12, 13, 14, 15\nmov r\\i, {x}\n.endr",
                    "2:",
                    concat!(".irp i, ", $registers, "\n", $op, "\n.endr"),
                    "dec {n}",
                    "jnz 2b",
                    n = inout(reg) $n => _,
                    x = in(reg) $x,
                    y = in(reg) $y,
                    out("r8") result, out("r9") _, out("r10") _, out("r11") _,
                    out("r12") _, out("r13") _, out("r14") _, out("r15") _,
                    options(nostack),
                )
            }
            result
        }};
    }

    /// Steps on the vectors 0 to 11, which begin as `$x`; vector 12 holds `$y`.
    macro_rules! vectors {
        ($registers:literal $fill:literal $op:literal $end:literal, $n:expr, $x:expr, $y:expr) => {{
            let mut x: u64 = $x;
            // SAFETY: registers alone, of an instruction set that the caller checks.
            unsafe {
                asm!(
                    concat!(".irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11\n", $fill, "\n.endr"),
                    "mov {x}, {y}",
                    concat!(".irp i, 12\n", $fill, "\n.endr"),
                    "2:",
                    concat!(".irp i, ", $registers, "\n", $op, "\n.endr"),
                    "dec {n}",
                    "jnz 2b",
                    $end,
                    "movq {x}, xmm0",
                    n = inout(reg) $n => _,
                    x = inout(reg) x,
                    y = in(reg) $y,
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _, out("xmm5") _,
                    out("xmm6") _, out("xmm7") _, out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
                    out("xmm12") _,
                    options(nostack),
                )
            }
            x
        }};
    }

    /// An instruction on integers, and its results after 8 in a chain and after 1.
    macro_rules! integer {
        ($name:literal, $op:literal, $x:expr, $y:expr, $expected:expr) => {
            Instruction {
                name: $name,
                isa: Isa::sse2,
                count: 8,
                run: [
                    |n| integers!("8, 8, 8, 8, 8, 8, 8, 8" $op, n, $x, $y),
                    |n| integers!("8, 9, 10, 11, 12, 13, 14, 15" $op, n, $x, $y),
                ],
                expected: $expected,
            }
        };
    }

    /// An instruction on floats, and its results after 12 in a chain and after 1. Only the low lane is looked at.
    macro_rules! float {
        ($name:literal, $isa:ident, $fill:literal, $op:literal, $end:literal, $x:expr, $y:expr, $after:expr) => {
            Instruction {
                name: $name,
                isa: Isa::$isa,
                count: 12,
                run: [
                    |n| low(vectors!("0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0" $fill $op $end, n, $x, $y)),
                    |n| low(vectors!("0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11" $fill $op $end, n, $x, $y)),
                ],
                expected: $after,
            }
        };
        ($name:literal sse2 $op:literal, $x:expr, $y:expr, $after:expr) => {
            float!($name, sse2, "movd xmm\\i, {x:e}\nshufps xmm\\i, xmm\\i, 0", $op, "", $x, $y, $after)
        };
        ($name:literal avx2 $op:literal, $x:expr, $y:expr, $after:expr) => {
            float!($name, avx2, "movd xmm\\i, {x:e}\nvbroadcastss ymm\\i, xmm\\i", $op, "vzeroupper", $x, $y, $after)
        };
        ($name:literal avx512 $op:literal, $x:expr, $y:expr, $after:expr) => {
            float!($name, avx512, "movd xmm\\i, {x:e}\nvbroadcastss zmm\\i, xmm\\i", $op, "vzeroupper", $x, $y, $after)
        };
    }

    fn low(bits: u64) -> u64 {
        bits & 0xffff_ffff
    }

    /// The quotient of `x` and 1 after `n` steps of eight divisions; `is_chain` has each divide the last one's result.
    fn divide(n: u64, x: u64, is_chain: bool, is_long: bool) -> u64 {
        macro_rules! run {
            ($op:literal) => {{
                let result: u64;
                // SAFETY: quotients by 1 with a high half of 0 do not overflow.
                unsafe {
                    asm!(
                        "xor edx, edx /* {x} */",
                        "2:",
                        concat!(".rept 8\n", $op, "\n.endr"),
                        "dec {n}",
                        "jnz 2b",
                        n = inout(reg) n => _,
                        x = in(reg) x,
                        y = in(reg) 1_u64,
                        inout("rax") x => result,
                        out("rdx") _,
                        options(nostack),
                    )
                }
                result
            }};
        }
        match (is_chain, is_long) {
            (true, false) => run!("div {y:e}"),
            (false, false) => run!("mov eax, {x:e}\nxor edx, edx\ndiv {y:e}"),
            (true, true) => run!("div {y}"),
            (false, true) => run!("mov rax, {x}\nxor edx, edx\ndiv {y}"),
        }
    }

    /// The address of `cell` after `n` steps of eight loads of it from itself.
    fn chase(n: u64, is_chain: bool) -> u64 {
        let mut cell = 0_u64;
        let address = &raw mut cell as u64;
        // SAFETY: `cell` holds its own address, which is loaded.
        unsafe { (&raw mut cell).write_volatile(address) };
        let loaded = match is_chain {
            true => integers!("8, 8, 8, 8, 8, 8, 8, 8" "mov r\\i, [r\\i]", n, address, 0_u64),
            false => integers!("8, 9, 10, 11, 12, 13, 14, 15" "mov r\\i, [{x}]", n, address, 0_u64),
        };
        u64::from(loaded == address)
    }

    const LARGE: u64 = 0x7fff_ffff;
    const LONG: u64 = 0x7fff_ffff_ffff_ffff;

    fn scalars() -> [Instruction; 11] {
        let division = |name, run, x| Instruction { name, isa: Isa::sse2, count: 8, run, expected: [x; 2] };
        [
            integer!("add", "add r\\i, {y}", 5_u64, 3_u64, [29, 8]),
            integer!("shl", "shl r\\i, 1", 5_u64, 0_u64, [5 << 8, 10]),
            integer!("imul", "imul r\\i, {y}", 5_u64, 3_u64, [5 * 6561, 15]),
            division("div, 32 bits", [|n| divide(n, LARGE, true, false), |n| divide(n, LARGE, false, false)], LARGE),
            division("div, 64 bits", [|n| divide(n, LONG, true, true), |n| divide(n, LONG, false, true)], LONG),
            division("load", [|n| chase(n, true), |n| chase(n, false)], 1),
            float!("addss" sse2 "addss xmm\\i, xmm12", 0, ONE, [TWELVE, ONE]),
            float!("mulss" sse2 "mulss xmm\\i, xmm12", THREE, ONE, [THREE; 2]),
            float!("divss" sse2 "divss xmm\\i, xmm12", THREE, ONE, [THREE; 2]),
            float!("sqrtss" sse2 "sqrtss xmm\\i, xmm\\i", ONE, ONE, [ONE; 2]),
            float!("vfmadd231ss" avx2 "vfmadd231ss xmm\\i, xmm12, xmm12", 0, ONE, [TWELVE, ONE]),
        ]
    }

    pub fn instructions() -> impl Iterator<Item = Instruction> {
        scalars().into_iter().chain([
            float!("addps, 128 bits" sse2 "addps xmm\\i, xmm12", 0, ONE, [TWELVE, ONE]),
            float!("mulps, 128 bits" sse2 "mulps xmm\\i, xmm12", THREE, ONE, [THREE; 2]),
            float!("vaddps, 256 bits" avx2 "vaddps ymm\\i, ymm\\i, ymm12", 0, ONE, [TWELVE, ONE]),
            float!("vmulps, 256 bits" avx2 "vmulps ymm\\i, ymm\\i, ymm12", THREE, ONE, [THREE; 2]),
            float!("vfmadd231ps, 256 bits" avx2 "vfmadd231ps ymm\\i, ymm12, ymm12", 0, ONE, [TWELVE, ONE]),
            float!("vdivps, 256 bits" avx2 "vdivps ymm\\i, ymm\\i, ymm12", THREE, ONE, [THREE; 2]),
            float!("vsqrtps, 256 bits" avx2 "vsqrtps ymm\\i, ymm\\i", ONE, ONE, [ONE; 2]),
            float!("vaddps, 512 bits" avx512 "vaddps zmm\\i, zmm\\i, zmm12", 0, ONE, [TWELVE, ONE]),
            float!("vfmadd231ps, 512 bits" avx512 "vfmadd231ps zmm\\i, zmm12, zmm12", 0, ONE, [TWELVE, ONE]),
        ])
    }
}

#[cfg(target_arch = "aarch64")]
mod aarch64 {
    use std::arch::asm;

    use super::{Instruction, Isa, ONE, THREE, TWELVE};

    /// Steps on general registers and vectors from 0 to 11, which begin as `$x`; x12 and vector 12 hold `$y`.
    macro_rules! steps {
        ($registers:literal $op:literal $result:literal, $n:expr, $x:expr, $y:expr) => {{
            let mut x: u64 = $x;
            // SAFETY: registers alone.
            unsafe {
                asm!(
                    ".irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11\nmov x\\i, {x}\ndup v\\i\\().4s, {x:w}\n.endr",
                    "mov x12, {y}",
                    "dup v12.4s, {y:w}",
                    "2:",
                    concat!(".irp i, ", $registers, "\n", $op, "\n.endr"),
                    "subs {n}, {n}, #1",
                    "b.ne 2b",
                    $result,
                    n = inout(reg) $n => _,
                    x = inout(reg) x,
                    y = in(reg) $y,
                    out("x0") _, out("x1") _, out("x2") _, out("x3") _, out("x4") _, out("x5") _, out("x6") _,
                    out("x7") _, out("x8") _, out("x9") _, out("x10") _, out("x11") _, out("x12") _,
                    out("v0") _, out("v1") _, out("v2") _, out("v3") _, out("v4") _, out("v5") _, out("v6") _,
                    out("v7") _, out("v8") _, out("v9") _, out("v10") _, out("v11") _, out("v12") _,
                    options(nostack),
                )
            }
            x
        }};
    }

    macro_rules! instruction {
        ($name:literal, $op:literal, $result:literal, $x:expr, $y:expr, $expected:expr) => {
            Instruction {
                name: $name,
                isa: Isa::neon,
                count: 12,
                run: [
                    |n| steps!("0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0" $op $result, n, $x, $y),
                    |n| steps!("0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11" $op $result, n, $x, $y),
                ],
                expected: $expected,
            }
        };
        (integer $name:literal $op:literal, $x:expr, $y:expr, $expected:expr) => {
            instruction!($name, $op, "mov {x}, x0", $x, $y, $expected)
        };
        (float $name:literal $op:literal, $x:expr, $y:expr, $expected:expr) => {
            instruction!($name, $op, "mov {x:w}, v0.s[0]", $x, $y, $expected)
        };
    }

    pub fn instructions() -> impl Iterator<Item = Instruction> {
        [
            instruction!(integer "add" "add x\\i, x\\i, x12", 5, 3_u64, [41, 8]),
            instruction!(integer "lsl" "lsl x\\i, x\\i, #1", 5, 0_u64, [5 << 12, 10]),
            instruction!(integer "mul" "mul x\\i, x\\i, x12", 5, 3_u64, [5 * 531_441, 15]),
            instruction!(integer "udiv, 32 bits" "udiv w\\i, w\\i, w12", 0x7fff_ffff, 1_u64, [0x7fff_ffff; 2]),
            instruction!(integer "udiv, 64 bits" "udiv x\\i, x\\i, x12", u64::MAX, 1_u64, [u64::MAX; 2]),
            instruction!(float "fadd" "fadd s\\i, s\\i, s12", 0, ONE, [TWELVE, ONE]),
            instruction!(float "fmul" "fmul s\\i, s\\i, s12", THREE, ONE, [THREE; 2]),
            instruction!(float "fdiv" "fdiv s\\i, s\\i, s12", THREE, ONE, [THREE; 2]),
            instruction!(float "fsqrt" "fsqrt s\\i, s\\i", ONE, ONE, [ONE; 2]),
            instruction!(float "fmadd" "fmadd s\\i, s12, s12, s\\i", 0, ONE, [TWELVE, ONE]),
            instruction!(float "fadd, 128 bits" "fadd v\\i\\().4s, v\\i\\().4s, v12.4s", 0, ONE, [TWELVE, ONE]),
            instruction!(float "fmla, 128 bits" "fmla v\\i\\().4s, v12.4s, v12.4s", 0, ONE, [TWELVE, ONE]),
        ]
        .into_iter()
    }
}
