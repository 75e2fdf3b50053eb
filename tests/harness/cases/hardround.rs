use hotloops::hardround::Cell;
use hotloops::hardround::exhaust::Function as Exhaust;
use hotloops::hardround::regular::Function as Exists;
use hotloops::hardround::rows::Function as Rows;

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
fn cell(rng: &mut Rng, count: u32) -> Cell {
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
