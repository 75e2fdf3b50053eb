"""The proofs: which kernels and instruction sets, how each is proved, and faults that each proof must refute."""

import bitslice
import exp

# The kernels of bitslice and the instruction sets with assembly for them. The other assembly of avx512icl reads a block
# ahead of the one that it writes, which bitslice.py does not follow.
ISAS = ("sse2", "avx2", "avx2gfni", "avx512")
SLICES = {
    "slice_u8": ("sse2", "avx2", "avx2gfni"),
    "slice_u16": ISAS,
    "slice_u32": ("avx2", "avx2gfni", "avx512"),
    "slice_u64": ISAS,
    "unslice_u8": ("avx2", "avx512"),
    "unslice_u16": ("avx2", "avx2gfni", "avx512"),
    "unslice_u32": ("avx2", "avx2gfni", "avx512", "avx512icl"),
    "unslice_u64": ISAS,
    "tile_u8": ("sse2", "avx2", "avx2gfni"),
    "tile_u16": ("avx2", "avx2gfni", "avx512"),
    "tile_u32": ("avx2", "avx2gfni", "avx512"),
    "tile_u64": ("sse2", "avx2gfni", "avx512"),
    "untile_u8": ISAS,
    "untile_u16": ("avx2", "avx2gfni", "avx512"),
    "untile_u32": ("avx2", "avx2gfni", "avx512"),
    "untile_u64": ("sse2", "avx2gfni", "avx512"),
}


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
        KERNELS.append(Kernel("bitslice", name, SLICES[name], _slices(verb, size)))
