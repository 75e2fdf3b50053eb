from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike, NDArray

_Layout = Literal["rows", "tiles"]

def bitslice(array: NDArray[Any], layout: _Layout = "rows") -> NDArray[np.uint8]: ...
def bitunslice(planes: NDArray[np.uint8], dtype: DTypeLike, n: int, layout: _Layout = "rows") -> NDArray[Any]: ...
def count_positions(array: NDArray[Any]) -> NDArray[np.uint64]: ...
