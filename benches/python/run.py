#!/usr/bin/env python3
"""Times the NumPy programs of `programs/` under NumPy, Frit and what else is installed: Numba, JAX, numexpr.

Every tool is given the same arguments in the same process, in turn, and its results are compared with NumPy's before it is
timed. A program is a module with `kernel`, `arguments(n, rng)` and `SIZES`. What a tool needs written in another way lies in
`TOOL/NAME.py` (JAX has no updates in place); Numba and Frit get the program as it is, but for their decorators.
"""
import argparse
import copy
import importlib.util
import json
import pathlib
import statistics
import sys
import time
import types
import warnings

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
TOOLS = ("numpy", "frit", "numba", "jax", "numexpr")


def module(path):
    """The module in a file, loaded anew."""
    spec = importlib.util.spec_from_file_location(f"{path.parent.name}_{path.stem}", path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def decorated(path, decorator):
    """The kernel of a program, with a decorator on each of its functions."""
    program = module(path)
    for name, value in list(vars(program).items()):
        if isinstance(value, types.FunctionType) and value.__module__ == program.__name__ and name != "arguments":
            setattr(program, name, decorator(value))
    return program.kernel


def prepared(tool, path):
    """The kernel as a tool runs it; None where the tool has none or is not installed."""
    own = HERE / tool / path.name
    try:
        if tool == "numpy":
            return module(path).kernel
        if tool == "frit":
            import frit

            return frit.jit(module(path).kernel, strict=True)
        if tool == "numba":
            import numba

            return decorated(own if own.exists() else path, numba.njit(parallel=True, fastmath=True))
        if own.exists():
            return module(own).kernel
    except ImportError:
        pass
    return None


def flat(value):
    """The arrays and numbers in a result, in order."""
    if isinstance(value, (tuple, list)):
        return [part for item in value for part in flat(item)]
    return [] if value is None else [np.asarray(value)]


def call(kernel, arguments):
    """Results and the arguments afterwards, which count as results, and the seconds that the call took."""
    arguments = copy.deepcopy(arguments)
    start = time.perf_counter()
    result = kernel(*arguments)
    if hasattr(result, "block_until_ready"):
        result.block_until_ready()
    taken = time.perf_counter() - start
    changed = [argument for argument in arguments if isinstance(argument, np.ndarray)]
    return flat(result), changed, taken


def difference(got, expected):
    """What is unlike, in words; None if nothing is."""
    if len(got) != len(expected):
        return f"{len(got)} results, not {len(expected)}"
    for at, (g, e) in enumerate(zip(got, expected)):
        if g.shape != e.shape:
            return f"result {at} has shape {g.shape}, not {e.shape}"
        loose = e.dtype in (np.float32, np.complex64)
        if not np.allclose(g, e, rtol=2e-3 if loose else 1e-8, atol=1e-4 if loose else 1e-9, equal_nan=True):
            return f"result {at} differs by up to {np.nanmax(np.abs(np.asarray(g) - e)):.3g}"
    return None


def measured(path, tools, size, seconds):
    """For each tool the median of its calls in seconds, or why it has none."""
    program = module(path)
    arguments = program.arguments(program.SIZES[size], np.random.default_rng(1))
    expected = call(program.kernel, arguments)
    row, kernels = {}, {}
    for tool in tools:
        kernel = prepared(tool, path)
        if kernel is None:
            row[tool] = "-"
            continue
        try:
            results, changed, _ = call(kernel, arguments)
        except Exception as error:  # a tool may refuse in any way
            row[tool] = f"{type(error).__name__}: {str(error).strip().splitlines()[0][:100] if str(error).strip() else ''}"
            continue
        wrong = difference(results, expected[0])
        if wrong is None and tool != "jax":
            wrong = difference(changed, expected[1])
        if wrong:
            row[tool] = f"WRONG: {wrong}"
        else:
            kernels[tool] = kernel
    times = {tool: [] for tool in kernels}
    end = time.perf_counter() + seconds * max(len(kernels), 1)
    while kernels and (time.perf_counter() < end or len(times[next(iter(kernels))]) < 3):
        for tool, kernel in kernels.items():
            times[tool].append(call(kernel, arguments)[2])
    row.update({tool: statistics.median(all) for tool, all in times.items()})
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", nargs="*", help="names; all without them")
    parser.add_argument("--size", default="bench", choices=("test", "bench"))
    parser.add_argument("--tools", default=",".join(TOOLS))
    parser.add_argument("--seconds", type=float, default=1.0, help="for each program and tool")
    parser.add_argument("--json", help="where the figures go as JSON")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    np.seterr(all="ignore")
    tools = options.tools.split(",")
    paths = [path for path in sorted((HERE / "programs").glob("*.py")) if not options.programs or path.stem in options.programs]
    rows = {}
    print("| program |", " | ".join(f"{tool}, ms" for tool in tools), "|")
    print("|---|" + "---|" * len(tools))
    for path in paths:
        row = rows[path.stem] = measured(path, tools, options.size, options.seconds)
        cells = [f"{row[tool] * 1e3:.3g}" if isinstance(row[tool], float) else row[tool] for tool in tools]
        print(f"| {path.stem} |", " | ".join(cells), "|", flush=True)
    for tool in tools:
        if tool in ("numpy", "frit") or "frit" not in tools:
            continue
        both = [row for row in rows.values() if isinstance(row[tool], float) and isinstance(row["frit"], float)]
        ahead = sum(row["frit"] <= row[tool] for row in both)
        print(f"\nFrit is ahead of {tool} on {ahead} of {len(both)} programs that both run.")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")
    bad = [f"{name}: {tool}: {row[tool]}" for name, row in rows.items() for tool in tools if tool == "frit" and not isinstance(row[tool], float)]
    if bad:
        sys.exit("\n".join(bad))


if __name__ == "__main__":
    main()
