//! Long work in pieces, between which the caller can end it.

use alloc::vec::Vec;
use core::ops::Range;

use crate::error::Error;
use crate::memory;

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
    go_on: &'a mut dyn FnMut() -> bool,
    /// Steps left of this piece.
    left: usize,
}

impl<'a> Pieces<'a> {
    pub fn new(go_on: &'a mut dyn FnMut() -> bool) -> Self {
        Pieces { go_on, left: 0 }
    }

    /// Asks for a piece of unknown length.
    #[inline]
    pub fn next(&mut self) -> Result<(), Ended> {
        self.before(PIECE)
    }

    /// Counts steps that follow.
    #[inline]
    pub fn before(&mut self, steps: usize) -> Result<(), Ended> {
        if steps <= self.left {
            self.left -= steps;
            return Ok(());
        }
        self.left = PIECE.saturating_sub(steps);
        if (self.go_on)() { Ok(()) } else { Err(Ended::ByCaller) }
    }

    /// Calls `f` for pieces of `0..len`, in order.
    #[inline]
    pub fn each(&mut self, len: usize, mut f: impl FnMut(Range<usize>)) -> Result<(), Ended> {
        for start in (0..len).step_by(PIECE) {
            let piece = start..len.min(start + PIECE);
            self.before(piece.len())?;
            f(piece);
        }
        Ok(())
    }

    /// A vector of `f(i)` for each i below `len`.
    #[inline]
    pub fn collected<T>(&mut self, len: usize, f: impl Fn(usize) -> T) -> Result<Vec<T>, Ended> {
        let mut all = memory::with_capacity(len)?;
        self.each(len, |piece| all.extend(piece.map(&f)))?;
        Ok(all)
    }

    /// A vector of `len` copies of a value.
    pub fn filled<T: Clone>(&mut self, len: usize, value: T) -> Result<Vec<T>, Ended> {
        let mut all = memory::with_capacity(len)?;
        self.each(len, |piece| all.resize(piece.end, value.clone()))?;
        Ok(all)
    }
}
