"""Writes dimod.txt: models in dimod's COO format, and the energy of every configuration by dimod.

Run with dimod 0.12 installed: `python make_dimod.py > dimod.txt`. Configuration `c` gives variable `i` the higher
of its two values if bit `i` of `c` is set.
"""

import random

import dimod
from dimod.serialization import coo

random.seed(3)
print(f"# made by make_dimod.py with dimod {dimod.__version__}")
for vartype, low in (("SPIN", -1), ("BINARY", 0)):
    for size in (2, 3, 5):
        model = dimod.BinaryQuadraticModel(vartype)
        for i in range(size):
            model.add_variable(i, random.choice([0.0, -1.0, 0.5, 2.25, -3.125]) or (1.0 if i == size - 1 else 0.0))
            for j in range(i):
                if random.random() < 0.7:
                    model.add_interaction(j, i, random.randint(-40, 40) / 8)
        print("model")
        print(coo.dumps(model, vartype_header=True))
        states = [[(1 if c >> i & 1 else low) for i in range(size)] for c in range(1 << size)]
        print("energies", *(float(model.energy(dict(enumerate(state)))) for state in states))
