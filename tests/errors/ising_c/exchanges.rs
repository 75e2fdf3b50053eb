//! Replica exchange and its states.

use std::ptr::{null, null_mut};

use super::*;
use crate::is;

#[test]
fn exchanges() {
    let untouched = 16 as *mut Exchange;
    let (mut exchange, mut model) = (untouched, null_mut());
    let ladder = [0.25, 0.5, 1.0].map(|space| Beta { space, tau: 0.25 });
    let mut wrong = ladder;
    wrong[1].tau = f32::NAN;
    let mut energies = [Energies { space: 1.0, tau: 0.5 }; 3];
    let (mut beta, mut place, mut count) = (Beta::default(), 77, 77);
    // SAFETY: all pointers are null or to live objects of the right size.
    unsafe {
        is(hl_ising_replica_exchange_create(null(), 3, 1, &mut exchange), "HL_ERR_NULL");
        is(hl_ising_replica_exchange_create(ladder.as_ptr(), 3, 1, null_mut()), "HL_ERR_NULL");
        is(hl_ising_replica_exchange_create(null(), 0, 1, &mut exchange), "HL_ERR_LADDER");
        is(hl_ising_replica_exchange_create(ladder.as_ptr(), 1, 1, &mut exchange), "HL_ERR_LADDER");
        is(hl_ising_replica_exchange_create(wrong.as_ptr(), 3, 1, &mut exchange), "HL_ERR_BETA");
        is(hl_ising_replica_exchange_create_from_state(null(), 99, &mut exchange), "HL_ERR_NULL");
        is(hl_ising_replica_exchange_create_from_state([0; 99].as_ptr(), 99, &mut exchange), "HL_ERR_STATE_FOREIGN");
        assert_eq!(exchange, untouched);
        hl_ising_replica_exchange_destroy(null_mut());

        is(hl_ising_replica_exchange_create(ladder.as_ptr(), 3, 1, &mut exchange), "HL_OK");
        is(hl_ising_create(&graph(), 2, null(), &mut model), "HL_OK");
        let models = [model; 3];

        is(hl_ising_replica_exchange_exchange(null_mut(), energies.as_ptr(), 3, &mut place), "HL_ERR_NULL");
        is(hl_ising_replica_exchange_exchange(exchange, null(), 3, &mut place), "HL_ERR_NULL");
        is(hl_ising_replica_exchange_exchange(exchange, energies.as_ptr(), 2, &mut place), "HL_ERR_LENGTH");
        energies[2].tau = f64::NAN;
        is(hl_ising_replica_exchange_exchange(exchange, energies.as_ptr(), 3, &mut place), "HL_ERR_ENERGY");
        is(hl_ising_replica_exchange_step(null_mut(), models.as_ptr(), 3, &mut place), "HL_ERR_NULL");
        is(hl_ising_replica_exchange_step(exchange, null(), 3, &mut place), "HL_ERR_NULL");
        is(hl_ising_replica_exchange_step(exchange, [model, model, null_mut()].as_ptr(), 3, &mut place), "HL_ERR_NULL");
        is(hl_ising_replica_exchange_step(exchange, models.as_ptr(), 2, &mut place), "HL_ERR_LENGTH");
        is(hl_ising_replica_exchange_len(null(), &mut place), "HL_ERR_NULL");
        is(hl_ising_replica_exchange_len(exchange, null_mut()), "HL_ERR_NULL");
        is(hl_ising_replica_exchange_beta(null(), 0, &mut beta), "HL_ERR_NULL");
        is(hl_ising_replica_exchange_beta(exchange, 0, null_mut()), "HL_ERR_NULL");
        is(hl_ising_replica_exchange_beta(exchange, 3, &mut beta), "HL_ERR_INDEX");
        is(hl_ising_replica_exchange_temperature_of(null(), 0, &mut place), "HL_ERR_NULL");
        is(hl_ising_replica_exchange_temperature_of(exchange, 0, null_mut()), "HL_ERR_NULL");
        is(hl_ising_replica_exchange_temperature_of(exchange, 3, &mut place), "HL_ERR_INDEX");
        is(hl_ising_replica_exchange_replica_at(null(), 0, &mut place), "HL_ERR_NULL");
        is(hl_ising_replica_exchange_replica_at(exchange, 0, null_mut()), "HL_ERR_NULL");
        is(hl_ising_replica_exchange_replica_at(exchange, usize::MAX, &mut place), "HL_ERR_INDEX");
        is(hl_ising_replica_exchange_attempts(null(), 0, &mut count), "HL_ERR_NULL");
        is(hl_ising_replica_exchange_attempts(exchange, 0, null_mut()), "HL_ERR_NULL");
        is(hl_ising_replica_exchange_attempts(exchange, 2, &mut count), "HL_ERR_INDEX");
        is(hl_ising_replica_exchange_swaps(null(), 0, &mut count), "HL_ERR_NULL");
        is(hl_ising_replica_exchange_swaps(exchange, 0, null_mut()), "HL_ERR_NULL");
        is(hl_ising_replica_exchange_swaps(exchange, 2, &mut count), "HL_ERR_INDEX");
        is(hl_ising_replica_exchange_round_trips(null(), &mut count), "HL_ERR_NULL");
        is(hl_ising_replica_exchange_round_trips(exchange, null_mut()), "HL_ERR_NULL");
        is(hl_ising_replica_exchange_round_trips_of(null(), 0, &mut count), "HL_ERR_NULL");
        is(hl_ising_replica_exchange_round_trips_of(exchange, 0, null_mut()), "HL_ERR_NULL");
        is(hl_ising_replica_exchange_round_trips_of(exchange, 3, &mut count), "HL_ERR_INDEX");
        is(hl_ising_replica_exchange_state_size(null(), &mut place), "HL_ERR_NULL");
        is(hl_ising_replica_exchange_state_size(exchange, null_mut()), "HL_ERR_NULL");
        assert_eq!((beta, place, count), (Beta::default(), 77, 77));
        is(hl_ising_replica_exchange_attempts(exchange, 0, &mut count), "HL_OK");
        assert_eq!(count, 0);

        states(exchange);

        // Equal energies are always exchanged.
        is(hl_ising_replica_exchange_step(exchange, models.as_ptr(), 3, &mut place), "HL_OK");
        assert_eq!(place, 1);
        is(hl_ising_replica_exchange_step(exchange, models.as_ptr(), 3, null_mut()), "HL_OK");
        is(hl_ising_replica_exchange_temperature_of(exchange, 0, &mut place), "HL_OK");
        is(hl_ising_replica_exchange_beta(exchange, 0, &mut beta), "HL_OK");
        assert_eq!((place, beta), (2, ladder[2]));
        hl_ising_destroy(model);
        hl_ising_replica_exchange_destroy(exchange);
    }
}

/// # Safety
/// `exchange` is live.
unsafe fn states(exchange: *mut Exchange) {
    // SAFETY: all pointers are null or to live objects of the right size.
    unsafe {
        let mut size = 0;
        is(hl_ising_replica_exchange_state_size(exchange, &mut size), "HL_OK");
        let mut bytes = vec![7; size];
        is(hl_ising_replica_exchange_get_state(null(), bytes.as_mut_ptr(), size), "HL_ERR_NULL");
        is(hl_ising_replica_exchange_get_state(exchange, null_mut(), size), "HL_ERR_NULL");
        is(hl_ising_replica_exchange_get_state(exchange, bytes.as_mut_ptr(), size - 1), "HL_ERR_LENGTH");
        assert!(bytes.iter().all(|&byte| byte == 7));
        is(hl_ising_replica_exchange_get_state(exchange, bytes.as_mut_ptr(), size), "HL_OK");
        is(hl_ising_replica_exchange_set_state(null_mut(), bytes.as_ptr(), size), "HL_ERR_NULL");
        is(hl_ising_replica_exchange_set_state(exchange, null(), size), "HL_ERR_NULL");
        is(hl_ising_replica_exchange_set_state(exchange, bytes.as_ptr(), size - 1), "HL_ERR_STATE_TRUNCATED");
        bytes[100] ^= 1;
        is(hl_ising_replica_exchange_set_state(exchange, bytes.as_ptr(), size), "HL_ERR_STATE_CORRUPT");
    }
}
