import jax
import jax.numpy as jnp
from jax import lax


def apply(p):
    q = jnp.pad(p, 1)
    return 4.0 * p - q[:-2, 1:-1] - q[2:, 1:-1] - q[1:-1, :-2] - q[1:-1, 2:]


@jax.jit
def kernel(b, tolerance, limit):
    def goes_on(state):
        return (state[4] < limit) & (jnp.sqrt(state[3]) >= tolerance)

    def step(state):
        x, r, p, rs, k = state
        ap = apply(p)
        alpha = rs / jnp.sum(p * ap)
        x = x + alpha * p
        r = r - alpha * ap
        new = jnp.vdot(r, r)
        return x, r, r + new / rs * p, new, k + 1

    x, _, _, _, k = lax.while_loop(goes_on, step, (jnp.zeros_like(b), b, b, jnp.sum(b * b), 0))
    return x, k
