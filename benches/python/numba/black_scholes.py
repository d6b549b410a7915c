"""One loop over the options."""
import math

import numpy as np
from numba import njit, prange


@njit(fastmath=True, error_model="numpy")
def cnd(d):
    k = 1.0 / (1.0 + 0.2316419 * abs(d))
    poly = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    r = 0.39894228040143267 * math.exp(-0.5 * d * d) * poly
    return 1.0 - r if d > 0 else r


@njit(parallel=True, fastmath=True, error_model="numpy")
def kernel(price, strike, t, rate, vol):
    call = np.empty_like(price)
    put = np.empty_like(price)
    for i in prange(price.size):
        sqrt_t = math.sqrt(t[i])
        d1 = (math.log(price[i] / strike[i]) + (rate + 0.5 * vol**2) * t[i]) / (vol * sqrt_t)
        d2 = d1 - vol * sqrt_t
        discounted = strike[i] * math.exp(-rate * t[i])
        n1 = cnd(d1)
        n2 = cnd(d2)
        call[i] = price[i] * n1 - discounted * n2
        put[i] = discounted * (1.0 - n2) - price[i] * (1.0 - n1)
    return call, put
