import math
import pickle
import re

import numpy as np
import pytest
from hotloops import isa, linalg

rng = np.random.default_rng(1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(0, 3, 4), (1, 1, 1), (5, 0, 3), (37, 53, 29), (200, 130, 170)])
def test_matmul_agrees_with_numpy(dtype, shape):
    m, k, n = shape
    a, b = rng.standard_normal((m, k)).astype(dtype), rng.standard_normal((k, n)).astype(dtype)
    product = linalg.matmul(a, b)
    assert product.dtype == dtype and product.shape == (m, n)
    exact = a.astype(np.longdouble) @ b.astype(np.longdouble)
    bound = (k + 1) * np.finfo(dtype).eps * (np.abs(a).astype(np.longdouble) @ np.abs(b))
    assert (np.abs(product - exact) <= bound).all()


def test_matmul_reads_strided_arrays_where_they_lie():
    a, b = rng.standard_normal((60, 80)), rng.standard_normal((90, 80))
    for x, y in ((a[::2], b[::3].T), (a[::-1], b[:, ::-1].T), (np.asfortranarray(a), b.T)):
        x.flags.writeable = False
        expected = linalg.matmul(np.ascontiguousarray(x), np.ascontiguousarray(y))
        assert (linalg.matmul(x, y) == expected).all()
    odd = np.zeros(7 * 8 * 8 + 1, dtype=np.uint8)[1:].view([("x", "<f8")])["x"].reshape(7, 8)
    assert (linalg.matmul(odd, odd.T) == 0).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_vectors_as_in_numpy(dtype):
    # Products of small integers are exact.
    a, b = (rng.integers(-9, 9, shape).astype(dtype) for shape in ((5, 7), (7, 6)))
    for x, y in ((a, b), (a[2], b), (a, b[:, 3]), (a[::2], b[::-1, 1]), (a[0, ::-1], b[:, 0]), (a[0, :0], b[:0, 0])):
        expected, product = np.matmul(x, y), linalg.matmul(x, y)
        assert type(product) is type(expected) and product.dtype == dtype and np.array_equal(product, expected)
        out = np.full(np.shape(expected) + (2,), 9, dtype)[..., 0]
        assert linalg.matmul(x, y, out) is out and np.array_equal(out, expected)


def test_out_may_be_interleaved_with_an_input():
    both = rng.standard_normal((6, 12))
    a, out = both[:, ::2], both[:, 1::2]
    expected = linalg.matmul(a.copy(), np.eye(6))
    before = a.copy()
    linalg.matmul(a, np.eye(6), out)
    assert np.array_equal(out, expected) and np.array_equal(a, before)
    with pytest.raises(ValueError, match="out: overlaps a"):
        linalg.matmul(both[:, :6], np.eye(6), both[:, ::2])


def test_out_alpha_beta():
    a, b, c = rng.standard_normal((9, 4)), rng.standard_normal((4, 7)), rng.standard_normal((9, 7))
    out = np.zeros((9, 14))[:, ::2]
    out[:] = c
    assert linalg.matmul(a, b, out, alpha=2.0, beta=-1.0) is out
    assert np.allclose(out, 2 * a @ b - c)
    # Without terms, a sum is 0, whatever `out` held before.
    out[:] = np.nan
    assert (linalg.matmul(a[:, :0], b[:0], out) == 0).all() and not np.signbit(out).any()


@pytest.mark.parametrize(
    "error, message, call",
    [
        (ValueError, "b: expected 4 rows", lambda a: linalg.matmul(a, a)),
        (ValueError, "b: expected 4 rows, as many as a has elements; found 3", lambda a: linalg.matmul(a[0], a)),
        (ValueError, "b: expected 4 elements, as many as a has columns", lambda a: linalg.matmul(a, a[:, 0])),
        (ValueError, "b: expected 4 rows", lambda a: linalg.matmul(a[None], a)),
        (ValueError, "out: expected shape (3)", lambda a: linalg.matmul(a, a[0], np.zeros((3, 1)))),
        (ValueError, "out: expected shape ()", lambda a: linalg.matmul(a[0], a[0], np.zeros(1))),
        (TypeError, "float32", lambda a: linalg.matmul(a, a.T.astype(np.float32))),
        (TypeError, "a: expected float32, float64, complex64 or complex128, found int64",
         lambda a: linalg.matmul(a.astype(int), a.T)),
        (ValueError, "out: expected shape", lambda a: linalg.matmul(a, a.T, np.zeros((2, 2)))),
        (ValueError, "out: overlaps a", lambda a: linalg.matmul(a[:, :3], np.eye(3), a[:, :3])),
        (ValueError, "out: its elements overlap", lambda a: linalg.matmul(a, a.T, tricked())),
        (ValueError, "out: is read-only", lambda a: linalg.matmul(a, a.T, read_only())),
        (ValueError, "beta", lambda a: linalg.matmul(a, a.T, beta=1.0)),
        (ValueError, "order", lambda a: linalg.matmul(a, a.T, order="loose")),
        (ValueError, "x, y: expected arrays of one shape", lambda a: linalg.dot([1.0], [1.0, 2.0])),
        (TypeError, "x, y", lambda a: linalg.dot([1.0], np.ones(1, np.float32))),
        (TypeError, "x: ", lambda a: linalg.sum("text")),
    ],
)
def test_errors_name_the_argument(error, message, call):
    with pytest.raises(error, match=re.escape(message)):
        call(np.ones((3, 4)))


def tricked():
    array = np.lib.stride_tricks.as_strided(np.zeros(9), (3, 3), (8, 8))
    return array


def read_only():
    array = np.zeros((3, 3))
    array.flags.writeable = False
    return array


def test_sums_against_fsum():
    x = rng.standard_normal(10_001) * 10.0 ** rng.integers(-8, 8, 10_001)
    y = rng.standard_normal(10_001)
    exact = math.fsum(x)
    assert linalg.sum2(x) == exact
    for value in (linalg.sum(x), linalg.kahan(x), linalg.sum_repro(x)):
        assert math.isclose(value, exact, rel_tol=1e-10)
    assert math.isclose(linalg.dot2(x, y), float(np.dot(x.astype(np.longdouble), y)), rel_tol=1e-15)
    assert linalg.sum(x[::-3]) == linalg.sum(x[::-3].copy())
    single = x.astype(np.float32)
    assert linalg.sum(single) == np.float32(linalg.sum(single))


def test_repro_is_independent_of_order_and_parts():
    x = rng.standard_normal(5000) * 10.0 ** rng.integers(-30, 30, 5000)
    whole = linalg.sum_repro(x)
    assert all(linalg.sum_repro(rng.permutation(x)) == whole for _ in range(5))
    sums = [linalg.Repro() for _ in range(3)]
    for part, total in zip(np.array_split(x, 3), sums):
        total.extend(part)
    saved = pickle.loads(pickle.dumps(sums[2]))
    assert saved == sums[2] and linalg.Repro(bytes(saved)) == saved
    saved.merge(sums[0])
    saved.merge(sums[1])
    assert float(saved) == whole
    with pytest.raises(ValueError):
        linalg.Repro(b"nonsense")


def test_the_same_bits_on_every_instruction_set():
    a, b, x = rng.standard_normal((33, 65)), rng.standard_normal((65, 40)), rng.standard_normal(999)
    before = isa.active()
    results = {}
    try:
        for word in isa.usable():
            isa.set(word)
            product = linalg.matmul(a, b).tobytes()
            results[word] = (product, linalg.sum(x), linalg.dot(x, x), linalg.dot2(x, x), linalg.sum_repro(x))
    finally:
        isa.set(before)
    reference = results["scalar"]
    for word, result in results.items():
        assert result == reference, word
