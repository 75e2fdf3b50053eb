//! Geometric products, sandwich products and norms of multivectors.

use hotloops::clifford::{Element, Signature, geometric_product, grade_norms, sandwich};

use crate::clifford::{count_from, signatures};

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
