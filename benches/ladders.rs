//! The original systems' ladders, naive to best: random numbers, exponentials, the Ising sweep, bit planes, sums, products, pairs of points,
//! hard-to-round cases. Ratios of one run, the rows in turn; cycles by a clock that takes its turn among them.
//!
//! `cargo bench --bench ladders -- exp` runs one of them.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use hotloops::bitslice::{self, CHUNK, Layout, Store};
use hotloops::correlation::{Accumulator, Bins, Boundary, Image, Points, Psi};
use hotloops::hamming::{self, BitRows, PackedRows, Part, Similarity};
use hotloops::hardround::{self, Block, Scan, Series};
use hotloops::isa;
use hotloops::ising::Beta;
use hotloops::kernel::Kernel;
use hotloops::matmul::{self, MatMut, MatRef};
use hotloops::{exp, random, reduce};
use hotloops_bench_support::clock;
use hotloops_bench_support::hardround as original;
use hotloops_bench_support::levels;
use hotloops_bench_support::mersenne::{Interlaced, Textbook};
use hotloops_bench_support::pairs::{self, Particle};
use hotloops_bench_support::peak;
use hotloops_bench_support::planes;
use hotloops_bench_support::products;
use hotloops_bench_support::workload::Problem;

#[path = "../cli/src/hardround/three_phase.rs"]
mod three_phase;

use three_phase::{Lines, Strip, ThreePhase, coefficients};

/// A row: its name, elements per call, the call.
type Row = (String, usize, Box<dyn FnMut()>);

/// Random numbers of one sweep of the paper's model.
const NUMBERS: usize = 256 * 96;

fn random_rows() -> Vec<Row> {
    let mut one = Textbook::new(1);
    let mut four = Interlaced::new(1);
    let (mut first, mut second) = (vec![0; NUMBERS], vec![0; NUMBERS]);
    let mut rows: Vec<Row> = vec![
        ("scalar".to_owned(), NUMBERS, Box::new(move || first.iter_mut().for_each(|word| *word = one.next_u32()))),
        ("4 interlaced".to_owned(), NUMBERS, Box::new(move || four.fill(&mut second))),
    ];
    for variant in usable(&random::mt19937_u32::KERNEL) {
        let mut seed = Textbook::new(1);
        let mut state: Vec<u32> = (0..624 * 16).map(|_| seed.next_u32()).collect();
        let (mut numbers, mut position) = (vec![0; NUMBERS], 0);
        let call = move || {
            // SAFETY: a state of 16 lanes, a position in it, room for the numbers.
            unsafe { (variant.1)(state.as_mut_ptr(), 16, &mut position, numbers.as_mut_ptr(), NUMBERS) }
        };
        rows.push((format!("mt19937_u32 {}", variant.0), NUMBERS, Box::new(call)));
    }
    rows
}

fn exp_rows() -> Vec<Row> {
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

/// Sweeps of a call.
const SWEEPS: usize = 4;

/// One model of the paper's size at the temperature where its flip rate is the paper's.
fn ising_rows() -> Vec<Row> {
    let problem = Arc::new(Problem::paper(1));
    let spins = problem.random_spins(1);
    let beta = Beta { space: 0.4, tau: 0.4 };
    let mut rows: Vec<Row> = Vec::new();
    for level in levels::levels(&problem) {
        for &(isa, form) in &level.rows {
            let mut model = (level.model)(&spins, 1);
            let mut call = move || {
                cap(isa);
                black_box(model.sweep(beta, SWEEPS));
            };
            (0..5).for_each(|_| call());
            rows.push((format!("{} {}_{form}", level.name, isa.word()), SWEEPS * problem.spins(), Box::new(call)));
        }
    }
    rows
}

fn words(n: usize) -> Vec<u32> {
    let mut random = Textbook::new(1);
    (0..n).map(|_| random.next_u32()).collect()
}

const BLOCK: usize = bitslice::BLOCK;

/// On lines of the caches.
#[derive(Clone)]
#[repr(align(64))]
struct Aligned<T>(T);

fn planes_of_block() -> Box<Aligned<[u8; 4 * BLOCK]>> {
    Box::new(Aligned([0x5a; 4 * BLOCK]))
}

fn block() -> Box<Aligned<[u32; BLOCK]>> {
    Box::new(Aligned(words(BLOCK).try_into().unwrap()))
}

/// A block in the first cache.
fn slice_rows() -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let (src, mut planes) = (block(), Box::new([[0; 64]; 32]));
    let by_bits = move || planes::slice_by_bits(black_box(&src.0), &mut planes);
    rows.push(("slice, original, bit by bit".to_owned(), BLOCK, Box::new(by_bits)));
    let (src, mut copy) = (block(), block());
    rows.push(("copy".to_owned(), BLOCK, Box::new(move || copy.0.copy_from_slice(black_box(&src.0)))));
    for (name, kernel) in [("slice_u32", &bitslice::slice_u32::KERNEL), ("tile_u32", &bitslice::tile_u32::KERNEL)] {
        for (variant, function) in usable(kernel) {
            let (src, mut planes) = (block(), planes_of_block());
            // SAFETY: a block, and its planes or tiles.
            let call = move || unsafe { function(src.0.as_ptr(), BLOCK / CHUNK, planes.0.as_mut_ptr(), 256) };
            rows.push((format!("{name} {variant}"), BLOCK, Box::new(call)));
        }
    }
    let (mut dst, planes) = (block(), Box::new([[0x5555_aaaa; 64]; 32]));
    let by_bits = move || planes::unslice_by_bits(black_box(&planes), &mut dst.0);
    rows.push(("unslice, bit by bit".to_owned(), BLOCK, Box::new(by_bits)));
    for (name, kernel) in
        [("unslice_u32", &bitslice::unslice_u32::KERNEL), ("untile_u32", &bitslice::untile_u32::KERNEL)]
    {
        for (variant, function) in usable(kernel) {
            let (planes, mut dst) = (planes_of_block(), block());
            // SAFETY: as above.
            let call = move || unsafe { function(planes.0.as_ptr(), 256, BLOCK / CHUNK, dst.0.as_mut_ptr()) };
            rows.push((format!("{name} {variant}"), BLOCK, Box::new(call)));
        }
    }
    rows
}

/// Elements of other widths, by the functions of the library; per block of 8 KiB.
fn width_rows() -> Vec<Row> {
    fn row<T: bitslice::Element + Default>(name: &str, rows: &mut Vec<Row>) {
        for layout in [Layout::Rows2048, Layout::Tiles64] {
            let n = 4 * 8192 / size_of::<T>();
            let (mut src, mut planes) = (vec![T::default(); n], vec![0u8; 4 * 8192]);
            planes.iter_mut().zip(words(4 * 8192)).for_each(|(byte, word)| *byte = (word >> 24) as u8);
            bitslice::unslice_blocks(&planes, &mut src, layout, Store::Cached).unwrap();
            let mut back = src.clone();
            let mut dst = planes.clone();
            let slice = move || bitslice::slice_blocks(black_box(&src), &mut dst, layout, Store::Cached).unwrap();
            rows.push((format!("{name} into {layout:?}"), 4 * BLOCK, Box::new(slice)));
            let join = move || bitslice::unslice_blocks(black_box(&planes), &mut back, layout, Store::Cached).unwrap();
            rows.push((format!("{name} from {layout:?}"), 4 * BLOCK, Box::new(join)));
        }
    }
    let mut rows = Vec::new();
    row::<u8>("u8", &mut rows);
    row::<u16>("u16", &mut rows);
    row::<u32>("u32", &mut rows);
    row::<u64>("u64", &mut rows);
    rows
}

/// 128 MiB, from memory to memory.
fn memory_rows() -> Vec<Row> {
    const N: usize = 32 << 20;
    let src: Arc<Vec<u32>> = Arc::new((0..N as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect());
    let mut rows: Vec<Row> = Vec::new();
    let (from, mut copy) = (src.clone(), vec![1u32; N]);
    let blockwise =
        move || copy.chunks_exact_mut(BLOCK).zip(from.chunks_exact(BLOCK)).for_each(|(a, b)| a.copy_from_slice(b));
    rows.push(("copy, block by block".to_owned(), N, Box::new(blockwise)));
    let (from, mut copy) = (src.clone(), vec![1u32; N]);
    rows.push(("copy, at once (libc)".to_owned(), N, Box::new(move || copy.copy_from_slice(&from))));
    for layout in [Layout::Rows2048, Layout::Tiles64] {
        for store in [Store::Stream, Store::Cached] {
            let (src, mut dst) = (src.clone(), vec![1u8; 4 * N]);
            let slice = move || bitslice::slice_blocks(&src, &mut dst, layout, store).unwrap();
            rows.push((format!("into {layout:?}, {store:?}"), N, Box::new(slice)));
            let (planes, mut dst) = (vec![0x5au8; 4 * N], vec![1u32; N]);
            let join = move || bitslice::unslice_blocks(&planes, &mut dst, layout, store).unwrap();
            rows.push((format!("from {layout:?}, {store:?}"), N, Box::new(join)));
        }
    }
    rows
}

/// The planes of a block.
fn distance_rows() -> Vec<Row> {
    let mut planes = Box::new([[0; 64]; 32]);
    planes::slice_by_bits(&block().0, &mut planes);
    let mut rows: Vec<Row> = Vec::new();
    for (name, original) in [
        ("original, table of bytes", planes::distances_by_table as fn(&_, &mut _)),
        ("original, sums in a word", planes::distances_by_sums),
    ] {
        let (planes, mut d) = (planes.clone(), Box::new([[0; 32]; 32]));
        rows.push((name.to_owned(), BLOCK, Box::new(move || original(black_box(&*planes), &mut d))));
    }
    let (src, mut d) = (block(), Box::new([[0; 32]; 32]));
    let both = move || {
        planes::slice_by_bits(black_box(&src.0), &mut planes);
        planes::distances_by_table(&planes, &mut d);
    };
    rows.push(("original, slicing too".to_owned(), BLOCK, Box::new(both)));
    for (variant, function) in usable(&hamming::slices::KERNEL) {
        let (tiles, mut d) = (block(), vec![0u32; 1024]);
        // SAFETY: a block in tiles, 1024 distances.
        let call = move || unsafe { function(tiles.0.as_ptr().cast(), d.as_mut_ptr()) };
        rows.push((format!("slices {variant}"), BLOCK, Box::new(call)));
    }
    for isa in levels() {
        let (src, mut d) = (block(), vec![0u32; 1024]);
        let fused = under(isa, move || hamming::slices_distance(black_box(&src.0), &mut d).unwrap());
        rows.push((format!("slicing and distances, {}", isa.word()), BLOCK, fused));
        let (planes, mut d) = (planes_of_block(), vec![0u32; 1024]);
        let apart = under(isa, move || hamming::planes_distance(black_box(&planes.0), &mut d).unwrap());
        rows.push((format!("distances from rows, {}", isa.word()), BLOCK, apart));
    }
    rows
}

/// 512 rows against 256 packed ones, 2048 bits each; per pair.
fn pair_rows() -> Vec<Row> {
    const BITS: usize = 2048;
    const N: usize = 512;
    const M: usize = 256;
    let memory = |n: usize| -> Vec<u64> {
        words(n * BITS / 32).chunks(2).map(|w| u64::from(w[0]) << 32 | u64::from(w[1])).collect()
    };
    let (first, second) = (Arc::new(memory(N)), Arc::new(memory(M)));
    let bytes =
        |words: &[u64]| -> Arc<Vec<u8>> { Arc::new(words.iter().flat_map(|word| word.to_ne_bytes()).collect()) };
    let (rows_bytes, others) = (bytes(&first), bytes(&second));
    let mut packed = vec![0; hamming::packed_len(M, BITS).unwrap()];
    hamming::pack(BitRows::new(&others, M, BITS, BITS / 8).unwrap(), &mut packed).unwrap();
    let packed = Arc::new(packed);
    let mut rows: Vec<Row> = Vec::new();
    let mut out = vec![0u32; N * M];
    let (a, b) = (first.clone(), second.clone());
    let by_words = move || planes::distances_by_words(black_box(&a), &b, BITS / 64, &mut out);
    rows.push(("word by word".to_owned(), N * M, Box::new(by_words)));
    for isa in levels() {
        let (bytes, memory) = (rows_bytes.clone(), packed.clone());
        let mut out = vec![0u32; N * M];
        let call = under(isa, move || {
            let rows = BitRows::new(&bytes, N, BITS, BITS / 8).unwrap();
            hamming::cross(&PackedRows::new(&memory).unwrap(), rows, &mut out, M).unwrap();
        });
        rows.push((format!("Hamming, {}", isa.word()), N * M, call));
        let (bytes, memory) = (rows_bytes.clone(), packed.clone());
        let mut out = vec![0f32; N * M];
        let call = under(isa, move || {
            let rows = BitRows::new(&bytes, N, BITS, BITS / 8).unwrap();
            let packed = PackedRows::new(&memory).unwrap();
            hamming::similarities(Similarity::Tanimoto, &packed, rows, 1.0, &mut out, M).unwrap();
        });
        rows.push((format!("Tanimoto, {}", isa.word()), N * M, call));
        let (bytes, mut out) = (rows_bytes.clone(), vec![0u32; N * N]);
        let call = under(isa, move || {
            let rows = BitRows::new(&bytes, N, BITS, BITS / 8).unwrap();
            hamming::within(rows, 0..N, &mut out, N, Part::Upper).unwrap();
        });
        rows.push((format!("Hamming within the {N}, {}", isa.word()), N * (N + 1) / 2, call));
    }
    rows
}

/// Single elements of a block; per element.
fn gather_rows() -> Vec<Row> {
    const N: usize = 1 << 11;
    let src = words(N);
    let mut rows: Vec<Row> = Vec::new();
    for isa in levels() {
        for layout in [Layout::Rows2048, Layout::Tiles64] {
            let mut planes = vec![0; 4 * N];
            bitslice::slice_blocks(&src, &mut planes, layout, Store::Cached).unwrap();
            let indices: Vec<usize> = words(1024).iter().map(|&word| word as usize % N).collect();
            let mut out = vec![0u32; 1024];
            let call = under(isa, move || bitslice::gather_blocks(&planes, N, layout, &indices, &mut out).unwrap());
            rows.push((format!("from {layout:?}, {}", isa.word()), 1024, call));
        }
    }
    rows
}

/// A result that must be there.
fn keep<T>(result: T) {
    black_box(result);
}

/// Reductions of one array and of two, by name.
type Sum<T> = (&'static str, fn(&[T]) -> T);
type Dot<T> = (&'static str, fn(&[T], &[T]) -> T);

/// Arrays of so many bytes in all, of sums and dot products; rows per element.
fn reduce_rows<T: reduce::Element, const BYTES: usize>() -> Vec<Row> {
    let numbers = |bytes: usize| -> Arc<Vec<T>> {
        Arc::new(words(bytes / size_of::<T>()).into_iter().map(|word| T::from_f64(f64::from(word) - 2e9)).collect())
    };
    let (x, half, other) = (numbers(BYTES), numbers(BYTES / 2), numbers(BYTES / 2));
    let mut rows: Vec<Row> = Vec::new();
    let mut plain = |name: &str, sum: fn(&[T]) -> T| {
        let x = x.clone();
        rows.push((name.to_owned(), x.len(), Box::new(move || keep(sum(black_box(&x))))));
    };
    plain("sum, original", products::sum::<T, 1>);
    plain("sum in 4", products::sum::<T, 4>);
    plain("sum in 32", products::sum::<T, 32>);
    let functions: [Sum<T>; 5] = [
        ("sum", |x| reduce::sum(x)),
        ("asum", |x| reduce::asum(x)),
        ("sum2", reduce::sum2),
        ("kahan", reduce::kahan),
        ("sum_repro", reduce::sum_repro),
    ];
    for (name, sum) in functions {
        for isa in levels() {
            let x = x.clone();
            let call = under(isa, move || keep(sum(black_box(&x))));
            rows.push((format!("{name} {}", isa.word()), BYTES / size_of::<T>(), call));
        }
    }
    let functions: [Dot<T>; 2] =
        [("dot", |x, y| reduce::dot(x, y).unwrap()), ("dot2", |x, y| reduce::dot2(x, y).unwrap())];
    for (name, dot) in functions {
        for isa in levels() {
            let (x, y) = (half.clone(), other.clone());
            let call = under(isa, move || keep(dot(black_box(&x), black_box(&y))));
            // Bytes of both arrays count.
            rows.push((format!("{name} {}", isa.word()), BYTES / size_of::<T>(), call));
        }
    }
    rows
}

/// `C = A B`.
type Product<T> = Box<dyn FnMut(&[T], &[T], &mut [T])>;

/// The article's rungs, then the library under each instruction set; per multiply-add. All give the same product of small integers.
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
        // Other memory is read between the calls, and timed alone as the last row.
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

/// Times products in turn: flops per cycle, and their part of the peak that was measured, of the instruction set where there is one.
fn measure_products<T: matmul::Element>(title: &str, n: usize, cold: bool, budget: Duration) {
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

fn orientations(particles: &[Particle]) -> Vec<Psi> {
    particles.iter().map(|p| Psi::new(p.cos6.into(), p.sin6.into()).unwrap()).collect()
}

/// Sums by distance of those by offset; `dx` of a column.
fn by_distance(sums: &[pairs::Sum], columns: usize, dx: impl Fn(usize) -> i64) -> Vec<pairs::Sum> {
    let mut all = vec![pairs::Sum::default(); 4 * columns];
    for (at, sum) in sums.iter().enumerate().filter(|(_, sum)| sum.count > 0) {
        let (dx, dy) = (dx(at % columns), (at / columns) as i64);
        let total = &mut all[((dx * dx + dy * dy) as f64).sqrt() as usize];
        (total.g, total.count) = (total.g + sum.g, total.count + sum.count);
    }
    all
}

/// The same pairs, and sums that differ by what `f32` rounds: 10^-5 a pair at most.
fn agree(a: &[pairs::Sum], b: &[pairs::Sum]) {
    let none = pairs::Sum::default();
    for r in 0..a.len().max(b.len()) {
        let [a, b] = [a, b].map(|sums| sums.get(r).unwrap_or(&none));
        assert_eq!(a.count, b.count, "pairs at {r}");
        assert!((a.g - b.g).abs() <= 1e-5 * a.count as f32 + 1e-3, "sums at {r}: {} and {}", a.g, b.g);
    }
}

/// All distances of an image, those of every 50th spacing of blocks or of rows: the original's rungs, and images.
fn image_rows<const N: usize>() -> Vec<Row> {
    const EVERY: usize = 50;
    let (in_rows, width) = pairs::image(N);
    let mut shuffled = in_rows.clone();
    let mut random = Textbook::new(3);
    (1..N.min(shuffled.len())).for_each(|i| shuffled.swap(i, random.next_u32() as usize % (i + 1)));
    let spacings: Vec<usize> = (1..in_rows.len() / pairs::BLOCK).step_by(EVERY).collect();
    let counted = pairs::count(&in_rows, &spacings);

    // The rungs of the same particles agree.
    let none = pairs::Sum::default();
    for points in [&shuffled, &in_rows] {
        let (mut distances, mut offsets) = (vec![none; 2 * width], vec![none; width * width]);
        pairs::by_distance(points, &spacings, &mut distances);
        pairs::by_offset(points, &spacings, width, &mut offsets);
        agree(&distances, &by_distance(&offsets, width, |column| column as i64));
    }
    let (mut distances, mut offsets) = (vec![none; 2 * width], vec![none; 2 * width * width]);
    pairs::by_distance(&in_rows, &spacings, &mut distances);
    pairs::by_signed_offset(&in_rows, &spacings, width, &mut offsets);
    agree(&distances, &by_distance(&offsets, 2 * width, |column| column as i64 - width as i64));

    let mut rows: Vec<Row> = Vec::new();
    let (points, at, mut sums) = (shuffled.clone(), spacings.clone(), vec![none; 2 * width]);
    let by_distance = move || pairs::by_distance(black_box(&points), &at, &mut sums);
    rows.push(("distances".to_owned(), counted, Box::new(by_distance)));
    for (name, points) in [("offsets", shuffled), ("offsets, in rows", in_rows.clone())] {
        let (at, mut sums) = (spacings.clone(), vec![none; width * width]);
        let by_offset = move || pairs::by_offset(black_box(&points), &at, width, &mut sums);
        rows.push((name.to_owned(), counted, Box::new(by_offset)));
    }
    let (points, at, mut sums) = (in_rows.clone(), spacings, vec![none; 2 * width * width]);
    let by_signed_offset = move || pairs::by_signed_offset(black_box(&points), &at, width, &mut sums);
    rows.push(("signed offsets, in rows".to_owned(), counted, Box::new(by_signed_offset)));

    let (x, y): (Vec<i32>, Vec<i32>) = in_rows.iter().map(|particle| (particle.x, particle.y)).unzip();
    let images = [
        ("image", Image::new(&x, &y, &orientations(&in_rows)).unwrap()),
        ("image, pairs alone", Image::of_positions(&x, &y).unwrap()),
    ];
    let empty = Accumulator::new(Bins::uniform(0.0, 2.0 * width as f64, 1.0).unwrap()).unwrap();
    let mut counts = None;
    for (name, image) in images {
        let image = Arc::new(image);
        let some = |image: &Image, pairs: &mut Accumulator| {
            (1..=image.height()).step_by(EVERY).for_each(|dy| pairs.add_image_rows(image, dy..dy + 1).unwrap());
        };
        let mut truth = None;
        for isa in levels() {
            cap(isa);
            let mut pairs = empty.clone();
            some(&image, &mut pairs);
            let found: Vec<u64> = pairs.bins().map(|bin| bin.count).collect();
            let counted = found.iter().sum::<u64>() as usize;
            assert_eq!(&found, counts.get_or_insert_with(|| found.clone()), "{name}");
            assert_eq!(&pairs, truth.get_or_insert_with(|| pairs.clone()), "{name} {}", isa.word());
            let image = Arc::clone(&image);
            let call = under(isa, move || some(black_box(&image), &mut pairs));
            rows.push((format!("{name} {}", isa.word()), counted, call));
        }
    }
    rows
}

/// Distances up to 300 pixels of points with real coordinates, in bins of one width.
fn point_rows<const N: usize, const BINS: usize>() -> Vec<Row> {
    const R_MAX: f64 = 300.0;
    let (particles, _) = pairs::image(N);
    let width = R_MAX / BINS as f64;
    let points = Arc::new(points_of(&particles, R_MAX));
    let mut sums = vec![(0, 0); BINS + 1];
    let counted = pairs::by_cells(&particles, R_MAX as f32, (1.0 / width) as f32, &mut sums);
    let empty = Accumulator::new(Bins::uniform(0.0, R_MAX, width).unwrap()).unwrap();
    let mut rows: Vec<Row> = Vec::new();
    for isa in levels() {
        cap(isa);
        let mut pairs = empty.clone();
        pairs.add_points(&points).unwrap();
        // The products are rounded to multiples of 2^8 units.
        for (bin, &(sum, count)) in pairs.bins().zip(&sums) {
            assert_eq!(bin.count, count, "{}: pairs from {}", isa.word(), bin.lo);
            assert!((bin.sum - i128::from(sum)).abs() <= 128 * i128::from(count), "{}: {}", isa.word(), bin.lo);
        }
        let points = Arc::clone(&points);
        let call = under(isa, move || pairs.add_points(black_box(&points)).unwrap());
        rows.push((format!("points {}", isa.word()), counted, call));
    }
    let mut by_cells = move || pairs::by_cells(black_box(&particles), R_MAX as f32, (1.0 / width) as f32, &mut sums);
    rows.insert(0, ("cells".to_owned(), counted, Box::new(move || keep(by_cells()))));
    rows
}

fn points_of(particles: &[Particle], r_max: f64) -> Points {
    let [x, y]: [Vec<f32>; 2] = [0, 1].map(|axis| particles.iter().map(|p| [p.x, p.y][axis] as f32).collect());
    Points::new(&x, &y, &orientations(particles), Boundary::Open, r_max).unwrap()
}

/// Accumulators of two threads, which take units of work in turn, together.
fn in_threads(
    threads: usize,
    units: usize,
    empty: &Accumulator,
    add: impl Fn(&mut Accumulator, usize) + Sync,
) -> Accumulator {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut pairs = empty.clone();
        loop {
            let unit = next.fetch_add(1, Ordering::Relaxed);
            if unit >= units {
                return pairs;
            }
            add(&mut pairs, unit);
        }
    };
    let mut all = empty.clone();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().for_each(|worker| all.merge(&worker.join().unwrap()).unwrap());
    });
    all
}

/// One thread and two, with the same result.
fn thread_rows(units: usize, empty: Accumulator, add: impl Fn(&mut Accumulator, usize) + Sync + 'static) -> Vec<Row> {
    cap(levels().last().expect("the scalar one"));
    let add = Arc::new(add);
    let alone = in_threads(1, units, &empty, &*add);
    assert_eq!(in_threads(2, units, &empty, &*add), alone);
    let counted = alone.bins().map(|bin| bin.count).sum::<u64>() as usize;
    let row = |(name, threads): (&str, usize)| -> Row {
        let (add, empty) = (Arc::clone(&add), empty.clone());
        let call = move || drop(black_box(in_threads(threads, units, &empty, &*add)));
        (name.to_owned(), counted, Box::new(call))
    };
    [("1 thread", 1), ("2 threads", 2)].map(row).into()
}

/// All pairs of an image, a difference of y as the unit.
fn image_threads<const N: usize>() -> Vec<Row> {
    let (particles, width) = pairs::image(N);
    let (x, y): (Vec<i32>, Vec<i32>) = particles.iter().map(|particle| (particle.x, particle.y)).unzip();
    let image = Image::new(&x, &y, &orientations(&particles)).unwrap();
    let empty = Accumulator::new(Bins::uniform(0.0, 2.0 * width as f64, 1.0).unwrap()).unwrap();
    let rows = image.height() as usize + 1;
    thread_rows(rows, empty, move |pairs, dy| pairs.add_image_rows(&image, dy as u32..dy as u32 + 1).unwrap())
}

/// Distances up to 300 pixels, 64 cells as the unit.
fn point_threads<const N: usize>() -> Vec<Row> {
    const CELLS: usize = 64;
    let points = points_of(&pairs::image(N).0, 300.0);
    let empty = Accumulator::new(Bins::uniform(0.0, 300.0, 1.0).unwrap()).unwrap();
    thread_rows(points.cells().div_ceil(CELLS), empty, move |pairs, part| {
        pairs.add_points_of_cells(&points, part * CELLS..(part + 1) * CELLS).unwrap();
    })
}

/// Arguments of a block of exp.
const LOG2_BLOCK: u32 = 26;

/// Less than 2^-32 ulp, in half ulps and units of 2^-64.
const WITHIN: u64 = 1 << 33;

/// A search of a block of exp for all breakpoints, calling back with its cases.
type Search = Box<dyn FnMut(&Block, &mut dyn FnMut(u64))>;

/// The CASES hard cases of exp among the first 2^LOG2 arguments from 1 on: as they were searched for in scalar code, the same way by the library, and by rows.
fn search_rows<const LOG2: u32, const CASES: usize>() -> Vec<Row> {
    let series = Arc::new(Series::new(&original::EXP, LOG2_BLOCK).unwrap());
    let blocks = 1 << (LOG2 - LOG2_BLOCK);
    // The terms that are left out, e 2^(52 - 52 k) x^k / k! from k = 6 on, are below 2^-50 for 2^36 arguments.
    let lost = series.error(blocks) + 2_f64.powi(-50);
    let within = WITHIN + (lost * 2_f64.powi(64)) as u64 + 1;
    let three_phase = |test: three_phase::Test| -> Search {
        let mut search = ThreePhase::new(test, within);
        Box::new(move |block, each| search.block(block, 0..1 << LOG2_BLOCK, each).unwrap())
    };
    let mut truth: Option<Vec<u64>> = None;
    let mut rows: Vec<Row> = Vec::new();
    let mut row = |name: String, isa: isa::Isa, mut search: Search| {
        let series = Arc::clone(&series);
        let mut cases = move || {
            let mut cases = Vec::new();
            for j in 0..blocks {
                search(&series.block(j as i64), &mut |x| cases.push(j << LOG2_BLOCK | x));
            }
            cases
        };
        cap(isa);
        let found = cases();
        assert_eq!(found.len(), CASES, "{name}");
        assert_eq!(&found, truth.get_or_insert_with(|| found.clone()), "{name}");
        rows.push((name, 1 << LOG2, under(isa, move || keep(cases()))));
    };
    let lefevre = |a: &[u64], b: &[u64], n, w, bits: &mut [u8]| {
        original::all(original::lefevre, a, b, n, w, bits);
        Ok(())
    };
    let regular = |a: &[u64], b: &[u64], n, w, bits: &mut [u8]| {
        original::all(original::regular, a, b, n, w, bits);
        Ok(())
    };
    row("three phases, Lefevre".to_owned(), isa::Isa::scalar, three_phase(lefevre));
    row("three phases, regular".to_owned(), isa::Isa::scalar, three_phase(regular));
    for isa in levels() {
        let exists =
            |a: &[u64], b: &[u64], n, w, bits: &mut [u8]| hardround::exists(hardround::Test::Regular, a, b, n, w, bits);
        row(format!("three phases, {}", isa.word()), isa, three_phase(exists));
    }
    for isa in levels() {
        let mut scan = Scan::new(within).unwrap();
        let search = move |block: &Block, each: &mut dyn FnMut(u64)| scan.block(block, 1 << LOG2_BLOCK, each).unwrap();
        row(format!("rows, {}", isa.word()), isa, Box::new(search));
    }
    rows
}

/// A test of lines, into bits.
type FirstPhase = Box<dyn FnMut(&Lines, &mut [u8])>;

/// The first phase alone, on domains of exp.
fn test_rows() -> Vec<Row> {
    const N: u64 = 1 << 15;
    const DOMAINS: usize = 2048;
    let block = Series::new(&original::EXP, LOG2_BLOCK).unwrap().block(1);
    let c = coefficients(&block);
    let strip = Strip::new(&c, &(0..1 << LOG2_BLOCK), WITHIN, N);
    let mut lines = Lines::default();
    lines.extend(c, N, DOMAINS as u64, &strip);
    let lines = Arc::new(lines);
    let mut rows: Vec<Row> = Vec::new();
    // All that pass the exact test pass the others.
    let mut exact = vec![0; DOMAINS / 8];
    original::all(original::lefevre, &lines.a, &lines.b, N, strip.width, &mut exact);
    let mut row = |name: String, mut test: FirstPhase| {
        let mut bits = vec![0; DOMAINS / 8];
        test(&lines, &mut bits);
        assert!(exact.iter().zip(&bits).all(|(exact, bits)| exact & !bits == 0), "{name}");
        let passed = bits.iter().map(|byte| byte.count_ones()).sum::<u32>();
        let lines = Arc::clone(&lines);
        rows.push((format!("{name} ({passed} pass)"), DOMAINS, Box::new(move || test(black_box(&lines), &mut bits))));
    };
    for (name, test) in [("Lefevre", original::lefevre as original::Test), ("regular", original::regular)] {
        let all = move |lines: &Lines, bits: &mut [u8]| original::all(test, &lines.a, &lines.b, N, strip.width, bits);
        row(name.to_owned(), Box::new(all));
    }
    for (name, kernel) in [("lefevre", &hardround::lefevre::KERNEL), ("regular", &hardround::regular::KERNEL)] {
        for (variant, function) in usable(kernel) {
            let all = move |lines: &Lines, bits: &mut [u8]| {
                // SAFETY: arrays of as many lines, and a bit for each.
                unsafe { function(lines.a.as_ptr(), lines.b.as_ptr(), DOMAINS, N, strip.width, bits.as_mut_ptr()) }
            };
            row(format!("{name} {variant}"), Box::new(all));
        }
    }
    rows
}

/// Argument by argument, where there is no case; with or without third differences.
fn argument_rows<const THIRD: u64>() -> Vec<Row> {
    const N: u64 = 4096;
    let d = [1 << 60, 0x9e37_79b9_7f4a_7c15, 1 << 30, THIRD];
    let mut rows: Vec<Row> = Vec::new();
    let mut row = |name: String, mut first: Box<dyn FnMut(u64) -> u64>| {
        for w in [0, 1 << 40, 1 << 54, 1 << 58] {
            assert_eq!(first(w), original::exhaust(&d, N, w), "{name}");
        }
        rows.push((name, N as usize, Box::new(move || keep(first(black_box(1 << 18))))));
    };
    row("original".to_owned(), Box::new(move |w| original::exhaust(black_box(&d), N, w)));
    for (variant, function) in usable(&hardround::exhaust::KERNEL) {
        // SAFETY: four integers.
        row(format!("exhaust {variant}"), Box::new(move |w| unsafe { function(d.as_ptr(), N, w) }));
    }
    rows
}

/// Times searches in turn, scaled to 2^40 arguments.
fn measure_searches(title: &str, mut rows: Vec<Row>, budget: Duration) {
    let time = |(_, elements, call): &mut Row| {
        let begin = Instant::now();
        call();
        begin.elapsed().as_secs_f64() / *elements as f64
    };
    let count = rows.len();
    let samples =
        clock::interleaved(count + 1, budget, |index| rows.get_mut(index).map_or_else(clock::gigahertz, time));
    let gigahertz = samples[count].median();
    println!("{title} ({gigahertz:.2} GHz)");
    println!(
        "published for directed roundings alone: 0.081 s on a GPU (Tesla C2070), 0.244 s or more on a server of 16 cores"
    );
    println!("{:34}{:>9}{:>9}{:>10}{:>16}{:>9}", "", "least s", "s", "spread", "cycles / 32768", "ratio");
    for ((name, ..), time) in rows.iter().zip(&samples) {
        let [least, median] = [time.least(), time.median()].map(|time| time * 2_f64.powi(40));
        let (cycles, spread) = (time.least() * 32768e9 * gigahertz, 100.0 * time.spread());
        let ratio = samples[0].median() / time.median();
        println!("{name:34}{least:9.4}{median:9.4}{spread:8.1} %{cycles:16.1}{ratio:9.2}");
    }
    println!();
}

/// The instruction sets of this CPU, weakest first.
fn levels() -> impl Iterator<Item = isa::Isa> {
    isa::Isa::ALL.iter().copied().filter(|&isa| isa::detected(isa))
}

/// Caps every kernel. Only a change costs anything: a row's calls are short, and follow each other.
fn cap(isa: isa::Isa) {
    static SET: AtomicUsize = AtomicUsize::new(usize::MAX);
    if SET.load(Ordering::Relaxed) != isa as usize {
        isa::set(isa).expect("an instruction set of this CPU");
        SET.store(isa as usize, Ordering::Relaxed);
    }
}

/// The call under a cap.
fn under(isa: isa::Isa, mut call: impl FnMut() + 'static) -> Box<dyn FnMut()> {
    Box::new(move || {
        cap(isa);
        call();
    })
}

/// The variants, worst first, that this CPU can execute.
fn usable<F: Copy>(kernel: &Kernel<F>) -> impl Iterator<Item = (String, F)> {
    let usable = kernel.variants.iter().rev().filter(|variant| isa::detected(variant.isa));
    usable.map(|variant| (variant.to_string(), variant.function))
}

/// Times the rows in turn and prints the medians per `unit` elements, and the least number of cycles, which tells how noisy the machine is.
fn measure(title: &str, unit: usize, mut rows: Vec<Row>, budget: Duration) {
    let time = |(_, elements, call): &mut Row| {
        let calls = 1 + 200_000 / *elements;
        let begin = Instant::now();
        (0..calls).for_each(|_| call());
        begin.elapsed().as_nanos() as f64 / (calls * *elements) as f64
    };
    let count = rows.len();
    let job = |index| rows.get_mut(index).map_or_else(clock::gigahertz, time);
    let samples = clock::interleaved(count + 1, budget, job);
    let gigahertz = samples[count].median();
    let head = ["least", "cycles", "ns", "spread", "ratio"].map(|word| format!("{word:>9}")).join("");
    println!("{title} ({gigahertz:.2} GHz)\n{:34}{head}", "");
    for ((name, ..), time) in rows.iter().zip(&samples) {
        let (median, spread) = (unit as f64 * time.median(), 100.0 * time.spread());
        let (least, cycles) = (unit as f64 * time.least() * gigahertz, median * gigahertz);
        let ratio = unit as f64 * samples[0].median() / median;
        let digits = if least < 100.0 { 3 } else { 0 };
        println!("{name:34}{least:9.digits$}{cycles:9.digits$}{median:9.digits$}{spread:7.1} %{ratio:9.2}");
    }
    println!();
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let measured = words.iter().any(|word| word == "--bench") && !words.iter().any(|word| word == "--test");
    let budget = if measured { Duration::from_secs(8) } else { Duration::ZERO };
    let wanted = words.iter().find(|word| !word.starts_with('-'));
    let ladder = |name: &str, title: &str, unit: usize, rows: fn() -> Vec<Row>| {
        if wanted.is_none_or(|word| name.contains(word.as_str())) {
            measure(&format!("{name}: {title}"), unit, rows(), budget);
        }
    };
    ladder("random", "MT19937, per number", 1, random_rows);
    ladder("exp", "exponential, per value", 1, exp_rows);
    ladder("ising", "Metropolis sweep, per attempted update", 1, ising_rows);
    ladder("bits/slice", "2048 integers of 32 bits in the first cache, per block", BLOCK, slice_rows);
    ladder("bits/width", "32 KiB of other elements, per 8 KiB", BLOCK, width_rows);
    ladder("bits/memory", "128 MiB, per block of 8 KiB", BLOCK, memory_rows);
    ladder("bits/distance", "32 planes of 2048 bits, per block", BLOCK, distance_rows);
    ladder("bits/pairs", "rows of 2048 bits, per pair", 1, pair_rows);
    ladder("bits/gather", "single integers of 32 bits, per integer", 1, gather_rows);
    ladder("reduce/f32/1K", "1 KiB, per 64 bytes", 16, reduce_rows::<f32, { 1 << 10 }>);
    ladder("reduce/f32/16K", "16 KiB, per 64 bytes", 16, reduce_rows::<f32, { 16 << 10 }>);
    ladder("reduce/f32/256K", "256 KiB, per 64 bytes", 16, reduce_rows::<f32, { 256 << 10 }>);
    ladder("reduce/f32/6M", "6 MiB, per 64 bytes", 16, reduce_rows::<f32, { 6 << 20 }>);
    ladder("reduce/f64/16K", "16 KiB, per 64 bytes", 8, reduce_rows::<f64, { 16 << 10 }>);
    ladder("reduce/f64/256K", "256 KiB, per 64 bytes", 8, reduce_rows::<f64, { 256 << 10 }>);
    ladder("reduce/f64/6M", "6 MiB, per 64 bytes", 8, reduce_rows::<f64, { 6 << 20 }>);
    ladder("correlation/image/5K", "an image of 5 000 points, per pair", 1, image_rows::<5_000>);
    ladder("correlation/points/5K", "5 000 points, 300 bins, per pair", 1, point_rows::<5_000, 300>);
    ladder("correlation/threads/image/5K", "an image of 5 000 points, per pair", 1, image_threads::<5_000>);
    ladder("correlation/threads/points/5K", "5 000 points, 300 bins, per pair", 1, point_threads::<5_000>);
    if measured {
        ladder("correlation/threads/image/100K", "an image of 100 000 points, per pair", 1, image_threads::<100_000>);
        ladder("correlation/threads/points/50K", "50 000 points, 300 bins, per pair", 1, point_threads::<50_000>);
        ladder("correlation/image/100K", "an image of 100 000 points, per pair", 1, image_rows::<100_000>);
        ladder("correlation/points/100K/300", "100 000 points, 300 bins, per pair", 1, point_rows::<100_000, 300>);
        ladder("correlation/points/100K/20", "100 000 points, 20 bins, per pair", 1, point_rows::<100_000, 20>);
    }
    ladder("hardround/tests", "domains of 2^15 arguments, per domain", 1, test_rows);
    ladder("hardround/arguments/2", "by differences of degree 2, per 4096 arguments", 4096, argument_rows::<0>);
    ladder("hardround/arguments/3", "by differences of degree 3, per 4096 arguments", 4096, argument_rows::<1>);
    if wanted.is_none_or(|word| "hardround/search".contains(word.as_str())) {
        let rows = if measured { search_rows::<34, 17>() } else { search_rows::<32, 5>() };
        measure_searches("hardround/search: exp, all breakpoints, 2^-32 ulp, 2^40 arguments", rows, budget);
    }
    for n in [8, 16, 32, 64, 128, 256, 512, 1000, 1024] {
        for cold in [false, true] {
            let name = format!("matmul/{n}/{}", if cold { "cold" } else { "warm" });
            if wanted.is_none_or(|word| name.contains(word.as_str())) && !(cold && n < 64) && (measured || n <= 64) {
                measure_products::<f32>(&format!("{name}: f32"), n, cold, budget);
                measure_products::<f64>(&format!("{name}: f64"), n, cold, budget);
            }
        }
    }
}
