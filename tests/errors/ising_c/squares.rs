//! Square lattices.

use std::ptr::{null, null_mut};

use crate::is;

pub enum Square {}

unsafe extern "C" {
    fn hl_ising_square_create(rows: usize, columns: usize, seed: u64, lattice: *mut *mut Square) -> i32;
    fn hl_ising_square_destroy(lattice: *mut Square);
    fn hl_ising_square_sweep(lattice: *mut Square, beta: f64, acceptance: i32, sweeps: u64, flips: *mut u64) -> i32;
    fn hl_ising_square_visit(
        lattice: *const Square,
        beta: f64,
        acceptance: i32,
        colour: usize,
        row_begin: usize,
        row_count: usize,
        flips: *mut u64,
    ) -> i32;
    fn hl_ising_square_get_sweeps(lattice: *const Square, sweeps: *mut u64) -> i32;
    fn hl_ising_square_set_sweeps(lattice: *mut Square, sweeps: u64) -> i32;
    fn hl_ising_square_get_spins(lattice: *const Square, spins: *mut i8) -> i32;
    fn hl_ising_square_set_spins(lattice: *mut Square, spins: *const i8) -> i32;
    fn hl_ising_square_copy_words(lattice: *const Square, words: *mut u64, n: usize) -> i32;
    fn hl_ising_square_set_words(lattice: *mut Square, words: *const u64, n: usize) -> i32;
    fn hl_ising_square_measure(lattice: *const Square, energy: *mut i64, magnetisation: *mut i64) -> i32;
}

#[test]
fn squares() {
    let mut lattice = null_mut();
    let (mut flips, mut sweeps, mut spins, mut words) = (77, 77, [1i8; 60], [0u64; 20]);
    // SAFETY: all pointers are null or to live objects of the right size.
    unsafe {
        is(hl_ising_square_create(10, 6, 1, null_mut()), "HL_ERR_NULL");
        is(hl_ising_square_create(3, 6, 1, &mut lattice), "HL_ERR_EVEN");
        is(hl_ising_square_create(10, 0, 1, &mut lattice), "HL_ERR_EVEN");
        is(hl_ising_square_create(usize::MAX - 1, 6, 1, &mut lattice), "HL_ERR_TOO_LARGE");
        assert!(lattice.is_null());
        is(hl_ising_square_create(10, 6, 1, &mut lattice), "HL_OK");

        is(hl_ising_square_sweep(null_mut(), 0.4, 0, 1, &mut flips), "HL_ERR_NULL");
        is(hl_ising_square_sweep(lattice, f64::NAN, 0, 1, &mut flips), "HL_ERR_BETA");
        is(hl_ising_square_sweep(lattice, 0.4, 3, 1, &mut flips), "HL_ERR_OPTION");
        is(hl_ising_square_sweep(lattice, 0.4, -1, 1, &mut flips), "HL_ERR_OPTION");
        is(hl_ising_square_visit(null(), 0.4, 0, 0, 0, 8, &mut flips), "HL_ERR_NULL");
        is(hl_ising_square_visit(lattice, f64::INFINITY, 0, 0, 0, 8, &mut flips), "HL_ERR_BETA");
        is(hl_ising_square_visit(lattice, 0.4, 7, 0, 0, 8, &mut flips), "HL_ERR_OPTION");
        for (colour, begin, count) in [(2, 0, 8), (0, 4, 6), (0, 16, 0), (0, 0, 12), (1, 0, 6), (1, 8, 3)] {
            is(hl_ising_square_visit(lattice, 0.4, 0, colour, begin, count, &mut flips), "HL_ERR_INDEX");
        }
        is(hl_ising_square_get_sweeps(null(), &mut sweeps), "HL_ERR_NULL");
        is(hl_ising_square_get_sweeps(lattice, null_mut()), "HL_ERR_NULL");
        is(hl_ising_square_set_sweeps(null_mut(), 1), "HL_ERR_NULL");
        is(hl_ising_square_get_spins(null(), spins.as_mut_ptr()), "HL_ERR_NULL");
        is(hl_ising_square_get_spins(lattice, null_mut()), "HL_ERR_NULL");
        is(hl_ising_square_set_spins(null_mut(), spins.as_ptr()), "HL_ERR_NULL");
        is(hl_ising_square_set_spins(lattice, null()), "HL_ERR_NULL");
        spins[59] = 2;
        is(hl_ising_square_set_spins(lattice, spins.as_ptr()), "HL_ERR_SPIN");
        is(hl_ising_square_copy_words(null(), words.as_mut_ptr(), 20), "HL_ERR_NULL");
        is(hl_ising_square_copy_words(lattice, null_mut(), 20), "HL_ERR_NULL");
        is(hl_ising_square_copy_words(lattice, words.as_mut_ptr(), 19), "HL_ERR_LENGTH");
        is(hl_ising_square_set_words(null_mut(), words.as_ptr(), 20), "HL_ERR_NULL");
        is(hl_ising_square_set_words(lattice, null(), 20), "HL_ERR_NULL");
        is(hl_ising_square_set_words(lattice, words.as_ptr(), 19), "HL_ERR_LENGTH");
        let (mut energy, mut sum) = (77, 77);
        is(hl_ising_square_measure(null(), &mut energy, &mut sum), "HL_ERR_NULL");
        is(hl_ising_square_measure(lattice, null_mut(), &mut sum), "HL_ERR_NULL");
        is(hl_ising_square_measure(lattice, &mut energy, null_mut()), "HL_ERR_NULL");
        assert_eq!((flips, sweeps, energy, sum), (77, 77, 77, 77));
        is(hl_ising_square_measure(lattice, &mut energy, &mut sum), "HL_OK");
        assert_eq!((energy, sum), (120, 60));
        hl_ising_square_destroy(lattice);
        hl_ising_square_destroy(null_mut());
    }
}
