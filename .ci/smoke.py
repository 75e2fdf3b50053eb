"""One call of each module of an installed package, compared with numpy or known values."""

import numpy as np
import hotloops
from hotloops import bits, clifford, correlation, fingerprints, hardround, isa, ising, linalg
from hotloops.random import BitGenerator

assert isa.active() in isa.usable()
x = np.arange(5000, dtype=np.int16)
assert (bits.bitunslice(bits.bitslice(x), np.int16, 5000) == x).all()
a = np.arange(12, dtype=np.float32).reshape(3, 4)
assert (linalg.matmul(a, a.T) == a @ a.T).all()
assert linalg.sum_repro(x.astype(np.float64)) == x.sum()
rows = np.random.default_rng(1).integers(0, 256, (100, 16), dtype=np.uint8)
numbers, scores = fingerprints.Index(rows).search(rows[7], top=1)
assert numbers[0] == 7 and scores[0] == 1
# The same seed gives the same words.
assert (BitGenerator(1).random_raw(5) == BitGenerator(1).random_raw(5)).all()
reads = ising.Sampler().sample_ising({"a": 0.5, "b": 0.0}, {("a", "b"): -1.0}, num_reads=10, seed=1)
assert reads.first[1] == -1.5
points = np.random.default_rng(1).random((100, 2)) * 10
assert np.isfinite(correlation.rdf(points, bins=(0, 5, 0.5), box=(10, 10)).g).all()
assert clifford.product([1.0, 2.0], [3.0, 4.0], (-1,)).tolist() == [-5.0, 10.0]
assert len(hardround.search("exp", 1.0, 1.0 + 2**-12, within=2**-38)["x"]) > 0
print("hotloops of", hotloops.__file__, "runs on", isa.active())
