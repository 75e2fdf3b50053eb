//! Products of multivectors as products of real matrices: the passes of a signature.

mod matrices;
pub(super) mod network;
mod parts;
mod scheme;

use alloc::vec::Vec;

use super::signature::{MAX_BLADES, Signature};
use crate::frame::error::Error;
use crate::frame::memory::push;
use network::Network;

/// Coefficients of a linear form of the blades of a multivector, each +1, -1 or 0.
pub(super) type Form = [i8; MAX_BLADES];

/// A product of real matrices that is part of a product of multivectors.
///
/// For one input and one output channel, its first factor has `size` rows and `size * blocks`
/// columns, its second factor as many rows and `size` columns.
#[derive(Clone, Debug)]
pub(super) struct Pass {
    /// Rows of the product: 1 or 2.
    pub size: usize,
    /// The first factor, row by row: forms of the input.
    pub x: Vec<Form>,
    /// The second factor, row by row: forms of the weights.
    pub w: Vec<Form>,
    /// The power of 2 by which the second factor is divided.
    pub halvings: u32,
    /// The product, row by row: the signs by which each element counts for the blades of the output.
    pub units: Vec<Form>,
    /// `x` and `units` as forms of the parts of [`Passes`].
    pub x_parts: Vec<Form>,
    pub unit_parts: Vec<Form>,
    pub places: Places,
}

/// Where the forms of a pass are among those of all passes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    /// The places of `x` and of `units`.
    pub x_at: usize,
    pub units_at: usize,
    /// Whether the rows of `x` are the beginnings of those of another pass.
    pub is_beginning: bool,
    /// The place of `x` without the passes that are beginnings, and the forms from row to row.
    pub own_at: usize,
    pub own_row: usize,
}

/// The products of real matrices that give a product of multivectors.
pub(super) struct Passes {
    /// The real parts of the entries of all matrices, as forms of the blades: as many as blades. Empty if `x` and
    /// `units` have no shorter sums by way of them.
    pub parts: Vec<Form>,
    pub all: Vec<Pass>,
}

impl Pass {
    /// Rows of the second factor for one channel.
    pub fn depth(&self) -> usize {
        self.x.len() / self.size
    }

    pub fn multiplications(&self) -> usize {
        self.x.len() * self.size
    }
}

/// The passes of a signature, if there is a matrix algebra for it.
pub(super) fn passes(signature: &Signature) -> Result<Option<Passes>, Error> {
    let Some(network) = Network::new(signature) else { return Ok(None) };
    let of = |forms: &[Form]| {
        let mut all = Vec::new();
        forms.iter().try_for_each(|form| push(&mut all, *form)).map(|()| all)
    };
    let (mut all, mut begin, own) = (Vec::<Pass>::new(), 0, network.own());
    for (p, (&end, &halvings)) in network.ends.iter().zip(&network.halvings).enumerate().take(network.passes) {
        let (size, products) = (network.size, network.size * network.size);
        let (factor, product) = (begin..end, p * products..(p + 1) * products);
        let (x, w, x_parts) =
            (of(&network.x[factor.clone()])?, of(&network.w[factor.clone()])?, of(&network.x_parts[factor])?);
        let (units, unit_parts) = (of(&network.units[product.clone()])?, of(&network.unit_parts[product.clone()])?);
        let (is_beginning, own_at, own_row) = (begin < own, begin.saturating_sub(own), x.len() / size);
        let (x_at, units_at) = (begin, product.start);
        let places = Places { x_at, units_at, is_beginning, own_at, own_row };
        push(&mut all, Pass { size, x, w, halvings, units, x_parts, unit_parts, places })?;
        begin = end;
    }
    let (beginnings, others) = all.split_at_mut(network.beginnings);
    for (Pass { places, .. }, whole) in beginnings.iter_mut().zip(others) {
        (places.own_at, places.own_row) = (whole.places.own_at, whole.places.own_row);
    }
    Ok(Some(Passes { parts: of(&network.parts[..network.n_parts])?, all }))
}
