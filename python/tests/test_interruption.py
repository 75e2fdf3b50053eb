"""Ctrl-C and fork: every job that may take long."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from hotloops import bits, clifford, correlation, exp, fingerprints, hardround, isa, ising, linalg
from hotloops.random import BitGenerator
from jobs_of_products import jobs_of_products

RNG = np.random.default_rng(1)

# Seconds from SIGINT to the exception. Aimed at is 0.1; a test machine has other load.
LIMIT = 1.0


def is_best():
    """Whether no HOTLOOPS_ISA caps the instruction set. With others, units of work take longer."""
    free = {name: value for name, value in os.environ.items() if name != "HOTLOOPS_ISA"}
    program = "from hotloops import isa; print(isa.active())"
    words = subprocess.run([sys.executable, "-c", program], env=free, capture_output=True, text=True)
    return words.stdout.strip() == isa.active()


best_only = pytest.mark.skipif(not is_best(), reason="HOTLOOPS_ISA caps the instruction set")


def numbers(*shape, dtype=np.float32):
    return RNG.standard_normal(shape, dtype=dtype)


def rows(n, width):
    return RNG.integers(0, 256, (n, width), dtype=np.uint8)


def sampler():
    pairs = {(i, (i * 7 + k) % 300): 1.0 + 0.1 * k for i in range(300) for k in (1, 2, 3)}
    return lambda: ising.Sampler().sample_ising({}, pairs, num_reads=2000, num_sweeps=1_000_000, seed=1)


def layer(*kernel):
    net = clifford.Layer((1, 1, 1), numbers(8, 32, 32, *kernel))
    x = numbers(4000 if not kernel else 300, 32, *(24 for _ in kernel), 8)
    return net, x


def jobs():
    """Names, and functions that make a call: of many seconds each, or repeated."""
    yield "ising.Sampler", sampler
    yield "ising.Worldlines", lambda: bind(
        ising.Worldlines(np.stack([np.arange(500_000), np.roll(np.arange(500_000), 1)], axis=1), np.ones(500_000),
                         np.zeros(500_000)).sweep, 2.0, 3.0, 1000, 3)
    strong = ising.Worldlines(np.array([[0, 1]]), np.ones(1), np.zeros(2))
    yield "ising.Worldlines of many kinks", lambda: bind(strong.sweep, 1e6, 1e3, 1_000_000)
    yield "linalg.matmul", lambda: bind(linalg.matmul, numbers(6000, 6000), numbers(6000, 6000))
    yield "linalg.matmul double", lambda: bind(linalg.matmul, *[numbers(4000, 4000, dtype=float)] * 2)
    yield "linalg.matmul long", lambda: bind(linalg.matmul, numbers(200, 1 << 19), numbers(1 << 19, 20))
    for name in ("sum", "sum2", "kahan", "sum_repro"):
        yield f"linalg.{name}", lambda name=name: bind(getattr(linalg, name), np.ones(1 << 26, np.float32))
    for name in ("dot", "dot2", "dot_repro"):
        yield f"linalg.{name}", lambda name=name: bind(getattr(linalg, name), *[np.ones(1 << 26, np.float32)] * 2)
    yield "Repro.extend", lambda: bind(linalg.Repro().extend, np.ones(1 << 26, np.float32))
    yield "bits.bitslice", lambda: bind(bits.bitslice, np.ones(1 << 27, np.uint16))
    yield "bits.bitunslice", lambda: bind(bits.bitunslice, np.ones(1 << 28, np.uint8), np.uint16, 1 << 27)
    yield "bits.count_positions", lambda: bind(bits.count_positions, np.ones(1 << 28, np.uint8))
    yield "exp.poly", lambda: bind(exp.poly, np.ones(1 << 28, np.float32))
    yield "random_uint32", lambda: bind(BitGenerator(1).random_uint32, 1 << 28)
    yield "clifford.product", lambda: bind(clifford.product, *[numbers(1 << 21, 8)] * 2, (1, 1, 1))
    yield "clifford.sandwich", lambda: bind(clifford.sandwich, *[numbers(1 << 21, 8)] * 2, (1, 1, 1))
    yield "clifford.weighted_product", lambda: bind(
        clifford.weighted_product, numbers(len(clifford.paths((1, 1, 1))), 64), *[numbers(1 << 15, 64, 8)] * 2,
        (1, 1, 1))
    yield "clifford.grade_norms", lambda: bind(clifford.grade_norms, numbers(1 << 22, 8), (1, 1, 1))
    yield "clifford.activation", lambda: bind(clifford.activation, numbers(1 << 22, 8), (1, 1, 1), "gelu")
    yield "clifford.activation_backward", lambda: bind(
        clifford.activation_backward, *[numbers(1 << 22, 8)] * 2, (1, 1, 1), "gelu")
    for name, kernel in (("linear", ()), ("convolution", (3, 3))):
        def forward(kernel=kernel):
            net, x = layer(*kernel)
            return bind(net, x)

        def backward(kernel=kernel):
            net, x = layer(*kernel)
            return bind(net.backward, net(x[:100]))

        def gradients(kernel=kernel):
            net, x = layer(*kernel)
            return bind(net.gradients, x[:100], net(x[:100]))

        yield f"Layer {name}", forward
        yield f"Layer {name} backward", backward
        yield f"Layer {name} gradients", gradients
    rdf, g6, bins, box = correlation.rdf, correlation.g6, (0, 45, 0.5), (100, 100)
    yield "correlation.rdf", lambda: bind(rdf, RNG.random((300_000, 2)) * 100, bins, box)
    yield "correlation.rdf short", lambda: bind(rdf, RNG.random((2_000_000, 2)) * 100, (0, 0.5, 0.1), box)
    yield "correlation.g6", lambda: bind(g6, RNG.random((300_000, 2)) * 100, RNG.random(300_000), bins, box)
    yield "correlation.g6 pixels", lambda: bind(g6, RNG.integers(8000, size=(8**7, 2)), RNG.random(8**7), (0, 3000, 1))
    yield "correlation.psi", lambda: bind(correlation.psi, RNG.random((1_000_000, 2)) * 100, 6, (100, 100))
    yield "correlation.psi radius", lambda: bind(correlation.psi, RNG.random((300_000, 2)) * 100, radius=2.0)
    yield "fingerprints.tanimoto_matrix", lambda: bind(fingerprints.tanimoto_matrix, rows(20_000, 256))
    yield "fingerprints.hamming_matrix", lambda: bind(fingerprints.hamming_matrix, rows(50, 256), rows(500_000, 256))
    yield "fingerprints.nearest", lambda: bind(fingerprints.nearest, rows(3000, 256), rows(300_000, 256), k=10)
    yield "fingerprints.nearest few", lambda: bind(fingerprints.nearest, rows(3, 256), rows(1_000_000, 256), k=1000)
    yield "fingerprints.Index", lambda: bind(fingerprints.Index, rows(500_000, 256))

    def search(*shape, **options):
        index = fingerprints.Index(rows(300_000, 128))
        return bind(index.search, rows(*shape) if len(shape) == 2 else rows(1, *shape)[0], **options)

    yield "Index.search", lambda: search(20_000, 128, threshold=0.3)
    yield "Index.search top", lambda: search(20_000, 128, threshold=0.3, top=10)
    yield "Index.search one", lambda: search(128, threshold=0.3)
    yield "hardround.search", lambda: bind(hardround.search, "exp", 1.0, 2.0, within=2.0**-40)
    yield "hardround.search many", lambda: bind(hardround.search, "exp", 1.0, 1.0 + 2**-31, bits=8)


def bind(function, *arguments, **options):
    return lambda: function(*arguments, **options)


def jobs_with_large_units():
    """Jobs that had a piece of work of more than 0.1 s."""
    yield from jobs_of_products(numbers)
    yield "BitGenerator.jumped", lambda: bind(BitGenerator(1).jumped, 10_000)
    yield "BitGenerator._jumped", lambda: bind(BitGenerator(1)._jumped, 100_000, 1)
    yield "clifford.product broadcast", lambda: bind(clifford.product, numbers(1, 8), numbers(1 << 21, 8), (1, 1, 1))
    yield "clifford.activation_backward silu", lambda: bind(
        clifford.activation_backward, *[numbers(1 << 17, 8, 8)] * 2, (1, 1, 1), "silu", *[numbers(8, 4)] * 2)
    for mode in ("exact", "fast"):
        image = numbers(1, 16, 800, 800, 4)
        layer = clifford.Layer((1, 1), numbers(4, 16, 16, 3, 3), padding=1, mode=mode)
        yield f"Layer one image {mode}", lambda layer=layer, image=image: bind(layer, image)
        yield f"Layer one image {mode} backward", lambda layer=layer, image=image: bind(layer.backward, image)
        yield f"Layer one image {mode} gradients", lambda layer=layer, image=image: bind(layer.gradients, image, image)
        net = clifford.Layer((1, 1, 1), numbers(8, 64, 64), mode=mode)
        yield f"Layer linear {mode} gradients", lambda net=net: bind(net.gradients, *[numbers(20_000, 64, 8)] * 2)
    wide, some, few = numbers(8, 1024, 1024), numbers(8, 512, 512), numbers(512, 512, 8)
    for mode in ("exact", "fast"):
        new = lambda w, mode=mode: clifford.Layer((1, 1, 1), w, mode=mode)  # noqa: E731
        yield f"Layer wide {mode}", lambda new=new: bind(new, wide)
        yield f"Layer wide {mode} call", lambda new=new: bind(new(some), few)
        yield f"Layer wide {mode} gradients", lambda new=new: bind(new(some).gradients, few, few)
    yield "correlation.psi_of_bonds", lambda: bind(
        correlation.psi_of_bonds, RNG.random((500_000, 2)), RNG.integers(0, 500_000, (2_000_000, 2)), (1.0, 1.0))
    yield "correlation.rdf of a cluster", lambda: bind(
        correlation.rdf, np.vstack([RNG.random((200_000, 2)) * 0.01, [[100.0, 100.0]]]), (0, 10, 0.5), (200, 200))
    yield "correlation.g6 of a cluster", lambda: bind(
        correlation.g6, np.vstack([RNG.random((200_000, 2)) * 0.01, [[100.0, 100.0]]]), RNG.random(200_001),
        (0, 10, 0.5), (200, 200))
    yield "correlation.psi k=300", lambda: bind(correlation.psi, RNG.random((100_000, 2)) * 100, 300, (100, 100))
    yield "fingerprints.nearest k=50000", lambda: bind(
        fingerprints.nearest, rows(200, 256), rows(300_000, 256), k=50_000)
    yield "hardround.search bits=4", lambda: bind(hardround.search, "exp", 1.0, 1.0 + 0.9 * 2**-28, bits=4)
    yield "ising.SquareLattice.sweep", lambda: bind(ising.SquareLattice(2048, 2048).sweep, 0.4, 1000)
    yield "ising energies", lambda: bind(
        ising._native.energies, np.ones((100, 10**6), np.int8), np.zeros(10**6),
        np.stack([np.arange(10**6 - 1), np.arange(1, 10**6)], 1), np.ones(10**6 - 1))


JOBS = {**dict(jobs()), **dict(jobs_with_large_units())}


def time_to_interrupt(call, after):
    """Seconds from SIGINT, sent `after` a while, to KeyboardInterrupt. A call that ends before is made again.

    Seconds of this process's CPU time if these are fewer: other load on the machine does not count.
    """
    sent = []

    def clocks():
        return np.array([time.perf_counter(), time.process_time()])

    def send():
        sent.append(clocks())
        signal.raise_signal(signal.SIGINT) if sys.platform == "win32" else os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(after, send)
    try:
        timer.start()
        while True:
            call()
    except KeyboardInterrupt:
        return min(clocks() - sent[0])
    finally:
        timer.join()


@best_only
@pytest.mark.parametrize("name", JOBS)
def test_interrupt(name):
    call = JOBS[name]()
    took = [time_to_interrupt(call, after) for after in (0.05, 0.3)]
    print(f"\n{name}: {max(took):.3f} s")
    assert max(took) < LIMIT


@best_only
@pytest.mark.parametrize("name", ["ising.Sampler", "fingerprints.nearest", "correlation.rdf"])
def test_interrupt_on_one_thread(name, monkeypatch):
    call = {
        "ising.Sampler": lambda: bind(
            ising.Sampler().sample_ising, [1.0] * 50, {}, num_sweeps=10**6, num_reads=500, threads=1),
        "fingerprints.nearest": lambda: bind(fingerprints.nearest, rows(3000, 256), rows(300_000, 256), threads=1),
        "correlation.rdf": lambda: bind(
            correlation.rdf, RNG.random((100_000, 2)) * 100, (0, 45, 0.5), (100, 100), threads=1),
    }[name]()
    assert time_to_interrupt(call, 0.2) < LIMIT


@best_only
def test_objects_are_as_before_an_interrupted_call():
    generator = BitGenerator(1)
    generator.random_raw(5)
    before = generator.state
    time_to_interrupt(lambda: (setattr(generator, "state", before), generator.random_uint32(1 << 30)), 0.2)
    assert generator.state["state"] == before["state"]
    total = linalg.Repro()
    total.extend([0.5])
    x = np.ones(1 << 28, np.float32)
    with pytest.raises(KeyboardInterrupt):
        timer = threading.Timer(0.02, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        total.extend(x)
        pytest.skip("the sum ended first")
    assert float(total) == 0.5


@pytest.mark.parametrize("threads", [1, 2])
def test_a_lattice_is_after_one_of_its_sweeps(threads):
    lattice, other = (ising.SquareLattice(512, 512, seed=1) for _ in range(2))
    assert time_to_interrupt(lambda: lattice.sweep(0.4, 10**6, threads=threads), 0.2) < LIMIT
    assert 0 < lattice.sweeps < 10**6
    other.sweep(0.4, lattice.sweeps)
    assert (lattice.spins == other.spins).all()


def test_a_handler_of_its_own():
    class Alarm(Exception):
        pass

    def handler(*_):
        raise Alarm

    before = signal.signal(signal.SIGUSR1, handler)
    try:
        threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGUSR1)).start()
        with pytest.raises(Alarm):
            JOBS["linalg.matmul"]()()
            time.sleep(5)
    finally:
        signal.signal(signal.SIGUSR1, before)


@best_only
def test_calls_of_another_thread_go_on():
    results = []
    a, b = numbers(1500, 1500), numbers(1500, 1500)
    worker = threading.Thread(target=lambda: results.append([linalg.matmul(a, b) for _ in range(5)]))
    worker.start()
    assert time_to_interrupt(lambda: time.sleep(1), 0.1) < LIMIT
    worker.join()
    assert all((c == results[0][0]).all() for c in results[0]) and len(results[0]) == 5


@pytest.mark.parametrize("call", [linalg.kahan, lambda x: linalg.Repro().extend(x)], ids=["whole", "in parts"])
def test_other_threads_run_meanwhile(call):
    """In the middle of a call another thread runs Python code, too."""
    x, ticks = np.ones(1 << 25), []
    stop = threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    other = threading.Thread(target=tick)
    other.start()
    try:
        for _ in range(20):
            began = time.perf_counter()
            call(x)
            part = (time.perf_counter() - began) / 5
            # Before and after the call, and once within it, the lock changes hands in any case.
            during = {(at - began) // part for at in list(ticks)}
            if during.issuperset((1, 2, 3)):
                return
        pytest.fail("no call let the other thread run")
    finally:
        stop.set()
        other.join()


@best_only
def test_parts_have_the_bits_of_the_whole():
    # Above the sizes that are cut. A part of each result, computed alone.
    a, b = numbers(900, 1500), numbers(1500, 5000)
    for left, right in ((a, b), (b.T, a.T), (a[:3], b), (a, b[:, :2])):
        whole, some = linalg.matmul(left, right), slice(1, 3)
        assert (whole[some] == linalg.matmul(left[some], right)).all()
        assert (whole[:, :2] == linalg.matmul(left, right[:, :2])).all()
    long = numbers(40, 3 << 20), numbers(3 << 20, 4)
    assert (linalg.matmul(*long)[7] == linalg.matmul(long[0][7:8], long[1])[0]).all()
    out = numbers(900, 5000)
    expected = linalg.matmul(a[5:6], b, out[5:6].copy(), alpha=0.5, beta=3.0)[0]
    assert (linalg.matmul(a, b, out, alpha=0.5, beta=3.0)[5] == expected).all()
    few, many = rows(200, 64), rows(300_000, 64)
    matrix = fingerprints.hamming_matrix(few, many)
    some = RNG.integers(0, len(many), 500)
    assert (matrix[:, some] == fingerprints.hamming_matrix(few, many[some])).all()
    order = np.lexsort((np.broadcast_to(np.arange(len(many)), matrix.shape), matrix), axis=1)[:, :9]
    found, distances = fingerprints.nearest(few, many, k=9)
    assert (found == order).all() and (distances == np.take_along_axis(matrix, order, 1)).all()
    samples = RNG.integers(0, 1 << 16, (1 << 24) + 77, dtype=np.uint16)
    planes = bits.bitslice(samples)
    assert (bits.bitunslice(planes, np.uint16, len(samples)) == samples).all()
    assert (planes[: 2048 * 2] == bits.bitslice(samples[:2048])).all()
    assert bits.count_positions(samples).tolist() == [int((samples >> j & 1).sum()) for j in range(16)]
    numbers_at_once, parts = BitGenerator(1), BitGenerator(1)
    at_once = numbers_at_once.random_uint32((1 << 23) + 5)
    assert (at_once == np.concatenate([parts.random_uint32(1 << 23), parts.random_uint32(5)])).all()
    x = numbers(1 << 20, 8)
    assert (clifford.product(x, x, (1, 1, 1))[-1] == clifford.product(x[-1], x[-1], (1, 1, 1))).all()
    assert (clifford.grade_norms(x, (1, 1, 1))[-1] == clifford.grade_norms(x[-1], (1, 1, 1))).all()


@best_only
def test_parts_of_sums_have_the_bits_of_the_whole():
    x = numbers(3, 1 << 12, 1 << 10)
    for view in (x[:, ::2], x[::-1], x.T, x.transpose(1, 0, 2), x.reshape(1, -1)[:, ::2], x[:1, :, ::-1]):
        whole = np.array(view, order="C")
        assert linalg.sum(view) == linalg.sum(whole)
        assert (bits.count_positions(view) == bits.count_positions(whole)).all()
    x, y = x.ravel(), x[::-1].ravel()
    for part in (slice(0, 5), slice(5, 1 << 22), slice(0, None)):
        total = linalg.Repro()
        total.extend(x[part])
        assert np.float32(float(total)) == linalg.sum_repro(x[part])
    assert linalg.sum_repro(x) == linalg.sum_repro(x[::-1])
    assert linalg.dot_repro(x, y) == linalg.dot_repro(x[::-1], y[::-1])


@best_only
@pytest.mark.parametrize("shape", [(37, 1 << 20, 1), (1, 1 << 20, 37), (8, 1 << 18, 8), (3, 1 << 20, 1)])
def test_rows_of_a_product_in_any_order(shape):
    # The rows of parts: from 4 on together with others, fewer alone.
    m, k, n = shape
    a, b = numbers(m, k), numbers(k, n)
    whole = linalg.matmul(a, b, order="fast")
    if n == 1:
        together = 16 if m > 16 else 1
        parts = [linalg.matmul(a[i:i + together], b, order="fast") for i in range(0, m - m % together, together)]
        assert (np.vstack(parts) == whole[:m - m % together]).all()
    elif m == 1:
        assert (linalg.matmul(a, b[:, :16], order="fast") == whole[:, :16]).all()
    # A product that is cut has the bits of one that is not.
    if min(m, n) == 1 and m * n > 16:
        a, b = (np.vstack([a] * 8), b) if n == 1 else (a, np.hstack([b] * 8))
        assert m * n * 8 * k > 1 << 28
        cut = linalg.matmul(a, b, order="fast").ravel()
        assert (cut[:whole.size] == whole.ravel()).all()


@best_only
def test_gradients_of_pieces_have_the_bits_of_the_whole():
    x, gy = numbers(600, 1024, 1), numbers(600, 1024, 1)
    layer = clifford.Layer((), numbers(1, 1024, 1024), mode="exact")
    gw, gbias = layer.gradients(x, gy)
    # One chain of fused multiply-adds for each weight.
    assert (gw[0] == linalg.matmul(x[:, :, 0].T, gy[:, :, 0]).T).all()
    assert np.allclose(gbias[0], gy.sum((0, 2)), atol=1e-3)
    x, gz = numbers(1 << 16, 8, 8, dtype=float), numbers(1 << 16, 8, 8, dtype=float)
    weights = numbers(8, 4, dtype=float)
    gx, gw, gbias = clifford.activation_backward(x, gz, (1, 1, 1), "silu", weights, weights)
    parts = [clifford.activation_backward(x[i:i + 4096], gz[i:i + 4096], (1, 1, 1), "silu", weights, weights)
             for i in range(0, len(x), 4096)]
    assert (gx == np.concatenate([part[0] for part in parts])).all()
    assert np.allclose(gw, sum(part[1] for part in parts)) and np.allclose(gbias, sum(part[2] for part in parts))


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="no list of threads")
@pytest.mark.parametrize("threads", [1, 2, 3, 1, None])
def test_pools_are_kept(threads):
    few = rows(300, 256)
    expected = fingerprints.hamming_matrix(few)

    def threads_of():
        assert (fingerprints.hamming_matrix(few, threads=threads) == expected).all()
        return set(os.listdir("/proc/self/task"))

    # The same threads serve all calls.
    before = threads_of()
    assert all(threads_of() <= before for _ in range(20))


FORKED = """
import multiprocessing, os, sys
import numpy as np
from hotloops import correlation, fingerprints, ising, linalg

rows = np.random.default_rng(1).integers(0, 256, (300, 32), dtype=np.uint8)
x = np.random.default_rng(1).random((500, 2))

def work(_=0):
    matrix = fingerprints.tanimoto_matrix(rows)
    counts = correlation.rdf(x, (0, 0.4, 0.1), (1, 1)).count
    samples = ising._native.anneal(np.array([[0, 1]]), np.ones(1), np.ones(2), 20, [0.5] * 9, 1)
    return matrix.tobytes(), counts.tobytes(), samples.tobytes()

expected = work()
context = multiprocessing.get_context("fork")
with context.Pool(3) as pool:
    assert pool.map(work, range(12)) == [expected] * 12
# A child of a child, and the parent afterwards.
child = os.fork()
if child == 0:
    same = work() == expected
    grandchild = os.fork()
    if grandchild == 0:
        os._exit(0 if work() == expected else 1)
    os._exit(0 if same and os.waitpid(grandchild, 0)[1] == 0 else 1)
assert os.waitpid(child, 0)[1] == 0
assert work() == expected
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_after_fork():
    subprocess.run([sys.executable, "-W", "ignore", "-c", FORKED], check=True, timeout=120)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_after_fork_in_a_data_loader():
    pytest.importorskip("torch.utils.data")
    code = """
import numpy as np, torch
from hotloops import fingerprints
rows = np.random.default_rng(1).integers(0, 256, (64, 32), dtype=np.uint8)
class Data(torch.utils.data.Dataset):
    def __len__(self): return 64
    def __getitem__(self, i): return fingerprints.tanimoto_matrix(rows[i:i + 1], rows)[0]
expected = fingerprints.tanimoto_matrix(rows)
loader = torch.utils.data.DataLoader(Data(), batch_size=8, num_workers=2, multiprocessing_context="fork")
assert (torch.cat(list(loader)).numpy() == expected).all()
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300)
