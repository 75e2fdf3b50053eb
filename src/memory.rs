//! Vectors whose allocation may fail.

use alloc::vec::Vec;

use crate::Error;

/// An empty vector that can take `capacity` values without allocating again.
pub(crate) fn with_capacity<T>(capacity: usize) -> Result<Vec<T>, Error> {
    let mut values = Vec::new();
    values.try_reserve_exact(capacity).map_err(|_| Error::NoMemory)?;
    Ok(values)
}

/// `len` times the same value.
pub(crate) fn filled<T: Clone>(len: usize, value: T) -> Result<Vec<T>, Error> {
    let mut values = with_capacity(len)?;
    values.resize(len, value);
    Ok(values)
}

/// What an iterator gives.
pub(crate) fn collected<T>(values: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>, Error> {
    let mut all = with_capacity(values.len())?;
    all.extend(values);
    Ok(all)
}

/// Adds a value.
pub(crate) fn push<T>(values: &mut Vec<T>, value: T) -> Result<(), Error> {
    values.try_reserve(1).map_err(|_| Error::NoMemory)?;
    values.push(value);
    Ok(())
}
