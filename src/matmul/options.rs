//! How to multiply.

use crate::cache::Caches;

/// In which order products are added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(i32)]
pub enum Order {
    /// By ascending k, fused: the same bits on every machine that fuses, for every shape and layout.
    #[default]
    Strict = 0,
    /// Any: k may be cut where that is faster, which is for few elements of many products. The
    /// error of each element is at most (k + 3) u (|alpha| |A| |B| + |beta| |C|), and 2^-149
    /// (`f32`) or 2^-1074 (`f64`) for each product, for small k u.
    Fast = 1,
}

/// How to multiply. The default is strict, in blocks for the caches of this CPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The order of the additions.
    pub order: Order,
    /// Cache sizes to cut blocks for, in place of those of this CPU; they change the speed, and no
    /// bit of a strict result.
    pub caches: Option<Caches>,
}
