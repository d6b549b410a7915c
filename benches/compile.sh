#!/usr/bin/env bash
# How the time of compiling grows with the length of programs. Generates programs of several shapes, each at doubling lengths, compiles them to C, and
# prints for each step what `frit build -v` says, in milliseconds, and how many times as long the last doubling took:
#
#   benches/compile.sh [SHAPE...]
#
# Without shapes: all that `cargo run -p frit-testkit --example large` names. SIZES are the numbers of lines, ROUNDS how often each is compiled (2, of
# which the least times count), LEAST the milliseconds from which on a step is shown (20). With CC=1 the C is compiled to a shared object as
# well. Exits with 1 if the last doubling of a shape takes more than GROWTH (3.0) times the processor time: twice would be linear, four times quadratic.
set -euo pipefail
cd "$(dirname "$0")/.."
frit=${FRIT:-$PWD/target/release/frit}
sizes=(${SIZES:-1250 2500 5000 10000})
rounds=${ROUNDS:-2} least=${LEAST:-20} growth=${GROWTH:-3.0}
[ -x "$frit" ] || cargo build --release --locked --quiet -p frit-cli
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
large() { cargo run --release --locked --quiet -p frit-testkit --example large -- "$@"; }

large >"$work/shapes"
[ $# -gt 0 ] || set -- $(awk '{ print $1 }' "$work/shapes")
status=0
for shape; do
    entry=$(awk -v shape="$shape" '$1 == shape { print $2 }' "$work/shapes")
    : >"$work/times"
    for size in "${sizes[@]}"; do
        program=$work/large.${entry:+sac}
        [ -n "$entry" ] || program=$work/large.l0
        large "$shape" "$size" >"$program"
        output=$work/large.c
        [ -z "${CC:-}" ] || output=$work/large.so
        for ((round = 0; round < rounds; round++)); do
            TIMEFORMAT='%U'
            { time "$frit" build -v ${entry:+--entry "$entry"} "$program" -o "$output" 2>"$work/steps"; } 2>"$work/user"
            awk -v size="$size" '
                { unit["ns"] = 1e-6; unit["µs"] = 1e-3; unit["ms"] = 1; unit["s"] = 1000 }
                FILENAME ~ /user$/ { printf "%s\t%g\tprocessor\n", size, $1 * 1000; next }
                $2 in unit { ms = $1 * unit[$2]; $1 = $2 = ""; sub(/^ +/, ""); printf "%s\t%g\t%s\n", size, ms, $0 }
            ' "$work/steps" "$work/user" >>"$work/times"
        done
    done
    awk -F '\t' -v sizes="${sizes[*]}" -v shape="$shape" -v least="$least" -v growth="$growth" '
        !($3 in seen) { seen[$3] = 1; steps[++count] = $3 }
        !(($3, $1) in ms) || $2 < ms[$3, $1] { ms[$3, $1] = $2 }
        END {
            n = split(sizes, size, " ")
            printf "%-14s", shape
            for (i = 1; i <= n; i++) printf "%10d", size[i]
            printf "%10s\n", "growth"
            for (s = 1; s <= count; s++) {
                step = steps[s]
                if (ms[step, size[n]] < least && step != "processor") continue
                printf "  %-12s", step
                for (i = 1; i <= n; i++) printf "%10.0f", ms[step, size[i]]
                ratio = n > 1 && ms[step, size[n - 1]] > 0 ? ms[step, size[n]] / ms[step, size[n - 1]] : 0
                printf "%10.2f\n", ratio
                if (step == "processor" && ratio > growth) exit 1
            }
        }' "$work/times" || status=1
done
exit "$status"
