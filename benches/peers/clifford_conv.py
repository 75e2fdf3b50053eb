"""Layers and activations of multivectors by hotloops and by torch: the same work, one core, one interleaved run.

    make -C capi install PREFIX=/tmp/hotloops
    pip install numpy torch==2.15.0
    python3 benches/peers/clifford_conv.py /tmp/hotloops [TABLE]

torch computes a linear layer by `addmm` and `linear`, the faster of the two, with expanded weights. It computes a
convolution as cliffordlayers does, by `conv2d`, but with weights that are expanded beforehand: contiguous, channels
last, and in oneDNN's own layout. Gates are those of cliffordlayers (MultiVectorAct), GATr (gated GELU) and CGENN
(MVSiLU), written with torch's functions; `clifford_layers.py` calls the packages themselves. Results are compared.
Times are CPU times of one thread, medians of ROUNDS rounds. The peak is the best rate of dense products in the same
run: the last column of the convolutions counts the multiplications and additions of the expanded weights. TABLE is
written as Markdown; `docs/clifford-conv-peers.md` is one.
"""

import itertools

import torch
import torch.nn.functional as F

from clifford_calls import (
    MODES, Layer, Window, activation, blades_of, checked, document, int32, measure, product, table)

linears, convolutions, activations = [], [], []


def kept(rows, row, *others):
    rows.append(row)
    print(*row, *others, flush=True)


def expanded(squares, weights):
    """Weights (blades, outputs, inputs, *kernel) as those of a real convolution, channels (channel, blade)."""
    blades = blades_of(squares)
    _, outputs, inputs, *kernel = weights.shape
    all_weights = torch.zeros(outputs, len(blades), inputs, len(blades), *kernel)
    for (p, first), (q, second) in itertools.product(enumerate(blades), repeat=2):
        blade, sign = product(squares, first, second)
        all_weights[:, blades.index(blade), :, p] += sign * weights[q]
    return all_weights.reshape(outputs * len(blades), inputs * len(blades), *kernel)


def forwards(kind, squares, channels, options, weights, x, y):
    """The calls of a layer in the modes fast and exact."""
    layers = {name: Layer(kind, squares, channels, channels, (*options, int32(MODES[name])), len(x), x.shape[2:-1])
              for name in ("fast", "exact")}
    return {name: layer.forward(weights, None, x, y) for name, layer in layers.items()}


def compare(jobs, y, expected):
    for name, job in jobs.items():
        checked(job())
        assert torch.allclose(y, expected, rtol=1e-3, atol=1e-3), name


def linear(squares, batch, channels):
    """A row of the table. The peers are products with the expanded weights."""
    blades = 2 ** len(squares)
    weights = torch.randn(blades, channels, channels) / channels**0.5
    x = torch.randn(batch, channels, blades)
    y, real, bias = torch.empty_like(x), x.reshape(batch, -1), torch.zeros(channels * blades)
    matrix = expanded(squares, weights)
    columns = matrix.T.contiguous()
    jobs = forwards("linear", squares, channels, (), weights, x, y)
    compare(jobs, y, F.linear(real, matrix, bias).reshape(y.shape))
    jobs["linear"] = lambda: F.linear(real, matrix, bias)
    jobs["addmm"] = lambda: torch.addmm(bias, real, columns)
    seconds = measure(jobs, max(3, int(2e8 / (batch * (channels * blades) ** 2 + 1e5))))
    best = min(seconds["linear"], seconds["addmm"])
    kept(linears, (
        f"{squares}, batch {batch}, {channels} channels", *(1e6 * seconds[name] for name in ("fast", "exact")),
        1e6 * best, seconds["exact"] / seconds["fast"], best / seconds["fast"], best / seconds["exact"]))


def convolution(squares, channels, size, batch):
    blades = 2 ** len(squares)
    weights = torch.randn(blades, channels, channels, 3, 3) / (3 * channels**0.5)
    x = torch.randn(batch, channels, *size, blades)
    y, kernel = torch.empty_like(x), expanded(squares, weights)
    real = x.permute(0, 1, 4, 2, 3).reshape(batch, channels * blades, *size).contiguous()
    last = real.to(memory_format=torch.channels_last), kernel.to(memory_format=torch.channels_last)
    onednn = real.to_mkldnn(), torch._C._nn.mkldnn_reorder_conv2d_weight(
        kernel.to_mkldnn(), (1, 1), (1, 1), (1, 1), 1, list(real.shape))
    a, b = torch.randn(1024, 256), torch.randn(256, 1024)
    jobs = forwards("conv", squares, channels, (Window.of((3, 3), (1, 1), (1, 1), (1, 1)),), weights, x, y)
    expected = F.conv2d(real, kernel, padding=1)
    compare(jobs, y, expected.reshape(batch, channels, blades, *size).permute(0, 1, 3, 4, 2))
    peers = {
        "contiguous": lambda: F.conv2d(real, kernel, padding=1),
        "channels last": lambda: F.conv2d(*last, padding=1),
        "oneDNN": lambda: torch.mkldnn_convolution(*onednn, None, (1, 1), (1, 1), (1, 1), 1),
    }
    flops = 2 * 9 * batch * size[0] * size[1] * (channels * blades) ** 2
    jobs |= peers | {"product": lambda: torch.mm(a, b)}
    seconds = measure(jobs, max(1, int(2e8 / flops)), minima=("product",))
    peak = 2 * 1024 * 1024 * 256 / seconds.pop("product")
    best = min(peers, key=seconds.get)
    kept(convolutions, (
        f"{squares}, {channels} channels, {size[0]} x {size[1]}, batch {batch}",
        *(1e3 * seconds[name] for name in ("fast", "exact", best)), best, seconds[best] / seconds["fast"],
        seconds[best] / seconds["exact"], 100 * flops / seconds["fast"] / peak),
        {name: round(1e3 * value, 3) for name, value in seconds.items()}, f"{peak / 1e9:.0f} GFLOP/s")


def gates(squares, batch, channels):
    blades, grades = 2 ** len(squares), len(squares) + 1
    x = torch.randn(batch, channels, blades)
    z, weights, bias = torch.empty_like(x), torch.randn(channels, blades), torch.randn(channels)
    of_grades, bias_of_grades = torch.randn(channels, grades), torch.randn(channels, grades)
    grade = [len(blade) for blade in blades_of(squares)]
    signs = torch.tensor([float(product(squares, blade[::-1], blade)[1]) for blade in blades_of(squares)])
    parts = torch.eye(grades)[grade]  # (blades, grades)

    def silu():
        norms = (x * x * signs) @ parts
        norms[..., 0] = x[..., 0]
        return x * torch.sigmoid(of_grades * norms + bias_of_grades)[..., grade]

    rows = {
        "linear": (0, weights, bias, lambda: x * torch.sigmoid(
            F.conv1d(x, weights[:, None], bias, groups=channels))),
        "sum": (1, None, None, lambda: x * torch.sigmoid(x.sum(-1, keepdim=True))),
        "mean": (2, None, None, lambda: x * torch.sigmoid(x.mean(-1, keepdim=True))),
        "GELU": (3, None, None, lambda: x * F.gelu(x[..., [0]], approximate="tanh")),
        "MVSiLU": (4, of_grades, bias_of_grades, silu),
    }
    count = batch * channels
    for name, (gate, *parameters, peer) in rows.items():
        ours = activation(squares, gate, *parameters, x, z)
        checked(ours())
        assert torch.allclose(z, peer(), rtol=1e-4, atol=1e-4), name
        seconds = measure({"ours": ours, "torch": peer}, 1 if x.numel() > 200000 else 20)
        kept(activations, (
            f"{name}, {squares}, {count} multivectors", *(1e9 * taken / count for taken in seconds.values()),
            seconds["torch"] / seconds["ours"], 2e-9 * x.nbytes / seconds["ours"]))


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
        gates(squares, batch, 16)

document("Layers and activations of multivectors by hotloops and by torch", f"""## Linear layers

Microseconds. torch multiplies by the expanded weights. `Mode::Exact` is the same product by hotloops, `Mode::Fast` one
of matrices of an isomorphic algebra, `Mode::Auto` the one of these that is faster for large batches.

{table(["", "fast", "exact", "torch", "exact over fast", "torch over fast", "torch over exact"],
       ["", *[".2f"] * 6], linears)}
## Convolutions 3 x 3, padding 1

Milliseconds. torch is the fastest of its variants. The last column is the rate of the dense product's multiplications
and additions, over the best rate of torch's product of 1024 x 256 by 256 x 1024 matrices in the same run.

{table(["", "fast", "exact", "torch", "", "torch over fast", "torch over exact", "fast, of dense products, %"],
       ["", ".3f", ".3f", ".3f", "", ".2f", ".2f", ".0f"], convolutions)}
## Activations

Nanoseconds per multivector, and bytes read and written.

{table(["", "hotloops", "torch", "torch over hotloops", "GB/s"], ["", ".2f", ".1f", ".1f", ".1f"], activations)}""")
