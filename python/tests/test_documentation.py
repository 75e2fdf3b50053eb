"""The examples of the docstrings, and the stubs."""

import ast
import doctest
import pathlib
import re

import hotloops
import pytest
from test_arguments import FUNCTIONS, documentation

MODULES = [getattr(hotloops, name) for name in hotloops.__all__]


def examples():
    for module in MODULES:
        yield module.__name__, module
        for name in module.__all__:
            member = getattr(module, name)
            yield f"{module.__name__}.{name}", member
            if isinstance(member, type):
                for key, value in vars(member).items():
                    if not key.startswith("_") and getattr(value, "__doc__", None):
                        yield f"{module.__name__}.{name}.{key}", value


@pytest.mark.parametrize("name, member", list(examples()), ids=lambda value: value if isinstance(value, str) else "")
def test_docstring(name, member):
    assert member.__doc__, f"{name} has no docstring"
    assert "\n--\n" not in member.__doc__, f"{name}: its signature stands in its docstring"
    test = doctest.DocTestParser().get_doctest(member.__doc__, {}, name, None, None)
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(test)
    assert runner.failures == 0


@pytest.mark.parametrize("name, params", [(name, params) for name, _, params in FUNCTIONS])
def test_docstring_names_parameters_and_errors(name, params):
    text = documentation(name)
    if "options as for `sample`" in text:
        text += documentation(name.rpartition(".")[0] + ".sample")
    if not name.endswith(".__call__"):
        for parameter in params:
            assert re.search(rf"\b{parameter.name}\b", text), f"{name}: {parameter.name} is not in the docstring"
    assert not params or re.search(r"^ *Raises: .*Error", text, re.MULTILINE), f"{name}: the docstring names no error"


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_stub_has_every_name(module):
    stub = pathlib.Path(module.__file__).with_suffix(".pyi")
    tree = ast.parse(stub.read_text())
    names = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    assert names == set(module.__all__)


def test_version_is_that_of_the_crate():
    manifest = (pathlib.Path(__file__).parents[2] / "Cargo.toml").read_text()
    assert f'\nversion = "{hotloops.__version__}"\n' in manifest
