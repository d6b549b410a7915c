"""Columns with mean 0 and standard deviation 1.

  $ frit run examples/first-hour/standardised_columns.py --entry standardised '[[1.0, 10.0], [3.0, 20.0]]'
  [[-1.0, -1.0], [1.0, 1.0]]
"""

import numpy as np


def standardised(table):
    mean = table.mean(axis=0)
    deviation = np.sqrt(((table - mean) ** 2).mean(axis=0))
    return (table - mean) / deviation
