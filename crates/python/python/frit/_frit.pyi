"""The compiled half of the package."""

from typing import Any

class CompileError(TypeError):
    """A program or function that cannot be compiled, with the place."""

class Explanation:
    """What became of the loops of a function: text in a terminal, a page in a notebook."""

    @property
    def details(self) -> str:
        """Every decision in the source's lines, with amounts in full."""

    @property
    def html(self) -> str: ...
    def _repr_html_(self) -> str: ...

class Function:
    """A function that is compiled when it is called, with numbers and arrays."""

    __wrapped__: Any

    @property
    def __name__(self) -> str: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def warm(self, *args: Any, **kwargs: Any) -> None:
        """Compiles the function for such arguments, and does not call it."""

    def explain(self, *args: Any, **kwargs: Any) -> Explanation:
        """What became of the loops, for such arguments or those of the last call."""

    def dump(self, step: str = "fuse", *args: Any, **kwargs: Any) -> str:
        """The program after a step of the compiler, for such arguments or those of the last call."""

    def source(self, *args: Any, **kwargs: Any) -> str:
        """The C source, for such arguments or those of the last call."""

def sac(name: str, text: str) -> list[Function]: ...
def l0(name: str, text: str) -> Function: ...
def jit(function: Any, is_strict: bool) -> Function: ...
def ir(path: str) -> Function: ...
def configure(threads: int, strict_fp: bool) -> None: ...
def after_fork() -> None: ...
