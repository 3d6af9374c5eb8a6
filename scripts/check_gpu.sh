#!/bin/sh
# On a machine with a GPU: every example on it and on the emulator, which must agree, then the GEMM beside cuBLAS.
#
#   scripts/check_gpu.sh [BUILD_FOLDER]
#
# Copies must give the same bytes on both; so does the GEMM on these sizes, though only its error limit is promised.
set -u
cd "$(dirname "$0")/.." || exit 1
build=${1:-build}
failed=0

# both EXAMPLE OPTIONS...: runs on both devices, compares the verdicts and the hashes of the outputs.
both() {
    name=$1
    shift
    gpu=$("$build/bin/$name" run --device gpu "$@" 2>&1)
    emu=$("$build/bin/$name" run --device emu "$@" 2>&1)
    gpu_hash=$(printf '%s\n' "$gpu" | sed -n 's/^output: hash //p')
    emu_hash=$(printf '%s\n' "$emu" | sed -n 's/^output: hash //p')
    verdict=agree
    case "$gpu$emu" in *"result: FAIL"*) verdict=FAILED ;; esac
    case "$gpu" in *"result: PASS"*) ;; *) verdict=FAILED ;; esac
    case "$emu" in *"result: PASS"*) ;; *) verdict=FAILED ;; esac
    if [ "$verdict" = agree ] && [ "$gpu_hash" != "$emu_hash" ]; then
        verdict="differ in bits"
        [ "$name" = gemm ] || verdict=FAILED
    fi
    [ "$verdict" = FAILED ] && failed=1
    printf '%-18s %-24s gpu %s emu %s %s\n' "$name" "$*" "$gpu_hash" "$emu_hash" "$verdict"
    [ "$verdict" = FAILED ] && printf '%s\n%s\n' "$gpu" "$emu"
}

# gpu EXAMPLE OPTIONS...: too large for the emulator.
gpu() {
    name=$1
    shift
    result=$("$build/bin/$name" run --device gpu "$@" 2>&1 | tail -n 1)
    printf '%-18s %-24s %s\n' "$name" "$*" "$result"
    case "$result" in "result: PASS"*) ;; *) failed=1 ;; esac
}

both grid_stride_copy
both grid_stride_copy --count 16777216
both tma_copy
both tma_copy --size 37,264
both persistent_copy
both persistent_copy --size 19,515 --overlaunch 5
both gemm
for mnk in 1,1,8 129,257,72 1797,10,64 300,270,200 1024,768,512; do
    both gemm --mnk $mnk
done
for mnk in 3001,2531,1096 4096,4096,4096 8192,8192,8192; do
    gpu gemm --mnk $mnk
done
for mnk in 4096,4096,4096 8192,8192,1024 8192,8192,8192; do
    echo "bench gemm $mnk"
    "$build/bin/gemm" bench --device gpu --mnk $mnk || failed=1
done
for size in 4096,65536 2048,135168; do
    echo "bench tma_copy $size"
    "$build/bin/tma_copy" bench --device gpu --size $size || failed=1
done
# One small kernel for each construct.
features=$(find "$build" -name features -type f -perm -u+x | head -n 1)
"$features" --device gpu --repeat 2 >"$build/features.log" 2>&1 || { failed=1 && grep -v '^PASS' "$build/features.log"; }
tail -n 1 "$build/features.log"
# The device headers' own tests, where there is nvcc to build them.
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
for test in wrappers tensor_clip; do
    [ -x "$nvcc" ] || { echo "$test: skipped, no nvcc" && continue; }
    "$nvcc" -gencode=arch=compute_90a,code=sm_90a -std=c++17 -Idevice "tests/device/$test.cu" -o "$build/$test" -lcuda &&
        "$build/$test" >"$build/$test.log" 2>&1 || { failed=1 && cat "$build/$test.log"; }
    tail -n 1 "$build/$test.log" | sed "s/^/$test: /"
done
# Generated kernels beside hand-written ones, in one process: ratios, and the same bits.
if [ -x "$nvcc" ]; then
    bench/twin/run.sh "$build" >"$build/twins.log" 2>&1 || { failed=1 && cat "$build/twins.log"; }
    grep '^RATIO' "$build/twins.log"
fi
[ $failed = 0 ] && echo "check_gpu: PASS" || echo "check_gpu: FAIL"
exit $failed
