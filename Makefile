# `make demo` sets up what is missing, builds Frit and runs a real program; `make test` passes all tests.

CARGO ?= cargo

.PHONY: demo build test check setup setup-test

demo: build
	@bash scripts/demo.sh

build: setup
	$(CARGO) build --release --locked

test: setup-test
	$(CARGO) xtask check

setup:
	@bash scripts/setup.sh

setup-test:
	@bash scripts/setup.sh --test
