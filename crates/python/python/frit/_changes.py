"""Whether functions may change the lists and dictionaries that they are called with. Compiled functions get these as constants."""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
from typing import Any

import numpy

# Functions of Python that only look at what is in a list.
_READERS = {"len", "enumerate", "zip", "reversed", "sum", "min", "max", "tuple", "list", "any", "all", "sorted", "map", "isinstance"}
_READERS |= {"print", "str", "repr", "dict", "iter"}
_METHODS = {"items", "keys", "values", "get", "index", "count", "copy"}


def has_container(value: Any) -> bool:
    """True for lists and dictionaries, and for tuples of them."""
    return isinstance(value, (list, dict)) or isinstance(value, tuple) and any(map(has_container, value))


def may_change(function: Any, parameter: str, value: Any) -> bool:
    """True unless it is certain that the function leaves this list or dictionary as it is. Arrays in it may be written."""
    is_of_arrays = all(isinstance(part, numpy.ndarray) for part in _parts(value))
    return _Uses(is_of_arrays).change(function, parameter, _depth(value))


def _parts(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else list(value)


def _depth(value: Any) -> int:
    """How many lists are inside one another in a list."""
    return max((1 + _depth(part) for part in _parts(value) if has_container(part)), default=0)


class _Uses:
    """What functions do with a parameter; `depth` is that of what it is."""

    def __init__(self, is_of_arrays: bool) -> None:
        self.is_of_arrays = is_of_arrays
        self.seen: set[tuple[Any, str, int]] = set()

    def change(self, function: Any, parameter: str, depth: int) -> bool:
        function = inspect.unwrap(function)
        if (function, parameter, depth) in self.seen:
            return False
        self.seen.add((function, parameter, depth))
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        except (OSError, TypeError, SyntaxError):
            return True
        parents = {child: parent for parent in ast.walk(tree) for child in ast.iter_child_nodes(parent)}
        names = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == parameter]
        return any(self.changes(function, node, parents, depth) for node in names if isinstance(node.ctx, ast.Load))

    def changes(self, function: Any, node: ast.expr, parents: dict[ast.AST, ast.AST], depth: int) -> bool:
        """True if this use may change what the expression is."""
        parent, is_nested = parents[node], depth > 0
        if isinstance(parent, ast.Subscript) and parent.value is node:
            if not isinstance(parent.ctx, ast.Load):
                return not (isinstance(parents[parent], ast.AugAssign) and self.is_of_arrays)
            return is_nested and self.changes(function, parent, parents, depth - 1)
        if isinstance(parent, ast.Call):
            at = parent.args.index(node) if node in parent.args else None
            return self.is_changed_by(function, parent, at, None, depth)
        if isinstance(parent, ast.keyword):
            call = parents[parent]
            return not isinstance(call, ast.Call) or self.is_changed_by(function, call, None, parent.arg, depth)
        if isinstance(parent, ast.Attribute):
            return parent.attr not in _METHODS or is_nested and parent.attr not in ("index", "count", "keys")
        if isinstance(parent, (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.If, ast.While, ast.IfExp, ast.FormattedValue, ast.Return)):
            return False
        if isinstance(parent, ast.Assign):
            return is_nested or not all(isinstance(target, (ast.Tuple, ast.List)) for target in parent.targets)
        if isinstance(parent, (ast.For, ast.comprehension)):
            return is_nested or parent.iter is not node
        return is_nested or not isinstance(parent, (ast.Starred, ast.BinOp, ast.Tuple))

    def is_changed_by(self, function: Any, call: ast.Call, at: int | None, name: str | None, depth: int) -> bool:
        """True if a call may change an argument."""
        if isinstance(call.func, ast.Name):
            callee = function.__globals__.get(call.func.id)
            if callee is None and call.func.id in _READERS:
                return depth > 0 and call.func.id != "len"
            callee = getattr(callee, "__wrapped__", callee)
            if not isinstance(callee, types.FunctionType):
                return True
            if any(isinstance(argument, ast.Starred) for argument in call.args):
                return True
            parameters = list(inspect.signature(callee).parameters)
            if at is not None:
                return at >= len(parameters) or self.change(callee, parameters[at], depth)
            return name not in parameters or self.change(callee, name, depth)
        if isinstance(call.func, ast.Attribute):
            base = call.func
            while isinstance(base, ast.Attribute):
                base = base.value
            module = function.__globals__.get(base.id) if isinstance(base, ast.Name) else None
            return not (isinstance(module, types.ModuleType) and module.__name__ in ("numpy", "math")) or "random" in ast.dump(call.func)
        return True
