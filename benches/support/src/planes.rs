//! Baselines for bit planes: the programs of Kuznetsov and Tolstoy (2009), and word-wise popcounts.

/// The original transposition: bit by bit, 2048 integers into 32 rows of 64 words.
pub fn slice_by_bits(block: &[u32; 2048], planes: &mut [[u32; 64]; 32]) {
    for row in planes.iter_mut() {
        row.fill(0);
    }
    for (e, &element) in block.iter().enumerate() {
        for (j, row) in planes.iter_mut().enumerate() {
            row[e / 32] |= (element >> j & 1) << (e % 32);
        }
    }
}

/// Its inverse.
pub fn unslice_by_bits(planes: &[[u32; 64]; 32], block: &mut [u32; 2048]) {
    for (e, element) in block.iter_mut().enumerate() {
        *element = 0;
        for (j, row) in planes.iter().enumerate() {
            *element |= (row[e / 32] >> (e % 32) & 1) << j;
        }
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

fn ones_by_table(word: u32) -> u32 {
    word.to_le_bytes().into_iter().map(|byte| u32::from(ONES[usize::from(byte)])).sum()
}

fn ones_by_sums(word: u32) -> u32 {
    let pairs = word - (word >> 1 & 0x5555_5555);
    let nibbles = (pairs & 0x3333_3333) + (pairs >> 2 & 0x3333_3333);
    ((nibbles + (nibbles >> 4)) & 0x0f0f_0f0f).wrapping_mul(0x0101_0101) >> 24
}

fn distances(planes: &[[u32; 64]; 32], distances: &mut [[u32; 32]; 32], ones: fn(u32) -> u32) {
    for i in 0..32 {
        distances[i][i] = planes[i].iter().map(|&word| ones(word)).sum();
        for j in i + 1..32 {
            distances[i][j] = planes[i].iter().zip(&planes[j]).map(|(a, b)| ones(a ^ b)).sum();
        }
    }
}

/// The original distances: popcounts from a byte table.
pub fn distances_by_table(planes: &[[u32; 64]; 32], d: &mut [[u32; 32]; 32]) {
    distances(planes, d, ones_by_table);
}

/// Its second form: popcounts by bit sums within a word.
pub fn distances_by_sums(planes: &[[u32; 64]; 32], d: &mut [[u32; 32]; 32]) {
    distances(planes, d, ones_by_sums);
}

/// Hamming distances of all pairs, word by word, with the CPU's popcount instruction if the build
/// enables it.
pub fn distances_by_words(rows: &[u64], others: &[u64], words: usize, out: &mut [u32]) {
    let pairs = rows.chunks_exact(words).flat_map(|row| others.chunks_exact(words).map(move |other| (row, other)));
    for (out, (row, other)) in out.iter_mut().zip(pairs) {
        *out = row.iter().zip(other).map(|(a, b)| (a ^ b).count_ones()).sum();
    }
}
