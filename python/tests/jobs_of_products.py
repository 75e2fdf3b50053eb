"""Calls of `linalg` for `test_interruption`: products of stacks, complex ones, and others that may take long."""

from functools import partial

import numpy as np
from hotloops import linalg


def jobs_of_products(numbers):
    """Names, and functions that make a call. `numbers(*shape)` makes an array of float32."""
    yield "linalg.sum strided", lambda: partial(linalg.sum, np.ones(1 << 27, np.float32)[::2])
    for order in ("strict", "fast"):
        yield f"linalg.matmul vector {order}", lambda order=order: partial(
            linalg.matmul, numbers(1 << 9, 1 << 18), numbers(1 << 18), order=order)
        yield f"linalg.matmul row {order}", lambda order=order: partial(
            linalg.matmul, numbers(1 << 18), numbers(1 << 18, 1 << 9), order=order)
    yield "linalg.sum axis", lambda: partial(linalg.sum, np.ones((1 << 13, 1 << 13), np.float32), 0)
    yield "linalg.kahan axis", lambda: partial(linalg.kahan, np.ones((64, 1 << 20), np.float32), 1)
    yield "linalg.matmul stack", lambda: partial(linalg.matmul, numbers(1 << 20, 4, 4), numbers(1 << 20, 4, 4))
    yield "linalg.matmul large stack", lambda: partial(linalg.matmul, numbers(40, 1000, 1000), numbers(40, 1000, 1000))
    yield "linalg.matmul complex", lambda: partial(
        linalg.matmul, *[numbers(2000, 4000).view(np.complex64) for _ in range(2)])
    yield "linalg.matmul complex stack", lambda: partial(
        linalg.matmul, *[numbers(1 << 19, 4, 8).view(np.complex64) for _ in range(2)])
    yield "linalg.matmul bias", lambda: partial(
        linalg.matmul, *[numbers(3000, 3000)] * 2, bias=numbers(3000), activation="relu")
    yield "linalg.matmul packed", lambda: partial(
        linalg.matmul, numbers(3000, 4000), linalg.PackedB(numbers(4000, 4000)))
    yield "linalg.PackedB", lambda: partial(linalg.PackedB, numbers(1 << 13, 1 << 13))
    yield "linalg.syrk", lambda: partial(linalg.syrk, numbers(6000, 6000))
    yield "linalg.syrk long", lambda: partial(linalg.syrk, numbers(100, 1 << 20))
