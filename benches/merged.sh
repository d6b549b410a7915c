#!/usr/bin/env bash
# Does merging loops ever cost? Times programs with their loops merged and apart, in turn, on arrays that fit in a cache and on such that do not:
#
#   bash benches/merged.sh [PROGRAM...]
#
# prints the ten of which the merged form is the slowest beside the other, and the rest in one line. Without words all programs: the workloads in L0, SAC
# and NumPy, the relatives, the examples and the NumPy programs of benches/python. PROGRAM is a part of a path. THREADS is how many threads (all), ROUNDS
# how often a program is measured that looks slower merged, of which the best counts (3). Exits with 1 if one takes more than 1.03 times as long merged.
set -euo pipefail
cd "$(dirname "$0")/.."
frit=${FRIT:-$PWD/target/release/frit}
threads=${THREADS:-$(nproc)} rounds=${ROUNDS:-3}
[ -x "$frit" ] || cargo build --release --locked --quiet -p frit-cli
python=$PWD/target/python/bin/python
[ -x "$python" ] || scripts/setup.sh --python
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What every program is given, and the arguments of the NumPy programs: lines `FILE ENTRY ARGUMENT...`.
"$python" - "$work" >"$work/numpy" <<'PYTHON'
import importlib.util, pathlib, sys
import numpy as np

work = pathlib.Path(sys.argv[1])
rng = np.random.default_rng(1)
def save(name, array):
    np.save(work / f"{name}.npy", array)
for name, n, side, edge in ("large", 4_000_000, 2_000, 128), ("small", 4_000, 60, 16):
    save(f"{name}", rng.random(n) + 0.5)
    save(f"{name}.other", rng.random(n) + 0.5)
    save(f"{name}.unit", rng.random(n))
    save(f"{name}.years", rng.random(n) + 0.25)
    save(f"{name}.flags", rng.random(n) < 0.5)
    save(f"{name}.ints", rng.integers(0, 256, n))
    save(f"{name}.square", rng.random((side, side)) + 0.5)
    save(f"{name}.row", rng.random(side))
    save(f"{name}.cube", rng.random((edge, edge, edge)))
    x, y = np.meshgrid(np.arange(side) + 0.0, np.arange(side) + 0.0)
    save(f"{name}.mesh_x", x + 0.01 * rng.random((side, side)))
    save(f"{name}.mesh_y", y + 0.01 * rng.random((side, side)))
    matrix = {"large": 512, "small": 48}[name]
    save(f"{name}.matrix", rng.random((matrix, matrix)) + np.eye(matrix) * matrix)
    save(f"{name}.whole", rng.integers(0, 17, (matrix, matrix)))
    save(f"{name}.systems", rng.random((side, side)) + 4.0)
    save(f"{name}.bodies", rng.random({"large": 4_000, "small": 100}[name]))
    save(f"{name}.points", rng.random((n // 100, 8)))
    save(f"{name}.queries", rng.random((200, 8)))
save("kernel", rng.random((5, 5)))
save("coefficients", rng.random(32))
programs = pathlib.Path("benches/python/programs")
sys.path.insert(0, str(programs))
for path in sorted(programs.glob("*.py")):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if not hasattr(module, "kernel"):
        continue
    words = []
    for at, argument in enumerate(module.arguments(module.SIZES["bench"], np.random.default_rng(1))):
        if isinstance(argument, np.ndarray):
            name = work / f"{path.stem}.{at}.npy"
            np.save(name, argument)
            words.append(str(name))
        else:
            words.append(str(argument))
    print(path, "kernel", *words, sep="\t")
PYTHON

# programs SIZE: lines `FILE ENTRY ARGUMENT...` for the others. Words that begin with a point name arrays of this size.
programs() {
    cat <<'END'
benches/workloads/blackscholes main .flags . .other .years
benches/workloads/chain main . .other
benches/workloads/conv main . 0.0 10
benches/workloads/conv main .square 0.0 10
benches/workloads/conv main .cube 0.0 10
benches/workloads/conv1d main . 0.0 10
benches/workloads/conv2d main .square 0.0 10
benches/workloads/conv3d main .cube 0.0 10
benches/workloads/dotfilter main . .other
benches/workloads/floyd main .matrix
benches/workloads/histogram main .unit
benches/workloads/jacobi2d main .square 20
benches/workloads/matmul main .matrix .matrix
benches/workloads/mg main .cube 2
benches/workloads/minmax main .
benches/workloads/nbody main .bodies .bodies .bodies .bodies
benches/workloads/scanmap main .
benches/workloads/stats main .
benches/workloads/tomcatv main .mesh_x .mesh_y 5
benches/workloads/tridiagonal main .square .systems .square .square
benches/workloads/unsharp main .square
benches/relatives/both_products main .square .row .row
benches/relatives/column_sums main .square
benches/relatives/convolution main kernel .square
benches/relatives/integral_image main .square
benches/relatives/least main .
benches/relatives/moving_average main . 50
benches/relatives/nearest main .points .queries
benches/relatives/polynomial main coefficients .
benches/relatives/softmax main .square
benches/relatives/standardise main .square
benches/harris main .square
benches/six_maps main .
benches/statistics main .
benches/unsharp main .square 0.5
benches/values main 1000000 256
examples/compaction main . 0.7
examples/convolution convolution . 0.1
examples/histogram main .ints 256
examples/kmeans.l0 main 5 8 .points
examples/lu main .matrix
examples/mandelbrot.l0 main 400 400 100
examples/matmul_functional main .matrix .matrix
examples/matmul_imperative main .matrix .matrix
examples/option_pricer main 20000 32 100.0 0.03 1.0 [95.0,110.0] [0.25,0.35] [[1.0,0.0],[0.6,0.8]]
examples/p0 main 1000000
examples/p0_options main .flags . .other .years
examples/p1 main .whole .whole
examples/p2 main .whole
examples/prefix_sums main .ints .flags 5
examples/sobol_pricer main 200000 100.0 0.03 1.0 [95.0,110.0] [0.25,0.35] [[1.0,0.0],[0.6,0.8]]
examples/thomas main . .other .years .
examples/tomcatv tomcatv .mesh_x .mesh_y 2
examples/volcalib main {1024,256,2} {0.03,5.0,0.2,0.6,0.5} [0.02] [0.0205]
END
}
# The words of a line as `frit bench` takes them: arrays by their files.
for size in small large; do
    programs | while read -r program entry words; do
        arguments=
        for word in $words; do
            case $word in
                .) word=$work/$size.npy ;;
                .*[a-z_]) word=$work/$size$word.npy ;;
                kernel | coefficients) word=$work/$word.npy ;;
            esac
            arguments+=$'\t'$word
        done
        for file in "$program" "$program".l0 "$program".sac "$program".py; do
            [ -f "$file" ] || continue
            name=$entry
            case $file in benches/workloads/*.sac) name=run ;; esac
            printf '%s\t%s%s\n' "$file" "$name" "$arguments"
        done
    done
done >"$work/programs"

"$python" - "$frit" "$threads" "$rounds" "$work" "$@" <<'PYTHON'
import json, pathlib, subprocess, sys

frit, threads, rounds, work, *wanted = sys.argv[1:]
lines = [line.split("\t") for name in ("programs", "numpy") for line in pathlib.Path(work, name).read_text().splitlines()]
lines = [line for line in lines if not wanted or any(part in line[0] for part in wanted)]
measured, left_out = [], []
for at, (file, entry, *arguments) in enumerate(lines):
    if sys.stderr.isatty():
        print(f"\r\33[K{at + 1} of {len(lines)}: {file}", end="", file=sys.stderr, flush=True)
    words = [] if file.endswith(".l0") else ["--entry", entry]
    command = [frit, "bench", file, *words, *arguments, "--no-fuse", "--json", "--threads", threads]
    ratio = None
    for _ in range(int(rounds)):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            break
        found = json.loads(done.stdout)
        if ratio is None or 1 / found["no_fuse_ratio"] < ratio:
            ratio, merged, apart = 1 / found["no_fuse_ratio"], found["median_s"], found["no_fuse_median_s"]
        if ratio <= 1.03:
            break
    sizes = " ".join(pathlib.Path(word).name.removesuffix(".npy") for word in arguments[:1])
    if ratio is None:
        said = done.stderr.strip().splitlines()
        left_out.append(f"{file} ({sizes}): {said[0] if said else 'exit status ' + str(done.returncode)}")
    else:
        measured.append((ratio, merged, apart, file, sizes))
if sys.stderr.isatty():
    print("\r\33[K", end="", file=sys.stderr)
measured.sort(reverse=True)
print("| program | first argument | ms merged | ms apart | merged / apart |\n|---|---|---:|---:|---:|")
for ratio, merged, apart, file, sizes in measured[:10]:
    print(f"| {file} | {sizes} | {merged * 1e3:.3f} | {apart * 1e3:.3f} | {ratio:.2f} |")
slower = sum(ratio > 1.03 for ratio, *_ in measured)
print(f"\n{len(measured)} programs and sizes, {slower} slower merged than apart by more than 3 %")
for why in left_out:
    print(f"not measured: {why}")
sys.exit(slower > 0)
PYTHON
