"""Calls that are not compiled: what they give when a function runs in Python, and how compiled functions make them."""

from __future__ import annotations

import ast
import sys
import traceback
from typing import Any, Callable

import numpy

# What a call gives: `("none",)`, `("value", dtype, axes of extent 1, whether it is Python's)`, `("tuple", names, parts)`, `("object",)`,
# `("several", what)`. Names are `None` for a tuple and empty for a list.
Given = tuple

OUTSIDE = "__outside__"
_PYTHON = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}
_DTYPES = {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"} | {
    "float32",
    "float64",
    "complex64",
    "complex128",
}
# Calls that have to stand where they do, and calls that are never left to Python.
_PLAIN = {"super", "locals", "globals", "vars", "eval", "exec", "range", "print"}
# How often the results of a call are looked at.
_LOOKS = 16


class ResultError(TypeError):
    """A call that is not compiled does something else than when the function was compiled."""


class Observer:
    """A function that notes what calls in it give."""

    def __init__(self, file: str, text: str, name: str, names: dict[str, Any]) -> None:
        self.seen: dict[tuple[int, int], list[Any]] = {}
        tree = ast.parse(text)
        tree.body = [part for part in tree.body if not (isinstance(part, ast.ImportFrom) and part.module == OUTSIDE)]
        tree = ast.fix_missing_locations(_Wrapper(text).visit(tree))
        inside = {part.name for part in tree.body if isinstance(part, ast.FunctionDef)}
        scope = dict(names)
        exec(compile(tree, file, "exec"), scope)
        scope.update({name: value for name, value in names.items() if name not in inside})
        scope["_frit_observe"] = self._observe
        self.function = scope[name]

    def observed(self) -> list[tuple[int, int, Given, list[int], bool]]:
        return [(*place, given, sorted(written), shares) for place, (_, given, written, shares) in self.seen.items()]

    def _observe(self, start: int, end: int, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        entry = self.seen.get((start, end))
        if entry is not None and entry[0] >= _LOOKS:
            return function(*args, **kwargs)
        arrays: list[numpy.ndarray] = []
        _gather((getattr(function, "__self__", None), args, tuple(kwargs.values())), arrays)
        before = [array.copy() for array in arrays]
        counts = _references(arrays)
        result = function(*args, **kwargs)
        written = {at for at, (array, old) in enumerate(zip(arrays, before)) if not _is_same(array, old)}
        found: list[numpy.ndarray] = []
        _gather(result, found)
        shares = _share(found, arrays)
        given = _given(result)
        if not shares:
            if _references(arrays) != counts:
                given = ("several", "it keeps an argument")
            elif isinstance(result, numpy.ndarray) and (_is_kept(result, 3) or sys.getrefcount(result) > 3):
                given = ("several", "it keeps its result")
        if entry is None:
            self.seen[start, end] = [1, given, written, shares]
        else:
            self.seen[start, end] = [entry[0] + 1, _merged(entry[1], given), entry[2] | written, entry[3] or shares]
        return result


class _Wrapper(ast.NodeTransformer):
    """Puts an observer around each call."""

    def __init__(self, text: str) -> None:
        self.starts = [0]
        for line in text.split("\n"):
            self.starts.append(self.starts[-1] + len(line.encode()) + 1)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in _PLAIN:
            return node
        start = self.starts[node.lineno - 1] + node.col_offset
        end = self.starts[node.end_lineno - 1] + node.end_col_offset
        place: list[ast.expr] = [ast.Constant(start), ast.Constant(end)]
        observe = ast.Name("_frit_observe", ast.Load())
        return ast.copy_location(ast.Call(observe, [*place, node.func, *node.args], node.keywords), node)


class Call:
    """A call that a compiled function makes."""

    def __init__(
        self,
        text: str,
        name: str,
        place: str,
        names: dict[str, Any],
        arguments: list[tuple[bool, bool]],
        written: list[int],
        given: Given,
        first_object: int,
        is_known: bool,
        shares: bool,
    ) -> None:
        self.code = compile(text, f"<{name}>", "eval")
        self.name, self.place = name, place
        self.names = {"numpy": numpy, **names}
        for used in self.code.co_names:
            if used not in self.names and used in sys.modules:
                self.names[used] = sys.modules[used]
        self.arguments, self.written, self.given = arguments, written, given
        self.first_object, self.is_known, self.shares = first_object, is_known, shares

    def __call__(self, places: list[numpy.ndarray], objects: dict[str, Any]) -> list[numpy.ndarray]:
        """Makes the call with arguments in the memory of the compiled function. Gives the numbers and arrays among its results."""
        values = dict(objects)
        copies = []
        for at, (array, (is_number, is_python)) in enumerate(zip(places, self.arguments)):
            if is_number:
                values[f"_{at}"] = array.item() if is_python else array[()]
            elif self.is_known:
                values[f"_{at}"] = array
            else:
                # What is not known may keep its arguments, or write them.
                copies.append((at, array, array.copy()))
                values[f"_{at}"] = copies[-1][2]
        own = [copy for _, _, copy in copies]
        counts = _references(own)
        try:
            result = eval(self.code, self.names, values)
        except BaseException as error:
            if self.is_known and error.__traceback__ is not None:
                # Its frames refer to memory that the compiled function gives up.
                traceback.clear_frames(error.__traceback__.tb_next)
            raise
        leaves: list[numpy.ndarray] = []
        found: list[Any] = []
        if not self._flatten(result, self.given, leaves, found):
            self._fail(f"gave {_shown(_given(result))}, not {_shown(self.given)}")
        arrays: list[numpy.ndarray] = []
        if copies:
            _gather(result, arrays)
        shares = _share(arrays, own)
        if shares and not self.shares:
            self._fail("gave memory of an argument")
        if not shares and _references(own) != counts:
            self._fail("keeps an argument")
        if not self.is_known and not shares and isinstance(result, numpy.ndarray):
            # The first list, the name, and the argument refer to it.
            if sys.getrefcount(result) > 2 + sum(leaf is result for leaf in leaves) + sum(a is result for a in arrays):
                self._fail("keeps its result")
        for at, array, copy in copies:
            if at in self.written:
                array[...] = copy
            elif not _is_same(array, copy):
                self._fail("writes an argument")
        for at, one in enumerate(found):
            objects[f"_object{self.first_object + at}"] = one
        return leaves

    def _fail(self, what: str) -> None:
        raise ResultError(f"`{self.name}` {what}, as it did when the function was compiled; it runs in Python from now on\n{self.place}")

    def _flatten(self, result: Any, given: Given, leaves: list[numpy.ndarray], objects: list[Any]) -> bool:
        """Adds the numbers, arrays and objects of a result, if it is what was expected."""
        kind = given[0]
        if kind == "none":
            return result is None
        if kind == "object":
            objects.append(result)
            return True
        if kind == "tuple":
            _, names, parts = given
            if not isinstance(result, (tuple, list)) or len(result) != len(parts):
                return False
            if isinstance(result, list) != (names == []):
                return False
            return all(self._flatten(part, one, leaves, objects) for part, one in zip(result, parts))
        own = _given(result)
        if own[0] != "value":
            return False
        _, dtype, is_one, is_python = given
        fits = own[1] == dtype and len(own[2]) == len(is_one) and own[3] == is_python
        if not fits or not all(mine for mine, needed in zip(own[2], is_one) if needed):
            return False
        leaves.append(numpy.require(result, numpy.dtype(dtype), "C"))
        return True


def _gather(value: Any, arrays: list[numpy.ndarray]) -> None:
    """Adds the arrays in tuples and lists."""
    if isinstance(value, numpy.ndarray):
        if value.ndim > 0 and type(value) is numpy.ndarray and value.dtype.name in _DTYPES:
            arrays.append(value)
    elif isinstance(value, (tuple, list)):
        for part in value:
            _gather(part, arrays)


def _share(found: list[numpy.ndarray], arrays: list[numpy.ndarray]) -> bool:
    """True if an array that was found is one of the others, or a view of one, perhaps without elements."""
    for one in found:
        base: Any = one
        while isinstance(base, numpy.ndarray):
            if any(base is array or numpy.may_share_memory(base, array) for array in arrays):
                return True
            base = base.base
    return False


def _references(arrays: list[numpy.ndarray]) -> list[int]:
    """How many references there are to each array."""
    return [sys.getrefcount(array) for array in arrays]


def _is_same(one: numpy.ndarray, other: numpy.ndarray) -> bool:
    """True if all bits are the same."""
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    one, other = numpy.ascontiguousarray(one), numpy.ascontiguousarray(other)
    return bool(numpy.array_equal(one.reshape(-1).view(numpy.uint8), other.reshape(-1).view(numpy.uint8)))


def _is_kept(array: numpy.ndarray, count: int) -> bool:
    base = array.base
    return isinstance(base, numpy.ndarray) and sys.getrefcount(base) > count


def _given(result: Any) -> Given:
    """What a result is, as far as code depends on it."""
    if result is None:
        return ("none",)
    if type(result) in _PYTHON:
        if type(result) is int and not -(2**63) <= result < 2**63:
            return ("object",)
        return ("value", _PYTHON[type(result)], [], True)
    if isinstance(result, numpy.generic) or type(result) is numpy.ndarray:
        if result.dtype.name in _DTYPES:
            return ("value", result.dtype.name, [extent == 1 for extent in result.shape], False)
        return ("object",)
    if isinstance(result, (tuple, list)) and len(result) <= 64:
        is_plain = type(result) in (tuple, list)
        names = list(getattr(result, "_fields", [])) if not is_plain else [] if isinstance(result, list) else None
        if is_plain or names:
            return ("tuple", names, [_given(part) for part in result])
    return ("object",)


def _merged(one: Given, other: Given) -> Given:
    """What is known of a call that gave both."""
    if one == other or one[0] == "several":
        return one
    if one[0] == other[0] == "value" and one[1] == other[1] and one[3] == other[3] and len(one[2]) == len(other[2]):
        return ("value", one[1], [a and b for a, b in zip(one[2], other[2])], one[3])
    if one[0] == other[0] == "tuple" and one[1] == other[1] and len(one[2]) == len(other[2]):
        return ("tuple", one[1], [_merged(a, b) for a, b in zip(one[2], other[2])])
    return other if other[0] == "several" else ("several", f"{_shown(one)} and {_shown(other)}")


def _shown(given: Given) -> str:
    if given[0] == "value":
        _, dtype, is_one, is_python = given
        if is_python:
            return {"int64": "int", "float64": "float", "complex128": "complex"}.get(dtype, dtype)
        return dtype + ("[" + ", ".join("1" if one else ":" for one in is_one) + "]" if is_one else "")
    if given[0] == "tuple":
        return "(" + ", ".join(map(_shown, given[2])) + ")"
    return {"none": "None", "object": "an object"}.get(given[0], given[-1])
