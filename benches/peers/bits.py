"""Bit planes and bit rows by hotloops and by other libraries: the same work, one core, one interleaved run.

    make -C capi install PREFIX=/tmp/hotloops
    pip install numpy bitshuffle==0.5.2 blosc2==4.14.1 numkong==7.8.6
    python3 benches/peers/bits.py /tmp/hotloops [--bitmagic SRC] [--popcnt INCLUDE] [--table FILE]

bitshuffle, the bitshuffle filter of Blosc2 (called in its library, block by block) and BitMagic cut blocks of
2048 32-bit integers into bit planes (the same bytes, checked). SRC is the folder `src` of BitMagic, whose headers are
compiled with `c++ -O3 -march=native`. NumKong computes all Hamming distances and Jaccard similarities of two sets
of rows (the same results, checked). INCLUDE is the folder of `libpopcnt.h` of libpopcnt, to measure it too: the
exclusive or of two rows goes into a buffer, whose ones it counts. It is compiled with `cc -O3 -march=native`.

FILE is written as Markdown; `docs/bits-peers.md` is one.
"""

import argparse
import ctypes
import datetime
import os
import pathlib
import subprocess
import tempfile
import time

os.environ["OMP_NUM_THREADS"] = "1"  # bitshuffle would take all cores

import bitshuffle
import blosc2
import numkong
import numpy

ROUNDS = 40
parser = argparse.ArgumentParser()
parser.add_argument("prefix", type=pathlib.Path)
for option in "bitmagic", "popcnt", "table":
    parser.add_argument(f"--{option}", type=pathlib.Path)
given = parser.parse_args()
table = []
hl = ctypes.CDLL(str(given.prefix / "lib/libhotloops.so"))
size_t, u32, f32, pointer = ctypes.c_size_t, ctypes.c_uint32, ctypes.c_float, ctypes.c_void_p
hl.hl_bitslice_slice_blocks.argtypes = [pointer, size_t, u32, u32, u32, pointer]
hl.hl_bitslice_unslice_blocks.argtypes = [pointer, size_t, u32, u32, u32, pointer]
hl.hl_hamming_packed_bytes.argtypes, hl.hl_hamming_packed_bytes.restype = [size_t, size_t], size_t
hl.hl_hamming_pack.argtypes = [pointer, size_t, size_t, size_t, pointer]
hl.hl_hamming_cross.argtypes = [pointer, pointer, size_t, size_t, pointer, size_t]
hl.hl_hamming_tanimoto_cross.argtypes = [pointer, pointer, size_t, size_t, f32, pointer, size_t]
hl.hl_hamming_slices_distance_u32x2048.argtypes = [pointer, pointer]
hl.hl_isa_active.restype = ctypes.c_char_p


def at(array):
    return array.ctypes.data


def ok(status):
    assert status == 0, status


def run(title, unit, work, jobs):
    """Times the jobs in turn and prints median and least nanoseconds per unit.

    Short jobs run eight times, the first time to fill the caches; calls from Python, some 2 us each, are in the times.
    """
    times = {name: [] for name in jobs}
    repeat = 7 if work < 1000 else 1
    for _ in range(ROUNDS):
        for name, job in jobs.items():
            job()
            begin = time.perf_counter_ns()
            for _ in range(repeat):
                job()
            times[name].append((time.perf_counter_ns() - begin) / work / repeat)
    print(f"{title}, ns per {unit}: median, least, times hotloops (of the least)")
    ours = min(next(iter(times.values())))
    for name, taken in times.items():
        taken.sort()
        print(f"  {name:44} {taken[len(taken) // 2]:10.3f} {taken[0]:10.3f} {taken[0] / ours:8.2f}")
        table.append((title, name, taken[len(taken) // 2], taken[0], taken[0] / ours, unit))


def compiled(compiler, name, source, include):
    folder = pathlib.Path(tempfile.mkdtemp())
    (folder / name).write_text(source)
    command = [compiler, "-O3", "-march=native", "-shared", "-fPIC", "-w", "-o", folder / "peer.so", folder / name]
    subprocess.run(command + [f"-I{folder.resolve()}" for folder in include], check=True)
    return ctypes.CDLL(str(folder / "peer.so"))


def cutters():
    """The libraries that cut block by block: functions of source, target and number of blocks, and their inverses."""
    source = """
#include <stdint.h>
void each(int64_t (*cut)(int32_t, int32_t, const void *, void *), const char *src, char *dst, size_t blocks) {
    for (size_t i = 0; i < blocks; i++)
        cut(4, 8192, src + 8192 * i, dst + 8192 * i);
}
"""
    each = compiled("cc", "each.c", "#include <stddef.h>\n" + source, []).each
    each.argtypes = [pointer, pointer, pointer, size_t]
    library = ctypes.CDLL(str(next((pathlib.Path(blosc2.__file__).parent / "lib").glob("libblosc2.so*"))))
    call = lambda name: (lambda *arguments, f=ctypes.cast(library[name], pointer): each(f, *arguments))
    found = {f"Blosc2 {blosc2.__version__}": (call("blosc2_bitshuffle"), call("blosc2_bitunshuffle"))}
    if given.bitmagic:
        source = """
#include "bm.h"
#include "bmtrans.h"
typedef unsigned planes[32][64];
extern "C" void cut(const unsigned *src, planes *dst, size_t blocks) {
    for (size_t i = 0; i < blocks; i++)
        bm::vect_bit_transpose<unsigned, 32, 64>(src + 2048 * i, 2048, dst[i]);
}
extern "C" void join(const planes *src, unsigned *dst, size_t blocks) {
    for (size_t i = 0; i < blocks; i++)
        bm::vect_bit_trestore<unsigned, 32, 64>(src[i], dst + 2048 * i);
}
"""
        magic = compiled("c++", "magic.cpp", source, [given.bitmagic])
        magic.cut.argtypes = magic.join.argtypes = [pointer, pointer, size_t]
        found["BitMagic"] = magic.cut, magic.join
    return found


def planes(blocks, title):
    src = (numpy.arange(2048 * blocks, dtype=numpy.uint32) * numpy.uint32(2654435761)).astype("<u4")
    dst, back = numpy.empty(8192 * blocks, numpy.uint8), numpy.empty_like(src)
    cut = lambda layout: ok(hl.hl_bitslice_slice_blocks(at(src), src.size, 4, layout, 0, at(dst)))
    join = lambda layout: ok(hl.hl_bitslice_unslice_blocks(at(dst), src.size, 4, layout, 0, at(back)))
    shuffled = bitshuffle.bitshuffle(src, block_size=2048)
    cut(0)
    assert dst.tobytes() == shuffled.tobytes()
    join(0)
    assert (back == src).all()
    copy, cuts, joins = numpy.empty_like(src), {}, {}
    for name, (cut_all, join_all) in cutters().items():
        theirs = numpy.empty(8192 * blocks, numpy.uint8)
        cuts[name] = lambda f=cut_all, to=theirs: f(at(src), at(to), blocks)
        joins[name] = lambda f=join_all: f(at(shuffled), at(copy), blocks)
        cuts[name]()
        joins[name]()
        assert (theirs == dst).all() and (copy == src).all(), name
    run(
        f"slice, {title}",
        "block of 8 KiB",
        blocks,
        {
            "hotloops rows": lambda: cut(0),
            "hotloops tiles": lambda: cut(1),
            "bitshuffle 0.5.2": lambda: bitshuffle.bitshuffle(src, block_size=2048),
            **cuts,
            "numpy copy": lambda: numpy.copyto(copy, src),
        },
    )
    run(
        f"unslice, {title}",
        "block of 8 KiB",
        blocks,
        {
            "hotloops rows": lambda: join(0),
            "hotloops tiles": lambda: join(1),
            "bitshuffle 0.5.2": lambda: bitshuffle.bitunshuffle(shuffled, block_size=2048),
            **joins,
        },
    )


def popcnt():
    """All distances of two sets of rows by libpopcnt, and a block's planes."""
    source = """
#include <libpopcnt.h>
void cross(const uint64_t *a, size_t n, const uint64_t *b, size_t m, size_t words, uint32_t *out) {
    uint64_t differ[words];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
            for (size_t k = 0; k < words; k++)
                differ[k] = a[i * words + k] ^ b[j * words + k];
            out[i * m + j] = popcnt(differ, 8 * words);
        }
}
"""
    cross = compiled("cc", "cross.c", source, [given.popcnt]).cross
    cross.argtypes = [pointer, size_t, pointer, size_t, size_t, pointer]
    return cross


def pairs(n, m, bits):
    random = numpy.random.default_rng(1)
    rows, others = (random.integers(0, 256, (count, bits // 8), dtype=numpy.uint8) for count in (n, m))
    packed = numpy.empty(hl.hl_hamming_packed_bytes(m, bits), numpy.uint8)
    ok(hl.hl_hamming_pack(at(others), m, bits, bits // 8, at(packed)))
    d, s = numpy.empty((n, m), numpy.uint32), numpy.empty((n, m), numpy.float32)
    hamming = lambda: ok(hl.hl_hamming_cross(at(packed), at(rows), n, bits // 8, at(d), m))
    tanimoto = lambda: ok(hl.hl_hamming_tanimoto_cross(at(packed), at(rows), n, bits // 8, 1.0, at(s), m))
    theirs = numkong.hammings_pack(others)
    hamming()
    tanimoto()
    assert (numpy.array(numkong.hammings_packed(rows, theirs)) == d).all()
    assert numpy.allclose(1 - numpy.array(numkong.jaccards_packed(rows, theirs)), s, atol=1e-6)
    jobs = {"hotloops": hamming, "NumKong 7.8.6, packed": lambda: numkong.hammings_packed(rows, theirs)}
    if given.popcnt:
        cross, out = popcnt(), numpy.empty((n, m), numpy.uint32)
        count = lambda: cross(at(rows), n, at(others), m, bits // 64, at(out))
        count()
        assert (out == d).all()
        jobs["libpopcnt"] = count
    run(f"Hamming distances, {n} x {m} rows of {bits} bits", "pair", n * m, jobs)
    jobs = {"hotloops": tanimoto, "NumKong 7.8.6, packed": lambda: numkong.jaccards_packed(rows, theirs)}
    run(f"Tanimoto similarities, {n} x {m} rows of {bits} bits", "pair", n * m, jobs)


def block():
    """The task of Kuznetsov and Tolstoy: a block's planes and their distances."""
    src = (numpy.arange(2048, dtype=numpy.uint32) * numpy.uint32(2654435761)).astype("<u4")
    d = numpy.zeros((32, 32), numpy.uint32)
    jobs = {"hotloops": lambda: ok(hl.hl_hamming_slices_distance_u32x2048(at(src), at(d)))}
    if given.popcnt:
        cross, out = popcnt(), numpy.empty((32, 32), numpy.uint32)

        def chain():
            shuffled = bitshuffle.bitshuffle(src, block_size=2048)
            cross(at(shuffled), 32, at(shuffled), 32, 32, at(out))

        chain()
        next(iter(jobs.values()))()
        upper = numpy.triu_indices(32, 1)
        assert (out[upper] == d[upper]).all()
        jobs["bitshuffle, then libpopcnt (32 x 32 pairs, not 496)"] = chain
    run("slicing and distances of one block", "block", 1, jobs)


capable = [name for name, there in numkong.get_capabilities().items() if there]
print(f"hotloops with {hl.hl_isa_active().decode()}; NumKong with {' '.join(capable)}")
planes(24, "24 blocks, in the second-level cache")
planes(16384, "128 MiB")
for bits in 512, 1024, 2048, 4096:
    pairs(512, 256, bits)
block()
if given.table:
    cpu = next(line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name"))
    isa, load = hl.hl_isa_active().decode(), os.getloadavg()[2]
    text = f"""# Bit planes and bit rows by hotloops and by other libraries

`benches/peers/bits.py` on one core of an {cpu} (`{isa}`), {datetime.date.today()}, mean load {load:.0f}.
Nanoseconds per block of 8 KiB or pair: median, minimum, and the minimum divided by that of hotloops (its first row).
The script says how the others are called and which results are compared.

| | | median | min | |
|---|---|---|---|---|
"""
    given.table.write_text(text + "".join(
        f"| {title}, ns per {unit} | {name} | {median:.4g} | {least:.4g} | {ratio:.2f} |\n"
        for title, name, median, least, ratio, unit in table
    ))
