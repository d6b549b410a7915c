"""Prefix sums of five kinds, each by its definition."""

from l0_text import arguments, show

xs, starts, width = arguments("prefix_sums")
n = len(xs)


def segment_start(i):
    return max([k for k in range(i + 1) if starts[k]], default=0)


show(
    (
        [sum(xs[: i + 1]) for i in range(n)],
        [sum(xs[:i]) for i in range(n)],
        [max(xs[: i + 1]) for i in range(n)],
        [sum(xs[segment_start(i) : i + 1]) for i in range(n)],
        [sum(xs[i : i + width]) for i in range(n - width + 1)],
    )
)
