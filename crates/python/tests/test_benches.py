"""The programs of `benches/python` compute what NumPy computes. They are timed elsewhere; here the interpreter runs them."""

import json
import os
import pathlib
import subprocess
import sys

RUN = pathlib.Path(__file__).parents[3] / "benches/python/run.py"


def test_every_program_computes_what_numpy_does(tmp_path):
    table = tmp_path / "times.json"
    words = [sys.executable, str(RUN), "--tools", "numpy,frit", "--size", "test", "--seconds", "0", "--json", str(table)]
    subprocess.run(words, capture_output=True, env={**os.environ, "CC": "no-compiler"})
    rows = json.loads(table.read_text())["programs"]
    assert len(rows) > 60
    unlike = {name: row["frit"].get("why") for name, row in rows.items() if "seconds" not in row["frit"]}
    assert not unlike
