"""The proofs: which kernels and instruction sets, how each is proved, and faults that each proof must refute."""

import bitslice
import exp

# The other kernels of avx512icl read a block ahead of the one they write, which bitslice.py does not follow.
ISAS = ("sse2", "avx2", "avx2gfni", "avx512")
BLOCKWISE = ("slice_u8", "unslice_u8", "unslice_u32")


class Kernel:
    """`prove(code)` raises Fault where it fails. `isas` are those that are proved."""

    def __init__(self, family, name, isas, prove):
        self.family, self.name, self.isas, self.prove = family, name, isas, prove

    def symbol(self, isa):
        return f"hl_{self.family}_{self.name}_{isa}"


def _map(function, facts=None):
    def prove(code):
        for alias in (False, True):
            exp.Map(code, function, facts, alias).prove()
    return prove


def _slices(verb, bytes_):
    return lambda code: bitslice.Slices(code, verb, bytes_).prove()


KERNELS = [Kernel("exp", "fast_f32", ("sse2", "avx2", "avx512"), _map(exp.fast)),
           Kernel("exp", "poly_f32", ("sse2", "avx2"), _map(exp.poly, exp.poly_facts))]
for verb in ("slice", "unslice", "tile", "untile"):
    for size in (1, 2, 4, 8):
        name = f"{verb}_u{8 * size}"
        isas = ISAS + ("avx512icl",) * (name in BLOCKWISE)
        KERNELS.append(Kernel("bitslice", name, isas, _slices(verb, size)))
