"""The sums of all beginnings of x * x - 0.3."""

import numpy as np


def main(x):
    return np.cumsum(x * x - 0.3)
