"""Cells of notebooks in L0 and SAC: `%load_ext frit`, then `%%l0` and `%%sac`."""

from __future__ import annotations

from typing import Any, Callable

from ._program import Program, l0, sac


def _magic(shell: Any, language: str, compiled: Callable[[str, str], Program]) -> Callable[[str, str], None]:
    def run(line: str, cell: str) -> None:
        name = line.strip()
        if name and not name.isidentifier():
            raise ValueError(f"`%%{language} {name}`: one name may follow, which the program gets")
        program = compiled(cell, f"<{name or language}>")
        # Without a name, its functions get their own.
        shell.user_ns.update({name: program} if name else {function: program[function] for function in program})

    run.__doc__ = f"""The functions of a program in {language.upper()}, under their names; with `%%{language} NAME`, as attributes of NAME."""
    return run


def register(shell: Any) -> None:
    """Makes the cell magics known to a shell of IPython."""
    for language, compiled in (("l0", l0), ("sac", sac)):
        shell.register_magic_function(_magic(shell, language, compiled), "cell", language)
