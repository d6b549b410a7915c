import numpy as np
DOC = 'shortest paths between all pairs of nodes, by Floyd and Warshall'
SIZES = {'256': 256, '1024': 1024}
QUICK, MAIN = ['256'], '1024'


# One pair in eight has an edge.
def inputs(n):
    r = np.random.default_rng(12)
    d = np.where(r.random((n, n)) < 0.125, 1.0 + 99.0 * r.random((n, n)), 1e9)
    np.fill_diagonal(d, 0.0)
    return {'D': d}


def cargs(i):
    out = [i['D'].copy()]
    return [i['D'], i['D'].shape[0], *out], out


def limit(n):
    return {'read': 8 * n * n, 'write': 8 * n * n, 'flops': 2 * n ** 3, 'footprint': 16 * n * n, 'note': 'as fused multiply-adds; an addition and a minimum take twice as many instructions'}
