//! Intrinsics of the family for sse2.
