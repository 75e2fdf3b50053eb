use hotloops::hardround::arcs::Function as MakeArcs;
use hotloops::hardround::dual::Function as Dual;
use hotloops::hardround::exhaust::Function as Exhaust;
use hotloops::hardround::refine::Function as Refine;
use hotloops::hardround::regular::Function as Exists;
use hotloops::hardround::rows::Function as Rows;
use hotloops::hardround::{Arcs, Bundle, Cell, Curve, MAX_ARCS, MAX_ROWS, PIECES, Places, Suspects};

use crate::harness::guard::{Guarded, Side};
use crate::harness::lengths::WIDE;
use crate::harness::rng::Rng;

const SIDES: [Side; 2] = [Side::Start, Side::End];

impl Rng {
    /// An arbitrary number, or one near 0, near 2^64, or near a fraction with a small denominator.
    fn slope(&mut self) -> u64 {
        let near = (self.word() >> (1 + self.below(63))).wrapping_mul(1 | (self.word() % 2 * (u64::MAX - 1)));
        match self.below(5) {
            0 => near,
            1 => {
                let v = 1 + self.below(40);
                ((u128::from(self.below(v)) << 64) / u128::from(v)) as u64 + near % 4096
            }
            2 => self.below(1 << 13),
            _ => self.word(),
        }
    }
}

fn exists(reference: Exists, subject: Exists) {
    let mut rng = Rng(1);
    let counts = (0..36_usize).chain([63, 64, 65, 200, 257, 300]);
    for (number, count) in counts.flat_map(|count| [count; 5]).chain([WIDE]).enumerate() {
        let n = [0, 3, 4, 17, 64, 4096, 1 << 15, 1_000_003, 1 << 32][number % 9];
        let w = match number % 7 {
            0 => 0,
            1 => u64::MAX,
            2 => rng.word() >> 1,
            _ => ((1 << 62) / n.max(1)) >> (number % 12),
        };
        let a: Vec<u64> = (0..count).map(|_| rng.slope()).collect();
        // Includes numbers at the upper end of the strip, whose lower bits are cut off.
        let end = (w >> 12).wrapping_add(n.max(3) - 1) << 12;
        let mut start = || match rng.below(8) {
            0 | 1 => rng.slope(),
            2 => end.wrapping_add(rng.below(3) << 12) ^ rng.below(4096),
            _ => rng.word(),
        };
        let b: Vec<u64> = (0..count).map(|_| start()).collect();
        let mut expected = vec![0u8; count.div_ceil(8)];
        // SAFETY: arrays of the sizes that the kernel wants.
        unsafe { reference(a.as_ptr(), b.as_ptr(), count, n, w, expected.as_mut_ptr()) };
        for side in SIDES {
            let (first, second) = (Guarded::new(&a, side, number % 9), Guarded::new(&b, side, 8 * (number % 3)));
            let mut bits = Guarded::new(&vec![0xa5; expected.len()], side, number % 5);
            // SAFETY: as above.
            unsafe { subject(first.as_ptr(), second.as_ptr(), count, n, w, bits.as_mut_ptr()) };
            let found = bits.to_vec();
            if let Some(i) = (0..count).find(|i| (found[i / 8] ^ expected[i / 8]) >> (i % 8) & 1 == 1) {
                panic!("domain {i} of {count}: a = {:#x}, b = {:#x}, n = {n}, w = {w:#x}, {side:?}", a[i], b[i]);
            }
            assert_eq!(found, expected, "the bits beyond {count}");
        }
    }
}

pub fn regular(reference: Exists, subject: Exists) {
    exists(reference, subject);
}

pub fn lefevre(reference: Exists, subject: Exists) {
    exists(reference, subject);
}

pub fn exhaust(reference: Exhaust, subject: Exhaust) {
    let mut rng = Rng(2);
    for round in 0..600 {
        let n = if round < 300 { round } else { rng.below(5000) };
        let n = if round >= 592 { n + (1 << (16 + round % 4)) } else { n };
        let mut d = [0; 4].map(|_| rng.word());
        // Smooth sequences, and sequences of lower degree.
        match round % 5 {
            0 => d[3] = 0,
            1 => d[2..].fill(0),
            2 => (d[1], d[2], d[3]) = (rng.below(1 << 54), rng.below(1 << 44), 0),
            3 => (d[2], d[3]) = ((rng.word() as i64 >> 20) as u64, (rng.word() as i64 >> 40) as u64),
            _ => {}
        }
        let w = match round % 8 {
            0 => 0,
            1 => u64::MAX,
            2 => 1 << 32,
            3 => (1 << 32) - 1,
            4 => rng.word() >> rng.below(64),
            _ => u64::MAX / (2 * n + 1),
        };
        // Second differences of any size, and an isolated value below w.
        let w = if round % 3 == 0 && n > 0 {
            d[2] = (rng.word() as i64 >> rng.below(64)) as u64;
            d[3] = if rng.below(2) == 0 { 0 } else { (rng.word() as i64 >> (30 + rng.below(34))) as u64 };
            let (mut value, [_, mut slope, mut bend, turn]) = (0u64, d);
            for _ in 0..rng.below(n) {
                value = value.wrapping_add(slope);
                slope = slope.wrapping_add(bend);
                bend = bend.wrapping_add(turn);
            }
            d[0] = rng.below(1 << 20).wrapping_sub(value);
            1 << (20 + rng.below(30))
        } else {
            w
        };
        // SAFETY: four integers.
        let expected = unsafe { reference(d.as_ptr(), n, w) };
        for side in SIDES {
            let guarded = Guarded::new(&d, side, round as usize % 9);
            // SAFETY: as above.
            let found = unsafe { subject(guarded.as_ptr(), n, w) };
            assert_eq!(found, expected, "d = {d:#x?}, n = {n}, w = {w:#x}, {side:?}");
        }
    }
}

/// A cell of two vectors of `u` <= `v` arguments as the search builds them, or a cell of arbitrary
/// numbers.
pub fn cell(rng: &mut Rng, count: u32) -> Cell {
    let mut words = || [0; 3].map(|_| rng.word() as u32);
    let (z, h) = (words(), words());
    let (v, domain) = (30_000 + rng.below(5000), 32_768.0_f32);
    let u = (v >> rng.below(16)).max(1);
    let exponent = rng.below(20) as i32;
    // Up to 2^30, and down below 0.
    let y = [rng.below(1 << 30) as i32, (rng.below(1 << 24) as i32 - (1 << 23)) * 2];
    let per = 2_f32.powi(30 - exponent);
    let least = (1_u64 << (4 + rng.below(20))) as f32;
    let ratio = [v as f32 / u as f32, -0.25, 0.0][rng.below(3) as usize];
    let reach = domain / u as f32 / per;
    let width = [2e-4, 0.03, 0.0][rng.below(3) as usize];
    Cell {
        z,
        h,
        y,
        per: per.min(least * 1e6),
        ratio,
        min_y: least,
        row_slope: reach,
        row_offset: 0.01,
        width,
        slack: 1e-4,
        count,
    }
}

pub fn rows(reference: Rows, subject: Rows) {
    let mut rng = Rng(3);
    for round in 0..163usize {
        let count = [257, 300, WIDE].get(round.wrapping_sub(160)).copied().unwrap_or(round % 7);
        let cells: Vec<Cell> = (0..count)
            .map(|_| {
                let domains = if round < 130 { round as u32 } else { rng.below(129) as u32 >> (round / 160 * 4) };
                cell(&mut rng, domains.min(128))
            })
            .collect();
        let mut expected = vec![0u64; 2 * count];
        // SAFETY: as many cells and twice as many words.
        unsafe { reference(cells.as_ptr(), count, expected.as_mut_ptr()) };
        for side in SIDES {
            let guarded = Guarded::new(&cells, side, round % 5);
            let mut hits = Guarded::new(&vec![0x5a5a_u64; 2 * count], side, round % 9);
            // SAFETY: as above.
            unsafe { subject(guarded.as_ptr(), count, hits.as_mut_ptr()) };
            assert_eq!(hits.to_vec(), expected, "{cells:?}, {side:?}");
        }
    }
}

/// A curve whose quadratic coefficient suits denominators up to `order`.
pub fn curve(rng: &mut Rng, order: f64) -> Curve {
    let mut float = || rng.word() as f64 * 2_f64.powi(-64);
    let c2 = 0.0075 * (0.5 + float()) / (order * order * order);
    // At the vertices the quadratic coefficient stays positive.
    let c3 = (float() - 0.5) * c2 / 256.0 / order.powi(2);
    let c4 = (float() - 0.5) * c2 / 256.0 / order.powi(5);
    Curve {
        c0: float() - 0.5,
        c2,
        c3,
        c4,
        triple: 3.0 * c3,
        half: 0.5 * c3,
        rest: float() * 2_f64.powi(-61),
        inverse: 0.5 / c2,
        ratio: 1.5 * c3 / c2,
        within: float() / order / 16.0 * 2_f64.powi(-((float() * 30.0) as i32)),
        rise: 0.2501 / c2,
        reach: 0.5001 / c2,
        slack: 2_f64.powi(-15),
        shift: float(),
        rounding: 2_f64.powi(-22),
        fine: 2_f64.powi(-29),
    }
}

pub fn arcs(reference: MakeArcs, subject: MakeArcs) {
    let mut rng = Rng(4);
    for round in 0..200usize {
        let count = 8 * [0, 1, 2, 3, 5, MAX_ARCS / 8][round % 6];
        let order = [300, 4000, 29_000, 1 << 20][round % 4];
        let curve = curve(&mut rng, order as f64);
        // Consecutive denominators of the Farey sequence of this order, some from its start.
        let (mut u, mut v) = if round % 3 == 0 { (1, order) } else { (order - 1 - rng.below(order / 2), order) };
        let denominators: Vec<f64> = (0..count + 2)
            .map(|_| {
                let this = u;
                (u, v) = (v, (order + u) / v * v - u);
                this as f64
            })
            .collect();
        let spread = curve.c2 * 2_f64.powi(rng.below(8) as i32) * order as f64 * order as f64;
        let differences: Vec<f64> =
            denominators[1..=count].iter().map(|u| u * spread * (rng.word() as i64 as f64) * 2_f64.powi(-63)).collect();
        let mut expected = Arcs::default();
        let untouched = expected;
        // SAFETY: as many numbers.
        unsafe { reference(&curve, denominators.as_ptr(), differences.as_ptr(), count, &mut expected) };
        assert!(count == 0 || expected.rows[0] > 0);
        for side in SIDES {
            let (u, d) = (Guarded::new(&denominators, side, round % 9), Guarded::new(&differences, side, round % 5));
            let at = Guarded::new(&[curve], side, round % 3);
            let mut found = Guarded::new(&[untouched], side, round % 7);
            // SAFETY: as above.
            unsafe { subject(at.as_ptr(), u.as_ptr(), d.as_ptr(), count, found.as_mut_ptr()) };
            let found = found.to_vec()[0];
            for i in 0..MAX_ARCS {
                let bits = |arcs: &Arcs| {
                    let floats = [arcs.scale[i], arcs.height[i]].map(f32::to_bits);
                    [
                        arcs.base[i],
                        arcs.step[i],
                        arcs.limit[i],
                        arcs.extra[i],
                        arcs.first[i],
                        arcs.rows[i],
                        floats[0],
                        floats[1],
                    ]
                };
                assert_eq!(bits(&found), bits(&expected), "arc {i} of {count}, order {order}, {side:?}");
            }
        }
    }
}

pub fn refine(reference: Refine, subject: Refine) {
    let mut rng = Rng(6);
    let mut found = 0;
    for round in 0..200usize {
        let count = 8 * [0, 1, 2, 3, 5, MAX_ARCS / 8][round % 6];
        let order = [300, 4000, 29_000, 1 << 20][round % 4];
        let curve = curve(&mut rng, order as f64);
        let spread = curve.c2 * 2_f64.powi(rng.below(8) as i32) * order as f64 * order as f64;
        let mut suspects = Suspects::EMPTY;
        for i in 0..count {
            let u = order / (1 + rng.below(24)) - rng.below(order / 32);
            suspects.u[i] = u as f64;
            suspects.v[i] = (order - rng.below(u)) as f64;
            suspects.differences[i] = u as f64 * spread * (rng.word() as i64 as f64) * 2_f64.powi(-63);
            suspects.rows[i] = (rng.below(2) * rng.below(2000)) as f64;
        }
        let untouched = Places { first: [[7.0; MAX_ARCS]; 2], counts: [[7; MAX_ARCS]; 2] };
        let mut expected = untouched;
        // SAFETY: suspects, and as many places.
        unsafe { reference(&curve, &suspects, count, &mut expected) };
        found += expected.counts.as_flattened().iter().filter(|&&count| count != 7).sum::<u32>();
        for side in SIDES {
            let (at, rows) = (Guarded::new(&[curve], side, round % 3), Guarded::new(&[suspects], side, round % 5));
            let mut places = Guarded::new(&[untouched], side, round % 7);
            // SAFETY: as above.
            unsafe { subject(at.as_ptr(), rows.as_ptr(), count, places.as_mut_ptr()) };
            let places = places.to_vec()[0];
            assert_eq!(places.counts, expected.counts, "{count} rows of order {order}, {side:?}");
            let bits = |places: &Places| places.first.map(|side| side.map(f64::to_bits));
            assert_eq!(bits(&places), bits(&expected), "{count} rows of order {order}, {side:?}");
        }
    }
    assert!(found > 100, "{found} places");
}

/// Pieces of arcs of denominators from an order to a small part of it, or of arbitrary numbers.
pub fn bundle(rng: &mut Rng, rows: u32) -> Bundle {
    let scale = std::array::from_fn(|_| (16384.0 * 11.6 * (1 + rng.below(150)) as f32).min(3e7));
    let height =
        std::array::from_fn(|_| rng.word() as f32 * 2_f32.powi(-64) + rng.below(2) as f32 * rng.below(1000) as f32);
    let mut words = || std::array::from_fn(|_| rng.word() as u32);
    let (base, step, extra) = (words(), words(), words());
    // From hardly any position to all of them.
    let limits = [1 << 31, (1 << 31) + 1, (1 << 31) + (1 << 20), 0, (1 << 31) - 1, 1 << 28];
    let mut limit = || std::array::from_fn(|_| limits[rng.below(6) as usize]);
    let (limit, first) = (limit(), limit());
    Bundle { scale, height, base, step, limit, extra, first, rows }
}

pub fn dual(reference: Dual, subject: Dual) {
    let mut rng = Rng(5);
    for round in 0..120usize {
        let count = [0, 1, 2, 3, 7][round % 5];
        let bundles: Vec<Bundle> = (0..count)
            .map(|_| {
                let rows = rng.below(1 + MAX_ROWS as u64).min(round as u64);
                bundle(&mut rng, rows as u32)
            })
            .collect();
        assert!(bundles.iter().all(|bundle| bundle.base.len() == PIECES));
        let before = vec![0x5a5a_5a5a_u32; MAX_ROWS * count];
        let mut expected = before.clone();
        // SAFETY: as many bundles, and words for each.
        unsafe { reference(bundles.as_ptr(), count, expected.as_mut_ptr()) };
        for side in SIDES {
            let guarded = Guarded::new(&bundles, side, round % 5);
            let mut hits = Guarded::new(&before, side, round % 9);
            // SAFETY: as above.
            unsafe { subject(guarded.as_ptr(), count, hits.as_mut_ptr()) };
            assert_eq!(hits.to_vec(), expected, "{bundles:?}, {side:?}");
        }
    }
}
