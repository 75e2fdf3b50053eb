"""Compares the references as z3 terms with the library's scalar references, and lemmas about floats with the CPU."""

import os
import random
import struct
import subprocess

import bitslice
import cpu
import exp
import terms as t
from objects import ROOT, WORK, library, run


def scalar(name, data):
    """Returns the library's output under HOTLOOPS_ISA=scalar."""
    environment = dict(os.environ, HOTLOOPS_ISA="scalar")
    command = [WORK / "reference", name]
    return subprocess.run(command, input=data, env=environment, check=True, capture_output=True).stdout


def floats(function, name, rng):
    words = [cpu.number(rng, 32) for _ in range(2000)] + list(cpu.SPECIAL[32])
    words += [edge + step & 0xffffffff for edge in (0xc2ae999a, 0x42b17217, 0xc2aeac50) for step in range(-3, 4)]
    got = scalar(name, struct.pack(f"<{len(words)}I", *words))
    want = b"".join(t.const(function(t.bits(word, 32))).to_bytes(4, "little") for word in words)
    return got == want


def slices(verb, size, rng):
    """One chunk of 512 elements, by the table that the proof compares each block with."""
    data = rng.randbytes(512 * size)
    t.reset()
    proof = bitslice.Slices(None, verb, size)
    proof.unit = 512
    values = {"stride": 64 * size if proof.tiled else 64, "src": 0, "dst": 0, "planes": 0}
    place = lambda base, at: at + sum(factor * values[term.args] for term, factor in base)
    want = bytearray(len(data))
    for at, byte in proof.wanted(t.bits(0, 64), lambda *where: t.bits(data[place(*where)], 8)):
        want[place(*at)] = t.const(byte)
    return scalar(f"{verb}_u{8 * size}", data) == want


def check():
    """The names of those that differ."""
    rlib = library()
    run("rustc", "--edition", "2024", ROOT / "tests/proofs/reference.rs", "-o", WORK / "reference",
        "--extern", f"hotloops={rlib}", "-L", f"dependency={rlib.parent / 'deps'}")
    rng, wrong = random.Random(1), []
    for name, function in (("fast_f32", exp.fast), ("poly_f32", exp.poly)):
        t.reset()
        wrong += [] if floats(function, name, rng) else [f"reference of exp/{name}"]
    for verb in ("slice", "unslice", "tile", "untile"):
        wrong += [f"reference of {verb}_u{8 * size}" for size in (1, 2, 4, 8) if not slices(verb, size, rng)]
    run("cc", "-O2", "-msse4.1", ROOT / "tests/proofs/lemmas.c", "-o", WORK / "lemmas")
    if subprocess.run([WORK / "lemmas"]).returncode:
        wrong.append("the lemma of lemmas.c")
    return wrong
