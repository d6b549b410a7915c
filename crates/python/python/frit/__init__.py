"""Frit: array programs, compiled into few dense loops, as functions on NumPy arrays."""

from __future__ import annotations

import os

from . import _frit
from ._config import config
from ._frit import CompileError, Explanation, Function
from ._bench import Times, bench
from ._jit import jit
from ._program import Program, l0, load, sac

__all__ = ["CompileError", "Explanation", "Function", "Program", "Times", "bench", "config", "jit", "l0", "load", "sac"]


def load_ipython_extension(shell) -> None:
    """What `%load_ext frit` calls: `%%l0` and `%%sac` are cells in these languages."""
    from ._magics import register

    register(shell)


os.register_at_fork(after_in_child=_frit.after_fork)
