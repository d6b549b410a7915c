#!/usr/bin/env bash
# From which size on do threads pay, and do they ever cost? Times programs with one parameter or several vectors of reals, of lengths from 1 to
# 10^8, on one thread and on several, in turn:
#
#   benches/sizes.sh [PROGRAM.l0...]
#
# prints a line for each program and size: the least time of each, and the time on several threads by that on one. Without programs: those of
# benches/workloads that common array programs are made of; jacobi2d gets square arrays, and 10 steps. THREADS is how many threads (2), ROUNDS how
# often both are timed (5), SIZES the lengths. Exits with 1 if a size is more than 3 % slower on several threads in every round, each time that it is
# measured, up to three times: on a busy machine some always are.
set -euo pipefail
cd "$(dirname "$0")/.."
frit=${FRIT:-$PWD/target/release/frit}
threads=${THREADS:-2} rounds=${ROUNDS:-5}
sizes=${SIZES:-1 3 10 30 100 300 1000 3000 10000 30000 100000 300000 1000000 2000000 3000000 10000000 30000000 100000000}
[ $# -gt 0 ] || set -- benches/workloads/{minmax,chain,scanmap,dotfilter,jacobi2d}.l0
[ -x "$frit" ] || cargo build --release --locked --quiet -p frit-cli
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/vector.l0" <<'L0'
// Numbers from 0 to 1, in no order.
fun [real] main(int n) = map(fn real (int i) => toReal((i * 7919) % 1000003) / 1000003.0, iota(n))
L0
cat >"$work/square.l0" <<'L0'
fun [[real]] main(int n) = map(fn [real] (int i) => map(fn real (int j) => toReal((i * 7919 + j * 104729) % 1000003), iota(n)), iota(n))
L0

least() { # least PROGRAM THREADS RUNS ARGUMENTS: the least time of a run in nanoseconds
    "$frit" bench "$1" "${@:4}" --times --runs "$3" --threads "$2" | awk '{ t = $2 * 1e9; if (NR == 1 || t < least) least = t } END { printf "%.0f\n", least }'
}

measure() { # measure PROGRAM SIZE ARGUMENTS: both least times, and the least ratio of all rounds, as `ONE SEVERAL LEAST-RATIO`
    local program=$1 size=$2 runs
    shift 2
    # As many runs as take some tenths of a second.
    runs=$((30000000 / (size + 10000) + 10))
    for ((round = 0; round < rounds; round++)); do
        echo "$(least "$program" 1 "$runs" "$@") $(least "$program" "$threads" "$runs" "$@")"
    done | awk '{ r = $2 / ($1 > 0 ? $1 : 1)
                  if (NR == 1 || $1 < one) one = $1
                  if (NR == 1 || $2 < several) several = $2
                  if (NR == 1 || r < ratio) ratio = r }
                END { printf "%d %d %.3f\n", one, several, ratio }'
}

slower=0
printf '%-12s %10s %14s %14s %7s\n' program size '1 thread, µs' "$threads threads, µs" ratio
for program; do
    name=$(basename "$program" .l0)
    for size in $sizes; do
        if grep -q 'main(\[\[real\]\]' "$program"; then
            side=$(awk "BEGIN { print int(sqrt($size) + 0.5) }")
            "$frit" run "$work/square.l0" "$side" -o "$work/in.npy"
            arguments=("$work/in.npy" 10)
        else
            "$frit" run "$work/vector.l0" "$size" -o "$work/in.npy"
            parameters=$(grep -o 'main(.*)' "$program" | head -1 | grep -o '\[real\] [a-z]*' | wc -l)
            arguments=()
            for ((at = 0; at < parameters; at++)); do arguments+=("$work/in.npy"); done
        fi
        for _ in 1 2 3; do
            read -r one several ratio < <(measure "$program" "$size" "${arguments[@]}")
            # A clock that counts nanoseconds says little of less than a microsecond.
            is_slower=$(awk "BEGIN { print ($ratio > 1.03 && $several - $one > 30) }")
            [ "$is_slower" = 1 ] || break
        done
        mark=
        if [ "$is_slower" = 1 ]; then
            mark=' slower'
            slower=1
        fi
        awk "BEGIN { printf \"%-12s %10d %14.2f %14.2f %7.2f%s\\n\", \"$name\", $size, $one / 1e3, $several / 1e3, $several / ($one > 0 ? $one : 1), \"$mark\" }"
    done
done
exit "$slower"
