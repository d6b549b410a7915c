import jax
import jax.numpy as jnp


def cnd(d):
    k = 1.0 / (1.0 + 0.2316419 * jnp.abs(d))
    poly = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    r = 0.39894228040143267 * jnp.exp(-0.5 * d * d) * poly
    return jnp.where(d > 0, 1.0 - r, r)


@jax.jit
def kernel(price, strike, t, rate, vol):
    sqrt_t = jnp.sqrt(t)
    d1 = (jnp.log(price / strike) + (rate + 0.5 * vol**2) * t) / (vol * sqrt_t)
    d2 = d1 - vol * sqrt_t
    discounted = strike * jnp.exp(-rate * t)
    n1, n2 = cnd(d1), cnd(d2)
    return price * n1 - discounted * n2, discounted * (1.0 - n2) - price * (1.0 - n1)
