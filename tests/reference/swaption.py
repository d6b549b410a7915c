"""A two-factor interest-rate model calibrated to swaptions by differential evolution.

Bounds of exercise are found by bisection, and what the fixed side is worth beyond a bound comes from the law of y given x.
The normal distribution is the same polynomial as the program's, checked against the standard library. Before
anything is printed, prices are compared with an integral over both factors that needs no bounds at all,
which also shows how little the parabola costs.
"""

from math import erfc, exp, pi, sqrt

from l0_text import arguments, show

PERIOD = 0.25
WORD = 2**32 - 1


def normal(x):
    """Abramowitz and Stegun, 26.2.17."""
    k = 1 / (1 + 0.2316419 * abs(x))
    coefficients = [0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429]
    tail = sum(c * k**i for i, c in enumerate(coefficients, 1)) * exp(-x * x / 2) / sqrt(2 * pi)
    return tail if x < 0 else 1 - tail


def check_normal():
    for i in range(-800, 801):
        x = i / 100
        assert abs(normal(x) - erfc(-x / sqrt(2)) / 2) < 1e-7, x


class Model:
    """Both factors until expiry, in the measure of the bond that matures then."""

    def __init__(self, parameters, rate, expiry):
        self.a, self.b, self.sigma, self.nu, self.rho = parameters
        self.rate, self.expiry = rate, expiry
        a, b, sigma, nu, rho = parameters
        covariance = rho * sigma * nu / (a + b) * -(exp(-(a + b) * expiry) - 1)
        self.sd_x = sigma * sqrt((1 - exp(-2 * a * expiry)) / (2 * a))
        self.sd_y = nu * sqrt((1 - exp(-2 * b * expiry)) / (2 * b))
        self.correlation = covariance / (self.sd_x * self.sd_y)
        self.mean_x = -self.drift(a, sigma, b, nu)
        self.mean_y = -self.drift(b, nu, a, sigma)

    def drift(self, a, sigma, b, nu):
        cross = self.rho * sigma * nu
        return (
            (sigma**2 / a**2 + cross / (a * b)) * (1 - exp(-a * self.expiry))
            - sigma**2 / (2 * a**2) * (1 - exp(-2 * a * self.expiry))
            - cross / (b * (a + b)) * (1 - exp(-(a + b) * self.expiry))
        )

    def variance(self, t):
        """Of the integral of x + y over t years."""
        a, b = self.a, self.b
        own = lambda z: t + 2 / z * exp(-z * t) - exp(-2 * z * t) / (2 * z) - 3 / (2 * z)
        both = t + (exp(-a * t) - 1) / a + (exp(-b * t) - 1) / b - (exp(-(a + b) * t) - 1) / (a + b)
        cross = 2 * self.rho * self.sigma * self.nu / (a * b)
        return self.sigma**2 / a**2 * own(a) + self.nu**2 / b**2 * own(b) + cross * both

    def bond(self, time):
        """{by x, by y, amount} of the bond that pays 1 at this time."""
        after = time - self.expiry
        convexity = self.variance(after) - self.variance(time) + self.variance(self.expiry)
        amount = exp(-self.rate * after) * exp(convexity / 2)
        return (1 - exp(-self.a * after)) / self.a, (1 - exp(-self.b * after)) / self.b, amount


def payment_times(expiry, payments):
    return [expiry + PERIOD * (i + 1) for i in range(payments)]


def swap_rate(rate, expiry, payments):
    times = payment_times(expiry, payments)
    return (exp(-rate * expiry) - exp(-rate * times[-1])) / (PERIOD * sum(exp(-rate * t) for t in times))


def fixed_side(model, payments, strike):
    coupons = [strike * PERIOD] * payments
    coupons[-1] += 1
    bonds = [model.bond(time) for time in payment_times(model.expiry, payments)]
    return [(by_x, by_y, coupon * amount) for (by_x, by_y, amount), coupon in zip(bonds, coupons)]


def value(fixed, x, y):
    return sum(amount * exp(-by_x * x - by_y * y) for by_x, by_y, amount in fixed)


def bound(fixed, x):
    low, high = -1.0, 1.0
    while value(fixed, x, low) < 1:
        low *= 2
    while value(fixed, x, high) > 1:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if value(fixed, x, middle) > 1 else (low, middle)
    return (low + high) / 2


def price(points, weights, model, payments, strike):
    fixed = fixed_side(model, payments, strike)
    nodes = [model.mean_x + 2 * model.sd_x * k for k in (-1, 0, 1)]
    bounds = [bound(fixed, x) for x in nodes]

    def interpolated(x):
        total = 0.0
        for j, y in enumerate(bounds):
            for k in range(3):
                if k != j:
                    y *= (x - nodes[k]) / (nodes[j] - nodes[k])
            total += y
        return total

    sd = model.sd_y * sqrt(1 - model.correlation**2)
    total, largest = 0.0, 0.0
    for t, weight in zip(points, weights):
        x = model.mean_x + sqrt(2) * model.sd_x * t
        y = interpolated(x)
        mean = model.mean_y + model.correlation * model.sd_y * (x - model.mean_x) / model.sd_x
        leg = sum(
            amount * exp(-by_x * x) * exp(-by_y * mean + (by_y * sd) ** 2 / 2) * normal((mean - by_y * sd**2 - y) / sd)
            for by_x, by_y, amount in fixed
        )
        part = weight / sqrt(pi) * (normal((mean - y) / sd) - leg)
        total += part
        largest = max(largest, abs(part))
    return exp(-model.rate * model.expiry) * total if largest < 0.95 * total else 0.0


def price_by_double_integral(model, payments, strike, n=400):
    """The expected positive part, by the rectangle rule over six deviations of both factors."""
    fixed = fixed_side(model, payments, strike)
    total = 0.0
    step = 12 / n
    for i in range(n):
        u = -6 + step * (i + 0.5)
        for j in range(n):
            v = -6 + step * (j + 0.5)
            x = model.mean_x + model.sd_x * u
            y = model.mean_y + model.sd_y * (model.correlation * u + sqrt(1 - model.correlation**2) * v)
            total += exp(-(u * u + v * v) / 2) * max(0.0, 1 - value(fixed, x, y))
    return exp(-model.rate * model.expiry) * total * step**2 / (2 * pi)


def prices(points, weights, rate, parameters, expiry, payments):
    model = Model(parameters, rate, expiry)
    strike = swap_rate(rate, expiry, payments)
    return [price(points, weights, model, payments, strike * factor) for factor in (0.8, 1.0, 1.2)]


def uniform(n):
    x = ((n + 1) * 40503) & WORD
    for _ in range(2):
        x = ((x ^ (x >> 16)) * 73244475) & WORD
    return (x ^ (x >> 16)) / 2**32


def calibrate(search, rate, lowest, highest, points, weights, quotes):
    count, generations, seed = search

    def error(member):
        total = 0.0
        for expiry, payments, *quoted in quotes:
            found = prices(points, weights, rate, member, expiry, payments)
            total += sum((p / q - 1) ** 2 for p, q in zip(found, quoted))
        return sqrt(total / (3 * len(quotes)))

    members = [
        [low + uniform(8 * (seed + i) + k) * (high - low) for k, (low, high) in enumerate(zip(lowest, highest))]
        for i in range(count)
    ]
    errors = [1e300] * count
    for generation in range(generations):
        best = members[errors.index(min(errors))]
        new = []
        for i in range(count):
            n = 8 * (seed + count * (generation + 1) + i)
            plus, minus = members[int(count * uniform(n + 5))], members[int(count * uniform(n + 6))]
            new.append(
                [
                    members[i][k]
                    if uniform(n + k) < 0.5
                    else min(highest[k], max(lowest[k], best[k] + 0.7 * (plus[k] - minus[k])))
                    for k in range(5)
                ]
            )
        new_errors = [error(member) for member in new]
        for i in range(count):
            if new_errors[i] < errors[i]:
                members[i], errors[i] = new[i], new_errors[i]
    best = errors.index(min(errors))
    return members[best], errors[best]


def check_prices(points, weights, rate, parameters, quotes):
    for expiry, payments, *_ in quotes[:2]:
        strike = swap_rate(rate, expiry, payments)
        exact = price_by_double_integral(Model(parameters, rate, expiry), payments, strike)
        at_the_money = prices(points, weights, rate, parameters, expiry, payments)[1]
        assert abs(at_the_money / exact - 1) < 2e-3, (expiry, payments, at_the_money, exact)


if __name__ == "__main__":
    given = arguments("swaption")
    result = calibrate(*given)
    _, rate, _, _, points, weights, quotes = given
    check_normal()
    check_prices(points, weights, rate, result[0], quotes)
    show(result)
