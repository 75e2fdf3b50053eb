#![no_main]

use hotloops::exp;
use hotloops_fuzz::alike;

libfuzzer_sys::fuzz_target!(|x: Vec<u32>| {
    let x: Vec<f32> = x.into_iter().map(f32::from_bits).collect();
    for function in [exp::fast, exp::accurate, exp::poly] {
        alike(|| {
            let mut y = vec![0.0; x.len()];
            function(&x, &mut y).unwrap();
            y.iter().map(|y| y.to_bits()).collect::<Vec<_>>()
        });
    }
});
