//! Batches of small real products, bit for bit equal to plain loops with `mul_add`.
//!
//! `blas_exits` holds the routines of this test program.
#![cfg(all(target_os = "linux", feature = "libc"))]

use std::ffi::c_int;

const ROW: c_int = 101;
const NO: c_int = 111;

/// Elements from one matrix of a batch to the next one, more than a matrix has.
const APART: usize = 500;

/// A multiplicative generator (Lehmer, modulus 2^31 - 1).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0 * 48_271 % 0x7fff_ffff;
        (self.0 % n as u64) as usize
    }

    fn values(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| if self.below(9) == 0 { -0.0 } else { self.below(2001) as f64 / 1000.3 - 1.0 }).collect()
    }
}

macro_rules! tests {
    ($($name:ident $type:ident $strided:ident $listed:ident;)+) => {$(
        unsafe extern "C" {
            fn $strided(
                layout: c_int, transa: c_int, transb: c_int, m: c_int, n: c_int, k: c_int, alpha: $type,
                a: *const $type, lda: c_int, stridea: c_int, b: *const $type, ldb: c_int, strideb: c_int, beta: $type,
                c: *mut $type, ldc: c_int, stridec: c_int, batch_size: c_int,
            );
            fn $listed(
                layout: c_int, transa: *const c_int, transb: *const c_int, m: *const c_int, n: *const c_int,
                k: *const c_int, alpha: *const $type, a: *const *const $type, lda: *const c_int,
                b: *const *const $type, ldb: *const c_int, beta: *const $type, c: *const *mut $type,
                ldc: *const c_int, group_count: c_int, group_size: *const c_int,
            );
        }

        #[test]
        fn $name() {
            let mut random = Random(1);
            for case in 0..1500 {
                let (layout, count) = (ROW + random.below(2) as c_int, 1 + random.below(3));
                let [ta, tb] = [NO + random.below(2) as c_int, NO + random.below(2) as c_int];
                let [m, n, k] = [random.below(10), random.below(19), random.below(19)];
                // The distance of lines in memory, and the element of a matrix.
                let lines = |trans: c_int, rows: usize, columns: usize, pad: usize| {
                    let in_rows = (layout == ROW) == (trans == NO);
                    ((if in_rows { columns } else { rows }).max(1) + pad, in_rows)
                };
                let at = |(stride, in_rows): (usize, bool), i: usize, j: usize| {
                    if in_rows { i * stride + j } else { j * stride + i }
                };
                let (a_lines, b_lines) = (lines(ta, m, k, random.below(3)), lines(tb, k, n, random.below(3)));
                let c_lines = lines(NO, m, n, random.below(3));
                let values = |random: &mut Random| -> Vec<$type> {
                    random.values(APART * count).into_iter().map(|x| x as $type).collect()
                };
                let (a, b, c) = (values(&mut random), values(&mut random), values(&mut random));
                let (alpha, beta) = ([1.0, 0.7, -1.0][random.below(3)], [0.0, 1.0, 0.3][random.below(3)]);
                let mut expected = c.clone();
                for q in 0..count {
                    for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
                        let c = &mut expected[q * APART + at(c_lines, i, j)];
                        let begin = if beta == 0.0 { 0.0 } else { beta * *c };
                        *c = (0..k).fold(begin, |sum, p| {
                            let (a, b) = (a[q * APART + at(a_lines, i, p)], b[q * APART + at(b_lines, p, j)]);
                            (alpha * a).mul_add(b, sum)
                        });
                    }
                }
                let bits = |values: &[$type]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                let [mi, ni, ki, lda, ldb, ldc] =
                    [m, n, k, a_lines.0, b_lines.0, c_lines.0].map(|size| size as c_int);
                let (apart, size) = (APART as c_int, count as c_int);
                let (mut strided, mut listed) = (c.clone(), c);
                let [froms_a, froms_b] = [&a, &b].map(|from| from.chunks(APART).map(<[_]>::as_ptr).collect::<Vec<_>>());
                let tos: Vec<_> = listed.chunks_mut(APART).map(<[_]>::as_mut_ptr).collect();
                // SAFETY: the matrices have these sizes and strides.
                unsafe {
                    $strided(
                        layout, ta, tb, mi, ni, ki, alpha, a.as_ptr(), lda, apart, b.as_ptr(), ldb, apart, beta,
                        strided.as_mut_ptr(), ldc, apart, size,
                    );
                    $listed(
                        layout, &ta, &tb, &mi, &ni, &ki, &alpha, froms_a.as_ptr(), &lda, froms_b.as_ptr(), &ldb, &beta,
                        tos.as_ptr(), &ldc, 1, &size,
                    );
                }
                let what = format!("case {case}: {layout} {ta} {tb} {m} {n} {k} {alpha} {beta}");
                assert_eq!(bits(&strided), bits(&expected), "{what}");
                assert_eq!(bits(&listed), bits(&expected), "{what}");
            }
        }
    )+};
}
tests! {
    single f32 cblas_sgemm_batch_strided cblas_sgemm_batch;
    double f64 cblas_dgemm_batch_strided cblas_dgemm_batch;
}
