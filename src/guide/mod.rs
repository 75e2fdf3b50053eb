//! Pages about what concerns all families. They are documentation alone: the library as it is built has no such module.
//!
//! - [`isa`]: which instruction set runs, how to cap it, and how to call one variant.
//! - [`exactness`]: what "the same bits" means in each family, and what is not promised.
//! - [`adding_a_kernel`]: from the scalar function to the last test.

pub mod adding_a_kernel;
pub mod exactness;
pub mod isa;
