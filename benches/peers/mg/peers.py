import numpy as np
A, S = (-8.0 / 3.0, 0.0, 1.0 / 6.0, 1.0 / 12.0), (-3.0 / 8.0, 1.0 / 32.0, -1.0 / 64.0, 0.0)
MEANS, BETWEEN = (0.5, 0.25, 0.125, 0.0625), (1.0, 0.5, 0.25, 0.125)


def solver(xp, scattered):
    """The V-cycles in whole-array operations of NumPy or its like; `scattered(z)` has z at every second point."""
    def beside(axis, u):
        return xp.roll(u, 1, axis) + xp.roll(u, -1, axis)

    def stencil(w, u):
        i, j, k = (beside(axis, u) for axis in range(3))
        ij = beside(1, i)
        return w[0] * u + w[1] * (i + j + k) + w[2] * (ij + beside(2, i) + beside(2, j)) + w[3] * beside(2, ij)

    def vcycle(r):
        if r.shape[0] <= 2:
            return stencil(S, r)
        z = stencil(BETWEEN, scattered(vcycle(stencil(MEANS, r)[1::2, 1::2, 1::2])))
        return z + stencil(S, r - stencil(A, z))
    return lambda v, u: u + vcycle(v - stencil(A, u))


def numpy_(i):
    def scattered(z):
        spread = np.zeros([2 * n for n in z.shape])
        spread[1::2, 1::2, 1::2] = z
        return spread
    improved = solver(np, scattered)

    def run():
        u = np.zeros_like(i['v'])
        for _ in range(i['cycles']):
            u = improved(i['v'], u)
        return (u,)
    return run


def jax_(i):
    import jax, jax.numpy as jnp
    improved = solver(jnp, lambda z: jnp.zeros([2 * n for n in z.shape]).at[1::2, 1::2, 1::2].set(z))
    f = jax.jit(lambda v: jax.lax.fori_loop(0, i['cycles'], lambda k, u: improved(v, u), jnp.zeros_like(v)))
    v = jnp.array(i['v'])
    return lambda: (jax.block_until_ready(f(v)),)


def numba_(i):
    import numba as nb

    # u * p + q * (weighted neighbourhood of a): the residual and the smoothing in one sweep each.
    @nb.njit(parallel=True, fastmath=True)
    def apply(p, u, q, w, a, out):
        n = a.shape[0]
        for x in nb.prange(n):
            x0, x1 = (x - 1) % n, (x + 1) % n
            f, e = np.empty(n), np.empty(n)
            for y in range(n):
                y0, y1 = (y - 1) % n, (y + 1) % n
                for z in range(n):
                    f[z] = a[x0, y, z] + a[x1, y, z] + a[x, y0, z] + a[x, y1, z]
                    e[z] = a[x0, y0, z] + a[x0, y1, z] + a[x1, y0, z] + a[x1, y1, z]
                for z in range(n):
                    z0, z1 = z - 1 if z else n - 1, z + 1 if z < n - 1 else 0
                    s = w[0] * a[x, y, z] + w[1] * (f[z] + a[x, y, z0] + a[x, y, z1]) + w[2] * (e[z] + f[z0] + f[z1]) + w[3] * (e[z0] + e[z1])
                    out[x, y, z] = p * u[x, y, z] + q * s

    @nb.njit(parallel=True, fastmath=True)
    def coarser(r, w, out):
        n, h = r.shape[0], out.shape[0]
        for i in nb.prange(h):
            x0, x, x1 = 2 * i, 2 * i + 1, (2 * i + 2) % n
            f, e = np.empty(n), np.empty(n)
            for j in range(h):
                y0, y, y1 = 2 * j, 2 * j + 1, (2 * j + 2) % n
                for z in range(n):
                    f[z] = r[x0, y, z] + r[x1, y, z] + r[x, y0, z] + r[x, y1, z]
                    e[z] = r[x0, y0, z] + r[x0, y1, z] + r[x1, y0, z] + r[x1, y1, z]
                for k in range(h):
                    z0, z, z1 = 2 * k, 2 * k + 1, (2 * k + 2) % n
                    out[i, j, k] = w[0] * r[x, y, z] + w[1] * (f[z] + r[x, y, z0] + r[x, y, z1]) + w[2] * (e[z] + f[z0] + f[z1]) + w[3] * (e[z0] + e[z1])

    @nb.njit(parallel=True, fastmath=True)
    def finer(s, out):
        h = s.shape[0]
        for i in nb.prange(2 * h):
            for j in range(2 * h):
                # Odd points are there; even ones are between the one before and the one behind.
                i0, i1, j0, j1 = (i - 1) // 2 % h, i // 2, (j - 1) // 2 % h, j // 2
                for k in range(h):
                    k0 = k - 1 if k else h - 1
                    here = 0.25 * (s[i0, j0, k] + s[i0, j1, k] + s[i1, j0, k] + s[i1, j1, k])
                    before = 0.25 * (s[i0, j0, k0] + s[i0, j1, k0] + s[i1, j0, k0] + s[i1, j1, k0])
                    out[i, j, 2 * k] = 0.5 * (before + here)
                    out[i, j, 2 * k + 1] = here

    def vcycle(r):
        z, out = np.empty_like(r), np.empty_like(r)
        if r.shape[0] <= 2:
            apply(0.0, r, 1.0, S, r, out)
            return out
        s = np.empty([n // 2 for n in r.shape])
        coarser(r, MEANS, s)
        finer(vcycle(s), z)
        rest = np.empty_like(r)
        apply(1.0, r, -1.0, A, z, rest)
        apply(1.0, z, 1.0, S, rest, out)
        return out

    def run():
        u, r = np.zeros_like(i['v']), np.empty_like(i['v'])
        for _ in range(i['cycles']):
            apply(1.0, i['v'], -1.0, A, u, r)
            u += vcycle(r)
        return (u,)
    return run
