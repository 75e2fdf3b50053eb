//! Clifford algebras: layers and products of multivectors.
//!
//! | type or function | does |
//! |---|---|
//! | [`Signature`] | the blades of an algebra and their products |
//! | [`Linear`] | a linear layer over channels of multivectors, forward and backward |
//! | [`GradeLinear`] | a linear layer with one weight for each grade, forward and backward |
//! | [`Conv`] | a convolution in 1, 2 or 3 dimensions, forward and backward |
//! | [`geometric_product`], [`sandwich`], [`weighted_product`] | products of multivectors, one by one |
//! | [`ConnectedProduct`] | products of all input channels with weights for each path and output channel |
//! | [`Gate`] | activations, forward and backward |
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
//! The coefficients of a multivector are adjacent, one for each blade, in the order of [`Signature`].
//! [`blades_first`] and [`blades_last`] convert from and to arrays whose first dimension is the blade.
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
//! have the same bits on every CPU, for every batch.
//!
//! # Errors
//! [`Error::Signature`], [`Error::Channels`], [`Error::Extent`], [`Error::Length`], [`Error::Option`],
//! [`Error::TooLarge`], [`Error::NoMemory`].

mod act;
mod algebra;
mod combine;
mod common;
mod connected;
mod conv;
#[cfg(feature = "c-api")]
mod ffi;
mod gate;
mod grade;
mod image;
mod layout;
mod linear;
mod logistic;
mod multiply;
mod products;
mod signature;
mod transform;

pub use act::Gate;
pub use common::{common_product_f32, common_product_f64, common_sandwich_f32, common_sandwich_f64};
pub use common::{common_weighted_f32, common_weighted_f64};
pub use connected::{ConnectedProduct, ConnectedWeights};
pub use conv::{Conv, ConvWeights, Window};
pub use gate::gate_f32;
pub use grade::{GradeLinear, GradeMaps, GradeWeights};
pub use layout::{blades_first, blades_last};
pub use linear::{Linear, LinearWeights, Mode};
pub use multiply::{Element, Multiply, multiply_f32, multiply_f64};
pub use products::{geometric_product, grade_norms, paths, sandwich, weighted_product};
pub use signature::{MAX_BLADES, MAX_GENERATORS, Signature};
#[doc(hidden)]
pub use transform::transform_lists;
pub use transform::{blades_f32, blades_f64, forms_f32, forms_f64};

#[cfg(doc)]
use crate::Error;
