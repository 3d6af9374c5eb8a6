#!/bin/sh
# Installs what building and testing need, and only what is missing. Safe to run again; does nothing then.
#
#   scripts/setup.sh          to build, test and compile kernels
#   scripts/setup.sh lint     and what `make lint` needs
#
# System packages come from apt when this runs as root on Debian or Ubuntu; otherwise their names are printed. The CUDA
# compiler libraries come from an installed CUDA toolkit, else as wheels from PyPI into .deps/ of the checkout (about
# 200 MB to fetch); so does the disassembler (2 MB), which a toolkit may lack. WW_NO_TOOLKIT=1 hides a toolkit. A machine
# without network is fine as long as CMake and a C compiler are there: the script says what will be left out.
set -u
cd "$(dirname "$0")/.." || exit 1

# The newest of CUDA 13.0, not of CUDA 13: a driver of 13.0 (580) must take what is compiled.
WHEELS="nvidia-cuda-nvrtc==13.0.88 nvidia-nvjitlink==13.0.88 nvidia-cuda-nvcc==13.0.88
nvidia-cuda-runtime==13.0.96 nvidia-cuda-crt==13.0.88 nvidia-cuda-cccl==13.0.85"
# Only reads what they make; the first one on PyPI. In a folder of its own, since pip replaces nvidia/ as a whole.
DISASSEMBLER="nvidia-cuda-nvdisasm==13.2.51"
DEPS=${WW_DEPS:-.deps}

say() { printf 'setup: %s\n' "$*"; }
have() { command -v "$1" >/dev/null 2>&1; }

# have_header NAME: the C compiler finds <NAME>.
have_header() {
    have cc && printf '#include <setjmp.h>\n#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <%s>\n' "$1" |
        cc -E -x c - >/dev/null 2>&1
}

# ---- system packages ----------------------------------------------------------------------------------------

missing=""
want_command() { have "$1" || missing="$missing $2"; }
want_header() { have_header "$1" || missing="$missing $2"; }

find_missing() {
    missing=""
    have cc || missing="$missing gcc libc6-dev"
    want_command cmake cmake
    want_command ninja ninja-build
    want_command dot graphviz
    want_header cmocka.h libcmocka-dev
    if [ "$what" = lint ]; then
        want_command clang clang
        want_command clang-format clang-format
        want_command clang-tidy clang-tidy
        want_command cppcheck cppcheck
    fi
}

# The lists of packages may be absent or old: they are fetched only when an install fails without.
apt_install() {
    export DEBIAN_FRONTEND=noninteractive
    log=$(mktemp) || return 1
    # shellcheck disable=SC2086
    apt-get install -y -q --no-install-recommends $1 >"$log" 2>&1 ||
        { apt-get update -q >"$log" 2>&1 && apt-get install -y -q --no-install-recommends $1 >"$log" 2>&1; }
    result=$?
    [ $result -eq 0 ] || tail -n 3 "$log"
    rm -f "$log"
    return $result
}

install_packages() {
    find_missing
    [ -n "$missing" ] || return 0
    if ! have apt-get; then
        say "this is not Debian or Ubuntu; install the equals of:$missing"
    elif [ "$(id -u)" != 0 ]; then
        say "not root, so please run: sudo apt-get install$missing"
    else
        say "installing$missing"
        apt_install "$missing" || say "apt could not install all of:$missing"
    fi
    find_missing
}

report_missing() {
    if ! have cmake || ! have cc; then
        say "CMake and a C compiler are needed for anything at all; stopping"
        exit 1
    fi
    for package in $missing; do
        case $package in
        libcmocka-dev) say "without cmocka: unit tests are left out" ;;
        graphviz) say "without dot: graphs stay .dot files" ;;
        ninja-build) say "without ninja: building with make" ;;
        *) say "without $package: 'make lint' does not run" ;;
        esac
    done
}

# ---- the CUDA compiler --------------------------------------------------------------------------------------

toolkit_present() {
    [ "${WW_NO_TOOLKIT:-0}" = 0 ] || return 1
    for root in "${WW_CUDA_HOME:-/nonexistent}" /usr/local/cuda; do
        for file in "$root"/lib64/libnvrtc.so* "$root"/lib/libnvrtc.so*; do
            [ -e "$file" ] && return 0
        done
    done
    ldconfig -p 2>/dev/null | grep -q 'libnvrtc\.so'
}

# Prints a command that runs pip: the system's, else one in an environment of its own.
find_pip() {
    if python3 -m pip --version >/dev/null 2>&1; then
        echo "python3 -m pip"
    elif python3 -m venv "$DEPS/venv" >/dev/null 2>&1; then
        echo "$DEPS/venv/bin/python3 -m pip"
    else
        rm -rf "$DEPS/venv"
        return 1
    fi
}

# install_wheels FOLDER WHAT WHEELS. The stamp is written last: an install that broke off is done again.
install_wheels() {
    [ "$(cat "$1/wheels.txt" 2>/dev/null)" = "$3" ] && return 0
    mkdir -p "$1" || return 1
    if ! pip=$(find_pip) && [ "$(id -u)" = 0 ] && have apt-get; then
        say "installing python3-venv"
        apt_install "python3 python3-venv" && pip=$(find_pip)
    fi
    if [ -z "$pip" ]; then
        say "neither pip nor venv: install python3-venv (or python3-pip) and run this again"
        return 1
    fi
    say "fetching $2 into $1/"
    rm -rf "$1/nvidia"
    # shellcheck disable=SC2086
    PIP_ROOT_USER_ACTION=ignore $pip install --quiet --disable-pip-version-check --no-deps --only-binary=:all: --upgrade --no-compile \
        --target "$1" $3 || return 1
    printf '%s\n' "$3" >"$1/wheels.txt"
}

disassembler_present() {
    have nvdisasm || have cuobjdump && return 0
    [ "${WW_NO_TOOLKIT:-0}" = 0 ] || return 1
    for root in "${WW_CUDA_HOME:-/nonexistent}" /usr/local/cuda; do
        [ -x "$root/bin/nvdisasm" ] || [ -x "$root/bin/cuobjdump" ] && return 0
    done
    return 1
}

what=${1:-build}
install_packages
report_missing
if toolkit_present; then
    : # nothing to fetch
elif ! install_wheels "$DEPS" "NVRTC, nvJitLink, ptxas and CUDA headers (13.0)" "$WHEELS"; then
    say "no CUDA compiler: kernels can be checked, proved and printed, but not compiled"
fi
export PIP_RETRIES=0 # not worth waiting for
if ! disassembler_present && ! install_wheels "$DEPS/disassembler" nvdisasm "$DISASSEMBLER"; then
    say "no nvdisasm: instructions of generated kernels and of their twins are not compared"
fi
exit 0
