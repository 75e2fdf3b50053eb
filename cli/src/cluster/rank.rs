//! The rank of this process, for messages.

use std::sync::atomic::{AtomicUsize, Ordering};

/// 0 in a process without others.
static RANK: AtomicUsize = AtomicUsize::new(0);

pub fn set(rank: usize) {
    RANK.store(rank, Ordering::Relaxed);
}

/// Whether this process reports what all ranks find, such as a note about the input.
pub fn speaks() -> bool {
    RANK.load(Ordering::Relaxed) == 0
}

/// Lets this process report. Returns its rank until now.
pub fn become_first() -> usize {
    RANK.swap(0, Ordering::Relaxed)
}
