//! Instruction-set levels: which exist, which this CPU has, and which are in force.
//!
//! Every call runs the best row that the CPU and the cap allow and that no fact skips. The cap comes from
//! the environment variable `HOTLOOPS_ISA`, read once, or from [`set`]. Without the feature `libc`, the variable is not
//! read. A row stays usable under a cap if the bundle of the cap includes its bundle of features:
//! `HOTLOOPS_ISA=avx2` leaves `avx2`, `sse2` and `scalar`. An unknown word, or one that this CPU does
//! not support, ends the process with the list of valid words: a silent fallback would measure or test
//! the wrong code. On Linux, a program that runs with raised privileges (setuid, setgid, file
//! capabilities) ignores the variable.
//! Where CPUs with the same instruction sets disagree on the fastest row, a [`Fact`] of the CPU decides: a
//! call skips the rows that name it, whatever the cap.
//! [The guide](crate::guide::isa) lists the words and shows how to call one variant.
//!
//! ```
//! use hotloops::isa::{self, Isa};
//! isa::set(Isa::scalar)?;
//! assert_eq!(isa::active(), Isa::scalar);
//! # Ok::<(), hotloops::Error>(())
//! ```

use crate::frame::choice::Cap;
use crate::frame::error::Error;
pub(crate) use crate::frame::level::*;
pub use crate::frame::level::{Fact, Isa};
use crate::math::atomic::AtomicU32;

impl Isa {
    /// The level named `word`; the match is exact.
    ///
    /// # Errors
    /// [`Error::IsaUnknown`] if there is none.
    pub fn from_word(word: &[u8]) -> Result<Isa, Error> {
        let known = |isa: &&Isa| isa.word().as_bytes() == word;
        Isa::ALL.iter().find(known).copied().ok_or(Error::IsaUnknown)
    }
}

/// The word of `hl_isa_set` that stands for [`reset`].
pub(crate) const AUTO: &[u8] = b"auto";

static CAP: Cap = Cap(AtomicU32::new(0));

/// Whether this CPU and operating system support `isa`.
#[must_use]
pub fn detected(isa: Isa) -> bool {
    detect() & 1 << isa as u32 != 0
}

/// Whether `fact` holds for this CPU: then calls skip the rows of kernels that name it.
///
/// ```
/// use hotloops::isa::{self, Fact};
/// let facts: Vec<_> = Fact::ALL.iter().filter(|fact| isa::holds(**fact)).map(|fact| fact.word()).collect();
/// println!("{facts:?}"); // ["narrow_512", "gfni"] on Zen 4
/// ```
#[must_use]
pub fn holds(fact: Fact) -> bool {
    facts() & fact.bit() != 0
}

/// Whether rows of `isa` may run: this CPU supports it, and the cap includes it.
#[must_use]
pub fn usable(isa: Isa) -> bool {
    in_force() & 1 << isa as u32 != 0
}

/// The best level in force.
#[must_use]
pub fn active() -> Isa {
    Isa::ALL.iter().rfind(|&&isa| usable(isa)).copied().unwrap_or(Isa::scalar)
}

/// Caps every kernel at `isa` from the next call on. Overrides `HOTLOOPS_ISA`.
///
/// Safe to call at any time. A thread inside a kernel finishes with the row that it started, and a
/// concurrent call may still use the old cap. Results do not depend on the level, with one exception:
/// [`matmul`](crate::matmul#exactness) under `sse2`.
///
/// # Errors
/// [`Error::IsaUnavailable`] if this CPU does not support `isa`; nothing changes then.
pub fn set(isa: Isa) -> Result<(), Error> {
    if !detected(isa) {
        return Err(Error::IsaUnavailable { isa });
    }
    CAP.set(detect() & isa.includes());
    Ok(())
}

/// Removes the cap of [`set`]: kernels run the best row that the CPU and `HOTLOOPS_ISA` allow.
///
/// ```
/// use hotloops::isa::{self, Isa};
/// let at_start = isa::active();
/// isa::set(Isa::scalar)?;
/// isa::reset();
/// assert_eq!(isa::active(), at_start);
/// # Ok::<(), hotloops::Error>(())
/// ```
pub fn reset() {
    CAP.set(allowed());
}

/// Bit set of the levels in force; 0 until they are first queried or set.
#[inline(always)]
pub(crate) fn cap() -> u32 {
    CAP.known()
}

/// Bit set of the levels in force.
pub(crate) fn in_force() -> u32 {
    CAP.in_force(allowed)
}

/// Bit set of the levels that this CPU has and `HOTLOOPS_ISA` allows.
fn allowed() -> u32 {
    #[cfg(feature = "libc")]
    let requested = crate::frame::environment::requested();
    #[cfg(not(feature = "libc"))]
    let requested: Option<Isa> = None;
    detect() & requested.map_or(!0, Isa::includes)
}
