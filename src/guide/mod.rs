//! Pages that concern every family. They exist only in the documentation, not in the compiled
//! library.
//!
//! - [`isa`]: which instruction set runs, how to cap it, how to call one variant.
//! - [`exactness`]: what "the same bits" means in each family, and what is not promised.
//! - [`adding_a_kernel`]: from the scalar function to the last test.
//! - [`glossary`]: the terms used throughout.

pub mod adding_a_kernel;
pub mod exactness;
pub mod glossary;
pub mod isa;
