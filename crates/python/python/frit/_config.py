"""What holds for all functions of the process."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys

from . import _frit


class Config:
    """Settings; they hold from the next call on."""

    def __init__(self) -> None:
        self._threads = 0
        self._strict_fp = False
        _find_compiler()

    @property
    def threads(self) -> int | None:
        """How many threads a call may use; `None` for as many as there are processors."""
        return self._threads or None

    @threads.setter
    def threads(self, threads: int | None) -> None:
        if threads is not None and threads < 1:
            raise ValueError("a call needs at least one thread")
        self._threads = threads or 0
        self._tell()

    @property
    def strict_fp(self) -> bool:
        """Results are those of the program as written, bit for bit: sums in order, no fused multiply-add."""
        return self._strict_fp

    @strict_fp.setter
    def strict_fp(self, strict_fp: bool) -> None:
        self._strict_fp = bool(strict_fp)
        self._tell()

    @property
    def cache(self) -> str | None:
        """The folder of compiled code; `None` for the user's. Child processes take it over."""
        return os.environ.get("FRIT_CACHE") or None

    @cache.setter
    def cache(self, folder: str | os.PathLike[str] | None) -> None:
        if folder is None:
            os.environ.pop("FRIT_CACHE", None)
        else:
            os.environ["FRIT_CACHE"] = os.fspath(folder)

    def _tell(self) -> None:
        _frit.configure(self._threads, self._strict_fp)

    def __repr__(self) -> str:
        return f"frit.config(threads={self.threads}, strict_fp={self.strict_fp}, cache={self.cache!r})"


def _find_compiler() -> None:
    """Takes the C compiler of the package `ziglang` where the system has none."""
    if os.environ.get("CC") or any(shutil.which(name) for name in ("cc", "gcc", "clang")):
        return
    if importlib.util.find_spec("ziglang") is not None:
        os.environ["CC"] = f"{sys.executable} -m ziglang cc"


config = Config()
