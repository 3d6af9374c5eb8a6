#!/bin/sh
# Compares a generated kernel with its hand-written twin in SASS: how often each instruction stands there that
# synchronises or that drives an asynchronous engine (mbarriers, named barriers, fences, TMA, wgmma, setmaxnreg).
# Instructions are told apart by their whole name, modifiers included. Prints a table; fails where any count differs.
#
#   scripts/sass_counts.sh KERNEL [BUILD_FOLDER]      KERNEL: tma_copy or gemm
#
# BSSY and BSYNC are left out: they bring the lanes of one warp together after a branch, and whether ptxas branches or
# predicates is not the author's choice. Exits with 77 where there is no nvcc, no disassembler or no NVRTC.
set -u
cd "$(dirname "$0")/.." || exit 1

COUNTED='^(SYNCS|BAR|B2R|R2B|ELECT|WARPSYNC|NANOSLEEP|FENCE|MEMBAR|ERRBAR|CCTL|ARRIVES|UCGABAR_|CGABAR|ACQBULK|PREEXIT|UTMA|UBLK|LDGSTS|LDGDEPBAR|DEPBAR|USETMAXREG|WARPGROUP|[BHIQ]GMMA|ATOM|RED)'

skip() {
    printf 'sass_counts: skipped, %s\n' "$*"
    exit 77
}

fail() {
    printf 'sass_counts: %s\n' "$*"
    exit 1
}

# tool NAME: the path of a program of the CUDA toolkit, or of the wheel that scripts/setup.sh fetches.
tool() {
    command -v "$1" && return 0
    for folder in "${WW_CUDA_HOME:-/nonexistent}/bin" /usr/local/cuda/bin "${WW_DEPS:-.deps}"/disassembler/nvidia/cu13/bin; do
        [ -x "$folder/$1" ] && echo "$folder/$1" && return 0
    done
    return 1
}

# disassemble CUBIN: its SASS, an instruction a line.
disassemble() {
    if nvdisasm=$(tool nvdisasm); then
        "$nvdisasm" -c "$1"
    else
        "$(tool cuobjdump)" -sass "$1"
    fi
}

# counts: of SASS, "INSTRUCTION COUNT" a line. A line of SASS is an address in a comment, a predicate or none, the
# instruction's name, operands.
counts() {
    sed -n 's,^[[:space:]]*/\*[0-9a-f]\{4\,\}\*/[[:space:]]*,,p' | sed 's,^@!\{0\,1\}U\{0\,1\}P[0-9T]*[[:space:]]*,,; s,[[:space:];].*,,' |
        grep -E "$COUNTED" | sort | uniq -c | awk '{print $2, $1}'
}

# compare GENERATED TWIN: both as counts leaves them.
compare() {
    awk '
        FNR == NR { generated[$1] = $2; name[$1]; next }
        { twin[$1] = $2; name[$1] }
        END {
            for (n in name)
                printf "%-34s %9d %5d%s\n", n, generated[n], twin[n], generated[n] == twin[n] ? "" : "   differs"
        }' "$1" "$2" | sort
}

kernel=${1:-}
build=${2:-build}
case $kernel in
tma_copy) example=examples/02_tma_copy ;;
gemm) example=examples/04_gemm ;;
*) fail "usage: scripts/sass_counts.sh tma_copy|gemm [BUILD_FOLDER]" ;;
esac
nvcc=$(tool nvcc) || skip "no nvcc"
tool nvdisasm >/dev/null || tool cuobjdump >/dev/null || skip "neither nvdisasm nor cuobjdump; scripts/setup.sh fetches one"

out=$build/sass
mkdir -p "$out" || exit 1
log=$("$build/bin/$kernel" cubin -o "$out/$kernel.cubin" 2>&1) || {
    printf '%s\n' "$log"
    case $log in *scripts/setup.sh*) skip "no NVRTC" ;; *) fail "$kernel cubin failed" ;; esac
}
"$nvcc" -cubin -arch=sm_90a -std=c++17 -Idevice -I$example "bench/twin/${kernel}_twin.cu" -o "$out/${kernel}_twin.cubin" ||
    fail "the twin does not compile"
for side in "$kernel" "${kernel}_twin"; do
    disassemble "$out/$side.cubin" >"$out/$side.sass" || fail "$side.cubin cannot be disassembled"
    counts <"$out/$side.sass" >"$out/$side.counts"
    [ -s "$out/$side.counts" ] || fail "nothing was counted in $out/$side.sass"
done

printf '%-34s %9s %5s\n' "$kernel" generated twin
compare "$out/$kernel.counts" "$out/${kernel}_twin.counts" | tee "$out/$kernel.table"
! grep -q ' differs$' "$out/$kernel.table" || fail "the counts differ; SASS is in $out"
