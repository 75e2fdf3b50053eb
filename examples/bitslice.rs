//! A recording of a slow sensor as bit planes: 12-bit samples in 16-bit integers. Most planes
//! rarely change, so they compress well. Single samples are read from the planes without
//! reassembling the others.
//!
//! `cargo run --release --example bitslice [SAMPLES]`

use hotloops::bitslice::{Layout, Store, blocks_len, count_ones, gather_blocks, slice_blocks, unslice_blocks};
use hotloops::random::Mt19937;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n: usize = std::env::args().nth(1).map_or(Ok(1_000_000), |word| word.parse())?;
    let samples = recording(n)?;

    let mut planes = vec![0; blocks_len::<u16>(n, Layout::Rows2048)?];
    slice_blocks(&samples, Layout::Rows2048, Store::Auto, &mut planes)?;
    let mut back = vec![0; n];
    unslice_blocks(&planes, Layout::Rows2048, Store::Auto, &mut back)?;
    assert_eq!(back, samples);

    let elements: Vec<u8> = samples.iter().flat_map(|sample| sample.to_ne_bytes()).collect();
    println!(
        "{} bytes; runs of equal bytes: {} as samples, {} as planes",
        planes.len(),
        runs(&elements),
        runs(&planes)
    );

    let mut ones = [0; 16];
    count_ones(&samples, &mut ones)?;
    println!("samples with bit 0, 1, ..: {ones:?}");

    // A tile holds 64 samples, so one sample is read from one place.
    let mut tiles = vec![0; blocks_len::<u16>(n, Layout::Tiles64)?];
    slice_blocks(&samples, Layout::Tiles64, Store::Auto, &mut tiles)?;
    let at: Vec<usize> = (0..8).map(|i| i * n / 8).collect();
    let mut some = vec![0u16; at.len()];
    gather_blocks(&tiles, n, &at, Layout::Tiles64, &mut some)?;
    println!("samples {at:?}: {some:?}");
    assert!(at.iter().zip(&some).all(|(&at, &value)| value == samples[at]));
    Ok(())
}

/// A slow wave with two bits of noise.
fn recording(n: usize) -> Result<Vec<u16>, hotloops::Error> {
    let mut noise = vec![0; n];
    Mt19937::seeded(16, 12)?.fill_u32(&mut noise);
    let wave = |i: usize| 2048.0 + 1900.0 * (i as f64 / 2e4).sin();
    Ok(noise.iter().enumerate().map(|(i, noise)| (wave(i) as u16 & !3) | (noise >> 30) as u16).collect())
}

/// The number of runs that a run-length code would write.
fn runs(bytes: &[u8]) -> usize {
    bytes.chunk_by(|a, b| a == b).count()
}
