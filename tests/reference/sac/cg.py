"""The equation of Poisson with borders of zero: conjugate gradients for the number of steps, sums of sines for the solution."""

from math import cos, pi, sin, sqrt

from arrays import indices, size


def laplacian(u, shape):
    def element(iv):
        total = 2 * len(shape) * u[iv]
        for axis in range(len(shape)):
            for by in (-1, 1):
                total -= u.get(iv[:axis] + (iv[axis] + by,) + iv[axis + 1 :], 0.0)
        return total

    return {iv: element(iv) for iv in u}


def steps(b, shape):
    r, p = dict(b), dict(b)
    rho, count = sum(e * e for e in r.values()), 0
    while sqrt(rho) > 1e-9 and count < 1000:
        q = laplacian(p, shape)
        alpha = rho / sum(p[iv] * q[iv] for iv in p)
        r = {iv: r[iv] - alpha * q[iv] for iv in r}
        new = sum(e * e for e in r.values())
        p = {iv: r[iv] + p[iv] * (new / rho) for iv in r}
        rho, count = new, count + 1
    return count


def solution(shape):
    """For a charge of one in the middle, from the eigenvectors of the Laplacian."""
    modes = [[[sin(pi * (m + 1) * (i + 1) / (n + 1)) for i in range(n)] for m in range(n)] for n in shape]
    values = [[2 - 2 * cos(pi * (m + 1) / (n + 1)) for m in range(n)] for n in shape]
    u = {}
    for k in indices(shape):
        c = sum(values[a][m] for a, m in enumerate(k))
        w = 1.0
        for a, m in enumerate(k):
            w *= modes[a][m][shape[a] // 2] * 2 / (shape[a] + 1)
        u[k] = w / c
    # Axis by axis from frequencies to places.
    for axis, n in enumerate(shape):
        u = {
            iv: sum(u[iv[:axis] + (m,) + iv[axis + 1 :]] * modes[axis][m][iv[axis]] for m in range(n))
            for iv in indices(shape)
        }
    return u


for shape in [31], [20, 25], [8, 9, 10]:
    middle = tuple(n // 2 for n in shape)
    b = {iv: 1.0 if iv == middle else 0.0 for iv in indices(shape)}
    x = solution(shape)
    assert len(x) == size(shape)
    print(f"{steps(b, shape)} {max(x.values()):.8f} {sum(x.values()):.8f} 1")
