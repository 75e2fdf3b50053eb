"""Simulated annealing of Ising problems and QUBOs, as a `dimod` sampler, and one large square lattice."""

import functools
import math
import operator
import sys
import time
import warnings
from dataclasses import dataclass, field

import numpy as np

from ._hotloops import arguments as _arguments
from ._hotloops import ising as _native

try:
    import dimod
except ImportError:
    dimod = None


_SINGLE = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class Samples:
    """Samples, best first: `samples` (int8) has a row for each read and a column for each of `variables`."""

    samples: np.ndarray
    energies: np.ndarray
    variables: list
    info: dict = field(default_factory=dict)

    @property
    def first(self):
        """The best sample, as a dictionary, and its energy."""
        return dict(zip(self.variables, self.samples[0].tolist())), float(self.energies[0])


@dataclass
class _Problem:
    """The energy offset + sum linear x + sum biases x x, of `vartype` "SPIN" (-1, 1) or "BINARY" (0, 1)."""

    variables: list
    linear: np.ndarray
    pairs: np.ndarray
    biases: np.ndarray
    offset: float
    vartype: str
    name: str

    @classmethod
    def of_terms(cls, linear, quadratic, offset, vartype, names):
        """From dictionaries. Couplings of a variable with itself become linear or constant terms."""
        for name, terms in zip(names, (linear, quadratic)):
            if not hasattr(terms, "items"):
                raise TypeError(f"{name}: expected a dictionary, found {type(terms).__name__}")
        place = {}
        fields = []

        def site(variable):
            if variable not in place:
                place[variable] = len(fields)
                fields.append(0.0)
            return place[variable]

        for variable, bias in linear.items():
            fields[site(variable)] += _number(names[0], bias)
        biases = {}
        for pair, bias in quadratic.items():
            try:
                u, v = pair
            except (TypeError, ValueError):
                raise ValueError(f"{names[1]}: {pair!r} is not a pair of variables") from None
            i, j, bias = site(u), site(v), _number(names[1], bias)
            if i != j:
                pair = (j, i) if (j, i) in biases else (i, j)
                biases[pair] = biases.get(pair, 0.0) + bias
            elif vartype == "SPIN":
                offset += bias
            else:
                fields[i] += bias
        pairs = np.array(list(biases), dtype=np.int64).reshape(-1, 2)
        return cls(list(place), np.array(fields), pairs, np.array(list(biases.values())), float(offset), vartype,
                   ", ".join(dict.fromkeys(names)))

    @classmethod
    def of_bqm(cls, bqm):
        vartype = getattr(bqm, "vartype", None)
        vartype = getattr(vartype, "name", vartype)
        if not isinstance(vartype, str) or vartype not in ("SPIN", "BINARY"):
            raise TypeError(f"bqm: expected a binary quadratic model, found {type(bqm).__name__}")
        if not hasattr(bqm, "to_numpy_vectors"):
            return cls.of_terms(bqm.linear, bqm.quadratic, float(bqm.offset), vartype, ("bqm", "bqm"))
        variables = list(bqm.variables)
        linear, (i, j, biases), offset = bqm.to_numpy_vectors(variable_order=variables)
        linear, biases = (np.asarray(values, dtype=float) for values in (linear, biases))
        if not (np.isfinite(linear).all() and np.isfinite(biases).all() and np.isfinite(float(offset))):
            raise ValueError("bqm: has a bias that is not a finite number")
        pairs = np.stack([np.asarray(i, dtype=np.int64), np.asarray(j, dtype=np.int64)], axis=1)
        return cls(variables, linear, pairs, biases, float(offset), vartype, "bqm")

    def exponent(self):
        """The exponent of a power of two that brings very large or very small biases near 1, otherwise 0."""
        largest = max(np.abs(biases).max(initial=0.0) for biases in (self.linear, self.biases))
        exponent = math.frexp(largest)[1]
        return -exponent if abs(exponent) > 64 else 0

    def spins(self, exponent):
        """Fields and couplings of the same problem in spins times 2^`exponent`, without its constant."""
        linear, biases = self.linear, self.biases
        if exponent:
            linear, biases = np.ldexp(linear, exponent), np.ldexp(biases, exponent)
        if self.vartype == "SPIN":
            return linear, biases
        return _native.binary_fields(self.pairs, biases, linear), biases / 4

    def loses(self, exponent):
        """Whether float32 loses a bias of the problem times 2^`exponent`."""
        return any(np.count_nonzero(np.ldexp(biases, exponent).astype(np.float32)) < np.count_nonzero(biases)
                   for biases in (self.linear, self.biases))


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
        "num_reads": [], "num_sweeps": [], "num_sweeps_per_beta": [],
        "proposal_acceptance_criteria": ["proposal_acceptance_criteria_options"],
        "randomize_order": [],
        "seed": [], "threads": [], "time_limit": [],
    }
    properties = {
        "beta_schedule_options": ("linear", "geometric", "custom"),
        "proposal_acceptance_criteria_options": ("Metropolis", "Gibbs"),
    }

    def sample_ising(self, h, J, **options):
        """Samples of the problem with biases `h` and couplings `J`; options as for `sample`.

        `h` is a dictionary or a sequence, `J` a dictionary of pairs. Biases of (u, v) and (v, u) are added; that of
        (u, u) is constant.
        Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
        """
        if not hasattr(h, "items"):
            _arguments.unmasked("h", h)
            if isinstance(h, (str, bytes, bytearray)) or not hasattr(h, "__iter__") or getattr(h, "ndim", 1) != 1:
                raise TypeError(f"h: expected a dictionary or a sequence, found {type(h).__name__}")
            h = dict(enumerate(h))
        return _sampled(_Problem.of_terms(h, J, 0.0, "SPIN", ("h", "J")), options)

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
        "Metropolis"; "Gibbs" and the default are free of it. With many reads (`num_reads`, at least 1), other
        arithmetic may be used that is free of it, too.
        Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.

        >>> from types import SimpleNamespace
        >>> from hotloops import ising
        >>> ring = {("a", "b"): 1.0, ("b", "c"): 1.0, ("c", "a"): 1.0}
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
    info["seed"] = seed = _integer("seed", options.get("seed"), 0, (1 << 32) - 1)
    if seed is None:
        info["seed"] = seed = int(np.random.default_rng().integers(1 << 32))
    threads = options.get("threads")
    threads = None if threads is None else _arguments.count("threads", threads)
    is_gibbs, interrupt = _is_gibbs(options), _interrupt(begin, options)
    warn = functools.partial(
        warnings.warn, "proposal_acceptance_criteria: 'Metropolis' may go round in circles on a ring or a small part "
        "of this problem, where all local fields can be 0; use 'Gibbs', or leave it out", stacklevel=3)
    ready = time.perf_counter_ns()
    spins = _native.anneal(
        problem.pairs, -biases, -h, reads, betas, seed, threads, initial, interrupt, is_gibbs, per_beta, warn,
        options.get("device", "cpu"))
    sampled = time.perf_counter_ns()
    states = spins if problem.vartype == "SPIN" else (spins > 0).astype(np.int8)
    energies = _native.energies(states, problem.linear, problem.pairs, problem.biases, threads) + problem.offset
    best = np.argsort(energies, kind="stable")
    states, energies = states[best], energies[best]
    info["timing"] = {"preprocessing_ns": ready - begin, "sampling_ns": sampled - ready,
                      "postprocessing_ns": time.perf_counter_ns() - sampled}
    if dimod is None:
        return Samples(states, energies, problem.variables, info)
    states, variables = _ascending(states, problem.variables)
    return dimod.SampleSet.from_samples((states, variables), problem.vartype, energies, info=info, sort_labels=False)


def _ascending(states, variables):
    """Columns in the order of their labels, as in dimod, but in steps that Ctrl-C ends."""
    count, piece = len(variables), 1 << 16
    try:
        if all(map(operator.le, variables, variables[1:])):
            return states, variables
        runs = [sorted(range(first, min(first + piece, count)), key=variables.__getitem__)
                for first in range(0, count, piece)]
        while len(runs) > 1:
            runs = [sorted(sum(runs[first:first + 2], []), key=variables.__getitem__)
                    for first in range(0, len(runs), 2)]
    except TypeError:
        return states, variables
    return states[:, runs[0]], [variables[column] for column in runs[0]]


def _number(name, value):
    if isinstance(value, (complex, np.complexfloating)):
        raise TypeError(f"{name}: {value!r} is not a real number")
    if isinstance(value, (str, bytes, bytearray)):
        raise TypeError(f"{name}: {value!r} is not a number")
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: {value!r} is not a number") from None
    if not math.isfinite(number):
        raise ValueError(f"{name}: {value!r} is not a finite number")
    return number


def _integer(name, value, low, high):
    """An integer from `low` to `high`, or None."""
    if value is None:
        return None
    try:
        value = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: expected an integer, found {value!r}") from None
    if not low <= value <= high:
        raise ValueError(f"{name}: is {value}; expected an integer from {low} to {high}")
    return value


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


def _interrupt(begin, options):
    """The function that ends the call between reads, or None. `begin` is the start of the call in ns."""
    interrupt, limit = options.get("interrupt_function"), options.get("time_limit")
    if interrupt is not None and not callable(interrupt):
        raise TypeError("interrupt_function: is not callable")
    if limit is None:
        return interrupt
    end = begin + 1e9 * _number("time_limit", limit)
    if end <= begin:
        raise ValueError(f"time_limit: is {limit!r}; expected a positive number of seconds")
    return lambda: time.perf_counter_ns() >= end or (interrupt is not None and interrupt())


def _reads(problem, options):
    """The first spins of the first reads, or None, and the number of reads."""
    states, generator = options.get("initial_states"), options.get("initial_states_generator", "random")
    reads = _integer("num_reads", options.get("num_reads"), 1, (1 << 63) - 1)
    if not isinstance(generator, str) or generator not in ("none", "tile", "random"):
        raise ValueError(f"initial_states_generator: {generator!r} is none of 'none', 'tile', 'random'")
    states = None if states is None else _states(problem.variables, states)
    count = 0 if states is None else len(states)
    reads = reads or count or 1
    if count < reads and generator == "none":
        raise ValueError(f"initial_states: has {count} for {reads} reads, and initial_states_generator is 'none'")
    if count < reads and generator == "tile":
        if count == 0:
            raise ValueError("initial_states: there are none, and initial_states_generator is 'tile'")
        states = np.resize(states, (reads, states.shape[1]))
    return states, reads


def _states(variables, states):
    """Spins (int8) from samples of either kind, with a column for each variable."""
    # Without labels, columns are numbers of variables, as in dimod, or else in the problem's order.
    numbers = range(len(variables))
    order = list(numbers) if set(numbers) == set(variables) else variables
    if isinstance(states, np.ndarray) and states.ndim in (1, 2):
        rows, labels = np.atleast_2d(states), order
    elif hasattr(states, "keys"):
        rows, labels = [list(states.values())], list(states)
    elif isinstance(states, (list, tuple)) and states and all(hasattr(state, "keys") for state in states):
        labels = list(states[0])
        if any(state.keys() != states[0].keys() for state in states):
            raise ValueError("initial_states: the samples have different variables")
        rows = [[state[label] for label in labels] for state in states]
    else:
        try:
            rows, labels = dimod.as_samples(states) if dimod is not None else (np.atleast_2d(states), order)
        except (TypeError, ValueError) as error:
            raise type(error)(f"initial_states: {error}") from None
    try:
        rows, labels = np.asarray(rows), list(labels)
    except ValueError:
        raise ValueError("initial_states: the samples have different lengths") from None
    if set(labels) != set(variables) or rows.shape[1] != len(variables):
        raise ValueError("initial_states: the variables are not those of the problem")
    if not np.isin(rows, (-1, 0, 1)).all():
        raise ValueError("initial_states: expected values 1 and -1, or 1 and 0")
    place = {label: column for column, label in enumerate(labels)}
    return np.where(rows[:, [place[variable] for variable in variables]] > 0, 1, -1).astype(np.int8)


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


def _scaled(name, betas, exponent):
    """Inverse temperatures of biases times 2^`exponent`."""
    with np.errstate(over="ignore", under="ignore"):
        betas = np.ldexp(betas, -exponent)
    if not (betas <= _SINGLE).all():
        raise ValueError(f"{name}: exceeds float32, times the largest bias if that is far from 1")
    return betas


def _floats(name, values):
    _arguments.unmasked(name, values)
    try:
        if np.iscomplexobj(values):
            raise TypeError
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: expected real numbers, found {values!r}") from None
    if array.ndim != 1 or not ((array >= 0) & np.isfinite(array)).all():
        raise ValueError(f"{name}: expected a sequence of finite numbers that are not negative, found {values!r}")
    return array


SquareLattice = _native.SquareLattice
__all__ = ["Sampler", "Samples", "SquareLattice"]
