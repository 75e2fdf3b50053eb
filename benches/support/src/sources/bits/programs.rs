//! The article's programs: in C at two levels of optimisation, and in Rust.

use super::block::{Block, Distances};

type Slicing = unsafe extern "C" fn(*const u32, *mut u32);

/// The programs in C at one level of optimisation.
pub struct Programs {
    /// `C -O2`.
    pub level: &'static str,
    slice: Slicing,
    unslice: Slicing,
    popcounts: Slicing,
    by_table: Slicing,
    by_sums: Slicing,
    lower: Slicing,
    gather: unsafe extern "C" fn(*const u32, *const usize, usize, *mut u32),
    #[cfg(target_arch = "x86_64")]
    by_vector: Slicing,
    #[cfg(target_arch = "x86_64")]
    slice_by_masks: Slicing,
}

macro_rules! programs {
    ($name:ident: $level:literal, $slice:ident, $unslice:ident, $popcounts:ident, $by_table:ident, $by_sums:ident,
        $lower:ident, $gather:ident, $by_vector:ident, $slice_by_masks:ident) => {
        unsafe extern "C" {
            fn $slice(block: *const u32, planes: *mut u32);
            fn $unslice(planes: *const u32, block: *mut u32);
            fn $popcounts(planes: *const u32, counts: *mut u32);
            fn $by_table(planes: *const u32, distances: *mut u32);
            fn $by_sums(planes: *const u32, distances: *mut u32);
            fn $lower(planes: *const u32, distances: *mut u32);
            fn $gather(planes: *const u32, indices: *const usize, n: usize, out: *mut u32);
            #[cfg(target_arch = "x86_64")]
            fn $by_vector(planes: *const u32, distances: *mut u32);
            #[cfg(target_arch = "x86_64")]
            fn $slice_by_masks(block: *const u32, planes: *mut u32);
        }

        pub static $name: Programs = Programs {
            level: $level,
            slice: $slice,
            unslice: $unslice,
            popcounts: $popcounts,
            by_table: $by_table,
            by_sums: $by_sums,
            lower: $lower,
            gather: $gather,
            #[cfg(target_arch = "x86_64")]
            by_vector: $by_vector,
            #[cfg(target_arch = "x86_64")]
            slice_by_masks: $slice_by_masks,
        };
    };
}

programs!(O2: "C -O2", hotloops_bench_slice_o2, hotloops_bench_unslice_o2, hotloops_bench_popcounts_o2,
    hotloops_bench_distances_table_o2, hotloops_bench_distances_sums_o2, hotloops_bench_lower_o2,
    hotloops_bench_gather_o2, hotloops_bench_distances_vector_o2, hotloops_bench_slice_by_masks_o2);
programs!(O3: "C -O3", hotloops_bench_slice_o3, hotloops_bench_unslice_o3, hotloops_bench_popcounts_o3,
    hotloops_bench_distances_table_o3, hotloops_bench_distances_sums_o3, hotloops_bench_lower_o3,
    hotloops_bench_gather_o3, hotloops_bench_distances_vector_o3, hotloops_bench_slice_by_masks_o3);

impl Programs {
    /// 32 integers gathered for each word of a plane.
    pub fn slice(&self, block: &Block, planes: &mut Block) {
        // SAFETY: a block, and as many words of planes.
        unsafe { (self.slice)(block.as_ptr(), planes.as_mut_ptr()) }
    }

    /// The inverse.
    pub fn unslice(&self, planes: &Block, block: &mut Block) {
        // SAFETY: as above.
        unsafe { (self.unslice)(planes.as_ptr(), block.as_mut_ptr()) }
    }

    /// Ones of each plane, by a table of bytes.
    pub fn popcounts(&self, planes: &Block, counts: &mut [u32; 32]) {
        // SAFETY: the planes of a block, and a count for each.
        unsafe { (self.popcounts)(planes.as_ptr(), counts.as_mut_ptr()) }
    }

    /// Popcounts and distances by a table of bytes.
    pub fn by_table(&self, planes: &Block, distances: &mut Distances) {
        // SAFETY: the planes of a block, and 32 x 32 distances.
        unsafe { (self.by_table)(planes.as_ptr(), distances.as_mut_ptr()) }
    }

    /// The same by bit sums within a word.
    pub fn by_sums(&self, planes: &Block, distances: &mut Distances) {
        // SAFETY: as above.
        unsafe { (self.by_sums)(planes.as_ptr(), distances.as_mut_ptr()) }
    }

    /// The same by bit sums within a vector of SSE2.
    #[cfg(target_arch = "x86_64")]
    pub fn by_vector(&self, planes: &Block, distances: &mut Distances) {
        // SAFETY: as above; every x86-64 CPU has SSE2.
        unsafe { (self.by_vector)(planes.as_ptr(), distances.as_mut_ptr()) }
    }

    /// By table, into the lower half of the matrix.
    pub fn lower(&self, planes: &Block, distances: &mut Distances) {
        // SAFETY: as above.
        unsafe { (self.lower)(planes.as_ptr(), distances.as_mut_ptr()) }
    }

    /// Slices by the sign masks of vectors of SSE2.
    #[cfg(target_arch = "x86_64")]
    pub fn slice_by_masks(&self, block: &Block, planes: &mut Block) {
        // SAFETY: a block, and as many words of planes; every x86-64 CPU has SSE2.
        unsafe { (self.slice_by_masks)(block.as_ptr(), planes.as_mut_ptr()) }
    }

    /// The integers at the given indices.
    pub fn gather(&self, planes: &Block, indices: &[usize], out: &mut [u32]) {
        assert!(indices.len() == out.len() && indices.iter().all(|&index| index < planes.len()));
        // SAFETY: checked.
        unsafe { (self.gather)(planes.as_ptr(), indices.as_ptr(), indices.len(), out.as_mut_ptr()) }
    }
}

/// The article's slicing in Rust.
pub fn slice(block: &Block, planes: &mut Block) {
    let (columns, _) = block.as_chunks::<32>();
    for (column, words) in columns.iter().enumerate() {
        for plane in 0..32 {
            let mut word = 0;
            for (i, element) in words.iter().enumerate() {
                word |= (element >> plane & 1) << i;
            }
            planes[64 * plane + column] = word;
        }
    }
}

/// The inverse.
pub fn unslice(planes: &Block, block: &mut Block) {
    for (e, element) in block.iter_mut().enumerate() {
        *element = (0..32).fold(0, |word, plane| word | (planes[64 * plane + e / 32] >> (e % 32) & 1) << plane);
    }
}

/// Ones of a byte.
static ONES: [u8; 256] = {
    let (mut table, mut byte) = ([0; 256], 0);
    while byte < 256 {
        table[byte] = (byte as u8).count_ones() as u8;
        byte += 1;
    }
    table
};

/// The article's distances in Rust.
pub fn by_table(planes: &Block, distances: &mut Distances) {
    let ones =
        |word: u32| -> u32 { word.to_le_bytes().into_iter().map(|byte| u32::from(ONES[usize::from(byte)])).sum() };
    let (planes, _) = planes.as_chunks::<64>();
    for i in 0..32 {
        distances[33 * i] = planes[i].iter().map(|&word| ones(word)).sum();
        for j in i + 1..32 {
            distances[32 * i + j] = planes[i].iter().zip(&planes[j]).map(|(a, b)| ones(a ^ b)).sum();
        }
    }
}

/// Hamming distances of all pairs, word by word, with the CPU's popcount instruction if the build
/// enables it.
pub fn distances_by_words(rows: &[u64], others: &[u64], words: usize, out: &mut [u32]) {
    let pairs = rows.chunks_exact(words).flat_map(|row| others.chunks_exact(words).map(move |other| (row, other)));
    for (out, (row, other)) in out.iter_mut().zip(pairs) {
        *out = row.iter().zip(other).map(|(a, b)| (a ^ b).count_ones()).sum();
    }
}
