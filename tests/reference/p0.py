"""Black-Scholes prices of the classic P0 run: one call a day, for the given number of days."""

from math import exp, log, pi, sqrt

from l0_text import arguments, show

RATE, VOLATILITY = 0.08, 0.30
COEFFICIENTS = [0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429]


def normal(d):
    k = 1 / (1 + 0.2316419 * abs(d))
    tail = exp(-d * d / 2) / sqrt(2 * pi) * sum(c * k ** (i + 1) for i, c in enumerate(COEFFICIENTS))
    return 1 - tail if d > 0 else tail


def price(call, share, strike, years):
    d1 = (log(share / strike) + (RATE + VOLATILITY**2 / 2) * years) / (VOLATILITY * sqrt(years))
    d2 = d1 - VOLATILITY * sqrt(years)
    discounted = strike * exp(-RATE * years)
    if call:
        return share * normal(d1) - discounted * normal(d2)
    return discounted * (1 - normal(d2)) - share * (1 - normal(d1))


if __name__ == "__main__":
    (days,) = arguments("p0")
    show([price(True, 58 + 4 * day / (5 * 365), 65.0, day / 365) for day in range(1, days + 1)])
