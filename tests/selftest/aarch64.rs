//! Clean and faulty functions of this architecture.

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

/// Functions that write the given number of bytes below their caller's stack pointer.
pub fn diggers() -> Vec<(usize, Function)> {
    let list = functions! {
        "1" => "sturb wzr, [sp, #-1]";
        "16" => "str x0, [sp, #-16]!", "add sp, sp, #16";
        "128" => "sub x9, sp, #128", "str x0, [x9]";
        "4096" => "sub x9, sp, #4096", "str x0, [x9]";
        "8192" => "sub x9, sp, #4096", "strb w0, [x9]", "sub x9, sp, #8192", "strb w0, [x9]";
    };
    list.into_iter().map(|(bytes, function)| (bytes.parse().unwrap(), function)).collect()
}

/// Functions that touch a page of their frame before the one above it, and the bytes that they use.
pub fn skippers() -> Vec<(usize, Function)> {
    let list = functions! {
        "4160" => "sub x9, sp, #4096", "str x0, [x9, #-64]";
        "8192" => "sub x9, sp, #8192", "str x0, [x9]";
        "12288" => "sub x9, sp, #4096", "str x0, [x9]", "sub x9, sp, #12288", "str x0, [x9]";
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

/// Functions that return bits which no argument defines. The call checker sets those bits to ones.
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
