"""bitslice/{slice,unslice,tile,untile}_{u8,u16,u32,u64}: bit i of byte o of plane j is bit j of element 8 o + i.

The proof counts iterations of the kernel's loop, of `unit` elements each. A first pass through the
loop determines `unit`.
"""

import z3

import terms as t
from engine import NewCut, Proof
from machine import Fault


class Slices(Proof):
    regions = {"src": "src", "dst": "dst", "planes": "planes"}
    moving = frozenset(("done", "done*stride"))

    def __init__(self, code, verb, bytes_):
        self.verb, self.bytes = verb, bytes_
        self.cuts_elements = verb in ("slice", "tile")
        self.tiled = verb in ("tile", "untile")
        self.elements = "src" if self.cuts_elements else "dst"
        cutting, joining = ("src", "chunks", "planes", "stride"), ("planes", "stride", "chunks", "dst")
        self.arguments = cutting if self.cuts_elements else joining
        super().__init__(code)
        self.unit, self.known_tables = None, {}

    def contract(self):
        """Elements and planes are buffers: 512 chunks elements, planes that do not meet, tiles of 64 bytes a plane of
        8."""
        chunks, stride = t.z3_word(self.word["chunks"]), t.z3_word(self.word["stride"])
        return [z3.ULE(chunks, (1 << 63) // (512 * self.bytes) - 1),
                z3.UGE(stride, 64 * self.bytes if self.tiled else 64 * chunks)]

    def total(self):
        return t.scale(self.word["chunks"], 512 // (self.unit or 512))

    def forms(self, done):
        unit = self.unit or 512
        planes = t.combine(self.word["planes"], done, unit // 8)
        if self.tiled:
            planes = t.combine(self.word["planes"], self.turns(done), unit // 64)
        return [t.combine(self.word[self.elements], done, unit * self.bytes), planes, t.sub(self.total(), done)]

    def turns(self, done):
        """done * stride, for a constant or the counter and a constant."""
        items, constant = t.linear(done)
        word = t.scale(self.word["stride"], constant)
        return t.combine(word, t.var("done*stride", 64)) if items else word

    def place(self, done, element, plane):
        """The address of a byte of a plane, that of elements `element` .. + 8 after the first not done."""
        octet, word = element // 8, t.combine(self.word["planes"], self.word["stride"], plane)
        if not self.tiled:
            return t.combine(t.combine(word, done, self.unit // 8), t.bits(octet, 64))
        word = t.combine(self.word["planes"], self.turns(done), self.unit // 64)
        word = t.combine(word, self.word["stride"], octet // 8)
        return t.combine(word, t.bits(8 * plane + octet % 8, 64))

    def split(self, address):
        items, offset = t.linear(address)
        return tuple(sorted(items.items(), key=lambda item: item[0].number)), offset - (offset >> 63 << 64)

    def tables(self, done):
        """For one iteration: the places of the bytes of elements, and of planes."""
        key = (done, self.unit)
        if key not in self.known_tables:
            first = t.combine(self.word[self.elements], done, self.unit * self.bytes)
            base, offset = self.split(first)
            elements = {(base, offset + k): k for k in range(self.unit * self.bytes)}
            planes = {self.split(self.place(done, 8 * octet, plane)): (octet, plane)
                      for octet in range(self.unit // 8) for plane in range(8 * self.bytes)}
            self.known_tables = {key: (elements, planes)}
        return self.known_tables[key]

    def arrive(self, place, state, done):
        if self.unit is None:
            if state.head is not None:
                register = "rdi" if self.cuts_elements else "rcx"
                self.unit = (t.const(t.sub(state.gpr[register], self.forms(state.done)[0])) or 0) // self.bytes
                if self.unit not in (64, 128, 256, 512):
                    raise Fault(f"the loop advances by {self.unit} elements")
                self.cuts = {}
                raise NewCut(place[0])
            if place in self.cuts:
                return False
        return super().arrive(place, state, done)

    def permit(self, state, kind, base, offset, size):
        if self.unit is None:
            return
        elements, planes = self.tables(state.done)
        table = elements if (kind == "load") == self.cuts_elements else planes
        if any((base, at) not in table for at in range(offset, offset + size)):
            raise Fault(f"a {kind} outside the block of this iteration")
        if not self.left_is(state, state.done, 1):
            raise Fault(f"a {kind} behind the last block")

    def stored(self, state):
        return {(base, at): cell for base, cells in state.memory.items() if self.region(base) != "stack"
                for at, cell in cells.items()}

    def progress(self, state):
        return t.combine(state.done, t.bits(int(bool(self.stored(state))), 64))

    def wanted(self, done, initial):
        """`slice` and `unslice` of src/bitslice/scalar.rs, a bit at a time: (place, byte) from the bytes at first."""
        elements, planes = self.tables(done)
        if self.cuts_elements:
            places = {k: at for at, k in elements.items()}
            for at, (octet, plane) in planes.items():
                byte = [places[(8 * octet + i) * self.bytes + plane // 8] for i in range(8)]
                yield at, tuple(initial(*where)[plane % 8] for where in byte)
        else:
            places = {where: at for at, where in planes.items()}
            for at, k in elements.items():
                element, byte = divmod(k, self.bytes)
                yield at, tuple(initial(*places[element // 8, 8 * byte + j])[element % 8] for j in range(8))

    def check(self, state, done, returns):
        stored = self.stored(state)
        if stored:
            wanted = dict(self.wanted(state.done, lambda *where: self.initial(state, *where)))
            if stored.keys() != wanted.keys():
                raise Fault("stores that are not the block of this iteration")
            for at, byte in wanted.items():
                self.same(state, stored[at], byte, f"byte {at[1]} of the block")
        if returns:
            self.same(state, done, self.total(), "the number of blocks")
