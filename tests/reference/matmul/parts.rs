//! A part of C, computed alone, has the bits of the whole.

use hotloops::matmul::{MatMut, MatRef, gemm};

use crate::harness::rng::Rng;

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
