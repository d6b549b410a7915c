import numpy as np
NAMES = ('lower', 'diagonal', 'upper', 'right')


def numpy_(i):
    def run():
        l, d, u, r = (i[name] for name in NAMES)
        d, x = d.copy(), r.copy()
        for k in range(1, d.shape[1]):
            m = l[:, k] / d[:, k - 1]
            d[:, k] -= m * u[:, k - 1]
            x[:, k] -= m * x[:, k - 1]
        x[:, -1] /= d[:, -1]
        for k in range(d.shape[1] - 2, -1, -1):
            x[:, k] = (x[:, k] - u[:, k] * x[:, k + 1]) / d[:, k]
        return (x,)
    return run


def numba_(i):
    import numba as nb

    @nb.njit(parallel=True, fastmath=True)
    def f(l, d, u, r):
        systems, n = d.shape
        x = np.empty((systems, n))
        for s in nb.prange(systems):
            c = np.empty(n)
            c[0] = u[s, 0] / d[s, 0]
            x[s, 0] = r[s, 0] / d[s, 0]
            for k in range(1, n):
                inverse = 1.0 / (d[s, k] - l[s, k] * c[k - 1])
                c[k] = u[s, k] * inverse
                x[s, k] = (r[s, k] - l[s, k] * x[s, k - 1]) * inverse
            for k in range(n - 2, -1, -1):
                x[s, k] -= c[k] * x[s, k + 1]
        return x
    a = [i[name] for name in NAMES]
    return lambda: (f(*a),)


def jax_(i):
    import jax

    @jax.jit
    def f(l, d, u, r):
        l, d, u, r = l.T, d.T, u.T, r.T

        def eliminate(before, row):
            c, y = before
            l, d, u, r = row
            inverse = 1.0 / (d - l * c)
            now = u * inverse, (r - l * y) * inverse
            return now, now

        def substitute(after, row):
            x = row[1] - row[0] * after
            return x, x
        zero = d[0] * 0
        _, rows = jax.lax.scan(eliminate, (zero, zero), (l.at[0].set(0.0), d, u, r))
        return jax.lax.scan(substitute, zero, rows, reverse=True)[1].T
    a = [jax.numpy.array(i[name]) for name in NAMES]
    return lambda: (jax.block_until_ready(f(*a)),)
