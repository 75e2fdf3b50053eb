"""Errors of `hotloops correlation` against the scatter over 40 samples: of eta by --fit, from one frame and from 12
(120 samples), and of g by --rdf in an open plane. In units of them, deviations have a standard deviation of 1."""

import os
import re
import subprocess
import tempfile
from pathlib import Path

import numpy as np

path = Path(tempfile.mkdtemp()) / "points.csv"
SAMPLES, SIDE, ETA = 40, 128.0, 0.244


def g6(columns, rows, *words):
    path.write_text(columns + "\n" + "".join(",".join(map(repr, row)) + "\n" for row in rows))
    command = [os.environ["HOTLOOPS"], "correlation", path, *words]
    return subprocess.run(command, capture_output=True, text=True, check=True)


def field(rng, points):
    """Points with the angles of a Gaussian field whose six-fold correlations decay as r^-ETA."""
    at = rng.random((points, 2)) * SIDE
    k = 2 * np.pi / SIDE * np.array([(i, j) for i in range(21) for j in range(-20, 21) if i > 0 or j > 0])
    sizes = np.sqrt(2 * (2 * np.pi * ETA / 36) / (k**2).sum(1)) / SIDE
    phases = at @ k.T
    even, odd = (sizes * rng.standard_normal(len(k)) for _ in range(2))
    theta = np.cos(phases) @ even + np.sin(phases) @ odd
    return np.c_[at, theta]


def deviations(frames, points, samples=SAMPLES):
    rng = np.random.default_rng(frames)
    found = []
    for _ in range(samples):
        rows = [[frame, *row] for frame in range(frames) for row in field(rng, points).tolist()]
        words = ("--average", "--bins", "0:12:1", "--box", f"{SIDE},{SIDE}", "--fit", "2:10")
        said = g6("frame,x,y,theta", rows, *words).stderr
        found.append([float(word) for word in re.search(r"eta6 = (\S+) \+- (\S+)", said).groups()])
    eta, error = np.array(found).T
    z = (eta - eta.mean()) / error
    spread = z.std(ddof=1)
    scatter = f"scatter {eta.std(ddof=1):.4f}, error {error.mean():.4f}"
    print(f"{frames} frames: eta {eta.mean():.4f}, {scatter}, std of z {spread:.3f}")
    return spread


def gas(points, frames):
    rng = np.random.default_rng(points)
    z = []
    for _ in range(SAMPLES):
        rows = [[i // points, *row] for i, row in enumerate((rng.random((points * frames, 2)) * (30, 20)).tolist())]
        lines = g6("frame,x,y", rows, "--rdf", "--average", "--bins", "0:10:2").stdout.splitlines()[1:]
        z.append([(float(g) - 1) / float(error) for g, error in (line.split(",")[3:] for line in lines)])
    z = np.array(z)
    print(f"ideal gas of {points} points: mean of z {z.mean():.3f}, std of z {z.std():.3f}")
    return z.std()


measured = [deviations(1, 4000), deviations(12, 300, 120), gas(20, 100), gas(50, 60), gas(200, 40)]
assert all(0.85 <= size <= 1.15 for size in measured), measured
