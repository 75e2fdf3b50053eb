//! A pool with one object for each device, which threads borrow.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One object for each device, each for one thread at a time.
pub struct Shared<T> {
    all: Vec<Mutex<T>>,
    /// Counts the calls.
    calls: AtomicUsize,
}

impl<T> Shared<T> {
    /// None without any.
    pub fn new(all: impl IntoIterator<Item = T>) -> Option<Self> {
        let all: Vec<_> = all.into_iter().map(Mutex::new).collect();
        if all.is_empty() { None } else { Some(Shared { all, calls: AtomicUsize::new(0) }) }
    }

    /// One that no thread uses, or else the next one in turn, after its other user.
    pub fn free(&self) -> MutexGuard<'_, T> {
        let next = self.calls.fetch_add(1, Ordering::Relaxed) % self.all.len();
        let (before, from) = self.all.split_at(next);
        let free = from.iter().chain(before).find_map(|one| one.try_lock().ok());
        free.unwrap_or_else(|| self.all[next].lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<T> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} devices", self.all.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_used() {
        assert!(Shared::<u8>::new([]).is_none());
        let shared = Shared::new([0, 0, 0]).unwrap();
        let mut held: Vec<_> = (0..3).map(|_| shared.free()).collect();
        held.iter_mut().for_each(|one| **one += 1);
        drop(held);
        // In turn, though all are free.
        (0..3).for_each(|_| *shared.free() += 1);
        assert!(shared.all.iter().all(|one| *one.lock().unwrap() == 2));
    }
}
