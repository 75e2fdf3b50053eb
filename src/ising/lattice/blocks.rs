//! The blocks of a visit, a vector of them at a time. Lanes are adjacent words of a row. If a row has at most half as
//! many words as a vector, lanes are also blocks below each other, whose words are copied to and from buffers.

use core::array::from_fn;

use super::contract::{BLOCK_ROWS, Visit, last_mask, stride, words};
use super::lanes::{Common, Masks, Places, WordLogic, visit_blocks};

/// Maximum number of lanes.
const LANES: usize = 8;

/// A row of a vector of blocks.
type Row = [u64; LANES];

/// Copies of the words that the blocks of a vector read and write.
struct Buffers {
    own: [Row; BLOCK_ROWS],
    /// The other colour, from the row above on.
    others: [Row; BLOCK_ROWS + 2],
    /// The words of the other colour before those of `others`, or after them.
    beside: [Row; BLOCK_ROWS],
    /// The bits that are spins.
    live: [Row; BLOCK_ROWS],
}

/// # Safety
/// As for [`super::sweep_lattice()`].
#[inline(always)]
pub(super) unsafe fn visit<V: WordLogic>(visit: Visit) -> u64 {
    let words = words(visit.columns);
    // SAFETY: the caller's contract; rows are padded to whole vectors.
    unsafe {
        let common = Common::new(&visit);
        let masks = Masks::<V>::new(visit.flags);
        let flipped = match 2 * words <= V::LANES {
            true => visit_narrow(&visit, &common, &masks),
            false => visit_wide(&visit, &common, &masks),
        };
        visit.write_ghosts();
        flipped
    }
}

/// Lanes are adjacent words of a row.
///
/// # Safety
/// As for [`super::sweep_lattice()`].
#[inline(always)]
unsafe fn visit_wide<V: WordLogic>(visit: &Visit, common: &Common, masks: &Masks<V>) -> u64 {
    let (words, stride) = (words(visit.columns), stride(visit.columns));
    let last: [u64; BLOCK_ROWS] = from_fn(|lane| {
        let word = (words - 1) / V::LANES * V::LANES + lane;
        if word < words - 1 {
            u64::MAX
        } else if word == words - 1 {
            last_mask(visit.columns)
        } else {
            0
        }
    });
    let mut flipped = 0;
    let end = visit.first + visit.count;
    for row in (visit.first..end).step_by(BLOCK_ROWS) {
        for word in (0..words).step_by(V::LANES) {
            let blocks = from_fn(|lane| u64::from(visit.block(row, word + lane)));
            // SAFETY: the caller's contract.
            unsafe {
                let at = |row: usize| visit.others.add(stride * row + 1 + word);
                let places = |b: usize| {
                    let ([above, below], same) = (visit.beside(row + b).map(at), at(row + b));
                    let is_left = visit.is_left(row + b);
                    let beside = if is_left { same.sub(1) } else { same.add(1) };
                    Places { own: visit.spins.add(stride * (row + b) + 1 + word), above, same, below, beside, is_left }
                };
                let live = if word + V::LANES < words { V::splat(u64::MAX) } else { V::load(last.as_ptr()) };
                flipped += visit_blocks(common, masks, &blocks, BLOCK_ROWS.min(end - row), places, |_| live);
            }
        }
    }
    flipped
}

/// # Safety
/// As for [`super::sweep_lattice()`]; rows have at most `V::LANES / 2` words.
#[inline(always)]
unsafe fn visit_narrow<V: WordLogic>(visit: &Visit, common: &Common, masks: &Masks<V>) -> u64 {
    let words = words(visit.columns);
    let rows = V::LANES / words * BLOCK_ROWS;
    let end = visit.first + visit.count;
    let mut flipped = 0;
    for first in (visit.first..end).step_by(rows) {
        let last = end.min(first + rows);
        let zero = [0; LANES];
        let mut buffers = Buffers {
            own: [zero; BLOCK_ROWS],
            others: [zero; BLOCK_ROWS + 2],
            beside: [zero; BLOCK_ROWS],
            live: [zero; BLOCK_ROWS],
        };
        let mut blocks = zero;
        // SAFETY: the caller's contract; all buffers have `V::LANES` words.
        unsafe {
            for (part, row) in (first..last).step_by(BLOCK_ROWS).enumerate() {
                for word in 0..words {
                    let lane = part * words + word;
                    blocks[lane] = u64::from(visit.block(row, word));
                    fill(visit, &mut buffers, lane, row, BLOCK_ROWS.min(last - row), word);
                }
            }
            let Buffers { own, others, beside, live } = &mut buffers;
            let own = own.as_mut_ptr();
            let places = |b: usize| Places {
                own: own.add(b).cast(),
                above: others[b].as_ptr(),
                same: others[b + 1].as_ptr(),
                below: others[b + 2].as_ptr(),
                beside: beside[b].as_ptr(),
                is_left: visit.is_left(first + b),
            };
            let block_rows = BLOCK_ROWS.min(last - first);
            flipped += visit_blocks(common, masks, &blocks, block_rows, places, |b| V::load(live[b].as_ptr()));
            let stride = stride(visit.columns);
            for row in first..last {
                let (part, b) = ((row - first) / BLOCK_ROWS, (row - first) % BLOCK_ROWS);
                for word in 0..words {
                    visit.spins.add(stride * row + 1 + word).write_unaligned(buffers.own[b][part * words + word]);
                }
            }
        }
    }
    flipped
}

/// Copies the words of a block to a lane.
///
/// # Safety
/// The rows exist.
#[inline(always)]
unsafe fn fill(visit: &Visit, buffers: &mut Buffers, lane: usize, row: usize, count: usize, word: usize) {
    let stride = stride(visit.columns);
    let live = if word + 1 == words(visit.columns) { last_mask(visit.columns) } else { u64::MAX };
    // SAFETY: the caller's contract; a row has a ghost at each end.
    let [own, other] = [visit.spins.cast_const(), visit.others]
        .map(|colour| move |row: usize, index: usize| unsafe { colour.add(stride * row + index).read_unaligned() });
    buffers.others[0][lane] = other(visit.beside(row)[0], 1 + word);
    for b in 0..count {
        buffers.own[b][lane] = own(row + b, 1 + word);
        buffers.others[b + 1][lane] = other(row + b, 1 + word);
        buffers.beside[b][lane] = other(row + b, if visit.is_left(row + b) { word } else { 2 + word });
        buffers.live[b][lane] = live;
    }
    buffers.others[count + 1][lane] = other(visit.beside(row + count - 1)[1], 1 + word);
}
