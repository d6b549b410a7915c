#!/usr/bin/env bash
# Runs a real program: Black-Scholes option prices over the 1825 days of the thesis' data, with what was compiled.
set -eu
cd "$(dirname "$0")/.."
frit=${CARGO_TARGET_DIR:-target}/release/frit

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }

say "The program: examples/p0.l0 prices one call option per day"
sed -n '/^fun/,$p' examples/p0.l0

say "What it became: three parallel loops, sizes known, every call inlined (frit dump --after simplify --l0 examples/p0.l0)"
"$frit" dump --after simplify --l0 examples/p0.l0 | head -30
echo "    ..."

say "The C of the pricing loop (frit dump --after c examples/p0_options.l0)"
"$frit" dump --after c examples/p0_options.l0 | sed -n '/#pragma omp/,/^    }/p'

say "Its prices for 1825 days, the first and the last (frit run -v examples/p0.l0 1825)"
"$frit" run -v examples/p0.l0 1825 | sed 's/\(.\{60\}\).*\(.\{40\}\)$/\1 ... \2/'

say "How fast it is on a million options, beside the C in benches/p0.c"
bash benches/compare.sh 1000000 0
