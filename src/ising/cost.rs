//! The estimated time of a visit of a spin for each kind, and the choice of `Kind::Auto`.
//!
//! Costs were measured with AVX2 on a Xeon (Granite Rapids), random numbers included. They are the same
//! numbers for every CPU: the choice decides the trajectory. The dependence on the degree is fitted to a few
//! problems.
//!
//! With AVX-512, `I8Exact` gains more than `Single`, so its cost here is about the mean of both. It is then
//! chosen for 128 copies with couplings of 8 bits, on tori (`benches/kinds.rs`, nanoseconds on a busy machine):
//!
//! | | `I8Exact`, AVX2 | `Single`, AVX2 | regret | `I8Exact`, AVX-512 | `Single`, AVX-512 | regret |
//! |---|---|---|---|---|---|---|
//! | 32^2 | 0.309 | 0.292 | 6 % | 0.157 | 0.238 | 0 |
//! | 100^2 | 0.332 | 0.296 | 12 % | 0.152 | 0.229 | 0 |
//! | 16^3 | 0.363 | 0.368 | 0 | 0.169 | 0.258 | 0 |
//!
//! The choice of `Single` would have a regret of up to 53 % with AVX-512.

use core::cell::RefCell;

use super::bits::{COPIES, CopySigns, MAX_DEGREE, Strips};
use super::dense::MAX_DENSE_SITES;
use super::graph::{self, Limits, Lists, MAX_INTERLACED_SITES, Order};
use super::precision::{DENSE_BITS, DENSE_POINT, FIXED_BITS, FIXED_POINT, SINGLE_BITS};
use super::shape::{Kind, LANES, Line, Method, Shape, WIDE_LANES};
use super::single::{Counts, Layout, MAX_HUB_QUANTA};
use super::wide;
use crate::frame::error::Error;
use crate::frame::pieces::Ended;

/// Bytes of spins that stay in a first-level cache.
const NEAR: f64 = 40_000.0;
/// Bytes of couplings that stay in a second-level cache.
const MIDDLE: f64 = 2_000_000.0;

/// Rounded sums are chosen if they save this factor.
const ROUNDED: f64 = 1.2;

/// Layouts of single systems are not computed for graphs of a higher mean degree than this and than one site in
/// [`DENSE`]: most of their blocks would have few sites.
const HIGH_DEGREE: f64 = 64.0;
const DENSE: f64 = 8.0;

/// A checked description.
pub(super) struct Description<'a, 'p> {
    pub fields: &'a [f64],
    pub lists: &'a Lists<'a, 'p>,
    pub layers: usize,
    pub tau_coupling: f64,
    pub signs: &'a CopySigns,
    pub order: Order,
    /// A layout of single systems, once it was needed.
    pub layout: RefCell<Option<Layout>>,
}

impl Description<'_, '_> {
    fn sites(&self) -> usize {
        self.fields.len()
    }

    fn quantum(&self, max_sites: usize, limits: Limits) -> Result<f64, Ended> {
        match self.sites() <= max_sites {
            true => self.lists.quantum(self.fields, limits),
            false => Err(Error::TooLarge { argument: "sites" }.into()),
        }
    }

    /// The counts on which the time of a sweep of single systems depends.
    fn counts(&self, line: Line) -> Result<Counts, Ended> {
        let layout = self.layout(line)?;
        let counts = layout.counts(self.lists);
        *self.layout.borrow_mut() = Some(layout);
        counts
    }

    /// The layout of single systems: the stored one, if it is of these lines.
    pub fn layout(&self, line: Line) -> Result<Layout, Ended> {
        match self.layout.take() {
            Some(layout) if layout.line == line => Ok(layout),
            _ => Layout::new(self.fields, self.lists, line),
        }
    }

    /// The torus that the graph is, if it can be cut into strips.
    pub fn strips(&self) -> Result<Option<Strips>, Ended> {
        match self.order == Order::Coloured && self.signs.edges.is_empty() {
            true => Strips::find(self.lists, self.fields, self.layers),
            false => Ok(None),
        }
    }

    /// The arithmetic of a kind, if it accepts the couplings and fields; for `Auto`, that of the kind chosen.
    pub fn method(&self, kind: Kind) -> Result<Method, Ended> {
        if self.layers == 1 && !matches!(kind, Kind::Single | Kind::Bits | Kind::Dense | Kind::Fixed | Kind::Auto) {
            return Err(Error::Layers { layers: 1 }.into());
        }
        if !self.signs.edges.is_empty() && !matches!(kind, Kind::Bits | Kind::Auto) {
            return Err(Error::Option { argument: "reversed", value: self.signs.edges.len() as i32 }.into());
        }
        let is_interlaced = !matches!(kind, Kind::Single | Kind::Fixed | Kind::Dense | Kind::Auto);
        if is_interlaced && self.sites() > MAX_INTERLACED_SITES && (kind != Kind::Bits || self.strips()?.is_none()) {
            return Err(Error::TooLarge { argument: "sites" }.into());
        }
        let bytes = Limits::new(graph::MAX_QUANTA, graph::MAX_QUANTA);
        Ok(match kind {
            Kind::F32Fast => Method::Fast,
            Kind::F32Poly => Method::Poly,
            Kind::I8Exact => Method::Bytes { quantum: self.quantum(graph::MAX_BYTE_SITES, bytes)? },
            Kind::I16Exact => {
                let limits = Limits::new(wide::MAX_QUANTA, wide::MAX_QUANTA);
                Method::Wide { quantum: self.lists.quantum(self.fields, limits)? }
            }
            Kind::Single => match self.lists.quantum(self.fields, Limits { hub: MAX_HUB_QUANTA, ..bytes }) {
                Ok(quantum) => Method::Single(Line::Bytes(quantum)),
                Err(Ended::Failed(Error::Quantum { .. })) => Method::Single(Line::Floats),
                Err(error) => return Err(error),
            },
            Kind::Bits => {
                let max_sum = MAX_DEGREE as u32;
                Method::Bits { quantum: self.lists.quantum(self.fields, Limits::new(max_sum, max_sum))? }
            }
            Kind::Dense => match self.quantum(MAX_DENSE_SITES, Limits::new(graph::MAX_QUANTA, i16::MAX as u32)) {
                Ok(quantum) => Method::Dense { quantum: Some(quantum) },
                Err(Ended::Failed(Error::Quantum { .. })) => Method::Dense { quantum: None },
                Err(error) => return Err(error),
            },
            Kind::Fixed => Method::Single(Line::Fixed),
            Kind::Auto => self.automatic()?,
        })
    }

    /// With coupling between layers, the first kind that accepts the model. Without, the method of least cost, where
    /// a method that rounds counts as [`ROUNDED`] times as slow.
    fn automatic(&self) -> Result<Method, Ended> {
        const LAYERED: [Kind; 3] = [Kind::I8Exact, Kind::I16Exact, Kind::F32Poly];
        const INDEPENDENT: [Kind; 3] = [Kind::Bits, Kind::Single, Kind::Dense];
        let is_layered = self.tau_coupling != 0.0;
        let (mut best, mut rounded, mut first_error): (Option<(f64, Method)>, _, _) = (None, [None; 6], None);
        let mut is_settled = false;
        let mut offer = |method: Method| -> Result<(), Ended> {
            let cost = match (is_layered, method.quantum()) {
                (true, _) => 0.0,
                (false, Some(_)) => self.cost(method)?,
                (false, None) => ROUNDED * self.cost(method)?,
            };
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, method));
            }
            Ok(())
        };
        let independent = INDEPENDENT.into_iter().filter(|_| !is_layered);
        for (nth, kind) in LAYERED.into_iter().chain(independent).enumerate() {
            match self.method(kind) {
                Err(Ended::Failed(error)) if error != Error::NoMemory => first_error = first_error.or(Some(error)),
                Err(ended) => return Err(ended),
                Ok(method) if method.quantum().is_some() => {
                    offer(method)?;
                    is_settled = is_layered;
                }
                Ok(method) => rounded[nth] = Some(method),
            }
        }
        let rounded = rounded.into_iter().flatten();
        if !is_settled && rounded.clone().next().is_some() {
            let lost = self.lost_in_f32()?;
            if let Some(site) = lost {
                first_error = Some(Error::Unequal { site });
            }
            for method in rounded.chain((!is_layered).then_some(Method::Single(Line::Fixed))) {
                let keeps = match method {
                    Method::Single(Line::Fixed) if lost.is_none() => false,
                    Method::Single(Line::Fixed) => self.keeps(FIXED_POINT, FIXED_BITS)?,
                    Method::Dense { .. } if lost.is_some() => self.keeps(DENSE_POINT, DENSE_BITS)?,
                    _ => lost.is_none(),
                };
                if keeps {
                    offer(method)?;
                }
            }
        }
        best.map(|(_, method)| method).ok_or(first_error.unwrap_or(Error::NoSites).into())
    }

    /// A site at which sums in f32 lose terms.
    fn lost_in_f32(&self) -> Result<Option<usize>, Ended> {
        self.lists.next()?;
        if self.lists.is_exact(self.fields) {
            return Ok(None);
        }
        self.lists.loses(self.fields, SINGLE_BITS)
    }

    /// Whether sums in fixed point keep all terms.
    fn keeps(&self, point: i32, bits: i32) -> Result<bool, Ended> {
        self.lists.next()?;
        Ok(self.lists.is_exact_in(self.fields, point) || self.lists.loses(self.fields, bits)?.is_none())
    }

    /// Estimated nanoseconds of a visit of a spin.
    pub fn cost(&self, method: Method) -> Result<f64, Ended> {
        self.lists.next()?;
        let (sites, layers) = (self.sites() as f64, self.layers as f64);
        let (links, quanta) = self.lists.sizes(self.fields, method.quantum());
        let degree = links as f64 / sites;
        // A row takes the same time whatever the number of its live lanes.
        let of_row = |cost: f64, lanes: usize| {
            cost * (lanes * Shape::new(self.layers, self.sites(), lanes).groups) as f64 / layers
        };
        Ok(match method {
            Method::Fast | Method::Poly => {
                let bytes = 4.0 * LANES as f64 * sites;
                let link = if bytes > NEAR { 0.1 } else { 0.058 };
                // `F32Fast` was not measured; it is taken as `F32Poly`.
                of_row(0.36 + link * degree, LANES)
            }
            Method::Bytes { .. } => of_row(0.2 + 0.008 * degree, 64),
            Method::Wide { .. } => {
                let bytes = 2.0 * WIDE_LANES as f64 * sites;
                of_row(0.4 + if bytes > NEAR { 0.023 } else { 0.018 } * degree, WIDE_LANES)
            }
            Method::Bits { .. } => {
                let row = 0.078 + 0.0045 * quanta as f64 / sites;
                let rows = match self.strips()? {
                    // Half a unit of random planes is dropped in each sweep, as many as 5 rows take.
                    Some(strips) => 1.1 * (strips.cost(self.layers) as f64 / 4.0 + 5.0),
                    None => self.layers.div_ceil(COPIES) as f64 * sites,
                };
                row * COPIES as f64 * rows / (sites * layers)
            }
            Method::Single(_) if degree > HIGH_DEGREE && DENSE * degree > sites => f64::INFINITY,
            Method::Single(line) => {
                let counts = self.counts(line)?;
                let [blocks, diagonals, copies] =
                    [counts.blocks, counts.diagonals, counts.copies].map(|count| count as f64);
                let cost = match line {
                    Line::Bytes(_) => {
                        let hubs = 40.0 * counts.hubs as f64 + 0.9 * counts.hub_links as f64;
                        12.0 * blocks + 0.8 * diagonals + 0.27 * copies + hubs
                    }
                    Line::Floats => 25.0 * blocks + 4.0 * diagonals + 0.8 * copies,
                    Line::Fixed => 60.0 * blocks + 9.0 * diagonals + 1.2 * copies,
                };
                cost / sites
            }
            Method::Dense { quantum } => {
                let lanes = 64.0 * self.sites().div_ceil(64) as f64;
                let visit = match quantum {
                    Some(_) if sites * sites <= MIDDLE => 3.0 + sites / 310.0,
                    Some(_) => 0.02 * sites - 9.0,
                    None if 4.0 * sites * sites <= MIDDLE => 4.0 + sites / 75.0,
                    None => 0.11 * sites - 54.0,
                };
                visit * lanes / sites
            }
        })
    }
}
