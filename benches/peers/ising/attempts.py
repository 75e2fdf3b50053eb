#!/usr/bin/env python3
"""The strongest public sampler of the same Markov chain against the exact sweep, on one core and on the same model.

    pip install dwave-samplers==1.8.0
    cargo build --release && python3 benches/peers/ising/attempts.py

dwave-samplers' simulated annealing (a C++ core: sequential Metropolis, neighbour lists, energies kept up to date in
double precision, xorshift128+) walks over the paper's model, 256 layers of 96 spins, at the temperature where a third
of the attempts flip. Its time per attempt is the time difference of a long and a short run, divided
by the difference of their attempts; this cancels the set-up time. `hotloops ladder` measures ours,
before and after. All times are printed, with the ratio of the medians.
"""
import json
import statistics
import subprocess
import sys
from pathlib import Path

import numpy as np
from dwave.samplers import SimulatedAnnealingSampler

ROOT = Path(__file__).resolve().parents[3]
LAYERS, BETA = 256, 0.4
SHORT, LONG, ROUNDS = 20, 220, 9


def problem():
    """Fields and couplings of all layers; dwave-samplers minimises, we maximise: all signs change."""
    h, couplings, sites = {}, {}, 0
    lines = (ROOT / "examples/data/chimera_4x3.coo").read_text().splitlines()
    rows = [line.split("#")[0].split() for line in lines]
    rows = [(int(i), int(j), float(value)) for i, j, value in filter(None, rows)]
    sites = 1 + max(max(i, j) for i, j, _ in rows)
    for layer in range(LAYERS):
        here, above = layer * sites, (layer + 1) % LAYERS * sites
        for i, j, value in rows:
            if i == j:
                h[here + i] = -value
            else:
                couplings[here + i, here + j] = -value
        for i in range(sites):
            h.setdefault(here + i, 0.0)
            couplings[here + i, above + i] = -1.0
    return h, couplings


def ladder():
    """Nanoseconds per attempt of our levels on one thread, by the best instruction set."""
    command = [ROOT / "target/release/hotloops", "ladder", "--quick", "--format", "json"]
    rows = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["rows"]
    return {row["level"]: (row["isa"], row["ns_per_update"]) for row in rows if row["threads"] == 1}


def main():
    h, couplings = problem()
    sampler = SimulatedAnnealingSampler()

    def nanoseconds(sweeps):
        result = sampler.sample_ising(h, couplings, num_reads=1, num_sweeps=sweeps, num_sweeps_per_beta=sweeps,
                                      beta_range=[BETA, BETA], seed=1, beta_schedule_type="linear")
        return result.info["timing"]["sampling_ns"]

    before = ladder()
    attempts = (LONG - SHORT) * len(h)
    times = [(nanoseconds(LONG) - nanoseconds(SHORT)) / attempts for _ in range(ROUNDS)]
    after = ladder()
    theirs = statistics.median(times)
    print(f"dwave-samplers: {theirs:.2f} ns per attempt (min {min(times):.2f}, max {max(times):.2f})")
    for level, (isa, first) in before.items():
        ours = statistics.mean([first, after[level][1]])
        both = f"{first:.3f} and {after[level][1]:.3f} ns"
        print(f"{level} on {isa}: {both}, dwave-samplers takes {theirs / ours:.1f} times as long")


if __name__ == "__main__":
    sys.exit(main())
