"""Exhausted memory and threads: an exception, not the end of the process."""

import subprocess
import sys

import numpy as np
import pytest
from hotloops import bits, clifford, fingerprints, ising, linalg
from hotloops.random import BitGenerator


@pytest.mark.parametrize(
    "call",
    [
        lambda: linalg.matmul(np.ones((1 << 22, 1), np.float32), np.ones((1, 1 << 22), np.float32)),
        lambda: linalg.matmul(np.ones((1 << 31, 0), np.float32), np.ones((0, 1 << 32), np.float32)),
        lambda: fingerprints.tanimoto_matrix(np.zeros((1 << 23, 1), np.uint8)),
        lambda: fingerprints.hamming_matrix(np.zeros((1 << 23, 1), np.uint8)),
        lambda: fingerprints.nearest(*[np.zeros((1 << 22, 1), np.uint8)] * 2, k=1 << 22),
        lambda: ising.Sampler().sample_ising([1.0] * 4000, {}, num_reads=2**40),
        lambda: ising.Sampler().sample_ising([1.0] * 4000, {}, num_reads=2**62),
        lambda: BitGenerator(1).random_uint32(2**45),
        lambda: BitGenerator(1).random_uint32(2**63),
        lambda: bits.bitunslice(np.zeros(0, np.uint8), np.uint64, 2**50),
        lambda: clifford.Layer((1,), np.zeros((2, 4, 4, 3, 3)), padding=1 << 22)(np.zeros((1, 4, 1, 1, 2))),
    ],
    ids=range(11),
)
def test_exhausted_memory(call):
    with pytest.raises((MemoryError, ValueError)) as raised:
        call()
    assert raised.type is MemoryError or "too large" in str(raised.value) or "planes" in str(raised.value)


LIMITED = """
import resource
import numpy as np
from hotloops import clifford, fingerprints

{before}
pages = int(open("/proc/self/statm").read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + (6 << 20),) * 2)
try:
    {call}
except MemoryError:
    raise SystemExit(0)
raise SystemExit("memory beyond the limit")
"""

LAYER = "weights = np.ones((8, 512, 512), np.float32); clifford.Layer((1, 1, 1), weights[:, :8, :8])"
INDEX = "rows = np.ones((1 << 20, 64), np.uint8); fingerprints.Index(rows[:8])"


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
@pytest.mark.parametrize(
    "before, call", [(LAYER, "clifford.Layer((1, 1, 1), weights)"), (INDEX, "fingerprints.Index(rows)")],
    ids=["layer", "index"])
def test_memory_limit(before, call):
    program = LIMITED.format(before=before, call=call)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done


def test_too_many_threads():
    for threads in (0, 1 << 20, 1 << 40):
        with pytest.raises(ValueError, match="threads"):
            fingerprints.hamming_matrix(np.ones((2, 2), np.uint8), threads=threads)
        with pytest.raises(ValueError, match="threads"):
            clifford.Layer((1,), np.ones((2, 1, 1)))(np.ones((1, 1, 2)), threads=threads)
