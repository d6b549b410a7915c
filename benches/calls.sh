#!/usr/bin/env bash
# What does a call of a small program take? Builds workloads as C libraries and calls each from C in a loop, on vectors of 100 elements and
# matrices of 10 x 10:
#
#   benches/calls.sh [WORKLOAD...]
#
# prints a line for each: microseconds per call on one thread and on several, arguments checked and results released, the least of several rounds. Without
# workloads: those of benches/workloads that have a function in L0. THREADS is how many threads (2). Exits with 1 if a call takes longer than
# LIMIT microseconds (2) each time that it is measured, up to three times: on a busy machine some always do.
set -euo pipefail
cd "$(dirname "$0")/.."
frit=${FRIT:-$PWD/target/release/frit}
threads=${THREADS:-2} limit=${LIMIT:-2}
[ $# -gt 0 ] || set -- minmax stats chain scanmap dotfilter histogram jacobi2d matmul unsharp blackscholes
[ -x "$frit" ] || cargo build --release --locked --quiet -p frit-cli
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The arguments of a call, and where its results go: `a` to `d` are vectors or matrices, `r` scalars, `v` and `m` arrays.
call() {
    case $1 in
    minmax) echo 'n, a, &r[0], &r[1]' ;;
    stats) echo 'n, a, &r[0], &r[1], &r[2], &r[3]' ;;
    chain | dotfilter) echo 'n, n, a, b, &r[0]' ;;
    scanmap | histogram) echo 'n, a, &v' ;;
    jacobi2d) echo '10, 10, a, 1, &v' ;;
    matmul) echo '10, 10, 10, 10, a, b, &v' ;;
    unsharp) echo '10, 10, a, &v' ;;
    blackscholes) echo 'n, n, n, n, which, a, b, c, &v' ;;
    *) echo "no workload $1" >&2 && return 2 ;;
    esac
}

# The type of an array result, if there is one.
array() {
    case $1 in
    scanmap | blackscholes) echo frit_f64_1d ;;
    histogram) echo frit_i64_1d ;;
    jacobi2d | matmul | unsharp) echo frit_f64_2d ;;
    esac
}

program() { # program WORKLOAD: C that times its calls
    local name=$1 type
    type=$(array "$name")
    cat <<C
#include "$name.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

int main(int argc, char **argv) {
    enum { n = 100, calls = 20000, rounds = 7 };
    double a[n], b[n], c[n], r[4], least = 1e30;
    bool which[n];
    for (int i = 0; i < n; i++) {
        a[i] = (i * 7919 % 1009 + 1) / 1010.0, b[i] = (i * 104729 % 1009 + 1) / 1010.0, c[i] = a[i] + b[i], which[i] = i % 2;
    }
    (void)argc, (void)b, (void)c, (void)r, (void)which;
    frit_context *context = ${name}_open(atoi(argv[1]));
    for (int round = 0; round < rounds; round++) {
        double start = now();
        for (int call = 0; call < calls; call++) {
            ${type:+$type v;}
            if (${name}(context, $(call "$name")) != FRIT_OK) {
                fprintf(stderr, "%s\n", ${name}_message(context));
                return 1;
            }
            ${type:+${name}_release(context, v.owner);}
        }
        double each = (now() - start) / calls;
        least = each < least ? each : least;
    }
    ${name}_close(context);
    printf("%.3f\n", least);
}
C
}

slower=0
printf '%-14s %14s %14s\n' workload '1 thread, µs' "$threads threads, µs"
for name; do
    "$frit" build "benches/workloads/$name.l0" -o "$work/$name.so"
    program "$name" >"$work/$name.c"
    ${CC:-cc} -O2 -I"$work" "$work/$name.c" "$work/$name.so" -Wl,-rpath,"$work" -o "$work/$name"
    for _ in 1 2 3; do
        one=$("$work/$name" 1) several=$("$work/$name" "$threads") mark=
        is_slower=$(awk "BEGIN { print ($one > $limit || $several > $limit) }")
        [ "$is_slower" = 1 ] || break
    done
    if [ "$is_slower" = 1 ]; then
        mark=' slower'
        slower=1
    fi
    printf '%-14s %14s %14s%s\n' "$name" "$one" "$several" "$mark"
done
exit "$slower"
