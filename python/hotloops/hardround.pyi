from collections.abc import Callable
from typing import Any, Literal

from numpy.typing import NDArray

def functions() -> list[str]: ...
def search(
    function: str,
    lo: float,
    hi: float,
    *,
    bits: float | None = None,
    within: float | None = None,
    modes: Literal["all", "nearest", "directed"] = "all",
    format: Literal["binary64", "binary32", "binary16", "bfloat16"] = "binary64",
    progress: Callable[[int, int], object] | None = None,
    threads: int | None = None,
    device: int | Literal["cpu", "auto", "all"] = "cpu",
) -> NDArray[Any]: ...
