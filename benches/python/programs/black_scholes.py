"""Prices of calls and puts by the formula of Black and Scholes."""
import numpy as np


def cnd(d):
    k = 1.0 / (1.0 + 0.2316419 * np.abs(d))
    poly = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    r = 0.39894228040143267 * np.exp(-0.5 * d * d) * poly
    return np.where(d > 0, 1.0 - r, r)


def kernel(price, strike, t, rate, vol):
    sqrt_t = np.sqrt(t)
    d1 = (np.log(price / strike) + (rate + 0.5 * vol**2) * t) / (vol * sqrt_t)
    d2 = d1 - vol * sqrt_t
    discounted = strike * np.exp(-rate * t)
    call = price * cnd(d1) - discounted * cnd(d2)
    put = discounted * cnd(-d2) - price * cnd(-d1)
    return call, put


def arguments(n, rng):
    return 10 + 90 * rng.random(n), 10 + 90 * rng.random(n), 0.25 + 9 * rng.random(n), 0.02, 0.3


SIZES = {"test": 30, "bench": 2000000}
