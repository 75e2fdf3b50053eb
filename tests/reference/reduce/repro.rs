//! Reproducible sums against their definition in exact integers, in every order and cut.

use hotloops::reduce::{self, Repro};
use quickcheck::{QuickCheck, TestResult};

use crate::exact::Exact;
use crate::harness::rng::Rng;
use crate::reduce::{exact_sum, same, wide};

/// The definition of the reproducible sum in exact integers: multiples of the quantum of the
/// largest magnitude's bin.
fn defined(x: &[f64]) -> f64 {
    let largest = x.iter().fold(0f64, |a, x| a.max(x.abs()));
    let power = |e: i32| f64::from(e / 2).exp2() * f64::from(e - e / 2).exp2();
    let mut exponent = -1074;
    while exponent + 119 < 1024 && largest >= power(exponent + 119) {
        exponent += 40;
    }
    let mut sum = Exact::new();
    for &x in x {
        // In units of the quantum, ties towards zero. A quantum is a multiple of the finer one, so
        // ties of all occur.
        let nearest = |x: f64, e: i32| {
            let scaled = if e > 0 {
                x * power(-e / 2) * power(-e + e / 2)
            } else {
                x * power((-e).min(1000)) * power((-e - 1000).max(0))
            };
            let floor = scaled.abs().floor();
            let up = scaled.abs() - floor > 0.5;
            (floor + f64::from(u8::from(up))).copysign(x)
        };
        let mut rest = x;
        for exponent in [exponent + 80, exponent + 40, exponent] {
            let part = nearest(rest, exponent);
            let mut left = exact_sum([rest]);
            left.add(-part, power(exponent));
            rest = left.round();
            sum.add(part, power(exponent));
        }
    }
    sum.round()
}

#[test]
fn the_reproducible_sum_is_its_definition() {
    let mut rng = Rng(3);
    for (n, spread, shift) in [
        (1, 0, 0),
        (3, 30, 0),
        (40, 60, 0),
        (200, 90, 0),
        (100, 200, 300),
        (50, 20, -1020),
        (50, 12, -700),
        (7, 12, 930),
    ] {
        for _ in 0..20 {
            let mut x = rng.spread_numbers::<f64>(n, spread);
            x.iter_mut().for_each(|x| *x *= f64::from(shift).exp2());
            // Includes multiples of half a quantum.
            x.extend((0..n / 3).map(|i| (i as f64 - 7.5) * f64::from(shift - 34).exp2()));
            same(defined(&x), reduce::sum_repro(&x), n);
        }
    }
    let largest = [f64::MAX, f64::MAX, -f64::MAX, 1.0, -f64::MAX / 3.0, 1e290];
    same(defined(&largest), reduce::sum_repro(&largest), 6);
    assert_eq!(reduce::sum_repro(&[f64::MAX, f64::MAX, -f64::MAX]), f64::MAX);
}

#[test]
fn the_reproducible_sum_of_floats_is_its_definition() {
    let mut rng = Rng(9);
    for (n, spread, shift) in [
        (1, 0, 0),
        (3, 5, 0),
        (64, 4, 0),
        (64, 8, 100),
        (200, 9, -100),
        (200, 60, 0),
        (40, 20, -130),
        (40, 8, 118),
        (9000, 8, 0),
        (20_000, 7, 20),
    ] {
        for _ in 0..if n > 1000 { 2 } else { 20 } {
            let mut x: Vec<f32> = wide(&rng.spread_numbers::<f64>(n, spread))
                .iter()
                .map(|x| (x * f64::from(shift).exp2()) as f32)
                .collect();
            (0..n).step_by(7).for_each(|i| x[i] = 0.0);
            // Integers and halves of them, which are ties in many bins.
            x.extend((0..n / 3).map(|i| (i as f32 - 7.5) * (shift.clamp(-100, 100) as f32).exp2()));
            same(defined(&wide(&x)) as f32, reduce::sum_repro(&x), n);
            // The largest element comes last, and is in another bin.
            x.push((f64::from(shift).exp2() * 3e6).min(f32::MAX.into()) as f32);
            same(defined(&wide(&x)) as f32, reduce::sum_repro(&x), n);
        }
    }
    // Numbers that cancel up to the last place of the smallest, in blocks of which none does.
    let mut x: Vec<f32> = (0..30_000).map(|i| ((i % 251) as f32 + 1.0) * 2f32.powi(i % 9)).collect();
    let negated: Vec<f32> = x.iter().map(|x| -x).collect();
    x.push(2f32.powi(-1));
    x.extend(negated);
    assert_eq!(reduce::sum_repro(&x), 0.5);
}

#[test]
fn the_reproducible_dot_product_is_its_definition() {
    let mut rng = Rng(12);
    for (n, spread, shift) in
        [(1, 0, 0), (3, 30, 0), (300, 90, 0), (5000, 40, 3), (40, 30, 460), (40, 200, -480), (9, 4, 505)]
    {
        for _ in 0..if n > 1000 { 2 } else { 20 } {
            let [x, y] = [0, 1].map(|_| {
                let x = rng.spread_numbers::<f64>(n, spread);
                x.iter().map(|x| x * f64::from(shift).exp2()).collect::<Vec<_>>()
            });
            let terms = |x: &[f64], y: &[f64]| -> Vec<f64> {
                x.iter().zip(y).flat_map(|(&x, &y)| [x * y, x.mul_add(y, -(x * y))]).collect()
            };
            same(defined(&terms(&x, &y)), reduce::dot_repro(&x, &y).unwrap(), n);
            let [x, y] = [&x, &y].map(|x| x.iter().map(|&x| x as f32).collect::<Vec<_>>());
            if x.iter().chain(&y).all(|x| x.is_finite()) {
                let dot = defined(&terms(&wide(&x), &wide(&y)));
                same(dot as f32, reduce::dot_repro(&x, &y).unwrap(), n);
            }
        }
    }
    // Factors whose halves overflow, products that overflow, and infinite terms.
    let (large, small) = (1.7e308f64, 1.3e-300);
    let x = [large, small, 3.0];
    let terms = [large * small, large.mul_add(small, -(large * small)), 0.0, 9.0];
    same(defined(&terms), reduce::dot_repro(&x, &[small, 0.0, 3.0]).unwrap(), 3);
    assert_eq!(reduce::dot_repro(&[1e200, 1.0], &[1e200, 1.0]), Ok(f64::INFINITY));
    assert!(reduce::dot_repro(&[1e200, -1e200f64], &[1e200, 1e200]).unwrap().is_nan());
}

#[test]
fn exact_sums_are_exact_up_to_the_last_span() {
    let largest = |exponent: u32| f32::from_bits(exponent << 23 | 0x7f_ffff);
    let exact = |x: &[f32]| {
        let (mut range, mut sum) = ([f32::INFINITY, 0.0], f64::NAN);
        // SAFETY: the elements of a slice, two floats, a double.
        let done = unsafe { reduce::exact_f32(x.as_ptr(), x.len(), range.as_mut_ptr(), &raw mut sum) };
        (done == 1).then_some(sum)
    };
    for lowest in [0, 1, 2, 100, 126, 237, 238] {
        let highest = lowest.max(1) + 16;
        // As many bits as a sum can have.
        for n in [2, 3, 64, 8192] {
            let mut x = vec![largest(highest); n];
            x[n / 2] = largest(lowest);
            for sign in [1.0, -1.0] {
                x.iter_mut().for_each(|x| *x *= sign);
                let found = exact(&x).unwrap();
                assert_eq!(exact_sum(wide(&x)).error_of(found), 0.0, "{n} from {lowest}");
                same(found as f32, reduce::sum_repro(&x), n);
            }
            x.push(0.0);
            x.truncate(8192);
            assert!(exact(&x).is_some());
            if highest < 254 {
                x[0] = largest(highest + 1);
                assert_eq!(exact(&x), None);
                same(defined(&wide(&x)) as f32, reduce::sum_repro(&x), n);
            }
        }
    }
    assert_eq!(exact(&[-0.0; 70]).map(f64::to_bits), Some(0));
    for special in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
        assert_eq!(exact(&[1.0, special, 2.0]), None);
    }
}

#[test]
fn no_order_no_cut_and_no_merging_changes_the_reproducible_sum() {
    fn holds(words: Vec<u64>, cuts: Vec<usize>, narrow: bool) -> TestResult {
        let number = |&bits: &u64| if narrow { f64::from_bits(bits >> 4 | 0x3000 << 48) } else { f64::from_bits(bits) };
        let x: Vec<f64> = words.iter().map(number).collect();
        let expected = reduce::sum_repro(&x);
        let mut shuffled = x.clone();
        for (i, &cut) in cuts.iter().enumerate() {
            let n = shuffled.len().max(1);
            if n > 1 {
                shuffled.swap(i % n, cut % n);
            }
        }
        same(expected, reduce::sum_repro(&shuffled), x.len());
        // Pieces, merged from last to first through saved states.
        let mut pieces = vec![Repro::new()];
        let mut rest = &shuffled[..];
        for cut in cuts {
            let (first, others) = rest.split_at(cut % (rest.len() + 1));
            let mut piece = Repro::new();
            piece.extend(first);
            pieces.push(piece);
            rest = others;
        }
        pieces[0].extend(rest);
        let mut all = Repro::new();
        for piece in pieces.iter().rev() {
            let mut bytes = [0; Repro::STATE_LEN];
            piece.state_bytes(&mut bytes).unwrap();
            all.merge(&Repro::from_state_bytes(&bytes).unwrap());
        }
        same(expected, all.sum(), x.len());
        TestResult::passed()
    }
    QuickCheck::new().tests(500).quickcheck(holds as fn(_, _, _) -> _);
}

#[test]
fn long_reproducible_sums_are_those_of_their_parts() {
    let x: Vec<f64> = Rng(4).spread_numbers(100_000, 3);
    let narrow: Vec<f32> = x.iter().map(|&x| x as f32).collect();
    let (whole, whole_narrow) = (reduce::sum_repro(&x), reduce::sum_repro(&narrow));
    for piece in [1, 7, 1000, 8192, 8193, 50_000] {
        let (mut sum, mut sum_narrow) = (Repro::new(), Repro::new());
        x.chunks(piece).rev().for_each(|part| sum.extend(part));
        narrow.chunks(piece).rev().for_each(|part| sum_narrow.extend(part));
        same(whole, sum.sum(), piece);
        same(whole_narrow, sum_narrow.sum() as f32, piece);
    }
    assert!((whole - exact_sum(x).round()).abs() < 1e-6);
}
