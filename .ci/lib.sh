# Shared by all steps: each sources it in the first line after its comment.
set -euo pipefail

is_debian_root() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }

# Skips the step and says why. For reasons that no Debian package would fix.
unavailable() {
    echo "skipped: $*"
    echo "$*" >>"$CI_RESULTS/$CI_STEP.skipped"
    exit 0
}

# Skips the step because a package is missing. Fails instead if this machine could have installed it.
skip() {
    if is_debian_root; then
        echo "missing: $*" >&2
        exit 1
    fi
    unavailable "$@"
}

# need COMMAND_OR_PATH...: skips the step unless all of them exist.
need() {
    local tool
    for tool; do
        [ -e "$tool" ] || command -v "$tool" >/dev/null || skip "no $tool"
    done
}

# Where PoCL is, tests of devices fail instead of being skipped.
want_devices() { [ ! -e /etc/OpenCL/vendors/pocl.icd ] || export HOTLOOPS_TEST_DEVICE=1; }

# Prints instruction-set words from `hotloops list`: words {listed|usable|chosen} COMMAND...
# `chosen` is the word that most kernels choose.
words() {
    "${@:2}" list --format json | python3 -c '
import collections, json, sys
words = collections.Counter(row["isa"] for row in json.load(sys.stdin) if sys.argv[1] == "listed" or row[sys.argv[1]])
print(words.most_common(1)[0][0] if sys.argv[1] == "chosen" else " ".join(sorted(words)))' "$1"
}

# For caps and emulators: skips the tests over all 2^32 floats and over a million points.
brief=(-- --skip all_floats --skip a_million)

# Debian's rustc, with a standard library for AArch64, and the standard library's source for
# other targets.
debian_rustc=/usr/bin/rustc
library_source=/usr/lib/rustlib/src/rust/library/core

# with_capi COMMAND...: runs a command that builds the C library. Steps that run at the same time share the files of
# its makefile, so one builds while the others wait.
with_capi() { flock "$CI_RESULTS/capi.lock" "$@"; }
# install_capi VARIABLE=VALUE...: builds and installs the C library.
install_capi() { with_capi make -s -C capi install "$@"; }

# For old x86-64 CPUs under QEMU.
quiet() { "$@" 2> >(grep -v "TCG doesn't support" >&2); }
on_cpu() {
    local runner=CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER
    quiet env RUST_TEST_THREADS=1 "$runner=qemu-x86_64 -cpu $1" cargo test "${@:2}"
}
