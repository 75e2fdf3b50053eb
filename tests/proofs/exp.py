"""exp/fast_f32 and exp/poly_f32: y[i] = f(x[i]) for i < n; y may be x."""

import z3

import terms as t
from engine import Proof
from machine import Fault


def word(value):
    return t.bits(value, 32)


def fast(x):
    """`fast` of src/exp/scalar.rs: a clamp, a product, the nearest integer, the bits of a float, a product."""
    low, high = word(0xc2ae999a), word(0x42b17217)
    clamped = t.ites(t.less(x, low), low, t.ites(t.less(high, x), high, x))
    nearest = t.to_int(t.float_mul(clamped, word(0x4b38aa3b)))
    value = t.float_mul(t.add(nearest, word(0x3f800000)), word(0x3f75fdf0))
    return t.ites(t.nan(x), word(0xffffffff), value)


A, B, C, D, S = (word(value) for value in (0x411fa717, 0x41fb8bd9, 0x3fc5280f, 0x4252c7df, 0x34c38e74))
LOW, HIGH, LOG2E = word(0xc2aeac50), word(0x42b17218), word(0x3fb8aa3b)


def poly_argument(x):
    """`t` of `exp2`: the clamped argument times log2 e."""
    return t.float_mul(t.ites(t.less(HIGH, x), HIGH, x), LOG2E)


def poly(x):
    """`poly` and `exp2` of src/exp/scalar.rs."""
    argument = poly_argument(x)
    whole = t.to_int(argument)
    f = t.float_sub(argument, t.to_float_word(whole))
    first = t.float_add(t.float_mul(t.float_add(f, A), f), B)
    q = t.float_mul(first, t.float_add(t.float_mul(t.float_add(f, C), f), D))
    value = t.add(t.float_mul(t.float_mul(q, q), S), (0,) * 23 + whole[:9])
    value = t.ites(t.less(x, LOW), word(0), value)
    return t.ites(t.nan(x), x[:22] + (1,) + x[23:], value)


def poly_facts(x):
    """Facts about `integral`, which some variants take in place of `to_float(to_int(..))`, and about zeros.

    `lemmas.c` checks the first for every x, and terms.py those without x by computing them.
    """
    argument = poly_argument(x)
    nearest, whole = t.integral(argument), t.to_float_word(t.to_int(argument))
    zero, minus = word(0), word(1 << 31)
    inside = z3.And(t.holds(t.not_(t.nan(x))), t.holds(t.not_(t.less(x, LOW))))
    equal = t.z3_word(nearest) == t.z3_word(whole)
    zeros = z3.And(t.z3_word(nearest) == 1 << 31, t.z3_word(whole) == 0)
    facts = [z3.Implies(inside, z3.And(z3.Or(equal, zeros), t.holds(t.not_(t.nan(argument)))))]
    for sign in (zero, minus):
        for total in t.orders("add", argument, sign):
            facts.append(z3.Or(total == t.z3_word(argument), t.z3_word(argument) << 1 == 0))
            for other in (zero, minus):
                at_zero = t.z3_word(t.apply("add", 32, other, sign))
                facts.append(z3.Implies(t.z3_word(argument) == t.z3_word(other), total == at_zero))
    for constant in (A, B, C, D):
        for sign in (zero, minus):
            facts += [t.computed("add", constant, sign), t.computed("mul", constant, sign)]
    return facts


class Map(Proof):
    """An elementwise function. `alias`: y is x; otherwise they do not overlap."""

    arguments = ("x", "y", "n")
    regions = {"x": "x", "y": "y"}
    moving = frozenset(("done",))

    def __init__(self, code, function, axioms=None, alias=False):
        super().__init__(code)
        self.function, self.axioms = function, axioms or (lambda x: ())
        if alias:
            self.word["y"] = self.word["x"]

    def contract(self):
        return [z3.ULE(t.z3_word(self.word["n"]), (1 << 61) - 1)]

    def total(self):
        return self.word["n"]

    def forms(self, done):
        return [t.combine(self.word["x"], done, 4), t.combine(self.word["y"], done, 4), t.sub(self.word["n"], done)]

    def relative(self, state, base, offset, pointer):
        """An address from the first element that is not done."""
        address = t.from_linear(dict(base), offset, 64)
        return t.const(t.sub(address, t.combine(self.word[pointer], state.done, 4)))

    def permit(self, state, kind, base, offset, size):
        for pointer in ("x", "y") if kind == "load" else ("y",):
            at = self.relative(state, base, offset, pointer)
            if at is not None and at < 1 << 32 and (pointer == "x" or kind == "store"):
                if self.left_is(state, state.done, (at + size + 3) // 4):
                    return
        raise Fault(f"a {kind} outside the buffers")

    def written(self, state):
        cells = {}
        for base, bytes_ in state.memory.items():
            if self.region(base) != "stack":
                at = self.relative(state, base, 0, "y")
                cells.update({at + k: cell for k, cell in bytes_.items()})
        return cells

    def progress(self, state):
        count = len(self.written(state))
        return t.combine(state.done, t.bits(count // 4, 64))

    def check(self, state, done, returns):
        cells = self.written(state)
        if sorted(cells) != list(range(len(cells))) or len(cells) % 4:
            raise Fault("stores that are not the next elements")
        items, offset = t.linear(t.combine(self.word["x"], state.done, 4))
        base = tuple(sorted(items.items(), key=lambda item: item[0].number))
        for k in range(0, len(cells), 4):
            x = sum((self.initial(state, base, offset + k + b) for b in range(4)), ())
            got = sum((cells[k + b] for b in range(4)), ())
            self.same(state, got, self.function(x), f"element {k // 4} of a block", [x], self.axioms)
        if returns:
            self.same(state, done, self.word["n"], "the number of elements")
