"""The temperature of a plate whose border is kept as it is, when it changes no more.

  $ frit run --digits 4 examples/first-hour/heat.py --entry settled '[[0.0, 8.0, 0.0], [8.0, 0.0, 8.0], [0.0, 8.0, 0.0]]' 1e-6
  [[0.0000, 8.0000, 0.0000], [8.0000, 8.0000, 8.0000], [0.0000, 8.0000, 0.0000]]
"""

import numpy as np


def settled(plate, tolerance):
    plate = plate.copy()
    change = tolerance + 1.0
    while change > tolerance:
        inner = (plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:]) / 4.0
        change = np.max(np.abs(inner - plate[1:-1, 1:-1]))
        plate[1:-1, 1:-1] = inner
    return plate
