//! Dot products in lanes, the order of `Order::Fast` for a vector.

use hotloops::matmul::{Options, Order, Strides, gemm_in};

use crate::harness::rng::Rng;
use crate::matmul::matrix::Matrix;

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
            if k < 64 {
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
