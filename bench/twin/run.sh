#!/bin/sh
# On a machine with a GPU and nvcc: builds the twins' programs, compiles the generated kernels and runs both together.
# The lines that begin with RATIO say how long a generated kernel takes, its twin taking 1.
#
#   bench/twin/run.sh [BUILD_FOLDER]      with bin/gemm and bin/tma_copy in it; programs land in BUILD_FOLDER/twin
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${1:-build}
out=$build/twin
mkdir -p "$out" || exit 1
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)

# compile PROGRAM SOURCES AND FLAGS...
compile() {
    program=$1
    shift
    "$nvcc" -gencode=arch=compute_90a,code=sm_90a -std=c++17 -O3 -Idevice "$@" -lcuda -o "$out/$program"
}

# generated KERNEL: its CUBIN, threads a block and bytes of dynamic shared memory, as the printed CUDA has them.
generated() {
    "$build/bin/$1" cubin -o "$out/$1.cubin" >&2 && "$build/bin/$1" emit -o "$out/$1.cu" >&2 || return 1
    threads=$(sed -n 's/.*__launch_bounds__(\([0-9]*\).*/\1/p' "$out/$1.cu")
    bytes=$(sed -n 's,^// Dynamic shared memory\, \([0-9]*\) bytes.*,\1,p' "$out/$1.cu")
    [ -n "$threads" ] && [ -n "$bytes" ] && echo "$out/$1.cubin $threads $bytes"
}

compile twin -Iexamples/04_gemm bench/twin/twin.cu bench/twin/gemm_twin.cu -lcublas &
compile copies -Iexamples/01_grid_stride_copy -Iexamples/02_tma_copy -Iexamples/03_persistent_copy \
    bench/twin/copies.cu bench/twin/grid_stride_twin.cu bench/twin/tma_copy_twin.cu bench/twin/persistent_copy_twin.cu || exit 1
wait $! || exit 1
gemm=$(generated gemm) && tma_copy=$(generated tma_copy) || exit 1
failed=0
# shellcheck disable=SC2086
"$out/twin" $gemm || failed=1
# shellcheck disable=SC2086
"$out/copies" $tma_copy || failed=1
exit $failed
