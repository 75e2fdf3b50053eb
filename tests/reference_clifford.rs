//! The Clifford layers against the defining relations and against examples in exact integers.

use hotloops::clifford::{Element, Linear, Mode, Signature};
use hotloops::clifford::{geometric_product, grade_norms, paths, sandwich, weighted_product};

/// Every signature of up to 4 generators.
fn signatures() -> Vec<Signature> {
    let mut lists: Vec<Vec<i8>> = vec![vec![]];
    let mut all = Vec::new();
    for _ in 0..=4 {
        all.extend(lists.iter().map(|list| Signature::new(list).unwrap()));
        lists = lists.iter().flat_map(|list| [1, -1, 0].map(|square| [&list[..], &[square]].concat())).collect();
    }
    all
}

#[test]
fn generators_anticommute_and_have_their_squares() {
    for signature in signatures() {
        for (i, &square) in signature.squares().iter().enumerate() {
            let e = signature.index(1 << i);
            assert_eq!(signature.product(e, e), (0, square));
            for k in 0..i {
                let other = signature.index(1 << k);
                let (blade, sign) = signature.product(other, e);
                assert_eq!((signature.bitmap(blade), sign), (1 << i | 1 << k, 1));
                assert_eq!(signature.product(e, other), (blade, -1));
            }
        }
    }
}

#[test]
fn products_are_associative() {
    for signature in signatures() {
        let blades = signature.blades();
        for (p, q, r) in (0..blades * blades * blades).map(|i| (i % blades, i / blades % blades, i / blades / blades)) {
            let (pq, first) = signature.product(p, q);
            let (left, second) = signature.product(pq, r);
            let (qr, third) = signature.product(q, r);
            let (right, fourth) = signature.product(p, qr);
            assert_eq!((left, first * second), (right, third * fourth), "{signature:?} {p} {q} {r}");
        }
    }
}

#[test]
fn blades_are_ordered_by_grade_then_by_generators() {
    let signature = Signature::new(&[0, 1, 1, 1]).unwrap();
    let bitmaps: Vec<_> = (0..16).map(|index| signature.bitmap(index)).collect();
    assert_eq!(bitmaps, [0, 1, 2, 4, 8, 3, 5, 9, 6, 10, 12, 7, 11, 13, 14, 15]);
    let bitmaps: Vec<_> = (0..8).map(|index| Signature::new(&[1, 1, 1]).unwrap().bitmap(index)).collect();
    assert_eq!(bitmaps, [0, 1, 2, 4, 3, 5, 6, 7]);
    let nonzero = (0..16).map(|j| signature.factors(j).count()).sum::<usize>();
    assert_eq!(nonzero, 192);
}

/// A layer's y, gx, gw and gbias.
struct Results {
    y: Vec<f64>,
    gx: Vec<f64>,
    gw: Vec<f64>,
    gbias: Vec<f64>,
}

struct Problem {
    batch: usize,
    inputs: usize,
    outputs: usize,
    x: Vec<f64>,
    w: Vec<f64>,
    bias: Vec<f64>,
    gy: Vec<f64>,
}

fn results(signature: Signature, mode: Mode, p: &Problem) -> Results {
    let layer = Linear::new(signature, p.inputs, p.outputs, mode).unwrap();
    let mut memory = vec![0.0; layer.packed_len().unwrap()];
    let weights = layer.pack(&p.w, Some(&p.bias), &mut memory).unwrap();
    let blades = signature.blades();
    let mut workspace = vec![f64::NAN; weights.workspace_len(p.batch).unwrap()];
    let mut y = vec![f64::NAN; p.batch * p.outputs * blades];
    weights.forward(p.batch, &p.x, &mut y, &mut workspace).unwrap();
    let mut memory = vec![0.0; layer.packed_len().unwrap()];
    let weights = layer.pack_backward(&p.w, &mut memory).unwrap();
    let mut workspace = vec![f64::NAN; weights.workspace_len(p.batch).unwrap()];
    let mut gx = vec![f64::NAN; p.batch * p.inputs * blades];
    weights.backward(p.batch, &p.gy, &mut gx, &mut workspace).unwrap();
    let mut workspace = vec![f64::NAN; layer.backward_weights_len::<f64>(p.batch).unwrap()];
    let (mut gw, mut gbias) = (vec![0.0; p.w.len()], vec![0.0; p.bias.len()]);
    layer.backward_weights(p.batch, &p.x, &p.gy, &mut gw, Some(&mut gbias), &mut workspace).unwrap();
    Results { y, gx, gw, gbias }
}

/// The same by the definition.
fn by_definition(signature: Signature, p: &Problem) -> Results {
    let blades = signature.blades();
    let (mut y, mut gx) = (vec![0.0; p.batch * p.outputs * blades], vec![0.0; p.batch * p.inputs * blades]);
    let (mut gw, mut gbias) = (vec![0.0; p.w.len()], vec![0.0; p.bias.len()]);
    for b in 0..p.batch {
        for o in 0..p.outputs {
            for j in 0..blades {
                let at = (b * p.outputs + o) * blades + j;
                y[at] = p.bias[j * p.outputs + o];
                gbias[j * p.outputs + o] += p.gy[at];
                for i in 0..p.inputs {
                    for left in 0..blades {
                        let right = signature.index(signature.bitmap(left) ^ signature.bitmap(j));
                        let sign = f64::from(signature.product(left, right).1);
                        let (x, w) = ((b * p.inputs + i) * blades + left, (right * p.outputs + o) * p.inputs + i);
                        y[at] += sign * p.x[x] * p.w[w];
                        gx[x] += sign * p.gy[at] * p.w[w];
                        gw[w] += sign * p.gy[at] * p.x[x];
                    }
                }
            }
        }
    }
    Results { y, gx, gw, gbias }
}

/// Integers with sums below 2^22 are exact in every mode.
fn integers(signature: Signature, batch: usize, inputs: usize, outputs: usize) -> Problem {
    let blades = signature.blades();
    let series = |len: usize, by: usize, modulus: usize, shift: f64| {
        (0..len).map(|i| (i * by % modulus) as f64 - shift).collect::<Vec<_>>()
    };
    Problem {
        batch,
        inputs,
        outputs,
        x: series(batch * inputs * blades, 7, 11, 5.0),
        w: series(blades * inputs * outputs, 5, 7, 3.0),
        bias: series(blades * outputs, 3, 5, 2.0),
        gy: series(batch * outputs * blades, 4, 9, 4.0),
    }
}

#[test]
fn both_modes_give_the_products_of_the_definition() {
    for signature in signatures() {
        for (batch, inputs, outputs) in [(1, 1, 1), (3, 5, 4), (50, 3, 2), (97, 2, 9)] {
            let problem = integers(signature, batch, inputs, outputs);
            let expected = by_definition(signature, &problem);
            for mode in [Mode::Exact, Mode::Fast] {
                let found = results(signature, mode, &problem);
                let name = format!("{signature:?} {mode:?} {batch} x {inputs} x {outputs}");
                assert_eq!(found.y, expected.y, "y: {name}");
                assert_eq!(found.gx, expected.gx, "gx: {name}");
                assert_eq!(found.gw, expected.gw, "gw: {name}");
                assert_eq!(found.gbias, expected.gbias, "gbias: {name}");
            }
        }
    }
}

/// Signature; sum, sum of squares and weighted sum of y, gx and gw; first numbers of y.
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

/// In f32, with numbers that are not exact, against the same computation in f64.
#[test]
fn errors_are_within_their_bound() {
    for signature in signatures() {
        let (batch, inputs, outputs, blades) = (3, 13, 9, signature.blades());
        let mut state = 1u64;
        let mut number = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / 8_388_608.0 - 1.0
        };
        let mut numbers = |len: usize| (0..len).map(|_| number()).collect::<Vec<f32>>();
        let (x, w) = (numbers(batch * inputs * blades), numbers(blades * inputs * outputs));
        let bias = numbers(blades * outputs);
        let wide = |values: &[f32]| values.iter().map(|&value| f64::from(value)).collect::<Vec<f64>>();
        let problem = Problem {
            batch,
            inputs,
            outputs,
            x: wide(&x),
            w: wide(&w),
            bias: wide(&bias),
            gy: vec![0.0; batch * outputs * blades],
        };
        let exact = by_definition(signature, &problem).y;
        for mode in [Mode::Exact, Mode::Fast] {
            let layer = Linear::new(signature, inputs, outputs, mode).unwrap();
            let mut memory = vec![0.0; layer.packed_len().unwrap()];
            let weights = layer.pack(&w, Some(&bias), &mut memory).unwrap();
            let mut workspace = vec![0.0; weights.workspace_len(batch).unwrap()];
            let mut y = vec![0.0; exact.len()];
            weights.forward(batch, &x, &mut y, &mut workspace).unwrap();
            // Without fused multiply-add, twice the bound.
            let factor = 2.0 * layer.error_factor::<f32>();
            for (at, (&y, exact)) in y.iter().zip(&exact).enumerate() {
                let (b, o) = (at / (outputs * blades), at / blades % outputs);
                let length = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>().sqrt();
                let lengths: f64 = (0..inputs)
                    .map(|i| {
                        let x = length(&mut (0..blades).map(|p| problem.x[(b * inputs + i) * blades + p]));
                        let w = length(&mut (0..blades).map(|q| problem.w[(q * outputs + o) * inputs + i]));
                        x * w
                    })
                    .sum();
                let bias = length(&mut (0..blades).map(|j| problem.bias[j * outputs + o]));
                let error = (f64::from(y) - exact).abs();
                assert!(error <= factor * (lengths + bias), "{signature:?} {mode:?}: {error:e}");
            }
        }
    }
}

#[test]
fn the_automatic_mode_depends_on_the_channels() {
    let mode = |squares: &[i8], channels: usize| {
        Linear::new(Signature::new(squares).unwrap(), channels, channels, Mode::Auto).unwrap().mode()
    };
    assert_eq!([4, 8].map(|channels| mode(&[1, 1, 1], channels)), [Mode::Exact, Mode::Fast]);
    assert_eq!([3, 4].map(|channels| mode(&[0, 1, 1, 1], channels)), [Mode::Exact, Mode::Fast]);
    assert_eq!([8, 12].map(|channels| mode(&[1, 1], channels)), [Mode::Exact, Mode::Fast]);
    assert_eq!([32, 48].map(|channels| mode(&[-1], channels)), [Mode::Exact, Mode::Fast]);
    // No matrices for this one.
    assert_eq!(mode(&[1, 1, 1, 1], 1000), Mode::Exact);
}

#[test]
fn every_batch_fits_its_workspace() {
    const CHANNELS: usize = 4;
    let signature = Signature::new(&[0, 1, 1, 1]).unwrap();
    let (row, numbers) = (CHANNELS * 16, CHANNELS * CHANNELS * 16);
    let layer = Linear::new(signature, CHANNELS, CHANNELS, Mode::Fast).unwrap();
    let w = vec![1.0f32; numbers];
    let [mut forward, mut backward] = [(); 2].map(|()| vec![0.0; layer.packed_len().unwrap()]);
    let packed = [layer.pack(&w, None, &mut forward).unwrap(), layer.pack_backward(&w, &mut backward).unwrap()];
    for batch in 1..600 {
        let (x, mut y, mut gw) = (vec![1.0; batch * row], vec![0.0; batch * row], vec![0.0; numbers]);
        let [mut of_y, mut of_x] = packed.each_ref().map(|packed| vec![0.0; packed.workspace_len(batch).unwrap()]);
        packed[0].forward(batch, &x, &mut y, &mut of_y).unwrap();
        packed[1].backward(batch, &x, &mut y, &mut of_x).unwrap();
        let mut of_w = vec![0.0; layer.backward_weights_len::<f32>(batch).unwrap()];
        layer.backward_weights(batch, &x, &x, &mut gw, None, &mut of_w).unwrap();
    }
}

/// Numbers whose sums and products are rounded.
fn rounded(count: usize) -> Vec<f32> {
    (0..count).map(|i| (i as f32 * 0.618_034).fract() - 0.4).collect()
}

/// Few rows and many are computed in different ways.
#[test]
fn parts_of_the_batch_have_the_bits_of_the_whole() {
    const BATCH: usize = 61;
    let parts = [(0, 1), (1, 3), (4, 7), (11, 9), (20, 17), (37, 24)];
    let cases = signatures().into_iter().flat_map(|signature| [1, 3, 8, 32].map(|channels| (signature, channels)));
    for (signature, channels) in cases.filter(|(signature, channels)| signature.blades() * channels <= 256) {
        let (outputs, blades) = (channels + 1, signature.blades());
        let layer = Linear::new(signature, channels, outputs, Mode::Fast).unwrap();
        let (w, bias) = (rounded(blades * channels * outputs), rounded(blades * outputs));
        let [mut forward, mut backward] = [(); 2].map(|()| vec![0.0; layer.packed_len().unwrap()]);
        let forward = layer.pack(&w, Some(&bias), &mut forward).unwrap();
        let backward = layer.pack_backward(&w, &mut backward).unwrap();
        let run = |first: usize, batch: usize| {
            let (x_row, y_row) = (channels * blades, outputs * blades);
            let (x, gy) = (rounded(BATCH * x_row), rounded(BATCH * y_row));
            let (mut y, mut gx) = (vec![0.0; batch * y_row], vec![0.0; batch * x_row]);
            let mut workspace = vec![0.0; forward.workspace_len(batch).unwrap()];
            forward.forward(batch, &x[first * x_row..][..batch * x_row], &mut y, &mut workspace).unwrap();
            let mut workspace = vec![0.0; backward.workspace_len(batch).unwrap()];
            backward.backward(batch, &gy[first * y_row..][..batch * y_row], &mut gx, &mut workspace).unwrap();
            [y, gx].map(|numbers| numbers.into_iter().map(f32::to_bits).collect::<Vec<_>>())
        };
        let whole = run(0, BATCH);
        for (first, batch) in parts {
            for (part, whole) in run(first, batch).into_iter().zip(&whole) {
                let row = whole.len() / BATCH;
                assert_eq!(
                    part,
                    whole[first * row..][..batch * row],
                    "{signature:?}, {channels} channels, row {first}"
                );
            }
        }
    }
}

/// The numbers from `first` on, as many as there are blades.
fn count_from(first: usize, blades: usize) -> Vec<f64> {
    (first..first + blades).map(|i| i as f64).collect()
}

#[test]
fn products_reproduce_the_examples() {
    let examples: [(&[i8], &[f64]); 7] = [
        (&[1, -1], &[28.0, 12.0, 14.0, 24.0]),
        (&[-1, 1], &[46.0, 20.0, 30.0, 24.0]),
        (&[0, 0], &[5.0, 16.0, 22.0, 24.0]),
        (&[1, 1, -1], &[266.0, 260.0, -218.0, -200.0, -118.0, -100.0, 190.0, 192.0]),
        (
            &[0, 1, 1, 1],
            &[
                -988.0, -1708.0, -516.0, 788.0, -772.0, 174.0, 946.0, -1390.0, 648.0, -292.0, 592.0, 546.0, 366.0,
                622.0, 586.0, 648.0,
            ],
        ),
        (
            &[1, 1, 1, 0],
            &[
                -664.0, -404.0, 558.0, -520.0, -1796.0, 492.0, -250.0, -1390.0, 450.0, 592.0, 392.0, 450.0, 366.0,
                622.0, 458.0, 648.0,
            ],
        ),
        (
            &[1, -1, -1, -1],
            &[
                -1666.0, -1964.0, -1884.0, 516.0, 636.0, -1494.0, 682.0, 334.0, 588.0, 384.0, 660.0, 354.0, 622.0,
                430.0, 458.0, 648.0,
            ],
        ),
    ];
    for (squares, expected) in examples {
        let signature = Signature::new(squares).unwrap();
        let blades = signature.blades();
        let (x, y, mut z) = (count_from(1, blades), count_from(blades + 1, blades), vec![0.0; blades]);
        geometric_product(signature, &x, &y, &mut z).unwrap();
        assert_eq!(z, expected, "{squares:?}");
    }
}

/// Integers, so that every product is exact: x y of each number of multivectors in each algebra.
fn check_products<T: Element>() {
    for signature in signatures() {
        let blades = signature.blades();
        for count in (0..20).chain([33, 64]) {
            let number = |i: usize| ((i * i + 7 * i) % 23) as i32 - 11;
            let of = |values: &[i32]| values.iter().map(|&value| T::from_f64(value.into())).collect::<Vec<T>>();
            let x: Vec<i32> = (0..count * blades).map(number).collect();
            let y: Vec<i32> = (0..count * blades).map(|i| number(i + 5)).collect();
            let mut expected = vec![0; x.len()];
            for at in (0..x.len()).step_by(blades) {
                for (p, q) in (0..blades).flat_map(|p| (0..blades).map(move |q| (p, q))) {
                    let (j, sign) = signature.product(p, q);
                    expected[at + j] += i32::from(sign) * x[at + p] * y[at + q];
                }
            }
            let mut z = vec![T::ONE; x.len()];
            geometric_product(signature, &of(&x), &of(&y), &mut z).unwrap();
            assert_eq!(z, of(&expected), "{signature:?}, {count} multivectors");
        }
    }
}

#[test]
fn products_of_every_algebra_and_number_are_those_of_the_table() {
    check_products::<f32>();
    check_products::<f64>();
}

/// Integers: r x ~r by two products of the definition.
fn check_sandwiches<T: Element>() {
    for signature in signatures() {
        let blades = signature.blades();
        for count in [1, 3, 16, 35] {
            let of = |values: &[i32]| values.iter().map(|&value| T::from_f64(value.into())).collect::<Vec<T>>();
            // Every other r is even.
            let is_left_out = |i: usize| i / blades % 2 == 1 && signature.grade(i % blades) % 2 == 1;
            let r: Vec<i32> =
                (0..count * blades).map(|i| if is_left_out(i) { 0 } else { (i * i % 7) as i32 - 3 }).collect();
            let x: Vec<i32> = (0..count * blades).map(|i| (i * i * i % 11) as i32 - 5).collect();
            let mut expected = vec![0; x.len()];
            for at in (0..x.len()).step_by(blades) {
                for (p, q, last) in (0..blades.pow(3)).map(|i| (i % blades, i / blades % blades, i / blades / blades)) {
                    let (middle, first) = signature.product(p, q);
                    let (j, second) = signature.product(middle, last);
                    let sign = i32::from(first * second * signature.reverse(last));
                    expected[at + j] += sign * r[at + p] * x[at + q] * r[at + last];
                }
            }
            let mut z = vec![T::ONE; x.len()];
            sandwich(signature, &of(&r), &of(&x), &mut z).unwrap();
            assert_eq!(z, of(&expected), "{signature:?}, {count} multivectors");
        }
    }
}

#[test]
fn sandwiches_of_every_algebra_and_number_are_two_products() {
    check_sandwiches::<f32>();
    check_sandwiches::<f64>();
}

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

#[test]
fn sandwiches_reproduce_the_examples() {
    let space = Signature::new(&[1, 1, 1]).unwrap();
    let mut z = vec![0.0; 8];
    sandwich(space, &[1.0, 0.0, 0.0, 0.0, 2.0, 3.0, 4.0, 0.0], &count_from(1, 8), &mut z).unwrap();
    assert_eq!(z, [30.0, 36.0, -102.0, -120.0, 90.0, 156.0, 258.0, 240.0]);
    let projective = Signature::new(&[0, 1, 1, 1]).unwrap();
    let motor = [1.0, 0.0, 0.0, 0.0, 0.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 0.0, 0.0, 0.0, 0.0, 8.0];
    let mut z = vec![0.0; 16];
    sandwich(projective, &motor, &count_from(1, 16), &mut z).unwrap();
    let expected = [
        111.0, 602.0, 81.0, -660.0, -417.0, 466.0, -135.0, 704.0, 847.0, 1078.0, 1357.0, 1396.0, 2197.0, 4702.0,
        1665.0, 1760.0,
    ];
    assert_eq!(z, expected);
}

#[test]
fn norms_are_the_scalar_parts_of_reversed_products() {
    for signature in signatures() {
        let (blades, grades) = (signature.blades(), signature.squares().len() + 1);
        let x = count_from(2, blades);
        let mut norms = vec![0.0; grades];
        grade_norms(signature, &x, &mut norms).unwrap();
        for (grade, norm) in norms.iter().enumerate() {
            let part: Vec<f64> = (0..blades).map(|p| if signature.grade(p) == grade { x[p] } else { 0.0 }).collect();
            let reverse: Vec<f64> = (0..blades).map(|p| f64::from(signature.reverse(p)) * part[p]).collect();
            let mut z = vec![0.0; blades];
            geometric_product(signature, &reverse, &part, &mut z).unwrap();
            assert_eq!(z[0], *norm);
        }
    }
}
