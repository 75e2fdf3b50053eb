#!/usr/bin/env python3
"""Ground-state searches at equal CPU time, one thread: `hotloops ising`, simulated annealing and tabu search of
dwave-samplers, simulated annealing of OpenJij.

    pip install numpy dwave-samplers==1.8.0 dwave-networkx==0.8.19 openjij==0.12.2
    cargo build --release
    python3 benches/peers/ising/run.py [--gset FOLDER] [--budgets 1,10] [--seeds 3] [--jobs 1] [--only WORD]
        [--binary FILE]

It writes benches/peers/ising/record.json, and from it docs/ising-peers.md (`--render`: only the latter).

The problems are generated from seeds (instances.py), except the G-set graphs G1, G14, G22 and G43, which are read
from FOLDER. Without them, uniform random graphs as large as G1, G22 and G43 take their place. Their best cuts are not
known.

Budgets are seconds of user and system time. The whole process of `hotloops ising FILE --time T --threads 1` counts,
reading the file included. T is wall time: on a shared machine it is stretched such that the CPU time meets the budget,
and a run is repeated, twice at most, if it misses the budget by more than 10 %. The set-up of the peers (models of
Python, neighbour lists) is not counted: their number of sweeps is the budget divided by the time of a sweep, from a
short and a long run. They have one read of as many sweeps as fit, with their default temperatures and with ours, and
10 shorter reads; the variant that finds the best energy in the smallest budget, with another seed, is used. Energies of
all programs are computed here from the spins they return.

The time to target is the CPU time in which `hotloops ising --target` meets the best energy of dwave-samplers
at the largest budget.
"""

import argparse
import concurrent.futures
import datetime
import importlib.metadata
import json
import os
import re
import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"

import dimod
import dwave.samplers
import numpy
import openjij

from instances import all_instances
from render import render

ROOT = Path(__file__).resolve().parents[3]
RECORD = ROOT / "benches/peers/ising/record.json"
TABU_SPINS = 1024
# Wall seconds per CPU second.
stretch = 1.0


class Problem:
    def __init__(self, instance):
        self.instance = instance
        self.i, self.j, self.J = (numpy.array(column) for column in zip(*instance.couplings))
        self.h = numpy.zeros(instance.spins)
        for i, h in instance.fields:
            self.h[i] = h
        # Our default temperatures: 0.1 and 10 over the root mean square of the local field.
        unit = ((2 * (self.J.astype(float) ** 2).sum() + (self.h**2).sum()) / instance.spins) ** -0.5
        self.betas = [0.1 * unit, 10 * unit]

    def energy(self, spins):
        spins = numpy.asarray(spins, dtype=float)
        return float(-(self.J * spins[self.i] * spins[self.j]).sum() - self.h @ spins)

    def dictionaries(self):
        """Fields and couplings with the signs of dimod."""
        fields = {i: -float(h) for i, h in self.instance.fields}
        return fields, {(i, j): -float(J) for i, j, J in self.instance.couplings}


class Hotloops:
    def __init__(self, problem, binary):
        self.problem, self.binary = problem, binary
        self.folder = tempfile.TemporaryDirectory()
        self.model = Path(self.folder.name) / ("model.gset" if problem.instance.is_graph else "model.coo")
        self.model.write_text(problem.instance.text)
        self.factor = 1.0

    def once(self, wall, seed, *options):
        spins = Path(self.folder.name) / "spins"
        words = [self.binary, "ising", self.model, "--threads", "1", "--seed", str(seed), "--time", f"{wall:.3f}s"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begin = time.monotonic()
        run = subprocess.run([*words, *options, "--spins", spins], check=True, capture_output=True, text=True)
        elapsed = time.monotonic() - begin
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        pairs = sorted(tuple(map(int, line.split())) for line in spins.read_text().splitlines())
        self.output = run.stdout
        energy = self.problem.energy([spin for _, spin in pairs])
        printed = float(re.search(r"best \w+ (\S+),", run.stdout)[1])
        instance = self.problem.instance
        assert abs(printed - (instance.cut(energy) if instance.is_graph else energy)) < 1e-6 * abs(printed), run.stdout
        return energy, cpu, elapsed

    def solve(self, budget, seed):
        global stretch
        for _ in range(3):
            energy, cpu, elapsed = self.once(budget * self.factor, seed)
            stretch = min(20.0, elapsed / cpu)
            self.factor *= min(4.0, budget / cpu)
            if abs(cpu / budget - 1) < 0.1:
                break
        return energy, cpu

    def facts(self):
        """Kind, copies and nanoseconds per visit of the last run."""
        kind = re.search(r"model (\w+)", self.output)[1]
        copies = re.search(r"copies (\d+)", self.output)[1]
        visits, wall = re.search(r"(\S+) updates in (\S+) s", self.output).groups()
        return {"kind": kind, "copies": int(copies), "visits": float(visits), "wall": float(wall)}

    def to_target(self, energy, limit, seed):
        value = self.problem.instance.cut(energy) if self.problem.instance.is_graph else energy
        found, cpu, _ = self.once(limit * stretch, seed, f"--target={value!r}")
        return cpu if found <= energy + 1e-6 * abs(energy) else None


def rows_of(found):
    """The samples, with the spins in the order of their numbers."""
    return found.record.sample[:, numpy.argsort(numpy.array(list(found.variables)))]


class Annealer:
    """A peer with a number of sweeps. `sample(variant, reads, sweeps, seed)` returns rows of spins."""

    def __init__(self, problem):
        self.problem = problem
        self.costs = {}

    def reads(self, variant):
        return 10 if variant == "10 reads" else 1

    def timed(self, variant, sweeps, seed):
        begin = time.process_time()
        rows = self.sample(self.variants[variant], sweeps, seed)
        cpu = time.process_time() - begin
        return min(map(self.problem.energy, rows)), cpu

    def cost(self, variant):
        """Seconds of set-up and of a sweep of all reads."""
        if variant not in self.costs:
            short, long = 4, 40
            first = self.timed(variant, short, 1)[1]
            while (last := self.timed(variant, long, 1)[1]) < first + 0.25:
                long *= 4
            sweep = (last - first) / (long - short)
            self.costs[variant] = max(0.0, first - short * sweep), sweep
        return self.costs[variant]

    def solve(self, variant, budget, seed):
        setup, sweep = self.cost(variant)
        energy, cpu = self.timed(variant, max(1, round(budget / sweep)), seed)
        return energy, cpu - setup


class Dwave(Annealer):
    name = "dwave-samplers SA"
    variants = {
        "1 read": {"num_reads": 1},
        "1 read, our range, linear": {"num_reads": 1, "beta_range": "ours", "beta_schedule_type": "linear"},
        "10 reads": {"num_reads": 10},
    }

    def __init__(self, problem):
        super().__init__(problem)
        self.sampler = dwave.samplers.SimulatedAnnealingSampler()
        self.model = dimod.BinaryQuadraticModel.from_ising(*problem.dictionaries())

    def sample(self, options, sweeps, seed):
        options = {**options, **({"beta_range": self.problem.betas} if "beta_range" in options else {})}
        found = self.sampler.sample(self.model, num_sweeps=sweeps, seed=seed, **options)
        return rows_of(found)


class OpenJij(Annealer):
    name = "OpenJij SA"
    variants = {"1 read": False, "1 read, our range": True}

    def __init__(self, problem):
        super().__init__(problem)
        self.sampler = openjij.SASampler()
        self.fields, self.couplings = problem.dictionaries()

    def sample(self, is_ours, sweeps, seed):
        betas = dict(zip(("beta_min", "beta_max"), self.problem.betas)) if is_ours else {}
        given = self.fields, self.couplings
        found = self.sampler.sample_ising(*given, num_reads=1, num_sweeps=sweeps, seed=seed, **betas)
        return rows_of(found)


class Tabu:
    name = "dwave-samplers tabu"

    def __init__(self, problem):
        self.problem = problem
        self.sampler = dwave.samplers.TabuSampler()
        self.model = dimod.BinaryQuadraticModel.from_ising(*problem.dictionaries())

    def solve(self, budget, seed):
        begin = time.process_time()
        found = self.sampler.sample(self.model, num_reads=1, timeout=int(1000 * budget * stretch), seed=seed)
        cpu = time.process_time() - begin
        return min(self.problem.energy(row) for row in rows_of(found)), cpu


def summary(results):
    """Results are pairs of energy and CPU time."""
    energies = [energy for energy, _ in results]
    cpu = statistics.median(cpu for _, cpu in results)
    return {"energies": energies, "median": statistics.median(energies), "cpu": cpu}


def measure(instance, budgets, seeds, binary):
    problem = Problem(instance)
    row = {"name": instance.name, "spins": instance.spins, "couplings": len(instance.couplings),
           "sha256": instance.sha256, "is_graph": instance.is_graph,
           "total": sum(J for _, _, J in instance.couplings), "reference": instance.reference, "solvers": {}}
    ours = Hotloops(problem, binary)
    of_ours = row["solvers"]["hotloops"] = {"budgets": {}}
    for budget in budgets:
        of_ours["budgets"][f"{budget:g}"] = summary([ours.solve(budget, seed) for seed in seeds])
        of_ours.update(ours.facts())
    for peer in Dwave(problem), OpenJij(problem):
        variants = {name: peer.solve(name, budgets[0], 0)[0] for name in peer.variants}
        best = min(variants, key=variants.get)
        found = {f"{budget:g}": summary([peer.solve(best, budget, seed) for seed in seeds]) for budget in budgets}
        visits = instance.spins * peer.reads(best)
        ns = 1e9 * peer.cost(best)[1] / visits
        row["solvers"][peer.name] = {"variant": best, "variants": variants, "ns": ns, "budgets": found}
    if instance.spins <= TABU_SPINS:
        tabu = Tabu(problem)
        found = {f"{budget:g}": summary([tabu.solve(budget, seed) for seed in seeds]) for budget in budgets}
        row["solvers"][Tabu.name] = {"budgets": found}
    target = min(row["solvers"][Dwave.name]["budgets"][f"{budgets[-1]:g}"]["energies"])
    times = [ours.to_target(target, 3 * budgets[-1], seed) for seed in seeds]
    row["target"] = {"energy": target, "seconds": times}
    print(json.dumps(row), flush=True)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gset", help="folder of the G-set files G1, G14, G22, G43")
    parser.add_argument("--budgets", default="1,10", help="CPU seconds")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=1, help="problems at a time")
    parser.add_argument("--only", default="", help="problems whose names contain this")
    parser.add_argument("--binary", default=str(ROOT / "target/release/hotloops"))
    parser.add_argument("--build", default="cargo build --release", help="how the binary was built, for the record")
    parser.add_argument("--render", action="store_true", help="write the Markdown of the last record")
    given = parser.parse_args()
    if not given.render:
        budgets = [float(word) for word in given.budgets.split(",")]
        instances = [instance for instance in all_instances(given.gset) if given.only in instance.name]
        versions = {name: importlib.metadata.version(name) for name in ("dwave-samplers", "openjij", "numpy")}
        version = subprocess.run([given.binary, "--version"], capture_output=True, text=True, check=True).stdout.strip()
        cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
        options = f"--budgets {given.budgets} --seeds {given.seeds} --jobs {given.jobs}"
        options += " --gset FOLDER" * bool(given.gset)
        record = {"date": datetime.date.today().isoformat(), "cpu": cpu[1] if cpu else "unknown", "build": given.build,
                  "versions": {"hotloops": version, **versions}, "command": "benches/peers/ising/run.py " + options,
                  "budgets": budgets, "rows": []}
        order = [instance.name for instance in instances]
        with concurrent.futures.ProcessPoolExecutor(given.jobs) as pool:
            seeds = range(1, given.seeds + 1)
            jobs = [pool.submit(measure, instance, budgets, seeds, given.binary) for instance in instances]
            for job in concurrent.futures.as_completed(jobs):
                record["rows"] = sorted([*record["rows"], job.result()], key=lambda row: order.index(row["name"]))
                record["load"] = os.getloadavg()[2]
                # Complete problems are kept if the run is interrupted.
                RECORD.write_text(json.dumps(record, indent=1) + "\n")
    (ROOT / "docs/ising-peers.md").write_text(render(json.loads(RECORD.read_text())))


if __name__ == "__main__":
    main()
