#!/usr/bin/env python3
"""Changes assembly files one place at a time and reports which changes `tests/contract/variants.rs` misses.

    tests/mutation/mutate.py [--sample N] [--seed N] asm/exp/fast_f32_avx2.S ..

A mutant is a file, or a header that it includes, with one change: an instruction is deleted, a
constant is changed by one, a condition is inverted, or a mnemonic is replaced by a similar one. The
mutant is assembled and linked in front of the library's own object. Then the cases of its kernels
run on the variants of its instruction set, which this CPU must have. survivors.md discusses the
survivors.
"""

import argparse
import os
import pathlib
import random
import re
import shlex
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
WORK = TARGET / "mutation"

CONSTANT = re.compile(r"(?<![\w.\\])(0x[0-9a-fA-F]+|0b[01]+|[0-9]+)(?![\w.])")
DATA = re.compile(r"\s*\.(byte|short|word|long|quad|octa)\s")
CONDITIONS = ["e ne", "z nz", "b ae", "c nc", "a be", "l ge", "g le", "s ns"]
# Pairs of similar words, in both directions. The first that occurs in a mnemonic is exchanged.
NEIGHBOURS = [
    "ps$ pd$", "ss$ sd$", "unpckl unpckh", "add sub", "mul add", "fmadd fmsub", "andn and", "and or", "xor or",
    "min max", "sll srl", "shl shr", "srl sra", "cmpeq cmpgt", "inc dec", "movzx movsx",
]
# Both mnemonics compute the same bits.
TYPELESS = re.compile(r"v?(mov|and|or|xor)\w*p[sd]$")


def opposite(mnemonic):
    """The mnemonic with the opposite condition."""
    match = re.fullmatch(r"(j|set|cmov)(\w+)", mnemonic)
    if match:
        for pair in CONDITIONS:
            pair = pair.split()
            if match[2] in pair:
                yield match[1] + pair[1 - pair.index(match[2])]


def neighbours(mnemonic):
    for pair in NEIGHBOURS:
        for old, new in (pair.split(), reversed(pair.split())):
            changed = re.sub(old, new.rstrip("$"), mnemonic, count=1)
            if changed != mnemonic and not (TYPELESS.match(mnemonic) and "$" in old):
                yield changed


def changes(line):
    """All mutants of a line."""
    code, comment = (re.split(r"(?=//)", line, maxsplit=1) + [""])[:2]
    words = code.split(None, 1)
    # Labels, the preprocessor, names of macro arguments, the frame that hl.h gives.
    if not words or words[0].endswith(":") or re.match(r"\s*[#\\A-Z]", code):
        return
    if words[0].startswith("."):
        if not DATA.match(code):
            return
    else:
        yield "// gone: " + code.strip()
        # A statement may be an argument: `twist vpxor \v, \v, x`.
        for match in re.finditer(r"(?<![\w.\\])[a-z]\w+", code):
            for new in (*opposite(match[0]), *neighbours(match[0])):
                yield code[: match.start()] + new + code[match.end() :] + comment
    for match in CONSTANT.finditer(code):
        for step in (1, -1):
            yield code[: match.start()] + str(int(match[0], 0) + step) + code[match.end() :] + comment


def sources(path):
    """The file and the headers that it includes, except the common prelude."""
    found = [path]
    for file in found:
        for name in re.findall(r'^#include "(.*)"', file.read_text(), re.M):
            if name != "hl.h" and path.parent / name not in found:
                found.append(path.parent / name)
    return found


def link_command(program="contract"):
    """The command by which rustc links a test program, which is built once."""
    arguments = WORK / f"link-args-{program}"
    subprocess.run(
        ["cargo", "rustc", "--quiet", "--test", program, "--",
         "-C", "save-temps", f"--print=link-args={arguments}"],
        cwd=ROOT, check=True, env={**os.environ, "CARGO_TARGET_DIR": str(TARGET)},
    )  # fmt: skip
    words = shlex.split(arguments.read_text())
    return words[next(i for i, word in enumerate(words) if "=" not in word) :]


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options).returncode


class File:
    def __init__(self, path, link):
        self.path, self.link = path.resolve(), link
        self.family, self.isa = self.path.parent.name, self.path.stem.rsplit("_", 1)[1]
        symbols = re.findall(r"^FUNC\((\w+)\)", self.path.read_text(), re.M)
        names = (symbol.removeprefix(f"hl_{self.family}_").removesuffix(f"_{self.isa}") for symbol in symbols)
        self.tests = [f"variants::{self.family}::{name}" for name in names]
        self.copy = WORK / "asm" / self.family
        shutil.rmtree(WORK / "asm", ignore_errors=True)
        shutil.copytree(self.path.parent, self.copy)
        shutil.copy(ROOT / "asm" / "hl.h", self.copy.parent)
        self.object, self.program = WORK / "mutant.o", WORK / "mutant"
        self.limit = self.original = None
        assert self.built()
        self.original = self.object.read_bytes()
        start = time.monotonic()
        assert self.survives(), "the file as it is does not pass"
        self.limit = 10 * (time.monotonic() - start) + 2

    def built(self):
        """Whether the mutant assembles and differs from the original's code."""
        if run(["cc", "-c", f"-I{self.copy.parent}", self.copy / self.path.name, "-o", self.object]) != 0:
            return False
        output = self.link.index("-o") + 1
        command = [self.link[0], self.object, *self.link[1:output], self.program, *self.link[output + 1 :]]
        return self.object.read_bytes() != self.original and run(command, cwd=ROOT) == 0

    def survives(self):
        """Whether the cases pass. A mutant that does not terminate is killed."""
        command = [self.program, "--exact", *self.tests, "--test-threads=1"]
        try:
            return run(command, timeout=self.limit, env={**os.environ, "HOTLOOPS_TEST_ISA": self.isa}) == 0
        except subprocess.TimeoutExpired:
            return False

    def mutants(self):
        for source in sources(self.path):
            lines = source.read_text().splitlines()
            for number, line in enumerate(lines):
                for new in dict.fromkeys(changes(line)):
                    yield source, lines, number, new

    def verdict(self, source, lines, number, new):
        copy = self.copy / source.name
        copy.write_text("\n".join([*lines[:number], new, *lines[number + 1 :], ""]))
        try:
            if not self.built():
                return "not code"
            return "survived" if self.survives() else "killed"
        finally:
            copy.write_text("\n".join([*lines, ""]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sample", type=int, help="so many mutants of each file, all if left out")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    link = link_command()
    for path in arguments.files:
        kernel = File(path, link)
        mutants = list(kernel.mutants())
        random.Random(arguments.seed).shuffle(mutants)
        counts = {"killed": 0, "survived": 0, "not code": 0}
        start = time.monotonic()
        for mutant in mutants:
            if counts["killed"] + counts["survived"] == arguments.sample:
                break
            verdict = kernel.verdict(*mutant)
            counts[verdict] += 1
            if verdict == "survived":
                source, lines, number, new = mutant
                print(f"  {source.relative_to(ROOT)}:{number + 1}: {lines[number].strip()} -> {new.strip()}")
        print(f"{path}: {counts['killed']} killed, {counts['survived']} survived, of {len(mutants)} mutants, "
              f"in {time.monotonic() - start:.0f} s", flush=True)  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
