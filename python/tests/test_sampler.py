"""The sampler as a dimod sampler, its keywords, and the sampler without dimod."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
import unittest
import warnings

import numpy as np
import pytest
from hotloops import ising

dimod = pytest.importorskip("dimod")
testing = pytest.importorskip("dimod.testing")


@testing.load_sampler_bqm_tests(ising.Sampler)
class TestSampler(unittest.TestCase):
    def test_api(self):
        testing.assert_sampler_api(ising.Sampler())


def problem(seed, vartype, n=12):
    rng = np.random.default_rng(seed)
    linear = {("site", i): float(rng.normal()) for i in range(n)}
    pairs = [(("site", i), ("site", j)) for i in range(n) for j in range(i) if rng.random() < 0.5]
    quadratic = {pair: float(rng.normal()) for pair in pairs}
    return dimod.BQM(linear, quadratic, float(rng.normal()), vartype)


def test_energies_have_the_offset():
    bqm = dimod.BQM({"a": 1, "b": -0.5}, {("a", "b"): -1}, 5, "SPIN")
    assert ising.Sampler().sample(bqm, num_reads=20, seed=1).first.energy == 3.5
    for model in (bqm, bqm.change_vartype("BINARY", inplace=False)):
        sampled = ising.Sampler().sample(model, num_reads=20, seed=1)
        assert sampled.first.energy == 3.5 and sampled.vartype is model.vartype
        testing.assert_sampleset_energies(sampled, model)


@pytest.mark.parametrize("vartype", ["SPIN", "BINARY"])
@pytest.mark.parametrize("of", [dimod.Float32BQM, dimod.Float64BQM, dimod.DictBQM])
def test_ground_states(vartype, of):
    bqm = of(problem(1, vartype))
    sampled = ising.Sampler().sample(bqm, num_reads=50, seed=1)
    testing.assert_sampleset_energies(sampled, bqm, precision=4)
    assert np.isclose(sampled.first.energy, dimod.ExactSolver().sample(bqm).first.energy, atol=1e-5)


def test_both_triangles_and_diagonals():
    Q = {("a", "a"): -1.0, ("a", "b"): 2.0, ("b", "a"): 1.5, (0, ("x", 1)): -3.0, ("b", "b"): 0.25}
    sampled = ising.Sampler().sample_qubo(Q, num_reads=30, seed=1)
    testing.assert_sampleset_energies(sampled, dimod.BQM.from_qubo(Q))
    assert sampled.first.energy == dimod.ExactSolver().sample_qubo(Q).first.energy
    h, J = {"a": 1.0}, {("a", "a"): 2.0, ("a", "b"): 1.0, ("b", "a"): -3.0}
    sampled = ising.Sampler().sample_ising(h, J, num_reads=30, seed=1)
    testing.assert_sampleset_energies(sampled, dimod.BQM.from_ising(h, J))
    assert sampled.first.energy == -1.0


def test_composites():
    bqm, options = problem(2, "SPIN"), {"num_reads": 40, "seed": 3}
    best = dimod.ExactSolver().sample(bqm).first.energy
    composites = [dimod.TruncateComposite(ising.Sampler(), 5), dimod.TrackingComposite(ising.Sampler())]
    preprocessing = pytest.importorskip("dwave.preprocessing")
    scaled = preprocessing.ScaleComposite(ising.Sampler())
    runs = [sampler.sample(bqm, **options) for sampler in composites]
    runs.append(scaled.sample(bqm, scalar=0.5, **options))
    runs.append(preprocessing.SpinReversalTransformComposite(ising.Sampler()).sample(bqm, **options))
    runs.append(preprocessing.ConnectedComponentsComposite(ising.Sampler()).sample(bqm, **options))
    runs.append(preprocessing.ClipComposite(ising.Sampler()).sample(bqm, lower_bound=-9, upper_bound=9, **options))
    for run in runs:
        assert np.isclose(run.first.energy, best)
        testing.assert_sampleset_energies(run, bqm)
    fixed = preprocessing.FixVariablesComposite(ising.Sampler())
    run = fixed.sample(bqm, fixed_variables={("site", 0): 1}, **options)
    testing.assert_sampleset_energies(run, bqm)
    assert run.first.sample["site", 0] == 1 and set(run.variables) == set(bqm.variables)


def test_info():
    sampled = ising.Sampler().sample(problem(3, "SPIN"), beta_range=(0.5, 2.0), seed=7)
    assert sampled.info["beta_range"] == [0.5, 2.0] and sampled.info["beta_schedule_type"] == "geometric"
    assert sampled.info["seed"] == 7 and set(sampled.info["timing"]) == {
        "preprocessing_ns", "sampling_ns", "postprocessing_ns"}
    again = ising.Sampler().sample(problem(3, "SPIN"))
    repeated = ising.Sampler().sample(problem(3, "SPIN"), seed=again.info["seed"])
    assert (again.record.sample == repeated.record.sample).all()


@pytest.mark.parametrize("vartype", ["SPIN", "BINARY"])
def test_the_default_schedule_is_dwaves(vartype):
    # dwave-neal's issue 33: independent spins, of fields that its first default schedule left excited.
    for field in (0.001, 0.5, 40.0):
        signs = np.random.default_rng(1).choice([-1.0, 1.0], 100)
        bqm = dimod.BQM(dict(enumerate(field * signs)), {}, 0.0, "SPIN").change_vartype(vartype, inplace=False)
        sampled = ising.Sampler().sample(bqm, num_reads=100, seed=1)
        assert -100 * field <= sampled.record.energy.mean() + 1e-9 * field <= -99.9 * field
        assert np.allclose(sampled.info["beta_range"], np.log([2, 10_000]) / (2 * field), rtol=1e-12)
    samplers = pytest.importorskip("dwave.samplers")
    for bqm in (problem(9, vartype, 40), dimod.BQM.from_qubo({(i, i + 1): -1 for i in range(40)})):
        ours, theirs = (sampler.sample(bqm, seed=1).info["beta_range"]
                        for sampler in (ising.Sampler(), samplers.SimulatedAnnealingSampler()))
        assert np.allclose(ours, theirs, rtol=1e-9)


def test_rounding_of_a_qubo_is_no_field():
    # Weights of one decimal cancel in the fields of Max-Cut as a QUBO, but for their rounding.
    rng, Q = np.random.default_rng(1), {}
    for i, j in ((i, j) for i in range(60) for j in range(i) if rng.random() < 0.2):
        weight = round(float(rng.random()), 1)
        Q[i, j] = 2 * weight
        for k in (i, j):
            Q[k, k] = Q.get((k, k), 0.0) - weight
    sampled = ising.Sampler().sample_qubo(Q, num_reads=20, seed=1)
    assert sampled.info["beta_range"][1] < 1000
    testing.assert_sampleset_energies(sampled, dimod.BQM.from_qubo(Q))
    # A small term beside penalties that cancel exactly decides.
    for penalty in (1e3, 1e9, 2.0**50):
        Q = {(0, 0): 1 - penalty, (1, 1): 2 - penalty, (0, 1): 2 * penalty}
        sampled = ising.Sampler().sample_qubo(Q, num_reads=50, num_sweeps=2000, seed=1)
        assert sampled.first.energy == 1 - penalty and sampled.first.sample == {0: 1, 1: 0}


def test_reports_of_other_samplers():
    sample = ising.Sampler().sample
    # dwave-neal 44: a single variable, whose range of temperatures was infinite.
    sampled = sample(dimod.BQM({"a": 1}, {}, 0, "SPIN"), num_reads=10, seed=1)
    assert np.allclose(sampled.info["beta_range"], np.log([2, 100]) / 2) and sampled.first.energy == -1
    # dwave-cloud-client 408: every way of giving a problem has the offset in its energies.
    bqm = problem(12, "BINARY")
    for model in (bqm, bqm.spin, bqm.binary, dimod.as_bqm(bqm, copy=True), dimod.DictBQM(bqm)):
        sampled = sample(model, num_reads=5, seed=1)
        assert np.allclose(sampled.record.energy, bqm.energies(sampled.change_vartype("BINARY", inplace=False)))
    # cimod 48: a product of a variable with itself is linear in 0 and 1, and a constant in spins.
    assert ising.Sampler().sample_qubo({(2, 2): 5}, seed=1).first.energy == 0
    assert ising.Sampler().sample_qubo({(2, 2): -5}, num_reads=9, seed=1).first.energy == -5
    assert ising.Sampler().sample_ising({}, {(2, 2): 5}, seed=1).first.energy == 5
    # qubo-solver 111: repeated samples are rows of their own, and merge without losing any.
    sampled = sample(dimod.BQM({"a": -1, "b": 0}, {}, 0, "BINARY"), num_reads=200, seed=1)
    assert len(sampled) == 200 and sampled.record.num_occurrences.sum() == 200
    merged = sampled.aggregate()
    assert merged.record.num_occurrences.sum() == 200 and len(merged) == len(np.unique(sampled.record.sample, axis=0))


@pytest.mark.parametrize("penalty", [1e9, 4.5e18, 2.4e26, 1e40])
def test_large_penalties_are_right_or_refused(penalty):
    # ToQUBO.jl 160 and 172: penalties of 10^18 to 10^26 beside an objective of 10^4.
    cost = np.array([3.0, 1.0, 2.0, 5.0]) * 1e4
    Q = {(i, i): cost[i] - penalty for i in range(4)} | {(i, j): 2 * penalty for i in range(4) for j in range(i)}
    bqm = dimod.BQM.from_qubo(Q, offset=penalty)
    try:
        sampled = ising.Sampler().sample(bqm, num_reads=200, num_sweeps=3000, seed=1)
    except ValueError as error:
        assert penalty > 1e9 and re.search("coupling|field|site|linear|bias", str(error)), error
        return
    assert np.allclose(sampled.record.energy, bqm.energies(sampled), rtol=1e-12, atol=0)
    assert np.isclose(sampled.first.energy, dimod.ExactSolver().sample(bqm).first.energy, rtol=1e-12)
    assert sum(sampled.first.sample.values()) == 1


def test_acceptance():
    bqm = problem(11, "SPIN", 200)
    run = lambda **options: ising.Sampler().sample(  # noqa: E731
        bqm, num_reads=20, num_sweeps=30, beta_range=(0.1, 1.0), seed=1, **options).record.sample
    metropolis, gibbs = (run(proposal_acceptance_criteria=word) for word in ("Metropolis", "Gibbs"))
    assert (metropolis != gibbs).any() and (run(randomize_order=False) == run()).all()
    with pytest.raises(ValueError, match="^randomize_order: only False .* give proposal_acceptance_criteria='Gibbs'"):
        run(randomize_order=True)
    # In weak fields the heat bath draws each spin anew, and Metropolis reverses all that are against them.
    weak, start = dimod.BQM({i: 0.01 for i in range(300)}, {}, 0.0, "SPIN"), np.ones((1, 300), np.int8)
    options = {"initial_states": start, "num_sweeps": 1, "beta_range": (0.01, 0.01), "seed": 1}
    for word, kept in (("Metropolis", range(1)), ("Gibbs", range(110, 190))):
        once = ising.Sampler().sample(weak, proposal_acceptance_criteria=word, **options)
        assert (once.record.sample == 1).sum() in kept


def test_time_limit():
    bqm = problem(10, "SPIN")
    begin = time.perf_counter()
    sampled = ising.Sampler().sample(bqm, num_reads=10**6, num_sweeps=1000, time_limit=0.3)
    assert time.perf_counter() - begin < 30 and 0 < len(sampled) < 10**6
    testing.assert_sampleset_energies(sampled, bqm)
    assert len(ising.Sampler().sample(bqm, num_reads=20, time_limit=1e-9)) > 0
    assert len(ising.Sampler().sample(bqm, num_reads=100, time_limit=600)) == 100
    stopped = ising.Sampler().sample(bqm, num_reads=10**4, time_limit=600, interrupt_function=lambda: True)
    assert 0 < len(stopped) < 10**4


@pytest.mark.parametrize("vartype", ["SPIN", "BINARY"])
def test_initial_states_without_sweeps(vartype):
    bqm, low = problem(4, vartype), -1 if vartype == "SPIN" else 0
    states = np.random.default_rng(1).choice([low, 1], size=(7, 12)).astype(np.int8)
    forms = [states, [dict(zip(bqm.variables, row.tolist())) for row in states], (states, list(bqm.variables)),
             dimod.SampleSet.from_samples_bqm((states, list(bqm.variables)), bqm), ((states > 0).astype(int))]
    for form in forms:
        sampled = ising.Sampler().sample(bqm, initial_states=form, num_sweeps=0)
        found = sampled.record.sample[:, [sampled.variables.index(v) for v in bqm.variables]]
        assert sorted(found.tolist()) == sorted(states.tolist())
    options = {"num_reads": 20, "initial_states_generator": "tile"}
    tiled = ising.Sampler().sample(bqm, initial_states=states, num_sweeps=0, **options)
    assert len(tiled) == 20 and len(np.unique(tiled.record.sample, axis=0)) == 7
    more = ising.Sampler().sample(bqm, initial_states=states, num_sweeps=0, num_reads=600, seed=1)
    assert len(more) == 600 and len(np.unique(more.record.sample, axis=0)) > 500
    cut = ising.Sampler().sample(bqm, initial_states=states, num_sweeps=0, num_reads=2)
    assert len(cut) == 2


def test_cold_sweeps_keep_a_ground_state():
    bqm = problem(5, "SPIN")
    ground = dimod.ExactSolver().sample(bqm).first
    options = {"initial_states": ground.sample, "beta_range": (50.0, 50.0), "num_sweeps": 20}
    assert np.isclose(ising.Sampler().sample(bqm, **options).first.energy, ground.energy)


def test_schedules():
    bqm = problem(6, "SPIN", 200)
    run = lambda **options: ising.Sampler().sample(bqm, num_reads=20, seed=1, **options).record.sample
    betas = np.geomspace(0.1, 2.0, 50)
    geometric = run(beta_range=(0.1, 2.0), num_sweeps=50)
    assert (geometric == run(beta_schedule_type="custom", beta_schedule=betas)).all()
    assert (geometric != run(beta_range=(0.1, 2.0), num_sweeps=50, beta_schedule_type="linear")).any()
    twice = run(beta_range=(0.1, 2.0), num_sweeps=100, num_sweeps_per_beta=2)
    assert (twice == run(beta_schedule_type="custom", beta_schedule=np.repeat(betas, 2))).all()
    assert (twice == run(beta_schedule_type="custom", beta_schedule=betas, num_sweeps_per_beta=2)).all()
    assert (run(beta_range=(0.1, 2.0), num_sweeps=1) == run(beta_schedule_type="custom", beta_schedule=[2.0])).all()


def test_interrupt_function():
    bqm = problem(7, "SPIN")
    calls = []
    options = {"num_reads": 10_000, "interrupt_function": lambda: calls.append(1) or len(calls) == 2}
    sampled = ising.Sampler().sample(bqm, **options)
    assert len(calls) == 2 and 0 < len(sampled) < 10_000
    testing.assert_sampleset_energies(sampled, bqm)
    assert len(ising.Sampler().sample(bqm, num_reads=100, interrupt_function=lambda: False)) == 100
    with pytest.raises(ZeroDivisionError):
        ising.Sampler().sample(bqm, num_reads=100, interrupt_function=lambda: 1 / 0)


@pytest.mark.parametrize(
    "error, name, options",
    [
        (TypeError, "num_read", {"num_read": 10}),
        (TypeError, "num_reads", {"num_reads": 1.5}),
        (ValueError, "num_reads", {"num_reads": 0}),
        (ValueError, "num_sweeps", {"num_sweeps": -1}),
        (ValueError, "num_sweeps_per_beta", {"num_sweeps": 3, "num_sweeps_per_beta": 2}),
        (ValueError, "num_sweeps_per_beta", {"num_sweeps_per_beta": 0}),
        (ValueError, "beta_range", {"beta_range": (0.0, 1.0)}),
        (ValueError, "beta_range", {"beta_range": (1.0, float("nan"))}),
        (ValueError, "beta_range", {"beta_range": (1.0, 1e300)}),
        (ValueError, "beta_range", {"beta_range": (1.0,)}),
        (TypeError, "beta_range", {"beta_range": "x"}),
        (ValueError, "beta_schedule", {"beta_schedule_type": "custom"}),
        (ValueError, "beta_schedule", {"beta_schedule_type": "custom", "beta_schedule": [1.0, -1.0]}),
        (ValueError, "beta_schedule", {"beta_schedule": [1.0]}),
        (ValueError, "num_sweeps", {"beta_schedule_type": "custom", "beta_schedule": [1.0], "num_sweeps": 2}),
        (ValueError, "initial_states", {"initial_states": {"a": 1}}),
        (ValueError, "initial_states", {"initial_states": np.full((1, 12), 3)}),
        (ValueError, "initial_states", {"initial_states_generator": "none"}),
        (ValueError, "initial_states", {"initial_states_generator": "tile"}),
        (ValueError, "initial_states_generator", {"initial_states_generator": "some"}),
        (TypeError, "interrupt_function", {"interrupt_function": 1}),
        (ValueError, "proposal_acceptance_criteria", {"proposal_acceptance_criteria": "gibbs"}),
        (ValueError, "randomize_order", {"randomize_order": 1}),
        (ValueError, "time_limit", {"time_limit": 0}),
        (TypeError, "time_limit", {"time_limit": "1"}),
        (TypeError, "beta_range", {"beta_range": [[1, 2], [3]]}),
        (TypeError, "seed", {"seed": "x"}),
        (ValueError, "seed", {"seed": 1 << 32}),
        (ValueError, "threads", {"threads": 0}),
        (ValueError, "threads", {"threads": 1 << 40}),
    ],
)
def test_errors_name_the_option(error, name, options):
    with pytest.raises(error, match=name):
        ising.Sampler().sample(problem(8, "SPIN"), **options)


@pytest.mark.parametrize("h, J, name", [([np.inf], {}, "h"), ({0: None}, {}, "h"), ([], {(0, 1): "x"}, "J"),
                                        ([], {3: 1.0}, "J"), ([], {(0, 1): np.nan}, "J"), (b"x", {}, "h"),
                                        ("1", {}, "h"), ({0: "1"}, {}, "h"), (np.array(3), {}, "h")])
def test_errors_name_the_biases(h, J, name):
    with pytest.raises((TypeError, ValueError), match=f"^{name}: "):
        ising.Sampler().sample_ising(h, J)


def test_without_dimod():
    code = """
import sys
sys.modules["dimod"] = None
from hotloops import ising
result = ising.Sampler().sample_qubo({("a", "a"): -1.0, ("a", "b"): 2.0}, num_reads=10, seed=1)
assert isinstance(result, ising.Samples) and result.first == ({"a": 1, "b": 0}, -1.0), result.first
assert ising.Sampler().sample_ising({}, {}, num_reads=3).samples.shape == (3, 0)
states = ising.Sampler().sample_ising([1, 1], {}, initial_states=[[1, -1], [0, 1]], num_sweeps=0).samples
assert sorted(states.tolist()) == [[-1, 1], [1, -1]]
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_importing_hotloops_imports_dimod_only_with_ising():
    code = "import sys, hotloops; assert 'dimod' not in sys.modules; hotloops.ising; assert 'dimod' in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("vartype", ["SPIN", "BINARY"])
@pytest.mark.parametrize("scale", [1e-300, 1e-30, 1e30, 1e300, 1e307])
def test_biases_of_any_magnitude(vartype, scale):
    model = problem(4, vartype)
    scaled = dimod.BQM({v: scale * bias for v, bias in model.linear.items()},
                       {pair: scale * bias for pair, bias in model.quadratic.items()}, 0.0, vartype)
    sampled = ising.Sampler().sample(scaled, num_reads=30, seed=1)
    best = dimod.ExactSolver().sample(scaled).first.energy
    assert np.isclose(sampled.first.energy, best, rtol=1e-6, atol=0)
    again = ising.Sampler().sample(scaled, num_reads=30, seed=1, beta_range=sampled.info["beta_range"])
    assert np.isclose(again.first.energy, best, rtol=1e-6, atol=0)


def test_the_largest_and_the_smallest_numbers():
    for bias in (1.7e308, 5e-324):
        sampled = ising.Sampler().sample_ising({"a": bias}, {}, num_reads=20, seed=1)
        assert sampled.first.energy == -bias and sampled.first.sample["a"] == -1
    for options in ({"beta_range": (1e-30, 1e-20)}, {"beta_schedule_type": "custom", "beta_schedule": [1.0]}):
        assert len(ising.Sampler().sample_ising({"a": 1e-300}, {}, num_reads=3, **options)) == 3


def test_powers_of_two_change_no_sample():
    model, options = problem(5, "SPIN"), {"num_reads": 20, "seed": 1, "num_sweeps": 30}
    expected = None
    for power in (100, -100, 800, -800):
        scaled = dimod.BQM({v: 2.0**power * bias for v, bias in model.linear.items()},
                           {pair: 2.0**power * bias for pair, bias in model.quadratic.items()}, 0.0, "SPIN")
        samples = ising.Sampler().sample(scaled, **options).record.sample
        expected = samples if expected is None else expected
        assert (samples == expected).all()


def test_magnitudes_that_differ_too_much_are_named():
    for linear in ({"a": 1e300, "b": 1e-300}, {"a": 1.0, "b": 1e-50}):
        model = dimod.BQM(linear, {}, 0.0, "SPIN")
        with pytest.raises(ValueError, match="^bqm: the smallest bias is 0 in float32 .* give beta_range"):
            ising.Sampler().sample(model, seed=1)
        with pytest.raises(ValueError, match="^h, J: the smallest bias"):
            ising.Sampler().sample_ising(linear, {}, seed=1)
        with pytest.raises(ValueError, match="^Q: the smallest bias"):
            ising.Sampler().sample_qubo({(v, v): bias for v, bias in linear.items()}, seed=1)
        options = {"beta_range": (0.1 / linear["a"], 50 / linear["a"]), "num_reads": 9}
        assert ising.Sampler().sample(model, **options).first.sample["a"] == -1
    with pytest.raises(ValueError, match="^beta_range: exceeds float32"):
        ising.Sampler().sample_ising({"a": 1.0}, {}, beta_range=(1, 1e300))
    with pytest.raises(ValueError, match="^beta_schedule: exceeds float32"):
        ising.Sampler().sample_ising({"a": 1e300}, {}, beta_schedule_type="custom", beta_schedule=[1.0])


@pytest.mark.parametrize("model", [
    dimod.ConstrainedQuadraticModel(), dimod.QuadraticModel(), dimod.DiscreteQuadraticModel(), {}, None, [1.0], "bqm"],
    ids=lambda model: type(model).__name__)
def test_other_models_are_refused_by_name(model):
    with pytest.raises(TypeError, match=f"^bqm: expected a binary quadratic model, found {type(model).__name__}"):
        ising.Sampler().sample(model)


def test_default_sweeps_that_are_no_multiple():
    with pytest.raises(ValueError, match="^num_sweeps: is 1000, which is no multiple"):
        ising.Sampler().sample_ising({"a": 1.0}, {}, num_sweeps_per_beta=7)


@pytest.mark.parametrize("kind, steps", [("geometric", np.geomspace), ("linear", np.linspace)])
def test_steps_are_those_of_numpy(kind, steps):
    pairs, ones = np.array([[i, (i * 5 + 1) % 60] for i in range(60) if (i * 5 + 1) % 60 != i]), np.ones(60)
    biases = np.random.default_rng(1).random(len(pairs))
    anneal = lambda betas, **options: ising._native.anneal(pairs, biases, ones, 40, betas, 1, **options)
    for hot, cold in ((0.013, 2.7), (0.5, 0.5), (1e-20, 1e20)):
        for count in (0, 2, 3, 200):
            found = anneal((kind, hot, cold, count))
            assert (found == anneal(steps(hot, cold, count).astype(np.float32))).all()
    betas = np.float32([0.5, 0.5, 1.5])
    assert (anneal(betas, per_beta=3) == anneal(np.repeat(betas, 3))).all()
    # More sweeps at a temperature than are made between two looks for an interruption.
    small = lambda *schedule, **options: ising._native.anneal(
        np.array([[0, 1]]), np.ones(1), np.ones(2) / 3, 9, *schedule, 1, **options)
    betas = np.float32([0.1, 0.7, 0.7])
    assert (small(betas, per_beta=300_001) == small(np.repeat(betas, 300_001))).all()


def test_a_long_schedule_begins_at_once():
    # Sweeps of a day, and 8 EB if they were listed.
    calls, begin = [], time.perf_counter()
    options = {"num_sweeps": 1 << 60, "beta_schedule_type": "linear"}
    with pytest.raises(KeyboardInterrupt):
        timer = threading.Timer(0.5, lambda: calls.append(os.kill(os.getpid(), signal.SIGINT)))
        timer.start()
        ising.Sampler().sample_ising({i: 1.0 for i in range(10)}, {}, **options)
    assert calls and time.perf_counter() - begin < 5


def test_dense_random_couplings_are_accepted():
    # Of a million couplings, some differ by less than the rounding.
    n = 1500
    i, j = np.triu_indices(n, 1)
    biases = np.random.default_rng(1).uniform(-1, 1, len(i))
    bqm = dimod.BQM.from_numpy_vectors(np.zeros(n), (i, j, biases), 0.0, "SPIN")
    sampled = ising.Sampler().sample(bqm, num_reads=2, num_sweeps=20, seed=1)
    assert sampled.first.energy < -0.3 * n**1.5


def test_costs_beside_large_penalties_are_kept():
    # Spins 1 and 2 are held apart, so that the couplings of 1e12 to spin 0 cancel, and its field of 1 decides.
    fields, couplings = {0: -1.0, 1: -1e13, 2: 1e13}, {(0, 1): -1e12, (0, 2): -1e12}
    options = {"num_reads": 20, "beta_range": (1e-13, 8), "num_sweeps": 100, "seed": 1}
    sampled = ising.Sampler().sample_ising(fields, couplings, **options)
    assert all(sampled.record.sample[:, list(sampled.variables).index(0)] == 1)


def test_metropolis_warns_of_circles(monkeypatch):
    ring = {(i, (i + 1) % 6): 1.0 for i in range(6)}
    sampler, traps = ising.Sampler(), dimod.BQM({}, ring, 0.0, "SPIN")
    free = dimod.BQM({0: 0.25}, ring, 0.0, "SPIN")
    assert sampler.may_trap(traps) is True and sampler.may_trap(free) is False
    assert sampler.may_trap(traps.change_vartype("BINARY", inplace=False)) is True
    assert sampler.may_trap(dimod.BQM({}, {}, 0.0, "SPIN")) is False
    assert sampler.may_trap(traps, num_reads=512) is False
    # The model of the reads tells; none is built for the warning alone.
    monkeypatch.delattr(ising._native, "may_trap")
    with pytest.warns(UserWarning, match="^proposal_acceptance_criteria: 'Metropolis' may go round in circles") as seen:
        sampler.sample(traps, proposal_acceptance_criteria="Metropolis")
    assert seen[0].filename == __file__
    with pytest.warns(UserWarning, match="circles"):
        sampler.sample_ising({}, ring, proposal_acceptance_criteria="Metropolis", interrupt_function=lambda: False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for rule in ("Gibbs", None):
            sampler.sample(traps, proposal_acceptance_criteria=rule)
        sampler.sample(free, proposal_acceptance_criteria="Metropolis")
        # Many reads are a bit each, and no flip is certain.
        sampler.sample(traps, num_reads=512, proposal_acceptance_criteria="Metropolis")


@pytest.mark.parametrize("name, call", [
    ("bqm", lambda: ising.Sampler().may_trap({})),
    ("num_reads", lambda: ising.Sampler().may_trap(problem(8, "SPIN"), num_reads=0)),
])
def test_errors_of_may_trap(name, call):
    with pytest.raises((TypeError, ValueError), match=f"^{name}: "):
        call()
