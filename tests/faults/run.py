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

If the old text marks an expression, as in "if «a < b» {", the new text replaces that expression
only, and the fault is a switch: one build holds all switches, and an environment variable chooses
the fault. Without a fault, the same tests must pass. Other faults of Rust cost a build each. The
program `python` is pytest on the Python package, with a file of python/tests and pytest's options.
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
# The number of the fault that is on. The library, which has no std, gets a function that compares it.
VARIABLE = "HOTLOOPS_SEEDED_FAULT"
SWITCH = """
#[doc(hidden)]
#[inline(never)]
pub fn seeded(fault: u32) -> bool {
    use core::sync::atomic::{AtomicU32, Ordering};
    static CHOSEN: AtomicU32 = AtomicU32::new(u32::MAX);
    if CHOSEN.load(Ordering::Relaxed) == u32::MAX {
        let value = unsafe { libc::getenv(c"VARIABLE".as_ptr()) };
        let chosen = if value.is_null() { 0 } else { unsafe { libc::atoi(value) as u32 } };
        CHOSEN.store(chosen, Ordering::Relaxed);
    }
    CHOSEN.load(Ordering::Relaxed) == fault
}
""".replace("VARIABLE", VARIABLE)
PYTHON = "/usr/bin/python3"
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
    @staticmethod
    def command(package, program):
        which = {"lib": ["--lib"], "bin": ["--bins"]}.get(program, ["--test", program])
        return ["cargo", "test", "-p", package, *which]

    def verdict(self, fault, test):
        program, *filters = test
        env, command = {**os.environ, "CARGO_TARGET_DIR": str(TARGET)}, self.command(package(fault), program)
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


class Switches:
    """Many faults in one build."""

    def __init__(self, faults):
        self.faults, self.files, self.passed = faults, {}, {}

    def __enter__(self):
        library = TREE / "src/lib.rs"
        self.files[library] = library.read_text()
        library.write_text(self.files[library] + SWITCH)
        for number, fault in enumerate(self.faults, 1):
            path = TREE / fault["file"]
            text = path.read_text()
            self.files.setdefault(path, text)
            before, old, after = parts(fault)
            is_on = f'std::env::var("{VARIABLE}").is_ok_and(|fault| fault == "{number}")'
            if fault["file"].startswith("src/"):
                is_on = f"crate::seeded({number})"
            switch = f"(if {is_on} {{ {fault['new']} }} else {{ {old} }})"
            path.write_text(text.replace(before + old + after, before + switch + after))
        return self

    def __exit__(self, *_):
        for path, text in self.files.items():
            path.write_text(text)

    def build(self, name):
        """Builds the test programs of a package; returns the output if that fails."""
        programs = sorted({by.split()[0] for fault in self.faults if package(fault) == name for by in tests(fault)})
        env = {**os.environ, "CARGO_TARGET_DIR": str(TARGET)}
        if programs == ["python"]:
            status, output = run(["cargo", "build", "-p", name], limit=4 * LIMIT, env=env)
            if status == 0:
                folder = TARGET / "python/hotloops"
                shutil.rmtree(folder, ignore_errors=True)
                shutil.copytree(TREE / "python/hotloops", folder)
                shutil.copy(TARGET / "debug/lib_hotloops.so", folder / "_hotloops.abi3.so")
        else:
            which = [word for program in programs for word in Cargo.command(name, program)[4:]]
            status, output = run(["cargo", "test", "-p", name, *which, "--no-run"], limit=4 * LIMIT, env=env)
        return None if status == 0 else output

    def run(self, number, name, by):
        program, *filters = by.split()
        env = {**os.environ, "CARGO_TARGET_DIR": str(TARGET), VARIABLE: str(number)}
        if program == "python":
            env |= {"PYTHONPATH": str(TARGET / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
            file, *options = filters
            command = [PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"python/tests/{file}", *options]
            return run(command, limit=LINKED_LIMIT, env=env)
        # A fault may loop without end.
        return run([*Cargo.command(name, program), "--", *filters, "--test-threads=2"], limit=4 * LINKED_LIMIT, env=env)

    def verdict(self, fault, test):
        by, name = " ".join(test), package(fault)
        if (name, by) not in self.passed:
            self.passed[name, by] = self.run(0, name, by)
        status, output = self.passed[name, by]
        if status != 0:
            return None, f"fails without a fault: {reason(output)}"
        return self.run(self.faults.index(fault) + 1, name, by)


def package(fault):
    return fault.get("package", "hotloops")


def tests(fault):
    return fault["by"].split(" | ")


def switched(fault):
    return "«" in fault["old"]


def parts(fault):
    """The old text: before the expression that is replaced, the expression, and after it."""
    before, rest = fault["old"].split("«") if switched(fault) else ("", fault["old"] + "»")
    return before, *rest.split("»")


def seeded(fault):
    path = TREE / fault["file"]
    text = path.read_text()
    before, old, after = parts(fault)
    count = text.count(before + old + after)
    if count != 1:
        sys.exit(f"{fault['name']}: the old text stands {count} times in {fault['file']}")
    return path, text, text.replace(before + old + after, before + fault["new"] + after)


def reason(output):
    """The first line that says why a test failed."""
    for pattern in [r"^.*panicked at .*\n(.*)", r"^(error.*)", r"(SIG[A-Z]+|no end after.*)"]:
        match = re.search(pattern, output, re.M)
        if match:
            return match[1].strip()[:200]
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
    faults.sort(key=lambda fault: (not linked(fault), switched(fault)))
    report = Report(arguments.table)
    for fault in (fault for fault in faults if not switched(fault)):
        path, text, new = seeded(fault)
        path.write_text(new)
        try:
            report.test(fault, Assembly() if linked(fault) else Cargo())
        finally:
            path.write_text(text)
    switches = [fault for fault in faults if switched(fault)]
    if switches:
        with Switches(switches) as seeds:
            for name in dict.fromkeys(package(fault) for fault in switches):
                start, mine = time.monotonic(), [fault for fault in switches if package(fault) == name]
                failure = seeds.build(name)
                print(f"{len(mine)} faults in one build of {name}, {time.monotonic() - start:.0f} s", flush=True)
                if failure is not None:
                    print(failure)
                    report.lived += len(mine)
                    continue
                for fault in mine:
                    report.test(fault, seeds)
    print(f"{len(faults)} faults, {report.lived} not caught")
    sys.exit(report.lived != 0)


class Report:
    def __init__(self, table):
        self.table, self.lived = table, 0

    def test(self, fault, kind):
        """Runs the tests of a fault that is seeded, until one fails."""
        start = time.monotonic()
        for by in tests(fault):
            test = by.split()
            status, output = kind.verdict(fault, test[1:] if linked(fault) else test)
            if status != 0:
                break
        if status is None:
            verdict = "not run: " + output.strip().splitlines()[-1]
        else:
            verdict = f"caught by `{by}`" if status else "**survives**"
        self.lived += status in (0, None)
        row = f"| {fault['name']} | `{fault['file']}` | {verdict} | {time.monotonic() - start:.0f} s |"
        print(row, "" if not status else reason(output), flush=True)
        if self.table:
            with self.table.open("a") as table:
                table.write(row + "\n")


def linked(fault):
    return fault["file"].startswith("asm/") and fault["by"].startswith("variants") and "target" not in fault


if __name__ == "__main__":
    main()
