"""Loops whose iterations change columns and other slabs, rows that change places, and borders copied from other rows and columns."""
import numpy as np


# entry: columns [[1.0,2.0,3.0],[4.0,5.0,6.0]] [2.0,-1.0,0.5]
# output: [[2.000000, -1.000000, 3.500000], [8.000000, -4.000000, 5.000000]]
# entry: columns [[],[]] []
# output: [empty(real), empty(real)]
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
# entry: wrap [[1.0,2.0,3.0],[3.0,4.0,5.0]] 1
# output: [[2.000000, 2.000000, 2.000000], [4.000000, 4.000000, 4.000000]]
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


# entry: gram_schmidt [[1.0,2.0,0.5],[0.0,1.0,2.0],[2.0,-1.0,1.0],[1.0,1.0,3.0]]
# output: {[[0.408248, 0.701334, -0.581257], [0.000000, 0.382546, 0.539069], [0.816497, -0.510061, -0.014063], [0.408248, 0.318788, 0.609382]], [[2.449490, 0.408248, 2.245366], [0.000000, 2.614065, 1.562063], [0.000000, 0.000000, 2.601594]], [[1.000000, 1.833333, -1.512195], [0.000000, 1.000000, 1.402439], [2.000000, -1.333333, -0.036585], [1.000000, 0.833333, 1.585366]]}
def gram_schmidt(a):
    q = np.zeros_like(a)
    r = np.zeros((a.shape[1], a.shape[1]))
    for k in range(a.shape[1]):
        r[k, k] = np.sqrt(np.dot(a[:, k], a[:, k]))
        q[:, k] = a[:, k] / r[k, k]
        for j in range(k + 1, a.shape[1]):
            r[k, j] = np.dot(q[:, k], a[:, j])
            a[:, j] -= q[:, k] * r[k, j]
    return q, r


# entry: triangular_product 0.5 [[1.0,9.0,9.0],[2.0,1.0,9.0],[3.0,4.0,1.0]] [[1.0,2.0],[3.0,4.0],[5.0,6.0]]
# output: [[11.000000, 14.000000], [11.500000, 14.000000], [2.500000, 3.000000]]
def triangular_product(alpha, a, b):
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            b[i, j] += np.dot(a[i + 1:, i], b[i + 1:, j])
    b *= alpha
    return b


# entry: symmetric_product 1.5 0.5 [[1.0,2.0],[3.0,4.0],[5.0,6.0]] [[1.0,9.0,9.0],[2.0,1.0,9.0],[3.0,4.0,1.0]] [[1.0,2.0],[3.0,4.0],[5.0,6.0]]
# output: [[33.500000, 43.000000], [39.000000, 50.000000], [32.500000, 45.000000]]
def symmetric_product(alpha, beta, c, a, b):
    sums = np.empty((c.shape[1],))
    c *= beta
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            c[:i, j] += alpha * b[i, j] * a[i, :i]
            sums[j] = b[:i, j] @ a[i, :i]
        c[i, :] += alpha * b[i, :] * a[i, i] + alpha * sums
    return c


# entry: rows_from_above [[1.0,2.0,3.0],[4.0,5.0,6.0],[0.0,2.0,1.0]] 2
# output: [[1.000000, 2.000000, 3.000000], [4.000000, 6.000000, 8.000000], [0.000000, 6.000000, 6.750000]]
def rows_from_above(a, steps):
    for _ in range(steps):
        for i in range(1, a.shape[0]):
            a[i, 1:] += 0.5 * a[i - 1, :-1]
    return a


# entry: rows_from_their_neighbours [[1.0,2.0,3.0],[4.0,5.0,6.0],[0.0,2.0,1.0]]
# output: [[1.000000, 2.000000, 3.000000], [4.000000, 2.333333, 6.000000], [0.000000, 2.000000, 1.000000]]
def rows_from_their_neighbours(a):
    for i in range(1, a.shape[0] - 1):
        a[i, 1:-1] += a[i - 1, :-2] + a[i, 2:] + a[i + 1, 1:-1]
        for j in range(1, a.shape[1] - 1):
            a[i, j] /= 2.0 + a[i, j - 1]
    return a


# entry: slices_of_slices [0.0,1.0,2.0,3.0,4.0,5.0,6.0,7.0,8.0,9.0] 2
# output: [0.000000, 1.000000, 6.000000, 3.000000, 10.000000, 5.000000, 7.000000, 7.000000, 8.000000, 100.000000]
def slices_of_slices(a, n):
    b = a[1:-1][::-2]
    b[n - 1:] += b[:-n + 1]
    c = a[::3][1:][::-1]
    c[0] = 100.0
    c[1:][:1] -= 7.0
    return a


# entry: halves [[1.0,2.0],[3.0,4.0]] 3
# output: {[[[-56.000000, -80.000000], [-90.500000, -132.500000]], [[-85.000000, -117.000000], [-64.500000, -102.500000]], [[-114.000000, -154.000000], [-30.500000, -64.500000]]], [[[-42.000000, -60.000000], [120.000000, 176.000000]], [[-24.000000, -38.000000], [164.000000, 228.000000]], [[2.000000, -8.000000], [208.000000, 280.000000]]]}
def halves(a, n):
    out = np.zeros((n, 2, 2), complex)
    for k in range(n):
        z = a * (1 + 2j) + k
        out[k] += z @ (z * a[0, 1])
        out[k].imag[0] += k
        out.real[k, 1:] -= 0.5
        out[:, 0][k] *= 1j
    return out.real, out.imag


# entry: columns_of_rows [[1.0,2.0,3.0],[4.0,5.0,6.0]] [[1.0,0.0,2.0],[0.5,1.0,1.0]] [2.0,3.0] 2
# output: {[[0.000000, 0.500000, 3.250000], [0.000000, 3.000000, 11.500000]], [[1.000000, 0.500000, 3.000000], [4.000000, -13.000000, 6.000000]]}
def columns_of_rows(a, b, w, n):
    c = np.zeros_like(a)
    carried = a[:, 0].copy()
    for k in range(1, n + 1):
        carried = carried * 0.5 + b[:, k]
        c[:, k] = c[:, k - 1] * w + carried
    for k in range(n - 1, -1, -1):
        a[:, k] -= c[:, k] * a[:, k + 1]
    return a, c


# entry: inner_columns [[1.0,2.0,3.0],[4.0,5.0,6.0],[7.0,8.0,9.0],[1.0,0.0,1.0]] [2.0,3.0]
# output: [[1.000000, 2.000000, 3.000000], [4.000000, 13.000000, 32.000000], [7.000000, 29.000000, 96.000000], [1.000000, 0.000000, 1.000000]]
def inner_columns(a, w):
    for k in range(1, a.shape[1]):
        a[1:-1, k] = a[1:-1, k] + w * a[1:-1, k - 1]
    return a


# entry: changed_twice [[1.0,2.0,3.0],[4.0,5.0,6.0]] [[0.0,1.0,1.0],[2.0,0.0,2.0]]
# output: {[[1.000000, 2.000000, 6.500000], [4.000000, 20.500000, 156.750000]], [[0.000000, 1.000000, 2.500000], [2.000000, 4.500000, 7.500000]]}
def changed_twice(a, b):
    for k in range(1, a.shape[1]):
        a[:, k] = a[:, k] * 0.5
        b[:, k] = b[:, k - 1] + a[:, k]
        a[:, k] = a[:, k] + a[:, k - 1] * b[:, k]
    return a, b


# entry: sums_of_sums [1.0,2.0] [3.0,4.0] 2
# output: 20.000000
# entry: sums_of_sums [1.0,2.0] [3.0,4.0,5.0] 0
# output: 0.000000
def sums_of_sums(a, b, n):
    s = 0.0
    for _ in range(n):
        s += np.sum(a + b)
    return s
