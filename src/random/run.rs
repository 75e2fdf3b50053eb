//! The walk over the state: a request falls into runs in which no index wraps.

use super::{AHEAD, ROWS};

/// A part of a request in which no index wraps. Its word `i` stands at `word + i`, the one after
/// that in its lane at `next + i`, the one that the twist mixes in at `partner + i`; its number
/// goes to `dst + i`. Words may be renewed in steps of up to 4 * 227 whose loads all come before
/// the stores: what a run reads ahead is old, and what it reads behind was renewed before the run
/// or 227 rows ago.
#[derive(Clone, Copy)]
pub(super) struct Run {
    pub(super) word: *mut u32,
    pub(super) next: *const u32,
    pub(super) partner: *const u32,
    pub(super) dst: *mut u32,
    pub(super) length: usize,
}

/// The runs of a request, in order.
pub(super) struct Runs {
    pub(super) state: *mut u32,
    pub(super) lanes: usize,
    pub(super) position: *mut usize,
    pub(super) dst: *mut u32,
    pub(super) n: usize,
}

impl Iterator for Runs {
    type Item = Run;

    #[inline(always)]
    fn next(&mut self) -> Option<Run> {
        if self.n == 0 {
            return None;
        }
        let Runs { state, lanes, position, dst, n } = *self;
        let (words, last, behind) = (ROWS * lanes, (ROWS - 1) * lanes, (ROWS - AHEAD) * lanes);
        // SAFETY: who makes `Runs` keeps the contract of the kernels; all indices are below `words`.
        unsafe {
            let p = position.read_unaligned();
            let (end, next, partner) = match p {
                p if p < behind => (behind, p + lanes, p + AHEAD * lanes),
                p if p < last => (last, p + lanes, p - behind),
                p => (words, p - last, p - behind),
            };
            let length = n.min(end - p);
            position.write_unaligned(if p + length < words { p + length } else { 0 });
            *self = Runs { dst: dst.add(length), n: n - length, ..*self };
            Some(Run { word: state.add(p), next: state.add(next), partner: state.add(partner), dst, length })
        }
    }
}
