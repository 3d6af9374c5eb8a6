#!/bin/sh
# On a machine with a GPU and nvcc: which register splits setmaxnreg admits. Prints a line a case; "hangs" is a split that
# never came back within the time limit.
#
#   scripts/register_pool.sh [FOLDER_FOR_THE_PROGRAM]
set -u
cd "$(dirname "$0")/.." || exit 1
out=${1:-build}
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
mkdir -p "$out" && "$nvcc" -gencode=arch=compute_90a,code=sm_90a -std=c++17 -Idevice tests/device/register_pool.cu -o "$out/register_pool" || exit 1
"$out/register_pool" | while IFS= read -r case; do
    timeout -s KILL 3 "$out/register_pool" "$case" 2>/dev/null || echo "$case: hangs"
done
