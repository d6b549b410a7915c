"""How often each of 0, 1, ..., bins-1 occurs."""

from l0_text import arguments, show

values, bins = arguments("histogram")
show([values.count(bin) for bin in range(bins)])
