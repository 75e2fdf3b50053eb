//! The nearest neighbour of every fingerprint in a collection, 2048 bits each: the pairs above a
//! threshold, in bounded memory. The collection consists of families, and neighbours should belong
//! to the same family.
//!
//! `cargo run --release --example fingerprints [ROWS]`

use std::time::Instant;

use hotloops::hamming::{BitRows, Hit, PackedRows, Similarity, pack, packed_len, search};
use hotloops::random::Mt19937;

const BITS: usize = 2048;
const BYTES: usize = BITS / 8;
const FAMILY: usize = 25;
/// Rows packed at a time; each search compares many rows with all of them.
const PACK: usize = 128;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n: usize = std::env::args().nth(1).map_or(Ok(5000), |word| word.parse())?;
    let bytes = collection(n)?;
    let rows = BitRows::new(&bytes, n, BITS, BYTES)?;

    let begin = Instant::now();
    let mut nearest = vec![Hit::default(); n];
    let (mut pairs, mut room) = (0u64, [Hit::default(); 1024]);
    for first in (0..n).step_by(PACK) {
        let some = BitRows::new(&bytes[first * BYTES..], PACK.min(n - first), BITS, BYTES)?;
        let mut memory = vec![0; packed_len(some.len(), BITS)?];
        pack(some, &mut memory)?;
        let packed = PackedRows::new(&memory)?;
        let mut cursor = 0;
        while cursor < (n * packed.len()) as u64 {
            let found = search(Similarity::Tanimoto, &packed, rows, 0.5, 1.0, &mut cursor, &mut room)?;
            for hit in &room[..found] {
                let of = first + hit.packed_row as usize;
                if hit.row != of as u64 {
                    pairs += 1;
                    if hit.similarity > nearest[of].similarity {
                        nearest[of] = *hit;
                    }
                }
            }
        }
    }
    let seconds = begin.elapsed().as_secs_f64();

    let with_one = nearest.iter().filter(|hit| hit.similarity > 0.0).count();
    let related = nearest
        .iter()
        .enumerate()
        .filter(|(i, hit)| hit.similarity > 0.0 && hit.row as usize / FAMILY == i / FAMILY)
        .count();
    let mean = nearest.iter().map(|hit| f64::from(hit.similarity)).sum::<f64>() / with_one as f64;
    println!("{pairs} ordered pairs of {n} fingerprints with a Tanimoto similarity of at least 0.5");
    println!("{with_one} have a nearest neighbour, of similarity {mean:.3} in the mean; {related} in their family");
    println!("{:.3e} pairs a second on one core", (n * n) as f64 / seconds);
    Ok(())
}

/// Each family has a core of about 50 bits. Each row has its family's core and about 16 bits of its
/// own.
fn collection(n: usize) -> Result<Vec<u8>, hotloops::Error> {
    let mut rng = Mt19937::seeded(16, 2009)?;
    let (mut bytes, mut core, mut own) = (vec![0; n * BYTES], [0; 50], [0; 16]);
    for (i, row) in bytes.chunks_exact_mut(BYTES).enumerate() {
        if i % FAMILY == 0 {
            rng.fill_u32(&mut core);
        }
        rng.fill_u32(&mut own);
        for bit in core.iter().chain(&own).map(|&number| number as usize % BITS) {
            row[bit / 8] |= 1 << (bit % 8);
        }
    }
    Ok(bytes)
}
