#!/usr/bin/env bash
# Times examples beside hand-written C that does the same, on one thread and on two, and prints the ratios.
#   bash benches/compare.sh [OPTIONS [VALUES]]     10^7 options and 10^8 values by default
set -eu
cd "$(dirname "$0")/.."
frit=${CARGO_TARGET_DIR:-target}/release/frit
options=${1:-10000000}
values=${2:-100000000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$frit" run benches/options.l0 "$options" -o "$work/call.npy" -o "$work/price.npy" -o "$work/strike.npy" -o "$work/years.npy"
for threads in 1 2; do
    echo "Black-Scholes, $options options"
    "$frit" bench examples/p0_options.l0 "$work/call.npy" "$work/price.npy" "$work/strike.npy" "$work/years.npy" \
        --threads $threads --against benches/p0.c
done
if [ "$values" != 0 ]; then
    "$frit" run benches/values.l0 "$values" 256 -o "$work/values.npy"
    echo "histogram, $values values"
    "$frit" bench examples/histogram.l0 "$work/values.npy" 256 --threads 1 --runs 5 --against benches/histogram.c
fi
