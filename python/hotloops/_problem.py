"""What the samplers share: problems, options, and results."""

import math
import operator
import time
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
    def of_ising(cls, h, J):
        """From a dictionary or a sequence, and a dictionary of pairs."""
        if not hasattr(h, "items"):
            _arguments.unmasked("h", h)
            if isinstance(h, (str, bytes, bytearray)) or not hasattr(h, "__iter__") or getattr(h, "ndim", 1) != 1:
                raise TypeError(f"h: expected a dictionary or a sequence, found {type(h).__name__}")
            h = dict(enumerate(h))
        return cls.of_terms(h, J, 0.0, "SPIN", ("h", "J"))

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


def _seed(options):
    seed = _integer("seed", options.get("seed"), 0, (1 << 32) - 1)
    return int(np.random.default_rng().integers(1 << 32)) if seed is None else seed


def _results(problem, spins, threads, info, times):
    """The samples, best first; `times` are those of the start, of the sweeps and of their end in ns."""
    states = spins if problem.vartype == "SPIN" else (spins > 0).astype(np.int8)
    energies = _native.energies(states, problem.linear, problem.pairs, problem.biases, threads) + problem.offset
    best = np.argsort(energies, kind="stable")
    states, energies = states[best], energies[best]
    begin, ready, sampled = times
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
