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
npy(sys.argv[1] + "/few.npy", "<f8", (1_000,), some[:1_000])
npy(sys.argv[1] + "/image.npy", "<f8", (4_096, 4_096), some * 167 + some[:77_216])
npy(sys.argv[1] + "/small_image.npy", "<f8", (256, 256), some[:65_536])
npy(sys.argv[1] + "/area.npy", "<f8", (3_000, 3_000), some * 90)
npy(sys.argv[1] + "/small_area.npy", "<f8", (30, 30), some[:900])
for name, side in ("mesh", 2_000), ("small_mesh", 60):
    for axis in "xy":
        at = (lambda k: k % side) if axis == "x" else (lambda k: k // side)
        points = array.array("d", [at(k) + 0.01 * (k * 7919 % 1009) / 1009 for k in range(side * side)])
        npy(f"{sys.argv[1]}/{name}_{axis}.npy", "<f8", (side, side), points)
npy(sys.argv[1] + "/matrix.npy", "<i8", (512, 512), array.array("q", [i % 17 for i in range(512 * 512)]))
PYTHON
python3 tests/reference/swaption_input.py --members 32 --generations 5 --points 64 --quotes 36 > "$work/swaption.in"

ratio "six maps and a sum, 10^7" benches/six_maps.l0 "$work/reals.npy"
ratio "four statistics, 10^7" benches/statistics.l0 "$work/reals.npy"
ratio "option pricer, 200,000 x 32 x 2" examples/option_pricer.l0 200000 32 100.0 0.03 1.0 "[95.0, 110.0]" \
    "[0.25, 0.35]" "[[1.0, 0.0], [0.6, 0.8]]"
ratio "local volatility, 4096 x 2048" examples/volcalib.l0 "{4096, 2048, 2}" "{0.03, 5.0, 0.2, 0.6, 0.5}" "[0.02]" "[0.0205]"
ratio "swaption, 32 x 5 x 64 x 36" examples/swaption.l0 < "$work/swaption.in"
ratio "SAC: min/max, 10^7" benches/minmax.sac --entry minmax "$work/reals.npy"
ratio "SAC: min/max, 10^3" benches/minmax.sac --entry minmax "$work/few.npy"
ratio "SAC: convolution to convergence, 10^7" examples/convolution.sac --entry convolution "$work/reals.npy" 0.1
ratio "SAC: the same, 3000 x 3000" examples/convolution.sac --entry convolution "$work/area.npy" 0.1
ratio "SAC: the same, 30 x 30" examples/convolution.sac --entry convolution "$work/small_area.npy" 0.1
ratio "SAC: tomcatv, 2000 x 2000" examples/tomcatv.sac --entry tomcatv "$work/mesh_x.npy" "$work/mesh_y.npy" 2
ratio "SAC: tomcatv, 60 x 60" examples/tomcatv.sac --entry tomcatv "$work/small_mesh_x.npy" "$work/small_mesh_y.npy" 2

windows() { # windows NAME THREADS FILE ...: how many times as long the program takes when the arrays between loop nests are stored as a whole
    local name=$1 threads=$2
    shift 2
    local with without
    with=$("$frit" bench "$@" --threads "$threads" --json)
    without=$("$frit" bench "$@" --threads "$threads" --json --no-windows)
    printf '%-36s %s\n' "$name" "$(python3 -c 'import json, sys; a, b = (json.loads(x)["median_s"] for x in sys.argv[1:]); print("%.2f" % (b / a))' "$with" "$without")"
}
for threads in 1 2; do
    windows "windows: unsharp, 4096^2, $threads threads" $threads benches/unsharp.l0 "$work/image.npy" 3.0
    windows "windows: Harris, 4096^2, $threads threads" $threads benches/harris.l0 "$work/image.npy"
    windows "SAC: the same unsharp mask" $threads benches/stencils.sac --entry unsharp "$work/image.npy" 3.0
    windows "SAC: the same Harris detector" $threads benches/stencils.sac --entry harris "$work/image.npy"
    windows "windows: Harris, 256^2, $threads threads" $threads benches/harris.l0 "$work/small_image.npy"
done

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
