"""Elements that a mask selects: as values, as places, and both at once."""
import numpy as np


# entry: same_mask [1.0,-2.0,3.0,-4.0] [10.0,20.0,30.0,40.0]
# output: {2, [21.000000, -2.000000, 69.000000, -4.000000]}
def same_mask(x, y):
    m = x > 0
    x[m] = x[m] ** 2 + y[m] * 2.0
    return m.sum()


# entry: added [[1.5,-2.0],[nan,-4.0],[5.0,6.0]] 3
# output: [[9.000000, -12.000000], [nan, -24.000000], [5.000000, 6.000000]]
def added(x, n):
    m = x < 2
    for i in range(n):
        x[m] += x[m] * i
    return x


# The mask has changed between the reading and the writing.
# entry: mask_changed [1,2,3,4,5,6]
# output: [30, 2, 40, 50, 60, 6]
def mask_changed(x):
    m = x > 2
    kept = x[m] * 10
    m[0] = True
    m[5] = False
    x[m] = kept
    return x


# The array has changed since its elements were selected.
# entry: array_changed [1,2,3,4,5,6]
# output: {[2, 4, 6], [0, 2, 0, 4, 0, 6]}
def array_changed(x):
    m = x % 2 == 0
    kept = x[m]
    x[:] = 0
    kept2 = x[m] + kept
    x[m] = kept2
    return x, kept


# entry: selected_changed [1.0,2.0,3.0,4.0]
# output: [1.000000, 100.000000, 3.000000, 4.000000]
def selected_changed(x):
    m = x > 1.5
    kept = x[m]
    kept[0] = 100.0
    x[m] = kept
    return x


# entry: two_masks [1,2,3,4,5,6]
# output: [20, 40, 60, 4, 5, 6]
def two_masks(x):
    small, even = x < 4, x % 2 == 0
    x[small] = x[even] * 10
    return x


# entry: sums [1.0,-2.0,3.5,-4.0,0.0] 0.0
# output: {4.500000, 3.500000, True, True, 2, 3, 4}
# entry: sums [1.0,-2.0,3.5,-4.0,0.0] 100.0
# output: {0.000000, 1.000000, False, True, 0, 1, 2}
# entry: sums [] 100.0
# output: {0.000000, 1.000000, False, True, 0, 1, 2}
def sums(x, limit):
    kept = x[x > limit]
    return kept.sum(), np.prod(kept), kept.any(), kept.all(), len(kept), kept.size + 1, kept.shape[0] + 2


# entry: means [[1.0,-2.0],[3.5,-4.0]]
# output: {-3.333333, 4.109609, -8.000000, 2.000000, 2, [-10.000000]}
def means(x):
    kept = x[x < 3] * 2
    return kept.mean(), kept.std(), kept.min(), kept.max(), kept.argmin(), np.sum(kept, keepdims=True)


# entry: least_of_none [1,2,3]
# fails: empty-reduction
def least_of_none(x):
    return np.min(x[x > 5])


# What is computed of elements that the mask leaves out must not fail.
# entry: roots [4,0,9,0]
# output: {[9, 0, 4, 0], 4.560478}
def roots(x):
    m = x > 0
    out = np.zeros(4, dtype=np.int64)
    out[m] = 36 // x[m]
    return out, np.sqrt(x[m] - 1.0).sum()


# entry: complex_points [0.5,-1.0,2.0,0.1] 5
# output: {[[4, 4, 0, 4], [4, 4, 0, 4], [3, 3, 0, 4], [4, 4, 0, 4]], [[0.011029, -1.028638, 2.000000, 0.073847], [-1.794164, -1.215100, 2.000000, 0.020683], [-1.238510, -0.551140, 2.000000, -0.055602], [2.992523, -1.000909, 2.000000, 0.110804]]}
def complex_points(x, n):
    c = x + 0.3j * x[:, None]
    z = np.zeros(c.shape, dtype=np.complex128)
    count = np.zeros(c.shape, dtype=np.int64)
    for i in range(n):
        m = abs(z) < 2.0
        count[m] = i
        z[m] = z[m] ** 2 + c[m]
    return count, z.real


# entry: parts [[1,2,3],[4,5,6],[7,8,9]]
# output: [[1, 2, 3], [4, 5, 6], [-9, 8, -7]]
def parts(x):
    inner = x[1:, ::2]
    m = inner > 6
    inner[m] -= inner[m].sum()
    return x


# entry: converted [1.5,2.5,-3.5] [1,2,3]
# output: [3, 5, 3]
def converted(x, k):
    m = x > 0
    k[m] = (x[m] * 2).astype(np.int64)
    return k


# entry: broadcast_over [[1.0,2.0],[3.0,4.0]]
# output: [[0.000000, 1.000000, 2.000000], [-1.000000, 0.000000, 1.000000], [-2.000000, -1.000000, 0.000000]]
def broadcast_over(x):
    m = x > 1
    row = x[m] - x[m][:, None]
    return row


# entry: in_branch [1.0,2.0,3.0] True
# output: [1.000000, 4.000000, 6.000000]
# entry: in_branch [1.0,2.0,3.0] False
# output: [1.000000, 1.000000, 2.000000]
def in_branch(x, flag):
    m = x > 1
    kept = x[m]
    kept = kept * 2 if flag else kept - 1
    x[m] = kept
    return x


# Equal masks that are computed several times, and one that is not equal any more.
# entry: mask_again [[4.0,-2.0],[0.0,16.0]]
# output: {[[2.000000, 0.333333], [1.000000, 1.333333]], [[1.500000, -2.000000], [2.000000, 1.250000]], 3.250000, [[3.500000, -2.000000], [0.000000, 1.750000]]}
def mask_again(x):
    x[x > 0] = x[x > 0] ** (-0.5)
    r = np.sqrt((x - 1.0) ** 2)
    inverse = np.zeros_like(r)
    inverse[r > 0] = 1.0 / r[r > 0]
    y = x + 1.0
    y[y[:, ::-1] > 1] += y[y[:, ::-1] > 1]
    x[(x > -1) & (x < 3)] = 7.0 * x[(x > -1) & (x < 3)]
    return inverse, y, x.sum()


# entry: mask_not_again [4.0,-2.0,0.0,16.0]
# output: [-4.000000, -2.000000, 5.000000, 17.000000]
def mask_not_again(x):
    positive = x[x > 0]
    x[0] = -4.0
    x[2] = 2.0
    x[x > 0] = positive + 1
    return x


# Rows that a mask selects.
# entry: rows [[1.0,2.0],[3.0,4.0],[5.0,6.0],[-1.0,0.5]] [0,1,0,1]
# output: {[[3.000000, 4.000000], [1.000000, 2.250000]], 14.000000, [40.000000, 5.000000], 2, 2, [[-2.000000, -2.000000], [30.000000, 40.000000], [2.000000, 2.000000], [-10.000000, 5.000000]]}
def rows(points, labels):
    means = np.zeros((2, 2))
    for k in range(2):
        means[k] = points[labels == k].mean(axis=0)
    total = points[labels == 0].sum()
    points[labels == 1] *= 10
    points[labels == 0] = points[labels == 0] - means[0]
    return means, total, points[labels == 1].max(axis=1), points[labels == 0].shape, points


# entry: painted [[[1,2,3],[4,5,6]],[[7,8,9],[10,11,12]]] [[True,False],[False,True]]
# output: {[[510, 14, 2]], 39, [255, 255], [[[255, 7, 1], [14, 25, 36]], [[17, 28, 39], [255, 7, 1]]]}
def painted(image, m):
    image[m] = [255, 0, 1]
    image[~m] += np.array([10, 20, 30])
    image[m, 1] = 7
    return image, image[m].sum(axis=0, keepdims=True), image[~m].max(), image[m][:, 0]


# entry: wrong_mask [[1,2,3],[4,5,6]] [True,False,True]
# fails: mask-mismatch
def wrong_mask(x, m):
    x[m] = 0
    return x


# entry: wrong_mask_of_all [[1,2,3],[4,5,6]] [[True,False],[True,True]]
# fails: mask-mismatch
def wrong_mask_of_all(x, m):
    return x[m].sum()
