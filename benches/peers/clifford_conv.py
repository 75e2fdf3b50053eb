"""Layers and activations of multivectors by hotloops and by torch: the same work, one core, one interleaved run.

    make -C capi install PREFIX=/tmp/hotloops
    pip install numpy torch==2.15.0
    python3 benches/peers/clifford_conv.py /tmp/hotloops [TABLE]

torch computes a linear layer by `addmm` and `linear`, the faster of the two, with expanded weights. It computes a
convolution as cliffordlayers does, by `conv2d` with the expanded weights, which are expanded
beforehand here: contiguous, channels last, and in oneDNN's own layout. Gates are those of cliffordlayers
(MultiVectorAct), GATr (gated GELU) and CGENN (MVSiLU), written with torch's functions. Results are compared. Times are
CPU times of one thread, medians of ROUNDS rounds. The peak is that of dense products in the same run: `dense` counts
the multiplications and additions of the expanded weights. TABLE is written as Markdown; `docs/clifford-conv-peers.md`
is one.
"""

import ctypes
import datetime
import functools
import itertools
import os
import pathlib
import statistics
import sys
import time

import numpy
import torch
import torch.nn.functional as F

torch.set_num_threads(1)
torch.set_grad_enabled(False)
ROUNDS = int(os.environ.get("ROUNDS", "7"))
hl = ctypes.CDLL(str(pathlib.Path(sys.argv[1]) / "lib/libhotloops.so"))
hl.hl_isa_active.restype = ctypes.c_char_p
hl.hl_status_string.restype = ctypes.c_char_p
size_t, pointer, int32 = ctypes.c_size_t, ctypes.c_void_p, ctypes.c_int32
EXACT, FAST = 0, 1
random = numpy.random.default_rng(1)


def checked(status):
    assert status == 0, hl.hl_status_string(status).decode()


def at(array):
    return pointer(array.ctypes.data)


def blades_of(squares):
    return [blade for k in range(len(squares) + 1) for blade in itertools.combinations(range(len(squares)), k)]


def product(squares, first, second):
    """The blade and the sign of a product of blades, from the defining relations."""
    blades, sign = list(first + second), 1
    for end in range(len(blades) - 1, 0, -1):
        for i in range(end):
            if blades[i] > blades[i + 1]:
                blades[i], blades[i + 1], sign = blades[i + 1], blades[i], -sign
    for pair in set(first) & set(second):
        blades, sign = [blade for blade in blades if blade != pair], sign * squares[pair]
    return tuple(blades), sign


def expanded(squares, weights):
    """Weights (blades, outputs, inputs, *kernel) as those of a real convolution, channels (channel, blade)."""
    blades = blades_of(squares)
    _, outputs, inputs, *kernel = weights.shape
    all_weights = numpy.zeros((outputs, len(blades), inputs, len(blades), *kernel), numpy.float32)
    for (p, first), (q, second) in itertools.product(enumerate(blades), repeat=2):
        blade, sign = product(squares, first, second)
        all_weights[:, blades.index(blade), :, p] += sign * weights[q]
    return all_weights.reshape(outputs * len(blades), inputs * len(blades), *kernel)


class Window(ctypes.Structure):
    _fields_ = [("dimensions", size_t)] + [(name, size_t * 3) for name in ("kernel", "stride", "padding", "dilation")]


def layer(squares, channels, weights, batch, size, mode, x, y):
    """A call of a layer by hotloops: a linear one, or of images of a size a convolution 3x3 with padding 1."""
    g, plan, packed, n = numpy.array(squares, numpy.int8), pointer(), pointer(), size_t(channels)
    if size is None:
        checked(hl.hl_clifford_plan_create_linear(
            at(g), size_t(len(squares)), n, n, int32(mode), ctypes.byref(plan)))
    else:
        window = Window(2, (3, 3, 0), (1, 1, 0), (1, 1, 0), (1, 1, 0))
        checked(hl.hl_clifford_plan_create_conv(
            at(g), size_t(len(squares)), n, n, ctypes.byref(window), int32(mode), ctypes.byref(plan)))
        size = (size_t * 2)(*size)
    batch, lengths, needed = size_t(batch), (size_t * 5)(), size_t()
    checked(hl.hl_clifford_plan_lengths(plan, batch, size, lengths))
    memory = numpy.zeros(lengths[4], numpy.float32)
    checked(hl.hl_clifford_packed_create_f32(plan, at(weights), None, at(memory), lengths[4], ctypes.byref(packed)))
    checked(hl.hl_clifford_packed_workspace(packed, batch, size, ctypes.byref(needed)))
    workspace = numpy.zeros(max(1, needed.value), numpy.float32)
    kept.append((memory, workspace))
    # Arguments are converted once, outside the times.
    return functools.partial(hl.hl_clifford_forward_f32, packed, batch, size, at(x), at(y), at(workspace), needed)


def measure(jobs, repeats):
    """Median CPU seconds of each job, but the minimum of the product, which gives the peak."""
    times = {name: [] for name in jobs}
    for _ in range(ROUNDS):
        for name, job in jobs.items():
            begin = time.thread_time()
            for _ in range(repeats):
                job()
            times[name].append((time.thread_time() - begin) / repeats)
    return {name: (min if name == "product" else statistics.median)(taken) for name, taken in times.items()}


kept, linears, convolutions, activations = [], [], [], []


def linear(squares, batch, channels):
    """A row of the table. The peers are products with the expanded weights."""
    blades = 2 ** len(squares)
    weights = random.standard_normal((blades, channels, channels), numpy.float32) / channels**0.5
    x = random.standard_normal((batch, channels, blades), numpy.float32)
    y, real, bias = numpy.empty_like(x), torch.tensor(x).reshape(batch, -1), torch.zeros(channels * blades)
    matrix = torch.tensor(expanded(squares, weights))
    columns = matrix.T.contiguous()
    jobs = {
        "fast": layer(squares, channels, weights, batch, None, FAST, x, y),
        "exact": layer(squares, channels, weights, batch, None, EXACT, x, y),
        "linear": lambda: F.linear(real, matrix, bias),
        "addmm": lambda: torch.addmm(bias, real, columns),
    }
    for name in "fast", "exact":
        checked(jobs[name]())
        assert numpy.allclose(y.reshape(batch, -1), jobs["linear"]().numpy(), rtol=1e-3, atol=1e-3), name
    seconds = measure(jobs, max(3, int(2e8 / (batch * (channels * blades) ** 2 + 1e5))))
    best = min(seconds["linear"], seconds["addmm"])
    row = (f"{tuple(squares)}, batch {batch}, {channels} channels", *(1e6 * seconds[name] for name in ("fast", "exact")),
           1e6 * best, seconds["exact"] / seconds["fast"], best / seconds["fast"], best / seconds["exact"])
    linears.append(row)
    print(*row, flush=True)


def convolution(squares, channels, size, batch):
    blades = 2 ** len(squares)
    weights = random.standard_normal((blades, channels, channels, 3, 3), numpy.float32) / (3 * channels**0.5)
    x = random.standard_normal((batch, channels, *size, blades), numpy.float32)
    y = numpy.empty_like(x)
    kernel = torch.tensor(expanded(squares, weights))
    real = torch.tensor(x).permute(0, 1, 4, 2, 3).reshape(batch, channels * blades, *size).contiguous()
    last = real.to(memory_format=torch.channels_last), kernel.to(memory_format=torch.channels_last)
    onednn = real.to_mkldnn(), torch._C._nn.mkldnn_reorder_conv2d_weight(
        kernel.to_mkldnn(), (1, 1), (1, 1), (1, 1), 1, list(real.shape))
    exact, fast = (layer(squares, channels, weights, batch, size, mode, x, y) for mode in (EXACT, FAST))
    a, b = torch.randn(1024, 256), torch.randn(256, 1024)
    jobs = {
        "fast": fast, "exact": exact,
        "contiguous": lambda: F.conv2d(real, kernel, padding=1),
        "channels last": lambda: F.conv2d(*last, padding=1),
        "oneDNN": lambda: torch.mkldnn_convolution(*onednn, None, (1, 1), (1, 1), (1, 1), 1),
        "product": lambda: torch.mm(a, b),
    }
    expected = jobs["contiguous"]().reshape(batch, channels, blades, *size).permute(0, 1, 3, 4, 2).numpy()
    for name in "fast", "exact":
        checked(jobs[name]())
        assert numpy.allclose(y, expected, rtol=1e-3, atol=1e-3), name
    flops = 2 * 9 * batch * size[0] * size[1] * (channels * blades) ** 2
    seconds = measure(jobs, max(1, int(2e8 / flops)))
    peak = 2 * 1024 * 1024 * 256 / seconds.pop("product")
    best = min((name for name in seconds if name not in ("fast", "exact")), key=seconds.get)
    row = (f"{tuple(squares)}, {channels} channels, {size[0]} x {size[1]}, batch {batch}",
           *(1e3 * seconds[name] for name in ("fast", "exact")), 1e3 * seconds[best], best,
           seconds[best] / seconds["fast"], seconds[best] / seconds["exact"], 100 * flops / seconds["fast"] / peak)
    convolutions.append(row)
    print(*row, {name: round(1e3 * value, 3) for name, value in seconds.items()}, f"{peak / 1e9:.0f} GFLOP/s", flush=True)


def activation(squares, batch, channels):
    blades, grades = 2 ** len(squares), len(squares) + 1
    g = numpy.array(squares, numpy.int8)
    x = random.standard_normal((batch, channels, blades), numpy.float32)
    z, tx = numpy.empty_like(x), torch.tensor(x)
    weights = random.standard_normal((channels, blades), numpy.float32)
    bias = random.standard_normal((channels, grades), numpy.float32)
    tw, tb = torch.tensor(weights), torch.tensor(bias)
    grade = [len(blade) for blade in blades_of(squares)]
    signs = torch.tensor([float(product(squares, blade[::-1], blade)[1]) for blade in blades_of(squares)])
    of_grade = torch.eye(grades)[grade]  # (blades, grades)

    def silu():
        norms = (tx * tx * signs) @ of_grade
        norms[..., 0] = tx[..., 0]
        return tx * torch.sigmoid(tw[:, :grades] * norms + tb)[..., grade]

    silu_weights = numpy.ascontiguousarray(weights[:, :grades])
    linear_bias = numpy.ascontiguousarray(bias[:, 0])
    flat = tw.reshape(channels, 1, blades)
    gates = {
        "linear": (0, weights, linear_bias, lambda: tx * torch.sigmoid(
            F.conv1d(tx, flat, torch.tensor(linear_bias), groups=channels))),
        "sum": (1, None, None, lambda: tx * torch.sigmoid(tx.sum(-1, keepdim=True))),
        "mean": (2, None, None, lambda: tx * torch.sigmoid(tx.mean(-1, keepdim=True))),
        "GELU": (3, None, None, lambda: tx * F.gelu(tx[..., :1], approximate="tanh")),
        "MVSiLU": (4, silu_weights, bias, silu),
    }
    for name, (gate, w, b, theirs) in gates.items():
        ours = functools.partial(  # arguments are converted once, outside the times
            hl.hl_clifford_act_f32, at(g), size_t(len(squares)), int32(gate), size_t(batch), size_t(channels),
            None if w is None else at(w), None if b is None else at(b), at(x), at(z))
        checked(ours())
        assert numpy.allclose(z, theirs().numpy(), rtol=1e-4, atol=1e-4), name
        seconds = measure({"ours": ours, "torch": theirs}, 1 if x.size > 200000 else 20)
        count = batch * channels
        row = (f"{name}, {tuple(squares)}, {count} multivectors", 1e9 * seconds["ours"] / count,
               1e9 * seconds["torch"] / count, seconds["torch"] / seconds["ours"], 2e-9 * x.nbytes / seconds["ours"])
        activations.append(row)
        print(*row, flush=True)


for squares in (1, 1), (1, -1), (1, 1, 1), (1, 1, -1), (0, 1, 1, 1), (1, -1, -1, -1), (-1,):
    for batch, channels in (256, 64), (256, 32), (32, 32), (256, 8), (32, 8), (32, 4), (1, 64), (1, 32), (1, 8):
        linear(squares, batch, channels)
for squares in (1, 1), (1, -1):
    for channels, size in itertools.product((8, 16, 32), ((64, 64), (128, 128))):
        convolution(squares, channels, size, 4 if size == (64, 64) else 1)
for channels in 8, 16:
    convolution((1, 1, 1), channels, (64, 64), 1)
for squares in (1, 1), (1, 1, 1), (0, 1, 1, 1):
    for batch in 128, 8192:
        activation(squares, batch, 16)

if len(sys.argv) > 2:
    cpu = next(line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name"))
    text = f"""# Layers and activations of multivectors by hotloops and by torch

`benches/peers/clifford_conv.py` on one core of an {cpu} (`{hl.hl_isa_active().decode()}`), {datetime.date.today()}, mean load
{os.getloadavg()[2]:.0f}, torch {torch.__version__}. CPU times of f32, medians. The script says how torch is called. Calls from Python are
in the times. Other programs shared the core.

## Linear layers

Microseconds. torch multiplies by the expanded weights. `Mode::Exact` is the same product by hotloops, `Mode::Fast` one of
matrices of an isomorphic algebra, `Mode::Auto` the one of these that is faster for large batches.

| | fast | exact | torch | exact over fast | torch over fast | torch over exact |
|---|---|---|---|---|---|---|
"""
    text += "".join(f"| {title} | {fast:.2f} | {exact:.2f} | {theirs:.2f} | {a:.2f} | {b:.2f} | {c:.2f} |\n"
                    for title, fast, exact, theirs, a, b, c in linears)
    text += """
## Convolutions 3 x 3, padding 1

Milliseconds. torch is the fastest of its variants. The last column is the rate of the dense product's multiplications and
additions, over the best rate of torch's product of 1024 x 256 by 256 x 1024 matrices in the same run.

| | fast | exact | torch | | torch over fast | torch over exact | fast, of dense products, % |
|---|---|---|---|---|---|---|---|
"""
    text += "".join(f"| {title} | {fast:.3f} | {exact:.3f} | {theirs:.3f} | {best} | {a:.2f} | {b:.2f} | {peak:.0f} |\n"
                    for title, fast, exact, theirs, best, a, b, peak in convolutions)
    text += """
## Activations

Nanoseconds per multivector, and bytes read and written.

| | hotloops | torch | torch over hotloops | GB/s |
|---|---|---|---|---|
"""
    text += "".join(f"| {title} | {ours:.2f} | {theirs:.1f} | {ratio:.1f} | {rate:.1f} |\n"
                    for title, ours, theirs, ratio, rate in activations)
    pathlib.Path(sys.argv[2]).write_text(text)
