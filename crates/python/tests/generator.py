"""Random NumPy functions. Each statement is tried on arrays as it is made, so that shapes and types fit.

A function is a list of statements; a block is a pair of its head and a list. Exact functions compute what every
implementation of NumPy computes bit for bit. Others use sums of reals and mathematical functions, and nothing that
jumps: no comparisons, roundings or conversions of reals.
"""

import collections
import copy
import random

import numpy as np

DTYPES = ("f8", "f8", "f8", "f4", "f4", "i8", "i8", "i4", "i2", "u1", "u2", "u4", "i1", "?", "?", "c16", "c8")
SPECIAL = (np.nan, np.inf, -np.inf, -0.0, 0.0)
HELPERS = '''
def bump(x, k=1):
    x += k


def both(x, y):
    return y, x


def widened(x):
    return x[None], x.T
'''


class Unfit(Exception):
    """A statement that does not fit what is there."""


class Function:
    """A function that is being made: its text, the arrays that it has so far, and what occurred in it."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.is_exact = self.r.random() < 0.7
        self.counts = collections.Counter()
        self.names = 0
        self.depth = 0
        self.sizes = [self.r.choice((4, 5, 6)), self.r.choice((3, 7))] + ([0] if self.r.random() < 0.08 else [])
        self.arguments = {f"a{k}": self.array() for k in range(self.r.randint(2, 4))}
        self.arguments["n"] = self.r.randint(2, 4)
        if self.r.random() < 0.5:
            self.arguments["s"] = self.r.choice((0.5, -2.0, 3, 1.5))
        self.env = dict(np=np, **copy.deepcopy(self.arguments))
        exec(HELPERS, self.env)
        self.hidden = set(self.env) - set(self.arguments)
        self.body = self.block(self.r.randint(3, 8))

    # What there is.

    def array(self):
        dtype = np.dtype(self.r.choice(DTYPES))
        rank = self.r.choices((0, 1, 2, 3), (0, 4, 5, 1))[0]
        shape = tuple(self.r.choice(self.sizes * 3 + [1]) for _ in range(rank))
        if dtype.kind == "b":
            return self.numbers.random(shape) > 0.5
        if dtype.kind in "iu":
            return self.numbers.integers(0 if dtype.kind == "u" else -9, 10, shape).astype(dtype)
        values = np.round(self.numbers.standard_normal(shape) * 4, 2)
        if dtype.kind == "c":
            return (values + 1j * np.round(self.numbers.standard_normal(shape), 2)).astype(dtype)
        if self.is_exact and values.size and self.r.random() < 0.3:
            values.flat[self.r.randrange(values.size)] = self.r.choice(SPECIAL)
        return values.astype(dtype)

    def visible(self, fits=lambda value: True):
        return [name for name, value in self.env.items() if name not in self.hidden and fits(value)]

    def pick(self, fits=lambda value: True):
        names = self.visible(lambda value: isinstance(value, np.ndarray) and value.ndim > 0 and fits(value))
        if not names:
            raise Unfit
        return self.r.choice(names)

    def value(self, text):
        with np.errstate(all="ignore"):
            try:
                value = eval(text, self.env)
            except Exception:
                raise Unfit from None
        return value

    def note(self, what):
        self.counts[what] += 1

    # Subscripts.

    def index(self, value, rank=None):
        """A basic subscript of an array."""
        parts = []
        for n in value.shape:
            kind = self.r.random()
            if n < 2:
                parts.append(":")
            elif kind < 0.35:
                parts.append(":")
            elif kind < 0.5 and (rank is None):
                parts.append(self.r.choice(("0", "-1", "1", "n - 2")))
            elif kind < 0.85:
                parts.append(self.r.choice(("1:", ":-1", "::2", "::-1", "1:-1", "n - 1:", ":n", "-2:", "2::-1", "-3:-1", "1::2")))
            else:
                parts.append(self.r.choice(("0:1", "-1:", "1:2")))
            bounds = self.value(f"np.arange({n})[{parts[-1]}]")
            if np.size(bounds) == 1 and np.ndim(bounds) and parts[-1] not in ("0:1", "-1:", "1:2"):
                # An extent of 1 that is only known at run time is not broadcast.
                parts[-1] = ":"
        if self.r.random() < 0.15:
            parts.insert(self.r.randint(0, len(parts)), "None")
            self.note("newaxis")
        if len(parts) > 1 and parts[-1] == ":" and self.r.random() < 0.4:
            parts[-1] = "..."
        return ", ".join(parts)

    def view(self):
        name = self.pick()
        value = self.env[name]
        kind = self.r.random()
        if kind < 0.6:
            self.note("slice")
            return f"{name}[{self.index(value)}]"
        if kind < 0.8:
            self.note("transpose")
            return f"{name}.T"
        self.note("rearranged")
        return self.r.choice(
            (f"{name}.reshape(-1)", f"{name}[...]", f"np.flip({name}, 0)", f"np.swapaxes({name}, 0, -1)", f"np.expand_dims({name}, 0)", f"{name}.ravel()")
        )

    def mask(self, name):
        value = self.env[name]
        if value.dtype.kind == "b":
            return name
        if value.dtype.kind == "c" or not self.is_exact and value.dtype.kind == "f":
            raise Unfit
        return f"{name} {self.r.choice(('>', '<', '==', '!=', '>='))} {self.r.choice(('0', '1', '2'))}"

    # Expressions.

    def expression(self, depth=2):
        kind = self.r.random()
        if depth == 0 or kind < 0.15:
            return self.pick() if self.r.random() < 0.6 else self.view()
        inner = lambda: self.expression(depth - 1)
        if kind < 0.5:
            self.note("operator")
            left, right = inner(), self.r.choice((inner, self.literal))()
            if self.r.random() < 0.3:
                left, right = right, left
            op = self.r.choice(("+", "-", "*", "+", "-", "*", "/") + (("//", "%", "&", "|", "^", "**", "<", ">", "==", "!=", "<=", ">=") if self.is_exact else ()))
            if op == "**":
                left, right = inner(), self.r.choice(("2", "1"))
                if np.asarray(self.value(left)).dtype.kind == "b":
                    raise Unfit
            if op in ("<", ">", "<=", ">=") and "c" in (np.asarray(self.value(left)).dtype.kind, np.asarray(self.value(right)).dtype.kind):
                raise Unfit
            return f"({left} {op} {right})"
        if kind < 0.62:
            self.note("function")
            exact = ("np.abs", "np.negative", "np.sqrt", "np.square", "np.isnan", "np.sign", "np.floor", "np.ceil", "np.rint", "np.trunc", "np.logical_not", "np.isfinite", "np.signbit", "np.conj", "np.real")
            loose = ("np.exp", "np.sin", "np.cos", "np.tanh", "np.arctan", "np.abs", "np.square", "np.negative", "np.imag")
            name, x = self.r.choice(exact if self.is_exact else loose), inner()
            made = f"{name}({x})"
            is_complex = np.asarray(self.value(x)).dtype.kind == "c"
            if name == "np.conj" and self.value(x).dtype.kind == "b":
                raise Unfit
            # Complex and half precision functions of these are not compiled.
            if is_complex and name in ("np.arctan", "np.tanh", "np.sign", "np.rint") or self.value(made).dtype == np.float16:
                raise Unfit
            return made
        if kind < 0.7:
            self.note("function of two")
            exact = ("np.maximum", "np.minimum", "np.fmax", "np.fmin", "np.logical_and", "np.logical_xor", "np.copysign", "np.fmod", "np.floor_divide", "np.left_shift", "np.right_shift")
            names = exact if self.is_exact else ("np.maximum", "np.minimum", "np.hypot", "np.add")
            name, left, right = self.r.choice(names), inner(), self.r.choice((inner, self.literal))()
            kinds = [np.asarray(self.value(x)).dtype.kind for x in (left, right)]
            if "c" in kinds and name != "np.add" or name == "np.hypot" and "f" not in kinds:
                raise Unfit
            return f"{name}({left}, {right})"
        if kind < 0.8:
            return self.reduction(inner())
        if kind < 0.86 and self.is_exact:
            self.note("where")
            return f"np.where({inner()}, {inner()}, {self.r.choice((inner, self.literal))()})"
        if kind < 0.92:
            return self.gathered()
        self.note("rearranged")
        x = inner()
        return self.r.choice(
            (
                f"{x}.copy()",
                f"np.roll({x}, 1)",
                f"np.roll({x}, -1, axis=0)",
                f"np.concatenate(({x}, {x}))",
                f"np.stack(({x}, {x}))",
                f"np.stack(({x}, {x}), axis=-1)",
                f"np.zeros_like({x})",
                f"np.full_like({x}, 2)",
                f"np.clip({x}, -1, 2)" if np.asarray(self.value(x)).dtype.kind in "if" else x,
                f"np.diff({x})" if np.shape(self.value(x))[-1:] != (2,) else x,
                f"np.pad({x}, 1)",
                f"np.repeat({x}, 2, axis=0)",
                f"np.tile({x}, 2)",
                f"{x}.astype(np.float64)",
                f"np.nan_to_num(np.clip({x}, 0, 9)).astype(np.{self.r.choice(('int32', 'uint8', 'int64', 'int16'))})" if self.is_exact else x,
                f"{x}.real",
                f"({x} + 1j)",
                f"np.outer({x}, {x})",
                f"np.atleast_2d({x})",
            )
        )

    def reduction(self, x):
        self.note("reduction")
        value = self.value(x)
        if not isinstance(value, np.ndarray) or value.ndim == 0:
            raise Unfit
        is_whole = value.dtype.kind in "biu"
        names = ["max", "min"]
        if self.is_exact:
            names += ["any", "all", "argmax", "argmin", "cumsum", "sum", "prod"] if is_whole else ["argmax", "any"]
        else:
            names += ["sum", "mean", "cumsum", "std", "prod"]
        name = self.r.choice(names)
        if value.dtype.kind == "c" and name not in ("sum", "mean", "any", "all"):
            raise Unfit
        axis = self.r.choice((None, 0, -1, value.ndim - 1))
        arguments = [] if axis is None else [f"axis={axis}"]
        if axis is not None and name not in ("cumsum", "argmax", "argmin") and self.r.random() < 0.3:
            arguments.append("keepdims=True")
            self.note("keepdims")
        if name == "sum" and is_whole and self.r.random() < 0.3:
            arguments.append("dtype=np.float64")
        if self.r.random() < 0.5:
            return f"{x}.{name}({', '.join(arguments)})" if x[0] != "-" else f"np.{name}({', '.join([x] + arguments)})"
        return f"np.{name}({', '.join([x] + arguments)})"

    def gathered(self):
        name = self.pick()
        value = self.env[name]
        if self.r.random() < 0.4:
            self.note("mask")
            text = f"{name}[{self.mask(name)}]"
            if len(self.value(text)) == 1:
                raise Unfit
            return text
        self.note("gather")
        if value.shape[0] < 2:
            raise Unfit
        index = self.r.choice(("[0, -1, 1]", "np.arange(n) - 2", "np.array([1, 0])", "[[0, 1], [1, 1]]"))
        if value.ndim == 2 and value.shape[1] > 1:
            return f"{name}[{self.r.choice((index, f':, {index}', '[0, 1], [1, 0]', f'{index}, ::2', 'np.ix_([0, 1], [1, 0])'))}]"
        return f"{name}[{index}]"

    def literal(self):
        choices = ["2", "3", "0.5", "1.5", "-1", "n"] + (["s"] if "s" in self.env else []) + ["np.float32(0.5)", "np.int64(2)"]
        return self.r.choice(choices + [name for name in self.visible(lambda value: np.ndim(value) == 0 and not callable(value))])

    # Statements.

    def block(self, count):
        made = []
        tries = 0
        while len(made) < count and tries < 60:
            tries += 1
            before = {name: (value, value.copy() if isinstance(value, np.ndarray) else value) for name, value in self.env.items()}
            counts, names = self.counts.copy(), self.names
            try:
                made.append(self.statement())
            except Unfit:
                self.counts, self.names = counts, names
                for name in set(self.env) - set(before):
                    del self.env[name]
                for name, (value, content) in before.items():
                    self.env[name] = value
                    if isinstance(value, np.ndarray) and value.flags.writeable:
                        value[...] = content
        return made

    def statement(self):
        kind = self.r.random()
        if kind < 0.28:
            return self.assignment()
        if kind < 0.38:
            self.note("view variable")
            return self.bound(self.view())
        if kind < 0.52:
            self.note("augmented")
            ops = ("+=", "-=", "*=") + (("//=", "%=", "|=", "&=", "/=") if self.is_exact else ("/=",))
            return self.run(f"{self.pick()} {self.r.choice(ops)} {self.expression(1) if self.r.random() < 0.6 else self.literal()}")
        if kind < 0.72:
            return self.stored()
        if kind < 0.76:
            return self.swap()
        if kind < 0.81:
            return self.out()
        if kind < 0.84:
            self.note("call")
            name = self.pick()
            if self.r.random() < 0.5:
                return self.run(f"bump({self.view() if self.r.random() < 0.5 else name})")
            new = self.fresh()
            other = self.fresh()
            return self.run(self.r.choice((f"{new}, {other} = both({name}, {self.expression(1)})", f"{new}, {other} = widened({name})")))
        if self.depth < 2:
            return self.r.choice((self.loop, self.loop, self.branch))()
        raise Unfit

    def fresh(self):
        self.names += 1
        return f"x{self.names}"

    def run(self, text):
        """Executes a statement, and checks what it leaves."""
        with np.errstate(all="ignore"):
            try:
                exec(text, self.env)
            except Exception:
                raise Unfit from None
        for name in self.visible():
            value = self.env[name]
            kinds = "f8 f4 i8 i4 i2 i1 u1 u2 u4 u8 b1 c16 c8".split()
            if isinstance(value, np.ndarray) and (value.ndim > 3 or value.size > 2000 or value.dtype.str[1:] not in kinds):
                raise Unfit
            if isinstance(value, np.generic) and value.dtype.str[1:] not in kinds:
                raise Unfit

            if isinstance(value, (tuple, list)) or isinstance(value, int) and abs(value) > 1 << 40:
                raise Unfit
            if not self.is_exact and np.ndim(value) and value.size and value.dtype.kind in "fc":
                if not np.all(np.isfinite(value)) or np.abs(value).max() > 1e6:
                    raise Unfit
        return text

    def bound(self, text):
        value = self.value(text)
        # What is a view on one way only may not be used after it was written.
        is_view = isinstance(value, np.ndarray) and value.base is not None
        if self.depth and self.r.random() < 0.2 and not (is_view and self.r.random() < 0.95):
            # Extents that are 1 on one way only are not broadcast.
            like = lambda old: type(old) is type(value) and np.shape(old) == np.shape(value) and getattr(old, "dtype", 0) == getattr(value, "dtype", 0)
            # An argument that is another array on one way may not be written afterwards.
            names = [name for name in self.visible(like) if name[0] == "x" or name[0] == "a" and self.r.random() < 0.1]
            if names and text not in names:
                self.note("bound anew in a block")
                return self.run(f"{self.r.choice(names)} = {text}")
        return self.run(f"{self.fresh()} = {text}")

    def assignment(self):
        self.note("assignment")
        return self.bound(self.expression())

    def stored(self):
        name = self.pick()
        value = self.env[name]
        kind = self.r.random()
        op = self.r.choice(("=", "=", "+=", "*=", "-="))
        right = self.r.choice((self.literal, lambda: self.expression(1)))()
        if value.dtype.kind in "iub" and op == "=":
            stored = self.value(right)
            if np.asarray(stored).dtype.kind not in "iub":
                raise Unfit
        if value.dtype.kind != "c" and np.asarray(self.value(right)).dtype.kind == "c":
            raise Unfit
        if kind < 0.6:
            self.note("stored slice")
            return self.run(f"{name}[{self.index(value)}] {op} {right}")
        if kind < 0.85:
            self.note("stored mask")
            return self.run(f"{name}[{self.mask(name)}] {op} {self.literal()}")
        self.note("scattered")
        if value.shape[0] < 2:
            raise Unfit
        return self.run(f"{name}[{self.r.choice(('[0, 1]', '[1, 1, 0]', 'np.arange(n) - 1'))}] {op} {right}")

    def swap(self):
        name = self.pick()
        value = self.env[name]
        ones = [n == 1 for n in value.shape]
        other = self.pick(lambda old: old.dtype == value.dtype and [n == 1 for n in old.shape] == ones)
        # What is exchanged with a part of itself in nested loops, and then written, is not followed yet.
        if name == other or np.shares_memory(value, self.env[other]):
            raise Unfit
        self.note("swap")
        if self.r.random() < 0.3:
            return self.run(f"{name}[0], {other}[1] = {other}[1], {name}[0]" if value.ndim == 1 else f"{name}[...] = {other}")
        return self.run(f"{name}, {other} = {other}, {name}")

    def out(self):
        self.note("out")
        name = self.pick()
        ufunc = self.r.choice(("np.add", "np.multiply", "np.subtract") + (("np.maximum",) if self.env[name].dtype.kind != "c" else ()))
        where = ""
        if self.r.random() < 0.3:
            self.note("where=")
            where = f", where={self.mask(name)}"
        return self.run(f"{ufunc}({self.expression(1)}, {self.expression(0)}, out={name}{where})")

    def branch(self):
        self.note("branch")
        scalars = self.visible(lambda value: isinstance(value, (int, np.integer)))
        tests = [f"{name} {self.r.choice(('>', '<=', '=='))} 1" for name in scalars]
        if self.is_exact:
            tests += [f"{self.pick(lambda old: old.ndim == 1 and old.size and old.dtype.kind != 'c')}[0] > 1"]
        test = self.r.choice(tests)
        taken = bool(self.value(test))
        self.depth += 1
        before = set(self.env)
        snapshot = {name: (value, value.copy() if isinstance(value, np.ndarray) else value) for name, value in self.env.items()}
        then = self.block(self.r.randint(1, 2)) or ["pass"]
        if self.r.random() < 0.5:
            one = then
            for name in set(self.env) - before:
                del self.env[name]
            after = {name: (self.env[name], self.env[name].copy() if isinstance(self.env[name], np.ndarray) else self.env[name]) for name in before}
            self.restore(snapshot)
            other = self.block(self.r.randint(1, 2)) or ["pass"]
            if taken:
                for name in set(self.env) - before:
                    del self.env[name]
                self.restore(after)
            self.depth -= 1
            for name in set(self.env) - before:
                del self.env[name]
            return [(f"if {test}:", one), ("else:", other)]
        for name in set(self.env) - before:
            del self.env[name]
        if not taken:
            self.restore(snapshot)
        self.depth -= 1
        return [(f"if {test}:", then)]

    def restore(self, snapshot):
        for name, (value, content) in snapshot.items():
            self.env[name] = value
            if isinstance(value, np.ndarray) and value.flags.writeable:
                value[...] = content

    def loop(self):
        self.note("loop")
        self.depth += 1
        before = set(self.env)
        self.names += 1
        name, row = f"i{self.names}", f"row{self.names}"
        kind = self.r.random()
        rows = self.visible(lambda value: isinstance(value, np.ndarray) and value.ndim > 1 and value.shape[0] > 1)
        if kind < 0.55 or not rows:
            self.env[name] = 1
            head = self.r.choice((f"for {name} in range(n):", f"for {name} in range(1, 3):", f"for {name} in range(n - 1, -1, -1):", f"for {name} in range(0, 4, 2):"))
        elif kind < 0.75:
            self.note("loop over rows")
            over = self.r.choice(rows)
            self.env[name] = self.env[over][0]
            head = f"for {name} in {over}:"
        elif kind < 0.85:
            self.note("enumerate")
            over = self.r.choice(rows)
            self.env[name], self.env[row] = 0, self.env[over][0]
            head = f"for {name}, {row} in enumerate({over}):"
        else:
            self.note("while")
            self.env[name] = 0
            head = None
        body = self.block(self.r.randint(1, 3))
        if not body:
            raise Unfit
        if self.r.random() < 0.2 and isinstance(self.env[name], int):
            self.note("break")
            body.append([(f"if {name} == 2:", [self.r.choice(("break", "continue"))])])
            if self.r.random() < 0.5:
                body.append(self.statement_or_pass())
        self.depth -= 1
        for new in set(self.env) - before:
            del self.env[new]
        if head is None:
            return [f"{name} = 0", (f"while {name} < n:", [f"{name} += 1"] + body)]
        return [(head, body)]

    def statement_or_pass(self):
        return next(iter(self.block(1)), "pass")

    # The text.

    def text(self, name="f", body=None):
        body = self.body if body is None else body
        results = sorted(name for name in self.visible(lambda value: not callable(value)) if name.startswith("x"))
        if body is not self.body:
            assigned = " ".join(lines(body, 0))
            results = [one for one in results if f"{one} " in assigned or f"{one}," in assigned]
        rows = [f"def {name}({', '.join(self.arguments)}):"] + lines(body, 1)
        return "\n".join(rows + [f"    return {', '.join(results)}" if results else "    return None"]) + "\n"


def lines(body, level):
    rows = []
    for part in body:
        if isinstance(part, list):
            rows += lines(part, level)
        elif isinstance(part, tuple):
            rows += ["    " * level + part[0]] + lines(part[1], level + 1)
        else:
            rows.append("    " * level + part)
    return rows


def smaller(body):
    """Bodies with a part less."""
    for at, part in enumerate(body):
        yield body[:at] + body[at + 1 :]
        if isinstance(part, list):
            for less in smaller(part):
                yield body[:at] + [less] + body[at + 1 :]
        elif isinstance(part, tuple):
            yield body[:at] + part[1] + body[at + 1 :]
            for less in smaller(part[1]):
                if less:
                    yield body[:at] + [(part[0], less)] + body[at + 1 :]
