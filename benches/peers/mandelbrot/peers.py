import numpy as np


def centres(low, high, n, xp=np):
    return low + (high - low) * (xp.arange(n) + 0.5) / n


def numpy_(i):
    width, height, limit = i['width'], i['height'], i['limit']

    def run():
        c = (centres(-2.0, 1.0, width)[None, :] + 1j * centres(-1.2, 1.2, height)[:, None]).ravel()
        re, im = c.real.copy(), c.imag.copy()
        out = np.full(c.size, limit, 'i8')
        at, a, b = np.arange(c.size), np.zeros(c.size), np.zeros(c.size)
        for step in range(limit):
            inside = a * a + b * b <= 4.0
            if not inside.all():
                out[at[~inside]] = step
                at, a, b, re, im = at[inside], a[inside], b[inside], re[inside], im[inside]
            a, b = a * a - b * b + re, 2.0 * a * b + im
        return (out.reshape(height, width),)
    return run


def numba_(i):
    import numba as nb

    @nb.njit(parallel=True, fastmath=True)
    def f(width, height, limit):
        out = np.empty((height, width), np.int64)
        for y in nb.prange(height):
            im = -1.2 + 2.4 * (y + 0.5) / height
            for x in range(width):
                re = -2.0 + 3.0 * (x + 0.5) / width
                a = b = 0.0
                steps = 0
                while steps < limit and a * a + b * b <= 4.0:
                    a, b = a * a - b * b + re, 2.0 * a * b + im
                    steps += 1
                out[y, x] = steps
        return out

    def run():
        # Small chunks, as the rows' work differs.
        with nb.parallel_chunksize(4):
            return (f(i['width'], i['height'], i['limit']),)
    return run


def jax_(i):
    import functools, jax, jax.numpy as jnp

    @functools.partial(jax.jit, static_argnums=(0, 1))
    def f(width, height, limit):
        re, im = centres(-2.0, 1.0, width, jnp)[None, :], centres(-1.2, 1.2, height, jnp)[:, None]
        zero = jnp.zeros((height, width))

        def step(state):
            n, a, b, out, inside = state
            out = out + inside
            a, b = a * a - b * b + re, 2.0 * a * b + im
            return n + 1, a, b, out, inside & (a * a + b * b <= 4.0)
        start = (0, zero, zero, jnp.zeros((height, width), jnp.int64), jnp.full((height, width), True))
        return jax.lax.while_loop(lambda s: (s[0] < limit) & s[4].any(), step, start)[3]
    return lambda: (jax.block_until_ready(f(i['width'], i['height'], i['limit'])),)
