//! Linear layers against sums that another program computed.

use hotloops::clifford::{Mode, Signature};

use crate::clifford::linear::{Problem, results};

/// Signature; sum, sum of squares and weighted sum of y, gx and gw; first elements of y.
type Example = (&'static [i8], [i64; 9], &'static [f64]);

/// Computed with integers by another program. Batch 3, 5 inputs, 4 outputs.
const EXAMPLES: &[Example] = &[
    (&[1], [10, 8128, -118, -4, 1360, -42, -20, 6860, -318], &[19.0, 6.0]),
    (&[-1], [-14, 11156, -846, 20, 2144, 322, 16, 6288, 948], &[37.0, 6.0]),
    (&[0], [-2, 7962, -482, 8, 1202, 140, -2, 4928, 315], &[28.0, 6.0]),
    (&[1, 1], [12, 37410, 1523, 72, 10044, 2768, -40, 27780, -1716], &[-4.0, 10.0, -47.0, -28.0]),
    (&[1, -1], [4, 40718, 989, 12, 5220, -834, -40, 27780, -1436], &[42.0, 2.0, -47.0, -28.0]),
    (&[-1, -1], [-18, 36978, 331, 40, 8636, 1202, 32, 24948, 3736], &[52.0, 2.0, -21.0, -28.0]),
    (&[0, 1], [-27, 28349, 350, 72, 6846, 2730, -34, 12230, -916], &[9.0, 10.0, -34.0, -28.0]),
    (
        &[1, 1, 1],
        [-55, 119971, 5465, 24, 21504, -5583, -80, 74400, -4658],
        &[-10.0, 13.0, -7.0, 2.0, -41.0, 15.0, -9.0, 46.0],
    ),
    (
        &[1, 1, -1],
        [29, 106767, 4433, 112, 24896, -27, -80, 74400, -452],
        &[-4.0, -25.0, -9.0, 2.0, 1.0, 15.0, -9.0, 46.0],
    ),
    (
        &[-1, -1, -1],
        [-45, 153979, 4083, 80, 34416, 3771, 64, 99600, 2586],
        &[30.0, 27.0, -101.0, -54.0, 1.0, -39.0, -53.0, 46.0],
    ),
    (
        &[0, 1, 1],
        [21, 101595, 6589, 24, 16292, -5524, 4, 67744, -2732],
        &[20.0, 13.0, -13.0, 2.0, -41.0, 15.0, -31.0, 46.0],
    ),
    (&[0, 1, 1, 1], [186, 356922, 28741, 256, 135808, 24803, -112, 244232, -9595], &[36.0, -37.0, -35.0, 60.0]),
    (&[1, 1, 1, 0], [-31, 353781, 19773, 152, 99360, 7615, -160, 353856, -14353], &[22.0, 24.0, -50.0, 24.0]),
    (&[1, -1, -1, -1], [140, 418212, -4908, 16, 132992, 13315, -160, 456160, -11399], &[47.0, 9.0, 44.0, 26.0]),
];

#[test]
fn layers_reproduce_the_examples() {
    let (batch, inputs, outputs) = (3, 5, 4);
    for &(squares, sums, first) in EXAMPLES {
        let signature = Signature::new(squares).unwrap();
        let blades = signature.blades();
        let array = |[n0, n1, n2]: [usize; 3], [f0, f1, f2]: [usize; 3], modulus: usize, shift: f64| {
            let index = move |i: usize| (i / n2 / n1, i / n2 % n1, i % n2);
            let value = move |(i, j, k)| ((f0 * i + f1 * j + f2 * k) % modulus) as f64 - shift;
            (0..n0 * n1 * n2).map(index).map(value).collect::<Vec<f64>>()
        };
        let problem = Problem {
            batch,
            inputs,
            outputs,
            x: array([batch, inputs, blades], [7, 5, 3], 11, 5.0),
            w: array([blades, outputs, inputs], [3, 2, 5], 7, 3.0),
            bias: array([1, blades, outputs], [0, 1, 1], 3, 1.0),
            gy: array([batch, outputs, blades], [2, 3, 5], 5, 2.0),
        };
        for mode in [Mode::Exact, Mode::Fast] {
            let found = results(signature, mode, &problem);
            let sums_of = |values: &[f64]| {
                let weighted = (0..).zip(values).map(|(k, &v)| (v as i64) * (k % 97 + 1)).sum::<i64>();
                let squares = values.iter().map(|&v| v as i64 * v as i64).sum::<i64>();
                [values.iter().map(|&v| v as i64).sum::<i64>(), squares, weighted]
            };
            let all = [&found.y, &found.gx, &found.gw].map(|values| sums_of(values)).concat();
            assert_eq!(all, sums, "{squares:?} {mode:?}");
            assert_eq!(found.y[..first.len()], *first, "{squares:?} {mode:?}");
        }
    }
}
