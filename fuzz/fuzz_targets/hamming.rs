#![no_main]

use arbitrary::Arbitrary;
use hotloops::hamming::{self, BitRows, PackedRows, Part, Similarity};
use hotloops_fuzz::alike;

#[derive(Arbitrary, Debug)]
struct Input {
    bytes: Vec<u8>,
    copies: u8,
    bits: u16,
    gap: u8,
    start: u8,
    upper: bool,
}

libfuzzer_sys::fuzz_target!(|input: Input| {
    let bits = 1 + usize::from(input.bits % 3000);
    let stride = bits.div_ceil(8) + usize::from(input.gap % 16);
    let copies = 1 + usize::from(input.copies % 64);
    let bytes: Vec<u8> = input.bytes.iter().copied().cycle().take(copies * input.bytes.len().min(1 << 12)).collect();
    let n = (bytes.len() / stride).min(100);
    let rows = BitRows::new(&bytes, n, bits, stride).unwrap();
    alike(|| {
        let mut ones = vec![0; n];
        hamming::count_ones(rows, &mut ones).unwrap();
        let start = usize::from(input.start) % (n + 1);
        let mut distances = vec![7; (n - start) * n];
        let part = if input.upper { Part::Upper } else { Part::Full };
        hamming::within(rows, start..n, part, &mut distances, n).unwrap();
        let mut memory = vec![0; hamming::packed_len(n, bits).unwrap()];
        hamming::pack(rows, &mut memory).unwrap();
        let packed = PackedRows::new(&memory).unwrap();
        let mut all = vec![0; n * n];
        hamming::cross(&packed, rows, &mut all, n).unwrap();
        for i in start..n {
            for j in (if input.upper { i } else { 0 })..n {
                assert_eq!(distances[(i - start) * n + j], all[i * n + j]);
            }
        }
        let mut similarities = Vec::new();
        for kind in [Similarity::Tanimoto, Similarity::Dice, Similarity::Cosine] {
            let mut out = vec![0.0; n * n];
            hamming::similarities(&packed, rows, kind, 1.0, &mut out, n).unwrap();
            similarities.extend(out.iter().map(|x| x.to_bits()));
        }
        (ones, distances, all, similarities)
    });
});
