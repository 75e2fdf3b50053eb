//! Sums and dot products against exact integers, and against loops that spell out the order.

mod exact;
#[path = "harness/rng.rs"]
mod rng;

use exact::Exact;
use hotloops::reduce::{self, Element, Repro, Strided};
use quickcheck::{QuickCheck, TestResult};
use rng::Rng;

fn exact_dot(pairs: impl IntoIterator<Item = (f64, f64)>) -> Exact {
    let mut sum = Exact::new();
    pairs.into_iter().for_each(|(x, y)| sum.add(x, y));
    sum
}

fn exact_sum(x: impl IntoIterator<Item = f64>) -> Exact {
    exact_dot(x.into_iter().map(|x| (x, 1.0)))
}

impl Rng {
    /// Numbers between -1 and 1, times powers of two of up to `spread` either way.
    fn numbers<T: Element>(&mut self, n: usize, spread: u64) -> Vec<T> {
        let mut number = || {
            let unit = (self.word() >> 11) as f64 * (-52f64).exp2() - 1.0;
            unit * ((self.word() % (2 * spread + 1)) as f64 - spread as f64).exp2()
        };
        (0..n).map(|_| T::from_f64(number())).collect()
    }
}

fn wide<T: Element>(x: &[T]) -> Vec<f64> {
    x.iter().map(|x| x.to_f64()).collect()
}

/// Half a unit in the last place of 1.
fn unit<T>() -> f64 {
    if size_of::<T>() == 4 { (-24f64).exp2() } else { (-53f64).exp2() }
}

/// The module's documented definition as a loop: 64 or 32 lanes, halved repeatedly.
fn in_order<T: Element>(terms: &[T]) -> T {
    let lanes = 256 / size_of::<T>();
    let mut sums = vec![-T::ZERO; lanes];
    for (i, &x) in terms.iter().enumerate() {
        sums[i % lanes] = sums[i % lanes] + x;
    }
    while sums.len() > 1 {
        let upper = sums.split_off(sums.len() / 2);
        sums.iter_mut().zip(upper).for_each(|(low, high)| *low = *low + high);
    }
    if terms.is_empty() { T::ZERO } else { sums[0] }
}

fn same<T: Element>(expected: T, found: T, n: usize) {
    assert_eq!(expected.to_f64().to_bits(), found.to_f64().to_bits(), "{n}: {expected:?}, {found:?}");
}

fn order<T: Element>() {
    let mut rng = Rng(1);
    for n in (0..200).chain([1000, 4097]) {
        let (x, y) = (rng.numbers::<T>(n, 20), rng.numbers::<T>(n, 20));
        same(in_order(&x), reduce::sum(&x), n);
        let magnitudes: Vec<T> = x.iter().map(|x| x.magnitude()).collect();
        same(in_order(&magnitudes), reduce::asum(&x), n);
        let products: Vec<T> = x.iter().zip(&y).map(|(&x, &y)| x * y).collect();
        same(in_order(&products), reduce::dot(&x, &y).unwrap(), n);
        for stride in [1, 2, 3, -1, -2, 0] {
            let step = isize::unsigned_abs(stride);
            let count = n.checked_div(step).unwrap_or(n.min(100));
            let at = |i: usize| if stride < 0 { (count - 1 - i) * step } else { i * step };
            let pick = |x: &[T]| (0..count).map(|i| x[at(i)]).collect::<Vec<T>>();
            let strided = Strided::new(&x, count, stride).unwrap();
            same(reduce::sum(&pick(&x)), reduce::sum(strided), count);
            same(reduce::asum(&pick(&x)), reduce::asum(strided), count);
            let row = y[..count].to_vec();
            same(reduce::dot(&pick(&x), &row).unwrap(), reduce::dot(strided, &row).unwrap(), count);
            same(reduce::dot(&row, &pick(&x)).unwrap(), reduce::dot(&row, strided).unwrap(), count);
        }
    }
}

#[test]
fn lanes_and_tree_are_those_of_the_documentation() {
    order::<f32>();
    order::<f64>();
}

/// Every function stays within its error bound, for sums with growing cancellation.
fn bounds<T: Element>() {
    let (mut rng, u) = (Rng(2), unit::<T>());
    for n in [1, 2, 33, 100, 1000, 30_000] {
        for spread in [0, 4, 12] {
            for cancel in [false, true] {
                let mut x = rng.numbers::<T>(n, spread);
                let mut y = rng.numbers::<T>(n, spread);
                if cancel {
                    // The second half cancels nearly all of the first.
                    let half = n / 2;
                    (0..half).for_each(|i| (x[n - 1 - i], y[n - 1 - i]) = (-x[i], y[i]));
                    y.rotate_right(n / 7 % n);
                    x.rotate_right(n / 7 % n);
                }
                let (xs, ys) = (wide(&x), wide(&y));
                let exact = exact_sum(xs.iter().copied());
                let exact_products = exact_dot(xs.iter().copied().zip(ys.iter().copied()));
                let magnitudes = exact_sum(xs.iter().map(|x| x.abs())).round();
                let products = exact_dot(xs.iter().zip(&ys).map(|(x, y)| (x.abs(), y.abs()))).round();
                let largest = xs.iter().fold(0f64, |a, x| a.max(x.abs()));
                let (sum, dot) = (exact.round(), exact_products.round());
                let depth = |lanes: f64| (n as f64 / lanes).ceil() + lanes.log2();
                let lanes = 256.0 / size_of::<T>() as f64;
                let check = |what: &str, exact: &Exact, found: T, bound: f64| {
                    let error = exact.error_of(found.to_f64()).abs();
                    assert!(error <= bound, "{what} of {n} (spread {spread}, {cancel}): error {error}, bound {bound}");
                };
                let plain = 1.01 * u * depth(lanes);
                check("sum", &exact, reduce::sum(&x), plain * magnitudes);
                check("dot", &exact_products, reduce::dot(&x, &y).unwrap(), (plain + u) * products);
                let twice = (depth(lanes / 2.0) + 2.0).powi(2) * u * u;
                check("sum2", &exact, reduce::sum2(&x), 1.01 * u * sum.abs() + 2.0 * twice * magnitudes);
                check(
                    "dot2",
                    &exact_products,
                    reduce::dot2(&x, &y).unwrap(),
                    1.01 * u * dot.abs() + 2.0 * twice * products,
                );
                let kahan = 2.02 * u + 4.0 * depth(lanes) * u * u;
                check("kahan", &exact, reduce::kahan(&x), kahan * magnitudes + u * sum.abs());
                let quanta = n as f64 * (-40f64).exp2() * largest;
                check("repro", &exact, reduce::sum_repro(&x), quanta + 1.01 * u * (sum.abs() + quanta));
            }
        }
    }
}

#[test]
fn errors_are_within_their_bounds() {
    bounds::<f32>();
    bounds::<f64>();
}

#[test]
fn what_is_not_finite_goes_through() {
    fn all<T: Element>() {
        let [inf, nan] = [f64::INFINITY, f64::NAN].map(T::from_f64);
        let sums: [fn(&[T]) -> T; 4] =
            [|x| reduce::sum(x), |x| reduce::sum2(x), |x| reduce::kahan(x), |x| reduce::sum_repro(x)];
        for sum in sums {
            for n in [1, 2, 5, 40, 64, 65, 130, 1000] {
                for at in [0, n / 2, n - 1] {
                    let one = |value: T| {
                        let mut x = vec![T::ONE; n];
                        x[at] = value;
                        sum(&x).to_f64()
                    };
                    assert_eq!(one(inf), f64::INFINITY);
                    assert_eq!(one(-inf), f64::NEG_INFINITY);
                    assert!(one(nan).is_nan() && one(-nan).is_nan());
                    let mut both = vec![inf; n];
                    both[at] = -inf;
                    assert_eq!(sum(&both).to_f64().is_nan(), n > 1);
                }
                // A sum that overflows is an infinity, not a NaN from the compensation.
                let huge = if size_of::<T>() == 4 { f64::from(f32::MAX) } else { f64::MAX };
                let most = sum(&vec![T::from_f64(-huge); n]).to_f64();
                assert_eq!(most, if n == 1 { -huge } else { f64::NEG_INFINITY });
            }
            assert_eq!(sum(&[]).to_f64().to_bits(), 0);
        }
        // Zeros keep their sign in uncompensated sums.
        assert_eq!(reduce::sum(&[-T::ZERO; 100]).to_f64().to_bits(), (-0f64).to_bits());
        assert_eq!(reduce::sum2(&[-T::ZERO; 100]).to_f64().to_bits(), 0);
        assert_eq!(reduce::sum_repro(&[-T::ZERO; 100]).to_f64().to_bits(), 0);
        assert_eq!(reduce::asum(&[-T::ZERO; 3]).to_f64().to_bits(), 0);
        // Denormal numbers are not flushed to zero.
        let tiny = T::from_f64(if size_of::<T>() == 4 { f64::from(f32::from_bits(1)) } else { f64::from_bits(1) });
        for sum in sums {
            assert_eq!(sum(&[tiny; 300]).to_f64(), 300.0 * tiny.to_f64());
        }
    }
    all::<f32>();
    all::<f64>();
}

#[test]
fn rows_of_a_matrix_have_the_sums_of_their_elements() {
    fn all<T: Element>() {
        let mut rng = Rng(6);
        for [m, n] in [[0, 5], [5, 0], [1, 1], [3, 200], [200, 3], [64, 64], [65, 130], [131, 33], [300, 70]] {
            for [row, column] in [[n, 1], [1, m], [n + 7, 1], [1, m + 5], [2 * n, 2], [3, 3 * m], [0, 1], [1, 0]] {
                for [row, column] in [[1, 1], [-1, 1], [1, -1], [-1, -1]]
                    .map(|[down, right]| [down * row as isize, right * column as isize])
                {
                    let reach = |n: usize, stride: isize| n.saturating_sub(1) * stride.unsigned_abs();
                    let length = if m * n == 0 { 0 } else { reach(m, row) + reach(n, column) + 1 };
                    let values = rng.numbers::<T>(length, 10);
                    let place = |n: usize, stride: isize, i: usize| {
                        (if stride < 0 { n - 1 - i } else { i }) * stride.unsigned_abs()
                    };
                    let mut sums = vec![T::ONE; m];
                    reduce::row_sums(&values, [m, n], [row, column], &mut sums).unwrap();
                    for (i, &found) in sums.iter().enumerate() {
                        let elements: Vec<T> = (0..n).map(|j| values[place(m, row, i) + place(n, column, j)]).collect();
                        same(in_order(&elements), found, n);
                    }
                }
            }
        }
    }
    all::<f32>();
    all::<f64>();
    let x = [1.0, f64::NAN, -0.0, 2.0, f64::INFINITY, -0.0];
    let mut sums = [0.0; 3];
    reduce::row_sums(&x, [3, 2], [1, 3], &mut sums).unwrap();
    assert_eq!(sums.map(f64::to_bits), [3.0, f64::NAN, -0.0].map(f64::to_bits));
}

#[test]
fn products_are_added_in_any_order_and_exactly() {
    fn all<T: Element>() {
        let mut rng = Rng(7);
        for n in [0, 1, 5, 100, 257, 3000] {
            let (mut x, mut y) = (rng.numbers::<T>(n, 30), rng.numbers::<T>(n, 30));
            let expected = reduce::dot_repro(&x, &y).unwrap();
            let (xs, ys) = (wide(&x), wide(&y));
            let exact = exact_dot(xs.iter().copied().zip(ys.iter().copied()));
            let largest = xs.iter().zip(&ys).fold(0f64, |a, (x, y)| a.max((x * y).abs()));
            let quanta = n as f64 * (-39f64).exp2() * largest;
            let error = exact.error_of(expected.to_f64()).abs();
            assert!(error <= quanta + 1.01 * unit::<T>() * (exact.round().abs() + quanta), "{n}: {error}");
            for i in (1..n).rev() {
                let j = rng.index(i + 1);
                x.swap(i, j);
                y.swap(i, j);
            }
            let cut = n / 3;
            let (mut total, mut part) = (Repro::new(), Repro::new());
            total.extend_products(&y[cut..], &x[cut..]).unwrap();
            part.extend_products(&x[..cut], &y[..cut]).unwrap();
            total.merge(&part);
            same(expected, T::from_f64(total.sum()), n);
        }
    }
    all::<f32>();
    all::<f64>();
    let dot = |pairs: &[(f64, f64)]| {
        let (x, y): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
        reduce::dot_repro(&x, &y).unwrap()
    };
    // Errors of products, and factors that are too large to split. These magnitudes are near the upper
    // end of their bins, so that quanta are smaller than the errors.
    let (third, power) = (1.0 / 3.0, |e: i32| f64::from(e).exp2());
    assert_eq!(dot(&[(third, 3.0), (-1.0, 1.0)]), third.mul_add(3.0, -1.0));
    let large = third * power(1004);
    assert_eq!(dot(&[(large, 3.0), (-power(1004), 1.0)]), large.mul_add(3.0, -power(1004)));
    assert_eq!(dot(&[(3.0, large), (1.0, -power(1004))]), large.mul_add(3.0, -power(1004)));
    assert_eq!(dot(&[(1e308, 1e308), (1.0, 1.0)]), f64::INFINITY);
    assert!(dot(&[(f64::INFINITY, 0.0), (1.0, 1.0)]).is_nan());
    assert_eq!(dot(&[(f64::NEG_INFINITY, 2.0), (1.0, 1.0)]), f64::NEG_INFINITY);
}

/// The definition of the reproducible sum in exact integers: multiples of the quantum of the
/// largest magnitude's bin.
fn defined(x: &[f64]) -> f64 {
    let largest = x.iter().fold(0f64, |a, x| a.max(x.abs()));
    let power = |e: i32| f64::from(e / 2).exp2() * f64::from(e - e / 2).exp2();
    let mut exponent = -1074;
    while exponent + 79 < 1024 && largest >= power(exponent + 79) {
        exponent += 40;
    }
    let mut sum = Exact::new();
    for &x in x {
        // In units of the quantum, ties towards zero. The coarse quantum is a multiple of the fine
        // one, so ties of both occur.
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
        let coarse = nearest(x, exponent + 40);
        let rest = {
            let mut rest = exact_sum([x]);
            rest.add(-coarse, power(exponent + 40));
            rest.round()
        };
        sum.add(coarse, power(exponent + 40));
        sum.add(nearest(rest, exponent), power(exponent));
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
            let mut x = rng.numbers::<f64>(n, spread);
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
            let mut x: Vec<f32> =
                wide(&rng.numbers::<f64>(n, spread)).iter().map(|x| (x * f64::from(shift).exp2()) as f32).collect();
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
    let x: Vec<f64> = Rng(4).numbers(100_000, 3);
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

/// The error of a product is added wherever the product is: in the last of an odd number too.
#[test]
fn the_error_of_every_product_is_added() {
    // The square is 2^44 + 2^18 + 2^-10, of whose bin the quantum is 2^-34.
    let a = (f64::from(1 << 27) + 1.0) / 32.0;
    let rounded = a * a;
    for n in [1, 2, 3, 7, 127, 128, 129, 255, 257, 1001] {
        for place in [0, n / 2, n - 1] {
            let (mut x, mut y) = (vec![0.0; n], vec![1.0; n]);
            (x[place], y[place]) = (a, a);
            let mut sum = Repro::new();
            sum.extend_products(&x, &y).unwrap();
            sum.extend(&[-rounded]);
            assert_eq!(sum.sum(), 2f64.powi(-10), "{place} of {n}");
        }
    }
}
