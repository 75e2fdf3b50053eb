"""The sampler as a dimod sampler, its keywords, and the sampler without dimod."""

import subprocess
import sys
import unittest

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
                                        ([], {3: 1.0}, "J"), ([], {(0, 1): np.nan}, "J")])
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
