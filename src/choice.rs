//! The choice of a row and the cap that it depends on: one atomic word per kernel and one for the
//! cap, no lock.
//!
//! [`Choice::chosen`] and [`Cap::set`] may run concurrently. A choice is stored, and reset, by an
//! atomic exchange, so the two are ordered: either the reset comes later, or the thread that stored
//! the choice re-reads the cap afterwards and sees the new one. Until it re-reads the cap, other
//! threads may run the row that it stored. `tests/model/` includes this file with the atomics of a
//! model checker and tries every order.

use crate::atomic::Ordering::{Relaxed, SeqCst};
use crate::atomic::{AtomicU32, AtomicUsize};

/// The index of the chosen row plus one; 0 while none is chosen.
///
/// An index instead of a function pointer: no transmute, and a torn or stale read is impossible.
#[derive(Debug)]
pub struct Choice(pub(crate) AtomicUsize);

impl Choice {
    /// The index of the chosen row. If none is chosen yet, chooses the `best` row for the levels in
    /// force.
    #[inline(always)]
    pub(crate) fn chosen(&self, in_force: impl Fn() -> u32, best: impl Fn(u32) -> usize) -> usize {
        match self.known() {
            None => self.choose(in_force, best),
            Some(row) => row,
        }
    }

    /// The index of the chosen row, if one is chosen already.
    #[inline(always)]
    pub(crate) fn known(&self) -> Option<usize> {
        self.0.load(Relaxed).checked_sub(1)
    }

    /// Racing threads store the same index. If [`Cap::set`] changed the cap meanwhile, retry.
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

/// Bit set of the levels in force; 0 until first queried.
#[derive(Debug)]
pub(crate) struct Cap(pub(crate) AtomicU32);

impl Cap {
    /// The levels in force, initialised by `initial`.
    pub(crate) fn in_force(&self, initial: impl FnOnce() -> u32) -> u32 {
        match self.0.load(SeqCst) {
            0 => {
                let levels = initial();
                // A concurrent `set` takes precedence.
                match self.0.compare_exchange(0, levels, SeqCst, SeqCst) {
                    Ok(_) => levels,
                    Err(newer) => newer,
                }
            }
            levels => levels,
        }
    }

    /// Changes the levels, then resets the choices.
    pub(crate) fn set<'a>(&self, levels: u32, choices: impl Iterator<Item = &'a Choice>) {
        self.0.swap(levels, SeqCst);
        for choice in choices {
            choice.0.swap(0, SeqCst);
        }
    }
}
