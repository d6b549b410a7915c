"""Reads arguments and writes results for the references: the text form of L0 values, as far as the examples need it.

Results are written one scalar a line, reals with all their digits (`repr`), nested values in order; a string is written
as it is. A test compares them with the scalars of the program's result, without any Python.
"""

import ast
import sys
from pathlib import Path

REFERENCES = Path(__file__).parent
INPUTS = REFERENCES.parent.parent / "examples" / "data"


def arguments(example):
    """The arguments in examples/data/<example>.in, or in the file named on the command line."""
    path = sys.argv[1] if len(sys.argv) > 1 else INPUTS / f"{example}.in"
    text = Path(path).read_text().replace("{", "(").replace("}", ")")
    values, start, depth, quoted = [], None, 0, False
    for place, char in enumerate(text + " "):
        if char == '"':
            quoted = not quoted
        if start is None:
            if not char.isspace():
                start = place
            else:
                continue
        if not quoted:
            depth += (char in "[(") - (char in "])")
        if depth == 0 and not quoted and char.isspace():
            values.append(ast.literal_eval(text[start:place]))
            start = None
    return values


def lines(value):
    """The scalars of a result, one a line."""
    if isinstance(value, (list, tuple)):
        return [line for part in value for line in lines(part)]
    return [value if isinstance(value, str) else repr(value)]


def show(value):
    print("\n".join(lines(value)))
