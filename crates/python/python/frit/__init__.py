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

os.register_at_fork(after_in_child=_frit.after_fork)
