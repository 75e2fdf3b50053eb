use hotloops::hardround::*;

use super::super::hardround::{bundle, cell, curve};
use super::{alike, word};
use crate::harness::rng::Rng;
use crate::harness::room::Room;
use crate::harness::sizes::{Sizes, Values, bytes};

/// A strip of a thousandth, so that the result depends on the number of arguments.
fn domains() -> Vec<Sizes<regular::Function>> {
    let call = |kernel: regular::Function, v: &Values| {
        let count = v.size("count");
        let (a, b) = (Room::of(count, word)?, Room::of(count, |i| word(i + 9))?);
        let bits = Room::of(count.div_ceil(8), |_| 0xa5u8)?;
        // SAFETY: domains of this number, and a bit for each.
        unsafe { kernel(a.ptr(), b.ptr(), count, v.int("n") as u64, v.int("w") as u64, bits.ptr()) };
        Some(bits.contents())
    };
    let base = [("count", 67), ("n", 20), ("w", i64::MAX / 500)];
    vec![Sizes::new(&base, call).bound("n", 1 << 32)]
}
alike! { regular::Function: regular lefevre = domains() }

pub fn exhaust() -> Vec<Sizes<exhaust::Function>> {
    let call = |kernel: exhaust::Function, v: &Values| {
        let (n, w) = (v.int("n") as u64, v.int("w") as u64);
        // Below the base of w at argument 7, and 0 at argument 35, which is below the base of n.
        let lines = [(7u64, 1 << 36), (35, 0)].map(|(x, value)| [(x << 50).wrapping_neg() + value, 1 << 50, 0, 0]);
        let found = lines.map(|line| {
            let d = Room::copy(&line)?;
            // SAFETY: four integers.
            Some(bytes(unsafe { kernel(d.ptr(), n, w) }))
        });
        let [first, second] = found;
        Some([first?, second?].concat())
    };
    vec![Sizes::new(&[("n", 30), ("w", (1 << 40) + 3)], call)]
}

pub fn rows() -> Vec<Sizes<rows::Function>> {
    let call = |kernel: rows::Function, v: &Values| {
        let count = v.size("count");
        let mut rng = Rng(3);
        let cells = Room::of(count, |i| cell(&mut rng, i as u32 % 5))?;
        let hits = Room::of(2 * count, |_| 0x5a5a_u64)?;
        // SAFETY: as many cells and twice as many words.
        unsafe { kernel(cells.ptr(), count, hits.ptr()) };
        Some(hits.contents())
    };
    vec![Sizes::new(&[("count", 3)], call)]
}

pub fn arcs() -> Vec<Sizes<arcs::Function>> {
    let call = |kernel: arcs::Function, v: &Values| {
        let count = v.size("count");
        let curve = Room::copy(&[curve(&mut Rng(4), 4000.0)])?;
        let denominators = Room::of(count + 2, |i| (3900 + i) as f64)?;
        let differences = Room::of(count, |i| (i - 30) as f64 * 1e-3)?;
        let arcs = Room::copy(&[Arcs::default()])?;
        // SAFETY: as many numbers.
        unsafe { kernel(curve.ptr(), denominators.ptr(), differences.ptr(), count, arcs.ptr()) };
        Some(arcs.contents())
    };
    vec![Sizes::new(&[("count", 8)], call).bound("count", MAX_ARCS as i64)]
}

pub fn refine() -> Vec<Sizes<refine::Function>> {
    let call = |kernel: refine::Function, v: &Values| {
        let mut suspects = Suspects::EMPTY;
        for i in 0..MAX_ARCS {
            (suspects.u[i], suspects.v[i]) = ((3000 - i) as f64, (1001 + i) as f64);
            (suspects.differences[i], suspects.rows[i]) = (i as f64 * 1e-3, (i % 5) as f64);
        }
        let (curve, suspects) = (Room::copy(&[curve(&mut Rng(6), 4000.0)])?, Room::copy(&[suspects])?);
        let places = Room::copy(&[Places { first: [[7.0; MAX_ARCS]; 2], counts: [[7; MAX_ARCS]; 2] }])?;
        // SAFETY: suspects, and as many places.
        unsafe { kernel(curve.ptr(), suspects.ptr(), v.size("count"), places.ptr()) };
        Some(places.contents())
    };
    vec![Sizes::new(&[("count", 8)], call).bound("count", MAX_ARCS as i64)]
}

pub fn dual() -> Vec<Sizes<dual::Function>> {
    let call = |kernel: dual::Function, v: &Values| {
        let count = v.size("count");
        let mut rng = Rng(5);
        let bundles = Room::of(count, |_| bundle(&mut rng, MAX_ROWS as u32))?;
        let hits = Room::of(MAX_ROWS * count, |_| 0x5a5a_5a5a_u32)?;
        // SAFETY: as many bundles, and words for each.
        unsafe { kernel(bundles.ptr(), count, hits.ptr()) };
        Some(hits.contents())
    };
    vec![Sizes::new(&[("count", 2)], call)]
}
