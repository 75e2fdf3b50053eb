#![no_main]

use hotloops::reduce::Element;
use hotloops::reduce::{self, Strided};
use hotloops_fuzz::alike;

fn sums<T: Element + Into<f64>>(x: &[T], stride: i8) {
    let (a, b) = x.split_at(x.len() / 2);
    let b = &b[..a.len()];
    alike(|| {
        let every = usize::from(stride.unsigned_abs()).max(1);
        let strided =
            |x| Strided::new(x, a.len().div_ceil(every), if stride < 0 { -1 } else { 1 } * every as isize).unwrap();
        let results = [
            reduce::sum(x),
            reduce::sum(strided(a)),
            reduce::asum(x),
            reduce::dot(a, b).unwrap(),
            reduce::dot(strided(a), strided(b)).unwrap(),
            reduce::sum2(x),
            reduce::dot2(a, b).unwrap(),
            reduce::kahan(x),
            reduce::sum_repro(x),
        ];
        results.map(|result| result.into().to_bits())
    });
}

libfuzzer_sys::fuzz_target!(|input: (Vec<u32>, u8, i8)| {
    let (words, copies, stride) = input;
    let bits: Vec<u32> =
        words.iter().copied().cycle().take(words.len().min(1 << 10) * (1 + usize::from(copies % 32))).collect();
    sums(&bits.iter().map(|&bits| f32::from_bits(bits)).collect::<Vec<_>>(), stride);
    let pairs = bits.chunks_exact(2).map(|pair| f64::from_bits(u64::from(pair[0]) << 32 | u64::from(pair[1])));
    sums(&pairs.collect::<Vec<_>>(), stride);
});
