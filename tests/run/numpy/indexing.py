"""Subscripts: slices, masks, arrays of indices, read and written."""
import numpy as np


# entry: slices [0,1,2,3,4,5,6,7]
# output: {[2, 3, 4], [0, 1, 2, 3, 4], [0, 2, 4, 6], [7, 6, 5, 4, 3, 2, 1, 0], [6, 4, 2], [5, 6, 7], empty(int), [1, 4], [0, 1, 2, 3, 4, 5, 6, 7]}
def slices(a):
    return a[2:5], a[:-3], a[::2], a[::-1], a[6:1:-2], a[-3:], a[5:2], a[1:7:3], a[-100:100]


# entry: writes [0,1,2,3,4,5,6,7]
# output: [-1, -1, 3, 3, 9, 7, 8, 9]
def writes(a):
    a[::2] = -1
    a[::-3] += 10
    a[1:3] = a[2:4]
    a[5:] = [7, 8, 9]


# entry: gather [1.5,2.5,3.5,4.5] [0,-1,2,2]
# output: {[1.500000, 4.500000, 3.500000, 3.500000], [2.500000, 1.500000], [4.500000, 3.500000, 3.500000]}
def gather(a, i):
    return a[i], a[[1, 0]], a[i][1:]


# entry: scatter [1.5,2.5,3.5,4.5] [0,-1,2,2]
# output: [11.000000, 2.500000, 14.000000, 12.000000]
def scatter(a, i):
    a[i] = [1, 2, 3, 4]
    a[i] += 10


# entry: add_at [0.0,0,0] [0,2,2,1,0] [1.0,2,3,4,5]
# output: [6.000000, 4.000000, 5.000000]
def add_at(a, i, w):
    np.add.at(a, i, w)


# entry: masks [1.0,-2,3,-4]
# output: {[1.000000, 3.000000], 4.000000, 2, [1.000000, 0.000000, 30.000000, 0.000000]}
def masks(a):
    b = a[a > 0]
    a[a < 0] = 0
    a[a > 2] *= 10
    return b, b.sum(), (a > 0).sum()


# entry: masked_arrays [1.0,-2,3,-4] [9.0,8,7,6]
# output: {[1.000000, 9.000000, 3.000000, 7.000000], [9.000000, 17.000000, 7.000000, 13.000000]}
def masked_arrays(a, b):
    m = a < 0
    a[m] = b[m] + 1
    b[m] += a[m]


# entry: matrix [[1,2,3],[4,5,6],[7,8,9]] [0,2] [1,0]
# output: {[2, 7], [[1, 2, 3], [7, 8, 9]], [[2, 1], [5, 4], [8, 7]], [[2, 1], [8, 7]], [[2, 1], [8, 7]], [4, 5, 6], [2, 5, 8], [1, 4, 7], [[4, 5, 6], [7, 8, 9]], [[2, 3], [8, 9]]}
def matrix(a, i, j):
    return a[i, j], a[i], a[:, j], a[i][:, j], a[np.ix_(i, j)], a[1], a[:, 1], a[..., 0], a[a[:, 0] > 1], a[i, 1:]


# entry: assigned [[1,2,3],[4,5,6],[7,8,9]] [0,2] [1,0]
# output: [[2, 1, 2], [5, 5, 5], [1, 9, 1]]
def assigned(a, i, j):
    a[i, j] = 0
    a[:, j] += 1
    a[1] = 5
    a[:, 2] = a[:, 0]


# entry: new_axes [1,2,3] [10,20]
# output: {[[11, 21], [12, 22], [13, 23]], [[10, 20, 30], [20, 40, 60]], 1, 3}
def new_axes(a, b):
    return a[:, None] + b, a[np.newaxis, :] * b[:, np.newaxis], a[None].shape


# entry: where [1.0,-1,0,2]
# output: {[0, 3], [0, 1, 3], [1.000000, 1.000000, -0.000000, 2.000000], [0, 1, 3], 3}
def where(a):
    return np.where(a > 0)[0], np.nonzero(a)[0], np.where(a > 0, a, -a), np.flatnonzero(a), np.count_nonzero(a)


# entry: transposed [[1,2,3],[4,5,6]]
# output: {[[2, 5], [4, 7]], [4, 100, 5, 7], [77, 100, 2, 5, 3, 6], [[-1, 2, 4], [100, 5, 7]]}
def transposed(a):
    b = a.T
    b[0, 1] = 100
    c = a.reshape(-1)
    c[0] = -1
    d = a.T.reshape(-1)
    d[0] = 77
    a.T[2] += 1
    return b[1:], c[2:], d


# entry: csr [0,2,3,3] [0,2,1] [1.0,2,3] [1.0,10,100]
# output: [201.000000, 30.000000, 0.000000]
def csr(rows, cols, vals, x):
    y = np.empty(rows.size - 1, vals.dtype)
    for i in range(rows.size - 1):
        c = cols[rows[i]:rows[i + 1]]
        v = vals[rows[i]:rows[i + 1]]
        y[i] = v @ x[c]
    return y


ORDER = [2, 0, 1]


# entry: by_list [[1,2,3],[4,5,6],[7,8,9]]
# output: {[[4, 5, 6], [1, 2, 3]], 4, [[8, 7], [2, 1], [5, 4]], [[4, 5, 6], [1, 2, 3], [7, 8, 9]], [[4, 5, 6], [4, 5, 6]], [[4, 5, 6], [1, 2, 3]], 4, [[1, 2, 3], [7, 8, 9]], [[4, 5, 6], [1, 2, 3], [7, 8, 9]], [5, 1], [4, 2]}
def by_list(a):
    order, pair = [1, 0], (1, 0)
    both = order + [2]
    twice = [1] * 2
    made = [k for k in range(2)]
    b = a.copy()
    b[order] = a[made]
    return a[order], a[pair], a[ORDER][:, order], a[both], a[twice], a[list(pair)], a[tuple(order)], a[both[1:]], b, a[order, order], a[(order, made)]


# entry: by_lists [[1,2,3],[4,5,6],[7,8,9]]
# output: {411, [[7, 8, 9], [7, 8, 9]], 9, [[0.000000, 0.000000], [0.000000, 0.000000]], [[1, 2], [4, 5]], True, True, [[2, 2], [2, 2]]}
def by_lists(a):
    s = 0
    for rows, n in zip([[0, 1], [1, 2]], (1, 10)):
        s += n * a[rows].sum()
    size = [2, 2]
    return s, picked(a, [2, 2]), picked(a, (2, 2)), np.zeros(size), a[:2, :2].reshape(size), size == [2, 2], 2 in size, np.array([size, size])


def picked(a, at):
    return a[at]


# entry: orders [[1.0,2.0,3.0],[4.0,5.0,6.0]] 2
# output: {[4.000000, 10.000000, 6.000000, 12.000000, 8.000000, 14.000000], [[4.000000, 10.000000, 6.000000], [12.000000, 8.000000, 14.000000]], [8.000000, 14.000000], [2.000000, 3.000000, 9.000000, 5.000000, 6.000000, 7.000000], [-1024.000000, -2500.000000, -5184.000000, -1024.000000, -2500.000000, -5184.000000]}
def orders(a, n):
    x = a.T * 2
    z = a + 1j * a
    for _ in range(n):
        z = z * z
        z[0] = z[1]
        x = x + 1
    flat = x.ravel()
    last = x[-1].copy()
    rows = (a + 1).reshape(-1)
    rows[2] = 9.0
    return flat, x.reshape(2, 3), last, rows, z.ravel().real
