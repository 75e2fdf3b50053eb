"""`device=`: the results of the CPU. Without an OpenCL device, only the errors are tested."""

import os
import subprocess
import sys
import warnings

# Two devices of PoCL, read when OpenCL is loaded.
os.environ.setdefault("POCL_DEVICES", "basic pthread")

import numpy as np  # noqa: E402
import pytest  # noqa: E402
from hotloops import fingerprints, hardround, ising  # noqa: E402

rng = np.random.default_rng(5)
ROWS = rng.integers(0, 256, (1500, 21), dtype=np.uint8) & rng.integers(0, 256, (1500, 21), dtype=np.uint8)
ROWS[700:720] = ROWS[3]
QUERIES = ROWS[:30] ^ (rng.random((30, 21)) < 0.05).astype(np.uint8)


@pytest.fixture(params=[0, "all"])
def device(request):
    """A device, or all of them."""
    try:
        fingerprints.nearest(QUERIES, ROWS, device=request.param)
    except (RuntimeError, ValueError) as error:
        if "no OpenCL" not in str(error) or "HOTLOOPS_TEST_DEVICE" in os.environ:
            raise
        pytest.skip(str(error))
    return request.param


def same(found, expected):
    """Whether lists of arrays are equal."""
    return len(found) == len(expected) and all(
        len(one) == len(other) and all(np.array_equal(a, b) for a, b in zip(one, other))
        for one, other in zip(found, expected)
    )


@pytest.mark.parametrize("bits", [168, 163])
def test_searches(device, bits):
    index = fingerprints.Index(ROWS, bits=bits)
    for options in (
        {"threshold": 0.4},
        {"threshold": 0.3, "top": 25},
        {"measure": "hamming", "top": 3},
        {"measure": "tversky", "alpha": 0.3, "beta": 0.9, "threshold": 0.5},
        {"top": 0},
    ):
        expected = index.search(QUERIES, **options)
        assert same(index.search(QUERIES, device=device, **options), expected), options
        assert same([index.search(QUERIES[3], device=device, **options)], expected[3:4]), options
    assert index.search(QUERIES[:0], device=device) == []
    assert fingerprints.Index(ROWS[:0], bits=168).search(QUERIES, device=device)[0][0].tolist() == []


def test_nearest(device):
    for k in (1, 30, 2000, 0):
        assert same([fingerprints.nearest(QUERIES, ROWS, k, device=device)], [fingerprints.nearest(QUERIES, ROWS, k)])


def test_hard_cases(device):
    for function, bits in (("exp", 30), ("log", 28)):
        expected = hardround.search(function, 1.5, 1.5 + 2.0**-18, bits=bits)
        found = hardround.search(function, 1.5, 1.5 + 2.0**-18, bits=bits, device=device)
        assert len(found) > 0 and np.array_equal(found, expected)


def ring(n):
    return {(i, (i + step) % n): (-1) ** (i * step // 3) for i in range(n) for step in (1, 7)}


@pytest.mark.parametrize("reads, options", [(1200, {}), (600, {"interrupt_function": lambda: False}), (3, {})])
def test_samples(device, reads, options):
    options = {"num_reads": reads, "num_sweeps": 30, "seed": 7, **options}
    try:
        found = ising.Sampler().sample_ising({0: 1.0}, ring(40), device=device, **options)
    except ValueError as error:
        # A few reads may be of another kind.
        assert reads < 1200 and "devices sweep models of the kinds" in str(error)
        return
    expected = ising.Sampler().sample_ising({0: 1.0}, ring(40), **options)
    states = [sample.record.sample if hasattr(sample, "record") else sample.samples for sample in (found, expected)]
    assert np.array_equal(*states)


def test_kinds_that_devices_do_not_sweep(device):
    problem = {(0, 1): 0.123456789, (1, 2): -0.7654321}
    with pytest.raises(ValueError, match="device: devices sweep models of the kinds I8Exact and Bits"):
        ising.Sampler().sample_ising({0: 0.3}, problem, num_reads=2, num_sweeps=3, device=device)


def test_wrong_devices():
    index = fingerprints.Index(ROWS)
    for device, error, message in (
        ("gpu", ValueError, 'device: "gpu" is none of cpu, auto, all'),
        (-1, ValueError, "device: is -1"),
        (True, TypeError, "device: expected"),
        (0.5, TypeError, "device: expected an integer"),
        (999, (ValueError, RuntimeError), "device: no (device 999|OpenCL)"),
    ):
        with pytest.raises(error, match=message):
            index.search(QUERIES, device=device)


def test_auto_without_a_gpu_warns():
    """In a process that finds no OpenCL device."""
    program = """
import warnings
import numpy as np
from hotloops import fingerprints
rows = np.eye(9, dtype=np.uint8)
with warnings.catch_warnings(record=True) as found:
    warnings.simplefilter("always")
    numbers, _ = fingerprints.nearest(rows, rows, device="auto")
assert numbers[:, 0].tolist() == list(range(9))
print(*(one.message for one in found))
"""
    environment = {**os.environ, "OCL_ICD_VENDORS": "/nonexistent"}
    output = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert output.returncode == 0, output.stderr
    assert output.stdout.startswith("device: no OpenCL ") and "the CPU runs the kernels" in output.stdout


def test_the_cpu_does_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fingerprints.Index(ROWS).search(QUERIES, device="cpu")


def test_interrupted_on_a_device(device):
    """Ctrl-C between two launches."""
    program = f"""
import os, signal, threading, time
import numpy as np
from hotloops import fingerprints
rows = np.random.default_rng(1).integers(0, 256, (60000, 64), dtype=np.uint8)
fingerprints.nearest(rows[:10], rows, device={device!r})
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
begin = time.monotonic()
try:
    fingerprints.nearest(rows, rows, device={device!r})
except KeyboardInterrupt:
    print(time.monotonic() - begin)
"""
    output = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert output.stdout and 0.2 < float(output.stdout) < 60, output
