//! Products of multivectors.

use hotloops::clifford::{Element, Multiply};

use crate::harness::guard::{Guarded, Side};
use crate::harness::rng::Rng;

/// Any terms: as of an algebra, but with arbitrary blades.
fn terms(rng: &mut Rng) -> (u64, Vec<u16>) {
    let (blades, width) = (4 << rng.below(3), [1, 4, 8][rng.below(3) as usize]);
    let width = u64::min(width, blades);
    let mut terms = vec![width as u16];
    let mut order: Vec<u64> = (0..blades).collect();
    for i in 1..order.len() {
        order.swap(i, rng.below(i as u64 + 1) as usize);
    }
    for group in order.chunks(width as usize) {
        let number = 1 + rng.below(blades);
        terms.push(number as u16);
        for _ in 0..number {
            terms.push(8 * rng.below(blades) as u16);
            terms.extend((0..width).map(|_| 8 * rng.below(2 * blades) as u16));
        }
        terms.extend(group.iter().map(|&j| 8 * j as u16));
    }
    (blades, terms)
}

/// Any number; one in some is a zero, an infinity or NaN.
fn number(rng: &mut Rng, some: u64) -> f64 {
    match rng.below(some) {
        0 => [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN][rng.below(5) as usize],
        _ => (rng.word() as i64 >> 40) as f64 * (rng.below(40) as f64 - 20.0).exp2(),
    }
}

fn same<T: Element>(a: T, b: T) -> bool {
    let bits = |value: T| value.to_f64().to_bits();
    bits(a) == bits(b) || a.to_f64().is_nan() && b.to_f64().is_nan()
}

fn check<T: Element>(reference: Multiply<T>, subject: Multiply<T>) {
    let mut rng = Rng(1);
    for (round, count) in (0..300).map(|i| i % 75).chain([127, 200, 255]).enumerate() {
        let (blades, terms) = terms(&mut rng);
        let blades = blades as usize;
        let some = [4, 50, 1 << 20][round % 3];
        let [x, y] =
            [(); 2].map(|()| (0..count * blades).map(|_| T::from_f64(number(&mut rng, some))).collect::<Vec<T>>());
        let mut expected = vec![T::ONE; x.len()];
        // SAFETY: arrays of `count` multivectors, and terms within them.
        unsafe { reference(terms.as_ptr(), blades, x.as_ptr(), y.as_ptr(), count, expected.as_mut_ptr()) };
        for side in [Side::Start, Side::End] {
            let (terms, first) = (Guarded::new(&terms, side, round % 3), Guarded::new(&x, side, round % 5));
            let second = Guarded::new(&y, side, round % 7);
            let mut z = Guarded::new(&vec![T::ONE; x.len()], side, round % 4);
            // SAFETY: as above.
            unsafe { subject(terms.as_ptr(), blades, first.as_ptr(), second.as_ptr(), count, z.as_mut_ptr()) };
            let wrong = z.to_vec().into_iter().zip(&expected).position(|(z, &expected)| !same(z, expected));
            assert_eq!(wrong, None, "{count} multivectors of {blades} blades, round {round}, {side:?}");
        }
    }
}

pub fn multiply_f32(reference: Multiply<f32>, subject: Multiply<f32>) {
    check(reference, subject);
}

pub fn multiply_f64(reference: Multiply<f64>, subject: Multiply<f64>) {
    check(reference, subject);
}
