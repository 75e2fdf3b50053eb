//! What every variant must pass: the reference's bits, through the call checker, on guarded memory.
#![allow(dead_code)] // each test binary uses a part of it

pub mod abi;
pub mod cases;
pub mod guard;

use hotloops::isa::{self, Isa};
use hotloops::kernel::Kernel;

/// Runs a kernel's case against every variant that this CPU can execute.
///
/// `case(reference, subject)` calls both with the same arguments and asserts equal results; `subject` is the variant behind
/// the call checker. `HOTLOOPS_TEST_ISA` names the one instruction set whose variants run, and which this CPU must have: a slow
/// emulator need not repeat what was tested elsewhere.
pub fn check<F: Copy>(kernel: &Kernel<F>, case: fn(F, F)) {
    let reference = kernel.variants.last().expect("a reference row");
    assert_eq!(reference.to_string(), "scalar_reference");
    let only = std::env::var("HOTLOOPS_TEST_ISA").ok().map(|word| Isa::from_word(word.as_bytes()).expect(&word));
    assert!(only.is_none_or(isa::detected), "this CPU lacks {only:?}");
    for variant in kernel.variants {
        if only.is_some_and(|isa| isa != variant.isa) {
            continue;
        }
        if !isa::detected(variant.isa) {
            println!("{} {variant}: not run, this CPU lacks {}", kernel.symbol, variant.isa.word());
            continue;
        }
        println!("{} {variant}", kernel.symbol);
        abi::checked(variant.function, kernel.signature, |subject| case(reference.function, subject));
    }
}
