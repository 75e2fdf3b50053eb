"""Products of matrices, and sums in a fixed order, compensated, or independent of the order."""

from ._hotloops import linalg as _native

Repro = _native.Repro
dot = _native.dot
dot2 = _native.dot2
dot_repro = _native.dot_repro
kahan = _native.kahan
matmul = _native.matmul
sum = _native.sum
sum2 = _native.sum2
sum_repro = _native.sum_repro

__all__ = ["Repro", "dot", "dot2", "dot_repro", "kahan", "matmul", "sum", "sum2", "sum_repro"]
