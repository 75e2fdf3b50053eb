from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

_Rows = NDArray[np.uint8]
_Found = tuple[NDArray[np.uint64], NDArray[np.float32]]

class Index:
    def __init__(self, fingerprints: _Rows, bits: int | None = None) -> None: ...
    @staticmethod
    def load(image: bytes) -> Index: ...
    def __bytes__(self) -> bytes: ...
    def __len__(self) -> int: ...
    @property
    def bits(self) -> int: ...
    # A pair for one query, a list of pairs for an array of queries.
    def search(
        self,
        query: _Rows,
        threshold: float | None = None,
        top: int | None = None,
        *,
        measure: Literal["tanimoto", "dice", "cosine", "hamming", "tversky", "containment"] = "tanimoto",
        alpha: float = 1.0,
        beta: float = 1.0,
        empty: float | None = None,
        threads: int | None = None,
        device: int | Literal["cpu", "auto", "all"] = "cpu",
    ) -> Any: ...

def similarity_matrix(
    a: _Rows,
    b: _Rows | None = None,
    *,
    measure: Literal["tanimoto", "dice", "cosine"] = "tanimoto",
    bits: int | None = None,
    empty: float = 0.0,
    threads: int | None = None,
) -> NDArray[np.float32]: ...
def tanimoto_matrix(
    a: _Rows, b: _Rows | None = None, *, bits: int | None = None, empty: float = 0.0, threads: int | None = None
) -> NDArray[np.float32]: ...
def hamming_matrix(
    a: _Rows, b: _Rows | None = None, *, bits: int | None = None, threads: int | None = None
) -> NDArray[np.uint32]: ...
def nearest(
    queries: _Rows,
    rows: _Rows,
    k: int = 1,
    *,
    bits: int | None = None,
    threads: int | None = None,
    device: int | Literal["cpu", "auto", "all"] = "cpu",
) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]: ...
def rows(fingerprints: Iterable[Any]) -> _Rows: ...
