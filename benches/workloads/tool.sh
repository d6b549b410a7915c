#!/usr/bin/env bash
# Runs a program of this folder for a harness that times tools on common workloads:
#
#   tool.sh LANGUAGE WORKLOAD RUNS INPUT.npy... -- OUTPUT.npy...
#
# writes the results and prints a line `kernel_seconds: SECONDS` for each run. LANGUAGE is l0, sac, or py for NumPy; FRIT names another `frit`, FRIT_OPTIONS has
# options for it, as `--threads 1`. Exits with 2 where the workload has no program in that language.
set -euo pipefail
folder=$(cd "$(dirname "$0")" && pwd)
language=$1 workload=$2 runs=$3
shift 3
# Programs in SAC and NumPy hold for arrays of any rank.
[ "$language" != l0 ] && workload=${workload/#conv?d/conv}
program=$folder/$workload.$language
[ -f "$program" ] || { echo "no program in $language for $workload" >&2; exit 2; }
inputs=() outputs=()
while [ "$1" != -- ]; do inputs+=("$1"); shift; done
shift
for output; do outputs+=(-o "$output"); done
entry=()
case $language in
    sac) entry=(--entry run) ;;
    py) entry=(--entry main) ;;
esac
# shellcheck disable=SC2086
exec "${FRIT:-$folder/../../target/release/frit}" bench "$program" "${entry[@]}" "${inputs[@]}" --runs "$runs" --times "${outputs[@]}" ${FRIT_OPTIONS:-}
