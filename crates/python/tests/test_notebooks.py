"""The notebooks run, without Jupyter. They plot if matplotlib is there."""

import ast
import json
import linecache
import os
import pathlib
import subprocess
import sys

import pytest

import frit

EXAMPLES = pathlib.Path(__file__).parents[3] / "examples/python"


def execute(book, monkeypatch):
    """Runs the code cells in order; gives the value of each."""
    monkeypatch.setenv("MPLBACKEND", "agg")
    names, values = {"__name__": "__main__"}, []
    for at, cell in enumerate(cell for cell in book["cells"] if cell["cell_type"] == "code"):
        text, name = "".join(cell["source"]), f"<cell {at}>"
        # As notebooks do: functions find their source by it.
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        tree = ast.parse(text, name)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, name, "exec"), names)
        values.append(last and eval(compile(ast.Expression(last.value), name, "eval"), names))
    return values


@pytest.mark.parametrize("name", ["image_pipeline", "heat_equation", "option_pricing"])
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_a_notebook_runs_and_ends_with_the_page_of_explain(name, monkeypatch, capsys):
    book = json.loads((EXAMPLES / f"{name}.ipynb").read_text())
    assert not any(cell.get("outputs") for cell in book["cells"])
    page = execute(book, monkeypatch)[-1]
    assert isinstance(page, frit.Explanation) and page._repr_html_().startswith("<iframe")
    assert "undecorated" in capsys.readouterr().out


@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_an_example_runs(example):
    done = subprocess.run([sys.executable, example], capture_output=True, text=True, env=os.environ, timeout=100)
    assert done.returncode == 0 and done.stdout, done.stderr
