import jax
import jax.numpy as jnp


@jax.jit
def kernel(g, low, high):
    gx = (g[:-2, 2:] + 2 * g[1:-1, 2:] + g[2:, 2:]) - (g[:-2, :-2] + 2 * g[1:-1, :-2] + g[2:, :-2])
    gy = (g[2:, :-2] + 2 * g[2:, 1:-1] + g[2:, 2:]) - (g[:-2, :-2] + 2 * g[:-2, 1:-1] + g[:-2, 2:])
    strength = jnp.hypot(gx, gy)
    a = jnp.rad2deg(jnp.arctan2(gy, gx))[1:-1, 1:-1] % 180
    inner = strength[1:-1, 1:-1]
    horizontal = (a < 22.5) | (a >= 157.5)
    vertical = (a >= 67.5) & (a < 112.5)
    keep = jnp.select(
        [horizontal, vertical],
        [(inner >= strength[1:-1, 2:]) & (inner >= strength[1:-1, :-2]), (inner >= strength[2:, 1:-1]) & (inner >= strength[:-2, 1:-1])],
        (inner >= strength[2:, 2:]) & (inner >= strength[:-2, :-2]),
    )
    ridges = inner * keep
    return jnp.where(ridges > high, 255, jnp.where(ridges > low, 128, 0)).astype(jnp.uint8)
