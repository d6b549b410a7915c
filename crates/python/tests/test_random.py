"""Random functions do what NumPy does. `FRIT_RANDOM=5000` makes as many; `FRIT_RANDOM_SEED` is the first seed.

Most run in the interpreter; some are compiled together, as one native function.
"""

import importlib.util
import os
import pathlib
import time

import numpy as np
import pytest

import frit
from comparing import outcome, unlike
from generator import HELPERS, Function, smaller

COUNT = int(os.environ.get("FRIT_RANDOM", 120))
FIRST = int(os.environ.get("FRIT_RANDOM_SEED", 0))
SECONDS = float(os.environ.get("FRIT_RANDOM_SECONDS", 15))
# Sums in another order, and functions of another library, in a chain of operations.
TOLERANCE = 1e-6
# How many functions are compiled as one.
TOGETHER = 6


def module(folder, text, name="made"):
    path = pathlib.Path(folder) / f"{name}.py"
    path.write_text("import numpy as np\n\n" + HELPERS + "\n\n" + text)
    spec = importlib.util.spec_from_file_location(name, path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def tolerance(made):
    types = {np.asarray(value).dtype for value in made.arguments.values()}
    # Complex products: NumPy's depend on the processor.
    if made.is_exact and not any(dtype.kind == "c" for dtype in types) and "1j" not in made.text():
        return 0.0
    return 2e-3 if types & {np.dtype("f4"), np.dtype("c8")} or "float32" in made.text() else TOLERANCE


def verdict(folder, made, body=None, name="made"):
    """What is wrong with a function; None if nothing is. It may raise a `CompileError`."""
    function = module(folder, made.text(body=body), name).f
    arguments = tuple(made.arguments.values())
    expected = outcome(function, arguments)
    got = outcome(frit.jit(function, strict=True), arguments)
    if 0 in made.sizes and isinstance(got[0], IndexError):
        # A slice of one element is taken for one, also of an axis that has none.
        return None
    return unlike(got, expected, tolerance(made))


def is_right(folder, made, name, monkeypatch):
    """True if a function is compiled, does not fail, and is right in the interpreter."""
    with monkeypatch.context() as patch:
        patch.setenv("CC", "no-compiler")
        function = module(folder, made.text(), name).f
        if isinstance(outcome(function, tuple(made.arguments.values()))[0], Exception):
            return False
        try:
            return verdict(folder, made, name=name) is None
        except frit.CompileError:
            return False


def smallest(folder, made, wrong):
    """A function with fewer statements that is wrong too."""
    body, names = made.body, 0
    while True:
        for less in smaller(body):
            names += 1
            try:
                why = verdict(folder, made, less, f"less{names}")
            except (frit.CompileError, SyntaxError):
                continue
            if why and why.split("(")[0].split(" is")[0] == wrong.split("(")[0].split(" is")[0]:
                body, wrong = less, why
                break
        else:
            return made.text(body=body), wrong


def test_random_functions_do_what_numpy_does(tmp_path, monkeypatch):
    monkeypatch.setenv("CC", "no-compiler")
    refused, done, end = [], 0, time.monotonic() + SECONDS
    for seed in range(FIRST, FIRST + COUNT):
        if time.monotonic() > end and "FRIT_RANDOM" not in os.environ:
            break
        made = Function(seed)
        done += 1
        try:
            wrong = verdict(tmp_path, made, name=f"made{seed}")
        except frit.CompileError as error:
            refused.append((seed, str(error)))
            continue
        if wrong:
            text, wrong = smallest(tmp_path, made, wrong)
            arguments = ", ".join(f"{name}={value!r}" for name, value in made.arguments.items())
            pytest.fail(f"seed {seed}: {wrong}\n\n{text}\nwith {arguments}")
    assert done >= 20 and len(refused) <= 0.05 * done + 1, refused


def test_random_functions_compiled_together_do_what_numpy_does(tmp_path, monkeypatch):
    texts, calls, parameters, arguments = [], [], [], []
    for seed in range(FIRST, FIRST + 40):
        made = Function(seed)
        if len(calls) == TOGETHER or not made.is_exact or not is_right(tmp_path, made, f"made{seed}", monkeypatch):
            continue
        names = [f"f{seed}_{name}" for name in made.arguments]
        texts.append(made.text(f"f{seed}"))
        calls.append(f"f{seed}({', '.join(names)})")
        parameters += names
        arguments += made.arguments.values()
    texts.append(f"def together({', '.join(parameters)}):\n    return {', '.join(calls)}\n")
    together = module(tmp_path, "\n\n".join(texts), "together").together
    expected = outcome(together, arguments)
    frit.config.strict_fp = True
    try:
        wrong = unlike(outcome(frit.jit(together, strict=True), arguments), expected)
    finally:
        frit.config.strict_fp = False
    assert not wrong, f"{wrong}\n\n" + "\n\n".join(texts)
