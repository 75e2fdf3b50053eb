//! Intrinsics of the family for avx2.
