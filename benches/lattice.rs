//! One square lattice: `cargo bench --bench lattice -- [threads] [widths]`.
//!
//! `threads`: a lattice of 4096 x 4096 on one thread and on two, in turn. `widths`: nanoseconds of a visit with each
//! instruction set, for lattices of 2^20 spins with few columns and with many.

use std::thread;
use std::time::Instant;

use hotloops::Error;
use hotloops::isa::{self, Isa};
use hotloops::ising::{Acceptance, SquareLattice};

const BETA: f64 = 0.44;
const RULE: Acceptance = Acceptance::Metropolis;

/// A lattice at the temperature, some sweeps after its start.
fn lattice(rows: usize, columns: usize) -> Result<SquareLattice, Error> {
    let mut lattice = SquareLattice::new(rows, columns, 1)?;
    lattice.sweep(BETA, RULE, 30)?;
    Ok(lattice)
}

/// Nanoseconds of a visit on some threads.
fn measured(lattice: &mut SquareLattice, sweeps: u64, threads: usize) -> Result<f64, Error> {
    let visits = sweeps as f64 * (lattice.rows() * lattice.columns()) as f64;
    let begin = Instant::now();
    if threads == 1 {
        lattice.sweep(BETA, RULE, sweeps)?;
    } else {
        let mut split = lattice.split(BETA, RULE, sweeps, threads)?;
        thread::scope(|scope| {
            for mut part in split.parts() {
                scope.spawn(move || part.run(thread::yield_now));
            }
        });
        split.finish();
    }
    Ok(begin.elapsed().as_secs_f64() * 1e9 / visits)
}

fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values
}

/// Sweeps of a measurement: some milliseconds, so that other load spares some of them.
const SWEEPS: u64 = 4;

fn threads(rounds: usize) -> Result<(), Error> {
    let mut lattice = lattice(4096, 4096)?;
    let (mut one, mut two) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        one.push(measured(&mut lattice, SWEEPS, 1)?);
        two.push(measured(&mut lattice, SWEEPS, 2)?);
    }
    let ratios = sorted(one.iter().zip(&two).map(|(one, two)| one / two).collect());
    let (one, two) = (sorted(one), sorted(two));
    println!("4096 x 4096, {rounds} rounds in turn     minimum   median  quartiles");
    let quartiles = |values: &[f64]| [values[values.len() / 2], values[values.len() / 4], values[3 * values.len() / 4]];
    for (name, values) in [("one thread, ns a visit", &one), ("two threads", &two)] {
        let [median, low, high] = quartiles(values);
        println!("{name:32} {:9.4} {median:8.4}  {low:.4} {high:.4}", values[0]);
    }
    let [median, low, high] = quartiles(&ratios);
    println!("{:32} {:9.3} {median:8.3}  {low:.3} {high:.3}", "one over two", one[0] / two[0]);
    Ok(())
}

fn widths(rounds: usize) -> Result<(), Error> {
    const WIDTHS: [usize; 10] = [32, 64, 128, 256, 384, 512, 768, 1024, 2048, 4096];
    let isas: Vec<_> = Isa::ALL.iter().copied().filter(|&isa| isa::detected(isa)).collect();
    println!("ns a visit, 2^20 spins");
    println!("{:>8} {}", "columns", isas.iter().map(|isa| format!("{:>10}", isa.word())).collect::<String>());
    for columns in WIDTHS {
        let mut lattice = lattice((1 << 20) / columns / 2 * 2, columns)?;
        let mut least = vec![f64::INFINITY; isas.len()];
        for _ in 0..rounds {
            for (least, &isa) in least.iter_mut().zip(&isas) {
                isa::set(isa)?;
                *least = least.min(measured(&mut lattice, if isa == Isa::scalar { 1 } else { 8 }, 1)?);
            }
        }
        println!("{columns:8} {}", least.iter().map(|least| format!("{least:10.4}")).collect::<String>());
    }
    Ok(())
}

fn main() -> Result<(), Error> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    // `cargo test` runs benches without `--bench`.
    let rounds = if words.iter().any(|word| word == "--bench") { 31 } else { 1 };
    let named = ["threads", "widths"].map(|name| words.iter().any(|word| word == name));
    let all = named == [false, false];
    if all || named[0] {
        threads(4 * rounds)?;
    }
    if all || named[1] {
        widths(rounds.div_ceil(4))?;
    }
    Ok(())
}
