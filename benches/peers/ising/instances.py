"""The problems of `run.py`: generated from seeds, or read from a folder of G-set files.

A problem is a number of spins and a list of couplings (i, j, J) of the energy E = - sum J s s. Max-Cut of a graph
with weights w is J = -w. Every problem is written as COO or G-set, and its SHA-256 is part of the record.
"""

import hashlib
import math
import random
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Instance:
    name: str
    text: str
    spins: int
    couplings: list = field(repr=False)
    is_graph: bool = False
    # Published values and their sources; see `LITERATURE` in run.py.
    reference: str = ""

    @property
    def sha256(self):
        return hashlib.sha256(self.text.encode()).hexdigest()

    def cut(self, energy):
        """The cut of a graph: (sum w - E) / 2, with sum w = - sum J."""
        return (-sum(J for _, _, J in self.couplings) - energy) / 2


def signs(rng):
    return lambda: 1 if rng.getrandbits(1) else -1


def gaussian(rng):
    """Normal deviates (Box and Muller), rounded so that all platforms agree."""
    return lambda: round(math.sqrt(-2 * math.log(1 - rng.random())) * math.cos(2 * math.pi * rng.random()), 6)


def torus(length, dimension, draw):
    """Nearest neighbours of a periodic lattice, the first coordinate fastest."""
    sites = length**dimension
    pairs = []
    for site in range(sites):
        for axis in range(dimension):
            stride = length**axis
            wraps = site // stride % length == length - 1
            pairs.append((site, site + stride - (length * stride if wraps else 0)))
    return sites, [(i, j, draw()) for i, j in pairs]


def complete(sites, draw):
    return sites, [(i, j, draw()) for i in range(sites) for j in range(i + 1, sites)]


def chimera(size, draw):
    """C_size: cells of K_4,4; the first four spins of a cell are coupled to those below, the others to the right."""
    pairs = []
    for row in range(size):
        for column in range(size):
            cell = 8 * (size * row + column)
            pairs += [(cell + k, cell + 4 + l) for k in range(4) for l in range(4)]
            if row + 1 < size:
                pairs += [(cell + k, cell + 8 * size + k) for k in range(4)]
            if column + 1 < size:
                pairs += [(cell + 4 + k, cell + 12 + k) for k in range(4)]
    return 8 * size * size, [(i, j, draw()) for i, j in pairs]


def pegasus(size, draw):
    """The fabric of dwave_networkx, P_size, numbered in its order."""
    import dwave_networkx

    graph = dwave_networkx.pegasus_graph(size)
    number = {node: index for index, node in enumerate(sorted(graph))}
    pairs = sorted(tuple(sorted((number[a], number[b]))) for a, b in graph.edges)
    return len(number), [(i, j, draw()) for i, j in pairs]


def uniform_graph(vertices, edges, rng):
    """A graph with this number of edges, all equally likely, weights 1."""
    pairs = [(i, j) for i in range(vertices) for j in range(i + 1, vertices)]
    return vertices, [(i, j, -1) for i, j in sorted(rng.sample(pairs, edges))]


def written(vertices, couplings, is_graph):
    if is_graph:
        lines = [f"{vertices} {len(couplings)}"] + [f"{i + 1} {j + 1} {-J}" for i, j, J in couplings]
    else:
        lines = [f"{i} {j} {J}" for i, j, J in couplings]
    return "\n".join(lines) + "\n"


def read_gset(path):
    """Vertices and couplings of a G-set file."""
    lines = [line.split() for line in path.read_text().splitlines() if line.strip()]
    couplings = [(int(i) - 1, int(j) - 1, -int(w)) for i, j, w in lines[1:]]
    assert len(couplings) == int(lines[0][1]), f"{path}: {len(couplings)} edges instead of {lines[0][1]}"
    return int(lines[0][0]), couplings


# Vertices and edges of the G-set graphs, for graphs of the same family.
GSET = {"G1": (800, 19176), "G14": (800, 4694), "G22": (2000, 19990), "G43": (1000, 9990)}


def all_instances(gset=None):
    """All instances. Without a folder of G-set files, uniform graphs with as many vertices and edges replace G1, G22
    and G43."""

    def made(name, seed, make, reference=""):
        spins, couplings = make(random.Random(seed))
        return Instance(name, written(spins, couplings, False), spins, couplings, False, reference)

    yield made("2D +-J 32^2", 1, lambda rng: torus(32, 2, signs(rng)), "2D +-J")
    yield made("2D +-J 100^2", 2, lambda rng: torus(100, 2, signs(rng)), "2D +-J")
    yield made("3D +-J 10^3", 3, lambda rng: torus(10, 3, signs(rng)), "3D +-J")
    yield made("3D +-J 20^3", 4, lambda rng: torus(20, 3, signs(rng)), "3D +-J")
    yield made("2D Gauss 100^2", 5, lambda rng: torus(100, 2, gaussian(rng)), "2D Gauss")
    yield made("3D Gauss 10^3", 6, lambda rng: torus(10, 3, gaussian(rng)), "3D Gauss")
    yield made("SK +-1 256", 7, lambda rng: complete(256, signs(rng)), "SK")
    yield made("SK +-1 1024", 8, lambda rng: complete(1024, signs(rng)), "SK")
    yield made("Chimera C16 +-1", 9, lambda rng: chimera(16, signs(rng)))
    yield made("Pegasus P16 +-1", 10, lambda rng: pegasus(16, signs(rng)))
    for name, (vertices, edges) in GSET.items():
        if gset and (path := Path(gset) / name).exists():
            spins, couplings = read_gset(path)
            yield Instance(name, written(spins, couplings, True), spins, couplings, True, name)
        elif name != "G14":  # which is a union of planar graphs
            spins, couplings = uniform_graph(vertices, edges, random.Random(name))
            yield Instance(f"graph {vertices}/{edges}", written(spins, couplings, True), spins, couplings, True)
