//! What products share before they begin: the check of their shapes, and memory for packed operands.

use core::mem::MaybeUninit;

use crate::frame::error::{Error, at_least, exactly};
use crate::frame::memory;

/// The shapes of A, B and C as one [m, n, k].
#[inline]
pub(super) fn shape([a, b, c]: [(usize, usize); 3]) -> Result<[usize; 3], Error> {
    exactly("rows of b", a.1, b.0)?;
    exactly("rows of c", a.0, c.0)?;
    exactly("columns of c", b.1, c.1)?;
    Ok([a.0, b.1, a.1])
}

/// Calls `run` with `needed` bytes from the caller, the stack or the heap.
#[inline]
pub(super) fn with_workspace(needed: usize, given: Option<&mut [u8]>, run: impl FnOnce(*mut u8)) -> Result<(), Error> {
    match given {
        _ if needed == 0 => run(core::ptr::dangling_mut()),
        Some(workspace) => {
            at_least("workspace", needed, workspace.len())?;
            run(workspace.as_mut_ptr());
        }
        None => return allocated(needed, run),
    }
    Ok(())
}

#[inline(never)]
fn allocated(needed: usize, run: impl FnOnce(*mut u8)) -> Result<(), Error> {
    const STACK: usize = 64 << 10;
    if needed <= STACK {
        let mut workspace = MaybeUninit::<[u8; STACK]>::uninit();
        run(workspace.as_mut_ptr().cast());
    } else {
        let mut workspace = memory::with_capacity::<u8>(needed)?;
        run(workspace.as_mut_ptr());
    }
    Ok(())
}
