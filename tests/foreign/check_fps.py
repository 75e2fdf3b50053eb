"""FPS files of RDKit and Open Babel: read, searched and indexed; scores against theirs.

After reports in their trackers: MACCS keys have 166 or 167 bits and tails that must not count (rdkit 260, 311); sets of
other lengths are refused (rdkit 4220); a file of empty fingerprints is refused by name (openbabel 1651).
"""

import gzip
import os
import pathlib
import re
import subprocess
import tempfile

import numpy as np
from openbabel import openbabel, pybel
from rdkit import Chem, DataStructs, RDLogger, rdBase
from rdkit.Chem import MACCSkeys, rdFingerprintGenerator

RDLogger.DisableLog("rdApp.*")
openbabel.obErrorLog.StopLogging()
folder = pathlib.Path(tempfile.mkdtemp())
# Chains, rings and substituents: 84 molecules, some of them equal in their fingerprints.
rings = ["c1ccccc1", "C1CCCCC1", "c1ccncc1", "c1ccc2ccccc2c1", "C1CCOC1"]
cores = ["C" * n for n in range(1, 8)] + rings + ["CC(C)C", "C=CC=C"]
smiles = [core + tail for core in cores for tail in ["", "O", "C(=O)O", "N", "Cl", "C#N"]]
names = [f"molecule {number}" for number in range(len(smiles))]


def hotloops(*words, ok=0):
    done = subprocess.run([os.environ["HOTLOOPS"], "fingerprints", *map(str, words)], capture_output=True, text=True)
    assert done.returncode == ok, (words, done.returncode, done.stderr)
    return done.stdout if ok == 0 else done.stderr, done.stderr


def write(name, text):
    path = folder / name
    path.write_bytes(text.encode())
    return path


def scores(query, db, *options):
    lines = hotloops("search", query, db, "--all", "--empty", "1", *options)[0].splitlines()[1:]
    return {tuple(line.split("\t")[:2]): np.float32(line.split("\t")[2]) for line in lines}


def same(found, expected, what):
    assert found == expected, (what, len(found), len(expected))


molecules = [Chem.MolFromSmiles(text) for text in smiles]
morgan = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=512)
kinds = {
    "RDKit-MACCS166/2": [MACCSkeys.GenMACCSKeys(molecule) for molecule in molecules],
    "RDKit-Morgan/4 radius=2 fpSize=512": [morgan.GetFingerprint(molecule) for molecule in molecules],
}
compared = 0
for kind, rows in kinds.items():
    bits = rows[0].GetNumBits()
    lines = "".join(f"{DataStructs.BitVectToFPSText(row)}\t{name}\n" for row, name in zip(rows, names))
    software = f"#software=RDKit/{rdBase.rdkitVersion}\n#source=made up\n#date=2026-11-28T12:00:00\n"
    head = f"#FPS1\n#num_bits={bits}\n#type={kind}\n{software}"
    text = write("plain.fps", head + lines)
    others = [
        text,
        write("crlf.fps", (head + lines).replace("\n", "\r\n")),
        write("bare.fps", lines),
        write("columns.fps", head + lines.replace("\n", "\tanother\tcolumn\n")),
        write("upper.fps", head + re.sub(r"^[0-9a-f]+", lambda digits: digits[0].upper(), lines, flags=re.MULTILINE)),
    ]
    packed = folder / "packed.fps.gz"
    packed.write_bytes(gzip.compress((head + lines).encode()))
    index = folder / "index.hlfp"
    hotloops("index", text, "--out", index)
    assert f"#type={kind}\n" in hotloops("verify", index)[0]
    bulks = {"--tanimoto": DataStructs.BulkTanimotoSimilarity, "--dice": DataStructs.BulkDiceSimilarity}
    for measure, bulk in bulks.items():
        expected = {}
        for name, row in zip(names, rows):
            scored = zip(names, np.float32(bulk(row, rows)))
            expected |= {(name, other): score for other, score in scored if score >= np.float32(0.4)}
        for db in [*others, packed, index]:
            same(scores(text, db, measure, "0.4"), expected, (kind, measure, db.name))
            same(scores(db if db != index else text, text, measure, "0.4"), expected, (kind, measure, db.name))
        compared += len(expected)
    copy = DataStructs.CreateFromFPSText(DataStructs.BitVectToFPSText(rows[3]))
    assert copy.GetNumBits() >= bits and copy.GetNumOnBits() == rows[3].GetNumOnBits()

# Fingerprints of two kinds, of other lengths and of other types.
maccs, morgans = kinds.values()
one = write("maccs.fps", f"#num_bits=167\n#type=MACCS\n{DataStructs.BitVectToFPSText(maccs[0])}\ta\n")
two = write("morgan.fps", f"#num_bits=512\n#type=Morgan\n{DataStructs.BitVectToFPSText(morgans[0])}\ta\n")
assert "the fingerprints have 167 bits" in hotloops("search", one, two, ok=3)[0]
half = write("half.fps", f"#num_bits=167\n#type=another\n{DataStructs.BitVectToFPSText(maccs[0])}\ta\n")
assert "warning: #type is " in hotloops("search", one, half)[1]
assert "--strict-type" in hotloops("search", one, half, "--strict-type", ok=3)[0]
print(f"RDKit {rdBase.rdkitVersion}: {compared} scores equal, each from 7 files")

# Open Babel writes its own headers, with an empty `#source=`.
compared = 0
for kind in ["FP2", "MACCS"]:
    path = folder / f"{kind}.fps"
    out = pybel.Outputfile("fps", str(path), overwrite=True, opt={"f": kind})
    read = [pybel.readstring("smi", text) for text in smiles]
    for molecule, name in zip(read, names):
        molecule.title = name
        out.write(molecule)
    out.close()
    rows = [molecule.calcfp(kind) for molecule in read]
    found = scores(path, path, "--tanimoto", "0.5")
    bits = [set(row.bits) for row in rows]
    for i, a in enumerate(bits):
        for j, b in enumerate(bits):
            union = len(a | b)
            score = np.float32(len(a & b) / union) if union else np.float32(1)
            assert found.get((names[i], names[j])) == (score if score >= np.float32(0.5) else None), (kind, i, j)
            compared += 1
empty = write("empty.fps", "#FPS1\n\t571\n\t572\n")
assert "line 2: has no fingerprint before the tab" in hotloops("search", empty, empty, ok=3)[0]
print(f"Open Babel {openbabel.OBReleaseVersion()}: {compared} pairs equal")
