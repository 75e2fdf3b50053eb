//! The C functions of models.

use super::create::ACCEPTANCES;
use crate::frame::error::{Error, at_least};
use crate::frame::ffi::{Status, destroy, non_null, non_null_mut, slice, slice_mut, status};
use crate::ising::model::LayeredIsing;
use crate::ising::shape::{Beta, Kind};
use crate::random::Mt19937;

/// `hl_ising_info`.
#[repr(C)]
pub struct IsingInfo {
    size: usize,
    layers: u32,
    sites: u32,
    lanes: u32,
    is_exact: u32,
    /// Index in [`Kind::ALL`], never that of `Auto`.
    kind: i32,
    /// 0 in f32.
    quantum: f64,
    heap_bytes: usize,
}

/// Frees a model; null is legal.
///
/// # Safety
/// `model` is null or was created by a function of this library, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_destroy(model: *mut LayeredIsing) {
    // SAFETY: the caller's contract.
    unsafe { destroy(model) }
}

/// Sets all spins: `spins[layer * sites + site]` is +1 or -1.
///
/// # Safety
/// `model` is null or a model that nothing else uses during the call; `spins` is null or points to
/// `layers * sites` values.
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
/// `model` is null or a model that nothing changes during the call; `spins` is null or points to
/// `layers * sites` values.
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

/// Visits every spin `sweeps` times. Writes the number of flips unless `flips` is null.
///
/// # Safety
/// `model` and `rng` are null or objects that nothing else uses during the call; `flips` is null or
/// writable.
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

/// Writes the acceptance of a sweep at these inverse temperatures: 1 or 2, an index in
/// [`ACCEPTANCES`].
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

/// Writes the two energies of the current spins.
///
/// # Safety
/// `model` is null or a model that nothing changes during the call; `space` and `tau` are null or
/// writable.
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

/// Writes the sites in visiting order.
///
/// # Safety
/// `model` is null or a model; `order` is null or points to as many values as the model has sites.
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
/// `model` is null or a model that nothing changes during the call; `magnetisation` is null or
/// writable.
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

/// Writes the overlap of each layer with another configuration: the sum over its sites of the
/// products of the two spins.
///
/// # Safety
/// `model` is null or a model that nothing changes during the call; `spins` is null or points to
/// `layers * sites` values, `overlaps` is null or points to `layers` values.
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

/// Writes `Es` and the sum of the spins of each layer.
///
/// # Safety
/// `model` is null or a model that nothing changes during the call; `energies` and `magnetisations`
/// are null or point to `layers` values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_layer_energies(
    model: *const LayeredIsing,
    energies: *mut f64,
    magnetisations: *mut i64,
) -> Status {
    let measure = || {
        // SAFETY: the caller's contract.
        let model = unsafe { non_null(model, "model") }?;
        // SAFETY: the caller's contract.
        let energies = unsafe { slice_mut(energies, model.layers(), "energies") }?;
        // SAFETY: the caller's contract.
        model.layer_energies(energies, unsafe { slice_mut(magnetisations, model.layers(), "magnetisations") }?)
    };
    status(measure())
}

/// Writes the spins of one layer: `spins[site]` becomes +1 or -1.
///
/// # Safety
/// `model` is null or a model that nothing changes during the call; `spins` is null or points to
/// `sites` values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_copy_layer(model: *const LayeredIsing, layer: usize, spins: *mut i8) -> Status {
    let copy = || {
        // SAFETY: the caller's contract.
        let model = unsafe { non_null(model, "model") }?;
        // SAFETY: the caller's contract.
        model.copy_layer(layer, unsafe { slice_mut(spins, model.sites(), "spins") }?)
    };
    status(copy())
}

/// Sets the spins of one layer: `spins[site]` is +1 or -1.
///
/// # Safety
/// `model` is null or a model that nothing else uses during the call; `spins` is null or points to
/// `sites` values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_set_layer(model: *mut LayeredIsing, layer: usize, spins: *const i8) -> Status {
    let set = || {
        // SAFETY: the caller's contract.
        let model = unsafe { non_null_mut(model, "model") }?;
        // SAFETY: the caller's contract.
        model.set_layer(layer, unsafe { slice(spins, model.sites(), "spins") }?)
    };
    status(set())
}

/// Swaps the spins of `count` layers from `first` on with those of another model.
///
/// # Safety
/// `model` and `other` are null or models that nothing else uses during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_swap_layers(
    model: *mut LayeredIsing,
    other: *mut LayeredIsing,
    first: usize,
    count: usize,
) -> Status {
    let swap = || {
        if model == other && !model.is_null() {
            return Err(Error::Overlap { argument: "other" });
        }
        // SAFETY: the caller's contract; the models differ.
        let (model, other) = unsafe { (non_null_mut(model, "model")?, non_null_mut(other, "other")?) };
        let end = first.checked_add(count).ok_or(Error::TooLarge { argument: "count" })?;
        model.swap_layers(other, first..end)
    };
    status(swap())
}

/// Writes the number of words of [`hl_ising_copy_words`].
///
/// # Safety
/// `model` is null or a model; `words` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_words(model: *const LayeredIsing, words: *mut usize) -> Status {
    let get = || {
        // SAFETY: the caller's contract.
        let (model, words) = unsafe { (non_null(model, "model")?, non_null_mut(words, "words")?) };
        *words = model.words();
        Ok(())
    };
    status(get())
}

/// Writes all spins as words, for [`hl_ising_set_words`] of another model with the same graph, kind and number
/// of layers.
///
/// # Safety
/// `model` is null or a model that nothing changes during the call; `words` is null or points to `n`
/// values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_copy_words(model: *const LayeredIsing, words: *mut u64, n: usize) -> Status {
    let copy = || {
        // SAFETY: the caller's contract.
        let model = unsafe { non_null(model, "model") }?;
        // SAFETY: the caller's contract.
        model.copy_words(unsafe { slice_mut(words, n, "words") }?)
    };
    status(copy())
}

/// Sets the spins of `count` layers to those of the words of another model.
///
/// # Safety
/// `model` is null or a model that nothing else uses during the call; `layers` is null or points to
/// `count` values, `words` is null or points to `n`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_set_words(
    model: *mut LayeredIsing,
    layers: *const usize,
    count: usize,
    words: *const u64,
    n: usize,
) -> Status {
    let set = || {
        // SAFETY: the caller's contract.
        let model = unsafe { non_null_mut(model, "model") }?;
        // SAFETY: the caller's contract.
        let (layers, words) = unsafe { (slice(layers, count, "layers")?, slice(words, n, "words")?) };
        model.set_words(layers.iter().copied(), words)
    };
    status(set())
}

/// Writes the properties of a model: layers, sites, layers that are updated together, exactness of
/// its sums, kind, quantum and memory.
///
/// # Safety
/// `model` is null or a model; `info` is null or points to as many writable bytes as its first member
/// says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_describe(model: *const LayeredIsing, info: *mut IsingInfo) -> Status {
    let describe = || {
        // SAFETY: the caller's contract.
        let (model, info) = unsafe { (non_null(model, "model")?, non_null_mut(info, "info")?) };
        at_least("size", size_of::<IsingInfo>(), info.size)?;
        *info = IsingInfo {
            size: info.size,
            layers: model.layers() as u32,
            sites: model.sites() as u32,
            lanes: model.lanes() as u32,
            is_exact: model.is_exact().into(),
            kind: Kind::ALL
                .into_iter()
                .zip(0..)
                .find(|&(kind, _)| kind == model.kind())
                .map_or(-1, |(_, number)| number),
            quantum: model.quantum(),
            heap_bytes: model.heap_bytes(),
        };
        Ok(())
    };
    status(describe())
}

/// Writes the estimated rounding error of a local field, see [`LayeredIsing::rounding`].
///
/// # Safety
/// `model` is null or a model that nothing changes during the call; `rounding` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_rounding(model: *const LayeredIsing, rounding: *mut f64) -> Status {
    let write = || {
        // SAFETY: the caller's contract.
        unsafe { *non_null_mut(rounding, "rounding")? = non_null(model, "model")?.rounding() };
        Ok(())
    };
    status(write())
}

/// Writes 1 if Metropolis may not be ergodic, otherwise 0, see [`LayeredIsing::may_trap`].
///
/// # Safety
/// `model` is null or a model that nothing changes during the call; `may_trap` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_may_trap(model: *const LayeredIsing, may_trap: *mut u32) -> Status {
    let write = || {
        // SAFETY: the caller's contract.
        unsafe { *non_null_mut(may_trap, "may_trap")? = non_null(model, "model")?.may_trap().into() };
        Ok(())
    };
    status(write())
}
