import itertools

import numpy as np
import pytest
from hotloops import ising

rng = np.random.default_rng(5)


def problem(n, continuous):
    draw = (lambda: rng.standard_normal()) if continuous else (lambda: int(rng.integers(-2, 3)))
    h = {f"v{i}": draw() for i in range(n)}
    J = {(f"v{i}", f"v{j}"): draw() for i, j in itertools.combinations(range(n), 2) if rng.random() < 0.5}
    return h, J


def energy(sample, h, J):
    return sum(h[v] * sample[v] for v in h) + sum(b * sample[u] * sample[v] for (u, v), b in J.items())


def ground(h, J):
    spins = itertools.product((-1, 1), repeat=len(h))
    return min(energy(dict(zip(h, s)), h, J) for s in spins)


def lowest(result):
    """The first sample and its energy, of either kind of result."""
    first = result.first
    return (first.sample, first.energy) if hasattr(first, "sample") else first


@pytest.mark.parametrize("continuous", [False, True])
def test_ground_states_by_enumeration(continuous):
    for _ in range(3):
        h, J = problem(11, continuous)
        sample, found = lowest(ising.Sampler().sample_ising(h, J, num_reads=50, seed=1))
        assert np.isclose(found, ground(h, J)) and np.isclose(found, energy(sample, h, J))


def test_boltzmann_weights():
    h, J = [0.4, -0.3, 0.0], {(0, 1): -0.5, (1, 2): 0.8}
    result = ising.Sampler().sample_ising(h, J, num_reads=40_000, num_sweeps=50, beta_range=(1.0, 1.0), seed=3)
    assert_frequencies(result, (-1, 1), dict(enumerate(h)), J)


def test_boltzmann_weights_of_a_qubo():
    Q = {(0, 0): -0.4, (1, 1): 0.3, (0, 1): 0.9, (1, 2): -1.2}
    result = ising.Sampler().sample_qubo(Q, num_reads=40_000, num_sweeps=50, beta_range=(1.0, 1.0), seed=3)
    assert_frequencies(result, (0, 1), {}, Q)


def assert_frequencies(result, values, h, J):
    """Of all states of three variables."""
    samples, _, variables = parts(result)
    samples = samples[:, [variables.index(variable) for variable in range(3)]]
    states = list(itertools.product(values, repeat=3))
    weights = np.exp([-energy(dict(enumerate(s)), h, J) for s in states])
    frequency = np.array([(samples == s).all(1).mean() for s in states])
    assert np.abs(frequency - weights / weights.sum()).max() < 0.012


def test_qubo_by_enumeration():
    Q = {(i, j): float(rng.integers(-5, 6)) for i in range(9) for j in range(i, 9)}
    best = min(sum(q * x[u] * x[v] for (u, v), q in Q.items()) for x in itertools.product((0, 1), repeat=9))
    sample, found = lowest(ising.Sampler().sample_qubo(Q, num_reads=50, seed=2))
    assert np.isclose(found, best) and set(sample.values()) <= {0, 1}


def test_against_dwave_samplers():
    pytest.importorskip("dimod")
    neal = pytest.importorskip("dwave.samplers").SimulatedAnnealingSampler()
    h, J = problem(60, True)
    theirs = neal.sample_ising(h, J, num_reads=100, seed=1).first.energy
    ours = ising.Sampler().sample_ising(h, J, num_reads=100, seed=1)
    assert ours.first.energy <= theirs + 1e-9
    assert set(ours.variables) == set(h)


def test_seed_and_threads():
    h, J = problem(20, True)
    # Threads that reuse their model for several parts of 512 reads, and one that does not.
    for reads in (600, 1601):
        options = {"num_reads": reads, "num_sweeps": 20, "beta_range": (0.01, 0.2), "seed": 9}
        runs = [ising.Sampler().sample_ising(h, J, threads=t, **options) for t in (None, 1, 2, 4)]
        arrays = [run.samples if isinstance(run, ising.Samples) else run.record.sample for run in runs]
        assert arrays[0].shape == (reads, 20) and len(np.unique(arrays[0], axis=0)) > 100
        assert all((array == arrays[0]).all() for array in arrays[1:])


class Model:
    """A binary quadratic model of no library."""

    def __init__(self, linear, quadratic, offset, vartype):
        self.linear, self.quadratic, self.offset, self.vartype = linear, quadratic, offset, vartype


def parts(result):
    """Samples, energies and variables of either kind of result."""
    if isinstance(result, ising.Samples):
        return result.samples, result.energies, result.variables
    return result.record.sample, result.record.energy, list(result.variables)


@pytest.mark.parametrize("vartype, values", [("SPIN", (-1, 1)), ("BINARY", (0, 1))])
def test_models_of_no_library(vartype, values):
    # A pair in both orders, and a variable with itself.
    linear = {"a": 0.5, "b": -1.0, "c": 0.25}
    quadratic = {("a", "b"): 1.0, ("b", "a"): 0.75, ("c", "c"): 2.0, ("b", "c"): -0.5}
    result = ising.Sampler().sample(Model(linear, quadratic, 5.0, vartype), num_reads=40, seed=1)
    samples, energies, variables = parts(result)
    assert set(np.unique(samples)) <= set(values)
    expected = [5.0 + energy(dict(zip(variables, row)), linear, quadratic) for row in samples.tolist()]
    every = itertools.product(values, repeat=3)
    assert np.allclose(energies, expected)
    assert np.isclose(min(expected), min(5.0 + energy(dict(zip("abc", x)), linear, quadratic) for x in every))


def test_first_spins_have_names():
    names = "abcdefghi"
    model = Model(dict.fromkeys(names, 0.0), {}, 0.0, "SPIN")
    states = rng.choice([-1, 1], (20, 9)).tolist()
    given = [dict(zip(reversed(names), reversed(state))) for state in states]
    samples, _, variables = parts(ising.Sampler().sample(model, initial_states=given, num_sweeps=0))
    found = samples[:, [variables.index(name) for name in names]]
    assert sorted(found.tolist()) == sorted(states)


def test_first_spins_of_many_reads():
    states = rng.choice([-1, 1], (1300, 12)).astype(np.int8)
    result = ising.Sampler().sample_ising([0.0] * 12, {}, initial_states=states, num_sweeps=0)
    assert sorted(parts(result)[0].tolist()) == sorted(states.tolist())


def test_each_round_has_random_numbers_of_its_own():
    options = {"num_reads": 200, "num_sweeps": 3, "beta_range": (0.01, 0.01), "threads": 1, "seed": 1}
    result = ising.Sampler().sample_ising([1.0] * 40, {}, interrupt_function=lambda: False, **options)
    assert len(np.unique(parts(result)[0], axis=0)) > 190


@pytest.mark.parametrize(
    "message, call",
    [
        ("num_reads", lambda s: s.sample_ising([1.0], {}, num_reads=0)),
        ("num_sweeps", lambda s: s.sample_ising([1.0], {}, num_sweeps=-1)),
        ("seed", lambda s: s.sample_ising([1.0], {}, seed=-1)),
        ("beta_range", lambda s: s.sample_ising([1.0], {}, beta_range=(2.0, 1.0))),
        ("beta_schedule_type", lambda s: s.sample_ising([1.0], {}, beta_schedule_type="steep")),
    ],
)
def test_errors_name_the_argument(message, call):
    with pytest.raises(ValueError, match=message):
        call(ising.Sampler())
