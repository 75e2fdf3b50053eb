#!/usr/bin/env python3
"""Seeds faults into a copy of the tree, one at a time, and reports which tests catch them.

    tests/faults/run.py [--check] [--patience N] [--table FILE] [NAME ..]

faults.toml has one table per fault: a file, the old text, the new text, and the test program that
must fail, with a filter. The old text must occur in the file exactly once, and the filter must name a
test; if the code changes, the fault must be updated. NAMEs select faults by part of their names.
--check only looks for the old texts and the tests. The script needs Python 3.11 and no packages. It is
not a cargo test, because a cargo test that calls cargo would wait for its own lock.

The copy and its builds are under target/faults, apart from every other build. A fault in an
assembly file costs one assembly: its object is linked in front of the library's own, as in
tests/mutation/mutate.py. Cargo builds other files.

If the old text marks an expression, as in "if «a < b» {", the new text replaces that expression
only, and the fault is a switch: one build holds all switches, and an environment variable chooses
the fault. Without a fault, the same tests must pass. Other faults of Rust cost a build each, unless
the test reads the file when it runs (`reads = true`). The program `python` is pytest on the Python
package, with a file of python/tests and pytest's options; a fault of a Python file costs no build.

--patience multiplies all time limits, for a machine that is busy.
"""

import argparse
import contextlib
import fcntl
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "mutation"))
import mutate  # noqa: E402
import names  # noqa: E402

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
# Time limits in seconds: of a test, and of a cargo command including its build.
TEST_LIMIT, LIMIT = 90, 900
PATIENCE = 1.0


def copy_tree():
    """Copies exactly the files that git does not ignore. Unchanged files keep their time stamps."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout.decode().split("\0")
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
    limit *= PATIENCE
    # A faulty program may leave children, which hold the output and the processor.
    started = subprocess.Popen(
        command, cwd=TREE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True, **options
    )  # fmt: skip
    try:
        output, _ = started.communicate(timeout=limit)
        return started.returncode, output.decode(errors="replace")
    except subprocess.TimeoutExpired:
        return 1, f"no end after {limit:.0f} s"
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(started.pid, signal.SIGKILL)
        started.wait()


class Assembly:
    """A test program, linked with one object of the copy in front."""

    # The commands that link them, and the time that their tests take without a fault.
    links, times = {}, {}

    @classmethod
    def build(cls, faults):
        """Builds the test programs before a fault is seeded: their library has none."""
        mutate.ROOT, mutate.WORK, mutate.TARGET = TREE, WORK, TARGET
        for name in {fault["by"].split()[0] for fault in faults}:
            cls.links[name] = mutate.link_command(name)
            cls.linked(name, WORK / f"whole-{name}")

    @classmethod
    def linked(cls, name, program, *objects):
        """Links a test program."""
        link = cls.links[name]
        at = link.index("-o") + 1
        return run([link[0], *objects, *link[1:at], program, *link[at + 1 :]])

    @classmethod
    def passing(cls, name, test, isa):
        """The time that a test takes without a fault, None if it fails."""
        program, key = WORK / f"whole-{name}", (name, *test, isa)
        if key not in cls.times:
            start = time.monotonic()
            status, _ = cls.tested(program, test, isa, LIMIT)
            cls.times[key] = None if status else time.monotonic() - start
        return cls.times[key]

    @staticmethod
    def tested(program, test, isa, limit):
        return run([program, *test, "--test-threads=1"], limit, env={**os.environ, "HOTLOOPS_TEST_ISA": isa})

    def verdict(self, fault, test):
        name = fault["by"].split()[0]
        source = TREE / fault.get("object", fault["file"])
        isa = source.stem.rsplit("_", 1)[1]
        object_, program = WORK / "fault.o", WORK / "fault"
        status, output = run(["cc", "-c", f"-I{TREE}/asm", source, "-o", object_])
        if status == 0:
            status, output = self.linked(name, program, object_)
        if status != 0:
            return None, output
        passing = self.passing(name, test, isa)
        if passing is None:
            return None, "fails without a fault"
        # A fault may loop without end.
        status, output = self.tested(program, test, isa, 20 + 10 * passing)
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


class Reads:
    """The test program of the copy without a fault, which reads the faulty file when it runs."""

    programs = {}

    @classmethod
    def build(cls, faults):
        for name, program in dict.fromkeys((package(fault), by.split()[0]) for fault in faults for by in tests(fault)):
            command = [*Cargo.command(name, program), "--no-run", "--message-format=json"]
            _, output = run(command, env={**os.environ, "CARGO_TARGET_DIR": str(TARGET)})
            found = re.findall(r'"executable":"([^"]+)"', output)
            cls.programs[name, program] = found[-1] if found else None

    def verdict(self, fault, test):
        program, *filters = test
        executable = self.programs[package(fault), program]
        return run([executable, *filters]) if executable else (None, f"{program} cannot be built")


class Package:
    """pytest on the Python package of the copy."""

    # Tests that fail without a fault.
    failing = set()

    @staticmethod
    def install():
        """Builds the package; returns the output if that fails."""
        env = {**os.environ, "CARGO_TARGET_DIR": str(TARGET)}
        status, output = run(["cargo", "build", "-p", "hotloops-python"], 4 * LIMIT, env=env)
        Package.copy()
        return None if status == 0 else output

    @staticmethod
    def copy():
        folder = TARGET / "python/hotloops"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(TREE / "python/hotloops", folder)
        shutil.copy(TARGET / "debug/lib_hotloops.so", folder / "_hotloops.abi3.so")

    @staticmethod
    def pytest(filters, number=0):
        file, *options = filters
        command = [PYTHON, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", f"python/tests/{file}", *options]
        paths = {"PYTHONPATH": str(TARGET / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
        return run(command, 2 * TEST_LIMIT, env={**os.environ, **paths, VARIABLE: str(number)})

    @classmethod
    def build(cls, faults):
        if faults and (failure := cls.install()) is not None:
            sys.exit(failure)
        all_tests = {by for fault in faults for by in tests(fault)}
        cls.failing = {by for by in all_tests if cls.pytest(by.split()[1:])[0] != 0}

    def verdict(self, _, test):
        if " ".join(test) in self.failing:
            return None, "fails without a fault"
        self.copy()
        return self.pytest(test[1:])


class Switches:
    """The faults of a package in one build."""

    def __init__(self, name, faults):
        self.name, self.faults, self.files, self.passed = name, faults, {}, {}

    def __enter__(self):
        library = TREE / "src/lib.rs"
        # Without a fault of its own the library stays as it is built.
        if any(fault["file"].startswith("src/") for fault in self.faults):
            self.files[library] = library.read_text()
            library.write_text(self.files[library] + SWITCH)
        for number, fault in enumerate(self.faults, 1):
            path = TREE / fault["file"]
            text = path.read_text()
            self.files.setdefault(path, text)
            before, old, after = parts(fault)
            if text.count(before + old + after) != 1:
                sys.exit(f"{fault['name']}: another switch stands in the same expression")
            is_on = f'std::env::var("{VARIABLE}").is_ok_and(|fault| fault == "{number}")'
            if fault["file"].startswith("src/"):
                is_on = f"crate::seeded({number})"
            switch = f"(if {is_on} {{ {fault['new']} }} else {{ {old} }})"
            path.write_text(text.replace(before + old + after, before + switch + after))
        return self

    def __exit__(self, *_):
        for path, text in self.files.items():
            path.write_text(text)

    def build(self):
        """Builds the test programs; returns the output if that fails."""
        programs = sorted({by.split()[0] for fault in self.faults for by in tests(fault)})
        if programs == ["python"]:
            return Package.install()
        which = [word for program in programs for word in Cargo.command(self.name, program)[4:]]
        command = ["cargo", "test", "-p", self.name, *which, "--no-run"]
        status, output = run(command, 4 * LIMIT, env={**os.environ, "CARGO_TARGET_DIR": str(TARGET)})
        return None if status == 0 else output

    def run(self, number, by):
        program, *filters = by.split()
        if program == "python":
            return Package.pytest(filters, number)
        env = {**os.environ, "CARGO_TARGET_DIR": str(TARGET), VARIABLE: str(number)}
        # A fault may loop without end.
        command = [*Cargo.command(self.name, program), "--", *filters, "--test-threads=2"]
        return run(command, 4 * TEST_LIMIT, env=env)

    def verdict(self, fault, test):
        by = " ".join(test)
        if by not in self.passed:
            self.passed[by] = self.run(0, by)
        status, output = self.passed[by]
        if status != 0:
            return None, f"fails without a fault: {reason(output)}"
        return self.run(self.faults.index(fault) + 1, by)


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
    for pattern in [r"^.*panicked at .*\n(.*)", r"^(error.*)", r"^E +(.*)", r"(SIG[A-Z]+|no end after.*)"]:
        match = re.search(pattern, output, re.M)
        if match:
            return match[1].strip()[:200]
    return "ended by a signal"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="only look for the old texts")
    parser.add_argument("--patience", type=float, default=1.0, metavar="N", help="multiply the time limits by N")
    parser.add_argument("--table", type=pathlib.Path, help="append the rows of the table to this file")
    parser.add_argument("names", nargs="*", help="parts of names")
    arguments = parser.parse_args()
    global PATIENCE
    PATIENCE = arguments.patience
    faults = tomllib.loads((HERE / "faults.toml").read_text())["fault"]
    parts = arguments.names
    faults = [fault for fault in faults if not parts or any(part in fault["name"] for part in parts)]
    # Another run, also with --check, would take the faults out of the copy.
    WORK.mkdir(parents=True, exist_ok=True)
    lock = (WORK / "lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.exit(f"another run uses {WORK}")
    copy_tree()
    for fault in faults:
        seeded(fault)
    for fault in faults:
        if lost := names.unnamed(ROOT, package(fault), tests(fault)):
            sys.exit(f"{fault['name']}: no test is called {lost[0]}")
    if arguments.check:
        return print(f"{len(faults)} faults can be seeded")
    # Linked faults need the library as it is, and so do the faults of other packages; the copy's own come last.
    report = Report(arguments.table)
    assembly = [fault for fault in faults if linked(fault)]
    Assembly.build(assembly)
    report.alone(assembly, Assembly)
    reads = [fault for fault in faults if "reads" in fault]
    Reads.build(reads)
    report.alone(reads, Reads)
    scripts = [fault for fault in faults if fault["file"].endswith(".py")]
    Package.build(scripts)
    report.alone(scripts, Package)
    switches = [fault for fault in faults if switched(fault)]
    builds = [fault for fault in faults if not switched(fault) and fault not in scripts + reads and not linked(fault)]
    for name in sorted({package(fault) for fault in switches + builds}, key=lambda name: (name == "hotloops", name)):
        report.together(name, [fault for fault in switches if package(fault) == name])
        report.alone([fault for fault in builds if package(fault) == name], Cargo)
    print(f"{len(faults)} faults, {report.lived} not caught")
    sys.exit(report.lived != 0)


class Report:
    def __init__(self, table):
        self.table, self.lived = table, 0

    def alone(self, faults, kind):
        """Seeds one fault at a time."""
        for fault in faults:
            path, text, new = seeded(fault)
            path.write_text(new)
            try:
                self.test(fault, kind())
            finally:
                path.write_text(text)

    def together(self, name, faults):
        """Chooses one fault at a time in a build that has all."""
        if not faults:
            return
        with Switches(name, faults) as seeds:
            start, failure = time.monotonic(), seeds.build()
            print(f"{len(faults)} faults in one build of {name}, {time.monotonic() - start:.0f} s", flush=True)
            if failure is not None:
                print(failure)
                self.lived += len(faults)
                return
            for fault in faults:
                self.test(fault, seeds)

    def test(self, fault, kind):
        """Runs the tests of a fault that is seeded, until one fails."""
        start = time.monotonic()
        for by in tests(fault):
            test = by.split()
            status, output = kind.verdict(fault, test[1:] if linked(fault) else test)
            if status != 0:
                break
        if status == 0 and not re.search(r"^running [1-9]|^\d+ passed| \d+ passed", output, re.M):
            status, output = None, "no test has this name"
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
    program = fault["by"].split()[0]
    return fault["file"].startswith("asm/") and program == "contract" and "target" not in fault


if __name__ == "__main__":
    main()
