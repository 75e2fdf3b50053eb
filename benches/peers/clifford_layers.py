"""Layers of multivectors by hotloops and by the packages of Clifford networks: one core, one interleaved run.

    make -C capi install PREFIX=/tmp/hotloops
    pip install numpy torch==2.15.0 cliffordlayers==0.1.1 opt_einsum==3.4.0 einops==0.8.2
    pip install --no-deps xformers==0.0.35 ./GATR
    PYTHONPATH=CLIFFORDLAYERS python3 benches/peers/clifford_layers.py /tmp/hotloops [TABLE]

CLIFFORDLAYERS is a clone of microsoft/cliffordlayers at 35891e5; the released package, which must be installed too,
has neither MultiVectorAct nor algebras of four generators. GATR is a clone of
Qualcomm-AI-research/geometric-algebra-transformer at 6afc26f. It imports xformers, which need not fit this torch: only
attention calls it. The script leaves out the rows of modules that cannot be imported, and names them.

Layers are called as they are, without autograd in the times. CliffordLinear takes up to three generators; for four,
`get_clifford_right_kernel` of cliffordlayers expands the weights at each call, and `linear` applies them.

Every output is compared before it is timed. By autograd, the gradients of layers with respect to input, weights and
bias are compared too, for all signatures of cliffordlayers, both element types and all modes. A blade may differ by
BOUND units. A unit is 2^-24 (f64: 2^-53) times the result of the same layer for the norms of the multivectors.

Times are CPU times of one thread, medians of ROUNDS rounds. TABLE is written as Markdown;
`docs/clifford-layers-peers.md` is one.
"""

import functools
import importlib
import itertools

import torch
import torch.nn.functional as F

from clifford_calls import (
    MODES, Layer, Window, activation, activation_backward, at, checked, document, hl, int32, measure, signature,
    size_t, table)

BOUND = 8
WITH_NULL = int32(1)
OF_MAPS = torch.tensor([1, 4, 6, 4, 1, 1, 3, 3, 1]) ** -0.5  # GATr's maps have norm 1
GATES, GELU = {"linear": 0, "sum": 1, "mean": 2}, 3
PARTS = "output", "gradient of the input", "of the weights", "of the bias"
CONVOLUTIONS = F.conv1d, F.conv2d, F.conv3d
missing, errors, linear_rows, conv_rows, other_rows = [], {}, [], [], []


def imported(name):
    try:
        return importlib.import_module(name)
    except ImportError as error:
        missing.append(f"Left out: `{name}` ({error}).")
        print(missing[-1])


linears = imported("cliffordlayers.nn.modules.cliffordlinear")
convs = imported("cliffordlayers.nn.modules.cliffordconv")
algebras = imported("cliffordlayers.cliffordalgebra")
gcan = imported("cliffordlayers.nn.modules.gcan")
gatr = imported("gatr.primitives")
equi = imported("gatr.layers.linear")


def norm(multivectors, blades=-1):
    return multivectors.norm(dim=blades)


def close(subject, part, ours, theirs, scale, blades=-1):
    """Compares multivectors. `scale` lacks the dimension of their blades."""
    numbers = torch.finfo(ours.dtype)
    unit = (numbers.eps / 2 * scale.unsqueeze(blades)).clamp(min=numbers.tiny)
    error = ((ours - theirs).abs() / unit).max().item()
    assert error <= BOUND, f"{subject}: {part} differs by {error} units"
    parts = errors.setdefault(subject, {})
    parts[part] = max(error, parts.get(part, 0))


def differentiated(function, leaves, gy=None):
    """The output of a function, a gradient with respect to it, and the gradients with respect to the leaves."""
    for leaf in leaves:
        leaf.requires_grad_()
    with torch.enable_grad():
        y = function()
    gy = torch.randn(y.shape, dtype=y.dtype) if gy is None else gy
    gradients = torch.autograd.grad(y, leaves, gy)
    for leaf in leaves:
        leaf.requires_grad_(False)
    return y.detach(), gy, gradients


def stacked(parts):
    """Weights, or gradients with respect to them. Convolutions of cliffordlayers have a tensor for each blade."""
    return parts[0] if len(parts) == 1 else torch.stack(list(parts))


def unwritten(like):
    return torch.full(like.shape, torch.nan, dtype=like.dtype)


def conv_layer(dimensions):
    return (convs.CliffordConv1d, convs.CliffordConv2d, convs.CliffordConv3d)[dimensions - 1]


def in_modes(kind, squares, inputs, outputs, options, batch, size=()):
    return {name: Layer(kind, squares, inputs, outputs, (*options, int32(mode)), batch, size)
            for name, mode in MODES.items()}


def compare(subject, layers, theirs, of_reals, x, parts, bias, blades=0, factor=1):
    """A peer's layer and ours.

    `of_reals` applies it to norms; `blades` is the dimension of the weights' and the bias' blades; our weights are
    `factor` times the peer's.
    """
    y, gy, (gx, *gw, gbias) = differentiated(lambda: theirs(x), [x, *parts, bias])
    weights = stacked(parts) * factor
    norms = [norm(x), norm(weights, blades), norm(bias, blades)]
    of_y, _, (of_x, of_w, of_bias) = differentiated(lambda: of_reals(*norms), norms, norm(gy))
    for name, layer in layers.items():
        our_y, our_gx = unwritten(y), unwritten(x)
        our_gw, our_gbias = torch.zeros_like(weights), torch.zeros_like(bias)
        checked(layer.forward(weights, bias, x, our_y)())
        checked(layer.backward(weights, gy, our_gx)())
        checked(layer.backward_weights(x, gy, our_gw, our_gbias)())
        close(f"{subject}, {name}", "output", our_y, y, of_y)
        close(f"{subject}, {name}", "gradient of the input", our_gx, gx, of_x)
        close(f"{subject}, {name}", "of the weights", our_gw, stacked(gw) / factor, of_w, blades)
        close(f"{subject}, {name}", "of the bias", our_gbias, gbias, of_bias, blades)


def compare_layers(squares, dtype):
    n, random = len(squares), functools.partial(torch.randn, dtype=dtype)
    layer = linears.CliffordLinear(squares, 5, 3).to(dtype)
    compare("CliffordLinear", in_modes("linear", squares, 5, 3, (), 6), layer, F.linear, random(6, 5, 2**n),
            [layer.weight], layer.bias)
    size, lengths = (7, 6, 5)[:n], [each[:n] for each in ((3, 2, 3), (2, 1, 1), (1, 0, 2), (1, 2, 1))]
    layer = conv_layer(n)(squares, 5, 3, *lengths).to(dtype)
    compare(f"CliffordConv{n}d", in_modes("conv", squares, 5, 3, (Window.of(*lengths),), 2, size), layer,
            lambda *norms: CONVOLUTIONS[n - 1](*norms, *lengths[1:]), random(2, 5, *size, 2**n), list(layer.weight),
            layer.bias)


class Act:
    """MultiVectorAct, with its parameters as ours takes them."""

    def __init__(self, squares, channels, name):
        self.squares, self.name, self.gate = squares, f"MultiVectorAct {name}", GATES[name]
        algebra = algebras.CliffordAlgebra(squares)
        self.layer = gcan.MultiVectorAct(channels, algebra, range(algebra.n_blades), agg=name)
        self.parameters = list(self.layer.parameters())
        self.weights, self.bias = self.parameters or (torch.ones(channels, 1, algebra.n_blades), torch.zeros(channels))
        self.weights = self.weights.view(channels, -1)

    def ours(self, x, z):
        return activation(self.squares, self.gate, self.weights, self.bias, x, z)

    def argument(self, x):
        """1 + the argument of the sigmoid, for norms."""
        return 1 + norm(x) * norm(self.weights) + self.bias.abs()


def compare_gates(squares):
    """MultiVectorAct and its gradients, in f32: it embeds its input in floats."""
    for name in GATES:
        act, x = Act(squares, 5, name), torch.randn(6, 5, 2 ** len(squares))
        y, gy, (gx, *expected) = differentiated(lambda: act.layer(x), [x, *act.parameters])
        z, our_gx, gw, gbias = unwritten(x), unwritten(x), torch.zeros_like(act.weights), torch.zeros_like(act.bias)
        checked(act.ours(x, z)())
        checked(activation_backward(squares, act.gate, act.weights, act.bias, x, gy, our_gx, gw, gbias)())
        argument = act.argument(x)
        close(act.name, "output", z, y, norm(x) * argument)
        close(act.name, "gradient of the input", our_gx, gx, norm(gy) * argument**2)
        for part, ours, theirs, of in zip(PARTS[2:], (gw, gbias[:, None]), expected, (norm(x), 1)):
            close(act.name, part, ours, theirs.view(ours.shape), (norm(x) * norm(gy) * argument * of).sum(0))


def equi_layer(channels, outputs, batch):
    """A layer of GATr and ours."""
    layer = equi.EquiLinear(channels, outputs)
    torch.nn.init.normal_(layer.bias)
    return layer, Layer("grades", (0, 1, 1, 1), channels, outputs, (WITH_NULL,), batch)


def compare_equi_linear():
    layer, ours = equi_layer(5, 3, 6)
    compare("EquiLinear", {"exact": ours}, lambda x: layer(x)[0], F.linear, torch.randn(6, 5, 16), [layer.weight],
            layer.bias, -1, OF_MAPS)


def kept(rows, row):
    rows.append(row)
    print(*row, flush=True)


def timed_layer(rows, unit, subject, title, layers, weights, bias, peer, x, scale, products):
    """A row of a table of layers: our times, the peer's, and the quotients."""
    y, expected = unwritten(x), peer()
    jobs = {name: layer.forward(weights, bias, x, y) for name, layer in layers.items()}
    for name, job in jobs.items():
        y.fill_(torch.nan)
        checked(job())
        close(f"{subject}, {name}", "output", y, expected, scale)
    seconds = measure(jobs | {"peer": peer}, max(1, min(1000, int(2e8 / (products + 1e5)))))
    kept(rows, (title, *(unit * taken for taken in seconds.values()),
                *(seconds["peer"] / seconds[name] for name in jobs)))


def timed_linear(squares, batch, channels):
    blades = 2 ** len(squares)
    x = torch.randn(batch, channels, blades)
    if len(squares) < 4:
        peer = linears.CliffordLinear(squares, channels, channels)
        weights, bias, subject = peer.weight, peer.bias, "CliffordLinear"
    else:
        subject = "get_clifford_right_kernel"
        weights, bias = torch.randn(blades, channels, channels) / channels**0.5, torch.randn(blades, channels)
        cayley, last = algebras.CliffordAlgebra(squares).cayley, weights.permute(1, 2, 0).contiguous()

        def peer(x):
            kernel = gcan.get_clifford_right_kernel(cayley, last)
            y = F.linear(x.transpose(1, 2).reshape(batch, -1), kernel, bias.view(-1))
            return y.view(batch, blades, -1).transpose(1, 2)
    timed_layer(linear_rows, 1e6, subject, f"{squares}, batch {batch}, {channels} channels",
                in_modes("linear", squares, channels, channels, (), batch), weights, bias, lambda: peer(x), x,
                F.linear(norm(x), norm(weights, 0), norm(bias, 0)), batch * (channels * blades) ** 2)


def timed_convolution(squares, channels, size, batch):
    n, blades = len(squares), 2 ** len(squares)
    peer = conv_layer(n)(squares, channels, channels, 3, padding=1)
    x, weights, bias = torch.randn(batch, channels, *size, blades), stacked(peer.weight), peer.bias
    window = Window.of(*((length,) * n for length in (3, 1, 1, 1)))
    timed_layer(conv_rows, 1e3, f"CliffordConv{n}d",
                f"{squares}, {channels} channels, {' x '.join(map(str, size))}, batch {batch}",
                in_modes("conv", squares, channels, channels, (window,), batch, size), weights, bias,
                lambda: peer(x), x, CONVOLUTIONS[n - 1](norm(x), norm(weights, 0), norm(bias, 0), padding=1),
                3**n * x.numel() * channels * blades)


def timed(subject, title, count, ours, peer, z, scale):
    """A row of the table of nanoseconds per multivector."""
    z.fill_(torch.nan)
    checked(ours())
    close(subject, "output", z, peer(), scale)
    seconds = measure({"ours": ours, "peer": peer}, 20 if count < 10000 else 1)
    kept(other_rows, (title, *(1e9 * taken / count for taken in seconds.values()), seconds["peer"] / seconds["ours"]))


def timed_gates(squares, batch, channels=16):
    x, count = torch.randn(batch, channels, 2 ** len(squares)), batch * channels
    z = unwritten(x)
    for name in GATES:
        act = Act(squares, channels, name)
        timed(act.name, f"{act.name}, {squares}, {count} multivectors", count, act.ours(x, z), lambda: act.layer(x), z,
              norm(x) * act.argument(x))


def timed_gatr(count):
    squares, x, y = (0, 1, 1, 1), torch.randn(count, 1, 16), torch.randn(count, 1, 16)
    z, title, scalar = unwritten(x), f"{squares}, {count} multivectors", x[..., 0].abs()
    product = functools.partial(hl.hl_clifford_product_f32, *signature(squares), size_t(count), at(x), at(y), at(z))
    timed("geometric_product", f"geometric_product, {title}", count, product,
          lambda: gatr.geometric_product(x, y), z, norm(x) * norm(y))
    timed("gated_gelu", f"gated_gelu, {title}", count, activation(squares, GELU, None, None, x, z),
          lambda: gatr.gated_gelu(x, x[..., [0]]), z, norm(x) * scalar * (1 + scalar**2))


def timed_equi_linear(batch, channels):
    layer, ours = equi_layer(channels, channels, batch)
    x, weights = torch.randn(batch, channels, 16), layer.weight * OF_MAPS
    y = unwritten(x)
    timed("EquiLinear, exact", f"EquiLinear, batch {batch}, {channels} channels", batch * channels,
          ours.forward(weights, layer.bias, x, y), lambda: layer(x)[0], y,
          F.linear(norm(x), norm(weights), norm(layer.bias)))


signatures = [squares for n in (1, 2, 3) for squares in itertools.product((1, 0, -1), repeat=n) if any(squares)]
sizes = (256, 64), (32, 32), (1, 8)
if linears and convs:
    for squares, dtype in itertools.product(signatures, (torch.float32, torch.float64)):
        compare_layers(squares, dtype)
    for squares, size in itertools.product(((1, 1), (1, -1), (1, 1, 1), (1, 1, -1), (-1,)), sizes):
        timed_linear(squares, *size)
    for channels, size in itertools.product((8, 16, 32), ((64, 64), (128, 128))):
        timed_convolution((1, 1), channels, size, 4 if size == (64, 64) else 1)
    timed_convolution((1, 1, 1), 8, (16, 16, 16), 4)
if gcan and algebras:
    for squares in *signatures, (0, 1, 1, 1), (1, -1, -1, -1):
        compare_gates(squares)
    for squares, size in itertools.product(((0, 1, 1, 1), (1, -1, -1, -1)), sizes):
        timed_linear(squares, *size)
    for squares, batch in itertools.product(((1, 1), (1, 1, 1), (0, 1, 1, 1)), (128, 8192)):
        timed_gates(squares, batch)
if gatr:
    for count in 2048, 131072:
        timed_gatr(count)
if equi:
    compare_equi_linear()
    for size in sizes:
        timed_equi_linear(*size)

differences = table(["", *PARTS], [""] * 5, [
    (name, *(f"{parts[part]:.2f}" if part in parts else "" for part in PARTS)) for name, parts in errors.items()])
print(differences)
layer_columns = ["", *MODES, "package", *(f"package over {name}" for name in MODES)]
document("Layers of multivectors by hotloops and by packages of Clifford networks", "\n\n".join([
    *missing, f"""## Linear layers

Microseconds. Up to three generators, the package is CliffordLinear; with four, weights expanded by
`get_clifford_right_kernel` of cliffordlayers, and `linear`.

{table(layer_columns, ["", *[".2f"] * 7], linear_rows)}
## Convolutions

Milliseconds. CliffordConv2d and CliffordConv3d, three taps in each dimension, padding 1.

{table(layer_columns, ["", *[".3f"] * 4, *[".2f"] * 3], conv_rows)}
## Activations, products, layers by grade

Nanoseconds per multivector of the output. MultiVectorAct is of cliffordlayers; the others are of GATr.

{table(["", "hotloops", "package", "package over hotloops"], ["", ".2f", ".1f", ".1f"], other_rows)}
## Differences

The greatest differences. The script allows {BOUND} units: a unit is 2^-24 (f64: 2^-53) times the result of the same
layer for the norms of the multivectors.

{differences}"""]))
