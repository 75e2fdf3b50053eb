"""`PathIntegral`: anneals of worldlines, with the arguments of dwave-samplers."""

import time

import numpy as np

from ._hotloops import arguments as _arguments
from ._hotloops import ising as _native
from ._problem import _floats, _integer, _interrupt, _number, _Problem, _reads, _results, _scaled, _seed, dimod

# Arguments of dwave-samplers that have one value here, with the reason.
_FIXED = {
    "breaks_buffer_out": (None, "the kinks are returned in info"),
    "breaks_in": (None, "worldlines begin without kinks"),
    "chain_coupler_strength": (1, "a qubit is one site"),
    "num_breaks": (None, "worldlines begin without kinks"),
    "qubits_per_chain": (1, "a qubit is one site"),
    "qubits_per_update": (1, "a sweep redraws each line once, in an order of its own"),
}


class PathIntegral(dimod.Sampler if dimod else object):
    """Quantum annealing of Ising problems and QUBOs by worldlines, at a cost that does not depend on the slices.

    The arguments are those of `dwave.samplers.PathIntegralAnnealingSampler`. If dimod is installed, it is a
    `dimod.Sampler`, and results are a `dimod.SampleSet`, otherwise `hotloops.ising.Samples`. A sweep is the segment
    heat bath of Rieger and Kawashima (1999), as of `Worldlines`.

    >>> from hotloops import ising
    >>> ring = {(i, (i + 1) % 6): -1.0 for i in range(6)}
    >>> schedule = {"Hp_field": [1.0, 2.0, 4.0], "Hd_field": [4.0, 1.0, 0.1], "num_sweeps_per_beta": 50}
    >>> result = ising.PathIntegral().sample_ising({}, ring, beta_schedule_type="custom", seed=1, **schedule)
    >>> float(result.first[1])
    -6.0
    """

    parameters = {
        "Gamma": [], "Hd_field": [], "Hp_field": [],
        "beta_range": [],
        "beta_schedule_type": ["beta_schedule_options"],
        **{name: [] for name in _FIXED},
        "initial_states": [],
        "initial_states_generator": [],
        "interrupt_function": [],
        "make_info_json_serializable": [],
        "num_reads": [], "num_sweeps": [], "num_sweeps_per_beta": [],
        "project_states": [],
        "schedule_sample_interval": [],
        "seed": [], "slices": [], "threads": [], "time_limit": [],
    }
    properties = {"beta_schedule_options": ("linear", "geometric", "custom")}

    def sample_ising(self, h, J, **options):
        """Samples of the problem with biases `h` and couplings `J`, as for `Sampler.sample_ising`;
        options as for `sample`.

        Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
        """
        return _sampled(_Problem.of_ising(h, J), options)

    def sample_qubo(self, Q, **options):
        """Samples of the QUBO `Q`, a dictionary of pairs; options as for `sample`.

        Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
        """
        return _sampled(_Problem.of_terms({}, Q, 0.0, "BINARY", ("Q", "Q")), options)

    def sample(self, bqm, **options):
        """Samples of `bqm`, a dimod binary quadratic model: the spins of one slice of each worldline.

        A sweep samples the weight exp(-Hp E(sz) + Hd Gamma sum sx): the inverse temperature is in the fields. Step k of
        the schedule makes `num_sweeps_per_beta` (1) sweeps at Hp = `Hp_field[k]` and Hd = `Hd_field[k]`, sequences for
        `beta_schedule_type` "custom", or else `num_sweeps` (100) sweeps with Hp over `beta_range` in "geometric" (the
        default) or "linear" steps, by default the range of `Sampler.sample`. Without `Hd_field` there is no transverse
        field: sweeps are then classical. `Gamma` (1) multiplies it. A quantum anneal has a falling `Hd_field` and a
        rising `Hp_field`, such as A(s) and B(s) over twice the temperature of a quantum annealer.

        `slices` (65536, 2 to 2^30) is the number of slices of imaginary time; its error is of order
        (Hd Gamma / slices)^2. `num_reads`, `initial_states` (classical), `initial_states_generator`,
        `interrupt_function`, `time_limit`, `threads` and `seed` are as for `Sampler.sample`; samples do not depend on
        `threads`, `interrupt_function`, `time_limit` or the CPU. With a `schedule_sample_interval` of k,
        `info["statistics"]` has the spins after each k steps (int8), of shape (reads, steps // k, variables). If
        `project_states` is (True, False), `info` has "num_breaks" (reads, variables) and "break_positions", the kinks
        of one line after the other as numbers of slices, with "complete_break_specification" and "slices". Rows of
        `info` are in the order of the reads, columns in that of `info["variables"]`. With
        `make_info_json_serializable`, arrays are lists. Other arguments of dwave-samplers have one value:
        `qubits_per_chain`, `qubits_per_update` and `chain_coupler_strength` 1, `num_breaks`, `breaks_in` and
        `breaks_buffer_out` None.
        Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
        """
        return _sampled(_Problem.of_bqm(bqm), options)


def _sampled(problem, options):
    begin = time.perf_counter_ns()
    for name in options:
        if name not in PathIntegral.parameters:
            raise TypeError(f"{name}: unknown keyword; expected one of {', '.join(PathIntegral.parameters)}")
    for name, (value, why) in _FIXED.items():
        found = options.get(name, value)
        if found is not value and not (value is not None and isinstance(found, (int, float)) and found == value):
            raise ValueError(f"{name}: only {value} is possible, as {why}")
    initial, reads = _reads(problem, options)
    exponent = problem.exponent()
    h, biases = problem.spins(exponent)
    betas, per_beta, info = _betas(problem, (problem.pairs, biases, h), exponent, options)
    betas, gammas = _fields(betas, exponent, options)
    info["seed"] = seed = _seed(options)
    threads = options.get("threads")
    threads = None if threads is None else _arguments.count("threads", threads)
    slices = _integer("slices", options.get("slices", 65536), 2, 1 << 30) or 65536
    interval = _integer("schedule_sample_interval", options.get("schedule_sample_interval"), 1, max(len(betas), 1)) or 0
    keeps = not _projects(options)
    as_lists = options.get("make_info_json_serializable", False)
    if not isinstance(as_lists, (bool, np.bool_)):
        raise TypeError(f"make_info_json_serializable: expected a truth value, found {as_lists!r}")
    interrupt = _interrupt(begin, options)
    ready = time.perf_counter_ns()
    spins, statistics, kinks = _native.anneal_paths(
        problem.pairs, -biases, -h, reads, betas, gammas, per_beta, slices, seed, threads, initial, interrupt, interval,
        keeps)
    sampled = time.perf_counter_ns()
    if interval:
        info["statistics"] = statistics if problem.vartype == "SPIN" else (statistics > 0).astype(np.int8)
    if keeps:
        info["num_breaks"], info["break_positions"] = kinks
        info["complete_break_specification"], info["slices"] = True, slices
    if interval or keeps:
        info["variables"] = problem.variables
    if as_lists:
        info = {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in info.items()}
    return _results(problem, spins, threads, info, (begin, ready, sampled))


def _projects(options):
    """Whether worldlines are projected to a slice."""
    project = options.get("project_states", (True, True))
    if not isinstance(project, (tuple, list)) or len(project) != 2 or not all(
            isinstance(one, (bool, np.bool_)) for one in project):
        raise TypeError(f"project_states: expected two truth values, found {project!r}")
    if not project[0]:
        raise ValueError("project_states: the first must be True, as worldlines begin without kinks")
    return bool(project[1])


def _betas(problem, terms, exponent, options):
    """Hp of each step, of the `terms` times 2^`exponent`, the sweeps at each, and what to tell of them."""
    kind = options.get("beta_schedule_type", "geometric")
    if not isinstance(kind, str):
        raise TypeError(f"beta_schedule_type: expected a word, found {type(kind).__name__}")
    field, limits = options.get("Hp_field"), options.get("beta_range")
    sweeps = _integer("num_sweeps", options.get("num_sweeps"), 0, (1 << 63) - 1)
    per_beta = _integer("num_sweeps_per_beta", options.get("num_sweeps_per_beta", 1), 1, (1 << 63) - 1) or 1
    if kind == "custom":
        if field is None:
            raise ValueError("Hp_field: is missing; beta_schedule_type='custom' needs it")
        betas = _floats("Hp_field", field)
        if sweeps is not None and sweeps != len(betas) * per_beta:
            raise ValueError(f"num_sweeps: is {sweeps}; Hp_field has {len(betas)} values of {per_beta} sweeps each")
        if limits is not None:
            raise ValueError("beta_range: has no effect with beta_schedule_type='custom'; leave it out")
        limits = [float(betas[0]), float(betas[-1])] if len(betas) else None
        return _scaled("Hp_field", betas, exponent), per_beta, {"beta_range": limits, "beta_schedule_type": kind}
    if field is not None:
        raise ValueError("Hp_field: needs beta_schedule_type='custom'")
    if kind not in ("geometric", "linear"):
        raise ValueError(f"beta_schedule_type: {kind!r} is none of 'geometric', 'linear', 'custom'")
    count, rest = divmod(100 if sweeps is None else sweeps, per_beta)
    if rest:
        raise ValueError(f"num_sweeps: is {sweeps}, which is no multiple of num_sweeps_per_beta, {per_beta}")
    if limits is None:
        limits = np.ldexp(_native.beta_range(*terms), exponent).tolist()
    else:
        limits = _floats("beta_range", limits).tolist()
        if len(limits) != 2 or (kind == "geometric" and min(limits) == 0):
            least = "above 0" if kind == "geometric" else "at least 0"
            raise ValueError(f"beta_range: is {limits}; expected two numbers {least}")
    space = np.geomspace if kind == "geometric" else np.linspace
    betas = space(*limits, num=count) if count != 1 else np.array(limits[1:])
    return _scaled("beta_range", betas, exponent), per_beta, {"beta_range": limits, "beta_schedule_type": kind}


def _fields(betas, exponent, options):
    """The inverse temperatures of the steps, and the fields of problems times 2^`exponent`."""
    gamma = _number("Gamma", options.get("Gamma", 1.0))
    if gamma < 0:
        raise ValueError(f"Gamma: is {gamma}; expected a number that is not negative")
    field = options.get("Hd_field")
    if field is None:
        return betas, np.zeros(len(betas))
    field = _floats("Hd_field", field)
    if len(field) != len(betas):
        raise ValueError(f"Hd_field: has {len(field)} values for {len(betas)} steps")
    # Without a problem, kinks still need an inverse temperature.
    betas = np.maximum(betas, 1e-30)
    gammas = field[:len(betas)] * gamma / betas
    if not (gammas <= float(np.finfo(np.float32).max)).all():
        raise ValueError("Hd_field: times Gamma, exceeds 1e8")
    return betas, gammas
