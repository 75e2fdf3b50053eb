//! Sums and products: bad input returns an error that names it, and nothing is written.

use hotloops::Error;
use hotloops::matmul::{
    Activation, Bias, Epilogue, MatMut, MatRef, Options, Order, PackedB, Plan, Strides, gemm, gemm_in, gemm_packed,
    gemm_with_epilogue, workspace_bytes,
};
use hotloops::reduce::{self, Repro, Strided};

use crate::length;

#[test]
fn sums() {
    let x = [1.0f32; 10];
    assert_eq!(reduce::dot(&x[..], &x[1..]), length("y", 10, 9));
    assert_eq!(reduce::dot2(&x[1..], &x), length("y", 9, 10));
    assert_eq!(reduce::dot_repro(&x[1..], &x), length("y", 9, 10));
    let mut sums = [7.0; 3];
    let mut rows = |shape, strides, count| reduce::row_sums(&x, shape, strides, &mut sums[..count]);
    assert_eq!(rows([3, 3], [4, 1], 3), length("values", 11, 10));
    assert_eq!(rows([3, 3], [-4, 1], 3), length("values", 11, 10));
    assert_eq!(rows([3, 3], [3, 1], 2), length("sums", 3, 2));
    assert_eq!(rows([3, 2], [isize::MIN, isize::MIN], 3), Err(Error::TooLarge { argument: "strides" }));
    assert_eq!(rows([0, 9], [isize::MAX, 1], 0), Ok(()));
    assert_eq!(sums, [7.0; 3]);
    let strided = |n, stride| Strided::new(&x, n, stride).map(reduce::sum);
    assert_eq!(strided(4, 3), Ok(4.0));
    assert_eq!(strided(5, 3), length("values", 13, 10));
    assert_eq!(strided(5, -3), length("values", 13, 10));
    assert_eq!(strided(0, isize::MIN), Ok(0.0));
    assert_eq!(strided(3, isize::MIN), Err(Error::TooLarge { argument: "stride" }));

    let mut sum = Repro::new();
    sum.extend(&x);
    let mut bytes = vec![0; Repro::STATE_LEN + 1];
    assert_eq!(sum.state_bytes(&mut bytes), length("bytes", 80, 81));
    assert_eq!(sum.state_bytes(&mut bytes[..3]), length("bytes", 80, 3));
    assert!(bytes.iter().all(|&byte| byte == 0));
    sum.state_bytes(&mut bytes[..80]).unwrap();
    assert_eq!(Repro::from_state_bytes(&bytes), length("bytes", 80, 81));
    assert_eq!(Repro::from_state_bytes(&bytes[..80]), Ok(sum));
    for cut in 0..80 {
        assert!(matches!(Repro::from_state_bytes(&bytes[..cut]), Err(Error::StateTruncated { .. })));
        let mut damaged = bytes[..80].to_vec();
        damaged[cut] ^= 0x10;
        assert!(Repro::from_state_bytes(&damaged).is_err(), "byte {cut}");
    }
    // Intact, but not a valid sum: its bin does not exist.
    bytes[16] = 52;
    let hash = bytes[..72]
        .iter()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    bytes[72..80].copy_from_slice(&hash.to_le_bytes());
    assert_eq!(Repro::from_state_bytes(&bytes[..80]), Err(Error::StateCorrupt));
}

#[test]
fn views() {
    let x = [0.0f64; 20];
    assert_eq!(MatRef::row_major(&x, 4, 5, 5).map(|a| (a.rows(), a.columns())), Ok((4, 5)));
    assert_eq!(MatRef::row_major(&x, 4, 5, 6).map(drop), length("values", 23, 20));
    assert_eq!(MatRef::column_major(&x, 5, 4, 6).map(drop), length("values", 23, 20));
    assert_eq!(MatRef::row_major(&x, usize::MAX, 5, 5).map(drop), Err(Error::TooLarge { argument: "strides" }));
    assert_eq!(MatRef::row_major(&x, 1 << 40, 1 << 40, 1).map(drop), length("values", (1 << 41) - 1, 20));
    let steep = Strides { row: isize::MIN, column: 1 };
    assert_eq!(MatRef::strided(&x, 3, 1, steep).map(drop), Err(Error::TooLarge { argument: "strides" }));
    assert!(MatRef::strided(&x, 0, 7, steep).is_ok() && MatRef::strided(&x, 1, 20, steep).is_ok());
    let a = MatRef::row_major(&x, 4, 5, 5).unwrap();
    assert_eq!(a.block(1..3, 2..6).map(drop), Err(Error::Index { argument: "columns", index: 6, count: 5 }));
    #[allow(clippy::reversed_empty_ranges)] // must be rejected
    let reversed = a.block(3..1, 0..1);
    assert_eq!(reversed.map(drop), Err(Error::Index { argument: "rows", index: 3, count: 4 }));

    let mut y = [0.0f64; 20];
    let mut stride =
        |rows, columns, row, column| MatMut::strided(&mut y, rows, columns, Strides { row, column }).map(drop);
    let overlaps = |least, found| Err(Error::Stride { argument: "strides", min: least, found });
    assert_eq!(stride(4, 5, 4, 1), overlaps(5, 4));
    assert_eq!(stride(4, 5, 1, 3), overlaps(4, 3));
    assert_eq!(stride(4, 5, 0, 1), overlaps(4, 1));
    assert_eq!(stride(4, 5, 1, 1), overlaps(5, 1));
    assert_eq!(stride(2, 3, 2, 2), overlaps(3, 2));
    for (rows, columns, row, column) in
        [(4, 5, -5, 1), (4, 5, 1, -4), (1, 5, 0, 1), (5, 1, 1, 0), (0, 9, 0, 0), (2, 4, 1, 2)]
    {
        assert_eq!(stride(rows, columns, row, column), Ok(()), "{rows} x {columns}, {row}, {column}");
    }
    let mut c = MatMut::row_major(&mut y, 4, 5, 5).unwrap();
    let index = |argument, index, count| Err(Error::Index { argument, index, count });
    assert_eq!(c.reborrow().split_rows(5).map(drop), index("row", 5, 4));
    assert_eq!(c.reborrow().split_columns(6).map(drop), index("column", 6, 5));
    assert!(c.split_columns(5).is_ok());
}

/// Any strides are legal for an empty matrix or a single row.
#[test]
fn products_of_nothing() {
    for far in [isize::MAX, isize::MIN, isize::MIN + 1] {
        let strides = Strides { row: far, column: far };
        let read = |rows, columns| MatRef::<f64>::strided(&[], rows, columns, strides).unwrap();
        for order in [Order::Strict, Order::Fast] {
            let options = Options { order, caches: None };
            for alpha in [1.0, 0.5, 0.0] {
                // C is empty.
                for (m, n, k) in [(0, 7, 3), (7, 0, 3), (0, 0, 0), (0, usize::MAX, 0), (5, 0, 0), (0, 5, 0)] {
                    let none = [0.0f64; 21];
                    let a = MatRef::strided(&none[..m * k], m, k, Strides::row_major(k)).unwrap();
                    let a = if m * k == 0 { read(m, k) } else { a };
                    let b = [0.0; 21];
                    let b = if k * n.min(7) == 0 { read(k, n) } else { MatRef::row_major(&b, k, n, n).unwrap() };
                    let c = MatMut::strided(&mut [], m, n, strides).unwrap();
                    assert_eq!(gemm_in(alpha, a, b, 2.0, c, &options, None), Ok(()));
                }
                // A and B are empty.
                let mut c = [1.0, 2.0, 3.0, 4.0];
                let view = MatMut::row_major(&mut c, 2, 2, 2).unwrap();
                assert_eq!(gemm_in(alpha, read(2, 0), read(0, 2), 2.0, view, &options, None), Ok(()));
                assert_eq!(c, [2.0, 4.0, 6.0, 8.0]);
                // k = 1 and a single row leave some strides unconstrained; these are huge.
                for (m, n, column) in [(1, 1, 1), (1, 40, 1), (1, 3000, 1), (1, 3000, 2), (100, 3000, 1)] {
                    let (x, mut y) = (vec![1.0; n * column as usize], vec![1.0; m * n]);
                    let rows = |stride| if m == 1 { far } else { stride };
                    let a = MatRef::strided(&x, m, 1, Strides { row: rows(1), column: far }).unwrap();
                    let b = MatRef::strided(&x, 1, n, Strides { row: far, column }).unwrap();
                    let c = MatMut::strided(&mut y, m, n, Strides { row: rows(n as isize), column: 1 }).unwrap();
                    assert_eq!(gemm_in(alpha, a, b, 1.0, c, &options, None), Ok(()));
                    assert!(y.iter().all(|&y| y == 1.0 + alpha));
                }
            }
        }
    }
}

#[test]
fn plans_of_nothing() {
    for far in [isize::MAX, isize::MIN] {
        let (strides, options) = (Strides { row: far, column: far }, Options::default());
        for (m, n, k) in [(0, 7, 3), (7, 0, 3), (0, 0, 0), (0, usize::MAX, usize::MAX), (5, 0, 0), (0, 5, 0)] {
            let plan = Plan::<f64>::new([m, n, k], strides, strides, strides, &options).unwrap();
            assert_eq!(plan.run(1.0, &[], &[], 2.0, &mut [], &mut []), Ok(()));
        }
        let (mut c, rows) = ([1.0, 2.0, 3.0, 4.0], Strides::row_major(2));
        let plan = Plan::<f64>::new([2, 2, 0], strides, strides, rows, &options).unwrap();
        assert_eq!(plan.run(1.0, &[], &[], 2.0, &mut c, &mut []), Ok(()));
        assert_eq!(c, [2.0, 4.0, 6.0, 8.0]);
    }
}

#[test]
fn epilogues() {
    let x = [1.0f32; 6];
    let (a, b) = (MatRef::row_major(&x, 2, 3, 3).unwrap(), MatRef::row_major(&x, 3, 2, 2).unwrap());
    let mut c = [7.0; 4];
    for (bias, found) in
        [(Bias::Rows(&x[..3]), 3), (Bias::Rows(&x[..1]), 1), (Bias::Columns(&x[..1]), 1), (Bias::Columns(&[]), 0)]
    {
        let epilogue = Epilogue { bias, activation: Activation::Relu };
        let view = MatMut::row_major(&mut c, 2, 2, 2).unwrap();
        let result = gemm_with_epilogue(1.0, a, b, &epilogue, view, &Options::default(), None);
        assert_eq!(result, length("bias", 2, found));
    }
    assert_eq!(c, [7.0; 4]);
    // Rows without elements, as many as there may be, take no time.
    let m = isize::MAX as usize;
    let (a, b) = (MatRef::row_major(&[], m, 0, 0).unwrap(), MatRef::row_major(&[], 0, 0, 0).unwrap());
    let epilogue = Epilogue { bias: Bias::Columns(&[]), activation: Activation::Relu };
    let c = MatMut::row_major(&mut [0.0f32; 0], m, 0, 0).unwrap();
    gemm_with_epilogue(1.0, a, b, &epilogue, c, &Options::default(), None).unwrap();
}

#[test]
fn batches() {
    let (rows, options) = (Strides::row_major, Options::default());
    let plan = Plan::<f64>::new([2, 2, 3], rows(3), rows(2), rows(2), &options).unwrap();
    let (a, b, mut c) = ([1.0; 18], [1.0; 18], [7.0; 12]);
    let mut run = |count, a: &[f64], a_step, b: &[f64], b_step, c_length, c_step| {
        plan.run_batch(count, 1.0, (a, a_step), (b, b_step), 0.0, (&mut c[..c_length], c_step), &mut [])
    };
    let short = |argument, expected, found| Err(Error::Length { argument, expected, found });
    assert_eq!(run(3, &a, 6, &b, 6, 12, 3), Err(Error::Stride { argument: "c_step", min: 4, found: 3 }));
    assert_eq!(run(3, &a[..17], 6, &b, 6, 12, 4), short("a", 18, 17));
    assert_eq!(run(3, &a, 6, &b[..5], 0, 12, 4), short("b", 6, 5));
    assert_eq!(run(3, &a, 6, &b, 6, 11, 4), short("c", 12, 11));
    assert_eq!(run(3, &a, usize::MAX, &b, 6, 12, 4), Err(Error::TooLarge { argument: "a" }));
    assert_eq!(run(2, &a, usize::MAX, &b, 6, 12, 4), Err(Error::TooLarge { argument: "a" }));
    assert_eq!(run(2, &a, 6, &b, 6, 12, usize::MAX), Err(Error::TooLarge { argument: "c" }));
    assert_eq!(run(0, &[], usize::MAX, &[], 0, 0, 0), Ok(()));
    assert_eq!(run(1, &a, usize::MAX, &b, usize::MAX, 4, 0), Ok(()));
    assert_eq!(c, [3.0, 3.0, 3.0, 3.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0]);
}

#[test]
fn parts_of_nothing() {
    for far in [isize::MAX, isize::MIN, isize::MIN + 1] {
        let strides = Strides { row: far, column: far };
        let read = |rows, columns| MatRef::<f64>::strided(&[], rows, columns, strides).unwrap();
        let (mut one, empty) = ([5.0], read(0, 9));
        assert_eq!(empty.block(0..0, 3..9).map(|part| (part.rows(), part.columns())), Ok((0, 6)));
        assert_eq!(empty.transposed().block(9..9, 0..0).map(|part| part.rows()), Ok(0));
        let c = || MatMut::strided(&mut [] as &mut [f64], 9, 0, strides).unwrap();
        assert!(c().split_rows(9).is_ok() && c().split_rows(4).is_ok() && c().split_columns(0).is_ok());
        let mut c = MatMut::strided(&mut one, 1, 1, strides).unwrap();
        assert!(c.reborrow().split_rows(1).is_ok() && c.reborrow().split_columns(1).is_ok());
        let a = MatRef::strided(&one, 1, 1, strides).unwrap();
        assert!(a.block(1..1, 1..1).is_ok() && a.block(0..1, 1..1).is_ok());
    }
}

#[test]
fn products() {
    let x = [1.0f32; 100];
    let matrix = |rows, columns| MatRef::row_major(&x, rows, columns, columns).unwrap();
    let mut c = [7.0f32; 12];
    let mut product =
        |a, b, rows, columns| gemm(1.0, a, b, 0.0, MatMut::row_major(&mut c, rows, columns, columns).unwrap());
    assert_eq!(product(matrix(3, 5), matrix(6, 4), 3, 4), length("rows of b", 5, 6));
    assert_eq!(product(matrix(3, 5), matrix(5, 4), 2, 4), length("rows of c", 3, 2));
    assert_eq!(product(matrix(3, 5), matrix(5, 4), 3, 3), length("columns of c", 4, 3));
    let mut memory = vec![0.0; 20];
    assert_eq!(PackedB::new(matrix(5, 5), &mut memory, &Options::default()).map(drop), length("memory", 25, 20));
    assert!(memory.iter().all(|&x| x == 0.0));
    assert_eq!(PackedB::<f32>::len(1 << 40, 1 << 40), Err(Error::TooLarge { argument: "b" }));
    let packed = PackedB::new(matrix(5, 4), &mut memory, &Options::default()).unwrap();
    let result = gemm_packed(
        1.0,
        matrix(3, 6),
        &packed,
        0.0,
        MatMut::row_major(&mut c, 3, 4, 4).unwrap(),
        &Options::default(),
        None,
    );
    assert_eq!(result, length("rows of b", 6, 5));
    assert_eq!(c, [7.0; 12]);

    // A workspace that is too short: nothing is written.
    let (n, rows) = (600, Strides::row_major(600));
    let needed = workspace_bytes::<f32>([n; 3], rows, rows, rows, &Options::default()).unwrap();
    assert!(needed > 64 && needed <= 4 << 20);
    let (x, mut y) = (vec![1.0; n * n], vec![7.0; n * n]);
    let a = MatRef::row_major(&x, n, n, n).unwrap();
    let mut workspace = vec![0; needed - 1];
    let c = MatMut::row_major(&mut y, n, n, n).unwrap();
    let result = gemm_in(1.0, a, a, 0.0, c, &Options::default(), Some(&mut workspace));
    assert_eq!(result, length("workspace", needed, needed - 1));
    let plan = Plan::<f32>::new([n; 3], rows, rows, rows, &Options::default()).unwrap();
    assert_eq!(plan.run(1.0, &x, &x, 0.0, &mut y, &mut workspace), length("workspace", needed, needed - 1));
    let mut workspace = vec![0; needed];
    assert_eq!(plan.run(1.0, &x[1..], &x, 0.0, &mut y, &mut workspace), length("a", n * n, n * n - 1));
    assert_eq!(plan.run(1.0, &x, &x[2..], 0.0, &mut y, &mut workspace), length("b", n * n, n * n - 2));
    assert_eq!(plan.run(1.0, &x, &x, 0.0, &mut y[3..], &mut workspace), length("c", n * n, n * n - 3));
    assert!(y.iter().all(|&x| x == 7.0));

    let short = Strides::row_major(5);
    let refused = Plan::<f32>::new([4, 6, 2], rows, rows, short, &Options::default()).map(drop);
    assert_eq!(refused, Err(Error::Stride { argument: "c", min: 6, found: 5 }));
    let large = |shape| Plan::<f32>::new(shape, rows, rows, Strides::row_major(1 << 50), &Options::default()).map(drop);
    assert_eq!(large([1 << 60, 4, 4]), Err(Error::TooLarge { argument: "a" }));
    assert_eq!(large([4, 4, 1 << 60]), Err(Error::TooLarge { argument: "b" }));
    assert_eq!(large([1 << 20, 4, 4]), Err(Error::TooLarge { argument: "c" }));
    assert_eq!(large([usize::MAX; 3]), Err(Error::TooLarge { argument: "a" }));
}
