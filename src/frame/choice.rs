//! The cap, and the choice of a row under it: one atomic word each, no lock.
//!
//! A choice holds the levels that it was made for, and counts only while they are in force. So
//! [`Cap::set`] has nothing to reset, and a call that follows it never runs a row of the old cap.
//! `tests/model/` includes this file with the atomics of a model checker and tries every order.

use crate::math::atomic::AtomicU32;
use crate::math::atomic::Ordering::{Relaxed, SeqCst};

/// Levels in force, from bit 8, and the index of the row chosen for them, in bits 0 to 7.
#[derive(Debug)]
pub struct Choice(pub(crate) AtomicU32);

impl Choice {
    /// No choice: there are fewer than 24 levels.
    pub(crate) const NONE: u32 = !0;

    /// The index of the row chosen for `levels`, if there is one.
    #[inline(always)]
    pub(crate) fn known(&self, levels: u32) -> Option<usize> {
        let word = self.0.load(Relaxed);
        (word >> 8 == levels).then_some((word & 0xff) as usize)
    }

    /// Chooses row `index` for `levels`.
    pub(crate) fn choose(&self, levels: u32, index: usize) {
        self.0.store(levels << 8 | index as u32, Relaxed);
    }
}

/// Bit set of the levels in force; 0 until first queried.
#[derive(Debug)]
pub(crate) struct Cap(pub(crate) AtomicU32);

impl Cap {
    /// The levels in force, if they have been queried or set.
    #[inline(always)]
    pub(crate) fn known(&self) -> u32 {
        self.0.load(Relaxed)
    }

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

    /// Changes the levels. An exchange, so that it is ordered with that of the first query.
    pub(crate) fn set(&self, levels: u32) {
        self.0.swap(levels, SeqCst);
    }
}
