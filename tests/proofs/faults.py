"""Seeded faults: bytes of a built object are changed, and the proof of that object must fail.

| kind | change |
|---|---|
| constant | the lowest bit of the first constant that the function loads |
| operands | an instruction whose operands do not commute has them exchanged, or reads another register |
| length | an instruction that counts the length works on 32 bits |
| compare | the step of a counter is off by one |
| missing | the last store does not happen |
| clobber | rbx is changed at the entry |
"""

import re
import shutil

from objects import WORK, Code, run

ORDERED = ("vpunpck", "punpck", "vpsub", "vsub", "sub", "vmin", "min", "vpermt", "vpermi", "vperm2i128", "vshufi",
           "vpermb")
COUNTERS = {"exp": ("rdx",), "bitslice": ("rsi", "rdx"), "reduce": ("rsi", "rdx"), "random": ("r8",)}


def assembled(text):
    """The bytes of one instruction."""
    source, binary = WORK / "fault.s", WORK / "fault.o"
    source.write_text(f".intel_syntax noprefix\n{text}\n")
    run("cc", "-c", source, "-o", binary)
    run("objcopy", "-O", "binary", "--only-section=.text", binary, WORK / "fault.bin")
    return (WORK / "fault.bin").read_bytes()


def sections(path):
    """File offsets of an object's sections."""
    found = {}
    for line in run("objdump", "-h", "-w", path).splitlines():
        part = re.match(r"\s*\d+ (\S+)\s+([0-9a-f]+)\s+[0-9a-f]+\s+[0-9a-f]+\s+([0-9a-f]+)", line)
        if part:
            found[part[1]] = int(part[3], 16), int(part[2], 16)
    return found


def same_size(text, size):
    """Encodes an instruction in exactly this many bytes, if possible."""
    for prefix in ("", "{vex3} ", "{disp8} ", "{disp32} "):
        try:
            encoded = assembled(prefix + text)
        except Exception:
            continue
        if len(encoded) == size:
            return encoded
    return None


def changes(code, family):
    """(kind, section, offset, bytes) for each fault of a function."""
    text = f".text.{code.symbol}"
    listing = [code.instructions[at] for at in sorted(code.instructions)]
    loads = [o.rodata for i in listing for o in i.operands if o.kind == "mem" and o.rodata is not None]
    if loads:
        yield "constant", code.rodata_section, loads[0], bytes([code.rodata[loads[0]] ^ 1])
    yield "clobber", text, 0, assembled("add rbx, 1")
    for i in listing:
        plain = [o for o in i.operands if o.kind == "vec" and o.mask is None]
        if i.mnemonic.startswith(ORDERED) and len(plain) == len([o for o in i.operands if o.kind != "imm"]):
            names = re.findall(r"[xyz]mm\d+", i.text)
            if len(names) >= 2 and names[-1] != names[-2]:
                swapped = i.text.replace(names[-1], "?").replace(names[-2], names[-1]).replace("?", names[-2])
                encoded = same_size(swapped, i.size)
                if encoded and swapped != i.text:
                    yield "operands", text, i.address, encoded
                    break
    for i in listing:
        first = i.operands[0] if i.operands else None
        if i.mnemonic in ("sub", "shl", "add", "test", "and") and first.kind == "gpr" and first.width == 64 \
                and first.name in COUNTERS[family]:
            yield "length", text, i.address, bytes([code.bytes[i.address] & ~8])
            break
    steps = [i for i in listing if i.mnemonic in ("sub", "dec", "add") and i.operands[0].kind == "gpr"
             and i.operands[0].name in COUNTERS[family] and len(i.operands) == 2 and i.operands[1].kind == "imm"]
    if steps:
        i = steps[-1]
        at = i.size - 1 if i.operands[1].value < 128 else i.size - 4
        yield "compare", text, i.address + at, bytes([code.bytes[i.address + at] + 1])
    stores = [i for i in listing if i.operands and i.operands[0].kind == "mem" and i.operands[-1].kind == "vec"]
    if stores:
        i = stores[-1]
        yield "missing", text, i.address, b"\x90" * i.size


def faulty(code, section, offset, new):
    """The function from an object that differs in these bytes."""
    path = WORK / f"fault-{code.symbol}.o"
    shutil.copyfile(code.path, path)
    start, size = sections(path)[section]
    assert offset + len(new) <= size
    with open(path, "r+b") as file:
        file.seek(start + offset)
        file.write(new)
    return Code(path, code.symbol)
