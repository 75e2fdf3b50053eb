"""Prints the psi_6 of points in small periodic boxes by their Voronoi cells, from SciPy's cells of all images nearby.

    pip install scipy==1.17.1 numpy && python3 tests/data/make_voronoi.py > tests/data/voronoi.txt

Each edge of a cell counts once, with the direction to the image beyond it, which need not be the nearest one: that
of another point, or of the point itself. Numbers are multiples of 2^-10, so that images are exact. A line `box` has the
periods, and how many bonds lead to an image that is not the nearest, how many to one of the point itself, and how
many pairs have several. Then a point a line: x, y, psi_6, and psi_6 weighted by the lengths of the edges, both as
real and imaginary parts.
"""

import importlib.metadata

import numpy
from scipy.spatial import Voronoi

REACH = 6
SHIFTS = sorted(
    ((i, j) for i in range(-REACH, REACH + 1) for j in range(-REACH, REACH + 1)), key=lambda shift: shift != (0, 0)
)


def print_box(points, box):
    n = len(points)
    images = numpy.concatenate([points + numpy.array(shift) * box for shift in SHIFTS])
    cells = Voronoi(images)
    sums, pairs, far = numpy.zeros((n, 4), complex), {}, 0
    for ends, corners in zip(cells.ridge_points, cells.ridge_vertices):
        for i, j in (ends, ends[::-1]):
            if i >= n:
                continue
            assert -1 not in corners
            apart = images[j] - images[i]
            length = numpy.hypot(*(cells.vertices[corners[0]] - cells.vertices[corners[1]]))
            assert length > 1e-4, "an edge so short that roundings matter"
            far += bool((abs(apart) > box / 2).any())
            pairs[i, j % n] = pairs.get((i, j % n), 0) + 1
            turn = numpy.exp(6j * numpy.arctan2(apart[1], apart[0]))
            sums[i] += turn, 1, turn * length, length
    own = sum(count for (i, j), count in pairs.items() if i == j)
    print("box", *box, far, own, sum(count > 1 for count in pairs.values()))
    for (x, y), (plain, count, weighted, total) in zip(points, sums):
        parts = [part for psi in (plain / count, weighted / total) for part in (psi.real, psi.imag)]
        print(x, y, *(f"{part:.9f}" for part in parts))


print("#", *(f"{name} {importlib.metadata.version(name)}" for name in ("scipy", "numpy")))
for seed, n, width, height in [
    (11, 30, 30, 25),
    (14, 30, 30, 25),
    (22, 30, 30, 25),
    (1, 12, 3, 11),
    (2, 5, 4, 4),
    (3, 3, 5, 4),
    (4, 2, 5, 5),
    (5, 2, 9, 2),
]:
    box = numpy.array([width, height])
    print_box(numpy.floor(numpy.random.default_rng(seed).random((n, 2)) * box * 1024) / 1024, box)
