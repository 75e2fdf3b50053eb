//! How a product is split: into tiles for registers and blocks for caches.

use crate::frame::cache::Caches;
use crate::frame::isa::Isa;

/// The tile that a block kernel keeps in registers: instruction set, rows, bytes of a row.
const TILES: [(Isa, usize, usize); 5] =
    [(Isa::avx512, 14, 128), (Isa::avx2, 6, 64), (Isa::neon, 8, 48), (Isa::sse2, 6, 128), (Isa::scalar, 4, 32)];

/// Maximum size of a workspace in bytes.
pub(super) const WORKSPACE: usize = 4 << 20;

/// Maximum number of rows of a sliver.
pub(super) const MAX_DEPTH: usize = 1024;

pub(super) const LINE: usize = 64;

/// Rows `mr` and columns `nr` of a tile, and the blocks: `mc` rows, `nc` columns, `kc` of k. The
/// columns of a block are split into groups of slivers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Blocking {
    pub mr: usize,
    pub nr: usize,
    pub mc: usize,
    pub nc: usize,
    pub kc: usize,
    /// Slivers of a group.
    pub group: usize,
}

/// Rows and columns of the tile of `isa`, for elements of `size` bytes.
pub(super) fn tile(isa: Isa, size: usize) -> (usize, usize) {
    let (_, rows, bytes) = TILES.into_iter().find(|tile| tile.0 == isa).unwrap_or(TILES[4]);
    (rows, bytes / size)
}

/// Rows that are left, below which [`next_rows`] chooses the next tile.
pub(super) const SPLIT: usize = 32;

/// The rows of the next tile, by the rows that are left: of tiles that are few and about equally high, so that none
/// waits for rows of B or for few chains. A tile costs the square of its rows and that of the largest height, which
/// comes first; the last height is 1.
pub(super) const fn next_rows<const N: usize>(heights: [usize; N]) -> [u8; SPLIT] {
    let (mut next, mut costs) = ([0; SPLIT], [0; SPLIT]);
    let mut left = 1;
    while left < SPLIT {
        let mut i = 0;
        while i < N {
            let rows = heights[i];
            if rows <= left {
                let cost = rows * rows + heights[0] * heights[0] + costs[left - rows];
                if next[left] == 0 || cost < costs[left] {
                    (next[left], costs[left]) = (rows as u8, cost);
                }
            }
            i += 1;
        }
        left += 1;
    }
    next
}

impl Blocking {
    /// The rows of A of a tile take 7/8 of L1, where they meet one sliver of a group after another.
    /// A group of slivers and a block of A take 3/8 of L2 each, and a panel of B 1/8 of L3.
    pub(super) fn new(isa: Isa, size: usize, caches: Caches) -> Self {
        let (mr, nr) = tile(isa, size);
        let Caches { l1, l2, l3 } = caches;
        let kc = (l1 * 7 / 8 / (mr * size)).clamp(64, MAX_DEPTH) & !7;
        let mc = ((l2 * 3 / 8).min(WORKSPACE / 2) / (kc * size)).clamp(mr, 1024) / mr * mr;
        let rows_of_a = mc * row_of(kc, size) * size;
        let nc = ((l3 / 8).min(WORKSPACE - rows_of_a - LINE) / (kc * size)).clamp(nr, 1 << 16) / nr * nr;
        Blocking { mr, nr, mc, nc, kc, group: (l2 * 3 / 8 / (nr * kc * size)).max(1) }
    }

    /// The block sizes of a product [m, n, k], which is split into equal parts.
    pub(super) fn fitted(self, [m, n, k]: [usize; 3]) -> Self {
        let Blocking { mr, nr, mc, nc, kc, .. } = self;
        Blocking { mc: part(m, mc, mr), nc: part(n, nc, nr), kc: part(k, kc, 1), ..self }
    }
}

/// The size of the parts of [`parts`].
pub(super) fn part(n: usize, max: usize, unit: usize) -> usize {
    n.div_ceil(n.div_ceil(max).max(1)).next_multiple_of(unit).max(1)
}

/// The stride of copied rows of `k` elements: an odd number of lines, so that rows spread over all
/// sets of a cache.
pub(super) fn row_of(k: usize, size: usize) -> usize {
    let lines = (k * size).div_ceil(LINE) | 1;
    lines * LINE / size
}

/// Bytes of one way of L1 on nearly every CPU: a page. Addresses this far apart share a set.
const WAY: usize = 4096;

/// Whether rows at this stride alias in L1 (more rows per set than ways).
pub(super) fn crowded(rows: usize, stride: usize, l1: usize) -> bool {
    let mut counts = [0; WAY / LINE];
    (0..rows).any(|i| {
        let count = &mut counts[i.wrapping_mul(stride) % WAY / LINE];
        *count += 1;
        *count > l1 / WAY / 2
    })
}

/// The number of rows, `stride` bytes apart, that have room in the ways of the sets of L1 that they
/// share, if the stride is such that they share few.
#[inline]
pub(super) fn side_by_side(stride: usize) -> Option<usize> {
    // As many as most CPUs have, or fewer.
    const WAYS: usize = 8;
    stride.is_multiple_of(WAYS * LINE).then(|| (WAY >> stride.trailing_zeros().min(WAY.trailing_zeros())) * WAYS)
}

/// The number of rows, `stride` bytes apart, that a tile of `rows` rows may read side by side, if all of them would
/// evict each other from L1 before all elements of a line are used; `bytes` are read of each row.
#[doc(hidden)]
#[must_use]
#[inline]
pub fn rows_in_place(rows: usize, stride: isize, bytes: usize) -> Option<usize> {
    if bytes <= 4 * LINE {
        return None;
    }
    side_by_side(stride.unsigned_abs()).filter(|&limit| rows > limit)
}

/// Whether the columns of a tile, in `rows` rows `stride` bytes apart, fill at most four fifths of
/// the L1 sets that they map to. Each row of the tile touches two lines.
pub(super) fn spread(rows: usize, stride: usize, l1: usize) -> bool {
    let begins = (WAY >> stride.trailing_zeros().min(WAY.trailing_zeros())).min(WAY / LINE);
    let lines = (2 * begins).min(WAY / LINE) * (l1 / WAY);
    2 * rows <= lines * 4 / 5
}

/// Splits `0..n` into as few parts of at most `max` as possible. They have the same size, rounded
/// up to a multiple of `unit`; the last may be smaller.
pub(super) fn parts(n: usize, max: usize, unit: usize) -> impl Iterator<Item = (usize, usize)> {
    let step = part(n, max, unit);
    (0..n).step_by(step).map(move |start| (start, step.min(n - start)))
}

/// Splits `0..n` into parts of at most `max`, of which none is shorter than `min` unless `n` is.
/// `max` is at least twice `min`.
pub(super) fn pieces(n: usize, max: usize, min: usize) -> impl Iterator<Item = (usize, usize)> {
    let length = move |start: usize| if n - start <= max { n - start } else { max.min(n - start - min) };
    let first = (n > 0).then(|| (0, length(0)));
    core::iter::successors(first, move |&(start, last)| {
        let start = start + last;
        (start < n).then(|| (start, length(start)))
    })
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    #[test]
    fn parts_are_even_and_whole() {
        for (n, max, unit) in [(0, 8, 1), (1, 8, 6), (1000, 198, 6), (64, 14, 1), (257, 256, 1), (1025, 512, 16)] {
            let all: Vec<_> = parts(n, max, unit).collect();
            assert_eq!(all.iter().map(|part| part.1).sum::<usize>(), n);
            assert!(all.iter().all(|part| part.1 <= max.next_multiple_of(unit)));
            assert!(all.windows(2).all(|pair| pair[0].0 + pair[0].1 == pair[1].0));
        }
        assert_eq!(parts(64, 14, 1).map(|part| part.1).collect::<Vec<_>>(), [13, 13, 13, 13, 12]);
    }

    #[test]
    fn no_piece_is_short() {
        for n in 0..3000 {
            let all: Vec<_> = pieces(n, 256, 16).collect();
            assert_eq!(all.iter().map(|piece| piece.1).sum::<usize>(), n);
            assert!(all.iter().all(|piece| (n.min(16)..=256).contains(&piece.1)), "{n}");
            assert!(all.windows(2).all(|pair| pair[0].0 + pair[0].1 == pair[1].0));
        }
    }

    #[test]
    fn tiles_are_few_and_about_equally_high() {
        let next = next_rows([14, 12, 10, 8, 7, 6, 5, 4, 3, 2, 1]);
        for (rows, expected) in [
            (1, &[1][..]),
            (9, &[5, 4]),
            (14, &[14]),
            (15, &[8, 7]),
            (16, &[8, 8]),
            (20, &[10, 10]),
            (23, &[8, 8, 7]),
            (28, &[14, 14]),
        ] {
            let (mut left, mut tiles) = (rows, Vec::new());
            while left > 0 {
                tiles.push(next[left]);
                left -= usize::from(next[left]);
            }
            assert_eq!(tiles, expected);
        }
    }

    #[test]
    fn no_workspace_is_larger_than_promised() {
        for isa in [Isa::avx512, Isa::avx2, Isa::neon, Isa::sse2, Isa::scalar] {
            for size in [4, 8] {
                for l1 in [1, 16, 32, 48, 64, 128, 65535] {
                    for l2 in [0, 256, 512, 1024, 2048, 16 << 10] {
                        for l3 in [0, 4 << 10, 32 << 10, 1 << 20] {
                            let caches = Caches { l1: l1 << 10, l2: l2 << 10, l3: l3 << 10 };
                            let Blocking { mr, nr, mc, nc, kc, .. } = Blocking::new(isa, size, caches);
                            let a = mc * row_of(kc, size) * size;
                            assert!(a + nc * kc * size + LINE <= WORKSPACE, "{isa:?} {size} {caches:?}");
                            assert!(mc % mr == 0 && nc % nr == 0 && kc >= 64, "{isa:?} {size} {caches:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn columns_with_a_stride_of_a_power_of_two_do_not_spread() {
        for (rows, stride, spreads) in
            [(64, 256, true), (64, 512, false), (100, 400, true), (160, 640, true), (220, 888, false)]
        {
            assert_eq!(spread(rows, stride, 32 << 10), spreads, "{rows} {stride}");
        }
        assert!(!spread(64, 4096, 32 << 10) && !spread(64, 0, 32 << 10));
        assert!(spread(300, 1200, 48 << 10));
    }

    #[test]
    fn power_of_two_strides_are_crowded() {
        assert!(crowded(6, 4096, 32 << 10));
        assert!(!crowded(6, 4096 + 64, 32 << 10));
        assert!(!crowded(6, 1024, 32 << 10));
        assert!(crowded(14, 2048, 32 << 10));
    }
}
