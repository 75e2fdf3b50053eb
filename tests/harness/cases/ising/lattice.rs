//! Sweeps of a square lattice, on random spins with random codes.

use hotloops::ising::sweep_lattice::Function;

use crate::harness::guard::{Guarded, Side};
use crate::harness::once;
use crate::harness::rng::Rng;

struct Case {
    rows: usize,
    columns: usize,
    first: usize,
    count: usize,
    flags: u32,
    codes: Vec<u8>,
    spins: Vec<u64>,
    others: Vec<u64>,
    key: [u64; 2],
    side: Side,
    slack: usize,
}

/// Words from a row to the next, and those that hold spins.
fn row(columns: usize) -> (usize, usize) {
    let words = columns.div_ceil(128);
    (words.next_multiple_of(8) + 2, words)
}

impl Case {
    fn new(seed: u64, rows: usize, columns: usize) -> Self {
        let mut rng = Rng(seed);
        let stride = row(columns).0;
        let mut words = || (0..rows * stride).map(|_| rng.word()).collect::<Vec<_>>();
        let (spins, others) = (words(), words());
        let groups = rows.div_ceil(8);
        let begin = rng.index(groups);
        let first = 8 * begin;
        let count = (8 * (1 + rng.index(groups - begin))).min(rows - first);
        let flags = rng.index(8) as u32;
        let codes = match rng.index(4) {
            0 => vec![0; 48],
            1 => vec![3; 48],
            _ => (0..48).map(|_| rng.word() as u8).collect(),
        };
        let key = [rng.word(), rng.word()];
        Case { rows, columns, first, count, flags, codes, spins, others, key, side: Side::End, slack: 0 }
    }

    fn buffer<T: Copy>(&self, values: &[T], nth: usize) -> Guarded<T> {
        Guarded::new(values, self.side, if self.slack == 0 { 0 } else { (self.slack * (nth + 1) + nth / 3) % 64 })
    }

    fn check(&self, reference: Function, subject: Function) {
        let (stride, words) = row(self.columns);
        let run = |function: Function| {
            let (mut spins, others) = (self.buffer(&self.spins, 0), self.buffer(&self.others, 1));
            let codes = self.buffer(&self.codes, 2);
            // SAFETY: all rows of both colours, and 48 codes.
            let flips = unsafe {
                function(
                    spins.as_mut_ptr(),
                    others.as_ptr(),
                    self.rows,
                    self.columns,
                    self.first,
                    self.count,
                    self.flags,
                    codes.as_ptr(),
                    self.key[0],
                    self.key[1],
                )
            };
            (spins.to_vec(), flips)
        };
        let (expected, found) = (once(|| run(reference)), run(subject));
        let name = format!(
            "{} x {}, rows {} + {}, flags {}, {:?} {}",
            self.rows, self.columns, self.first, self.count, self.flags, self.side, self.slack
        );
        assert!(*expected == found, "{name}");
        // Other rows and padding stay as they are.
        for (at, (&before, &after)) in self.spins.iter().zip(&found.0).enumerate() {
            let (row, word) = (at / stride, at % stride);
            let is_visited = (self.first..self.first + self.count).contains(&row) && word <= words + 1;
            assert!(is_visited || before == after, "{name}: word {word} of row {row}");
        }
    }
}

pub fn check(reference: Function, subject: Function) {
    // Every number of spins in a row around the lengths of words and vectors, and every number of rows of a block.
    let widths = (1..140).chain((3..20).flat_map(|words| [64 * words - 1, 64 * words, 64 * words + 1]));
    for (seed, spins) in widths.enumerate() {
        Case::new(seed as u64, 2 * (1 + seed % 13), 2 * spins).check(reference, subject);
    }
    // Narrow lattices, with several vectors of blocks below each other.
    for (seed, (rows, spins)) in
        [(130, 3), (200, 64), (142, 65), (74, 128), (90, 130), (66, 192), (68, 255)].iter().enumerate()
    {
        Case::new(500 + seed as u64, *rows, 2 * spins).check(reference, subject);
    }
    for side in [Side::Start, Side::End] {
        for slack in 0..64 {
            let case = Case::new(1000 + slack as u64, 2 + 2 * (slack % 5), 2 + 34 * slack);
            Case { side, slack, ..case }.check(reference, subject);
        }
    }
}
