//! Tests of domains on the device against the library's.

mod common;

use hotloops::hardround::{self, Cell, Test};
use hotloops_gpu::hardround::{RowTester, Tester};
use hotloops_gpu::{Error, Queue};

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn float(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * (self.next() >> 40) as f32 / (1 << 24) as f32
    }
}

fn again(queue: &Queue) -> Result<Queue, Error> {
    Queue::open(queue.device())
}

/// None on a device, such as Oclgrind's, that does not promise the CPU's f32.
fn row_tester(queue: &Queue) -> Result<Option<RowTester>, Error> {
    match RowTester::new(again(queue)?) {
        Err(Error::Lacks { device, what }) => {
            assert!(!queue.device().has_exact_f32);
            eprintln!("skipped: {device} lacks {what}");
            Ok(None)
        }
        tester => tester.map(Some),
    }
}

#[test]
fn both_tests_have_the_bits_of_the_library() -> Result<(), Error> {
    let Some(queue) = common::queue() else { return Ok(()) };
    let mut random = Random(11);
    for test in [Test::Regular, Test::Lefevre] {
        let mut tester = Tester::new(again(&queue)?, test)?;
        for (n, w) in
            [(1u64 << 14, 1u64 << 42), (1 << 10, 1 << 46), (1000, 12_345), (3, 0), (0, 1 << 40), (1 << 32, 1 << 30)]
        {
            for count in [0, 1, 7, 64, 65, 3000] {
                let [mut a, mut b] = [(); 2].map(|()| (0..count).map(|_| random.next()).collect::<Vec<u64>>());
                // Slopes of small denominators, and offsets at the strip's edges.
                for (i, (a, b)) in a.iter_mut().zip(&mut b).enumerate().take(count / 2) {
                    *a = (i as u64 % 8) << 61;
                    *b = [0, w, w.wrapping_sub(1), u64::MAX][i / 8 % 4];
                }
                let (mut found, mut expected) = (vec![0xff; count.div_ceil(8)], vec![0; count.div_ceil(8)]);
                tester.exists(&a, &b, n, w, &mut found)?;
                hardround::exists(&a, &b, n, w, test, &mut expected)?;
                assert!(found == expected, "{test:?}, n {n}, w {w}, {count} domains");
            }
        }
    }
    Ok(())
}

/// The lines of a cubic's domains, by u128.
#[test]
fn lines_of_a_cubic_are_made_on_the_device() -> Result<(), Error> {
    let Some(queue) = common::queue() else { return Ok(()) };
    let mut random = Random(12);
    let mut tester = Tester::new(again(&queue)?, Test::Regular)?;
    for (n, w, count) in [(1u64 << 12, 1u64 << 44, 5000u64), (100, 1 << 50, 777), (3, 1 << 61, 40_000)] {
        let mut half = |shift: u32| (u128::from(random.next()) << 64 | u128::from(random.next())) >> shift;
        let (c, first, above) = ([half(0), half(0), half(70), half(90)], 12_345_678_901_u64, 1 << 40);
        let (by, sum) = (u128::wrapping_mul, u128::wrapping_add);
        let at = |x: u128| c.iter().rev().fold(0, |value, &c| sum(by(value, x), c));
        let [mut a, mut b] = [const { Vec::new() }; 2];
        for i in 0..count {
            let (x, n) = (u128::from(first + i * n), u128::from(n));
            let slope = sum(c[1], sum(by(by(2, c[2]), x), by(by(3, c[3]), by(x, x))));
            let bend = sum(c[2], by(by(3, c[3]), x));
            a.push(((sum(slope, by(bend, n)) >> 64) as u64).wrapping_neg());
            b.push(((at(x) >> 64) as u64).wrapping_add(above));
        }
        let mut bits = vec![0; a.len().div_ceil(8)];
        hardround::exists(&a, &b, n, w, Test::Regular, &mut bits)?;
        let expected: Vec<u64> = (0..count).filter(|&i| bits[i as usize / 8] >> (i % 8) & 1 == 1).collect();
        let mut passed = Vec::new();
        tester.domains(&c, first, n, count, above, w, &mut passed)?;
        assert!(passed == expected, "n {n}: {} and {} pass", passed.len(), expected.len());
        assert!(!passed.is_empty() && passed.len() < count as usize);
    }
    Ok(())
}

#[test]
fn rows_have_the_bits_of_the_library() -> Result<(), Error> {
    let Some(queue) = common::queue() else { return Ok(()) };
    let mut random = Random(13);
    let Some(mut tester) = row_tester(&queue)? else { return Ok(()) };
    // Contracted products change about one bit in ten million.
    for count in [0, 1, 3, 500, 400_000] {
        let cells: Vec<Cell> = (0..count)
            .map(|i| Cell {
                z: [(); 3].map(|()| random.next() as u32),
                h: [(); 3].map(|()| random.next() as u32),
                y: [random.next() as i32 >> 2, random.next() as i32 >> 10],
                per: random.float(1e8, 1e9),
                ratio: random.float(-1.0, 1.0),
                min_y: 1000.0,
                row_slope: random.float(0.0, 1e-9),
                row_offset: random.float(0.0, 1.5),
                width: random.float(0.0, 0.1),
                slack: random.float(0.0, 0.05),
                count: [128, 0, 1, 65][i % 4],
            })
            .collect();
        let (mut found, mut expected) = (vec![7; 2 * count], vec![0; 2 * count]);
        tester.rows(&cells, &mut found)?;
        // SAFETY: the cells meet the kernel's contract, and there are two words each.
        unsafe { hardround::rows(cells.as_ptr(), count, expected.as_mut_ptr()) };
        assert!(found == expected, "{count} cells");
        assert!(count < 2 || expected.iter().any(|&word| word != 0));
    }
    Ok(())
}

#[test]
fn wrong_arguments_are_refused_by_name() -> Result<(), Error> {
    let Some(queue) = common::queue() else { return Ok(()) };
    let mut tester = Tester::new(again(&queue)?, Test::Lefevre)?;
    let refused = |result: Result<(), Error>, word: &str| {
        let message = result.unwrap_err().to_string();
        assert!(message.contains(word), "{message}");
    };
    refused(tester.exists(&[1, 2], &[1], 9, 9, &mut [0]), "\"b\"");
    refused(tester.exists(&[1, 2], &[1, 2], 9, 9, &mut []), "\"bits\"");
    refused(tester.exists(&[1], &[1], (1 << 32) + 1, 9, &mut [0]), "\"n\"");
    let Some(mut rows) = row_tester(&queue)? else { return Ok(()) };
    refused(rows.rows(&[Cell::default()], &mut [0]), "\"hits\"");
    refused(rows.rows(&[Cell { count: 129, ..Cell::default() }], &mut [0, 0]), "cell 0 has 129 domains");
    Ok(())
}
