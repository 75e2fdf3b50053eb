"""Positional counts of bits against numpy's own unpacking, for every width of integer."""

import numpy as np
from hotloops import bits

rng = np.random.default_rng(1)
for dtype in (np.uint8, np.uint16, np.uint32, np.uint64):
    for n in (0, 1, 63, 64, 1000):
        x = rng.integers(0, np.iinfo(dtype).max, n, dtype=dtype, endpoint=True)
        planes = np.unpackbits(x.view(np.uint8).reshape(n, x.itemsize), axis=1, bitorder="little")
        assert bits.count_positions(x).tolist() == planes.sum(axis=0).tolist(), (dtype, n)
print("count_positions: 20 arrays equal")
