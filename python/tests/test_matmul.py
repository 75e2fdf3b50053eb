"""Stacks, complex matrices, epilogues, packed matrices and symmetric products of `linalg`, bit for bit."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hotloops import isa, linalg

RNG = np.random.default_rng(7)
REAL = [np.float32, np.float64]
COMPLEX = [np.complex64, np.complex128]


def numbers(shape, dtype=np.float64):
    values = RNG.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * RNG.standard_normal(shape)
    return np.asarray(values).astype(dtype)


def skip_if_slow(*sizes):
    """Products of more than a block are the same code for every instruction set."""
    if isa.active() in ("scalar", "sse2") and math.prod(sizes) > 1 << 24:
        pytest.skip("fused multiply-adds are emulated")


def same(found, expected):
    return found.dtype == expected.dtype and found.shape == expected.shape and found.tobytes() == expected.tobytes()


def by_items(a, b, **options):
    """The product of stacks, matrix by matrix."""
    x, y = (a[None] if a.ndim == 1 else a), (b[:, None] if b.ndim == 1 else b)
    leading = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    x, y = np.broadcast_to(x, leading + x.shape[-2:]), np.broadcast_to(y, leading + y.shape[-2:])
    result = np.empty(leading + (x.shape[-2], y.shape[-1]), a.dtype)
    for index in np.ndindex(leading):
        result[index] = linalg.matmul(x[index], y[index], **options)
    return result.reshape(np.matmul(a, b).shape)


STACKS = [
    ((3, 4, 5), (3, 5, 2)), ((3, 4, 5), (5, 2)), ((4, 5), (3, 5, 2)), ((2, 1, 4, 5), (3, 5, 2)), ((5,), (3, 5, 2)),
    ((3, 4, 5), (5,)), ((2, 3, 1, 5), (5, 40)), ((7, 1, 1, 1), (1, 1)), ((0, 4, 5), (5, 2)), ((3, 0, 5), (3, 5, 2)),
    ((3, 4, 0), (0, 2)), ((3, 4, 5), (1, 5, 0)), ((2, 3, 1, 4, 5), (2, 1, 6, 5, 2)), ((1, 4, 5), (1, 5, 2)),
    ((2, 0, 4, 5), (2, 1, 5, 3)), ((9, 33, 65), (9, 65, 34)),
]


@pytest.mark.parametrize("dtype", REAL + COMPLEX)
@pytest.mark.parametrize("a, b", STACKS)
def test_stacks_have_the_bits_of_their_matrices(a, b, dtype):
    a, b = numbers(a, dtype), numbers(b, dtype)
    for order in ("strict", "fast"):
        product = linalg.matmul(a, b, order=order)
        assert same(product, by_items(a, b, order=order))
    assert np.allclose(product, np.matmul(a, b), rtol=1e-4, atol=1e-4)
    out = np.full((*product.shape, 3), 7, dtype)[..., 1]
    assert linalg.matmul(a, b, out, order="fast") is out and same(out.copy(), product)


@pytest.mark.parametrize("dtype", REAL + COMPLEX)
def test_stacks_in_every_layout(dtype):
    a, b = numbers((4, 6, 10), dtype), numbers((10, 8), dtype)
    stack = numbers((4, 10, 8), dtype)
    views = [a[::-1], a[:, ::-1], a[..., ::-1], a[::2, ::2], a[1:1], a.swapaxes(0, 1), np.asfortranarray(a),
             np.broadcast_to(a[0], (5, 6, 10)), a[:, None], a[:, :1], np.broadcast_to(a[:, :1], (4, 6, 10))]
    for view in views:
        view.flags.writeable = False
        assert same(linalg.matmul(view, b), by_items(view.copy(), b))
    for view in (stack[::-1], stack[..., ::-1, ::-1], np.asfortranarray(stack)):
        assert same(linalg.matmul(a, view), by_items(a, view.copy()))
        assert same(linalg.matmul(a[0], view), by_items(a[0], view.copy()))
    packed = np.zeros(4 * 6 * 10, [("x", "u1"), ("y", dtype)])["y"].reshape(4, 6, 10)
    packed[...] = a
    assert same(linalg.matmul(packed, b), linalg.matmul(a, b))


@pytest.mark.parametrize("order", ["C", "F", "axes"])
def test_stacks_into_out(order):
    a, b = numbers((4, 6, 10)), numbers((10, 8))
    out = np.ones((6, 8, 4)).transpose(2, 0, 1) if order == "axes" else np.ones((4, 6, 8), order=order)
    expected = by_items(a, b, alpha=2.0) + 0.5
    assert linalg.matmul(a, b, out, alpha=2.0, beta=0.5) is out
    assert np.allclose(out, expected, rtol=1e-13, atol=1e-13)
    with pytest.raises(ValueError, match="out: its elements overlap"):
        linalg.matmul(a, b, np.lib.stride_tricks.as_strided(np.zeros(99), (4, 6, 8), (8, 64, 8)))
    with pytest.raises(ValueError, match="out: overlaps a"):
        linalg.matmul(a, np.eye(10), a)


def chain(x, y):
    """A chain of fused multiply-adds from +0, by exact fractions."""
    total = 0.0
    for p, q in zip(x.tolist(), y.tolist()):
        exact = Fraction(p) * Fraction(q) + Fraction(total)
        total = exact.numerator / exact.denominator if exact else 0.0
    return total


def test_complex_bits_are_those_of_four_chains():
    a, b = numbers((5, 23), complex), numbers((23, 4), complex)
    product = linalg.matmul(a, b)
    for i in range(5):
        for j in range(4):
            x, y = a[i], b[:, j]
            assert product[i, j].real == chain(x.real, y.real) - chain(x.imag, y.imag)
            assert product[i, j].imag == chain(x.real, y.imag) + chain(x.imag, y.real)


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("shape", [(1, 1, 1), (40, 70, 30), (300, 700, 400), (3, 5000, 2), (1100, 3, 1200)])
def test_complex_matrices_are_real_ones(shape, dtype):
    m, k, n = shape
    skip_if_slow(m, k, n)
    a, b = numbers((m, k), dtype), numbers((k, n), dtype)
    product = linalg.matmul(a, b)
    re = linalg.matmul(a.real, b.real) - linalg.matmul(a.imag, b.imag)
    im = linalg.matmul(a.real, b.imag) + linalg.matmul(a.imag, b.real)
    assert product.dtype == dtype and (product.real == re).all() and (product.imag == im).all()
    out = np.ones((n, m), dtype).T
    assert same(linalg.matmul(a[::-1], b, out).copy(), product[::-1].copy())


def test_complex_scalars_vectors_and_lists():
    # Products of small integers are exact.
    assert linalg.matmul([[1, 2j]], [[3j], [4]]).tolist() == [[11j]]
    product = linalg.matmul(np.complex64([1, 2j]), np.complex64([3, 1j]))
    assert type(product) is np.complex64 and product == 1
    assert same(linalg.matmul(np.ones((2, 0), complex), np.ones((0, 3), complex)), np.zeros((2, 3), complex))


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("shape", [(1, 1, 1), (4, 7, 9), (0, 3, 2), (3, 0, 2), (70, 90, 110), (900, 700, 800)])
def test_bias_begins_the_chains(shape, dtype):
    m, k, n = shape
    skip_if_slow(m, k, n)
    a, b = numbers((m, k), dtype), numbers((k, n), dtype)
    packed = linalg.PackedB(b)
    for bias in (numbers(n, dtype), numbers((1, n), dtype), numbers((m, 1), dtype)):
        expected = np.broadcast_to(bias, (m, n)).copy()
        linalg.matmul(a, b, expected, beta=1.0)
        assert same(linalg.matmul(a, b, bias=bias), expected)
        assert same(linalg.matmul(a, packed, bias=bias), expected)
        relu = np.where(expected < 0, dtype(0), expected)
        assert same(linalg.matmul(a, b, bias=bias, activation="relu"), relu)
        assert same(linalg.matmul(a, packed, bias=bias, activation="relu"), relu)
        backwards = bias[..., ::-1]
        assert same(linalg.matmul(a, b, bias=backwards), linalg.matmul(a, b, bias=backwards.copy()))
    product = linalg.matmul(a, b)
    assert same(linalg.matmul(a, b, activation="relu"), np.where(product < 0, dtype(0), product))


def test_bias_of_stacks_and_vectors():
    a, b = numbers((3, 4, 5)), numbers((5, 2))
    for bias in (numbers(2), numbers((4, 1))):
        assert same(linalg.matmul(a, b, bias=bias), by_items(a, b, bias=bias))
    product = linalg.matmul(a[0], b[:, 0], bias=[1, 2, 3, 4], activation="relu")
    assert same(product, linalg.matmul(a[0], b[:, :1], bias=[[1], [2], [3], [4]], activation="relu")[:, 0])
    assert same(linalg.matmul(a[0, 0], b, bias=[1, 2]), linalg.matmul(a[0, :1], b, bias=[1, 2])[0])
    assert linalg.matmul([1.0], [2.0], bias=[3.0]) == 5.0


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("k, n", [(5, 7), (0, 3), (3, 0), (300, 200), (1500, 900)])
def test_packed_matrices_have_the_bits_of_others(k, n, dtype):
    skip_if_slow(250, k, n)
    b = numbers((k, n), dtype)
    packed = [linalg.PackedB(one) for one in (b, np.asfortranarray(b), np.repeat(b, 2, 1)[:, ::2])]
    assert packed[0].shape == (k, n) and packed[0].dtype == dtype
    for a in (numbers((1, k), dtype), numbers(k, dtype), numbers((37, k), dtype), numbers((250, k), dtype)[::-1],
              numbers((4, 3, k), dtype), numbers((3, 4, k), dtype).swapaxes(0, 1)):
        expected = linalg.matmul(a, b)
        assert all(same(linalg.matmul(a, one), expected) for one in packed)
        out = expected.copy()
        assert linalg.matmul(a, packed[0], out, alpha=0.5, beta=2.0) is out
        assert same(out, linalg.matmul(a, b, expected, alpha=0.5, beta=2.0))


def test_packed_matrices_are_copies():
    b = numbers((5, 6))
    packed, product = linalg.PackedB(b), linalg.matmul(np.eye(5), b)
    b[:] = 0
    assert same(linalg.matmul(np.eye(5), packed), product)


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("n, k", [(0, 3), (3, 0), (1, 1), (13, 7), (300, 70), (1200, 300), (64, 70_000)])
def test_syrk(n, k, dtype):
    skip_if_slow(n, n, k)
    a = numbers((n, k), dtype)
    for alpha in (1.0, 0.3):
        expected = linalg.matmul(a, a.T, alpha=alpha)
        lower, upper = np.tril(expected), np.triu(expected)
        assert same(linalg.syrk(a, alpha=alpha, triangle="lower"), lower)
        assert same(linalg.syrk(a, alpha=alpha, triangle="upper"), upper)
        assert same(linalg.syrk(a, alpha=alpha), lower + np.tril(lower, -1).T)
    assert same(linalg.syrk(np.asfortranarray(a)[::-1, ::-1]), linalg.syrk(a[::-1, ::-1].copy()))


FUNCTIONS = ["sum", "asum", "sum2", "kahan", "sum_repro"]


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_sums_along_axes(name, dtype):
    function, x = getattr(linalg, name), numbers((5, 6, 70), dtype)
    truth = np.abs(x) if name == "asum" else x
    for axis in (0, 1, 2, -1, (0, 2), (2, 0), (), (0, 1, 2), (-1,)):
        for view in (x, x[::-1, ::2], np.asfortranarray(x), x.transpose(2, 0, 1), x[:0], x[..., :0]):
            for keepdims in (False, True):
                expected = np.sum(np.abs(view) if name == "asum" else view, axis, keepdims=keepdims)
                found = function(view, axis=axis, keepdims=keepdims)
                assert type(found) is type(expected) and found.dtype == dtype and found.shape == expected.shape
                assert np.allclose(found, expected, rtol=1e-4, atol=1e-4)
    # Each sum has the bits of its elements alone.
    columns = function(x, axis=1)
    assert all(columns[i, j] == dtype(function(x[i, :, j])) for i in range(5) for j in range(70))
    assert function(x, (0, 1, 2)) == dtype(function(x)) == function(x, keepdims=True)[0, 0, 0]
    assert math.isclose(function(truth), float(truth.sum()), rel_tol=1e-3, abs_tol=1e-3)


def test_sums_of_long_rows():
    x = np.ones((3, 1 << 22), np.float32)
    x[1] = 0.5
    for name in FUNCTIONS:
        assert getattr(linalg, name)(x, axis=1).tolist() == [1 << 22, 1 << 21, 1 << 22]
    assert (linalg.sum(x, axis=0) == 2.5).all()


@pytest.mark.parametrize(
    "error, message, call",
    [
        (ValueError, "axis: is 2, but x has 2 axes", lambda a: linalg.sum(a, 2)),
        (ValueError, "axis: is -3, but x has 2 axes", lambda a: linalg.kahan(a, axis=-3)),
        (ValueError, "axis: is 0, but x has 0 axes", lambda a: linalg.sum2(1.0, axis=0)),
        (ValueError, "axis: has axis 1 twice", lambda a: linalg.sum_repro(a, axis=(1, -1))),
        (TypeError, "axis: expected an integer, a tuple of integers or None, found list", lambda a: linalg.sum(a, [0])),
        (TypeError, "axis: expected an integer, found float", lambda a: linalg.sum(a, (0.5,))),
        (TypeError, "keepdims", lambda a: linalg.sum(a, 0, 1)),
        (ValueError, "a, b: leading axes [2] and [3]", lambda a: linalg.matmul(numbers((2, 3, 4)), numbers((3, 4, 5)))),
        (ValueError, "a: expected at least 1 axis, found 0", lambda a: linalg.matmul(np.float64(3), a)),
        (ValueError, "b: expected at least 1 axis, found 0", lambda a: linalg.matmul(a, 3)),
        (TypeError, "b: is a masked array", lambda a: linalg.matmul(a, np.ma.masked_array(a.T))),
        (TypeError, "a: is a masked array", lambda a: linalg.matmul(np.ma.masked_array(a.astype(complex)), a.T)),
        (TypeError, "x: is a masked array", lambda a: linalg.asum(np.ma.masked_array(a), axis=0)),
        (TypeError, "a: is a masked array", lambda a: linalg.syrk(np.ma.masked_array(a))),
        (TypeError, "b: is a masked array", lambda a: linalg.PackedB(np.ma.masked_array(a))),
        (TypeError, "bias: is a masked array", lambda a: linalg.matmul(a, a.T, bias=np.ma.masked_array([1.0] * 3))),
        (TypeError, "a: expected float32, float64, complex64 or complex128, found float16",
         lambda a: linalg.matmul(a.astype(np.float16), a.T)),
        (TypeError, "b: expected float32, float64, complex64 or complex128, found int32",
         lambda a: linalg.matmul(a, a.T.astype(np.int32))),
        (TypeError, "a, b, out: expected the same type", lambda a: linalg.matmul(a, a.T + 0j)),
        (ValueError, "alpha: expected 1 for complex", lambda a: linalg.matmul(a + 0j, a.T + 0j, alpha=2)),
        (ValueError, "beta: expected 0 for complex",
         lambda a: linalg.matmul(a + 0j, a.T + 0j, np.ones((3, 3), complex), beta=2)),
        (ValueError, "bias: is for real", lambda a: linalg.matmul(a + 0j, a.T + 0j, bias=[1, 2, 3])),
        (ValueError, "activation: is for real", lambda a: linalg.matmul(a + 0j, a.T + 0j, activation="relu")),
        (ValueError, "beta, bias: ", lambda a: linalg.matmul(a, a.T, np.ones((3, 3)), beta=1, bias=[1, 2, 3])),
        (ValueError, "beta, activation: ",
         lambda a: linalg.matmul(a, a.T, np.ones((3, 3)), beta=1, activation="relu")),
        (ValueError, "bias: expected shape (3,), one for each column, or (3, 1), one for each row; found [4]",
         lambda a: linalg.matmul(a, a.T, bias=[1, 2, 3, 4])),
        (TypeError, "bias: expected float64, found float32",
         lambda a: linalg.matmul(a, a.T, bias=np.zeros(3, np.float32))),
        (ValueError, "out: overlaps bias", lambda a: (lambda c: linalg.matmul(a, a.T, c, bias=c[0]))(np.ones((3, 3)))),
        (ValueError, "activation: \"gelu\" is none of", lambda a: linalg.matmul(a, a.T, activation="gelu")),
        (ValueError, "b: expected 4 rows", lambda a: linalg.matmul(a, linalg.PackedB(a))),
        (TypeError, "the type of the packed b", lambda a: linalg.matmul(a.astype(np.float32), linalg.PackedB(a.T))),
        (ValueError, "b: expected 2 axes, found 1", lambda a: linalg.PackedB(a[0])),
        (TypeError, "b: expected float32 or float64, found complex128", lambda a: linalg.PackedB(a + 0j)),
        (ValueError, "a: expected 2 axes, found 3", lambda a: linalg.syrk(a[None])),
        (TypeError, "a: expected float32 or float64, found complex128", lambda a: linalg.syrk(a + 0j)),
        (ValueError, "triangle: \"left\" is none of lower, upper", lambda a: linalg.syrk(a, triangle="left")),
    ],
)
def test_errors_name_the_argument(error, message, call):
    with pytest.raises(error, match=re.escape(message)):
        call(np.ones((3, 4)))
