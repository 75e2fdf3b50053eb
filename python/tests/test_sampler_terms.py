"""Labels and magnitudes of problems that `hotloops.ising.Sampler` is given."""

import numpy as np
import pytest
from hotloops import ising

dimod = pytest.importorskip("dimod")


@pytest.mark.parametrize("labels", [
    [3, 1, 2, 0], list("badc"), ["b", 1, "a", 0], [(1, 0), (0, 1), (0, 0), (1, 1)], [0, 1, 2, 3], [2.5, -1, True, 0],
    [frozenset("b"), frozenset("a"), frozenset("ab"), frozenset()],
])
def test_columns_are_in_the_order_of_dimod(labels):
    samples = np.arange(8, dtype=np.int8).reshape(2, 4)
    expected = dimod.SampleSet.from_samples((samples % 2 * 2 - 1, labels), "SPIN", energy=[0.0, 1.0])
    columns, variables = ising._ascending(samples, labels)
    assert list(variables) == list(expected.variables)
    assert (columns % 2 * 2 - 1 == expected.record.sample).all()
    found = ising.Sampler().sample_ising(dict.fromkeys(labels, 1.0), {})
    assert list(found.variables) == list(variables)


def test_columns_of_many_labels_are_sorted_in_pieces():
    labels = np.random.default_rng(1).permutation(300_000).tolist()
    columns, variables = ising._ascending(np.array([labels]), labels)
    assert variables == sorted(labels) and columns[0].tolist() == variables


def test_dimod_does_not_sort_columns(monkeypatch):
    # It takes a second for a million, in which Ctrl-C has no effect.
    calls = []
    monkeypatch.setattr(dimod.SampleSet, "from_samples", lambda *_, **options: calls.append(options["sort_labels"]))
    ising.Sampler().sample_ising({2: 1.0, 1: 1.0}, {})
    assert calls == [False]


def test_terms_of_any_ratio_are_summed_or_refused():
    # One of five variables is 1, at a penalty, and they cost 1 to 5.
    def penalised(penalty):
        linear = {i: i + 1.0 - penalty for i in range(5)}
        return dimod.BQM(linear, {(i, j): 2.0 * penalty for i in range(5) for j in range(i)}, penalty, "BINARY")

    expected = {0: 1, 1: 0, 2: 0, 3: 0, 4: 0}
    for power in range(1, 16):
        bqm, options = penalised(10.0**power), {"num_reads": 100, "seed": 1, "beta_range": (1e-12, 20.0)}
        for model in (bqm, bqm.change_vartype("SPIN", inplace=False)):
            first = ising.Sampler().sample(model, **options).first.sample
            assert [first[i] > 0 for i in range(5)] == [value > 0 for value in expected.values()], power
    with pytest.raises(ValueError, match="differ too much .* scale penalties down or name a kind"):
        # Two couplings cancel at spin 0, whose field is 1.
        ising.Sampler().sample_ising({0: 1.0, 1: 1e21, 2: -1e21}, {(0, 1): 1e20, (0, 2): 1e20})
