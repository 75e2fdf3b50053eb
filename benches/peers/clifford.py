"""Products of multivectors by hotloops and by torch: the same work, one core, one interleaved run.

    make -C capi install PREFIX=/tmp/hotloops
    pip install numpy torch==2.15.0
    python3 benches/peers/clifford.py /tmp/hotloops [TABLE]

torch computes the geometric product as Clifford networks do: `einsum` with the table of the algebra, as in CGENN and
GATr; the weighted product of CGENN with its weights expanded to that table beforehand; the sandwich product r x ~r by
two such einsums, for any r and for an even one. Results are compared. Times are CPU times of one thread, medians of
ROUNDS rounds; of short calls, REPEATS together. TABLE is written as Markdown; `docs/clifford-peers.md` is one.
"""

import functools
import itertools

import torch

from clifford_calls import at, blades_of, checked, document, hl, measure, product, signature, size_t, table

REPEATS = 20
rows = []


class Algebra:
    """The blades of an algebra by grade, and its products."""

    def __init__(self, squares):
        blades = blades_of(squares)
        grade = torch.tensor([len(blade) for blade in blades])
        self.products = torch.zeros((len(blades),) * 3)  # of blades i and k: the part of blade j
        for (i, first), (k, second) in itertools.product(enumerate(blades), repeat=2):
            blade, sign = product(squares, first, second)
            self.products[i, blades.index(blade), k] = sign
        self.even = 1.0 - grade % 2
        self.reverse = (-1.0) ** (grade * (grade - 1) // 2)
        of = [grade == k for k in range(len(squares) + 1)]
        paths = (self.products * g[:, None, None] * j[:, None] * h for g, j, h in itertools.product(of, repeat=3))
        self.paths = torch.stack([path for path in paths if path.any()])

    def product(self, x, y):
        return torch.einsum("ni,ijk,nk->nj", x, self.products, y)


def compare(squares, count, channels=16):
    algebra = Algebra(squares)
    x, y = (torch.randn(count, len(algebra.even)) for _ in range(2))
    z, weights, even = torch.empty_like(x), torch.randn(len(algebra.paths), channels), x * algebra.even
    expanded = torch.einsum("pc,pijk->cijk", weights, algebra.paths)
    by_channel = lambda tensor: tensor.reshape(-1, channels, len(algebra.even))
    ours = lambda function, *given: functools.partial(function, *signature(squares), *given, at(y), at(z))
    pairs = {
        "geometric product": (
            ours(hl.hl_clifford_product_f32, size_t(count), at(x)), lambda: algebra.product(x, y)),
        "weighted product, 16 channels": (
            ours(hl.hl_clifford_weighted_f32, size_t(count // channels), size_t(channels), at(weights), at(x)),
            lambda: torch.einsum("bni,nijk,bnk->bnj", by_channel(x), expanded, by_channel(y)).reshape(z.shape)),
        "sandwich product": (
            ours(hl.hl_clifford_sandwich_f32, size_t(count), at(x)),
            lambda: algebra.product(algebra.product(x, y), x * algebra.reverse)),
        "sandwich product, even r": (
            ours(hl.hl_clifford_sandwich_f32, size_t(count), at(even)),
            lambda: algebra.product(algebra.product(even, y), even * algebra.reverse)),
    }
    for name, (job, peer) in pairs.items():
        checked(job())
        assert torch.allclose(z, peer(), rtol=1e-3, atol=1e-3), name
        seconds = measure({"hotloops": job, "torch": peer}, REPEATS if count < 10000 else 1)
        row = (f"{name}, {squares}, {count} multivectors", *(1e9 * taken / count for taken in seconds.values()),
               seconds["torch"] / seconds["hotloops"])
        rows.append(row)
        print(*row, flush=True)


for squares in (1, 1), (1, 1, 1), (0, 1, 1, 1):
    for count in 2048, 131072:
        compare(squares, count)
document("Products of multivectors by hotloops and by torch", "Nanoseconds per multivector.\n\n" + table(
    ["", "hotloops", "torch", "torch over hotloops"], ["", ".2f", ".1f", ".1f"], rows))
