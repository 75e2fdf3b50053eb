import copy
import itertools
import multiprocessing
import pathlib
import pickle
import runpy

import numpy as np
import pytest
from hotloops import clifford

rng = np.random.default_rng(5)
SIGNATURES = [(-1,), (1, 1), (0, 1), (1, 1, 1), (-1, 0, 1), (0, 1, 1, 1), (1, -1, -1, -1), (1, 1, 1, 1)]


def numbers(*shape, dtype=np.float64):
    """Small integers: their products and sums are exact."""
    return rng.integers(-3, 4, shape).astype(dtype)


def table(squares):
    """1 or -1 at [p, q, j] where blade p times blade q is +-blade j, by swaps of neighbouring generators."""
    n = len(squares)
    blades = [blade for grade in range(n + 1) for blade in itertools.combinations(range(n), grade)]
    signs = np.zeros((len(blades),) * 3)
    for (p, first), (q, second) in itertools.product(enumerate(blades), repeat=2):
        word, sign = list(first + second), 1
        while any(a >= b for a, b in zip(word, word[1:])):
            at = next(i for i in range(len(word) - 1) if word[i] >= word[i + 1])
            if word[at] == word[at + 1]:
                sign *= squares[word[at]]
                del word[at : at + 2]
            else:
                sign, word[at], word[at + 1] = -sign, word[at + 1], word[at]
        signs[p, q, blades.index(tuple(word))] = sign
    return signs, blades


def reverse(squares):
    _, blades = table(squares)
    return np.array([(-1.0) ** (len(blade) * (len(blade) - 1) // 2) for blade in blades])


@pytest.mark.parametrize("squares", SIGNATURES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_by_the_defining_relations(squares, dtype):
    signs, blades = table(squares)
    n = len(blades)
    x, y = numbers(7, n, dtype=dtype), numbers(7, n, dtype=dtype)
    expected = np.einsum("ip,iq,pqj->ij", x, y, signs)
    found = clifford.product(x, y, squares)
    assert found.dtype == dtype and (found == expected).all()
    rotated = np.einsum("ip,iq,pqj->ij", expected, reverse(squares) * x, signs)
    assert (clifford.sandwich(x, y, squares) == rotated).all()
    assert clifford.blades(squares) == ["e" + "".join(str(i + 1) for i in blade) if blade else "1" for blade in blades]


@pytest.mark.parametrize("squares", SIGNATURES)
def test_weighted_products_and_norms(squares):
    signs, blades = table(squares)
    n, paths, grades = len(blades), clifford.paths(squares), np.array([len(blade) for blade in blades])
    weights, x, y = numbers(len(paths), 3), numbers(5, 3, n), numbers(5, 3, n)
    expected = np.zeros((5, 3, n))
    for weight, (of_x, of_z, of_y) in zip(weights, paths):
        part = np.einsum("bcp,bcq,pqj->bcj", x * (grades == of_x), y * (grades == of_y), signs) * (grades == of_z)
        expected += weight[:, None] * part
    assert (clifford.weighted_product(weights, x, y, squares) == expected).all()
    squared = np.einsum("bcp,bcp,pp->bcp", x, reverse(squares) * x, signs[:, :, 0])
    norms = np.stack([(squared * (grades == grade)).sum(-1) for grade in range(len(squares) + 1)], -1)
    assert (clifford.grade_norms(x, squares) == norms).all()


def test_axes_are_broadcast():
    rotor, x = numbers(4), numbers(6, 5, 4)
    assert (clifford.sandwich(rotor, x, (1, 1)) == clifford.sandwich(np.broadcast_to(rotor, x.shape), x, (1, 1))).all()


def linear(x, weights, bias, squares):
    return np.einsum("...ip,qoi,pqj->...oj", x, weights, table(squares)[0]) + bias.T


@pytest.mark.parametrize("squares", SIGNATURES)
@pytest.mark.parametrize("mode", ["exact", "fast", "auto"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_linear_layers(squares, mode, dtype):
    n, inputs, outputs = 2 ** len(squares), 5, 3
    weights, bias = numbers(n, outputs, inputs, dtype=dtype), numbers(n, outputs, dtype=dtype)
    layer = clifford.Layer(squares, weights, bias, mode=mode)
    x, gy = numbers(2, 11, inputs, n, dtype=dtype), numbers(2, 11, outputs, n, dtype=dtype)
    y = layer(x)
    assert y.dtype == dtype and (y == linear(x, weights, bias, squares)).all()
    assert (clifford.Layer(squares, weights, mode=mode)(x[0, 0]) == linear(x[0, 0], weights, 0 * bias, squares)).all()
    check_gradients(layer, x, gy, weights, bias, lambda x, w, b: linear(x, w, b, squares))


def check_gradients(layer, x, gy, weights, bias, function):
    """The layer is linear in each of its arguments, so a gradient gives the change for any change."""
    zero = np.zeros_like
    gx, (gw, gbias) = layer.backward(gy), layer.gradients(x, gy)
    dx, dw, db = numbers(*x.shape), numbers(*weights.shape), numbers(*bias.shape)
    assert gx.shape == x.shape and gw.shape == weights.shape and gbias.shape == bias.shape
    assert (gx * dx).sum() == (gy * function(dx, weights, zero(bias))).sum()
    assert (gw * dw).sum() == (gy * function(x, dw, zero(bias))).sum()
    assert (gbias * db).sum() == (gy * function(zero(x), weights, db)).sum()


def convolution(x, weights, bias, squares, stride, padding, dilation):
    kernel = weights.shape[3:]
    d = len(kernel)
    x = np.pad(x, [(0, 0), (0, 0), *[(p, p) for p in padding], (0, 0)])
    size = [(x.shape[2 + i] - (kernel[i] - 1) * dilation[i] - 1) // stride[i] + 1 for i in range(d)]
    y = np.zeros((len(x), weights.shape[1], *size, x.shape[-1]))
    for tap in itertools.product(*map(range, kernel)):
        begins = [t * step for t, step in zip(tap, dilation)]
        part = x[(slice(None), slice(None), *[
            slice(begins[i], begins[i] + (size[i] - 1) * stride[i] + 1, stride[i]) for i in range(d)])]
        y += np.einsum("bi...p,qoi,pqj->bo...j", part, weights[(..., *tap)], table(squares)[0])
    return y + bias.T.reshape(-1, *[1] * d, x.shape[-1])


@pytest.mark.parametrize("mode", ["exact", "fast"])
@pytest.mark.parametrize(
    "squares, size, kernel, stride, padding, dilation",
    [
        ((1, 1), (9,), (3,), (2,), (1,), (1,)),
        ((1, 1), (6, 7), (3, 3), (1, 1), (1, 1), (1, 1)),
        ((-1, 0), (8, 7), (3, 2), (2, 1), (0, 2), (1, 2)),
        ((1, 1, 1), (4, 5, 3), (2, 3, 3), (1, 2, 1), (0, 1, 1), (2, 1, 1)),
    ],
)
def test_convolutions(mode, squares, size, kernel, stride, padding, dilation):
    n = 2 ** len(squares)
    weights, bias, x = numbers(n, 2, 3, *kernel), numbers(n, 2), numbers(2, 3, *size, n)
    window = stride, padding, dilation
    layer = clifford.Layer(squares, weights, bias, stride=stride, padding=padding, dilation=dilation, mode=mode)
    expected = convolution(x, weights, bias, squares, *window)
    assert (layer(x) == expected).all()
    gy = numbers(*expected.shape)
    gx = layer.backward(gy, size)
    dx, dw = numbers(*x.shape), numbers(*weights.shape)
    assert (gx * dx).sum() == (gy * convolution(dx, weights, 0 * bias, squares, *window)).sum()
    gw, gbias = layer.gradients(x, gy)
    assert (gw * dw).sum() == (gy * convolution(x, dw, 0 * bias, squares, *window)).sum()
    assert (gbias.T == gy.sum((0, *range(2, gy.ndim - 1)))).all()


def test_one_number_for_all_dimensions_and_the_smallest_size():
    weights, x = numbers(4, 2, 2, 3, 3), numbers(1, 2, 7, 9, 4)
    both = [clifford.Layer((1, 1), weights, stride=s, padding=p) for s, p in [(2, 1), ((2, 2), [1, 1])]]
    assert (both[0](x) == both[1](x)).all()
    assert both[0].backward(numbers(1, 2, 4, 5, 4)).shape == x.shape


@pytest.mark.parametrize("shape, x", [((8, 32, 32), (360, 32, 8)), ((8, 8, 8, 3, 3), (10, 8, 8, 8, 8))])
@pytest.mark.parametrize("mode", ["exact", "fast"])
def test_threads_change_no_bit(shape, x, mode):
    weights, x = rng.standard_normal(shape), rng.standard_normal(x)
    layer = clifford.Layer((1, 1, 1), weights, mode=mode)
    results = [layer(x, threads=threads).tobytes() for threads in (1, 2, 3, None)]
    assert results.count(results[0]) == 4
    gradients = [layer.backward(x, threads=threads).tobytes() for threads in (1, 3)] if x.ndim == 3 else [1, 1]
    assert gradients[0] == gradients[1]


def test_errors_are_bounded():
    weights = rng.standard_normal((8, 16, 16)).astype(np.float32)
    x = rng.standard_normal((20, 16, 8)).astype(np.float32)
    lengths = np.linalg.norm(x, axis=-1).astype(float) @ np.linalg.norm(weights, axis=0).T.astype(float)
    exact = linear(x.astype(float), weights.astype(float), np.zeros((8, 16)), (1, 1, 1))
    for mode in "exact", "fast":
        layer = clifford.Layer((1, 1, 1), weights, mode=mode)
        assert layer.mode == mode and layer.error_factor < 1e-4
        error = abs(layer(x) - exact).max(-1)
        assert 0 < error.max() and (error <= layer.error_factor * lengths).all()


def gate(x, squares, kind, weights, bias):
    logistic = lambda a: 1 / (1 + np.exp(-a))
    if kind == "sum":
        return x * logistic(x.sum(-1, keepdims=True))
    if kind == "mean":
        return x * logistic(x.mean(-1, keepdims=True))
    if kind == "linear":
        return x * logistic((x * weights).sum(-1, keepdims=True) + bias[:, None])
    if kind == "gelu":
        u = x[..., :1]
        return x * u * (1 + np.tanh((2 / np.pi) ** 0.5 * (u + 0.044715 * u**3))) / 2
    norms = clifford.grade_norms(x, squares)
    norms[..., 0] = x[..., 0]
    grades = [len(blade) for blade in table(squares)[1]]
    return x * logistic(norms * weights + bias)[..., grades]


@pytest.mark.parametrize("kind", ["linear", "sum", "mean", "gelu", "silu"])
@pytest.mark.parametrize("squares", [(-1,), (1, 1), (0, 1, 1, 1)])
def test_activations(kind, squares):
    n, grades = 2 ** len(squares), len(squares) + 1
    shapes = {"linear": ((3, n), (3,)), "silu": ((3, grades), (3, grades))}.get(kind)
    weights, bias = (rng.standard_normal(shape) for shape in shapes) if shapes else (None, None)
    x, gz = rng.standard_normal((4, 3, n)), rng.standard_normal((4, 3, n))
    z = clifford.activation(x, squares, kind, weights, bias)
    assert np.allclose(z, gate(x, squares, kind, weights, bias), rtol=1e-12, atol=1e-14)
    single = [None if a is None else a.astype(np.float32) for a in (x, weights, bias)]
    assert np.allclose(clifford.activation(single[0], squares, kind, *single[1:]), z, rtol=1e-4, atol=1e-5)
    gx, *others = clifford.activation_backward(x, gz, squares, kind, weights, bias)
    for argument, gradient in zip((x, weights, bias), (gx, *others)):
        assert (gradient is None) == (argument is None)
        if argument is not None:
            direction, h = rng.standard_normal(argument.shape), 1e-6
            ends = []
            for step in h, -h:
                moved = [a + step * direction if a is argument else a for a in (x, weights, bias)]
                ends.append((gz * clifford.activation(moved[0], squares, kind, *moved[1:])).sum())
            assert np.isclose((gradient * direction).sum(), (ends[0] - ends[1]) / (2 * h), rtol=1e-6, atol=1e-7)


def test_layers_of_cliffordlayers():
    torch = pytest.importorskip("torch")
    layers = pytest.importorskip("cliffordlayers.nn.modules.cliffordlinear")
    peer = layers.CliffordLinear([1, 1], 6, 5)
    weights, bias = peer.weight.detach().numpy(), peer.bias.detach().numpy()
    x = rng.standard_normal((7, 6, 4)).astype(np.float32)
    found = clifford.Layer((1, 1), weights, bias.reshape(4, 5))(x)
    assert np.allclose(found, peer(torch.from_numpy(x)).detach().numpy(), rtol=1e-4, atol=1e-5)


def test_the_example_in_torch_learns():
    pytest.importorskip("torch")
    example = pathlib.Path(__file__).parents[2] / "examples/python/clifford_torch.py"
    assert runpy.run_path(str(example))["main"]() < 1e-6


def test_strided_arrays():
    x, weights = numbers(3, 10, 4)[::-1, ::2], numbers(4, 3, 5)
    assert (clifford.Layer((1, 1), weights)(x) == clifford.Layer((1, 1), weights.copy("F"))(x.copy())).all()
    assert (clifford.product(x, x, (1, 1)) == clifford.product(x.copy(), x.copy(), (1, 1))).all()


def test_empty_batches():
    layer = clifford.Layer((1, 1), numbers(4, 3, 5))
    assert layer(np.zeros((0, 5, 4))).shape == (0, 3, 4)
    assert clifford.product(np.zeros((0, 4)), np.zeros((0, 4)), (1, 1)).shape == (0, 4)


layer = clifford.Layer((1, 1), np.zeros((4, 3, 5)))
conv = clifford.Layer((1, 1), np.zeros((4, 3, 5, 3)))
x = np.zeros((2, 4))


@pytest.mark.parametrize(
    "error, message, call",
    [
        (ValueError, "squares", lambda: clifford.product(x, x, (1, 2))),
        (ValueError, "squares", lambda: clifford.blades((1,) * 5)),
        (ValueError, r"x: expected shape \(.., 4\)", lambda: clifford.product(np.zeros((2, 8)), x, (1, 1))),
        (ValueError, "x, y: ", lambda: clifford.product(np.zeros((3, 4)), x, (1, 1))),
        (TypeError, "x, y: some are float32", lambda: clifford.product(x.astype(np.float32), x, (1, 1))),
        (TypeError, "x: expected float32 or float64, found int64", lambda: clifford.product(x.astype(int), x, (1, 1))),
        (ValueError, "weights: expected shape", lambda: clifford.weighted_product(x, x, x, (1, 1))),
        (ValueError, r"weights: expected shape \(4, outputs", lambda: clifford.Layer((1, 1), np.zeros((8, 3, 5)))),
        (ValueError, r"weights: expected shape \(4, outputs",
         lambda: clifford.Layer((1, 1), np.zeros((4,) + (1,) * 6))),
        (ValueError, "inputs", lambda: clifford.Layer((1, 1), np.zeros((4, 3, 0)))),
        (ValueError, r"bias: expected shape \(4, 3\)",
         lambda: clifford.Layer((1, 1), np.zeros((4, 3, 5)), np.zeros((3, 4)))),
        (ValueError, "mode", lambda: clifford.Layer((1, 1), np.zeros((4, 3, 5)), mode="quick")),
        (ValueError, "stride: the weights have no axes", lambda: clifford.Layer((1, 1), np.zeros((4, 3, 5)), stride=1)),
        (ValueError, "padding: expected 1 numbers",
         lambda: clifford.Layer((1, 1), np.zeros((4, 3, 5, 3)), padding=(1, 1))),
        (ValueError, "stride", lambda: clifford.Layer((1, 1), np.zeros((4, 3, 5, 3)), stride=0)),
        (TypeError, "dilation", lambda: clifford.Layer((1, 1), np.zeros((4, 3, 5, 3)), dilation="wide")),
        (ValueError, r"x: expected shape \(.., 5, 4\)", lambda: layer(np.zeros((2, 3, 4)))),
        (ValueError, r"x: expected shape \(.., 5, size, 4\)", lambda: conv(np.zeros((5, 4)))),
        (ValueError, "x: inputs of", lambda: conv(np.zeros((5, 2, 4)))),
        (TypeError, "x: expected float64", lambda: layer(np.zeros((2, 5, 4), np.float32))),
        (ValueError, "threads", lambda: layer(np.zeros((2, 5, 4)), threads=0)),
        (ValueError, "gy: inputs of", lambda: conv.backward(np.zeros((3, 6, 4)), (9,))),
        (ValueError, "size: expected 1 numbers", lambda: conv.backward(np.zeros((3, 6, 4)), (9, 9))),
        (ValueError, "gy: expected shape", lambda: layer.gradients(np.zeros((2, 5, 4)), np.zeros((3, 3, 4)))),
        (ValueError, "gate", lambda: clifford.activation(x, (1, 1), "relu")),
        (ValueError, "weights, bias: gate \"sum\" has none", lambda: clifford.activation(x, (1, 1), "sum", x, x)),
        (ValueError, "weights: gate \"linear\" needs", lambda: clifford.activation(x, (1, 1), "linear")),
        (ValueError, "bias: is None", lambda: clifford.activation(x, (1, 1), "linear", x)),
        (ValueError, "bias: expected shape", lambda: clifford.activation(x, (1, 1), "linear", x, x)),
        (ValueError, r"x: expected shape \(.., 3, 4\)",
         lambda: clifford.activation(x, (1, 1), "linear", np.zeros((3, 4)), np.zeros(3))),
        (ValueError, "gz: expected shape", lambda: clifford.activation_backward(x, x[:1], (1, 1))),
    ],
)
def test_errors_name_the_argument(error, message, call):
    with pytest.raises(error, match=message):
        call()


LAYERS = {
    "linear": ((2, 3), {}),
    "exact": ((2, 3), {"mode": "exact"}),
    "fast": ((40, 40), {"mode": "fast"}),
    "one dimension": ((2, 3, 4), {"stride": 2}),
    "two dimensions": ((2, 3, 3, 2), {"padding": (1, 2), "dilation": (2, 1), "mode": "fast"}),
    "three dimensions": ((2, 3, 2, 2, 2), {"stride": (1, 2, 3), "padding": 1}),
}


def made(name, dtype, bias):
    shape, options = LAYERS[name]
    values = np.random.default_rng(8)
    weights = values.standard_normal((4, *shape)).astype(dtype)
    layer = clifford.Layer((1, -1), weights, values.standard_normal((4, shape[0])).astype(dtype) if bias else None,
                           **options)
    x = values.standard_normal((2, shape[1], *(7 for _ in shape[2:]), 4)).astype(dtype)
    return layer, x


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_is_pickled_and_copied(name, dtype, bias):
    layer, x = made(name, dtype, bias)
    y = layer(x)
    size = x.shape[2:-1] or None
    expected = [y, layer.backward(y, size), *layer.gradients(x, y)]
    others = [pickle.loads(pickle.dumps(layer, protocol)) for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)]
    for other in [*others, copy.deepcopy(layer), copy.copy(layer)]:
        assert type(other) is clifford.Layer
        assert (other.mode, other.error_factor) == (layer.mode, layer.error_factor)
        found = [other(x), other.backward(y, size), *other.gradients(x, y)]
        assert all(one.dtype == two.dtype and (one == two).all() for one, two in zip(found, expected))


def test_a_layer_is_sent_to_new_processes():
    layer, x = made("two dimensions", np.float32, True)
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        found = pool.map(layer, [x, x[:1]])
        assert pool.apply(layer.backward, (found[0], x.shape[2:-1])).shape == x.shape
    assert (found[0] == layer(x)).all() and (found[1] == layer(x[:1])).all()
