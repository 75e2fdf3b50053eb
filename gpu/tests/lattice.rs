//! Sweeps of one lattice on the device against the library's.

mod common;

use hotloops::ising::{Acceptance, SquareLattice};
use hotloops_gpu::ising::Lattice;
use hotloops_gpu::{Error, Queue};

fn words(lattice: &SquareLattice) -> Result<Vec<u64>, Error> {
    let mut words = vec![0; lattice.words_len()];
    lattice.words(&mut words)?;
    Ok(words)
}

#[test]
fn spins_and_flips_are_those_of_the_library() -> Result<(), Error> {
    let Some(queue) = common::queue() else { return Ok(()) };
    let is_small = std::env::var_os("HOTLOOPS_SMALL").is_some();
    let sizes = [(10, 258), (2, 2), (8, 128), (6, 126), (64, 256), (9 * 8 + 2, 4), (2, 1000), (100, 640)];
    for (rows, columns) in sizes.into_iter().take(if is_small { 2 } else { 8 }) {
        for rule in [Acceptance::Metropolis, Acceptance::HeatBath] {
            for beta in [0.44, -0.3, 0.0, 2.0].into_iter().take(if is_small { 2 } else { 4 }) {
                let mut ours = SquareLattice::new(rows, columns, 1 << 40 | 99)?;
                // From a random state, at a number whose upper half counts.
                ours.set_sweeps((1 << 32) - 3);
                ours.sweep(0.01, Acceptance::HeatBath, 3)?;
                let mut device = Lattice::new(Queue::open(queue.device())?, &ours)?;
                for sweeps in [1, 6] {
                    let flips = device.sweep(beta, rule, sweeps)?;
                    assert_eq!(flips, ours.sweep(beta, rule, sweeps as u64)?, "{rows} x {columns}, {rule:?}, {beta}");
                }
                let mut theirs = SquareLattice::new(rows, columns, 1 << 40 | 99)?;
                device.store(&mut theirs)?;
                assert!(words(&theirs)? == words(&ours)?, "{rows} x {columns}, {rule:?}, {beta}");
                assert_eq!(theirs.sweeps(), ours.sweeps());
                // Another lattice takes its place.
                let mut other = SquareLattice::new(rows, columns, 7)?;
                other.set_sweeps(1 << 33);
                other.sweep(0.01, Acceptance::HeatBath, 1)?;
                device.load(&other)?;
                assert_eq!(device.sweep(beta, rule, 2)?, other.sweep(beta, rule, 2)?);
                let mut found = SquareLattice::new(rows, columns, 7)?;
                device.store(&mut found)?;
                assert!(words(&found)? == words(&other)? && found.sweeps() == (1 << 33) + 3);
                // Both go on alike.
                let [a, b] = [&mut ours, &mut theirs].map(|lattice| lattice.sweep(0.4, rule, 2));
                assert_eq!(a?, b?);
            }
        }
    }
    Ok(())
}

#[test]
fn wrong_arguments_are_refused_by_name() -> Result<(), Error> {
    let Some(queue) = common::queue() else { return Ok(()) };
    let mut device = Lattice::new(queue, &SquareLattice::new(8, 8, 1)?)?;
    assert!(device.sweep(f64::NAN, Acceptance::Auto, 1).unwrap_err().to_string().contains("beta"));
    for (rows, columns, seed) in [(10, 8, 1), (8, 10, 1), (8, 8, 2)] {
        let message = device.store(&mut SquareLattice::new(rows, columns, seed)?).unwrap_err().to_string();
        assert!(message.contains("lattice: "), "{message}");
        let message = device.load(&SquareLattice::new(rows, columns, 1)?).err().map(|error| error.to_string());
        assert_eq!(message.is_some_and(|message| message.contains("lattice: ")), (rows, columns) != (8, 8));
    }
    Ok(())
}
