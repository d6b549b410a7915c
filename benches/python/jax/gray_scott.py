"""The inner part of each field; borders that are copied are padding that wraps around."""
import jax
import jax.numpy as jnp
from jax import lax


def laplacian(z):
    return z[:-2, 1:-1] + z[1:-1, :-2] + z[1:-1, 2:] + z[2:, 1:-1] - 4 * z[1:-1, 1:-1]


@jax.jit
def kernel(u, v, steps, du=0.16, dv=0.08, f=0.035, k=0.065):
    def step(_, state):
        u, v = state
        uc, vc = u[1:-1, 1:-1], v[1:-1, 1:-1]
        uvv = uc * vc * vc
        u2 = uc + du * laplacian(u) - uvv + f * (1 - uc)
        v2 = vc + dv * laplacian(v) + uvv - (f + k) * vc
        return jnp.pad(u2, 1, mode="wrap"), jnp.pad(v2, 1, mode="wrap")

    u, v = lax.fori_loop(0, steps, step, (u, v))
    return v, u, v
