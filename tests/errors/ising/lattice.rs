//! Square lattices.

use hotloops::Error;
use hotloops::ising::{Acceptance, SquareLattice};

use super::assert_error;

#[test]
fn square_lattices() {
    for value in [0, 1, 7, usize::MAX] {
        assert_error(SquareLattice::new(value, 4, 1), Error::Even { argument: "rows", value });
        assert_error(SquareLattice::new(4, value, 1), Error::Even { argument: "columns", value });
    }
    for (rows, columns) in [(usize::MAX - 1, usize::MAX - 1), (usize::MAX - 1, 2), (2, usize::MAX - 1), (1 << 36, 2)] {
        assert_error(SquareLattice::new(rows, columns, 1), Error::TooLarge { argument: "rows" });
    }
    let mut lattice = SquareLattice::new(4, 6, 1).unwrap();
    for beta in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let expected = Error::Beta { argument: "beta", value: beta as f32 };
        assert_error(lattice.sweep(beta, Acceptance::Auto, 1), expected);
        assert_error(lattice.split(beta, Acceptance::Auto, 1, 2).map(drop), expected);
    }
    assert_error(lattice.spins(&mut [0; 23]), Error::Length { argument: "spins", expected: 24, found: 23 });
    assert_error(lattice.set_spins(&[1; 25]), Error::Length { argument: "spins", expected: 24, found: 25 });
    let mut spins = [1; 24];
    spins[15] = 0;
    assert_error(lattice.set_spins(&spins), Error::Spin { layer: 2, site: 3, value: 0 });
    assert_error(lattice.words(&mut [0; 7]), Error::Length { argument: "words", expected: 8, found: 7 });
    assert_error(lattice.set_words(&[1; 9]), Error::Length { argument: "words", expected: 8, found: 9 });
    // Nothing was written.
    assert_eq!((lattice.magnetisation(), lattice.sweeps()), (24, 0));
}
