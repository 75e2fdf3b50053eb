"""Files by dimod's COO writer: the command finds the ground energy of dimod's exact solver."""

import json
import os
import random
import subprocess
import tempfile

import dimod
from dimod.serialization import coo

random.seed(1)
count = 0
with tempfile.TemporaryDirectory() as folder:
    for case in range(24):
        vartype = ("SPIN", "BINARY")[case % 2]
        size = random.randint(2, 10)
        # The writer keeps six decimals and no offset.
        biases = {i: random.randint(-400, 400) / 64 or 1.0 for i in range(size)}
        pairs = {(i, j): random.randint(-400, 400) / 64 for j in range(size) for i in range(j) if random.random() < 0.6}
        offset = (0.0, 2.5)[case // 2 % 2]
        model = dimod.BinaryQuadraticModel(biases, pairs, offset, vartype)
        path = os.path.join(folder, f"{case}.txt")
        with open(path, "w") as file:
            if offset:
                file.write(f"# offset={offset}\n")
            coo.dump(model, file, vartype_header=True)
        run = [os.environ["HOTLOOPS"], "ising", path, "--sweeps", "300", "--runs", "1", "--format", "json"]
        found = json.loads(subprocess.run(run, check=True, capture_output=True).stdout)["best"]
        best = dimod.ExactSolver().sample(model).first
        energy = found["energy" if vartype == "SPIN" else "objective"]
        assert energy == best.energy, (case, energy, best)
        assert model.energy(dict(enumerate(found["spins"]))) == energy, (case, found)
        count += 1
print(f"dimod's COO files: {count} ground energies equal")
