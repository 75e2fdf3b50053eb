import itertools

import numpy as np
import pytest
from hotloops import correlation

rng = np.random.default_rng(4)


def brute(points, values, edges, box):
    delta = points[:, None] - points[None]
    if box is not None:
        delta -= np.round(delta / box) * box
    r = np.hypot(delta[..., 0], delta[..., 1])[np.triu_indices(len(points), 1)]
    product = (values[:, None].conj() * values[None]).real[np.triu_indices(len(points), 1)]
    place = np.digitize(r, edges) - 1
    inside = (place >= 0) & (place < len(edges) - 1)
    count = np.bincount(place[inside], minlength=len(edges) - 1)
    return count, np.bincount(place[inside], product[inside], minlength=len(edges) - 1) / count


@pytest.mark.parametrize("box", [None, (10.0, 12.0)])
@pytest.mark.parametrize("threads", [None, 1, 2])
def test_g6_against_brute_force(box, threads):
    points = rng.random((700, 2)) * (10, 12)
    theta = rng.random(700)
    result = correlation.g6(points, theta, (0, 5, 0.25), box, threads=threads)
    count, g = brute(points, np.exp(6j * theta), result.edges, box and np.array(box))
    # A distance within 2^-18 of an edge may be counted on its other side.
    assert np.abs(result.count.astype(int) - count).sum() <= 2
    assert np.allclose(result.g, g, atol=1e-3)
    assert len(result.r) == len(result.g) == 20


@pytest.mark.parametrize("extent, last", [(300, 300), (60_000, 20_000)])
@pytest.mark.parametrize("threads", [1, 3])
def test_distances_of_integers_are_exact(extent, last, threads):
    points = rng.integers(-extent, extent, (1500, 2))
    edges = np.sort(rng.choice(np.arange(1, last**2), 40, replace=False))
    square = ((points[:, None] - points[None]) ** 2).sum(axis=2)[np.triu_indices(len(points), 1)]
    # Edges at the roots of integers, between which there are no pairs.
    result = correlation.g6(points, np.zeros(len(points)), np.sqrt(edges - 0.5), threads=threads)
    assert result.count.tolist() == np.histogram(square, edges - 0.5)[0].tolist()
    uniform = correlation.g6(points.astype("f4"), np.zeros(len(points)), (0, last, last / 20), threads=threads)
    floors = np.histogram(square, (np.arange(21) * (last // 20)) ** 2)[0]
    floors[-1] -= (square == last**2).sum()
    assert uniform.count.tolist() == floors.tolist()


def test_rdf_against_freud():
    freud = pytest.importorskip("freud")
    points = rng.random((2000, 2)) * 20
    ours = correlation.rdf(points, (0, 8, 0.5), (20.0, 20.0))
    box = freud.box.Box.square(20.0)
    theirs = freud.density.RDF(16, 8.0)
    theirs.compute((box, np.c_[points - 10, np.zeros(2000)]))
    # freud divides by n, not by n - 1.
    assert np.allclose(ours.g * 1999 / 2000, theirs.rdf, rtol=2e-3)


def test_psi_of_bonds():
    rng = np.random.default_rng(6)
    points, bonds, weights = rng.random((40, 2)) * 9, rng.integers(0, 39, (300, 2)), rng.random(300)
    bonds = bonds[bonds[:, 0] != bonds[:, 1]]
    weights = weights[: len(bonds)]
    for box in (None, (9.0, 9.0)):
        apart = points[bonds[:, 1]] - points[bonds[:, 0]]
        apart -= 0 if box is None else 9 * np.round(apart / 9)
        turns = np.exp(6j * np.arctan2(apart[:, 1], apart[:, 0]))
        for w in (None, weights):
            each = np.ones(len(bonds)) if w is None else w
            sums = [np.bincount(bonds[:, 0], values, 40) for values in (turns.real * each, turns.imag * each, each)]
            expected = (sums[0] + 1j * sums[1]) / np.maximum(sums[2], 1e-300)
            found = correlation.psi_of_bonds(points, bonds.astype(np.int32), box, weights=w)
            assert np.abs(found - expected).max() < 2.0**-14 and found[39] == 0
    with pytest.raises(ValueError, match="bonds: there is no point 40 among the 40 points"):
        correlation.psi_of_bonds(points, [[0, 40]])
    with pytest.raises(ValueError, match="weights: expected 2, one for each of the bonds"):
        correlation.psi_of_bonds(points, [[0, 1], [1, 2]], weights=[1.0])
    with pytest.raises(ValueError, match="weights: number 1 is negative or not finite"):
        correlation.psi_of_bonds(points, [[0, 1], [1, 2]], weights=[1.0, -1.0])


def adjacent(points, box, distance):
    """The bonds up to a distance in a periodic box, each to one image, by trying all images."""
    images = [np.array(image) for image in itertools.product(range(-4, 5), repeat=2)]
    for (i, a), (j, b) in itertools.product(enumerate(points), repeat=2):
        for image in images:
            apart = b + image * np.array(box) - a
            if 0 < np.hypot(*apart) <= distance:
                yield i, j, apart


@pytest.mark.parametrize("fold", [1, 4, 6])
@pytest.mark.parametrize("n, box", [(1, (1.0, 1.0)), (2, (1.0, 2.5)), (5, (3.0, 1.25)), (12, (2.0, 2.0))])
def test_psi_of_bonds_to_images(n, box, fold):
    rng = np.random.default_rng(n)
    points = rng.random((n, 2)) * box
    found = list(adjacent(points, box, 3.0))
    bonds, apart = np.array([[i, j] for i, j, _ in found]), np.array([one for _, _, one in found])
    weights = rng.random(len(bonds))
    nearest = points[bonds[:, 1]] - points[bonds[:, 0]]
    nearest -= box * np.round(nearest / box)
    assert (np.abs(nearest - apart).max(1) > 0.5).sum() > len(bonds) / 2, "most are not the nearest images"
    turns = np.exp(1j * fold * np.arctan2(apart[:, 1], apart[:, 0]))
    rough = apart + (rng.random(apart.shape) - 0.5) * 0.9 * box
    for w in (None, weights):
        each = np.ones(len(bonds)) if w is None else w
        expected = [(each * turns)[bonds[:, 0] == i].sum() / each[bonds[:, 0] == i].sum() for i in range(n)]
        # Points outside the box, and displacements that are off, mean the same images.
        for at, to in ((points, apart), (points, rough), (points + 7 * np.array(box), apart)):
            psi = correlation.psi_of_bonds(at, bonds, box, displacements=to, weights=w, fold=fold)
            assert np.abs(psi - expected).max() < 2.0**-13
    to_nearest = correlation.psi_of_bonds(points, bonds, box, displacements=nearest, fold=fold)
    assert (to_nearest == correlation.psi_of_bonds(points, bonds, box, fold=fold)).all() or n == 1
    in_the_open = correlation.psi_of_bonds(points, bonds, displacements=apart, fold=fold)
    assert (in_the_open == correlation.psi_of_bonds(points, bonds, fold=fold)).all()


def test_wrong_displacements_are_named():
    bonds = [[0, 1], [1, 2]]
    for wrong, message in (
        ([[1.0, 0.0]], "expected 2, one for each of the bonds"), ([[1.0, 0.0], [np.nan, 0.0]], "row 1 is not finite"),
        ([[1.0], [2.0]], "expected two columns"), ([1.0, 2.0], "expected"),
    ):
        with pytest.raises(ValueError, match=f"^displacements: {message}"):
            correlation.psi_of_bonds(np.eye(3, 2), bonds, (2.0, 2.0), displacements=wrong)


def test_psi_against_freud():
    freud = pytest.importorskip("freud")
    points = rng.random((500, 2)) * 20
    box = freud.box.Box.square(20.0)
    hexatic = freud.order.Hexatic(k=6)
    hexatic.compute((box, np.c_[points - 10, np.zeros(500)]), neighbors={"num_neighbors": 6})
    assert np.allclose(correlation.psi(points, box=(20.0, 20.0)), hexatic.particle_order, atol=2e-4)
    close = correlation.psi(points, radius=2.0)
    assert (np.abs(close) <= 1 + 1e-4).all()


def test_complex_orientations_and_lists():
    points = [[0, 0], [3, 4], [3, 0]]
    one = correlation.g6(points, [1, 1, 1j], np.array([0.0, 3.5, 6.0]))
    assert one.count.tolist() == [1, 2] and one.g.tolist() == [0.0, 0.5]


def test_the_last_edge_is_at_most_half_of_the_box():
    # Rounding lifts lo + k width above L / 2 in many boxes.
    points = rng.random((20, 2)) * 5
    lifted = 0
    for tenths in range(50, 400):
        length = tenths / 10
        for width in (0.05, 0.1, 0.7):
            count = int(length / 2 / width + 1e-9)
            lifted += count * width > length / 2
            result = correlation.rdf(points, (0, length / 2, width), (length, length))
            assert len(result.count) == count and result.edges[-1] <= length / 2
    assert lifted > 20


@pytest.mark.parametrize(
    "error, message, call",
    [
        (ValueError, "points: expected shape", lambda p: correlation.g6(p[:, :1], [0] * 5, (0, 1, 0.1))),
        (ValueError, "orientations: expected 5", lambda p: correlation.g6(p, [0] * 4, (0, 1, 0.1))),
        (ValueError, "orientations: value 2", lambda p: correlation.g6(p, [0, 0, 2j, 0, 0], (0, 1, 0.1))),
        (ValueError, "bins", lambda p: correlation.g6(p, [0] * 5, (1, 0, 0.1))),
        (ValueError, "bins: edge 2", lambda p: correlation.g6(p, [0] * 5, [0.0, 1.0, 1.0])),
        (ValueError, "box|period", lambda p: correlation.rdf(p, (0, 1, 0.1), (1.0, 1.0))),
        (ValueError, "neighbours", lambda p: correlation.psi(p, 6)),
    ],
)
def test_errors_name_the_argument(error, message, call):
    with pytest.raises(error, match=message):
        call(rng.random((5, 2)))
