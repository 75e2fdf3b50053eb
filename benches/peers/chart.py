"""Draws docs/peers.svg from the table `times its speed` in docs/benchmarks.md.

Needs matplotlib. The bars are logarithmic: 1 is the speed of the other program.
"""
import pathlib

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "hotloops"
import matplotlib.pyplot as plt

docs = pathlib.Path(__file__).resolve().parents[2] / "docs"
lines = iter((docs / "benchmarks.md").read_text().splitlines())
for line in lines:
    if "times its speed" in line and line.startswith("|"):
        break
next(lines)
rows = []
for line in lines:
    if not line.startswith("|"):
        break
    work, peer, ratio, _ = (cell.strip() for cell in line.strip("|").split("|"))
    rows.append((f"{work}\nover {peer}", float(ratio)))

labels, ratios = zip(*reversed(rows))
figure, axes = plt.subplots(figsize=(8.5, 0.52 * len(rows) + 0.9))
bars = axes.barh(labels, ratios, color="#2f6f9f", height=0.62)
axes.bar_label(bars, [f" {ratio:.3g}" for ratio in ratios], fontsize=11, fontweight="bold")
axes.set_xscale("log")
axes.set_xlim(1, 200)
axes.set_xticks([1, 2, 5, 10, 20, 50, 100], labels=["1", "2", "5", "10", "20", "50", "100"])
axes.minorticks_off()
axes.set_title("Times the speed of the strongest other program, one core", fontsize=12, loc="left")
axes.spines[["top", "right"]].set_visible(False)
figure.tight_layout()
figure.savefig(docs / "peers.svg", metadata={"Date": None})
