use hotloops::ising::dense_bounds::Function as Bounds;
use hotloops::ising::dense_flips::Function as Flips;
use hotloops::ising::dense_flips_i32::Function as WideFlips;
use hotloops::ising::dense_levels::Function as Levels;
use hotloops::ising::dense_update::Function as Update;
use hotloops::ising::dense_update_i32::Function as WideUpdate;

use crate::harness::guard::{Guarded, Side};
use crate::harness::once;
use crate::harness::rng::Rng;

/// Both ends of a buffer, at every alignment of its elements' bytes.
fn places() -> impl Iterator<Item = (Side, usize)> + Clone {
    [Side::Start, Side::End].into_iter().flat_map(|side| [0, 1, 2, 7, 16, 33].map(|slack| (side, slack)))
}

/// 64 random numbers, many of them special.
fn random(rng: &mut Rng, scale: f32) -> Vec<u32> {
    (0..64)
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
        .collect()
}

pub fn bounds(reference: Bounds, subject: Bounds) {
    let mut rng = Rng(1);
    let scales = [1e-18, 1e-4, 0.02, 0.7, 1.0, 8.0, 33.3, 1000.0, 5e4, 1e30];
    for (round, (side, slack)) in places().cycle().take(600).enumerate() {
        let scale = scales[round % scales.len()] * (1.0 + rng.real(1.0) as f32);
        let margin = [0.0, 3e-6 * scale, 0.25, 1e30][rng.index(4)];
        let random = random(&mut rng, scale);
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

pub fn levels(reference: Levels, subject: Levels) {
    let mut rng = Rng(4);
    for (round, (side, slack)) in places().cycle().take(600).enumerate() {
        let around = [1e-18, 1e-4, 0.7, 33.3, 1e5, 1e8, 1e12, 1e30][round % 8];
        let scales: Vec<f32> = (0..64).map(|_| around * (1.0 + rng.real(1.0) as f32)).collect();
        let numbers = Guarded::new(&random(&mut rng, around), side, slack);
        let scales = Guarded::new(&scales, side, slack);
        let run = |function: Levels| {
            let mut levels = Guarded::new(&[0i32; 64], side, slack);
            // SAFETY: 64 numbers, scales and levels.
            unsafe { function(numbers.as_ptr(), scales.as_ptr(), levels.as_mut_ptr()) };
            levels.to_vec()
        };
        let (expected, found) = (once(|| run(reference)), run(subject));
        assert!(*expected == found, "round {round}, scales around {around}, {side:?} {slack}");
    }
}

/// Integers of magnitude at most `range`, plus a shift.
fn wide(rng: &mut Rng, count: usize, range: i64, shift: i64) -> Vec<i32> {
    (0..count).map(|_| (rng.index(2 * range as usize + 1) as i64 - range + shift) as i32).collect()
}

pub fn wide_flips(reference: WideFlips, subject: WideFlips) {
    let mut rng = Rng(5);
    for (round, (side, slack)) in places().cycle().take(600).enumerate() {
        // All 32-bit values, or fields and levels of which a given part is accepted.
        let range = [1 << 31, 1 << 28, 1000, 40, 3][rng.index(5)];
        let shift = [0, 0, range, 3 * range / 2, -2 * range][rng.index(5)];
        let fields = wide(&mut rng, 64, range, 0);
        let mut levels = wide(&mut rng, 64, range, -shift);
        (0..rng.index(8)).for_each(|_| levels[rng.index(64)] = [i32::MIN, i32::MAX][rng.index(2)]);
        let largest = [range, range / 8 + 1][rng.index(2)];
        let couplings = wide(&mut rng, 64 * 64, largest, 0);
        let spins = [rng.word(), rng.word(), 0, u64::MAX][rng.index(4)];
        let fields = Guarded::new(&fields, side, slack);
        let levels = Guarded::new(&levels, side, slack);
        let couplings = Guarded::new(&couplings, side, slack);
        // SAFETY: 64 fields and levels, and 64 rows of 64.
        let run =
            |function: WideFlips| unsafe { function(spins, fields.as_ptr(), levels.as_ptr(), couplings.as_ptr()) };
        let (expected, found) = (once(|| run(reference)), run(subject));
        assert_eq!(*expected, found, "round {round}, {side:?} {slack}");
    }
}

pub fn wide_update(reference: WideUpdate, subject: WideUpdate) {
    let mut rng = Rng(6);
    for (round, (side, slack)) in places().cycle().take(400).enumerate() {
        let rows = 1 + rng.index(40);
        let couplings = wide(&mut rng, 64 * rows, 1 << 31, 0);
        let fields = wide(&mut rng, 64, 1 << 31, 0);
        let mut list = |longest: usize| (0..rng.index(longest)).map(|_| rng.index(rows) as u32).collect::<Vec<_>>();
        let longest = [1, 4, 100][round % 3];
        let (up, down) = (list(longest), list([longest, 1][round / 3 % 2]));
        let up = Guarded::new(&up, side, slack);
        let down = Guarded::new(&down, side, slack);
        let couplings = Guarded::new(&couplings, side, slack);
        let run = |function: WideUpdate| {
            let mut fields = Guarded::new(&fields, side, slack);
            // SAFETY: 64 fields, and a row of 64 for each number of the lists.
            unsafe {
                let fields = fields.as_mut_ptr();
                function(fields, couplings.as_ptr(), up.as_ptr(), up.len(), down.as_ptr(), down.len());
            }
            fields.to_vec()
        };
        let (expected, found) = (once(|| run(reference)), run(subject));
        assert!(*expected == found, "round {round}, {} and {} of {rows}, {side:?} {slack}", up.len(), down.len());
    }
}
