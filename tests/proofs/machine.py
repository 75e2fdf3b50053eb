"""The state of the machine on one path: registers, flags, memory, and the facts that hold on it."""

import z3

import terms as t
from objects import GPRS


class Fault(Exception):
    """The proof fails: the message says at which instruction and why."""


class Split(Exception):
    """The path divides: alternatives are (bit, value) or (word, integer), one of which holds."""

    def __init__(self, alternatives):
        self.alternatives = alternatives


_solver = None


def solve(facts, condition):
    """Whether the facts allow the condition. An answer that z3 does not find in 20 seconds is a fault."""
    global _solver
    if _solver is None:
        _solver = z3.Solver()
        _solver.set("timeout", 20000)
    _solver.push()
    _solver.add(*facts)
    _solver.add(condition)
    answer = _solver.check()
    model = _solver.model() if answer == z3.sat else None
    _solver.pop()
    if answer == z3.unknown:
        raise Fault("z3 does not decide this")
    return model


def refuted(facts):
    """Whether no values satisfy all the facts: by a separate solver, because its preprocessing pays for the terms of
    results."""
    solver = z3.SolverFor("QF_UFBV")
    solver.set("timeout", 60000)
    solver.add(*facts)
    answer = solver.check()
    if answer == z3.unknown:
        raise Fault("z3 does not decide this")
    return answer == z3.unsat


def forget():
    global _solver
    _solver = None


def signed(value):
    return value - (1 << 64) if value >> 63 else value


class State:
    def __init__(self, code, contract=None):
        self.code, self.contract, self.pc = code, contract, 0
        self.gpr, self.vec, self.mask, self.flags = {}, {}, {}, {}
        self.memory, self.facts, self.known, self.values = {}, [], {}, {}
        self.upper_dirty, self.left = False, None

    def unknown(self, suffix):
        """Unknown values in all registers and flags."""
        self.gpr = {name: t.var(name + suffix, 64) for name in GPRS}
        self.vec = {i: t.var(f"v{i}{suffix}", 512) for i in range(32)}
        self.mask = {i: t.var(f"k{i}{suffix}", 64) for i in range(8)}
        self.flags = {flag: t.var(flag + suffix, 1)[0] for flag in "czsopa"}
        return self

    def copy(self):
        other = State.__new__(State)
        other.__dict__.update(self.__dict__)
        for name in ("gpr", "vec", "mask", "flags", "known", "values"):
            setattr(other, name, dict(getattr(self, name)))
        other.memory = {base: dict(cells) for base, cells in self.memory.items()}
        other.facts = list(self.facts)
        return other

    # Facts.

    def assume(self, what, value):
        """Adds that a bit or a word has this value."""
        if isinstance(what, int):
            self.facts.append(t.holds(what) if value else t.holds(t.not_(what)))
            self.known[what], self.known[t.not_(what)] = value, 1 - value
        else:
            self.facts.append(t.z3_word(what) == value)
            constant = self.values[what] = t.bits(value, len(what))
            for name, word in self.gpr.items():
                if word == what:
                    self.gpr[name] = constant
            if self.contract:
                self.contract.learn(self, what, value)

    def decide(self, bit):
        """0 or 1. The path splits if both are possible."""
        if bit <= 1:
            return bit
        if bit in self.known:
            return self.known[bit]
        possible = [value for value in (0, 1) if solve(self.facts, t.z3_bit(bit) == value) is not None]
        if not possible:
            raise Fault("a path that cannot be taken")
        raise Split([(bit, value) for value in possible])

    def always(self, bit):
        """Whether the facts force a bit to 1."""
        return bit == 1 or solve(self.facts, t.z3_bit(bit) == 0) is None

    def enumerate(self, word, limit):
        """The values of a word, if there are no more than `limit`."""
        term, bound = t.z3_word(word), 1
        while solve(self.facts, z3.UGT(term, bound)) is not None:
            bound = 2 * bound + 1
            if bound > 2 * limit:
                return None
        found = [value for value in range(bound + 1) if solve(self.facts, term == value) is not None]
        return found if len(found) <= limit else None

    def concrete(self, word, limit):
        """The value of a word with few values, by which the path splits. None if it has many."""
        word = self.values.get(word, word)
        value = t.const(word)
        if value is None and (word, limit) not in self.known:
            values = self.enumerate(word, limit)
            if values is not None:
                raise Split([(word, value) for value in values])
            self.known[word, limit] = True
        return value

    # Registers.

    def set_gpr(self, operand, word):
        old = self.gpr[operand.name]
        word = self.values.get(word, word)
        if operand.width == 64:
            self.gpr[operand.name] = word
        elif operand.width == 32:
            self.gpr[operand.name] = word + (0,) * 32
        else:
            self.gpr[operand.name] = word + old[operand.width:]

    def read(self, operand, width=None):
        """A register, an immediate or memory, as `width` bits."""
        width = width or operand.width
        if operand.kind == "gpr":
            return self.gpr[operand.name][:width]
        if operand.kind == "imm":
            return t.bits(operand.value, width)
        if operand.kind == "vec":
            return self.vec[operand.number][:width]
        if operand.kind == "mask":
            return self.mask[operand.number][:width]
        return self.load(self.address(operand), width // 8)

    def write(self, operand, word):
        if operand.kind == "gpr":
            self.set_gpr(operand, word)
        elif operand.kind == "mem":
            self.store(self.address(operand), word)
        else:
            raise Fault(f"no destination: {operand.kind}")

    def address(self, operand):
        if operand.rodata is not None:
            return t.combine(t.var("rodata", 64), t.bits(operand.rodata, 64))
        word = t.bits(operand.offset, 64)
        for name, factor in operand.parts:
            word = t.combine(word, self.gpr[name], factor)
        return word

    # Memory: bytes by the linear form of their address.

    def load(self, address, size):
        items, offset = t.linear(address)
        offset = signed(offset)
        if [(x.op, x.args) for x in items] == [("var", "rodata")]:
            if not 0 <= offset <= offset + size <= len(self.code.rodata):
                raise Fault("a load behind the constants")
            return t.bits(int.from_bytes(self.code.rodata[offset:offset + size], "little"), 8 * size)
        base = tuple(sorted(items.items(), key=lambda item: item[0].number))
        if self.contract:
            self.contract.access(self, "load", base, offset, size)
        cells = self.memory.get(base, {})
        word = ()
        for at in range(offset, offset + size):
            word += cells[at] if at in cells else self.initial(base, at)
        return word

    def initial(self, base, at):
        """A byte that this path has not written."""
        if self.contract:
            return self.contract.initial(self, base, at)
        return byte(base, at)

    def store(self, address, word):
        items, offset = t.linear(address)
        base = tuple(sorted(items.items(), key=lambda item: item[0].number))
        offset = signed(offset)
        if self.contract:
            self.contract.access(self, "store", base, offset, len(word) // 8)
        cells = self.memory.setdefault(base, {})
        for k in range(0, len(word), 8):
            cells[offset + k // 8] = word[k:k + 8]

    # Vectors.

    def set_vec(self, operand, word, vex, lane=0):
        """Writes a vector register under its mask; a VEX instruction clears what lies above."""
        old = self.vec[operand.number]
        if operand.mask is not None:
            mask, parts = self.mask[operand.mask], []
            for i in range(len(word) // lane):
                kept = (0,) * lane if operand.zero else old[i * lane:i * lane + lane]
                parts += t.ites(mask[i], word[i * lane:i * lane + lane], kept)
            word = tuple(parts)
        above = (0,) * (512 - len(word)) if vex else old[len(word):]
        self.vec[operand.number] = word + above
        if vex and operand.number < 16 and len(word) > 128:
            self.upper_dirty = True

    def require_aligned(self, address, size):
        """Rejects an aligned move whose address is not provably aligned."""
        items, offset = t.linear(address)
        if any(x.args == "rodata" for x in items):
            aligned = offset % size == 0 and self.code.rodata_alignment >= size
        else:
            low = address[:size.bit_length() - 1]
            aligned = not self.contract or not any(low) or self.always(t.equal(low, (0,) * len(low)))
        if not aligned:
            raise Fault("an aligned move at an address that may be unaligned")

    def load_masked(self, address, size, lane, mask):
        """The lanes whose bit in `mask` is 1; only they are read."""
        word = ()
        for i in range(8 * size // lane):
            at = t.combine(address, t.bits(i * lane // 8, 64))
            word += self.load(at, lane // 8) if self.decide(mask[i]) else (0,) * lane
        return word

    def store_masked(self, address, word, lane, mask):
        wanted = [self.decide(mask[i]) for i in range(len(word) // lane)]
        for i, wanted in enumerate(wanted):
            if wanted:
                self.store(t.combine(address, t.bits(i * lane // 8, 64)), word[i * lane:i * lane + lane])


def byte(base, at):
    name = "+".join(f"{factor}*{term.args if term.op == 'var' else term.number}" for term, factor in base)
    return t.var(f"[{name}{at:+}]", 8)
