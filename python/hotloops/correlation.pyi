from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

@dataclass(frozen=True)
class Correlation:
    edges: NDArray[np.float64]
    count: NDArray[np.uint64]
    g: NDArray[np.float64]
    @property
    def r(self) -> NDArray[np.float64]: ...
    def plot(self, axes: Any = None, **options: Any) -> Any: ...

def g6(
    points: ArrayLike,
    orientations: ArrayLike,
    bins: ArrayLike,
    box: tuple[float, float] | None = None,
    *,
    fold: int = 6,
    threads: int | None = None,
) -> Correlation: ...
def rdf(points: ArrayLike, bins: ArrayLike, box: tuple[float, float], *, threads: int | None = None) -> Correlation: ...
def psi(
    points: ArrayLike,
    k: int = 6,
    box: tuple[float, float] | None = None,
    *,
    radius: float | None = None,
    fold: int | None = None,
) -> NDArray[np.complex128]: ...
def psi_of_bonds(
    points: ArrayLike,
    bonds: ArrayLike,
    box: tuple[float, float] | None = None,
    *,
    weights: ArrayLike | None = None,
    displacements: ArrayLike | None = None,
    fold: int = 6,
) -> NDArray[np.complex128]: ...
