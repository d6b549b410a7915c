from numexpr import evaluate

K = "(1.0 / (1.0 + 0.2316419 * abs(d)))"
POLY = f"{K} * (0.31938153 + {K} * (-0.356563782 + {K} * (1.781477937 + {K} * (-1.821255978 + {K} * 1.330274429))))"
TAIL = f"0.39894228040143267 * exp(-0.5 * d * d) * ({POLY})"


def cnd(d):
    r = evaluate(TAIL)
    return evaluate("where(d > 0, 1.0 - r, r)", out=r)


def kernel(price, strike, t, rate, vol):
    d1 = evaluate("(log(price / strike) + (rate + 0.5 * vol**2) * t) / (vol * sqrt(t))")
    d2 = evaluate("d1 - vol * sqrt(t)")
    discounted = evaluate("strike * exp(-rate * t)")
    n1, n2 = cnd(d1), cnd(d2)
    call = evaluate("price * n1 - discounted * n2")
    put = evaluate("discounted * (1.0 - n2) - price * (1.0 - n1)")
    return call, put
