"""Reads the objects that cargo built: instructions from objdump, constants from .rodata."""

import json
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / "target" / "proofs"
SIZES = {"BYTE": 1, "WORD": 2, "DWORD": 4, "QWORD": 8, "XMMWORD": 16, "YMMWORD": 32, "ZMMWORD": 64}
GPRS = "rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15".split()
NAMES = {name: (name, 64) for name in GPRS}
for wide in GPRS[:8]:
    NAMES["e" + wide[1:]] = (wide, 32)
    NAMES[wide[1:]] = (wide, 16)
    NAMES[wide[1:] + "l" if wide in ("rsp", "rbp", "rsi", "rdi") else wide[1] + "l"] = (wide, 8)
for wide in GPRS[8:]:
    NAMES.update({wide + "d": (wide, 32), wide + "w": (wide, 16), wide + "b": (wide, 8)})
VECTORS = {"xmm": 128, "ymm": 256, "zmm": 512}


class Operand:
    """kind: gpr, vec, mask, imm or mem; width in bits. `mask` and `zero` are the decorations {k} and {z}."""

    def __init__(self, kind, width, **rest):
        self.kind, self.width, self.mask, self.zero = kind, width, None, False
        self.__dict__.update(rest)


class Instruction:
    def __init__(self, address, size, mnemonic, operands, text):
        self.address, self.size, self.mnemonic, self.operands, self.text = address, size, mnemonic, operands, text
        self.next = address + size
        self.target = None


def parse_operand(text):
    mask, zero = re.search(r"\{k(\d)\}", text), "{z}" in text
    plain = re.sub(r"\{[^}]*\}", "", text).strip()
    decorations = {"mask": int(mask[1]) if mask else None, "zero": zero}
    if plain in NAMES:
        name, width = NAMES[plain]
        return Operand("gpr", width, name=name)
    vector = re.fullmatch(r"([xyz]mm)(\d+)", plain)
    if vector:
        return Operand("vec", VECTORS[vector[1]], number=int(vector[2]), **decorations)
    if re.fullmatch(r"k\d", plain):
        return Operand("mask", 64, number=int(plain[1]))
    if re.fullmatch(r"(0x)?[0-9a-f]+", plain):
        return Operand("imm", 64, value=int(plain, 16))
    memory = re.fullmatch(r"(?:(\w+) (PTR|BCST) )?\[(.*)\]", plain)
    if not memory:
        raise ValueError(f"operand {text}")
    parts, offset = [], 0
    for part in re.findall(r"[+-]?[^+-]+", memory[3]):
        sign, part = (-1 if part[0] == "-" else 1), part.lstrip("+-")
        register = re.fullmatch(r"([a-z]\w*)(?:\*(\d))?", part)
        if register and (register[1] == "rip" or register[1] in NAMES):
            parts.append((register[1], int(register[2] or 1)))
        else:
            offset += sign * int(part, 16)
    size = SIZES.get(memory[1], 0)
    broadcast = memory[2] == "BCST"
    return Operand("mem", 8 * size, parts=parts, offset=offset, broadcast=broadcast, rodata=None, **decorations)


def parse(address, size, text):
    text = text.split("#")[0].strip()
    words = text.split(None, 1)
    while words[0] in ("data16", "cs", "notrack", "rex") and len(words) > 1:
        words = words[1].split(None, 1)
    mnemonic, rest = words[0], words[1] if len(words) > 1 else ""
    if mnemonic == "nop" or text in ("xchg ax,ax", "xchg   ax,ax"):
        return Instruction(address, size, "nop", [], text)
    branch = re.fullmatch(r"([0-9a-f]+) <.*>", rest)
    if branch:
        instruction = Instruction(address, size, mnemonic, [], text)
        instruction.target = int(branch[1], 16)
        return instruction
    operands = [parse_operand(part) for part in re.findall(r"(?:\[[^]]*\]|[^,])+", rest)]
    return Instruction(address, size, mnemonic, operands, text)


class Code:
    """The instructions of one function, and the constants of its object."""

    def __init__(self, path, symbol):
        self.symbol, self.path, self.instructions, self.bytes = symbol, path, {}, b""
        listing = run("objdump", "-d", "-r", "-M", "intel", "-w", "--section", f".text.{symbol}", path)
        last = None
        for line in listing.splitlines():
            code = re.match(r" +([0-9a-f]+):\t((?:[0-9a-f]{2} )+) *\t([^\t]*)", line)
            if code:
                if "(bad)" in code[3]:
                    raise ValueError(f"{symbol}: {line}")
                last = parse(int(code[1], 16), len(code[2].split()), code[3])
                self.bytes += bytes.fromhex(code[2])
                self.instructions[last.address] = last
            relocation = re.search(r"\t([0-9a-f]+): (R_\w+)\s+(\S+)$", line)
            if relocation:
                constant = re.fullmatch(r"\.rodata\.\w+?([+-]0x[0-9a-f]+)?", relocation[3])
                memory = [operand for operand in last.operands if operand.kind == "mem"] if last else []
                if relocation[2] != "R_X86_64_PC32" or not constant or not memory:
                    raise ValueError(f"{symbol}: relocation {line}")
                memory[0].rodata = int(constant[1] or "0", 16) + last.next - int(relocation[1], 16)
        if not self.instructions:
            raise ValueError(f"{path} has no {symbol}")
        constants = re.search(r" (\.rodata\.\w+) .* 2\*\*(\d+)", run("objdump", "-h", "-w", path))
        section = (constants[1], 1 << int(constants[2])) if constants else (".rodata", 1)
        self.rodata_section, self.rodata_alignment = section
        rodata = pathlib.Path(str(path) + ".rodata")
        run("objcopy", "-O", "binary", f"--only-section={self.rodata_section}", path, rodata)
        self.rodata = rodata.read_bytes()


def run(*command, **options):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, **options).stdout


def library():
    """The library as cargo builds it."""
    messages = run("cargo", "build", "--offline", "-q", "-p", "hotloops", "--lib", "--message-format", "json", cwd=ROOT)
    for line in messages.splitlines():
        message = json.loads(line)
        if message.get("reason") == "compiler-artifact" and message["target"]["name"] == "hotloops":
            return next(pathlib.Path(name) for name in message["filenames"] if name.endswith(".rlib"))
    raise ValueError("cargo built no library")


def build():
    """The assembled objects in the archive of the library: {symbol: path}."""
    rlib, folder, found = library(), WORK / "objects", {}
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    run("ar", "x", rlib, cwd=folder)
    for line in run("nm", "-A", *folder.glob("*-*.o")).splitlines():
        symbol = re.fullmatch(r"(.*\.o):[0-9a-f]+ T (hl_\w+)", line)
        if symbol and "rcgu" not in symbol[1]:
            found[symbol[2]] = pathlib.Path(symbol[1])
    return found
