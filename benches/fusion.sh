#!/usr/bin/env bash
# What merging loops saves: programs with their loops merged and apart, run in turn on one thread, and the memory of P1.
# Prints how many times as long the program takes with its loops apart.
set -eu
cd "$(dirname "$0")/.."
cargo build --release --quiet --locked
frit=target/release/frit
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

ratio() { # ratio NAME FILE [ARGS]
    local name=$1
    shift
    printf '%-36s %s\n' "$name" "$("$frit" bench "$@" --no-fuse --threads 1 --json |
        python3 -c 'import json, sys; r = json.load(sys.stdin); print("%.2f" % r["no_fuse_ratio"])')"
}

python3 - "$work" <<'PYTHON'
import array, random, struct, sys

def npy(path, kind, shape, elements):
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (kind, shape)
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + elements.tobytes())

random.seed(1)
some = array.array("d", [random.random() for _ in range(100_000)])
npy(sys.argv[1] + "/reals.npy", "<f8", (10_000_000,), some * 100)
npy(sys.argv[1] + "/matrix.npy", "<i8", (512, 512), array.array("q", [i % 17 for i in range(512 * 512)]))
PYTHON
python3 tests/reference/swaption_input.py --members 32 --generations 5 --points 64 --quotes 36 > "$work/swaption.in"

ratio "six maps and a sum, 10^7" benches/six_maps.l0 "$work/reals.npy"
ratio "four statistics, 10^7" benches/statistics.l0 "$work/reals.npy"
ratio "option pricer, 200,000 x 32 x 2" examples/option_pricer.l0 200000 32 100.0 0.03 1.0 "[95.0, 110.0]" \
    "[0.25, 0.35]" "[[1.0, 0.0], [0.6, 0.8]]"
ratio "local volatility, 4096 x 2048" examples/volcalib.l0 "{4096, 2048, 2}" "{0.03, 5.0, 0.2, 0.6, 0.5}" "[0.02]" "[0.0205]"
ratio "swaption, 32 x 5 x 64 x 36" examples/swaption.l0 < "$work/swaption.in"

memory() { # memory NAME [OPTION]: peak of P1 at n = 512, where the cube of intermediate products is 1 GiB
    local name=$1
    shift
    python3 - "$frit" "$work" "$@" <<'PYTHON' | xargs printf '%-36s %s MB\n' "$name"
import resource, subprocess, sys
frit, work, *options = sys.argv[1:]
matrix = work + "/matrix.npy"
subprocess.run([frit, "run", "examples/p1.l0", *options, matrix, matrix, "-o", work + "/product.npy"], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
PYTHON
}
memory "P1, n = 512, peak memory"
memory "the same, loops apart" --no-fuse
