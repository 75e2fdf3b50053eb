//! What every variant must pass: the reference's bits, through the call checker, on guarded memory.
#![allow(dead_code)] // each test binary uses a part of it

pub mod abi;
pub mod cases;
pub mod guard;

use hotloops::isa;
use hotloops::kernel::Kernel;

/// Runs a kernel's case against every variant that this CPU can execute.
///
/// `case(reference, subject)` calls both with the same arguments and asserts equal results; `subject` is the variant behind
/// the call checker. With `HOTLOOPS_TEST_ISA` set, only the variants of that instruction set run: the others are tested faster
/// elsewhere than on a slow emulator.
pub fn check<F: Copy>(kernel: &Kernel<F>, case: fn(F, F)) {
    let reference = kernel.variants.last().expect("a reference row");
    assert_eq!(reference.to_string(), "scalar_reference");
    let only = std::env::var("HOTLOOPS_TEST_ISA").ok();
    for variant in kernel.variants {
        if only.as_ref().is_some_and(|word| word != variant.isa.word()) {
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
