"""An Asian basket option by the additive sequence of Roberts.

The sequence's steps come from the root of x^(n+1) = x + 1 by bisection, its points from exact fractions of them. The normal
deviates use the same rational functions as the program, and are checked against the inverse normal distribution of the
standard library.
"""

from fractions import Fraction
from math import exp, log, sqrt
from statistics import NormalDist

from l0_text import arguments, show


def steps(dimensions):
    low, high = 1.0, 2.0
    for _ in range(200):
        middle = (low + high) / 2
        if middle ** (dimensions + 1) < middle + 1:
            low = middle
        else:
            high = middle
    return [low ** -(k + 1) for k in range(dimensions)]


def inverse_normal(p):
    def ratio(above, below, x):
        return sum(c * x**k for k, c in enumerate(reversed(above))) / sum(
            c * x**k for k, c in enumerate(reversed(below))
        )

    centre = (
        [-39.69683028665376, 220.9460984245205, -275.9285104469687, 138.3577518672690, -30.66479806614716,
         2.506628277459239],
        [-54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572, 1.0],
    )
    tail = (
        [-0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734, 4.374664141464968,
         2.938163982698783],
        [0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416, 1.0],
    )
    if p < 0.02425:
        x = ratio(*tail, sqrt(-2 * log(p)))
    elif p > 1 - 0.02425:
        x = -ratio(*tail, sqrt(-2 * log(1 - p)))
    else:
        x = (p - 0.5) * ratio(*centre, (p - 0.5) ** 2)
    assert abs(x - NormalDist().inv_cdf(p)) <= 2e-9 * max(1, abs(x))
    return x


samples, dates, strike, rate, maturity, spots, volatilities, cholesky = arguments("option_pricer")
interval = maturity / dates
shares = range(len(spots))
step = steps(dates * len(spots))


def point(n):
    return [float((Fraction(1, 2) + n * Fraction(s)) % 1) for s in step]


def payoff(deviates):
    total = 0.0
    brownian = [0.0 for _ in shares]
    for date in range(dates):
        for b in shares:
            brownian[b] += sqrt(interval) * deviates[b * dates + date]
        for a in shares:
            correlated = sum(cholesky[a][b] * brownian[b] for b in shares)
            drift = (rate - volatilities[a] ** 2 / 2) * interval * (date + 1)
            total += spots[a] * exp(drift + volatilities[a] * correlated)
    return max(total / (dates * len(spots)) - strike, 0.0)


payoffs = [payoff([inverse_normal(x) for x in point(n)]) for n in range(1, samples + 1)]
show(exp(-rate * maturity) * sum(payoffs) / samples)
