//! Memory of a call.

/// Uninitialised elements from the C allocator. BLAS has no error code: if there are none, the
/// process ends.
pub(super) struct Memory<T> {
    at: *mut T,
    len: usize,
}

impl<T: Copy> Memory<T> {
    pub(super) fn new(len: usize) -> Self {
        let bytes = len.saturating_mul(size_of::<T>()).max(1);
        // SAFETY: no precondition.
        let at = unsafe { libc::malloc(bytes) }.cast::<T>();
        if at.is_null() {
            // SAFETY: no precondition.
            unsafe { libc::abort() }
        }
        Memory { at, len }
    }

    /// Pointers to adjacent parts of these lengths.
    pub(super) fn split<const N: usize>(&self, lengths: [usize; N]) -> [*mut T; N] {
        let mut begin = 0;
        lengths.map(|length| {
            let part = self.at.wrapping_add(begin);
            begin += length;
            debug_assert!(begin <= self.len);
            part
        })
    }
}

impl<T> Drop for Memory<T> {
    fn drop(&mut self) {
        // SAFETY: the memory came from `malloc`.
        unsafe { libc::free(self.at.cast()) }
    }
}
