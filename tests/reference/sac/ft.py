"""The heat equation on a periodic box: each axis transformed by the definition of the Fourier transform."""

from cmath import exp, pi
from itertools import product

shape = (8, 16, 16)
points = list(product(*map(range, shape)))
u = {
    p: complex((k * 7919 + 13) % 1009 / 1009, (k * 7907 + 5) % 1013 / 1013) for k, p in enumerate(points)
}


def transform(a, sign):
    for axis, n in enumerate(shape):
        roots = [exp(sign * 2j * pi * k / n) for k in range(n)]
        a = {
            p: sum(a[p[:axis] + (i,) + p[axis + 1 :]] * roots[i * p[axis] % n] for i in range(n)) for p in points
        }
    return a


def decay(p, t):
    return exp(-4e-3 * pi**2 * t * sum((i - n if 2 * i >= n else i) ** 2 for i, n in zip(p, shape))).real


frequencies = transform(u, -1)
for t in 1, 2, 3, 4:
    v = transform({p: frequencies[p] * decay(p, t) for p in points}, 1)
    total = sum(v[j % 8, 3 * j % 16, 5 * j % 16] for j in range(128)) / len(points)
    print(f"{t} {total.real:.8f} {total.imag:.8f}")
print(1)
