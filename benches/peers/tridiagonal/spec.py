import numpy as np
DOC = 'tridiagonal systems, one a row, by elimination and substitution; systems and unknowns of each'
SIZES = {'1024x128': (1024, 128), '8192x256': (8192, 256)}
QUICK, MAIN = ['1024x128'], '8192x256'


def inputs(s):
    r = np.random.default_rng(13)
    return {'lower': r.random(s) - 0.5, 'diagonal': 2.0 + r.random(s), 'upper': r.random(s) - 0.5, 'right': r.random(s)}


def cargs(i):
    out = [np.empty_like(i['right'])]
    return [i['lower'], i['diagonal'], i['upper'], i['right'], *i['right'].shape, *out], out


def limit(s):
    n = s[0] * s[1]
    return {'read': 32 * n, 'write': 8 * n, 'flops': 9 * n, 'footprint': 40 * n, 'note': 'of the operations two are divisions'}
