//! Splits a request into runs in which no index of the state wraps.

use super::{AHEAD, ROWS};

/// A part of a request in which no index wraps. Number `i` uses the word at `word + i`, the next
/// word of its lane at `next + i`, and the word that the twist mixes in at `partner + i`. It is
/// written to `dst + i`.
///
/// Up to 4 * 227 words may be updated at once if all their loads precede the stores. Words that a
/// run reads ahead then still have their old values, and words that it reads behind were updated
/// before the run or 227 rows ago.
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
        // SAFETY: `Runs` has the arguments of a kernel call; all indices are below `words`.
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
