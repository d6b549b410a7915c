#!/usr/bin/env bash
# Sets up what building Frit needs and is missing: a C compiler with OpenMP, and isl, the integer set library; with --test
# also what only its tests need: Chromium, in which the page of `frit explain` is looked at, and clang, with which transformed
# C is compiled besides the C compiler at hand. Rust must be there. Installs
# with apt-get, as root or through sudo; on other systems it says what to install.
set -eu

need() { # need COMMAND... : is one of them there?
    for command in "$@"; do
        if command -v "$command" >/dev/null 2>&1; then return 0; fi
    done
    return 1
}

install() {
    if ! need apt-get; then
        echo "setup: please install: $*" >&2
        exit 1
    fi
    if [ "$(id -u)" = 0 ]; then as_root=; else as_root=sudo; fi
    echo "setup: installing $*" >&2
    DEBIAN_FRONTEND=noninteractive $as_root apt-get update -qq
    DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq "$@" >/dev/null
}

if ! need cargo && [ -f "$HOME/.cargo/env" ]; then
    . "$HOME/.cargo/env"
fi
if ! need cargo; then
    echo "setup: Frit is built with Rust, version 1.90 or later: see https://rustup.rs" >&2
    exit 1
fi
if ! need "${CC:-cc}" cc gcc clang; then
    install gcc libc6-dev
fi
if ! pkg-config --exists isl 2>/dev/null && ! [ -f /usr/include/isl/set.h ]; then
    install libisl-dev
fi
if [ "${1:-}" = --test ] && ! need chromium; then
    # Without it the tests of the page are skipped by name.
    (install chromium) || echo "setup: without Chromium the page of \`frit explain\` is not tested" >&2
fi
if [ "${1:-}" = --test ] && ! need clang clang-19; then
    # Without it C is tested with the one compiler only, as the tests say by name.
    (install clang-19 libclang-rt-19-dev libomp-19-dev || install clang) || echo "setup: without clang, transformed C is not tested with it" >&2
fi
