# For the steps: `. .ci/lib.sh` in the first line after the comment.
set -euo pipefail

is_debian_root() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }

# Ends the step, which cannot run here, and says why. `unavailable`: no package of Debian would mend it.
unavailable() {
    echo "skipped: $*"
    echo "$*" >>"$CI_RESULTS/$CI_STEP.skipped"
    exit 0
}

# The same where a package is missing: a failure where this machine could have installed it.
skip() {
    if is_debian_root; then
        echo "missing: $*" >&2
        exit 1
    fi
    unavailable "$@"
}

# need COMMAND_OR_PATH...: skips the step unless all are there.
need() {
    local tool
    for tool; do
        [ -e "$tool" ] || command -v "$tool" >/dev/null || skip "no $tool"
    done
}

# Prints instruction-set words from `hotloops list`: words {listed|usable|chosen} COMMAND...
# `chosen` is the word that most kernels choose.
words() {
    "${@:2}" list --json | python3 -c '
import collections, json, sys
words = collections.Counter(row["isa"] for row in json.load(sys.stdin) if sys.argv[1] == "listed" or row[sys.argv[1]])
print(words.most_common(1)[0][0] if sys.argv[1] == "chosen" else " ".join(sorted(words)))' "$1"
}

# test_flags PATTERN: `--test NAME` for each test program whose name does not match, one word a line.
test_flags() {
    local file name
    for file in tests/*.rs tests/*/main.rs; do
        name=$(basename "${file%/main.rs}" .rs)
        [[ $name =~ $1 ]] || printf '%s\n' --test "$name"
    done
}

# Under caps and emulators: without the walks over all 2^32 floats and the million points.
brief=(-- --skip all_floats --skip a_million)

# The cross compiler with a standard library for AArch64, and a source of the standard library for other targets.
debian_rustc=/usr/bin/rustc
library_source=/usr/lib/rustlib/src/rust/library/core
