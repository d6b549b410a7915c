#!/usr/bin/env bash
# C kernels before and after `frit fuse`, on images of 4096 x 4096 floats, with each C compiler at hand: time, ratio, and memory of temporaries.
set -eu
cd "$(dirname "$0")/.."
frit=${FRIT:-target/release/frit}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ulimit -s unlimited # Kernels have images on the stack.

bench() { # bench NAME FUNCTION CALL ROWS COLUMNS [OPTIONS of frit fuse...]
    name=$1 function=$2 call=$3 sizes=$4=4096,$5=4096
    shift 5
    "$frit" fuse "tests/c/kernels/$name.c" -o "$folder/$name.c" --sizes "$sizes" -q "$@"
    for compiler in ${COMPILERS:-gcc clang-19}; do
        command -v "$compiler" >/dev/null || continue
        for flags in "-O2" "-O3" "-O3 -march=native"; do
            for version in before after; do
                if [ $version = before ]; then source=tests/c/kernels/$name.c; else source=$folder/$name.c; fi
                # shellcheck disable=SC2086
                "$compiler" $flags -ffp-contract=off -fopenmp-simd -w -D"$function=$version$function" -c "$source" -o "$folder/$version.o"
                echo "void $version$function(); void $version(int n, int m, float weight, const float *in, float *out) { $version$call; }" >"$folder/call-$version.c"
            done
            # shellcheck disable=SC2086
            "$compiler" $flags -w benches/c_loops.c "$folder"/call-*.c "$folder/before.o" "$folder/after.o" -o "$folder/run" -lm
            printf '%s %s, %s %s: ' "$name" "$*" "$compiler" "$flags"
            "$folder/run" "${SIZE:-4096}"
        done
    done
}

for options in "" "--simd"; do
    # shellcheck disable=SC2086
    bench unsharp_mask unsharp_mask "unsharp_mask(n, m, weight, in, out)" n m $options
    # shellcheck disable=SC2086
    bench harris harris "harris(n, m, in, out)" h w $options
done
