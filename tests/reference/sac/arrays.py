"""Arrays as dictionaries from index tuples to numbers, and the numbers that the examples start from."""

from itertools import product
from math import prod


def indices(shape):
    return list(product(*[range(n) for n in shape]))


def scattered(shape, seed=13, factor=7919, modulus=1009):
    """Numbers in [0, 1) that look arbitrary, in row-major order."""
    return {iv: (k * factor + seed) % modulus / modulus for k, iv in enumerate(indices(shape))}


def moved(iv, axis, by, shape):
    """The index `by` further along an axis, on a torus."""
    return iv[:axis] + ((iv[axis] + by) % shape[axis],) + iv[axis + 1 :]


def size(shape):
    return prod(shape)


def show(x):
    """A double array as `print` writes it: vectors and matrices."""
    if not isinstance(x[0], list):
        print(f"Dimension:  1\nShape    : < {len(x):2d}>")
        print("<" + "".join(number(e) + " " for e in x) + ">\n")
    else:
        print(f"Dimension:  2\nShape    : < {len(x):2d}, {len(x[0]):2d}>")
        for row in x:
            print("|" + "".join(number(e) + " " for e in row) + "|")
        print()


def number(x):
    return f"{x:2d}" if isinstance(x, int) else f"{x:e}"
