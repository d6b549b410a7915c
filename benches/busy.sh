#!/usr/bin/env bash
# What threads cost where they do not pay: times programs with small parallel loops on one thread and on several, in turn, on a quiet machine and
# beside another process that keeps all cores busy:
#
#   bash benches/busy.sh [PROGRAM...]
#
# prints a table in Markdown: the median of each, and how many times as long the program takes on several threads as on one. It fails if that is more
# than 1.03 times on the quiet machine, or 1.1 times on the busy one. THREADS is how many threads (2), ROUNDS how often each is timed (11).
set -euo pipefail
cd "$(dirname "$0")/.."
frit=${FRIT:-$PWD/target/release/frit}
threads=${THREADS:-2} rounds=${ROUNDS:-11}
[ -x "$frit" ] || cargo build --release --locked --quiet -p frit-cli
work=$(mktemp -d)
busy=()
quiet() {
    [ ${#busy[@]} -eq 0 ] || kill "${busy[@]}" 2>/dev/null || true
    busy=()
}
trap 'quiet; rm -rf "$work"' EXIT

# A program for each way in which loops run on threads, and the sizes of its arrays. Each takes some tenths of a second.
cat >"$work/stencil.l0" <<'L0'
fun real main(int n, int steps) =
  loop (a = map(fn real (int i) => toReal(i % 7), iota(n))) = for k < steps do
    map(fn real (int i) => 0.25 * a[(i + n - 1) % n] + 0.5 * a[i] + 0.25 * a[(i + 1) % n], iota(n))
  in a[0]
L0
cat >"$work/sum.l0" <<'L0'
fun real main(int n, int steps) =
  let a = map(fn real (int i) => toReal(i % 7), iota(n)) in
  loop (s = 0.0) = for k < steps do s * 0.5 + reduce(op +, 0.0, map(fn real (real x) => if x < s then x * s else x, a)) in s
L0
cat >"$work/scan.l0" <<'L0'
fun int main(int n, int steps) =
  loop (a = map(fn int (int i) => i % 7, iota(n))) = for k < steps do map(fn int (int x) => x % 1000, scan(op +, k, a)) in a[n - 1]
L0
cat >"$work/exponential.l0" <<'L0'
fun real main(int n, int steps) =
  loop (a = map(fn real (int i) => toReal(i % 7), iota(n))) = for k < steps do map(fn real (real x) => exp(0.0 - x * x), a) in
  reduce(op +, 0.0, a)
L0
cat >"$work/columns.l0" <<'L0'
fun real main(int n, int steps) =
  let rows = n / 64 in
  loop (a = map(fn [real] (int i) => map(fn real (int j) => toReal((i * j) % 7), iota(64)), iota(rows))) = for k < steps do
    let sums = reduce(fn [real] ([real] x, [real] y) => map(op +, zip(x, y)), replicate(64, 0.0), a) in
    map(fn [real] ([real] row) => map(fn real (real x, real s) => x * 0.5 + s * 0.001, zip(row, sums)), a)
  in a[0, 0]
L0
programs=("${@:-}")
[ -n "${programs[0]}" ] || programs=(stencil sum scan exponential columns)
sizes=(1024 8192 32768 131072 1048576)

median() { sort -n | awk '{ at[NR] = $1 } END { print at[int((NR + 1) / 2)] }'; }
# Milliseconds of the program itself, the least of a few runs in one process.
run() {
    "$frit" bench "$work/$1.l0" "$2" "$3" --threads "$4" --runs 3 --json | sed 's/.*"min_s": *\([0-9.e+-]*\).*/\1/' | awk '{ printf "%.4f\n", $1 * 1000 }'
}

failed=0
measure() { # MACHINE LIMIT
    for program in "${programs[@]}"; do
        for size in "${sizes[@]}"; do
            case $program in
            stencil) elements=20000000 ;;
            scan | exponential) elements=200000000 ;;
            *) elements=400000000 ;;
            esac
            steps=$((elements / size + 1))
            : >"$work/one"
            : >"$work/several"
            : >"$work/ratios"
            for ((round = 0; round < rounds; round++)); do
                run "$program" "$size" "$steps" 1 >>"$work/one"
                run "$program" "$size" "$steps" "$threads" >>"$work/several"
            done
            ratio=$(paste "$work/several" "$work/one" | awk '{ print $1 / $2 }' | median)
            mark=$(awk "BEGIN { print ($ratio > $2) ? \" **\" : \"\" }")
            [ -z "$mark" ] || failed=1
            printf '| %s | %s | %d | %.1f | %.1f | %.2f%s |\n' "$1" "$program" "$size" "$(median <"$work/one")" "$(median <"$work/several")" "$ratio" "$mark"
        done
    done
}

echo "| machine | program | elements | ms on one thread | on $threads | times |"
echo "|---|---|---:|---:|---:|---:|"
measure quiet 1.03
for ((core = 0; core < $(nproc); core++)); do
    (while :; do :; done) &
    busy+=($!)
done
measure busy 1.1
exit $failed
