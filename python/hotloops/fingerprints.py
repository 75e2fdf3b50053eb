"""Similarity search of binary fingerprints: rows of bits, as arrays of uint8."""

import numpy as np

from ._hotloops import fingerprints as _native

Index = _native.Index
hamming_matrix = _native.hamming_matrix
nearest = _native.nearest
similarity_matrix = _native.similarity_matrix


def tanimoto_matrix(a, b=None, *, bits=None, empty=0.0, threads=None):
    """The Tanimoto similarity of each row of `a` and each row of `b`; see `similarity_matrix`.

    `a`, `b`, `bits`, `empty` and `threads` are those of `similarity_matrix`.
    Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
    """
    return similarity_matrix(a, b, measure="tanimoto", bits=bits, empty=empty, threads=threads)


def rows(fingerprints):
    """Rows of bytes (uint8) of a sequence of RDKit's `ExplicitBitVect`, of equally many bits each.

    Bit k of a fingerprint is bit k % 8 of byte k // 8, the order of the FPS format. No `fingerprints` make an array of
    shape (0, 0).
    Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; ImportError without RDKit.
    """
    try:
        fingerprints = list(fingerprints)
    except TypeError:
        raise TypeError(f"fingerprints: expected a sequence, found {type(fingerprints).__name__}") from None
    for number, fingerprint in enumerate(fingerprints):
        if not hasattr(fingerprint, "GetNumBits"):
            raise TypeError(f"fingerprints: number {number} is {type(fingerprint).__name__}, not an ExplicitBitVect")
    if not fingerprints:
        return np.zeros((0, 0), dtype=np.uint8)
    from rdkit.DataStructs import BitVectToBinaryText

    texts = [BitVectToBinaryText(fingerprint) for fingerprint in fingerprints]
    for number, text in enumerate(texts):
        if len(text) != len(texts[0]):
            raise ValueError(f"fingerprints: number {number} has another length than the first")
    return np.frombuffer(b"".join(texts), dtype=np.uint8).reshape(len(texts), len(texts[0]))


__all__ = ["Index", "hamming_matrix", "nearest", "rows", "similarity_matrix", "tanimoto_matrix"]
