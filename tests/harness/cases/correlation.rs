use hotloops::correlation::counts::Function as Counts;
use hotloops::correlation::edges::Function as Edges;
use hotloops::correlation::ntt_combine::Function as Combine;
use hotloops::correlation::ntt_forward::Function as Level;
use hotloops::correlation::ntt_multiply::Function as Multiply;
use hotloops::correlation::offsets::Function as Offsets;
use hotloops::correlation::scatter::Function as Scatter;
use hotloops::correlation::scatter_below::Function as ScatterBelow;

use crate::harness::guard::{Guarded, Side};
use crate::harness::once;
use crate::harness::rng::Rng;

const SIDES: [Side; 2] = [Side::Start, Side::End];

impl Rng {
    /// Orientations: random ones, and the extremes with all signs.
    fn psi(&mut self, n: usize) -> Vec<i16> {
        const ENDS: [i16; 5] = [16384, -16384, 0, 16383, -1];
        let of_ends = self.below(3) == 0;
        let mut one = || match of_ends {
            true => ENDS[self.below(5) as usize],
            false => (self.below(32769) as i32 - 16384) as i16,
        };
        (0..2 * n).map(|_| one()).collect()
    }

    /// Coordinates, many of them on a grid, so that distances fall on edges.
    fn coordinates(&mut self, n: usize, spread: u64) -> Vec<f32> {
        let step = [1.0, 0.25, 0.1][self.below(3) as usize];
        (0..n).map(|_| self.below(spread) as f32 * step - 3.0).collect()
    }
}

/// Pairs of point counts: all pairs of small counts (every remainder of the blocks), then larger
/// ones.
fn shapes() -> impl Iterator<Item = (usize, usize)> {
    let small = (0..6).flat_map(|n| (0..36).map(move |m| (n, m)));
    let others = (0..36).map(|n| (n, (7 * n + 3) % 23));
    small.chain(others).chain([(17, 100), (64, 37), (3, 300), (300, 1), (2, 65_541), (65_541, 1)])
}

pub fn offsets(reference: Offsets, subject: Offsets) {
    const WIDTH: u64 = 90;
    let mut rng = Rng(1);
    for (n, m) in shapes() {
        // Positions over the whole row, or a few positions with many duplicates.
        let spread = if (n + m) % 4 == 0 { 3 } else { WIDTH };
        let mut positions = |n| (0..n).map(|_| rng.below(spread) as i32 - 20).collect::<Vec<i32>>();
        let (mut x, mut other_x) = (positions(n), positions(m));
        if n % 2 == 1 {
            x.sort_unstable();
            other_x.sort_unstable();
        }
        let (psi, other_psi) = (rng.psi(n), rng.psi(m));
        let least = other_x.iter().min().unwrap_or(&0) - x.iter().max().unwrap_or(&0);
        let most = other_x.iter().max().unwrap_or(&0) - x.iter().min().unwrap_or(&0);
        let before: Vec<i64> = (0..=i64::from(most - least)).map(|i| i * 0x1234_5678_9abc).collect();
        // SAFETY: arrays of the sizes that the kernel requires, and words from the smallest to the
        // largest difference.
        let run = |kernel: Offsets, x, psi, other_x, other_psi, words: *mut i64| unsafe {
            kernel(x, psi, n, other_x, other_psi, m, words.wrapping_offset(-least as isize));
        };
        let expected = once(|| {
            let mut expected = before.clone();
            run(reference, x.as_ptr(), psi.as_ptr(), other_x.as_ptr(), other_psi.as_ptr(), expected.as_mut_ptr());
            expected
        });
        for side in SIDES {
            let slack = n % 5;
            let (first, second) = (Guarded::new(&x, side, 4 * slack), Guarded::new(&psi, side, 2 * slack));
            let (third, fourth) = (Guarded::new(&other_x, side, slack), Guarded::new(&other_psi, side, 3 * slack));
            let mut words = Guarded::new(&before, side, slack);
            run(subject, first.as_ptr(), second.as_ptr(), third.as_ptr(), fourth.as_ptr(), words.as_mut_ptr());
            assert_eq!(words.to_vec(), *expected, "{n} points with {m}, x {x:?} {other_x:?}, {side:?}");
        }
    }
}

/// Points of two sets, guarded.
struct Points {
    first: (Guarded<f32>, Guarded<f32>, Guarded<i16>),
    second: (Guarded<f32>, Guarded<f32>, Guarded<i16>),
    shift: Guarded<f32>,
}

/// The coordinates of points, x and y.
type Positions = [*const f32; 2];

/// Runs `call(kernel, points, shift, words)` on both kernels for all shapes and compares the words.
fn pairs<F: Copy>(
    reference: F,
    subject: F,
    words: impl Fn(usize) -> usize,
    call: impl Fn(F, Positions, *const i16, usize, Positions, *const i16, usize, *const f32, *mut i64, usize),
) {
    let mut rng = Rng(2);
    for (number, (n, m)) in shapes().enumerate() {
        let spread = [40, 2, 1000][number % 3];
        let (x, y, psi) = (rng.coordinates(n, spread), rng.coordinates(n, spread), rng.psi(n));
        let (other_x, other_y) = (rng.coordinates(m, spread), rng.coordinates(m, spread));
        let other_psi = rng.psi(m);
        let shift = [[0.0, 0.0], [10.0, -0.0], [-7.3, 3.0e38], [1.5, -6.3]][number % 7 % 4];
        let before: Vec<i64> = (0..words(number) as i64).map(|i| i * 0x1234_5678_9abc).collect();
        let expected = once(|| {
            let mut expected = before.clone();
            let (a, b) = ([x.as_ptr(), y.as_ptr()], [other_x.as_ptr(), other_y.as_ptr()]);
            let (p, q) = (psi.as_ptr(), other_psi.as_ptr());
            call(reference, a, p, n, b, q, m, shift.as_ptr(), expected.as_mut_ptr(), number);
            expected
        });
        for side in SIDES {
            let slack = number % 5;
            let points = Points {
                first: (
                    Guarded::new(&x, side, slack),
                    Guarded::new(&y, side, 4 * slack),
                    Guarded::new(&psi, side, 2 * slack),
                ),
                second: (
                    Guarded::new(&other_x, side, 3 * slack),
                    Guarded::new(&other_y, side, 16),
                    Guarded::new(&other_psi, side, slack),
                ),
                shift: Guarded::new(&shift, side, slack),
            };
            let mut after = Guarded::new(&before, side, 8 * slack);
            let (a, b) = (&points.first, &points.second);
            let (shift, words) = (points.shift.as_ptr(), after.as_mut_ptr());
            let (first, second) = ([a.0.as_ptr(), a.1.as_ptr()], [b.0.as_ptr(), b.1.as_ptr()]);
            call(subject, first, a.2.as_ptr(), n, second, b.2.as_ptr(), m, shift, words, number);
            assert_eq!(after.to_vec(), *expected, "{n} points with {m}, number {number}, {side:?}");
        }
    }
}

pub fn scatter(reference: Scatter, subject: Scatter) {
    // Number of bins, their width and their start, so that some, none or all distances are outside.
    const BINS: [(usize, f32, f32); 8] = [
        (10, 1.0, 0.0),
        (300, 0.5, -0.25),
        (0, 1.0, 0.0),
        (1, 1e-30, 1e30),
        (5, 1e30, 0.0),
        (200, 0.1, 41.3),
        (7, 0.3, 1e9),
        (65_537, 0.013, 0.5),
    ];
    let bins = |number: usize| if number == 40 { BINS[7] } else { BINS[number % 7] };
    let words = |number| 4 * (bins(number).0 + 1);
    pairs(reference, subject, words, |kernel, a, psi, n, b, other_psi, m, shift, words, number| {
        let (bins, width, start) = bins(number);
        // SAFETY: arrays of the sizes that the kernel wants.
        unsafe { kernel(a[0], a[1], psi, n, b[0], b[1], other_psi, m, shift, 1.0 / width, start, bins, words) }
    });
}

pub fn scatter_below(reference: ScatterBelow, subject: ScatterBelow) {
    const BINS: [(usize, f32, f32); 5] =
        [(10, 1.0, 0.0), (300, 0.5, -0.25), (0, 1.0, 0.0), (200, 0.1, 41.3), (65_537, 0.013, 0.5)];
    let bins = |number: usize| BINS[if number == 40 { 4 } else { number % 4 }];
    let words = |number| 4 * (bins(number).0 + 1);
    // Limits that keep all pairs, none, and parts.
    for limit in [f32::INFINITY, f32::NAN, 0.0, 1.0, 30.0, 1000.0] {
        pairs(reference, subject, words, |kernel, a, psi, n, b, other_psi, m, shift, words, number| {
            let (bins, width, start) = bins(number);
            // SAFETY: arrays of the sizes that the kernel wants.
            unsafe {
                kernel(a[0], a[1], psi, n, b[0], b[1], other_psi, m, shift, limit, 1.0 / width, start, bins, words);
            }
        });
    }
}

/// Edges for `edges` and `counts`; none for one number.
fn some_edges(number: usize) -> Vec<f32> {
    match number % 13 {
        _ if number == 50 => vec![],
        0 => vec![-1.0],
        // More edges than 16 bits can count.
        _ if number == 51 => (0..65_541).map(|e| e as f32 * 0.25).collect(),
        1 => vec![f32::INFINITY, 0.0, f32::NEG_INFINITY],
        k => (0..k).map(|e| (e * e) as f32 * [1.0, 0.0625, 5.0][number % 3]).collect(),
    }
}

pub fn counts(reference: Counts, subject: Counts) {
    let words = |number| some_edges(number).len();
    pairs(reference, subject, words, |kernel, a, _, n, b, _, m, shift, out, number| {
        for side in SIDES {
            let edges = Guarded::new(&some_edges(number), side, number % 4);
            // SAFETY: arrays of the sizes that the kernel wants.
            unsafe { kernel(a[0], a[1], n, b[0], b[1], m, shift, edges.as_ptr(), words(number), out) }
        }
    });
}

pub fn edges(reference: Edges, subject: Edges) {
    let words = |number| some_edges(number).len();
    pairs(reference, subject, words, |kernel, a, psi, n, b, other_psi, m, shift, out, number| {
        for side in SIDES {
            let edges = Guarded::new(&some_edges(number), side, number % 4);
            let (k, edges) = (words(number), edges.as_ptr());
            // SAFETY: arrays of the sizes that the kernel wants.
            unsafe { kernel(a[0], a[1], psi, n, b[0], b[1], other_psi, m, shift, edges, k, out) }
        }
    });
    // Many pairs with the largest products, throughout a block.
    let (x, psi, negative) = ([1.0f32; 700], [16384i16; 1400], [-16384i16; 1400]);
    for other in [&psi, &negative] {
        let [mut expected, mut found] = [[0i64; 2]; 2];
        for (kernel, words) in [(reference, &mut expected), (subject, &mut found)] {
            let (x, psi, other, far) = (x.as_ptr(), psi.as_ptr(), other.as_ptr(), [0.0, 1.0f32]);
            // SAFETY: as above.
            unsafe {
                kernel(x, x, psi, 180, x, x, other, 700, [0.0f32; 2].as_ptr(), far.as_ptr(), 2, words.as_mut_ptr())
            }
        }
        assert_eq!(found, expected);
    }
}

/// Primes of transforms, and minus their inverses modulo 2^32.
const PRIMES: [[u32; 2]; 3] = [[268_369_921, 268_369_919], [227_082_241, 227_082_239], [3, 1_431_655_765]];

/// Residues of `n` rows, below `end`: random ones, or the largest and the smallest.
fn residues(rng: &mut Rng, n: usize, end: u32) -> Vec<u32> {
    let of_ends = rng.below(3) == 0;
    let mut one = || if of_ends { [0, end - 1, 1][rng.below(3) as usize] } else { rng.below(end.into()) as u32 };
    (0..16 * n).map(|_| one()).collect()
}

/// Runs two levels of transforms by both kernels and compares the numbers.
fn levels(reference: Level, subject: Level, multiple: u32) {
    let mut rng = Rng(3);
    for (number, (nodes, quarter)) in
        [(0, 1), (1, 0), (1, 1), (2, 1), (1, 3), (4, 4), (5, 2), (16, 1), (1, 64)].into_iter().enumerate()
    {
        for [p, _] in PRIMES {
            let mut x = residues(&mut rng, 4 * nodes * quarter, multiple * p);
            let root = |_| {
                let w = rng.below(p.into());
                [w as u32, ((w << 32) / u64::from(p)) as u32]
            };
            let roots: Vec<u32> = (0..2 * nodes).flat_map(root).collect();
            for side in SIDES {
                let mut after = Guarded::new(&x, side, number);
                let roots = Guarded::new(&roots, side, number);
                // SAFETY: arrays of the sizes that the kernel wants.
                unsafe { subject(after.as_mut_ptr(), nodes, quarter, roots.as_ptr(), p) }
                let mut expected = x.clone();
                // SAFETY: as above.
                unsafe { reference(expected.as_mut_ptr(), nodes, quarter, roots.as_ptr(), p) }
                assert_eq!(after.to_vec(), expected, "{nodes} nodes of 4 x {quarter} rows modulo {p}, {side:?}");
                x.iter_mut().for_each(|x| *x = multiple * p - 1 - *x);
            }
        }
    }
}

pub fn ntt_forward(reference: Level, subject: Level) {
    levels(reference, subject, 4);
}

pub fn ntt_inverse(reference: Level, subject: Level) {
    levels(reference, subject, 2);
}

pub fn ntt_combine(reference: Combine, subject: Combine) {
    let mut rng = Rng(4);
    for (number, [n, inputs, outputs]) in
        [[0, 2, 3], [3, 0, 2], [2, 3, 0], [1, 1, 1], [5, 2, 3], [16, 3, 5], [7, 15, 15], [64, 8, 15]]
            .into_iter()
            .enumerate()
    {
        for [p, inverse] in PRIMES {
            let from = residues(&mut rng, n * inputs, 2 * p);
            let factors: Vec<u32> =
                (0..n * inputs * outputs).map(|_| p - 1 - rng.below(p.into()) as u32 % 7 % p).collect();
            let before = vec![7u32; 16 * n * outputs];
            let mut expected = before.clone();
            // SAFETY: arrays of the sizes that the kernel wants.
            let run = |kernel: Combine, from, to, factors| unsafe {
                kernel(from, to, n, inputs, outputs, factors, p, inverse);
            };
            run(reference, from.as_ptr(), expected.as_mut_ptr(), factors.as_ptr());
            for side in SIDES {
                let (from, factors) = (Guarded::new(&from, side, number), Guarded::new(&factors, side, 3 * number));
                let mut to = Guarded::new(&before, side, 2 * number);
                run(subject, from.as_ptr(), to.as_mut_ptr(), factors.as_ptr());
                assert_eq!(to.to_vec(), expected, "{n} times {inputs} to {outputs} rows modulo {p}, {side:?}");
            }
        }
    }
}

pub fn ntt_multiply(reference: Multiply, subject: Multiply) {
    let mut rng = Rng(5);
    for (number, [n, fields, gap]) in
        [[0, 1, 0], [1, 1, 0], [2, 2, 0], [3, 2, 5], [5, 1, 1], [64, 2, 48]].into_iter().enumerate()
    {
        for [p, inverse] in PRIMES {
            let stride = 16 * n + gap;
            // Numbers between the fields are not residues; nobody reads them.
            let mut field = |_| [residues(&mut rng, n, 4 * p), vec![u32::MAX; gap]].concat();
            let [a, b]: [Vec<u32>; 2] = [0, 1].map(|_| (0..fields).flat_map(&mut field).collect());
            let [a, b] = [a, b].map(|x| x[..(16 * n + (fields - 1) * stride)].to_vec());
            let mut expected = a.clone();
            let last = 16 * n.saturating_sub(1);
            // SAFETY: arrays of the sizes that the kernel wants.
            let run = |kernel: Multiply, a, b: *const u32| unsafe {
                kernel(a, b.add(last), n, fields, stride, p, inverse);
            };
            run(reference, expected.as_mut_ptr(), b.as_ptr());
            for side in SIDES {
                let (mut a, b) = (Guarded::new(&a, side, number), Guarded::new(&b, side, 3 * number));
                run(subject, a.as_mut_ptr(), b.as_ptr());
                assert_eq!(a.to_vec(), expected, "{n} rows of {fields} fields, {gap} apart, modulo {p}, {side:?}");
            }
        }
    }
}
