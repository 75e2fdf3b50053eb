"""Proves the kernels; see README.md. Prints one line for each and exits with 1 if anything is not proved."""

import multiprocessing
import sys
import time

import cpu
import faults
import kernels
import objects
import reference
from machine import Fault


def attempt(kernel, code):
    """None, or the reason why the proof fails."""
    try:
        kernel.prove(code)
    except Fault as fault:
        return str(fault)
    return None


def work(task):
    kernel, isa, path, with_faults = task
    kernel, start = kernels.KERNELS[kernel], time.process_time()
    code = objects.Code(path, kernel.symbol(isa))
    rows = []
    if not with_faults:
        rows.append((attempt(kernel, code) or "proved", time.process_time() - start))
        forms = {form.text for form in map(cpu.shape, code.instructions.values()) if form}
        return kernel.family, kernel.name, isa, rows, forms
    for kind, section, offset, new in faults.changes(code, kernel.family):
        start = time.process_time()
        found = attempt(kernel, faults.faulty(code, section, offset, new))
        rows.append((kind, found or "SURVIVES", time.process_time() - start))
    return kernel.family, kernel.name, isa, rows, ()


def main(arguments):
    with_faults = "--faults" in arguments
    words = [word for word in arguments if not word.startswith("--")]
    built = objects.build()
    tasks = [(k, isa, built[kernel.symbol(isa)], with_faults) for k, kernel in enumerate(kernels.KERNELS)
             for isa in kernel.isas if all(word in f"{kernel.family}/{kernel.name}_{isa}" for word in words)]
    if not tasks:
        print("no proof has such a name")
    good, forms = bool(tasks), set()
    with multiprocessing.Pool(2, maxtasksperchild=1) as pool:
        for family, name, isa, rows, used in pool.imap(work, tasks, chunksize=1):
            forms |= set(used)
            for row in rows:
                *kind, outcome, seconds = row
                refuted = outcome not in ("SURVIVES", "proved") and not outcome.startswith("no semantics")
                good &= refuted if with_faults else outcome == "proved"
                label = f"{kind[0]:9} refuted: " if kind and refuted else f"{kind[0]:9} " if kind else ""
                print(f"{family + '/' + name:22} {isa:10} {seconds:6.1f} s of CPU  {label}{outcome}", flush=True)
    if with_faults:
        return good
    parsed = {text: objects.parse(0, 0, text) for text in forms}
    cases, start = 200, time.process_time()
    differing = {text: why for text, why in cpu.check(parsed, cases, 1).items() if why}
    for text, why in differing.items():
        print(f"{text}: {why}")
    print(f"{len(parsed)} instruction forms, {cases} cases each, against this CPU: {len(differing)} differ "
          f"({time.process_time() - start:.0f} s)")
    unequal = cpu.functions(cases, 1)
    print(f"functions of terms.py by z3: {len(unequal)} differ")
    wrong = reference.check()
    for line in wrong:
        print(line)
    print(f"references and lemmas: {len(wrong)} differ")
    return good and not differing and not unequal and not wrong


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)
