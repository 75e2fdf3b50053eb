"""The Markdown of a record of `run.py`."""

import textwrap

LITERATURE = {
    "2D +-J": (-1.4015, "-1.4015(8), infinite lattice: De Simone, Diehl, Jünger, Mutzel, Reinelt, Rinaldi, "
                        "J. Stat. Phys. 84, 1363 (1996)"),
    "2D Gauss": (-1.317, "-1.317, infinite lattice: Diehl and others, MPI-I-95-1-004 (1995)"),
    "3D +-J": (-1.787, "about -1.787, infinite lattice: values compared by Romá and others, "
                       "Physica A 388, 2821 (2009)"),
    "3D Gauss": (-1.700, "about -1.700, infinite lattice: the same"),
    "SK": (-0.7632, "-0.7632 sqrt(n), infinite n (Parisi); finite n are higher by about 0.70 n^(-2/3) sqrt(n): "
                    "Boettcher, Eur. Phys. J. B 46, 501 (2005)"),
}
# Wall time over CPU time from which a run says little.
OVERLOAD = 1.5
CUTS = {"G1": 11624, "G14": 3064, "G22": 13359, "G43": 6660}
CUT_SOURCE = ("best known cuts of G1, G14, G22 and G43: Benlic and Hao, Eng. Appl. Artif. Intell. 26, 1162 (2013), "
              "and later work")
# Columns of the page.
WIDTH = 120


def value(row, energy):
    """A cut, or the energy."""
    if row["is_graph"]:
        return f"{(-row['total'] - energy) / 2:.0f}"
    return f"{energy:.0f}" if energy == round(energy) else f"{energy:.2f}"


def cell(row, solver, budget):
    found = row["solvers"].get(solver, {}).get("budgets", {}).get(budget)
    if not found:
        return ""
    median, best = found["median"], min(found["energies"])
    text = value(row, median) + (f" ({value(row, best)})" if best < median else "")
    medians = [other["budgets"][budget]["median"] for other in row["solvers"].values() if budget in other["budgets"]]
    slack = 1e-9 * abs(median)
    return f"**{text}**" if median <= min(medians) + slack else text


def reference(row):
    if row["reference"] in CUTS:
        return str(CUTS[row["reference"]])
    return f"e = {LITERATURE[row['reference']][0]}" if row["reference"] in LITERATURE else ""


def per_spin(row, budget):
    if row["is_graph"]:
        return ""
    energy = row["solvers"]["hotloops"]["budgets"][budget]["median"] / row["spins"]
    if row["reference"] == "SK":
        return f"{energy / row['spins'] ** 0.5:.4f} sqrt(n)"
    return f"{energy:.4f}"


def table(header, lines):
    return "\n".join("| " + " | ".join(line) + " |" for line in [header, ["---"] * len(header), *lines]) + "\n"


def render(record):
    solvers = ["hotloops", "dwave-samplers SA", "OpenJij SA", "dwave-samplers tabu"]
    rows, versions = record["rows"], record["versions"]
    text = f"""# Ising: ground states at equal CPU time

`{record["command"]}`, {record["date"]},
one thread of an {record["cpu"]}, mean load {record["load"]:.1f};
{versions["hotloops"]} (`{record["build"]}`),
dwave-samplers {versions["dwave-samplers"]}, OpenJij {versions["openjij"]}.

Each program has the same user and system time; `benches/peers/ising/run.py` says how it is measured and how the peers
are set. hotloops runs as `hotloops ising FILE --time T --threads 1`, without other options. Numbers are the median of
the seeds and, in parentheses, the best one if it is better: energies, to be minimised, or cuts of graphs, to be
maximised. The best median of a line is bold. "dwave-samplers tabu" runs on at most 1024 spins.
"""
    # The wall time that hotloops was given for the CPU time of the budget.
    ratio = max(row["solvers"]["hotloops"]["wall"] / min(record["budgets"]) for row in rows)
    if ratio > OVERLOAD:
        text += f"""
**The machine was overloaded**: `--time` was up to {ratio:.1f} times the CPU time. So hotloops chose its number of
copies for too long a time, and some of its anneals did not end.
"""
    for budget in record["budgets"]:
        key = f"{budget:g}"
        lines = [[row["name"], *(cell(row, solver, key) for solver in solvers), per_spin(row, key), reference(row)]
                 for row in rows]
        text += f"\n## {key} s of CPU time\n\n"
        text += table(["problem", *solvers, "hotloops, per spin", "reference"], lines)
        used = {solver: [row["solvers"][solver]["budgets"][key]["cpu"] for row in rows if solver in row["solvers"]]
                for solver in solvers}
        text += "\nMedian CPU times: " + ";\n".join(
            f"{solver} {min(times):.2f} to {max(times):.2f} s" for solver, times in used.items() if times) + ".\n"
    text += f"""
## Time to target, and time of a visit

The target is the best energy of dwave-samplers SA in {record["budgets"][-1]:g} s; "CPU s" is the CPU time in which
hotloops meets it, start included, for each seed (`-`: not within three times the budget).
"ns" is the time of a visit of a spin, measurements included. dwave-samplers skips spins that are unlikely to flip, and
then draws no random number.

"""
    lines = []
    for row in rows:
        ours, peers = row["solvers"]["hotloops"], row["solvers"]
        times = ", ".join("-" if seconds is None else f"{seconds:.2f}" for seconds in row["target"]["seconds"])
        wall = ours["budgets"][f"{record['budgets'][-1]:g}"]["cpu"]
        dwave, openjij = peers["dwave-samplers SA"], peers["OpenJij SA"]
        lines.append([row["name"], value(row, row["target"]["energy"]), times, f"{ours['kind']}, {ours['copies']}",
                      f"{wall / ours['visits'] * 1e9:.2f}", f"{dwave['ns']:.1f}", dwave["variant"],
                      f"{openjij['ns']:.1f}", openjij["variant"]])
    heading = ["problem", "target", "CPU s", "kind, copies", "ns", "dwave ns", "its best variant", "OpenJij ns"]
    text += table([*heading, "its best variant"], lines)
    text += "\n## Problems\n\n"
    lines = [[row["name"], str(row["spins"]), str(row["couplings"]), row["sha256"][:16]] for row in rows]
    text += table(["problem", "spins", "couplings", "SHA-256, first 16 digits"], lines)
    notes = [note for name, (_, note) in LITERATURE.items() if any(row["reference"] == name for row in rows)]
    if any(row["reference"] in CUTS for row in rows):
        notes.append(CUT_SOURCE)
    if any(row["name"].startswith("graph ") for row in rows):
        notes.append("graphs named by vertices and edges are random, and their best cuts are not known")
    references = "References: " + "; ".join(notes) + ". Values of the infinite system are no bounds for one sample."
    return text + "\n" + textwrap.fill(references, WIDTH, break_long_words=False, break_on_hyphens=False) + "\n"
