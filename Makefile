# `make demo` sets up what is missing, builds Frit and runs a real program; `make llvm` builds `frit-llvm` and the plugin for clang and opt, which
# need LLVM 19; `make test` passes all tests.

CARGO ?= cargo

.PHONY: demo build llvm test check setup setup-llvm setup-test

demo: build
	@bash scripts/demo.sh

build: setup
	$(CARGO) build --release --locked

llvm: setup-llvm
	$(CARGO) build --release --locked -p frit-llvm

test: setup-test
	$(CARGO) xtask check

setup:
	@bash scripts/setup.sh

setup-llvm:
	@bash scripts/setup.sh --llvm

setup-test:
	@bash scripts/setup.sh --test
