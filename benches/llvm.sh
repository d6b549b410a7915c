#!/usr/bin/env bash
# C kernels compiled by clang alone and with Frit's plugin: equal bit for bit, how many loops were fused, and the ratio of the times, in the
# caches (32 KB) and beyond them (64 MB). Fails if results differ, or if a kernel takes more than 1.03 times as long in every one of five measurements.
#
#   bash benches/llvm.sh [NAME...]                      all kernels of benches/llvm/kernels, or these
#   FLAGS="-O2" PLUGIN_FLAGS="-mllvm -frit-fuse=always" ROUNDS=15 bash benches/llvm.sh
set -eu
cd "$(dirname "$0")/.."
plugin=${PLUGIN:-${CARGO_TARGET_DIR:-target}/release/libfrit_llvm.so}
clang=${CLANG:-clang-19}
flags=${FLAGS:--O3 -march=native}
rounds=${ROUNDS:-25}
limit=1.03
command -v "$clang" >/dev/null || { echo "llvm.sh: there is no $clang: bash scripts/setup.sh --llvm installs it" >&2; exit 1; }
[ -f "$plugin" ] || { echo "llvm.sh: there is no $plugin: make it with \`make llvm\`" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$clang" -O2 -Wall -rdynamic benches/llvm/driver.c -o "$folder/driver" -ldl

compile() { # compile SOURCE OUT [FLAGS...]
    source=$1 out=$2
    shift 2
    # shellcheck disable=SC2086
    "$clang" $flags -ffp-contract=off -fPIC -shared -Wl,-Bsymbolic "$@" "$source" -o "$out" -lm
}

is_slow() { awk -v ratio="$1" -v limit=$limit 'BEGIN { exit !(ratio > limit) }'; }

# The time of one run, of both versions, and their ratio: of the first measurement with which all is well, or else of the best one.
times=
measure() { # measure NAME BYTES
    times=
    for _ in 1 2 3 4 5; do
        new=$("$folder/driver" time "$folder/$1.plain.so" "$folder/$1.fused.so" "$2" "$rounds") || { echo "$new" >&2; return 1; }
        if [ -z "$times" ] || is_better "${new##* }" "${times##* }"; then times=$new; fi
        if ! is_slow "${times##* }"; then return 0; fi
    done
}
is_better() { awk -v one="$1" -v other="$2" 'BEGIN { exit !(one < other) }'; }

in_microseconds() { echo "$1" | awk '{ printf "%9.1f us %9.1f us  %5.3f", $1 * 1e6, $2 * 1e6, $3 }'; }

failed=
printf '%-20s %7s   %s   %s\n' kernel fusions "32 KB: clang        Frit  ratio" "64 MB: clang        Frit  ratio"
for source in benches/llvm/kernels/*.c; do
    name=$(basename "$source" .c)
    case " $* " in "  " | *" $name "*) ;; *) continue ;; esac
    compile "$source" "$folder/$name.plain.so"
    # shellcheck disable=SC2086
    compile "$source" "$folder/$name.fused.so" -fpass-plugin="$plugin" ${PLUGIN_FLAGS:-} -Rpass=frit-loop-fusion 2>"$folder/remarks" || { cat "$folder/remarks" >&2; exit 1; }
    fusions=$(grep -c 'remark:' "$folder/remarks" || true)
    if ! measure "$name" 32768; then failed="$failed $name"; continue; fi
    small=$times
    if ! measure "$name" 67108864; then failed="$failed $name"; continue; fi
    large=$times
    note=
    if is_slow "${small##* }" || is_slow "${large##* }"; then
        note="  slower than $limit times"
        failed="$failed $name"
    fi
    printf '%-20s %7s   %s   %s%s\n' "$name" "$fusions" "$(in_microseconds "$small")" "$(in_microseconds "$large")" "$note"
done
if [ -n "$failed" ]; then
    echo "llvm.sh: failed:$failed" >&2
    exit 1
fi
