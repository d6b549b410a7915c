"""Loops over rows and elements: some become loops without order, others may not."""
import numpy as np


# entry: smooth [[1.0,2.0,3.0,4.0],[5.0,7.0,6.0,8.0],[9.0,1.0,2.0,3.0],[4.0,5.0,6.0,7.0]] 2
# output: [[1.000000, 2.000000, 3.000000, 4.000000], [5.000000, 4.437500, 4.625000, 8.000000], [9.000000, 5.375000, 4.937500, 3.000000], [4.000000, 5.000000, 6.000000, 7.000000]]
# entry: smooth [[1.0,2.0]] 1
# output: [[1.000000, 2.000000]]
def smooth(u, steps):
    n, m = u.shape
    for _ in range(steps):
        v = u.copy()
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                u[i, j] = 0.25 * (v[i - 1, j] + v[i + 1, j] + v[i, j - 1] + v[i, j + 1])
    return u


# entry: relax_in_order [[1.0,2.0,3.0,4.0],[5.0,7.0,6.0,8.0],[9.0,1.0,2.0,3.0],[4.0,5.0,6.0,7.0]]
# output: [[1.000000, 2.000000, 3.000000, 4.000000], [5.000000, 3.500000, 4.125000, 8.000000], [9.000000, 4.875000, 4.500000, 3.000000], [4.000000, 5.000000, 6.000000, 7.000000]]
def relax_in_order(u):
    n, m = u.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    return u


# entry: threshold [[1.0,-2.0],[nan,0.5]] 0.75
# output: [[1.000000, 0.000000], [nan, 0.000000]]
def threshold(a, t):
    n, m = a.shape
    for i in range(n):
        for j in range(m):
            if a[i, j] < t:
                a[i, j] = 0.0
            elif a[i, j] > 10 * t:
                a[i, j] += 1.0
    return a


# entry: prefix_rows [[1,2,3],[4,5,6]]
# output: [[1, 3, 6], [4, 9, 15]]
def prefix_rows(a):
    n, m = a.shape
    for i in range(n):
        for j in range(1, m):
            a[i, j] += a[i, j - 1]
    return a


# entry: columns [[1,2,3],[4,5,6]]
# output: [[2, 5, 8], [8, 11, 14]]
def columns(a):
    n, m = a.shape
    for j in range(m):
        for i in range(n):
            a[i, j] = a[i, j] * 2 + j
    return a


# entry: eliminate [[4.0,2.0,1.0],[2.0,5.0,3.0],[1.0,3.0,6.0]]
# output: [[4.000000, 2.000000, 1.000000], [0.500000, 4.000000, 2.500000], [0.250000, 0.625000, 4.187500]]
def eliminate(a):
    n = a.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]
    return a


# entry: history [0.0,1.0,0.0,2.0,0.0] 3
# output: [[0.000000, 1.000000, 0.000000, 2.000000, 0.000000], [0.000000, 0.800000, 0.300000, 1.600000, 0.000000], [0.000000, 0.670000, 0.480000, 1.310000, 0.000000], [0.000000, 0.584000, 0.582000, 1.096000, 0.000000]]
def history(first, steps):
    u = np.zeros((steps + 1, first.size))
    u[0] = first
    for t in range(steps):
        for i in range(1, first.size - 1):
            u[t + 1, i] = u[t, i] + 0.1 * (u[t, i - 1] - 2 * u[t, i] + u[t, i + 1])
    return u


# entry: below_the_diagonal [1.0,2.0,3.0]
# output: [[1.000000, 1.000000, 1.000000], [2.000000, 1.000000, 1.000000], [3.000000, 6.000000, 1.000000]]
def below_the_diagonal(x):
    n = x.shape[0]
    d = np.ones((n, n))
    for i in range(n):
        for j in range(i):
            d[i, j] = x[i] * x[j]
    return d


# entry: backwards [1,2,3,4,5] 2
# output: [1, 2, 32, 43, 54]
# entry: backwards [1,2,3] 0
# output: [10, 21, 32]
def backwards(a, k):
    for i in range(a.size - 1, k - 1, -1):
        a[i] = 10 * a[i] + i
    return a


# entry: thirds [1,2,3,4,5,6,7,8]
# output: [1, -2, 3, 4, -5, 6, 7, -8]
def thirds(a):
    for i in range(1, a.size, 3):
        a[i] = -a[i]
    return a


# entry: shifted_down [1,2,3,4,5]
# output: [2, 3, 4, 5, 5]
# entry: shifted_up [1,2,3,4,5]
# output: [1, 1, 1, 1, 1]
def shifted_down(a):
    for i in range(a.size - 1):
        a[i] = a[i + 1]
    return a


def shifted_up(a):
    for i in range(1, a.size):
        a[i] = a[i - 1]
    return a


# entry: last_wins [0,1,1,3] [5,6,7,8]
# output: [5, 7, 0, 8]
def last_wins(at, values):
    out = np.zeros(4, dtype=np.int64)
    for i in range(at.size):
        out[at[i]] = values[i]
    return out


# entry: beyond [1,2,3] 4
# fails: out-of-bounds 143:9
def beyond(a, n):
    for i in range(n):
        a[i] = 0
    return a


# entry: two_outputs [3.0,-1.0,2.0]
# output: {[3.000000, 0.000000, 2.000000], [0, 0, 2]}
def two_outputs(x):
    positive = np.zeros(x.size)
    count = np.zeros(x.size, dtype=np.int64)
    for i in range(x.size):
        if x[i] > 0:
            positive[i] = x[i]
            count[i] += i
    return positive, count
