"""Products of multivectors by hotloops and by torch: the same work, one core, one interleaved run.

    make -C capi install PREFIX=/tmp/hotloops
    pip install numpy torch==2.15.0
    python3 benches/peers/clifford.py /tmp/hotloops [TABLE]

torch computes the geometric product as Clifford networks do: `einsum` with the table of the algebra, as in CGENN and
GATr; the weighted product of CGENN with its weights expanded to that table beforehand; the sandwich product r x ~r by
two such einsums, for any r and for an even one. Results are compared. Times are CPU times of one thread, medians of
ROUNDS rounds; of short calls, REPEATS together. TABLE is written as Markdown; `docs/clifford-peers.md` is one.
"""

import ctypes
import datetime
import functools
import itertools
import os
import pathlib
import statistics
import sys
import time

import numpy
import torch

torch.set_num_threads(1)
ROUNDS, REPEATS = 9, 20
hl = ctypes.CDLL(str(pathlib.Path(sys.argv[1]) / "lib/libhotloops.so"))
size_t, pointer = ctypes.c_size_t, ctypes.c_void_p  # arguments are converted once, outside the times
hl.hl_isa_active.restype = ctypes.c_char_p
table = []


class Algebra:
    """The blades of an algebra by grade, and its products from the defining relations."""

    def __init__(self, squares):
        n, self.squares = len(squares), numpy.array(squares, numpy.int8)
        generators = [blade for k in range(n + 1) for blade in itertools.combinations(range(n), k)]
        self.grades = [len(blade) for blade in generators]
        self.products = numpy.zeros((2**n,) * 3, numpy.float32)  # of blades i and k: the part of blade j
        for (i, first), (k, second) in itertools.product(enumerate(generators), repeat=2):
            blades, sign = list(first + second), 1
            for end in range(len(blades) - 1, 0, -1):
                for at in range(end):
                    if blades[at] > blades[at + 1]:
                        blades[at], blades[at + 1], sign = blades[at + 1], blades[at], -sign
            for pair in set(first) & set(second):
                blades, sign = [blade for blade in blades if blade != pair], sign * squares[pair]
            self.products[i, generators.index(tuple(blades)), k] += sign
        self.even = numpy.array([float(k % 2 == 0) for k in self.grades], numpy.float32)
        self.reverse = numpy.array([(-1.0) ** (k * (k - 1) // 2) for k in self.grades], numpy.float32)
        grade = numpy.array(self.grades)
        triples = itertools.product(range(n + 1), repeat=3)
        self.masks = [mask for g, j, h in triples if (mask := self.products * (grade == g)[:, None, None]
                      * (grade == j)[None, :, None] * (grade == h)[None, None, :]).any()]


def aligned(array):
    """A copy of an array on a line of the caches, where torch has its own."""
    memory = numpy.empty(array.nbytes + 64, numpy.uint8)
    begin = -memory.ctypes.data % 64
    copy = memory[begin:begin + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def run(title, count, jobs):
    times = {name: [] for name in jobs}
    repeats = REPEATS if count < 10000 else 1
    for _ in range(ROUNDS):
        for name, job in jobs.items():
            begin = time.thread_time()
            for _ in range(repeats):
                job()
            times[name].append((time.thread_time() - begin) / repeats / count)
    medians = [statistics.median(taken) for taken in times.values()]
    table.append((title, *(1e9 * median for median in medians), medians[1] / medians[0]))
    print(f"{title}: {1e9 * medians[0]:.2f} ns, torch {1e9 * medians[1]:.1f} ns, {medians[1] / medians[0]:.1f}", flush=True)


def compare(squares, count, channels=16):
    algebra, random = Algebra(squares), numpy.random.default_rng(1)
    blades = len(algebra.grades)
    numbers = lambda *shape: aligned(random.standard_normal(shape, numpy.float32))
    x, y, z = numbers(count, blades), numbers(count, blades), numbers(count, blades)
    weights = numbers(len(algebra.masks), channels)
    even = aligned(x * algebra.even)
    at = lambda array: pointer(array.ctypes.data)
    g, n, xs, ys, zs, ws = at(algebra.squares), size_t(len(squares)), at(x), at(y), at(z), at(weights)
    es, all_of, rows_of = at(even), size_t(count), size_t(count // channels)
    tx, ty, products = torch.tensor(x), torch.tensor(y), torch.tensor(algebra.products)
    expanded = torch.tensor(numpy.einsum("pc,pijk->cijk", weights, numpy.array(algebra.masks)))
    reverse, te = torch.tensor(algebra.reverse), torch.tensor(even)
    by_channel = lambda array: array.reshape(-1, channels, blades)
    product = lambda x, y: torch.einsum("ni,ijk,nk->nj", x, products, y)
    rows = {
        "geometric product": (
            functools.partial(hl.hl_clifford_product_f32, g, n, all_of, xs, ys, zs), lambda: product(tx, ty)),
        "weighted product, 16 channels": (
            functools.partial(hl.hl_clifford_weighted_f32, g, n, rows_of, size_t(channels), ws, xs, ys, zs),
            lambda: torch.einsum("bni,nijk,bnk->bnj", by_channel(tx), expanded, by_channel(ty)).reshape(count, blades)),
        "sandwich product": (
            functools.partial(hl.hl_clifford_sandwich_f32, g, n, all_of, xs, ys, zs),
            lambda: product(product(tx, ty), tx * reverse)),
        "sandwich product, even r": (
            functools.partial(hl.hl_clifford_sandwich_f32, g, n, all_of, es, ys, zs),
            lambda: product(product(te, ty), te * reverse)),
    }
    for name, (ours, theirs) in rows.items():
        assert ours() == 0
        expected = theirs().numpy()
        assert numpy.allclose(z, expected, rtol=1e-3, atol=1e-3), name
        run(f"{name}, {tuple(squares)}, {count} multivectors", count, {"hotloops": ours, "torch": theirs})


for squares in (1, 1), (1, 1, 1), (0, 1, 1, 1):
    for count in 2048, 131072:
        compare(squares, count)

if len(sys.argv) > 2:
    cpu = next(line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name"))
    text = f"""# Products of multivectors by hotloops and by torch

`benches/peers/clifford.py` on one core of an {cpu} (`{hl.hl_isa_active().decode()}`), {datetime.date.today()}, mean load
{os.getloadavg()[2]:.0f}, torch {torch.__version__}. Nanoseconds of CPU time per multivector of f32, medians. The script says how torch is called.
Calls from Python are in the times.

| | hotloops | torch | torch over hotloops |
|---|---|---|---|
"""
    text += "".join(f"| {title} | {ours:.2f} | {theirs:.1f} | {ratio:.1f} |\n" for title, ours, theirs, ratio in table)
    pathlib.Path(sys.argv[2]).write_text(text)
