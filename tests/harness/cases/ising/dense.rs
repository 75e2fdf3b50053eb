use hotloops::ising::dense_bounds::Function as Bounds;
use hotloops::ising::dense_flips::Function as Flips;
use hotloops::ising::dense_update::Function as Update;

use crate::harness::guard::{Guarded, Side};
use crate::harness::once;
use crate::harness::rng::Rng;

/// Both ends of a buffer, at every alignment of its elements' bytes.
fn places() -> impl Iterator<Item = (Side, usize)> + Clone {
    [Side::Start, Side::End].into_iter().flat_map(|side| [0, 1, 2, 7, 16, 33].map(|slack| (side, slack)))
}

pub fn bounds(reference: Bounds, subject: Bounds) {
    let mut rng = Rng(1);
    let scales = [1e-18, 1e-4, 0.02, 0.7, 1.0, 8.0, 33.3, 1000.0, 5e4, 1e30];
    for (round, (side, slack)) in places().cycle().take(600).enumerate() {
        let scale = scales[round % scales.len()] * (1.0 + rng.real(1.0) as f32);
        let margin = [0.0, 3e-6 * scale, 0.25, 1e30][rng.index(4)];
        let random: Vec<u32> = (0..64)
            .map(|_| match rng.index(8) {
                0 => rng.index(1 << 21) as u32,
                1 => !(rng.index(1 << 21) as u32),
                2 => [0, 1, 2, 3, 0x7fff_ffff, 0x8000_0000, u32::MAX - 1, u32::MAX][rng.index(8)],
                // Near a power of two, and near sqrt(2) times one.
                3 => {
                    [1u32 << 31, 0xb504_f334][rng.index(2)].wrapping_add(rng.index(512) as u32).wrapping_sub(256)
                        >> rng.index(30)
                }
                // A logarithm near an integer multiple of 1 / scale.
                4 => ((-(rng.index(40) as f64) / f64::from(scale)).exp() * 4294967295.0) as u32,
                _ => rng.word() as u32,
            })
            .collect();
        let numbers = Guarded::new(&random, side, slack);
        let run = |function: Bounds| {
            let mut bounds = Guarded::new(&[0i16; 64], side, slack);
            // SAFETY: 64 numbers and 64 bounds.
            let doubt = unsafe { function(numbers.as_ptr(), scale, margin, bounds.as_mut_ptr()) };
            (bounds.to_vec(), doubt)
        };
        let (expected, found) = (once(|| run(reference)), run(subject));
        assert!(*expected == found, "round {round}, scale {scale}, margin {margin}, {side:?} {slack}");
    }
}

/// 64 rows of `columns` couplings, and the gaps between them.
fn rows(rng: &mut Rng, columns: usize, stride: usize, largest: usize) -> Vec<i8> {
    (0..63 * stride + columns).map(|_| (rng.index(2 * largest + 1) as i32 - largest as i32) as i8).collect()
}

pub fn flips(reference: Flips, subject: Flips) {
    let mut rng = Rng(2);
    for (round, (side, slack)) in places().cycle().take(600).enumerate() {
        // All 16-bit values, or fields and bounds of which a given part is accepted.
        let range = [1 << 15, 40, 40, 40, 3][rng.index(5)];
        let shift = [0, 0, range as i32, 3 * range as i32 / 2, -2 * range as i32][rng.index(5)];
        let value = |rng: &mut Rng, shift: i32| (rng.index(2 * range) as i32 - range as i32 + shift) as i16;
        let fields: Vec<i16> = (0..64).map(|_| value(&mut rng, 0)).collect();
        let bounds: Vec<i16> = (0..64).map(|_| value(&mut rng, -shift)).collect();
        let stride = [64, 65, 128, 191][rng.index(4)];
        let largest = [1, 5, 127][rng.index(3)];
        let couplings = rows(&mut rng, 64, stride, largest);
        let spins = [rng.word(), rng.word(), 0, u64::MAX][rng.index(4)];
        let fields = Guarded::new(&fields, side, slack);
        let bounds = Guarded::new(&bounds, side, slack);
        let couplings = Guarded::new(&couplings, side, slack);
        // SAFETY: 64 fields and bounds, and 64 rows of 64.
        let run =
            |function: Flips| unsafe { function(spins, fields.as_ptr(), bounds.as_ptr(), couplings.as_ptr(), stride) };
        let (expected, found) = (once(|| run(reference)), run(subject));
        assert_eq!(*expected, found, "round {round}, stride {stride}, {side:?} {slack}");
    }
}

pub fn update(reference: Update, subject: Update) {
    let mut rng = Rng(3);
    for (round, (side, slack)) in places().cycle().take(400).enumerate() {
        let columns = 64 * [0, 1, 2, 3, 4, 5, 7, 8, 9, 12][round % 10];
        let stride = columns + [0, 1, 64, 127][rng.index(4)];
        let largest = [1, 1, 2, 5, 42, 63, 64, 127][rng.index(8)];
        let depth = 1 + rng.index(127 / largest);
        let couplings = match rng.index(3) {
            // Sums of bytes reach their limits.
            0 => vec![largest as i8; 63 * stride + columns],
            _ => rows(&mut rng, columns, stride, largest),
        };
        let fields: Vec<i16> = (0..columns).map(|_| rng.word() as i16).collect();
        let flips = [rng.word(), rng.word() & rng.word() & rng.word(), 0, u64::MAX, 1 << rng.index(64)][rng.index(5)];
        let spins = [rng.word(), rng.word(), 0, u64::MAX][rng.index(4)];
        let couplings = Guarded::new(&couplings, side, slack);
        let run = |function: Update| {
            let mut fields = Guarded::new(&fields, side, slack);
            // SAFETY: `columns` fields, 64 rows of as many couplings, and `depth` as declared.
            unsafe { function(fields.as_mut_ptr(), columns, couplings.as_ptr(), stride, spins, flips, depth) };
            fields.to_vec()
        };
        let (expected, found) = (once(|| run(reference)), run(subject));
        assert!(*expected == found, "round {round}, {columns} columns, depth {depth}, {side:?} {slack}");
    }
}
