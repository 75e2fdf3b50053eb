"""Calls of hotloops' functions of multivectors, measurements and tables, for the scripts `clifford*.py`.

The first argument of a script is the folder where hotloops is installed. Arrays are tensors of torch: both sides
work on the same memory. Arguments of a call are converted once, outside the times.

By default, glibc returns large tensors to the system when torch frees them; mapping fresh pages can then take longer
than the computation. Here glibc keeps the memory, unless the environment variable FRESH_PAGES is set.
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

import torch

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
KEEP = "FRESH_PAGES" not in os.environ
for parameter in (M_TRIM_THRESHOLD, M_MMAP_THRESHOLD) if KEEP else ():
    assert ctypes.CDLL(None).mallopt(parameter, 1 << 30)
torch.set_num_threads(1)
torch.set_grad_enabled(False)
torch.manual_seed(1)
ROUNDS = int(os.environ.get("ROUNDS", "15"))
hl = ctypes.CDLL(str(pathlib.Path(sys.argv[1]) / "lib/libhotloops.so"))
hl.hl_isa_active.restype = ctypes.c_char_p
hl.hl_status_string.restype = ctypes.c_char_p
size_t, int32 = ctypes.c_size_t, ctypes.c_int32
MODES = {"exact": 0, "fast": 1, "auto": 2}


def checked(status):
    assert status == 0, hl.hl_status_string(status).decode()


def at(tensor):
    """A pointer to the numbers of a tensor, which it keeps alive; null for None."""
    if tensor is None:
        return None
    assert tensor.is_contiguous()
    pointer = ctypes.c_void_p(tensor.data_ptr())
    pointer.tensor = tensor
    return pointer


def typed(name, tensor):
    """The function of this name for the element type of a tensor."""
    return getattr(hl, f"hl_clifford_{name}_{ {torch.float32: 'f32', torch.float64: 'f64'}[tensor.dtype]}")


def signature(squares):
    """The first two arguments of functions that take a signature."""
    return at(torch.tensor(squares, dtype=torch.int8)), size_t(len(squares))


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


class Window(ctypes.Structure):
    _fields_ = [("dimensions", size_t)] + [(name, size_t * 3) for name in ("kernel", "stride", "padding", "dilation")]

    @classmethod
    def of(cls, *lengths):
        """From tuples, in the order of the fields, of as many numbers as there are dimensions."""
        return ctypes.byref(cls(len(lengths[0]), *((size_t * 3)(*each) for each in lengths)))


class Layer:
    """A plan of a layer for one size of its input; its methods return calls."""

    def __init__(self, kind, squares, inputs, outputs, options, batch, size=()):
        self.plan, self.lengths, self.batch = ctypes.c_void_p(), (size_t * 5)(), size_t(batch)
        self.size = (size_t * max(1, len(size)))(*size)
        checked(getattr(hl, f"hl_clifford_plan_create_{kind}")(
            *signature(squares), size_t(inputs), size_t(outputs), *options, ctypes.byref(self.plan)))
        checked(hl.hl_clifford_plan_lengths(self.plan, self.batch, self.size, self.lengths))

    def _workspace(self, like, function, owner):
        needed = size_t()
        checked(function(owner, self.batch, self.size, ctypes.byref(needed)))
        return at(like.new_zeros(max(1, needed.value))), needed

    def _packed(self, create, weights, *others):
        memory, packed = at(weights.new_zeros(self.lengths[4])), ctypes.c_void_p()
        checked(typed(create, weights)(
            self.plan, at(weights), *others, memory, size_t(self.lengths[4]), ctypes.byref(packed)))
        packed.memory = memory
        return packed, self._workspace(weights, hl.hl_clifford_packed_workspace, packed)

    def forward(self, weights, bias, x, y):
        packed, workspace = self._packed("packed_create", weights, at(bias))
        return functools.partial(
            typed("forward", weights), packed, self.batch, self.size, at(x), at(y), *workspace)

    def backward(self, weights, gy, gx):
        packed, workspace = self._packed("packed_create_backward", weights)
        return functools.partial(
            typed("backward", weights), packed, self.batch, self.size, at(gy), at(gx), *workspace)

    def backward_weights(self, x, gy, gw, gbias):
        workspace = self._workspace(gw, typed("backward_weights_workspace", gw), self.plan)
        return functools.partial(
            typed("backward_weights", gw), self.plan, self.batch, self.size, at(x), at(gy), at(gw), at(gbias),
            *workspace)


def _gate(squares, gate, x):
    return *signature(squares), int32(gate), size_t(x.shape[0]), size_t(x.shape[1])


def activation(squares, gate, weights, bias, x, z):
    """A call of the gate of this number on x of shape (batch, channels, blades)."""
    return functools.partial(typed("act", x), *_gate(squares, gate, x), *map(at, (weights, bias, x, z)))


def activation_backward(squares, gate, weights, bias, x, gz, gx, gw, gbias):
    return functools.partial(
        typed("act_backward", x), *_gate(squares, gate, x), *map(at, (weights, bias, x, gz, gx, gw, gbias)))


def measure(jobs, repeats, minima=()):
    """CPU seconds of each job, measured in turn: medians of ROUNDS rounds, but minima of the jobs named so."""
    times = {name: [] for name in jobs}
    for _ in range(ROUNDS):
        for name, job in jobs.items():
            begin = time.thread_time()
            for _ in range(repeats):
                job()
            times[name].append((time.thread_time() - begin) / repeats)
    return {name: (min if name in minima else statistics.median)(taken) for name, taken in times.items()}


def table(columns, formats, rows):
    lines = [columns, ["---"] * len(columns)]
    lines += [[f"{value:{form}}" for value, form in zip(row, formats)] for row in rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def empty_call():
    """CPU seconds of a call from Python that computes nothing."""
    x = torch.ones(2)
    job = functools.partial(hl.hl_clifford_product_f32, *signature((1,)), size_t(0), at(x), at(x), at(x.clone()))
    checked(job())
    return measure({"": job}, 1000)[""]


def document(title, text):
    """Writes the file that the second argument of the script names, if there is one."""
    if len(sys.argv) < 3:
        return
    cpu = next(line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name"))
    script, isa = pathlib.Path(sys.argv[0]).name, hl.hl_isa_active().decode()
    freed = "stays in the process: the results of torch need no fresh pages" if KEEP else "returns to the system"
    date, load, version = datetime.date.today(), f"{os.getloadavg()[2]:.0f}", torch.__version__
    call = 1e6 * empty_call()
    pathlib.Path(sys.argv[2]).write_text(f"""# {title}

`python3 benches/peers/{script} PREFIX TABLE` on one core of an {cpu} (`{isa}`), {date},
mean load {load}, torch {version}. Medians of {ROUNDS} rounds of CPU times of one thread, f32. Other programs shared
the core. Calls from Python are in the times: a call of hotloops that computes nothing took {call:.2f} us. Freed memory
{freed}. The script says how the peers are called.

{text}""")
