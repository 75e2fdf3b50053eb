//! The trampoline for the AAPCS64 on AArch64. x18 is the platform register. On Linux, where
//! compilers may use it, the trampoline writes a pattern to it; elsewhere it is only compared.

use super::{SLOTS, State, note, of_slot};
use std::arch::naked_asm;
use std::mem::offset_of;

pub const INTEGER_ARGUMENTS: usize = 8;
/// Bytes that the call instruction pushes below the stack pointer.
pub const BELOW: usize = 0;
pub const TRAMPOLINES: [Option<unsafe extern "C" fn()>; SLOTS] =
    [Some(trampoline::<0>), Some(trampoline::<1>), Some(trampoline::<2>), Some(trampoline::<3>)];

/// The registers that a call preserves, and a mask of the preserved bits.
pub const KEPT: [(&str, u64); 22] = {
    let names = [
        "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "d8", "d9", "d10", "d11", "d12",
        "d13", "d14", "d15", "sp", "fpcr", "x18",
    ];
    let mut kept = [("", u64::MAX); 22];
    let mut i = 0;
    while i < kept.len() {
        kept[i].0 = names[i];
        i += 1;
    }
    kept
};

pub const EXPECTED: [u64; 22] = {
    let mut expected = [0; 22];
    expected[21] = 0xbebe_bebe_2222_bebe;
    let mut i = 0;
    while i < 19 {
        expected[i] = 0xb0b0_b0b0_1111_b0b0 + 0x0101_0101_1111_0101 * i as u64;
        i += 1;
    }
    expected
};

/// AArch64 has no upper halves to clear, so one pass is enough.
pub fn passes() -> Vec<(&'static str, u64)> {
    vec![("one pass", 0)]
}

#[cfg(target_vendor = "apple")]
macro_rules! state_in_x16 {
    () => {
        "adrp x16, {state}@PAGE\nadd x16, x16, {state}@PAGEOFF"
    };
}
#[cfg(not(target_vendor = "apple"))]
macro_rules! state_in_x16 {
    () => {
        "adrp x16, {state}\nadd x16, x16, :lo12:{state}"
    };
}

#[cfg(target_os = "linux")]
macro_rules! x18_before {
    () => {
        "ldr x18, [x16, #({expected} + 168)]"
    };
}
#[cfg(not(target_os = "linux"))]
macro_rules! x18_before {
    () => {
        "str x18, [x16, #({expected} + 168)]"
    };
}

#[allow(named_asm_labels)] // the slot makes them unique
#[unsafe(naked)]
unsafe extern "C" fn trampoline<const SLOT: usize>() {
    naked_asm!(
        // Save the caller's registers, switch stacks and copy the stack arguments.
        "stp x29, x30, [sp, #-160]!",
        "stp x19, x20, [sp, #16]",
        "stp x21, x22, [sp, #32]",
        "stp x23, x24, [sp, #48]",
        "stp x25, x26, [sp, #64]",
        "stp x27, x28, [sp, #80]",
        "stp d8, d9, [sp, #96]",
        "stp d10, d11, [sp, #112]",
        "stp d12, d13, [sp, #128]",
        "stp d14, d15, [sp, #144]",
        state_in_x16!(),
        "mov x10, sp",
        "str x10, [x16, #{caller}]",
        "ldr x17, [x16, #{top}]",
        "mov sp, x17",
        "ldr x17, [x16, #{stack_words}]",
        "add x10, x10, #160",
        ".Lchecked_copy_{slot}:",
        "subs x17, x17, #1",
        "b.mi .Lchecked_copied_{slot}",
        "ldr x9, [x10, x17, lsl #3]",
        "add x11, x16, x17, lsl #3",
        "ldr x12, [x11, #{stack_keep}]",
        "and x9, x9, x12",
        "ldr x12, [x11, #{stack_set}]",
        "orr x9, x9, x12",
        "str x9, [sp, x17, lsl #3]",
        "b .Lchecked_copy_{slot}",
        ".Lchecked_copied_{slot}:",
        "mov x17, sp",
        "str x17, [x16, #({expected} + 152)]",
        "mrs x17, fpcr",
        "str x17, [x16, #({expected} + 160)]",
        // Clear the bits that a change takes away, then set all bits that carry no argument.
        ".irp i, 0, 1, 2, 3, 4, 5, 6, 7",
        r"ldr x17, [x16, #({keep} + 8*\i)]",
        r"and x\i, x\i, x17",
        r"ldr x17, [x16, #({integer} + 8*\i)]",
        r"orr x\i, x\i, x17",
        r"ldr q31, [x16, #({vector} + 16*\i)]",
        r"orr v\i\().16b, v\i\().16b, v31.16b",
        ".endr",
        ".irp i, 8, 9, 10, 11, 12, 13, 14, 15",
        r"mov x\i, #-1",
        ".endr",
        ".irp i, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31",
        r"movi v\i\().16b, #255",
        ".endr",
        // Write patterns to the callee-saved registers, then call.
        ".irp i, 8, 9, 10, 11, 12, 13, 14, 15",
        r"ldr x17, [x16, #({expected} + 24 + 8*\i)]",
        r"mov v\i\().d[0], x17",
        ".endr",
        ".irp i, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29",
        r"ldr x\i, [x16, #({expected} - 152 + 8*\i)]",
        ".endr",
        x18_before!(),
        "ldr x17, [x16, #{function}]",
        "mov x16, #-1",
        "blr x17",
        // Record the registers, then restore the state that the caller relies on.
        state_in_x16!(),
        ".irp i, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29",
        r"str x\i, [x16, #({found} - 152 + 8*\i)]",
        ".endr",
        ".irp i, 8, 9, 10, 11, 12, 13, 14, 15",
        r"str d\i, [x16, #({found} + 24 + 8*\i)]",
        ".endr",
        "mov x17, sp",
        "str x17, [x16, #({found} + 152)]",
        "str x18, [x16, #({found} + 168)]",
        "ldr x17, [x16, #{caller}]",
        "mov sp, x17",
        "mrs x17, fpcr",
        "str x17, [x16, #({found} + 160)]",
        "ldr x17, [x16, #({expected} + 160)]",
        "msr fpcr, x17",
        "stp x0, x1, [sp, #-80]!",
        "stp q0, q1, [sp, #16]",
        "stp q2, q3, [sp, #48]",
        "bl {note}",
        "ldp q2, q3, [sp, #48]",
        "ldp q0, q1, [sp, #16]",
        "ldp x0, x1, [sp], #80",
        "ldp x19, x20, [sp, #16]",
        "ldp x21, x22, [sp, #32]",
        "ldp x23, x24, [sp, #48]",
        "ldp x25, x26, [sp, #64]",
        "ldp x27, x28, [sp, #80]",
        "ldp d8, d9, [sp, #96]",
        "ldp d10, d11, [sp, #112]",
        "ldp d12, d13, [sp, #128]",
        "ldp d14, d15, [sp, #144]",
        "ldp x29, x30, [sp], #160",
        "ret",
        slot = const SLOT,
        state = sym super::STATES,
        function = const of_slot(SLOT, offset_of!(State, function)),
        note = sym note::<SLOT>,
        stack_words = const of_slot(SLOT, offset_of!(State, stack_words)),
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
