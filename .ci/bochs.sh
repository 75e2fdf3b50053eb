# For steps that test one instruction set in Bochs: `. .ci/bochs.sh ISA CPU_MODEL`. QEMU supports
# neither AVX-512 nor GFNI. Bochs is slow, so it runs only the variants of this instruction set.
[ "$(uname -m)" = x86_64 ] || unavailable "this is not x86-64"
if [[ " $(words usable target/debug/hotloops) " == *" $1 "* ]]; then
    echo "This CPU has $1: the ordinary tests run its variants."
    exit 0
fi
need bochs-bin
programs=()
for name in contract selftest dispatch; do
    executable=$(cargo test --test $name --no-run --message-format=json 2>/dev/null |
        sed -n 's/.*"executable":"\([^"]*\)".*/\1/p')
    # Relative, because .ci/bochs splits at spaces and the absolute path may contain some.
    filter=
    [ $name != contract ] || filter=variants::
    programs+=("$(realpath --relative-to=. "$executable") $filter --test-threads=1")
done
BOCHS_TIMEOUT=4500 .ci/bochs "$2" HOTLOOPS_TEST_ISA="$1" HOTLOOPS_TEST_LARGEST=512 "${programs[@]}"
