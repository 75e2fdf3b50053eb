//! Tables of thresholds and factors.

use std::ptr::null_mut;

use super::*;
use crate::is;

#[test]
fn thresholds() {
    let mut found = [7; hotloops::ising::THRESHOLDS];
    // SAFETY: null, or room for all.
    unsafe {
        is(hl_ising_thresholds(0.5, 0.25, null_mut()), "HL_ERR_NULL");
        for space in [-0.5, f64::NAN, f64::INFINITY] {
            is(hl_ising_thresholds(space, 0.25, found.as_mut_ptr()), "HL_ERR_BETA");
        }
        for tau in [f64::NAN, f64::INFINITY, -f64::INFINITY] {
            is(hl_ising_thresholds(0.5, tau, found.as_mut_ptr()), "HL_ERR_BETA");
        }
        assert_eq!(found, [7; hotloops::ising::THRESHOLDS]);
        is(hl_ising_thresholds(0.5, -0.25, found.as_mut_ptr()), "HL_OK");
    }
    assert_eq!(found, hotloops::ising::thresholds(0.5, -0.25));
    // SAFETY: as above.
    unsafe {
        is(hl_ising_heat_thresholds(0.5, 0.25, null_mut()), "HL_ERR_NULL");
        is(hl_ising_heat_thresholds(-0.5, 0.25, found.as_mut_ptr()), "HL_ERR_BETA");
        is(hl_ising_heat_thresholds(0.5, f64::NAN, found.as_mut_ptr()), "HL_ERR_BETA");
        assert_eq!(found, hotloops::ising::thresholds(0.5, -0.25));
        is(hl_ising_heat_thresholds(0.5, -0.25, found.as_mut_ptr()), "HL_OK");
    }
    assert_eq!(found, hotloops::ising::heat_thresholds(0.5, -0.25));
}

#[test]
fn factors() {
    let mut found = [7; hotloops::ising::FACTORS];
    // SAFETY: null, or room for all.
    unsafe {
        for write in [hl_ising_factors, hl_ising_heat_factors] {
            is(write(0.5, 0.25, null_mut()), "HL_ERR_NULL");
            is(write(-0.5, 0.25, found.as_mut_ptr()), "HL_ERR_BETA");
            is(write(0.5, f64::NAN, found.as_mut_ptr()), "HL_ERR_BETA");
        }
        assert_eq!(found, [7; hotloops::ising::FACTORS]);
        is(hl_ising_factors(0.5, -0.25, found.as_mut_ptr()), "HL_OK");
        assert_eq!(found, hotloops::ising::factors(0.5, -0.25));
        is(hl_ising_heat_factors(0.5, -0.25, found.as_mut_ptr()), "HL_OK");
        assert_eq!(found, hotloops::ising::heat_factors(0.5, -0.25));
    }
}
