"""Fingerprints of molecules, for `search.py`.

    pip install numpy rdkit==2026.9.1 && pip install --no-deps molsets==0.3.1
    python3 benches/peers/fingerprints/molecules.py FOLDER [COUNT]

The molecules are the training set of MOSES (Polykovskiy et al. 2020; drug-like molecules of ZINC), 1.58 million
SMILES that the package `molsets` contains. Writes to FOLDER, as rows of bytes whose bit k is bit k % 8 of byte k / 8:

| file | fingerprint | rows |
|---|---|---|
| morgan.npy | Morgan, radius 2, 2048 bits | COUNT, one million by default |
| path.npy | RDKit paths, 2048 bits | COUNT / 10 |
| maccs.npy | MACCS keys, 166 bits | COUNT / 10 |
| clustered.npy | 1024 bits; 1000 random rows, of which each bit is changed with probability 1/20 | COUNT / 10 |
| uniform.npy | 1024 bits, each 1 with probability 1/2 | COUNT / 10 |

Molecules are taken in an order shuffled by a fixed seed. Takes about five minutes on one core.
"""

import gzip
import importlib.util
import pathlib
import sys

import numpy
from rdkit import Chem, DataStructs, RDLogger
from rdkit.Chem import MACCSkeys, rdFingerprintGenerator

RDLogger.DisableLog("rdApp.*")
folder = pathlib.Path(sys.argv[1])
count = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
folder.mkdir(parents=True, exist_ok=True)
random = numpy.random.default_rng(2026)


def smiles():
    """The molecules of MOSES, without running the package, which needs other ones."""
    (package,) = importlib.util.find_spec("moses").submodule_search_locations
    with gzip.open(pathlib.Path(package) / "dataset/data/train.csv.gz", "rt") as file:
        next(file)
        lines = [line.split(",")[0].strip() for line in file]
    return [lines[i] for i in random.permutation(len(lines))]


def row(fingerprint, first=0):
    """The bits of a fingerprint from `first` on, as bytes."""
    bits = numpy.empty(fingerprint.GetNumBits(), numpy.uint8)
    DataStructs.ConvertToNumpyArray(fingerprint, bits)
    return numpy.packbits(bits[first:], bitorder="little")


def save(name, rows):
    rows = numpy.array(rows)
    numpy.save(folder / f"{name}.npy", rows)
    print(f"{name}: {len(rows)} rows, mean popcount {numpy.bitwise_count(rows).sum() / len(rows):.1f}", flush=True)


molecules = smiles()[:count]
morgan = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048)
path = rdFingerprintGenerator.GetRDKitFPGenerator(fpSize=2048)
save("morgan", [row(morgan.GetFingerprint(Chem.MolFromSmiles(m))) for m in molecules])
some = [Chem.MolFromSmiles(m) for m in molecules[: count // 10]]
save("path", [row(path.GetFingerprint(m)) for m in some])
# RDKit's MACCS fingerprint has an unused bit 0.
save("maccs", [row(MACCSkeys.GenMACCSKeys(m), first=1) for m in some])
centres = random.integers(0, 256, (1000, 128), numpy.uint8)
changes = random.random((count // 10, 1024), numpy.float32) < 1 / 20
save("clustered", centres[random.integers(0, 1000, count // 10)] ^ numpy.packbits(changes, axis=1))
save("uniform", random.integers(0, 256, (count // 10, 128), numpy.uint8))
