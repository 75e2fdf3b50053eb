"""Products of matrices where other libraries were reported to fail.

After reports in trackers: a row alone equals that row of the whole (numpy 11419, pytorch 65919); mirrored and
interleaved arrays, as input and as `out` (numpy 29164); NaN beside the arrays does not leak in (OpenBLAS 171), and what
`out` holds before does not count (OpenBLAS 929); an infinity times 0 is NaN at any place (lapack 179).
"""

import numpy as np
from hotloops import isa, linalg

rng = np.random.default_rng(1)
views = [
    lambda a: a[::2, ::2],
    lambda a: a[1::2, 1::2],
    lambda a: a[::-2, ::-2],
    lambda a: a[::2, ::2].T[::-1].T,
    lambda a: np.asfortranarray(a[::2, ::2]),
    lambda a: a[::2, ::2].T.copy().T,
]
compared = 0
for word in isa.usable():
    isa.set(word)
    for dtype in (np.float32, np.float64):
        for n in (1, 2, 7, 16, 33, 70):
            base = rng.integers(-8, 9, (2, 2 * n, 2 * n)).astype(dtype)
            for left in views:
                for right in views:
                    a, b = left(base[0]), right(base[1])
                    expected = a @ b  # small integers: exact
                    assert (linalg.matmul(a, b) == expected).all(), (word, dtype, n)
                    surrounding = np.full((2 * n, 2 * n), np.nan, dtype)
                    out = surrounding[::-2, ::2]
                    linalg.matmul(a, b, out=out)
                    assert (out == expected).all() and np.isnan(surrounding).sum() == 3 * n * n, (word, dtype, n)
                    compared += 1
            a, b = (rng.standard_normal((n, n)).astype(dtype) for _ in range(2))
            whole = linalg.matmul(a, b)
            for i in range(n):
                assert (linalg.matmul(a[i], b) == whole[i]).all()
                assert (linalg.matmul(a[i : i + 2], b)[0] == whole[i]).all()
                assert (linalg.matmul(a, b[:, i]) == whole[:, i]).all()
            padded = np.full((3 * n, 3 * n), np.nan, dtype)
            inner = padded[n : 2 * n, n : 2 * n]
            inner[:] = a
            assert (linalg.matmul(inner, b) == whole).all() and (linalg.matmul(inner[0], b) == whole[0]).all()
            for place in range(n):
                zeros, ones = np.zeros((n, n), dtype), np.ones((n, n), dtype)
                ones[place, 0] = np.inf
                product = linalg.matmul(zeros, ones)
                assert np.isnan(product[:, 0]).all() and (product[:, 1:] == 0).all()
isa.set("auto")
print(f"{compared} products of views equal, under {', '.join(isa.usable())}")
