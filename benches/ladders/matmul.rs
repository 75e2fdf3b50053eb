//! Products of matrices.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hotloops::isa;
use hotloops::matmul::{self, MatMut, MatRef};
use hotloops_bench_support::clock;
use hotloops_bench_support::peak;
use hotloops_bench_support::products;

use crate::rows::{Row, cap, keep, levels};

/// `C = A B`.
type Product<T> = Box<dyn FnMut(&[T], &[T], &mut [T])>;

/// The article's rungs, then the library under each instruction set; per multiply-add. All compute
/// the same product of small integers.
fn product_rows<T: matmul::Element>(n: usize, cold: bool) -> Vec<(Row, Option<isa::Isa>)> {
    let small =
        |most: usize| -> Arc<Vec<T>> { Arc::new((0..n * n).map(|i| T::from_f64((i % most) as f64 - 2.0)).collect()) };
    let (a, b) = (small(7), small(5));
    let mut truth = vec![T::ZERO; n * n];
    products::outer(n, &a, &b, &mut truth);
    let mut rows = Vec::new();
    let mut rung = |name: String, isa: Option<isa::Isa>, mut product: Product<T>| {
        let mut c = vec![T::ONE; n * n];
        product(&a, &b, &mut c);
        assert!(c == truth, "{name}");
        let (a, b) = (a.clone(), b.clone());
        let call: Box<dyn FnMut()> = Box::new(move || product(black_box(&a), black_box(&b), &mut c));
        rows.push(((name, n * n * n, call), isa));
    };
    if n <= 256 {
        rung("naive".to_owned(), None, Box::new(move |a, b, c| products::naive(n, a, b, c)));
        rung("8 accumulators".to_owned(), None, Box::new(move |a, b, c| products::unrolled(n, a, b, c)));
        rung("blocked (mini)".to_owned(), None, Box::new(move |a, b, c| products::blocked(n, a, b, c)));
    }
    rung("k-i-j (micro)".to_owned(), None, Box::new(move |a, b, c| products::outer(n, a, b, c)));
    let mut sliver = Vec::new();
    rung("packed".to_owned(), None, Box::new(move |a, b, c| products::packed(n, a, b, c, &mut sliver)));
    for isa in levels().filter(|&isa| isa != isa::Isa::scalar) {
        let product = move |a: &[T], b: &[T], c: &mut [T]| {
            cap(isa);
            let [a, b] = [a, b].map(|matrix| MatRef::row_major(matrix, n, n, n).unwrap());
            matmul::gemm(T::ONE, a, b, T::ZERO, MatMut::row_major(c, n, n, n).unwrap()).unwrap();
        };
        rung(format!("vector, {}", isa.word()), Some(isa), Box::new(product));
    }
    if cold {
        // Other memory is read between the calls. The last row times that read alone.
        let others = Arc::new(vec![1u8; 64 << 20]);
        let flush = |others: &[u8]| keep(others.iter().step_by(64).map(|&x| u64::from(x)).sum::<u64>());
        for ((_, _, call), _) in &mut rows {
            let (others, mut warm) = (others.clone(), std::mem::replace(call, Box::new(|| ())));
            *call = Box::new(move || {
                flush(&others);
                warm();
            });
        }
        rows.push((("memory alone".to_owned(), n * n * n, Box::new(move || flush(&others))), None));
    }
    rows
}

/// Times interleaved products. Prints flops per cycle and, for rows with an instruction set, the
/// share of its measured peak.
pub fn measure_products<T: matmul::Element>(title: &str, n: usize, cold: bool, budget: Duration) {
    let mut rows = product_rows::<T>(n, cold);
    let calls = if cold { 1 } else { 1 + 2_000_000 / (n * n * n) };
    let time = |row: &mut Row| {
        let begin = Instant::now();
        (0..calls).for_each(|_| (row.2)());
        begin.elapsed().as_nanos() as f64 / calls as f64
    };
    let count = rows.len();
    let job = |index: usize| match rows.get_mut(index) {
        Some((row, _)) => time(row),
        None => clock::gigahertz(),
    };
    let samples = clock::interleaved(count + 1, budget, job);
    let gigahertz = samples[count].median();
    println!(
        "{title} ({gigahertz:.2} GHz)\n{:24}{:>12}{:>12}{:>12}{:>10}",
        "", "flop/cycle", "median", "of peak", "ratio"
    );
    let flops = 2.0 * (n * n * n) as f64;
    let between = if cold { samples[count - 1].least() } else { 0.0 };
    let shown = if cold { &rows[..count - 1] } else { &rows[..] };
    for ((row, isa), time) in shown.iter().zip(&samples) {
        let (least, median) = (flops / (time.least() - between), flops / (time.median() - between));
        let peak = isa.map_or(String::new(), |isa| {
            let peak = peak::flops(isa) * 4.0 / size_of::<T>() as f64;
            format!("{:10.1} %", 100.0 * least / peak)
        });
        let ratio = (samples[0].least() - between) / (time.least() - between);
        println!("{:24}{:12.2}{:12.2}{peak:>12}{ratio:10.1}", row.0, least / gigahertz, median / gigahertz);
    }
    println!();
}
