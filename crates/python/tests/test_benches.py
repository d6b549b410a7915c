"""The programs of `benches/python` compute what NumPy computes. They are timed elsewhere; here the interpreter runs them."""

import os
import pathlib
import subprocess
import sys

RUN = pathlib.Path(__file__).parents[3] / "benches/python/run.py"


def test_every_program_computes_what_numpy_does():
    words = [sys.executable, str(RUN), "--tools", "numpy,frit", "--size", "test", "--seconds", "0"]
    run = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "CC": "no-compiler"})
    assert run.returncode == 0, run.stdout + run.stderr
