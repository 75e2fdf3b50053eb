import json
import math
import warnings

import numpy as np
import pytest
from hotloops import ising

COUPLINGS = {(0, 1): 1.0, (1, 2): -0.5, (2, 3): 0.75, (3, 4): -1.25, (4, 5): 1.0, (5, 0): 0.3, (1, 4): -0.6}
FIELDS = [0.1, 0.0, -0.2, 0.0, 0.3, 0.0]


def ring(sites, **options):
    order = np.arange(sites)
    pairs = np.stack([order, (order + 1) % sites], axis=1)
    return ising.Worldlines(pairs, np.ones(sites), np.zeros(sites), **options)


def log_of_sum(sites, beta, gamma):
    """ln Z of a ring of unit couplings by free fermions (Pfeuty 1970, with both parities)."""
    terms = []
    for shift, sign_of_product in ((0.5, 1), (0.0, -1)):
        k = 2 * math.pi * (np.arange(sites) + shift) / sites
        energy = 2 * np.sqrt(np.maximum(1 + gamma**2 - 2 * gamma * np.cos(k), 0))
        if shift == 0:
            energy[0] = 2 * (gamma - 1)
        x = beta * energy / 2
        terms.append((np.log(2 * np.cosh(x)).sum(), 1))
        terms.append((np.log(2 * np.abs(np.sinh(x))).sum(), sign_of_product * np.sign(x).prod()))
    largest = max(term for term, _ in terms)
    return largest + math.log(sum(sign * math.exp(term - largest) for term, sign in terms))


@pytest.mark.parametrize("slices", [1 << 16, 1 << 30])
def test_free_fermions(slices):
    sites, beta, gamma, step = 12, 4.0, 1.25, 1e-4
    lines = ring(sites, slices=slices, seed=3)
    assert (lines.slices, lines.sites) == (slices, 12)
    assert lines.sweep(beta, gamma, 500) > 0
    series = lines.series(beta, gamma, 20_000)
    of_beta = (log_of_sum(sites, beta + step, gamma) - log_of_sum(sites, beta - step, gamma)) / (2 * step)
    of_gamma = (log_of_sum(sites, beta, gamma + step) - log_of_sum(sites, beta, gamma - step)) / (2 * step)
    for name, exact in (("energy", -of_beta), ("transverse_magnetisation", of_gamma / beta / sites)):
        blocks = series[name].reshape(40, -1).mean(axis=1)
        sigma = blocks.std(ddof=1) / math.sqrt(40)
        assert abs(blocks.mean() - exact) < 4 * sigma < 0.1, (name, blocks.mean(), exact, sigma)
    assert abs(series["magnetisation"].mean()) < 0.2
    spins = lines.spins(slices // 2)
    flips = sum(int((lines.kinks(site) < slices // 2).sum()) for site in range(sites))
    assert spins.dtype == np.int8 and flips % 2 == (spins != lines.spins()).sum() % 2
    assert series["kinks"][-1] == sum(len(lines.kinks(site)) for site in range(sites))


def test_reads_are_those_of_the_command_and_the_library():
    schedule = {"Hp_field": [2.0, 2.0, 2.0], "Hd_field": [6.0, 3.5, 1.0], "num_sweeps_per_beta": 10}
    h, J = dict(enumerate(-np.array(FIELDS))), {pair: -value for pair, value in COUPLINGS.items()}
    options = {"beta_schedule_type": "custom", "seed": 7, "slices": 1000, "num_reads": 8, **schedule}
    results = [ising.PathIntegral().sample_ising(h, J, threads=threads, **options) for threads in (1, 3)]
    results.append(ising.PathIntegral().sample_ising(h, J, interrupt_function=lambda: False, **options))
    samples = [result.samples if isinstance(result, ising.Samples) else result.record.sample for result in results]
    for other in samples[1:]:
        assert (samples[0] == other).all()
    # The spins of the command's test `an_anneal_has_the_spins_of_the_library`, by energy.
    expected = ["++-+--", "++--+-", "++-+--", "----++", "++--++", "++--++", "++--++", "+---++"]
    found = ["".join("+" if spin > 0 else "-" for spin in row) for row in samples[0]]
    assert sorted(found) == sorted(expected)


def test_anneals_find_ground_states():
    bonds = {(i, (i + 1) % 20): 1.0 if i % 3 else -1.0 for i in range(20)}
    least = -20 + 2 * (sum(value > 0 for value in bonds.values()) % 2)
    steps = np.linspace(0, 1, 100)
    result = ising.PathIntegral().sample_ising(
        {}, bonds, beta_schedule_type="custom", Hp_field=0.1 + 8 * steps, Hd_field=8 * (1 - steps), num_reads=10,
        seed=1, num_sweeps_per_beta=3)
    assert result.first[1] == least
    assert result.info["beta_range"] == [0.1, 8.1]
    # Without a transverse field: a classical heat bath.
    classical = ising.PathIntegral().sample_ising({}, bonds, beta_range=(0.1, 5), num_sweeps=200, num_reads=20, seed=2)
    assert classical.first[1] == least
    qubo = ising.PathIntegral().sample_qubo({(0, 0): -1.0, (1, 1): -1.0, (0, 1): 3.0}, seed=3, num_reads=4)
    assert qubo.first[1] == -1.0


def test_a_free_spin_has_its_transverse_magnetisation():
    # Worldlines of the last step: kinks have the mean beta gamma tanh(beta gamma).
    result = ising.PathIntegral().sample_ising(
        {i: 0.0 for i in range(400)}, {}, beta_schedule_type="custom", Hp_field=[1.0], Hd_field=[1.5], num_reads=5,
        num_sweeps_per_beta=20, project_states=(True, False), schedule_sample_interval=1, seed=5)
    counts, positions = result.info["num_breaks"], result.info["break_positions"]
    assert counts.shape == (5, 400) and positions.shape == (counts.sum(),) and (counts % 2 == 0).all()
    mean, sigma = counts.mean(), counts.std() / math.sqrt(counts.size)
    assert abs(mean - 1.5 * math.tanh(1.5)) < 4 * sigma
    assert result.info["slices"] == 65536 and 0 <= positions.min() and positions.max() < 65536
    assert result.info["statistics"].shape == (5, 1, 400)
    text = ising.PathIntegral().sample_ising(
        {0: 1.0}, {}, num_sweeps=4, Hd_field=[1.0] * 4, schedule_sample_interval=2, project_states=(True, False),
        make_info_json_serializable=True)
    assert json.loads(json.dumps(text.info))["complete_break_specification"] is True


def test_clusters_forget_faster_at_the_transition():
    # A square lattice near its transition, at gamma = 3.044.
    side, beta, gamma = 8, 4.0, 3.0
    sites = np.arange(side * side)
    right, down = sites // side * side + (sites + 1) % side, (sites + side) % (side * side)
    pairs = np.concatenate([np.stack([sites, other], axis=1) for other in (right, down)])
    memory, energies = [], []
    for clusters in (0, 2):
        lattice = ising.Worldlines(pairs, np.ones(len(pairs)), np.zeros(side * side), seed=4)
        lattice.sweep(beta, gamma, 200, clusters=clusters)
        series = lattice.series(beta, gamma, 2000, clusters=clusters)
        square = series["magnetisation"] ** 2
        rest = square - square.mean()
        memory.append((rest[4:] * rest[:-4]).mean() / rest.var())
        blocks = series["energy"].reshape(20, -1).mean(axis=1)
        energies.append((blocks.mean(), blocks.std(ddof=1) / math.sqrt(20)))
    assert memory[1] < 0.6 * memory[0], memory
    (a, of_a), (b, of_b) = energies
    assert abs(a - b) < 4.5 * math.hypot(of_a, of_b), energies
    frustrated = ising.Worldlines(np.array([[0, 1], [1, 2], [0, 2]]), np.array([1.0, 1.0, -1.0]), np.zeros(3))
    assert frustrated.sweep(1.0, 1.0) > 0
    for call in (lambda: frustrated.sweep(1.0, 1.0, clusters=1), lambda: frustrated.series(1.0, 1.0, 2, clusters=1)):
        with pytest.raises(ValueError, match="^clusters: the couplings are frustrated .* leave it out"):
            call()


def exact_correlation(sites, beta, gamma, taus):
    """sum <sz(0) sz(tau)> / sites of a ring of unit couplings, and its gap, by exact diagonalisation."""
    states = np.arange(1 << sites)
    spins = 1 - 2 * (states[:, None] >> np.arange(sites) & 1)
    hamiltonian = np.diag(-(spins * np.roll(spins, 1, axis=1)).sum(axis=1).astype(float))
    for site in range(sites):
        hamiltonian[states, states ^ (1 << site)] -= gamma
    energies, vectors = np.linalg.eigh(hamiltonian)
    energies -= energies[0]
    weights = sum(np.abs(vectors.T @ (spins[:, [site]] * vectors)) ** 2 for site in range(sites)) / sites
    total = np.exp(-beta * energies).sum()
    decay = [np.exp(-(beta - tau) * energies[:, None] - tau * energies[None, :]) for tau in taus]
    return np.array([(weights * factor).sum() / total for factor in decay]), energies[1]


def test_correlations_and_their_gap_are_exact():
    sites, beta, gamma = 6, 8.0, 1.5
    lines = ring(sites, slices=1 << 14, seed=6)
    lags = [0, 1 << 11, 1 << 12, 1 << 13]
    taus = beta * np.array(lags) / lines.slices
    exact, gap = exact_correlation(sites, beta, gamma, taus)
    lines.sweep(beta, gamma, 200)
    found = lines.series(beta, gamma, 10_000, every=2, clusters=1, lags=lags)["correlation"]
    assert found.shape == (10_000, 4) and (found[:, 0] == 1).all()
    blocks = found.reshape(40, -1, 4).mean(axis=1)
    mean, sigma = blocks.mean(axis=0), blocks.std(axis=0, ddof=1) / math.sqrt(40)
    assert (np.abs(mean - exact) <= 4 * sigma + 1e-12).all() and sigma.max() < 0.01, (mean, exact, sigma)
    without = [ising.correlation_gap(beta, taus[1:], np.delete(blocks, k, axis=0).mean(axis=0)[1:]) for k in range(40)]
    error = math.sqrt(39 / 40 * ((np.array(without) - np.mean(without)) ** 2).sum())
    of_exact = ising.correlation_gap(beta, taus[1:], exact[1:])
    assert abs(ising.correlation_gap(beta, taus[1:], mean[1:]) - of_exact) < 4 * error < 0.4, (of_exact, error)
    # From above, and closer at later times.
    late, _ = exact_correlation(sites, 40.0, gamma, [5.0, 10.0, 20.0])
    assert 0 < ising.correlation_gap(40.0, np.array([5.0, 10.0, 20.0]), late) - gap < 0.01 < of_exact - gap
    assert ising.correlation_gap(8.0, np.array([1.0, 2.0, 4.0]), np.array([0.5, 0.6, 0.4])) is None
    assert "correlation" not in lines.series(beta, gamma, 2)


def test_wrong_arguments_are_named():
    sampler = ising.PathIntegral()
    for name, value, kind in [
        ("Hp_field", [1.0], ValueError), ("Hd_field", [1.0], ValueError), ("Gamma", -1.0, ValueError),
        ("qubits_per_chain", 2, ValueError), ("breaks_in", np.zeros(1), ValueError), ("slices", 1, ValueError),
        ("schedule_sample_interval", 101, ValueError), ("project_states", (False, True), ValueError),
        ("project_states", 3, TypeError), ("beta_range", (0, 1), ValueError), ("nonsense", 1, TypeError),
        ("beta_schedule_type", "custom", ValueError), ("num_sweeps", -1, ValueError),
    ]:
        with pytest.raises(kind, match="Hp_field" if value == "custom" else name):
            sampler.sample_ising({0: 1.0}, {(0, 1): 1.0}, **{name: value})
    for fields, name in [
        ({"Hd_field": [4.0, 1.0, 0.1]}, "Hd_field: has 3 values for 1 steps"), ({"beta_range": (1, 2)}, "beta_range"),
    ]:
        with pytest.raises(ValueError, match=name):
            sampler.sample_ising({0: 1.0}, {}, beta_schedule_type="custom", Hp_field=[1.0], **fields)
    lines = ring(4)
    for call, name in [
        (lambda: lines.sweep(-1.0, 1.0), "beta"), (lambda: lines.series(1.0, math.inf, 3), "gamma"),
        (lambda: lines.series(1.0, 1.0, 2, lags=[65536]), "^lags"), (lambda: lines.sweep(1.0, 1.0, 1, -1), "clusters"),
        (lambda: ising.correlation_gap(1.0, np.ones(2), np.ones(3)), "^taus: expected 3"),
        (lambda: ising.correlation_gap(1.0, np.array([0.1, 0.2, 0.6]), np.ones(3)), "taus"),
        (lambda: lines.spins(65536), "slice"), (lambda: lines.kinks(4), "site"),
        (lambda: ring(4, slices=1), "slices"), (lambda: lines.set_spins(np.zeros(4, np.int8)), "^spins"),
        (lambda: ising.Worldlines(np.zeros((0, 2), np.int64), np.zeros(0), np.zeros(0)), "^fields"),
        (lambda: ising.Worldlines(np.array([[0, 1], [1, 0]]), np.ones(2), np.zeros(2)), "^pairs"),
        (lambda: ising.Worldlines(np.array([[0, 1]]), np.array([1e300]), np.zeros(2)), "^couplings"),
    ]:
        with pytest.raises((ValueError, TypeError), match=name):
            call()


def test_dwave_calls_it():
    dimod = pytest.importorskip("dimod")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sampler = ising.PathIntegral()
    assert isinstance(sampler, dimod.Sampler)
    bqm = dimod.BinaryQuadraticModel({"a": 0.5, "b": -0.5}, {("a", "b"): -1.0}, 2.0, dimod.SPIN)
    sampled = sampler.sample(bqm, Hd_field=[2.0] * 100, num_reads=10, seed=8)
    assert sampled.first.energy == 1.0 and set(sampled.variables) == {"a", "b"}
