"""Dense and sparse linear algebra in loops and slices."""

import numpy as np
from numpy.typing import NDArray

from . import case

EPS = np.finfo(np.float64).eps


def positive(r, n):
    """A symmetric positive definite matrix."""
    a = r.random((n, n))
    return a @ a.T + n * np.eye(n)


@case(lambda r: (positive(r, 7),))
def cholesky_by_columns(A: np.ndarray) -> np.ndarray:
    """Lower factor, column by column."""
    n = len(A)
    L = np.zeros_like(A, dtype=np.float64)
    for j in range(n):
        L[j, j] = np.sqrt(A[j, j] - np.dot(L[j, :j], L[j, :j]))
        L[j + 1 :, j] = (A[j + 1 :, j] - L[j + 1 :, :j] @ L[j, :j]) / L[j, j]
    return L


@case(lambda r: (positive(r, 6),))
def cholesky_in_place(A):
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[j, :j]
            A[i, j] /= A[j, j]
        A[i, i] -= A[i, :i] @ A[i, :i]
        A[i, i] = np.sqrt(A[i, i])


@case(lambda r: (positive(r, 6),))
def lu_outer(a):
    n, _ = a.shape
    for k in range(n - 1):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return np.tril(a, -1) + np.eye(n), np.triu(a)


@case(lambda r: (r.random((6, 6)), r.random(6)))
def gauss_with_pivots(a, b):
    a = a.astype(float).copy()
    x = b.copy()
    n = a.shape[0]
    for k in range(n):
        p = k + np.argmax(np.abs(a[k:, k]))
        if p != k:
            a[[k, p]] = a[[p, k]]
            x[[k, p]] = x[[p, k]]
        if abs(a[k, k]) < EPS:
            raise ValueError(f"matrix is singular at {k}")
        for i in range(k + 1, n):
            factor = a[i, k] / a[k, k]
            a[i, k:] -= factor * a[k, k:]
            x[i] -= factor * x[k]
    for i in range(n - 1, -1, -1):
        x[i] = (x[i] - np.dot(a[i, i + 1 :], x[i + 1 :])) / a[i, i]
    return x


@case(lambda r: (r.random((7, 4)),))
def qr_by_gram_schmidt(A):
    m, n = A.shape
    Q = np.empty((m, n), dtype=A.dtype)
    R = np.zeros((n, n), dtype=A.dtype)
    for j in range(n):
        v = A[:, j].copy()
        for i in range(j):
            R[i, j] = Q[:, i] @ v
            v -= R[i, j] * Q[:, i]
        R[j, j] = np.linalg.norm(v)
        Q[:, j] = v / R[j, j]
    return Q, R


@case(lambda r: (r.random((6, 4)),))
def qr_by_householder(A):
    m, n = A.shape
    R = A.copy()
    Q = np.identity(m)
    for k in range(min(m - 1, n)):
        x = R[k:, k].copy()
        e = np.zeros_like(x)
        e[0] = np.copysign(np.linalg.norm(x), x[0])
        u = x + e
        v = u / np.linalg.norm(u)
        R[k:] -= 2.0 * np.outer(v, v @ R[k:])
        Q[:, k:] -= 2.0 * np.outer(Q[:, k:] @ v, v)
    return Q, R


@case(lambda r: (r.random((5, 5)) + 5 * np.eye(5), r.random(5), 30))
def jacobi_iteration(A, b, iterations):
    D = np.diag(A)
    R = A - np.diagflat(D)
    x = np.zeros_like(b)
    for _ in range(iterations):
        x = (b - R @ x) / D
    return x


@case(lambda r: (r.random((5, 5)) + 5 * np.eye(5), r.random(5), 1e-10))
def gauss_seidel(A, b, tol):
    n = b.size
    x = np.zeros(n)
    for it in range(1000):
        old = x.copy()
        for i in range(n):
            s = np.dot(A[i, :i], x[:i]) + np.dot(A[i, i + 1 :], old[i + 1 :])
            x[i] = (b[i] - s) / A[i, i]
        if np.linalg.norm(x - old, ord=np.inf) < tol:
            break
    else:
        return x, -1
    return x, it


@case(lambda r: (positive(r, 8), r.random(8)))
def conjugate_gradient(A, b, x=None, tol=1e-9, max_iter=50):
    if x is None:
        x = np.zeros(len(b))
    r = b - A.dot(x)
    p = r.copy()
    rs = np.inner(r, r)
    for _ in range(max_iter):
        Ap = A.dot(p)
        alpha = rs / p.dot(Ap)
        x += alpha * p
        r -= alpha * Ap
        if (new := r.dot(r)) ** 0.5 < tol:
            break
        p = r + (new / rs) * p
        rs = new
    return x


@case(lambda r: (positive(r, 6), 25))
def power_iteration(A, num):
    b = np.ones(A.shape[1]) / np.sqrt(A.shape[1])
    for _ in range(num):
        b1 = A @ b
        b1_norm = np.linalg.norm(b1)
        b = b1 / b1_norm
    return b, b.T @ A @ b


@case(lambda r: (r.random(9),))
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


@case(lambda r: (1.5, 1.2, r.random((4, 5)), r.random((5, 6)), r.random((6, 3)), r.random((4, 3))))
def two_products(alpha, beta, A, B, C, D):
    D[:] = alpha * A @ B @ C + beta * D


@case(lambda r: (r.random((5, 4)), r.random((5, 4)), r.random((5, 5))))
def symmetric_rank_2k(A, B, C, alpha=1.5, beta=1.2):
    for i in range(A.shape[0]):
        C[i, : i + 1] *= beta
        for k in range(A.shape[1]):
            C[i, : i + 1] += A[: i + 1, k] * alpha * B[i, k] + B[: i + 1, k] * alpha * A[i, k]


@case(lambda r: (r.random((9, 4)),))
def correlation(data):
    M = data.shape[1]
    mean = np.mean(data, axis=0)
    stddev = np.std(data, axis=0)
    stddev[stddev <= 0.1] = 1.0
    data -= mean
    data /= np.sqrt(float(data.shape[0])) * stddev
    corr = np.eye(M, dtype=data.dtype)
    for i in range(M - 1):
        corr[i + 1 : M, i] = corr[i, i + 1 : M] = data[:, i] @ data[:, i + 1 : M]
    return corr


@case(lambda r: (r.random((9, 4)),))
def covariance(data):
    n = float(data.shape[0])
    data -= np.mean(data, axis=0)
    cov = np.zeros((data.shape[1], data.shape[1]), dtype=data.dtype)
    for i in range(data.shape[1]):
        cov[i:, i] = cov[i, i:] = data[:, i] @ data[:, i:] / (n - 1.0)
    return cov


@case(lambda r: (np.array([0, 2, 2, 5, 6]), np.array([1, 3, 0, 2, 3, 1]), r.random(6), r.random(4)))
def sparse_rows(indptr, indices, data, x):
    y = np.empty(indptr.size - 1, dtype=data.dtype)
    for i in range(indptr.size - 1):
        cols = indices[indptr[i] : indptr[i + 1]]
        vals = data[indptr[i] : indptr[i + 1]]
        y[i] = vals @ x[cols]
    return y


@case(lambda r: (r.integers(0, 4, 20), r.integers(0, 5, 20), r.random(20), r.random(5)))
def sparse_by_coordinates(rows, cols, vals, x):
    y = np.zeros(4)
    np.add.at(y, rows, vals * x[cols])
    return y


@case(lambda r: (r.random(6) + 2, r.random(5), r.random(5), r.random(6)))
def thomas(b, a, c, d):
    n = len(d)
    cp = np.zeros(n - 1)
    dp = np.zeros(n)
    cp[0], dp[0] = c[0] / b[0], d[0] / b[0]
    for i in range(1, n):
        denom = b[i] - a[i - 1] * cp[i - 1]
        if i < n - 1:
            cp[i] = c[i] / denom
        dp[i] = (d[i] - a[i - 1] * dp[i - 1]) / denom
    x = np.zeros(n)
    x[-1] = dp[-1]
    for i in reversed(range(n - 1)):
        x[i] = dp[i] - cp[i] * x[i + 1]
    return x


@case(lambda r: (r.random((3, 4)), r.random((2, 5))))
def kron_by_broadcast(a, b):
    out = a[:, None, :, None] * b[None, :, None, :]
    return out.reshape(a.shape[0] * b.shape[0], a.shape[1] * b.shape[1]), np.kron(a, b)


@case(lambda r: (r.random((5, 3)), r.random((5, 3))))
def cross_products(a, b):
    by_hand = np.empty_like(a)
    by_hand[:, 0] = a[:, 1] * b[:, 2] - a[:, 2] * b[:, 1]
    by_hand[:, 1] = a[:, 2] * b[:, 0] - a[:, 0] * b[:, 2]
    by_hand[:, 2] = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    return by_hand, np.cross(a, b)


@case(lambda r: (r.random((4, 6)) - 0.5,))
def norms(x):
    return (
        np.linalg.norm(x),
        np.linalg.norm(x, axis=1),
        np.linalg.norm(x, axis=-1, keepdims=True),
        np.linalg.norm(x[0], 1),
        np.linalg.norm(x[0], ord=np.inf),
        np.linalg.norm(x, ord=1, axis=0),
        np.linalg.norm(x, "fro"),
    )


@case(lambda r: (r.random((3, 4)), r.random((4, 5)), np.empty((3, 5))))
def products_into(a, b, c):
    np.dot(a, b, out=c)
    d = np.matmul(a, b)
    d @= np.ones((5, 5))
    e = np.einsum("ij,jk->ik", a, b)
    f = np.tensordot(a, b, axes=([1], [0]))
    return d, e, f, np.einsum("ij->j", a), np.einsum("i,j", a[0], b[0]), np.trace(c[:, :3], offset=1)


@case(lambda r: (r.random((6, 6)),), lambda r: (r.random((4, 4)).astype(np.float32),))
def symmetrised(a):
    a += a.T
    return a[::-1, ::-1].T @ a - np.triu(a, k=1)


@case(lambda r: (r.random((4, 5, 5)), r.random((4, 5))))
def batched(a, x):
    y = np.einsum("bij,bj->bi", a, x)
    z = (a @ x[..., None])[..., 0]
    return y, z, np.einsum("...ij,...j->...i", a, x), a.transpose(0, 2, 1) @ a


@case(lambda r: (r.random(6), 4))
def vandermonde(x, n):
    powers = np.vander(x, n)
    return powers, np.vander(x, n, increasing=True), np.polyval(np.array([1.0, -2.0, 0.5]), x)


@case(lambda r: (r.random((5, 5)),))
def determinant_by_elimination(m: NDArray[np.float64]) -> float:
    a = np.array(m, dtype=float)
    n = a.shape[0]
    det = 1.0
    for i in range(n):
        pivot = i
        for j in range(i + 1, n):
            if abs(a[j, i]) > abs(a[pivot, i]):
                pivot = j
        if a[pivot, i] == 0.0:
            return 0.0
        if pivot != i:
            tmp = a[i].copy()
            a[i] = a[pivot]
            a[pivot] = tmp
            det = -det
        det *= a[i, i]
        a[i + 1 :] -= a[i + 1 :, i : i + 1] / a[i, i] * a[i]
    return det
