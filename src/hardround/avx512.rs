//! Intrinsics of the family for avx512.
