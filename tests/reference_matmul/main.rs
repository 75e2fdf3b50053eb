//! Products against chains of the standard library's fused multiply-add, bit for bit, and against
//! exact integers.

mod composed;
#[path = "../exact/mod.rs"]
mod exact;
#[path = "../harness/rng.rs"]
mod rng;

use exact::Exact;
use hotloops::Caches;
use hotloops::isa::{self, Isa};
use hotloops::matmul::{
    Element, MatMut, MatRef, Options, Order, PackedB, Plan, Strides, gemm, gemm_in, gemm_packed, workspace_bytes,
};
use rng::Rng;

impl Rng {
    fn numbers<T: Element>(&mut self, n: usize) -> Vec<T> {
        (0..n).map(|_| T::from_f64((self.word() >> 11) as f64 * (-52f64).exp2() - 1.0)).collect()
    }
}

/// One multiply-add step: fused, or a product and a sum if the instruction set in force cannot
/// fuse.
trait Step: Element {
    fn step(self, b: Self, c: Self) -> Self;
}

macro_rules! steps {
    ($($type:ident)+) => {$(
        impl Step for $type {
            fn step(self, b: Self, c: Self) -> Self {
                if isa::active() == Isa::sse2 { c + self * b } else { self.mul_add(b, c) }
            }
        }
    )+};
}
steps! { f32 f64 }

/// A matrix with any layout that owns its memory.
#[derive(Clone)]
struct Matrix<T> {
    values: Vec<T>,
    rows: usize,
    columns: usize,
    strides: Strides,
}

impl<T: Element> Matrix<T> {
    fn new(rng: &mut Rng, rows: usize, columns: usize, strides: Strides) -> Self {
        let reach = |n: usize, stride: isize| n.saturating_sub(1) * stride.unsigned_abs();
        let length = reach(rows, strides.row) + reach(columns, strides.column) + 1;
        Matrix { values: rng.numbers(length), rows, columns, strides }
    }

    fn place(&self, i: usize, j: usize) -> usize {
        let before =
            |n: usize, stride: isize, i: usize| (if stride < 0 { n - 1 - i } else { i }) * stride.unsigned_abs();
        before(self.rows, self.strides.row, i) + before(self.columns, self.strides.column, j)
    }

    fn at(&self, i: usize, j: usize) -> T {
        self.values[self.place(i, j)]
    }

    fn view(&self) -> MatRef<'_, T> {
        MatRef::strided(&self.values, self.rows, self.columns, self.strides).unwrap()
    }

    fn view_mut(&mut self) -> MatMut<'_, T> {
        MatMut::strided(&mut self.values, self.rows, self.columns, self.strides).unwrap()
    }

    fn bits(&self) -> Vec<u64> {
        let bits = |x: &T| if x.to_f64().is_nan() { u64::MAX } else { x.to_f64().to_bits() };
        self.values.iter().map(bits).collect()
    }
}

/// The module's documented definition as a loop.
fn expected<T: Step>(alpha: T, a: &Matrix<T>, b: &Matrix<T>, beta: T, c: &mut Matrix<T>) {
    for i in 0..c.rows {
        for j in 0..c.columns {
            let place = c.place(i, j);
            let mut element = match () {
                _ if beta == T::ZERO => T::ZERO,
                _ if beta == T::ONE => c.values[place],
                _ => beta * c.values[place],
            };
            if alpha != T::ZERO {
                for p in 0..a.columns {
                    element = (alpha * a.at(i, p)).step(b.at(p, j), element);
                }
            }
            c.values[place] = element;
        }
    }
}

/// Row-major, column-major, both reversed, or no stride equal to 1.
fn layout(rng: &mut Rng, rows: usize, columns: usize) -> Strides {
    let pad = [0, 0, 1, 5, 16][rng.index(5)];
    let (wide, tall) = ((columns + pad) as isize, (rows + pad) as isize);
    match rng.index(7) {
        0..=2 => Strides { row: wide, column: 1 },
        3 | 4 => Strides { row: 1, column: tall },
        5 => Strides { row: -2 * wide, column: 2 },
        _ => Strides { row: 3, column: -3 * tall },
    }
}

/// Caches so small that even small products are split.
const TINY: Caches = Caches { l1: 2 << 10, l2: 4 << 10, l3: 64 << 10 };

fn check<T: Step>(
    rng: &mut Rng,
    [m, n, k]: [usize; 3],
    [a, b, c]: [Strides; 3],
    [alpha, beta]: [T; 2],
    caches: Option<Caches>,
) {
    let operands = [Matrix::new(rng, m, k, a), Matrix::new(rng, k, n, b), Matrix::new(rng, m, n, c)];
    check_operands(rng, operands, [alpha, beta], caches);
}

fn check_operands<T: Step>(
    rng: &mut Rng,
    [a, b, before]: [Matrix<T>; 3],
    [alpha, beta]: [T; 2],
    caches: Option<Caches>,
) {
    let ([m, n, k], c) = ([a.rows, b.columns, a.columns], before.strides);
    let mut truth = before.clone();
    expected(alpha, &a, &b, beta, &mut truth);
    let what = format!("{m} x {n} x {k}, {:?} {:?} {:?}, {alpha:?}, {beta:?}, {caches:?}", a.strides, b.strides, c);
    let options = Options { caches, ..Options::default() };

    let mut found = before.clone();
    gemm_in(alpha, a.view(), b.view(), beta, found.view_mut(), &options, None).unwrap();
    assert!(found.bits() == truth.bits(), "{what}");

    let needed = workspace_bytes::<T>([m, n, k], a.strides, b.strides, c, &options).unwrap();
    assert!(needed <= 4 << 20, "{needed} bytes for {what}");
    let mut workspace = vec![0xff; needed];
    let mut found = before.clone();
    gemm_in(alpha, a.view(), b.view(), beta, found.view_mut(), &options, Some(&mut workspace)).unwrap();
    assert!(found.bits() == truth.bits(), "with a workspace, {what}");

    let plan = Plan::<T>::new([m, n, k], a.strides, b.strides, c, &options).unwrap();
    let mut found = before.clone();
    plan.run(alpha, &a.values, &b.values, beta, &mut found.values, &mut workspace).unwrap();
    assert!(found.bits() == truth.bits(), "by a plan, {what}");

    let mut memory = rng.numbers(PackedB::<T>::len(k, n).unwrap());
    let packed = PackedB::new(b.view(), &mut memory, &options).unwrap();
    let mut found = before;
    gemm_packed(alpha, a.view(), &packed, beta, found.view_mut(), &options, None).unwrap();
    assert!(found.bits() == truth.bits(), "with B packed, {what}");
}

fn shapes<T: Step>(seed: u64) {
    let mut rng = Rng(seed);
    let numbers = [1.0, 1.0, 1.0, -1.0, 0.0, 0.7].map(T::from_f64);
    for turn in 0..600 {
        let most = [4, 9, 20, 40][turn % 4];
        let mut shape = [0; 3].map(|_| rng.index(most + 1));
        if turn % 11 == 0 {
            shape[rng.index(3)] *= 12;
        }
        let [m, n, k] = shape;
        let strides = [layout(&mut rng, m, k), layout(&mut rng, k, n), layout(&mut rng, m, n)];
        let scale = [numbers[rng.index(6)], numbers[rng.index(6)]];
        let caches = if turn % 2 == 0 { Some(TINY) } else { None };
        check(&mut rng, shape, strides, scale, caches);
    }
}

/// Sizes at which whole rows of B are read, and caches without a size.
#[test]
fn few_rows_keep_the_chain() {
    let mut rng = Rng(3);
    // B is beyond L3, within it, or within a quarter of it.
    let near = Caches { l1: 32 << 10, l2: 64 << 10, l3: 1 << 20 };
    for m in [0, 1, 4, 5, 14, 16, 20, 32, 33, 56, 57] {
        for n in [65, 256, 301] {
            for caches in [Caches { l1: 0, l2: 0, l3: 0 }, TINY, near] {
                let strides = [40, n + 3, n].map(Strides::row_major);
                check::<f32>(&mut rng, [m, n, 40], strides, [1.0, 1.0], Some(caches));
                check::<f64>(&mut rng, [m, n, 40], strides, [0.7, 0.0], Some(caches));
            }
        }
    }
}

/// A in columns and B in rows, near each other and far apart, which are read as they are.
#[test]
fn tall_products_keep_the_chain() {
    fn all<T: Step>(rng: &mut Rng) {
        for ([m, n, k], [a, b]) in [
            ([1, 40, 530], [1, 40]),
            ([13, 200, 700], [13, 203]),
            ([50, 50, 1030], [50, 50]),
            ([57, 130, 600], [64, 130]),
            ([50, 600, 130], [50, 600]),
            ([100, 30, 90], [1024, 30]),
            ([520, 20, 70], [521, 20]),
            ([300, 60, 1100], [1025, 64]),
        ] {
            let [a, b, c] = [Strides::column_major(a), Strides::row_major(b), Strides::row_major(n)];
            let turned = |strides: Strides| Strides { row: strides.column, column: strides.row };
            for [alpha, beta] in [[1.0, 0.0], [1.0, 1.0], [0.3, -1.7]] {
                let scale = [T::from_f64(alpha), T::from_f64(beta)];
                check(rng, [m, n, k], [a, b, c], scale, None);
                check(rng, [n, m, k], [turned(b), turned(a), turned(c)], scale, None);
            }
        }
    }
    let mut rng = Rng(5);
    all::<f32>(&mut rng);
    all::<f64>(&mut rng);
}

#[test]
fn bits_are_those_of_a_chain_f32() {
    shapes::<f32>(1);
}

#[test]
fn bits_are_those_of_a_chain_f64() {
    shapes::<f64>(2);
}

#[test]
fn bits_are_those_of_a_chain_where_products_are_cut() {
    fn all<T: Step>(rng: &mut Rng) {
        let rows = |n: usize| Strides::row_major(n);
        let columns = |n: usize| Strides::column_major(n);
        for [m, n, k] in [
            [210, 20, 280],
            [110, 36, 300],
            [64, 100, 270],
            [7, 130, 530],
            [150, 3, 1100],
            [3, 130, 1030],
            [64, 64, 64],
            // C is larger than a cache.
            [290, 130, 9],
        ] {
            for (a, b, c) in [
                (rows(k), rows(n), rows(n)),
                (columns(m), rows(n), rows(n)),
                (rows(k), columns(k), rows(n)),
                (columns(m), columns(k), columns(m)),
                // Rows that evict each other from a cache.
                (rows(1024.max(k)), rows(1024), rows(1024)),
            ] {
                check(rng, [m, n, k], [a, b, c], [T::ONE, T::ZERO], None);
                check(rng, [m, n, k], [a, b, c], [T::ONE, T::ONE], Some(TINY));
                check(rng, [m, n, k], [a, b, c], [T::from_f64(0.3), T::from_f64(-1.7)], None);
            }
        }
    }
    let mut rng = Rng(3);
    all::<f32>(&mut rng);
    all::<f64>(&mut rng);
}

#[test]
fn bits_of_vectors_and_outer_products_are_those_of_a_chain() {
    fn all<T: Step>(rng: &mut Rng) {
        let rows = |n: usize| Strides::row_major(n);
        let number = |x: f64| T::from_f64(x);
        let turned = |strides: Strides| Strides { row: strides.column, column: strides.row };
        // Groups of rows in every number and remainder; vectors in pieces, if they are strided.
        for m in (1..80).chain([130]) {
            let k = [7, 16, 19, 100, 1025, 2070][m % 6];
            for (a, x, c) in [
                (rows(k), rows(1), rows(1)),
                (rows(k + 3), Strides { row: -3, column: 1 }, Strides { row: 2, column: 1 }),
                (Strides { row: -(k as isize), column: 1 }, rows(2), Strides { row: -1, column: 1 }),
                (rows(if m % 2 == 0 { 2048 } else { 2047 }), rows(1), rows(1)),
            ] {
                check(rng, [m, 1, k], [a, x, c], [T::ONE, number((m % 2) as f64)], None);
                let (a, x, c) = (turned(a), turned(x), turned(c));
                check(rng, [1, m, k], [x, a, c], [number(-0.5), number(0.25)], None);
            }
        }
        for (m, n) in [(130, 66), (67, 300), (600, 17), (20, 1100), (1, 9000), (9000, 1)] {
            for (c, x, y) in [(rows(n), rows(1), rows(n)), (Strides::column_major(m + 1), rows(2), rows(n))] {
                for [alpha, beta] in [[1.0, 0.0], [1.0, 1.0], [0.3, 0.0], [-2.5, 1.5], [0.0, 0.5]] {
                    check(rng, [m, n, 1], [x, y, c], [number(alpha), number(beta)], None);
                }
            }
        }
    }
    let mut rng = Rng(4);
    all::<f32>(&mut rng);
    all::<f64>(&mut rng);
}

/// All sizes of the kernels for tiny products, with zeros, infinities and NaNs.
#[test]
fn bits_of_tiny_products_are_those_of_a_chain() {
    fn all<T: Step>(rng: &mut Rng) {
        let special = [-0.0, 0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e-40, -1e-310].map(T::from_f64);
        for number in 0..512 {
            let [m, n, k] = [number / 64, number / 8 % 8, number % 8].map(|size| size + 1);
            let sizes = [(m, k), (k, n), (m, n)];
            let [rows, padded] = [0, 3].map(|pad| sizes.map(|(_, columns)| Strides::row_major(columns + pad)));
            let columns = sizes.map(|(rows, _)| Strides::column_major(rows));
            let reversed = Strides { row: -rows[0].row, column: 1 };
            let layouts = [rows, padded, [columns[0], rows[1], rows[2]], columns, [reversed, rows[1], padded[2]]];
            for (turn, strides) in layouts.into_iter().enumerate() {
                for beta in [T::ZERO, T::ONE] {
                    let matrix = |i| {
                        let (rows, columns): (usize, usize) = sizes[i];
                        let mut matrix = Matrix::new(rng, rows, columns, strides[i]);
                        if turn % 2 == 1 {
                            let place = rng.index(matrix.values.len());
                            matrix.values[place] = special[rng.index(special.len())];
                        }
                        matrix
                    };
                    let operands = [0, 1, 2].map(matrix);
                    check_operands(rng, operands, [T::ONE, beta], None);
                }
            }
        }
    }
    let mut rng = Rng(6);
    all::<f32>(&mut rng);
    all::<f64>(&mut rng);
}

/// Sums in the order that the kernels' documentation gives, with the standard library's fused
/// multiply-add.
macro_rules! dot_products {
    ($rng:ident $type:ident $kernel:ident) => {
        const LANES: usize = 64 / size_of::<$type>();
        for (m, k) in [(4, 0), (4, 1), (5, 64), (9, 100), (64, 65), (65, 79), (68, 80), (131, 333)] {
            let a_strides = Strides { row: k as isize + m as isize % 3, column: 1 };
            let a = Matrix::<$type>::new($rng, m, k, a_strides);
            let x = Matrix::<$type>::new($rng, k, 1, Strides::row_major(1));
            let before = Matrix::<$type>::new($rng, m, 1, Strides { row: 2, column: 1 });
            let sums: Vec<$type> = (0..m)
                .map(|i| {
                    let mut sums = [0.0; LANES];
                    for p in 0..k {
                        sums[p % LANES] = a.at(i, p).mul_add(x.at(p, 0), sums[p % LANES]);
                    }
                    let mut half = LANES;
                    while half > 1 {
                        half /= 2;
                        (0..half).for_each(|l| sums[l] += sums[half + l]);
                    }
                    sums[0]
                })
                .collect();
            let mut found = vec![0.0; m];
            // SAFETY: m is at least 4, and the buffers are those of the matrices.
            unsafe {
                let (a, x) = (a.values.as_ptr(), x.values.as_ptr());
                hotloops::matmul::$kernel(m, k, a, a_strides.row, x, found.as_mut_ptr());
            }
            assert!(found.iter().map(|y| y.to_bits()).eq(sums.iter().map(|y| y.to_bits())), "{m} x {k}");
            if k < 64 || isa::active() == Isa::sse2 {
                continue;
            }
            for [alpha, beta] in [[1.0, 0.0], [-0.3, 1.0], [2.5, -0.7]] {
                let mut c = before.clone();
                let options = Options { order: Order::Fast, ..Options::default() };
                gemm_in(alpha, a.view(), x.view(), beta, c.view_mut(), &options, None).unwrap();
                for (i, sum) in sums.iter().enumerate() {
                    assert_eq!(c.at(i, 0), alpha * sum + beta * before.at(i, 0), "{m} x {k}, {alpha}, {beta}");
                }
            }
        }
    };
}

#[test]
fn dot_products_are_those_of_lanes() {
    fn single(rng: &mut Rng) {
        dot_products! { rng f32 dots_f32 }
    }
    fn double(rng: &mut Rng) {
        dot_products! { rng f64 dots_f64 }
    }
    single(&mut Rng(7));
    double(&mut Rng(8));
}

#[test]
fn a_row_alone_has_the_bits_of_the_whole() {
    let mut rng = Rng(4);
    let (m, n, k) = (50, 33, 300);
    let (a, b) = (rng.numbers::<f32>(m * k), rng.numbers::<f32>(k * n));
    let (a, b) = (MatRef::row_major(&a, m, k, k).unwrap(), MatRef::row_major(&b, k, n, n).unwrap());
    let mut whole = vec![0.0; m * n];
    gemm(1.0, a, b, 0.0, MatMut::row_major(&mut whole, m, n, n).unwrap()).unwrap();
    for i in 0..m {
        for columns in [0..n, 0..1, 5..17] {
            let mut part = vec![0.0; columns.len()];
            let c = MatMut::row_major(&mut part, 1, columns.len(), n).unwrap();
            let (row, panel) = (a.block(i..i + 1, 0..k).unwrap(), b.block(0..k, columns.clone()).unwrap());
            gemm(1.0, row, panel, 0.0, c).unwrap();
            let expected = &whole[i * n..][columns];
            assert!(part.iter().zip(expected).all(|(a, b)| a.to_bits() == b.to_bits()), "row {i}");
        }
    }
    // Quarters of C, each its own product.
    let mut cut = vec![0.0; m * n];
    let (upper, lower) = MatMut::row_major(&mut cut, m, n, n).unwrap().split_rows(17).unwrap();
    for (rows, half) in [(0..17, upper), (17..m, lower)] {
        let (left, right) = half.split_columns(20).unwrap();
        for (columns, c) in [(0..20, left), (20..n, right)] {
            let (a, b) = (a.block(rows.clone(), 0..k).unwrap(), b.block(0..k, columns).unwrap());
            gemm(1.0, a, b, 0.0, c).unwrap();
        }
    }
    assert!(cut.iter().zip(&whole).all(|(a, b)| a.to_bits() == b.to_bits()));
}

/// |error| <= (k + 3) u (|alpha| |A| |B| + |beta| |C|), strict and fast, against exact integers.
fn bounds<T: Step>(seed: u64) {
    let mut rng = Rng(seed);
    let u = if size_of::<T>() == 4 { (-24f64).exp2() } else { (-53f64).exp2() };
    for [m, n, k] in
        [[4, 4, 4096], [1, 1, 1000], [8, 8, 600], [2, 7, 3000], [20, 17, 300], [5, 5, 40], [70, 1, 500], [1, 70, 333]]
    {
        for order in [Order::Strict, Order::Fast] {
            for (alpha, beta) in [(1.0, 0.0), (-0.7, 1.3)] {
                let (a_strides, b_strides) = (layout(&mut rng, m, k), layout(&mut rng, k, n));
                let (a, b) = (Matrix::<T>::new(&mut rng, m, k, a_strides), Matrix::<T>::new(&mut rng, k, n, b_strides));
                let before = Matrix::new(&mut rng, m, n, Strides::row_major(n));
                let mut c = before.clone();
                let [factor, scale] = [alpha, beta].map(T::from_f64);
                let options = Options { order, ..Options::default() };
                gemm_in(factor, a.view(), b.view(), scale, c.view_mut(), &options, None).unwrap();
                for i in 0..m {
                    for j in 0..n {
                        let pairs = |p| (a.at(i, p).to_f64(), b.at(p, j).to_f64());
                        // alpha A B + beta C, with the product of three split into two exact
                        // products.
                        let mut exact = Exact::new();
                        let mut size = 0.0;
                        for (x, y) in (0..k).map(pairs) {
                            let (high, low) = product(factor.to_f64(), x);
                            exact.add(high, y);
                            exact.add(low, y);
                            size += (high * y).abs();
                        }
                        exact.add(scale.to_f64(), before.at(i, j).to_f64());
                        size += (scale.to_f64() * before.at(i, j).to_f64()).abs();
                        let error = exact.error_of(c.at(i, j).to_f64()).abs();
                        let bound = 1.01 * (k + 3) as f64 * u * size;
                        assert!(error <= bound, "{order:?} {m} x {n} x {k}: error {error}, bound {bound}");
                        // Random rounding errors stay far below the worst case.
                        assert!(
                            error <= 16.0 * u * size + u * c.at(i, j).to_f64().abs(),
                            "{order:?} {m} x {n} x {k}: {error}"
                        );
                    }
                }
            }
        }
    }
}

/// A product of doubles as a rounded one and its error.
fn product(x: f64, y: f64) -> (f64, f64) {
    (x * y, x.mul_add(y, -(x * y)))
}

#[test]
fn errors_are_within_their_bounds() {
    bounds::<f32>(5);
    bounds::<f64>(6);
}

/// The BLAS rules for 0, NaN, infinities and denormal numbers, at sizes for every code path.
fn semantics<T: Step>() {
    let [nan, inf] = [f64::NAN, f64::INFINITY].map(T::from_f64);
    for s in [1, 4, 7, 16, 64, 150, 300] {
        for order in [Order::Strict, Order::Fast] {
            let options = Options { order, ..Options::default() };
            let product = |alpha: T, a: &[T], b: &[T], beta: T, c: &mut [T], k: usize| {
                let (a, b) = (MatRef::row_major(a, s, k, s).unwrap(), MatRef::row_major(b, k, s, s).unwrap());
                gemm_in(alpha, a, b, beta, MatMut::row_major(c, s, s, s).unwrap(), &options, None).unwrap();
            };
            let (ones, bad) = (vec![T::ONE; s * s], vec![nan; s * s]);
            let sum = T::from_f64(s as f64);
            // beta = 0 does not read C.
            let mut c = bad.clone();
            product(T::ONE, &ones, &ones, T::ZERO, &mut c, s);
            assert!(c.iter().all(|&x| x == sum));
            // k = 0: zeros, or beta C.
            let mut c = bad.clone();
            product(T::ONE, &ones, &ones, T::ZERO, &mut c, 0);
            assert!(c.iter().all(|x| x.to_f64().to_bits() == 0));
            let mut c = ones.clone();
            product(T::ONE, &ones, &ones, sum, &mut c, 0);
            assert!(c.iter().all(|&x| x == sum));
            // alpha = 0 does not read A and B.
            let mut c = ones.clone();
            product(T::ZERO, &bad, &bad, sum, &mut c, s);
            assert!(c.iter().all(|&x| x == sum));
            // 0 times infinity is NaN, at any index.
            let mut a = vec![T::ZERO; s * s];
            a[s * s / 2] = inf;
            let mut c = ones.clone();
            product(T::ONE, &a, &vec![T::ZERO; s * s], T::ONE, &mut c, s);
            let row = s * s / 2 / s;
            assert!((0..s * s).all(|at| (c[at].to_f64().is_nan()) == (at / s == row)));
            // Denormal numbers are not flushed to zero.
            let tiny = T::from_f64(if size_of::<T>() == 4 { (-149f64).exp2() } else { (-1074f64).exp2() });
            let mut c = bad.clone();
            product(T::ONE, &vec![tiny; s * s], &ones, T::ZERO, &mut c, s);
            assert!(c.iter().all(|x| x.to_f64() == s as f64 * tiny.to_f64()));
        }
    }
}

#[test]
fn special_values_go_through() {
    semantics::<f32>();
    semantics::<f64>();
}
