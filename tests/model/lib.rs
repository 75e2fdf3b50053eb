//! Model-checks the library's own code: threads call a kernel while another thread sets the cap.
//! All interleavings of two threads are tried, and those of three threads with up to three
//! preemptions.
#![cfg(test)]

use loom::sync::Arc;
use loom::sync::atomic::AtomicU32;
use loom::thread;

/// In place of the library's.
mod math {
    pub use loom::sync::atomic;
}

// The model does not use all visible items of the library.
#[path = "../../src/frame/choice.rs"]
mod choice;

use choice::{Cap, Choice};

/// Level k is bit k. Row i of a kernel needs level 2 - i; the last row, the reference, needs level
/// 0.
const ALL: u32 = 0b111;

fn best(levels: u32) -> usize {
    2 - levels.ilog2() as usize
}

struct Library {
    cap: Cap,
    kernels: [Choice; 2],
}

impl Library {
    fn new(levels: u32) -> Arc<Self> {
        let kernels = [0, 1].map(|_| Choice(AtomicU32::new(Choice::NONE)));
        Arc::new(Self { cap: Cap(AtomicU32::new(levels)), kernels })
    }

    /// The row that a call runs.
    fn call(&self, kernel: usize) -> usize {
        self.kernels[kernel].known(self.cap.known()).unwrap_or_else(|| {
            let levels = self.cap.in_force(|| ALL);
            self.kernels[kernel].choose(levels, best(levels));
            best(levels)
        })
    }
}

fn check(threads: usize, body: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = (threads > 2).then_some(3);
    builder.check(body);
}

/// Runs the threads in every order. Calls of `callers` may run any row, but later calls must run
/// the rows of the cap.
fn every_order(levels_before: u32, callers: usize) {
    check(callers + 1, move || {
        let library = Library::new(levels_before);
        let calls: Vec<_> = (0..callers)
            .map(|caller| {
                let library = library.clone();
                thread::spawn(move || {
                    let row = library.call(caller % 2);
                    assert!(row == best(ALL) || row == best(0b001), "row {row}");
                })
            })
            .collect();
        library.cap.set(0b001);
        for kernel in 0..2 {
            assert_eq!(library.call(kernel), best(0b001), "kernel {kernel}, after the cap was set");
        }
        calls.into_iter().for_each(|call| call.join().unwrap());
        for kernel in 0..2 {
            assert_eq!(library.call(kernel), best(0b001), "kernel {kernel}, when all is done");
        }
    });
}

#[test]
fn a_call_and_a_cap() {
    every_order(ALL, 1);
}

#[test]
fn a_first_call_and_a_cap() {
    every_order(0, 1);
}

#[test]
fn two_calls_and_a_cap() {
    every_order(ALL, 2);
}

#[test]
fn two_caps_and_a_call() {
    check(3, || {
        let library = Library::new(ALL);
        let other = library.clone();
        let cap = thread::spawn(move || other.cap.set(0b011));
        let other = library.clone();
        let call = thread::spawn(move || _ = other.call(0));
        library.cap.set(0b001);
        cap.join().unwrap();
        call.join().unwrap();
        let levels = library.cap.in_force(|| ALL);
        assert_eq!(library.call(0), best(levels), "levels {levels:#b}");
    });
}
