#!/usr/bin/env bash
# Times the programs of this folder beside those of other tools on the same input, and writes benches/RESULTS.md and its summary in README.md:
#
#   PEERS=FOLDER benches/workloads/run.sh [OPTIONS OF THE HARNESS, as --quick or --only minmax:1e6]
#
# FOLDER holds the harness: `run.py`, and a folder for each workload with hand-written C and programs for NumPy, numexpr, Numba, JAX, PyTorch and
# Halide; benches/peers has further workloads in its form. Peers that are not installed are left out; PEER_PACKAGES names those that pip installs.
# On two threads with all peers and with the same programs unfused, every operation on arrays a loop of its own; on one thread beside the C. Peak
# memory is measured too, and the share of the memory's bandwidth on arrays beyond the caches.
set -euo pipefail
cd "$(dirname "$0")/../.."
if [ ! -f "${PEERS:-}/run.py" ]; then
    echo "run.sh: PEERS names no folder with the harness run.py: make bench PEERS=FOLDER" >&2
    exit 2
fi
peers=$(cd "$PEERS" && pwd)
work=$PWD/target/peers
python=$work/venv/bin/python
mkdir -p "$work"
[ -x "$python" ] || python3 -m venv "$work/venv"
# shellcheck disable=SC2086
"$python" -m pip install --quiet --disable-pip-version-check ${PEER_PACKAGES:-numpy numexpr numba jax[cpu] halide}
cargo build --release --locked --quiet -p frit-cli

# The harness looks for workloads beside itself, and is not written to: its scripts are copied, the workloads of both folders linked; its own have
# precedence.
harness=$work/harness
rm -rf "$harness"
mkdir "$harness"
ln -s "$PWD"/benches/peers/*/ "$harness"
ln -sf "$peers"/*/ "$harness"
cp "$peers"/*.py "$peers"/*.h "$harness"
# Its program for the machine's limits wants AVX-512.
if ! grep -q avx512f /proc/cpuinfo; then
    ln -sfn "$PWD/benches/limits" "$harness/limits"
fi
# It lists the workloads that it knows.
all='import os, run; print(",".join(run.ORDER + sorted(set(os.listdir("'$PWD'/benches/peers")) - set(run.ORDER))))'
all=$(PEERS_WORK=$work PYTHONPATH=$harness PYTHONDONTWRITEBYTECODE=1 "$python" -c "$all")

tool() { # tool NAME LANGUAGE RUNS THREADS [OPTIONS]
    echo "$1=FRIT_OPTIONS='--threads $4 ${5:-}' '$PWD/benches/workloads/tool.sh' $2 {workload} $3 {inputs} -- {outputs}"
}
measure() { # measure THREADS [OPTIONS]: into $work/THREADS.json
    threads=$1
    shift
    PEERS_WORK=$work PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=$threads "$python" "$harness/run.py" --only "$all" --budget 10 \
        --tool "$(tool frit-l0 l0 '{nruns}' "$threads")" --tool "$(tool frit-sac sac '{nruns}' "$threads")" \
        --out "$work/$threads.md" --json "$work/$threads.json" "$@"
}
# Unfused programs are slow, so each runs but once a round.
measure 2 --tool "$(tool frit-l0-unfused l0 1 2 '--fusion-limit 0')" --tool "$(tool frit-sac-unfused sac 1 2 '--fusion-limit 0')" "$@"
measure 1 "$@" --peers C-expert,C-expert-fast
{
    "$python" benches/workloads/results.py "$work/2.json" "$work/1.json" README.md
    "$python" benches/workloads/memory.py "$work" "$work/2.json"
    printf '\n## Share of the bandwidth\n\nOn arrays of 512 MiB, beside a loop that moves as much and computes next to nothing, in turn (benches/share.sh).\n\n'
    THREADS=2 ROUNDS=5 bash benches/share.sh
    THREADS=1 ROUNDS=5 bash benches/share.sh | tail -n +3
} >"$work/RESULTS.md"
mv "$work/RESULTS.md" benches/RESULTS.md
echo "wrote benches/RESULTS.md and the summary in README.md"
