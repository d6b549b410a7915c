"""Times of a compiled function and of the function that it was made from."""

from __future__ import annotations

import time
from typing import Any, Callable, NamedTuple, Optional


class Times(NamedTuple):
    """Seconds that a call takes, the least of several; and of the function without Frit, if there is one."""

    compiled: float
    undecorated: Optional[float]

    def __str__(self) -> str:
        if self.undecorated is None:
            return f"{_shown(self.compiled)}"
        ratio = self.undecorated / self.compiled
        return f"compiled {_shown(self.compiled)}, undecorated {_shown(self.undecorated)}: {ratio:.1f} times as fast"


def bench(function: Callable[..., Any], *args: Any, seconds: float = 1.0, **kwargs: Any) -> Times:
    """Times a compiled function on these arguments, and the undecorated one; each for about so many seconds."""
    undecorated = getattr(function, "__wrapped__", None)
    compiled = _least(function, args, kwargs, seconds)
    return Times(compiled, None if undecorated is None else _least(undecorated, args, kwargs, seconds))


def _least(function: Callable[..., Any], args: Any, kwargs: Any, seconds: float) -> float:
    function(*args, **kwargs)
    begin = time.perf_counter()
    function(*args, **kwargs)
    # Short calls are timed together: the clock takes as long as they do.
    together = max(1, int(1e-4 / max(time.perf_counter() - begin, 1e-9)))
    least = float("inf")
    while time.perf_counter() - begin < seconds:
        start = time.perf_counter()
        for _ in range(together):
            function(*args, **kwargs)
        least = min(least, (time.perf_counter() - start) / together)
    return least


def _shown(seconds: float) -> str:
    for unit, length in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= length:
            return f"{seconds / length:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"
