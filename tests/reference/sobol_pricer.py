"""An Asian basket option by Sobol points made from their primitive polynomials.

The points come from the recurrence for direction numbers and the Gray-code order, one from the last; nothing
is read from the tables of the program. The normal deviates use the same rational functions as the program, and are
checked against the inverse normal distribution of the standard library.
"""

from math import exp, log, sqrt
from statistics import NormalDist

from l0_text import arguments, show

BITS = 30
# Degree, coefficients and first values of dimensions 2 to 8 (Joe and Kuo); dimension 1 is van der Corput's sequence.
POLYNOMIALS = [
    (1, 0, [1]),
    (2, 1, [1, 3]),
    (3, 1, [1, 3, 1]),
    (3, 2, [1, 1, 1]),
    (4, 1, [1, 1, 3, 3]),
    (4, 4, [1, 3, 5, 13]),
    (5, 2, [1, 1, 5, 5, 17]),
]


def direction_numbers():
    yield [1 << (BITS - 1 - k) for k in range(BITS)]
    for degree, coefficients, first in POLYNOMIALS:
        vector = [m << (BITS - 1 - k) for k, m in enumerate(first)]
        for k in range(degree, BITS):
            value = vector[k - degree] ^ (vector[k - degree] >> degree)
            for i in range(1, degree):
                if coefficients >> (degree - 1 - i) & 1:
                    value ^= vector[k - i]
            vector.append(value)
        yield vector


def sobol_points(dimensions, count):
    directions = list(direction_numbers())[:dimensions]
    point = [0] * dimensions
    for n in range(count):
        lowest_zero = (~n & (n + 1)).bit_length() - 1
        point = [x ^ vector[lowest_zero] for x, vector in zip(point, directions)]
        yield [x / 2**BITS for x in point]


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


samples, strike, rate, maturity, spots, volatilities, cholesky = arguments("sobol_pricer")
times = [maturity * k / 4 for k in range(1, 5)]
shares = range(len(spots))


def bridge(z):
    """Brownian motion at the four times: the last first, then the middle, then the quarters."""
    t1, t2, t3, t4 = times
    w4 = sqrt(t4) * z[0]
    w2 = ((t4 - t2) * 0 + t2 * w4) / t4 + sqrt(t2 * (t4 - t2) / t4) * z[1]
    w1 = t1 * w2 / t2 + sqrt(t1 * (t2 - t1) / t2) * z[2]
    w3 = ((t4 - t3) * w2 + (t3 - t2) * w4) / (t4 - t2) + sqrt((t3 - t2) * (t4 - t3) / (t4 - t2)) * z[3]
    return [w1, w2, w3, w4]


def payoff(normals):
    paths = [bridge(normals[a :: len(spots)]) for a in shares]
    total = 0.0
    for date, t in enumerate(times):
        for a in shares:
            brownian = sum(cholesky[a][b] * paths[b][date] for b in shares)
            total += spots[a] * exp((rate - volatilities[a] ** 2 / 2) * t + volatilities[a] * brownian)
    return max(total / (len(times) * len(spots)) - strike, 0.0)


payoffs = [payoff([inverse_normal(x) for x in p]) for p in sobol_points(4 * len(spots), samples)]
show(exp(-rate * maturity) * sum(payoffs) / samples)
