//! The trampoline for the System V ABI on x86-64.

use super::{SLOTS, State, note, of_slot};
use std::arch::{asm, naked_asm, x86_64::__cpuid_count};
use std::mem::offset_of;
use std::sync::LazyLock;

pub const INTEGER_ARGUMENTS: usize = 6;
/// Bytes that the call instruction pushes below the stack pointer: the return address.
pub const BELOW: usize = 8;
pub const TRAMPOLINES: [Option<unsafe extern "C" fn()>; SLOTS] =
    [Some(trampoline::<0>), Some(trampoline::<1>), Some(trampoline::<2>), Some(trampoline::<3>)];

/// The state that a call preserves, and a mask of the preserved bits.
pub const KEPT: [(&str, u64); 12] = [
    ("rbx", u64::MAX),
    ("rbp", u64::MAX),
    ("r12", u64::MAX),
    ("r13", u64::MAX),
    ("r14", u64::MAX),
    ("r15", u64::MAX),
    ("rsp", u64::MAX),
    ("mxcsr", 0xffc0),
    ("x87 control word", 0xffff),
    ("x87 tag word", 0xffff),
    ("direction flag", 0x400),
    ("upper halves in use (XINUSE)", 0x44),
];

pub const EXPECTED: [u64; 12] = [
    0xb0b0_b0b0_1111_b0b0,
    0xb1b1_b1b1_2222_b1b1,
    0xb2b2_b2b2_3333_b2b2,
    0xb3b3_b3b3_4444_b3b3,
    0xb4b4_b4b4_5555_b4b4,
    0xb5b5_b5b5_6666_b5b5,
    0,
    0,
    0,
    0xffff,
    0,
    0,
];

/// Whether XINUSE reports clean upper halves. Some emulators always report them in use.
static TRACKED: LazyLock<bool> = LazyLock::new(|| {
    #[allow(unused_unsafe)] // compilers since 1.89 differ
    // SAFETY: a CPU with AVX has this leaf.
    let xgetbv = || unsafe { __cpuid_count(0xd, 1).eax & 4 != 0 };
    if !is_x86_feature_detected!("avx") || !xgetbv() {
        return false;
    }
    let used: u32;
    // SAFETY: the CPU supports AVX and XGETBV with ECX = 1.
    unsafe { asm!("vzeroupper", "xgetbv", in("ecx") 1, out("eax") used, out("edx") _, clobber_abi("C")) };
    used & 0x44 == 0
});

/// Passes, with the treatment of the upper halves before a call. 0: unchanged; 1: cleared, and
/// XINUSE is checked; 2, 3: filled with ones up to 256 or 512 bits.
pub fn passes() -> Vec<(&'static str, u64)> {
    let bits = match () {
        _ if is_x86_feature_detected!("avx512bw") => 3,
        _ if is_x86_feature_detected!("avx") => 2,
        _ => 0,
    };
    let mut list = vec![("upper halves filled with ones", bits)];
    if *TRACKED {
        list.push(("upper halves clean", 1));
    }
    list
}

#[allow(named_asm_labels)] // the slot makes them unique
#[unsafe(naked)]
unsafe extern "C" fn trampoline<const SLOT: usize>() {
    naked_asm!(
        // Save the caller's registers, switch stacks and copy the stack arguments.
        ".irp r, rbx, rbp, r12, r13, r14, r15",
        r"push \r",
        ".endr",
        "lea r11, [rip + {state}]",
        "mov [r11 + {caller}], rsp",
        "mov rbx, rsp",
        "mov rsp, [r11 + {top}]",
        "mov rax, [r11 + {stack_words}]",
        ".Lchecked_copy_{slot}:",
        "dec rax",
        "js .Lchecked_copied_{slot}",
        "mov r10, [rbx + 8*rax + 56]",
        "and r10, [r11 + 8*rax + {stack_keep}]",
        "or r10, [r11 + 8*rax + {stack_set}]",
        "mov [rsp + 8*rax], r10",
        "jmp .Lchecked_copy_{slot}",
        ".Lchecked_copied_{slot}:",
        "mov [r11 + {expected} + 48], rsp",
        "stmxcsr [r11 + {expected} + 56]",
        "fnstcw [r11 + {expected} + 64]",
        // Clear the bits that a change takes away, then set all bits that carry no argument.
        "and rdi, [r11 + {keep}]",
        "and rsi, [r11 + {keep} + 8]",
        "and rdx, [r11 + {keep} + 16]",
        "and rcx, [r11 + {keep} + 24]",
        "and r8, [r11 + {keep} + 32]",
        "and r9, [r11 + {keep} + 40]",
        "or rdi, [r11 + {integer}]",
        "or rsi, [r11 + {integer} + 8]",
        "or rdx, [r11 + {integer} + 16]",
        "or rcx, [r11 + {integer} + 24]",
        "or r8, [r11 + {integer} + 32]",
        "or r9, [r11 + {integer} + 40]",
        ".irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
        r"orps xmm\i, [r11 + {vector} + 16*\i]",
        ".endr",
        "cmp dword ptr [r11 + {mode}], 1",
        "jb .Lchecked_call_{slot}",
        "je .Lchecked_clean_{slot}",
        ".irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
        r"vinsertf128 ymm\i, ymm\i, [r11 + {vector} + 128], 1",
        ".endr",
        "cmp dword ptr [r11 + {mode}], 2",
        "je .Lchecked_call_{slot}",
        ".irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
        r"vinsertf64x4 zmm\i, zmm\i, [r11 + {vector} + 128], 1",
        ".endr",
        ".irp i, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31",
        r"vpternlogd zmm\i, zmm\i, zmm\i, 255",
        ".endr",
        ".irp i, 0, 1, 2, 3, 4, 5, 6, 7",
        r"kxnorq k\i, k\i, k\i",
        ".endr",
        "jmp .Lchecked_call_{slot}",
        ".Lchecked_clean_{slot}:",
        "vzeroupper",
        // Write patterns to the callee-saved registers, then call.
        ".Lchecked_call_{slot}:",
        "mov rbx, [r11 + {expected}]",
        "mov rbp, [r11 + {expected} + 8]",
        "mov r12, [r11 + {expected} + 16]",
        "mov r13, [r11 + {expected} + 24]",
        "mov r14, [r11 + {expected} + 32]",
        "mov r15, [r11 + {expected} + 40]",
        "mov rax, -1",
        "mov r10, -1",
        "mov r11, -1",
        "call qword ptr [rip + {state} + {function}]",
        // Record the registers, then restore the state that the caller relies on.
        "lea r11, [rip + {state}]",
        "mov [r11 + {found}], rbx",
        "mov [r11 + {found} + 8], rbp",
        "mov [r11 + {found} + 16], r12",
        "mov [r11 + {found} + 24], r13",
        "mov [r11 + {found} + 32], r14",
        "mov [r11 + {found} + 40], r15",
        "mov [r11 + {found} + 48], rsp",
        "mov rsp, [r11 + {caller}]",
        "stmxcsr [r11 + {found} + 56]",
        "ldmxcsr [r11 + {expected} + 56]",
        "fnstcw [r11 + {found} + 64]",
        "fnstenv [rsp - 32]",
        "movzx r10d, word ptr [rsp - 24]",
        "mov [r11 + {found} + 72], r10",
        "fninit",
        "fldcw [r11 + {expected} + 64]",
        "pushfq",
        "pop [r11 + {found} + 80]",
        "cld",
        "cmp dword ptr [r11 + {mode}], 1",
        "jb .Lchecked_frame_{slot}",
        "ja .Lchecked_upper_{slot}",
        "mov r8, rax",
        "mov r9, rdx",
        "mov ecx, 1",
        "xgetbv",
        "mov [r11 + {found} + 88], eax",
        "mov rax, r8",
        "mov rdx, r9",
        ".Lchecked_upper_{slot}:",
        "vzeroupper",
        ".Lchecked_frame_{slot}:",
        "push rax",
        "push rdx",
        "sub rsp, 40",
        "movups [rsp], xmm0",
        "movups [rsp + 16], xmm1",
        "call {note}",
        "movups xmm0, [rsp]",
        "movups xmm1, [rsp + 16]",
        "add rsp, 40",
        "pop rdx",
        "pop rax",
        ".irp r, r15, r14, r13, r12, rbp, rbx",
        r"pop \r",
        ".endr",
        "ret",
        slot = const SLOT,
        state = sym super::STATES,
        function = const of_slot(SLOT, offset_of!(State, function)),
        note = sym note::<SLOT>,
        stack_words = const of_slot(SLOT, offset_of!(State, stack_words)),
        mode = const of_slot(SLOT, offset_of!(State, mode)),
        top = const of_slot(SLOT, offset_of!(State, top)),
        caller = const of_slot(SLOT, offset_of!(State, caller)),
        expected = const of_slot(SLOT, offset_of!(State, expected)),
        found = const of_slot(SLOT, offset_of!(State, found)),
        integer = const of_slot(SLOT, offset_of!(State, integer)),
        keep = const of_slot(SLOT, offset_of!(State, keep)),
        stack_keep = const of_slot(SLOT, offset_of!(State, stack_keep)),
        stack_set = const of_slot(SLOT, offset_of!(State, stack_set)),
        vector = const of_slot(SLOT, offset_of!(State, vector)),
    )
}
