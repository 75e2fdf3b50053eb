//! Vectors whose allocation may fail.

use alloc::vec::Vec;

use crate::frame::error::Error;

/// An empty vector that can take `capacity` values without allocating again.
pub(crate) fn with_capacity<T>(capacity: usize) -> Result<Vec<T>, Error> {
    let mut values = Vec::new();
    values.try_reserve_exact(capacity).map_err(|_| Error::NoMemory)?;
    Ok(values)
}

/// A vector of `len` copies of a value.
pub(crate) fn filled<T: Clone>(len: usize, value: T) -> Result<Vec<T>, Error> {
    let mut values = with_capacity(len)?;
    values.resize(len, value);
    Ok(values)
}

/// Collects an iterator.
pub(crate) fn collected<T>(values: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>, Error> {
    let mut all = with_capacity(values.len())?;
    all.extend(values);
    Ok(all)
}

/// Changes the length, filling with a value.
pub(crate) fn resize<T: Clone>(values: &mut Vec<T>, len: usize, value: T) -> Result<(), Error> {
    values.try_reserve(len.saturating_sub(values.len())).map_err(|_| Error::NoMemory)?;
    values.resize(len, value);
    Ok(())
}

/// Appends a value.
pub(crate) fn push<T>(values: &mut Vec<T>, value: T) -> Result<(), Error> {
    values.try_reserve(1).map_err(|_| Error::NoMemory)?;
    values.push(value);
    Ok(())
}
