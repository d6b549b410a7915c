"""The programs of `benches/python` and `benches/workloads` compute what NumPy computes. They are timed elsewhere."""

import importlib.util
import inspect
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import frit
from comparing import outcome, unlike

RUN = pathlib.Path(__file__).parents[3] / "benches/python/run.py"


def test_every_program_computes_what_numpy_does(tmp_path):
    table = tmp_path / "times.json"
    words = [sys.executable, str(RUN), "--tools", "numpy,frit", "--size", "test", "--seconds", "0", "--json", str(table)]
    subprocess.run(words, capture_output=True, env={**os.environ, "CC": "no-compiler"})
    rows = json.loads(table.read_text())["programs"]
    assert len(rows) > 60
    unlike = {name: row["frit"].get("why") for name, row in rows.items() if "seconds" not in row["frit"]}
    assert not unlike


# Two files there are scripts.
WORKLOADS = sorted(set((RUN.parents[1] / "workloads").glob("*.py")) - {RUN.parents[1] / "workloads" / f"{name}.py" for name in ("memory", "results")})


def arguments(name, parameters):
    """Arguments of these names, for all workloads."""
    r = np.random.default_rng(len(name))
    numbers = {"steps": 3, "most": 4, "eps": 1e-3, "iterations": 2, "width": 9, "height": 7, "limit": 12}
    ranks = {"matmul": 2, "jacobi2d": 2, "unsharp": 2, "floyd": 2, "tomcatv": 2, "tridiagonal": 2, "conv": 2}
    shape = (9,) * ranks.get(name, 1)
    made = {"call": lambda: r.random(shape) > 0.5}
    return tuple(numbers[one] if one in numbers else made.get(one, lambda: r.random(shape) + 0.5 * (name != "histogram"))() for one in parameters)


@pytest.mark.parametrize("path", WORKLOADS, ids=lambda path: path.stem)
def test_workloads_compute_what_numpy_does(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    made = arguments(path.stem, inspect.signature(module.main).parameters)
    assert not unlike(outcome(frit.jit(module.main, strict=True), made), outcome(module.main, made), 1e-9)
