"""Kernels for spins, points, matrices, rounding and bits: the same bits on every CPU, at the speed of each one.

- `bits`: bit planes of arrays
- `clifford`: products of multivectors, and layers of Clifford networks
- `correlation`: g(r), g6(r) and psi_6 of points in the plane
- `exp`: fast exponentials of float32 arrays
- `fingerprints`: similarity search of binary fingerprints
- `hardround`: hard-to-round cases of elementary functions
- `ising`: annealing of Ising problems and QUBOs, and one large square lattice
- `linalg`: products of matrices, and sums, with the same bits everywhere
- `random`: interlaced Mersenne twisters for `numpy.random.Generator`
- `isa`: which instruction sets run

Functions read numpy arrays where they lie, with any strides, and release the interpreter lock while they work.
The environment variable HOTLOOPS_ISA caps the instruction set of every kernel. The results stay the same.

Wrong arguments raise ValueError or TypeError with the name of the argument.
"""

import importlib

from . import bits, clifford, correlation, exp, fingerprints, hardround, isa, linalg, random
from ._hotloops import __version__

__all__ = ["bits", "clifford", "correlation", "exp", "fingerprints", "hardround", "isa", "ising", "linalg", "random"]


def __getattr__(name):
    # It imports dimod, if that is installed, which takes longer than all the others.
    if name == "ising":
        return importlib.import_module(".ising", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__})
