//! The C functions of the family: pointers to the safe API, its errors to a status.

use super::{
    Acceptance, Beta, Energy, Kind, LayeredIsing, Order, ReplicaExchange, THRESHOLDS, Update, graph, heat_thresholds,
    thresholds,
};
use crate::Error;
use crate::ffi::{Status, create, destroy, non_null, non_null_mut, slice, slice_mut, status};
use crate::random::Mt19937;

/// The numbers of the kinds are their places here.
const KINDS: [Kind; 4] = [Kind::F32Fast, Kind::F32Poly, Kind::I8Exact, Kind::Auto];

/// The numbers of the acceptances are their places here.
const ACCEPTANCES: [Acceptance; 3] = [Acceptance::Auto, Acceptance::Metropolis, Acceptance::HeatBath];

/// `hl_ising_graph`: the layers, and the graph of one layer in compressed sparse rows.
#[repr(C)]
pub struct IsingGraph {
    layers: u32,
    sites: u32,
    /// `sites + 1` values, ascending from 0.
    row_pointers: *const u32,
    /// `row_pointers[sites]` values.
    neighbours: *const u32,
    /// `row_pointers[sites]` values.
    couplings: *const f64,
    /// `sites` values, or null for none.
    fields: *const f64,
}

/// `hl_ising_opts`.
#[repr(C)]
pub struct IsingOpts {
    tau_coupling: f64,
    /// 0: coloured, 1: natural.
    order: i32,
    /// 0: gather, 1: scatter.
    update: i32,
    /// Of [`ACCEPTANCES`].
    acceptance: i32,
}

/// `hl_ising_info`.
#[repr(C)]
pub struct IsingInfo {
    layers: u32,
    sites: u32,
    lanes: u32,
    is_exact: u32,
    /// Of [`KINDS`], never the last.
    kind: i32,
    /// 0 but for kind 2.
    quantum: f64,
    heap_bytes: usize,
}

/// Makes a model of kind 0 (f32, fast acceptance), 1 (f32, polynomial acceptance), 2 (i8, exact) or 3 (exact where the
/// couplings allow it, else 1), all spins +1; to be destroyed.
///
/// # Safety
/// `graph` is null or holds pointers that are null or point to as many values as [`IsingGraph`] says; `opts` is null
/// (coupling between layers 1, coloured, gather, acceptance chosen) or readable; `model` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_create(
    graph: *const IsingGraph,
    kind: i32,
    opts: *const IsingOpts,
    model: *mut *mut LayeredIsing,
) -> Status {
    let build = || {
        // SAFETY: the caller's contract.
        let (graph, opts) = unsafe { (non_null(graph, "graph")?, opts.as_ref()) };
        let sites = graph.sites as usize;
        let rows = sites.checked_add(1).ok_or(Error::TooLarge { argument: "sites" })?;
        // SAFETY: the caller's contract.
        let row_pointers = unsafe { slice(graph.row_pointers, rows, "row_pointers") }?;
        let links = graph::check_row_pointers(row_pointers)?;
        // SAFETY: the caller's contract.
        let neighbours = unsafe { slice(graph.neighbours, links, "neighbours") }?;
        // SAFETY: the caller's contract.
        let couplings = unsafe { slice(graph.couplings, links, "couplings") }?;
        let mut builder = LayeredIsing::from_csr(graph.layers as usize, row_pointers, neighbours, couplings);
        if !graph.fields.is_null() {
            // SAFETY: the caller's contract.
            builder = builder.fields(unsafe { slice(graph.fields, sites, "fields") }?);
        }
        if let Some(opts) = opts {
            let order = match opts.order {
                0 => Order::Coloured,
                1 => Order::Natural,
                value => return Err(Error::Option { argument: "order", value }),
            };
            let update = match opts.update {
                0 => Update::Gather,
                1 => Update::Scatter,
                value => return Err(Error::Option { argument: "update", value }),
            };
            let acceptance = usize::try_from(opts.acceptance).ok().and_then(|number| ACCEPTANCES.get(number));
            let acceptance = acceptance.ok_or(Error::Option { argument: "acceptance", value: opts.acceptance })?;
            builder = builder.tau_coupling(opts.tau_coupling).order(order).update(update).acceptance(*acceptance);
        }
        let kind = KINDS.into_iter().zip(0..).find(|&(_, number)| number == kind).ok_or(Error::Kind { value: kind })?.0;
        builder.build(kind)
    };
    // SAFETY: the caller's contract.
    unsafe { create(model, "model", build) }
}

/// Frees a model; null is legal.
///
/// # Safety
/// `model` is null or comes from [`hl_ising_create`], and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_destroy(model: *mut LayeredIsing) {
    // SAFETY: the caller's contract.
    unsafe { destroy(model) }
}

/// Sets all spins: `spins[layer * sites + site]` is +1 or -1.
///
/// # Safety
/// `model` is null or a model that nothing else uses meanwhile, `spins` null or that many values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_set_spins(model: *mut LayeredIsing, spins: *const i8) -> Status {
    let set = || {
        // SAFETY: the caller's contract.
        let model = unsafe { non_null_mut(model, "model") }?;
        // SAFETY: the caller's contract.
        model.set_spins(unsafe { slice(spins, model.layers() * model.sites(), "spins") }?)
    };
    status(set())
}

/// Writes all spins: `spins[layer * sites + site]` becomes +1 or -1.
///
/// # Safety
/// `model` is null or a model that nothing changes meanwhile, `spins` null or that many values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_get_spins(model: *const LayeredIsing, spins: *mut i8) -> Status {
    let get = || {
        // SAFETY: the caller's contract.
        let model = unsafe { non_null(model, "model") }?;
        // SAFETY: the caller's contract.
        model.spins(unsafe { slice_mut(spins, model.layers() * model.sites(), "spins") }?)
    };
    status(get())
}

/// Visits every spin `sweeps` times and, unless `flips` is null, writes the number of flips.
///
/// # Safety
/// `model` and `rng` are null or objects that nothing else uses meanwhile; `flips` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_sweep(
    model: *mut LayeredIsing,
    rng: *mut Mt19937,
    beta_space: f32,
    beta_tau: f32,
    sweeps: u64,
    flips: *mut u64,
) -> Status {
    let sweep = || {
        // SAFETY: the caller's contract.
        let (model, rng, flips) = unsafe { (non_null_mut(model, "model")?, non_null_mut(rng, "rng")?, flips.as_mut()) };
        let count = model.sweep(rng, Beta { space: beta_space, tau: beta_tau }, sweeps)?;
        if let Some(flips) = flips {
            *flips = count;
        }
        Ok(())
    };
    status(sweep())
}

/// Writes the acceptance of a sweep at these inverse temperatures, 1 or 2 of [`ACCEPTANCES`].
///
/// # Safety
/// `model` is null or a model; `acceptance` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_acceptance(
    model: *const LayeredIsing,
    beta_space: f32,
    beta_tau: f32,
    acceptance: *mut i32,
) -> Status {
    let write = || {
        // SAFETY: the caller's contract.
        let (model, number) = unsafe { (non_null(model, "model")?, non_null_mut(acceptance, "acceptance")?) };
        let found = model.acceptance(Beta { space: beta_space, tau: beta_tau });
        *number = ACCEPTANCES.into_iter().zip(0..).find(|&(other, _)| other == found).map_or(0, |(_, number)| number);
        Ok(())
    };
    status(write())
}

/// Writes the two energies of the present spins.
///
/// # Safety
/// `model` is null or a model that nothing changes meanwhile; `space` and `tau` are null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_energy(model: *const LayeredIsing, space: *mut f64, tau: *mut f64) -> Status {
    let energy = || {
        // SAFETY: the caller's contract.
        let model = unsafe { non_null(model, "model") }?;
        // SAFETY: the caller's contract.
        let (space, tau) = unsafe { (non_null_mut(space, "space")?, non_null_mut(tau, "tau")?) };
        let energy = model.energy();
        (*space, *tau) = (energy.space, energy.tau);
        Ok(())
    };
    status(energy())
}

/// Writes the sites in the order in which they are visited.
///
/// # Safety
/// `model` is null or a model; `order` is null or points to as many values as it has sites.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_order(model: *const LayeredIsing, order: *mut u32) -> Status {
    let write = || {
        // SAFETY: the caller's contract.
        let model = unsafe { non_null(model, "model") }?;
        // SAFETY: the caller's contract.
        unsafe { slice_mut(order, model.sites(), "order") }?.copy_from_slice(model.order());
        Ok(())
    };
    status(write())
}

/// Writes the sum of all spins.
///
/// # Safety
/// `model` is null or a model that nothing changes meanwhile; `magnetisation` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_magnetisation(model: *const LayeredIsing, magnetisation: *mut i64) -> Status {
    let measure = || {
        // SAFETY: the caller's contract.
        let (model, sum) = unsafe { (non_null(model, "model")?, non_null_mut(magnetisation, "magnetisation")?) };
        *sum = model.magnetisation();
        Ok(())
    };
    status(measure())
}

/// Writes for each layer the sum over its sites of the products of its spins and of those of another configuration.
///
/// # Safety
/// `model` is null or a model that nothing changes meanwhile, `spins` null or `layers * sites` values, `overlaps` null or
/// `layers` values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_overlaps(model: *const LayeredIsing, spins: *const i8, overlaps: *mut i64) -> Status {
    let measure = || {
        // SAFETY: the caller's contract.
        let model = unsafe { non_null(model, "model") }?;
        // SAFETY: the caller's contract.
        let spins = unsafe { slice(spins, model.layers() * model.sites(), "spins") }?;
        // SAFETY: the caller's contract.
        model.overlaps(spins, unsafe { slice_mut(overlaps, model.layers(), "overlaps") }?)
    };
    status(measure())
}

/// Writes what a model is: its layers and sites, the layers updated together, whether its sums are exact, its kind and its
/// quantum, its memory.
///
/// # Safety
/// `model` is null or a model; `info` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_describe(model: *const LayeredIsing, info: *mut IsingInfo) -> Status {
    let describe = || {
        // SAFETY: the caller's contract.
        let (model, info) = unsafe { (non_null(model, "model")?, non_null_mut(info, "info")?) };
        *info = IsingInfo {
            layers: model.layers() as u32,
            sites: model.sites() as u32,
            lanes: model.lanes() as u32,
            is_exact: model.is_exact().into(),
            kind: KINDS.into_iter().zip(0..).find(|&(kind, _)| kind == model.kind()).map_or(-1, |(_, number)| number),
            quantum: model.quantum(),
            heap_bytes: model.heap_bytes(),
        };
        Ok(())
    };
    status(describe())
}

/// Writes the [`THRESHOLDS`] values of [`thresholds()`]; a `space` that is negative or not finite is refused, and a `tau`
/// that is not finite.
///
/// # Safety
/// `thresholds` is null or points to that many values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_thresholds(space: f64, tau: f64, thresholds: *mut u16) -> Status {
    // SAFETY: the caller's contract.
    unsafe { write_thresholds(self::thresholds, space, tau, thresholds) }
}

/// [`hl_ising_thresholds`] of [`heat_thresholds()`].
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_heat_thresholds(space: f64, tau: f64, thresholds: *mut u16) -> Status {
    // SAFETY: the caller's contract.
    unsafe { write_thresholds(heat_thresholds, space, tau, thresholds) }
}

/// # Safety
/// `thresholds` is null or points to [`THRESHOLDS`] values.
unsafe fn write_thresholds(
    tabulate: fn(f64, f64) -> [u16; THRESHOLDS],
    space: f64,
    tau: f64,
    thresholds: *mut u16,
) -> Status {
    let write = || {
        // SAFETY: the caller's contract.
        let slots = unsafe { slice_mut(thresholds, THRESHOLDS, "thresholds") }?;
        for (argument, value, is_legal) in
            [("space", space, space.is_finite() && space >= 0.0), ("tau", tau, tau.is_finite())]
        {
            if !is_legal {
                return Err(Error::Beta { argument, value: value as f32 });
            }
        }
        slots.copy_from_slice(&tabulate(space, tau));
        Ok(())
    };
    status(write())
}

/// Makes an exchange of as many replicas as temperatures, replica `r` at temperature `r`; to be destroyed.
///
/// # Safety
/// `ladder` is null or points to `temperatures` values; `exchange` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_replica_exchange_create(
    ladder: *const Beta,
    temperatures: usize,
    seed: u32,
    exchange: *mut *mut ReplicaExchange,
) -> Status {
    // SAFETY: the caller's contract.
    unsafe { create(exchange, "exchange", || ReplicaExchange::new(slice(ladder, temperatures, "ladder")?, seed)) }
}

/// Makes an exchange in a saved state; to be destroyed.
///
/// # Safety
/// `bytes` is null or points to `size` bytes; `exchange` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_replica_exchange_create_from_state(
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
/// `exchange` is null or comes from a function above, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_replica_exchange_destroy(exchange: *mut ReplicaExchange) {
    // SAFETY: the caller's contract.
    unsafe { destroy(exchange) }
}

/// Goes one round over every second pair of temperatures, with the energies of each replica, and, unless `swaps` is
/// null, writes how many pairs were swapped.
///
/// # Safety
/// `exchange` is null or an exchange that nothing else uses meanwhile, `energies` null or `n` values; `swaps` is null or
/// writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_replica_exchange_exchange(
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

/// [`hl_replica_exchange_exchange`] with the energies of the models, one for each replica, measured here.
///
/// # Safety
/// As there; `models` is null or points to `n` pointers, each null or a model that nothing changes meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_replica_exchange_step(
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
            // SAFETY: none is null, so that each is fit to be a shared reference, which is as large as a pointer.
            false => unsafe { slice(models.as_ptr().cast::<&LayeredIsing>(), n, "models") },
        }
    };
    // SAFETY: the caller's contract.
    status(unsafe { round(exchange, swaps, |exchange| exchange.step(models()?)) })
}

/// # Safety
/// `exchange` is null or an exchange that nothing else uses meanwhile; `swaps` is null or writable.
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
/// `exchange` is null or an exchange that nothing changes meanwhile; `temperatures` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_replica_exchange_len(exchange: *const ReplicaExchange, temperatures: *mut usize) -> Status {
    // SAFETY: the caller's contract.
    unsafe { get(exchange, (temperatures, "temperatures"), |exchange| Ok(exchange.len())) }
}

/// Writes the inverse temperatures at which a replica is to be swept now.
///
/// # Safety
/// `exchange` is null or an exchange that nothing changes meanwhile; `beta` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_replica_exchange_beta(
    exchange: *const ReplicaExchange,
    replica: usize,
    beta: *mut Beta,
) -> Status {
    // SAFETY: the caller's contract.
    unsafe { get(exchange, (beta, "beta"), |exchange| exchange.beta(replica)) }
}

/// Writes the place on the ladder where a replica is now.
///
/// # Safety
/// `exchange` is null or an exchange that nothing changes meanwhile; `temperature` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_replica_exchange_temperature_of(
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
/// `exchange` is null or an exchange that nothing changes meanwhile; `replica` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_replica_exchange_replica_at(
    exchange: *const ReplicaExchange,
    temperature: usize,
    replica: *mut usize,
) -> Status {
    // SAFETY: the caller's contract.
    unsafe { get(exchange, (replica, "replica"), |exchange| exchange.replica_at(temperature)) }
}

/// Writes how many swaps of temperatures `pair` and `pair + 1` were attempted.
///
/// # Safety
/// `exchange` is null or an exchange that nothing changes meanwhile; `attempts` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_replica_exchange_attempts(
    exchange: *const ReplicaExchange,
    pair: usize,
    attempts: *mut u64,
) -> Status {
    // SAFETY: the caller's contract.
    unsafe { get(exchange, (attempts, "attempts"), |exchange| exchange.attempts(pair)) }
}

/// Writes how many swaps of temperatures `pair` and `pair + 1` were made.
///
/// # Safety
/// `exchange` is null or an exchange that nothing changes meanwhile; `swaps` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_replica_exchange_swaps(
    exchange: *const ReplicaExchange,
    pair: usize,
    swaps: *mut u64,
) -> Status {
    // SAFETY: the caller's contract.
    unsafe { get(exchange, (swaps, "swaps"), |exchange| exchange.swaps(pair)) }
}

/// Writes how many round trips all replicas together have completed.
///
/// # Safety
/// `exchange` is null or an exchange that nothing changes meanwhile; `trips` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_replica_exchange_round_trips(exchange: *const ReplicaExchange, trips: *mut u64) -> Status {
    // SAFETY: the caller's contract.
    unsafe { get(exchange, (trips, "trips"), |exchange| Ok(exchange.round_trips())) }
}

/// Writes how many round trips a replica has completed.
///
/// # Safety
/// `exchange` is null or an exchange that nothing changes meanwhile; `trips` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_replica_exchange_round_trips_of(
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
pub unsafe extern "C" fn hl_replica_exchange_state_size(exchange: *const ReplicaExchange, size: *mut usize) -> Status {
    // SAFETY: the caller's contract.
    unsafe { get(exchange, (size, "size"), |exchange| Ok(exchange.state_len())) }
}

/// # Safety
/// `exchange` is null or an exchange that nothing changes meanwhile; `value` is null or writable.
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

/// Saves the state as `size` bytes, the same on every machine; `size` is that of [`hl_replica_exchange_state_size`].
///
/// # Safety
/// `exchange` is null or an exchange that nothing changes meanwhile, `bytes` null or `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_replica_exchange_get_state(
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

/// Takes over a saved state, and its ladder; after an error the exchange is as before.
///
/// # Safety
/// `exchange` is null or an exchange that nothing else uses meanwhile, `bytes` null or `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_replica_exchange_set_state(
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
