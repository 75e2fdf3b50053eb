//! The choice of a row, and the levels in force that it depends on: a word for each kernel and one for all, no lock.
//!
//! [`Choice::chosen`] and [`Cap::set`] may run at the same time. A choice is stored and reset by exchanges, which come one after the
//! other: either the reset is later, or the look at the cap that follows the choice sees the cap that was set. Until that look, which
//! a thread in its first call makes at once, other threads may run the row that it chose before. `tests/model/` includes this file
//! with the atomics of a model checker and tries every order.

use crate::atomic::Ordering::{Relaxed, SeqCst};
use crate::atomic::{AtomicU32, AtomicUsize};

/// The index of the chosen row plus one; 0 while none is chosen.
///
/// An index instead of a function pointer: no transmute, and a torn or stale read is impossible.
#[derive(Debug)]
pub struct Choice(pub(crate) AtomicUsize);

impl Choice {
    /// The index of the row in force, `best` of the levels in force where none is chosen.
    #[inline(always)]
    pub(crate) fn chosen(&self, in_force: impl Fn() -> u32, best: impl Fn(u32) -> usize) -> usize {
        match self.0.load(Relaxed) {
            0 => self.choose(in_force, best),
            row => row - 1,
        }
    }

    /// Racing threads store the same index. If the cap changed meanwhile, look again.
    #[cold]
    fn choose(&self, in_force: impl Fn() -> u32, best: impl Fn(u32) -> usize) -> usize {
        loop {
            let levels = in_force();
            let row = best(levels);
            self.0.swap(row + 1, SeqCst);
            if in_force() == levels {
                return row;
            }
        }
    }
}

/// Bit set of the levels in force; 0 until first asked for.
#[derive(Debug)]
pub(crate) struct Cap(pub(crate) AtomicU32);

impl Cap {
    /// The levels in force, at first those that `initial` gives; a load sees what [`Cap::set`] stored before it.
    pub(crate) fn in_force(&self, initial: impl FnOnce() -> u32) -> u32 {
        match self.0.load(SeqCst) {
            0 => {
                let levels = initial();
                // A `set` on another thread comes first.
                match self.0.compare_exchange(0, levels, SeqCst, SeqCst) {
                    Ok(_) => levels,
                    Err(newer) => newer,
                }
            }
            levels => levels,
        }
    }

    /// Changes the levels, and then forgets the choices.
    pub(crate) fn set<'a>(&self, levels: u32, choices: impl Iterator<Item = &'a Choice>) {
        self.0.swap(levels, SeqCst);
        for choice in choices {
            choice.0.swap(0, SeqCst);
        }
    }
}
