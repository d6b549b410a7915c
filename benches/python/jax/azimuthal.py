"""Rings by their edges are found by a search instead of a mask for each."""
from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames="bins")
def kernel(data, radius, bins):
    data, radius = data.ravel(), radius.ravel()
    rmax = radius.max()

    def means(where, length):
        total = jnp.bincount(where, weights=data, length=length)
        return total / jnp.maximum(jnp.bincount(where, length=length), 1)

    where = jnp.minimum((radius / rmax * bins).astype(jnp.int64), bins - 1)
    edges = rmax * jnp.arange(bins + 1) / bins
    ring = jnp.searchsorted(edges, radius, side="right") - 1
    return means(where, bins), means(ring, bins + 1)[:bins]
