import numpy as np
from numexpr import evaluate


def kernel(normals, spot, strike, rate, vol, years):
    paths, steps = normals.shape
    dt = years / steps
    drift, spread = (rate - 0.5 * vol**2) * dt, vol * np.sqrt(dt)
    path = np.cumsum(evaluate("drift + spread * normals"), axis=1)
    path = evaluate("spot * exp(path)", out=path)
    payoff = np.maximum(path.mean(axis=1) - strike, 0)
    return np.exp(-rate * years) * payoff.mean(), payoff.std() / np.sqrt(paths)
