"""Prints checksums of what bitshuffle makes of the arrays of tests/reference/bitslice.rs.

    pip install bitshuffle==0.5.2 numpy && python3 tests/data/make_bitshuffle.py > tests/data/bitshuffle.txt

A line has the bytes of an element, the elements of a block, the number of elements, and the 32-bit FNV-1a of the bytes.
Lengths are whole blocks: bitshuffle copies the tail after the last one, where hotloops pads it.
"""

import bitshuffle
import numpy


def noise(n, seed):
    words, x = [], seed
    for _ in range(n):
        x = (x * 6364136223846793005 + 1442695040888963407) % 2**64
        words.append(x ^ x >> 31)
    return numpy.array(words, dtype="<u8")


def fnv(data):
    value = 0x811C9DC5
    for byte in data:
        value = (value ^ byte) * 0x01000193 % 2**32
    return value


for width in 1, 2, 4, 8:
    for block in 64, 2048:
        for n in block, 3 * block:
            elements = (noise(n, 1) >> numpy.uint64(64 - 8 * width)).astype(f"<u{width}")
            shuffled = bitshuffle.bitshuffle(elements, block_size=block).tobytes()
            print(width, block, n, fnv(shuffled))
