"""Similarity search of binary fingerprints: rows of bits, as arrays of uint8."""

import numpy as np

from ._hotloops import fingerprints as _native

Index = _native.Index
hamming_matrix = _native.hamming_matrix
nearest = _native.nearest
similarity_matrix = _native.similarity_matrix


def tanimoto_matrix(a, b=None, **options):
    """The Tanimoto similarity of each row of `a` and each row of `b`; see `similarity_matrix`."""
    return similarity_matrix(a, b, measure="tanimoto", **options)


def rows(fingerprints):
    """Rows of bytes (uint8) of a sequence of RDKit's `ExplicitBitVect`, of equally many bits each.

    Bit k of a fingerprint is bit k % 8 of byte k // 8, the order of the FPS format.
    """
    from rdkit.DataStructs import BitVectToBinaryText

    texts = [BitVectToBinaryText(fingerprint) for fingerprint in fingerprints]
    for number, text in enumerate(texts):
        if len(text) != len(texts[0]):
            raise ValueError(f"fingerprints: number {number} has another length than the first")
    width = len(texts[0]) if texts else 0
    return np.frombuffer(b"".join(texts), dtype=np.uint8).reshape(len(texts), width)


__all__ = ["Index", "hamming_matrix", "nearest", "rows", "similarity_matrix", "tanimoto_matrix"]
