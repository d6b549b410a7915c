import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def kernel(torus, field, steps):
    def step(_, state):
        torus, field = state
        rows = torus + jnp.roll(torus, 1, 0) + jnp.roll(torus, -1, 0)
        n = rows + jnp.roll(rows, 1, 1) + jnp.roll(rows, -1, 1) - torus
        torus = ((n == 3) | ((torus == 1) & (n == 2))).astype(torus.dtype)
        here = field[1:-1, 1:-1]
        rows = field[:-2] + field[1:-1] + field[2:]
        m = rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:] - here
        alive = ((m == 3) & (here == 0)) | (((m == 2) | (m == 3)) & (here == 1))
        return torus, jnp.pad(alive.astype(field.dtype), 1)

    return lax.fori_loop(0, steps, step, (torus, field))
