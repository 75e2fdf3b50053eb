//! Images, points and accumulators of pair correlations.

use hotloops::correlation::{Accumulator, Bins, Boundary, Image, Points, Psi};

use crate::counting::{held, most_held};

#[test]
fn pair_correlations_hold_points_width_and_bins() {
    // Beyond a constant, memory is proportional to the points, the width or the bins.
    const FEW: usize = 4096;
    let (width, height) = (3000, 700);
    for n in [100, 20_000] {
        let (x, y): (Vec<i32>, Vec<i32>) = (0..n).map(|i| (i * 7919 % width, i * 104_729 % height)).unzip();
        let real = |values: &[i32]| values.iter().map(|&value| f64::from(value)).collect::<Vec<f64>>();
        let (n, width, psi) = (x.len(), width as usize, vec![Psi::ONE; x.len()]);
        let (real_x, real_y) = (real(&x), real(&y));

        let (image, making) = most_held(|| Image::new(&x, &y, &psi).unwrap());
        let rows = height as usize + 1;
        assert!(making <= 16 * n + 48 * rows + FEW, "{n} points: {making} bytes");
        let (_again, bytes) = held(|| Image::new(&x, &y, &psi).unwrap());
        assert!(bytes <= 8 * n + 48 * rows + FEW, "{n} points: {bytes} bytes");
        let k = 6;
        let (_order, making) = most_held(|| Psi::of_neighbours(&real_x, &real_y, Boundary::Open, k, 6).unwrap());
        assert!(making <= 64 * n + 384 * k + FEW, "{n} points: {making} bytes");

        for bins in [10, 1000] {
            let uniform = Bins::uniform(0.0, 300.0, 300.0 / f64::from(bins)).unwrap();
            let (mut pairs, bytes) = held(|| Accumulator::new(uniform.clone()).unwrap());
            let bins = uniform.len();
            assert!(bytes <= 64 * bins + FEW, "{bins} bins: {bytes} bytes");
            let ((), adding) = most_held(|| pairs.add_image_rows(&image, 0..20).unwrap());
            assert!(adding <= 32 * width + FEW, "{bins} bins: {adding} bytes");

            let boundary = Boundary::Periodic([width as f64, f64::from(height)]);
            let (points, making) = most_held(|| Points::new(&real_x, &real_y, &psi, boundary, 300.0).unwrap());
            assert!(making <= 64 * n + FEW, "{n} points: {making} bytes");
            let (_again, bytes) = held(|| points.clone());
            assert!(bytes <= 36 * n + FEW, "{n} points: {bytes} bytes");
            let apart = |values: &[f64]| values.iter().map(|x| 1e4 * x).collect::<Vec<_>>();
            let (apart_x, apart_y) = (apart(&real_x), apart(&real_y));
            let (_apart, making) = most_held(|| Points::new(&apart_x, &apart_y, &psi, Boundary::Open, 300.0).unwrap());
            assert!(making <= 100 * n + FEW, "{n} points, each in a cell of its own: {making} bytes");
            let ((), adding) = most_held(|| pairs.add_points_of_cells(&points, 0..2).unwrap());
            assert!(adding <= 100 * bins + FEW, "{bins} bins: {adding} bytes");
        }
    }
}
