"""Minimum, maximum and mean; sums are exact before they are rounded."""

from math import fsum

from arrays import scattered


def report(values):
    print(f"{min(values):.10g} {max(values):.10g} {fsum(values) / len(values):.10g}")


report(list(scattered([1000]).values()))
report([x - 0.5 for x in scattered([30, 40]).values()])
report([x * 10.0 for x in scattered([7, 8, 9]).values()])
report([2.5])
