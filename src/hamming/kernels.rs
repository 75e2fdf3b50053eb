//! The declarations of the kernels.

use crate::frame::kernel::kernel;

kernel! {
    /// Distances of the 32 planes of 2048 bits of a block in tiles: `distances[32 i + j]` for i < j
    /// is the number of bits in which planes i and j differ, and `distances[33 i]` the number of
    /// ones of plane i. Entries below the diagonal are not written.
    ///
    /// # Safety
    /// `tiles` points to the 32 tiles of 256 bytes that [`tile_u32`](crate::bitslice::tile_u32())
    /// writes, `distances` to 1024 writable integers that do not overlap them. Any alignment.
    "hl_hamming_slices" unsafe fn slices(tiles: *const u8, distances: *mut u32);
    assembly: avx512icl, avx2, sse2, neon;
    intrinsics: avx512icl, avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Counts the ones that rows have in common with packed rows: `out[i * out_stride + 8 g + l]`
    /// is the number of bits that are 1 in row i and in packed row 8 g + l.
    ///
    /// A packed group is 8 rows interleaved by words of 8 bytes: word c of packed row 8 g + l is at
    /// `packed + 64 (g C + c) + 8 l`, where C is `chunks`, plus 1 if there are tails. Row i is the
    /// `chunks` words at `rows + i * stride`, followed by the word `tails[i]` if `tails` is not
    /// null.
    ///
    /// # Safety
    /// `packed` points to 64 C `groups` readable bytes, `rows` to `n` rows of 8 `chunks` readable
    /// bytes, and `tails`, if not null, to `n` readable words. For each row i below `n`,
    /// `out + i * out_stride` points to 8 `groups` writable integers that overlap nothing else.
    /// `stride` is in bytes, `out_stride` in integers; both are at least the length of a row. Any
    /// alignment. A row has less than 2^26 words.
    "hl_hamming_intersections" unsafe fn intersections(
        packed: *const u8, groups: usize, chunks: usize, rows: *const u8, stride: usize, tails: *const u64, n: usize,
        out: *mut u32, out_stride: usize,
    );
    assembly: avx2, sse2, neon;
    intrinsics: avx512icl, avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Counts the ones among the first `bits` bits of `n` rows: `counts[i]` for row i at `rows + i * stride`.
    ///
    /// # Safety
    /// The `bits.div_ceil(8)` bytes of each row are readable. `counts` points to `n` writable
    /// integers that do not overlap them. `bits` is less than 2^32. Any alignment.
    "hl_hamming_counts" unsafe fn counts(rows: *const u8, n: usize, bits: usize, stride: usize, counts: *mut u32);
    rows: avx512icl, avx512, avx2, sse2, neon;
}

kernel! {
    /// Counts the ones that `n` rows share with a query: `out[i]` is the number of bits among the
    /// first `bits` that are 1 in the query and in row i at `rows + i * stride`.
    ///
    /// # Safety
    /// The `bits.div_ceil(8)` bytes of the query and of each row are readable. `out` points to `n`
    /// writable integers that do not overlap them. `bits` is less than 2^32. Any alignment.
    "hl_hamming_shared" unsafe fn shared(
        query: *const u8, rows: *const u8, n: usize, bits: usize, stride: usize, out: *mut u32,
    );
    rows: avx512icl, avx512, avx2, sse2, neon;
}

kernel! {
    /// Counts the bits in which `n` rows differ from a query: `out[i]` is the number of bits among
    /// the first `bits` that are not the same in the query and in row i at `rows + i * stride`.
    ///
    /// # Safety
    /// As for [`shared()`].
    "hl_hamming_differing" unsafe fn differing(
        query: *const u8, rows: *const u8, n: usize, bits: usize, stride: usize, out: *mut u32,
    );
    rows: avx512icl, avx512, avx2, sse2, neon;
}

kernel! {
    /// Hamming distances: `out[i]` = `ones` + `others[i]` - 2 `common[i]`, from the ones of a row,
    /// of `n` others, and those in common.
    ///
    /// # Safety
    /// `common`, `others` and `out` point to `n` integers each, at any alignment; `out` is `common`
    /// or overlaps nothing. `common[i]` is at most `ones` and at most `others[i]`.
    "hl_hamming_distances" unsafe fn distances(
        common: *const u32, others: *const u32, n: usize, ones: u32, out: *mut u32,
    );
    intrinsics: avx2, sse2, neon;
}

kernel! {
    /// Tanimoto similarities: `out[i]` = c / (a + b - c), where a is `ones`, b `others[i]` and c
    /// `common[i]`, the integers and then their quotient rounded to nearest; `empty` where a and b
    /// are 0.
    ///
    /// # Safety
    /// `common`, `others` and `out` point to `n` integers each, at any alignment; `out` is `common`
    /// or overlaps nothing. `common[i]` is at most `ones` and at most `others[i]`;
    /// `ones + others[i]` is at most 2^31 - 1.
    "hl_hamming_tanimoto" unsafe fn tanimoto(
        common: *const u32, others: *const u32, n: usize, ones: u32, empty: f32, out: *mut f32,
    );
    intrinsics: avx2, sse2, neon;
}

kernel! {
    /// Dice similarities: `out[i]` = 2 c / (a + b), where a is `ones`, b `others[i]` and c
    /// `common[i]`, the integers and then their quotient rounded to nearest; `empty` where a and b
    /// are 0.
    ///
    /// # Safety
    /// `common`, `others` and `out` point to `n` integers each, at any alignment; `out` is `common`
    /// or overlaps nothing. `common[i]` is at most `ones` and at most `others[i]`;
    /// `ones + others[i]` is at most 2^31 - 1.
    "hl_hamming_dice" unsafe fn dice(
        common: *const u32, others: *const u32, n: usize, ones: u32, empty: f32, out: *mut f32,
    );
    intrinsics: avx2, sse2, neon;
}

kernel! {
    /// Cosine similarities: `out[i]` = c / sqrt(a b), where a is `ones`, b `others[i]` and c
    /// `common[i]`, each step rounded to nearest in 64 bits and the result to 32; `empty` where a
    /// and b are 0, and 0 where one of them is.
    ///
    /// # Safety
    /// `common`, `others` and `out` point to `n` integers each, at any alignment; `out` is `common`
    /// or overlaps nothing. `common[i]` is at most `ones` and at most `others[i]`;
    /// `ones + others[i]` is at most 2^31 - 1.
    "hl_hamming_cosine" unsafe fn cosine(
        common: *const u32, others: *const u32, n: usize, ones: u32, empty: f32, out: *mut f32,
    );
    intrinsics: avx2, sse2, neon;
}

kernel! {
    /// Counts the misses of 512 rows at once, for `n` groups of 512 rows, and returns how many groups
    /// have a row that is not dead.
    ///
    /// The state of a group is 4 + `levels` lines of 64 bytes: bit r of the lines `ones`, `twos`,
    /// `fours`, `dead`, `level[0]`, .. belongs to row r. For each group g = `groups[i]` in turn, the
    /// state is the one in slot i of `states`, or, if `fresh` is not null, `fresh[line]` in each word
    /// of a line. For each chunk c, the lines at `planes + offsets[8 c + k] + 64 g` for k in 0..8 are
    /// added: ones + 2 twos + 4 fours + 8 carry is the sum of the bits. Then `carry ^= invert`; for
    /// each level in turn, `(level, carry) = (level ^ carry, level & carry)`; and `dead |= carry`.
    /// The state goes to slot j of `states` and g to `groups[j]`, where j is the number of earlier
    /// groups with a 0 in `dead`, the value that is returned at the end.
    ///
    /// If a miss is a 1, `invert` is 0. If a miss is a 0, `invert` is all ones and `ones`, `twos` and
    /// `fours` are stored complemented: a full adder of complements gives the complements.
    ///
    /// # Safety
    /// `offsets` points to 8 `chunks` integers, `groups` to `n` integers, `fresh`, if not null, to
    /// 4 + `levels` words, and `states` to `n` slots of 8 (4 + `levels`) words, writable, initialised
    /// if `fresh` is null. The lines named above are readable. None overlap. Any alignment.
    "hl_hamming_misses" unsafe fn misses(
        planes: *const u8, offsets: *const u32, chunks: usize, invert: u64, groups: *mut u16, n: usize,
        fresh: *const u64, states: *mut u64, levels: usize,
    ) -> usize;
    assembly: avx512 unless narrow_512, sse2, neon;
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}
