"""Black-Scholes prices of calls and puts."""

import numpy as np

RATE = 0.08
VOLATILITY = 0.30


def normal(d):
    """The cumulative standard normal distribution, to seven digits."""
    k = 1.0 / (1.0 + 0.2316419 * np.abs(d))
    horner = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = 0.39894228040143267794 * np.exp(-0.5 * d * d) * horner
    return np.where(0.0 < d, 1.0 - tail, tail)


def main(call, price, strike, years):
    v_sqrt_years = VOLATILITY * np.sqrt(years)
    d1 = (np.log(price / strike) + (RATE + 0.5 * VOLATILITY * VOLATILITY) * years) / v_sqrt_years
    d2 = d1 - v_sqrt_years
    n1, n2 = normal(d1), normal(d2)
    discounted = strike * np.exp(-RATE * years)
    return np.where(call, price * n1 - discounted * n2, discounted * (1.0 - n2) - price * (1.0 - n1))
