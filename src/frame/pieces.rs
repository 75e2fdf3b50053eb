//! Long work in pieces, between which the caller can end it.

use alloc::vec::Vec;
use core::cell::{Cell, RefCell};
use core::ops::Range;

use crate::frame::error::Error;
use crate::frame::memory;

/// Steps of a piece, of some nanoseconds each.
const PIECE: usize = 1 << 16;

/// Why work did not end with a result.
#[derive(Debug)]
pub(crate) enum Ended {
    ByCaller,
    Failed(Error),
}

impl From<Error> for Ended {
    fn from(error: Error) -> Self {
        Ended::Failed(error)
    }
}

/// The result of a function that returns `None` if the caller has ended it.
pub(crate) fn unless_ended<T>(result: Result<T, Ended>) -> Result<Option<T>, Error> {
    match result {
        Ok(result) => Ok(Some(result)),
        Err(Ended::ByCaller) => Ok(None),
        Err(Ended::Failed(error)) => Err(error),
    }
}

/// Runs work that its caller never ends.
pub(crate) fn whole<T>(work: impl FnOnce(&mut Pieces) -> Result<T, Ended>) -> Result<T, Error> {
    // `None` follows only a false.
    unless_ended(work(&mut Pieces::new(&mut || true)))?.ok_or(Error::NoMemory)
}

/// Asks the caller before each piece whether to go on.
pub(crate) struct Pieces<'a> {
    go_on: RefCell<&'a mut dyn FnMut() -> bool>,
    /// Steps left of this piece.
    left: Cell<usize>,
}

impl<'a> Pieces<'a> {
    pub fn new(go_on: &'a mut dyn FnMut() -> bool) -> Self {
        Pieces { go_on: RefCell::new(go_on), left: Cell::new(0) }
    }

    /// Asks for a piece of unknown length.
    #[inline]
    pub fn next(&self) -> Result<(), Ended> {
        self.before(PIECE)
    }

    /// Counts steps that follow.
    #[inline]
    pub fn before(&self, steps: usize) -> Result<(), Ended> {
        if let Some(left) = self.left.get().checked_sub(steps) {
            self.left.set(left);
            return Ok(());
        }
        self.left.set(PIECE.saturating_sub(steps));
        if (self.go_on.borrow_mut())() { Ok(()) } else { Err(Ended::ByCaller) }
    }

    /// Calls `f` for pieces of `0..len`, in order.
    #[inline]
    pub fn each(&self, len: usize, mut f: impl FnMut(Range<usize>)) -> Result<(), Ended> {
        for start in (0..len).step_by(PIECE) {
            let piece = start..len.min(start + PIECE);
            self.before(piece.len())?;
            f(piece);
        }
        Ok(())
    }

    /// A vector of `f(i)` for each i below `len`.
    #[inline]
    pub fn collected<T>(&self, len: usize, f: impl Fn(usize) -> T) -> Result<Vec<T>, Ended> {
        let mut all = memory::with_capacity(len)?;
        self.each(len, |piece| all.extend(piece.map(&f)))?;
        Ok(all)
    }

    /// The items by ascending keys below `keys`; those of one key keep their order.
    pub fn sorted<T: Copy>(&self, items: &[T], keys: usize, key: impl Fn(&T) -> usize) -> Result<Vec<T>, Ended> {
        let Some(&first) = items.first() else { return Ok(Vec::new()) };
        let mut next = self.filled(keys + 1, 0)?;
        self.each(items.len(), |piece| items[piece].iter().for_each(|item| next[key(item) + 1] += 1))?;
        self.each(keys, |piece| piece.for_each(|key| next[key + 1] += next[key]))?;
        let mut sorted = self.filled(items.len(), first)?;
        self.each(items.len(), |piece| {
            for item in &items[piece] {
                let place = &mut next[key(item)];
                sorted[*place] = *item;
                *place += 1;
            }
        })?;
        Ok(sorted)
    }

    /// A vector of `len` copies of a value.
    pub fn filled<T: Clone>(&self, len: usize, value: T) -> Result<Vec<T>, Ended> {
        let mut all = memory::with_capacity(len)?;
        self.each(len, |piece| all.resize(piece.end, value.clone()))?;
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_sorted_as_by_the_standard_library() {
        let mut go_on = || true;
        let pieces = Pieces::new(&mut go_on);
        for len in [0, 1, 2, 1000, 200_000] {
            let items: Vec<(usize, usize)> = (0..len).map(|i| (i * 7919 % 101, i)).collect();
            let mut expected = items.clone();
            expected.sort_by_key(|item| item.0);
            assert_eq!(pieces.sorted(&items, 101, |item| item.0).unwrap(), expected);
        }
    }
}
