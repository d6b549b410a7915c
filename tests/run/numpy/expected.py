"""Writes what NumPy computes into the programs beside this file, as `# output:` lines.

Each `# entry: FUNCTION ARGUMENT ...` line of a program is a call, and the `# output:` line after it is replaced. Calls with a
`# fails:` line are left as they are.
Usage: python3 expected.py [FILE ...], with NumPy 2 installed.
"""

import copy
import pathlib
import sys
import warnings

import numpy as np


def argument(word):
    value = eval(word, {"inf": np.inf, "nan": np.nan})
    return np.array(value) if isinstance(value, list) else value


def text(value):
    """A value as `frit run --digits 6` prints it."""
    if isinstance(value, np.ndarray) and value.ndim > 0:
        if len(value) == 0:
            return f"empty({'bool' if value.dtype == bool else 'int' if value.dtype.kind in 'iu' else 'real'})"
        return "[" + ", ".join(text(part) for part in value) + "]"
    if isinstance(value, (list, tuple)):
        return "{" + ", ".join(text(part) for part in value) + "}"
    if isinstance(value, (complex, np.complexfloating)):
        return text(np.array([value.real, value.imag]))
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    return f"{float(value):.6f}"


def leaves(value):
    return [leaf for part in value for leaf in leaves(part)] if isinstance(value, (list, tuple)) else [value]


def outcome(module, call):
    """What is returned, then the arguments that have changed."""
    name, *words = call.split()
    arguments = [argument(word) for word in words]
    before = copy.deepcopy(arguments)
    result = module[name](*arguments)
    shown = [] if result is None else leaves(result)
    arrays = [one for one in arguments if isinstance(one, np.ndarray)]
    shown = [leaf for leaf in shown if not any(leaf is one for one in arrays)]
    for old, new in zip(before, arguments):
        if isinstance(new, np.ndarray) and not np.array_equal(old, new, equal_nan=new.dtype.kind in "fc"):
            shown.append(new)
    return text(shown[0]) if len(shown) == 1 else text(tuple(shown))


def rewrite(path):
    source = path.read_text()
    module = {}
    exec(compile(source, str(path), "exec"), module)
    lines, skips = [], False
    all_lines = source.split("\n")
    for line, following in zip(all_lines, all_lines[1:] + [""]):
        if line.startswith("# entry:") and not following.startswith("# fails:"):
            lines.append(line)
            lines.append("# output: " + outcome(module, line.removeprefix("# entry:")))
            skips = True
        elif not (skips and line.startswith("# output:")):
            skips = False
            lines.append(line)
    path.write_text("\n".join(lines))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    here = pathlib.Path(__file__)
    files = [pathlib.Path(name) for name in sys.argv[1:]] or sorted(p for p in here.parent.glob("*.py") if p != here)
    for file in files:
        rewrite(file)
