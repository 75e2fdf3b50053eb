//! The harness is held to its word: seeded faults must be found, and clean code must pass.
#![cfg(all(unix, not(miri), any(target_arch = "x86_64", target_arch = "aarch64")))]

#[path = "harness/abi.rs"]
mod abi;
#[path = "harness/guard.rs"]
mod guard;

use guard::{Guarded, Side};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// `a + b + c` in the clean functions, anything in the faulty ones.
type Function = unsafe extern "C" fn(a: u32, b: u32, c: f32) -> u64;
/// Copies `n` bytes, and the faulty ones do more.
type Copier = unsafe extern "C" fn(src: *const u8, dst: *mut u8, n: usize);
type Functions<F = Function> = Vec<(&'static str, F)>;
const SIGNATURE: &str = "unsafe fn(a: u32, b: u32, c: f32) -> u64";

/// The result in each pass, the one with poison first.
fn call(function: Function) -> Vec<u64> {
    let mut results = Vec::new();
    // SAFETY: the functions follow the ABI but for the faults, which the checker survives.
    abi::checked(function, SIGNATURE, None, |f| results.push(unsafe { f(1, 2, 3.0) }));
    results
}

fn panic_message(action: impl FnOnce() + std::panic::UnwindSafe) -> String {
    *catch_unwind(action).expect_err("not caught").downcast::<String>().unwrap()
}

/// Named functions with these bodies.
macro_rules! functions {
    ($($name:expr => $($line:expr),+;)*) => {
        vec![$(($name, {
            #[unsafe(naked)]
            unsafe extern "C" fn code(_: u32, _: u32, _: f32) -> u64 {
                std::arch::naked_asm!($($line),+, "ret")
            }
            code as Function
        })),*]
    };
}

/// Named copiers with this load of a vector, and these lines before the bytes that are left.
macro_rules! copiers {
    ($($name:expr => $load:expr, $tail:expr;)*) => {
        vec![$(($name, {
            #[unsafe(naked)]
            unsafe extern "C" fn code(_: *const u8, _: *mut u8, _: usize) {
                std::arch::naked_asm!(copier!($load, $tail))
            }
            code as Copier
        })),*]
    };
}

/// Functions whose bodies differ in one operand, which names them.
macro_rules! each {
    ($before:literal $after:literal: $($name:literal)+) => {
        functions! { $($name => concat!($before, $name, $after);)+ }
    };
}

#[cfg(target_arch = "x86_64")]
mod machine {
    use super::{Copier, Function, Functions};

    fn avx() -> bool {
        is_x86_feature_detected!("avx")
    }

    fn avx512() -> bool {
        is_x86_feature_detected!("avx512bw")
    }

    pub fn clean() -> Functions {
        let mut list = functions! {
            "kept registers and the red zone" =>
                "push rbx", "push rbp", "mov ebx, edi", "mov ebp, esi", "mov [rsp - 128], rbx",
                "cvttss2si rax, xmm0", "add rax, rbp", "add rax, [rsp - 128]", "pop rbp", "pop rbx";
            "flags and MMX left clean, a division by zero" =>
                "std", "cld", "movq mm0, rdi", "emms", "mov edi, edi", "mov esi, esi", "cvttss2si rax, xmm0",
                "xorps xmm1, xmm1", "divss xmm0, xmm1", "add rax, rdi", "add rax, rsi";
        };
        if avx() {
            list.extend(functions! { "upper halves left clean" =>
                "vinsertf128 ymm9, ymm0, xmm0, 1", "vaddps ymm9, ymm9, ymm9", "vzeroupper",
                "mov edi, edi", "mov esi, esi", "cvttss2si rax, xmm0", "add rax, rdi", "add rax, rsi";
            });
        }
        if avx512() {
            list.extend(functions! { "zmm16-31 and masks, which may be left" =>
                "vpternlogd zmm20, zmm20, zmm20, 255", "kxnorq k1, k1, k1",
                "vpaddd zmm0{{k1}}, zmm0, zmm20", "vpsubd zmm0, zmm0, zmm20", "vzeroupper",
                "mov edi, edi", "mov esi, esi", "cvttss2si rax, xmm0", "add rax, rdi", "add rax, rsi";
            });
        }
        list
    }

    pub fn corrupters() -> Functions {
        let mut list = each! { "not " "": "rbx" "rbp" "r12" "r13" "r14" "r15" };
        list.extend(functions! {
            "rsp" => "ret 8";
            "mxcsr" =>
                "stmxcsr [rsp - 4]", "xor dword ptr [rsp - 4], 0x2000", "ldmxcsr [rsp - 4]";
            "mxcsr" =>
                "stmxcsr [rsp - 4]", "xor dword ptr [rsp - 4], 0x8040", "ldmxcsr [rsp - 4]";
            "x87 control word" =>
                "fnstcw [rsp - 2]", "xor word ptr [rsp - 2], 0x300", "fldcw [rsp - 2]";
            "x87 tag word" => "fld1";
            "x87 tag word" => "pxor mm0, mm0";
            "direction flag" => "std";
            "stack word 0" => "mov byte ptr [rsp + 8], 0";
            "stack word 15" => "mov qword ptr [rsp + 128], 0";
        });
        list
    }

    /// They write so many bytes below the stack pointer of the caller.
    pub fn diggers() -> Vec<(usize, Function)> {
        let list = functions! {
            "1" => "mov byte ptr [rsp - 1], 0";
            "8" => "push rax", "pop rax";
            "128" => "lea r10, [rsp - 128]", "mov [r10], rdi";
            "4096" => "mov r10, rsp", "sub r10, 4096", "mov [r10], rdi";
            "4096" => "sub rsp, 4096", "mov byte ptr [rsp + 7], 0", "add rsp, 4096";
            "8184" => "mov dword ptr [rsp - 8184], 0";
        };
        list.into_iter().map(|(bytes, function)| (bytes.parse().unwrap(), function)).collect()
    }

    pub fn phase() -> Functions {
        functions! { "the phase at the call" => "lea rax, [rsp + 8]", "and rax, 63"; }
    }

    pub fn wants_an_aligned_stack() -> Functions {
        functions! { "in two of four phases" => "lea r10, [rsp + 8]", "test r10, 16", "jz 2f", "ud2", "2:"; }
    }

    macro_rules! copier {
        ($load:expr, $tail:expr) => {
            concat!(
                "sub rdx, 16\njb 3f\n",
                "2:\n",
                $load,
                "\nmovdqu [rsi], xmm0\nadd rdi, 16\nadd rsi, 16\nsub rdx, 16\njae 2b\n",
                "3:\nadd rdx, 16\n",
                $tail,
                "\ntest rdx, rdx\njz 5f\n",
                "4:\nmov al, [rdi]\nmov [rsi], al\ninc rdi\ninc rsi\ndec rdx\njnz 4b\n5:\nret"
            )
        };
    }
    pub fn copies() -> Functions<Copier> {
        copiers! { "a copy" => "movdqu xmm0, [rdi]", ""; }
    }

    pub fn trespassers() -> Functions<Copier> {
        copiers! {
            "a whole vector is read" => "movdqu xmm0, [rdi]", "movdqu xmm0, [rdi]";
            "the byte before is read" => "movdqu xmm0, [rdi]", "mov al, [rdi - 1]";
            "the byte past the end is written as it was" =>
                "movdqu xmm0, [rdi]", "mov al, [rsi + rdx]\nmov [rsi + rdx], al";
            "the byte before the output is cleared" => "movdqu xmm0, [rdi]", "mov byte ptr [rsi - 1], 0";
        }
    }

    pub fn wants_alignment() -> Functions<Copier> {
        copiers! {
            "an aligned load" => "movdqa xmm0, [rdi]", "";
            "a memory operand" => "pxor xmm0, xmm0\npor xmm0, [rdi]", "";
            "a store past the caches" => "movdqu xmm0, [rdi]\nmovntdq [rsi], xmm0", "";
        }
    }

    pub fn breaks_with_a() -> Functions {
        functions! { "rbx" => "mov edi, edi", "add rbx, rdi"; }
    }

    pub fn leavers_of_dirty_upper_halves() -> Functions {
        let mut list = Vec::new();
        if avx() {
            list.extend(functions! {
                "ymm3" => "vinsertf128 ymm3, ymm3, xmm0, 1";
                "ymm15" => "vbroadcastf128 ymm15, [rsp]";
            });
        }
        if avx512() {
            list.extend(functions! { "zmm0" => "vpternlogd zmm0, zmm0, zmm0, 255"; });
        }
        list
    }

    /// They return what they were not given; the poison makes it all ones.
    pub fn readers() -> Functions {
        let mut list = each! { "mov rax, " "": "rax" "rcx" "rdx" "r8" "r9" "r10" "r11" };
        list.extend(functions! {
            "edi above 32" => "mov rax, rdi", "sar rax, 32";
            "esi above 32" => "mov rax, rsi", "sar rax, 32";
            "xmm0 above 32" => "movq rax, xmm0", "sar rax, 32";
            "xmm0 above 64" => "movhlps xmm0, xmm0", "movq rax, xmm0";
        });
        list.extend(each! { "movq rax, " "":
            "xmm1" "xmm2" "xmm3" "xmm4" "xmm5" "xmm6" "xmm7" "xmm8"
            "xmm9" "xmm10" "xmm11" "xmm12" "xmm13" "xmm14" "xmm15"
        });
        if avx() {
            list.extend(each! { "vextractf128 xmm0, " ", 1\nvmovq rax, xmm0\nvzeroupper":
                "ymm0" "ymm1" "ymm7" "ymm8" "ymm15"
            });
        }
        if avx512() {
            list.extend(each! { "vextractf64x4 ymm0, " ", 1\nvmovq rax, xmm0\nvzeroupper":
                "zmm0" "zmm7" "zmm8" "zmm15" "zmm16" "zmm31"
            });
            list.extend(each! { "vmovq rax, " "\nvzeroupper": "xmm16" "xmm31" });
            list.extend(each! { "kmovq rax, " "": "k0" "k1" "k2" "k3" "k4" "k5" "k6" "k7" });
        }
        list
    }
}

#[cfg(target_arch = "aarch64")]
mod machine {
    use super::{Copier, Function, Functions};

    pub fn clean() -> Functions {
        functions! {
            "kept registers" =>
                "stp x19, x20, [sp, #-32]!", "str d8, [sp, #16]", "mov w19, w0", "mov w20, w1",
                "fmov s8, s0", "fcvtzu x0, s8", "add x0, x0, x19", "add x0, x0, x20",
                "ldr d8, [sp, #16]", "ldp x19, x20, [sp], #32";
            "the upper half of v8, which is not kept" =>
                "mov v8.d[1], xzr", "fcvtzu x2, s0", "mov w0, w0", "add x0, x0, w1, uxtw", "add x0, x0, x2";
        }
    }

    pub fn corrupters() -> Functions {
        let mut list = each! { "sub " ", x29, #1":
            "x19" "x20" "x21" "x22" "x23" "x24" "x25" "x26" "x27" "x28" "x29"
        };
        list.extend(each! { "fmov " ", #1.0": "d8" "d9" "d10" "d11" "d12" "d13" "d14" "d15" });
        list.extend(functions! {
            "sp" => "add sp, sp, #16";
            "fpcr" => "mrs x9, fpcr", "eor x9, x9, #0x400000", "msr fpcr, x9";
            "stack word 0" => "strb wzr, [sp]";
            "stack word 15" => "str xzr, [sp, #120]";
            "x18" => "mov x18, #0";
        });
        list
    }

    /// They write so many bytes below the stack pointer of the caller.
    pub fn diggers() -> Vec<(usize, Function)> {
        let list = functions! {
            "1" => "sturb wzr, [sp, #-1]";
            "16" => "str x0, [sp, #-16]!", "add sp, sp, #16";
            "128" => "sub x9, sp, #128", "str x0, [x9]";
            "4096" => "sub x9, sp, #4096", "str x0, [x9]";
            "8192" => "sub x9, sp, #8192", "strb w0, [x9]";
        };
        list.into_iter().map(|(bytes, function)| (bytes.parse().unwrap(), function)).collect()
    }

    pub fn phase() -> Functions {
        functions! { "the phase at the call" => "mov x0, sp", "and x0, x0, #63"; }
    }

    pub fn wants_an_aligned_stack() -> Functions {
        functions! { "in two of four phases" => "mov x9, sp", "tbz x9, #4, 2f", "udf #0", "2:"; }
    }

    macro_rules! copier {
        ($load:expr, $tail:expr) => {
            concat!(
                "subs x2, x2, #16\nb.lo 3f\n",
                "2:\n",
                $load,
                "\nstr q0, [x1], #16\nadd x0, x0, #16\nsubs x2, x2, #16\nb.hs 2b\n",
                "3:\nadd x2, x2, #16\n",
                $tail,
                "\ncbz x2, 5f\n",
                "4:\nldrb w3, [x0], #1\nstrb w3, [x1], #1\nsub x2, x2, #1\ncbnz x2, 4b\n5:\nret"
            )
        };
    }
    pub fn copies() -> Functions<Copier> {
        copiers! { "a copy" => "ldr q0, [x0]", ""; }
    }

    pub fn trespassers() -> Functions<Copier> {
        copiers! {
            "a whole vector is read" => "ldr q0, [x0]", "ldr q0, [x0]";
            "the byte before is read" => "ldr q0, [x0]", "ldrb w3, [x0, #-1]";
            "the byte past the end is written as it was" => "ldr q0, [x0]", "ldrb w3, [x1, x2]\nstrb w3, [x1, x2]";
            "the byte before the output is cleared" => "ldr q0, [x0]", "strb wzr, [x1, #-1]";
        }
    }

    pub fn wants_alignment() -> Functions<Copier> {
        Vec::new()
    }

    pub fn breaks_with_a() -> Functions {
        functions! { "x19" => "add x19, x19, w0, uxtw"; }
    }

    pub fn leavers_of_dirty_upper_halves() -> Functions {
        Vec::new()
    }

    /// They return what they were not given; the poison makes it all ones.
    pub fn readers() -> Functions {
        let mut list = functions! {
            "w0 above 32" => "asr x0, x0, #32";
            "w1 above 32" => "asr x0, x1, #32";
            "s0 above 32" => "fmov x0, d0", "asr x0, x0, #32";
        };
        list.extend(each! { "mov x0, " "":
            "x2" "x3" "x4" "x5" "x6" "x7" "x8" "x9" "x10" "x11" "x12" "x13" "x14" "x15" "x16"
        });
        list.extend(each! { "mov x0, " ".d[0]": "v1" "v2" "v3" "v4" "v5" "v6" "v7" });
        list.extend(each! { "mov x0, " ".d[1]":
            "v0" "v1" "v2" "v3" "v4" "v5" "v6" "v7" "v8" "v9" "v10" "v11" "v12" "v13" "v14" "v15"
            "v16" "v17" "v18" "v19" "v20" "v21" "v22" "v23" "v24" "v25" "v26" "v27" "v28" "v29"
            "v30" "v31"
        });
        list
    }
}

unsafe extern "C" fn add(a: u32, b: u32, c: f32) -> u64 {
    u64::from(a) + u64::from(b) + c as u64
}

#[test]
fn clean_functions_pass() {
    for (name, function) in machine::clean().into_iter().chain([("Rust", add as Function)]) {
        assert!(call(function).iter().all(|&sum| sum == 6), "{name}");
    }
}

#[test]
fn arguments_arrive() {
    type Mixed =
        unsafe extern "C" fn(*const u8, f64, u32, f32, u64, u8, i64, usize, bool, u64, u32, f64, i32, i8, u16) -> f64;
    #[rustfmt::skip]
    unsafe extern "C" fn mixed(
        a: *const u8, x: f64, b: u32, y: f32, c: u64, d: u8, e: i64, f: usize, g: bool, h: u64,
        i: u32, z: f64, j: i32, k: i8, l: u16,
    ) -> f64 {
        let digits = [
            a as u64 as f64, b.into(), c as f64, d.into(), e as f64, f as f64, g.into(), h as f64,
            i.into(), j.into(), k.into(), l.into(),
        ];
        digits.iter().fold(x + f64::from(y) + z, |sum, n| 10.0 * sum + n)
    }
    let signature = "unsafe fn mixed(a : * const [(u8, u8) ; 2], x : f64, b : u32, y : f32, \
        c : u64, d : u8, e : i64, f : usize, g : bool, h : u64, i : u32, z : f64, j : i32, \
        k : i8, l : u16) -> f64";
    let pointer = std::ptr::without_provenance(3);
    // SAFETY: the pointer is not followed.
    let result = abi::checked(mixed as Mixed, signature, None, |f| unsafe {
        f(pointer, 0.25, 1, -0.5, 2, 4, 5, 6, true, 8, 9, 0.25, 7, 3, 1)
    });
    assert_eq!(result, 312_456_189_731.0);
}

#[test]
fn results_in_two_registers_return() {
    #[repr(C)]
    #[derive(Debug, PartialEq)]
    struct Pair<T>(T, T);
    unsafe extern "C" fn swap<T>(a: T, b: T) -> Pair<T> {
        Pair(b, a)
    }
    type Swap<T> = unsafe extern "C" fn(T, T) -> Pair<T>;
    // SAFETY: `swap` has no preconditions.
    unsafe {
        let integers = abi::checked(swap as Swap<u64>, "fn(a: u64, b: u64)", None, |f| f(1, 2));
        let floats = abi::checked(swap as Swap<f64>, "fn(a: f64, b: f64)", None, |f| f(1.0, 2.0));
        assert_eq!((integers, floats), (Pair(2, 1), Pair(2.0, 1.0)));
    }
}

#[test]
fn corrupters_are_caught() {
    for (name, function) in machine::corrupters() {
        let by_hand = Some(abi::ByHand { stack: 128 });
        let message = panic_message(move || {
            // SAFETY: as in `call`.
            abi::checked(function, SIGNATURE, by_hand, |f| _ = unsafe { f(1, 2, 3.0) });
        });
        assert!(message.contains(&format!("call 1: {name} ")), "{name}: {message}");
        assert!(!message.contains(';'), "{name}: {message}");
    }
}

/// Calls as those of a function in assembly that declares a stack of so many bytes.
fn call_by_hand(function: Function, stack: usize) {
    // SAFETY: as in `call`.
    abi::checked(function, SIGNATURE, Some(abi::ByHand { stack }), |f| {
        // SAFETY: as in `call`.
        (0..8).for_each(|_| _ = unsafe { f(1, 2, 3.0) })
    });
}

#[test]
fn writes_below_the_stack_pointer_are_caught() {
    for (bytes, function) in machine::diggers() {
        call_by_hand(function, bytes);
        let words = bytes.div_ceil(8);
        for declared in [0, 8 * (words - 1)] {
            let message = panic_message(move || call_by_hand(function, declared));
            let found = format!("call 1: stack written {} bytes below the stack pointer", 8 * words);
            assert!(message.contains(&found), "{bytes}, {declared} declared: {message}");
        }
        call(function);
    }
}

#[test]
fn the_stack_pointer_has_every_phase() {
    let mut phases = Vec::new();
    let (_, phase) = machine::phase()[0];
    // SAFETY: as in `call`.
    abi::checked(phase, SIGNATURE, None, |f| phases.extend((0..8).map(|_| unsafe { f(1, 2, 3.0) })));
    for four in phases.chunks_exact(4) {
        assert!([0, 16, 32, 48].iter().all(|phase| four.contains(phase)), "{phases:?}");
    }
    // Cases that alternate between two kinds of calls come to every phase with both.
    assert!((0..4).all(|i| phases[i] != phases[i + 4]), "{phases:?}");
    assert!(status(|| call_by_hand(machine::wants_an_aligned_stack()[0].1, 0)) != 0);
}

#[test]
fn the_first_bad_call_is_named() {
    let (_, function) = machine::breaks_with_a()[0];
    let message = panic_message(move || {
        // SAFETY: as in `call`.
        abi::checked(function, SIGNATURE, None, |f| [0, 1, 0, 2].map(|a| unsafe { f(a, 2, 3.0) }));
    });
    assert!(message.contains("call 2: "), "{message}");
}

#[test]
fn dirty_upper_halves_are_caught() {
    let passes = call(add).len();
    for (name, function) in machine::leavers_of_dirty_upper_halves() {
        if passes > 1 {
            let message = panic_message(move || drop(call(function)));
            assert!(message.contains("call 1: upper halves"), "{name}: {message}");
        }
    }
}

#[test]
fn registers_never_set_change_the_result() {
    for (name, function) in machine::readers() {
        assert_eq!(call(function)[0], u64::MAX, "{name}");
    }
}

#[test]
fn calls_past_the_pointer_are_refused() {
    let message = panic_message(|| abi::checked(add as Function, SIGNATURE, None, |_| ()));
    assert!(message.contains("never called"), "{message}");
}

#[test]
fn structures_by_value_are_refused() {
    let message = panic_message(|| abi::checked(add as Function, "fn f(x: [u8; 16])", None, |_| ()));
    assert!(message.contains("does not know the type [u8; 16]"), "{message}");
}

/// The wait status of a child process that does `action`: 0 if nothing goes wrong.
fn status(action: impl FnOnce()) -> libc::c_int {
    // SAFETY: the child touches memory and leaves.
    unsafe {
        let child = libc::fork();
        if child == 0 {
            libc::signal(libc::SIGSEGV, libc::SIG_DFL);
            libc::signal(libc::SIGBUS, libc::SIG_DFL);
            let panicked = catch_unwind(AssertUnwindSafe(action)).is_err();
            libc::_exit(panicked.into());
        }
        let mut status = 0;
        assert_eq!(libc::waitpid(child, &mut status, 0), child);
        status
    }
}

/// Whether the process dies of an access fault in `action`.
fn faults(action: impl FnOnce()) -> bool {
    let status = status(action);
    libc::WIFSIGNALED(status) && [libc::SIGSEGV, libc::SIGBUS].contains(&libc::WTERMSIG(status))
}

/// Whether a copy of every length at every distance from a page that cannot be touched is one, and nothing else.
fn survives(copier: Copier) -> bool {
    let data: Vec<u8> = (1..=67).collect();
    let mut buffers = Vec::new();
    for (side, slack) in (0..64).flat_map(|slack| [(Side::Start, slack), (Side::End, slack)]) {
        for n in [slack, 67 - slack] {
            let output = Guarded::new(&vec![0; n], side, 7 * slack % 64);
            buffers.push((Guarded::new(&data[..n], side, slack), output));
        }
    }
    let copy = |(mut input, mut output): (Guarded<u8>, Guarded<u8>)| {
        let expected = input.to_vec();
        // SAFETY: `n` bytes on both sides; what a fault touches is the child's.
        unsafe { copier(input.as_ptr(), output.as_mut_ptr(), expected.len()) };
        assert!(input.to_vec() == expected && output.to_vec() == expected);
        input.check();
        output.check();
    };
    status(|| buffers.into_iter().for_each(copy)) == 0
}

#[test]
fn trespassers_are_caught() {
    for (name, copier) in machine::copies() {
        assert!(survives(copier), "{name}");
    }
    for (fault, copier) in machine::trespassers() {
        assert!(!survives(copier), "{fault}");
    }
}

#[test]
fn alignment_that_nobody_promised_is_caught() {
    let faulty = machine::wants_alignment();
    // Far from any page's end, so that nothing but alignment can be the fault.
    let data = [0; 65];
    let odd = data[..].as_ptr().wrapping_add(usize::from(data.as_ptr().addr().is_multiple_of(2)));
    let mut copy = [0; 65];
    // SAFETY: 64 bytes on both sides.
    if !faulty.iter().any(|(_, copier)| faults(|| unsafe { copier(odd, copy.as_mut_ptr(), 64) })) {
        return println!("not run: this machine, an emulator perhaps, knows no alignment");
    }
    for (fault, copier) in faulty {
        assert!(!survives(copier), "{fault}");
    }
}

fn guards_hold<T: Copy>(values: &[T]) {
    // SAFETY: faults are what is asked for, in a child.
    let reads = |address: *const T| faults(|| _ = unsafe { address.read_volatile() });
    // SAFETY: as above.
    let writes = |address: *mut T| faults(|| unsafe { address.write_volatile(values[0]) });
    let mut buffer = Guarded::new(values, Side::End, 0);
    let first = buffer.as_mut_ptr();
    let end = first.wrapping_add(values.len());
    assert!(!reads(first) && !reads(end.wrapping_sub(1)) && !writes(end.wrapping_sub(1)));
    assert!(reads(end) && writes(end));
    let mut buffer = Guarded::new(values, Side::Start, 0);
    let first = buffer.as_mut_ptr();
    assert!(!reads(first) && !writes(first));
    assert!(reads(first.wrapping_sub(1)) && writes(first.wrapping_sub(1)));
    assert!(reads(Guarded::new(&values[..0], Side::End, 0).as_ptr()));
}

#[test]
fn guard_pages_fault() {
    guards_hold(&[1u8, 2, 3]);
    guards_hold(&[1.0f32; 5000]);
    guards_hold(&[[1u64; 3]; 7]);
}

#[test]
fn buffers_hold_their_values() {
    let values: Vec<u32> = (0..100).collect();
    for (side, slack) in (0..64).flat_map(|slack| [(Side::Start, slack), (Side::End, slack)]) {
        let mut buffer = Guarded::new(&values, side, slack);
        assert_eq!(buffer.to_vec(), values);
        if slack % 4 == 0 {
            buffer.as_mut_slice()[99] = 7;
            assert_eq!(buffer.as_slice()[98..], [98, 7]);
        }
        buffer.set(&values);
        assert_eq!(buffer.to_vec(), values);
    }
}

#[test]
fn canaries_around_the_data_are_watched() {
    for (side, offset) in [(Side::End, -1), (Side::End, 20), (Side::End, 22), (Side::Start, -1)] {
        let message = panic_message(|| {
            let mut buffer = Guarded::new(&[1u32; 5], side, 3);
            // SAFETY: inside the open page.
            unsafe { *buffer.as_mut_ptr().cast::<u8>().offset(offset) ^= 1 };
        });
        assert!(message.contains(&format!("byte {offset} of")), "{message}");
    }
}
