# The few commands one needs; CMake does the work (CMakePresets.json). Everything lands in build/.
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
# Without ninja, make serves as well.
GENERATOR := $(if $(shell command -v ninja 2>/dev/null),Ninja,Unix Makefiles)

.PHONY: demo check bench bench-prove format lint clean build sanitize setup

# What it does, on one kernel, in a minute.
demo: build
	scripts/demo.sh build

# All tests, then all tests again under the address and undefined-behaviour sanitizers.
check: build
	ctest --test-dir build --output-on-failure -j $(JOBS)
	$(MAKE) sanitize
	ctest --test-dir build/sanitize --output-on-failure -j $(JOBS)

# How long the proofs of the examples take (5 ms each at most); then the GEMM against cuBLAS, which needs a GPU.
bench: build
	build/bin/bench_prove examples
	build/bin/gemm bench

# How long proofs take and how they grow; then prover and explorer held against each other on random declarations and mutants.
bench-prove: build
	build/bin/bench_prove
	for seed in 1 2 3 4 5 6 7 8 9 10; do nice build/tests/agree_test 1000 $$seed -1 5000 || exit 1; done
	nice build/tests/mutate_test full

format:
	git ls-files -co --exclude-standard -- '*.c' '*.h' | xargs clang-format -i

lint:
	scripts/setup.sh lint
	cmake --preset sanitize -G "$(GENERATOR)" >/dev/null
	scripts/lint.sh build/sanitize

setup:
	scripts/setup.sh

build: setup
	cmake --preset release -G "$(GENERATOR)" >/dev/null
	cmake --build build -j $(JOBS)

sanitize: setup
	cmake --preset sanitize -G "$(GENERATOR)" >/dev/null
	cmake --build build/sanitize -j $(JOBS)

clean:
	rm -rf build
