"""Paths between cuts, and the search for the invariants of loops.

A proof starts a path at the entry of a function and one at each cut: the head of a loop whose
condition depends on unknown values. Paths end at a cut or at `ret`. The search for the invariant of
a cut assumes the state of the first arrival, and weakens it until every path that starts from it
arrives with it. Loops with a known number of iterations are unrolled.

A kernel's proof derives from Proof. Its invariants count elements or iterations, called `done`.
"""

import z3

import terms as t
from machine import Fault, Split, State, forget, refuted, solve
from semantics import TABLE
import shuffles  # joins the table

KEPT = ("rbx", "rbp", "rsp", "r12", "r13", "r14", "r15")
STEPS = 500000
LEFT = (1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 256)


class NewCut(Exception):
    pass


class Cut:
    """The assumption at the head of a loop: a word per register, or None for any value."""

    def __init__(self):
        self.gpr, self.vec, self.mask, self.stack, self.least, self.most = {}, {}, {}, {}, 0, None


class Proof:
    # Names of the integer arguments in order; pointers among them, as {name: region}.
    arguments = ()

    def __init__(self, code):
        t.reset()
        forget()
        t.MODULO_NAN = self.modulo_nan
        self.code, self.cuts, self.heads, self.steps = code, {}, set(), 0
        self.word = {name: t.var(name, 64) for name in self.arguments}
        self.checking, self.epoch, self.forms_used = False, 0, set()
        self.proved = set()

    modulo_nan = False

    # Defined by each kernel's proof.

    def contract(self):
        """z3 facts about the arguments."""
        return []

    def total(self):
        """The final value of `done`."""
        raise NotImplementedError

    def forms(self, done):
        """Words that a register may follow, up to a constant."""
        return []

    def key(self, state):
        """States with different keys have separate invariants at a cut."""
        return ()

    def progress(self, state):
        """`done` at the end of a path."""
        raise NotImplementedError

    def check(self, state, done, returns):
        """Compares all stores of the path with the reference."""
        raise NotImplementedError

    def permit(self, state, kind, base, offset, size):
        """Rejects an access outside the buffers."""
        raise NotImplementedError

    def learn(self, state, word, value):
        pass

    def extend(self, cut, state, done):
        """Adds the kernel's own part to a new invariant; `retain` compares it with a later arrival, `apply` assumes
        it."""

    def retain(self, cut, state, done):
        return False

    def apply(self, cut, state):
        pass

    # Memory.

    def access(self, state, kind, base, offset, size):
        pointers = [x for x, factor in base if factor == 1 and (x.op == "pack" or x.args == "rsp")]
        if pointers:
            self.stack_access(state, kind, base, offset, size)
        else:
            self.permit(state, kind, base, offset, size)

    def stack_access(self, state, kind, base, offset, size):
        address = z3.BitVecVal(offset, 64) + z3.Sum([t.z3_term(x) * f for x, f in base])
        top = t.z3_word(t.var("rsp", 64))
        low = t.z3_word(state.gpr["rsp"])
        inside = z3.And(z3.ULE(top - address, top - low), z3.UGE(top - address, size))
        key = (base, offset, size, state.gpr["rsp"])
        if key not in self.forms_used and solve(self.base_facts, z3.Not(inside)) is not None:
            raise Fault(f"a {kind} on the stack outside the frame")
        self.forms_used.add(key)
        if kind == "load":
            self.apart(state, base, offset, size, True)

    def apart(self, state, base, offset, size, stack=False):
        """A load from memory that this path wrote through another form of address must not meet what it wrote."""
        for other, cells in state.memory.items():
            if other == base or not cells or self.region(other) != self.region(base):
                continue
            key = ("apart", base, other, offset, size, min(cells), max(cells))
            if key in self.forms_used:
                continue
            start = z3.BitVecVal(offset - min(cells), 64)
            for x, f in base:
                start = start + t.z3_term(x) * f
            for x, f in other:
                start = start - t.z3_term(x) * f
            length = max(cells) + 1 - min(cells)
            if solve(self.base_facts, z3.Or(z3.ULT(start, length), z3.UGT(start, z3.BitVecVal(-size, 64)))) is not None:
                raise Fault("a load that may meet an earlier store")
            self.forms_used.add(key)

    def region(self, base):
        names = [x.args for x, factor in base if factor == 1 and x.op == "var" and x.args in self.regions]
        return self.regions[names[0]] if names else "stack"

    regions = {}

    def initial(self, state, base, at):
        name = "+".join(f"{f}*{x.args if x.op == 'var' else x.number}" for x, f in base)
        return t.var(f"[{state.epoch}: {name} {at:+}]", 8)

    # The search.

    def entry(self):
        state = State(self.code, self).unknown("0")
        for register, name in zip(("rdi", "rsi", "rdx", "rcx", "r8", "r9"), self.arguments):
            state.gpr[register] = self.word[name]
        state.gpr["rsp"] = t.var("rsp", 64)
        rsp = t.z3_word(state.gpr["rsp"])
        state.facts = [*self.contract(), rsp & 15 == 8, z3.UGT(rsp, 1 << 20), z3.ULT(rsp, 1 << 63)]
        self.base_facts = list(state.facts)
        state.pc = min(self.code.instructions)
        state.done, state.epoch, state.head = t.bits(0, 64), 0, None
        return state

    def prove(self):
        """Raises Fault where the proof fails."""
        while True:
            try:
                changed = self.round()
            except NewCut as cut:
                self.heads.add(cut.args[0])
                self.cuts = {}
                continue
            if not changed and self.checking:
                return
            self.checking = not changed

    def round(self):
        """All paths once; whether an invariant changed."""
        changed, self.paths = False, 0
        waiting, started = [self.entry()], set()
        while waiting:
            ends = []
            self.walk(waiting.pop(), ends)
            for state, place in ends:
                self.paths += 1
                done = self.progress(state)
                if self.checking:
                    self.check(state, done, place is None)
                if place is None:
                    if self.checking:
                        self.returned(state)
                    continue
                if self.checking and state.head is not None:
                    if not 0 < (t.const(t.sub(done, state.done)) or 0) < 1 << 32:
                        raise Fault("a turn of a loop that does nothing, so that it may not end")
                changed |= self.arrive(place, state, done)
                if changed and self.checking:
                    raise Fault("an invariant that changes")
                if place not in started:
                    started.add(place)
                    waiting.append(self.state_at(place))
        return changed

    def walk(self, state, ends):
        """All paths from a state to their ends."""
        paths = [(state, True)]
        while paths:
            state, first = paths.pop()
            while True:
                if state.pc in self.heads and not first:
                    ends.append((state, (state.pc, self.key(state))))
                    break
                first = False
                i = self.code.instructions.get(state.pc)
                self.steps += 1
                if i is None or self.steps > STEPS:
                    raise Fault("a path out of the function, or without an end")
                if i.mnemonic == "ret":
                    ends.append((state, None))
                    break
                run = TABLE.get(i.mnemonic)
                if run is None:
                    raise Fault(f"no semantics: {i.text}")
                state.pc = i.next
                try:
                    run(state, i)
                except Split as split:
                    state.pc = i.address
                    if i.target is not None and i.target <= i.address and len(split.alternatives) > 1:
                        if i.target not in self.heads:
                            raise NewCut(i.target)
                    for what, value in split.alternatives:
                        other = state.copy()
                        other.assume(what, value)
                        paths.append((other, False))
                    break
                except Fault as fault:
                    raise Fault(f"{fault} [{i.address:x}: {i.text}]") from None

    def arrive(self, place, state, done):
        """Weakens the invariant until this arrival has it."""
        cut = self.cuts.get(place)
        if cut is None:
            cut = self.cuts[place] = Cut()
            forms = self.forms(done)
            for name, word in state.gpr.items():
                ways = [(k, t.sub(word, form)) for k, form in enumerate(forms)]
                ways = [(k, rest) for k, rest in ways if t.const(rest) is not None]
                cut.gpr[name] = ways + ([(None, word)] if self.fixed(word) else [])
            cut.vec = {k: word if self.fixed(word) else None for k, word in state.vec.items()}
            cut.mask = {k: word if self.fixed(word) else None for k, word in state.mask.items()}
            for base, cells in state.memory.items():
                if self.region(base) == "stack":
                    cut.stack.update({(base, at): cell for at, cell in cells.items() if self.fixed(cell)})
            left = t.sub(self.total(), done)
            for count in LEFT:
                if self.left_is(state, done, count):
                    cut.least = count
            cut.facts = ()
            self.extend(cut, state, done)
            return True
        changed = False
        forms = self.forms(done)
        for name, ways in cut.gpr.items():
            while ways and state.gpr[name] != (ways[0][1] if ways[0][0] is None else
                                               t.combine(forms[ways[0][0]], ways[0][1])):
                ways.pop(0)
                changed = True
        for kept, now in ((cut.vec, state.vec), (cut.mask, state.mask)):
            for k, word in kept.items():
                if word is not None and now[k] != word:
                    kept[k] = None
                    changed = True
        for (base, at), cell in list(cut.stack.items()):
            if state.memory.get(base, {}).get(at) != cell:
                del cut.stack[base, at]
                changed = True
        while cut.least and not self.left_is(state, done, cut.least):
            smaller = [count for count in LEFT if count < cut.least]
            cut.least = smaller[-1] if smaller else 0
            changed = True
        if not cut.least and not self.left_is(state, done, 0):
            raise Fault("more is done than there is")
        return self.retain(cut, state, done) or changed

    def left_is(self, state, done, count):
        """Whether at least `count` remain to be done."""
        if state.left and state.left[0] == done and count <= state.left[1]:
            return True
        total, z3_done = t.z3_word(self.total()), t.z3_word(done)
        enough = solve(state.facts, z3.Not(z3.And(z3.ULE(z3_done, total), z3.UGE(total - z3_done, count)))) is None
        if enough:
            state.left = done, count
        return enough

    def fixed(self, word):
        """Whether a word contains neither a cut's counter nor a variable that moves with it."""
        value = t.const(word)
        return value is not None or not self.names(word) & self.moving

    moving = frozenset()

    def names(self, word):
        """The variables of a word."""
        found, seen, waiting = set(), set(), [word]
        while waiting:
            for bit in waiting.pop():
                for part in t.SETS[bit]:
                    key = t.ATOM.get(part)
                    if key is None or part in seen:
                        continue
                    seen.add(part)
                    if key[0] == "and":
                        waiting.append(key[1:])
                        continue
                    term = key[1]
                    if term in seen:
                        continue
                    seen.add(term)
                    if term.op == "var":
                        found.add(term.args)
                    elif term.op == "lin":
                        waiting += [x.bits for x, _ in term.args[0]]
                    elif term.op != "pack":
                        waiting += term.args
        return found

    def counter(self, place):
        """The variable that `done` is at a cut."""
        return t.var("done", 64)

    def state_at(self, place):
        cut, state = self.cuts[place], self.entry()
        self.epoch += 1
        state.epoch, state.head, state.pc = self.epoch, place, place[0]
        state.done = done = self.counter(place)
        forms = self.forms(done)
        for name, ways in cut.gpr.items():
            if not ways:
                word = t.var(f"{name} at {self.epoch}", 64)
            else:
                form, word = ways[0]
                word = word if form is None else t.combine(forms[form], word)
            state.gpr[name] = word
        state.vec = {k: t.var(f"v{k} at {self.epoch}", 512) if word is None else word for k, word in cut.vec.items()}
        state.mask = {k: t.var(f"k{k} at {self.epoch}", 64) if word is None else word for k, word in cut.mask.items()}
        for (base, at), cell in cut.stack.items():
            state.memory.setdefault(base, {})[at] = cell
        state.flags = {flag: t.var(f"{flag} at {self.epoch}", 1)[0] for flag in state.flags}
        state.upper_dirty = True
        total, z3_done = t.z3_word(self.total()), t.z3_word(done)
        state.facts += [z3.ULE(z3_done, total), z3.UGE(total - z3_done, cut.least)]
        self.apply(cut, state)
        return state

    def returned(self, state):
        for name in KEPT:
            before = t.var("rsp", 64) if name == "rsp" else t.var(name + "0", 64)
            if state.gpr[name] != before:
                raise Fault(f"{name} is not restored")
        wide = any(o.kind == "vec" and o.width > 128 for i in self.code.instructions.values() for o in i.operands)
        if wide and state.upper_dirty and self.touched_wide(state):
            raise Fault("ret without vzeroupper")

    def touched_wide(self, state):
        return any(any(state.vec[k][128:]) for k in range(16))

    # Goals.

    def same(self, state, got, want, what, inputs=(), facts=lambda *inputs: ()):
        """Proves two words equal. Goals that differ in the names of the inputs alone are proved once."""
        if got == want:
            return
        axioms = z3.And(*facts(*inputs))
        goal = t.z3_word(got) != t.z3_word(want)
        text = goal.sexpr() + axioms.sexpr()
        for k, word in enumerate(inputs):
            for j in range(0, len(word), 8):
                text = text.replace(t.ATOM[word[j]][1].args, f"{k}.{j}")
        if text in self.proved:
            return
        if inputs and refuted([axioms, goal]):
            self.proved.add(text)
        elif not refuted([*state.facts, axioms, goal]):
            raise Fault(f"{what} differs")
