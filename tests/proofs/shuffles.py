"""Instructions that move: loads and stores, shuffles, blends, and moves of one element. They join the table of
semantics.py."""

import terms as t
from machine import Fault
from semantics import TABLE, entry, joined, lanes, set_flags, sources


def vex(i):
    return i.mnemonic[0] == "v"


def moves(lane, *names):
    def run(s, i):
        to, source = i.operands
        if to.kind == "mem":
            word = s.read(source)
            if to.mask is None:
                s.store(s.address(to), word)
            else:
                s.store_masked(s.address(to), word, lane, s.mask[to.mask])
        else:
            s.set_vec(to, sources(s, i, lane, 1)[0], vex(i), lane)

    def aligned(s, i):
        for operand in i.operands:
            if operand.kind == "mem":
                s.require_aligned(s.address(operand), operand.width // 8)
        run(s, i)
    for name in names:
        TABLE[name] = aligned if name.lstrip("v").startswith(("movap", "movdqa")) else run


moves(32, *(v + name for v in ("", "v") for name in ("movaps", "movups", "movdqa", "movdqu")), "vmovdqu32", "vmovdqa32")
moves(64, *(v + name for v in ("", "v") for name in ("movapd", "movupd")), "vmovdqu64", "vmovdqa64")


def low(width, *names):
    """Moves of the lowest element, between registers of any kind and memory; what lies above in a vector is cleared."""
    def run(s, i):
        to, source = i.operands
        if to.kind == "vec":
            s.set_vec(to, s.read(source, width) + (0,) * (128 - width), vex(i))
        else:
            s.write(to, s.read(source, width))
    for name in names:
        TABLE[name] = run


low(32, "movd", "vmovd", "movss", "vmovss")
low(64, "movq", "vmovq", "movsd", "vmovsd")


def half(place, *names):
    """Moves between memory and one half of a vector."""
    def run(s, i):
        to, source = i.operands
        if to.kind == "mem":
            s.store(s.address(to), s.vec[source.number][place:place + 64])
        else:
            old = s.vec[to.number][:128]
            s.set_vec(to, old[:place] + s.read(source, 64) + old[place + 64:], False)
    for name in names:
        TABLE[name] = run


half(0, "movlps", "movlpd")
half(64, "movhps", "movhpd")


@entry("movlhps")
def movlhps(s, i):
    s.set_vec(i.operands[0], s.read(i.operands[0])[:64] + s.read(i.operands[1])[:64], False)


@entry("movhlps")
def movhlps(s, i):
    s.set_vec(i.operands[0], s.read(i.operands[1])[64:] + s.read(i.operands[0])[64:], False)


@entry("vzeroupper")
def vzeroupper(s, i):
    for number in range(16):
        s.vec[number] = s.vec[number][:128] + (0,) * 384
    s.upper_dirty = False


def in_parts(name, operation, lane=8):
    """An operation on each 128 bits of two sources."""
    def run(s, i):
        a, b = sources(s, i, lane)
        s.set_vec(i.operands[0], joined(operation(x, y, i) for x, y in zip(lanes(a, 128), lanes(b, 128))), vex(i), lane)
    TABLE[name] = TABLE["v" + name] = run


def unpack(lane, high):
    def operation(a, b, _):
        a, b = (lanes(x[64 * high:64 * high + 64], lane) for x in (a, b))
        return joined(part for pair in zip(a, b) for part in pair)
    return operation


for lane, letters in ((8, "bw"), (16, "wd"), (32, "dq"), (64, "qdq")):
    in_parts("punpckl" + letters, unpack(lane, 0), lane)
    in_parts("punpckh" + letters, unpack(lane, 1), lane)
in_parts("unpckhpd", unpack(64, 1), 64)
in_parts("unpckhps", unpack(32, 1), 32)


def shuffle_floats(a, b, i):
    order = i.operands[-1].value
    a, b = lanes(a, 32), lanes(b, 32)
    return a[order & 3] + a[order >> 2 & 3] + b[order >> 4 & 3] + b[order >> 6 & 3]


in_parts("shufps", shuffle_floats, 32)


def pick(parts, index, zero=0):
    """parts[index] by the bits of the index, the lowest last; 0 where `zero` is 1."""
    half = len(parts) // 2
    value = t.const(index) if index else 0
    if value is not None:
        word = parts[value]
    else:
        word = t.ites(index[-1], pick(parts[half:], index[:-1]), pick(parts[:half], index[:-1]))
    return t.ites(zero, (0,) * len(word), word)


def shuffle_bytes(a, b, _):
    parts = lanes(a, 8)
    return joined(pick(parts, index[:4], index[7]) for index in lanes(b, 8))


in_parts("pshufb", shuffle_bytes)


@entry("vpermilps")
def vpermilps(s, i):
    if i.operands[-1].kind == "imm":
        raise Fault("vpermilps by an immediate is not modelled")
    a, control = sources(s, i, 32)
    halves = zip(lanes(a, 128), lanes(control, 128))
    words = [pick(lanes(x, 32), index[:2]) for x, y in halves for index in lanes(y, 32)]
    s.set_vec(i.operands[0], joined(words), True, 32)


@entry("vpermps")
def vpermps(s, i):
    control, a = sources(s, i, 32)
    count = len(a) // 32
    words = [pick(lanes(a, 32), index[:count.bit_length() - 1]) for index in lanes(control, 32)]
    s.set_vec(i.operands[0], joined(words), True, 32)


@entry("vpermb")
def vpermb(s, i):
    control, a = sources(s, i, 8)
    count = len(a) // 8
    s.set_vec(i.operands[0], joined(pick(lanes(a, 8), x[:count.bit_length() - 1]) for x in lanes(control, 8)), True, 8)


def two_tables(lane, overwrites_index):
    def run(s, i):
        to = i.operands[0]
        first = s.read(to)
        middle, last = sources(s, i, lane)
        index, a = (first, middle) if overwrites_index else (middle, first)
        parts = lanes(a, lane) + lanes(last, lane)
        bits = len(parts).bit_length() - 1
        s.set_vec(to, joined(pick(parts, x[:bits]) for x in lanes(index, lane)), True, lane)
    return run


TABLE["vpermi2q"], TABLE["vpermi2d"] = two_tables(64, True), two_tables(32, True)
TABLE["vpermt2ps"], TABLE["vpermt2b"], TABLE["vpermt2q"] = (two_tables(lane, False) for lane in (32, 8, 64))


@entry("vperm2i128")
def vperm2i128(s, i):
    a, b = sources(s, i, 64)
    parts, order = lanes(a, 128) + lanes(b, 128), i.operands[-1].value
    halves = [(0,) * 128 if o & 8 else parts[o & 3] for o in (order & 15, order >> 4)]
    s.set_vec(i.operands[0], joined(halves), True)


@entry("vshufi32x4", "vshufi64x2")
def vshufi(s, i):
    a, b = (lanes(word, 128) for word in sources(s, i, 32))
    order = i.operands[-1].value
    if len(a) == 4:
        out = [a[order & 3], a[order >> 2 & 3], b[order >> 4 & 3], b[order >> 6 & 3]]
    else:
        out = [a[order & 1], b[order >> 1 & 1]]
    s.set_vec(i.operands[0], joined(out), True, 32)


def extract(width, *names):
    def run(s, i):
        to, source, place = i.operands
        at = place.value * width
        part = s.read(source)[at:at + width]
        if to.kind == "mem":
            s.store(s.address(to), part)
        else:
            s.set_vec(to, part, True)
    for name in names:
        TABLE[name] = run


extract(128, "vextractf128", "vextracti128")
extract(256, "vextractf64x4", "vextracti64x4")


@entry("vinserti64x4")
def vinserti64x4(s, i):
    to, source, part, place = i.operands
    whole, part = s.read(source), s.read(part, 256)
    s.set_vec(to, part + whole[256:] if place.value == 0 else whole[:256] + part, True)


def broadcast(lane, *names):
    def run(s, i):
        to, source = i.operands
        s.set_vec(to, s.read(source, lane) * (to.width // lane), True, lane)
    for name in names:
        TABLE[name] = run


broadcast(8, "vpbroadcastb")
broadcast(32, "vpbroadcastd", "vbroadcastss")
broadcast(64, "vpbroadcastq", "vbroadcastsd")


def broadcast_part(*names):
    def run(s, i):
        to, source = i.operands
        s.set_vec(to, s.read(source, 128) * (to.width // 128), True, 32)
    for name in names:
        TABLE[name] = run


broadcast_part("vbroadcasti128", "vbroadcastf128", "vbroadcasti32x4")


@entry("vpblendd")
def vpblendd(s, i):
    a, b = sources(s, i, 32)
    choice = t.bits(i.operands[-1].value, 8)
    s.set_vec(i.operands[0], joined(y if c else x for x, y, c in zip(lanes(a, 32), lanes(b, 32), choice)), True)


@entry("vpblendmb")
def vpblendmb(s, i):
    to, a, b = i.operands
    mask, a, b = s.mask[to.mask], s.read(a, to.width), s.read(b, to.width)
    if to.zero:
        raise Fault("vpblendmb with zeroing is not modelled")
    word = joined(t.ites(mask[k], y, x) for k, (x, y) in enumerate(zip(lanes(a, 8), lanes(b, 8))))
    s.vec[to.number] = word + (0,) * (512 - len(word))


def blend_by_sign(name, lane):
    def run(s, i):
        to, a, b, control = i.operands
        words = [lanes(s.read(operand, to.width), lane) for operand in (a, b, control)]
        s.set_vec(to, joined(t.ites(c[-1], y, x) for x, y, c in zip(*words)), True)
    TABLE[name] = run


blend_by_sign("vblendvps", 32)
blend_by_sign("vblendvpd", 64)


def load_by_sign(name, lane):
    def run(s, i):
        to, control, source = i.operands
        if to.kind == "mem":
            raise Fault(f"{name} to memory is not modelled")
        mask = [word[-1] for word in lanes(s.read(control), lane)]
        s.set_vec(to, s.load_masked(s.address(source), to.width // 8, lane, mask), True)
    TABLE[name] = run


load_by_sign("vmaskmovps", 32)
load_by_sign("vmaskmovpd", 64)


@entry("vmovshdup")
def vmovshdup(s, i):
    parts = lanes(sources(s, i, 32)[0], 32)
    s.set_vec(i.operands[0], joined(parts[k | 1] for k in range(len(parts))), True, 32)


def scalar(name, lane, operation):
    """On the lowest element; the rest is the first source's."""
    def run(s, i):
        to, a, b = i.operands if vex(i) else (i.operands[0], *i.operands)
        first = s.read(a, 128)
        s.set_vec(to, operation(first[:lane], s.read(b, lane)) + first[lane:], vex(i))
    TABLE[name] = TABLE["v" + name] = run


scalar("addss", 32, t.float_add)
scalar("addsd", 64, t.float_add)


def unordered_compare(name, lane):
    def run(s, i):
        a, b = (s.read(operand, lane) for operand in i.operands)
        unordered = t.or_(t.nan(a), t.nan(b))
        smaller, larger = t.less(a, b), t.less(b, a)
        set_flags(s, (0,), c=t.or_(unordered, smaller), o=0, a=0)
        s.flags["z"] = t.not_(t.or_(smaller, larger))
        s.flags["p"], s.flags["s"] = unordered, 0
    TABLE[name] = TABLE["v" + name] = run


unordered_compare("ucomiss", 32)
unordered_compare("ucomisd", 64)
