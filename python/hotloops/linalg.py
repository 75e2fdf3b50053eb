"""Products of matrices, and sums in a fixed order, compensated, or independent of the order."""

from ._hotloops import linalg as _native

PackedB = _native.PackedB
Repro = _native.Repro
asum = _native.asum
dot = _native.dot
dot2 = _native.dot2
dot_repro = _native.dot_repro
kahan = _native.kahan
matmul = _native.matmul
sum = _native.sum
sum2 = _native.sum2
sum_repro = _native.sum_repro
syrk = _native.syrk

__all__ = [
    "PackedB", "Repro", "asum", "dot", "dot2", "dot_repro", "kahan", "matmul", "sum", "sum2", "sum_repro", "syrk",
]
