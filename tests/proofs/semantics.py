"""Instructions: one table, TABLE, from the mnemonic to a function of the state and the instruction.

A mnemonic with a VEX or EVEX form shares the entry of its legacy form: `paddd` is `vpaddd` too. An
entry may split the path only before it changes the state.
"""

import terms as t
from machine import Fault, Split

TABLE = {}


def entry(*names):
    def register(f):
        for name in names:
            TABLE[name] = f
        return f
    return register


def lanes(word, width):
    return [word[i:i + width] for i in range(0, len(word), width)]


def joined(parts):
    return tuple(bit for part in parts for bit in part)


# General registers.

def set_flags(s, result, **flags):
    for flag in "czsopa":
        s.flags[flag] = flags.get(flag)
    s.flags["z"] = lambda: t.equal(result, (0,) * len(result))
    s.flags["s"] = result[-1]
    s.flags["p"] = lambda: t.not_(parity(result[:8]))


def parity(bits):
    result = 0
    for bit in bits:
        result = t.xor(result, bit)
    return result


def flag(s, name):
    """A flag; one that the CPU leaves undefined is no longer there."""
    value = s.flags[name]
    if callable(value):
        value = s.flags[name] = value()
    if value is None:
        raise Fault(f"flag {name} is undefined or not modelled here")
    return value


CONDITIONS = {
    "b": lambda s: flag(s, "c"), "e": lambda s: flag(s, "z"), "s": lambda s: flag(s, "s"), "p": lambda s: flag(s, "p"),
    "be": lambda s: t.or_(flag(s, "c"), flag(s, "z")), "l": lambda s: t.xor(flag(s, "s"), flag(s, "o")),
    "le": lambda s: t.or_(flag(s, "z"), t.xor(flag(s, "s"), flag(s, "o"))),
}
OPPOSITES = {"ae": "b", "ne": "e", "ns": "s", "np": "p", "a": "be", "ge": "l", "g": "le"}


def condition(s, name):
    return t.not_(CONDITIONS[OPPOSITES[name]](s)) if name in OPPOSITES else CONDITIONS[name](s)


def _conditional(name):
    def jump(s, i):
        s.pc = i.target if s.decide(condition(s, name)) else i.next

    def move(s, i):
        source = s.read(i.operands[1], i.operands[0].width)
        s.write(i.operands[0], source if s.decide(condition(s, name)) else s.read(i.operands[0]))
    TABLE["j" + name], TABLE["cmov" + name] = jump, move


for name in (*CONDITIONS, *OPPOSITES):
    _conditional(name)


@entry("nop", "endbr64")
def nothing(s, i):
    pass


@entry("jmp")
def jmp(s, i):
    s.pc = i.target


@entry("mov")
def mov(s, i):
    s.write(i.operands[0], s.read(i.operands[1], i.operands[0].width))


@entry("lea")
def lea(s, i):
    s.write(i.operands[0], s.address(i.operands[1])[:i.operands[0].width])


def operands(s, i):
    a, b = i.operands
    return s.read(a), s.read(b, a.width)


def subtract_flags(s, a, b, result):
    set_flags(s, result, c=lambda: t.below(a, b),
              o=lambda: t.xor(result[-1], t.signed_below(a, b)), a=lambda: t.below(a[:4], b[:4]))
    s.flags["z"] = lambda: t.equal(a, b)


def add_flags(s, a, b, result):
    overflow = lambda: t.and_(t.xor(a[-1], result[-1]), t.xor(b[-1], result[-1]))
    set_flags(s, result, c=lambda: t.below(result, a), o=overflow, a=lambda: t.below(result[:4], a[:4]))


@entry("add")
def add(s, i):
    a, b = operands(s, i)
    result = t.combine(a, b)
    s.write(i.operands[0], result)
    add_flags(s, a, b, result)


@entry("sub")
def sub(s, i):
    a, b = operands(s, i)
    result = t.sub(a, b)
    s.write(i.operands[0], result)
    subtract_flags(s, a, b, result)


@entry("cmp")
def cmp(s, i):
    a, b = operands(s, i)
    subtract_flags(s, a, b, t.sub(a, b))


@entry("neg")
def neg(s, i):
    a = s.read(i.operands[0])
    zero = (0,) * len(a)
    result = t.sub(zero, a)
    s.write(i.operands[0], result)
    subtract_flags(s, zero, a, result)


@entry("dec")
def dec(s, i):
    a, carry = s.read(i.operands[0]), s.flags["c"]
    one = t.bits(1, len(a))
    result = t.sub(a, one)
    s.write(i.operands[0], result)
    subtract_flags(s, a, one, result)
    s.flags["c"] = carry


def gather(s, operand):
    """A register of few values is made concrete, where an operation is not linear."""
    if operand.kind == "gpr" and s.concrete(s.gpr[operand.name], 300) is not None:
        whole = s.gpr[operand.name]
        s.gpr[operand.name] = s.values.get(whole, whole)


def logic(operation):
    def run(s, i, keep=True):
        a, b = i.operands
        if operation is t.xor and a.kind == b.kind == "gpr" and a.name == b.name:
            result = (0,) * a.width
        else:
            same = b.kind == "gpr" and b.name == a.name
            if not same:
                gather(s, a)
                gather(s, b)
            x, y = operands(s, i)
            result = t.map2(operation, x, y)
            if not same and operation is t.and_ and t.const(result) is None:
                value = s.concrete(result, 64)
                result = result if value is None else t.bits(value, len(result))
        if keep:
            s.write(a, result)
        set_flags(s, result, c=0, o=0)
    return run


TABLE["and"], TABLE["xor"] = logic(t.and_), logic(t.xor)
TABLE["test"] = lambda s, i: TABLE["and"](s, i, keep=False)


@entry("shl")
def shl(s, i):
    a, count = s.read(i.operands[0]), i.operands[1].value
    result = t.scale(a, 1 << count)
    s.write(i.operands[0], result)
    set_flags(s, result, c=a[-count])


@entry("shr")
def shr(s, i):
    operand, count = i.operands[0], i.operands[1].value
    a = s.read(operand)
    result = a[count:] + (0,) * count
    items, constant = t.linear(a)
    if items and not any(factor % (1 << count) for factor in (*items.values(), constant)):
        halves = lambda factor: (factor - (factor >> len(a) - 1 << len(a))) >> count
        quotient = t.from_linear({x: halves(f) for x, f in items.items()}, halves(constant), len(a))
        if t.const(t.sub(quotient, result)) is None and s.always(t.equal(quotient, result)):
            result = quotient
    s.write(operand, result)
    set_flags(s, result, c=a[count - 1])


@entry("imul")
def imul(s, i):
    a, factor = s.read(i.operands[1]), i.operands[2].value
    s.write(i.operands[0], t.scale(a, factor))
    for name in "czsopa":
        s.flags[name] = None


@entry("bzhi")
def bzhi(s, i):
    to, source, index = i.operands
    gather(s, index)
    count = t.const(s.read(index)[:8])
    if count is None:
        raise Fault("bzhi by an unknown count")
    a = s.read(source)
    result = a[:count] + (0,) * (len(a) - count) if count < len(a) else a
    s.write(to, result)
    set_flags(s, result, c=int(count >= len(a)), o=0)
    s.flags["p"] = None


@entry("shlx")
def shlx(s, i):
    to, source, index = i.operands
    gather(s, index)
    count = t.const(s.read(index))
    if count is None:
        raise Fault("shlx by an unknown count")
    a = s.read(source)
    count %= len(a)
    s.write(to, ((0,) * count + a)[:len(a)])


@entry("push")
def push(s, i):
    value = s.read(i.operands[0])
    top = t.combine(s.gpr["rsp"], t.bits(-8, 64))
    s.gpr["rsp"], old = top, s.gpr["rsp"]
    try:
        s.store(top, value)
    except Split:
        s.gpr["rsp"] = old
        raise


@entry("pop")
def pop(s, i):
    value = s.load(s.gpr["rsp"], 8)
    s.gpr["rsp"] = t.combine(s.gpr["rsp"], t.bits(8, 64))
    s.write(i.operands[0], value)


# Masks.

@entry("kmovw", "kmovq")
def kmov(s, i):
    to, source = i.operands
    word = s.read(source, 64)[:16 if i.mnemonic[-1] == "w" else 64]
    word += (0,) * (64 - len(word))
    if to.kind == "mask":
        s.mask[to.number] = word
    else:
        s.set_gpr(to, word[:to.width])


@entry("kshiftrq")
def kshiftrq(s, i):
    to, source, count = i.operands
    s.mask[to.number] = (s.mask[source.number][count.value:] + (0,) * 64)[:64]


# Vectors: elementwise operations.

def sources(s, i, lane, count=None):
    """The sources of a vector instruction as words of the destination's width, the destination first in legacy
    forms."""
    to, vex = i.operands[0], i.mnemonic[0] == "v"
    given = [operand for operand in (i.operands[1:] if vex else i.operands) if operand.kind != "imm"]
    width = next(o.width for o in (to, *given) if o.kind == "vec")
    words = []
    for operand in given[-count:] if count else given:
        if operand.kind == "mem" and operand.broadcast:
            words.append(s.read(operand, lane) * (width // lane))
        elif operand.kind == "mem" and to.mask is not None:
            words.append(s.load_masked(s.address(operand), width // 8, lane, s.mask[to.mask]))
        else:
            words.append(s.read(operand, width))
    return words


def elementwise(name, lane, operation, count=None, source_lane=None):
    def run(s, i):
        words = sources(s, i, lane, count)
        parts = [operation(*parts) for parts in zip(*(lanes(word, lane) for word in words))]
        s.set_vec(i.operands[0], joined(parts), i.mnemonic[0] == "v", lane)
    TABLE[name] = TABLE["v" + name] = run


def bitwise(operation):
    return lambda a, b: t.map2(operation, a, b)


def unsigned_min(a, b):
    return t.ites(t.below(a, b), a, b)


def signed_min(a, b):
    return t.ites(t.signed_below(a, b), a, b)


def float_min(a, b):
    return t.ites(t.less(a, b), a, b)


def float_max(a, b):
    return t.ites(t.less(b, a), a, b)


def average(a, b):
    """(a + b + 1) / 2"""
    if t.const(b) == 255:
        return a[1:] + (1,)
    total = t.combine(t.combine(a + (0,), b + (0,)), t.bits(1, 9))
    return total[1:]


def all_of(bit, width):
    return (bit,) * width


for lane, name in ((8, "b"), (16, "w"), (32, "d"), (64, "q")):
    elementwise("padd" + name, lane, t.add)
    elementwise("pcmpeq" + name, lane, lambda a, b: all_of(t.equal(a, b), len(a)))
for name in ("pxor", "pxord", "pxorq", "xorps", "xorpd"):
    elementwise(name, 64 if name[-1] in "dq" and name != "pxord" else 32, bitwise(t.xor))
for name in ("pand", "andps", "andpd"):
    elementwise(name, 32, bitwise(t.and_))
for name in ("por", "orps", "orpd"):
    elementwise(name, 32, bitwise(t.or_))
elementwise("pavgb", 8, average)
elementwise("pminud", 32, unsigned_min)
elementwise("pminsd", 32, signed_min)
for lane, name in ((32, "ps"), (64, "pd")):
    elementwise("add" + name, lane, t.float_add)
    elementwise("sub" + name, lane, t.float_sub)
    elementwise("mul" + name, lane, t.float_mul)
    elementwise("min" + name, lane, float_min)
    elementwise("max" + name, lane, float_max)
elementwise("cvtps2dq", 32, t.to_int, 1)
elementwise("cvtdq2ps", 32, t.to_float_word, 1)

COMPARISONS = {
    "unord": lambda a, b: t.or_(t.nan(a), t.nan(b)),
    "ord": lambda a, b: t.not_(t.or_(t.nan(a), t.nan(b))),
    "nlt": lambda a, b: t.not_(t.less(a, b)),
}


def comparison(name, test):
    def run(s, i):
        words = sources(s, i, 32)
        found = [test(a, b) for a, b in zip(*(lanes(word, 32) for word in words))]
        if i.operands[0].kind == "mask":
            s.mask[i.operands[0].number] = tuple(found) + (0,) * (64 - len(found))
        else:
            s.set_vec(i.operands[0], joined(all_of(bit, 32) for bit in found), i.mnemonic[0] == "v", 32)
    TABLE[f"cmp{name}ps"] = TABLE[f"vcmp{name}ps"] = run


for name, test in COMPARISONS.items():
    comparison(name, test)


@entry("vroundps", "vrndscaleps")
def round_to_integral(s, i):
    if i.operands[-1].value != 8:
        raise Fault("rounding other than to nearest even without exceptions")
    word, = sources(s, i, 32)
    s.set_vec(i.operands[0], joined(t.integral(x) for x in lanes(word, 32)), True, 32)


def shifted(name, lane, left):
    def run(s, i):
        count = i.operands[-1].value
        word = sources(s, i, lane)[0]
        moved = [((0,) * count + x)[:lane] if left else (x + (0,) * count)[count:][:lane] for x in lanes(word, lane)]
        s.set_vec(i.operands[0], joined(moved), i.mnemonic[0] == "v", lane)
    TABLE[name] = TABLE["v" + name] = run


for lane, name in ((16, "w"), (32, "d"), (64, "q")):
    shifted("psll" + name, lane, True)
    shifted("psrl" + name, lane, False)


def ternary(lane):
    def run(s, i):
        a = s.vec[i.operands[0].number][:i.operands[0].width]
        b, c = sources(s, i, lane)
        table = t.bits(i.operands[-1].value, 8)
        choose = lambda x, y, z: t.ite(x, t.ite(y, t.ite(z, table[7], table[6]), t.ite(z, table[5], table[4])),
                                       t.ite(y, t.ite(z, table[3], table[2]), t.ite(z, table[1], table[0])))
        s.set_vec(i.operands[0], tuple(map(choose, a, b, c)), True, lane)
    return run


TABLE["vpternlogd"], TABLE["vpternlogq"] = ternary(32), ternary(64)


@entry("vgf2p8affineqb")
def affine(s, i):
    """Bit k of a byte is the parity of row 7 - k of the matrix and the byte, and bit k of the immediate."""
    data, matrices = sources(s, i, 64)
    constant, out = t.bits(i.operands[-1].value, 8), ()
    for x, matrix in zip(lanes(data, 64), lanes(matrices, 64)):
        rows = lanes(matrix, 8)
        for byte in lanes(x, 8):
            out += tuple(t.xor(constant[k], parity(t.map2(t.and_, rows[7 - k], byte))) for k in range(8))
    s.set_vec(i.operands[0], out, True, 8)
