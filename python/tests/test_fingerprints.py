import copy
import pickle

import numpy as np
import pytest
from hotloops import fingerprints

rng = np.random.default_rng(3)
ROWS = rng.integers(0, 256, (3000, 32), dtype=np.uint8) & rng.integers(0, 256, (3000, 32), dtype=np.uint8)
QUERIES = ROWS[:40] ^ (rng.random((40, 32)) < 0.05).astype(np.uint8)


def counts(a, b):
    a, b = (np.unpackbits(x, axis=1, bitorder="little").astype(np.int64) for x in (a, b))
    return a @ b.T, a.sum(1)[:, None], b.sum(1)[None, :]


def tanimoto(a, b):
    common, ones_a, ones_b = counts(a, b)
    return (common / (ones_a + ones_b - common)).astype(np.float32)


def test_matrices_against_numpy_and_scipy():
    expected = tanimoto(QUERIES, ROWS)
    assert (fingerprints.tanimoto_matrix(QUERIES, ROWS) == expected).all()
    assert (fingerprints.similarity_matrix(QUERIES, ROWS, threads=1) == expected).all()
    common, ones_a, ones_b = counts(QUERIES, ROWS)
    assert (fingerprints.hamming_matrix(QUERIES, ROWS) == ones_a + ones_b - 2 * common).all()
    distance = pytest.importorskip("scipy.spatial.distance")
    bits = [np.unpackbits(x, axis=1, bitorder="little").astype(bool) for x in (QUERIES, ROWS)]
    assert np.allclose(1 - distance.cdist(*bits, "jaccard"), expected)
    dice = fingerprints.similarity_matrix(QUERIES, ROWS, measure="dice")
    assert np.allclose(1 - distance.cdist(*bits, "dice"), dice)


@pytest.mark.parametrize("threads", [None, 1, 3])
def test_search(threads):
    index = fingerprints.Index(ROWS)
    scores = tanimoto(QUERIES, ROWS)
    lists = index.search(QUERIES, 0.4, threads=threads)
    best = index.search(QUERIES, 0.4, top=3, threads=threads)
    for query, (rows, found), (top, _) in zip(range(len(QUERIES)), lists, best):
        expected = sorted((-score, row) for row, score in enumerate(scores[query]) if score >= np.float32(0.4))
        assert [(-score, row) for row, score in zip(rows, found)] == expected
        assert top.tolist() == [row for _, row in expected[:3]]
        single, single_scores = index.search(QUERIES[query], 0.4)
        assert (single == rows).all() and (single_scores == found).all()


def test_search_by_distance_and_of_parts_of_a_byte():
    rows = ROWS[:500, :4].copy()
    index = fingerprints.Index(rows, bits=29)
    assert index.bits == 29 and len(index) == 500
    masked = rows.copy()
    masked[:, 3] &= 0x1F
    common, ones_a, ones_b = counts(masked[:1], masked)
    distances = (ones_a + ones_b - 2 * common)[0]
    found, scores = index.search(rows[0], 6, measure="hamming")
    assert set(found) == set(np.flatnonzero(distances <= 6)) and (scores == distances[found]).all()
    again = fingerprints.Index.load(bytes(index))
    assert (again.search(rows[0], 6, measure="hamming")[0] == found).all()


@pytest.mark.parametrize("measure, threshold", [("tanimoto", 0.1), ("hamming", 200)])
def test_equal_scores_are_in_order_of_rows(measure, threshold):
    rows = np.tile(ROWS[:7], (60, 1))
    lists = fingerprints.Index(rows).search(rows[:20], threshold, measure=measure)
    for found, scores in lists:
        worse = scores if measure == "hamming" else -scores
        assert len(found) >= 60 and (np.lexsort((found, worse)) == np.arange(len(found))).all()


def test_thresholds_are_numbers_of_32_bits():
    index = fingerprints.Index(ROWS)
    with pytest.raises(ValueError, match="threshold: is too large"):
        index.search(QUERIES, 1e39, measure="hamming")


@pytest.mark.parametrize("width", [0, 1, 31, 33, 64])
def test_queries_have_the_width_of_the_index(width):
    index = fingerprints.Index(ROWS)
    for query in (np.zeros(width, np.uint8), np.zeros((3, width), np.uint8)):
        with pytest.raises(ValueError, match=f"query: has {width} bytes, the index has 256 bits in 32 bytes"):
            index.search(query)


def test_each_measure_has_a_default_threshold():
    index = fingerprints.Index(ROWS)
    distances = fingerprints.hamming_matrix(QUERIES[:1], ROWS)[0]
    found, scores = index.search(QUERIES[0], top=5, measure="hamming")
    order = np.argsort(distances, kind="stable")[:5]
    assert (found == order).all() and (scores == distances[order]).all()
    assert len(index.search(QUERIES[0], measure="hamming")[0]) == len(ROWS)
    for measure in ("tanimoto", "dice", "cosine", "tversky", "containment"):
        default, given = (index.search(QUERIES[0], *threshold, measure=measure) for threshold in ((), (0.7,)))
        assert (default[0] == given[0]).all()


def test_two_rows_without_ones_are_not_similar_by_default():
    nothing = np.zeros((1, 4), np.uint8)
    assert fingerprints.similarity_matrix(nothing)[0, 0] == 0
    assert fingerprints.similarity_matrix(nothing, empty=1.0)[0, 0] == 1
    assert fingerprints.Index(nothing).search(nothing[0], 0.0)[1].tolist() == [0.0]
    assert fingerprints.Index(nothing).search(nothing[0])[0].tolist() == []
    assert fingerprints.Index(nothing).search(nothing[0], empty=1.0)[1].tolist() == [1.0]
    # A query without ones is part of every row.
    assert fingerprints.Index(ROWS[:9]).search(nothing[0].repeat(8), measure="containment")[1].tolist() == [1.0] * 9


def test_bytes_that_are_no_index_are_named():
    whole = bytes(fingerprints.Index(ROWS))
    for image in (b"", b"x", whole[:-1], b"\xff" * len(whole)):
        with pytest.raises(ValueError, match="^image: "):
            fingerprints.Index.load(image)


def test_nearest_against_numpy():
    distances = fingerprints.hamming_matrix(QUERIES, ROWS)
    numbers, found = fingerprints.nearest(QUERIES, ROWS, 5)
    order = np.argsort(distances, axis=1, kind="stable")[:, :5]
    assert (numbers == order).all() and (found == np.take_along_axis(distances, order, 1)).all()


def test_fingerprints_of_rdkit():
    Chem = pytest.importorskip("rdkit.Chem")
    from rdkit import DataStructs
    from rdkit.Chem import rdFingerprintGenerator

    molecules = [Chem.MolFromSmiles(text) for text in ("CCO", "CCN", "c1ccccc1", "c1ccccc1O", "CC(=O)O", "CCCCO")]
    generator = rdFingerprintGenerator.GetMorganGenerator(fpSize=1024)
    theirs = [generator.GetFingerprint(molecule) for molecule in molecules]
    ours = fingerprints.rows(theirs)
    matrix = fingerprints.tanimoto_matrix(ours)
    for i, one in enumerate(theirs):
        assert np.allclose(matrix[i], DataStructs.BulkTanimotoSimilarity(one, theirs))
    found, scores = fingerprints.Index(ours).search(ours[0], 0.0, top=6)
    assert found[0] == 0 and scores[0] == 1.0


@pytest.mark.parametrize(
    "error, message, call",
    [
        (TypeError, "fingerprints: expected uint8, found float64", lambda: fingerprints.Index(np.zeros((2, 2)))),
        (ValueError, "fingerprints: expected 2 axes", lambda: fingerprints.Index(np.zeros(2, np.uint8))),
        (ValueError, "bits", lambda: fingerprints.Index(ROWS, bits=257)),
        (ValueError, "query", lambda: fingerprints.Index(ROWS).search(ROWS[0, :3])),
        (ValueError, "measure", lambda: fingerprints.Index(ROWS).search(ROWS[0], measure="jaccard")),
        (ValueError, "threshold", lambda: fingerprints.Index(ROWS).search(ROWS[0], 1.5)),
        (ValueError, "b: has 24 bits, a has 256", lambda: fingerprints.hamming_matrix(ROWS, ROWS[:, :3])),
        (ValueError, "threads", lambda: fingerprints.hamming_matrix(ROWS, ROWS, threads=0)),
    ],
)
def test_errors_name_the_argument(error, message, call):
    with pytest.raises(error, match=message):
        call()


def test_a_damaged_index_is_refused():
    index = fingerprints.Index(ROWS[:40])
    saved = bytes(index)
    for at in range(0, len(saved), 7):
        damaged = bytearray(saved)
        damaged[at] ^= 1 << (at % 8)
        with pytest.raises(ValueError, match="image"):
            fingerprints.Index.load(bytes(damaged))
    for damaged in (saved + b"x", saved[:-1], saved[:-4], saved[:-7], saved[:100], b""):
        with pytest.raises(ValueError, match="image"):
            fingerprints.Index.load(damaged)
    # An image of C, which has no checksum.
    assert len(fingerprints.Index.load(saved[:-8])) == 40


def test_an_index_is_pickled_and_copied():
    index = fingerprints.Index(ROWS)
    for other in (pickle.loads(pickle.dumps(index)), copy.deepcopy(index), copy.copy(index)):
        assert bytes(other) == bytes(index)


def test_rows_without_bits_are_named():
    with pytest.raises(ValueError, match="^a: "):
        fingerprints.hamming_matrix(np.zeros((2, 0), np.uint8))
    with pytest.raises(ValueError, match="^bits: "):
        fingerprints.Index(ROWS, bits=0)
