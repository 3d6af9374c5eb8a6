#!/bin/sh
# Shows what warpwright does to one kernel, the GEMM example: check it, prove it, draw it, print its CUDA, run it and
# compare its result. Runs on the GPU where there is one, else on the emulator. Results land in build/demo/.
#
#   scripts/demo.sh [BUILD_FOLDER]
set -u
cd "$(dirname "$0")/.." || exit 1
build=${1:-build}
out=$build/demo
gemm=$build/bin/gemm
mkdir -p "$out"
# A cache of its own, empty at first: the first run compiles, the second one finds the result.
export WW_CACHE="$out/cache"
rm -rf "$WW_CACHE"

summary=$out/summary.txt
: >"$summary"

# milliseconds since some moment; dates without nanoseconds (BSD) fall back to whole seconds
now() {
    case $(date +%N) in
    *[!0-9]* | "") echo $(($(date +%s) * 1000)) ;;
    *) date +%s%3N ;;
    esac
}

# step NAME LOG COMMAND...: runs the command with its output in LOG, and notes the time it took.
step() {
    name=$1 log=$2
    shift 2
    start=$(now)
    if ! "$@" >"$log" 2>&1; then
        printf '%-34s FAILED\n' "$name"
        printf '  %s\n' "$*"
        sed 's/^/  | /' "$log" | tail -n 40
        exit 1
    fi
    printf '%-34s %6d ms   %s\n' "$name" $(($(now) - start)) "$log" | tee -a "$summary"
}

begin=$(now)
printf '\nwarpwright: one warp-specialised GEMM, from declaration to numbers\n\n'
step "check the declaration" "$out/check.txt" "$gemm" check
step "prove every interleaving" "$out/prove.txt" "$gemm" prove
step "schedule table" "$out/table.txt" "$gemm" table
step "dependency graph" "$out/graph.txt" "$gemm" graph -o "$out/gemm.dot"
if command -v dot >/dev/null 2>&1; then
    step "  drawn as SVG" "$out/dot.txt" dot -Tsvg "$out/gemm.dot" -o "$out/gemm.svg"
    step "  drawn as PNG" "$out/dot.txt" dot -Tpng "$out/gemm.dot" -o "$out/gemm.png"
fi
step "generated CUDA" "$out/emit.txt" "$gemm" emit -o "$out/gemm.cu"
step "input A, 1797 x 64" "$out/a.txt" "$build/bin/ww_npy_random" 1797 64 1 "$out/a.npy"
step "input B, 10 x 64" "$out/b.txt" "$build/bin/ww_npy_random" 10 64 2 "$out/b.npy"
step "run D = A . B^T on these files" "$out/run_files.txt" \
    "$gemm" run --a "$out/a.npy" --b "$out/b.npy" --out "$out/d.npy"
step "run 512 x 512 x 512" "$out/run_512.txt" "$gemm" run --mnk 512,512,512

printf '\n--- schedules\n'
sed 's/^/  /' "$out/table.txt"
printf '\n--- proof\n'
sed 's/^/  /' "$out/prove.txt" | tail -n 12
printf '\n--- results\n'
sed 's/^/  /' "$out/run_files.txt" | tail -n 6
sed 's/^/  /' "$out/run_512.txt" | tail -n 6
printf '\n--- files\n'
for file in gemm.dot gemm.svg gemm.png gemm.cu table.txt d.npy; do
    [ -e "$out/$file" ] && printf '  %s\n' "$out/$file"
done
printf '\nDone in %d ms; the times are in %s\n' $(($(now) - begin)) "$summary"
