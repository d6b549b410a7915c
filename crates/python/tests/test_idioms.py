"""Functions as people write them, compared with NumPy: those of `idioms`, and calls of NumPy one by one."""

import ast
import importlib
import importlib.util
import pathlib

import numpy as np

import frit
from comparing import outcome, unlike
from idioms import CASES, calls

FILES = ("linear", "stencils", "physics", "learning", "tables", "language")
TOLERANCE = 1e-9
HEADER = "import math\nimport numpy as np\n"


def cases():
    """Functions of the files, with arguments."""
    for file in FILES:
        importlib.import_module(f"idioms.{file}")
    for at, (function, make) in enumerate(CASES):
        yield function, make(np.random.default_rng(at))


def calls_of_numpy(folder, selected=""):
    """Each of the calls, and of the statements, as a function of its own."""
    texts = [ast.unparse(call) for line in calls.CALLS for call in ast.parse(f"({line},)").body[0].value.elts]
    rows, names = [HEADER], []
    for at, (text, is_statement) in enumerate([(text, False) for text in texts] + [(text, True) for text in calls.STATEMENTS]):
        if selected not in text:
            continue
        used = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
        names.append((f"f{at}", sorted(used & calls.arguments(np.random.default_rng(0)).keys()), text))
        body = text.replace("\n", " ") if is_statement else f"return {text}"
        rows.append(f"def f{at}({', '.join(names[-1][1])}):\n    {body}\n")
    path = pathlib.Path(folder) / "calls_of_numpy.py"
    path.write_text("\n".join(rows))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name, parameters, text in names:
        arguments = calls.arguments(np.random.default_rng(1))
        function = getattr(module, name)
        function.text = text
        yield function, tuple(arguments[parameter] for parameter in parameters)


def refused_or_wrong(function, arguments):
    """Why a call is not compiled, or what is wrong with it; `None` if it is right."""
    expected = outcome(function, arguments)
    try:
        got = outcome(frit.jit(function, strict=True), arguments)
    except frit.CompileError as error:
        return str(error)
    wrong = unlike(got, expected, TOLERANCE if not np.float32 in dtypes(expected) else 1e-5)
    return wrong and f"WRONG: {wrong}"


def dtypes(value):
    if isinstance(value, (tuple, list)):
        return {dtype for part in value for dtype in dtypes(part)}
    dtype = getattr(value, "dtype", None)
    return {np.float32} if dtype in (np.float32, np.complex64) else set()


def unlike_numpy(functions, monkeypatch):
    """How many functions there are, and which of them do not do what NumPy does. The interpreter runs them."""
    monkeypatch.setenv("CC", "no-compiler")
    found = [(getattr(function, "text", function.__name__), refused_or_wrong(function, args)) for function, args in functions]
    return len(found), {name: why for name, why in found if why}


def test_functions_as_people_write_them_do_what_numpy_does(monkeypatch):
    count, unlike = unlike_numpy(cases(), monkeypatch)
    assert count > 150 and not unlike, unlike


def test_calls_of_numpy_do_what_numpy_does(monkeypatch, tmp_path):
    count, unlike = unlike_numpy(calls_of_numpy(tmp_path), monkeypatch)
    assert count > 600 and not unlike, unlike
