//! Bad input returns an error that names it, in Rust and in C, and nothing is written. One module
//! per family.

mod bits;
mod bits_c;
mod clifford;
mod correlation;
mod fingerprints;
mod fingerprints_c;
mod hamming;
mod hamming_c;
mod hardround;
mod ising;
mod ising_c;
mod library_c;
mod numbers;
mod numbers_c;
#[path = "../harness/rng.rs"]
mod rng;
mod unequal;

use std::ffi::{CStr, c_char};

use hotloops::{Error, STATUSES};

unsafe extern "C" {
    fn hl_status_string(status: i32) -> *const c_char;
    safe fn hl_status_code(status: i32) -> i32;
}

fn length<T>(argument: &'static str, expected: usize, found: usize) -> Result<T, Error> {
    Err(Error::Length { argument, expected, found })
}

/// The code name of a C status. Every status must have a text.
#[track_caller]
fn is(status: i32, name: &str) {
    let found =
        STATUSES.iter().find(|(_, code, _)| *code == hl_status_code(status)).map_or("HL_OK", |(name, _, _)| name);
    assert_eq!(found, name);
    // SAFETY: never null, and static.
    assert!(!unsafe { CStr::from_ptr(hl_status_string(status)) }.is_empty());
}
