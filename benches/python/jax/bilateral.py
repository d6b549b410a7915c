from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames="radius")
def kernel(image, radius, sigma_s, sigma_r):
    total = jnp.zeros_like(image)
    norm = jnp.zeros_like(image)
    for dy in range(-radius, radius + 1):
        for dx in range(-radius, radius + 1):
            shifted = jnp.roll(image, (dy, dx), axis=(0, 1))
            w = jnp.exp(-(dx * dx + dy * dy) / (2 * sigma_s**2) - (shifted - image) ** 2 / (2 * sigma_r**2))
            total += w * shifted
            norm += w
    return total / norm
