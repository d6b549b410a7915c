"""Loops whose iterations change columns and other slabs, rows that change places, and borders copied from other rows and columns."""
import numpy as np


# entry: columns [[1.0,2.0,3.0],[4.0,5.0,6.0]] [2.0,-1.0,0.5]
# output: [[2.000000, -1.000000, 3.500000], [8.000000, -4.000000, 5.000000]]
# entry: columns [[],[]] []
# output: empty(real)
def columns(a, w):
    out = np.empty_like(a)
    for j in range(a.shape[1]):
        out[:, j] = a[:, j] * w[j] + j
    return out


# entry: correlate [[[1.0,2.0,0.0],[0.0,1.0,3.0],[2.0,2.0,1.0]],[[4.0,0.0,1.0],[1.0,1.0,1.0],[0.0,5.0,2.0]]] [[1.0,2.0],[0.0,-1.0]]
# output: [[[4.000000, -1.000000], [0.000000, 6.000000]], [[3.000000, 1.000000], [-2.000000, 1.000000]]]
def correlate(x, w):
    k = w.shape[0]
    n, h, m = x.shape
    out = np.empty((n, h - k + 1, m - k + 1))
    for i in range(h - k + 1):
        for j in range(m - k + 1):
            out[:, i, j] = np.sum(x[:, i:i + k, j:j + k] * w, axis=(1, 2))
    return out


# entry: scale_backwards [[1.0,2.0,3.0],[4.0,5.0,6.0]]
# output: [[1.000000, 2.000000, 6.000000], [4.000000, 5.000000, 12.000000]]
def scale_backwards(a):
    for j in range(a.shape[1] - 1, 0, -1):
        a[:, j] *= j
    return a


# entry: recurrence [[1.0,2.0,3.0],[4.0,5.0,6.0]]
# output: [[1.000000, 2.500000, 4.250000], [4.000000, 7.000000, 9.500000]]
def recurrence(a):
    for j in range(1, a.shape[1]):
        a[:, j] += 0.5 * a[:, j - 1]
    return a


# entry: every_second [[1.0,2.0,3.0,4.0,5.0],[4.0,5.0,6.0,7.0,8.0]]
# output: [[1.000000, 2.000000, 3.000000, 4.000000, 5.000000], [-4.000000, 5.000000, -6.000000, 7.000000, -8.000000]]
def every_second(a):
    for j in range(0, a.shape[1], 2):
        a[1:, j] = -a[1:, j]
    return a


# entry: checked [[1.0,2.0,3.0],[4.0,5.0,6.0]] [0,1,0]
# output: [[2.000000, 3.000000, 3.000000], [2.000000, 3.000000, 3.000000]]
# entry: checked [[1.0,2.0,3.0],[4.0,5.0,6.0]] [0,5,0]
# fails: out-of-bounds
def checked(a, rows):
    for j in range(a.shape[1]):
        a[:, j] = a[rows[j], 0] + 1.0
    return a


# entry: wrap [[1.0,2.0,3.0,4.0],[5.0,6.0,7.0,8.0],[9.0,10.0,11.0,12.0]] 2
# output: [[9.000000, 8.000000, 9.000000, 8.000000], [9.000000, 8.000000, 9.000000, 8.000000], [9.000000, 8.000000, 9.000000, 8.000000]]
# entry: wrap [[1.0,2.0],[3.0,4.0]] 1
# output: [[1.000000, 2.000000], [3.000000, 4.000000]]
def wrap(z, steps):
    for _ in range(steps):
        z[1:-1, 1:-1] += 1.0
        z[0, :] = z[-2, :]
        z[-1, :] = z[1, :]
        z[:, 0] = z[:, -2]
        z[:, -1] = z[:, 1]
    return z


# entry: exchange [[1.0,2.0,3.0],[4.0,5.0,6.0],[7.0,8.0,10.0]]
# output: [[7.000000, 8.000000, 10.000000], [0.000000, 0.857143, 1.571429], [0.000000, 0.000000, -0.500000]]
def exchange(a):
    n = a.shape[0]
    for k in range(n - 1):
        p = k + np.argmax(np.abs(a[k:, k]))
        if p != k:
            a[[k, p]] = a[[p, k]]
        a[k + 1:, k:] -= np.outer(a[k + 1:, k] / a[k, k], a[k, k:])
    return a


# entry: put_columns [[1.0,2.0,3.0],[4.0,5.0,6.0]] [2,0]
# output: [[21.000000, 2.000000, 31.000000], [50.000000, 5.000000, 60.000000]]
def put_columns(a, at):
    a[:, at] = a[:, ::-1][:, :2] * 10
    a[0, at] += 1
    return a
