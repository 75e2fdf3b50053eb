#!/usr/bin/env python3
"""Makes polycrystal.csv: particles of a triangular lattice, in grains of different angles, in an image of 320 x 240
pixels.

A grain is the Voronoi cell of its centre. Particles are 8 pixels apart, displaced by 5 % of that, on whole pixels, none
on another; theta is the angle of the grain, give or take 0.03."""

import math
import random

WIDTH, HEIGHT, SPACING, GRAINS = 320, 240, 8.0, 9

random.seed(2008)
grains = [(random.uniform(0, WIDTH), random.uniform(0, HEIGHT), random.uniform(0, math.pi / 3)) for _ in range(GRAINS)]
particles = {}
for grain, (cx, cy, angle) in enumerate(grains):
    for i in range(-60, 61):
        for j in range(-60, 61):
            u, v = SPACING * (i + j / 2), SPACING * math.sqrt(3) / 2 * j
            x = cx + math.cos(angle) * u - math.sin(angle) * v
            y = cy + math.sin(angle) * u + math.cos(angle) * v
            nearest = min(range(GRAINS), key=lambda g: (grains[g][0] - x) ** 2 + (grains[g][1] - y) ** 2)
            x, y = (round(c + random.gauss(0, 0.05 * SPACING)) for c in (x, y))
            if nearest == grain and 0 <= x < WIDTH and 0 <= y < HEIGHT:
                particles.setdefault((x, y), angle + random.gauss(0, 0.03))
with open(__file__.replace(".py", ".csv"), "w") as file:
    print("x,y,theta", file=file)
    for (x, y), theta in particles.items():
        print(f"{x},{y},{theta:.4f}", file=file)
