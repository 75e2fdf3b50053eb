"""Pairs of points by their distance, and sums of products of orientations, by hotloops and by other libraries: the same
work, one thread, one interleaved run.

    make -C capi install PREFIX=/tmp/hotloops
    apt-get install libgsl-dev
    pip install numpy scipy freud-analysis==3.4.0 Corrfunc==2.5.3 TreeCorr==5.1.4
    python3 benches/peers/correlation.py /tmp/hotloops [POINTS]
    python3 benches/peers/correlation.py /tmp/hotloops grid [DISTANCE ..]
    python3 benches/peers/correlation.py /tmp/hotloops threads COUNT

100 000 points of a periodic square with one for 8 x 8 sqrt(3/4) pixels, as in a triangular lattice, and orientations
exp(6 i theta); pairs up to 300 pixels apart in 300 bins and in 20. The first results are checked:
pair counts, except pairs whose distance is an edge within rounding, and means of the products,
except those pairs and the rounding of orientations.

freud counts each pair twice and keeps 64 bits. Corrfunc works in three dimensions: points have
z = 0, which causes a warning at each call, and its cells are three-dimensional. Its weights are
real, so it runs twice and the means are added. TreeCorr runs in its exact mode, `bin_slop=0`; its
default, which assigns pairs of cells to a bin as a whole, is measured too. hotloops has no faster
mode for counts alone, so its one row is compared with both.

`grid` measures other numbers of points, distances and bins, spread evenly and in clusters, by the fastest
way of each library; a job that would take longer than half a minute is left out.

`threads` measures wall times with one thread and with COUNT threads, in turn; scipy has one thread only. Threads of
hotloops take ranges of cells and merge their results.

Times are CPU times otherwise, which other load disturbs less than wall times. They cover whole calls, with
sorting into cells. Long calls are measured less often.
"""

import concurrent.futures
import ctypes
import os
import pathlib
import sys
import time

os.environ["OMP_NUM_THREADS"] = "1"

import freud
import numpy
import scipy.spatial
import treecorr
from Corrfunc.theory.DD import DD

ROUNDS, ENOUGH = 9, 10e9
prefix = pathlib.Path(sys.argv[1])
hl = ctypes.CDLL(str(prefix / "lib/libhotloops.so"))
size_t, u32, f64, pointer = ctypes.c_size_t, ctypes.c_uint32, ctypes.c_double, ctypes.c_void_p
hl.hl_isa_set.argtypes = [ctypes.c_char_p]
hl.hl_correlation_psi_from_angles.argtypes = [pointer, size_t, u32, pointer]
hl.hl_correlation_points_create.argtypes = [pointer, pointer, pointer, size_t, pointer, f64, pointer]
hl.hl_correlation_points_destroy.argtypes = [pointer]
hl.hl_correlation_pairs_create_uniform.argtypes = [f64, f64, f64, pointer]
hl.hl_correlation_pairs_add_points.argtypes = [pointer, pointer]
hl.hl_correlation_pairs_add_points_of_cells.argtypes = [pointer, pointer, size_t, size_t]
hl.hl_correlation_pairs_merge.argtypes = [pointer, pointer]
hl.hl_correlation_pairs_get.argtypes = [pointer, pointer, size_t]
hl.hl_correlation_pairs_destroy.argtypes = [pointer]
freud.parallel.set_num_threads(1)
BIN = numpy.dtype([("lo", "f8"), ("hi", "f8"), ("g", "f8"), ("count", "u8"), ("sum_hi", "i8"), ("sum_lo", "u8")])


def at(array):
    return array.ctypes.data


def ok(status):
    assert status == 0, status


def sample(points, r_max, clustered=False):
    """Makes the points that all jobs use."""
    global N, R_MAX, period, x, y, psi, periods, own_psi
    N, R_MAX = points, r_max
    # Multiples of 2^-10, as is the period: differences are exact in 32 bits too.
    random = numpy.random.default_rng(2008)
    period = numpy.floor(numpy.sqrt(64 * 0.75**0.5 * N) * 1024) / 1024
    at_random = random.random((2, N)) * period
    if clustered:
        # 500 points in each, about 10 times as dense.
        centres = random.random((2, max(N // 500, 1))) * period
        at_random = centres[:, random.integers(centres.shape[1], size=N)] + random.normal(0, 30, (2, N))
    x, y = numpy.floor(at_random % period * 1024) / 1024
    theta = 2 * numpy.pi * random.random(N)
    psi = numpy.exp(6j * theta)
    periods = numpy.array([period, period])
    own_psi = numpy.empty(2 * N, numpy.int16)
    ok(hl.hl_correlation_psi_from_angles(at(theta), N, 6, at(own_psi)))


def hotloops(bins, isa, orientations=True):
    found = numpy.empty(bins, BIN)
    points, pairs = pointer(), pointer()

    def job():
        ok(hl.hl_isa_set(isa.encode()))
        psi_at = at(own_psi) if orientations else None
        ok(hl.hl_correlation_points_create(at(x), at(y), psi_at, N, at(periods), R_MAX, ctypes.byref(points)))
        ok(hl.hl_correlation_pairs_create_uniform(0, R_MAX, R_MAX / bins, ctypes.byref(pairs)))
        ok(hl.hl_correlation_pairs_add_points(pairs, points))
        ok(hl.hl_correlation_pairs_get(pairs, at(found), bins))
        hl.hl_correlation_pairs_destroy(pairs)
        hl.hl_correlation_points_destroy(points)
        return found["count"].astype("i8"), found["g"] if orientations else None

    return job


def hotloops_by_threads(bins, threads):
    found = numpy.empty(bins, BIN)

    def job():
        points, all_pairs = pointer(), [pointer() for _ in range(threads)]
        ok(hl.hl_correlation_points_create(at(x), at(y), at(own_psi), N, at(periods), R_MAX, ctypes.byref(points)))
        cells = size_t()
        ok(hl.hl_correlation_points_cells(points, ctypes.byref(cells)))
        # More ranges than threads, since cells differ.
        ends = [cells.value * k // (16 * threads) for k in range(16 * threads + 1)]
        ranges = iter(list(zip(ends, ends[1:])))

        def count(pairs):
            ok(hl.hl_correlation_pairs_create_uniform(0, R_MAX, R_MAX / bins, ctypes.byref(pairs)))
            for begin, end in ranges:
                ok(hl.hl_correlation_pairs_add_points_of_cells(pairs, points, begin, end))

        with concurrent.futures.ThreadPoolExecutor(threads) as pool:
            list(pool.map(count, all_pairs))
        for pairs in all_pairs[1:]:
            ok(hl.hl_correlation_pairs_merge(all_pairs[0], pairs))
        ok(hl.hl_correlation_pairs_get(all_pairs[0], at(found), bins))
        for pairs in all_pairs:
            hl.hl_correlation_pairs_destroy(pairs)
        hl.hl_correlation_points_destroy(points)
        return found["count"].astype("i8"), found["g"]

    return job


def by_freud(bins, orientations):
    box = freud.box.Box.square(period)
    centred = numpy.stack([x - period / 2, y - period / 2, 0 * x], axis=1).astype("f4")
    kind = freud.density.CorrelationFunction if orientations else freud.density.RDF
    found = kind(bins, R_MAX)

    def job():
        found.compute((box, centred), *[psi] * orientations)
        return found.bin_counts.astype("i8") // 2, found.correlation.real if orientations else None

    return job


def by_corrfunc(bins, digits, isa, orientations, threads=1):
    edges = numpy.linspace(0, R_MAX, bins + 1)
    columns = [column.astype(digits) for column in (x, y, 0 * x)]
    parts = [part.astype(digits) for part in (psi.real, psi.imag)]
    plane = {"periodic": True, "boxsize": period, "isa": isa}

    def job():
        if orientations:
            weights = [{"weights1": part, "weight_type": "pair_product"} for part in parts]
            found = [DD(1, threads, edges, *columns, **plane, **weight) for weight in weights]
        else:
            found = [DD(1, threads, edges, *columns, **plane)]
        count = found[0]["npairs"].astype("i8")
        count[0] -= N  # each point with itself
        if not orientations:
            return count // 2, None
        # Their products are in the first mean, each 1.
        mean = sum(part["weightavg"] for part in found)
        mean[0] = (mean[0] * (count[0] + N) - N) / count[0]
        return count // 2, mean

    return job


def by_treecorr(bins, slop, threads=1):
    how = {"bin_type": "Linear", "metric": "Periodic", "period": period, "num_threads": threads, "verbose": 0}
    found = treecorr.ZZCorrelation(min_sep=0, max_sep=R_MAX, nbins=bins, bin_slop=slop, **how)

    def job():
        # A new one, as it would keep its tree.
        found.process(treecorr.Catalog(x=x, y=y, z1=psi.real, z2=psi.imag))
        return numpy.rint(found.npairs).astype("i8"), found.xip

    return job


def by_scipy(bins):
    edges = numpy.linspace(0, R_MAX, bins + 1)

    def job():
        tree = scipy.spatial.cKDTree(numpy.stack([x, y], axis=1), boxsize=period)
        return numpy.diff(tree.count_neighbors(tree, edges)) // 2, None

    return job


def check(name, ours, theirs):
    """Edges, distances and their squares in 32 bits have relative errors below 2^-21: this share of the pairs may be in
    the next bin."""
    (count, g), (their_count, their_g) = ours, theirs
    bins = count.size
    near = numpy.zeros(bins + 1)
    near[1:] = 2 * 2.0**-21 * numpy.arange(1, bins + 1) * count
    moved = 12 + near[1:] + near[:-1]
    assert (numpy.abs(count - their_count) <= moved).all(), name
    if their_g is not None:
        # The rounding of orientations is 2^-15 of either part, that of a product up to sqrt(2) 2^-14; means may be in
        # 32 bits.
        assert (numpy.abs(g - their_g) * count <= 2 * moved + 1e-4 * count).all(), name


def run(title, jobs, exact):
    """Times the jobs in turn and prints median and minimum nanoseconds per pair. Results of the jobs in `exact` are
    checked."""
    times, ours = {name: [] for name in jobs}, None
    for _ in range(ROUNDS):
        for name, job in jobs.items():
            if sum(times[name]) < ENOUGH:
                begin = time.process_time_ns()
                found = job()
                times[name].append(time.process_time_ns() - begin)
                ours = ours or found
                if name in exact:
                    check(name, ours, found)
    pairs, first = ours[0].sum(), min(next(iter(times.values())))
    print(f"{title}, {pairs:,} pairs, ns per pair: median, minimum, minimum over that of hotloops, calls")
    for name, taken in times.items():
        taken.sort()
        median, least = taken[len(taken) // 2] / pairs, taken[0] / pairs
        print(f"  {name:44} {median:10.3f} {least:10.3f} {taken[0] / first:8.2f} {len(taken):4}", flush=True)


def correlate(bins, with_freud):
    jobs = {f"hotloops {isa}": hotloops(bins, isa) for isa in caps}
    if with_freud:
        jobs["freud 3.4.0 CorrelationFunction"] = by_freud(bins, True)
        jobs["freud 3.4.0 RDF, pairs alone"] = by_freud(bins, False)
    for orientations, what in (True, "two runs"), (False, "pairs alone"):
        for digits in "f4", "f8":
            # Corrfunc takes its slowest way where an instruction set is missing.
            for isa in ("fastest", "avx512f", "avx", "sse42") if "avx512f" in flags else ("fastest", "avx", "sse42"):
                jobs[f"Corrfunc 2.5.3 {digits} {isa}, {what}"] = by_corrfunc(bins, digits, isa, orientations)
    jobs["TreeCorr 5.1.4"] = by_treecorr(bins, 0)
    exact = set(jobs)
    jobs["TreeCorr 5.1.4, approximate"] = by_treecorr(bins, 1)
    run(f"{N:,} points, {bins} bins", jobs, exact)


def grid():
    """A line for each kind of points: nanoseconds per pair with orientations and of counts, and the times of other
    libraries over those of hotloops."""
    print("points, distance, bins: pairs; ns a pair with orientations / counts; times over those of hotloops: Corrfunc")
    print("with weights, TreeCorr, freud with orientations; Corrfunc, scipy cKDTree, freud for counts")
    # Nanoseconds per pair of each library at the last number of points.
    last = {}
    for r_max in map(float, sys.argv[3:] or (24, 40, 300)):
        for bins in 20, 300:
            for clustered in False, True:
                last.clear()
                for points in 2_000, 20_000, 100_000, 1_000_000:
                    sample(points, min(r_max, 150.0 if points == 2_000 else r_max), clustered)
                    jobs = {
                        "hotloops": hotloops(bins, caps[0]),
                        "counts": hotloops(bins, caps[0], False),
                        "Corrfunc": by_corrfunc(bins, "f4", "fastest", True),
                        "TreeCorr": by_treecorr(bins, 0),
                        "freud": by_freud(bins, True),
                        "Corrfunc counts": by_corrfunc(bins, "f4", "fastest", False),
                        "scipy counts": by_scipy(bins),
                        "freud counts": by_freud(bins, False),
                    }
                    times, pairs = {}, 0
                    for name, job in jobs.items():
                        if last.get(name, 0) * pairs > 30e9:
                            continue
                        for _ in range(3 if name in ("hotloops", "counts") else 1):
                            begin = time.process_time_ns()
                            found = job()
                            took = time.process_time_ns() - begin
                            times[name] = min(took, times.get(name, took))
                        pairs = pairs or int(found[0].sum())
                        last[name] = times[name] / pairs
                    ns = [times[name] / pairs for name in ("hotloops", "counts")]
                    others = []
                    for name in list(jobs)[2:]:
                        ours = times["counts" if "counts" in name else "hotloops"]
                        others.append(f"{times[name] / ours:.0f}" if name in times else "-")
                    kind = "clustered" if clustered else "uniform"
                    what = f"{points:9,} {kind:9} r {R_MAX:4.0f} {bins:3} bins: {pairs:13,}"
                    print(f"{what}; {ns[0]:8.3f} / {ns[1]:8.3f}; {' '.join(others)}", flush=True)


def threads(count):
    """A line for each library: wall times in milliseconds with one thread and with `count`."""
    ok(hl.hl_isa_set(caps[0].encode()))
    for points, r_max, bins in (100_000, 300.0, 20), (100_000, 300.0, 300), (1_000_000, 40.0, 80):
        sample(points, r_max)
        jobs = {
            "hotloops": lambda threads: hotloops_by_threads(bins, threads),
            "Corrfunc f4": lambda threads: by_corrfunc(bins, "f4", "fastest", True, threads),
            "Corrfunc f4, pairs alone": lambda threads: by_corrfunc(bins, "f4", "fastest", False, threads),
            "TreeCorr": lambda threads: by_treecorr(bins, 0, threads),
            "freud": lambda threads: by_freud(bins, True),
        }
        what = f"{points:,} points, distance {r_max:.0f}, {bins} bins"
        print(f"{what}: ms with 1 and with {count} threads, speedup, minimum of 3")
        for name, job in jobs.items():
            taken = {1: [], count: []}
            for _ in range(3):
                for number, times in taken.items():
                    freud.parallel.set_num_threads(number)
                    begin = time.perf_counter()
                    job(number)()
                    times.append(time.perf_counter() - begin)
            one, many = min(taken[1]), min(taken[count])
            print(f"  {name:28} {1e3 * one:10.1f} {1e3 * many:10.1f} {one / many:6.2f}", flush=True)


flags = pathlib.Path("/proc/cpuinfo").read_text().split()
words = "avx512", "avx2", "sse2", "neon", "scalar"
caps = [isa for isa in words if hl.hl_isa_set(isa.encode()) == 0]
if sys.argv[2:3] == ["grid"]:
    grid()
elif sys.argv[2:3] == ["threads"]:
    threads(int(sys.argv[3]))
else:
    sample(int(sys.argv[2]) if len(sys.argv) > 2 else 100_000, 300.0)
    correlate(300, True)
    correlate(20, False)  # freud takes as long for any number of bins
