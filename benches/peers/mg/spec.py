import numpy as np
DOC = 'multigrid as in the NAS benchmark MG: V-cycles on a cube with periodic borders; points along a side (32 as class S, 128 as W) and cycles'
SIZES = {'32': (32, 4), '128': (128, 4)}
QUICK, MAIN = ['32'], '128'


# Ten points of 1 and ten of -1.
def inputs(s):
    n, cycles = s
    v = np.zeros(n ** 3)
    v[np.random.default_rng(14).choice(n ** 3, 20, replace=False)] = np.repeat((1.0, -1.0), 10)
    return {'v': v.reshape(n, n, n), 'cycles': cycles}


def cargs(i):
    out = [np.empty_like(i['v'])]
    return [i['v'], i['v'].shape[0], i['cycles'], *out], out


# On each level, which has an eighth of the points of the one above, whole grids are moved: v, u and r by the residual; r and the coarser one by the
# restriction; z and the finer one by the interpolation; r and z by its residual, and by smoothing. 15 to 21 operations a point for each stencil.
def limit(s):
    n, cycles = s
    points = n ** 3 * cycles
    levels = 8.0 / 7.0
    return {'read': 8 * points * (2 + 6 * levels), 'write': 8 * points * (1 + 3.2 * levels), 'flops': points * (21 + 45 * levels), 'footprint': 8 * n ** 3 * 4}
