//! The C functions of replica exchange.

use crate::frame::error::{Error, exactly};
use crate::frame::ffi::{Status, create, destroy, non_null, non_null_mut, slice, slice_mut, status};
use crate::ising::exchange::ReplicaExchange;
use crate::ising::model::LayeredIsing;
use crate::ising::shape::{Beta, Energy};

/// Creates an exchange with as many replicas as temperatures, replica `r` at temperature `r`.
/// Destroy it with [`hl_ising_replica_exchange_destroy`].
///
/// # Safety
/// `ladder` is null or points to `temperatures` values; `exchange` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_replica_exchange_create(
    ladder: *const Beta,
    temperatures: usize,
    seed: u32,
    exchange: *mut *mut ReplicaExchange,
) -> Status {
    // SAFETY: the caller's contract.
    unsafe { create(exchange, "exchange", || ReplicaExchange::new(slice(ladder, temperatures, "ladder")?, seed)) }
}

/// Creates an exchange in a saved state. Destroy it with [`hl_ising_replica_exchange_destroy`].
///
/// # Safety
/// `bytes` is null or points to `size` bytes; `exchange` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_replica_exchange_create_from_state(
    bytes: *const u8,
    size: usize,
    exchange: *mut *mut ReplicaExchange,
) -> Status {
    // SAFETY: the caller's contract.
    unsafe { create(exchange, "exchange", || ReplicaExchange::from_state_bytes(slice(bytes, size, "bytes")?)) }
}

/// Frees an exchange; null is legal.
///
/// # Safety
/// `exchange` is null or was created by one of the functions above, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_replica_exchange_destroy(exchange: *mut ReplicaExchange) {
    // SAFETY: the caller's contract.
    unsafe { destroy(exchange) }
}

/// Attempts one round of swaps, of every second pair of temperatures, with the energies of each
/// replica. Writes the number of swaps made unless `swaps` is null.
///
/// # Safety
/// `exchange` is null or an exchange that nothing else uses during the call; `energies` is null or
/// points to `n` values; `swaps` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_replica_exchange_exchange(
    exchange: *mut ReplicaExchange,
    energies: *const Energy,
    n: usize,
    swaps: *mut usize,
) -> Status {
    // SAFETY: the caller's contract.
    let energies = unsafe { slice(energies, n, "energies") };
    // SAFETY: the caller's contract.
    status(unsafe { round(exchange, swaps, |exchange| exchange.exchange(energies?)) })
}

/// Like [`hl_ising_replica_exchange_exchange`], but measures the energies itself. `models` has one model
/// for each replica.
///
/// # Safety
/// `exchange` and `swaps` as for [`hl_ising_replica_exchange_exchange`]; `models` is null or points to
/// `n` pointers, each null or a model that nothing changes during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_replica_exchange_step(
    exchange: *mut ReplicaExchange,
    models: *const *mut LayeredIsing,
    n: usize,
    swaps: *mut usize,
) -> Status {
    let models = || {
        // SAFETY: the caller's contract.
        let models = unsafe { slice(models, n, "models") }?;
        match models.iter().any(|model| model.is_null()) {
            true => Err(Error::Null { argument: "models" }),
            // SAFETY: no pointer is null, so each is a valid shared reference, which has the layout
            // of a pointer.
            false => unsafe { slice(models.as_ptr().cast::<&LayeredIsing>(), n, "models") },
        }
    };
    // SAFETY: the caller's contract.
    status(unsafe { round(exchange, swaps, |exchange| exchange.step(models()?)) })
}

/// Writes 1 if a round swaps the replicas of a pair of adjacent temperatures, whose energies are given, else
/// 0. `ahead` is the number of rounds before it that have not been made.
///
/// # Safety
/// `exchange` is null or an exchange that nothing changes during the call; `energies` is null or
/// points to two values; `is_swapped` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_replica_exchange_decide(
    exchange: *const ReplicaExchange,
    ahead: u64,
    pair: usize,
    energies: *const Energy,
    is_swapped: *mut u8,
) -> Status {
    let decide = |exchange: &ReplicaExchange| {
        // SAFETY: the caller's contract.
        let energies = unsafe { slice(energies, 2, "energies") }?;
        exchange.decide(ahead, pair, [energies[0], energies[1]]).map(u8::from)
    };
    // SAFETY: the caller's contract.
    unsafe { get(exchange, (is_swapped, "is_swapped"), decide) }
}

/// Makes a round: of the pairs that it attempts, swaps those for which `swaps` is not 0. Writes the number of
/// swaps made unless `made` is null.
///
/// # Safety
/// `exchange` is null or an exchange that nothing else uses during the call; `swaps` is null or
/// points to `n` values; `made` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_replica_exchange_apply(
    exchange: *mut ReplicaExchange,
    swaps: *const u8,
    n: usize,
    made: *mut usize,
) -> Status {
    let apply = |exchange: &mut ReplicaExchange| {
        // SAFETY: the caller's contract.
        let swaps = unsafe { slice(swaps, n, "swaps") }?;
        exactly("swaps", exchange.len() - 1, n)?;
        Ok(exchange.apply(|pair| swaps[pair] != 0))
    };
    // SAFETY: the caller's contract.
    status(unsafe { round(exchange, made, apply) })
}

/// # Safety
/// `exchange` is null or an exchange that nothing else uses during the call; `swaps` is null or
/// writable.
unsafe fn round(
    exchange: *mut ReplicaExchange,
    swaps: *mut usize,
    round: impl FnOnce(&mut ReplicaExchange) -> Result<usize, Error>,
) -> Result<(), Error> {
    // SAFETY: the caller's contract.
    let (exchange, swaps) = unsafe { (non_null_mut(exchange, "exchange")?, swaps.as_mut()) };
    let count = round(exchange)?;
    if let Some(swaps) = swaps {
        *swaps = count;
    }
    Ok(())
}

/// Writes the number of temperatures and of replicas.
///
/// # Safety
/// `exchange` is null or an exchange that nothing changes during the call; `temperatures` is null
/// or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_replica_exchange_len(
    exchange: *const ReplicaExchange,
    temperatures: *mut usize,
) -> Status {
    // SAFETY: the caller's contract.
    unsafe { get(exchange, (temperatures, "temperatures"), |exchange| Ok(exchange.len())) }
}

/// Writes the inverse temperatures for the next sweep of a replica.
///
/// # Safety
/// `exchange` is null or an exchange that nothing changes during the call; `beta` is null or
/// writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_replica_exchange_beta(
    exchange: *const ReplicaExchange,
    replica: usize,
    beta: *mut Beta,
) -> Status {
    // SAFETY: the caller's contract.
    unsafe { get(exchange, (beta, "beta"), |exchange| exchange.beta(replica)) }
}

/// Writes the index of a replica's current temperature.
///
/// # Safety
/// `exchange` is null or an exchange that nothing changes during the call; `temperature` is null or
/// writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_replica_exchange_temperature_of(
    exchange: *const ReplicaExchange,
    replica: usize,
    temperature: *mut usize,
) -> Status {
    // SAFETY: the caller's contract.
    unsafe { get(exchange, (temperature, "temperature"), |exchange| exchange.temperature_of(replica)) }
}

/// Writes the replica that is now at a temperature.
///
/// # Safety
/// `exchange` is null or an exchange that nothing changes during the call; `replica` is null or
/// writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_replica_exchange_replica_at(
    exchange: *const ReplicaExchange,
    temperature: usize,
    replica: *mut usize,
) -> Status {
    // SAFETY: the caller's contract.
    unsafe { get(exchange, (replica, "replica"), |exchange| exchange.replica_at(temperature)) }
}

/// Writes the number of attempted swaps of temperatures `pair` and `pair + 1`.
///
/// # Safety
/// `exchange` is null or an exchange that nothing changes during the call; `attempts` is null or
/// writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_replica_exchange_attempts(
    exchange: *const ReplicaExchange,
    pair: usize,
    attempts: *mut u64,
) -> Status {
    // SAFETY: the caller's contract.
    unsafe { get(exchange, (attempts, "attempts"), |exchange| exchange.attempts(pair)) }
}

/// Writes the number of swaps of temperatures `pair` and `pair + 1` that were made.
///
/// # Safety
/// `exchange` is null or an exchange that nothing changes during the call; `swaps` is null or
/// writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_replica_exchange_swaps(
    exchange: *const ReplicaExchange,
    pair: usize,
    swaps: *mut u64,
) -> Status {
    // SAFETY: the caller's contract.
    unsafe { get(exchange, (swaps, "swaps"), |exchange| exchange.swaps(pair)) }
}

/// Writes the number of round trips that all replicas together have completed.
///
/// # Safety
/// `exchange` is null or an exchange that nothing changes during the call; `trips` is null or
/// writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_replica_exchange_round_trips(
    exchange: *const ReplicaExchange,
    trips: *mut u64,
) -> Status {
    // SAFETY: the caller's contract.
    unsafe { get(exchange, (trips, "trips"), |exchange| Ok(exchange.round_trips())) }
}

/// Writes the number of round trips that a replica has completed.
///
/// # Safety
/// `exchange` is null or an exchange that nothing changes during the call; `trips` is null or
/// writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_replica_exchange_round_trips_of(
    exchange: *const ReplicaExchange,
    replica: usize,
    trips: *mut u64,
) -> Status {
    // SAFETY: the caller's contract.
    unsafe { get(exchange, (trips, "trips"), |exchange| exchange.round_trips_of(replica)) }
}

/// Writes the number of bytes of the exchange's saved state.
///
/// # Safety
/// `exchange` is null or an exchange; `size` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_replica_exchange_state_size(
    exchange: *const ReplicaExchange,
    size: *mut usize,
) -> Status {
    // SAFETY: the caller's contract.
    unsafe { get(exchange, (size, "size"), |exchange| Ok(exchange.state_len())) }
}

/// # Safety
/// `exchange` is null or an exchange that nothing changes during the call; `value` is null or
/// writable.
unsafe fn get<T>(
    exchange: *const ReplicaExchange,
    (value, argument): (*mut T, &'static str),
    read: impl FnOnce(&ReplicaExchange) -> Result<T, Error>,
) -> Status {
    let get = || {
        // SAFETY: the caller's contract.
        let (exchange, value) = unsafe { (non_null(exchange, "exchange")?, non_null_mut(value, argument)?) };
        *value = read(exchange)?;
        Ok(())
    };
    status(get())
}

/// Saves the state as `size` bytes, the same on every machine. [`hl_ising_replica_exchange_state_size`]
/// reports `size`.
///
/// # Safety
/// `exchange` is null or an exchange that nothing changes during the call; `bytes` is null or
/// points to `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_replica_exchange_get_state(
    exchange: *const ReplicaExchange,
    bytes: *mut u8,
    size: usize,
) -> Status {
    let get = || {
        // SAFETY: the caller's contract.
        let (exchange, bytes) = unsafe { (non_null(exchange, "exchange")?, slice_mut(bytes, size, "bytes")?) };
        exchange.state_bytes(bytes)
    };
    status(get())
}

/// Restores a saved state, ladder included. After an error the exchange is unchanged.
///
/// # Safety
/// `exchange` is null or an exchange that nothing else uses during the call; `bytes` is null or
/// points to `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_replica_exchange_set_state(
    exchange: *mut ReplicaExchange,
    bytes: *const u8,
    size: usize,
) -> Status {
    let set = || {
        // SAFETY: the caller's contract.
        let (exchange, bytes) = unsafe { (non_null_mut(exchange, "exchange")?, slice(bytes, size, "bytes")?) };
        exchange.set_state(bytes)
    };
    status(set())
}
