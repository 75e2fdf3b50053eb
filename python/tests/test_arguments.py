"""Every wrong argument of every public function raises ValueError or TypeError with the name of the argument.

Functions and parameters come from the package itself. A new parameter needs a valid value in `VALUES` of
`argument_values`.
"""

import ast
import collections
import dataclasses
import fnmatch
import inspect
import math
import pathlib
import pickle
import re

import hotloops
import numpy as np
import pytest
from argument_values import POINTS, ROWS, VALID, VALUES, WEIGHTS
from hotloops import bits, clifford, correlation, fingerprints, hardround, isa, ising, linalg
from hotloops.random import BitGenerator

INSTANCES = {
    "clifford.Layer": lambda: clifford.Layer((1, 1), WEIGHTS),
    "correlation.Correlation": lambda: correlation.rdf(POINTS, (0, 4, 0.5), (10, 10)),
    "fingerprints.Index": lambda: fingerprints.Index(ROWS),
    "ising.PathIntegral": ising.PathIntegral,
    "ising.Sampler": ising.Sampler,
    "ising.SquareLattice": lambda: ising.SquareLattice(4, 6),
    "ising.Worldlines": lambda: ising.Worldlines(np.array([[0, 1], [1, 2]]), np.ones(2), np.zeros(3), 64),
    "linalg.Repro": linalg.Repro,
    "random.BitGenerator": lambda: BitGenerator(1),
}

# The `**options` of a class's methods; others are those of matplotlib.
OPTIONS = {f"ising.{one.__name__}": one.parameters for one in (ising.PathIntegral, ising.Sampler)}


def stub_signature(module, names):
    """The parameters of a method without a signature of its own, from the stub."""
    node = ast.parse(pathlib.Path(module.__file__).with_suffix(".pyi").read_text())
    for name in names:
        node = next(one for one in node.body if getattr(one, "name", None) == name)
    keyword = zip(node.args.kwonlyargs, node.args.kw_defaults)
    plain = node.args.args[1:]
    defaults = [None] * (len(plain) - len(node.args.defaults)) + node.args.defaults
    kinds = inspect.Parameter
    return [
        kinds(one.arg, kind, default=kinds.empty if default is None else ast.literal_eval(default))
        for kind, pairs in ((kinds.POSITIONAL_OR_KEYWORD, zip(plain, defaults)), (kinds.KEYWORD_ONLY, keyword))
        for one, default in pairs
    ]


def parameters(module, names, function):
    """The parameters of a function, without `self`."""
    found = [one for one in inspect.signature(function).parameters.values() if one.name != "self"]
    if [one.kind.name for one in found] == ["VAR_POSITIONAL", "VAR_KEYWORD"]:
        found = stub_signature(module, names)
    if any(one.kind.name == "VAR_KEYWORD" for one in found):
        owner = module.__name__.removeprefix("hotloops.") + "." + names[0]
        keyword = inspect.Parameter.KEYWORD_ONLY
        found += [inspect.Parameter(name, keyword, default=None) for name in OPTIONS.get(owner, ())]
    return [one for one in found if one.kind.name != "VAR_KEYWORD"]


def functions():
    """The name, a function of an instance that calls it, and the parameters of each public function and method."""
    for module_name in hotloops.__all__:
        module = getattr(hotloops, module_name)
        for name in getattr(module, "__all__", ()):
            member = getattr(module, name)
            if not isinstance(member, type):
                yield f"{module_name}.{name}", lambda _, member=member: member, parameters(module, [name], member)
                continue
            if not dataclasses.is_dataclass(member):
                yield f"{module_name}.{name}", lambda _, member=member: member, parameters(module, [name], member)
            for key, value in vars(member).items():
                is_method = callable(value) or isinstance(value, (staticmethod, classmethod))
                if is_method and (key == "__call__" or not key.startswith("_")):
                    bound = getattr(member, key)
                    take = lambda instance, key=key: getattr(instance, key)  # noqa: E731
                    yield f"{module_name}.{name}.{key}", take, parameters(module, [name, key], bound)


FUNCTIONS = list(functions())


def documentation(name):
    """The docstring of a function. Calls of an object are described by its class."""
    module, *names = name.removesuffix(".__call__").split(".")
    member = getattr(hotloops, module)
    for one in names:
        member = getattr(member, one)
    return inspect.getdoc(member)


def value_of(path):
    for pattern, value in VALUES.items():
        if fnmatch.fnmatchcase(path, pattern):
            return value.copy() if isinstance(value, np.ndarray) else value
    raise LookupError(f"{path}: give a valid value in VALUES")


def instance_of(name):
    owner = ".".join(name.split(".")[:2])
    return INSTANCES[owner]() if owner in INSTANCES and name.count(".") == 2 else None


def wrong_values(valid):
    """Arguments that are wrong in place of `valid`: their kind and value."""
    yield "None", None
    yield "text", "x"
    yield "negative", -1
    yield "nan", math.nan
    yield "inf", math.inf
    yield "huge", 2**70
    yield "object", object()
    yield "ragged", [[1.0, 2.0], [3.0]]
    yield "complex number", np.complex64(1 + 1j)
    yield "complex", np.array([1j, 2.0])
    yield "masked number", np.ma.masked
    yield "masked", np.ma.masked_array([1.0, 2.0], [False, True])
    if isinstance(valid, (tuple, list)) and valid:
        yield "masked list", np.ma.masked_array(valid, [True] + [False] * (len(valid) - 1))
        yield "list with a text", ["x", *valid[1:]]
        yield "list with nan", [math.nan, *valid[1:]]
        yield "list with None", [None, *valid[1:]]
        yield "list with a negative", [-2, *valid[1:]]
        yield "list with a huge one", [2**70, *valid[1:]]
        yield "longer list", [*valid, *valid, *valid]
    if isinstance(valid, np.ndarray):
        yield "shape", np.stack([valid] * 7)
        yield "shape of less", valid[..., :1].copy()
        yield "texts", valid.astype("U8")
        yield "dates", np.zeros(valid.shape, "datetime64[s]")
        yield "records", np.zeros(valid.shape, [("a", "f4"), ("b", "f4")])
        yield "objects", valid.astype(object)
        yield "complexes", valid.astype(complex)
        yield "halves", valid.astype(np.float16)
        yield "masked array", np.ma.masked_array(valid, np.arange(valid.size).reshape(valid.shape) == 0)
        yield "list of masked arrays", [np.ma.masked_array(one, True) for one in np.atleast_2d(valid)]
        yield "list with None", [None] * max(1, len(valid))
        read_only = valid.copy()
        read_only.flags.writeable = False
        yield "read-only", read_only


def cases():
    for name, take, params in FUNCTIONS:
        for parameter in params:
            try:
                valid = value_of(f"{name}.{parameter.name}")
            except LookupError:
                continue
            for kind, value in wrong_values(valid):
                if kind == "read-only" and parameter.name != "out":
                    continue
                if value is None and parameter.default is None:
                    continue
                yield name, parameter.name, kind, value


CASES = list(cases())
USED = set()


def call(name, **changed):
    _, take, params = next(one for one in FUNCTIONS if one[0] == name)
    keywords = {one.name: value_of(f"{name}.{one.name}") for one in params} | changed
    positional = [keywords.pop(one.name) for one in params if one.kind.name == "POSITIONAL_ONLY"]
    return take(instance_of(name))(*positional, **keywords)


def reason(name, parameter, kind):
    """Why an argument is valid by design, or None."""
    path = f"{name}.{parameter}"
    return next((key for key in VALID if fnmatch.fnmatchcase(path, key[0]) and fnmatch.fnmatchcase(kind, key[1])), None)


def judge(name, parameter, kind, value):
    """What is wrong with the answer to an argument, or None."""
    try:
        result = call(name, **{parameter: value})
    except (ValueError, TypeError) as error:
        if not any(base.__name__ in documentation(name) for base in type(error).__mro__[:-2]):
            return f"not in the docstring: {type(error).__name__}: {error}"
        if re.search(rf"\b{parameter}\b", str(error)):
            return None
        return f"unnamed: {type(error).__name__}: {error}"
    except BaseException as error:
        return f"wrong exception: {type(error).__name__}: {error}"
    key = reason(name, parameter, kind)
    USED.add(key)
    return None if key else f"accepted: {str(result)[:60]!r}"


@pytest.mark.parametrize("name, take, params", FUNCTIONS, ids=[one[0] for one in FUNCTIONS])
def test_valid_arguments(name, take, params):
    for parameter in params:
        value_of(f"{name}.{parameter.name}")
    call(name)


@pytest.mark.parametrize("name", [one[0] for one in FUNCTIONS])
@pytest.mark.filterwarnings("ignore")
def test_wrong_arguments(name):
    found = [(p, kind, judge(n, p, kind, value)) for n, p, kind, value in CASES if n == name]
    assert not [f"{p}={kind}: {why}" for p, kind, why in found if why]


@pytest.mark.filterwarnings("ignore")
def test_every_exception_is_used():
    for name, parameter, kind, value in CASES:
        if reason(name, parameter, kind):
            judge(name, parameter, kind, value)
    assert set(VALID) <= USED


def main():
    """Prints what is wrong, and counts."""
    counts = collections.Counter()
    for name, parameter, kind, value in CASES:
        why = judge(name, parameter, kind, value)
        counts[why.split(":")[0] if why else "right"] += 1
        if why:
            print(f"{name}({parameter}={kind}): {why}")
    print(f"{len(FUNCTIONS)} functions, {len(CASES)} wrong arguments: {dict(counts)}")


if __name__ == "__main__":
    main()


@pytest.mark.parametrize("name, options", [
    ("padding", {"padding": 1 << 62}), ("padding", {"padding": (0, 1 << 57)}), ("padding", {"padding": (1 << 64) - 1}),
    ("dilation", {"dilation": 1 << 62}), ("dilation", {"dilation": (1, 1 << 57)}),
])
def test_large_windows_are_named(name, options):
    with pytest.raises(ValueError, match=f"^{name}: "):
        clifford.Layer((1, 1), np.zeros((4, 2, 3, 3, 3)), **options)


@pytest.mark.parametrize("taps", [6, 3000])
def test_large_kernels_are_named(taps):
    with pytest.raises(ValueError, match="^weights, dilation: "):
        clifford.Layer((1, 1), np.zeros((4, 1, 1, taps)), dilation=1 << 54)
    with pytest.raises(ValueError, match="^x: inputs of .9. points"):
        clifford.Layer((1, 1), np.zeros((4, 1, 1, 3)), dilation=1 << 54)(np.zeros((1, 9, 4)))


def test_small_inputs_are_named():
    layer = clifford.Layer((1, 1), np.zeros((4, 2, 3, 3, 3)))
    for call in (layer, lambda x: layer.gradients(x, np.zeros((1, 2, 1, 6, 4)))):
        with pytest.raises(ValueError, match="^x: inputs of .*2, 8.* points"):
            call(np.zeros((1, 3, 2, 8, 4)))
    with pytest.raises(ValueError, match="^size: inputs of .*2, 8.* points"):
        layer.backward(np.zeros((1, 2, 1, 6, 4)), (2, 8))
    for shape in ((4, 0, 3), (4, 3, 0), (4, 3, 0, 3)):
        with pytest.raises(ValueError, match="^weights: "):
            clifford.Layer((1, 1), np.zeros(shape))


def test_a_stride_beyond_the_image():
    x, weights = np.random.default_rng(1).random((2, 3, 8, 8, 4)), np.random.default_rng(2).random((4, 2, 3, 3, 3))
    expected = clifford.Layer((1, 1), weights)(x[:, :, :3, :3])
    for stride in (8, 100, 1 << 32, 1 << 62, (1 << 64) - 1):
        layer = clifford.Layer((1, 1), weights, stride=stride)
        assert (layer(x) == expected).all()
        assert layer.backward(expected, (8, 8)).shape == x.shape
        if stride > 1 << 60:
            with pytest.raises(ValueError, match="gy|size"):
                layer.backward(np.zeros((1, 2, 3, 3, 4)))


def test_periods_may_be_an_iterator():
    points = np.random.default_rng(1).random((9, 2))
    assert len(correlation.rdf(points, (0, 1, 0.5), iter((2.0, 3.0))).g) == 2


def test_functions_are_pickled():
    for module in (bits, clifford, correlation, fingerprints, hardround, isa, linalg):
        for name in module.__all__:
            function = getattr(module, name)
            assert pickle.loads(pickle.dumps(function)) is function, name
