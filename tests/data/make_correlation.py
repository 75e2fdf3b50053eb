"""Prints what freud and TreeCorr count in the points of tests/reference/correlation_peers.rs.

    pip install freud-analysis==3.4.0 TreeCorr==5.1.4 numpy
    python3 tests/data/make_correlation.py > tests/data/correlation.txt

Point k, of 300 from 1000 on, is at (p mod 100, p div 100) for p = k^3 mod 8009, a prime: no two coincide. Its
orientation is exact in units of 2^-7, or that of an angle in hundredths of a radian. A line has the orientations, the
boundary (the periods are 100 and 81), the pairs (of all points, or of the first 100 and the others), the bin, its
pairs, and the sum of their products Re(psi_i* psi_j) by freud and by TreeCorr, which keeps orientations in 32 bits.

Edges are multiples of 37/32: squared distances are integers, and farther from the squares of edges than rounding
errors. This is checked.
"""

import importlib.metadata

import freud
import numpy
import treecorr

WIDTH, BINS, PERIODS, FIRST = 37 / 32, 31, (100, 81), 100
k = numpy.arange(1000, 1300)
place = k**3 % 8009
x, y = place % 100, place // 100
assert len(set(place)) == k.size
ORIENTATIONS = {
    "exact": ((k * k % 181 - 90) + 1j * (k**3 % 179 - 89)) / 128,
    "angles": numpy.exp(6j * (k * k % 628 / 100)),
}


def squares(periodic):
    """Of all pairs."""
    differences = [numpy.abs(x[:, None] - x), numpy.abs(y[:, None] - y)]
    if periodic:
        differences = [numpy.minimum(d, period - d) for d, period in zip(differences, PERIODS)]
    return sum(d * d for d in differences)


def by_freud(psi, periodic, cross):
    # Where the plane is open, no image is within reach.
    sides = PERIODS if periodic else (256, 256)
    box = freud.box.Box(*sides, is2D=True)
    points = numpy.stack([x - sides[0] / 2, y - sides[1] / 2, 0 * x], axis=1)
    found = freud.density.CorrelationFunction(BINS, BINS * WIDTH)
    if cross:
        found.compute((box, points[:FIRST]), psi[:FIRST], points[FIRST:], psi[FIRST:], {"r_max": BINS * WIDTH})
    else:
        found.compute((box, points), psi)
    pairs = found.bin_counts // (1 if cross else 2)  # of all points, each pair twice
    return pairs, found.correlation.real * pairs


def by_treecorr(psi, periodic, cross):
    plane = {"metric": "Periodic", "xperiod": PERIODS[0], "yperiod": PERIODS[1]} if periodic else {}
    found = treecorr.ZZCorrelation(min_sep=0, max_sep=BINS * WIDTH, nbins=BINS, bin_type="Linear", brute=True, **plane)
    catalog = lambda part: treecorr.Catalog(x=x[part], y=y[part], z1=psi[part].real, z2=psi[part].imag)
    if cross:
        found.process(catalog(slice(FIRST)), catalog(slice(FIRST, None)))
    else:
        found.process(catalog(slice(None)))
    return numpy.rint(found.npairs).astype(int), found.xip * found.npairs


print(f"# freud-analysis {importlib.metadata.version('freud-analysis')}, TreeCorr {treecorr.__version__}")
for boundary in "open", "periodic":
    found = squares(boundary == "periodic")
    edges = (numpy.arange(1, BINS + 1) * WIDTH) ** 2
    apart = numpy.abs(found[..., None] / edges - 1).min()
    assert apart > 2**-18, apart
    for name, psi in ORIENTATIONS.items():
        for pairs in "all", "cross":
            cross = pairs == "cross"
            counted = found[:FIRST, FIRST:].ravel() if cross else found[numpy.triu_indices(k.size, 1)]
            expected = numpy.histogram(counted, [0, *edges])[0]
            counts, sums = by_freud(psi, boundary == "periodic", cross)
            other_counts, other_sums = by_treecorr(psi, boundary == "periodic", cross)
            assert (counts == expected).all() and (other_counts == expected).all()
            assert (numpy.abs(sums - other_sums) <= (0 if name == "exact" else 2**-22 * counts)).all()
            for bin in range(BINS):
                print(name, boundary, pairs, bin, counts[bin], f"{sums[bin]:.12g} {other_sums[bin]:.12g}")
