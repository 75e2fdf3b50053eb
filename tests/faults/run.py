#!/usr/bin/env python3
"""Seeds faults into a copy of the tree, one at a time, and reports which tests catch them.

    tests/faults/run.py [--check] [--table FILE] [NAME ..]

faults.toml has one table per fault: a file, the old text, the new text, and the test program that
must fail, with a filter. The old text must occur in the file exactly once; if the code changes, the
fault must be updated. NAMEs select faults by part of their names. --check only looks for the old
texts. The script needs Python 3.11 and no packages. It is not a cargo test, because a cargo test
that calls cargo would wait for its own lock.

The copy and its builds are under target/faults, apart from every other build. A fault in an
assembly file costs one assembly: its object is linked in front of the library's own, as in
tests/mutation/mutate.py. Cargo builds other files.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "mutation"))
import mutate  # noqa: E402

WORK = ROOT / "target/faults"
TREE, TARGET = WORK / "tree", WORK / "target"
# Time limits in seconds: of a linked program, and of a cargo command including its build.
LINKED_LIMIT, LIMIT = 90, 900


def copy_tree():
    """Copies exactly the files that git does not ignore. Unchanged files keep their time stamps."""
    names = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True
    ).stdout.decode().split("\0")  # fmt: skip
    wanted = {name for name in names if name and (ROOT / name).is_file()}
    for name in wanted:
        source, copy = ROOT / name, TREE / name
        if not copy.exists() or copy.read_bytes() != source.read_bytes():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy)
            shutil.copymode(source, copy)
    for path in TREE.rglob("*"):
        if path.is_file() and str(path.relative_to(TREE)) not in wanted:
            path.unlink()


def run(command, limit=LIMIT, **options):
    """Returns the exit status and the output. A program that exceeds the limit has failed."""
    try:
        done = subprocess.run(command, cwd=TREE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=limit, **options)
        return done.returncode, done.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired:
        return 1, f"no end after {limit} s"


class Assembly:
    """The test program of the variants, linked with one object of the copy in front."""

    link = None

    def verdict(self, fault, test):
        if Assembly.link is None:
            mutate.ROOT, mutate.WORK, mutate.TARGET = TREE, WORK, TARGET
            Assembly.link = mutate.link_command()
        source = TREE / fault.get("object", fault["file"])
        isa = source.stem.rsplit("_", 1)[1]
        object_, program = mutate.WORK / "fault.o", mutate.WORK / "fault"
        status, output = run(["cc", "-c", f"-I{TREE}/asm", source, "-o", object_])
        if status == 0:
            at = self.link.index("-o") + 1
            command = [self.link[0], object_, *self.link[1:at], program, *self.link[at + 1 :]]
            status, output = run(command)
        if status != 0:
            return None, output
        status, output = run([program, *test, "--test-threads=1"], LINKED_LIMIT, env={**os.environ, "HOTLOOPS_TEST_ISA": isa})
        return (None if "this CPU lacks" in output else status), output


class Cargo:
    def verdict(self, fault, test):
        program, *filters = test
        package = ["-p", fault.get("package", "hotloops")]
        which = [*package, *{"lib": ["--lib"], "bin": ["--bins"]}.get(program, ["--test", program])]
        env, command = {**os.environ, "CARGO_TARGET_DIR": str(TARGET)}, ["cargo", "test", *which]
        if "target" in fault:
            arch = fault["target"]
            words = f"CARGO_TARGET_{arch.upper().replace('-', '_')}"
            env |= {
                "RUSTC": "/usr/bin/rustc",
                "CARGO_TARGET_DIR": str(TARGET / "aarch64"),
                f"{words}_LINKER": "aarch64-linux-gnu-gcc",
                f"{words}_RUNNER": "qemu-aarch64",
            }
            command += ["--target", arch]
        if "compiler" not in fault:
            status, output = run([*command, "--no-run"], env=env)
            if status != 0:
                return None, output
        return run([*command, "--", *filters, "--test-threads=2"], env=env)


def seeded(fault):
    path = TREE / fault["file"]
    text = path.read_text()
    count = text.count(fault["old"])
    if count != 1:
        sys.exit(f"{fault['name']}: the old text stands {count} times in {fault['file']}")
    return path, text, text.replace(fault["old"], fault["new"])


def reason(output):
    """The first line that says why a test failed."""
    for pattern in [r"^.*panicked at .*\n(.*)", r"^(error.*)", r"(SIG[A-Z]+|no end after.*)"]:
        match = re.search(pattern, output, re.M)
        if match:
            return match[1].strip()
    return "ended by a signal"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="only look for the old texts")
    parser.add_argument("--table", type=pathlib.Path, help="append the rows of the table to this file")
    parser.add_argument("names", nargs="*", help="parts of names")
    arguments = parser.parse_args()
    faults = tomllib.loads((HERE / "faults.toml").read_text())["fault"]
    faults = [fault for fault in faults if not arguments.names or any(name in fault["name"] for name in arguments.names)]
    copy_tree()
    for fault in faults:
        seeded(fault)
    if arguments.check:
        return print(f"{len(faults)} faults can be seeded")
    # Linked faults need the unchanged library, so they come first.
    faults.sort(key=lambda fault: not linked(fault))
    lived = 0
    for fault in faults:
        path, text, new = seeded(fault)
        start = time.monotonic()
        path.write_text(new)
        try:
            for by in fault["by"].split(" | "):
                test = by.split()
                kind = Assembly() if linked(fault) else Cargo()
                status, output = kind.verdict(fault, test[1:] if linked(fault) else test)
                if status != 0:
                    break
        finally:
            path.write_text(text)
        if status is None:
            verdict = "not run: " + output.strip().splitlines()[-1]
        else:
            verdict = f"caught by `{by}`" if status else "**survives**"
        lived += status in (0, None)
        row = f"| {fault['name']} | `{fault['file']}` | {verdict} | {time.monotonic() - start:.0f} s |"
        print(row, "" if not status else reason(output), flush=True)
        if arguments.table:
            with arguments.table.open("a") as table:
                table.write(row + "\n")
    print(f"{len(faults)} faults, {lived} not caught")
    sys.exit(lived != 0)


def linked(fault):
    return fault["file"].startswith("asm/") and fault["by"].startswith("variants") and "target" not in fault


if __name__ == "__main__":
    main()
