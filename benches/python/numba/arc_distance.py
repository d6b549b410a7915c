"""One loop over the pairs."""
import math

import numpy as np
from numba import njit, prange


@njit(parallel=True, fastmath=True)
def kernel(theta_1, phi_1, theta_2, phi_2):
    out = np.empty_like(theta_1)
    for i in prange(out.size):
        s = math.sin((theta_2[i] - theta_1[i]) / 2)
        t = math.sin((phi_2[i] - phi_1[i]) / 2)
        temp = s * s + math.cos(theta_1[i]) * math.cos(theta_2[i]) * t * t
        out[i] = 2 * math.atan2(math.sqrt(temp), math.sqrt(1 - temp))
    return out
