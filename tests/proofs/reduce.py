"""reduce/{sum,dot}_{f32,f64}: element i onto lane i mod L, then a tree; one NaN for all.

NaNs of all payloads are one here (terms.MODULO_NAN): additions and products of equal values are equal but for a NaN's payload, only
they and moves see the elements, and the result is made canonical. So x + -0 is x.
"""

import z3

import terms as t
from engine import Proof
from machine import Fault


class Reduction(Proof):
    regions = {"x": "x", "y": "y"}
    modulo_nan = True

    def __init__(self, code, dot, size):
        self.arguments = ("x", "y", "n") if dot else ("x", "n")
        super().__init__(code)
        self.dot, self.size, self.lanes = dot, size, 256 // size
        self.zero = t.bits(1 << 8 * size - 1, 8 * size)
        self.moving = frozenset(("rows",))

    def contract(self):
        facts = [z3.ULE(t.z3_word(self.word["n"]), (1 << 63) // self.size - 1)]
        for name in self.arguments[:-1]:
            pointer = t.z3_word(self.word[name])
            facts += [z3.ULT(pointer, 1 << 63), z3.UGE(pointer, 4096)]
        return facts

    def total(self):
        return self.word["n"]

    def forms(self, done):
        forms = [t.combine(self.word[name], done, self.size) for name in self.arguments[:-1]]
        left = t.sub(self.word["n"], done)
        return [*forms, left, t.scale(left, self.size)]

    def key(self, state):
        """How many elements precede the first whole row, in all invariants that one loop has."""
        return t.linear(t.sub(self.progress(state), state.done))[1] % self.lanes if state.head is None else state.head[1]

    def counter(self, place):
        first = self.firsts[place]
        return t.combine(t.bits(first, 64), t.var("rows", 64), self.lanes)

    def element(self, state, index, name="x"):
        """Element `index` after those done at the start of the path."""
        address = t.combine(t.combine(self.word[name], state.done, self.size), t.bits(self.size * index, 64))
        items, offset = t.linear(address)
        base, offset = tuple(sorted(items.items(), key=lambda item: item[0].number)), offset - (offset >> 63 << 64)
        return sum((self.initial(state, base, offset + k) for k in range(self.size)), ())

    def summand(self, state, index):
        x = self.element(state, index)
        return t.float_mul(x, self.element(state, index, "y")) if self.dot else x

    def permit(self, state, kind, base, offset, size):
        if kind == "store":
            raise Fault("a store")
        address = t.from_linear(dict(base), offset, 64)
        first = t.linear(state.done)[1] if t.const(state.done) is None else t.const(state.done)
        for name in self.arguments[:-1]:
            at = t.const(t.sub(address, t.combine(self.word[name], state.done, self.size)))
            if at is None:
                continue
            at -= at >> 63 << 64
            if at < -self.size * first:
                raise Fault("a load before the buffer")
            count = -(-(at + size) // self.size)
            if count <= 0 or self.left_is(state, state.done, count):
                return
            raise Fault("a load behind the buffer")
        raise Fault("a load outside the buffers")

    def fold(self, state, count):
        """`fold` of src/reduce/scalar.rs, `count` elements more."""
        lanes = list(state.lanes)
        first = t.linear(state.done)[1]
        for k in range(count):
            lane = (first + k) % self.lanes
            lanes[lane] = t.float_add(lanes[lane], self.summand(state, k))
        return lanes

    def entry(self):
        state = super().entry()
        state.lanes = [self.zero] * self.lanes
        return state

    def progress(self, state):
        """How far the pointer is; at the end, all."""
        if state.pc in self.heads:
            shift = t.const(t.sub(state.gpr["rdi"], self.word["x"])) if state.head is None else None
            if shift is not None:
                shift -= shift >> 63 << 64
                return t.bits(shift // self.size, 64)
            moved = t.const(t.sub(state.gpr["rdi"], t.combine(self.word["x"], state.done, self.size)))
            if moved is None or moved % self.size:
                raise Fault("rdi is not at an element")
            return t.combine(state.done, t.bits(moved // self.size, 64))
        return self.word["n"]

    # The lanes: which place holds which.

    def places(self, state):
        """{word: place} of all that registers and the frame hold."""
        found, width = {}, 8 * self.size
        for k, word in state.vec.items():
            for at in range(0, 512, width):
                found.setdefault(word[at:at + width], ("vec", k, at))
        for base, cells in state.memory.items():
            if self.region(base) == "stack":
                for at in cells:
                    if all(at + k in cells for k in range(self.size)):
                        word = sum((cells[at + k] for k in range(self.size)), ())
                        found.setdefault(word, ("stack", base, at))
        return found

    def at_place(self, state, place):
        if place[0] == "vec":
            return state.vec[place[1]][place[2]:place[2] + 8 * self.size]
        return sum((state.memory[place[1]][place[2] + k] for k in range(self.size)), ())

    def whole_fold(self, state, done):
        return self.fold(state, t.const(t.sub(done, state.done)))

    def extend(self, cut, state, done):
        found = self.places(state)
        lanes = self.whole_fold(state, done)
        if state.head is None and all(lane == self.zero for lane in lanes):
            cut.lanes = None  # all alike: a later arrival tells
        else:
            cut.lanes = [found.get(lane) for lane in lanes]
            if None in cut.lanes:
                raise Fault("a lane that no register holds at the head of a loop")
        cut.initial = lanes

    def retain(self, cut, state, done):
        lanes = self.whole_fold(state, done)
        if cut.lanes is None:
            if state.head is None:
                return False
            found = self.places(state)
            cut.lanes = [found.get(lane) for lane in lanes]
            if None in cut.lanes:
                raise Fault("a lane that no register holds at the head of a loop")
            return True
        if any(self.at_place(state, place) != lane for place, lane in zip(cut.lanes, lanes)):
            raise Fault("a lane differs")
        return False

    def arrive(self, place, state, done):
        if place not in self.firsts:
            self.firsts[place] = t.linear(done)[1]
        return super().arrive(place, state, done)

    def prove(self):
        self.firsts = {}
        super().prove()

    def apply(self, cut, state):
        for place in cut.lanes or ():
            if place[0] == "stack" and place[2] not in state.memory.get(place[1], {}):
                cells = state.memory.setdefault(place[1], {})
                for k in range(self.size):
                    cells[place[2] + k] = t.var(f"stack {place[2] + k} at {state.epoch}", 8)
        if cut.lanes is None:
            state.lanes = list(cut.initial)
        else:
            state.lanes = [self.at_place(state, place) for place in cut.lanes]

    # The end.

    def check(self, state, done, returns):
        if not returns:
            return
        left = state.enumerate(t.sub(self.word["n"], state.done), 300)
        if left is None or len(left) != 1:
            raise Fault("a path of unknown length to the end")
        lanes = self.fold(state, left[0])
        got, width = state.vec[0][:8 * self.size], 8 * self.size
        if t.const(state.done) == 0 and left[0] == 0:
            want = t.bits(0, width)
        else:
            half = self.lanes // 2
            while half:
                lanes[:half] = [t.float_add(lanes[l], lanes[l + half]) for l in range(half)]
                half //= 2
            is_nan = t.nan(lanes[0])
            quiet = t.bits({32: 0x7fc00000, 64: 0x7ff8000000000000}[width], width)
            want = t.ites(state.known.get(is_nan, is_nan), quiet, lanes[0])
        if got != want:
            raise Fault(f"the result differs with {left[0]} elements left")
