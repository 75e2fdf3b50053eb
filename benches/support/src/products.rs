//! The rungs below a packed, vectorised matrix product, after Huang, "Optimizing single-core CPU
//! software" (2025), and below a sum: square row-major matrices, `C = A B`.

use hotloops::Float;

/// Row by column.
pub fn naive<T: Float>(n: usize, a: &[T], b: &[T], c: &mut [T]) {
    for i in 0..n {
        for j in 0..n {
            let mut sum = T::ZERO;
            for p in 0..n {
                sum = sum + a[i * n + p] * b[p * n + j];
            }
            c[i * n + j] = sum;
        }
    }
}

/// Row by column in eight sums, so that additions are independent.
pub fn unrolled<T: Float>(n: usize, a: &[T], b: &[T], c: &mut [T]) {
    for i in 0..n {
        for j in 0..n {
            let mut sums = [T::ZERO; 8];
            for (group, a) in a[i * n..(i + 1) * n].chunks(8).enumerate() {
                for (l, (sum, &a)) in sums.iter_mut().zip(a).enumerate() {
                    *sum = *sum + a * b[(8 * group + l) * n + j];
                }
            }
            c[i * n + j] = sums.into_iter().fold(T::ZERO, |a, b| a + b);
        }
    }
}

const BLOCK: usize = 32;

/// `visit(i, j, p)` for the first elements of all cubes of 32.
fn cubes(n: usize, mut visit: impl FnMut(usize, usize, usize)) {
    for i in (0..n).step_by(BLOCK) {
        for j in (0..n).step_by(BLOCK) {
            for p in (0..n).step_by(BLOCK) {
                visit(i, j, p);
            }
        }
    }
}

/// In cubes that stay in the L1 cache ("mini").
pub fn blocked<T: Float>(n: usize, a: &[T], b: &[T], c: &mut [T]) {
    c.fill(T::ZERO);
    cubes(n, |i0, j0, p0| {
        for i in i0..(i0 + BLOCK).min(n) {
            for j in j0..(j0 + BLOCK).min(n) {
                let mut sum = c[i * n + j];
                for p in p0..(p0 + BLOCK).min(n) {
                    sum = sum + a[i * n + p] * b[p * n + j];
                }
                c[i * n + j] = sum;
            }
        }
    });
}

/// In cubes, as sums of outer products of columns and rows ("micro"): neighbours are independent.
pub fn outer<T: Float>(n: usize, a: &[T], b: &[T], c: &mut [T]) {
    c.fill(T::ZERO);
    cubes(n, |i0, j0, p0| {
        let j1 = (j0 + BLOCK).min(n);
        for p in p0..(p0 + BLOCK).min(n) {
            for i in i0..(i0 + BLOCK).min(n) {
                let a = a[i * n + p];
                for (c, &b) in c[i * n + j0..i * n + j1].iter_mut().zip(&b[p * n + j0..p * n + j1]) {
                    *c = *c + a * b;
                }
            }
        }
    });
}

/// Outer products of 4 rows and 8 columns that are kept in registers, of B copied to slivers of 8
/// columns; `n` is a multiple of 8.
pub fn packed<T: Float>(n: usize, a: &[T], b: &[T], c: &mut [T], sliver: &mut Vec<[T; 8]>) {
    for j in (0..n).step_by(8) {
        sliver.clear();
        sliver.extend((0..n).map(|p| <[T; 8]>::try_from(&b[p * n + j..][..8]).unwrap()));
        for i in (0..n).step_by(4) {
            let mut tile = [[T::ZERO; 8]; 4];
            for (p, row) in sliver.iter().enumerate() {
                for (r, sums) in tile.iter_mut().enumerate() {
                    let a = a[(i + r) * n + p];
                    for (sum, &b) in sums.iter_mut().zip(row) {
                        *sum = *sum + a * b;
                    }
                }
            }
            for (r, sums) in tile.iter().enumerate() {
                c[(i + r) * n + j..][..8].copy_from_slice(sums);
            }
        }
    }
}

/// A sum in `L` accumulators, in turn.
pub fn sum<T: Float, const L: usize>(x: &[T]) -> T {
    let mut sums = [T::ZERO; L];
    for x in x.chunks_exact(L) {
        sums.iter_mut().zip(x).for_each(|(sum, &x)| *sum = *sum + x);
    }
    sums.into_iter().fold(T::ZERO, |a, b| a + b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_rungs_give_one_product() {
        let n = 40;
        let a: Vec<f64> = (0..n * n).map(|i| (i % 7) as f64 - 3.0).collect();
        let b: Vec<f64> = (0..n * n).map(|i| (i % 5) as f64 - 2.0).collect();
        let mut truth = vec![0.0; n * n];
        naive(n, &a, &b, &mut truth);
        for rung in [unrolled::<f64>, blocked, outer] {
            let mut c = vec![9.0; n * n];
            rung(n, &a, &b, &mut c);
            assert_eq!(c, truth);
        }
        let mut c = vec![9.0; n * n];
        packed(n, &a, &b, &mut c, &mut Vec::new());
        assert_eq!(c, truth);
        assert_eq!(sum::<f64, 4>(&a), naive_sum(&a));
    }

    fn naive_sum(x: &[f64]) -> f64 {
        x.iter().sum()
    }
}
