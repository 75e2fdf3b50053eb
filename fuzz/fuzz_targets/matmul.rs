#![no_main]

use arbitrary::Arbitrary;
use hotloops::matmul::Element;
use hotloops::matmul::{MatMut, MatRef, gemm};
use hotloops_fuzz::alike;

#[derive(Arbitrary, Debug)]
struct Input {
    shape: [u8; 3],
    gaps: [u8; 3],
    turned: [bool; 3],
    alpha: u32,
    beta: u32,
    values: Vec<u32>,
}

fn product<T: Element + Into<f64>>(input: &Input, number: impl Fn(u32) -> T) {
    let [m, n, k] = input.shape.map(|side| usize::from(side % 96));
    let gap = |i: usize| usize::from(input.gaps[i] % 8);
    let value = |i: usize| number(if input.values.is_empty() { 0 } else { input.values[i % input.values.len()] });
    let values = |turned: bool, rows: usize, columns: usize, gap: usize, first: usize| {
        let (outer, inner) = if turned { (columns, rows) } else { (rows, columns) };
        (0..outer * (inner + gap)).map(|i| value(first + i)).collect::<Vec<T>>()
    };
    let [ta, tb, tc] = input.turned;
    let (a, b, c) = (values(ta, m, k, gap(0), 1), values(tb, k, n, gap(1), 2), values(tc, m, n, gap(2), 3));
    let view = |turned, values, rows, columns, gap| match turned {
        false => MatRef::row_major(values, rows, columns, columns + gap).unwrap(),
        true => MatRef::column_major(values, rows, columns, rows + gap).unwrap(),
    };
    alike(|| {
        let mut c = c.clone();
        let out = match tc {
            false => MatMut::row_major(&mut c, m, n, n + gap(2)),
            true => MatMut::column_major(&mut c, m, n, m + gap(2)),
        };
        let (a, b) = (view(ta, &a, m, k, gap(0)), view(tb, &b, k, n, gap(1)));
        gemm(number(input.alpha), a, b, number(input.beta), out.unwrap()).unwrap();
        // NaN payloads are unspecified.
        let bits = |x: T| match x.into() {
            x if x.is_nan() => f64::NAN.to_bits(),
            x => x.to_bits(),
        };
        c.into_iter().map(bits).collect::<Vec<_>>()
    });
}

libfuzzer_sys::fuzz_target!(|input: Input| {
    product(&input, f32::from_bits);
    product(&input, |bits| f64::from_bits(u64::from(bits) << 32 | u64::from(bits.rotate_left(7))));
});
