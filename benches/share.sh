#!/usr/bin/env bash
# How much of the memory's bandwidth loops reach beyond the last cache: times workloads on large arrays in turn with a loop that moves as much as the
# workload must at least, and computes next to nothing (limits/traffic.c):
#
#   bash benches/share.sh [WORKLOAD...]
#
# prints a table in Markdown: each workload's time and that of the traffic, each the median of all rounds, and the median of the rounds' shares, traffic
# by workload. Both are run for a fraction of a second each in turn, as the bandwidth of shared machines changes by the second. THREADS is how many
# threads (those that there are), ROUNDS how often both are timed (9), ELEMENTS the size of an array (2^26, 512 MiB).
set -euo pipefail
cd "$(dirname "$0")/.."
frit=${FRIT:-$PWD/target/release/frit}
threads=${THREADS:-$(nproc)} rounds=${ROUNDS:-9} elements=${ELEMENTS:-67108864}
[ -x "$frit" ] || cargo build --release --locked --quiet -p frit-cli
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${CC:-gcc}" -O3 -march=native -fopenmp benches/limits/traffic.c -o "$work/traffic"

cat >"$work/vector.l0" <<'L0'
// Numbers from 0 to 1, in no order.
fun [real] main(int n) = map(fn real (int i) => toReal((i * 7919) % 1000003) / 1000003.0, iota(n))
L0
cat >"$work/square.l0" <<'L0'
fun [[real]] main(int n) = map(fn [real] (int i) => map(fn real (int j) => toReal((i * 7919 + j * 104729) % 1000003), iota(n)), iota(n))
L0
cat >"$work/cube.l0" <<'L0'
fun [[[real]]] main(int n) = map(fn [[real]] (int i) => map(fn [real] (int j) => map(fn real (int k) => toReal((i * 7919 + j * 104729 + k * 31) % 1000003), iota(n)), iota(n)), iota(n))
L0
cat >"$work/axpy.l0" <<'L0'
fun [real] main([real] x, [real] y) = map(op +, zip(map(op * (2.5), x), y))
L0
side=$(awk "BEGIN { print int(sqrt($elements)) }")
"$frit" run "$work/vector.l0" "$elements" -o "$work/vector.npy"
"$frit" run "$work/square.l0" "$side" -o "$work/square.npy"
side=$(awk "BEGIN { print int($elements ^ (1 / 3) + 1e-9) }")
"$frit" run "$work/cube.l0" "$side" -o "$work/cube.npy"

# Reads and writes of arrays that each must make at least, for each of so many steps, and arguments.
workloads() {
    echo "minmax 1 0 1 vector.npy
stats 1 0 1 vector.npy
chain 2 0 1 vector.npy vector.npy
dotfilter 2 0 1 vector.npy vector.npy
axpy 2 1 1 vector.npy vector.npy
scanmap 1 1 1 vector.npy
unsharp 1 1 1 square.npy
jacobi2d 1 1 10 square.npy 10
conv1d 1 1 10 vector.npy 0.0 10
conv2d 1 1 10 square.npy 0.0 10
conv3d 1 1 10 cube.npy 0.0 10"
}

median() { sort -g | awk '{ a[NR] = $1 } END { print a[int((NR + 1) / 2)] }'; }

echo '| workload | threads | time, ms | traffic, ms | share |'
echo '|---|---|---|---|---|'
workloads | while read -r name reads writes steps arguments; do
    [ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
    program=$PWD/benches/workloads/$name.l0
    [ -e "$program" ] || program=$work/$name.l0
    for ((round = 0; round < rounds; round++)); do
        # shellcheck disable=SC2086
        time=$(cd "$work" && "$frit" bench "$program" $arguments --times --runs 5 --threads "$threads" | awk '{ print $2 }' | median)
        traffic=$(OMP_NUM_THREADS=$threads "$work/traffic" "$reads" "$writes" "$elements" 5)
        awk "BEGIN { printf \"%.9f %.9f %.4f\\n\", $time, $traffic * $steps, $traffic * $steps / $time }"
    done >"$work/rounds"
    awk "BEGIN { printf \"| %s | %d | %.1f | %.1f | %.2f |\\n\", \"$name\", $threads, $(cut -d' ' -f1 "$work/rounds" | median) * 1e3,
        $(cut -d' ' -f2 "$work/rounds" | median) * 1e3, $(cut -d' ' -f3 "$work/rounds" | median) }"
done
