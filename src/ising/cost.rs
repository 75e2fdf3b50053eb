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

use super::bits::{COPIES, CopySigns, MAX_DEGREE, Strips};
use super::dense::MAX_DENSE_SITES;
use super::graph::{self, Lists, Order};
use super::precision::{Chance, DENSE_BITS, SINGLE_BITS};
use super::shape::{Kind, LANES, Method, Shape, WIDE_LANES};
use super::single::Layout;
use super::wide;
use crate::frame::error::Error;
use crate::frame::pieces::Ended;

/// Bytes of spins that stay in a first-level cache.
const NEAR: f64 = 40_000.0;
/// Bytes of couplings that stay in a second-level cache.
const MIDDLE: f64 = 2_000_000.0;

/// Layouts of single systems are not computed for graphs of a higher mean degree.
const HIGH_DEGREE: f64 = 64.0;

/// A checked description.
pub(super) struct Description<'a, 'p> {
    pub fields: &'a [f64],
    pub lists: &'a Lists<'a, 'p>,
    pub layers: usize,
    pub tau_coupling: f64,
    pub signs: &'a CopySigns,
    pub order: Order,
}

impl Description<'_, '_> {
    fn sites(&self) -> usize {
        self.fields.len()
    }

    fn quantum(&self, max_sites: usize, max_coupling: u32, max_sum: u32) -> Result<f64, Ended> {
        match self.sites() <= max_sites {
            true => self.lists.quantum(self.fields, max_coupling, max_sum),
            false => Err(Error::TooLarge { argument: "sites" }.into()),
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
        if self.layers == 1 && !matches!(kind, Kind::Single | Kind::Bits | Kind::Dense | Kind::Auto) {
            return Err(Error::Layers { layers: 1 }.into());
        }
        if !self.signs.edges.is_empty() && !matches!(kind, Kind::Bits | Kind::Auto) {
            return Err(Error::Option { argument: "reversed", value: self.signs.edges.len() as i32 }.into());
        }
        let bytes = || self.quantum(graph::MAX_BYTE_SITES, graph::MAX_QUANTA, graph::MAX_QUANTA);
        Ok(match kind {
            Kind::F32Fast => Method::Fast,
            Kind::F32Poly => Method::Poly,
            Kind::I8Exact => Method::Bytes { quantum: bytes()? },
            Kind::I16Exact => {
                Method::Wide { quantum: self.lists.quantum(self.fields, wide::MAX_QUANTA, wide::MAX_QUANTA)? }
            }
            Kind::Single => match bytes() {
                Ok(quantum) => Method::Single { quantum: Some(quantum) },
                Err(Ended::Failed(Error::Quantum { .. })) => Method::Single { quantum: None },
                Err(error) => return Err(error),
            },
            Kind::Bits => {
                let max_sum = MAX_DEGREE as u32;
                Method::Bits { quantum: self.lists.quantum(self.fields, max_sum, max_sum)? }
            }
            Kind::Dense => match self.quantum(MAX_DENSE_SITES, graph::MAX_QUANTA, i16::MAX as u32) {
                Ok(quantum) => Method::Dense { quantum: Some(quantum) },
                Err(Ended::Failed(Error::Quantum { .. })) => Method::Dense { quantum: None },
                Err(error) => return Err(error),
            },
            Kind::Auto => self.automatic()?,
        })
    }

    /// With coupling between layers, the first kind that accepts the model. Without, the method of least
    /// cost in integers, or in f32 if integers do not hold the couplings and f32 does.
    fn automatic(&self) -> Result<Method, Ended> {
        const LAYERED: [Kind; 3] = [Kind::I8Exact, Kind::I16Exact, Kind::F32Poly];
        const INDEPENDENT: [Kind; 3] = [Kind::Bits, Kind::Single, Kind::Dense];
        let (mut best, mut first_error) = (None, None);
        let is_layered = self.tau_coupling != 0.0;
        let independent = INDEPENDENT.into_iter().filter(|_| !is_layered);
        for kind in LAYERED.into_iter().chain(independent) {
            let cost = |method| if is_layered { Ok(0.0) } else { self.cost(method) };
            let rank = |method: Method| Ok(((method.quantum().is_none(), cost(method)?), method));
            match (self.method(kind).and_then(rank), &best) {
                (Err(Ended::Failed(error)), _) if error != Error::NoMemory => first_error = first_error.or(Some(error)),
                (Err(ended), _) => return Err(ended),
                (Ok((rank, _)), Some((least, _))) if rank >= *least => {}
                (Ok(found), _) => best = Some(found),
            }
        }
        let (_, method) = best.ok_or_else(|| first_error.unwrap_or(Error::NoSites))?;
        self.keeping_terms(method, is_layered)
    }

    /// `method`, or the finer sums of `Kind::Dense` if it would lose terms in f32.
    fn keeping_terms(&self, method: Method, is_layered: bool) -> Result<Method, Ended> {
        self.lists.next()?;
        if method.quantum().is_some() || self.lists.is_exact(self.fields) {
            return Ok(method);
        }
        let loss = |bits, chance| self.lists.loses(self.fields, bits, chance);
        if loss(SINGLE_BITS, Chance::Counts)?.is_none() {
            return Ok(method);
        }
        let may_be_dense = !is_layered && self.sites() <= MAX_DENSE_SITES;
        let lost = match may_be_dense {
            true if self.lists.is_exact_in_dense(self.fields) => None,
            true => loss(DENSE_BITS, Chance::Excused)?,
            false => loss(SINGLE_BITS, Chance::Excused)?,
        };
        match lost {
            Some(site) => Err(Error::Unequal { site }.into()),
            None if may_be_dense => self.method(Kind::Dense),
            None => Ok(method),
        }
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
            Method::Wide { .. } => of_row(0.4 + 0.018 * degree, WIDE_LANES),
            Method::Bits { .. } => {
                let row = 0.078 + 0.0045 * quanta as f64 / sites;
                let rows = match self.strips()? {
                    // Half a unit of random planes is dropped in each sweep, as many as 5 rows take.
                    Some(strips) => 1.1 * (strips.cost(self.layers) as f64 / 4.0 + 5.0),
                    None => self.layers.div_ceil(COPIES) as f64 * sites,
                };
                row * COPIES as f64 * rows / (sites * layers)
            }
            // Many colours, whose blocks have few sites.
            Method::Single { .. } if degree > HIGH_DEGREE => f64::INFINITY,
            Method::Single { quantum } => {
                let layout = Layout::new(self.fields, self.lists)?;
                let [diagonals, copies] = layout.counts(self.lists)?.map(|count| count as f64);
                let blocks = layout.blocks().count() as f64;
                let cost = match quantum {
                    Some(_) => 12.0 * blocks + 0.8 * diagonals + 0.27 * copies,
                    None => 25.0 * blocks + 4.0 * diagonals + 0.8 * copies,
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
