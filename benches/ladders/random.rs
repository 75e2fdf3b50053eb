//! Random numbers.

use hotloops::random;
use hotloops_bench_support::mersenne::{Interlaced, Textbook};

use crate::rows::{Row, usable};

/// Length of the random sequence that one sweep of the paper's model takes.
const NUMBERS: usize = 256 * 96;

pub fn random_rows() -> Vec<Row> {
    let mut one = Textbook::new(1);
    let mut four = Interlaced::new(1);
    let (mut first, mut second) = (vec![0; NUMBERS], vec![0; NUMBERS]);
    let mut rows: Vec<Row> = vec![
        ("scalar".to_owned(), NUMBERS, Box::new(move || first.iter_mut().for_each(|word| *word = one.next_u32()))),
        ("4 interlaced".to_owned(), NUMBERS, Box::new(move || four.fill(&mut second))),
    ];
    for variant in usable(&random::mt19937_u32::KERNEL) {
        let mut seed = Textbook::new(1);
        let mut state: Vec<u32> = (0..624 * 16).map(|_| seed.next_u32()).collect();
        let (mut numbers, mut position) = (vec![0; NUMBERS], 0);
        let call = move || {
            // SAFETY: a state of 16 lanes, a position in it, room for the numbers.
            unsafe { (variant.1)(state.as_mut_ptr(), 16, &mut position, numbers.as_mut_ptr(), NUMBERS) }
        };
        rows.push((format!("mt19937_u32 {}", variant.0), NUMBERS, Box::new(call)));
    }
    rows
}
