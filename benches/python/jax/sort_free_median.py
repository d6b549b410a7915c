import jax
import jax.numpy as jnp

NETWORK = ((1, 2), (4, 5), (7, 8), (0, 1), (3, 4), (6, 7), (1, 2), (4, 5), (7, 8), (0, 3), (5, 8), (4, 7), (3, 6),
           (1, 4), (2, 5), (4, 7), (4, 2), (6, 4), (4, 2))


@jax.jit
def kernel(image):
    h, w = image.shape
    p = [image[i:h - 2 + i, j:w - 2 + j] for i in range(3) for j in range(3)]
    for i, j in NETWORK:
        p[i], p[j] = jnp.minimum(p[i], p[j]), jnp.maximum(p[i], p[j])
    return p[4]
