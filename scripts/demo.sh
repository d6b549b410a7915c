#!/usr/bin/env bash
# Runs a real program: Black-Scholes option prices over the 1825 days of the thesis' data, with what was compiled.
set -eu
cd "$(dirname "$0")/.."
frit=${CARGO_TARGET_DIR:-target}/release/frit

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }

say "The program: examples/p0.l0 prices one call option per day"
sed -n '/^fun/,$p' examples/p0.l0

say "What it became: one with-loop, no temporary array ($frit dump --after simplify examples/p0.l0)"
"$frit" dump --after simplify examples/p0.l0 | head -40

say "The C that runs ($frit dump --after c examples/p0.l0, the loop)"
"$frit" dump --after c examples/p0.l0 | grep -n -A30 '#pragma omp' | head -40

say "Its prices for 1825 days, the first five ($frit run -v examples/p0.l0 1825)"
"$frit" run -v examples/p0.l0 1825 | cut -c1-60

say "How fast it is on a million options, beside the C in benches/p0.c"
bash benches/compare.sh 1000000 0
