//! Clifford algebras: layers and products of multivectors.
//!
//! | type or function | does |
//! |---|---|
//! | [`Signature`] | the blades of an algebra and their products |
//! | [`Linear`] | a linear layer over channels of multivectors, forward and backward |
//! | [`geometric_product`], [`sandwich`], [`weighted_product`] | products of multivectors, one by one |
//! | [`grade_norms`] | squared norms of the parts of each grade |
//!
//! # Source
//! Huang and others, "Single-Core Superscalar Optimization of Clifford Neural Layers" (2025).
//! Brandstetter and others, "Clifford Neural Layers for PDE Modeling" (2023), defines the layers.
//!
//! # Method
//! A layer is one product of matrices ([`matmul`](crate::matmul)) with weights that are expanded by
//! the products of blades: [`Mode::Exact`]. A Clifford algebra is isomorphic to an algebra of
//! matrices over real numbers, complex numbers or quaternions, whose products need a half to a
//! quarter of the multiplications: [`Mode::Fast`] maps the input there, multiplies, and maps back. A
//! generator of square 0 doubles the algebra: (a + b e)(c + d e) = a c + (a d + b c') e, where c' is
//! c with the signs of its odd blades changed. [`Mode::Auto`] takes the faster of the two.
//!
//! # Layout
//! A multivector is stored blade by blade, in the order of [`Signature`].
//!
//! # Example
//! ```
//! use hotloops::clifford::{Linear, Mode, Signature};
//!
//! // Two channels of the plane's algebra to one: y = x0 (1 + e1) + x1 e12 + 10.
//! let layer = Linear::new(Signature::new(&[1, 1])?, 2, 1, Mode::Fast)?;
//! let weights = [1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]; // (blade, output, input)
//! let bias = [10.0, 0.0, 0.0, 0.0]; // (blade, output)
//! let mut memory = vec![0.0f32; layer.packed_len()?];
//! let packed = layer.pack(&weights, Some(&bias), &mut memory)?;
//! let mut workspace = vec![0.0; packed.workspace_len(1)?];
//! let x = [1.0, 2.0, 3.0, 4.0, 0.0, 1.0, 0.0, 0.0];
//! let mut y = [0.0; 4];
//! packed.forward(1, &x, &mut y, &mut workspace)?;
//! assert_eq!(y, [13.0, 3.0, 0.0, 1.0]);
//! # Ok::<(), hotloops::Error>(())
//! ```
//!
//! # Exactness
//! [`Mode::Exact`] has the bits of the expanded product, [`Mode::Fast`] a proved error bound; both
//! have the same bits on every CPU that fuses, for every batch.
//!
//! # Errors
//! [`Error::Signature`], [`Error::Channels`], [`Error::Length`], [`Error::Option`],
//! [`Error::TooLarge`], [`Error::NoMemory`].

mod algebra;
mod combine;
mod ffi;
mod linear;
mod multiply;
mod products;
mod signature;

pub use linear::{Linear, LinearWeights, Mode};
pub use multiply::{Element, Multiply, multiply_f32, multiply_f64};
pub use products::{geometric_product, grade_norms, paths, sandwich, weighted_product};
pub use signature::{MAX_BLADES, MAX_GENERATORS, Signature};

#[cfg(doc)]
use crate::Error;
