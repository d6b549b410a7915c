"""Functions of Python that are compiled: their source, and what they refer to."""

from __future__ import annotations

import ast
import functools
import inspect
import math
import sysconfig
import textwrap
import types
import weakref
from typing import Any, Callable, NamedTuple, TypeVar, overload

import numpy

from . import _frit
from ._calls import OUTSIDE
from ._changes import has_container, may_change

# Where the packages of others are.
_INSTALLED = tuple({sysconfig.get_path(kind) for kind in ("stdlib", "purelib", "platlib")})

F = TypeVar("F", bound=Callable[..., Any])


@overload
def jit(function: F, *, strict: bool = False) -> F: ...
@overload
def jit(*, strict: bool = False) -> Callable[[F], F]: ...
def jit(function=None, *, strict=False):
    """Compiles a function on NumPy arrays when it is called, once for each signature.

    What cannot be compiled runs undecorated after one warning that says why; with `strict`, it is a `CompileError`.
    """
    if function is None:
        return lambda function: jit(function, strict=strict)
    if isinstance(function, _frit.Function):
        function = function.__wrapped__
    if not isinstance(function, types.FunctionType):
        raise TypeError(f"only functions are compiled, not {function!r}")
    compiled = _frit.jit(function, strict)
    # The name is that of the compiled function already.
    functools.update_wrapper(compiled, function, assigned=("__module__", "__qualname__", "__doc__"))
    return compiled


class Source(NamedTuple):
    """A function and what it refers to, as one file."""

    file: str
    text: str
    name: str
    parameters: list[tuple[str, bool, Any]]
    """Names, whether there is a default, and it."""
    references: list[tuple[Any, str, Any]]
    """Where a name is looked up (a dictionary or a cell), the name, and what it meant."""
    parts: list[tuple[int, str, int, int]]
    """Of functions of other files the first line in the text, the file, the first line there, and how many they are."""


def describe(function: types.FunctionType | Special) -> Source:
    """The source of a function. The lines of its own file have their numbers there."""
    if isinstance(function, Special):
        return function.source()
    return _Gatherer(function).source()


class Special:
    """A function with some arguments, or parts of them, as constants: what is neither number nor array."""

    _made: weakref.WeakKeyDictionary[types.FunctionType, dict[str, Any]] = weakref.WeakKeyDictionary()

    def __init__(self, function: types.FunctionType, values: list[Any], depth: int) -> None:
        self.function, self.values, self.depth = function, values, depth
        self.__name__ = function.__name__
        self.__signature__ = inspect.Signature(
            [inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY) for name in _Written(self).parameters]
        )

    def __call__(self, *arguments: Any) -> Any:
        rest = iter(arguments)
        values = [_refilled(value, rest, self.depth) for value in self.values]
        count = len(values) - len(_by_name(self.function))
        return self.function(*values[:count], **dict(zip(_by_name(self.function), values[count:])))

    def source(self) -> Source:
        written = _Written(self)
        source = written.gatherer.source()
        name = f"{source.name}_with_constants"
        call = f"def {name}({', '.join(written.parameters)}):\n    return {source.name}({', '.join(written.arguments)})\n"
        parameters = [(parameter, False, None) for parameter in written.parameters]
        return Source(source.file, source.text + call, name, parameters, source.references, source.parts)


def special(
    function: types.FunctionType, values: list[Any], strict: bool, with_integers: bool
) -> tuple[Any, list[Any]]:
    """The function with what is constant in these arguments, and its arguments. `with_integers`: integers are constants."""
    if isinstance(function, Special):
        rest = iter(values)
        values = [_refilled(value, rest, function.depth) for value in function.values]
        function = function.function
    for name, value in zip(inspect.signature(function).parameters, values):
        if has_container(value) and _may_change(function, name, value):
            raise _frit.CompileError(f"`{function.__name__}` may change `{name}`, which would be a constant")
    passed: list[Any] = []
    depth = int(with_integers)
    key = ", ".join(_key(value, passed, depth) for value in values)
    made = Special._made.setdefault(function, {})
    if key not in made:
        made[key] = _frit.jit(Special(function, values, depth), strict)
    return made[key], passed


_UNCHANGED: weakref.WeakKeyDictionary[types.FunctionType, set[tuple[str, str]]] = weakref.WeakKeyDictionary()
"""Parameters, and the kinds of what is in them, that functions are known to leave as they are."""


def _may_change(function: types.FunctionType, name: str, value: Any) -> bool:
    known = _UNCHANGED.setdefault(function, set())
    kind = (name, _kind(value))
    if kind not in known and not may_change(function, name, value):
        known.add(kind)
    return kind not in known


def _kind(value: Any) -> str:
    if isinstance(value, (tuple, list)):
        return f"{type(value).__name__}({', '.join(sorted({_kind(part) for part in value}))})"
    if isinstance(value, dict):
        return "{" + ", ".join(sorted({_kind(part) for part in value.values()})) + "}"
    return "array" if isinstance(value, numpy.ndarray) else "number"


def _by_name(function: types.FunctionType) -> list[str]:
    """The parameters that are only given by name, which are the last."""
    parameters = inspect.signature(function).parameters.values()
    return [parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]


def _is_passed(value: Any, depth: int) -> bool:
    """True for numbers and arrays. Integers in tuples are constants: they tell axes, sizes and places."""
    if isinstance(value, (bool, int)):
        return depth == 0
    return not (value is None or isinstance(value, _CONSTANTS))


_CONSTANTS = (str, tuple, list, dict, type, numpy.dtype, types.FunctionType, types.BuiltinFunctionType, numpy.ufunc, _frit.Function)


def _key(value: Any, passed: list[Any], depth: int) -> str:
    if _is_passed(value, depth):
        passed.append(value)
        return "@"
    if isinstance(value, (tuple, list)):
        parts = ", ".join(_key(part, passed, depth + 1) for part in value)
        return f"{type(value).__name__}({parts})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {_key(part, passed, depth + 1)}" for key, part in value.items()) + "}"
    return repr(value) if isinstance(value, (str, int, type(None), numpy.dtype)) else f"{value!r} {id(value)}"


def _refilled(value: Any, arguments: Any, depth: int) -> Any:
    if _is_passed(value, depth):
        return next(arguments)
    if type(value) in (tuple, list):
        return type(value)([_refilled(part, arguments, depth + 1) for part in value])
    if isinstance(value, dict):
        return {key: _refilled(part, arguments, depth + 1) for key, part in value.items()}
    return value


class _Written:
    """The call of a function with constants, as text."""

    def __init__(self, special: Special) -> None:
        self.gatherer = _Gatherer(special.function)
        self.parameters: list[str] = []
        self.arguments = [self.text(value, special.depth) for value in special.values]
        names = _by_name(special.function)
        count = len(self.arguments) - len(names)
        self.arguments[count:] = [f"{name}={text}" for name, text in zip(names, self.arguments[count:])]

    def text(self, value: Any, depth: int) -> str:
        if _is_passed(value, depth):
            self.parameters.append(f"argument_{len(self.parameters)}")
            return self.parameters[-1]
        if type(value) in (tuple, list):
            parts = "".join(f"{self.text(part, depth + 1)}, " for part in value)
            return f"({parts})" if type(value) is tuple else f"[{parts}]"
        if isinstance(value, dict) and all(isinstance(key, (str, int)) for key in value):
            return "{" + ", ".join(f"{key!r}: {self.text(part, depth + 1)}" for key, part in value.items()) + "}"
        if value in (bool, int, float, complex):
            return value.__name__
        if isinstance(value, numpy.dtype) or isinstance(value, type) and issubclass(value, numpy.generic):
            self.gatherer.others.append("import numpy")
            return f"numpy.{numpy.dtype(value).type.__name__}"
        if _is_constant(value):
            return _constant(value)
        if callable(value) and getattr(value, "__name__", "").isidentifier():
            self.gatherer.refer(self.gatherer.function.__globals__, value.__name__, value)
            return value.__name__
        raise _frit.CompileError(f"an argument is a number or an array, not {value!r}")


class _Gatherer:
    """Gathers functions and constants under the names that they are referred to by."""

    def __init__(self, function: types.FunctionType) -> None:
        self.function = function
        self.file = inspect.getsourcefile(function) or function.__code__.co_filename
        self.references: list[tuple[Any, str, Any]] = []
        self.meanings: dict[str, Any] = {}
        self.rows: list[str] = []
        self.others: list[str] = []
        self.parts: list[tuple[int, str, int, int]] = []

    def source(self) -> Source:
        name = self.function.__name__
        if not name.isidentifier():
            raise _frit.CompileError(f"{self.function!r} has no name: only functions with `def` are compiled")
        self.add_function(name, self.function)
        text = "\n".join(self.rows + self.others) + "\n"
        parts = [(len(self.rows) + row + 1, *rest) for row, *rest in self.parts]
        return Source(self.file, text, name, self.parameters(), self.references, parts)

    def parameters(self) -> list[tuple[str, bool, Any]]:
        found = []
        for parameter in inspect.signature(self.function).parameters.values():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                raise _frit.CompileError(f"`{self.function.__name__}` takes any number of arguments, by `{parameter}`")
            has_default = parameter.default is not parameter.empty
            found.append((parameter.name, has_default, parameter.default if has_default else None))
        return found

    def add_function(self, name: str, function: types.FunctionType) -> None:
        self.meanings[name] = function
        lines, first = inspect.getsourcelines(function)
        text = textwrap.dedent("".join(lines))
        tree = ast.parse(text).body[0]
        if not isinstance(tree, ast.FunctionDef):
            raise _frit.CompileError(f"`{name}` is not defined by `def`")
        own = text.splitlines()
        # The decorators are for Python.
        start = tree.lineno - 1
        own[:start] = [""] * start
        if tree.name != name:
            own[start] = own[start].replace(f"def {tree.name}", f"def {name}", 1)
        file = inspect.getsourcefile(function) or function.__code__.co_filename
        if file == self.file:
            self.rows.extend([""] * (first - 1 + len(own) - len(self.rows)))
            self.rows[first - 1 : first - 1 + len(own)] = own
        else:
            self.parts.append((len(self.others), file, first, len(own)))
            self.others.extend(own)
        used = {node.id for part in tree.body for node in ast.walk(part) if isinstance(node, ast.Name)}
        code = function.__code__
        for free, cell in zip(code.co_freevars, function.__closure__ or ()):
            used.discard(free)
            self.refer(cell, free, cell.cell_contents)
        for name in sorted(used.difference(code.co_varnames, code.co_cellvars)):
            if name in function.__globals__:
                self.refer(function.__globals__, name, function.__globals__[name])

    def refer(self, where: Any, name: str, value: Any) -> None:
        self.references.append((where, name, value))
        if isinstance(value, (list, dict, numpy.ndarray)):
            unchanged = _Unchanged(value)
            self.references.append((unchanged, name, unchanged))
        value = getattr(value, "__wrapped__", value) if isinstance(value, _frit.Function) else value
        if name in self.meanings:
            known = self.meanings[name]
            if known is not value and not (_is_constant(value) and repr(known) == repr(value)):
                raise _frit.CompileError(f"`{name}` has two meanings in what `{self.function.__name__}` calls")
            return
        if isinstance(value, types.FunctionType) and self.is_compiled(value):
            self.add_function(name, value)
            return
        self.meanings[name] = value
        if isinstance(value, types.ModuleType) and value.__name__.split(".")[0] in ("numpy", "math", "cmath"):
            self.others.append(f"import {value.__name__} as {name}")
        elif isinstance(value, numpy.generic):
            self.others += ["import numpy", f"{name} = numpy.{type(value).__name__}({_constant(value.item())})"]
        elif _is_constant(value):
            self.others.append(f"{name} = {_constant(value)}")
        elif type(value) is numpy.ndarray and value.dtype.kind in "biufc" and value.size <= _MOST_ELEMENTS:
            elements = f"numpy.array({_constant(value.tolist())}, numpy.{value.dtype.type.__name__})"
            self.others += ["import numpy", f"{name} = {elements}.reshape({value.shape!r})"]
        elif isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields"):
            fields = " ".join(value._fields)
            self.others += ["from collections import namedtuple", f"{name} = namedtuple({value.__name__!r}, {fields!r})"]
        else:
            for module in (numpy, math, numpy.linalg, numpy.fft, numpy.random):
                own = getattr(value, "__name__", "")
                if getattr(module, own, None) is value:
                    self.others.append(f"from {module.__name__} import {own} as {name}")
                    return
            # Only calls that are not compiled take it.
            self.others.append(f"from {OUTSIDE} import {name}")

    def is_compiled(self, function: types.FunctionType) -> bool:
        """True for functions with a source, except those of other packages that are installed."""
        package = (function.__module__ or "").split(".")[0]
        if package == "numpy" or function.__code__.co_name == "<lambda>":
            return False
        try:
            file = inspect.getsourcefile(function) or ""
            inspect.getsourcelines(function)
        except (OSError, TypeError):
            return False
        is_own = package == (self.function.__module__ or "").split(".")[0]
        return is_own or not any(file.startswith(folder) for folder in _INSTALLED)


class _Unchanged:
    """Stands for a constant that can be changed, as long as it is not."""

    def __init__(self, value: Any) -> None:
        self.value = value
        self.before = self.content()

    def content(self) -> Any:
        return self.value.tobytes() if isinstance(self.value, numpy.ndarray) else repr(self.value)

    @property
    def cell_contents(self) -> Any:
        return self if self.content() == self.before else None


_MOST_ELEMENTS = 256
"""An array of the module with more elements is no constant."""


def _is_constant(value: Any) -> bool:
    if type(value) in (tuple, list):
        return all(map(_is_constant, value))
    if type(value) is dict:
        return all(type(key) in (str, int) and _is_constant(part) for key, part in value.items())
    return value is None or type(value) in (bool, int, float, complex, str)


def _constant(value: Any) -> str:
    """A constant as an expression."""
    if type(value) in (tuple, list):
        parts = "".join(f"{_constant(part)}, " for part in value)
        return f"({parts})" if type(value) is tuple else f"[{parts}]"
    if type(value) is dict:
        return "{" + ", ".join(f"{key!r}: {_constant(part)}" for key, part in value.items()) + "}"
    if isinstance(value, complex) and not (math.isfinite(value.real) and math.isfinite(value.imag)):
        return f"complex({_constant(value.real)}, {_constant(value.imag)})"
    if isinstance(value, float) and not math.isfinite(value):
        return "(1e999 - 1e999)" if math.isnan(value) else "1e999" if value > 0 else "-1e999"
    return repr(value)
