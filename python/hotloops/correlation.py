"""Pair correlation g(r) and orientational correlation g6(r) of points in the plane, as exact sums over all pairs.

The results do not depend on the order of the points, the number of threads or the CPU.
"""

from dataclasses import dataclass

import numpy as np

from ._hotloops import arguments as _arguments
from ._hotloops import correlation as _native

psi = _native.psi
psi_of_bonds = _native.psi_of_bonds


@dataclass(frozen=True)
class Correlation:
    """Pairs of points, bin by bin.

    `edges` has one value more than the other arrays. `count` is the number of pairs with edges[i] <= r < edges[i + 1],
    `g` the correlation in that bin (NaN without pairs).
    """

    edges: np.ndarray
    count: np.ndarray
    g: np.ndarray

    @property
    def r(self):
        """The middle of each bin."""
        return (self.edges[1:] + self.edges[:-1]) / 2

    def plot(self, axes=None, **options):
        """Draws g over r with matplotlib on `axes`, by default the current ones, and returns them.

        `options` are those of matplotlib's `plot`.
        Raises: TypeError if `axes` are no axes of matplotlib; ImportError without matplotlib.
        """
        if axes is None:
            from matplotlib import pyplot

            axes = pyplot.gca()
        if not hasattr(axes, "set_xlabel"):
            raise TypeError(f"axes: expected axes of matplotlib, found {type(axes).__name__}")
        axes.plot(self.r, self.g, **options)
        axes.set_xlabel("r")
        axes.set_ylabel("g(r)")
        return axes


def _checked(bins):
    if isinstance(bins, tuple) and len(bins) == 3:
        lo, hi, width = (_arguments.real("bins", value) for value in bins)
        if not (width > 0 and hi > lo >= 0):
            raise ValueError(f"bins: {bins} is not (lo, hi, width) with 0 <= lo < hi and a positive width")
        return lo, hi, width
    return bins


def g6(points, orientations, bins, box=None, *, fold=6, threads=None):
    """The orientational correlation function.

    `points` has shape (n, 2). `orientations` has a value for each: an angle in radians, which stands for
    exp(i fold theta), or a complex number of magnitude at most 1 such as `psi(points)`. `bins` is a tuple
    (lo, hi, width) or an array of edges, in the unit of the points. `box` gives the periods in x and y; the largest
    edge is at most half of them. `g` is the mean of Re(psi_i* psi_j) over the pairs of a bin. Orientations are rounded
    to multiples of 2^-14, distances to 2^-18 of the largest edge; distances of integers at most 2^20 apart, without a
    box, are exact. The sums are exact. `threads` is 1 to 4096, or None for one for each core.
    Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.

    >>> import numpy as np
    >>> from hotloops import correlation
    >>> points = np.array([[0.0, 0.0], [3.0, 4.0], [3.0, 0.0]])
    >>> result = correlation.g6(points, [0.0, 0.0, 0.0], (0, 6, 1))
    >>> result.count.tolist()
    [0, 0, 0, 1, 1, 1]
    """
    if orientations is None:
        raise TypeError("orientations: expected a value for each point, found None")
    edges, count, g, _ = _native.pairs(points, _checked(bins), orientations, box, fold, threads)
    return Correlation(edges, count, g)


def rdf(points, bins, box, *, threads=None):
    """The radial distribution function of points in a periodic box: pair density over that of independent points.

    `points`, `bins`, `box` and `threads` are those of `g6`, but the box is needed.
    Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.

    >>> import numpy as np
    >>> from hotloops import correlation
    >>> points = np.random.default_rng(1).random((1000, 2)) * 10
    >>> bool(abs(correlation.rdf(points, (0, 5, 0.5), (10, 10)).g - 1).max() < 0.2)
    True
    """
    if box is None:
        raise TypeError("box: expected the two periods, found None")
    try:
        box = tuple(box)
    except TypeError:
        raise TypeError(f"box: expected the two periods, found {type(box).__name__}") from None
    edges, count, _, n = _native.pairs(points, _checked(bins), None, box, 6, threads)
    area = np.pi * (edges[1:] ** 2 - edges[:-1] ** 2)
    expected = n * (n - 1) / 2 * area / (float(box[0]) * float(box[1]))
    with np.errstate(invalid="ignore"):  # without pairs to expect
        return Correlation(edges, count, count / expected)


__all__ = ["Correlation", "g6", "psi", "psi_of_bonds", "rdf"]
