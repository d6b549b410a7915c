"""The product of two matrices of reals."""

from l0_text import arguments, show
from p1 import product

show(product(*arguments("matmul_functional")))
