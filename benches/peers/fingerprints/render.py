"""Draws a table of searches, as `search.py` writes it: the time of each library over that of hotloops.

    python3 benches/peers/fingerprints/render.py docs/fingerprints-peers.md docs/fingerprints-peers.svg
"""

import html
import math
import pathlib
import sys

WIDTH, LEFT, RIGHT, TOP, LINE = 1024, 480, 40, 100, 20
TICKS = [1, 2, 5, 10, 20, 50, 100, 200, 500]
COLOURS = ["#1f77b4", "#d95f02", "#2f855a", "#b83280", "#555555"]


def table(text):
    """The names of the other libraries, and the title and the ratios of each search."""
    rows = (line for line in text.splitlines() if line[:1] == "|")
    head, _, *lines = ([cell.strip() for cell in row[1:-1].split("|")] for row in rows)
    ratio = lambda cell: float(cell.split("(")[1].rstrip(")")) if "(" in cell else None
    return head[2:], [(line[0], [ratio(cell) for cell in line[2:]]) for line in lines]


def picture(text):
    names, rows = table(text)
    x = lambda ratio: LEFT + (WIDTH - LEFT - RIGHT) * math.log(ratio / TICKS[0]) / math.log(TICKS[-1] / TICKS[0])
    bottom = TOP + LINE * len(rows)
    parts = []

    def write(at, y, words, anchor="start", size=11, colour="#000000"):
        style = f'font-family="sans-serif" font-size="{size}" text-anchor="{anchor}" dy="0.35em" fill="{colour}"'
        parts.append(f'<text x="{at:.1f}" y="{y:.1f}" {style}>{html.escape(words)}</text>')

    write(20, 24, "Fingerprints: CPU time of other libraries over that of hotloops", size=16)
    write(20, 48, "further to the right: hotloops is faster; logarithmic; all figures are in fingerprints-peers.md")
    for number, (name, colour) in enumerate(zip(names, COLOURS)):
        at = LEFT + number * 105
        parts.append(f'<circle cx="{at}" cy="72" r="5" fill="{colour}"/>')
        write(at + 10, 72, name)
    for tick in TICKS:
        parts.append(f'<path d="M{x(tick):.1f} {TOP - 6}V{bottom}" stroke="#dddddd"/>')
        write(x(tick), bottom + 12, f"{tick}", "middle")
    for number, (title, ratios) in enumerate(rows):
        y = TOP + LINE * (number + 0.5)
        write(20, y, title)
        for library, (ratio, colour) in enumerate(zip(ratios, COLOURS)):
            if ratio:
                parts.append(f'<circle cx="{x(ratio):.1f}" cy="{y + 3 * (library % 2):.1f}" r="5" fill="{colour}"/>')
    size = f'width="{WIDTH}" height="{bottom + 30}" viewBox="0 0 {WIDTH} {bottom + 30}"'
    background = f'<rect width="{WIDTH}" height="{bottom + 30}" fill="#ffffff"/>'
    return "\n".join([f'<svg {size} xmlns="http://www.w3.org/2000/svg">', background, *parts, "</svg>", ""])


source, target = (pathlib.Path(path) for path in sys.argv[1:])
target.write_text(picture(source.read_text()))
