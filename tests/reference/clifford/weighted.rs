//! Products with a weight for each path of grades.

use hotloops::clifford::{Element, Signature, paths, weighted_product};

use crate::clifford::{count_from, signatures};

/// Integers: terms of grades (a, c) of the factors and b of the product, times the weight of (a, b, c).
fn check_weighted<T: Element>() {
    for signature in signatures() {
        let (blades, all) = (signature.blades(), paths(signature).collect::<Vec<_>>());
        let occurs = |path: &[usize; 3]| {
            (0..blades * blades).map(|i| (i / blades, i % blades)).any(|(p, q)| {
                let (j, sign) = signature.product(p, q);
                sign != 0 && [p, j, q].map(|blade| signature.grade(blade)) == *path
            })
        };
        let triples = (0..125).map(|i| [i / 25, i / 5 % 5, i % 5]);
        assert_eq!(all, triples.filter(occurs).collect::<Vec<_>>(), "{signature:?}");
        for (channels, batch) in [(1, 1), (1, 20), (3, 7), (8, 4), (16, 2), (40, 3)] {
            let count = channels * batch;
            let of = |values: &[i32]| values.iter().map(|&value| T::from_f64(value.into())).collect::<Vec<T>>();
            let numbers = |len: usize, by: usize| (0..len).map(|i| (i * by % 9) as i32 - 4).collect::<Vec<_>>();
            let weights = numbers(all.len() * channels, 5);
            let (x, y) = (numbers(count * blades, 7), numbers(count * blades, 2));
            let mut expected = vec![0; x.len()];
            for (i, (p, q)) in (0..count).flat_map(|i| (0..blades * blades).map(move |k| (i, (k / blades, k % blades))))
            {
                let (j, sign) = signature.product(p, q);
                let Some(path) = all.iter().position(|path| *path == [p, j, q].map(|blade| signature.grade(blade)))
                else {
                    continue;
                };
                let term = i32::from(sign) * x[i * blades + p] * y[i * blades + q];
                expected[i * blades + j] += weights[path * channels + i % channels] * term;
            }
            let mut z = vec![T::ONE; x.len()];
            weighted_product(signature, &of(&weights), &of(&x), &of(&y), &mut z).unwrap();
            assert_eq!(z, of(&expected), "{signature:?}, {batch} rows of {channels} channels");
        }
    }
}

#[test]
fn weighted_products_of_every_algebra_and_number_are_those_of_the_table() {
    check_weighted::<f32>();
    check_weighted::<f64>();
}

#[test]
fn weighted_products_reproduce_the_examples() {
    let examples: [(&[i8], usize, &[f64]); 3] = [
        (&[1, 1], 10, &[-119.0, 170.0, -31.0, 196.0]),
        (&[1, 1, 1], 20, &[-4456.0, -2629.0, 3618.0, -3805.0, 3125.0, -1674.0, 2791.0, 2928.0]),
        (
            &[0, 1, 1, 1],
            34,
            &[
                -20174.0, -37332.0, -10771.0, 15256.0, -17489.0, -1364.0, 22708.0, -33100.0, 12560.0, -6936.0, 11744.0,
                14275.0, 5246.0, 15279.0, 12346.0, 17348.0,
            ],
        ),
    ];
    for (squares, count, expected) in examples {
        let signature = Signature::new(squares).unwrap();
        let blades = signature.blades();
        assert_eq!(paths(signature).count(), count);
        // Two channels, the second with twice the weights.
        let weights: Vec<f64> = (1..=count).flat_map(|k| [k as f64, 2.0 * k as f64]).collect();
        let (x, y) = (count_from(1, blades).repeat(4), count_from(blades + 1, blades).repeat(4));
        let mut z = vec![0.0; 4 * blades];
        weighted_product(signature, &weights, &x, &y, &mut z).unwrap();
        let twice: Vec<f64> = expected.iter().map(|value| 2.0 * value).collect();
        assert_eq!(z, [expected, &twice, expected, &twice].concat(), "{squares:?}");
    }
    let first: Vec<_> = paths(Signature::new(&[1, 1]).unwrap()).take(4).collect();
    assert_eq!(first, [[0, 0, 0], [0, 1, 1], [0, 2, 2], [1, 0, 1]]);
}
