//! Exponentials.

use std::hint::black_box;

use hotloops::exp;

use crate::rows::{Row, usable};

pub fn exp_rows() -> Vec<Row> {
    const N: usize = 2048;
    let x: Vec<f32> = (0..N).map(|i| i as f32 * -16.0 / N as f32).collect();
    let mut y = vec![0f32; N];
    let input = x.clone();
    let libm = move || y.iter_mut().zip(black_box(&input)).for_each(|(y, x)| *y = x.exp());
    let mut rows: Vec<Row> = vec![("f32::exp".to_owned(), N, Box::new(libm))];
    for (name, kernel) in [
        ("fast_f32", &exp::fast_f32::KERNEL),
        ("accurate_f32", &exp::accurate_f32::KERNEL),
        ("poly_f32", &exp::poly_f32::KERNEL),
    ] {
        for (variant, function) in usable(kernel) {
            let (x, mut y) = (x.clone(), vec![0f32; N]);
            // SAFETY: two arrays of N values.
            let call = move || unsafe { function(x.as_ptr(), y.as_mut_ptr(), N) };
            rows.push((format!("{name} {variant}"), N, Box::new(call)));
        }
    }
    rows
}
