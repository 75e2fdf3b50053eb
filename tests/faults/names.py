"""The names of tests, read from their sources."""

import re

FOLDERS = {"hotloops": ".", "hotloops-model": "tests/model"}


def unnamed(root, package, tests):
    """The tests, each a program and filters, whose filters no function of the program matches. Names of `variants` are
    made by macros."""
    folder = FOLDERS.get(package, package.removeprefix("hotloops-"))
    lost = []
    for test in tests:
        program, *filters = test.split()
        if program == "python":
            found = re.findall(r"def (test_\w+)", (root / "python/tests" / filters[0]).read_text())
            filters = filters[2:]
        else:
            # The model is a library without a folder of its own.
            inside = {"lib": "src", "bin": "src"} if folder != "tests/model" else {"lib": "."}
            base = root / folder / inside.get(program, f"tests/{program}")
            single = base.with_suffix(".rs")
            files = [single] if single.exists() else base.rglob("*.rs")
            found = [name for file in files for name in paths(file, base)]
        filters = [name for name in filters if not name.startswith(("-", "variants::"))]
        lost += [test for name in filters if not any(name in path for path in found)]
    return lost


def paths(file, base):
    """The paths of the functions of a file, as a test program lists them; those of a module `tests` twice."""
    parts = file.relative_to(base.parent).with_suffix("").parts[1:]
    parts = [part for part in parts if part not in ("main", "mod", "lib")]
    functions = re.findall(r"fn (\w+)\(", file.read_text())
    return ["::".join([*parts, *inner, name]) for name in functions for inner in ([], ["tests"])]
