import numpy as np
DOC = 'Mandelbrot set: how often z*z + c can be repeated before |z| > 2, at most so often; columns, rows and limit'
SIZES = {'240': (240, 160, 256), '1200': (1200, 800, 256)}
QUICK, MAIN = ['240'], '1200'
# A contracted a*b+c escapes a step earlier or later at a few points on the border.
INT_MISMATCH = 1e-3


def inputs(s):
    return dict(zip(('width', 'height', 'limit'), map(int, s)))


def cargs(i):
    out = [np.empty((i['height'], i['width']), 'i8')]
    return [i['width'], i['height'], i['limit'], *out], out


# A fifth of the points never escapes; the others do after some 10 steps on average. 7 operations test and take a step.
def limit(s):
    width, height, limit = s
    return {'write': 8 * width * height, 'flops': 7 * width * height * (0.21 * limit + 8), 'note': 'vectors without idle lanes'}
