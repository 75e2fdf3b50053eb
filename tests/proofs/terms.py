"""Symbolic bits and words, and their translation to z3 bit vectors.

A value is a tuple of bits, the lowest first. A bit is an integer: 0, 1, or the number of an
exclusive or of atoms. An atom is a bit of a word term or the conjunction of two bits. Bits that are
equal by moves, shuffles, shifts, masks and exclusive ors have equal tuples and need no solver.
Other words are terms: variables, linear forms modulo 2^width, applications of the functions in
FUNCTIONS. Values with unequal tuples go to z3 (`z3_word`).
"""

import struct
import z3

SETS = [frozenset(), frozenset((1,))]
SET_NUMBER = {s: i for i, s in enumerate(SETS)}
ATOM_NUMBER, ATOM = {}, {}


def _number(s):
    number = SET_NUMBER.get(s)
    if number is None:
        number = SET_NUMBER[s] = len(SETS)
        SETS.append(s)
    return number


def _atom(key):
    number = ATOM_NUMBER.get(key)
    if number is None:
        number = ATOM_NUMBER[key] = len(SETS)
        s = frozenset((number,))
        SETS.append(s)
        SET_NUMBER[s] = number
        ATOM[number] = key
    return number


_xors, _ands = {}, {}


def xor(a, b):
    if a == b:
        return 0
    if not a or not b:
        return a | b
    key = (a, b)
    result = _xors.get(key)
    if result is None:
        result = _xors[key] = _number(SETS[a] ^ SETS[b])
    return result


def and_(a, b):
    if a == b:
        return a
    if a <= 1:
        return b if a else 0
    if b <= 1:
        return a if b else 0
    key = (a, b) if a < b else (b, a)
    result = _ands.get(key)
    if result is None:
        result = _ands[key] = 0 if xor(a, b) == 1 else _atom(("and",) + key)
    return result


def not_(a):
    return xor(a, 1)


def or_(a, b):
    return not_(and_(not_(a), not_(b)))


def ite(c, a, b):
    return b if c == 0 else a if c == 1 else xor(b, and_(c, xor(a, b)))


def bits(value, width):
    """The bits of an integer."""
    return tuple(map(int, bin((value & (1 << width) - 1) | 1 << width)[:2:-1]))


def const(word):
    """The integer that a word is, or None."""
    return int("".join(map(str, word[::-1])), 2) if max(word) <= 1 else None


def map2(f, a, b):
    return tuple(map(f, a, b))


def ites(c, a, b):
    """A choice of words; where they are not constants it is a term of its own."""
    if c <= 1 or a == b:
        return a if c else b
    if len(a) < 32 or const(a) is not None and const(b) is not None:
        return tuple(ite(c, x, y) for x, y in zip(a, b))
    return make("ite", len(a), ((c,), a, b)).bits


class Term:
    __slots__ = ("op", "width", "args", "bits", "number")


TERMS, TERM_OF = {}, {}


def make(op, width, args, low=()):
    """The term, whose lowest bits `low` are given."""
    key = (op, width, args)
    term = TERMS.get(key)
    if term is None:
        term = TERMS[key] = Term()
        term.op, term.width, term.args, term.number = op, width, args, len(TERMS)
        if op == "pack":
            term.bits = args
        else:
            term.bits = low + tuple(_atom(("bit", term, k)) for k in range(len(low), width))
        TERM_OF[term.bits] = term
    return term


def var(name, width):
    return make("var", width, name).bits


def term(word):
    return TERM_OF.get(word) or make("pack", len(word), word)


def linear(word):
    """The word as {term: factor}, constant."""
    value = const(word)
    if value is not None:
        return {}, value
    t = term(word)
    return (dict(t.args[0]), t.args[1]) if t.op == "lin" else ({t: 1}, 0)


def from_linear(items, constant, width):
    mask = (1 << width) - 1
    items = tuple(sorted(((t, c & mask) for t, c in items.items() if c & mask), key=lambda item: item[0].number))
    constant &= mask
    if not items:
        return bits(constant, width)
    if len(items) == 1 and items[0][1] == 1 and constant == 0:
        return items[0][0].bits
    zeros = min(min((c & -c).bit_length() - 1 + _zeros(t), width) for t, c in items)
    return make("lin", width, (items, constant), bits(constant, zeros) if zeros else ()).bits


def _zeros(t):
    """Lowest bits that are 0."""
    return next(k for k, bit in enumerate(t.bits) if bit)


def combine(a, b, factor=1):
    """a + factor b."""
    width = len(a)
    items, constant = linear(a)
    more, other = linear(b)
    for t, c in more.items():
        items[t] = items.get(t, 0) + factor * c
    return from_linear(items, constant + factor * other, width)


def add(a, b):
    if a == b and len(a) < 64:
        return (0,) + a[:-1]
    return combine(a, b)


def sub(a, b):
    return combine(a, b, -1)


def scale(a, factor):
    return combine(bits(0, len(a)), a, factor)


# Floats. A core is the value of an operation where no operand is a NaN; z3 takes it as an unknown function.

FORMATS = {32: ("<f", "<I", 8), 64: ("<d", "<Q", 11)}


def to_float(value, width):
    return struct.unpack(FORMATS[width][0], struct.pack(FORMATS[width][1], value))[0]


def from_float(value, width):
    try:
        return struct.unpack(FORMATS[width][1], struct.pack(FORMATS[width][0], value))[0]
    except OverflowError:
        return (0x7f800000 if value > 0 else 0xff800000)


def is_nan_int(value, width):
    return value << 1 & (1 << width) - 1 > {32: 0xff000000, 64: 0xffe0000000000000}[width]


def _less(width, a, b):
    return int(to_float(a, width) < to_float(b, width))


def _arithmetic(operation):
    def fold(width, a, b):
        x, y = to_float(a, width), to_float(b, width)
        result = x * y if operation == "mul" else x + y
        if result != result:  # infinity times 0, or minus infinity: the indefinite of x86
            return {32: 0xffc00000, 64: 0xfff8000000000000}[width]
        return from_float(result, width)
    return fold


def _round_even(x):
    return int(round(x))


def _to_int(width, a):
    x = to_float(a, 32)
    if not abs(x) < 1e10 or not -2**31 <= _round_even(x) < 2**31:
        return 0x80000000
    return _round_even(x) & 0xffffffff


def _integral(width, a):
    x = to_float(a, 32)
    if not abs(x) < 2**23:
        return a
    return from_float(float(_round_even(x)), 32) | a & 0x80000000


def _whole_float(width, a):
    return from_float(float(a - (a >> 31 << 32)), 32)


def _z3_nan(x):
    width = x.size()
    return z3.UGT(x << 1, z3.BitVecVal({32: 0xff000000, 64: 0xffe0000000000000}[width], width))


def _z3_less(x, y):
    width = x.size()
    top = lambda v: z3.Extract(width - 1, width - 1, v) == 1
    ordered = z3.And(z3.Not(_z3_nan(x)), z3.Not(_z3_nan(y)), ((x | y) << 1) != 0)
    positive, negative = z3.ULT(x, y), z3.ULT(y, x)
    return z3.And(ordered, z3.If(top(x), z3.Or(z3.Not(top(y)), negative), z3.And(z3.Not(top(y)), positive)))


def _flag(condition):
    return z3.If(condition, z3.BitVecVal(1, 1), z3.BitVecVal(0, 1))


def _unknown(name, width, *args):
    return z3.Function(name, *(z3.BitVecSort(a.size()) for a in args), z3.BitVecSort(width))(*args)


def _signed(value, width):
    return value - (value >> width - 1 << width)


# Name: value of integers (the first argument is the operands' width), z3 term. Those without one are unknown to z3.
FUNCTIONS = {
    "ite": (None, lambda c, x, y: z3.If(c == 1, x, y)),
    "eq": (lambda w, a, b: int(a == b), lambda x, y: _flag(x == y)),
    "ult": (lambda w, a, b: int(a < b), lambda x, y: _flag(z3.ULT(x, y))),
    "slt": (lambda w, a, b: int(_signed(a, w) < _signed(b, w)), lambda x, y: _flag(x < y)),
    "nan": (lambda w, a: int(is_nan_int(a, w)), lambda x: _flag(_z3_nan(x))),
    "less": (_less, lambda x, y: _flag(_z3_less(x, y))),
    "mul": (_arithmetic("mul"), None),
    "add": (_arithmetic("add"), None),
    "to_int": (_to_int, None),
    "integral": (_integral, None),
    "to_float": (_whole_float, None),
}
COMMUTATIVE = ("eq", "mul", "add")


def apply(name, width, *args):
    values = [const(a) for a in args]
    fold = FUNCTIONS[name][0]
    if fold and None not in values:
        return bits(fold(len(args[0]), *values), width)
    if name in COMMUTATIVE:
        args = tuple(sorted(args))
    return make(name, width, args).bits


def orders(name, *args):
    """The applications of a function unknown to z3, in both orders of a commutative one."""
    ways = [args, args[::-1]] if name in COMMUTATIVE else [args]
    return [_unknown(f"{name}{len(args[0])}", len(args[0]), *map(z3_word, way)) for way in ways]


def computed(name, *args):
    """The z3 fact of its value at constants."""
    value = z3_word(apply(name, len(args[0]), *args))
    return z3.And(*(way == value for way in orders(name, *args)))


def equal(a, b):
    if a == b:
        return 1
    difference = const(sub(a, b))
    return int(difference == 0) if difference is not None else apply("eq", 1, a, b)[0]


def below(a, b):
    return apply("ult", 1, a, b)[0] if a != b else 0


def signed_below(a, b):
    return apply("slt", 1, a, b)[0] if a != b else 0


def nan(a):
    return apply("nan", 1, a)[0]


def less(a, b):
    return apply("less", 1, a, b)[0]


def quiet(a):
    k = {32: 22, 64: 51}[len(a)]
    return a[:k] + (1,) + a[k + 1:]


MODULO_NAN = False  # set for kernels whose one result is made canonical: all NaNs are taken for one then


def _binary(name, a, b):
    width = len(a)
    if MODULO_NAN:
        minus_zero = (0,) * (width - 1) + (1,)
        if name == "add" and minus_zero in (a, b):
            return b if a == minus_zero else a
        return apply(name, width, a, b)
    return ites(nan(a), quiet(a), ites(nan(b), quiet(b), apply(name, width, a, b)))


def float_add(a, b):
    return _binary("add", a, b)


def float_mul(a, b):
    return _binary("mul", a, b)


def float_sub(a, b):
    width = len(a)
    core = apply("add", width, a, b[:-1] + (not_(b[-1]),))
    return ites(nan(a), quiet(a), ites(nan(b), quiet(b), core))


def to_int(a):
    return ites(nan(a), bits(0x80000000, 32), apply("to_int", 32, a))


def integral(a):
    return ites(nan(a), quiet(a), apply("integral", 32, a))


def to_float_word(a):
    return apply("to_float", 32, a)


# Translation.

_z3_bits, _z3_terms = {}, {}


def z3_bit(number):
    if number <= 1:
        return z3.BitVecVal(number, 1)
    result = _z3_bits.get(number)
    if result is None:
        key = ATOM.get(number)
        if key is None:
            parts = sorted(SETS[number])
            result = z3_bit(parts[0])
            for part in parts[1:]:
                result = result ^ z3_bit(part)
        elif key[0] == "bit":
            result = z3.Extract(key[2], key[2], z3_term(key[1]))
        else:
            result = z3_bit(key[1]) & z3_bit(key[2])
        _z3_bits[number] = result
    return result


def z3_word(word):
    value = const(word)
    if value is not None:
        return z3.BitVecVal(value, len(word))
    t = TERM_OF.get(word)
    return z3_term(t) if t is not None else _z3_pack(word)


def z3_term(t):
    result = _z3_terms.get(t)
    if result is None:
        if t.op == "var":
            result = z3.BitVec(t.args, t.width)
        elif t.op == "lin":
            result = z3.BitVecVal(t.args[1], t.width)
            for item, factor in t.args[0]:
                result = result + z3.BitVecVal(factor, t.width) * z3_term(item)
        elif t.op == "pack":
            result = _z3_pack(t.args)
        else:
            function = FUNCTIONS[t.op][1]
            args = [z3_word(a) for a in t.args]
            result = function(*args) if function else _unknown(f"{t.op}{len(t.args[0])}", t.width, *args)
        _z3_terms[t] = result
    return result


def _z3_pack(word):
    """Runs of constants and of consecutive bits of one term, put together."""
    parts, k = [], 0
    while k < len(word):
        key, end = ATOM.get(word[k]), k + 1
        if word[k] <= 1:
            while end < len(word) and word[end] <= 1:
                end += 1
            parts.append(z3.BitVecVal(const(word[k:end]), end - k))
        elif key and key[0] == "bit":
            first = key[2]
            while end < len(word) and ATOM.get(word[end]) == ("bit", key[1], first + end - k):
                end += 1
            parts.append(z3.Extract(first + end - k - 1, first, z3_term(key[1])))
        else:
            parts.append(z3_bit(word[k]))
        k = end
    return parts[0] if len(parts) == 1 else z3.Concat(*reversed(parts))


def holds(bit):
    """The z3 condition that a bit is 1."""
    return z3_bit(bit) == 1


def reset():
    """Forgets everything: for a new proof."""
    for table in (SET_NUMBER, ATOM_NUMBER, ATOM, _xors, _ands, TERMS, TERM_OF, _z3_bits, _z3_terms):
        table.clear()
    SETS[2:] = []
    SET_NUMBER.update({s: i for i, s in enumerate(SETS)})
