//! The C functions that create models.

use crate::frame::error::Error;
use crate::frame::ffi::{Status, create, non_null, options, slice, slice_mut, status};
use crate::ising::builder::Builder;
use crate::ising::float::Update;
use crate::ising::graph::{self, Order};
use crate::ising::model::LayeredIsing;
use crate::ising::shape::{Acceptance, Kind};

/// The number of an acceptance is its index here.
pub(super) const ACCEPTANCES: [Acceptance; 3] = [Acceptance::Auto, Acceptance::Metropolis, Acceptance::HeatBath];

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
#[derive(Clone, Copy)]
pub struct IsingOpts {
    size: usize,
    tau_coupling: f64,
    /// 0: coloured, 1: natural.
    order: i32,
    /// 0: gather, 1: scatter.
    update: i32,
    /// Index in [`ACCEPTANCES`].
    acceptance: i32,
}

/// `hl_ising_reversals`: couplings that are reversed in some layers.
#[repr(C)]
pub struct IsingReversals {
    count: usize,
    /// `2 * count` values: the two sites of each coupling.
    sites: *const u32,
    /// `count * layers` values, those of a coupling one after the other; not 0 where it is reversed.
    reversed: *const u8,
}

/// `hl_ising_lattice`: the layers, and the torus or grid of one layer.
#[repr(C)]
pub struct IsingLattice {
    layers: u32,
    dimensions: u32,
    /// `dimensions` values.
    extents: *const u32,
    /// `sites * dimensions` values: those of site 0 to its next site in each dimension, of site 1, ..
    couplings: *const f64,
    /// 0: periodic, 1: open.
    boundary: i32,
}

/// # Safety
/// Pointers of `graph` are null or point to as many values as [`IsingGraph`] says.
pub(super) unsafe fn of_graph(graph: &IsingGraph) -> Result<Builder, Error> {
    let sites = graph.sites as usize;
    let rows = sites.checked_add(1).ok_or(Error::TooLarge { argument: "sites" })?;
    // SAFETY: the caller's contract.
    let row_pointers = unsafe { slice(graph.row_pointers, rows, "row_pointers") }?;
    let links = graph::check_row_pointers(row_pointers)?;
    // SAFETY: the caller's contract.
    let neighbours = unsafe { slice(graph.neighbours, links, "neighbours") }?;
    // SAFETY: the caller's contract.
    let couplings = unsafe { slice(graph.couplings, links, "couplings") }?;
    let builder = LayeredIsing::from_csr(graph.layers as usize, row_pointers, neighbours, couplings);
    if graph.fields.is_null() {
        return Ok(builder);
    }
    // SAFETY: the caller's contract.
    Ok(builder.fields(unsafe { slice(graph.fields, sites, "fields") }?))
}

fn build(mut builder: Builder, kind: i32, opts: Option<IsingOpts>) -> Result<LayeredIsing, Error> {
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
    let found = Kind::ALL.into_iter().zip(0..).find(|&(_, number)| number == kind);
    builder.build(found.ok_or(Error::Kind { value: kind })?.0)
}

/// Creates a model with all spins +1, of kind 0 (f32, fast acceptance), 1 (f32, polynomial
/// acceptance), 2 (i8, exact), 3 (the fastest accurate one), 4 (one system at a time),
/// 5 (i16, exact), 6 (bits) or 7 (dense). Destroy it with [`hl_ising_destroy`](super::model::hl_ising_destroy).
///
/// # Safety
/// `graph` is null or holds pointers that are null or point to as many values as [`IsingGraph`]
/// says; `opts` is null (coupling between layers 1, coloured, gather, automatic acceptance) or
/// readable; `model` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_create(
    graph: *const IsingGraph,
    kind: i32,
    opts: *const IsingOpts,
    model: *mut *mut LayeredIsing,
) -> Status {
    let build = || {
        // SAFETY: the caller's contract.
        let (builder, opts) = unsafe { (of_graph(non_null(graph, "graph")?)?, options(opts)?) };
        build(builder, kind, opts)
    };
    // SAFETY: the caller's contract.
    unsafe { create(model, "model", build) }
}

/// Like [`hl_ising_create`], with couplings that are reversed in some layers.
///
/// # Safety
/// As for [`hl_ising_create`]; `reversals` is null or holds pointers that are null or point to as many
/// values as [`IsingReversals`] says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_create_samples(
    graph: *const IsingGraph,
    reversals: *const IsingReversals,
    kind: i32,
    opts: *const IsingOpts,
    model: *mut *mut LayeredIsing,
) -> Status {
    let build = || {
        // SAFETY: the caller's contract.
        let (graph, reversals) = unsafe { (non_null(graph, "graph")?, non_null(reversals, "reversals")?) };
        let (count, layers) = (reversals.count, graph.layers as usize);
        let too_large = Error::TooLarge { argument: "count" };
        let ends = count.checked_mul(2).ok_or(too_large)?;
        // SAFETY: the caller's contract.
        let sites = unsafe { slice(reversals.sites, ends, "sites") }?;
        let flags = count.checked_mul(layers).ok_or(too_large)?;
        // SAFETY: the caller's contract.
        let reversed = unsafe { slice(reversals.reversed, flags, "reversed") }?;
        // SAFETY: the caller's contract.
        let (mut builder, opts) = unsafe { (of_graph(graph)?, options(opts)?) };
        for (index, &[i, j]) in sites.as_chunks().0.iter().enumerate() {
            let flags = reversed[index * layers..][..layers].iter().map(|&flag| flag != 0);
            builder = builder.reversed_by(i as usize, j as usize, flags);
        }
        build(builder, kind, opts)
    };
    // SAFETY: the caller's contract.
    unsafe { create(model, "model", build) }
}

/// Like [`hl_ising_create`], from a torus or grid without fields.
///
/// # Safety
/// As for [`hl_ising_create`]; `lattice` is null or holds pointers that are null or point to as many
/// values as [`IsingLattice`] says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_create_lattice(
    lattice: *const IsingLattice,
    kind: i32,
    opts: *const IsingOpts,
    model: *mut *mut LayeredIsing,
) -> Status {
    let build = || {
        // SAFETY: the caller's contract.
        let (lattice, opts) = unsafe { (non_null(lattice, "lattice")?, options(opts)?) };
        let dimensions = lattice.dimensions as usize;
        // SAFETY: the caller's contract.
        let extents = unsafe { slice(lattice.extents, dimensions, "extents") }?;
        let too_large = Error::TooLarge { argument: "extents" };
        let extents = extents.iter().map(|&extent| extent as usize);
        let values = extents.clone().try_fold(dimensions, usize::checked_mul).ok_or(too_large)?;
        // SAFETY: the caller's contract.
        let couplings = unsafe { slice(lattice.couplings, values, "couplings") }?;
        let is_torus = match lattice.boundary {
            0 => true,
            1 => false,
            value => return Err(Error::Option { argument: "boundary", value }),
        };
        let coupling = |site, dimension| couplings[site * dimensions + dimension];
        build(Builder::lattice(lattice.layers as usize, extents, is_torus, coupling), kind, opts)
    };
    // SAFETY: the caller's contract.
    unsafe { create(model, "model", build) }
}

/// Writes the default inverse temperatures of an anneal, hot and cold, see [`Builder::beta_range`].
///
/// # Safety
/// `graph` is as for [`hl_ising_create`]; `range` is null or points to 2 values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_beta_range(graph: *const IsingGraph, range: *mut f64) -> Status {
    let write = || {
        // SAFETY: the caller's contract.
        let (builder, range) = unsafe { (of_graph(non_null(graph, "graph")?)?, slice_mut(range, 2, "range")?) };
        range.copy_from_slice(&builder.beta_range()?);
        Ok(())
    };
    status(write())
}
