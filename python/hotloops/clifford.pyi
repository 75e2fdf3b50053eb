from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

_Array = NDArray[np.floating[Any]]
_Gate = Literal["linear", "sum", "mean", "gelu", "silu"]

class Layer:
    def __init__(
        self,
        squares: Sequence[int],
        weights: ArrayLike,
        bias: ArrayLike | None = None,
        *,
        stride: int | Sequence[int] | None = None,
        padding: int | Sequence[int] | None = None,
        dilation: int | Sequence[int] | None = None,
        mode: Literal["exact", "fast", "auto"] = "auto",
    ) -> None: ...
    @property
    def mode(self) -> Literal["exact", "fast"]: ...
    @property
    def error_factor(self) -> float: ...
    def __call__(self, x: ArrayLike, *, threads: int | None = None) -> _Array: ...
    def backward(self, gy: ArrayLike, size: Sequence[int] | None = None, *, threads: int | None = None) -> _Array: ...
    def gradients(self, x: ArrayLike, gy: ArrayLike) -> tuple[_Array, _Array]: ...

def activation(
    x: ArrayLike,
    squares: Sequence[int],
    gate: _Gate = "sum",
    weights: ArrayLike | None = None,
    bias: ArrayLike | None = None,
) -> _Array: ...
def activation_backward(
    x: ArrayLike,
    gz: ArrayLike,
    squares: Sequence[int],
    gate: _Gate = "sum",
    weights: ArrayLike | None = None,
    bias: ArrayLike | None = None,
) -> tuple[_Array, _Array | None, _Array | None]: ...
def blades(squares: Sequence[int]) -> list[str]: ...
def grade_norms(x: ArrayLike, squares: Sequence[int]) -> _Array: ...
def paths(squares: Sequence[int]) -> list[tuple[int, int, int]]: ...
def product(x: ArrayLike, y: ArrayLike, squares: Sequence[int]) -> _Array: ...
def sandwich(r: ArrayLike, x: ArrayLike, squares: Sequence[int]) -> _Array: ...
def weighted_product(weights: ArrayLike, x: ArrayLike, y: ArrayLike, squares: Sequence[int]) -> _Array: ...
