"""Networks, statistics and clustering."""

import numpy as np

from . import case


def relu(x):
    return np.maximum(x, 0)


def softmax(x):
    tmp_max = np.max(x, axis=-1, keepdims=True)
    tmp_out = np.exp(x - tmp_max)
    tmp_sum = np.sum(tmp_out, axis=-1, keepdims=True)
    return tmp_out / tmp_sum


@case(lambda r: (r.random((4, 6)), r.random((6, 5)), r.random(5), r.random((5, 3)), r.random(3)))
def mlp(input, w1, b1, w2, b2):
    x = relu(input @ w1 + b1)
    x = softmax(x @ w2 + b2)
    return x


def conv2d(input, weights):
    K = weights.shape[0]
    N = input.shape[0]
    H_out = input.shape[1] - K + 1
    W_out = input.shape[2] - K + 1
    C_out = weights.shape[3]
    output = np.empty((N, H_out, W_out, C_out), dtype=np.float32)
    for i in range(H_out):
        for j in range(W_out):
            output[:, i, j, :] = np.sum(
                input[:, i : i + K, j : j + K, :, np.newaxis] * weights[np.newaxis, :, :, :],
                axis=(1, 2, 3),
            )
    return output


@case(lambda r: (r.random((2, 6, 6, 3)).astype(np.float32), r.random((2, 2, 3, 4)).astype(np.float32), r.random(4).astype(np.float32)))
def conv2d_bias(input, weights, bias):
    return conv2d(input, weights) + bias


def maxpool2d(x):
    output = np.empty([x.shape[0], x.shape[1] // 2, x.shape[2] // 2, x.shape[3]], dtype=x.dtype)
    for i in range(x.shape[1] // 2):
        for j in range(x.shape[2] // 2):
            output[:, i, j, :] = np.max(x[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, :], axis=(1, 2))
    return output


@case(
    lambda r: (
        r.random((2, 8, 8, 1)).astype(np.float32),
        r.random((3, 3, 1, 2)).astype(np.float32),
        r.random(2).astype(np.float32),
        r.random((18, 5)).astype(np.float32),
        r.random(5).astype(np.float32),
        2,
    )
)
def lenet(input, conv1, conv1bias, fc1w, fc1b, N):
    x = relu(conv2d(input, conv1) + conv1bias)
    x = maxpool2d(x)
    x = np.reshape(x, (N, x.shape[1] * x.shape[2] * x.shape[3]))
    x = relu(x @ fc1w + fc1b)
    return x


def batchnorm2d(x, eps=1e-5):
    mean = np.mean(x, axis=0, keepdims=True)
    std = np.std(x, axis=0, keepdims=True)
    return (x - mean) / np.sqrt(std + eps)


@case(
    lambda r: (
        r.random((2, 5, 5, 4)).astype(np.float32),
        r.random((1, 1, 4, 2)).astype(np.float32),
        r.random((3, 3, 2, 2)).astype(np.float32),
        r.random((1, 1, 2, 4)).astype(np.float32),
    )
)
def resnet_block(input, conv1, conv2, conv3):
    padded = np.zeros((input.shape[0], input.shape[1] + 2, input.shape[2] + 2, conv1.shape[3]), dtype=np.float32)
    padded[:, 1:-1, 1:-1, :] = conv2d(input, conv1)
    x = batchnorm2d(padded)
    x = relu(x)
    x = conv2d(x, conv2)
    x = batchnorm2d(x)
    x = relu(x)
    x = conv2d(x, conv3)
    x = batchnorm2d(x)
    return relu(x + input)


@case(lambda r: (r.random((2, 3, 4, 4)),))
def softmax_of_scores(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    e /= e.sum(axis=-1, keepdims=True)
    return e


@case(lambda r: (r.random((2, 5, 4)), r.random((4, 4)), r.random((4, 4)), r.random((4, 4))))
def attention(x, wq, wk, wv):
    q, k, v = (x @ w for w in (wq, wk, wv))
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(k.shape[-1])
    mask = np.tril(np.ones(scores.shape[-2:], dtype=bool))
    scores = np.where(mask, scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights = weights / weights.sum(-1, keepdims=True)
    return weights @ v


@case(lambda r: (r.random((12, 2)), r.random((3, 2)), 4))
def kmeans(points, centroids, iterations):
    k = centroids.shape[0]
    for _ in range(iterations):
        d = ((points[:, None, :] - centroids[None, :, :]) ** 2).sum(axis=2)
        labels = np.argmin(d, axis=1)
        for j in range(k):
            members = labels == j
            if np.any(members):
                centroids[j] = points[members].mean(axis=0)
    return labels, centroids


@case(lambda r: (r.random((12, 2)), np.array([0, 5, 9])))
def kmeans_by_counts(points, seeds):
    centroids = points[seeds]
    while True:
        labels = ((points[:, :, None] - centroids.T[None]) ** 2).sum(1).argmin(1)
        counts = np.bincount(labels, minlength=len(seeds))
        sums = np.stack([np.bincount(labels, weights=points[:, d], minlength=3) for d in range(2)], axis=1)
        new = sums / np.maximum(counts, 1)[:, np.newaxis]
        if np.allclose(new, centroids):
            return labels, new
        centroids = new


@case(lambda r: (r.integers(0, 3, 8), r.random((2, 2)), r.random((2, 3)), np.array([0.6, 0.4])))
def viterbi(y, A, B, pi):
    K, T = A.shape[0], len(y)
    T1 = np.empty((K, T), "d")
    T2 = np.empty((K, T), "B")
    T1[:, 0] = pi * B[:, y[0]]
    T2[:, 0] = 0
    for i in range(1, T):
        T1[:, i] = np.max(T1[:, i - 1] * A.T * B[np.newaxis, :, y[i]].T, 1)
        T2[:, i] = np.argmax(T1[:, i - 1] * A.T, 1)
    x = np.empty(T, "B")
    x[-1] = np.argmax(T1[:, T - 1])
    for i in reversed(range(1, T)):
        x[i - 1] = T2[x[i], i]
    return x, T1


@case(lambda r: (r.random((10, 3)), r.integers(0, 2, 10), 20))
def logistic_regression(X, y, steps, lr=0.1):
    X = np.c_[np.ones(X.shape[0]), X]
    w = np.zeros(X.shape[1])
    for _ in range(steps):
        p = 1.0 / (1.0 + np.exp(-(X @ w)))
        w -= lr * X.T @ (p - y) / y.size
    loss = -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p))
    return w, loss, ((p > 0.5) == y).mean()


@case(lambda r: (r.random((9, 4)) * 10,))
def standardised(x):
    mu, sd = x.mean(0), x.std(0, ddof=1)
    z = (x - mu) / sd
    skew = (z**3).mean(axis=0)
    kurt = np.power(z, 4).mean(axis=0) - 3
    return z, skew, kurt, np.cov(x, rowvar=False), np.corrcoef(x.T)


@case(lambda r: (r.integers(0, 5, 20),))
def one_hot(labels):
    n = labels.max() + 1
    a = np.eye(n)[labels]
    b = np.zeros((labels.size, n), dtype=np.int8)
    b[np.arange(labels.size), labels] = 1
    return a, b, (labels[:, None] == np.arange(n)).sum(axis=0)


@case(lambda r: (r.random((5, 4)), r.integers(0, 4, 5)))
def cross_entropy(logits, target):
    shifted = logits - np.max(logits, axis=1, keepdims=True)
    logsum = np.log(np.sum(np.exp(shifted), axis=1))
    loss = -(shifted[range(len(target)), target] - logsum).mean()
    grad = np.exp(shifted) / np.exp(shifted).sum(1)[:, None]
    grad[np.arange(len(target)), target] -= 1.0
    return loss, grad / len(target)


@case(lambda r: (r.random((6, 8)), 3))
def moving_windows(x, w):
    windows = np.lib.stride_tricks.sliding_window_view(x, w, axis=1)
    means = windows.mean(axis=-1)
    kernel = np.ones(w) / w
    by_convolution = np.array([np.convolve(row, kernel, mode="valid") for row in x[:2]])
    c = np.cumsum(np.insert(x[0], 0, 0))
    return means, by_convolution, (c[w:] - c[:-w]) / w


@case(lambda r: (r.random(15),))
def exponential_average(x, alpha=0.3):
    out = np.empty(len(x), dtype=x.dtype)
    prev = x[0]
    for i, v in enumerate(x):
        prev = alpha * v + (1 - alpha) * prev
        out[i] = prev
    return out


@case(lambda r: (r.random((4, 4)), 0.85, 1e-6))
def pagerank(M, d, eps):
    N = M.shape[1]
    M = M / M.sum(axis=0)
    v = np.full(N, 1 / N)
    last_v = np.ones(N) * 100
    M_hat = (d * M) + (((1 - d) / N) * np.ones((N, N)))
    count = 0
    while np.linalg.norm(v - last_v, 2) > eps:
        last_v = v
        v = M_hat @ v
        count += 1
    return v, count
