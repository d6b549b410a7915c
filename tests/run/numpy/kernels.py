"""Kernels of collections of benchmarks for NumPy."""
import numpy as np


# entry: stockham 2 3 [1.0,2,3,4,5,6,7,8]
# output: [[36.000000, 0.000000], [-4.000000, 9.656854], [-4.000000, 4.000000], [-4.000000, 1.656854], [-4.000000, -0.000000], [-4.000000, -1.656854], [-4.000000, -4.000000], [-4.000000, -9.656854]]
def stockham(R, K, xr):
    N = R**K
    x = xr + 0j
    y = np.empty_like(x)
    dft_mat = np.empty((R, R), dtype=np.complex128)
    i_coord, j_coord = np.mgrid[0:R, 0:R]
    dft_mat[:] = np.exp(-2.0j * np.pi * i_coord * j_coord / R)
    y[:] = x[:]
    ii_coord, jj_coord = np.mgrid[0:R, 0:R**K]
    for i in range(K):
        yv = np.reshape(y, (R**i, R, R**(K - i - 1)))
        tmp_perm = np.transpose(yv, axes=(1, 0, 2))
        D = np.empty((R, R**i, R**(K - i - 1)), dtype=np.complex128)
        tmp = np.exp(-2.0j * np.pi * ii_coord[:, :R**i] * jj_coord[:, :R**i] / R**(i + 1))
        D[:] = np.repeat(np.reshape(tmp, (R, R**i, 1)), R**(K - i - 1), axis=2)
        tmp_twid = np.reshape(D * tmp_perm, (R, R**(K - 1)))
        y[:] = np.reshape(dft_mat @ tmp_twid, (N,))
    return y


# entry: channel 5 6 0.01
# output: {85, [[0.000000, 0.000000, 0.000000, 0.000000, 0.000000, 0.000000], [0.000000, 0.591749, 0.785861, 0.837805, 0.848185, 0.849781], [0.000000, 0.591749, 0.785861, 0.837805, 0.848185, 0.849781], [0.000000, 0.591749, 0.785861, 0.837805, 0.848185, 0.849781], [0.000000, 0.000000, 0.000000, 0.000000, 0.000000, 0.000000]]}
def channel(ny, nx, dt):
    u = np.zeros((ny, nx))
    v = np.zeros((ny, nx))
    p = np.ones((ny, nx))
    dx = dy = 0.5
    udiff = 1.0
    stepcount = 0
    while udiff > .01:
        un = u.copy()
        vn = v.copy()
        u[1:-1, 1:-1] = un[1:-1, 1:-1] - un[1:-1, 1:-1] * dt / dx * (un[1:-1, 1:-1] - un[1:-1, 0:-2]) + dt * 1.0
        u[1:-1, -1] = un[1:-1, -1] - un[1:-1, -1] * dt / dx * (un[1:-1, -1] - un[1:-1, -2]) + dt
        u[0, :] = 0
        udiff = (np.sum(u) - np.sum(un)) / np.sum(u)
        stepcount += 1
    return stepcount, u


# entry: floyd [[0,3,9],[2,0,1],[7,5,0]]
# output: [[0, 3, 4], [2, 0, 1], [7, 5, 0]]
def floyd(path):
    for k in range(path.shape[0]):
        path[:] = np.minimum(path[:], np.add.outer(path[:, k], path[k, :]))


# entry: fdtd 3 [[1.0,2,3],[4,5,6],[7,8,9]] [[1.0,0,3],[4,0,6],[7,1,9]] [[0.0,2,3],[0,5,6],[0,8,9]] [1.0,2,3]
# output: {[[1.000000, -3.301250, 2.025000], [4.000000, -0.505000, 1.498750], [7.000000, -4.000000, 7.500000]], [[3.000000, 3.000000, 3.000000], [3.230000, -0.973750, 1.500000], [5.993750, -6.501250, 4.500000]], [[1.397375, 1.403250, 3.000000], [0.256375, 4.264125, 6.000000], [0.000000, 8.000000, 9.000000]]}
def fdtd(TMAX, ex, ey, hz, _fict_):
    for t in range(TMAX):
        ey[0, :] = _fict_[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])


# entry: deriche 0.25 [[1.0,2,3],[4,5,6],[7,8,9]]
# output: [[0.207887, 0.207887, 0.225211], [0.519719, 0.519719, 0.537043], [0.831550, 0.831550, 0.848874]]
def deriche(alpha, imgIn):
    k = (1.0 - np.exp(-alpha)) * (1.0 - np.exp(-alpha)) / (1.0 + alpha * np.exp(2.0 * alpha))
    a1 = a5 = k
    y1 = np.empty_like(imgIn)
    y1[:, 0] = a1 * imgIn[:, 0]
    y1[:, 1] = a1 * imgIn[:, 1] + a5 * imgIn[:, 0]
    for j in range(2, imgIn.shape[1]):
        y1[:, j] = a1 * imgIn[:, j] + a5 * imgIn[:, j - 1] + 0.5 * y1[:, j - 1]
    y2 = np.empty_like(imgIn)
    y2[:, -1] = 0.0
    for j in range(imgIn.shape[1] - 2, -1, -1):
        y2[:, j] = a1 * imgIn[:, j + 1] + y2[:, j + 1]
    return y1 + y2


# entry: adi 2 4
# output: [[1.000000, 0.750000, 0.500000, 0.250000], [1.250000, 0.266667, -0.115556, 0.500000], [1.500000, 0.433333, -0.004444, 0.750000], [1.750000, 1.500000, 1.250000, 1.000000]]
def adi(TSTEPS, N):
    u = np.fromfunction(lambda i, j: (i + N - j) / N, (N, N))
    v = np.empty(u.shape, dtype=u.dtype)
    p = np.empty(u.shape, dtype=u.dtype)
    q = np.empty(u.shape, dtype=u.dtype)
    a = 0.5
    for t in range(1, TSTEPS + 1):
        v[0, 1:N - 1] = 1.0
        p[1:N - 1, 0] = 0.0
        q[1:N - 1, 0] = v[0, 1:N - 1]
        for j in range(1, N - 1):
            p[1:N - 1, j] = -a / (a * p[1:N - 1, j - 1] + 2)
            q[1:N - 1, j] = (u[j, 0:N - 2] - a * q[1:N - 1, j - 1]) / (a * p[1:N - 1, j - 1] + 2)
        v[N - 1, 1:N - 1] = 1.0
        for j in range(N - 2, 0, -1):
            v[j, 1:N - 1] = p[1:N - 1, j] * v[j + 1, 1:N - 1] + q[1:N - 1, j]
        u[1:-1, 1:-1] = v[1:-1, 1:-1]
    return u


# entry: lenet 6
# output: [[625.000000, 625.000000]]
def lenet(n):
    x = np.fromfunction(lambda a, b, c, d: a + b * c - d, (1, n, n, 1))
    w = np.ones((3, 3, 1, 2))
    x = np.maximum(conv(x, w) - 3.0, 0)
    x = pool(x)
    x = np.reshape(x, (x.shape[0], x.shape[1] * x.shape[2] * x.shape[3]))
    return x @ np.ones((8, 2)) + np.ones(2)


def conv(input, weights):
    K = weights.shape[0]
    H_out = input.shape[1] - K + 1
    W_out = input.shape[2] - K + 1
    output = np.empty((input.shape[0], H_out, W_out, weights.shape[3]), dtype=np.float64)
    for i in range(H_out):
        for j in range(W_out):
            output[:, i, j, :] = np.sum(input[:, i:i + K, j:j + K, :, np.newaxis] * weights[np.newaxis, :, :, :], axis=(1, 2, 3))
    return output


def pool(x):
    output = np.empty([x.shape[0], x.shape[1] // 2, x.shape[2] // 2, x.shape[3]], dtype=x.dtype)
    for i in range(x.shape[1] // 2):
        for j in range(x.shape[2] // 2):
            output[:, i, j, :] = np.max(x[:, 2 * i:2 * i + 2, 2 * j:2 * j + 2, :], axis=(1, 2))
    return output


# entry: mandelbrot2 4 4 10
# output: {[[-0.000000, -0.000000, -0.000000, -0.000000], [-0.000000, -0.000000, -0.000000, -0.000000], [-0.000000, -0.000000, -0.000000, -0.000000], [-0.000000, -0.000000, -0.000000, -0.000000]], [[0, 0, 0, 0], [2, 0, 0, 2], [4, 0, 0, 4], [1, 5, 5, 1]]}
def mandelbrot2(xn, yn, itermax):
    Xi, Yi = np.mgrid[0:xn, 0:yn]
    X = np.linspace(-2.0, 0.5, xn)[Xi]
    Y = np.linspace(-1.0, 1.0, yn)[Yi]
    C = X + Y * 1j
    N_ = np.zeros(C.shape, dtype=np.int64)
    Z = np.zeros(C.shape, dtype=np.complex128)
    for i in range(itermax):
        I = np.less(abs(Z), 2.0)
        N_[I] = i
        Z[I] = Z[I] ** 2 + C[I]
    N_[N_ == itermax - 1] = 0
    return Z.real * 0, N_


# entry: compute [[1,2],[3,40]] [[5,6],[7,8]] 4 3 9
# output: [[32, 35], [42, 73]]
def compute(array_1, array_2, a, b, c):
    return np.clip(array_1, 2, 10) * a + array_2 * b + c


# entry: doitgen [[[1.0,2],[3,4]]] [[1.0,1],[2,0]]
# output: [[[5.000000, 1.000000], [11.000000, 3.000000]]]
def doitgen(A, C4):
    NR, NQ, NP = A.shape
    for r in range(NR):
        for q in range(NQ):
            sum1 = A[r, q, :] @ C4
            A[r, q, :] = sum1


# entry: symm 2.0 3.0 [[1.0,2],[3,4]] [[1.0,2],[0,3]] [[1.0,1],[2,2]]
# output: [[5.000000, 8.000000], [21.000000, 24.000000]]
def symm(alpha, beta, C, A, B):
    temp2 = np.empty((C.shape[1],), dtype=C.dtype)
    C *= beta
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            C[:i, j] += alpha * B[i, j] * A[i, :i]
            temp2[j] = B[:i, j] @ A[i, :i]
        C[i, :] += alpha * B[i, :] * A[i, i] + alpha * temp2


# entry: correlation [[1.0,2],[3,5],[4,9]]
# output: {[[1.000000, 0.963123], [0.963123, 1.000000]], [[-0.771517, -0.671156], [0.154303, -0.067116], [0.617213, 0.738272]]}
def correlation(data):
    M, float_n = data.shape[1], data.shape[0]
    mean = np.mean(data, axis=0)
    stddev = np.std(data, axis=0)
    stddev[stddev <= 0.1] = 1.0
    data -= mean
    data /= np.sqrt(float_n) * stddev
    corr = np.eye(M, dtype=data.dtype)
    for i in range(M - 1):
        corr[i + 1:M, i] = corr[i, i + 1:M] = data[:, i] @ data[:, i + 1:M]
    return corr


# entry: getacc [[0.0,0,0],[1,0,0],[0,2,0]] [[10.0],[1],[1]] 1.0 0.1
# output: [[0.985185, 0.249065, 0.000000], [-9.941028, 0.178350, 0.000000], [0.089175, -2.669004, 0.000000]]
def getacc(pos, mass, G, softening):
    x = pos[:, 0:1]
    y = pos[:, 1:2]
    z = pos[:, 2:3]
    dx = x.T - x
    dy = y.T - y
    dz = z.T - z
    inv_r3 = (dx**2 + dy**2 + dz**2 + softening**2)
    inv_r3[inv_r3 > 0] = inv_r3[inv_r3 > 0]**(-1.5)
    ax = G * (dx * inv_r3) @ mass
    ay = G * (dy * inv_r3) @ mass
    az = G * (dz * inv_r3) @ mass
    return np.hstack((ax, ay, az))


# entry: go_fast [[1.0,2],[3,4]]
# output: [[2.760923, 3.760923], [4.760923, 5.760923]]
def go_fast(a):
    trace = 0.0
    for i in range(a.shape[0]):
        trace += np.tanh(a[i, i])
    return a + trace


# entry: hist [1.0,2,3,4.5] [0.1,0.4,0.6,0.9] 3
# output: [1.000000, 2.500000, 4.500000]
def hist(data, radius, npt):
    histu = np.histogram(radius, npt)[0]
    histw = np.histogram(radius, npt, weights=data)[0]
    return histw / histu


# entry: roots [1.0,2] 4
# output: {[[[1.000000, 0.000000], [-1.000000, 0.000000]], [[5.000000, 1.000000], [-0.000000, -1.000000]]], [29.192308, 0.961538], [[1.000000, 0.000000], [2.247111, 0.222508], [0.000000, 1.000000], [0.707107, -0.707107]], [[1.000000, 0.000000], [110.000000, 74.000000], [-1.000000, 0.000000], [0.000000, 1.000000]], 29.208139}
def roots(c, n):
    z = np.zeros(n, dtype=complex)
    for k in range(n):
        z[k] = np.exp(2j * np.pi * k / n) * c[0]
    w = z.reshape(2, -1).T
    z.real[1] = 5
    s = 0j
    for x in z:
        s += x * x.conjugate() + 1 / x
    return w, s, np.sqrt(z), z ** 3, abs(s)


# entry: blur [[1,2,3,4],[5,6,7,8],[9,10,11,12]]
# output: {[[2, 3, 4, 5], [5, 6, 7, 8], [8, 9, 10, 11]], True}
def blur(img):
    k = np.array([1.0, 2.0, 1.0]) / 4
    p = np.pad(img.astype(np.float32), 1, mode="edge")
    out = np.zeros(img.shape, dtype=np.float32)
    for d, w in enumerate(k):
        out += w * p[d:d + img.shape[0], 1:-1]
    return out.astype(np.uint8), out.dtype == np.float32


# entry: lists 3
# output: {36, 3, 4, 1}
def lists(n):
    xs = [k * 2 for k in range(4)]
    total = sum([x * n for x in xs])
    m = max(xs[0], n, 2)
    return total, m, len(xs), min(1, n)
