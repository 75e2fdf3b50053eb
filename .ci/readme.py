"""Runs the shell, C and Python blocks of README.md, docs/jobs.md and docs/python.md unchanged.

The commands run in a scratch folder with links to the repository's files and an empty home.
README.md installs the command; docs/jobs.md uses it. Files that the pages leave to the reader
(MODEL, POINTS, annealer.csv, program.c, exp.tsv, exp.wc) are created here. Each line of a shell block is one
command; text after `#` is a comment. `pip` and Python are those of a virtual environment. Without a
package index, which `pip` needs, Python is left out. The script fails at the first command that
fails, and if the index of documents lacks an example.
"""
import os, pathlib, re, shutil, subprocess, sys

PAGES = "README.md", "docs/jobs.md", "docs/python.md"

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
    "CARGO_INSTALL_ROOT": str(scratch / "home"),
    # Nobody measures these release builds, so they do without link-time optimisation.
    "CARGO_PROFILE_RELEASE_LTO": "off",
    "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16",
    "PATH": f"{scratch / 'home/bin'}:{os.environ['PATH']}",
}


def run(command):
    print(f"$ {command}", flush=True)
    # As `with_capi` of lib.sh.
    lock = ["flock", root / "target/ci/capi.lock"] if command.startswith("make ") else []
    words = [*lock, "bash", "-c", command]
    status = subprocess.run(words, cwd=scratch, env=environment, stdin=subprocess.DEVNULL).returncode
    if status:
        sys.exit(f"`{command}` ended with status {status}")


def blocks(page):
    return re.findall(r"^```(\w+)\n(.*?)^```", (root / page).read_text(), re.M | re.S)


c_blocks = [text for language, text in blocks("README.md") if language == "c"]
if not c_blocks:
    sys.exit("README.md has no C block")
(scratch / "program.c").write_text(c_blocks[0])
shutil.copy(root / "examples/data/chimera_4x3.coo", scratch / "MODEL")
(scratch / "annealer.csv").write_text("s,A(s) (GHz),B(s) (GHz)\n0,12,0.02\n0.5,2,4\n1,0,14\n")
# POINTS have no orientations.
rows = (root / "examples/data/polycrystal.csv").read_text().splitlines()
(scratch / "POINTS").write_text("".join(",".join(row.split(",")[:2]) + "\n" for row in rows if not row.startswith("#")))
index = (root / "docs/README.md").read_text()
kinds = "*.rs", "c/*.c", "cpp/*.cpp", "slurm/*.sh", "pbs/*.sh"
for program in [file for kind in kinds for file in root.glob(f"examples/{kind}")]:
    if f"({os.path.relpath(program, root / 'docs')})" not in index:
        sys.exit(f"docs/README.md has no link to {program.relative_to(root)}")

subprocess.run([sys.executable, "-m", "venv", scratch / "home"], check=True)
has_pip = subprocess.run([scratch / "home/bin/pip", "install", "--quiet", "maturin", "numpy"]).returncode == 0
if not has_pip:
    print("no package index: Python is left out", flush=True)

for page in PAGES:
    print(f"{page}:", flush=True)
    for language, text in blocks(page):
        if language == "python" and has_pip:
            (scratch / "program.py").write_text(text)
            run("python program.py")
        for line in text.splitlines() if language == "sh" else ():
            command = re.sub(r"\s+#.*", "", line).strip()
            # The step `tests` runs `cargo test`.
            if command and command != "cargo test" and (has_pip or not command.startswith("pip ")):
                run(command)
            if command.startswith("cc "):
                run("./program")
    if page == "README.md":
        search = "hotloops hardround search --func exp --from 0x1p0 --to 0x1.001p0 --within 0x1p-38 --out exp.tsv"
        run(f"{search} && grep -v '^#' exp.tsv | cut -f 1 >exp.wc")
