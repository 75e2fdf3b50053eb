//! The C functions of the family: pointers to the safe API, its errors to a status.

use alloc::boxed::Box;

use super::{Beta, Kind, LayeredIsing, Order, Update, graph};
use crate::Error;
use crate::ffi::{Status, boxed, non_null, non_null_mut, slice, slice_mut, status};
use crate::random::Mt19937;

/// The numbers of the kinds are their places here.
const KINDS: [Kind; 4] = [Kind::F32Fast, Kind::F32Poly, Kind::I8Exact, Kind::Auto];

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
    couplings: *const f32,
    /// `sites` values, or null for none.
    fields: *const f32,
}

/// `hl_ising_opts`.
#[repr(C)]
pub struct IsingOpts {
    tau_coupling: f32,
    /// 0: coloured, 1: natural.
    order: i32,
    /// 0: gather, 1: scatter.
    update: i32,
}

/// `hl_ising_info`.
#[repr(C)]
pub struct IsingInfo {
    layers: u32,
    sites: u32,
    lanes: u32,
    is_exact: u32,
    heap_bytes: usize,
}

/// Makes a model of kind 0 (f32, fast acceptance), 1 (f32, polynomial acceptance), 2 (i8, exact) or 3 (exact where the
/// couplings allow it, else 1), all spins +1; to be destroyed.
///
/// # Safety
/// `graph` is null or holds pointers that are null or point to as many values as [`IsingGraph`] says; `opts` is null
/// (coupling between layers 1, coloured, gather) or readable; `model` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_create(
    graph: *const IsingGraph,
    kind: i32,
    opts: *const IsingOpts,
    model: *mut *mut LayeredIsing,
) -> Status {
    let create = || {
        // SAFETY: the caller's contract, for these and for the arrays below.
        let (graph, opts, model) = unsafe { (non_null(graph, "graph")?, opts.as_ref(), non_null_mut(model, "model")?) };
        let sites = graph.sites as usize;
        let rows = sites.checked_add(1).ok_or(Error::TooLarge { argument: "sites" })?;
        let row_pointers = unsafe { slice(graph.row_pointers, rows, "row_pointers") }?;
        let links = graph::check_row_pointers(row_pointers)?;
        let neighbours = unsafe { slice(graph.neighbours, links, "neighbours") }?;
        let couplings = unsafe { slice(graph.couplings, links, "couplings") }?;
        let mut builder = LayeredIsing::from_csr(graph.layers as usize, row_pointers, neighbours, couplings);
        if !graph.fields.is_null() {
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
            builder = builder.tau_coupling(opts.tau_coupling).order(order).update(update);
        }
        let kind = KINDS.into_iter().zip(0..).find(|&(_, number)| number == kind).ok_or(Error::Kind { value: kind })?.0;
        *model = boxed(builder.build(kind)?)?;
        Ok(())
    };
    status(create())
}

/// Frees a model; null is legal.
///
/// # Safety
/// `model` is null or comes from [`hl_ising_create`], and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_destroy(model: *mut LayeredIsing) {
    if !model.is_null() {
        // SAFETY: made by `boxed`.
        drop(unsafe { Box::from_raw(model) });
    }
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

/// Writes the two energies of the present spins.
///
/// # Safety
/// `model` is null or a model that nothing changes meanwhile; `space` and `tau` are null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_energy(model: *const LayeredIsing, space: *mut f64, tau: *mut f64) -> Status {
    let energy = || {
        // SAFETY: the caller's contract.
        let model = unsafe { non_null(model, "model") }?;
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
        unsafe { slice_mut(order, model.sites(), "order") }?.copy_from_slice(model.order());
        Ok(())
    };
    status(write())
}

/// Writes what a model is: its layers and sites, the layers updated together, whether its sums are exact, its memory.
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
            heap_bytes: model.heap_bytes(),
        };
        Ok(())
    };
    status(describe())
}
