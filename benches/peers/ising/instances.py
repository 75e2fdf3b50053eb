"""The problems of `run.py`: generated from seeds, or read from a folder of G-set files.

A problem is a number of spins, a list of couplings (i, j, J) and a list of fields (i, h) of the energy
E = - sum J s s - sum h s. Max-Cut of a graph with weights w is J = -w. Every problem is written as COO or G-set, and
its SHA-256 is part of the record.
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
    fields: list = field(default_factory=list, repr=False)
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


def fabric(family, size, draw):
    """A fabric of dwave_networkx, numbered in its order."""
    import dwave_networkx

    graph = getattr(dwave_networkx, f"{family}_graph")(size)
    number = {node: index for index, node in enumerate(sorted(graph))}
    pairs = sorted(tuple(sorted((number[a], number[b]))) for a, b in graph.edges)
    return len(number), [(i, j, draw()) for i, j in pairs]


def cubic_graph(vertices, rng):
    """A cycle through all vertices and a perfect matching that shares no edge with it, both random, weights 1."""
    order = rng.sample(range(vertices), vertices)
    edges = {tuple(sorted(pair)) for pair in zip(order, order[1:] + order[:1])}
    while True:
        order = rng.sample(range(vertices), vertices)
        matching = {tuple(sorted(pair)) for pair in zip(order[::2], order[1::2])}
        if not matching & edges:
            return vertices, [(i, j, -1) for i, j in sorted(edges | matching)]


def preferential_graph(vertices, links, rng):
    """Barabasi and Albert's graph: a vertex is joined to `links` earlier ones, drawn by their degrees; weights 1."""
    edges, ends = [], list(range(links))
    for vertex in range(links, vertices):
        chosen = set()
        while len(chosen) < links:
            chosen.add(rng.choice(ends))
        edges += [(other, vertex) for other in sorted(chosen)]
        ends += [*sorted(chosen), *[vertex] * links]
    return vertices, [(i, j, -1) for i, j in sorted(edges)]


def binary_quadratic(variables, density, rng):
    """Maximise sum q x x of binary x as Beasley's problems do: integers q from -100 to 100 at this density."""
    couplings, fields = [], [0] * variables
    for i in range(variables):
        for j in range(i, variables):
            if rng.random() >= density:
                continue
            q = rng.randint(-100, 100)
            if i == j:
                fields[i] += 2 * q
            elif q:
                # q counts twice in the symmetric sum. With x = (1 + s) / 2, times 4, without the constant:
                couplings.append((i, j, 2 * q))
                fields[i] += 2 * q
                fields[j] += 2 * q
    return variables, couplings, [(i, h) for i, h in enumerate(fields) if h]


def uniform_graph(vertices, edges, rng):
    """A graph with this number of edges, all equally likely, weights 1."""
    pairs = [(i, j) for i in range(vertices) for j in range(i + 1, vertices)]
    return vertices, [(i, j, -1) for i, j in sorted(rng.sample(pairs, edges))]


def written(vertices, couplings, is_graph, fields=()):
    if is_graph:
        lines = [f"{vertices} {len(couplings)}"] + [f"{i + 1} {j + 1} {-J}" for i, j, J in couplings]
    else:
        lines = [f"{i} {j} {J}" for i, j, J in [*couplings, *((i, i, h) for i, h in fields)]]
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

    def made(name, seed, make, reference="", is_graph=False):
        spins, couplings, *fields = make(random.Random(seed))
        text = written(spins, couplings, is_graph, *fields)
        return Instance(name, text, spins, couplings, *fields, is_graph=is_graph, reference=reference)

    yield made("2D +-J 32^2", 1, lambda rng: torus(32, 2, signs(rng)), "2D +-J")
    yield made("2D +-J 100^2", 2, lambda rng: torus(100, 2, signs(rng)), "2D +-J")
    yield made("3D +-J 10^3", 3, lambda rng: torus(10, 3, signs(rng)), "3D +-J")
    yield made("3D +-J 20^3", 4, lambda rng: torus(20, 3, signs(rng)), "3D +-J")
    yield made("2D Gauss 100^2", 5, lambda rng: torus(100, 2, gaussian(rng)), "2D Gauss")
    yield made("3D Gauss 10^3", 6, lambda rng: torus(10, 3, gaussian(rng)), "3D Gauss")
    yield made("SK +-1 256", 7, lambda rng: complete(256, signs(rng)), "SK")
    yield made("SK +-1 1024", 8, lambda rng: complete(1024, signs(rng)), "SK")
    yield made("Chimera C16 +-1", 9, lambda rng: chimera(16, signs(rng)))
    yield made("Pegasus P16 +-1", 10, lambda rng: fabric("pegasus", 16, signs(rng)))
    yield made("Zephyr Z12 +-1", 11, lambda rng: fabric("zephyr", 12, signs(rng)))
    yield made("binary quadratic 2500", 12, lambda rng: binary_quadratic(2500, 0.1, rng))
    yield made("graph, degree 3, 10^4", 13, lambda rng: cubic_graph(10_000, rng), is_graph=True)
    yield made("graph, power law, 10^4", 14, lambda rng: preferential_graph(10_000, 3, rng), is_graph=True)
    for name, (vertices, edges) in GSET.items():
        if gset and (path := Path(gset) / name).exists():
            spins, couplings = read_gset(path)
            text = written(spins, couplings, True)
            yield Instance(name, text, spins, couplings, is_graph=True, reference=name)
        elif name != "G14":  # which is a union of planar graphs
            spins, couplings = uniform_graph(vertices, edges, random.Random(name))
            text = written(spins, couplings, True)
            yield Instance(f"graph {vertices}/{edges}", text, spins, couplings, is_graph=True)
