"""Every array argument of every function, in every layout and byte order: the result of a plain copy, or a refusal
that names the argument. Functions come from `test_arguments`."""

import re

import numpy as np
import pytest
from hotloops import bits, clifford, correlation, fingerprints, ising, linalg
from test_arguments import FUNCTIONS, call, value_of


def flat(result):
    """The numbers of a result, as bytes."""
    if isinstance(result, (tuple, list)):
        return [flat(one) for one in result]
    if isinstance(result, correlation.Correlation):
        return flat((result.edges, result.count, result.g))
    if isinstance(result, np.ndarray):
        return result.dtype.str, result.shape, result.tobytes()
    if isinstance(result, (fingerprints.Index, linalg.Repro)):
        return bytes(result)
    if isinstance(result, linalg.PackedB):
        return flat(linalg.matmul(np.eye(result.shape[0], dtype=result.dtype), result))
    if isinstance(result, ising.Worldlines):
        return flat(result.series(1.0, 0.5, 4)["energy"])
    if isinstance(result, clifford.Layer):
        return flat(result(np.ones((result_inputs(result), 5, 4))))
    return result


def result_inputs(layer):
    for inputs in range(9):
        try:
            layer(np.ones((inputs, 5, 4)))
            return inputs
        except ValueError:
            continue
    return 0


def spread(array, step):
    """The same elements with gaps, or backwards."""
    wide = np.zeros([size * abs(step) for size in array.shape], array.dtype)
    view = wide[tuple(slice(None, None, step) for _ in array.shape)]
    view[...] = array
    return view


def unaligned(array):
    memory = np.zeros(array.nbytes + 1, np.uint8)[1:]
    view = np.ndarray(array.shape, array.dtype, memory)
    view[...] = array
    return view


class Sub(np.ndarray):
    pass


LAYOUTS = {
    "columns": np.asfortranarray,
    "gaps": lambda array: spread(array, 2),
    "backwards": lambda array: spread(array, -1),
    "transposed": lambda array: np.ascontiguousarray(array.T).T,
    "broadcast": lambda array: np.broadcast_to(array, array.shape),
    "unaligned": unaligned,
    "swapped": lambda array: array.astype(array.dtype.newbyteorder("S")),
    "swapped and unaligned": lambda array: unaligned(array.astype(array.dtype.newbyteorder("S"))),
    "subclass": lambda array: array.view(Sub),
}

ARGUMENTS = [
    (name, parameter.name)
    for name, _, params in FUNCTIONS
    for parameter in params
    if isinstance(value_of(f"{name}.{parameter.name}"), np.ndarray)
]


def same_or_refused(name, parameter, value, expected):
    try:
        result = call(name, **{parameter: value})
    except (TypeError, ValueError) as error:
        assert re.search(rf"\b{parameter}\b", str(error)), error
        return "refused"
    assert flat(result) == expected
    return "right"


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name, parameter", ARGUMENTS)
def test_layouts(name, parameter, layout):
    valid = value_of(f"{name}.{parameter}")
    answer = same_or_refused(name, parameter, LAYOUTS[layout](valid), flat(call(name)))
    may_refuse = {"swapped", "swapped and unaligned"}
    if parameter == "out":
        may_refuse |= {"unaligned", "broadcast"}
    assert answer == "right" or layout in may_refuse or valid.dtype.itemsize == 1


DTYPES = [np.dtype(kind).newbyteorder(order) for kind in "?bBhHiIlLqQefdFD" for order in "<>"]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name, parameter", ARGUMENTS)
@pytest.mark.filterwarnings("ignore::numpy.ComplexWarning" if hasattr(np, "ComplexWarning") else "default")
def test_types(name, parameter, dtype):
    """An array of another type gives the result of its values in the type of the machine, or is refused."""
    value = np.ones(value_of(f"{name}.{parameter}").shape, dtype)
    try:
        expected = flat(call(name, **{parameter: value.astype(dtype.newbyteorder("="))}))
    except (TypeError, ValueError):
        expected = "refused"
    same_or_refused(name, parameter, value, expected)


@pytest.mark.parametrize("name, parameter", ARGUMENTS)
def test_lists_of_numbers_outside_of_the_type(name, parameter):
    """Lists of integers that the type of the argument cannot have are refused by name."""
    valid = value_of(f"{name}.{parameter}")
    if valid.dtype.kind not in "iu":
        return
    limits = np.iinfo(valid.dtype)
    for value in (limits.max + 1, limits.min - 1):
        numbers = valid.astype(object)
        numbers.flat[0] = value
        with pytest.raises((TypeError, ValueError), match=rf"\b{parameter}\b"):
            call(name, **{parameter: numbers.tolist()})


@pytest.mark.parametrize("name, parameter", ARGUMENTS)
def test_without_elements_and_axes(name, parameter):
    """Arrays without elements or without axes have a result or are refused by name."""
    valid = value_of(f"{name}.{parameter}")
    for value in (np.zeros(0, valid.dtype), valid[:0], valid[..., :0], np.zeros((), valid.dtype)):
        try:
            call(name, **{parameter: value})
        except (TypeError, ValueError) as error:
            assert re.search(rf"\b{parameter}\b", str(error)), (value.shape, error)


@pytest.mark.parametrize("dtype", [">u2", ">i4", ">f8"])
def test_swapped_bits_are_refused(dtype):
    for function in (bits.count_positions, bits.bitslice):
        with pytest.raises(TypeError, match="array: expected the byte order of this machine"):
            function(np.arange(5).astype(dtype))
    with pytest.raises(TypeError, match="dtype"):
        bits.bitunslice(bits.bitslice(np.zeros(5, np.dtype(dtype).newbyteorder("="))), dtype, 5)
