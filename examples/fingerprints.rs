//! The nearest neighbour of every fingerprint in a collection, 2048 bits each: the pairs above a
//! threshold, found in bounded memory by an index. The collection consists of families, and neighbours should belong
//! to the same family.
//!
//! `cargo run --release --example fingerprints [ROWS]`

use std::time::Instant;

use hotloops::fingerprints::{Condition, Index, Measure, PairMatch, Searcher};
use hotloops::hamming::BitRows;
use hotloops::random::Mt19937;

const BITS: usize = 2048;
const BYTES: usize = BITS / 8;
const FAMILY: usize = 25;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n: usize = std::env::args().nth(1).map_or(Ok(5000), |word| word.parse())?;
    let bytes = collection(n)?;
    let rows = BitRows::new(&bytes, n, BITS, BYTES)?;

    let begin = Instant::now();
    let mut memory = vec![0; Index::image_len(n, BITS)?];
    let index = Index::build(rows, &mut memory)?;
    let condition = Condition { measure: Measure::Tanimoto, threshold: 0.5, empty: 1.0 };
    let (mut searcher, mut room) = (Searcher::new(), [PairMatch::default(); 1024]);
    // The similarity of each row's nearest neighbour, and its number.
    let mut nearest = vec![(0.0, 0); n];
    let (mut pairs, mut cursor) = (0, 0);
    while cursor < (n * n) as u64 {
        let found = searcher.pairs(&[index], rows, 0..n, &condition, &mut cursor, &mut room)?;
        for hit in &room[..found] {
            for (of, other) in [(hit.query as usize, hit.row), (hit.row as usize, hit.query)] {
                if hit.score > nearest[of].0 {
                    nearest[of] = (hit.score, other);
                }
            }
        }
        pairs += found;
    }
    let seconds = begin.elapsed().as_secs_f64();

    let with_one = nearest.iter().filter(|near| near.0 > 0.0).count();
    let related =
        nearest.iter().enumerate().filter(|(i, near)| near.0 > 0.0 && near.1 as usize / FAMILY == i / FAMILY).count();
    let mean = nearest.iter().map(|near| f64::from(near.0)).sum::<f64>() / with_one as f64;
    println!("{pairs} pairs of {n} fingerprints with a Tanimoto similarity of at least 0.5");
    println!("{with_one} have a nearest neighbour, of similarity {mean:.3} in the mean; {related} in their family");
    println!("{:.3e} pairs a second on one core, with the building of the index", (n * n) as f64 / 2.0 / seconds);
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
