"""Programs that people benchmark with."""
import numpy as np


# entry: nbody [[0.0,0,0],[1,0,0],[0,2,0]] [[0.0,0,0],[0,1,0],[1,0,0]] [10.0,1,1] 0.01 3
# output: {1.057414, [[0.000593, 0.000153, 0.000000], [0.994025, 0.030068, 0.000000], [0.030049, 1.998397, 0.000000]], [[0.029670, 0.007772, 0.000000], [-0.299031, 1.002454, 0.000000], [1.002327, -0.080171, 0.000000]]}
def nbody(pos, vel, mass, dt, steps):
    for _ in range(steps):
        x, y, z = pos[:, 0:1], pos[:, 1:2], pos[:, 2:3]
        dx, dy, dz = x.T - x, y.T - y, z.T - z
        inv = (dx**2 + dy**2 + dz**2 + 0.1**2)
        inv = inv**(-1.5)
        ax = (dx * inv) @ mass
        ay = (dy * inv) @ mass
        az = (dz * inv) @ mass
        vel += np.stack((ax, ay, az), axis=1) * dt
        pos += vel * dt
    return 0.5 * np.sum(mass * np.sum(vel**2, axis=1))


# entry: mandelbrot 4 20
# output: [[0, 2, 4, 1], [0, 10, 19, 5], [0, 10, 19, 5], [0, 2, 4, 1]]
def mandelbrot(n, steps):
    x = np.linspace(-2.0, 0.5, n)
    y = np.linspace(-1.0, 1.0, n)
    c = x + y[:, None] * 1j
    z = np.zeros(c.shape, dtype=np.complex128)
    count = np.zeros(c.shape, dtype=np.int64)
    for i in range(steps):
        inside = np.abs(z) < 2.0
        count[inside] = i
        z[inside] = z[inside]**2 + c[inside]
    return count


# entry: softmax [[1.0,2,3],[1,1,1]]
# output: [[0.090031, 0.244728, 0.665241], [0.333333, 0.333333, 0.333333]]
def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


# entry: mlp [[1.0,-2]] [[1.0,2,3],[4,5,6]] [0.5,0,-9] [[1.0],[2],[3]]
# output: [[1.000000]]
def mlp(x, w1, b1, w2):
    h = relu(x @ w1 + b1)
    return softmax(h @ w2)


def relu(x):
    return np.maximum(x, 0)


# entry: conv2d [[[[1.0],[2],[3]],[[4],[5],[6]],[[7],[8],[9]]]] [[[[1.0,2]],[[0,1]]],[[[2,1]],[[1,0]]]]
# output: [[[[14.000000, 8.000000], [18.000000, 12.000000]], [[26.000000, 20.000000], [30.000000, 24.000000]]]]
def conv2d(image, weights):
    k = weights.shape[0]
    n, h, w = image.shape[0], image.shape[1] - k + 1, image.shape[2] - k + 1
    out = np.empty((n, h, w, weights.shape[3]))
    for i in range(h):
        for j in range(w):
            out[:, i, j, :] = np.sum(image[:, i:i + k, j:j + k, :, np.newaxis] * weights[np.newaxis, :, :, :], axis=(1, 2, 3))
    return out


# entry: maxpool [[1.0,2,3,4],[5,6,7,8],[9,1,2,3],[4,5,6,7]]
# output: [[6.000000, 8.000000], [9.000000, 7.000000]]
def maxpool(x):
    n = x.shape[0] // 2
    return x.reshape(n, 2, n, 2).max(axis=(1, 3))


# entry: crc [1,2,3,255]
# output: 7392624
def crc(data):
    value = 0xFFFF
    for i in range(data.shape[0]):
        b = data[i]
        current = b & 0xFF
        for k in range(8):
            if (value ^ current) & 1:
                value = (value >> 1) ^ 0x8408
            else:
                value = value >> 1
            current = current >> 1
    value = ~value & 0xFFFF
    return (value << 8) | ((value >> 8) & 0xFF)


# entry: cholesky [[4.0,2,1],[2,5,3],[1,3,6]]
# output: [[2.000000, 2.000000, 1.000000], [1.000000, 2.000000, 3.000000], [0.500000, 1.250000, 2.046338]]
def cholesky(A):
    A[0, 0] = np.sqrt(A[0, 0])
    for i in range(1, A.shape[0]):
        for j in range(i):
            A[i, j] -= np.dot(A[i, :j], A[j, :j])
            A[i, j] /= A[j, j]
        A[i, i] -= np.dot(A[i, :i], A[i, :i])
        A[i, i] = np.sqrt(A[i, i])


# entry: lu [[4.0,2,1],[2,5,3],[1,3,6]]
# output: [[4.000000, 2.000000, 1.000000], [0.500000, 4.000000, 2.500000], [0.250000, 0.625000, 4.187500]]
def lu(A):
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, A.shape[0]):
            A[i, j] -= A[i, :i] @ A[:i, j]


# entry: gramschmidt [[1.0,2],[3,4],[5,7]]
# output: {[[0.169031, 0.948683], [0.507093, -0.316228], [0.845154, 0.000000]], [[5.916080, 8.282512], [0.000000, 0.632456]], [[1.000000, 0.600000], [3.000000, -0.200000], [5.000000, 0.000000]]}
def gramschmidt(A):
    Q = np.zeros_like(A)
    R = np.zeros((A.shape[1], A.shape[1]), dtype=A.dtype)
    for k in range(A.shape[1]):
        nrm = np.dot(A[:, k], A[:, k])
        R[k, k] = np.sqrt(nrm)
        Q[:, k] = A[:, k] / R[k, k]
        for j in range(k + 1, A.shape[1]):
            R[k, j] = np.dot(Q[:, k], A[:, j])
            A[:, j] -= Q[:, k] * R[k, j]
    return Q, R


# entry: durbin [0.5,0.25,0.1,0.3]
# output: [-0.511680, -0.010827, 0.208528, -0.350389]
def durbin(r):
    y = np.empty_like(r)
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y


# entry: nussinov 5 [0,3,1,2,0]
# output: [[0, 0, 0, 0, 1], [0, 0, 0, 0, 1], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]]
def nussinov(n, seq):
    table = np.zeros((n, n), np.int32)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            if j - 1 >= 0:
                table[i, j] = max(table[i, j], table[i, j - 1])
            if i + 1 < n:
                table[i, j] = max(table[i, j], table[i + 1, j])
            if j - 1 >= 0 and i + 1 < n:
                if i < j - 1:
                    table[i, j] = max(table[i, j], table[i + 1, j - 1] + match(seq[i], seq[j]))
                else:
                    table[i, j] = max(table[i, j], table[i + 1, j - 1])
            for k in range(i + 1, j):
                table[i, j] = max(table[i, j], table[i, k] + table[k + 1, j])
    return table


def match(a, b):
    if a + b == 3:
        return 1
    else:
        return 0


# entry: covariance [[1.0,2],[3,5],[4,9]]
# output: {[[2.333333, 5.166667], [5.166667, 12.333333]], [[-1.666667, -3.333333], [0.333333, -0.333333], [1.333333, 3.666667]]}
def covariance(data):
    mean = np.mean(data, axis=0)
    data -= mean
    cov = np.zeros((data.shape[1], data.shape[1]))
    for i in range(data.shape[1]):
        cov[i:, i] = data[:, i] @ data[:, i:] / (data.shape[0] - 1.0)
        cov[i, i:] = cov[i:, i]
    return cov


# entry: kmeans [[0.0,0],[1,1],[9,9],[8,10]] [[0.0,1],[5,5]] 3
# output: {[[0.500000, 0.500000], [8.500000, 9.500000]], [0, 0, 1, 1]}
def kmeans(points, centers, steps):
    for _ in range(steps):
        d = ((points[:, None, :] - centers[None, :, :])**2).sum(axis=2)
        label = np.argmin(d, axis=1)
        new = np.zeros_like(centers)
        for k in range(centers.shape[0]):
            mine = label == k
            new[k] = (points * mine[:, None]).sum(axis=0) / max(mine.sum(), 1)
        centers = new
    return centers, label


# entry: option [100.0,110] [95.0,120] 0.05 0.2 1.0
# output: [13.346474, 7.005430]
def option(s, k, r, sigma, t):
    d1 = (np.log(s / k) + (r + sigma**2 / 2) * t) / (sigma * np.sqrt(t))
    d2 = d1 - sigma * np.sqrt(t)
    return s * cdf(d1) - k * np.exp(-r * t) * cdf(d2)


def cdf(x):
    t = 1.0 / (1.0 + 0.2316419 * np.abs(x))
    poly = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
    y = 1.0 - np.exp(-x * x / 2.0) / np.sqrt(2 * np.pi) * poly
    return np.where(x < 0, 1.0 - y, y)


# entry: stockham [1.0,2,3,4,5,6,7,8] 3
# output: [[36.000000, 0.000000], [-4.000000, 9.656854], [-4.000000, 4.000000], [-4.000000, 1.656854], [-4.000000, 0.000000], [-4.000000, -1.656854], [-4.000000, -4.000000], [-4.000000, -9.656854]]
def stockham(x, k):
    n = x.shape[0]
    y = x.astype(np.complex128)
    half = n // 2
    size = 1
    for i in range(k):
        a, b = y[:half], y[half:]
        w = np.exp(-1j * np.pi * np.arange(size) / size)
        even = a.reshape(half // size, size)
        odd = b.reshape(half // size, size) * w
        y = np.concatenate((even + odd, even - odd), axis=1).reshape(n)
        size *= 2
    return y


# entry: azimint [1.0,2,3,4] [0.1,0.4,0.6,0.9] 2
# output: [3.000000, 3.000000]
def azimint(data, radius, npt):
    rmax = radius.max()
    res = np.zeros(npt)
    for i in range(npt):
        r1 = rmax * i / npt
        r2 = rmax * (i + 1) / npt
        mask = np.logical_and(r1 <= radius, radius < r2)
        on = data[mask]
        res[i] = on.sum()
    return res


# entry: contour [1.0,2] 3
# output: {[[0.666667, 0.000000], [1.333333, 0.000000]], [0.666667, 1.333333], [0.666667, 1.333333], [[0.666667, -0.000000], [1.333333, -0.000000]], 0.000000}
def contour(a, n):
    z = np.exp(2j * np.pi * np.arange(n) / n)
    total = np.zeros(2, dtype=np.complex128)
    for k in range(n):
        total += a / (z[k] + 0.5)
    return total, np.abs(total), total.real, np.conj(total), z.sum().imag


# entry: arc_distance [0.1,0.2] [0.3,0.1] [0.5,0.6] [1.0,1.1]
# output: [0.773140, 0.989367]
def arc_distance(t1, p1, t2, p2):
    temp = np.sin((t2 - t1) / 2)**2 + np.cos(t1) * np.cos(t2) * np.sin((p2 - p1) / 2)**2
    return 2 * np.arctan2(np.sqrt(temp), np.sqrt(1 - temp))


# entry: gray [[[255,0,0],[0,255,0]],[[0,0,255],[10,20,30]]]
# output: {[[76, 149], [29, 18]], [[179, 106], [226, 237]], [[1, 1], [0, 0]]}
def gray(image):
    image = image.astype(np.uint8)
    lum = (0.299 * image[..., 0] + 0.587 * image[..., 1] + 0.114 * image[..., 2]).astype(np.uint8)
    return lum, 255 - lum, (lum > 50).astype(np.int32)
