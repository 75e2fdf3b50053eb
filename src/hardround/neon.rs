//! Intrinsics of the family for neon.
