//! The options of a product.

use crate::frame::cache::Caches;

/// The order in which products are added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(i32)]
pub enum Order {
    /// By ascending k, fused: the same bits on every machine, for every shape and
    /// layout.
    #[default]
    Strict = 0,
    /// Any order: k may be split if that is faster, as it is for a small C and a large k. For small
    /// k u, the error of each element is at most (k + 3) u (|alpha| |A| |B| + |beta| |C|), plus
    /// 2^-149 (`f32`) or 2^-1074 (`f64`) for each product.
    Fast = 1,
}

/// The options of a product. The default is strict order, with blocks for the caches of this CPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The order of the additions.
    pub order: Order,
    /// Cache sizes for which blocks are chosen, instead of the sizes of this CPU. They change the
    /// speed, and no bit of a strict result.
    pub caches: Option<Caches>,
}
