# `make demo` sets up what is missing, builds Frit and runs a real program; `make llvm` builds `frit-llvm` and the plugin for clang and opt, which
# need LLVM 19; `make python` builds the Python package and installs it into the virtual environment target/python; `make wheel` builds its wheel
# in target/wheels; `make test` passes all tests; `make bench PEERS=FOLDER` times common workloads beside other tools; `make bench-python` times NumPy
# programs beside NumPy, Numba, JAX and numexpr; `make bench-compile` tells how the time of compiling grows with the length of programs.

CARGO ?= cargo
# The folder of the harness that times tools; see benches/workloads/run.sh.
export PEERS ?=

.PHONY: demo build llvm python wheel test bench bench-python bench-compile setup setup-llvm setup-python setup-test

demo: build
	@bash scripts/demo.sh

build: setup
	$(CARGO) build --release --locked

llvm: setup-llvm
	$(CARGO) build --release --locked -p frit-llvm

python: wheel
	target/python/bin/pip install -q --disable-pip-version-check --force-reinstall --no-deps target/wheels/frit-*.whl
	@echo "frit is installed for target/python/bin/python"

wheel: setup-python
	rm -f target/wheels/frit-*.whl
	PATH="$(CURDIR)/target/python/bin:$$PATH" maturin build --release --locked --quiet --out target/wheels

test: setup-test
	$(CARGO) xtask check

bench: setup
	@bash benches/workloads/run.sh $(BENCH_OPTIONS)

bench-python: python
	target/python/bin/pip install -q --disable-pip-version-check numba scipy jax numexpr
	target/python/bin/python benches/python/run.py $(BENCH_OPTIONS)

bench-compile: build
	@bash benches/compile.sh

setup:
	@bash scripts/setup.sh

setup-llvm:
	@bash scripts/setup.sh --llvm

setup-python: setup
	@bash scripts/setup.sh --python

setup-test:
	@bash scripts/setup.sh --test
