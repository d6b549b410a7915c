#!/usr/bin/env python3
"""Times the NumPy programs of `programs/` under NumPy, Frit and what else is installed: Numba, JAX, numexpr.

A program is a module with `kernel`, `arguments(n, rng)` and `SIZES`. Frit and NumPy get it as it is. `numba/`, `jax/` and
`numexpr/` hold versions as users of these tools write them; without one Numba gets the program with `njit(parallel=True,
fastmath=True)` on each of its functions, and the others nothing. Versions call routines of libraries only where the program
does (products of matrices, convolutions for JAX). JAX's give the changed arguments back after the results.

Every tool runs in a process of its own, on the same arguments and number of threads. Its first call, which compiles, is timed
apart and its results are compared with NumPy's; then calls are timed in turn. The time is their median.
"""
import argparse
import json
import multiprocessing
import os
import pathlib
import statistics
import sys
import tempfile
import time

from report import report
from worker import HERE, environment, serve

TOOLS = ("frit", "numpy", "numba", "jax", "numexpr")
# Threads of the tool before, which may still spin as they wait for work, come to rest: those of OpenBLAS take a tenth of a second.
PAUSE, LONGEST_PAUSE = 0.02, 0.5


def rest():
    """Waits until no thread runs but this one, as far as the system tells."""
    start = time.perf_counter()
    while True:
        time.sleep(PAUSE)
        try:
            running = int(pathlib.Path("/proc/loadavg").read_text().split()[3].split("/")[0])
        except OSError:
            return
        if running <= 1 or time.perf_counter() - start > LONGEST_PAUSE:
            return


class Worker:
    """The process of a tool, started again after it had to be ended."""

    def __init__(self, tool, threads, limit):
        self.tool, self.threads, self.limit = tool, threads, limit
        self.process = None

    def start(self):
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=serve, args=(other, self.tool, self.threads), daemon=True)
        self.process.start()
        other.close()
        return self.answer()

    def answer(self):
        try:
            if self.pipe.poll(self.limit):
                return self.pipe.recv()
            why = f"no answer within {self.limit:g} s"
        except (EOFError, ConnectionError):
            self.process.join()
            why = f"the process ended with status {self.process.exitcode}"
        self.stop()
        return {"why": why}

    def ask(self, *request):
        if self.process is None:
            failed = self.start()
            if failed:
                return failed
        self.pipe.send(request)
        return self.answer()

    def stop(self):
        if self.process is not None:
            self.process.kill()
            self.process.join()
            self.process = None


def measured(name, workers, size, seconds):
    """For each tool that has a version: its first call, its median and the number of calls, or why there are none."""
    row, times = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for tool in sorted(workers, key=lambda tool: tool != "numpy"):
            first = workers[tool].ask("load", name, size, os.path.join(folder, "reference"))
            if "why" in first:
                row[tool] = first
            elif first["seconds"] is not None:
                row[tool] = {"first": first["seconds"]}
                times[tool] = []
    least = 3 if seconds else 1
    while turn := [tool for tool, all in times.items() if len(all) < least or (sum(all) < seconds and len(all) < 50)]:
        for tool in turn:
            if seconds:
                rest()
            again = workers[tool].ask("call")
            if "why" in again:
                row[tool] = again
                del times[tool]
            else:
                times[tool].append(again["seconds"])
    for tool, all in times.items():
        row[tool].update(seconds=statistics.median(all), calls=len(all))
    return row


def progress(name, row):
    """A line on what was measured."""
    cells = [f"{tool} {entry['why']}" if "why" in entry else f"{tool} {entry['seconds'] * 1e3:.3g} ms ({entry['first']:.2g} s)"
             for tool, entry in row.items()]
    print(f"{name}: {', '.join(cells)}", file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", nargs="*", help="names; all without them")
    parser.add_argument("--size", default="bench", choices=("test", "bench"))
    parser.add_argument("--tools", default=",".join(TOOLS), help="separated by commas; ratios are to the first")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    parser.add_argument("--threads", type=int, default=cores, help="for every tool; all cores without it")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each program and tool; 0 for one call")
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds that a call may take, with compiling")
    parser.add_argument("--json", help="where the figures go as JSON; `report.py` makes the table from it")
    parser.add_argument("--markdown", help="where the table goes as well")
    options = parser.parse_args()
    os.environ.update(environment(options.threads))
    asked = options.tools.split(",")
    names = sorted(path.stem for path in (HERE / "programs").glob("*.py"))
    if unknown := {*asked} - {*TOOLS} | {*options.programs} - {*names}:
        sys.exit(f"no such tools or programs: {', '.join(sorted(unknown))}")
    workers = {}
    for tool in sorted({*asked, "numpy"}):
        worker = Worker(tool, options.threads, options.timeout)
        missing = worker.start()
        if not missing:
            workers[tool] = worker
        elif tool == "frit":
            sys.exit(f"{missing['why']}; `make python` installs it")
        else:
            print(f"{tool} is left out: {missing['why']}", file=sys.stderr)
    rows = {}
    figures = {"threads": options.threads, "size": options.size, "tools": [tool for tool in asked if tool in workers], "programs": rows}
    for name in options.programs or names:
        rows[name] = measured(name, workers, options.size, options.seconds)
        progress(name, rows[name])
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(figures, indent=1) + "\n")
    for worker in workers.values():
        worker.stop()
    text = report(figures)
    print(text)
    if options.markdown:
        pathlib.Path(options.markdown).write_text(text + "\n")
    if any("why" in row.get("frit", {}) for row in rows.values()):
        sys.exit("Frit failed; see the list above")


if __name__ == "__main__":
    main()
