//! What every kernel owes its caller: the reference's bits, the ABI, its buffers, for every length and every input.

mod exhaustive;
#[path = "../harness/mod.rs"]
mod harness;
mod long;
mod properties;
mod variants;
