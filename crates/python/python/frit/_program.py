"""Programs in L0, SAC and the array IR as functions of Python."""

from __future__ import annotations

import os
from collections.abc import Iterator

from . import _frit


class Program:
    """The functions of a program, as attributes."""

    def __init__(self, name: str, functions: list[_frit.Function]) -> None:
        self._name = name
        self._functions = {function.__name__: function for function in functions}

    def __getattr__(self, name: str) -> _frit.Function:
        functions = self.__dict__.get("_functions", {})
        if name in functions:
            return functions[name]
        known = ", ".join(functions) or "none"
        raise AttributeError(f"the program has no function `{name}`; its functions: {known}")

    def __getitem__(self, name: str) -> _frit.Function:
        return self._functions[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __dir__(self) -> list[str]:
        return [*self._functions]

    def __repr__(self) -> str:
        return f"<frit program {self._name}: {', '.join(self._functions)}>"


def sac(text: str, name: str = "<sac>") -> Program:
    """The functions that a program in SAC defines."""
    return Program(name, _frit.sac(name, text))


def l0(text: str, name: str = "<l0>") -> Program:
    """The function `main` of a program in L0."""
    return Program(name, [_frit.l0(name, text)])


def load(path: str | os.PathLike[str]) -> Program:
    """The functions of a file: `.sac`, `.l0`, or `.ir` for the array IR."""
    path = os.fspath(path)
    extension = os.path.splitext(path)[1]
    if extension == ".ir":
        return Program(path, [_frit.ir(path)])
    languages = {".sac": sac, ".xsac": sac, ".l0": l0}
    if extension not in languages:
        raise ValueError(f"`{path}`: the extension says the language, and must be .sac, .l0 or .ir")
    with open(path, encoding="utf-8") as file:
        return languages[extension](file.read(), path)
