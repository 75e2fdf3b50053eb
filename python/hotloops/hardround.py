"""Hard-to-round cases of elementary functions: arguments whose results are very close to a rounding breakpoint."""

import numpy as np

from ._hotloops import arguments as _arguments
from ._hotloops import hardround as _native

_CASE = np.dtype([("x", "f8"), ("nearest", "f8"), ("distance_ulp", "f8"), ("bits", "f8"), ("exact", "?")])


def functions():
    """The names of the functions that can be searched.

    >>> from hotloops import hardround
    >>> "exp" in hardround.functions()
    True
    """
    return _native.functions()


def search(function, lo, hi, *, bits=None, within=None, modes="all", format="binary64", progress=None, threads=None,
           device="cpu"):
    """All hard cases of `function` among the numbers of `format` from `lo` on and below `hi`.

    A case is an argument x with f(x) closer to a breakpoint than `within` ulps of f(x), or than 2^-(bits + 1) ulps:
    `bits` identical bits after the rounding bit. Give one of the two. `modes` names the rounding modes whose
    breakpoints count: "all", "nearest" (midpoints) or "directed" (numbers of the format). `progress` is called as
    progress(done, total). Returns a structured array, ascending in x: `x`, `nearest` (f(x) rounded to nearest),
    `distance_ulp` (f(x) minus the breakpoint), `bits` (identical bits after the rounding bit, with a fraction) and
    `exact` (f(x) is the breakpoint). Of a run of more than 65,536 cases, the first and the last are returned.

    `bits` is from 4 to 58 (3 to 57 unless `modes` is "all"); `format` is "binary64", "binary32", "binary16" or
    "bfloat16"; `threads` is 1 to 4096, or None for one for each core. More than 2,097,152 expected cases are refused.
    As in the command, a second algorithm searches some blocks again.
    `device` is "cpu", or where OpenCL devices make the first tests instead, with the same result: the number of a
    device, "all", or "auto" for all GPUs, or the CPU with a warning if there is none.
    Raises: ValueError or TypeError with the name of a wrong argument; RuntimeError if the algorithms differ, or a
    device fails; MemoryError; KeyboardInterrupt; whatever `progress` raises.

    >>> from hotloops import hardround
    >>> cases = hardround.search("exp", 1.0, 1.0 + 2**-20, bits=24)
    >>> bool((cases["bits"] >= 24).all()), len(cases) > 0
    (True, True)
    """
    if (bits is None) == (within is None):
        raise ValueError("bits and within: give one of them")
    by_bits = within is None
    if by_bits:
        bits = _arguments.real("bits", bits)
        if not 0 < bits < 1000:
            raise ValueError(f"bits: is {bits}, expected a number above 0 and below 1000")
        within = 2.0 ** -(bits + 1)
    within = _arguments.real("within", within)
    lo, hi = _arguments.real("lo", lo), _arguments.real("hi", hi)
    if progress is not None and not callable(progress):
        raise TypeError(f"progress: expected a function, found {type(progress).__name__}")
    try:
        numbers, exact, _ = _native.cases(function, lo, hi, within, modes, format, progress, threads, device)
    except ValueError as error:
        if by_bits and str(error).startswith("within"):
            raise ValueError(f"bits: {error}") from None
        raise
    cases = np.empty(len(exact), _CASE)
    for name, values in zip(_CASE.names, (*numbers, exact)):
        cases[name] = values
    return cases


__all__ = ["functions", "search"]
