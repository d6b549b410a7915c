from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames=("width", "height"))
def kernel(width, height, centres, radii, colours, light):
    x, y = jnp.meshgrid(jnp.linspace(-1, 1, width), jnp.linspace(-1, 1, height))
    rays = jnp.stack([x, y, jnp.full_like(x, 1.5)], axis=-1)
    rays = rays / jnp.sqrt((rays * rays).sum(axis=-1, keepdims=True))
    nearest = jnp.full((height, width), jnp.inf)
    image = jnp.zeros((height, width, 3))
    for s in range(len(radii)):
        b = rays @ centres[s]
        disc = b * b - (centres[s] @ centres[s] - radii[s] ** 2)
        t = b - jnp.sqrt(jnp.maximum(disc, 0))
        hit = (disc > 0) & (t > 0) & (t < nearest)
        normal = (rays * t[..., None] - centres[s]) / radii[s]
        shade = jnp.maximum(normal @ light, 0.1)
        image = jnp.where(hit[..., None], shade[..., None] * colours[s], image)
        nearest = jnp.where(hit, t, nearest)
    return image
