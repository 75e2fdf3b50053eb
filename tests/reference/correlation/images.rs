//! Pairs of integer positions, within one image and between two.

use hotloops::correlation::{Accumulator, Bins, Image, Psi};

use crate::correlation::{found, integer_bin, of_image, pairs, product, tally};
use crate::harness::rng::Rng;

fn eighths() -> Vec<Bins> {
    let uniform = |lo, hi, width| Bins::uniform(lo, hi, width).unwrap();
    let custom = |edges: &[f64]| Bins::from_edges(edges).unwrap();
    vec![
        uniform(0.0, 400.0, 1.0),
        uniform(0.0, 12.0, 0.125),
        uniform(5.0, 40.0, 2.5),
        custom(&[0.0, 1e6]),
        custom(&[0.0, 0.125, 1.0, 3.0, 3.25, 17.0]),
        custom(&[2.0, 5.0]),
    ]
}

#[test]
fn images_agree_with_all_pairs_one_by_one() {
    let mut rng = Rng(1);
    for (round, (n, width, height)) in
        [(0, 9, 9), (1, 9, 9), (2, 3, 1), (60, 300, 1), (60, 1, 300), (200, 15, 12), (300, 200, 150), (150, 2000, 20)]
            .into_iter()
            .enumerate()
    {
        let (x, y, psi) = (rng.integers(n, width), rng.integers(n, height), rng.psi(n));
        let (image, positions) = (Image::new(&x, &y, &psi).unwrap(), Image::of_positions(&x, &y).unwrap());
        for bins in eighths() {
            let expected = tally(
                &bins,
                pairs(n).map(|(i, j)| {
                    let (dx, dy) = (i128::from(x[i]) - i128::from(x[j]), i128::from(y[i]) - i128::from(y[j]));
                    (integer_bin(&bins, dx * dx + dy * dy), product(psi[i], psi[j]))
                }),
            );
            assert_eq!(found(&of_image(&image, &bins)), expected, "round {round}, {bins:?}");
            let counts: Vec<_> = expected.iter().map(|&(count, _)| (count, 0)).collect();
            assert_eq!(found(&of_image(&positions, &bins)), counts, "round {round}, counts, {bins:?}");
        }
    }
}

#[test]
fn two_images_agree_with_all_pairs_one_by_one() {
    let mut rng = Rng(2);
    for bins in eighths() {
        let (n, m) = (70, 90);
        let (x, y, psi) = (rng.integers(n, 60), rng.integers(n, 40), rng.psi(n));
        let (other_x, other_y, other_psi) = (rng.integers(m, 90), rng.integers(m, 25), rng.psi(m));
        let (a, b) = (Image::new(&x, &y, &psi).unwrap(), Image::new(&other_x, &other_y, &other_psi).unwrap());
        let all = (0..n).flat_map(|i| (0..m).map(move |j| (i, j)));
        let expected = tally(
            &bins,
            all.map(|(i, j)| {
                let (dx, dy) = (i128::from(x[i] - other_x[j]), i128::from(y[i] - other_y[j]));
                (integer_bin(&bins, dx * dx + dy * dy), product(psi[i], other_psi[j]))
            }),
        );
        let mut cross = Accumulator::new(bins.clone()).unwrap();
        cross.add_image_cross(&a, &b).unwrap();
        assert_eq!(found(&cross), expected, "{bins:?}");
        // The pairs of a union are the pairs of each set plus the pairs between them.
        let join = |a: &[i32], b: &[i32]| [a, b].concat();
        let union = Image::new(&join(&x, &other_x), &join(&y, &other_y), &[psi, other_psi].concat()).unwrap();
        cross.merge(&of_image(&a, &bins)).unwrap();
        cross.merge(&of_image(&b, &bins)).unwrap();
        assert_eq!(cross, of_image(&union, &bins));
    }
}

#[test]
fn two_images_agree_by_every_method() {
    let mut rng = Rng(10);
    // Dense, far apart, and few with many: by transforms, pair by pair or in cells, and in rows.
    for (n, m, side, r) in
        [(900, 700, 40, 50.0), (200, 250, 900_000, 90_000.0), (400, 500, 30_000, 900.0), (3, 900, 60, 30.0)]
    {
        let bins = Bins::uniform(0.0, r, r / 40.0).unwrap();
        let [(x, y, psi), (other_x, other_y, other_psi)] =
            [n, m].map(|n| (rng.integers(n, side), rng.integers(n, side), rng.psi(n)));
        let (a, b) = (Image::new(&x, &y, &psi).unwrap(), Image::new(&other_x, &other_y, &other_psi).unwrap());
        let each = (0..n).flat_map(|i| (0..m).map(move |j| (i, j))).map(|(i, j)| {
            let (dx, dy) = (i128::from(x[i] - other_x[j]), i128::from(y[i] - other_y[j]));
            (integer_bin(&bins, dx * dx + dy * dy), product(psi[i], other_psi[j]))
        });
        let expected = tally(&bins, each);
        let mut cross = Accumulator::new(bins.clone()).unwrap();
        cross.add_image_cross(&a, &b).unwrap();
        assert_eq!(found(&cross), expected, "{n} with {m} in {side}");
        let positions = Image::of_positions(&other_x, &other_y).unwrap();
        let mut counted = Accumulator::new(bins.clone()).unwrap();
        counted.add_image_cross(&a, &positions).unwrap();
        let counts: Vec<_> = expected.iter().map(|&(count, _)| (count, 0)).collect();
        assert_eq!(found(&counted), counts, "counts, {n} with {m} in {side}");
    }
}

#[test]
fn images_depend_on_neither_order_nor_place() {
    let mut rng = Rng(3);
    let n = 400;
    let (x, y, psi) = (rng.integers(n, 150), rng.integers(n, 90), rng.psi(n));
    let bins = Bins::uniform(0.0, 100.0, 0.7).unwrap();
    let expected = of_image(&Image::new(&x, &y, &psi).unwrap(), &bins);
    let order: Vec<usize> = (0..n).map(|i| i * 7 % n).collect();
    let shuffled = |values: &[i32]| order.iter().map(|&i| values[i]).collect::<Vec<i32>>();
    let psi_shuffled: Vec<Psi> = order.iter().map(|&i| psi[i]).collect();
    let moved = |values: &[i32], by: i32, sign: i32| values.iter().map(|v| sign * v + by).collect::<Vec<i32>>();
    let images = [
        Image::new(&shuffled(&x), &shuffled(&y), &psi_shuffled),
        Image::new(&moved(&x, i32::MAX - 200, 1), &moved(&y, i32::MIN + 10, 1), &psi),
        Image::new(&moved(&x, 3, -1), &y, &psi),
        Image::new(&y, &x, &psi),
    ];
    for image in images {
        assert_eq!(of_image(&image.unwrap(), &bins), expected);
    }
}

#[test]
fn pairs_of_two_parts_and_between_them_are_all_pairs() {
    let mut rng = Rng(8);
    let n = 500;
    let (x, y, psi) = (rng.integers(n, 120), rng.integers(n, 110), rng.psi(n));
    let bins = Bins::uniform(0.0, 170.0, 1.5).unwrap();
    let image = |range: std::ops::Range<usize>| Image::new(&x[range.clone()], &y[range.clone()], &psi[range]).unwrap();
    let (first, second) = (image(0..200), image(200..n));
    let mut parts = of_image(&first, &bins);
    parts.merge(&of_image(&second, &bins)).unwrap();
    parts.add_image_cross(&first, &second).unwrap();
    assert_eq!(parts, of_image(&image(0..n), &bins));
}

#[test]
fn a_map_is_what_differences_occur() {
    let (x, y) = ([0, 3, 3, 5, 3], [0, 4, 0, 4, 0]);
    let psi = [Psi::ONE; 5];
    let image = Image::new(&x, &y, &psi).unwrap();
    for reach in [0, 2, 5, 9] {
        for dy in 0..6 {
            let mut map = vec![(9, 9); 2 * reach + 1];
            image.map_row(dy, &mut map).unwrap();
            let mut expected = vec![(0, 0i128); 2 * reach + 1];
            for (i, j) in pairs(5) {
                let (i, j) = if (y[j], x[j]) < (y[i], x[i]) { (j, i) } else { (i, j) };
                let slot = reach as i32 + x[j] - x[i];
                if y[j] - y[i] == dy as i32 && (0..=2 * reach as i32).contains(&slot) {
                    expected[slot as usize].0 += 1;
                    expected[slot as usize].1 += 1 << 28;
                }
            }
            assert_eq!(map, expected, "reach {reach}, dy {dy}");
        }
    }
}
