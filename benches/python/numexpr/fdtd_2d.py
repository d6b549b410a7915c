from numexpr import evaluate


def kernel(tmax, ex, ey, hz, fict):
    ey1, ex1, hz1 = ey[1:, :], ex[:, 1:], hz[:-1, :-1]
    below, above, right, left = hz[1:, :], hz[:-1, :], hz[:, 1:], hz[:, :-1]
    xr, xl, yb, ya = ex[:-1, 1:], ex[:-1, :-1], ey[1:, :-1], ey[:-1, :-1]
    for t in range(tmax):
        ey[0, :] = fict[t]
        evaluate("ey1 - 0.5 * (below - above)", out=ey1)
        evaluate("ex1 - 0.5 * (right - left)", out=ex1)
        evaluate("hz1 - 0.7 * (xr - xl + yb - ya)", out=hz1)
