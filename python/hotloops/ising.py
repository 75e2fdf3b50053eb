"""Annealing of Ising problems and QUBOs, classical and quantum, as `dimod` samplers; one large square lattice, and
worldlines of the transverse-field Ising model."""

import functools
import sys
import time
import warnings

import numpy as np

from . import _path_integral
from ._hotloops import arguments as _arguments
from ._hotloops import ising as _native
from ._problem import (
    Samples,
    _ascending,  # noqa: F401
    _floats,
    _integer,
    _interrupt,
    _Problem,
    _reads,
    _results,
    _scaled,
    _seed,
    dimod,
)


class Sampler(dimod.Sampler if dimod else object):
    """Samples Ising problems and QUBOs by annealing, with exact acceptance where the biases are multiples of a quantum.

    If dimod is installed, it is a `dimod.Sampler`, and results are a `dimod.SampleSet`, otherwise
    `hotloops.ising.Samples`. Energies are those of dimod, sum h s + sum J s s and the offset. Samples are ordered by
    energy.

    >>> from hotloops import ising
    >>> result = ising.Sampler().sample_ising({"a": 0.5}, {("a", "b"): -1.0}, num_reads=10, seed=1)
    >>> float(result.first[1])
    -1.5
    """

    parameters = {
        "beta_range": [],
        "beta_schedule": [],
        "beta_schedule_type": ["beta_schedule_options"],
        "device": [],
        "initial_states": [],
        "initial_states_generator": [],
        "interrupt_function": [],
        "kind": ["kind_options"],
        "num_reads": [], "num_sweeps": [], "num_sweeps_per_beta": [],
        "proposal_acceptance_criteria": ["proposal_acceptance_criteria_options"],
        "randomize_order": [],
        "seed": [], "threads": [], "time_limit": [],
    }
    properties = {
        "beta_schedule_options": ("linear", "geometric", "custom"),
        "kind_options": (
            "auto", "bits", "dense", "f32-fast", "f32-poly", "fixed", "i16-exact", "i8-exact", "single"),
        "proposal_acceptance_criteria_options": ("Metropolis", "Gibbs"),
    }

    def sample_ising(self, h, J, **options):
        """Samples of the problem with biases `h` and couplings `J`; options as for `sample`.

        `h` is a dictionary or a sequence, `J` a dictionary of pairs. Biases of (u, v) and (v, u) are added; that of
        (u, u) is constant.
        Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
        """
        return _sampled(_Problem.of_ising(h, J), options)

    def sample_qubo(self, Q, **options):
        """Samples of the QUBO `Q`, a dictionary of pairs; options as for `sample`.

        The energy is sum Q[u, v] x_u x_v with x of 0 and 1. Biases of (u, v) and (v, u) are added.
        Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
        """
        return _sampled(_Problem.of_terms({}, Q, 0.0, "BINARY", ("Q", "Q")), options)

    def sample(self, bqm, **options):
        """Samples of `bqm`, a dimod binary quadratic model.

        Each of `num_reads` reads (1, or as many as there are initial states) makes `num_sweeps` sweeps (1000) from
        random spins, `num_sweeps_per_beta` (1) of them at each inverse temperature. These go in steps of
        `beta_schedule_type`, "geometric" or "linear", over `beta_range`, by default from where spins flip with
        probability 1/2 against the strongest field to where one excitation is left in the system in 100 reads. With
        "custom", `beta_schedule` has the inverse temperatures. `proposal_acceptance_criteria` is "Metropolis" or
        "Gibbs", by default the faster one at each temperature. `randomize_order` can only be False: a sweep visits
        each site once, in an order of its own.

        `initial_states` has the first spins: a dictionary, a list of them, an array with a column for each variable, or
        whatever dimod takes as samples. Of too few, `initial_states_generator` makes more: "random", "tile"
        (the same again), or "none" (an error). `interrupt_function` is called without arguments after some reads each;
        if it returns true, the reads made so far are the result. After `time_limit` seconds no more reads begin; some
        are always made.

        The samples depend on `seed` (an integer below 2^32, random if None), and not on `threads` (one for each core)
        or the CPU. With an `interrupt_function` or a `time_limit` they are others, as fewer reads share their random
        numbers. `info` has `beta_range`, `beta_schedule_type`, `seed` and `timing` in ns.
        `num_reads` is at least 1, `num_sweeps` at least 0, `num_sweeps_per_beta` at least 1, `beta_range` is
        (hot, cold) with 0 < hot <= cold, `time_limit` is above 0, and `threads` is 1 to 4096.
        `kind` is the arithmetic of the sweeps, with the words of the command's --kind: "auto", the fastest accurate one
        for the problem and the number of reads, or one of "bits", "dense", "f32-fast", "f32-poly", "fixed",
        "i16-exact", "i8-exact", "single", each with samples of its own; an error says why one cannot run a problem.
        `device` is "cpu", or where OpenCL devices sweep instead, with the same samples: the number of a device, "all",
        or "auto" for all GPUs, or the CPU with a warning if no device can do it: they sweep the kinds I8Exact and Bits,
        which are chosen for many reads where biases are small multiples of a number.
        Raises: ValueError or TypeError with the name of a wrong argument; RuntimeError if a device fails; MemoryError;
        KeyboardInterrupt.
        """
        return _sampled(_Problem.of_bqm(bqm), options)

    def may_trap(self, bqm, num_reads=1):
        """Whether sweeps with "Metropolis" may go round in circles on `bqm` and never reach some of its states.

        This happens on rings, and on separate parts of at most 16 variables, where couplings and field can cancel at
        every variable: all flips are then certain. `sample` warns of it if `proposal_acceptance_criteria` is
        "Metropolis"; "Gibbs" and the default are free of it. For some sizes and numbers of reads (`num_reads`, at
        least 1), arithmetic is used that is free of it, too.
        Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.

        >>> from types import SimpleNamespace
        >>> from hotloops import ising
        >>> ring = {(i, (i + 1) % 5): 1.0 for i in range(5)}
        >>> ising.Sampler().may_trap(SimpleNamespace(linear={}, quadratic=ring, offset=0.0, vartype="SPIN"))
        True
        """
        problem = _Problem.of_bqm(bqm)
        if num_reads is None:
            raise TypeError("num_reads: expected an integer, found None")
        reads = _integer("num_reads", num_reads, 1, (1 << 63) - 1)
        h, biases = problem.spins(problem.exponent())
        return _native.may_trap(problem.pairs, -biases, -h, reads)


def _sampled(problem, options):
    begin = time.perf_counter_ns()
    for name in options:
        if name not in Sampler.parameters:
            raise TypeError(f"{name}: unknown keyword; expected one of {', '.join(Sampler.parameters)}")
    initial, reads = _reads(problem, options)
    exponent = problem.exponent()
    h, biases = problem.spins(exponent)
    betas, per_beta, info = _betas(problem, (problem.pairs, biases, h), exponent, options)
    info["seed"] = seed = _seed(options)
    threads = options.get("threads")
    threads = None if threads is None else _arguments.count("threads", threads)
    kind = options.get("kind", "auto")
    if isinstance(kind, str) and kind == "worldline":
        raise ValueError("kind: worldline is of quantum systems; use PathIntegral or Worldlines")
    is_gibbs, interrupt = _is_gibbs(options), _interrupt(begin, options)
    warn = functools.partial(
        warnings.warn, "proposal_acceptance_criteria: 'Metropolis' may go round in circles on a ring or a small part "
        "of this problem, where all local fields can be 0; use 'Gibbs', or leave it out", stacklevel=3)
    ready = time.perf_counter_ns()
    spins = _native.anneal(
        problem.pairs, -biases, -h, reads, betas, seed, threads, initial, interrupt, is_gibbs, per_beta, warn,
        options.get("device", "cpu"), kind)
    sampled = time.perf_counter_ns()
    return _results(problem, spins, threads, info, (begin, ready, sampled))


def _is_gibbs(options):
    """Whether spin flips are accepted by the heat bath, or None for the faster rule."""
    order = options.get("randomize_order")
    if order is not None and not (isinstance(order, (bool, np.bool_)) and not order):
        raise ValueError("randomize_order: only False is possible, as a sweep visits each site once; where sweeps in "
                         "order get stuck, give proposal_acceptance_criteria='Gibbs'")
    rule = options.get("proposal_acceptance_criteria")
    if rule is None:
        return None
    if not isinstance(rule, str) or rule not in ("Metropolis", "Gibbs"):
        raise ValueError(f"proposal_acceptance_criteria: {rule!r} is none of 'Metropolis', 'Gibbs'")
    return rule == "Gibbs"


def _betas(problem, terms, exponent, options):
    """The inverse temperatures of the `terms` times 2^`exponent`, the sweeps at each, and what to tell of them."""
    kind = options.get("beta_schedule_type", "geometric")
    if not isinstance(kind, str):
        raise TypeError(f"beta_schedule_type: expected a word, found {type(kind).__name__}")
    schedule, limits = options.get("beta_schedule"), options.get("beta_range")
    sweeps = _integer("num_sweeps", options.get("num_sweeps"), 0, (1 << 63) - 1)
    per_beta = _integer("num_sweeps_per_beta", options.get("num_sweeps_per_beta", 1), 1, (1 << 63) - 1) or 1
    if kind == "custom":
        betas = _floats("beta_schedule", schedule)
        if sweeps is not None and sweeps != len(betas) * per_beta:
            found = f"{len(betas)} values of {per_beta} sweeps each"
            raise ValueError(f"num_sweeps: is {sweeps}; beta_schedule has {found}")
        limits = [betas[0], betas[-1]] if len(betas) else None
        betas = _scaled("beta_schedule", betas, exponent).astype(np.float32)
        return betas, per_beta, {"beta_range": limits, "beta_schedule_type": kind}
    if schedule is not None:
        raise ValueError("beta_schedule: needs beta_schedule_type='custom'")
    if kind not in ("geometric", "linear"):
        raise ValueError(f"beta_schedule_type: {kind!r} is none of 'geometric', 'linear', 'custom'")
    sweeps = 1000 if sweeps is None else sweeps
    count, rest = divmod(sweeps, per_beta)
    if rest:
        raise ValueError(f"num_sweeps: is {sweeps}, which is no multiple of num_sweeps_per_beta, {per_beta}")
    if limits is None:
        if problem.loses(exponent):
            raise ValueError(f"{problem.name}: the smallest bias is 0 in float32 beside the largest one, so there is "
                             "no default temperature; give beta_range, or leave out the small biases")
        hot, cold = _native.beta_range(*terms)
        with np.errstate(over="ignore", under="ignore"):
            limits = np.ldexp([hot, cold], exponent).clip(max=sys.float_info.max).tolist()
    else:
        limits = _floats("beta_range", limits).tolist()
        if len(limits) != 2 or not limits[0] <= limits[1] or (kind == "geometric" and limits[0] == 0):
            least = "0 < hot" if kind == "geometric" else "0 <= hot"
            raise ValueError(f"beta_range: is {limits}; expected (hot, cold) with {least} <= cold")
        hot, cold = _scaled("beta_range", limits, exponent).tolist()
    if kind == "geometric":
        # Scaled, a temperature may be 0.
        hot, cold = (max(limit, sys.float_info.min) for limit in (hot, cold))
    return (kind, hot, cold, count), per_beta, {"beta_range": limits, "beta_schedule_type": kind}


PathIntegral = _path_integral.PathIntegral
SquareLattice = _native.SquareLattice
Worldlines = _native.Worldlines
correlation_gap = _native.correlation_gap
__all__ = ["PathIntegral", "Sampler", "Samples", "SquareLattice", "Worldlines", "correlation_gap"]
