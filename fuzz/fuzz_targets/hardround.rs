#![no_main]

use arbitrary::Arbitrary;
use hotloops::hardround::{Block, Scan, Test, exhaust_first, exhaust_from, exists};
use hotloops_fuzz::alike;

#[derive(Arbitrary, Debug)]
struct Input {
    pairs: Vec<(u64, u64)>,
    n: u32,
    w: u64,
    differences: [u64; 4],
    block: [u128; 4],
}

libfuzzer_sys::fuzz_target!(|input: Input| {
    let (a, b): (Vec<u64>, Vec<u64>) = input.pairs.iter().take(100).copied().unzip();
    let n = u64::from(input.n >> 16);
    for test in [Test::Regular, Test::Lefevre] {
        let possible = alike(|| {
            let mut bits = vec![0; a.len().div_ceil(8)];
            exists(&a, &b, n, input.w, test, &mut bits).unwrap();
            bits
        });
        // A domain that is ruled out contains no case.
        for i in 0..a.len() {
            if possible[i / 8] >> (i % 8) & 1 == 0 {
                let x = (0..n.min(200)).find(|&x| b[i].wrapping_sub(a[i].wrapping_mul(x)) < input.w);
                assert_eq!(x, None, "domain {i}");
            }
        }
    }
    let mut d = input.differences;
    let first = alike(|| exhaust_first(&d, n, input.w));
    if let Some(first) = first {
        d = exhaust_from(&d, first);
        assert!(d[0] < input.w);
    }
    let block = Block::new(input.block);
    _ = alike(|| {
        let mut found = Vec::new();
        let scanned = Scan::new(input.w >> 32).and_then(|mut scan| scan.block(&block, n, |x| found.push(x)));
        (scanned, found)
    });
});
