"""Searches in fingerprints by hotloops and by other libraries: the same work, one thread, one interleaved run.

    make -C capi install PREFIX=/tmp/hotloops
    pip install numpy rdkit==2026.9.1 FPSim2==0.7.4 faiss-cpu==1.15.1 numkong==7.8.6
    pip install --no-deps molsets==0.3.1
    python3 benches/peers/fingerprints/molecules.py /tmp/fingerprints
    pip download --no-deps --no-binary :all: chemfp==1.6.1 && tar xf chemfp-1.6.1.tar.gz
    python3 benches/peers/fingerprints/search.py /tmp/hotloops /tmp/fingerprints chemfp-1.6.1 [TABLE]

TABLE is written as Markdown; `docs/fingerprints-peers.md` is one, and `render.py` draws it.

chemfp 1.6.1 runs on Python 2 only; its C library, which contains the searches, is compiled here with its own flags
(`cc -O3 -mssse3 -mpopcnt`) and called directly. FPSim2 is measured at its C++ functions, without the molecules. Both
have their rows sorted by popcount beforehand, as hotloops has its index. NumKong computes
the distances of all pairs, in which numpy looks for the hits.

Results are checked: numbers of hits of all threshold searches, scores of the best ones, distances of nearest
neighbours. Times are CPU times, medians of ROUNDS rounds over the same queries; a job that takes longer than some
seconds runs less often.
"""

import ctypes
import datetime
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

os.environ["OMP_NUM_THREADS"] = "1"  # FAISS would take all cores

import faiss
import numkong
import numpy
from FPSim2.FPSim2lib import GenericSearch
from rdkit import DataStructs

ROUNDS, QUERIES = 5, 20
prefix, data, chemfp = (pathlib.Path(path) for path in sys.argv[1:4])
table = []


def measure(title, unit, work, jobs):
    """Runs the jobs in turn; keeps and prints the median CPU time per unit of each, the first job's first."""
    times = {name: [] for name in jobs}
    for round_ in range(ROUNDS):
        for name, job in jobs.items():
            if round_ > 0 and times[name][0] * work > 8.0:
                continue
            begin = time.process_time()
            job()
            times[name].append((time.process_time() - begin) / work)
    medians = {name: statistics.median(taken) for name, taken in times.items()}
    ours = next(iter(medians.values()))
    print(f"{title}, ms per {unit}")
    for name, taken in medians.items():
        print(f"  {name:34} {1e3 * taken:12.4f} {taken / ours:8.1f}", flush=True)
    table.append({"title": title, "unit": unit, "seconds": medians})


def markdown(rows):
    cpu = next(line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name"))
    isa, date, load = HL.hl_isa_active().decode(), datetime.date.today(), os.getloadavg()[2]
    text = f"""# Fingerprints: searches by hotloops and by other libraries

![CPU time of other libraries over that of hotloops](fingerprints-peers.svg)

`benches/peers/fingerprints/search.py` on one core of an {cpu} (`{isa}`), {date},
mean load {load:.0f}. CPU time per query or search in milliseconds, medians; in parentheses, over the time of hotloops.
The script says where the molecules come from, how chemfp and FPSim2 are called, and which results are compared.

| | hotloops | chemfp 1.6.1 | FPSim2 0.7.4 | FAISS 1.15.1 | RDKit | NumKong 7.8.6 |
|---|---|---|---|---|---|---|
"""
    for row in rows:
        ours = next(iter(row["seconds"].values()))
        cells = [row["title"], f"{1e3 * ours:.3g}"]
        for peer in "chemfp", "FPSim2", "FAISS", "RDKit", "NumKong":
            time = next((time for name, time in row["seconds"].items() if name.startswith(peer)), None)
            cells.append(f"{1e3 * time:.3g} ({time / ours:.1f})" if time else "")
        text += "| " + " | ".join(cells) + " |\n"
    return text


# chemfp's structures and functions, from its chemfp.h.

class Result(ctypes.Structure):
    _fields_ = [
        ("num_hits", ctypes.c_int),
        ("num_allocated", ctypes.c_int),
        ("indices", ctypes.POINTER(ctypes.c_int)),
        ("scores", ctypes.POINTER(ctypes.c_double)),
    ]


def chemfp_library():
    names = "bitops chemfp fps heapq hits popcount_SSSE3 popcount_gillies popcount_lauradoux popcount_lut"
    sources = [chemfp / "src" / f"{name}.c" for name in f"{names} popcount_popcnt searches select_popcount".split()]
    target = pathlib.Path(tempfile.mkdtemp()) / "chemfp.so"
    flags = "-O3 -fPIC -shared -mssse3 -mpopcnt -w".split()
    subprocess.run(["cc", *flags, *sources, "-o", target, "-lm"], check=True)
    library = ctypes.CDLL(str(target))
    library.chemfp_alloc_search_results.restype = ctypes.POINTER(Result)
    library.chemfp_get_alignment_name.restype = ctypes.c_char_p
    for i in range(library.chemfp_get_num_alignments()):
        library.chemfp_select_fastest_method(i, 100)
    return library


CHEMFP = chemfp_library()


class Arena:
    """Rows sorted by popcount, each beginning at a multiple of 64 bytes, as chemfp keeps them."""

    def __init__(self, rows, bits):
        counts = numpy.bitwise_count(rows).sum(1, dtype=numpy.int64)
        self.order = numpy.argsort(counts, kind="stable")
        width = -(-rows.shape[1] // 64) * 64
        memory = numpy.zeros(len(rows) * width + 64, numpy.uint8)
        begin = -memory.ctypes.data % 64
        self.rows = memory[begin:][: len(rows) * width].reshape(len(rows), width)
        self.rows[:, : rows.shape[1]] = rows[self.order]
        self.starts = numpy.searchsorted(counts[self.order], numpy.arange(bits + 2)).astype(numpy.int32)
        self.bits = bits

    def argument(self):
        return self.rows.shape[1], ctypes.c_void_p(self.rows.ctypes.data), 0, len(self.rows)

    def search(self, queries, threshold, k=None):
        """The number of hits and the scores, in descending order, of each query."""
        results = CHEMFP.chemfp_alloc_search_results(len(queries.rows))
        starts = ctypes.c_void_p(self.starts.ctypes.data)
        both = (ctypes.c_double(threshold), self.bits, *queries.argument(), *self.argument(), starts, results)
        if k is None:
            CHEMFP.chemfp_threshold_tanimoto_arena(*both)
        else:
            CHEMFP.chemfp_knearest_tanimoto_arena(k, *both)
        CHEMFP.chemfp_search_results_reorder(len(queries.rows), results, b"decreasing-score")
        found = [list(results[i].scores[: results[i].num_hits]) for i in range(len(queries.rows))]
        CHEMFP.chemfp_free_results(len(queries.rows), results)
        return found

    def symmetric(self, threshold):
        """The number of pairs."""
        n = len(self.rows)
        results = CHEMFP.chemfp_alloc_search_results(n)
        width, rows, begin, end = self.argument()
        starts = ctypes.c_void_p(self.starts.ctypes.data)
        CHEMFP.chemfp_threshold_tanimoto_arena_symmetric(
            ctypes.c_double(threshold), self.bits, width, rows, begin, end, begin, end, starts, results
        )
        pairs = sum(results[i].num_hits for i in range(n))
        CHEMFP.chemfp_free_results(n, results)
        return pairs


class Simple:
    """Rows as FPSim2 keeps them: a number, words, and the popcount, sorted by the latter."""

    def __init__(self, rows):
        words = numpy.zeros((len(rows), -(-rows.shape[1] // 8) * 8), numpy.uint8)
        words[:, : rows.shape[1]] = rows
        words = words.view(numpy.uint64)
        counts = numpy.bitwise_count(words).sum(1, dtype=numpy.uint64)
        self.rows = numpy.hstack([numpy.arange(len(rows), dtype=numpy.uint64)[:, None], words, counts[:, None]])
        self.rows = self.rows[numpy.argsort(counts, kind="stable")]
        self.counts = self.rows[:, -1].astype(numpy.int64)

    def search(self, query, threshold, k=0):
        count = int(query[-1])
        low, high = int(numpy.ceil(threshold * count)), int(count / threshold) if threshold > 0 else 1 << 40
        begin, end = numpy.searchsorted(self.counts, [low, high + 1])
        found = GenericSearch(query, self.rows, threshold, k, 0, int(begin), int(end))
        return found["coeff"][: k or len(found)]


# hotloops.

class Condition(ctypes.Structure):
    _fields_ = [
        ("measure", ctypes.c_int32),
        ("threshold", ctypes.c_float),
        ("empty", ctypes.c_float),
        ("alpha", ctypes.c_double),
        ("beta", ctypes.c_double),
    ]


class Image(ctypes.Structure):
    _fields_ = [("memory", ctypes.c_void_p), ("size", ctypes.c_size_t)]


MATCH = numpy.dtype([("row", "u8"), ("common", "u4"), ("ones", "u4"), ("score", "f4")], align=True)
PAIR = numpy.dtype(
    [("query", "u8"), ("row", "u8"), ("common", "u4"), ("query_ones", "u4"), ("ones", "u4"), ("score", "f4")],
    align=True,
)
NEAR = numpy.dtype([("row", "u8"), ("distance", "u4")], align=True)
HL = ctypes.CDLL(str(prefix / "lib/libhotloops.so"))
HL.hl_isa_active.restype = ctypes.c_char_p
HL.hl_fingerprints_bytes.restype = ctypes.c_size_t
size_t = ctypes.c_size_t
TANIMOTO = 1


def ok(status):
    assert status == 0, status


def at(array):
    return ctypes.c_void_p(array.ctypes.data)


class Index:
    """Rows of one number of bits, with an index."""

    def __init__(self, rows, bits):
        self.rows = numpy.ascontiguousarray(rows)
        n, stride = rows.shape
        size = HL.hl_fingerprints_bytes(size_t(n), size_t(bits))
        self.memory = numpy.empty(size + 64, numpy.uint8)
        begin = -self.memory.ctypes.data % 64
        self.image = Image(self.memory.ctypes.data + begin, size)
        memory = ctypes.c_void_p(self.image.memory)
        ok(HL.hl_fingerprints_build(at(self.rows), size_t(n), size_t(bits), size_t(stride), memory, size_t(size)))
        self.matches, self.pairs = numpy.empty(max(n, 1), MATCH), numpy.empty(1 << 20, PAIR)

    def call(self, function, *arguments):
        ok(function(ctypes.byref(self.image), size_t(1), *arguments))

    def search(self, query, threshold):
        cursor, found = ctypes.c_uint64(), size_t()
        condition = ctypes.byref(Condition(TANIMOTO, threshold, 0.0, 0.0, 0.0))
        room = at(self.matches), size_t(len(self.matches)), ctypes.byref(found)
        self.call(HL.hl_fingerprints_search, at(query), condition, ctypes.byref(cursor), *room)
        assert cursor.value == len(self.rows)
        return numpy.sort(self.matches["score"][: found.value])[::-1]

    def top(self, query, k):
        found, condition = size_t(), ctypes.byref(Condition(TANIMOTO, 0.0, 0.0, 0.0, 0.0))
        self.call(HL.hl_fingerprints_top, at(query), condition, at(self.matches), size_t(k), ctypes.byref(found))
        return self.matches["score"][: found.value]

    def many(self, function, n, threshold, *arguments):
        """The number of matches of `n` queries."""
        cursor, found, total = ctypes.c_uint64(), size_t(), 0
        condition = ctypes.byref(Condition(TANIMOTO, threshold, 0.0, 0.0, 0.0))
        while cursor.value < n * len(self.rows):
            room = at(self.pairs), size_t(len(self.pairs)), ctypes.byref(found)
            self.call(function, *arguments, condition, ctypes.byref(cursor), *room)
            total += found.value
        return total

    def batch(self, queries, threshold):
        n, stride = queries.shape
        return self.many(HL.hl_fingerprints_batch, n, threshold, at(queries), size_t(n), size_t(stride))

    def all_pairs(self, threshold):
        n, stride = self.rows.shape
        arguments = at(self.rows), size_t(n), size_t(stride), size_t(0), size_t(n)
        return self.many(HL.hl_fingerprints_pairs, n, threshold, *arguments)


def nearest(queries, rows, k):
    out, found = numpy.empty((len(queries), k), NEAR), size_t()
    n, stride = queries.shape
    arguments = at(queries), size_t(n), size_t(stride), at(rows), size_t(len(rows)), size_t(8 * stride), size_t(stride)
    ok(HL.hl_hamming_nearest(*arguments, size_t(k), at(out), ctypes.byref(found)))
    return out["distance"]


def within(rows, queries, threshold):
    """Which rows have that Tanimoto similarity to which query, by NumKong."""
    distances = numpy.asarray(numkong.jaccards_packed(rows, numkong.hammings_pack(queries)))
    return distances < 1 - threshold + 1e-6


def pairs_within(rows, threshold, part=1000):
    """The number of pairs, by NumKong."""
    twice = 0
    for begin in range(0, len(rows), part):
        hits = within(rows[begin:], rows[begin : begin + part], threshold)
        twice += 2 * int(hits.sum()) - int(hits[:part].sum())
    return (twice - len(rows)) // 2


def same(a, b):
    assert len(a) == len(b) and numpy.allclose(a, b, rtol=0, atol=1e-6), (a[:10], b[:10])


def tanimoto(name, bits):
    """Threshold and top-k searches with every library, one query after the other."""
    rows = numpy.load(data / f"{name}.npy")
    title = f"{name}, {len(rows)} rows of {bits} bits"
    chosen = numpy.random.default_rng(1).integers(0, len(rows), QUERIES)
    queries = rows[chosen].copy()
    begin = time.process_time()
    index = Index(rows, bits)
    print(f"{title}: index built in {time.process_time() - begin:.2f} s")
    arena, simple, chem = Arena(rows, bits), Simple(rows), Arena(queries, bits)
    ones = [Arena(query[None], bits) for query in queries]
    simples = [row.rows[0] for row in (Simple(query[None]) for query in queries)]
    for threshold in 0.4, 0.7, 0.85:
        for query, one, words in zip(queries, ones, simples):
            hits = index.search(query, threshold)
            same(hits, arena.search(one, threshold)[0])
            same(hits, simple.search(words, threshold))
        jobs = {
            "hotloops": lambda: [index.search(query, threshold) for query in queries],
            "chemfp 1.6.1": lambda: [arena.search(one, threshold) for one in ones],
            "FPSim2": lambda: [simple.search(words, threshold) for words in simples],
        }
        measure(f"{title}, Tanimoto {threshold}", "query", QUERIES, jobs)
    for k in 10, 100:
        same(index.top(queries[0], k), arena.search(ones[0], 0.0, k)[0])
        jobs = {
            "hotloops": lambda: [index.top(query, k) for query in queries],
            "chemfp 1.6.1": lambda: [arena.search(one, 0.0, k) for one in ones],
            "FPSim2": lambda: [simple.search(words, 0.0, k) for words in simples],
        }
        measure(f"{title}, the best {k}", "query", QUERIES, jobs)
    many = rows[numpy.random.default_rng(2).integers(0, len(rows), 100)].copy()
    together = Arena(many, bits)
    assert index.batch(many, 0.7) == sum(map(len, arena.search(together, 0.7)))
    assert index.batch(many, 0.7) == int(within(rows, many, 0.7).sum())
    jobs = {
        "hotloops": lambda: index.batch(many, 0.7),
        "chemfp 1.6.1": lambda: arena.search(together, 0.7),
        "NumKong": lambda: int(within(rows, many, 0.7).sum()),
    }
    measure(f"{title}, 100 queries together, Tanimoto 0.7", "query", 100, jobs)


def pairs(name, bits, n):
    rows = numpy.load(data / f"{name}.npy")[:n].copy()
    index, arena = Index(rows, bits), Arena(rows, bits)
    vectors = [DataStructs.CreateFromBinaryText(row.tobytes()) for row in rows[:200]]
    every = [DataStructs.CreateFromBinaryText(row.tobytes()) for row in rows]
    assert index.all_pairs(0.7) == arena.symmetric(0.7) == pairs_within(rows, 0.7)
    jobs = {
        "hotloops": lambda: index.all_pairs(0.7),
        "chemfp 1.6.1, symmetric": lambda: arena.symmetric(0.7),
        "NumKong": lambda: pairs_within(rows, 0.7),
    }
    measure(f"{name}, all pairs of {n} rows, Tanimoto 0.7", "search", 1, jobs)
    jobs = {
        "hotloops": lambda: [index.top(row, 10) for row in rows[:200]],
        "RDKit": lambda: [DataStructs.BulkTanimotoSimilarity(v, every) for v in vectors],
    }
    measure(f"{name}, {n} rows, the best 10 (RDKit: all similarities)", "query", 200, jobs)


def embeddings(bits, n=1_000_000, k=10):
    random = numpy.random.default_rng(bits)
    rows, queries = (random.integers(0, 256, (count, bits // 8), numpy.uint8) for count in (n, 100))
    index = faiss.IndexBinaryFlat(bits)
    index.add(rows)
    assert (nearest(queries, rows, k) == index.search(queries, k)[0]).all()
    for count, title in (1, "one query"), (100, "100 queries together"):
        some = queries[:count].copy()
        jobs = {"hotloops": lambda: nearest(some, rows, k), "FAISS IndexBinaryFlat": lambda: index.search(some, k)}
        measure(f"{bits} random bits, {n} rows, the nearest {k}, {title}", "query", count, jobs)


print(f"hotloops with {HL.hl_isa_active().decode()}")
tanimoto("morgan", 2048)
tanimoto("path", 2048)
tanimoto("maccs", 166)
pairs("morgan", 2048, 20_000)
for bits in 256, 512, 1024:
    embeddings(bits)
if len(sys.argv) > 4:
    pathlib.Path(sys.argv[4]).write_text(markdown(table))
