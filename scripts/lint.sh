#!/bin/sh
# clang-format, clang-tidy and cppcheck over all C of the project; any finding fails. Needs a configured build folder.
#
#   scripts/lint.sh [BUILD_FOLDER]
set -u
cd "$(dirname "$0")/.." || exit 1
build=${1:-build}
cores=$(nproc 2>/dev/null || echo 2)
failed=0

# Files of the project, known to git or new.
files() { git ls-files -co --exclude-standard -- "$@" | while read -r f; do [ -e "$f" ] && echo "$f"; done; }

# Sources that are compiled here, as against those for a GPU. Tests are left to the compilers' warnings, the sanitizers and
# the format: analysing them would double the time.
compiled() { files 'src/*.c' 'tools/*.c' 'examples/*.c' | while read -r f; do grep -q "/$f\"" "$build/compile_commands.json" && echo "$f"; done; }

echo "lint: clang-format"
files '*.c' '*.h' | xargs clang-format --dry-run -Werror || failed=1

# The analyser follows at most so many states of a function (its default: 225000). What it has found here it found within a
# sixth of that, and the time goes down to a third.
bounded='--extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=max-nodes=60000'

echo "lint: clang-tidy"
compiled | xargs -P "$cores" -n 4 clang-tidy --quiet --extra-arg=-Wno-unknown-warning-option $bounded -p "$build" 2>"$build/clang-tidy.err" || failed=1
# clang-tidy counts suppressed warnings of system headers on stderr; anything else there is worth seeing.
grep -v -E '^[0-9]+ warnings? (generated|treated)|^Suppressed|^Use -' "$build/clang-tidy.err"

# shiftTooManyBitsSigned: the emulator's arithmetic shifts rely on what gcc and clang define, a copy of the sign bit.
echo "lint: cppcheck"
files 'src/*.c' 'tools/*.c' 'examples/*.c' |
    xargs cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,performance,portability --inline-suppr \
        --suppress=missingIncludeSystem --suppress=shiftTooManyBitsSigned -j "$cores" -I include -I src \
        '-D_Noreturn=__attribute__((noreturn))' \
        -DWW_DEPS_FOLDER='""' -DWW_DEVICE_FOLDER='""' || failed=1

[ $failed = 0 ] && echo "lint: clean"
exit $failed
