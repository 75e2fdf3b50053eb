"""Runs the shell and C blocks of README.md unchanged.

The commands run in a scratch folder with links to the repository's files, the built command on
PATH, and an empty home. Files that the README leaves to the reader (MODEL, POINTS, program.c,
exp.tsv, exp.wc) are created here. Each line of a shell block is one command; text after `#` is a
comment. The script fails at the first command that fails.
"""
import os, pathlib, re, shutil, subprocess, sys

root = pathlib.Path(__file__).resolve().parent.parent
scratch = root / "target/ci/readme"
shutil.rmtree(scratch, ignore_errors=True)
scratch.mkdir(parents=True)
for entry in root.iterdir():
    if not entry.name.startswith("."):
        (scratch / entry.name).symlink_to(entry)

user = pathlib.Path(os.environ.get("HOME") or "/nonexistent")
environment = os.environ | {
    "HOME": str(scratch / "home"),
    "CARGO_HOME": os.environ.get("CARGO_HOME", str(user / ".cargo")),
    "RUSTUP_HOME": os.environ.get("RUSTUP_HOME", str(user / ".rustup")),
    "PATH": f"{root / 'target/release'}:{os.environ['PATH']}",
    "LD_LIBRARY_PATH": str(scratch / "home/.local/lib"),
}


def run(command):
    print(f"$ {command}", flush=True)
    status = subprocess.run(["bash", "-c", command], cwd=scratch, env=environment, stdin=subprocess.DEVNULL).returncode
    if status:
        sys.exit(f"README.md: `{command}` ended with status {status}")


blocks = re.findall(r"^```(\w+)\n(.*?)^```", (root / "README.md").read_text(), re.M | re.S)
c_blocks = [text for language, text in blocks if language == "c"]
if not c_blocks:
    sys.exit("README.md has no C block")
# The statements of the C block become the body of `main`.
includes = "".join(re.findall(r"^#include.*\n", c_blocks[0], re.M))
body = re.sub(r"^#include.*\n", "", c_blocks[0], flags=re.M)
(scratch / "program.c").write_text(f"#include <stdio.h>\n{includes}int main(void)\n{{\n{body}}}\n")
shutil.copy(root / "examples/data/chimera_4x3.coo", scratch / "MODEL")
# POINTS have no orientations.
rows = (root / "examples/data/polycrystal.csv").read_text().splitlines()
(scratch / "POINTS").write_text("".join(",".join(row.split(",")[:2]) + "\n" for row in rows if not row.startswith("#")))
subprocess.run(["cargo", "build", "--release", "-p", "hotloops-cli"], cwd=root, check=True)
search = "hotloops hardround search --func exp --from 0x1p0 --to 0x1.001p0 --within 0x1p-38 --out exp.tsv"
run(f"{search} && grep -v '^#' exp.tsv | cut -f 1 >exp.wc")

for language, text in blocks:
    if language != "sh":
        continue
    for line in text.splitlines():
        command = re.sub(r"\s+#.*", "", line).strip()
        # The step `tests` runs `cargo test`.
        if command and command != "cargo test":
            run(command)
run("./a.out")
