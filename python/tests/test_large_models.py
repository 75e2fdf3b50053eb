"""Ctrl-C while a large Ising model is built, and the number of threads."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hotloops import ising
from test_interruption import LIMIT, best_only, bind, time_to_interrupt

RNG = np.random.default_rng(1)


def torus(side, biases):
    site = np.arange(side * side)
    x, y = site % side, site // side
    pairs = np.vstack([np.stack([site, y * side + (x + 1) % side], 1), np.stack([site, (y + 1) % side * side + x], 1)])
    return pairs, biases(2 * side * side), np.zeros(side * side)


def jobs():
    """Names, and functions that make a call: most of it builds a model."""
    for name, biases in (("+-1", lambda n: RNG.choice([-1.0, 1.0], n)), ("gauss", RNG.standard_normal)):
        for reads in (1, 64):
            model = torus(1000, biases)
            yield f"ising torus {name} of {reads} reads", lambda model=model, reads=reads: bind(
                ising._native.anneal, *model, reads, [1.0], 1)
        yield f"ising torus {name} may_trap", lambda model=model: bind(ising._native.may_trap, *model, 1)
    i, j = np.triu_indices(1500, 1)
    for name, biases in (("of 12 bits", lambda n: RNG.integers(-2000, 2000, n) / 4096), ("of ones", np.ones)):
        dense = np.stack([i, j], 1), biases(len(i)), np.zeros(1500)
        yield f"ising complete {name}", lambda dense=dense: bind(ising._native.anneal, *dense, 1, [1.0], 1)


JOBS = dict(jobs())


@best_only
@pytest.mark.parametrize("name", JOBS)
def test_interrupt(name):
    call = JOBS[name]()
    took = [time_to_interrupt(call, after) for after in (0.05, 0.2, 0.5)]
    print(f"\n{name}: {max(took):.3f} s")
    assert max(took) < LIMIT


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="no list of threads")
def test_no_more_threads_than_cores_can_use():
    code = """
import os
import numpy as np
from hotloops import fingerprints, ising
most = len(os.listdir("/proc/self/task")) + 4 * os.cpu_count() + 4
rows = np.random.default_rng(1).integers(0, 256, (300, 256), dtype=np.uint8)
expected = fingerprints.hamming_matrix(rows)
assert (fingerprints.hamming_matrix(rows, threads=4096) == expected).all()
calls = []
ising.Sampler().sample_ising([1.0] * 50, {}, num_reads=5000, threads=4096, interrupt_function=lambda: calls.append(1))
assert len(os.listdir("/proc/self/task")) <= most, len(os.listdir("/proc/self/task"))
# Rounds of as many reads as threads can make: a call could not end between them if these were thousands.
assert len(calls) >= 5000 // 16 // (4 * os.cpu_count())
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
