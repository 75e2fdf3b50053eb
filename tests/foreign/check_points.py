"""Files of points made by ase and shipped with MDAnalysis: `hotloops correlation` counts their pairs as numpy does, or
refuses a file by name."""

import bz2
import os
import re
import subprocess
import tempfile
from pathlib import Path

import ase
import ase.io
import MDAnalysis
import numpy as np
from MDAnalysisTests import datafiles

folder = Path(tempfile.mkdtemp())
command = os.environ["HOTLOOPS"]
rng = np.random.default_rng(7)


def g6(path, *words):
    return subprocess.run([command, "correlation", path, "--rdf", *words], capture_output=True, text=True)


def brute(points, box, edges):
    """Numbers of pairs in bins, and of those too near an edge to be sure."""
    counts, unsure = np.zeros(len(edges) - 1, int), 0
    for i in range(1, len(points)):
        delta = points[:i] - points[i]
        if box is not None:
            delta -= np.round(delta / box) * box
        r = np.hypot(delta[:, 0], delta[:, 1])
        counts += np.histogram(r, edges)[0]
        unsure += (np.abs(r[:, None] - edges) < 2**-16 * edges[-1]).sum()
    return counts, unsure


def compare(name, found, points, box, edges):
    assert found.returncode == 0, (name, found.stderr)
    counted = np.array([int(line.split(",")[2]) for line in found.stdout.splitlines()[1:]])
    expected, unsure = brute(points, box, edges)
    assert np.abs(counted - expected).sum() <= 2 * unsure, (name, counted, expected)


def words(edges):
    return "--bins", f"0:{edges[-1]}:{edges[1]}"


def variants():
    """Atoms with their options for ase."""
    for periodic in (True, False, [True, True, False], [False, False, True]):
        for cell in ([20, 16, 5], [20, 16, 0.5]):
            for n in (1, 40):
                points = rng.random((n + 2, 3)) * (20, 16, 5)
                atoms = ase.Atoms(f"CuNaH{n}", points, pbc=periodic, cell=cell)
                atoms.set_array("tag_2", np.arange(len(atoms)), int)
                atoms.set_array("spin", rng.random((len(atoms), 3)), float)
                atoms.set_array("fixed", rng.random(len(atoms)) < 0.5, bool)
                atoms.info = {"energy": -1.5, "note": 'a "quoted" word=2', "table": np.eye(3), "ok": True}
                atoms.info["steps"] = [1, 2]
                yield atoms


def permuted(text):
    """The same file with its columns in another order: ase writes species and positions first."""
    count, comment, *rows = text.splitlines()
    properties = re.search(r"Properties=(\S+)", comment).group(1)
    parts = properties.split(":")
    columns, start = [], 0
    for name, kind, width in zip(parts[::3], parts[1::3], parts[2::3]):
        columns.append((f"{name}:{kind}:{width}", slice(start, start + int(width))))
        start += int(width)
    order = rng.permutation(len(columns))
    new = ":".join(columns[k][0] for k in order)
    rows = [" ".join(" ".join(row.split()[columns[k][1]]) for k in order) for row in rows]
    return "\n".join([count, comment.replace(properties, new), *rows]) + "\n"


checked = 0
edges = np.arange(0, 8.5, 1.0)
for atoms in variants():
    path = folder / "atoms.xyz"
    box = np.array([20.0, 16.0]) if atoms.pbc[:2].all() else None
    columns = ["symbols", "positions", "spin", "tag_2", "fixed"]
    ase.io.write(path, atoms, format="extxyz", columns=columns, write_results=False)
    text = path.read_text()
    compare(text[:300], g6(path, *words(edges)), atoms.positions[:, :2], box, edges)
    for _ in range(4):
        path.write_text(permuted(text))
        compare(path.read_text()[:300], g6(path, *words(edges)), atoms.positions[:, :2], box, edges)
        checked += 1
    checked += 1
    ase.io.write(path, atoms, format="xyz")
    compare("xyz", g6(path, *words(edges)), atoms.positions[:, :2], None, edges)
    checked += 1

# A film, a tilted cell, and one that is periodic along one axis.
film = [ase.Atoms("H30", rng.random((30, 3)) * 20, pbc=True, cell=[20, 20, 20]) for _ in range(5)]
path = folder / "film.xyz"
ase.io.write(path, film, format="extxyz")
for frame, atoms in enumerate(film):
    said = g6(path, *words(edges), "--frame", str(frame))
    compare("film", said, atoms.positions[:, :2], np.array([20.0, 20.0]), edges)
    checked += 1
for why, cell, periodic in [
    ("no rectangular box", [[20, 0, 0], [10, 17, 0], [0, 0, 20]], True),
    ("periodic along one axis only", [20, 20, 20], [True, False, False]),
]:
    ase.io.write(path, ase.Atoms("H30", rng.random((30, 3)), pbc=periodic, cell=cell), format="extxyz")
    found = g6(path, *words(edges))
    assert found.returncode == 3 and why in found.stderr, found.stderr
    checked += 1
print(f"ase: {checked} files")

read, refused = [], []
for source in sorted(Path(datafiles.__file__).parent.glob("data/lammps/*")):
    if not any(part in source.name for part in ("lammpstrj", ".dump")):
        continue
    path = source
    if source.suffix == ".bz2":
        path = folder / source.name.removesuffix(".bz2")
        path.write_bytes(bz2.decompress(source.read_bytes()))
    found = g6(path, "--bins", "0:1:1", "--frames")
    if found.returncode != 0:
        assert found.returncode == 3 and path.name in found.stderr, (path.name, found.stderr)
        refused.append(f"{source.name}: {found.stderr.strip().split(path.name)[-1]}")
        continue
    universe = MDAnalysis.Universe(path, format="LAMMPSDUMP")
    first = universe.trajectory[0]
    half = first.dimensions[:2].min() / 2
    edges = np.arange(5) * float(f"{half / 4.5:.3g}")
    numbers = [int(line.split(",")[0]) for line in found.stdout.splitlines()[1:]]
    assert len(numbers) == len(universe.trajectory), (path.name, numbers)
    for index, frame in enumerate(universe.trajectory):
        step = numbers[index]
        nth = numbers[: index + 1].count(step)
        some = g6(path, *words(edges), "--frame", f"{step}:{nth}")
        # MDAnalysis keeps positions in f32, relative to the origin of the box.
        points = frame.positions[:3000, :2].astype(float)
        if len(frame.positions) > 3000:
            continue
        box = frame.dimensions[:2].astype(float)
        assert some.returncode == 0, some.stderr
        counted = np.array([int(line.split(",")[2]) for line in some.stdout.splitlines()[1:]])
        # MDAnalysis takes every box for periodic.
        is_periodic = "BOX BOUNDS pp pp" in path.read_text()[:1000]
        expected, unsure = brute(points, box if is_periodic else None, edges)
        assert np.abs(counted - expected).sum() <= 2 * unsure, (path.name, counted, expected)
    read.append(f"{source.name} ({len(numbers)} frames)")
print("MDAnalysis read:", ", ".join(read))
print("refused by name:", *refused, sep="\n  ")
assert len(read) >= 5
