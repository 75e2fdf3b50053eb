//! The checks for every variant: the reference's bits, the call checker, guarded memory.
#![allow(dead_code)] // each test binary uses a part of it

pub mod abi;
#[path = "../assembly/mod.rs"]
mod assembly;
pub mod cases;
#[cfg(all(target_os = "linux", target_pointer_width = "64", not(miri)))]
mod child;
pub mod guard;
pub mod lengths;
pub mod rng;
#[cfg(all(target_os = "linux", target_pointer_width = "64", not(miri)))]
pub mod room;
#[cfg(all(target_os = "linux", target_pointer_width = "64", not(miri)))]
pub mod sizes;

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::LazyLock;

use hotloops::isa::{self, Isa};
use hotloops::kernel::{Form, Kernel, Variant};

/// Runs a kernel's case against every variant that this CPU can execute.
///
/// `case(reference, subject)` calls both with the same arguments and asserts equal results;
/// `subject` is the variant behind the call checker. `HOTLOOPS_TEST_ISA` restricts the run to the
/// variants of one instruction set, which this CPU must have. This saves time in slow emulators.
/// `HOTLOOPS_SEED` repeats the random lengths of a run.
pub fn check<F: Copy>(kernel: &Kernel<F>, case: fn(F, F)) {
    let reference = kernel.variants.last().expect("a reference row");
    assert_eq!(reference.to_string(), "scalar_reference");
    println!("HOTLOOPS_SEED={}", lengths::seed());
    RESULTS.take();
    for variant in variants(kernel) {
        println!("{} {variant}", kernel.symbol);
        REFERENCE.set(variant.form == Form::Reference);
        abi::checked(variant.function, kernel.signature, by_hand(kernel, variant), |subject| {
            NEXT.set(0);
            case(reference.function, subject);
            RESULTS.with_borrow(|results| assert_eq!(NEXT.get(), results.len(), "runs of the case differ"));
        });
    }
}

/// The variants that this CPU can execute and `HOTLOOPS_TEST_ISA` selects.
fn variants<F: Copy>(kernel: &Kernel<F>) -> impl Iterator<Item = &Variant<F>> {
    let only = std::env::var("HOTLOOPS_TEST_ISA").ok().map(|word| Isa::from_word(word.as_bytes()).expect(&word));
    assert!(only.is_none_or(isa::detected), "this CPU lacks {only:?}");
    kernel.variants.iter().filter(move |variant| {
        if only.is_some_and(|isa| isa != variant.isa) {
            return false;
        }
        let detected = isa::detected(variant.isa);
        if !detected {
            println!("{} {variant}: not run, this CPU lacks {}", kernel.symbol, variant.isa.word());
        }
        detected
    })
}

/// What the call checker must know of a function written in assembly.
fn by_hand<F>(kernel: &Kernel<F>, variant: &Variant<F>) -> Option<abi::ByHand> {
    (variant.form == Form::Assembly).then(|| abi::ByHand { stack: declared_stack(kernel, variant.isa) })
}

thread_local! {
    /// The results of [`once`] in a run of the case, and the index of the next one.
    static RESULTS: RefCell<Vec<Rc<dyn Any>>> = RefCell::default();
    static NEXT: Cell<usize> = const { Cell::new(0) };
}

/// The result of `compute`, which the first run of a case computes and stores for all variants and
/// passes.
///
/// `compute` must not change what the rest of the case reads, such as a random generator: later
/// runs skip it. Every run of a case must make the same calls in the same order.
pub fn once<T: 'static>(compute: impl FnOnce() -> T) -> Rc<T> {
    let index = NEXT.replace(NEXT.get() + 1);
    let stored = RESULTS.with_borrow(|results| results.get(index).cloned());
    let result = stored.unwrap_or_else(|| {
        let result: Rc<dyn Any> = Rc::new(compute());
        RESULTS.with_borrow_mut(|results| results.push(result.clone()));
        result
    });
    result.downcast().unwrap_or_else(|_| panic!("runs of the case differ"))
}

thread_local! {
    static REFERENCE: Cell<bool> = const { Cell::new(false) };
}

/// Whether the subject is the reference itself, which is slow for the largest cases.
pub fn is_reference() -> bool {
    REFERENCE.get()
}

/// Bytes of stack that the banner of an assembly function declares. Without sources, as in some
/// emulators, returns the maximum.
fn declared_stack<F>(kernel: &Kernel<F>, isa: Isa) -> usize {
    static SOURCES: LazyLock<Vec<assembly::Source>> = LazyLock::new(assembly::sources);
    let sources = &*SOURCES;
    if sources.is_empty() {
        return abi::LARGEST_STACK;
    }
    let symbol = format!("{}_{}", kernel.symbol, isa.word());
    let function = sources.iter().flat_map(|source| &source.functions).find(|function| function.symbol == symbol);
    function.unwrap_or_else(|| panic!("no file defines {symbol}")).stack()
}
