//! The kernels of the family for any vector: one algorithm each, which the instruction sets share.
