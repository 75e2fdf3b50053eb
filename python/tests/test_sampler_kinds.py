import pytest
from hotloops import ising

RING = {(i, (i + 1) % 30): -1.0 for i in range(30)}
ROUGH = {(0, 1): 0.123456789, (1, 2): -0.987654321, (0, 2): 0.3333333}


def run(couplings=RING, **options):
    return ising.Sampler().sample_ising({}, couplings, num_reads=128, num_sweeps=200, seed=1, **options)


def spins(sampled):
    return (sampled.samples if isinstance(sampled, ising.Samples) else sampled.record.sample).tobytes()


def test_each_kind_has_its_trajectory():
    words = ising.Sampler.properties["kind_options"]
    found = {kind: run(kind=kind) for kind in words}
    assert all(sampled.first[1] == -30 for sampled in found.values())
    by_kind = {kind: spins(sampled) for kind, sampled in found.items()}
    assert by_kind["auto"] == spins(run()) and len(set(by_kind.values())) > 3
    assert spins(run(kind="f32-fast", threads=1)) == spins(run(kind="f32-fast", threads=3)) != by_kind["i8-exact"]


def test_a_kind_that_cannot_be_is_refused():
    for error, text, options in (
        (ValueError, "^kind: .*f32-fast.*i8-exact", {"kind": "f32"}),
        (ValueError, "^kind: worldline .* use PathIntegral", {"kind": "worldline"}),
        (TypeError, "^kind", {"kind": 3}),
        (ValueError, "^kind: bits cannot run this problem: .*; choose another kind",
         {"kind": "bits", "couplings": ROUGH}),
    ):
        with pytest.raises(error, match=text):
            run(**options)
