#!/usr/bin/env bash
# Times programs that are akin to the workloads, and none of them, beside hand-written C, on one thread and on two, in turn, and prints the medians
# in milliseconds and their ratios. Both must compute the same.
#   bash benches/relatives.sh [PROGRAM...]     all of benches/relatives by default
set -euo pipefail
cd "$(dirname "$0")/.."
frit=${CARGO_TARGET_DIR:-target}/release/frit
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# inputs NAME ROWS COLUMNS: a table, and its elements, rows and columns as vectors.
inputs() {
    "$frit" run benches/relatives/inputs.l0 "$2" "$3" "${#1}" -o "$work/$1.npy" -o "$work/$1.elements.npy" -o "$work/$1.starts.npy" \
        -o "$work/$1.columns.npy"
}
# relative NAME ARGUMENT...: those that are no numbers name what inputs made.
relative() {
    name=$1
    shift
    arguments=()
    for argument; do
        case $argument in
            *[!0-9]*) arguments+=("$work/$argument.npy") ;;
            *) arguments+=("$argument") ;;
        esac
    done
    printf '%-16s' "$name"
    for threads in 1 2; do
        "$frit" bench "benches/relatives/$name.l0" "${arguments[@]}" --threads $threads --against "benches/relatives/$name.c" --json |
            sed -E 's/.*"against_median_s": ?([0-9.e-]+).*"median_s": ?([0-9.e-]+).*"ratio": ?([0-9.e-]+).*/\2 \1 \3/' |
            awk '{ printf "  %8.2f / %8.2f = %5.2f", $1 * 1e3, $2 * 1e3, $3 }'
    done
    echo
}

inputs small 5 5
inputs points 4000 8
inputs queries 2000 8
inputs square 2048 2048
inputs wide 4096 1024
inputs tall 100000 64
inputs target 100000 1
inputs row 1 1024
inputs column 4096 1
inputs sparse 200000 14
inputs node 200000 1
inputs long 10000000 1
inputs coefficients 32 1

echo "program             1 thread: frit / C = ratio         2 threads"
if [ $# = 0 ]; then
    set -- softmax standardise column_sums moving_average convolution integral_image polynomial nearest sparse_product least both_products logistic_regression
fi
for program; do
    case $program in
        softmax | column_sums) relative "$program" wide ;;
        standardise) relative "$program" tall ;;
        moving_average) relative "$program" long.elements 50 ;;
        convolution) relative "$program" small square ;;
        integral_image) relative "$program" square ;;
        polynomial) relative "$program" coefficients.elements long.elements ;;
        nearest) relative "$program" points queries ;;
        sparse_product) relative "$program" sparse.starts sparse.columns sparse.elements node.elements ;;
        least) relative "$program" long.elements ;;
        both_products) relative "$program" wide row.elements column.elements ;;
        logistic_regression) relative "$program" tall target.elements 10 ;;
        *) echo "relatives.sh: there is no $program" >&2 && exit 2 ;;
    esac
done
