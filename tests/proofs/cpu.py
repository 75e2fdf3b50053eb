"""Compares the semantics with the CPU: every instruction form of the proven kernels, at random operands.

A form is an instruction's text, with its memory operand in a scratch area. This file assembles one
harness function per form. It loads all registers, flags and the scratch area, runs the instruction
and stores them again. semantics.py computes the same. Also, each function of terms.py that z3
defines is evaluated at constants by z3.
"""

import ctypes
import random
import re

import z3

import terms as t
from machine import State
from objects import GPRS, WORK, parse, run
from semantics import TABLE, flag

GPR_AT, VEC_AT, MASK_AT, FLAGS_AT, SCRATCH_AT, SIZE = 0, 128, 128 + 2048, 2240, 2304, 2432
FLAG_BITS = {"c": 0, "p": 2, "a": 4, "z": 6, "s": 7, "o": 11}
SPECIAL = {
    32: (0, 1 << 31, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffc12345, 1, 0x80000001, 0x7fffff, 0x7f7fffff,
         0x3f800000, 0x4b000000, 0x4b38aa3b, 0x3f000000, 0x3fc00000, 0x40200000, 0x4effffff, 0x4f000000, 0xcf000000,
         0xcf000001, 0xbf000000),
    64: (0, 1 << 63, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x7ff0000000000001, 1,
         0x7fefffffffffffff, 0x3ff0000000000000, 0x800fffffffffffff, 0xfff8000000012345),
}


def shape(instruction):
    """The form of an instruction, as an instruction: vector registers are numbered in the order they appear, memory is
    the scratch area."""
    if instruction.mnemonic in ("nop", "endbr64", "push", "pop", "ret", "jmp") or instruction.target is not None:
        return None
    text = re.sub(r"\s+", " ", instruction.text)
    if instruction.mnemonic != "lea":
        text = re.sub(r"\[[^]]*\]", "[rsp+0x40]", text)
    if re.search(r"rip|[er]sp", text.replace("[rsp+0x40]", "")):
        return None
    numbers = {}
    text = re.sub(r"([xyz]mm)(\d+)", lambda m: f"{m[1]}{numbers.setdefault(m[2], len(numbers))}", text)
    return parse(0, 0, text)


def harness(forms):
    """A shared object of the functions form_0, form_1, ..; each takes the area that holds the state."""
    lines = [".intel_syntax noprefix", ".text"]
    saved = ("rbx", "rbp", "r12", "r13", "r14", "r15")
    others = [name for name in GPRS if name not in ("rsp", "rdi")]
    for k, form in enumerate(forms):
        body = re.sub(r"\{1to\d+\}", "", form)
        lines += [f".globl form_{k}", ".balign 64", f"form_{k}:"] + [f"push {name}" for name in saved]
        # The scratch area is at rsp + 64 before the instruction, aligned to 64.
        lines += ["mov rbp, rsp", "sub rsp, 512", "and rsp, -64", "mov [rsp+256], rbp", "mov [rsp+264], rdi"]
        for v in range(2):
            lines += [f"vmovups zmm{v}, [rdi+{SCRATCH_AT + 64 * v}]", f"vmovups [rsp+{64 + 64 * v}], zmm{v}"]
        lines += [f"vmovups zmm{v}, [rdi+{VEC_AT + 64 * v}]" for v in range(32)]
        lines += [f"kmovq k{m}, [rdi+{MASK_AT + 8 * m}]" for m in range(8)]
        lines += [f"push [rdi+{FLAGS_AT}]", "popfq"]
        lines += [f"mov {name}, [rdi+{GPR_AT + 8 * GPRS.index(name)}]" for name in others]
        lines += [f"mov rdi, [rdi+{GPR_AT + 8 * GPRS.index('rdi')}]", body, "mov [rsp+272], rdi", "mov rdi, [rsp+264]"]
        lines += [f"mov [rdi+{GPR_AT + 8 * GPRS.index(name)}], {name}" for name in others]
        lines += ["pushfq", f"pop [rdi+{FLAGS_AT}]", "mov rax, [rsp+272]"]
        lines += [f"mov [rdi+{GPR_AT + 8 * GPRS.index('rdi')}], rax"]
        lines += [f"vmovups [rdi+{VEC_AT + 64 * v}], zmm{v}" for v in range(32)]
        lines += [f"kmovq [rdi+{MASK_AT + 8 * m}], k{m}" for m in range(8)]
        for v in range(2):
            lines += [f"vmovups zmm{v}, [rsp+{64 + 64 * v}]", f"vmovups [rdi+{SCRATCH_AT + 64 * v}], zmm{v}"]
        lines += ["mov rsp, [rsp+256]", "vzeroupper"] + [f"pop {name}" for name in reversed(saved)] + ["ret"]
    lines.append('.section .note.GNU-stack, "", @progbits')
    source, library = WORK / "forms.s", WORK / "forms.so"
    source.write_text("\n".join(lines) + "\n")
    run("cc", "-shared", "-o", library, source)
    return ctypes.CDLL(str(library))


def number(rng, width):
    """A random word whose lanes are special floats, small or arbitrary."""
    lane = rng.choice((8, 32, 32, 64))
    value = 0
    for at in range(0, width, lane):
        kind = rng.randrange(4)
        if lane == 8 or kind == 0:
            part = rng.getrandbits(lane)
        elif kind == 1:
            part = rng.choice(SPECIAL[lane])
        elif kind == 2:
            part = t.from_float(rng.uniform(-300, 300) if rng.randrange(2) else float(rng.randrange(-40, 40)) / 2, lane)
        else:
            part = rng.choice(SPECIAL[lane]) ^ rng.getrandbits(2)
        value |= (part & (1 << lane) - 1) << at
    return value & (1 << width) - 1


class Trial:
    """One instruction, from bytes to bytes, by the semantics."""

    def __init__(self, instruction):
        operands = instruction.operands
        self.instruction = instruction
        self.gprs = {o.name for o in operands if o.kind == "gpr"}
        self.gprs |= {name for o in operands if o.kind == "mem" for name, _ in o.parts}
        self.vectors = {o.number for o in operands if o.kind == "vec"}
        self.masks = {o.mask for o in operands if o.kind in ("vec", "mem")}
        self.masks |= {o.number for o in operands if o.kind == "mask"}
        self.masks.discard(None)
        self.memory = any(o.kind == "mem" for o in operands) and instruction.mnemonic != "lea"

    def run(self, area):
        i, scratch = self.instruction, t.var("scratch", 64)
        state = State(None)
        read = lambda at, size: int.from_bytes(area[at:at + size], "little")
        state.gpr = {name: t.bits(read(GPR_AT + 8 * k, 8), 64) for k, name in enumerate(GPRS) if name in self.gprs}
        vectors = range(32) if i.mnemonic == "vzeroupper" else self.vectors
        state.vec = {k: t.bits(read(VEC_AT + 64 * k, 64), 512) for k in vectors}
        state.mask = {k: t.bits(read(MASK_AT + 8 * k, 8), 64) for k in self.masks}
        before = read(FLAGS_AT, 8)
        state.flags = {name: before >> bit & 1 for name, bit in FLAG_BITS.items()}
        base = ((t.term(scratch), 1),)
        state.memory = {base: {k: t.bits(area[SCRATCH_AT + k], 8) for k in range(64 * self.memory)}}
        if i.mnemonic != "lea":
            for operand in i.operands:
                if operand.kind == "mem":
                    operand.rodata = None
            state.address = lambda operand: scratch
        TABLE[i.mnemonic](state, i)
        out = bytearray(area)
        for name, word in state.gpr.items():
            k = GPR_AT + 8 * GPRS.index(name)
            out[k:k + 8] = t.const(word).to_bytes(8, "little")
        for k, word in state.vec.items():
            out[VEC_AT + 64 * k:VEC_AT + 64 * k + 64] = t.const(word).to_bytes(64, "little")
        for k, word in state.mask.items():
            out[MASK_AT + 8 * k:MASK_AT + 8 * k + 8] = t.const(word).to_bytes(8, "little")
        for k, cell in state.memory[base].items():
            out[SCRATCH_AT + k] = t.const(cell)
        defined, flags = 0, 0
        for name, bit in FLAG_BITS.items():
            if state.flags[name] is not None:
                defined |= 1 << bit
                flags |= flag(state, name) << bit
        return bytes(out), defined, flags


def check(forms, cases, seed):
    """Runs all forms. Returns {form: first difference or None}."""
    if not {"avx512vbmi", "gfni"} <= set(open("/proc/cpuinfo").read().split()):
        return {"the instructions": "this CPU lacks AVX-512 VBMI or GFNI"}
    rng, library, results = random.Random(seed), harness(sorted(forms)), {}
    for k, text in enumerate(sorted(forms)):
        function = getattr(library, f"form_{k}")
        function.argtypes, function.restype = [ctypes.c_char_p], None
        trial, results[text] = Trial(forms[text]), None
        words = trial.vectors
        for _ in range(cases):
            area = bytearray(rng.randbytes(SIZE))
            for v in words:
                area[VEC_AT + 64 * v:VEC_AT + 64 * v + 64] = number(rng, 512).to_bytes(64, "little")
            area[SCRATCH_AT:SCRATCH_AT + 64] = number(rng, 512).to_bytes(64, "little")
            if rng.randrange(2):
                for name in range(16):
                    at = GPR_AT + 8 * name
                    values = 0, 1, 7, 31, 2**31, 2**32 - 1, 2**63, 2**64 - 1, rng.randrange(70)
                    area[at:at + 8] = rng.choice(values).to_bytes(8, "little")
            if rng.randrange(2) and len(words) > 1:  # equal operands
                first, *rest = sorted(words)
                for v in rest:
                    area[VEC_AT + 64 * v:VEC_AT + 64 * v + 64] = area[VEC_AT + 64 * first:VEC_AT + 64 * first + 64]
            bits = 0x202 | sum(rng.randrange(2) << bit for bit in FLAG_BITS.values())
            area[FLAGS_AT:FLAGS_AT + 8] = bits.to_bytes(8, "little")
            t.reset()
            want, defined, flags = trial.run(bytes(area))
            buffer = ctypes.create_string_buffer(bytes(area), SIZE)
            function(buffer)
            got = bytearray(buffer.raw)
            got_flags = int.from_bytes(got[FLAGS_AT:FLAGS_AT + 8], "little")
            got[FLAGS_AT:FLAGS_AT + 8] = area[FLAGS_AT:FLAGS_AT + 8]
            got[GPR_AT + 32:GPR_AT + 40] = area[GPR_AT + 32:GPR_AT + 40]  # rsp is the harness's
            if bytes(got) != want or (got_flags ^ flags) & defined:
                at = next((at for at in range(SIZE) if got[at] != want[at]), "flags")
                results[text] = f"differs from the CPU at byte {at} of the state"
                break
    return results


def functions(cases, seed):
    """Compares the z3 terms of FUNCTIONS with the values that were compared with the CPU."""
    rng, differing = random.Random(seed), []
    for name, (fold, term) in t.FUNCTIONS.items():
        if not fold or not term:
            continue
        count = 1 if name == "nan" else 2
        for width in (32, 64):
            for _ in range(cases):
                values = [number(rng, width) for _ in range(count)]
                values = values if rng.randrange(4) else values[:1] * count
                z3_value = z3.simplify(term(*(z3.BitVecVal(v, width) for v in values))).as_long()
                if z3_value != fold(width, *values):
                    differing.append((name, width, values))
    return differing
