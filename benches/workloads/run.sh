#!/usr/bin/env bash
# Times the programs of this folder beside those of other tools on the same input, and writes benches/RESULTS.md and its summary in README.md:
#
#   PEERS=FOLDER benches/workloads/run.sh [OPTIONS OF THE HARNESS, as --quick or --only minmax:1e6]
#
# FOLDER holds the harness: `run.py`, and a folder for each workload with hand-written C and programs for NumPy, numexpr, Numba, JAX, PyTorch and
# Halide. Peers that are not installed are left out; PEER_PACKAGES names those that pip installs. On two threads with all peers, and on one
# beside the C. Peak memory is measured too.
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

tool() { echo "$1=$PWD/benches/workloads/tool.sh $2 {workload} {nruns} {inputs} -- {outputs}"; }
measure() { # measure THREADS [OPTIONS]: into $work/THREADS.json
    threads=$1
    shift
    # The folder of the harness is not written to.
    PEERS_WORK=$work PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=$threads FRIT_OPTIONS="--threads $threads" "$python" "$peers/run.py" \
        --tool "$(tool frit-l0 l0)" --tool "$(tool frit-sac sac)" --out "$work/$threads.md" --json "$work/$threads.json" "$@"
}
measure 2 "$@"
measure 1 "$@" --peers C-expert,C-expert-fast
{
    "$python" benches/workloads/results.py "$work/2.json" "$work/1.json" README.md
    "$python" benches/workloads/memory.py "$work" "$work/2.json"
} >"$work/RESULTS.md"
mv "$work/RESULTS.md" benches/RESULTS.md
echo "wrote benches/RESULTS.md and the summary in README.md"
